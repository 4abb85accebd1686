"""Scorer of rare words: BM25 over triggers, relative to a perfect match (Robertson et al.)."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import Floats, Growing, Places, Singles
from app.scoring.text import ScoredText, stem, tokens, words

K1, B = 1.2, 0.3
"""Saturation of repeated words, and the penalty of length, which is small for triggers."""

KEPT_SUMS = 4
"""Number of cached sums over the triggers.

Typing within a word rarely changes the found words.
"""

_BLANK = -1.0
"""Length of a row that matches nothing."""

FUNCTION_WORDS = frozenset(
    words(
        "a an and any are as at be been but by can could did do does for from had has have he her him his how "
        "i if in is it its me my no not of on or our please she so some than that the their them then there these "
        "they this those to us was we were what when where which who whom whose why will with would you your"
    )
)
"""Words without a meaning of their own; in a small library rarity does not reveal them."""

VOID = FUNCTION_WORDS | frozenset(
    "also although am because been being both each either every few into just may maybe might much must nor onto other "
    "own perhaps quite rather really same shall should since such though through too upon very via were "
    "ah eh er hmm oh uh um d ll m re s t ve".split()
)
"""Words that mean nothing by themselves, and the pieces of contractions such as "I'm"."""

FOREIGN_VOID = frozenset(
    words(
        "aber auch auf aus bitte das dem der doch durch ein eine einem einen einer für ich ihr ist kein keine "
        "mein meine mich mir nicht noch nur oder schon sich sie sind und uns vom von wie wir wird wo zu zum zur über "
        "au avec cette dans de elle en est et il je le les leur mais ne nous où que qui sont sur tu un une vous "
        "como cuando de del donde dónde el ella en es esta este muy para pero por que qué se un una y yo"
    )
)
"""The same in German, French and Spanish, without words that mean something in English."""

MOST_VOID = 2
"""Maximum number of different words of such a query: "of the", unlike "who are you"."""

CONTENT = 4
"""Number of content words from which a query counts as whole."""

CLAUSE = frozenset(
    words(
        "am are can could did do does he how i is it may might must my our please shall she should they us was we were "
        "what when where which who whom whose why will would you your"
    )
)
"""Words that make a clause, unlike those between words: half a content word each."""

_FRAMES = (
    "what is|what are|what s|define|definition|explain|mean|meaning|stand for|tell about|history of|origin of|"
    "who invented"
)
ABOUT_A_WORD = tuple(frozenset(words(frame)) for frame in _FRAMES.split("|"))
ASKING = frozenset(words("a an can do does for in is me of please to what who you")).union(*ABOUT_A_WORD)
"""Words of questions about a word, as "what is docker": one set is in each, all words beside it."""

OF_A_WORD = 3.2
"""Number of content words that these lack: an offer, as "what is temperature" may ask for a value."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uabff\uf900-\ufaff]")
"""Letters of scripts without spaces between words."""

Real = TypeVar("Real", float, Floats)


def terms(text: str) -> Sequence[str]:
    """Return the words of a text, or its tokens if it has no words."""
    return words(text) or tokens(text)


def is_void(asked: Collection[str]) -> bool:
    """Return whether a query of these words tells nothing."""
    different = frozenset(asked)
    return 0 < len(different) <= MOST_VOID and all(word in VOID or word in FOREIGN_VOID for word in different)


