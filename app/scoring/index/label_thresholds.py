"""Thresholds of labels, updated incrementally."""

from __future__ import annotations

from collections.abc import Hashable

from app.domain.library import Answer, Memory
from app.scoring.index.best import AnswerKey, group_of, key_of


class LabelThresholds:
    """Thresholds of memories by label, or by memory without one; the largest is the label's."""

    def __init__(self) -> None:
        self._named: dict[Hashable, dict[AnswerKey, float]] = {}

    @property
    def is_empty(self) -> bool:
        """True if no label has a threshold."""
        return not self._named

    def of(self, answer: Answer) -> float | None:
        """Return the threshold of the answer's label; None without one."""
        named = self._named.get(group_of(answer)) if self._named else None
        return max(named.values()) if named else None

    def put(self, answer: Answer) -> None:
        if isinstance(answer, Memory) and answer.tags and (own := answer.threshold) is not None:
            self._named.setdefault(group_of(answer), {})[key_of(answer)] = own

    def remove(self, answer: Answer) -> None:
        """Remove an added answer."""
        named = self._named.get(group_of(answer)) if self._named else None
        if named is not None and named.pop(key_of(answer), None) is not None and not named:
            del self._named[group_of(answer)]

    def restate(self, before: Answer, after: Answer) -> bool:
        """Replace an answer by another version; return whether a threshold changed."""
        if not isinstance(before, Memory) or not isinstance(after, Memory) or before.tags == after.tags:
            return False
        self.remove(before)
        self.put(after)
        return before.threshold != after.threshold
