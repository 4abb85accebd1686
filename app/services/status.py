"""What a desk says of itself: the state of its parts, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.llm import LlmOutcome
from app.ports.llm import LlmState
from app.services.library_folders import FolderNews


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
