"""The thresholds that labels carry: kept while answers come and go, so that no query looks for them."""

from __future__ import annotations

from collections.abc import Hashable

from app.domain.library import Answer, Memory
from app.scoring.index.best import AnswerKey, group_of, key_of


class LabelThresholds:
    """By label, or memory without one, the thresholds that its memories name; the largest is the label's."""

    def __init__(self) -> None:
        self._named: dict[Hashable, dict[AnswerKey, float]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no label carries any."""
        return not self._named

    def of(self, answer: Answer) -> float | None:
        """The threshold of what the answer stands under; None where it carries none."""
        named = self._named.get(group_of(answer)) if self._named else None
        return max(named.values()) if named else None

    def put(self, answer: Answer) -> None:
        """Take in an answer."""
        if isinstance(answer, Memory) and answer.tags and (own := answer.threshold) is not None:
            self._named.setdefault(group_of(answer), {})[key_of(answer)] = own

    def remove(self, answer: Answer) -> None:
        """Let go of one that was taken in."""
        named = self._named.get(group_of(answer)) if self._named else None
        if named is not None and named.pop(key_of(answer), None) is not None and not named:
            del self._named[group_of(answer)]

    def restate(self, before: Answer, after: Answer) -> bool:
        """Take an answer for another version of it; whether a threshold changes by that."""
        if not isinstance(before, Memory) or not isinstance(after, Memory) or before.tags == after.tags:
            return False
        self.remove(before)
        self.put(after)
        return before.threshold != after.threshold
