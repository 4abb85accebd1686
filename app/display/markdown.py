"""An inspection as Markdown: for issues, chats and notes, where tables are drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.display import words
from app.display.intent import intent_card
from app.display.plain import outcome_lines
from app.display.rows import MatchRow, match_rows, scorer_keys, selected
from app.display.timing import waterfall
from app.display.visible import visible
from app.domain.inspection import Inspection

if TYPE_CHECKING:
    from app.settings.model import Settings

_SIGNS = re.compile(r"([\\`*_\[\]<>|#~&])")
_LONGEST_QUERY = 2000


def as_markdown(inspection: Inspection, settings: Settings | None = None) -> str:
    """Everything the window shows of one query, in Markdown; texts of people are never read as markup."""
    parts = [
        [f"## {_escaped(inspection.query.text[:_LONGEST_QUERY])}"],
        _intent(inspection, settings),
        *_matches(inspection, settings),
        [f"- {_escaped(line.strip())}" for line in outcome_lines(inspection, settings)],
        _times(inspection),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _intent(inspection: Inspection, settings: Settings | None) -> list[str]:
    card = intent_card(inspection, settings)
    lines = [f"**{_escaped(card.headline)}** {card.confidence}. {_escaped(card.source)}"]
    if card.sums or card.cues:
        lines.append("")
    lines += [f"- {_escaped(row.what)}: {_code(row.how)}{' = ' if row.adds else ', '}{row.value}" for row in card.sums]
    lines += [f"- {_escaped(row.type)}: {_escaped(', '.join(row.cues))} ({row.weight})" for row in card.cues]
    if card.topics:
        lines += ["", _escaped(words.say("Topics: {topics}", topics=", ".join(card.topics)))]
    return lines


def _matches(inspection: Inspection, settings: Settings | None) -> list[list[str]]:
    """The table of the matches, deciding scorers bold, and the arithmetic of the first."""
    rows = match_rows(inspection, settings)
    if not rows:
        return [[words.say("No matches.")]]
    scorers = scorer_keys(inspection)
    titles = [words.say("Answer"), words.say("Level"), *(words.say(words.scorer(key).title) for key in scorers)]
    titles += [words.say("Confidence"), words.say("Lead")]
    table = [_row(titles), _row(["---", "---", *("--:" for _ in scorers), "--:", "--:"])]
    first = selected(inspection, rows[0].match, settings)
    sums = [f"{_escaped(rows[0].name)}: {_code(f'{line.text} = {line.result}')}" for line in first.lines]
    return [[*table, *(_row(_cells(row)) for row in rows)], [f"- {entry}" for entry in sums]]


def _cells(row: MatchRow) -> list[str]:
    scores = [f"**{cell.text}**" if cell.decides else cell.text for cell in row.cells]
    name = f"{row.name} ({row.behind})" if row.more else row.name
    return [_escaped(name), row.level_word, *scores, f"**{row.confidence}**", row.lead]


def _times(inspection: Inspection) -> list[str]:
    shown = waterfall(inspection.trace)
    if not shown.bars:
        return []
    lines = [_row([words.say("Stage"), words.say("Time"), words.say("Outcome")]), _row(["---", "--:", "---"])]
    lines += [_row([_escaped(bar.name), bar.text, _escaped(bar.outcome)]) for bar in shown.bars]
    return [*lines, "", words.say("Time: {settled}", settled=shown.settled_text)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    return _SIGNS.sub(r"\\\1", visible(text))


def _code(text: str) -> str:
    """A line of arithmetic in the type of figures; its names are people's, so a fence longer than any in it."""
    text = visible(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""
