"""State of a profile's parts, in words and numbers, and the current faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from app.domain.errors import KnownError, StoreError
from app.domain.fits import FitStatus
from app.domain.library import Membership
from app.domain.llm import LlmOutcome
from app.ports.llm import LlmState


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
