"""Core protocol: store, engine, settings and events of a profile, and its status."""

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
from app.scoring.text import QueryVector
from app.services.engine.embedding import QueryVectors
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
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


# ---- Status of a profile: the state of its parts, in words and numbers


@dataclass(frozen=True, slots=True)
class FolderNews:
    """Numbers of differences between the library and its linked folder; `fault` if unknown."""

    folder: Path
    there: int = 0
    conflicts: int = 0
    here: int = 0
    faults: int = 0
    fault: str = ""
    is_new: bool = False
    """True if the folder contains no library yet."""


class EncoderState(StrEnum):
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """State for the status bar: profile, encoder, embedded triggers, library size, faults.

    `faults` are sentences for the user (what happened, what still works, what to do), by the part concerned: "store",
    "encoder", "settings", "rules". `encoder` is the current one; `next_encoder` replaces it once it has loaded and
    `embedded` of `to_embed` texts have vectors.
    """

    profile: str
    encoder: str = "intentscope-minilm"
    encoder_state: EncoderState = EncoderState.LOADING
    next_encoder: str = ""
    embedded: int = 0
    to_embed: int = 0
    put_off: int = 0
    """Number of texts whose vectors the user postponed."""
    counts: Mapping[str, int] = field(default_factory=dict)
    digests: Mapping[str, int] = field(default_factory=dict)
    """Hashes of the library's content, by "answers", "rules" and "routes"."""
    is_counted_anew: bool = False
    """True if only counts and notes changed since the last report: answers are the same."""
    faults: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    """Sentences about unexpected states of parts, such as "secrets" or "environment"."""
    in_folder: frozenset[str] = frozenset()
    """Parts whose faults are fixed in the profile's folder only, so retries are useless."""
    outside: frozenset[str] = frozenset()
    """Parts whose fault is on the command line or in the environment."""
    folder: FolderNews | None = None
    """Differences between the library and its linked folder; None without one."""
    team: Membership | None = None
    """Team library that the profile is a copy of."""
    fit: FitStatus = field(default_factory=FitStatus)
    preset: str = "recommended"
    is_open: bool = False
    llm: LlmState = field(default_factory=lambda: LlmState(LlmOutcome.OFF))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for a command's stderr: faults, ignored settings, a first or outdated fit."""
        parts = (SETTINGS, "environment", FIT)
        return (*self.faults.values(), *(self.notes[part] for part in parts if part in self.notes))


# ---- Current faults: a sentence for each part, and the place to fix it

STORE, SETTINGS, FIT = "store", "settings", "fit"
"""Three of the parts; others are named where they are reported."""


class Faults(dict[str, str]):
    """Sentences for the user (what happened, what still works, what to do), by part."""

    def __init__(self, *, is_said_outside: bool = False) -> None:
        super().__init__()
        self._is_for_the_folder = False
        self.is_said_outside = is_said_outside
        """True if the refused setting is on the command line or in the environment."""

    @property
    def in_folder(self) -> frozenset[str]:
        """Parts whose fault can only be fixed in the profile's folder."""
        return frozenset({STORE}) if self._is_for_the_folder and STORE in self else frozenset()

    @property
    def outside(self) -> frozenset[str]:
        """Parts whose fault is on the command line or in the environment."""
        return frozenset({SETTINGS}) if self.is_said_outside else frozenset()

    def note(self, part: str, sentence: str | None) -> bool:
        """Set the fault of a part, None to clear it; return True if that changed anything."""
        if self.get(part) == sentence:
            return False
        if sentence is None:
            del self[part]
        else:
            self[part] = sentence
        return True

    def note_store(self, error: KnownError) -> bool:
        """Record why the library is unusable; return False for a repeated error."""
        if self.get(STORE) == str(error):
            return False
        self[STORE] = str(error)
        self._is_for_the_folder = isinstance(error, StoreError) and error.in_folder
        return True
