"""Whether a memory holds at a moment: its own times, and the memories that replace it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.library import Memory


class LapseKind(StrEnum):
    """Why a memory does not hold, the first reason that applies."""

    EXPIRED = "expired"
    REPLACED = "replaced"
    NOT_YET = "not_yet"


@dataclass(frozen=True, slots=True)
class Lapse:
    """That a memory does not hold: `by` is the moment of its end or beginning, or the name of what replaces it."""

    kind: LapseKind
    by: str

    @property
    def words(self) -> str:
        """The reason, as it follows "it is"."""
        moment = self.by.removesuffix(" 00:00:00")
        if self.kind is LapseKind.EXPIRED:
            return f"no longer valid since {moment}"
        return f"replaced by {self.by}" if self.kind is LapseKind.REPLACED else f"not valid before {moment}"


def own_lapse(memory: Memory, now: str) -> Lapse | None:
    """Why the memory's own times say that it does not hold now, a moment as the store writes it; None where it does."""
    if memory.valid_to and memory.valid_to <= now:
        return Lapse(LapseKind.EXPIRED, memory.valid_to)
    return Lapse(LapseKind.NOT_YET, memory.valid_from) if memory.valid_from > now else None


def has_begun(memory: Memory, now: str) -> bool:
    """Whether the memory has come into force, and with it what it says of those that it replaces."""
    return memory.valid_from <= now