def lacking_words(asked: Collection[str], *, is_request: bool = False) -> float:
    """Return how many different content words a query of these words has fewer than CONTENT.

    "is it raining" is a whole question, unlike "the biggest". A question about a single word lacks OF_A_WORD, unless it
    is known to be a request.
    """
    different = frozenset(asked)
    if not is_request and len(different - ASKING) == 1 and any(frame <= different for frame in ABOUT_A_WORD):
        return OF_A_WORD
    content = different - VOID - CLAUSE  # a word of a script without spaces counts as one for two letters
    held = sum(max(len(_UNSPACED.findall(word)) // 2, 1) for word in content) + len(different & CLAUSE) / 2
    return max(CONTENT - max(held, 1.0), 0.0)


class Frequencies:
    """Counts of triggers, their words, and the triggers with each word, on top of `base`."""

    def __init__(self, base: Frequencies | None = None) -> None:
        self._base = base
        self._held: defaultdict[str, int] = defaultdict(int)
        self._triggers = self._words = 0

    @property
    def triggers(self) -> int:
        return self._triggers + (self._base.triggers if self._base else 0)

    @property
    def length(self) -> int:
        return self._words + (self._base.length if self._base else 0)

    @property
    def mean_length(self) -> float:
        return max(self.length / max(self.triggers, 1), 1.0)

    def count(self, found: Iterable[str], length: int, by: int) -> None:
        """Add (`by` = 1) or remove (-1) triggers with these words; `length` includes repetitions."""
        held = self._held
        for word in found:
            held[word] += by
        self._triggers += by
        self._words += by * length

    def edited(self, come: Iterable[str], gone: Iterable[str]) -> Frequencies:
        """Return the counts after these triggers are added and removed."""
        after = Frequencies(self)
        for texts, by in ((come, 1), (gone, -1)):
            for text in texts:
                found = terms(text)
                after.count(set(found), len(found), by)
        return after

    def words(self) -> list[str]:
        """Return the words of the triggers, without those of `base`; safe while others count."""
        return [word for word, held in list(self._held.items()) if held > 0]

    def held(self, word: str) -> int:
        return self._held.get(word, 0) + (self._base.held(word) if self._base else 0)

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency, above 0; an unknown word is the rarest."""
        held = self.held(word)
        return math.log(1.0 + (self.triggers - held + 0.5) / (held + 0.5))


class Bm25Column:
    """Postings: the rows with each word, and how often.

    A row's score is its BM25 relative to a row of exactly the query's words, in [0, 1]; unknown words count as the
    rarest. A blanked row keeps its postings, but has no length and scores 0. Word rarity and mean length are
    counted exactly and applied at query time.
    """

    def __init__(self) -> None:
        self.frequencies = Frequencies()
        self._lengths: Growing[np.float32] = Growing(np.float32)
        self._rows: dict[str, array[int]] = {}
        self._often: dict[str, dict[int, int]] = {}
        """Rows with a word several times, and how often."""
        self._sums: dict[frozenset[str], Floats] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._stemmed = 0
        """Number of words in `_by_stem`; words are only added."""

    @property
    def nbytes(self) -> int:
        return self._lengths.view.nbytes + sum(rows.itemsize * len(rows) for rows in self._rows.values())

    def append(self, texts: Sequence[str]) -> None:
        fresh: defaultdict[str, list[int]] = defaultdict(list)
        first, lengths = len(self._lengths), np.zeros(len(texts), np.float32)
        for row, text in enumerate(texts, first):
            found = terms(text)
            distinct = set(found)
            lengths[row - first] = len(found)
            for word in distinct:
                fresh[word].append(row)
            if len(distinct) < len(found):
                for word, often in Counter(found).items():
                    if often > 1:
                        self._often.setdefault(word, {})[row] = often
            self.frequencies.count(distinct, len(found), 1)
        self._lengths.extend(lengths)
        for word, rows in fresh.items():
            if (held_by := self._rows.get(word)) is None:
                self._rows[word] = array("i", rows)
            else:
                held_by.extend(rows)
        self._sums = {}

    def blank(self, row: int, text: str) -> None:
        found = terms(text)
        self._lengths.view[row] = _BLANK
        self.frequencies.count(set(found), len(found), -1)
        self._sums = {}

    def among(self, frequencies: Frequencies) -> Bm25Column:
        """Return the same rows with other word frequencies; valid until the rows change."""
        other = copy(self)
        other.frequencies, other._sums = frequencies, {}
        return other

    def rows_like(self, stem_of_word: str) -> list[int]:
        """Return the rows with a word of this stem, in order."""
        for word in islice(self._rows, self._stemmed, None):
            self._by_stem.setdefault(stem(word), []).append(word)
        self._stemmed = len(self._rows)
        found = {row for word in self._by_stem.get(stem_of_word, ()) for row in self._rows[word]}
        return sorted(row for row in found if self._lengths.view[row] != _BLANK)

    def ask(self, query: ScoredText) -> WordScores:
        return WordScores(self, query.text)

    def score(self, query: ScoredText) -> Floats:
        """Compute the scores, shape (rows,)."""
        return self.ask(query).every

    def sums(self, asked: Collection[str]) -> Floats:
        """Compute BM25 of all rows; shape (rows,). Read-only."""
        known = frozenset(word for word in asked if word in self._rows)
        if (kept := self._sums.get(known)) is not None:
            return kept
        near = max((one for one in self._sums if one < known), key=len, default=frozenset[str]())
        found = self._sums[near].copy() if near else np.zeros(len(self._lengths))
        for word in sorted(known - near):
            rows, weights = self._weighted(word)
            found[rows] += weights
        self._sums = {**dict(list(self._sums.items())[1 - KEPT_SUMS :]), known: found}
        return found

    def sums_of_lone_rows(self, asked: Collection[str]) -> Floats:
        """Compute BM25 of the rows of these words alone, 0 for all others; shape (rows,)."""
        lengths = np.zeros(len(self._lengths.view))
        for word in frozenset(asked).intersection(self._rows):
            lengths[np.frombuffer(self._rows[word], np.intc)] += 1.0
            if several := self._often.get(word):
                lengths[list(several)] += np.array(list(several.values())) - 1.0
        found: Floats = np.where(self._lengths.view == lengths, self.sums(asked), 0.0)
        return found

    def perfect(self, asked: Mapping[str, int]) -> float:
        """Compute BM25 of a row of exactly these words."""
        norm = K1 * (1.0 - B + B * sum(asked.values()) / self.frequencies.mean_length)
        return sum(self.frequencies.rarity(word) * _saturated(often, norm) for word, often in asked.items())

    def _weighted(self, word: str) -> tuple[NDArray[np.intc], Floats]:
        rows = np.frombuffer(self._rows[word], np.intc)
        lengths = self._lengths.view[rows].astype(np.float64)
        often = np.ones(len(rows))
        if several := self._often.get(word):
            often[np.searchsorted(rows, list(several))] = list(several.values())
        norms = K1 * (1.0 - B + B * lengths / self.frequencies.mean_length)
        weights = self.frequencies.rarity(word) * _saturated(often, norms)
        weights[lengths == _BLANK] = 0.0
        return rows, weights


class WordScores:
    """Answer of the column to one query, computed on first access."""

    def __init__(self, column: Bm25Column, query: str) -> None:
        self._column, self._query = column, query

    @cached_property
    def above(self) -> Singles:
        sums, perfect = self._computed
        above: Singles = sums.astype(np.float32)
        above *= np.float32(1.0 / perfect)
        return np.minimum(above, np.float32(1.0), out=above)

    @property
    def every(self) -> Floats:
        return self.at(slice(None))

    def at(self, rows: Places | slice) -> Floats:
        sums, perfect = self._computed
        found: Floats = np.minimum(sums[rows] / perfect, 1.0)
        return found

    @cached_property
    def _computed(self) -> tuple[Floats, float]:
        """BM25 of all rows, and that of a perfect match."""
        asked = Counter(terms(self._query))
        sums = self._column.sums_of_lone_rows(asked) if is_void(asked) else self._column.sums(asked)
        return sums, self._column.perfect(asked) or 1.0


def _saturated(often: Real, norm: Real) -> Real:
    return often * (K1 + 1.0) / (often + norm)
