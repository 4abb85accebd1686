"""001's targets in words: what each measure is called, its value beside its bounds, and how it stands to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.display import numbers
from app.display.routing.path import dollars
from app.domain.language import numeral, percents, say
from app.domain.review.route_alerts import RouteAlarm
from app.domain.route import RouteMethod
from app.domain.scope.resolution import METHODS
from app.evaluation.routing import RoutingMetrics, Target


class State(StrEnum):
    """How a measure stands to its target."""

    MET = "met"
    MISSED = "missed"
    ALARM = "alarm"
    NO_DATA = "no data"


WORDS: Mapping[State, str] = {
    State.MET: say("met"),
    State.MISSED: say("missed"),
    State.ALARM: say("alarm"),
    State.NO_DATA: say("no data"),
}


@dataclass(frozen=True, slots=True)
class TargetRow:
    """A measure: its name, its value, its target, and how it stands to that."""

    name: str
    value: str
    target: str
    state: State

    @property
    def word(self) -> str:
        return say(WORDS[self.state])


NAMES: Mapping[str, str] = {
    "rule hits": say("Decided by rules"),
    "LLM fallbacks": say("Decided by the LLM"),
    "accuracy": say("Right, of those with a case"),
    "P90 in ms": say("P90, ms"),
    "cache hits": say("Answered from the cache"),
    "dollars a query": say("Cost of a query"),
    "LLM errors": say("Failed questions to the LLM"),
}
SHARES = frozenset({"rule hits", "LLM fallbacks", "accuracy", "cache hits", "LLM errors"})
ALARMS: Mapping[str, RouteAlarm] = {
    "rule hits": RouteAlarm.RULE_HITS,
    "LLM fallbacks": RouteAlarm.FALLBACKS,
    "accuracy": RouteAlarm.ACCURACY,
    "LLM errors": RouteAlarm.LLM_ERRORS,
}
"""The targets that have an alarm, too."""


def target_rows(found: RoutingMetrics) -> tuple[TargetRow, ...]:
    """Each measure beside its target."""
    fire = {alert.name for alert in found.alerts}
    return tuple(_target(target, is_alarm=ALARMS.get(target.name) in fire) for target in found.targets)


def _target(target: Target, *, is_alarm: bool) -> TargetRow:
    state = State.NO_DATA if target.is_met is None else State.MET if target.is_met else State.MISSED
    state = State.ALARM if is_alarm else state
    value = numbers.ABSENT if target.value is None else _written(target, target.value)
    return TargetRow(say(NAMES.get(target.name, target.name)), value, _bounds(target), state)


def _written(target: Target, value: float) -> str:
    if target.name in SHARES:
        limits = [bound for bound in (target.least, target.most) if bound is not None]
        return share(value, limits)
    if target.name.startswith("dollars"):
        return dollars(value)
    return numbers.milliseconds(value, [target.most] if target.most is not None else [])


def share(value: float, limits: list[float] | tuple[float, ...] = ()) -> str:
    """A share of all with a decimal, or more where fewer would cross a limit: "74.2 %"."""
    if value in (0.0, 1.0):
        return percents(value, 0)
    bounds = [0.0, 100.0, *(100.0 * limit for limit in limits)]
    written = (f"{100.0 * value:.{digits}f}" for digits in range(1, 8))
    shown = next((text for text in written if numbers.sides_kept(100.0 * value, text, bounds)), repr(value))
    return numeral(f"{shown} %")


def _bounds(target: Target) -> str:
    def written(bound: float) -> str:
        if target.name in SHARES:
            return numeral(f"{100.0 * bound:g} %")
        return dollars(bound) if target.name.startswith("dollars") else numeral(f"{bound:g}")

    if target.least is not None and target.most is not None:
        return say("{least} to {most}", least=written(target.least), most=written(target.most))
    if target.least is not None:
        return say("{least} at least", least=written(target.least))
    return say("{most} at most", most=written(target.most or 0.0))


def method_name(name: str) -> str:
    """What decided, in a reader's words; all of them together are named so."""
    return say(METHODS[RouteMethod(name)]) if name in set(RouteMethod) else say(name)
