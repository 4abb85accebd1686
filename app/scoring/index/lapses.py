"""Memories that are not valid, updated incrementally."""

from __future__ import annotations

from datetime import UTC, datetime

from app.domain.library import Answer, Memory
from app.domain.match import Lapse, LapseKind, has_begun, own_lapse
from app.scoring.index.best import AnswerKey, key_of

MOMENT = "%Y-%m-%d %H:%M:%S"
"""Time format of the store, in UTC; the texts sort by time."""


def utc_now() -> str:
    """Return the present time in the store's format."""
    return datetime.now(UTC).strftime(MOMENT)


class Lapses:
    """Memories with a validity period, or that replace others, and their validity at a time."""

    def __init__(self) -> None:
        self._timed: set[AnswerKey] = set()
        self._replacing: dict[str, dict[AnswerKey, Memory]] = {}
        """Replacing memories, by the id of the replaced one."""

    @property
    def most(self) -> int:
        """Upper bound on the number of invalid answers."""
        return len(self._timed) + len(self._replacing)

    def of(self, answer: Answer, now: str) -> Lapse | None:
        """Return why the answer is not valid now; None if valid, or a power."""
        if not self.most or not isinstance(answer, Memory):
            return None
        own = own_lapse(answer, now)
        if own is None or own.kind is LapseKind.NOT_YET:
            by = self._replaced_by(answer, now)
            return own if by is None else Lapse(LapseKind.REPLACED, by.name)
        return own

    def _replaced_by(self, memory: Memory, now: str) -> Memory | None:
        """Return the first valid replacement of a memory; mutual replacements do not count."""
        known = self._replacing.get(memory.name, {})
        return next(
            (
                one
                for key, one in known.items()
                if key[1] != memory.key and has_begun(one, now) and one.name not in memory.replaces
            ),
            None,
        )

    def put(self, answer: Answer) -> None:
        if not isinstance(answer, Memory):
            return
        if answer.valid_to or answer.valid_from:
            self._timed.add(key_of(answer))
        for replaced in answer.replaces:
            self._replacing.setdefault(replaced, {})[key_of(answer)] = answer

    def remove(self, answer: Answer) -> None:
        """Remove an added answer."""
        if not isinstance(answer, Memory):
            return
        self._timed.discard(key_of(answer))
        for replaced in answer.replaces:
            known = self._replacing.get(replaced, {})
            known.pop(key_of(answer), None)
            if not known:
                self._replacing.pop(replaced, None)
