"""The two scorers that look at whole answers: the centroid of what is taught under one, and a power's keywords."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns import Floats, ScoredText, SemanticColumn
from app.scoring.growing import Growing
from app.scoring.text import words

NAME_SCORE = 0.95
"""003, under the preset "As documented": a power's name in the query (S2.7)."""

FURTHER_KEYWORD = 0.02
"""What each further matched keyword adds (S2.7)."""


def shared_keyword_score(holders: int) -> float:
    """What a keyword scores that `holders` enabled powers declare: 0.9 for one, 0.5 + 0.4 / k for k (S2.7)."""
    return 0.5 + 0.4 / holders


class Centroids:
    """S2.6: unit vectors of the mean of each group's trigger vectors. A group is a label, or a single answer."""

    def __init__(self, dimension: int) -> None:
        self._members: list[set[int]] = []
        self._numbers: dict[Hashable, int] = {}
        self._means: Growing[np.float32] = Growing(np.float32, width=dimension)
        self._known: Growing[np.bool_] = Growing(np.bool_, fill=False)
        self._stale: set[int] = set()

    def __len__(self) -> int:
        return len(self._members)

    def group(self, name: Hashable) -> int:
        """The number of a group, made where it is new."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._members)
            self._members.append(set())
            self._means.lengthen(1)
            self._known.lengthen(1)
        return number

    def join(self, group: int, rows: Iterable[int]) -> None:
        self._members[group].update(rows)
        self._stale.add(group)

    def leave(self, group: int, rows: Iterable[int]) -> None:
        self._members[group].difference_update(rows)
        self._stale.add(group)

    def size(self, group: int) -> int:
        return len(self._members[group])

    def touch(self, groups: Iterable[int]) -> None:
        """Vectors of these groups' rows have changed."""
        self._stale.update(groups)

    def score(self, query: ScoredText, column: SemanticColumn) -> Floats:
        """Scores of shape (groups,), NaN for a group without vectors; all absent if the query has none."""
        if query.vector is None:
            return np.full(len(self), np.nan)
        self._refresh(column)
        scores: Floats = np.clip(self._means.view @ query.vector, 0.0, 1.0).astype(np.float64)
        scores[~self._known.view] = np.nan
        return scores

    def _refresh(self, column: SemanticColumn) -> None:
        for group in self._stale:
            rows = np.fromiter(self._members[group], np.intp, len(self._members[group]))
            rows = np.sort(rows[column.known[rows]]) if len(rows) else rows
            self._known.view[group] = len(rows) > 0
            self._means.view[group] = _unit(column.vectors[rows].sum(axis=0)) if len(rows) else 0.0
        self._stale.clear()


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A keyword, as declared, of the candidate at `slot`; `holders` powers declare it, or None for a power's name."""

    slot: int
    keyword: str
    holders: int | None

    @property
    def score(self) -> float:
        return NAME_SCORE if self.holders is None else shared_keyword_score(self.holders)


class Keywords:
    """S2.7: phrases of whole words, each with the slots of the powers that declare it."""

    def __init__(self) -> None:
        self._declared: defaultdict[tuple[str, ...], dict[int, str]] = defaultdict(dict)
        self._named: defaultdict[tuple[str, ...], dict[int, str]] = defaultdict(dict)
        self._phrases: dict[int, tuple[set[tuple[str, ...]], tuple[str, ...]]] = {}
        self._longest = 0

    def add(self, slot: int, name: str, keywords: Sequence[str]) -> None:
        phrases = {phrase: keyword for keyword in reversed(keywords) if (phrase := words(keyword))}
        named = words(name)
        for phrase, keyword in phrases.items():
            self._declared[phrase][slot] = keyword
        if named:
            self._named[named][slot] = name
        self._phrases[slot] = (set(phrases), named)
        self._longest = max([self._longest, len(named), *map(len, phrases)])

    def remove(self, slot: int) -> None:
        phrases, named = self._phrases.pop(slot, (set(), ()))
        for phrase in phrases:
            del self._declared[phrase][slot]
        self._named.get(named, {}).pop(slot, None)

    def hits(self, query: ScoredText, *, name_counts: bool) -> dict[int, list[KeywordHit]]:
        """The matched keywords by slot, best first; with `name_counts` the name too."""
        found: defaultdict[int, list[KeywordHit]] = defaultdict(list)
        for phrase in _phrases_of(query.words, self._longest):
            holders = self._declared.get(phrase, {})
            for slot, keyword in holders.items():
                found[slot].append(KeywordHit(slot, keyword, len(holders)))
            for slot, name in (self._named.get(phrase, {}) if name_counts else {}).items():
                found[slot].append(KeywordHit(slot, name, None))
        for hits in found.values():
            hits.sort(key=lambda hit: -hit.score)
        return found


def keyword_score(hits: Sequence[KeywordHit]) -> float:
    """The score of the hits of one power, best first: the best, plus 0.02 for each further *keyword*, at most 1."""
    keywords = sum(hit.holders is not None for hit in hits)
    further = keywords - 1 if hits[0].holders is not None else keywords
    return min(1.0, hits[0].score + FURTHER_KEYWORD * further)


def _phrases_of(query: Sequence[str], longest: int) -> Iterable[tuple[str, ...]]:
    """Every run of 1 to `longest` words, each distinct one once."""
    runs = (
        tuple(query[start : start + length])
        for start in range(len(query))
        for length in range(1, min(longest, len(query) - start) + 1)
    )
    return dict.fromkeys(runs)
