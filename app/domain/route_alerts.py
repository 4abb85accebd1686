"""Alerts of the router (001), computed from the counts of its decisions (S6.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.inspection import METHODS
from app.domain.llm import LlmOutcome
from app.domain.route import RouteMethod

ENOUGH = 20
"""Minimum number of decisions for an alert."""

FEW = 10
"""Minimum number of labelled decisions, or of LLM requests, for an alert on their share."""

DEAD = 3
"""Consecutive failed LLM requests after which the LLM counts as dead.

The open circuit allows one request per half minute, so FEW of them would take minutes.
"""

RECENT = 100
"""Number of newest decisions in which a flat line is detected.

Earlier decisions must not hide a router that is stuck now.
"""


HEARD = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE})
"""Outcomes of LLM requests with an answer."""

NO_FAULTS = HEARD | {LlmOutcome.SUPERSEDED}
"""Outcomes of LLM requests that are not failures."""


class RouteAlarm(StrEnum):
    """Alarms: a rate beyond its limit, or a flat line."""

    RULE_HITS = "rule_hits"
    FALLBACKS = "fallbacks"
    ACCURACY = "accuracy"
    LLM_ERRORS = "llm_errors"
    FLATLINE = "flatline"


LIMITS: Mapping[RouteAlarm, float] = {
    RouteAlarm.RULE_HITS: 0.6,
    RouteAlarm.FALLBACKS: 0.4,
    RouteAlarm.ACCURACY: 0.9,
    RouteAlarm.LLM_ERRORS: 0.05,
}
"""Limits of document 001: minimum shares; for fallbacks and errors, maximum shares."""


@dataclass(frozen=True, slots=True)
class RouteCounts:
    """Counts over some decisions.

    `methods`, `intents` and `confidences` are the distinct values among the `newest` decisions (0: all), for flat
    lines; an empty one is not checked. `llm_silent` counts the latest consecutive failed LLM requests.
    """

    decisions: int
    rule_hits: int = 0
    fallbacks: int = 0
    labelled: int = 0
    right: int = 0
    llm_calls: int = 0
    llm_errors: int = 0
    llm_silent: int = 0
    methods: frozenset[str] = frozenset()
    intents: frozenset[str] = frozenset()
    confidences: frozenset[float] = frozenset()
    newest: int = 0

    @property
    def rates(self) -> Mapping[RouteAlarm, float | None]:
        """Share of each alarm, in [0, 1]; None if its total is 0."""
        return {
            RouteAlarm.RULE_HITS: _rate(self.rule_hits, self.decisions),
            RouteAlarm.FALLBACKS: _rate(self.fallbacks, self.decisions),
            RouteAlarm.ACCURACY: _rate(self.right, self.labelled),
            RouteAlarm.LLM_ERRORS: _rate(self.llm_errors, self.llm_calls),
        }


@dataclass(frozen=True, slots=True)
class RouteAlert:
    """Alarm that fired, with a sentence; `value` is its rate, None for a flat line."""

    name: RouteAlarm
    sentence: str
    value: float | None = None


def alerts(counts: RouteCounts) -> tuple[RouteAlert, ...]:
    """Compute the alerts of these counts; with too few decisions, only the alert of a dead LLM."""
    dead = _dead(counts)
    if counts.decisions < ENOUGH:
        return dead
    enough = {RouteAlarm.ACCURACY: counts.labelled >= FEW, RouteAlarm.LLM_ERRORS: counts.llm_calls >= FEW}
    found = [
        RouteAlert(name, sentence(_written(rate, LIMITS[name])), rate)
        for name, sentence in _SENTENCES.items()
        if (rate := counts.rates[name]) is not None and enough.get(name, True) and is_beyond(name, rate)
        if not (dead and name is RouteAlarm.LLM_ERRORS)
    ]
    return (*found, *dead, *_flatlines(counts))


def _dead(counts: RouteCounts) -> tuple[RouteAlert, ...]:
    """Return the alert of an LLM that no longer answers."""
    if counts.llm_silent < DEAD:
        return ()
    sentence = f"The last {counts.llm_silent} questions to the LLM failed."
    return (RouteAlert(RouteAlarm.LLM_ERRORS, sentence, counts.rates[RouteAlarm.LLM_ERRORS]),)


def is_beyond(name: RouteAlarm, rate: float) -> bool:
    """Return whether a rate is beyond its limit."""
    is_ceiling = name in (RouteAlarm.FALLBACKS, RouteAlarm.LLM_ERRORS)
    return rate > LIMITS[name] if is_ceiling else rate < LIMITS[name]


_SENTENCES: Mapping[RouteAlarm, Callable[[str], str]] = {
    RouteAlarm.RULE_HITS: lambda share: f"Rules decide only {share} of the queries; 001 expects 60 % at least.",
    RouteAlarm.FALLBACKS: lambda share: f"The LLM decides {share} of the queries; 001 expects 40 % at most.",
    RouteAlarm.ACCURACY: lambda share: f"Only {share} of the labelled queries went the right way.",
    RouteAlarm.LLM_ERRORS: lambda share: f"{share} of the questions to the LLM failed.",
}


def _flatlines(counts: RouteCounts) -> list[RouteAlert]:
    """Report values that never change: they are measured wrongly, or not at all."""
    which = f"The last {counts.newest or counts.decisions} decisions all"
    sentences = []
    if len(counts.confidences) == 1:
        (confidence,) = counts.confidences
        sentences.append(f"{which} have the same confidence, {confidence:.2f}.")
    if len(counts.methods) == 1:
        (method,) = counts.methods
        sentences.append(_same_method(which, method))
    if len(counts.intents) == 1:
        (intent,) = counts.intents
        sentences.append(f"{which} go the same way, {intent}.")
    return [RouteAlert(RouteAlarm.FLATLINE, sentence) for sentence in sentences]


def _same_method(which: str, method: str) -> str:
    if method == RouteMethod.DEGRADED:
        return f"{which} went to the fallback: nothing decided them."
    word = METHODS[RouteMethod(method)] if method in set(RouteMethod) else method
    return f"{which} came by the same method, {word}."


def _written(share: float, limit: float) -> str:
    """Format a share with enough decimals to stay on its side of the limit: "59.9 %"."""
    whole, bound = 100.0 * share, 100.0 * limit
    for digits in range(0 if share in (0.0, 1.0) else 1, 12):
        text = f"{whole:.{digits}f}"
        if (float(text) > bound) == (whole > bound) and (float(text) < bound) == (whole < bound):
            return f"{text} %"
    return f"{whole} %"


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
