"""The words that a query shares with a trigger, and how they make the token score (002, S2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import numbers

JACCARD_WEIGHT = 0.4
COVERAGE_WEIGHT = 0.6


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the query as typed, and if the trigger has it too."""

    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class SharedWords:
    """The query word by word, the arithmetic of its token score ("" where it does not come to it), and the score."""

    words: tuple[Word, ...]
    arithmetic: str
    score: str


def shared_words(query: str, trigger: str, score: float) -> SharedWords:
    """Mark in the query what the trigger shares; the fractions are shown only if they come to the score given."""
    mine, theirs = set(query.lower().split()), set(trigger.lower().split())
    both = mine & theirs
    text = ""
    if mine and theirs:
        value = JACCARD_WEIGHT * len(both) / len(mine | theirs) + COVERAGE_WEIGHT * len(both) / len(mine)
        if abs(value - score) < 1e-9:
            union, asked = len(mine | theirs), len(mine)
            times = numbers.TIMES
            text = f"{JACCARD_WEIGHT} {times} {len(both)}/{union} + {COVERAGE_WEIGHT} {times} {len(both)}/{asked}"
    marked = tuple(Word(word, word.lower() in both) for word in query.split())
    return SharedWords(marked, text, numbers.score(score))
