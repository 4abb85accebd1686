"""What the index knows an answer by, and when two versions of one score alike."""

from __future__ import annotations

from collections.abc import Hashable

from app.domain.library import Answer, Kind

AnswerKey = tuple[Kind, int]
"""What the index knows an answer by: its kind and the store's key."""


def key_of(answer: Answer) -> AnswerKey:
    """ValueError for an answer that was never stored."""
    if answer.key is None:
        raise ValueError(f"“{answer.name}” has no key yet")
    return answer.kind, answer.key


def group_of(answer: Answer) -> Hashable:
    """What the answers have in common that share a centroid: a label, or a single answer's key."""
    label = answer.answer_label
    return key_of(answer) if label is None else label


def score_alike(present: Answer, other: Answer) -> bool:
    """Whether two versions of one answer have the same triggers, group and keywords; a paused one has none of them."""
    if other.paused or present.triggers != other.triggers or group_of(present) != group_of(other):
        return False
    return present.kind is Kind.MEMORY or (present.name, present.keywords) == (other.name, other.keywords)
