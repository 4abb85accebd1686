"""Columns of scorers: exact, fuzzy, token overlap, semantic, and declared keywords."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import ColumnAnswer, Floats, Growing, Known
from app.scoring.text import ScoredText, tokens, without_punctuation, words

NAME_SCORE = 0.95
"""Score of a power's name in the query, under the preset "As documented" (S2.7)."""

FURTHER_KEYWORD = 0.02
"""Bonus of each further matched keyword (S2.7)."""


def shared_keyword_score(holders: int) -> float:
    """Return the score of a keyword that k enabled powers declare: 0.5 + 0.4 / k (S2.7)."""
    return 0.5 + 0.4 / holders


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """Matched keyword; `holders` powers declare it, None for a name."""

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
                found[slot].append(KeywordHit(keyword, len(holders)))
            for slot, name in (self._named.get(phrase, {}) if name_counts else {}).items():
                found[slot].append(KeywordHit(name, None))
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


EXACT, EXACT_BUT_CASE, EXACT_BUT_PUNCTUATION = 1.0, 0.98, 0.95
"""Scores of 002: identical; equal up to case; equal up to punctuation, space and case."""

JACCARD_WEIGHT, COVERAGE_WEIGHT = 0.4, 0.6
"""Weights of the Jaccard index and the share of query tokens found, in token overlap (002)."""

KEPT_ANSWERS = 4
"""Number of cached answers of the token column; typing within a word rarely changes them."""


class Column(Protocol):
    """Arrays of one scorer over all rows, which are appended and blanked, never renumbered."""

    @property
    def nbytes(self) -> int:
        """Size of its arrays in bytes."""

    def append(self, texts: Sequence[str]) -> None: ...

    def blank(self, row: int, text: str) -> None:
        """Make a row match nothing."""

    def ask(self, query: ScoredText) -> ColumnAnswer: ...

    def score(self, query: ScoredText) -> Floats:
        """Compute the scores, shape (rows,), NaN where absent."""


RowsOf = dict[str, int | list[int]]
"""Row or rows of each form of a text; most forms have one, and lists would use much memory."""


class ExactColumn:
    """Exact scorer, with three dictionaries from a form of the text to its rows (S2.2)."""

    def __init__(self) -> None:
        self._count = 0
        self._same: RowsOf = {}
        self._lower: RowsOf = {}
        self._bare: RowsOf = {}
        self._none = Known(np.zeros(0))

    @property
    def nbytes(self) -> int:
        return 0

    def append(self, texts: Sequence[str]) -> None:
        for row, text in enumerate(texts, self._count):
            # Equal forms share one string.
            lower, bare = text.lower(), without_punctuation(text)
            lower = text if lower == text else lower
            bare = lower if bare == lower else bare
            for rows_of, form in ((self._same, text), (self._lower, lower), (self._bare, bare)):
                rows = rows_of.setdefault(form, row)
                if isinstance(rows, list):
                    rows.append(row)
                elif rows != row:
                    rows_of[form] = [rows, row]
        self._count += len(texts)
        self._none = Known(np.zeros(self._count))

    def blank(self, row: int, text: str) -> None:
        for rows_of, form in ((self._same, text), (self._lower, text.lower()), (self._bare, without_punctuation(text))):
            rows = rows_of[form]
            if isinstance(rows, list) and len(rows) > 1:
                rows.remove(row)
            else:
                del rows_of[form]

    def rows(self, text: str) -> Sequence[int]:
        return _listed(self._same.get(text))

    def rows_but_punctuation(self, bare: str) -> Sequence[int]:
        """Return the rows with this text, ignoring punctuation and case."""
        return _listed(self._bare.get(bare))

    def ask(self, query: ScoredText) -> ColumnAnswer:
        if query.bare not in self._bare and query.lower not in self._lower:
            return self._none
        scores = np.zeros(self._count)
        scores[self._bare.get(query.bare, [])] = EXACT_BUT_PUNCTUATION
        scores[self._lower.get(query.lower, [])] = EXACT_BUT_CASE
        scores[self._same.get(query.text, [])] = EXACT
        return Known(scores)

    def score(self, query: ScoredText) -> Floats:
        return self.ask(query).every


def _listed(rows: int | list[int] | None) -> Sequence[int]:
    return () if rows is None else (rows,) if isinstance(rows, int) else rows


class TokenColumn:
    """Token overlap scorer, with the rows of each token (S2.4)."""

    def __init__(self) -> None:
        self._sizes: Growing[np.int32] = Growing(np.int32)
        # Half of all tokens have one row; growing numpy arrays would take 20 times the memory.
        self._postings: dict[str, array[int]] = {}
        self._none = Known(np.zeros(0))
        self._kept: dict[tuple[int, frozenset[str]], Known] = {}

    @property
    def nbytes(self) -> int:
        return self._sizes.view.nbytes + sum(rows.itemsize * len(rows) for rows in self._postings.values())

    def append(self, texts: Sequence[str]) -> None:
        fresh: defaultdict[str, list[int]] = defaultdict(list)
        sizes = np.zeros(len(texts), np.int32)
        first = len(self._sizes)
        for row, text in enumerate(texts, first):
            held = set(tokens(text))
            sizes[row - first] = len(held)
            for token in held:
                fresh[token].append(row)
        self._sizes.extend(sizes)
        for token, rows in fresh.items():
            if (held_by := self._postings.get(token)) is None:
                self._postings[token] = array("i", rows)
            else:
                held_by.extend(rows)
        self._none = Known(np.zeros(len(self._sizes)))
        self._kept = {}

    def blank(self, row: int, text: str) -> None:
        """Make the row score 0; it keeps its postings, but has no tokens."""
        self._sizes.view[row] = 0
        self._kept = {}

    def ask(self, query: ScoredText) -> ColumnAnswer:
        found = frozenset(token for token in query.tokens if token in self._postings)
        if not found:
            return self._none
        about = len(query.tokens), found
        if (known := self._kept.get(about)) is None:
            known = Known(self._scores(found, len(query.tokens)))
            self._kept = {**dict(list(self._kept.items())[1 - KEPT_ANSWERS :]), about: known}
        return known

    def score(self, query: ScoredText) -> Floats:
        return self.ask(query).every

    def _scores(self, found: frozenset[str], asked: int) -> Floats:
        """Compute all scores, looked up by the numbers of shared tokens and of the trigger's tokens."""
        sizes = self._sizes.view
        held_by = [np.frombuffer(self._postings[token], np.intc) for token in found]
        shared = np.bincount(np.concatenate(held_by), minlength=len(sizes))
        shared[sizes == 0] = 0
        common, own = np.ogrid[: len(found) + 1, : int(sizes.max()) + 1]
        either: NDArray[np.float64] = np.maximum(asked + own - common, 1).astype(np.float64)
        scores = JACCARD_WEIGHT * (common / either) + COVERAGE_WEIGHT * (common / float(asked))
        shared *= scores.shape[1]
        shared += sizes
        looked_up: Floats = scores.ravel()[shared]
        return looked_up
