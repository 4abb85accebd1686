"""Evaluation as a JSON document (S8.7), its tiers also as plain text, and the gates on its metrics."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.documents import fields_of
from app.domain.language import percents
from app.domain.match import TIER_WORDS, Tier
from app.evaluation.answers import BLOCKER_WORDS, Answered, deliveries, delivery_of, unexpected
from app.evaluation.comparison import Comparison
from app.evaluation.curves import confidence_histogram, cuts, label_scores, retrieval
from app.evaluation.distribution import (
    ACCURACY_TARGET,
    DISTANCES,
    DOCUMENTED,
    DOCUMENTED_ANSWER,
    DOCUMENTED_EVERYTHING,
    DOCUMENTED_SAVING,
    MEAN_MS,
    QUALITY_TARGET,
    SEARCH_MS,
    TOP3_TARGET,
    Offer,
    SearchTimes,
    TierQuality,
    TokenCost,
    quality,
)
from app.evaluation.evaluation import FURTHER, METRICS, Evaluation, no_match_right, reliability


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of equal length as indented lines with padded columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return ["  " + line.rstrip() for line in lines]


# --------------------------------------------------------------------------------------------------------------------
# Tiers of powers, as parts of a JSON document and as text

Document = dict[str, Any]
_LABEL = ("label", "expected", "given", "right", "precision", "recall", "f1", "threshold")

_OFFERS: Mapping[Offer, str] = {Offer.RIGHT: "a right power", Offer.WRONG: "only wrong ones", Offer.NOTHING: "nothing"}


def _quality_document(quality: TierQuality) -> Document:
    friction = quality.friction
    return {
        **fields_of(quality, "expecting", "right", "accuracy"),
        "confusion": {
            meant.value: {got.value: n for got, n in row.items()} for meant, row in quality.confusion.items()
        },
        "offers": {kind.value: dict(zip(DISTANCES, row, strict=True)) for kind, row in quality.offers.items()},
        "served": quality.served,
        "friction": None if friction is None else {"least": friction[0], "most": friction[1]},
        "wrongly_activated": quality.wrongly_activated,
        "blocked": {blocker.value: count for blocker, count in quality.blocked.items()},
        "wrongly_blocked": quality.wrongly_blocked,
        "unreachable": [tier.value for tier in quality.unreachable],
        "targets": {"tier_accuracy": ACCURACY_TARGET, "top3": TOP3_TARGET},
    }


def _times_document(times: SearchTimes) -> Document:
    return {
        "n": times.n,
        "mean_ms": times.mean,
        "p50_ms": times.p50,
        "p95_ms": times.p95,
        "by_tier_ms": {tier.value: mean for tier, mean in times.by_tier.items()},
        "targets": {"search_ms": list(SEARCH_MS), "mean_ms": MEAN_MS},
    }


def _tokens_document(cost: TokenCost) -> Document:
    documented = {"everything": DOCUMENTED_EVERYTHING, "together": DOCUMENTED_ANSWER}
    by_tier = {tier.value: {"share": share, "together": n} for tier, (share, n) in DOCUMENTED.items()}
    return {
        **fields_of(cost, "counter", "powers", "tools", "everything"),
        "by_tier": {
            tier.value: {"n": row.n, "answer": row.answer, "tools": row.tools, "together": row.both}
            for tier, row in cost.by_tier.items()
        },
        "answer": cost.answer,
        "together": cost.both,
        "saving": cost.saving,
        "documented": {**documented, "saving": DOCUMENTED_SAVING, "by_tier": by_tier},
    }


def occupied_tiers(evaluation: Evaluation) -> list[tuple[str, int]]:
    """Return name and number of cases of each tier, with a row for each reason not to start."""
    quality = evaluation.tier_quality
    blocked = {} if quality is None else quality.blocked
    rows = [(TIER_WORDS[tier], count) for tier, count in evaluation.tiers.items()]
    if not blocked or not rows:
        return rows
    (word, count), *others = rows
    apart = [(f"Confident, {BLOCKER_WORDS[one]}", n) for one, n in blocked.items()]
    return [(word, count - sum(blocked.values())), *apart, *others]


def tier_sections(evaluation: Evaluation) -> Iterable[list[str]]:
    """Format sections: friction, tiers expected, search times, and token cost."""
    quality, times, tokens = evaluation.tier_quality, evaluation.times, evaluation.tokens
    if quality is not None:
        yield [*_quality_lines(quality)]
        if quality.expecting:
            yield ["Tiers meant (rows) and got (columns)", *_meant_lines(quality, evaluation.metrics["top3"])]
            yield ["Powers offered (rows), and how far the tier is from the one meant", *_offer_lines(quality)]
    if times is not None:
        yield ["Search, one query at a time, nothing started", *_time_lines(times)]
    if tokens is not None:
        yield [f"Tokens, counted by the tokenizer {tokens.counter}", *_token_lines(tokens)]


def _quality_lines(quality: TierQuality) -> Iterable[str]:
    for tier in quality.unreachable:
        yield f"No query can end in {TIER_WORDS[tier].lower()} under these settings."
    if quality.friction is not None:
        least, most = quality.friction
        if_started = ", if every power could be started" if quality.blocked else ""
        yield f"Turns of friction where a power is expected: {least:.2f} to {most:.2f} on the average{if_started}."
    more = f"; {quality.wrongly_blocked:,} more if every power could be started" if quality.wrongly_blocked else ""
    yield f"Queries that would start a wrong power: {quality.wrongly_activated:,}{more}."


def _meant_lines(quality: TierQuality, top3: float | None) -> Iterable[str]:
    names = {tier: TIER_WORDS[tier].lower() for tier in Tier}
    rows = ((names[meant], *(f"{row[got]:,}" for got in Tier)) for meant, row in quality.confusion.items())
    yield from table([("", *names.values()), *rows])
    yield _against("Tier as expected", quality.accuracy, ACCURACY_TARGET)
    yield _against("A right power among the first 3", top3, TOP3_TARGET)


def _offer_lines(quality: TierQuality) -> Iterable[str]:
    heads = ("", "as meant", "the next one", "further off")
    yield from table([heads, *((_OFFERS[kind], *map(str, row)) for kind, row in quality.offers.items())])
    yield (f"In whichever tier, {percents(quality.served or 0)} offer a right power, or nothing where none serves.")


def _against(what: str, share: float | None, target: float) -> str:
    if share is None:
        return f"{what}: does not apply."
    verdict = "met" if share > target else "not met"
    return f"{what}: {percents(share)}; the target of more than {percents(target, 0)} is {verdict}."


def _time_lines(times: SearchTimes) -> Iterable[str]:
    yield from table([(TIER_WORDS[tier].lower(), f"{mean:.1f} ms") for tier, mean in times.by_tier.items()])
    least, most = SEARCH_MS
    verdict = "met" if times.mean <= most else "not met"
    yield (f"Mean {times.mean:.1f} ms, p50 {times.p50:.1f} ms, p95 {times.p95:.1f} ms of {times.n:,} queries.")
    yield f"The target of {least:g} to {most:g} ms at most is {verdict}."


def _token_lines(cost: TokenCost) -> Iterable[str]:
    heads = ("share", "answer", "tools told after", "together", "document 003")
    rows: list[Sequence[str]] = [("", *heads)]
    total = sum(row.n for row in cost.by_tier.values())
    for tier, row in cost.by_tier.items():
        share, documented = DOCUMENTED[tier]
        figures = (percents(row.n / total), f"{row.answer:,.0f}", f"{row.tools:,.0f}", f"{row.both:,.0f}")
        rows.append((TIER_WORDS[tier].lower(), *figures, f"{documented:,} at {percents(share, 0)}"))
    average = (f"{cost.answer:,.0f}", f"{cost.both - cost.answer:,.0f}", f"{cost.both:,.0f}")
    rows.append(("average", "", *average, f"{DOCUMENTED_ANSWER:,}"))
    yield from table(rows)
    sentence = (
        f"All {cost.tools:,} tools of all {cost.powers:,} powers: {cost.everything:,} (003: {DOCUMENTED_EVERYTHING:,})."
    )
    if cost.saving is None:
        yield sentence
    else:
        yield f"{sentence} Saved: {percents(cost.saving)} (003: {percents(DOCUMENTED_SAVING, 0)})."


def document(evaluation: Evaluation) -> dict[str, Any]:
    """Build the document of S8.7 with a few more fields, of plain dicts, lists and values.

    `bands` and `tiers` are counts; `quality` is 002's verdict, null without bands. A case's `predicted` is the
    given answer, null for "no match"; its `rank` and `candidates` ignore the threshold.
    """
    share = quality(evaluation.bands) if evaluation.bands else None
    tiers, times, tokens = evaluation.tier_quality, evaluation.times, evaluation.tokens
    return {
        "task": evaluation.task.value,
        "n": len(evaluation.answered),
        "combination": evaluation.combination,
        "scale": None
        if evaluation.chance is None
        else fields_of(evaluation.chance, "slope", "offset", "crowd", "of_logarithm", "asked", "ece"),
        "threshold": evaluation.threshold,
        "metrics": dict(evaluation.metrics),
        "delivered": {one.value: count for one, count in deliveries(evaluation.answered).items()},
        "no_match_right": no_match_right(evaluation.answered),
        "reliability": [asdict(one) for one in reliability(evaluation.answered)],
        "bands": {band.value: count for band, count in evaluation.bands.items()},
        "quality": None
        if share is None
        else {"share": share, "target": QUALITY_TARGET, "met": share >= QUALITY_TARGET},
        "tiers": {tier.value: count for tier, count in evaluation.tiers.items()},
        "tier_quality": None if tiers is None else _quality_document(tiers),
        "times": None if times is None else _times_document(times),
        "tokens": None if tokens is None else _tokens_document(tokens),
        "confusion": {expected: dict(given) for expected, given in evaluation.confusion.items()},
        "labels": [fields_of(one, *_LABEL) for one in label_scores(evaluation.answered)],
        "histogram": asdict(confidence_histogram(evaluation.answered)),
        "cuts": [asdict(cut) for cut in cuts(evaluation.answered)],
        "retrieval": [{"depth": depth, "recall": share} for depth, share in retrieval(evaluation.answered)],
        "cases": [_case(answer) for answer in evaluation.answered],
    }


def _case(answer: Answered) -> dict[str, Any]:
    return {
        **fields_of(answer.case, "text", "expected", "unwanted"),
        **fields_of(answer, "predicted", "confidence", "answerable", "rank"),
        "tier": None if answer.tier is None else answer.tier.value,
        "right": answer.is_right,
        "delivered": delivery_of(answer).value,
        "unexpected": list(unexpected(answer)),
        "candidates": [{"name": ranked.name, "confidence": ranked.confidence} for ranked in answer.candidates],
    }


COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}

CHANGES: Mapping[str, Callable[[Comparison], float]] = {
    "fixed": lambda found: found.fixed,
    "broken": lambda found: found.broken,
    "net": lambda found: found.net,
    "p": lambda found: found.p,
}
"""Numbers of a change that a gate can test."""

AGAINST = "against."
"""Prefix of a metric of the compared settings instead of today's."""

