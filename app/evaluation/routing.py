"""Routing metrics from the log: rates, times, cost, accuracy, with 001's targets (S6.6)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.route import LoggedRoute, RouteColumns, RouteMethod, is_fallback, route_label
from app.domain.route_alerts import HEARD, LIMITS, NO_FAULTS, RECENT, RouteAlarm, RouteAlert, RouteCounts, alerts
from app.evaluation.answers import acceptable

PERCENTILES = (50, 90, 95, 99)
DAY = 86_400.0

Log = Sequence[LoggedRoute]


@dataclass(frozen=True, slots=True)
class Times:
    """Number of decisions, and percentiles of their times in ms."""

    count: int
    p50: float
    p90: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Share:
    """Numbers of decisions, of labelled ones, and of right ones."""

    count: int
    labelled: int
    right: int

    @property
    def accuracy(self) -> float | None:
        return self.right / self.labelled if self.labelled else None


@dataclass(frozen=True, slots=True)
class Target:
    """Target of 001: the measured value (None: nothing measured) and its bounds."""

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
class Totals:
    """Totals of the decisions of one period, which starts at `at` (seconds since 1970).

    `cached` counts decisions from the cache, `degraded` undecided ones; `marked` those whose case is newer than the
    decision. `cost` is in dollars, `times` are by method, and for "all".
    """

    at: float
    counts: RouteCounts
    cached: int
    degraded: int
    marked: Share
    cost: float
    times: Mapping[str, Times]

    @property
    def cache_hits(self) -> float | None:
        """Share of cache hits among decisions that would otherwise need the LLM."""
        return _rate(self.cached, self.cached + self.counts.llm_calls)

    @property
    def cost_per_query(self) -> float | None:
        return self.cost / self.counts.decisions if self.counts.decisions else None


@dataclass(frozen=True, slots=True)
class RoutingMetrics:
    """Metrics of a log; rates are shares of all decisions in [0, 1], None without decisions.

    `cache_hits` is the share of those that would otherwise need the LLM, `llm_errors` that of LLM requests,
    `accuracy` that of labelled decisions. `over_time` holds the periods of `seconds` with a decision; `intents` are
    all intents of the log, also if only one was measured.
    """

    count: int
    rule_hits: float | None
    fallbacks: float | None
    degraded: float | None
    cache_hits: float | None
    llm_errors: float | None
    accuracy: float | None
    marked: Share
    cost: float
    cost_per_query: float | None
    times: Mapping[str, Times]
    by_method: Mapping[str, Share]
    by_intent: Mapping[str, Share]
    over_time: tuple[Totals, ...]
    seconds: float
    intents: tuple[str, ...]
    targets: tuple[Target, ...]
    alerts: tuple[RouteAlert, ...]


def metrics_of(log: Log | RouteColumns, intent: str | None = None) -> RoutingMetrics:
    """Compute the metrics of a log in any order, or of its decisions for one intent."""
    every = _Arrays.of(log if isinstance(log, RouteColumns) else RouteColumns.of(log))
    some = every if intent is None else every.only(every.intents == intent)
    seconds, over_time = some.over_time()
    whole = some.totals()
    # Decisions for one intent may well be alike; only the whole router can be stuck.
    counts = whole.counts
    if intent is not None:
        counts = replace(counts, methods=frozenset(), intents=frozenset(), confidences=frozenset())
    rates = counts.rates
    return RoutingMetrics(
        count=counts.decisions,
        rule_hits=rates[RouteAlarm.RULE_HITS],
        fallbacks=rates[RouteAlarm.FALLBACKS],
        degraded=_rate(whole.degraded, counts.decisions),
        cache_hits=whole.cache_hits,
        llm_errors=rates[RouteAlarm.LLM_ERRORS],
        accuracy=rates[RouteAlarm.ACCURACY],
        marked=whole.marked,
        cost=whole.cost,
        cost_per_query=whole.cost_per_query,
        times=whole.times,
        by_method=some.shares(some.methods),
        by_intent=some.shares(some.intents),
        over_time=over_time,
        seconds=seconds,
        intents=tuple(sorted(set(every.intents.tolist()))),
        targets=_targets(rates, whole.times.get("all"), whole.cache_hits, whole.cost_per_query),
        alerts=alerts(counts),
    )


def counts_of(log: Log | RouteColumns) -> RouteCounts:
    """Return the counts for alerts; flat lines use the newest decisions."""
    return _Arrays.of(log if isinstance(log, RouteColumns) else RouteColumns.of(log)).totals().counts


WIDTHS = (3_600.0, DAY, 7 * DAY)
"""Widths of a curve's periods (hour, day, week, UTC), in seconds.

