"""How routing does by its log: rates, times, money, accuracy, beside 001's targets and alarms; pure (S6.6)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.case import NO_MATCH_WORDS
from app.domain.language import say
from app.domain.llm import LlmOutcome
from app.domain.route import LoggedRoute, RouteMethod, route_label

ENOUGH = 20
"""From so many decisions on an alarm says something."""

NO_FAULTS = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE, LlmOutcome.SUPERSEDED})

RECENT = 100
"""So many of the newest decisions tell if the router is stuck: one that has been for an hour must not hide behind
what it did before."""

PERCENTILES = (50, 90, 95, 99)
DAY = 86_400.0
FLATLINE = "flatline"
"""The alarm of a router that is stuck."""


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
class Alert:
    """Something that 001 would be woken for, in a sentence."""

    name: str
    sentence: str


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
    alerts: tuple[Alert, ...]


def metrics_of(log: Log) -> RoutingMetrics:
    """Everything that a log comes to, in whatever order it is."""
    count = len(log)
    methods = Counter(one.method for one in log)
    asked = [one.llm for one in log if one.llm is not None]
    whole = share_of(log)
    times = {"all": times_of(log)} if log else {}
    times |= {
        method.value: times_of([one for one in log if one.method is method])
        for method in RouteMethod
        if methods[method]
    }
    cost = sum(one.cost for one in log)
    rates = {
        "rule_hits": _rate(methods[RouteMethod.RULE], count),
        "fallbacks": _rate(methods[RouteMethod.LLM_FALLBACK], count),
        "cache_hits": _rate(methods[RouteMethod.CACHE], methods[RouteMethod.CACHE] + len(asked)),
        "llm_errors": _rate(sum(outcome not in NO_FAULTS for outcome in asked), len(asked)),
        "accuracy": whole.accuracy,
    }
    return RoutingMetrics(
        count=count,
        rule_hits=rates["rule_hits"],
        fallbacks=rates["fallbacks"],
        degraded=_rate(methods[RouteMethod.DEGRADED], count),
        cache_hits=rates["cache_hits"],
        llm_errors=rates["llm_errors"],
        accuracy=rates["accuracy"],
        cost=cost,
        cost_per_query=cost / count if count else None,
        times=times,
        by_method=_shares(log, lambda one: one.method.value),
        by_intent=_shares(log, lambda one: one.intent),
        by_day=_days(log),
        targets=_targets(rates, times.get("all"), cost / count if count else None),
        alerts=tuple(_alerts(log, rates)),
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


def _targets(rates: Mapping[str, float | None], times: Times | None, cost: float | None) -> tuple[Target, ...]:
    return (
        Target("rule hits", rates["rule_hits"], 0.7, 0.8),
        Target("LLM fallbacks", rates["fallbacks"], 0.2, 0.3),
        Target("accuracy", rates["accuracy"], 0.95, None),
        Target("P90 in ms", None if times is None else times.p90, None, 500.0),
        Target("cache hits", rates["cache_hits"], 0.7, None),
        Target("dollars a query", cost, None, 0.0002),
    )


def _alerts(log: Log, rates: Mapping[str, float | None]) -> list[Alert]:
    if len(log) < ENOUGH:
        return []
    found = [
        Alert(name, sentence.format(share=f"{share:.0%}"))
        for name, is_bad, sentence in ALARMS
        if (share := rates[name]) is not None and is_bad(share)
    ]
    return [*found, *_flatlines(sorted(log, key=lambda one: one.at)[-RECENT:])]


ALARMS: Sequence[tuple[str, Callable[[float], bool], str]] = (
    (
        "rule_hits",
        lambda share: share < 0.6,
        say("Rules decide only {share} of the queries; 001 expects 60 % at least."),
    ),
    ("fallbacks", lambda share: share > 0.4, say("The LLM decides {share} of the queries; 001 expects 40 % at most.")),
    ("accuracy", lambda share: share < 0.9, say("Only {share} of the labelled queries went the right way.")),
    ("llm_errors", lambda share: share > 0.05, say("{share} of the questions to the LLM failed.")),
)
"""001's alarms, by the name of the rate."""


def _flatlines(log: Log) -> list[Alert]:
    """What never changes is measured wrongly, or not at all: 001's own router once gave 0.5 for every query."""
    found = []
    which = say("The last {count} decisions all", count=len(log))
    if len({one.confidence for one in log}) == 1:
        found.append(
            Alert(
                FLATLINE,
                say(
                    "{which} have the same confidence, {confidence}.",
                    which=which,
                    confidence=f"{log[0].confidence:.2f}",
                ),
            )
        )
    if len({one.method for one in log}) == 1:
        found.append(
            Alert(FLATLINE, say("{which} came by the same method, {method}.", which=which, method=log[0].method))
        )
    if len({one.intent for one in log}) == 1:
        found.append(Alert(FLATLINE, say("{which} go the same way, {intent}.", which=which, intent=log[0].intent)))
    return found


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
