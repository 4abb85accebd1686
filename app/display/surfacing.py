"""What an intent's confidence brings up, in words: the sentence, and the table with its dead rows (S4.12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.detect.surfacing import SURFACING, SurfacingRow, is_dead, surfacing_row
from app.display import numbers, words
from app.domain.inspection import Inspection

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: from where on, how many, what there is to say; if the confidence falls into it, if nothing ever can."""

    least: str
    count: str
    note: str
    holds: bool
    dead: bool


@dataclass(frozen=True, slots=True)
class Surfacing:
    """The section: how many memories now, at most; the sentence; the threshold; the table, highest row first."""

    count: int
    sentence: str
    threshold: str
    rows: tuple[TableRow, ...]
    longest: str
    """About the longest that the sentence becomes, so that its place can be kept."""


def surfacing(inspection: Inspection, settings: Settings) -> Surfacing:
    """What one inspection would surface under these settings."""
    threshold = settings.search_intent.surfacing_threshold
    intent = inspection.intent
    now = surfacing_row(intent.confidence, threshold) if intent is not None else None
    is_off = not settings.search_intent.enabled
    return Surfacing(
        now.count if now is not None else 0,
        _sentence(inspection, now, threshold),
        numbers.fixed(threshold),
        tuple(_row(row, threshold, holds=row is now, is_off=is_off) for row in SURFACING),
        _above(SURFACING[0].count, numbers.fixed(threshold), numbers.fixed(threshold)),
    )


def surfacing_limits(threshold: float) -> tuple[float, ...]:
    """The confidences at which something else is surfaced: no number shown may seem to cross one."""
    return (threshold, *(row.least for row in SURFACING))


def _sentence(inspection: Inspection, now: SurfacingRow | None, threshold: float) -> str:
    if inspection.intent is None:
        return words.say("Nothing is surfaced: there is no intent.")
    confidence = numbers.score(inspection.intent.confidence, surfacing_limits(threshold))
    least = numbers.fixed(threshold)
    if now is not None:
        if inspection.intent.confidence == threshold:
            return words.say(
                "{said}: {confidence} is the threshold itself.", said=_said(now.count), confidence=confidence
            )
        return _above(now.count, confidence, least)
    if inspection.intent.confidence < threshold:
        return words.say("Nothing is surfaced: {confidence} is below {least}.", confidence=confidence, least=least)
    last = numbers.fixed(SURFACING[-1].least)
    return words.say("Nothing is surfaced: {confidence} is below {least}.", confidence=confidence, least=last)


def _above(count: int, confidence: str, least: str) -> str:
    return words.say("{said}: {confidence} is above {least}.", said=_said(count), confidence=confidence, least=least)


def _said(count: int) -> str:
    return words.say_n(count, "At most {n} memory is surfaced", "At most {n} memories are surfaced")


def _row(row: SurfacingRow, threshold: float, *, holds: bool, is_off: bool) -> TableRow:
    note = ""
    if is_off:
        note = words.say("detection is off")
    elif is_dead(row, threshold):
        note = words.say("never reached")
    elif threshold > row.least:
        note = words.say("from {least} on", least=numbers.fixed(threshold))
    return TableRow(
        numbers.fixed(row.least),
        words.say_n(row.count, "{n} memory", "{n} memories"),
        note,
        holds,
        is_off or is_dead(row, threshold),
    )
