"""How routing does by its log: rates, times, money, accuracy, beside 001's targets and alarms; pure (S6.6)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.case import NO_MATCH_WORDS
from app.domain.llm import LlmOutcome
from app.domain.review.route_alerts import RECENT, RouteAlarm, RouteAlert, RouteCounts, alerts
from app.domain.route import LoggedRoute, RouteMethod, route_label

NO_FAULTS = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE, LlmOutcome.SUPERSEDED})

PERCENTILES = (50, 90, 95, 99)
DAY = 86_400.0

Log = Sequence[LoggedRoute]


@dataclass(frozen=True, slots=True)
class Times:
    """How long decisions took, in ms, and how many there were."""

    count: int
    p50: float
    p90: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Share:
    """How many decisions, how many of them have a label, and how many of those were right."""

    count: int
    labelled: int
    right: int

    @property
    def accuracy(self) -> float | None:
        return self.right / self.labelled if self.labelled else None


@dataclass(frozen=True, slots=True)
class Target:
    """One of 001's targets: what is measured (None: nothing to measure), within which bounds it should lie."""

    name: str
    value: float | None
    least: float | None
    most: float | None

    @property
    def is_met(self) -> bool | None:
        if self.value is None:
            return None
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)


@dataclass(frozen=True, slots=True)
class RoutingMetrics:
    """All that a log comes to. Rates are shares of all decisions in [0, 1], None where there are none.

    `cache_hits` is the share of those that would else have gone to the LLM, `llm_errors` of the questions to it,
    `accuracy` of the labelled decisions; `by_day` counts decisions by method, by whole days since 1970.
    """

    count: int
    rule_hits: float | None
    fallbacks: float | None
    degraded: float | None
    cache_hits: float | None
    llm_errors: float | None
    accuracy: float | None
    cost: float
    cost_per_query: float | None
    times: Mapping[str, Times]
    by_method: Mapping[str, Share]
    by_intent: Mapping[str, Share]
    by_day: Mapping[int, Mapping[str, int]]
    targets: tuple[Target, ...]
    alerts: tuple[RouteAlert, ...]


def metrics_of(log: Log) -> RoutingMetrics:
    """Everything that a log comes to, in whatever order it is."""
    count = len(log)
    methods = Counter(one.method for one in log)
    times = {"all": times_of(log)} if log else {}
    times |= {
        method.value: times_of([one for one in log if one.method is method])
        for method in RouteMethod
        if methods[method]
    }
    cost = sum(one.cost for one in log)
    cost_per_query = cost / count if count else None
    counts = counts_of(log)
    rates = counts.rates
    cache_hits = _rate(methods[RouteMethod.CACHE], methods[RouteMethod.CACHE] + counts.llm_calls)
    return RoutingMetrics(
        count=count,
        rule_hits=rates[RouteAlarm.RULE_HITS],
        fallbacks=rates[RouteAlarm.FALLBACKS],
        degraded=_rate(methods[RouteMethod.DEGRADED], count),
        cache_hits=cache_hits,
        llm_errors=rates[RouteAlarm.LLM_ERRORS],
        accuracy=rates[RouteAlarm.ACCURACY],
        cost=cost,
        cost_per_query=cost_per_query,
        times=times,
        by_method=_shares(log, lambda one: one.method.value),
        by_intent=_shares(log, lambda one: one.intent),
        by_day=_days(log),
        targets=_targets(rates, times.get("all"), cache_hits, cost_per_query),
        alerts=alerts(counts),
    )


