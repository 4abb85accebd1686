"""The resolution of powers and the route as a card: a status, a leading line and a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from app.display import numbers
from app.display.scope.matches.rows import lack_text
from app.domain.language import plural
from app.domain.library import Kind
from app.domain.match import TIER_WORDS, Tier
from app.domain.route import RouteIntent, RouteMethod
from app.domain.running import ActivationBlocker, activation_blocker
from app.domain.scope.inspection import Inspection
from app.domain.scope.resolution import METHODS, Resolution, RouteDecision, TierChances

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Card:
    """A badge, a name in bold, what follows it, and a sentence below."""

    level: Tier | None
    badge: str
    name: str
    rest: str
    sentence: str
    color: str = ""
    """What the route that it names is drawn in; "" for none."""


def power_card(inspection: Inspection, settings: Settings | None, *, is_untaught: bool = False) -> Card | None:
    """The outcome for powers; None if nothing was resolved. `is_untaught`: there are none, not even paused ones."""
    resolution = inspection.resolution
    if resolution is None:
        return None
    badge = _badge(resolution)
    if is_untaught and not resolution.matches and not resolution.available:
        said = "No powers are taught yet: add one on their page (Ctrl+3)."
        return Card(resolution.status, badge, "", said, "A power is what an assistant can start.")
    if not resolution.matches:
        return Card(resolution.status, badge, "", _nothing(resolution), _sentence(resolution, settings))
    first = resolution.matches[0]
    limits = (settings.tiers.weak, settings.tiers.medium, settings.tiers.high) if settings else ()
    rest = " " + numbers.score(first.confidence, limits) + _ahead(inspection)
    return Card(resolution.status, badge, first.power.name, rest, _sentence(resolution, settings))


def can_start(inspection: Inspection) -> bool:
    """If the first power is sure enough, and has something that can be started; a missing yes is asked for then."""
    resolution = inspection.resolution
    if resolution is None or resolution.status is not Tier.ACTIVATED:
        return False
    return activation_blocker(resolution.matches[0].power) is not ActivationBlocker.COMMAND


def _badge(resolution: Resolution) -> str:
    """What becomes of the powers, in a word or two."""
    if resolution.started:
        return "Activated"
    missing = (
        lack_text(resolution.matches[0].power) if resolution.status is Tier.ACTIVATED and resolution.matches else ""
    )
    return missing or TIER_WORDS[resolution.status]


_MOST_DECIMALS = 12
"""Of a percentage; a sum that so many do not tell from where a tier begins is shown as that."""

ADVICE = "Advice only: no store is connected."


def route_card(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> Card:
    """The route: intent, stores where they are there, confidence; the method as badge. Of a route that is run it is not
    said that it is advice."""
    is_there = settings is not None and settings.route.are_stores_there
    stores = f" to {', '.join(route.databases)}" if is_there else ""
    advice, method = "" if is_there or is_run else f" {ADVICE}", method_word(route)
    badge = method if route.is_final else f"{method}, so far"
    color = "" if settings is None else settings.all_routes.color_of(route.intent)
    if is_safe_choice(route):
        return Card(None, badge, route.intent, stores, f"{safe_words(route)}.{advice}", color)
    rest = f"{stores}, {numbers.score(route.confidence)}"
    return Card(None, badge, route.intent, rest, f"{route.reasoning}{advice}", color)


def is_safe_choice(route: RouteDecision) -> bool:
    """Whether nothing had a word to say, so that the route is what goes least wrong. Its confidence says nothing."""
    return route.method == RouteMethod.DEGRADED and route.confidence == 0.0 and bool(route.steps)


def method_word(route: RouteDecision) -> str:
    """What decided a route, as short as a badge."""
    return "fallback" if is_safe_choice(route) else METHODS[RouteMethod(route.method)]


def safe_words(route: RouteDecision) -> str:
    """What the safe choice is, and that it is one; without a full stop."""
    if route.intent != RouteIntent.VECTOR:
        return f"Nothing decided, so it falls back to {route.intent}"
    return "Nothing decided, so it falls back to vector search"


def _ahead(inspection: Inspection) -> str:
    powers = [match for match in inspection.matches if match.kind is Kind.POWER]
    if len(powers) < 2:
        return ""
    difference = powers[0].confidence - powers[1].confidence
    name = powers[1].answer.name
    if difference == 0.0:
        return f", level with {name}"
    return f", {numbers.signed(difference)[1:]} ahead of {name}"


def _nothing(resolution: Resolution) -> str:
    if not resolution.available:
        return "No powers are enabled."
    return plural(len(resolution.available), "{n} power is available.", "{n} powers are available.")


def _sentence(resolution: Resolution, settings: Settings | None) -> str:
    if settings is None:
        return ""
    if resolution.tied:
        return f"Not activated: a second power is within {numbers.fixed(settings.tiers.ambiguity_margin)}."
    if resolution.chances is not None:
        high = numbers.chance(settings.tiers.high)
        return f"{chances_sentence(resolution.status, resolution.chances, settings)} Needs {high} to activate."
    if resolution.status is Tier.NOT_FOUND:
        return f"A weak match needs {numbers.fixed(settings.tiers.weak)}. Nothing starts while you type."
    return f"Needs {numbers.fixed(settings.tiers.high)} to activate. Nothing starts while you type."


def chances_sentence(status: Tier, chances: TierChances, settings: Settings) -> str:
    """What the tier went by where confidences are shares: the chance of each tier, and where the tier begins."""
    tiers = settings.tiers
    one, several, hint, nothing, served, related = map(_percent, _adding_up(chances, tiers.medium, tiers.weak))
    medium, weak = numbers.chance(tiers.medium), numbers.chance(tiers.weak)
    said = f"Chances: one power {one}, several {several}, a hint {hint}, none {nothing}."
    for_several = f"first two add up to {served}, several matches need {medium}"
    if status is Tier.MULTIPLE_MATCHES:
        return f"{said} The {for_several}."
    for_weak = f"The first three add up to {related}, a weak match needs {weak}"
    return f"{said} {for_weak}; the {for_several}." if status is Tier.WEAK_MATCHES else f"{said} {for_weak}."


def _adding_up(chances: TierChances, medium: float, weak: float) -> tuple[Decimal, ...]:
    """The four chances in percent and the sums of the first two and three, rounded so that the four make 100, the sums
    are theirs, and each sum stays on its side of where its tier begins."""
    exact = [100.0 * part for part in chances.by_tier.values()]
    shown = _rounded(exact, 0)
    for digits in range(1, _MOST_DECIMALS):
        sides = ((shown[4], chances.served, medium), (shown[5], chances.related, weak))
        if all((float(sum_) >= 100.0 * limit) == (value >= limit) for sum_, value, limit in sides):
            break
        shown = _rounded(exact, digits)
    return shown


def _rounded(exact: Sequence[float], digits: int) -> tuple[Decimal, ...]:
    """Four parts of 100 with so many decimals, of which those that lose most are rounded up, and their two sums."""
    unit = Decimal(1).scaleb(-digits)
    parts = [Decimal(part).quantize(unit, ROUND_FLOOR) for part in exact]
    short = int((100 - sum(parts)) / unit)
    for place in sorted(range(len(parts)), key=lambda place: float(parts[place]) - exact[place])[:short]:
        parts[place] += unit
    one, several, hint, nothing = parts
    return one, several, hint, nothing, one + several, one + several + hint


def _percent(value: Decimal) -> str:
    return f"{value} %"
