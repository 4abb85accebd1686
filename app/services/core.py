"""What verbs need of the desk that they are done at, thing by thing: each verb names in a Protocol what it takes.

They are named in the order in which they stand here, so that one desk can be made of several.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar

from app.domain.errors import KnownError, StoreError
from app.domain.llm import LlmOutcome
from app.ports.encoder import Vectors
from app.ports.llm import LlmState
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


# --------------------------------------------------------------------------------------------------------------------
# What a profile says of itself: the state of its parts, in words and numbers


@dataclass(frozen=True, slots=True)
class FolderNews:
    """What differs between the library and the folder it is linked to, counted; `fault` says why that is not known."""

    folder: Path
    there: int = 0
    conflicts: int = 0
    here: int = 0
    faults: int = 0
    fault: str = ""
    is_new: bool = False
    """There is no library in it yet."""


class EncoderState(StrEnum):
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """What the status bar tells: profile, encoder, how many triggers have their vector, library size, faults.

    `faults` are sentences for the user (what happened, what still works, what to do), by the part concerned:
    "store", "encoder", "settings", "rules". `encoder` is the one that answers; `next_encoder` the one that will, once
    it has loaded and `embedded` of `to_embed` texts have its vectors.
    """

    profile: str
    encoder: str = "minilm"
    encoder_state: EncoderState = EncoderState.LOADING
    next_encoder: str = ""
    embedded: int = 0
    to_embed: int = 0
    put_off: int = 0
    """So many texts have no vector because a person wanted it made later."""
    counts: Mapping[str, int] = field(default_factory=dict)
    is_counted_anew: bool = False
    """Whether nothing but counts and notes differs from what was told before: queries are answered as they were."""
    faults: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    """Sentences about parts that work otherwise than one may think: "secrets"."""
    in_folder: frozenset[str] = frozenset()
    """The parts whose fault a person can mend in the profile's folder only; trying again by itself is no use."""
    outside: frozenset[str] = frozenset()
    """The parts whose fault stands where the program was started: on the command line or in the environment."""
    folder: FolderNews | None = None
    """What differs between the library and the folder it is linked to; None without one."""
    preset: str = "recommended"
    is_open: bool = False
    llm: LlmState = field(default_factory=lambda: LlmState(LlmOutcome.OFF))


# --------------------------------------------------------------------------------------------------------------------
# What fails just now: a sentence for each part, and where it can be mended

STORE, SETTINGS = "store", "settings"
"""Two of the parts; the others are named where they fail."""


class Faults(dict[str, str]):
    """Sentences for the user (what happened, what still works, what to do), by the part concerned."""

    def __init__(self, *, is_said_outside: bool = False) -> None:
        super().__init__()
        self._is_for_the_folder = False
        self.is_said_outside = is_said_outside
        """Whether what is refused of the settings stands on the command line or in the environment."""

    @property
    def in_folder(self) -> frozenset[str]:
        """The parts whose fault can be mended in the profile's folder only."""
        return frozenset({STORE}) if self._is_for_the_folder and STORE in self else frozenset()

    @property
    def outside(self) -> frozenset[str]:
        """The parts whose fault stands where the program was started."""
        return frozenset({SETTINGS}) if self.is_said_outside else frozenset()

    def note(self, part: str, sentence: str | None) -> bool:
        """Note that a part fails, or with None that it does no longer; whether that is news."""
        if self.get(part) == sentence:
            return False
        if sentence is None:
            del self[part]
        else:
            self[part] = sentence
        return True

    def note_store(self, error: KnownError) -> bool:
        """Note why the library cannot be used; whether that is news: whoever asks for it may get the same error."""
        if self.get(STORE) == str(error):
            return False
        self[STORE] = str(error)
        self._is_for_the_folder = isinstance(error, StoreError) and error.in_folder
        return True
