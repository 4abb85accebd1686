"""Scorer of a power's declared keywords and its name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.scoring.text import ScoredText, words

NAME_SCORE = 0.95
"""Score of a power's name in the query, under the preset "As documented" (S2.7)."""

FURTHER_KEYWORD = 0.02
"""Bonus of each further matched keyword (S2.7)."""


def shared_keyword_score(holders: int) -> float:
    """Return the score of a keyword that k enabled powers declare: 0.5 + 0.4 / k (S2.7)."""
    return 0.5 + 0.4 / holders


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """Matched keyword of the candidate at `slot`; `holders` powers declare it, None for a name."""

    slot: int
    keyword: str
    holders: int | None

    @property
    def score(self) -> float:
        return NAME_SCORE if self.holders is None else shared_keyword_score(self.holders)


class Keywords:
    """Phrases of whole words, each with the slots of the powers that declare it (S2.7)."""

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
        """Return the matched keywords by slot, best first; with `name_counts` names, too."""
        found: defaultdict[int, list[KeywordHit]] = defaultdict(list)
        if not self._longest:
            return found
        for phrase in _phrases_of(query.words, self._longest):
            holders = self._declared.get(phrase, {})
            for slot, keyword in holders.copy().items():  # another thread may query while powers are added and removed
                found[slot].append(KeywordHit(slot, keyword, len(holders)))
            for slot, name in (self._named.get(phrase, {}) if name_counts else {}).items():
                found[slot].append(KeywordHit(slot, name, None))
        for hits in found.values():
            hits.sort(key=lambda hit: -hit.score)
        return found


def keyword_score(hits: Sequence[KeywordHit]) -> float:
    """Compute one power's score: the best hit, plus 0.02 per further keyword, at most 1."""
    keywords = sum(hit.holders is not None for hit in hits)
    further = keywords - 1 if hits[0].holders is not None else keywords
    return min(1.0, hits[0].score + FURTHER_KEYWORD * further)


def _phrases_of(query: Sequence[str], longest: int) -> Iterable[tuple[str, ...]]:
    """Return the distinct runs of 1 to `longest` words."""
    runs = (
        tuple(query[start : start + length])
        for start in range(len(query))
        for length in range(1, min(longest, len(query) - start) + 1)
    )
    return dict.fromkeys(runs)
