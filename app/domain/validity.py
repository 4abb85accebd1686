"""Validity of a memory at a time: its own period, and the memories that replace it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.library import Memory


class LapseKind(StrEnum):
    """Reason that a memory is not valid, the first that applies."""

    EXPIRED = "expired"
    REPLACED = "replaced"
    NOT_YET = "not_yet"


@dataclass(frozen=True, slots=True)
class Lapse:
    """Reason and cause of invalidity: `by` is a time, or the name of the replacing memory."""

    kind: LapseKind
    by: str

    @property
    def words(self) -> str:
        """Reason, to follow "it is"."""
        moment = self.by.removesuffix(" 00:00:00")
        if self.kind is LapseKind.EXPIRED:
            return f"no longer valid since {moment}"
        return f"replaced by {self.by}" if self.kind is LapseKind.REPLACED else f"not valid before {moment}"


def own_lapse(memory: Memory, now: str) -> Lapse | None:
    """Return why the memory's own period excludes the time `now` (UTC text); None if valid."""
    if memory.valid_to and memory.valid_to <= now:
        return Lapse(LapseKind.EXPIRED, memory.valid_to)
    return Lapse(LapseKind.NOT_YET, memory.valid_from) if memory.valid_from > now else None


def has_begun(memory: Memory, now: str) -> bool:
    """Return whether the memory's period has begun, and so its replacements apply."""
    return memory.valid_from <= now
