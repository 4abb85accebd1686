"""Memories as rows: what each column of their table says, and what they can be sifted by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from app.display import numbers, words
from app.display.catalogue import Choice, Column, Facet, day
from app.domain.filters import MemoryFilter, MemoryOrder
from app.domain.library import Memory
from app.ports.store import Dated

Row = Dated[Memory]

MANY = 2**31
"""More uses than anybody counts."""


def _more(row: Row) -> str:
    """How many triggers there are beside the first."""
    more = len(row.item.triggers) - 1
    return f"+{more}" if more else ""


def _paused(row: Row) -> str:
    return words.say("Paused") if row.item.paused else ""


MEMORY_COLUMNS: tuple[Column[Row], ...] = (
    Column("trigger", "Trigger", lambda row: row.item.triggers[0], 300, MemoryOrder.TRIGGER, aside=_more),
    Column("label", "Label", lambda row: row.item.intent or "", 112, MemoryOrder.LABEL, can_edit=True),
    Column(
        "namespace", "Namespace", lambda row: row.item.namespace, 92, MemoryOrder.NAMESPACE, can_edit=True, yields=5
    ),
    Column("tags", "Tags", lambda row: ", ".join(row.item.tags), 100, MemoryOrder.TAGS, can_edit=True, yields=4),
    Column(
        "success",
        "Success",
        lambda row: numbers.score(row.item.success),
        76,
        MemoryOrder.SUCCESS,
        is_number=True,
        can_edit=True,
        yields=6,
    ),
    Column("usage", "Used", lambda row: numbers.count(row.item.usage), 56, MemoryOrder.USAGE, is_number=True, yields=3),
    Column("source", "Source", lambda row: row.item.source, 70, MemoryOrder.SOURCE, is_quiet=True, yields=1),
    Column("updated", "Updated", lambda row: day(row.updated), 88, MemoryOrder.UPDATED, is_quiet=True, yields=2),
    Column("paused", "Paused", _paused, 60, MemoryOrder.PAUSED, can_edit=True),
    Column(
        "response", "Response", lambda row: row.item.response, 220, MemoryOrder.RESPONSE, can_edit=True, is_shown=False
    ),
    Column("id", "Id", lambda row: row.item.id or "", 120, MemoryOrder.ID, is_quiet=True, is_shown=False),
    Column("created", "Taught", lambda row: day(row.created), 88, MemoryOrder.CREATED, is_quiet=True, is_shown=False),
)
"""The columns in the order in which they stand; the rest of the width is the first one's."""

SUCCESS: tuple[tuple[tuple[float, float], str], ...] = (
    ((0.0, 0.2999999), "Under 0.300"),
    ((0.3, 0.7), "0.300 to 0.700"),
    ((0.7000001, 1.0), "Over 0.700"),
    ((0.5, 0.5), "0.500, as when new"),
)
USAGE: tuple[tuple[tuple[int, int], str], ...] = (
    ((0, 0), "Never"),
    ((1, 9), "1 to 9 times"),
    ((10, MANY), "10 times or more"),
)
AGES: tuple[tuple[tuple[str, int], str], ...] = (
    (("since", 1), "In the last 24 hours"),
    (("since", 7), "In the last 7 days"),
    (("since", 30), "In the last 30 days"),
    (("before", 90), "More than 90 days ago"),
)
_OWN = {"namespace": "Namespace", "label": "Label", "tag": "Tag", "source": "Source"}


def memory_facets(found: Mapping[str, Sequence[tuple[str, int]]]) -> tuple[Facet, ...]:
    """What memories can be sifted by, with the values that some of them have, most frequent first."""
    own = [
        Facet(key, title, tuple(Choice(value, value or words.say("unknown"), n) for value, n in found.get(key, ())))
        for key, title in _OWN.items()
    ]
    return (
        *own,
        Facet("success", "Success", _choices(SUCCESS)),
        Facet("usage", "Used", _choices(USAGE)),
        Facet("age", "Updated", _choices(AGES)),
        Facet("paused", "State", (Choice(False, words.say("Active")), Choice(True, words.say("Paused")))),
    )


def memory_filter(text: str, chosen: Mapping[str, Any], now: datetime | None = None) -> MemoryFilter:
    """What was typed and chosen, as the store takes it; ages are counted from now."""
    since = before = None
    if age := chosen.get("age"):
        which, days = age
        at = ((now or datetime.now(UTC)) - timedelta(days=days)).strftime("%Y-%m-%d %H:%M:%S")
        since, before = (at, None) if which == "since" else (None, at)
    return MemoryFilter(
        text=text.strip(),
        namespace=chosen.get("namespace"),
        label=chosen.get("label"),
        tag=chosen.get("tag"),
        source=chosen.get("source"),
        success=chosen.get("success"),
        usage=chosen.get("usage"),
        updated_from=since,
        updated_to=before,
        paused=chosen.get("paused"),
    )


def _choices(rows: Sequence[tuple[Any, str]]) -> tuple[Choice, ...]:
    return tuple(Choice(value, words.say(word)) for value, word in rows)
