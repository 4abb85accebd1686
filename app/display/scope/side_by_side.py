"""Comparison of two inspections, paired by answer: differences, with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, get_args

from app.display import numbers, words
from app.display.scope.arithmetic import line
from app.display.scope.intent import IntentCard, cues, intent_card
from app.display.scope.match_rows import Card, MatchRow, answer_key, level_of, match_rows, power_card
from app.display.words import visible
from app.domain.inspection import Inspection
from app.domain.intent import DetectionSource
from app.domain.library import Kind
from app.domain.match import Match
from app.scoring.scorers import SCORERS

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class RankedRow:
    """Answer on one side: its rank from 1 in that list, and its row."""

    rank: int
    row: MatchRow


@dataclass(frozen=True, slots=True)
class PairRow:
    """One answer on both sides; None if a side does not list it.

    `differs` names the difference ("" for none), `change` is the signed difference of the confidences (right minus
    left), `is_first` marks the first difference of the lists.
    """

    kind: Kind
    name: str
    left: RankedRow | None
    right: RankedRow | None
    differs: str
    change: str
    is_first: bool = False

    @property
    def sides(self) -> tuple[RankedRow | None, RankedRow | None]:
        return self.left, self.right

    @property
    def is_found(self) -> bool:
        """True if the answer is best on one side, or among its first three and reaches its threshold."""
        return any(side is not None and side.rank <= (3 if side.row.is_found else 1) for side in self.sides)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Both answers: intents, paired matches, outcomes for powers.

    `first` describes the first difference among the matches; `intents_differ` and `outcomes_differ` are "" for equal
    sides.
    """

    titles: tuple[str, str]
    queries: tuple[str, str]
    intents: tuple[IntentCard, IntentCard]
    intents_differ: str
    rows: tuple[PairRow, ...]
    first: str
    outcomes: tuple[Card | None, Card | None]
    outcomes_differ: str

    @property
    def headline(self) -> str:
        """Best memory and best power of both sides."""
        best = {
            (row.kind, at): row.name for row in self.rows for at, one in enumerate(row.sides) if one and one.rank == 1
        }
        told = []
        for kind, word in words.KINDS.items():
            left, right = (best.get((kind, at), "none") for at in (0, 1))
            told.append(f"{word}: {left} on both sides" if left == right else f"{word}: {left} left, {right} right")
        return ". ".join(told)

    @property
    def scorers(self) -> tuple[str, ...]:
        """Scorers used on either side, in column order."""
        sides = (side for row in self.rows for side in row.sides if side is not None)
        asked = {cell.scorer for side in sides for cell in side.row.cells}
        return (*(key for key in SCORERS if key in asked), *sorted(asked - SCORERS.keys()))


def side_by_side(left: Inspection, right: Inspection, titles: tuple[str, str], settings: Settings) -> SideBySide:
    """Pair two inspections; the settings give thresholds that numbers must not seem to cross."""
    lists = match_rows(left, settings), match_rows(right, settings)
    kinds = ([[row for row in rows if row.kind is kind] for rows in lists] for kind in Kind)
    rows = [_pair(*placed) for one, other in kinds for placed in _aligned(one, other)]
    begins = next((place for place, row in enumerate(rows) if row.differs), None)
    first = "The matches are the same on both sides."
    if begins is not None:
        rows[begins] = replace(rows[begins], is_first=True)
        first = _first_sentence(rows[begins], (left, right))
    cards = intent_card(left, settings), intent_card(right, settings)
    outcomes = power_card(left, settings), power_card(right, settings)
    return SideBySide(
        titles,
        (left.query.text, right.query.text),
        cards,
        intent_difference_sentence(left, right, cards),
        tuple(rows),
        first,
        outcomes,
        _outcomes_differ(*outcomes),
    )


def _aligned(left: Sequence[MatchRow], right: Sequence[MatchRow]) -> list[tuple[RankedRow | None, RankedRow | None]]:
    """Return every answer of one list with its ranks on both sides, ordered by the better rank."""
    ranked = [{row.key: RankedRow(rank, row) for rank, row in enumerate(rows, 1)} for rows in (left, right)]
    beyond = len(left) + len(right) + 1
    ranks = {
        key: tuple(side[key].rank if key in side else beyond for side in ranked) for key in (ranked[0] | ranked[1])
    }
    order = sorted(ranks, key=lambda key: (min(ranks[key]), ranks[key][0]))
    return [(ranked[0].get(key), ranked[1].get(key)) for key in order]


def _pair(left: RankedRow | None, right: RankedRow | None) -> PairRow:
    some = left or right
    assert some is not None, "an answer is listed on one side at least"
    differs, change = "", ""
    if left is None or right is None:
        differs = "only on the left" if left else "only on the right"
    else:
        differs = ", ".join(_differing(left, right))
        change = confidences_text(left.row.match.confidence, right.row.match.confidence)[2]
    return PairRow(some.row.kind, some.row.name, left, right, differs, change)


