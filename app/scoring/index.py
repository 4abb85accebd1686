"""The trigger index: every trigger of every enabled memory and power, scored all at once.

Three numberings meet here. A **row** is one trigger; each column of app.scoring.columns holds one value a row. A
**slot** is one candidate, a memory or a power, with one or more rows. A **group** is what a centroid is the mean of:
all memories under one intent label, or one candidate by itself. Rows and slots are appended and, when their answer is
changed or removed, blanked in place; nothing is renumbered until a quarter of all rows is blank, when the index is
laid out anew. `score` answers with one array per scorer over the live slots, NaN where a score is absent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Answer, Kind, Power
from app.scoring.columns import ExactColumn, Floats, FuzzyColumn, ScoredText, SemanticColumn, TokenColumn
from app.scoring.groups import Centroids, KeywordHit, Keywords, keyword_score
from app.scoring.growing import Growing

BLANK_SHARE = 0.25
"""The share of blank rows at which the index is laid out anew."""

FEW_ROWS = 1_000
"""Below this many rows a new lay-out is never worth it."""

AnswerKey = tuple[Kind, int]
"""What the index knows an answer by: its kind and the store's key."""


def key_of(answer: Answer) -> AnswerKey:
    """ValueError for an answer that was never stored."""
    if answer.key is None:
        raise ValueError(f"“{answer.name}” has no key yet")
    return answer.kind, answer.key


