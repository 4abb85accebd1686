"""Search for pairs of similar texts, by spelling and by meaning, and findings on them.

Spelling: two texts of score t differ in at most (1 - t) of their characters together, which limits the difference
of their lengths and of the bits of their signatures; remaining pairs are scored by rapidfuzz. Meaning: int8
products with their largest error leave few pairs, which are computed exactly. Both scores are those of queries
(S2.3, S2.5).

The work is done in steps of some milliseconds, on any thread, and can be abandoned between them.

A tile is a block of rows by columns. The filters only exclude: all similar pairs pass, with some others, and the
caller scores them exactly. With numkong a pair takes 2 ns by meaning and 1.5 ns by spelling; with numpy 13 and 11
on the same core.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from app.domain.health import DuplicateFinding, DuplicateKind, SimilarityThresholds, TriggerUse
from app.domain.library import Answer, Memory
from app.scoring.columns.column import Places, Singles
from app.scoring.columns.semantic import CODES, int8_products
from app.scoring.text import sorted_tokens, without_plain_signs, without_punctuation

Bits = NDArray[np.uint8]

_AT_ONCE = 2_048
_ROUNDING = 1e-5

SIGNATURE_BYTES = 64

_WIDTHS = (("etaoinsr", 24), ("hldcumpgy", 14), ("fwbvk", 10), ("jxqz", 6), ("0123456789", 4), (" ", 20))
_OTHERS, _OTHERS_WIDTH = 6, 10
"""Bits of a signature for each of these characters, and buckets for all others."""


def _buckets() -> tuple[NDArray[np.intp], list[int]]:
    widths = [_OTHERS_WIDTH] * _OTHERS
    table = np.arange(128) % _OTHERS
    for characters, width in _WIDTHS:
        for character in characters:
            table[ord(character)] = len(widths)
            widths.append(width)
    return table, widths


_BUCKET_OF_ASCII, _BUCKET_WIDTHS = _buckets()
_BUCKET_COUNT = len(_BUCKET_WIDTHS)


def signatures(texts: Sequence[str]) -> Bits:
    """Encode the character counts of each text as bits, shape (texts, SIGNATURE_BYTES).

    A count of n sets the first n bits of the character's range, so that the differing bits of two texts are at most
    their differing characters.
    """
    place = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    buckets = np.where(codes < 128, _BUCKET_OF_ASCII[np.minimum(codes, 127)], codes % _OTHERS)
    counts = np.bincount(place * _BUCKET_COUNT + buckets, minlength=_BUCKET_COUNT * len(texts))
    counts = counts.reshape(len(texts), _BUCKET_COUNT)
    bits = np.concatenate([counts[:, b, None] > np.arange(width) for b, width in enumerate(_BUCKET_WIDTHS)], axis=1)
    packed = np.zeros((len(texts), SIGNATURE_BYTES), np.uint8)
    rows = np.packbits(bits, axis=1)
    packed[:, : rows.shape[1]] = rows
    return packed


class BitTiles:
    """Pairs of signatures that differ in few bits; columns are packed once for many rows."""

    def __init__(self, signed: Bits) -> None:
        self._signed = signed
        self._words = signed.view(np.uint64)
        self._fast = _packed("hammings")
        self._columns = slice(0, 0)
        self._packed: Any = None

    def select_columns(self, columns: slice) -> None:
        """Set the columns to compare with."""
        self._columns = columns
        if self._fast is not None:
            self._packed = self._fast[0](self._signed[columns])

    def within(self, rows: slice, most: int) -> tuple[Places, Places, NDArray[np.intp]]:
        """Return rows, columns and differing bits of the pairs within `most` bits."""
        if self._fast is not None:
            differing = np.asarray(self._fast[1](self._signed[rows], self._packed))
        else:
            differing = self._counted(rows)
        found = np.flatnonzero(differing <= most)
        row, column = np.divmod(found, differing.shape[1])
        return row + rows.start, column + self._columns.start, differing.ravel()[found].astype(np.intp)

    def _counted(self, rows: slice) -> NDArray[np.uint16]:
        left, right = self._words[rows], self._words[self._columns]
        differing = np.zeros((len(left), len(right)), np.uint16)
        for word in range(left.shape[1]):
            differing += np.bitwise_count(left[:, word, None] ^ right[None, :, word])
        return differing


class ProductTiles:
    """Pairs of vectors with a large product, by int8 copies with a common step, or float32."""

    def __init__(self, vectors: Singles, rows: Places) -> None:
        """Compare `rows` of `vectors`, shape (any, dimension); tiles use positions in `rows`."""
        self._vectors = vectors
        self._rows = rows
        self._fast = _packed("dots")
        self._columns = slice(0, 0)
        self._packed: Any = None
        self._longest = self._worst = 0.0
        self._codes = np.zeros((len(rows) if self._fast else 0, vectors.shape[1]), np.int8)
        self._step = 1.0

    def take_in(self) -> Iterator[None]:
        """Read all vectors in steps; required before the first tile."""
        largest = 0.0
        for start in range(0, len(self._rows), _AT_ONCE):
            part = self._vectors[self._rows[start : start + _AT_ONCE]]
            largest = max(largest, float(part.max()), -float(part.min()))
            self._longest = max(self._longest, float(np.linalg.norm(part, axis=1).max()))
            yield
        self._step = largest / CODES or 1.0
        for start in range(0, len(self._codes), _AT_ONCE):
            part = self._vectors[self._rows[start : start + _AT_ONCE]]
            codes = np.rint(part * np.float32(1.0 / self._step)).astype(np.int8)
            self._codes[start : start + len(part)] = codes
            part -= codes * np.float32(self._step)
            self._worst = max(self._worst, float(np.linalg.norm(part, axis=1).max()))
            yield

    @property
    def slack(self) -> float:
        """Maximum error of an estimated product."""
        return self._worst * (2 * self._longest + self._worst) + _ROUNDING * self._longest**2

    def select_columns(self, columns: slice) -> None:
        """Set the columns to multiply with."""
        self._columns = columns
        if self._fast is not None:
            self._packed = self._fast[0](self._codes[columns], dtype="int8")

    def above(self, rows: slice, least: float) -> tuple[Places, Places]:
        """Return rows and columns of the pairs whose product may reach `least`."""
        least -= self.slack
        if self._fast is not None:
            products = np.asarray(self._fast[1](self._codes[rows], self._packed))
            found = np.flatnonzero(products >= int(np.floor(least / self._step**2)))
        else:
            products = self._vectors[self._rows[rows]] @ self._vectors[self._rows[self._columns]].T
            found = np.flatnonzero(products >= np.float32(least))
        row, column = np.divmod(found, products.shape[1])
        return row + rows.start, column + self._columns.start


def products_of(vectors: Singles, left: Places, right: Places) -> NDArray[np.float64]:
    """Compute the exact products of row pairs, rounded to float32 once, shape (pairs,)."""
    parts = [
        np.einsum("ij,ij->i", vectors[left[at : at + _AT_ONCE]], vectors[right[at : at + _AT_ONCE]], dtype=np.float64)
        for at in range(0, len(left), _AT_ONCE)
    ]
    return np.concatenate([*parts, np.zeros(0)]).astype(np.float32).astype(np.float64)


def _packed(name: str) -> tuple[Any, Any] | None:
    """Return functions to pack and compare arrays, by "dots" or "hammings"; None without the wheel."""
    if int8_products() is None:
        return None
    import numkong

    return getattr(numkong, f"{name}_pack"), getattr(numkong, f"{name}_packed")


COLUMNS, ROWS = 4_096, 512
"""Size of a tile: some megabytes, some milliseconds."""

MOST_PAIRS = 200_000
"""Maximum number of pairs kept per kind of similarity, the best ones."""

_TEXTS_AT_ONCE = 1_024
_PAIRS_AT_ONCE = 4_096
_SPELLING_COST, _MEANING_COST = 2.1, 2.9


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of texts by position, smaller first; `meaning` is NaN for a text without a vector.

    `is_cut`: there were more than MOST_PAIRS; the least similar ones were dropped.
    """

    first: Places
    second: Places
    spelling: NDArray[np.float64]
    meaning: NDArray[np.float64]
    is_cut: bool = False


