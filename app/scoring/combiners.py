"""How the scores of one candidate become its confidence: the rows of COMBINERS (S2.10).

Each row has two halves that must agree: `combine` works on whole arrays, one value per candidate, NaN where a score is
absent; `explain` does the same for one candidate in steps that can be re-added, and names the scorers that decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.match import Breakdown, Operand, Step
from app.scoring.arithmetic import step
from app.scoring.columns import Floats
from app.settings import Settings

LEXICAL = ("exact", "fuzzy", "token_overlap")
SINGLE_SCORERS = (*LEXICAL, "semantic", "centroid", "keyword")

Columns = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The steps that end in the confidence (none: nothing could be scored, 0), and the scorers that decided it."""

    steps: tuple[Step, ...]
    winners: tuple[str, ...]

    @property
    def confidence(self) -> float:
        return self.steps[-1].result if self.steps else 0.0


@dataclass(frozen=True, slots=True)
class Combiner:
    """A row: `title` for people, `formula` in words, and the two halves."""

    name: str
    title: str
    formula: str
    combine: Callable[[Columns, Settings], Floats]
    explain: Callable[[Breakdown, Settings], Explanation]


# ---- by whole arrays


def _absent(columns: Columns) -> Floats:
    return np.full(len(next(iter(columns.values()))), np.nan)


def _largest(columns: Columns, names: Sequence[str]) -> Floats:
    largest = _absent(columns)
    for name in names:
        if name in columns:
            largest = np.fmax(largest, columns[name])
    return largest


def _balanced(columns: Columns, settings: Settings) -> Floats:
    semantic = columns.get("semantic", _absent(columns))
    centroid = columns.get("centroid", semantic)
    mean = (semantic + np.where(np.isnan(centroid), semantic, centroid)) / 2
    lexical = _largest(columns, LEXICAL)
    base = np.where(np.isnan(mean), lexical, np.fmax(columns["exact"], mean))
    return np.fmax(base, columns["keyword"])


def _max(columns: Columns, settings: Settings) -> Floats:
    return _largest(columns, (*LEXICAL, "semantic", "keyword"))


def _weighted_average(columns: Columns, settings: Settings) -> Floats:
    total, weights = np.zeros(len(columns["exact"])), np.zeros(len(columns["exact"]))
    for name, weight in _weights(settings).items():
        if name in columns:
            present = ~np.isnan(columns[name])
            total += np.where(present, weight * columns[name], 0.0)
            weights += np.where(present, weight, 0.0)
    averages: Floats = np.divide(total, weights, out=np.zeros_like(total), where=weights > 0)
    return averages


def _cascade(columns: Columns, settings: Settings) -> Floats:
    confidence = columns.get("semantic", _absent(columns))
    confidence = np.where(np.isnan(confidence), _largest(columns, (*LEXICAL, "keyword")), confidence)
    for name, threshold in reversed(_cascade_order(settings)):
        confidence = np.where(columns[name] >= threshold, columns[name], confidence)
    return confidence


def _keyword_or_semantic(columns: Columns, settings: Settings) -> Floats:
    return _largest(columns, ("keyword", "semantic"))


# ---- for one candidate, in steps


def _operands(scores: Breakdown, names: Sequence[str]) -> list[Operand]:
    found = ((name, scores.get(name)) for name in names)
    return [Operand(name, value) for name, value in found if value is not None]


def _explain_largest(names: Sequence[str]) -> Callable[[Breakdown, Settings], Explanation]:
    def explain(scores: Breakdown, settings: Settings) -> Explanation:
        operands = _operands(scores, names)
        if not operands:
            return Explanation((), ())
        last = step("confidence", "max", operands)
        return Explanation((last,), _equal_to(operands, last.result))

    return explain


def _equal_to(operands: Sequence[Operand], value: float) -> tuple[str, ...]:
    return tuple(operand.name for operand in operands if operand.value == value) if value > 0 else ()


