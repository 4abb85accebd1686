"""Answers to many queries as table rows, and replays in words."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.display import numbers, words
from app.display.library.tables import Choice, Column, Facet
from app.display.review.trace import TracePart, TraceRow
from app.display.scope.matches.rows import level_word
from app.display.scope.verdict import Decided, Outcome, decisions
from app.domain.language import plural
from app.domain.library import Answer
from app.domain.match import Band, Tier
from app.domain.review.history import (
    DifferenceKind,
    ReplayCause,
    ReplayCauseKind,
    ReplayDifference,
    ReplayedQuery,
    ReplayProgress,
)
from app.domain.running import ActivationBlocker
from app.domain.scope.inspection import Decision, Inspection

if TYPE_CHECKING:
    from app.settings.model import Settings


NOTHING = "nothing"
DELIVERIES = {Outcome.INJECTED: "injected", Outcome.ACTIVATED: "activated"}


@dataclass(frozen=True, slots=True)
class QueryRow:
    """Query with its decisions."""

    query: str
    type: Decided
    memory: Decided
    power: Decided

    @property
    def told(self) -> tuple[Decided, ...]:
        """Decisions that the confidence belongs to: those delivered, else the first found."""
        made = self.memory, self.power
        found = [one for one in made if one.is_found]
        return tuple(one for one in made if one.outcome in DELIVERIES) or (*found, self.memory)[:1]

    @property
    def first(self) -> Decided:
        return self.told[0]

    @property
    def answer(self) -> Answer | None:
        """The answer found; None without one."""
        return self.first.match.answer if self.first.is_found and self.first.match is not None else None

    @property
    def delivered(self) -> tuple[str, ...]:
        """Deliveries to an assistant without a tool call."""
        return tuple(DELIVERIES[one.outcome] for one in self.told if one.outcome in DELIVERIES) or (NOTHING,)


def query_row(inspection: Inspection, settings: Settings) -> QueryRow:
    """Make the row of an answered query."""
    made = decisions(inspection, settings)
    return QueryRow(inspection.query.text, made[Decision.TYPE], made[Decision.MEMORY], made[Decision.POWER])


def lines_of(text: str) -> list[str]:
    """Return the queries of a pasted text: its lines, without empty and repeated ones."""
    return list(dict.fromkeys(filter(None, (line.strip() for line in text.splitlines()))))


def _type(row: QueryRow) -> str:
    return words.type_word(row.type.name) if row.type.is_found else "none"


def _name(made: Decided) -> str:
    return made.name if made.is_found else ""


def _confidence(row: QueryRow) -> str:
    shares = [
        numbers.ABSENT if made.confidence is None else numbers.rough_chance(made.confidence, made.limits)
        for made in row.told
    ]
    return ", ".join(shares)


ASKED_COLUMNS: tuple[Column[QueryRow], ...] = (
    Column("query", "Query", lambda row: row.query, 320, "query"),
    Column("type", "Type", _type, 110, "type", yields=1),
    Column("memory", "Memory", lambda row: _name(row.memory), 170, "memory"),
    Column("power", "Power", lambda row: _name(row.power), 140, "power", yields=2),
    Column("confidence", "Confidence", _confidence, 92, "confidence", is_number=True),
    Column("delivered", "Delivered", lambda row: ", ".join(row.delivered), 130, "delivered", yields=3),
)

_VALUES: Mapping[str, Callable[[QueryRow], Any]] = {
    "query": lambda row: row.query.casefold(),
    "type": _type,
    "memory": lambda row: _name(row.memory).casefold(),
    "power": lambda row: _name(row.power).casefold(),
    "confidence": lambda row: row.first.confidence or 0.0,
    "delivered": lambda row: row.delivered,
}


def row_facets(rows: Sequence[QueryRow]) -> tuple[Facet, ...]:
    """Count the rows by what is delivered and by type."""
    delivered, types = Counter(what for row in rows for what in row.delivered), Counter(map(_type, rows))
    return (
        Facet("delivered", "Delivered", tuple(Choice(what, what, delivered[what]) for what in sorted(delivered))),
        Facet("type", "Type", tuple(Choice(type_, type_, types[type_]) for type_ in sorted(types))),
    )


def filtered_places(
    rows: Sequence[QueryRow], text: str, chosen: Mapping[str, Any], order: str, *, descending: bool
) -> list[int]:
    """Return the indices of the filtered rows, in an order ("": as asked)."""
    sought = text.casefold().split()

    def is_wanted(row: QueryRow) -> bool:
        held = f"{row.query} {_name(row.memory)} {_name(row.power)}".casefold()
        fits = chosen.get("delivered", row.delivered[0]) in row.delivered and chosen.get("type", _type(row)) == _type(
            row
        )
        return fits and all(word in held for word in sought)

    kept = [place for place, row in enumerate(rows) if is_wanted(row)]
    if order:
        value = _VALUES[order]
        kept.sort(key=lambda place: value(rows[place]), reverse=descending)
    return kept


def rows_csv(rows: Sequence[QueryRow]) -> str:
    """Write the rows as CSV, with confidences between 0 and 1."""
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["query", "type", "type_confidence", "memory", "power", "confidence", "delivered"])
    for row in rows:
        type_share, *shares = [
            "" if made.confidence is None else f"{made.confidence:.6f}" for made in (row.type, *row.told)
        ]
        name = row.type.name if row.type.is_found else ""
        found = _name(row.memory), _name(row.power)
        lines.writerow([row.query, name, type_share, *found, " ".join(shares), " ".join(row.delivered)])
    return text.getvalue()


DIFFERS: Mapping[DifferenceKind, str] = {
    DifferenceKind.TYPE: "Type",
    DifferenceKind.TYPE_CONFIDENCE: "Confidence of the type",
    DifferenceKind.FIRST: "First answer",
    DifferenceKind.CONFIDENCE: "Confidence of the first answer",
    DifferenceKind.LEVEL: "Level of the first answer",
    DifferenceKind.STATUS: "Powers",
}

_CAUSES: Mapping[ReplayCauseKind, str] = {
    ReplayCauseKind.SCORER: "{after} decides now, not {before}",
    ReplayCauseKind.SCORE: "{name} {before} → {after}",
    ReplayCauseKind.RULE_FIRES: "the rule {name} fires now",
    ReplayCauseKind.RULE_SILENT: "the rule {name} fires no longer",
    ReplayCauseKind.GONE: "“{name}” is deleted or paused",
    ReplayCauseKind.NEW: "“{name}” was not among the matches then",
    ReplayCauseKind.SETTING: "{name} was {before}, is {after}",
    ReplayCauseKind.LLM: "the LLM took part then, and is not asked again",
    ReplayCauseKind.UNKNOWN: "too little was stored to tell",
}

_MAIN = (
    DifferenceKind.FIRST,
    DifferenceKind.TYPE,
    DifferenceKind.STATUS,
    DifferenceKind.LEVEL,
    DifferenceKind.CONFIDENCE,
    DifferenceKind.TYPE_CONFIDENCE,
)
"""Differences in order of importance."""


def change_text(difference: ReplayDifference) -> str:
    """Format one difference: "slow-build → ci-red"."""
    before, after = difference.before, difference.after
    return f"{_value(difference.what, before, after)} → {_value(difference.what, after, before)}"


def change_line(replayed: ReplayedQuery) -> str:
    """Format all differences of a query in a line, most important first."""
    return "; ".join(f"{DIFFERS[one.what]}: {change_text(one)}" for one in _in_order(replayed))


def cause_line(cause: ReplayCause) -> str:
    """Format one cause, within a sentence."""
    name, before, after = cause.name, cause.before, cause.after
    if cause.because is ReplayCauseKind.SCORER:
        before, after = _scorers(before), _scorers(after)
    elif cause.because is ReplayCauseKind.SCORE:
        name, before, after = _scorers(name), _number(before, after), _number(after, before)
    elif cause.because is ReplayCauseKind.SETTING:
        before, after = before or "not set", after or "not set"
    return _CAUSES[cause.because].format(name=name, before=before, after=after)


def cause_parts(replayed: ReplayedQuery) -> tuple[TracePart, ...]:
    """Return every difference with its causes; shared causes are listed with the first."""
    named: set[ReplayCause] = set()
    parts = []
    for one in _in_order(replayed):
        fresh = [cause for cause in dict.fromkeys(one.causes) if cause not in named]
        named.update(fresh)
        rows = (TraceRow(change_text(one)), *(TraceRow(f"because {cause_line(cause)}") for cause in fresh))
        parts.append(TracePart(DIFFERS[one.what], rows))
    return tuple(parts)


def accessible_text(replayed: ReplayedQuery) -> str:
    """Return a replayed query in words, for screen readers."""
    causes = dict.fromkeys(cause for one in _in_order(replayed) for cause in one.causes)
    why = ", ".join(cause_line(cause) for cause in causes)
    said = f"{replayed.before.text or ''}. {change_line(replayed)}"
    return f"{said}, because {why}" if why else said


def replay_sentence(replay: ReplayProgress, changed: int, *, is_running: bool) -> str:
    """Return the progress or result of a replay: changed, unchanged, and skipped queries."""
    if is_running:
        far = f"{numbers.count(replay.done)} of {numbers.count(replay.of)} asked again."
        return f"{far} {_otherwise(changed)}"
    sentences = [_otherwise(changed), f"{numbers.count(replay.same)} the same."]
    if replay.left_out:
        sentences.append(
            plural(
                replay.left_out,
                "{n} is kept without its text and could not be asked.",
                "{n} are kept without their text and could not be asked.",
            )
        )
    if replay.done < replay.of:
        sentences.append(f"Stopped after {numbers.count(replay.done)}.")
    return " ".join(sentences)


def _otherwise(changed: int) -> str:
    return plural(changed, "{n} is answered differently.", "{n} are answered differently.")


def replay_document(replay: ReplayProgress, changed: Sequence[ReplayedQuery]) -> dict[str, object]:
    return {
        "asked": replay.done,
        "same": replay.same,
        "left_out": replay.left_out,
        "changed": [
            {
                "query": one.before.key,
                "text": one.before.text,
                "differs": [
                    {
                        "what": each.what.value,
                        "before": each.before,
                        "after": each.after,
                        "because": [cause_line(cause) for cause in each.causes],
                    }
                    for each in _in_order(one)
                ],
            }
            for one in changed
        ],
    }


def _in_order(replayed: ReplayedQuery) -> list[ReplayDifference]:
    return sorted(replayed.differences, key=lambda one: _MAIN.index(one.what))


def _value(what: DifferenceKind, value: str | float | None, other: str | float | None) -> str:
    if value is None:
        return "nothing"
    if not isinstance(value, str):
        return numbers.score(value, () if other is None or isinstance(other, str) else (other,))
    if what is DifferenceKind.TYPE:
        return words.type_word(value)
    kinds = (Band, Tier, ActivationBlocker) if what in (DifferenceKind.LEVEL, DifferenceKind.STATUS) else ()
    return next((level_word(kind(value)) for kind in kinds if value in kind.__members__.values()), value)


def _scorers(names: str) -> str:
    """Format the names of scorers within a sentence."""
    said = [words.scorer(name).title.lower() for name in names.split(" + ") if name]
    return " and ".join(said) or "nothing"


def _number(value: str, other: str) -> str:
    """Format a score given as text."""
    try:
        mine = float(value)
    except ValueError:
        return value or "nothing"
    try:
        return numbers.score(mine, (float(other),))
    except ValueError:
        return numbers.score(mine)
