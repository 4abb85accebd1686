"""Leave-one-out accuracy: each trigger as a query against all others.

Every trigger whose answer has further ones is queried, and `balanced` answers from the others. It is queried again
without its whole answer: any result is then wrong, as for an out-of-scope query. Memories of one label are one
answer; for powers the examples are queried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Power
from app.scoring.columns.centroids import units
from app.scoring.columns.column import Floats, Places, Singles
from app.scoring.columns.exact import keyword_score
from app.scoring.columns.semantic import SemanticColumn
from app.scoring.index.layout import Layout
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText

MOST_ASKED, LEAST_ASKED = 3_000, 50
"""Maximum number of triggers queried, and the minimum for a result."""

WORD_FOR_WORD = 0.95
"""Score from which on a query equals another trigger (S2.2); such queries are ignored."""

MOST_PRODUCTS = 150_000_000
"""Maximum number of (query, trigger) pairs, which take seconds at any size."""

AT_ONCE = 1_000_000
"""Number of pairs per step, before other threads run.

Smaller steps would read all vectors more often; products do not block other threads.
"""

Between = Callable[[], None]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Result of each query, shape (asked,).

    `best` confidence, whether it was `right`, the best without the whole answer (`stranger`), and the number of
    triggers of its answer (`fellows`), including itself. `answers` is the number of distinct answers.
    """

    best: Floats
    right: NDArray[np.bool_]
    stranger: Floats
    fellows: Floats
    answers: int

    @property
    def has_evidence(self) -> bool:
        """True if each half has queries with a score other than 0 or an exact match."""
        says = np.any([(best > 0.0) & (best < WORD_FOR_WORD) for best in (self.best, self.stranger)], axis=0)
        return bool(says[::2].any() and says[1::2].any())


@dataclass(frozen=True, slots=True)
class _Taught:
    """Triggers of one kind with vectors, sorted by answer.

    `rows` of the index, the number of each one's answer, and where each answer's triggers begin.
    """

    rows: Places
    answers: Places
    starts: Places
    sizes: Places
    places: Places
    """Position of each row of the index among `rows`, -1 for others."""
    vectors: Singles | None
    """Vectors of `rows`, if they are few of all; shape (rows, dimension)."""
    slots: dict[int, int]
    """Number of the answer at each slot, for powers."""