def _differing(left: RankedRow, right: RankedRow) -> list[str]:
    one, other = left.row.match, right.row.match
    found = []
    if left.rank != right.rank:
        found.append("rank")
    if not equal_but_rounding(one.confidence, other.confidence):
        found.append("confidence")
    if level_of(one) is not level_of(other):
        found.append("tier" if left.row.kind is Kind.POWER else "band")
    if not found and any(not equal_but_rounding(one.scores.get(key), other.scores.get(key)) for key in one.scores):
        found.append("scores")
    return found


def _first_sentence(row: PairRow, both: tuple[Inspection, Inspection]) -> str:
    left, right = row.left, row.right
    if left is None or right is None:
        placed = left or right
        assert placed is not None, "an answer is listed on one side at least"
        side, other = ("left", "right") if left else ("right", "left")
        where = f"rank {placed.rank} on the {side}, confidence {placed.row.share}"
        return f"First differs here: {row.name} is {where}; it is not listed on the {other}."
    ranks = f"rank {left.rank}"
    if left.rank != right.rank:
        ranks = f"rank {left.rank} against {right.rank}"
    one, other, change = confidences_text(left.row.match.confidence, right.row.match.confidence)
    numbers = f"confidence {one} against {other}" if change else f"confidence {one} on both sides"
    why = match_difference_reason(left.row.match, right.row.match, both)
    return f"First differs here: {row.name}, {ranks}, {numbers}, {why}."


def _outcomes_differ(left: Card | None, right: Card | None) -> str:
    if left == right:
        return ""
    if left is None or right is None:
        return "outcome"
    parts = [
        word
        for word, differs in (
            ("tier", left.badge != right.badge),
            ("power", left.name != right.name),
            ("numbers", left.rest != right.rest),
        )
        if differs
    ]
    return ", ".join(parts) or "reason"


# ---- choices


def preset_choices() -> list[tuple[str, str]]:
    from app.settings.model import PRESETS

    return [(name, _word(name)) for name in PRESETS]


def combination_choices() -> list[tuple[str, str]]:
    from app.settings.model import Combination

    return [(name, combination_word(name)) for name in get_args(Combination)]


def combination_word(name: str) -> str:
    if name in SCORERS:
        return f"{words.scorer(name).title} alone"
    return _word(name)


def _word(name: str) -> str:
    return name.replace("_", " ").capitalize()


# --------------------------------------------------------------------------------------------------------------------
# Comparison as plain text, for the clipboard

_NAME = 32
_SIDES = ("Left: ", "Right:")


def side_by_side_text(shown: SideBySide) -> str:
    lines = [
        f"Left: {shown.titles[0]}, query: {shown.queries[0][:2000]}",
        f"Right: {shown.titles[1]}, query: {shown.queries[1][:2000]}",
        "",
        *(f"{side}  {_intent(card)}" for side, card in zip(_SIDES, shown.intents, strict=True)),
        shown.intents_differ or "The type is the same on both sides.",
        "",
        shown.first,
        *(_row(row) for row in shown.rows),
        "",
        *(f"{side}  {_outcome(card)}" for side, card in zip(_SIDES, shown.outcomes, strict=True)),
    ]
    return "\n".join(map(visible, lines)) + "\n"


def _intent(card: IntentCard) -> str:
    steps = "; ".join(f"{row.what}: {row.how}{' = ' if row.adds else ', '}{row.value}" for row in card.sums)
    shown = f"{card.headline} {card.confidence}" if card.found else card.headline
    return f"{shown}, {card.source}" + (f" ({steps})" if steps else "")


def _row(row: PairRow) -> str:
    name = row.name if len(row.name) <= _NAME else row.name[: _NAME - 1] + "…"
    mark = "*" if row.is_first else " "
    said = f"{row.differs} {row.change}".rstrip() or "the same"
    return f"{mark} {name:{_NAME}} {_placed(row.left)} | {_placed(row.right)}   {said}".rstrip()


def _placed(placed: RankedRow | None) -> str:
    if placed is None:
        return f"{'not listed':>60}"
    row = placed.row
    cells = " ".join(f"{cell.text:>5}{'*' if cell.decides else ' '}" for cell in row.cells)
    return f"{placed.rank:>2} {cells} {row.confidence:>6} {row.level_word:15}"


def _outcome(card: Card | None) -> str:
    if card is None:
        return "No powers were resolved."
    return f"{card.badge}. {f'{card.name}{card.rest}'.strip().removesuffix('.')}. {card.sentence}"


# ---- Reasons for a difference, in a clause with the numbers.


NOISE = 1e-6
"""Maximum difference of results that are equal up to the order of operations."""

_DIGITS = range(numbers.SCORE_DIGITS, 8)
"""Decimals for displayed differences: seven suffice for anything above NOISE."""


def equal_but_rounding(left: float | None, right: float | None) -> bool:
    """Check if two numbers are equal up to rounding; None equals only None."""
    if left is None or right is None:
        return left is right
    return abs(left - right) <= NOISE