class AlikeSearch:
    """Search through distinct texts; `rows` maps each to its row of `vectors`, or -1."""

    def __init__(self, texts: Sequence[str], vectors: Singles, rows: Places, least: SimilarityThresholds) -> None:
        self._texts = texts
        self._vectors = vectors
        self._rows = rows
        self._least = least
        self._ordered: list[str] = []
        self._done = 0.0
        self._in_all = 1.0
        self.found: Pairs | None = None
        """Result, set after the last step."""

    def steps(self) -> Iterator[float]:
        """Run the search; yield the progress, 0 to 1, after each step."""
        for start in range(0, len(self._texts), _TEXTS_AT_ONCE):
            self._ordered += [sorted_tokens(text) for text in self._texts[start : start + _TEXTS_AT_ONCE]]
            yield 0.0
        spelled, meant = _Best(self._least.spelling), _Best(self._least.meaning)
        tiles = list(self._spelling_tiles())
        with_vectors = np.flatnonzero(self._rows >= 0)
        area = sum(
            (rows.stop - rows.start) * (columns.stop - columns.start) for columns, every in tiles for rows in every
        )
        self._in_all = (
            1.0 + area * _SPELLING_COST + _MEANING_COST * len(with_vectors) * (len(with_vectors) + COLUMNS) / 2
        )
        yield from self._spell(tiles, spelled)
        yield from self._mean(with_vectors, meant)
        yield from self._unite(spelled, meant)

    # ---- Spelling

    def _spelling_tiles(self) -> Iterator[tuple[slice, list[slice]]]:
        """Yield columns and the blocks of rows that may be similar, both sorted by length."""
        lengths = np.array([len(text) for text in self._ordered], np.intp)
        self._order = np.argsort(lengths, kind="stable")
        self._lengths = lengths[self._order]
        start = int(np.searchsorted(self._lengths, 1))
        for first in range(start, len(lengths), COLUMNS):
            columns = slice(first, min(first + COLUMNS, len(lengths)))
            least = self._lengths[first] * self._least.spelling / (2.0 - self._least.spelling)
            from_row = max(start, int(np.searchsorted(self._lengths, int(least))))
            yield columns, [slice(row, min(row + ROWS, columns.stop)) for row in range(from_row, columns.stop, ROWS)]

    def _spell(self, tiles: list[tuple[slice, list[slice]]], best: _Best) -> Iterator[float]:
        signed = np.zeros((len(self._ordered), SIGNATURE_BYTES), np.uint8)
        for start in range(0, len(self._order), _TEXTS_AT_ONCE):
            part = self._order[start : start + _TEXTS_AT_ONCE]
            signed[start : start + len(part)] = signatures([self._ordered[place] for place in part.tolist()])
            yield self._done
        bits = BitTiles(signed)
        for columns, every in tiles:
            bits.select_columns(columns)
            for rows in every:
                longest = int(self._lengths[rows.stop - 1] + self._lengths[columns.stop - 1])
                one, other, differing = bits.within(rows, int((1.0 - best.least) * longest + 1e-9))
                together = self._lengths[one] + self._lengths[other]
                may = (one < other) & (differing <= (1.0 - best.least) * together + 1e-9)
                yield from self._spelled(self._order[one[may]], self._order[other[may]], best)
                yield self._did(rows, columns, _SPELLING_COST)

    def _spelled(self, one: Places, other: Places, best: _Best) -> Iterator[float]:
        for at in range(0, len(one), _PAIRS_AT_ONCE):
            left, right = one[at : at + _PAIRS_AT_ONCE], other[at : at + _PAIRS_AT_ONCE]
            best.add(left, right, self._ratios(left, right, best.least))
            if at:
                yield self._done

    def _ratios(self, left: Places, right: Places, least: float = 0.0) -> NDArray[np.float64]:
        """Compute exact spelling scores, 0 below `least`."""
        ordered = self._ordered
        ratios: NDArray[np.float64] = process.cpdist(
            [ordered[place] for place in left.tolist()],
            [ordered[place] for place in right.tolist()],
            scorer=fuzz.ratio,
            score_cutoff=100.0 * least - 1e-6 if least else None,
            dtype=np.float64,
        )
        return ratios / 100.0

    # ---- Meaning

    def _mean(self, places: Places, best: _Best) -> Iterator[float]:
        own = self._rows[places]
        products = ProductTiles(self._vectors, own)
        for _ in products.take_in():
            yield self._done
        for first in range(0, len(places), COLUMNS):
            columns = slice(first, min(first + COLUMNS, len(places)))
            products.select_columns(columns)
            for row in range(0, columns.stop, ROWS):
                rows = slice(row, min(row + ROWS, columns.stop))
                one, other = products.above(rows, best.least)
                one, other = one[one < other], other[one < other]
                for at in range(0, len(one), _PAIRS_AT_ONCE):
                    left, right = one[at : at + _PAIRS_AT_ONCE], other[at : at + _PAIRS_AT_ONCE]
                    best.add(places[left], places[right], self._products(own[left], own[right]))
                    if at:
                        yield self._done
                yield self._did(rows, columns, _MEANING_COST)

    def _products(self, left: Places, right: Places) -> NDArray[np.float64]:
        return np.clip(products_of(self._vectors, left, right), 0.0, 1.0)

    # ---- Both

    def _unite(self, spelled: _Best, meant: _Best) -> Iterator[float]:
        """Merge the pairs of both searches, each once with both scores."""
        count = max(len(self._texts), 1)
        found = (best.pairs() for best in (spelled, meant))
        both = np.concatenate([np.minimum(one, other) * count + np.maximum(one, other) for one, other in found])
        first, second = np.divmod(np.unique(both), count)
        spelling, meaning = np.zeros(len(first)), np.full(len(first), np.nan)
        for at in range(0, len(first), _PAIRS_AT_ONCE):
            part = slice(at, at + _PAIRS_AT_ONCE)
            spelling[part] = self._ratios(first[part], second[part])
            left, right = self._rows[first[part]], self._rows[second[part]]
            has = (left >= 0) & (right >= 0)
            meaning[part][has] = self._products(left[has], right[has])
            yield self._done
        self.found = Pairs(first, second, spelling, meaning, spelled.is_cut or meant.is_cut)
        yield 1.0

    def _did(self, rows: slice, columns: slice, cost: float) -> float:
        share = cost * (rows.stop - rows.start) * (columns.stop - columns.start) / self._in_all
        self._done = min(1.0, self._done + share)
        return self._done


