"""An inspection as plain text: for the clipboard, and for people at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.intent import intent_card
from app.display.merging import Sum
from app.display.powers import power_card, route_card
from app.display.rows import MatchRow, match_rows, scorer_keys, selected
from app.display.timing import waterfall
from app.display.visible import visible
from app.domain.inspection import Inspection

if TYPE_CHECKING:
    from app.settings.model import Settings


def as_text(inspection: Inspection, settings: Settings | None = None) -> str:
    """Everything the window shows of one query, in lines."""
    parts = [
        [visible(words.say("Query: {query}", query=inspection.query.text[:2000]))],
        intent_lines(inspection),
        match_lines(inspection, settings),
        outcome_lines(inspection, settings),
        time_lines(inspection),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def intent_lines(inspection: Inspection) -> list[str]:
    """The intent with its arithmetic and cues."""
    card = intent_card(inspection)
    lines = [words.say("Intent: {type} {confidence}", type=card.headline, confidence=card.confidence)]
    lines.append(f"  {card.source}")
    lines += [f"  {_sum_line(row)}" for row in card.sums]
    lines += [f"  {row.type}: {', '.join(row.cues)} ({row.weight})" for row in card.cues]
    if card.other:
        lines.append(f"  {card.other}")
    if card.topics:
        lines.append("  " + words.say("Topics: {topics}", topics=", ".join(card.topics)))
    return [visible(line) for line in lines]


def _sum_line(row: Sum) -> str:
    """One row of the sum, without the parts that say nothing."""
    if row.adds:
        return f"{row.what}: {row.how} = {row.value}"
    said = ", ".join(part for part in (row.how, row.value) if part and part != numbers.ABSENT)
    return f"{row.what}: {said}" if said else row.what


def match_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """A table of the matches, and how the first one's confidence came about."""
    rows = match_rows(inspection, settings)
    if not rows:
        return [words.say("No matches.")]
    titles = [words.scorer(key).initial for key in scorer_keys(inspection)]
    name_width = min(32, max(len(row.name) for row in rows))
    lines = [f"{'':{name_width}}  {'':10} " + " ".join(f"{title:>6}" for title in titles) + "   = "]
    lines += [_match_line(row, name_width) for row in rows]
    first = selected(inspection, rows[0].match, settings)
    lines += [f"{rows[0].name}: {line.text} = {line.result}" for line in first.lines]
    return [visible(line) for line in lines]


def _match_line(row: MatchRow, width: int) -> str:
    name = row.name if len(row.name) <= width else row.name[: width - 1] + "…"
    cells = " ".join(f"{cell.text:>5}{'*' if cell.decides else ' '}" for cell in row.cells)
    more = f"  {row.behind}" if row.more else ""
    return f"{name:{width}}  {row.level_word:10} {cells}  {row.confidence:>6}  {row.lead}{more}".rstrip()


def outcome_lines(inspection: Inspection, settings: Settings | None) -> list[str]:
    """What becomes of powers, and the route."""
    lines: list[str] = []
    card = power_card(inspection, settings)
    if card is not None:
        lines.append(words.say("Powers: {badge}. {line}", badge=card.badge, line=f"{card.name}{card.rest}".strip()))
        if card.sentence:
            lines.append(f"  {card.sentence}")
    if inspection.route is not None:
        route = route_card(inspection.route)
        lines.append(words.say("Route: {line} ({method})", line=f"{route.name}{route.rest}", method=route.badge))
    return [visible(line) for line in lines]


def time_lines(inspection: Inspection) -> list[str]:
    """The stages and their times."""
    shown = waterfall(inspection.trace)
    lines = [f"  {bar.name:14} {bar.text:>9}  {bar.outcome}".rstrip() for bar in shown.bars]
    return [words.say("Time: {settled}", settled=shown.settled_text), *lines] if lines else []