_SHARE, _COUNT = (0.0, 1.0), (0.0, math.inf)
RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys((*METRICS, *FURTHER, "p"), _SHARE),
    **dict.fromkeys(("fixed", "broken"), _COUNT),
    "net": (-math.inf, math.inf),
}
"""Possible range of each number, ends included."""

_FORM = re.compile(r"\s*([\w.]+)\s*(>=|<=|>|<)\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Gate:
    """Parsed gate: the metric's name, a key of COMPARISONS, and the bound."""

    metric: str
    comparison: str
    bound: float

    @property
    def is_on_change(self) -> bool:
        """True if the gate needs a comparison."""
        return self.metric in CHANGES or self.metric.startswith(AGAINST)

    def holds(self, value: float | None) -> bool:
        """Return whether a value passes; None does not."""
        return value is not None and COMPARISONS[self.comparison](value, self.bound)


def parse_gate(text: str) -> Gate:
    """Parse METRIC>=X, or <=, >, <; raises ValueError with a sentence if invalid."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(f"“{text}” is not of the form METRIC>=X (or <=, >, <), such as top1>=0.8.")
    metric, comparison, bound = form.groups()
    metrics = (*METRICS, *FURTHER)
    if metric.removeprefix(AGAINST) not in metrics and metric not in CHANGES:
        every = f"{', '.join(metrics)}; of a change {', '.join(CHANGES)}, and {AGAINST}METRIC"
        raise ValueError(f"Unknown metric “{metric}”; choose one of {every}.")
    try:
        number = float(bound)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"“{bound}” in the gate “{text}” is not a number, such as 0.9 for 90 %.")
    parsed = Gate(metric, comparison, number)
    low, high = RANGES[parsed.metric.removeprefix(AGAINST)]
    if low <= parsed.bound <= high and (parsed.holds(low) or parsed.holds(high)):
        return parsed
    within = f"from {low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"
    raise ValueError(f"The gate “{text}” tells nothing: {parsed.metric} is {within}.")


def gate(evaluation: Evaluation, text: str, change: Comparison | None = None) -> bool:
    """Return whether an evaluation, or its change, passes the gate.

    An undefined metric does not pass. Raises ValueError as `parse_gate`, and if the gate needs a change and there
    is none.
    """
    return parse_gate(text).holds(gated(evaluation, text, change))


def gated(evaluation: Evaluation, text: str, change: Comparison | None = None) -> float | None:
    """Return the number that a gate tests; None if undefined. Raises ValueError as `gate`."""
    parsed = parse_gate(text)
    if parsed.is_on_change and change is None:
        raise ValueError(f"The gate “{text}” is on a change, and nothing is compared.")
    if change is not None and parsed.metric in CHANGES:
        return CHANGES[parsed.metric](change)
    of = change.after if change is not None and parsed.is_on_change else evaluation
    return {**of.metrics, **of.further}.get(parsed.metric.removeprefix(AGAINST))
