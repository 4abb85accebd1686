"""Core: the store, engine, settings and events of a profile that every service works with; and its status."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar

from app.domain.errors import KnownError, StoreError
from app.domain.journal import Edit
from app.domain.library import Membership
from app.domain.llm import LlmOutcome
from app.domain.scope.fits import FitStatus
from app.domain.scope.inspection import Inspection
from app.ports.encoder import Vectors
from app.ports.llm import LlmState
from app.ports.store import Library
from app.services.engine.embedding import QueryVectors
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings

Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Callback with the number done and the total."""


class Core(Protocol):
    """Store, engine, settings and events that a service works with, one for each profile.

    All methods run on the core's asyncio thread. What a verb needs of another feature is passed in beside it.
    """

    # ---- the engine, and who waits for its answers

    @property
    def engine(self) -> Engine:
        """The engine that answers queries."""
        ...

    @property
    def typing_priority(self) -> TypingPriority:
        """Lets typing go first: background work yields to it."""
        ...

    async def encoded(self, texts: Sequence[str]) -> Vectors | None:
        """Vectors of shape (len(texts), dimension) of the encoder that answers when this returns; None without one.

        EncoderError.
        """
        ...

    async def encoded_both(self, texts: Sequence[str]) -> tuple[Vectors, Vectors] | None:
        """The vectors that are compared and those that a learner reads, of one pass."""
        ...

    async def foresee(self, texts: Sequence[str]) -> None:
        """Prefetch: embed queries together that are about to be run."""
        ...

    async def gather(self, texts: Sequence[str], *, all_anew: bool = False) -> None:
        """Where a server finds what is scored: have the memories in the index that may answer any of these queries, or
        with `all_anew` those that it finds while somebody types. StoreError, EncoderError."""
        ...

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection:
        """Answer one query under changed settings and without an LLM; SettingsError."""
        ...

    async def settle_under(self, text: str, settings: Settings, vectors: QueryVectors | None = None) -> Inspection:
        """Answer one query under these settings and without an LLM, with prefetched vectors."""
        ...

    # ---- the store

    @property
    def library(self) -> Library:
        """The open library, for the store's thread alone; StoreError if it could not be opened."""
        ...

    @property
    def writing(self) -> asyncio.Lock:
        """Write lock of library, index and settings."""
        ...

    async def in_store(self, call: Callable[[Library], Result]) -> Result:
        """Run a call on the store's thread; StoreError."""
        ...

    def room(self) -> str:
        """Try a small lasting write beside the library; what room there is, in words. StoreError."""
        ...

    # ---- the settings

    @property
    def settings(self) -> Settings:
        """The settings in force: no value of them ever changes, others take their place."""
        ...

    @property
    def origins(self) -> Mapping[str, str]:
        """Where the value of each dotted key comes from."""
        ...

    def settings_under(self, changes: Mapping[str, str]) -> Settings:
        """The settings with some changed for a question; SettingsError if one is refused."""
        ...

    async def choose_all(self, changes: Mapping[str, str | None], edit: Edit | None = None) -> None:
        """Change several settings, all of them or none, with an edit as a step of the journal; SettingsError."""
        ...

    async def choosing(self, changes: Mapping[str, str | None], keep: Callable[[Library], Result]) -> Result:
        """Let settings take effect that a call to the store keeps; SettingsError. `writing` is held."""
        ...

    # ---- events

    async def library_changed(self) -> None:
        """Notify that answers changed, and embed what has no vector."""
        ...

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start background work; it is cancelled when the core is closed."""
        ...

    def note_fault(self, part: str, sentence: str | None) -> None:
        """Report the fault of a part in the status, None to clear it."""
        ...

    def status(self) -> Status:
        """The state of every part, in words and numbers."""
        ...

    async def ready(self) -> None:
        """Wait until every trigger has its vector, or none can be made."""
        ...


# --------------------------------------------------------------------------------------------------------------------
# What a profile says of itself: the state of its parts, in words and numbers


@dataclass(frozen=True, slots=True)
class FolderNews:
    """Differences between the library and the folder it is linked to, counted; `fault` says why that is not known."""

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
    """The state for the status bar: profile, encoder, embedded triggers, library size, faults.

    `faults` are sentences for the user (what happened, what still works, what to do), by the part concerned:
    "store", "encoder", "settings", "rules". `encoder` is the one that answers; `next_encoder` the one that will, once
    it has loaded and `embedded` of `to_embed` texts have its vectors.
    """

    profile: str
    encoder: str = "intentscope-minilm"
    encoder_state: EncoderState = EncoderState.LOADING
    next_encoder: str = ""
    embedded: int = 0
    to_embed: int = 0
    put_off: int = 0
    """The number of texts whose vectors a person postponed."""
    counts: Mapping[str, int] = field(default_factory=dict)
    digests: Mapping[str, int] = field(default_factory=dict)
    """Hashes of what is taught, by "answers", "rules" and "routes"."""
    is_counted_anew: bool = False
    """Whether only counts and notes changed since the last report, so that answers are the same."""
    faults: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    """Sentences about parts that work otherwise than one may think, such as "secrets" or "environment"."""
    in_folder: frozenset[str] = frozenset()
    """The parts whose fault a person can mend in the profile's folder only; trying again by itself is no use."""
    outside: frozenset[str] = frozenset()
    """The parts whose fault stands where the program was started: on the command line or in the environment."""
    folder: FolderNews | None = None
    """Differences between the library and the folder it is linked to; None without one."""
    team: Membership | None = None
    """The team's library that the profile has a copy of."""
    fit: FitStatus = field(default_factory=FitStatus)
    preset: str = "recommended"
    is_open: bool = False
    llm: LlmState = field(default_factory=lambda: LlmState(LlmOutcome.OFF))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a command says on stderr beside its answer: faults, settings that are not used as they stand, and a
        fit that is stale or the first."""
        parts = (SETTINGS, "environment", FIT)
        return (*self.faults.values(), *(self.notes[part] for part in parts if part in self.notes))


# --------------------------------------------------------------------------------------------------------------------
# What fails just now: a sentence for each part, and where it can be mended

STORE, SETTINGS, FIT = "store", "settings", "fit"
"""Three of the parts; the others are named where they are reported."""


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
        """Set the fault of a part, None to clear it; whether that changed anything."""
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