def left_out(index: TriggerIndex, layout: Layout, *, power: bool, between: Between) -> LeftOut | None:
    """Query the triggers of memories or powers.

    None with fewer than LEAST_ASKED, or without a result. May take seconds. It only reads, and may run on its own
    thread with the index's `layout`; `between` is called after each step and may raise to cancel. If the
    index is changed meanwhile, it raises LookupError or returns a meaningless result.
    """
    semantic = index.semantic  # vectors of another dimension are in a new column
    found, may_ask = _taught(index, semantic, layout, power=power)
    asked = np.flatnonzero(may_ask & (found.sizes[found.answers] > 1))
    if len(asked) < LEAST_ASKED or len(found.starts) < 2:
        return None
    most = max(LEAST_ASKED, min(MOST_ASKED, MOST_PRODUCTS // len(found.rows)))
    if len(asked) > most:
        asked = np.sort(np.random.default_rng(0).choice(asked, most, replace=False))
    vectors = semantic.vectors
    sums = _sums(vectors, found, between)
    step = max(1, AT_ONCE // (len(vectors) if found.vectors is None else len(found.rows)))
    parts: list[tuple[Floats, Floats]] = []
    for start in range(0, len(asked), step):
        parts.append(_block(index, vectors, found, sums, asked[start : start + step]))
        between()
    own, others = (np.concatenate(part) for part in zip(*parts, strict=True))
    fellows = found.sizes[found.answers[asked]].astype(np.float64)
    outcome = LeftOut(np.maximum(own, others), own > others, others, fellows, len(found.starts))
    return outcome if outcome.has_evidence else None


def _taught(
    index: TriggerIndex, semantic: SemanticColumn, layout: Layout, *, power: bool
) -> tuple[_Taught, NDArray[np.bool_]]:
    """Collect the triggers of a kind, and which of them may be queried."""
    rows: list[int] = []
    groups: list[int] = []
    asks: list[bool] = []
    slots: list[tuple[int, int]] = []
    for place in (layout.power_places if power else layout.memory_places).tolist():
        slot = int(layout.slots[place])
        candidate = index.candidate(slot)
        rows += candidate.rows
        groups += [candidate.group] * len(candidate.rows)
        slots.append((slot, candidate.group))
        examples = set(candidate.answer.examples) if isinstance(candidate.answer, Power) else None
        asks += [examples is None or index.text(row) in examples for row in candidate.rows]
    every, owner, known = np.array(rows, np.intp), np.array(groups, np.intp), semantic.known
    kept = np.flatnonzero(known[every]) if len(every) else every
    order = kept[np.argsort(owner[kept], kind="stable")]
    names, answers = np.unique(owner[order], return_inverse=True)
    sizes = np.bincount(answers, minlength=len(names)).astype(np.intp)
    numbers = {int(name): number for number, name in enumerate(names.tolist())}
    held = {slot: numbers[group] for slot, group in slots if group in numbers} if power else {}
    chosen = every[order]
    places = np.full(len(known), -1, np.intp)
    places[chosen] = np.arange(len(chosen))
    vectors = semantic.vectors[chosen] if 2 * len(chosen) < len(known) else None
    taught = _Taught(chosen, answers.astype(np.intp), np.cumsum(sizes) - sizes, sizes, places, vectors, held)
    return taught, np.array(asks, np.bool_)[order]


def _sums(vectors: Singles, found: _Taught, between: Between) -> Singles:
    """Compute the sum of each answer's vectors; shape (answers, dimension)."""
    sums = np.zeros((len(found.starts), vectors.shape[1]), np.float32)
    step = max(1, AT_ONCE // vectors.shape[1])
    for start in range(0, len(found.rows), step):
        np.add.at(sums, found.answers[start : start + step], vectors[found.rows[start : start + step]])
        between()
    return sums


def _block(
    index: TriggerIndex, vectors: Singles, found: _Taught, sums: Singles, asked: Places
) -> tuple[Floats, Floats]:
    """Return each query's score for its own answer without itself, and the best other score."""
    each, mine = np.arange(len(asked)), found.answers[asked]
    queries = vectors[found.rows[asked]]
    products = (queries @ vectors.T)[:, found.rows] if found.vectors is None else queries @ found.vectors.T
    products = np.clip(products, 0.0, 1.0, out=products)
    known = np.zeros((len(asked), len(found.starts)))
    own, left = sums[mine].copy(), found.sizes[mine].copy()
    for place, asking in enumerate(asked.tolist()):
        query = ScoredText(index.text(int(found.rows[asking])))
        fellows = _fellows(index, found, query, int(mine[place]), known[place])
        products[place, fellows] = 0.0
        own[place] -= vectors[found.rows[fellows]].sum(axis=0)
        left[place] -= len(fellows)
    meant = np.maximum.reduceat(products, found.starts, axis=1).astype(np.float64)
    means = np.clip(queries @ units(sums).T, 0.0, 1.0).astype(np.float64)
    means[each, mine] = np.clip((units(own) * queries).sum(axis=1), 0.0, 1.0)
    chances = np.maximum((meant + means) / 2.0, known)
    answer = np.where(left > 0, chances[each, mine], 0.0)
    chances[each, mine] = 0.0
    return answer, chances.max(axis=1)


def _fellows(index: TriggerIndex, found: _Taught, query: ScoredText, mine: int, known: Floats) -> Places:
    """Return the positions of equal texts of the same answer, including the query.

    `known`, shape (answers,), receives the exact and keyword scores of other answers.
    """
    same: Places = found.places[np.array(index.exact.rows_but_punctuation(query.bare), np.intp)]
    same = same[same >= 0]
    is_mine = found.answers[same] == mine
    known[found.answers[same[~is_mine]]] = 1.0
    if found.slots:
        for slot, hits in index.keywords.hits(query, name_counts=False).items():
            if (number := found.slots.get(slot)) is not None:
                known[number] = max(known[number], keyword_score(hits))
    fellows: Places = same[is_mine]
    return fellows