def counts_of(log: Log) -> RouteCounts:
    """What alerts are told from; a flat line from the newest decisions, once there are enough."""
    newest = sorted(log, key=lambda one: one.at)[-RECENT:]
    asked = [one.llm for one in log if one.llm is not None]
    whole = share_of(log)
    return RouteCounts(
        decisions=whole.count,
        rule_hits=sum(one.method is RouteMethod.RULE for one in log),
        fallbacks=sum(one.method is RouteMethod.LLM_FALLBACK for one in log),
        labelled=whole.labelled,
        right=whole.right,
        llm_calls=len(asked),
        llm_errors=sum(outcome not in NO_FAULTS for outcome in asked),
        methods=frozenset(one.method.value for one in newest),
        intents=frozenset(one.intent for one in newest),
        confidences=frozenset(one.confidence for one in newest),
        newest=len(newest),
    )


def is_right(one: LoggedRoute) -> bool:
    """Whether a labelled decision is what its case expects."""
    return one.intent in {route_label(label) for label in one.labels}


def is_labelled(one: LoggedRoute) -> bool:
    return any(label not in NO_MATCH_WORDS for label in one.labels)


def share_of(log: Log) -> Share:
    labelled = [one for one in log if is_labelled(one)]
    return Share(len(log), len(labelled), sum(map(is_right, labelled)))


def times_of(log: Log) -> Times:
    """Of at least one decision."""
    return Times(len(log), *np.percentile([one.ms for one in log], PERCENTILES).tolist())


def _shares(log: Log, key: Callable[[LoggedRoute], str]) -> dict[str, Share]:
    found: dict[str, list[LoggedRoute]] = {}
    for one in log:
        found.setdefault(key(one), []).append(one)
    return {name: share_of(some) for name, some in sorted(found.items())}


def _days(log: Log) -> dict[int, dict[str, int]]:
    found: dict[int, Counter[str]] = {}
    for one in log:
        found.setdefault(int(one.at // DAY), Counter())[one.method.value] += 1
    return {day: dict(counts) for day, counts in sorted(found.items())}


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _targets(
    rates: Mapping[RouteAlarm, float | None], times: Times | None, cache_hits: float | None, cost: float | None
) -> tuple[Target, ...]:
    return (
        Target("rule hits", rates[RouteAlarm.RULE_HITS], 0.7, 0.8),
        Target("LLM fallbacks", rates[RouteAlarm.FALLBACKS], 0.2, 0.3),
        Target("accuracy", rates[RouteAlarm.ACCURACY], 0.95, None),
        Target("P90 in ms", None if times is None else times.p90, None, 500.0),
        Target("cache hits", cache_hits, 0.7, None),
        Target("dollars a query", cost, None, 0.0002),
    )


# ---- the audit


@dataclass(frozen=True, slots=True)
class Audit:
    """A sample of the log; of how many pairs of opinions there are, and how many agree."""

    sample: tuple[LoggedRoute, ...]
    rule_against_llm: tuple[int, int]
    rule_against_label: tuple[int, int]
    llm_against_label: tuple[int, int]
    decision_against_label: tuple[int, int]


def sampled(log: Log, most: int, seed: int = 0) -> list[LoggedRoute]:
    """So many of the log by chance, each text once, the same for the same seed."""
    unique = list({one.text or str(one.key): one for one in log}.values())
    return unique if len(unique) <= most else random.Random(seed).sample(unique, most)


def audit_of(sample: Log) -> Audit:
    """What rules, LLM and labels say of a sample: (agreeing, of so many that have both)."""

    def agreeing(pairs: Sequence[tuple[str, Sequence[str]]]) -> tuple[int, int]:
        both = [(one, others) for one, others in pairs if one and others]
        return sum(one in others for one, others in both), len(both)

    labels = [[route_label(label) for label in one.labels] for one in sample]
    return Audit(
        tuple(sample),
        agreeing([(one.rule_intent, [one.llm_intent] if one.llm_intent else []) for one in sample]),
        agreeing([(one.rule_intent, right) for one, right in zip(sample, labels, strict=True)]),
        agreeing([(one.llm_intent, right) for one, right in zip(sample, labels, strict=True)]),
        agreeing([(one.intent, right) for one, right in zip(sample, labels, strict=True)]),
    )
