"""What verbs need of the desk that they are done at, thing by thing: each verb names in a Protocol what it takes.

They are named in the order in which they stand here, so that one desk can be made of several.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from app.ports.encoder import Vectors
from app.ports.store import Library
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings

Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""


class WithSettings(Protocol):
    """A desk with settings in force: no value of them ever changes, others take their place."""

    @property
    def settings(self) -> Settings: ...


class WithEngine(Protocol):
    """A desk that answers queries."""

    @property
    def engine(self) -> Engine: ...


class WithTypingPriority(Protocol):
    """A desk at which somebody types, whom work beside must not keep waiting."""

    @property
    def typing_priority(self) -> TypingPriority:
        """Knows when a key came last."""
        ...


class WithVectors(Protocol):
    """A desk that makes vectors."""

    async def encoded(self, texts: Sequence[str]) -> Vectors | None:
        """Vectors of shape (len(texts), dimension) of the encoder that answers when this returns; None without one.

        EncoderError.
        """
        ...


class WithStore(Protocol):
    """A desk with a library."""

    async def in_store(self, call: Callable[[Library], Result]) -> Result:
        """Run a call on the store's thread; StoreError."""
        ...


class WithWriting(Protocol):
    """A desk at which what is taught can be changed."""

    @property
    def writing(self) -> asyncio.Lock:
        """Held while something is changed."""
        ...

    async def library_changed(self) -> None:
        """Tell that answers differ, and have vectors made for what has none."""
        ...


class WithBackground(Protocol):
    """A desk at which work goes on that nobody waits for, and a status that tells where it fails."""

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin work that nobody waits for; it is cancelled when the desk is closed."""
        ...

    def note_fault(self, part: str, sentence: str | None) -> None:
        """Tell in the status that a part fails, or with None that it does no longer."""
        ...
