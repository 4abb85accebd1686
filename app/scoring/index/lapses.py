"""Which memories do not hold: kept while answers come and go, so that no query looks through the library for them."""

from __future__ import annotations

from datetime import UTC, datetime

from app.domain.library import Answer, Memory
from app.domain.validity import Lapse, LapseKind, has_begun, own_lapse
from app.scoring.index.best import AnswerKey, key_of

MOMENT = "%Y-%m-%d %H:%M:%S"
"""How the store writes a moment of UTC; such texts are in the order of their times."""


def utc_now() -> str:
    """The present moment as the store writes moments."""
    return datetime.now(UTC).strftime(MOMENT)


class Lapses:
    """The memories that name a time of validity or others that they replace, and what that means at a moment."""

    def __init__(self) -> None:
        self._timed: set[AnswerKey] = set()
        self._replacing: dict[str, dict[AnswerKey, Memory]] = {}
        """By id of a memory, those that replace it."""

    @property
    def most(self) -> int:
        """At most so many answers do not hold."""
        return len(self._timed) + len(self._replacing)

    def of(self, answer: Answer, now: str) -> Lapse | None:
        """Why the answer does not hold now; None where it does, as every power."""
        if not self.most or not isinstance(answer, Memory):
            return None
        own = own_lapse(answer, now)
        if own is None or own.kind is LapseKind.NOT_YET:
            by = self._replaced_by(answer, now)
            return own if by is None else Lapse(LapseKind.REPLACED, by.name)
        return own

    def _replaced_by(self, memory: Memory, now: str) -> Memory | None:
        """The first that replaces the memory and has begun; of two that replace each other neither does."""
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
        """Take in an answer."""
        if not isinstance(answer, Memory):
            return
        if answer.valid_to or answer.valid_from:
            self._timed.add(key_of(answer))
        for replaced in answer.replaces:
            self._replacing.setdefault(replaced, {})[key_of(answer)] = answer

    def remove(self, answer: Answer) -> None:
        """Let go of one that was taken in."""
        if not isinstance(answer, Memory):
            return
        self._timed.discard(key_of(answer))
        for replaced in answer.replaces:
            known = self._replacing.get(replaced, {})
            known.pop(key_of(answer), None)
            if not known:
                self._replacing.pop(replaced, None)
