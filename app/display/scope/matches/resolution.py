"""Cards of powers and route: a badge, a leading line and a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING

from app.display import numbers
from app.display.scope.matches.rows import level_word, power_level
from app.display.words import Level
from app.domain.language import plural
from app.domain.library import Kind
from app.domain.match import Tier
from app.domain.route import RouteIntent, RouteMethod
from app.domain.running import ActivationBlocker, activation_blocker
from app.domain.scope.inspection import METHODS, REFUSED, Inspection, Resolution, RouteDecision, TierChances

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Card:
    """Badge, name in bold, text after it, and a sentence below."""

    level: Level | None
    badge: str
    name: str
    rest: str
    sentence: str
    color: str = ""
    """Colour of the named route; "" for none."""
    is_fallback: bool = False
    """True if nothing decided the route."""


def power_card(
    inspection: Inspection, settings: Settings | None, *, is_untaught: bool = False, is_typing: bool = True
) -> Card | None:
    """Make the card of powers; None without a resolution.

    `is_untaught`: there are no powers. `is_typing`: say that nothing starts while the query is typed.
    """
    resolution = inspection.resolution
    if resolution is None:
        return None
    level: Level | None = resolution.status
    if resolution.matches and not resolution.started:
        level = power_level(resolution.matches[0].power, resolution.status)
    is_alone = level is Tier.MULTIPLE_MATCHES and len(resolution.matches) == 1
    badge = "Activated" if resolution.started else level_word(level, short=is_alone)
    if is_untaught and not resolution.matches and not resolution.available:
        said = "No powers are taught yet: add one on their page (Ctrl+3)."
        return Card(level, badge, "", said, "A power is what an assistant can start.")
    if not resolution.matches:
        why = "" if REFUSED in inspection.notes else _sentence(resolution, settings, is_typing=is_typing)
        return Card(level, badge, "", _nothing(resolution), why)
    first = resolution.matches[0]
    limits = (settings.tiers.weak, settings.tiers.medium, settings.tiers.high) if settings else ()
    rest = " " + numbers.rough_chance(first.confidence, limits) + _ahead(inspection)
    return Card(level, badge, first.power.name, rest, _sentence(resolution, settings, is_typing=is_typing))


def can_start(inspection: Inspection) -> bool:
    """Check if the first power is confident and has a command; approval is requested later."""
    resolution = inspection.resolution
    if resolution is None or resolution.status is not Tier.ACTIVATED:
        return False
    return activation_blocker(resolution.matches[0].power) is not ActivationBlocker.COMMAND


_LACKS = {
    ActivationBlocker.APPROVAL: "is not approved",
    ActivationBlocker.COMMAND: "has neither a command nor an address",
}

_MOST_DECIMALS = 12
"""Maximum decimals of a percentage; a sum still too near to a threshold is shown as equal."""

ADVICE = "Advice only: no store is connected."
NO_POWERS = "No power is in use: the library has none, or all are paused."


def route_card(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> Card:
    """Make the route's card: intent, stores (if connected) and confidence; method as badge.

    With `is_run` the note that the route is only advice is left out.
    """
    is_there = settings is not None and settings.route.has_any_store
    stores = f" to {', '.join(route.databases)}" if is_there else ""
    advice, method = "" if is_there or is_run else f" {ADVICE}", method_word(route)
    badge = method if route.is_final else f"{method}, so far"
    color = "" if settings is None else settings.all_routes.color_of(route.intent)
    if is_safe_choice(route):
        sentence = f"{safe_words(route)}.{advice}"
        return Card(None, badge, route.intent, stores, sentence, color, is_fallback=True)
    rest = f"{stores}, {numbers.rough_chance(route.confidence)}"
    return Card(None, badge, route.intent, rest, f"{route.reasoning}{advice}", color)


def is_safe_choice(route: RouteDecision) -> bool:
    """Check if nothing decided and the route is the fallback; its confidence means nothing."""
    return route.method == RouteMethod.DEGRADED and route.confidence == 0.0 and bool(route.steps)


def method_word(route: RouteDecision) -> str:
    """Return what decided a route, short enough for a badge."""
    return "fallback" if is_safe_choice(route) else METHODS[RouteMethod(route.method)]


def safe_words(route: RouteDecision) -> str:
    """Return a phrase on the fallback, without a full stop."""
    if route.intent != RouteIntent.VECTOR:
        return f"Nothing decided, so it falls back to {route.intent}"
    return "Nothing decided, so it falls back to vector search"


def _ahead(inspection: Inspection) -> str:
    powers = [match for match in inspection.matches if match.kind is Kind.POWER]
    if len(powers) < 2:
        return ""
    own, other, name = powers[0].confidence, powers[1].confidence, powers[1].answer.name
    return f", level with {name}" if own == other else f", {numbers.points_apart(own, other)} ahead of {name}"


def _nothing(resolution: Resolution) -> str:
    if not resolution.available:
        return NO_POWERS
    return plural(len(resolution.available), "{n} power is available.", "{n} powers are available.")


def _sentence(resolution: Resolution, settings: Settings | None, *, is_typing: bool) -> str:
    while_typing = " Nothing starts while you type." if is_typing else ""
    if settings is None:
        return ""
    if resolution.tied:
        return f"Not activated: a second power is within {numbers.points(settings.tiers.ambiguity_margin)}."
    if resolution.chances is not None:
        high = numbers.chance(settings.tiers.high)
        return f"{chances_sentence(resolution.status, resolution.chances, settings)} Needs {high} to activate."
    lack = activation_blocker(resolution.matches[0].power) if resolution.status is Tier.ACTIVATED else None
    if lack is not None and not resolution.started:
        return f"It reaches {numbers.chance(settings.tiers.high)}, but {_LACKS[lack]}.{while_typing}"
    if resolution.status is Tier.NOT_FOUND:
        return (
            f"A weak match needs {numbers.chance(settings.tiers.weak)}.{while_typing}" if resolution.available else ""
        )
    said = "It reaches {}." if resolution.status is Tier.ACTIVATED else "Needs {} to activate."
    return f"{said.format(numbers.chance(settings.tiers.high))}{while_typing}"


def chances_sentence(status: Tier, chances: TierChances, settings: Settings) -> str:
    """Return the chances of the tiers, and the limits that decided the tier."""
    tiers = settings.tiers
    shown = _adding_up(chances, tiers.medium, tiers.weak)
    exact = (*chances.by_tier.values(), chances.served, chances.related)
    one, several, hint, nothing, served, related = map(numbers.rounded_chance, shown, exact)
    medium, weak = numbers.chance(tiers.medium), numbers.chance(tiers.weak)
    said = f"Chances: one power {one}, several {several}, a hint {hint}, none {nothing}."
    for_several = f"first two add up to {served}, several matches need {medium}"
    if status is Tier.MULTIPLE_MATCHES:
        return f"{said} The {for_several}."
    for_weak = f"The first three add up to {related}, a weak match needs {weak}"
    return f"{said} {for_weak}; the {for_several}." if status is Tier.WEAK_MATCHES else f"{said} {for_weak}."


def _adding_up(chances: TierChances, medium: float, weak: float) -> tuple[Decimal, ...]:
    """Return four chances in percent and the sums of the first two and three, rounded.

    The four add up to 100, the sums add up, and each sum stays on its side of its threshold.
    """
    exact = [100.0 * part for part in chances.by_tier.values()]
    shown = _rounded(exact, 0)
    for digits in range(1, _MOST_DECIMALS):
        sides = ((shown[4], chances.served, medium), (shown[5], chances.related, weak))
        if all((float(sum_) >= 100.0 * limit) == (value >= limit) for sum_, value, limit in sides):
            break
        shown = _rounded(exact, digits)
    return shown


def _rounded(exact: Sequence[float], digits: int) -> tuple[Decimal, ...]:
    """Round the sums of four parts of 100; return the parts by these, and both sums.

    So the first chance and both sums are as they are elsewhere.
    """
    unit = Decimal(1).scaleb(-digits)
    one, served, related = (Decimal(sum_).quantize(unit) for sum_ in accumulate(exact[:3]))
    return one, served - one, related - served, 100 - related, served, related
