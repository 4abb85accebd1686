"""A comparison as plain text, for the clipboard."""

from __future__ import annotations

from app.display import words
from app.display.intent import IntentCard
from app.display.powers import Card
from app.display.side_by_side import PairRow, Placed, SideBySide
from app.display.visible import visible

_NAME = 32


def comparison_text(shown: SideBySide) -> str:
    """Everything that is shown of two answers side by side, in lines."""
    lines = [
        words.say("Left: {title}, query: {query}", title=shown.titles[0], query=shown.queries[0][:2000]),
        words.say("Right: {title}, query: {query}", title=shown.titles[1], query=shown.queries[1][:2000]),
        "",
        *(f"{side}  {_intent(card)}" for side, card in zip(_sides(), shown.intents, strict=True)),
        shown.intents_differ or words.say("The intent is the same on both sides."),
        "",
        shown.first,
        *(_row(row) for row in shown.rows),
        "",
        *(f"{side}  {_outcome(card)}" for side, card in zip(_sides(), shown.outcomes, strict=True)),
    ]
    return "\n".join(map(visible, lines)) + "\n"


def _sides() -> tuple[str, str]:
    return words.say("Left: "), words.say("Right:")


def _intent(card: IntentCard) -> str:
    steps = "; ".join(f"{row.what}: {row.how}{' = ' if row.adds else ', '}{row.value}" for row in card.sums)
    return f"{card.headline} {card.confidence}, {card.source}" + (f" ({steps})" if steps else "")


def _row(row: PairRow) -> str:
    name = row.name if len(row.name) <= _NAME else row.name[: _NAME - 1] + "…"
    mark = "*" if row.is_first else " "
    said = f"{row.differs} {row.change}".rstrip() or words.say("the same")
    return f"{mark} {name:{_NAME}} {_placed(row.left)} | {_placed(row.right)}   {said}".rstrip()


def _placed(placed: Placed | None) -> str:
    if placed is None:
        return f"{words.say('not listed'):>60}"
    row = placed.row
    cells = " ".join(f"{cell.text:>5}{'*' if cell.decides else ' '}" for cell in row.cells)
    return f"{placed.rank:>2} {cells} {row.confidence:>6} {row.level_word:9}"


def _outcome(card: Card | None) -> str:
    if card is None:
        return words.say("No powers were resolved.")
    return f"{card.badge}. {card.name}{card.rest}. {card.sentence}".replace("  ", " ")