def _explain_balanced(scores: Breakdown, settings: Settings) -> Explanation:
    if scores.get("semantic") is None:
        return _explain_largest((*LEXICAL, "keyword"))(scores, settings)
    mean = step("mean", "mean", _operands(scores, ("semantic", "centroid")))
    operands = [*_operands(scores, ("exact",)), Operand("mean", mean.result), *_operands(scores, ("keyword",))]
    last = step("confidence", "max", operands)
    winners: list[str] = []
    for name in _equal_to(operands, last.result):
        winners += [operand.name for operand in mean.operands] if name == "mean" else [name]
    return Explanation((mean, last), tuple(winners))


def _explain_weighted_average(scores: Breakdown, settings: Settings) -> Explanation:
    weights = _weights(settings)
    operands = [Operand(o.name, o.value, weights[o.name]) for o in _operands(scores, tuple(weights))]
    if not operands:
        return Explanation((), ())
    last = step("confidence", "weighted_mean", operands)
    largest = max(operand.value * (operand.weight or 0.0) for operand in operands)
    winners = tuple(o.name for o in operands if largest > 0 and o.value * (o.weight or 0.0) == largest)
    return Explanation((last,), winners)


def _explain_cascade(scores: Breakdown, settings: Settings) -> Explanation:
    for name, threshold in _cascade_order(settings):
        value = scores.get(name)
        if value is not None and value >= threshold:
            last = step("confidence", "take", [Operand(name, value), Operand("threshold", threshold)])
            return Explanation((last,), (name,))
    if scores.get("semantic") is None:
        return _explain_largest((*LEXICAL, "keyword"))(scores, settings)
    return _explain_single("semantic")(scores, settings)


def _explain_single(name: str) -> Callable[[Breakdown, Settings], Explanation]:
    def explain(scores: Breakdown, settings: Settings) -> Explanation:
        operands = _operands(scores, (name,))
        if not operands:
            return Explanation((), ())
        return Explanation((step("confidence", "take", operands),), (name,))

    return explain


# ---- settings


def _weights(settings: Settings) -> dict[str, float]:
    weights = settings.weights
    return {
        "exact": weights.exact,
        "fuzzy": weights.fuzzy,
        "token_overlap": weights.token_overlap,
        "semantic": weights.semantic,
        "keyword": weights.keyword,
    }


def _cascade_order(settings: Settings) -> list[tuple[str, float]]:
    thresholds = settings.thresholds
    return [
        ("exact", thresholds.exact),
        ("keyword", thresholds.keyword),
        ("fuzzy", thresholds.fuzzy),
        ("token_overlap", thresholds.token),
    ]


def _single(name: str) -> Combiner:
    def combine(columns: Columns, settings: Settings) -> Floats:
        return columns.get(name, _absent(columns))

    return Combiner(name, f"{name} alone", f"the {name} score", combine, _explain_single(name))


_ALL_BUT_CENTROID = (*LEXICAL, "semantic", "keyword")

COMBINERS: dict[str, Combiner] = {
    row.name: row
    for row in (
        Combiner(
            "balanced",
            "Balanced",
            "max(exact, mean(semantic, centroid)), for powers also keyword; without an encoder the best lexical score",
            _balanced,
            _explain_balanced,
        ),
        Combiner("max", "Maximum", "the largest score, centroid apart", _max, _explain_largest(_ALL_BUT_CENTROID)),
        Combiner(
            "weighted_average",
            "Weighted average",
            "the scores by their weights, renormalised over those that are present",
            _weighted_average,
            _explain_weighted_average,
        ),
        Combiner(
            "cascade",
            "Cascade",
            "the first of exact, keyword, fuzzy, token over its threshold, else semantic",
            _cascade,
            _explain_cascade,
        ),
        Combiner(
            "keyword_or_semantic",
            "Keyword or semantic",
            "max(keyword, semantic), as 003 resolves powers",
            _keyword_or_semantic,
            _explain_largest(("keyword", "semantic")),
        ),
        *map(_single, SINGLE_SCORERS),
    )
}
"""All combinations, and each scorer by its name alone."""


def combiner_for(settings: Settings, *, power: bool) -> Combiner:
    """The row that the settings name for memories or for powers (S2.11, S2.12)."""
    if not settings.use_hybrid_retrieval:
        return COMBINERS["semantic"]
    name = settings.combination
    if power and settings.power_combination != "same":
        name = settings.power_combination
    return COMBINERS[name]
