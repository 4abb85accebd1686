"""COMBINERS: combinations of a candidate's scores into its confidence (S2.10).

Each row has two halves that must agree: `combine` works on arrays, one value per candidate, NaN where a score is
absent; `explain` does the same for one candidate in steps, and names the decisive scorers. If `combine` is
monotone, it maps upper bounds of scores to upper bounds of confidences; otherwise `bound` does
(app.scoring.columns.column).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.fits import FLOOR, span
from app.domain.match import Breakdown
from app.scoring.arithmetic import Explanation, Reckoned, reckoned
from app.scoring.columns.column import SLACK
from app.scoring.columns.fuzzy import likeness
from app.scoring.columns.regression import LEAST, SHARE, as_share, is_unlikely
from app.scoring.scorers import scorers_under
from app.settings.model import Settings


def weights_of(settings: Settings) -> dict[str, float]:
    """Return the weight of each scorer in the weighted average."""
    weights = settings.weights
    return {
        "exact": weights.exact,
        "fuzzy": weights.fuzzy,
        "token_overlap": weights.token_overlap,
        "semantic": weights.semantic,
        "keyword": weights.keyword,
    }


def cascade_order(settings: Settings) -> list[tuple[str, float]]:
    """Return the scorers of the cascade in order, each with its threshold."""
    thresholds = settings.thresholds
    return [
        ("exact", thresholds.exact),
        ("keyword", thresholds.keyword),
        ("fuzzy", thresholds.fuzzy),
        ("token_overlap", thresholds.token),
    ]


# ---- COMBINERS: combinations of a candidate's scores into its confidence (S2.10)

LEXICAL = ("exact", "fuzzy", "token_overlap")
SINGLE_SCORERS = (*LEXICAL, "semantic", "centroid", "keyword")

Array = NDArray[np.floating]
Columns = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Combiner:
    """Row of COMBINERS: display title, and the two halves.

    Where `combine` is not monotone: `bound`, and `likely`, which estimates confidences from loose bounds.
    """

    name: str
    title: str
    combine: Callable[[Columns, Settings], Array]
    explain: Callable[[Breakdown, Settings], Explanation]
    bound: Callable[[Columns, Settings], Array] | None = None
    likely: Callable[[Columns], Array] | None = None
    is_calibrated: bool = False
    """True if `combine` only ranks, and the reported confidence is calibrated."""
    is_shared: bool = False
    """True if `combine` only ranks, and the reported confidence is a share (app.scoring.shares)."""
    of_powers: Combiner | None = None
    """Row used for powers instead."""
    reads: str = ""
    """Prefix of settings that only this row reads; "" for none."""
    lowers_negated: bool = False
    """True if answers that the query negates get 0; False for the combinations of the documents."""

    def above(self, columns: Columns, settings: Settings) -> Array:
        """Return upper bounds of confidences, given upper bounds of scores, up to SLACK."""
        return (self.bound or self.combine)(columns, settings)


# ---- Arrays


def _absent(columns: Columns) -> Array:
    return np.full_like(columns["exact"], np.nan)


def _largest(columns: Columns, names: Sequence[str]) -> Array:
    """Return the maximum; a single column is returned itself and is read-only."""
    found = [columns[name] for name in names if name in columns]
    largest = found[0] if found else _absent(columns)
    for column in found[1:]:
        largest = np.fmax(largest, column)
    return largest


def _balanced(columns: Columns, settings: Settings) -> Array:
    if "semantic" not in columns:
        return _largest(columns, (*LEXICAL, "keyword"))
    semantic = columns["semantic"]
    mean = semantic + columns.get("centroid", semantic)
    mean *= 0.5
    if np.isnan(mean.sum()):
        mean = np.where(np.isnan(mean), semantic, mean)
        mean = np.where(np.isnan(mean), _largest(columns, LEXICAL), mean)
    np.fmax(mean, columns["exact"], out=mean)
    if "keyword" in columns:
        np.fmax(mean, columns["keyword"], out=mean)
    return _without_negated(mean, columns)


def _without_negated(values: Array, columns: Columns) -> Array:
    """Set answers that the query negates to 0."""
    if "regression" not in columns:
        return values
    return np.where(is_unlikely(columns["regression"]), values.dtype.type(0.0), values)


def is_negated(scores: Breakdown) -> bool:
    """Return whether these are the scores of an answer that the query negates."""
    chance = scores.get("regression")
    return chance is not None and bool(is_unlikely(np.array([chance]))[0])


def _max(columns: Columns, settings: Settings) -> Array:
    return _largest(columns, (*LEXICAL, "semantic", "keyword"))


def _weighted_average(columns: Columns, settings: Settings) -> Array:
    given = [(columns[name], weight) for name, weight in weights_of(settings).items() if name in columns and weight > 0]
    total = np.zeros_like(columns["exact"])
    for column, weight in given:
        total += column * weight
    if not np.isnan(total.sum()):
        return np.divide(total, sum([weight for _, weight in given]), out=total) if given else total
    total[:] = 0.0
    weights = np.zeros(len(total))
    for column, weight in given:
        present = ~np.isnan(column)
        total += np.where(present, column * weight, column.dtype.type(0.0))
        weights += np.where(present, weight, 0.0)
    return np.divide(total, weights, out=np.zeros_like(total), where=weights > 0, casting="same_kind")


def _cascade(columns: Columns, settings: Settings) -> Array:
    confidence = _last_of_cascade(columns)
    for name, threshold in _cascade_upwards(columns, settings):
        confidence = np.where(columns[name] >= threshold, columns[name], confidence)
    return confidence


def _cascade_upwards(columns: Columns, settings: Settings) -> list[tuple[str, float]]:
    return [row for row in reversed(cascade_order(settings)) if row[0] in columns]


def _last_of_cascade(columns: Columns) -> Array:
    lexical = (*LEXICAL, "keyword")
    confidence = columns.get("semantic")
    if confidence is None:
        return _largest(columns, lexical)
    if np.isnan(confidence.sum()):
        confidence = np.where(np.isnan(confidence), _largest(columns, lexical), confidence)
    return confidence


def _cascade_bound(columns: Columns, settings: Settings) -> Array:
    """Bound the cascade: a score that may reach its threshold may decide or pass on."""
    confidence = _last_of_cascade(columns)
    for name, threshold in _cascade_upwards(columns, settings):
        column = columns[name]
        if not np.fmax.reduce(column, initial=-1.0) >= threshold - SLACK:
            continue
        confidence = np.where(column >= threshold - SLACK, np.fmax(column, confidence), confidence)
    return confidence


def _learned(power: bool) -> Callable[[Columns, Settings], Array]:
    def combine(columns: Columns, settings: Settings) -> Array:
        if "semantic" not in columns:
            return _balanced(columns, settings)
        logit = settings.learned.of(power=power, has_regression="regression" in columns)
        mean, whole = np.zeros_like(columns["exact"]), logit.total
        for name, weight in logit.weighed:
            if name in columns:
                share = columns[SHARE] if name == "regression" and SHARE in columns else _as_share(name, columns[name])
                mean += np.multiply(share, span(name, weight) / whole, dtype=mean.dtype)
        if np.isnan(columns["semantic"].sum()):
            is_meant = np.any([~np.isnan(columns[name]) for name in _BY_VECTOR if name in columns], axis=0)
            mean = np.where(is_meant, mean, _largest(columns, (*LEXICAL, "keyword")))
        return _without_negated(mean, columns) if power or not logit.regression else mean

    return combine


def _as_share(name: str, column: Array) -> Array:
    """Map a score to its share of its range; absent scores to 0."""
    if name == "regression":
        return as_share(column)
    if name == "fuzzy":
        return likeness(column)
    return np.where(np.isnan(column), column.dtype.type(0.0), column) if np.isnan(column.sum()) else column


# ---- One candidate, in steps


def _given(scores: Breakdown, names: Iterable[str]) -> tuple[list[str], list[float]]:
    held, values = [], []
    for name in names:
        value = scores.get(name)
        if value is not None:
            held.append(name)
            values.append(value)
    return held, values


def _explain_largest(names: Sequence[str]) -> Callable[[Breakdown, Settings], Explanation]:
    def explain(scores: Breakdown, settings: Settings) -> Explanation:
        held, values = _given(scores, names)
        if not held:
            return _NOTHING
        last = reckoned("confidence", "max", held, values)
        return Explanation((last,), tuple(_equal_to(last)))

    return explain


def _equal_to(last: Reckoned) -> list[str]:
    """Return the operands equal to the result; none if it is 0."""
    if not last.result > 0:
        return []
    return [name for name, value in zip(last.names, last.values, strict=True) if value == last.result]


def _explain_balanced(scores: Breakdown, settings: Settings) -> Explanation:
    semantic, centroid = scores.get("semantic"), scores.get("centroid")
    if semantic is None:
        return _explain_best_lexical(scores, settings)
    if is_negated(scores):
        return _NOTHING
    meant, means = (("semantic",), (semantic,)) if centroid is None else (_MEANT, (semantic, centroid))
    mean = reckoned("mean", "mean", meant, means)
    exact, keyword = scores.get("exact"), scores.get("keyword")
    held, values = (["mean"], [mean.result]) if exact is None else (["exact", "mean"], [exact, mean.result])
    if keyword is not None:
        held.append("keyword")
        values.append(keyword)
    last = reckoned("confidence", "max", held, values)
    decided = [own for name in _equal_to(last) for own in (meant if name == "mean" else (name,))]
    return Explanation((mean, last), tuple(decided))


def _explain_weighted_average(scores: Breakdown, settings: Settings) -> Explanation:
    weights = weights_of(settings)
    held, values = _given(scores, weights)
    if not held:
        return _NOTHING
    return _explain_mean(held, values, [weights[name] for name in held])


def _explain_mean(held: Sequence[str], values: Sequence[float], own: Sequence[float]) -> Explanation:
    last = reckoned("confidence", "weighted_mean", held, values, own)
    shares = [value * weight for value, weight in zip(values, own, strict=True)]
    largest = max(shares, default=0.0)
    winners = [name for name, share in zip(held, shares, strict=True) if share == largest] if largest > 0 else []
    return Explanation((last,), tuple(winners))


def _explain_cascade(scores: Breakdown, settings: Settings) -> Explanation:
    for name, threshold in cascade_order(settings):
        value = scores.get(name)
        if value is not None and value >= threshold:
            return Explanation((reckoned("confidence", "take", (name, "threshold"), (value, threshold)),), (name,))
    if scores.get("semantic") is None:
        return _explain_best_lexical(scores, settings)
    return _explain_single("semantic")(scores, settings)


def _explain_learned(power: bool) -> Callable[[Breakdown, Settings], Explanation]:
    def explain(scores: Breakdown, settings: Settings) -> Explanation:
        if all(scores.get(name) is None for name in _BY_VECTOR):
            return _explain_best_lexical(scores, settings)
        logit = settings.learned.of(power=power, has_regression=scores.get("regression") is not None)
        if (power or not logit.regression) and is_negated(scores):
            return _NOTHING
        held = [name for name, _ in logit.weighed]
        values = [_share_of(name, scores.get(name)) for name in held]
        return _explain_mean(held, values, [span(name, weight) for name, weight in logit.weighed])

    return explain


def _share_of(name: str, score: float | None) -> float:
    """Map one score to its share of its range."""
    if score is None:
        return 0.0
    if name == "fuzzy":
        return float(likeness(np.float64(score)))
    return math.log(max(score, LEAST)) / -FLOOR + 1.0 if name == "regression" else score


def _explain_single(name: str) -> Callable[[Breakdown, Settings], Explanation]:
    def explain(scores: Breakdown, settings: Settings) -> Explanation:
        if (value := scores.get(name)) is None:
            return _NOTHING
        return Explanation((reckoned("confidence", "take", (name,), (value,)),), (name,))

    return explain


_NOTHING = Explanation((), ())
_MEANT = ("semantic", "centroid")
_BY_VECTOR = (*_MEANT, "regression")
_explain_best_lexical = _explain_largest((*LEXICAL, "keyword"))


# ---- Table


def _single(name: str) -> Combiner:
    def combine(columns: Columns, settings: Settings) -> Array:
        return columns[name] if name in columns else _absent(columns)

    return Combiner(name, f"{name} alone", combine, _explain_single(name))


_ALL_BUT_CENTROID = (*LEXICAL, "semantic", "keyword")

COMBINERS: dict[str, Combiner] = {
    row.name: row
    for row in (
        Combiner(
            "balanced",
            "Balanced",
            _balanced,
            _explain_balanced,
            lowers_negated=True,
        ),
        Combiner(
            "calibrated",
            "Calibrated",
            _balanced,
            _explain_balanced,
            is_calibrated=True,
            lowers_negated=True,
        ),
        Combiner(
            "learned",
            "Learned",
            _learned(power=False),
            _explain_learned(power=False),
            is_shared=True,
            lowers_negated=True,
            of_powers=Combiner(
                "learned",
                "Learned",
                _learned(power=True),
                _explain_learned(power=True),
                is_shared=True,
                lowers_negated=True,
            ),
        ),
        Combiner("max", "Maximum", _max, _explain_largest(_ALL_BUT_CENTROID)),
        Combiner(
            "weighted_average",
            "Weighted average",
            _weighted_average,
            _explain_weighted_average,
            reads="weights.",
        ),
        Combiner(
            "cascade",
            "Cascade",
            _cascade,
            _explain_cascade,
            _cascade_bound,
            _last_of_cascade,
            reads="thresholds.",
        ),
        Combiner(
            "keyword_or_semantic",
            "Keyword or semantic",
            lambda columns, _: _largest(columns, ("keyword", "semantic")),
            _explain_largest(("keyword", "semantic")),
        ),
        *map(_single, SINGLE_SCORERS),
    )
}
"""All combinations, including each single scorer."""

STAND_IN = "calibrated"
"""Combination used if `learned` is worse on labelled cases; also calibrated."""


def are_shares(settings: Settings, *, power: bool, has_vector: bool) -> bool:
    """Return whether confidences of this kind are shares with sum 1, which needs a query vector."""
    return has_vector and combiner_for(settings, power=power).is_shared


def combiner_for(settings: Settings, *, power: bool) -> Combiner:
    """Return the row for memories or powers by the settings (S2.11, S2.12).

    `learned` is replaced if it is worse on labelled cases.
    """
    row = chosen_for(settings, power=power)
    if row.is_shared and settings.keep_better and settings.learned.is_outdone(power=power):
        return COMBINERS[STAND_IN]
    return row


def shown_scorers(settings: Settings, *, power: bool) -> tuple[str, ...]:
    """Return the displayed scorers of a kind.

    Descriptions only if they have a weight.
    """
    names = scorers_under(combiner_for(settings, power=power).name)
    if settings.learned.of(power=power, has_regression=True).description:
        return names
    return tuple(name for name in names if name != "description")


def only_reader(key: str, settings: Settings, *, power: bool) -> Combiner | None:
    """Return the only row that reads a setting, if another row is in force; else None."""
    found = next((row for row in COMBINERS.values() if row.reads and key.startswith(row.reads)), None)
    return None if found is None or found is combiner_for(settings, power=power) else found


def chosen_for(settings: Settings, *, power: bool) -> Combiner:
    """Return the row that the settings name for memories or for powers."""
    if not settings.use_hybrid_retrieval:
        return COMBINERS["semantic"]
    name = settings.combination
    if power and settings.power_combination != "same":
        name = settings.power_combination
    row = COMBINERS[name]
    return row.of_powers or row if power else row
