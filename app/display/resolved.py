"""A resolution at the terminal: what serves the query, what was started, and the tools that are there now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.plain import outcome_lines
from app.display.visible import visible
from app.domain.inspection import Inspection
from app.domain.match import Tier
from app.domain.resolution import Resolution

if TYPE_CHECKING:
    from app.settings.model import Settings


def resolution_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """The card of the powers, then each power that is offered, or what became of the one that is activated."""
    resolution = inspection.resolution
    if resolution is None:
        return outcome_lines(inspection, settings)
    card, *rest = outcome_lines(inspection, settings)
    if resolution.status is Tier.ACTIVATED:
        # The card's sentence says what typing does; here it is told what was done.
        kept = [line for line in rest if not line.startswith("  ")]
        told = list(_run_lines(resolution))
    else:
        kept, told = rest, list(_offer_lines(resolution))
    return [card, *map(visible, told), *kept]


def _run_lines(resolution: Resolution) -> Iterable[str]:
    if resolution.started:
        yield "  " + words.say("Started; it is stopped when this command ends.")
    else:
        yield "  " + words.say("Not started. {reason}", reason=resolution.reason or "")
    if resolution.needs_approval:
        yield "  " + words.say("A person would say yes to:")
        yield from (f"    {line}" for line in resolution.needs_approval.split("\n"))
    if not resolution.tools:
        yield "  " + words.say("No tools are known.")
    elif resolution.started:
        yield "  " + words.say("Its tools now:")
    else:
        yield "  " + words.say("Its tools as they are stored; none can be called now:")
    for tool in resolution.tools:
        yield f"    {tool.name}: {tool.description}" if tool.description else f"    {tool.name}"


def _offer_lines(resolution: Resolution) -> Iterable[str]:
    for match in resolution.matches:
        power = match.power
        yield f"  {power.name} {numbers.score(match.confidence, ())} {match.match_type}: {power.description}"
