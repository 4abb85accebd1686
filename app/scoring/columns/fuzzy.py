"""Fuzzy scorer: exact for the best rows, upper bounds for the others.

`token_sort_ratio` is `ratio` of texts with sorted tokens: twice the length of their longest common subsequence
divided by the sum of their lengths. Two bounds on that subsequence are computed for all rows at once, in bytes:

- it is no longer than the number of shared characters (`CharacterCounts`), and
- it exceeds that of the previous query by at most the number of added characters that the row has, so an exact
  score of an earlier key press bounds the row for many more.

`_lengths` holds the smaller of both for the sorted query `_before`. Every exact score lowers its row's bound, so
that rows near the top are scored once in several key presses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import LCSseq

from app.scoring.columns.column import ColumnAnswer, Floats, Growing, Known, Places, Singles
from app.scoring.text import ScoredText, sorted_tokens, tokens

FEW = 32
"""Maximum number of texts compared one by one rather than as an array."""

ALIKE = 0.7
"""Score up to which short texts are similar by chance."""

Real = TypeVar("Real", np.float64, NDArray[np.floating])


def likeness(score: Real) -> Real:
    """Return the part of a score above chance, in [0, 1]; 0 for an absent one."""
    one = score.dtype.type
    found: Real = np.fmax(score - one(ALIKE), one(0.0)) / one(1.0 - ALIKE)
    return found


class FuzzyColumn:
    """Fuzzy scorer over all rows (S2.3)."""

    def __init__(self) -> None:
        # An array of texts selects rows several times faster than a list that is not in the CPU cache.
        self._sorted: Growing[np.object_] = Growing(np.object_)
        self.lengths: Growing[np.float32] = Growing(np.float32)
        self._counts = CharacterCounts()
        self._before = ""
        self._lengths: Bytes | None = None

    @property
    def nbytes(self) -> int:
        return self._counts.nbytes + self.lengths.view.nbytes

    def append(self, texts: Sequence[str]) -> None:
        ordered = [sorted_tokens(text) for text in texts]
        self._sorted.extend(np.array(ordered, np.object_))
        self.lengths.extend(np.array([len(text) for text in ordered], np.float32))
        self._counts.append(ordered)
        self._before, self._lengths = "", None

    def blank(self, row: int, text: str) -> None:
        """Make the row score 0; it keeps its bounds, which hold for the empty text too."""
        self._sorted.view[row] = ""

    def ask(self, query: ScoredText) -> ColumnAnswer:
        if 0 < len(query.sorted) <= MOST:
            return _FuzzyScores(self, query)
        return Known(self.score(query))

    def score(self, query: ScoredText) -> Floats:
        """Compute the scores of all rows; shape (rows,)."""
        return _ratios(query.sorted, self._sorted.view.tolist())

    def longest_shared(self, query: ScoredText) -> Bytes:
        """Return an upper bound of each row's longest common subsequence with the query.

        Exact scores may lower entries in place.
        """
        before, text = self._before, query.sorted
        edits = LCSseq.editops(before, text)
        if len(edits) < len(text):
            gone = "".join([before[edit.src_pos] for edit in edits if edit.tag == "delete"])
            came = "".join([text[edit.dest_pos] for edit in edits if edit.tag == "insert"])
            lengths = self._lengths if len(before) + len(came) <= MOST else None
        else:
            self._counts.forget()
            gone, came, lengths = "", text, None
        shared, more = self._counts.follow(gone, came, lengths)
        bound = shared.copy() if lengths is None else np.minimum(shared, more, out=more)
        self._before, self._lengths = text, bound
        return bound


def _ratios(query: str, texts: Sequence[str]) -> Floats:
    if not texts:
        return np.zeros(0)
    if len(texts) <= FEW:
        return np.array([fuzz.ratio(query, text) for text in texts]) / 100.0
    scores: Floats = process.cdist([query], texts, scorer=fuzz.ratio, dtype=np.float64)[0]
    scores /= 100.0
    return scores


class _FuzzyScores:
    """Answer to one query with its own bounds, independent of later queries."""

    def __init__(self, column: FuzzyColumn, query: ScoredText) -> None:
        self._column = column
        self._query = query
        self._length = np.float32(len(query.sorted))
        self._shared: Bytes | None = None

    @cached_property
    def above(self) -> Singles:
        self._shared = shared = self._column.longest_shared(self._query)
        above = np.multiply(shared, np.float32(2.0), dtype=np.float32)
        above /= self._column.lengths.view[: len(shared)] + self._length
        return above

    @cached_property
    def every(self) -> Floats:
        return self._column.score(self._query)

    def at(self, rows: Places) -> Floats:
        scores = _ratios(self._query.sorted, self._column._sorted.view[rows].tolist())
        if self._shared is not None:
            lengths = self._column.lengths.view[rows]
            self._shared[rows] = np.rint(scores * (lengths + self._length) / 2)
        return scores


# ---- Upper bound on the characters that two texts share, updated incrementally while typing.
#
# Each trigger's characters are counted in BUCKETS columns of uint8, one per frequent character, the others sharing
# some. The sum over buckets of the smaller count bounds the shared characters, and so the longest common subsequence.
# It does not depend on order, so each character added or removed, anywhere in the text, costs one comparison and one
# addition of bytes for all triggers.


Bytes = NDArray[np.uint8]

BUCKETS = 80
_OWN = "abcdefghijklmnopqrstuvwxyz 0123456789-_.,?!'/"
_FIRST_SHARED = len(_OWN)

MOST = 255
"""Maximum count; longer queries are not bounded."""

_AT_ONCE = 8_192


def _table() -> NDArray[np.intp]:
    table = _FIRST_SHARED + np.arange(128) % (BUCKETS - _FIRST_SHARED)
    for bucket, character in enumerate(_OWN):
        table[ord(character)] = bucket
    return table


_BUCKET_OF_ASCII = _table()
_OF_ASCII: list[int] = _BUCKET_OF_ASCII.tolist()


def _bucket(character: str) -> int:
    code = ord(character)
    return _OF_ASCII[code] if code < 128 else _FIRST_SHARED + code % (BUCKETS - _FIRST_SHARED)


def _buckets(text: str) -> NDArray[np.intp]:
    if text.isascii():
        return _BUCKET_OF_ASCII[np.frombuffer(text.encode("ascii"), np.uint8)]
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    shared = _FIRST_SHARED + codes % (BUCKETS - _FIRST_SHARED)
    return np.where(codes < 128, _BUCKET_OF_ASCII[np.minimum(codes, 127)], shared)


class CharacterCounts:
    """Counts of shape (BUCKETS, rows), and the shared characters of the last query."""

    def __init__(self) -> None:
        self._room: Bytes = np.zeros((BUCKETS, 0), np.uint8)
        self._rows = 0
        self.forget()

    @property
    def nbytes(self) -> int:
        return BUCKETS * self._rows

    def append(self, texts: Sequence[str]) -> None:
        start, self._rows = self._rows, self._rows + len(texts)
        if self._rows > self._room.shape[1]:
            room = np.zeros((BUCKETS, self._rows + self._rows // 4 + 64), np.uint8)
            room[:, :start] = self._room[:, :start]
            self._room = room
        for first in range(0, len(texts), _AT_ONCE):
            part = texts[first : first + _AT_ONCE]
            place = np.repeat(np.arange(len(part)), [len(text) for text in part])
            counts = np.bincount(_buckets("".join(part)) * len(part) + place, minlength=BUCKETS * len(part))
            counted = np.minimum(counts, MOST).reshape(BUCKETS, len(part))
            self._room[:, start + first : start + first + len(part)] = counted
        self.forget()

    def follow(self, gone: str, came: str, lengths: Bytes | None) -> tuple[Bytes, Bytes]:
        """Update the shared characters for removed (`gone`) and added (`came`) ones, shape (rows,).

        Also returns `lengths`, if given, plus the number of added characters that the row has. Valid until the next
        call.
        """
        total, wanted = self._total, self._wanted
        for bucket in map(_bucket, gone):
            np.subtract(total, self._at_least(bucket, wanted[bucket]), out=total)
            wanted[bucket] -= 1
        more = total if lengths is None else lengths.copy()
        came_of: dict[int, int] = {}
        for bucket in map(_bucket, came):
            wanted[bucket] += 1
            np.add(total, self._at_least(bucket, wanted[bucket]), out=total)
            if lengths is not None:
                came_of[bucket] = number = came_of.get(bucket, 0) + 1
                np.add(more, self._at_least(bucket, number), out=more)
        return total, more

    def forget(self) -> None:
        """Reset to an empty query."""
        self._wanted, self._total = [0] * BUCKETS, np.zeros(self._rows, np.uint8)

    def _at_least(self, bucket: int, number: int) -> Bytes:
        return np.greater_equal(self._room[bucket, : self._rows], number).view(np.uint8)


# ---- Character alignment of two texts, as the fuzzy scorer compares them: for the displayed match.


@dataclass(frozen=True, slots=True)
class SortedWord:
    """Word after sorting.

    `edits` counts its characters, and the space after it, that are not in the other text. `partner` is the position
    of the other text's word that shares most of its letters, if that is most of both words.
    """

    text: str
    edits: int
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class Aligned:
    """Words of both texts in sorted order; the score is 1 - `edits` / `letters`.

    Every edit belongs to one word; `letters` counts both sorted texts with spaces.
    """

    query: tuple[SortedWord, ...]
    trigger: tuple[SortedWord, ...]
    letters: int

    @property
    def edits(self) -> int:
        return sum(word.edits for word in (*self.query, *self.trigger))

    @property
    def score(self) -> float:
        return 1.0 - self.edits / self.letters if self.letters else 1.0


def aligned(query: str, trigger: str) -> Aligned:
    """Align a query with a trigger as `token_sort_ratio` does (S2.3)."""
    mine, theirs = sorted(tokens(query)), sorted(tokens(trigger))
    text, other = " ".join(mine), " ".join(theirs)
    own, foreign = _owners(mine), _owners(theirs)
    shared: dict[tuple[int, int], int] = {}
    kept, met = [0] * len(mine), [0] * len(theirs)
    for block in LCSseq.opcodes(text, other):
        for step in range(block.src_end - block.src_start if block.tag == "equal" else 0):
            first, second = own[block.src_start + step], foreign[block.dest_start + step]
            kept[first] += 1
            met[second] += 1
            if text[block.src_start + step] != " ":
                shared[first, second] = shared.get((first, second), 0) + 1
    partners = _partners(shared, mine, theirs)
    back = {second: first for first, second in partners.items()}
    return Aligned(_words(mine, kept, partners), _words(theirs, met, back), len(text) + len(other))


def _owners(words: list[str]) -> list[int]:
    """Return the word of each letter of the joined text; a space belongs to the word before it."""
    return [place for place, word in enumerate(words) for _ in range(len(word) + 1)][:-1]


def _partners(shared: dict[tuple[int, int], int], mine: list[str], theirs: list[str]) -> dict[int, int]:
    """Pair words by most shared letters, each at most once, with at least half of both."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for (first, second), letters in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        is_most = 2 * letters > max(len(mine[first]), len(theirs[second]))
        if is_most and first not in found and second not in taken:
            found[first] = second
            taken.add(second)
    return found


def _words(words: list[str], met: list[int], partners: dict[int, int]) -> tuple[SortedWord, ...]:
    """Build the words; the space after a word counts as its own, except after the last."""
    last = len(words) - 1
    return tuple(
        SortedWord(word, len(word) + (place < last) - met[place], partners.get(place))
        for place, word in enumerate(words)
    )
