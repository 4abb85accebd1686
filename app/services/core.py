"""Core protocol: store, engine, settings and events of a profile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from app.domain.journal import Edit
from app.domain.scope.inspection import Inspection
from app.ports.encoder import Vectors
from app.ports.store import Library
from app.scoring.text import QueryVector
from app.services.engine.embedding import QueryVectors
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
from app.services.status import Status
from app.settings.model import Settings

Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Callback with the number done and the total."""


class Core(Protocol):
    """Store, engine, settings and events that a service works with, one per profile.

    All methods run on the core's asyncio thread. Services get other features as separate arguments.
    """

    # ---- engine

    @property
    def engine(self) -> Engine:
        """The engine that answers queries."""

    @property
    def typing_priority(self) -> TypingPriority:
        """Tells background work to yield to typing."""

    async def encoded(self, texts: Sequence[str]) -> Vectors | None:
        """Return vectors of shape (len(texts), dimension) of the current encoder; None without one.

        Raises EncoderError.
        """

    async def encoded_both(self, texts: Sequence[str]) -> tuple[Vectors, Vectors] | None:
        """Return vectors for cosines and for the learner, from one pass."""

    async def query_vectors(self, texts: Sequence[str]) -> list[QueryVector] | None:
        """Return the vectors of queries and of their sentences; None without an encoder. Raises EncoderError."""

    async def prefetch(self, texts: Sequence[str], vectors: QueryVectors | None = None) -> None:
        """Prefetch: embed queries together that are about to be run; by default for the engine's cache."""

    async def gather(self, texts: Sequence[str], *, all_anew: bool = False) -> None:
        """Load a team server's candidates for these queries into the index, if it searches.

        With `all_anew` as many as while the user types. Raises StoreError, EncoderError.
        """

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection:
        """Answer one query under changed settings and without an LLM; raises SettingsError."""

    async def settle_under(self, text: str, settings: Settings, vectors: QueryVectors | None = None) -> Inspection:
        """Answer one query under these settings and without an LLM, with prefetched vectors."""

    # ---- store

    @property
    def library(self) -> Library:
        """Open library, for the store's thread only; raises StoreError if it could not be opened."""

    @property
    def writing(self) -> asyncio.Lock:
        """Write lock of library, index and settings."""

    async def in_store(self, call: Callable[[Library], Result]) -> Result:
        """Run a call on the store's thread; raises StoreError."""

    def room(self) -> str:
        """Test a small persistent write to the disk; return the free space; raises StoreError."""

    # ---- settings

    @property
    def settings(self) -> Settings:
        """Settings in force; immutable, replaced by new ones."""

    @property
    def origins(self) -> Mapping[str, str]:
        """Source of each dotted key's value."""

    def settings_under(self, changes: Mapping[str, str]) -> Settings:
        """Return the settings with temporary changes; raises SettingsError if one is refused."""

    async def choose_all(self, changes: Mapping[str, str | None], edit: Edit | None = None) -> None:
        """Change settings atomically, as an undoable step with `edit`; raises SettingsError."""

    async def choosing(self, changes: Mapping[str, str | None], keep: Callable[[Library], Result]) -> Result:
        """Apply settings that a call to the store saves; raises SettingsError. Holds `writing`."""

    # ---- events

    async def library_changed(self) -> None:
        """Notify that answers changed, and embed texts without a vector."""

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start background work; it is cancelled when the core is closed."""

    def note_fault(self, part: str, sentence: str | None) -> None:
        """Report the fault of a part in the status, None to clear it."""

    def status(self) -> Status:
        """Return the state of every part, in words and numbers."""

    async def ready(self) -> None:
        """Wait until every trigger has its vector, or none can be computed."""