The narrowest with at most MOST_POINTS points is used.
"""

MOST_POINTS = 100

_MONDAY = 3 * DAY
"""Shift to weeks that start on Monday; 1970 began on a Thursday."""


@dataclass(frozen=True, slots=True)
class _Arrays:
    """Log as arrays, in its order, for fast sums."""

    at: NDArray[np.float64]
    ms: NDArray[np.float64]
    costs: NDArray[np.float64]
    confidences: NDArray[np.float64]
    methods: NDArray[np.object_]
    intents: NDArray[np.object_]
    asked: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    heard: NDArray[np.bool_]
    labelled: NDArray[np.bool_]
    right: NDArray[np.bool_]
    marked: NDArray[np.bool_]

    @classmethod
    def of(cls, log: RouteColumns) -> _Arrays:
        judge = cache(is_right_route)
        each = zip(log.intents, map(is_fallback, log.methods, log.confidences), log.labels, strict=True)
        labelled, right = list(map(bool, log.labels)), [bool(one[2]) and judge(*one) for one in each]
        asked = [outcome is not None for outcome in log.outcomes]
        failed = [outcome is not None and outcome not in NO_FAULTS for outcome in log.outcomes]
        heard = [outcome in HEARD for outcome in log.outcomes]
        floats = (log.at, log.ms, log.costs, log.confidences)
        truths = (asked, failed, heard, labelled, right, log.marked)
        columns: list[NDArray[Any]] = [np.array(column, np.float64) for column in floats]
        columns += [np.array(column, np.object_) for column in (log.methods, log.intents)]
        return cls(*columns, *(np.array(column, np.bool_) for column in truths))

    def only(self, rows: NDArray[Any] | slice) -> _Arrays:
        return _Arrays(*(getattr(self, field.name)[rows] for field in fields(self)))

    def totals(self, at: float = 0.0) -> Totals:
        order = np.argsort(self.at, kind="stable")
        newest = self.only(order[-RECENT:])
        counts = RouteCounts(
            decisions=len(self.at),
            rule_hits=_count(self.methods == RouteMethod.RULE.value),
            fallbacks=_count(self.methods == RouteMethod.LLM_FALLBACK.value),
            labelled=_count(self.labelled),
            right=_count(self.right),
            llm_calls=_count(self.asked),
            llm_errors=_count(self.failed),
            llm_silent=self.only(order)._silent(),
            methods=frozenset(newest.methods.tolist()),
            intents=frozenset(newest.intents.tolist()),
            confidences=frozenset(newest.confidences.tolist()),
            newest=len(newest.at),
        )
        return Totals(
            at,
            counts,
            cached=_count(self.methods == RouteMethod.CACHE.value),
            degraded=_count(self.methods == RouteMethod.DEGRADED.value),
            marked=Share(_count(self.marked), _count(self.labelled & self.marked), _count(self.right & self.marked)),
            cost=float(self.costs.sum()),
            times=self._times(),
        )

    def _silent(self) -> int:
        """Count the failed LLM requests since its last answer."""
        answered = self.heard[self.heard | self.failed]
        return len(answered) - (int(np.flatnonzero(answered)[-1]) + 1 if answered.any() else 0)

    def _times(self) -> dict[str, Times]:
        """Compute time percentiles of all decisions, then by method."""
        by_method = {"all": self.ms} | {one.value: self.ms[self.methods == one.value] for one in RouteMethod}
        return {
            name: Times(len(ms), *np.percentile(ms, PERCENTILES).tolist()) for name, ms in by_method.items() if len(ms)
        }

    def shares(self, words: NDArray[np.object_]) -> dict[str, Share]:
        return {
            word: Share(_count(rows), _count(rows & self.labelled), _count(rows & self.right))
            for word in sorted(set(words.tolist()))
            for rows in [words == word]
        }

    def over_time(self) -> tuple[float, tuple[Totals, ...]]:
        """Return the period in seconds, and the totals of each non-empty period, oldest first."""
        if not len(self.at):
            return WIDTHS[0], ()
        span = float(self.at.max() - self.at.min())
        seconds = next((width for width in WIDTHS if span <= MOST_POINTS * width), WIDTHS[-1])
        shift = _MONDAY if seconds == WIDTHS[-1] else 0.0
        places = np.floor((self.at + shift) / seconds)
        order = np.argsort(places, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(places[order])) + 1)
        return seconds, tuple(self.only(rows).totals(float(places[rows[0]] * seconds - shift)) for rows in parts)


def is_right(one: LoggedRoute) -> bool:
    """Return whether a labelled decision matches its case."""
    return is_right_route(one.intent, is_fallback(one.method, one.confidence), one.labels)


def is_right_route(intent: str, fell_back: bool, labels: tuple[str, ...]) -> bool:
    """Return whether a route is one of the labels; where none is right, whether it is the fallback."""
    wanted = {route_label(label) for label in acceptable(labels)}
    return intent in wanted if wanted else fell_back


def _count(rows: NDArray[Any]) -> int:
    return int(np.count_nonzero(rows))


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
        Target("LLM errors", rates[RouteAlarm.LLM_ERRORS], None, LIMITS[RouteAlarm.LLM_ERRORS]),
    )


# ---- Audit


@dataclass(frozen=True, slots=True)
class Audit:
    """Sample of the log, with (agreeing, pairs) of rules, LLM, labels and decisions."""

    sample: tuple[LoggedRoute, ...]
    rule_against_llm: tuple[int, int]
    rule_against_label: tuple[int, int]
    llm_against_label: tuple[int, int]
    decision_against_label: tuple[int, int]


def sampled(log: Log, most: int, seed: int = 0) -> list[LoggedRoute]:
    """Draw at most `most` entries with distinct texts at random, reproducibly by seed."""
    unique = list({one.text or str(one.key): one for one in log}.values())
    return unique if len(unique) <= most else random.Random(seed).sample(unique, most)


def audit_of(sample: Log) -> Audit:
    """Count agreements of rules, LLM and labels in a sample, as (agreeing, pairs).

    Rules without a result are compared only where no route is right.
    """

    def agreeing(found: Iterable[bool]) -> tuple[int, int]:
        each = list(found)
        return sum(each), len(each)

    labelled = [one for one in sample if one.labels]
    ruled = [(one.rule_intent, not one.rule_intent, one.labels) for one in labelled]
    return Audit(
        tuple(sample),
        agreeing(one.rule_intent == one.llm_intent for one in sample if one.rule_intent and one.llm_intent),
        agreeing(is_right_route(*one) for one in ruled if one[0] or not acceptable(one[2])),
        agreeing(is_right_route(one.llm_intent, False, one.labels) for one in labelled if one.llm_intent),
        agreeing(map(is_right, labelled)),
    )