class _Best:
    """Best MOST_PAIRS of the added pairs; `least` rises when there are more."""

    def __init__(self, least: float) -> None:
        self.least = least
        self.is_cut = False
        self._parts: list[tuple[Places, Places, NDArray[np.float64]]] = []
        self._count = 0

    def add(self, one: Places, other: Places, scores: NDArray[np.float64]) -> None:
        enough = scores >= self.least
        self._parts.append((one[enough], other[enough], scores[enough]))
        self._count += int(enough.sum())
        if self._count > 2 * MOST_PAIRS:
            self._sift()

    def pairs(self) -> tuple[Places, Places]:
        if self._count > MOST_PAIRS:
            self._sift()
        none = np.zeros(0, np.intp)
        one, other = (np.concatenate([none, *(part[side] for part in self._parts)]) for side in (0, 1))
        return one, other

    def _sift(self) -> None:
        one, other, scores = (np.concatenate([part[side] for part in self._parts]) for side in range(3))
        kept = np.argpartition(scores, -MOST_PAIRS)[-MOST_PAIRS:]
        self._parts = [(one[kept], other[kept], scores[kept])]
        self._count, self.is_cut = len(kept), True
        self.least = float(scores[kept].min())


MOST_FINDINGS = 20_000
"""Maximum number of near findings reported per kind; further ones are counted."""

