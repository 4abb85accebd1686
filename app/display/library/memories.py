"""Memories as table rows: columns, filter facets, and parsers of edited cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from app.detect.store_query import utc
from app.display import numbers
from app.display.library.tables import Choice, Column, Facet, short_date
from app.domain.errors import KnownError
from app.domain.filters import MemoryFilter, MemoryOrder
from app.domain.library import Dated, Memory

Row = Dated[Memory]

MANY = 2**31
"""Upper bound of a use count."""


def _more(row: Row) -> str:
    """Return the number of triggers after the first."""
    more = len(row.item.triggers) - 1
    return f"+{more}" if more else ""


MEMORY_COLUMNS: tuple[Column[Row], ...] = (
    Column("trigger", "Trigger", lambda row: row.item.triggers[0], 240, MemoryOrder.TRIGGER, aside=_more),
    Column("name", "Name", lambda row: row.item.id or "", 160, MemoryOrder.NAME, is_sparse=True),
    Column("label", "Intent", lambda row: row.item.intent or "", 112, MemoryOrder.LABEL, can_edit=True),
    Column(
        "namespace", "Namespace", lambda row: row.item.namespace, 92, MemoryOrder.NAMESPACE, can_edit=True, yields=5
    ),
    Column(
        "tags",
        "Tags",
        lambda row: ", ".join(row.item.tags),
        100,
        MemoryOrder.TAGS,
        can_edit=True,
        yields=3,
        is_sparse=True,
    ),
    Column(
        "success",
        "Success",
        lambda row: numbers.chance(row.item.success),
        76,
        MemoryOrder.SUCCESS,
        is_number=True,
        can_edit=True,
        yields=8,
        about="success",
    ),
    Column("usage", "Used", lambda row: numbers.count(row.used), 78, MemoryOrder.USAGE, is_number=True, yields=7),
    Column(
        "right",
        "Right",
        lambda row: numbers.count(row.item.right),
        56,
        MemoryOrder.RIGHT,
        is_number=True,
        is_shown=False,
    ),
    Column("source", "Source", lambda row: row.item.source, 70, MemoryOrder.SOURCE, is_quiet=True, yields=1),
    Column("updated", "Updated", lambda row: short_date(row.updated), 88, MemoryOrder.UPDATED, is_quiet=True, yields=2),
    Column(
        "paused",
        "Paused",
        lambda row: "Paused" * row.item.paused,
        60,
        MemoryOrder.PAUSED,
        can_edit=True,
        yields=4,
        is_sparse=True,
    ),
    Column(
        "response", "Response", lambda row: row.item.response, 220, MemoryOrder.RESPONSE, can_edit=True, is_shown=False
    ),
    Column("id", "Id", lambda row: row.item.id or "", 120, MemoryOrder.ID, is_quiet=True, is_shown=False),
    Column(
        "created", "Taught", lambda row: short_date(row.created), 88, MemoryOrder.CREATED, is_quiet=True, is_shown=False
    ),
)
"""Columns in display order; the first one takes the remaining width."""

SUCCESS: tuple[tuple[tuple[float, float], str], ...] = (
    ((0.0, 0.2999999), "Under 30 %"),
    ((0.3, 0.7), "30 to 70 %"),
    ((0.7000001, 1.0), "Over 70 %"),
    ((0.5, 0.5), "50 %, as when new"),
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
_OWN = {"namespace": "Namespace", "label": "Intent", "tag": "Tag", "source": "Source"}


def memory_facets(found: Mapping[str, Sequence[tuple[str, int]]]) -> tuple[Facet, ...]:
    """Return the filter facets of memories, with the values in use, most frequent first."""
    own = [
        Facet(key, title, tuple(Choice(value, value or "unknown", n) for value, n in found.get(key, ())))
        for key, title in _OWN.items()
    ]
    own[1] = replace(own[1], choices=(*own[1].choices, Choice("", "none")))
    return (
        *own,
        Facet("success", "Success", _choices(SUCCESS)),
        Facet("usage", "Used", _choices(USAGE)),
        Facet("right", "Right", _choices(USAGE)),
        Facet("age", "Updated", _choices(AGES)),
        Facet("paused", "State", (Choice(False, "Active"), Choice(True, "Paused"))),
    )


def memory_filter(text: str, chosen: Mapping[str, Any], now: datetime | None = None) -> MemoryFilter:
    """Make the store's filter from text and choices; ages count from now."""
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
        right=chosen.get("right"),
        updated_from=since,
        updated_to=before,
        paused=chosen.get("paused"),
    )


def _choices(rows: Sequence[tuple[Any, str]]) -> tuple[Choice, ...]:
    return tuple(Choice(value, word) for value, word in rows)


