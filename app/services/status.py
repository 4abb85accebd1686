"""What a desk says of itself: the state of its parts, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.llm import LlmOutcome
from app.ports import LlmState


class EncoderState(StrEnum):
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """What the status bar tells: profile, encoder, how many triggers have their vector, library size, faults.

    `faults` are sentences for the user (what happened, what still works, what to do), by the part concerned:
    "store", "encoder", "settings", "rules".
    """

    profile: str
    encoder: str = "minilm"
    encoder_state: EncoderState = EncoderState.LOADING
    embedded: int = 0
    to_embed: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    preset: str = "recommended"
    is_open: bool = False
    llm: LlmState = field(default_factory=lambda: LlmState(LlmOutcome.OFF))