MOST_HOLDINGS = 100
"""Maximum number of holdings reported per text."""

_FOUND_AT_ONCE = 1_024
_ORDER = {likeness: place for place, likeness in enumerate(DuplicateKind)}


def answer_identity(answer: Answer) -> str:
    """Return an answer's identity: its label, or its response, or its own key (S2.6)."""
    if answer.answer_label is not None:
        return f"label {answer.answer_label}"
    if isinstance(answer, Memory) and answer.response.strip():
        return f"response {answer.response.strip()}"
    return f"{answer.kind} {answer.key}"


def own_triggers(answer: Answer) -> tuple[str, ...]:
    """Return the sentences of an answer; names, keywords and tools of powers are no duplicates."""
    return tuple(dict.fromkeys(answer.triggers if isinstance(answer, Memory) else answer.examples))


def differences_of(finding: DuplicateFinding) -> list[tuple[bytes, bytes]]:
    """Return the digests that mark a finding as no duplicate: pairs of texts and answers."""
    keys = {f"{without_punctuation(one.trigger)}\n{one.meant}" for one in finding.holdings}
    digests = sorted(sha256(key.encode("utf-8", "surrogatepass")).digest() for key in keys)
    return list(combinations(digests, 2)) or [(digests[0], digests[0])]


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings of a search, most urgent first; `left_out` counts more near ones by kind.

    `searched` texts were compared, `unembedded` of them by spelling only; `is_cut`: more pairs were found than
    kept.
    """

    found: tuple[DuplicateFinding, ...] = ()
    left_out: Mapping[DuplicateKind, int] = field(default_factory=dict)
    searched: int = 0
    unembedded: int = 0
    is_cut: bool = False


class Sorting:
    """Holdings by text, and their findings, computed in steps."""

    def __init__(self, holdings: Iterable[TriggerUse]) -> None:
        self._by_text: defaultdict[str, list[TriggerUse]] = defaultdict(list)
        for holding in holdings:
            self._by_text[holding.trigger].append(holding)
        self.texts = list(self._by_text)
        self._bare: list[str] = []
        self._unsorted: list[tuple[tuple[float, ...], DuplicateFinding]] = []
        self.findings = Findings()

    def exact(self) -> Iterator[None]:
        """Find texts equal up to case, space and punctuation, but for signs such as in -5, 50 % and C++."""
        by_bare: defaultdict[str, list[str]] = defaultdict(list)
        for place, text in enumerate(self.texts):
            self._bare.append(bare := without_plain_signs(text))
            if bare:
                by_bare[bare].append(text)
            if place % _FOUND_AT_ONCE == 0:
                yield
        for place, texts in enumerate(by_bare.values()):
            holdings = [holding for text in texts for holding in self._by_text[text]]
            if len(holdings) > 1:
                self._take(_same(holdings))
            if place % _FOUND_AT_ONCE == 0:
                yield

    def near(self, pairs: Pairs, least: SimilarityThresholds) -> Iterator[None]:
        """Classify pairs of different texts; the result is in `findings` at the end."""
        rows = zip(*(column.tolist() for column in (pairs.first, pairs.second)), strict=True)
        spelling, meaning = pairs.spelling.tolist(), np.where(np.isnan(pairs.meaning), -1.0, pairs.meaning).tolist()
        best: dict[tuple[str, str], tuple[float, int, int, int]] = {}
        for place, (first, second) in enumerate(rows):
            one, other = self._bare[first], self._bare[second]
            if one != other and one and other:
                key = (one, other) if one < other else (other, one)
                bounds = (spelling[place], least.spelling), (meaning[place], least.meaning)
                excess = max((one - at) / (1.0 - at) if at < 1.0 else float(one >= at) for one, at in bounds)
                best[key] = max(best.get(key, (-1.0, 0, 0, 0)), (excess, place, first, second))
            if place % _FOUND_AT_ONCE == 0:
                yield
        for number, (excess, place, first, second) in enumerate(best.values()):
            meant = None if meaning[place] < 0 else meaning[place]
            self._take(self._pair(first, second, spelling[place], meant), excess)
            if number % _FOUND_AT_ONCE == 0:
                yield

    def sorted(self, different: set[tuple[bytes, bytes]]) -> Iterator[None]:
        """Sort by urgency, without pairs marked as no duplicates."""
        self._unsorted.sort(key=lambda each: each[0])
        yield
        kept: list[DuplicateFinding] = []
        counted, left_out = Counter[DuplicateKind](), Counter[DuplicateKind]()
        for place, (_, finding) in enumerate(self._unsorted):
            if different and is_marked_different(finding, different):
                continue
            if finding.likeness.is_near and counted[finding.likeness] >= MOST_FINDINGS:
                left_out[finding.likeness] += 1
            else:
                counted[finding.likeness] += 1
                kept.append(finding)
            if place % _FOUND_AT_ONCE == 0:
                yield
        self.findings = Findings(tuple(kept), left_out)

    def _take(self, finding: DuplicateFinding, excess: float = 0.0) -> None:
        used = sum(
            holding.answer.usage + holding.answer.right
            for holding in finding.holdings
            if isinstance(holding.answer, Memory)
        )
        self._unsorted.append(((_ORDER[finding.likeness], -excess, -used, -len(finding.holdings)), finding))

    def _pair(self, first: int, second: int, spelling: float, meaning: float | None) -> DuplicateFinding:
        left = min(self._by_text[self.texts[first]], key=_least_used)
        others = sorted(self._by_text[self.texts[second]], key=_least_used)
        right = next((holding for holding in others if holding.meant != left.meant), others[0])
        likeness = DuplicateKind.NEAR_DUPLICATE if left.meant == right.meant else DuplicateKind.NEAR_CONFLICT
        return DuplicateFinding(likeness, tuple(sorted((left, right), key=_least_used)), spelling, meaning)


def is_marked_different(finding: DuplicateFinding, different: set[tuple[bytes, bytes]]) -> bool:
    """Return whether all pairs of a finding are marked as no duplicates."""
    return all(pair in different for pair in differences_of(finding))


def freshened(finding: DuplicateFinding, current: Sequence[Answer | None]) -> DuplicateFinding | None:
    """Update a finding to the present answers (None: deleted); None if it no longer applies."""
    holdings = tuple(
        TriggerUse(now, holding.trigger, answer_identity(now))
        for holding, now in zip(finding.holdings, current, strict=True)
        if now is not None and holding.trigger in own_triggers(now)
    )
    if len(holdings) < 2:
        return None
    if not finding.likeness.is_near:
        return _same(list(holdings))
    one, other = holdings
    likeness = DuplicateKind.NEAR_DUPLICATE if one.meant == other.meant else DuplicateKind.NEAR_CONFLICT
    return DuplicateFinding(likeness, holdings, finding.spelling, finding.meaning)


def _same(holdings: list[TriggerUse]) -> DuplicateFinding:
    likeness = DuplicateKind.CONFLICT if len({holding.meant for holding in holdings}) > 1 else DuplicateKind.DUPLICATE
    return DuplicateFinding(likeness, tuple(sorted(holdings, key=_least_used)[:MOST_HOLDINGS]))


def _least_used(holding: TriggerUse) -> tuple[float, ...]:
    """Sort key of holdings: most used and successful first, then oldest."""
    answer = holding.answer
    use = (-answer.usage - answer.right, -answer.success) if isinstance(answer, Memory) else (0.0, 0.0)
    return (*use, answer.key or 0)