def difference_text(left: float, right: float) -> tuple[str, str]:
    """Format two different scores so that they differ."""
    shown = ((numbers.fixed(left, digits), numbers.fixed(right, digits)) for digits in _DIGITS)
    return next((one, other) for one, other in shown if one != other)


def confidences_text(left: float, right: float) -> tuple[str, str, str]:
    """Format two confidences so that they differ, and their signed difference ("" if equal)."""
    one, other = numbers.chance(left), numbers.chance(right)
    if equal_but_rounding(left, right):
        return one, one, ""
    if one == other:
        one, other = (f"{text} %" for text in difference_text(100.0 * left, 100.0 * right))
    return one, other, ("+" if right > left else numbers.MINUS) + numbers.points_apart(left, right)


def match_difference_reason(left: Match, right: Match, both: tuple[Inspection, Inspection]) -> str:
    """Return why an answer differs on the right, as a clause that starts with “because”."""
    if equal_but_rounding(left.confidence, right.confidence):
        return _why_moved(left, both)
    deciding = list(dict.fromkeys((*left.winners, *right.winners)))
    pairs = [(key, left.scores.get(key), right.scores.get(key)) for key in deciding or left.scores]
    for key, one, other in pairs:
        if (one is None) != (other is None):
            side = "on the left" if one is None else "on the right"
            return f"because {words.scorer(key).title} is absent {side}"
    changed = [(key, one, other) for key, one, other in pairs if one is not None and other is not None]
    changed = [(key, one, other) for key, one, other in changed if not equal_but_rounding(one, other)]
    if changed:
        key, one, other = max(changed, key=lambda found: abs(found[1] - found[2]))
        shown = difference_text(one, other)
        return f"because {words.scorer(key).title} is {shown[0]} against {shown[1]}"
    names = [combination_word(inspection.combination.get(left.kind, "")) for inspection in both]
    if all(names) and names[0] != names[1]:
        return f"because the same scores are combined by {names[0]} on the left, by {names[1]} on the right"
    takes = [", ".join(line(step).text for step in match.steps) or "nothing" for match in (left, right)]
    return f"because the left takes {takes[0]} and the right {takes[1]}"


def _why_moved(match: Match, both: tuple[Inspection, Inspection]) -> str:
    """Return why an answer with equal confidence has another rank or tier."""
    ahead = [_ahead_of(match, inspection) for inspection in both]
    passed = [name for key, name in ahead[1].items() if key not in ahead[0]]
    if passed:
        return f"because {passed[0]} comes before it on the right"
    fallen = [name for key, name in ahead[0].items() if key not in ahead[1]]
    if fallen:
        return f"because {fallen[0]} comes before it on the left"
    return "because the rules for its tier differ, or its other scores do"


def _ahead_of(match: Match, inspection: Inspection) -> dict[str, str]:
    """Return the names of the answers ahead of a match, by key."""
    ahead = takewhile(lambda other: answer_key(other) != answer_key(match), inspection.matches)
    return {answer_key(other): other.answer.name for other in ahead}


def intent_difference_sentence(left: Inspection, right: Inspection, cards: tuple[IntentCard, IntentCard]) -> str:
    """Return how the intents differ and why; "" if they do not."""
    one, other = left.intent, right.intent
    if one is None or other is None or not (cards[0].found and cards[1].found):
        sides = zip(("On the left", "On the right"), cards, strict=True)
        missing = [f"{side} no type was found. {card.source}" for side, card in sides if not card.found]
        return missing[0] if len(missing) == 1 else ""
    found = []
    if one.type is not other.type:
        found.append(f"{cards[0].headline} against {cards[1].headline}")
    if not equal_but_rounding(one.confidence, other.confidence):
        found.append("{} against {}".format(*confidences_text(one.confidence, other.confidence)))
    if not found:
        return ""
    return f"{', '.join(found)}, {_why_intents((left, right), cards)}."


def _why_intents(both: tuple[Inspection, Inspection], cards: tuple[IntentCard, IntentCard]) -> str:
    left, right = (words.policy(one.detection.policy).lower() for one in both)
    if left != right:
        return f"because the left selects by {left}, the right by {right}"
    sources = [one.intent.source for one in both if one.intent]
    if sources[0] is not sources[1]:
        left, right = (words.SOURCES[source].replace("From", "from", 1) for source in sources)
        return f"because it is {left} on the left, {right} on the right"
    if sources[0] is DetectionSource.LEARNED:
        near = {f"“{card.learned.near[0].text}”": None for card in cards if card.learned and card.learned.near}
        return (
            f"because the {'nearest example is ' + ' against '.join(near) if len(near) == 2 else 'other words differ'}"
        )
    left, right = (", ".join(f"“{cue.text}”" for cue in cues(one.detection)[:3]) or "none" for one in both)
    if left != right:
        return f"because the keywords are {left} against {right}"
    return "because the same keywords stand in other sentences"
