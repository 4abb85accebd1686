"""Answers to many queries as table rows: columns, filters, order, and CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.display import numbers, words
from app.display.library.tables import Choice, Column, Facet, has_words, sort_value
from app.display.scope.verdict import Decided, Outcome, decisions
from app.domain.inspection import Decision, Inspection
from app.domain.library import Answer

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
    Column("type", "Type", _type, 110, "type", yields=1, value=_type),
    Column("memory", "Memory", lambda row: _name(row.memory), 170, "memory"),
    Column("power", "Power", lambda row: _name(row.power), 140, "power", yields=2),
    Column(
        "confidence",
        "Confidence",
        _confidence,
        92,
        "confidence",
        is_number=True,
        value=lambda row: row.first.confidence or 0.0,
    ),
    Column("delivered", "Delivered", lambda row: ", ".join(row.delivered), 130, "delivered", yields=3),
)


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

    def is_wanted(row: QueryRow) -> bool:
        fits = chosen.get("delivered", row.delivered[0]) in row.delivered and chosen.get("type", _type(row)) == _type(
            row
        )
        return fits and has_words(f"{row.query} {_name(row.memory)} {_name(row.power)}", text)

    kept = [place for place, row in enumerate(rows) if is_wanted(row)]
    if order:
        value = sort_value(ASKED_COLUMNS, order)
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