@dataclass(slots=True)
class Candidate:
    """A live slot: its answer, its rows in the order of its triggers, and its centroid's group."""

    answer: Answer
    rows: range
    group: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The live slots in ascending order, and their rows: `order` lists rows, `starts` where each slot's begin.

    `powers` are the live powers, in the order of their slots.
    """

    slots: NDArray[np.intp]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    groups: NDArray[np.intp]
    is_power: NDArray[np.bool_]
    powers: tuple[Power, ...] = ()

    def best(self, column: Floats) -> Floats:
        """For each live slot the best of its rows; NaN only where all are."""
        if len(self.slots) == 0:
            return np.zeros(0)
        best: Floats = np.fmax.reduceat(column[self.order], self.starts)
        return best


@dataclass(frozen=True, slots=True)
class Scores:
    """What one query scored: `by_row` (rows,) and `by_slot` (live slots,) per scorer; a scorer that could not run is
    missing from both. `hits` are the matched keywords by slot."""

    query: ScoredText
    layout: Layout
    by_row: Mapping[str, Floats]
    by_slot: Mapping[str, Floats]
    hits: Mapping[int, Sequence[KeywordHit]]


class TriggerIndex:
    """Columns over all triggers; `dimension` is the length of the vectors that rows are given later."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._clear()

    def _clear(self) -> None:
        self.exact = ExactColumn()
        self.fuzzy = FuzzyColumn()
        self.token_overlap = TokenColumn()
        self.semantic = SemanticColumn(self._dimension)
        self.centroids = Centroids(self._dimension)
        self.keywords = Keywords()
        self._texts: list[str] = []
        self._slots: list[Candidate | None] = []
        self._by_key: dict[AnswerKey, int] = {}
        self._owner: Growing[np.int32] = Growing(np.int32)
        self._blank_rows = 0
        self._layout: Layout | None = None

    def __len__(self) -> int:
        """How many triggers are live."""
        return len(self._texts) - self._blank_rows

    @property
    def candidates(self) -> int:
        """How many answers are live."""
        return len(self._by_key)

    def candidate(self, slot: int) -> Candidate:
        """The live candidate at a slot; LookupError if it is gone."""
        candidate = self._slots[slot]
        if candidate is None:
            raise LookupError(f"slot {slot} is blank")
        return candidate

    def answers(self) -> dict[AnswerKey, Answer]:
        """Every live answer by its key."""
        return {key: self.candidate(slot).answer for key, slot in self._by_key.items()}

    def text(self, row: int) -> str:
        return self._texts[row]

    def put(self, answers: Iterable[Answer]) -> None:
        """Add answers, replacing those of the same key; a paused one is only taken out."""
        latest = {key_of(answer): answer for answer in answers}
        for key in latest:
            self._blank(key)
        added = [answer for answer in latest.values() if not answer.paused]
        triggers = [answer.triggers or (answer.name,) for answer in added]
        texts = [text for own in triggers for text in own]
        row = len(self._texts)
        self._texts += texts
        for column in (self.exact, self.fuzzy, self.token_overlap, self.semantic):
            column.append(texts)
        owners: list[int] = []
        for answer, own in zip(added, triggers, strict=True):
            rows = range(row, row + len(own))
            row = rows.stop
            slot = self._place(answer, rows)
            owners += [slot] * len(rows)
        self._owner.extend(np.array(owners, np.int32))
        self._layout = None
        if self._blank_rows > max(FEW_ROWS, BLANK_SHARE * len(self._texts)):
            self._lay_out_anew()

    def remove(self, key: AnswerKey) -> None:
        """Take an answer out; nothing happens if it is not in."""
        self._blank(key)

    def unembedded(self) -> list[str]:
        """The distinct texts of live rows that have no vector yet, in row order."""
        known = self.semantic.known
        missing = (row for candidate in self._slots if candidate for row in candidate.rows if not known[row])
        return list(dict.fromkeys(self._texts[row] for row in missing))

    def embedded(self) -> int:
        """How many live triggers have their vector."""
        return int(self.semantic.known.sum())

    def embed(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Give every live row with one of these texts its vector."""
        rows = [row for text in vectors for row in self.exact.rows(text)]
        if rows:
            self.semantic.embed(rows, np.stack([vectors[self._texts[row]] for row in rows]))
            self.centroids.touch({self.candidate(int(self._owner.view[row])).group for row in rows})

    def forget_vectors(self) -> None:
        """Make every vector absent, as when the encoder changes."""
        self.semantic.known[:] = False
        self.centroids.touch(range(len(self.centroids)))

    def same_but_punctuation(self, bare: str) -> list[Answer]:
        """The answers that hold a trigger of this text, case and punctuation apart."""
        slots = dict.fromkeys(int(self._owner.view[row]) for row in self.exact.rows_but_punctuation(bare))
        return [self.candidate(slot).answer for slot in slots]

    def score(self, query: ScoredText, *, name_counts: bool = False) -> Scores:
        """Score every live trigger and candidate."""
        layout = self.layout()
        by_row = {
            "exact": self.exact.score(query),
            "fuzzy": self.fuzzy.score(query),
            "token_overlap": self.token_overlap.score(query),
        }
        by_slot = {name: layout.best(column) for name, column in by_row.items()}
        hits = self.keywords.hits(query, name_counts=name_counts)
        by_slot["keyword"] = self._keyword_scores(layout, hits)
        scores = Scores(query, layout, by_row, by_slot, hits)
        return scores if query.vector is None else self.with_meaning(scores, query.vector)

    def with_meaning(self, scores: Scores, vector: NDArray[np.float32]) -> Scores:
        """The same scores with semantic and centroid; LookupError if the index has changed since they were made."""
        if scores.layout is not self._layout:
            raise LookupError("the index has changed since these scores were made")
        query = replace(scores.query, vector=vector)
        semantic = self.semantic.score(query)
        centroid = self.centroids.score(query, self.semantic)[scores.layout.groups]
        by_slot = {**scores.by_slot, "semantic": scores.layout.best(semantic), "centroid": centroid}
        return Scores(query, scores.layout, {**scores.by_row, "semantic": semantic}, by_slot, scores.hits)

    def layout(self) -> Layout:
        """How live slots and rows lie; made once after each change."""
        if self._layout is None:
            live = [slot for slot, candidate in enumerate(self._slots) if candidate is not None]
            kept = [self.candidate(slot) for slot in live]
            sizes = np.array([len(candidate.rows) for candidate in kept], np.intp)
            firsts = np.array([candidate.rows.start for candidate in kept], np.intp)
            starts = np.cumsum(sizes) - sizes
            self._layout = Layout(
                slots=np.array(live, np.intp),
                order=np.repeat(firsts - starts, sizes) + np.arange(sizes.sum()),
                starts=starts,
                groups=np.array([candidate.group for candidate in kept], np.intp),
                is_power=np.array([candidate.answer.kind is Kind.POWER for candidate in kept], np.bool_),
                powers=tuple(candidate.answer for candidate in kept if isinstance(candidate.answer, Power)),
            )
        return self._layout

    def _place(self, answer: Answer, rows: range) -> int:
        slot = len(self._slots)
        group = self.centroids.group(_group_name(answer))
        self.centroids.join(group, rows)
        self._slots.append(Candidate(answer, rows, group))
        self._by_key[key_of(answer)] = slot
        if answer.kind is Kind.POWER:
            self.keywords.add(slot, answer.name, answer.keywords)
        return slot

    def _blank(self, key: AnswerKey) -> None:
        slot = self._by_key.pop(key, None)
        if slot is None:
            return
        candidate = self.candidate(slot)
        for row in candidate.rows:
            for column in (self.exact, self.fuzzy, self.token_overlap, self.semantic):
                column.blank(row, self._texts[row])
        self.centroids.leave(candidate.group, candidate.rows)
        self.keywords.remove(slot)
        self._slots[slot] = None
        self._blank_rows += len(candidate.rows)
        self._layout = None

    def _lay_out_anew(self) -> None:
        kept = [candidate for candidate in self._slots if candidate is not None]
        vectors = {
            self._texts[row]: self.semantic.vectors[row].copy()
            for candidate in kept
            for row in candidate.rows
            if self.semantic.known[row]
        }
        self._clear()
        self.put(candidate.answer for candidate in kept)
        self.embed(vectors)

    @staticmethod
    def _keyword_scores(layout: Layout, hits: Mapping[int, Sequence[KeywordHit]]) -> Floats:
        scores = np.where(layout.is_power, 0.0, np.nan)
        for slot, found in hits.items():
            scores[np.searchsorted(layout.slots, slot)] = keyword_score(found)
        return scores


def _group_name(answer: Answer) -> Hashable:
    label = answer.answer_label
    return key_of(answer) if label is None else label