# --------------------------------------------------------------------------------------------------------------------
# Parsers of a memory's fields, with refusals in a sentence

LONGEST_TRIGGER = 2_000
LONGEST_NAME = 200
LONGEST_RESPONSE = 100_000


def edited_memory(memory: Memory, field: str, text: str) -> Memory:
    """Return the memory with one field as typed; raises KnownError for an invalid value."""
    return _FIELDS[field](memory, text.strip())


def with_triggers(memory: Memory, triggers: list[str]) -> Memory:
    """Return the memory with these triggers in order.

    Raises KnownError for none, empty or duplicate.
    """
    kept = [trigger.strip() for trigger in triggers]
    if not kept:
        raise KnownError("A memory keeps at least one trigger. Delete the memory instead.")
    if not all(kept):
        raise KnownError("A trigger cannot be empty. Remove it instead.")
    for place, trigger in enumerate(kept):
        if len(trigger) > LONGEST_TRIGGER:
            raise KnownError(f"A trigger has at most {LONGEST_TRIGGER:,} characters.")
        if trigger in kept[:place]:
            raise KnownError(f"“{trigger[:80]}” is a trigger of this memory already.")
    return replace(memory, triggers=tuple(kept))


def parse_tags(text: str) -> tuple[str, ...]:
    """Parse comma-separated tags; raises KnownError for one that is too long."""
    tags = tuple(dict.fromkeys(tag.strip() for tag in text.split(",") if tag.strip()))
    for tag in tags:
        _checked(tag)
    return tags


def parse_success(text: str) -> float:
    """Parse a success score, "57 %" or 0.57, with a point or comma; raises KnownError outside [0, 1]."""
    refusal = f"Success is from 0 to 100 %; “{text[:40]}” is not."
    number, sign, rest = text.replace(",", ".").partition("%")
    try:
        value = float(number if not rest.strip() else "") / (100.0 if sign else 1.0)
    except ValueError:
        raise KnownError(refusal) from None
    if not 0.0 <= value <= 1.0:
        raise KnownError(refusal)
    return value


def day_of(moment: str) -> str:
    """Format a time as in `utc`; midnight is shown as the day alone."""
    return moment.removesuffix(" 00:00:00")


def parse_time(text: str) -> str:
    """Parse a day or time into the format of `utc`; raises KnownError for other text."""
    try:
        return utc(text)
    except ValueError:
        told = f"A day is written as 2026-11-22, a time as 2026-11-22 04:26; “{text[:40]}” is neither."
        raise KnownError(told) from None


def _lasting(memory: Memory) -> Memory:
    if memory.valid_from and memory.valid_to and memory.valid_to <= memory.valid_from:
        raise KnownError("It would end before it begins.")
    return memory


def parse_namespace(text: str) -> str:
    """Return a namespace as typed; raises KnownError for none."""
    if not text:
        raise KnownError("A memory is always in a namespace; “context” is the usual one.")
    return _checked(text)


def parse_paused(text: str) -> bool:
    """Parse the paused state of a cell; raises KnownError for other words."""
    known = {"": False, "false": False, "no": False, "0": False, "true": True, "yes": True, "1": True}
    known |= {"Paused".casefold(): True, "Active".casefold(): False}
    said = known.get(text.casefold())
    if said is None:
        raise KnownError(f"A memory is active or paused; “{text[:40]}” is neither.")
    return said


def _checked(name: str) -> str:
    if len(name) > LONGEST_NAME:
        raise KnownError(f"A name has at most {LONGEST_NAME:,} characters.")
    return name


def _response(memory: Memory, text: str) -> Memory:
    if len(text) > LONGEST_RESPONSE:
        raise KnownError(f"A response has at most {LONGEST_RESPONSE:,} characters.")
    return replace(memory, response=text)


_FIELDS: dict[str, Callable[[Memory, str], Memory]] = {
    "label": lambda memory, text: replace(memory, intent=_checked(text) or None),
    "namespace": lambda memory, text: replace(memory, namespace=parse_namespace(text)),
    "tags": lambda memory, text: replace(memory, tags=parse_tags(text)),
    "valid_from": lambda memory, text: _lasting(replace(memory, valid_from=parse_time(text))),
    "valid_to": lambda memory, text: _lasting(replace(memory, valid_to=parse_time(text))),
    "replaces": lambda memory, text: replace(memory, replaces=parse_tags(text)),
    "success": lambda memory, text: replace(memory, success=parse_success(text)),
    "paused": lambda memory, text: replace(memory, paused=parse_paused(text)),
    "response": _response,
}
