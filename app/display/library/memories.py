"""Memories as table rows and in detail: columns, edited cells, origin, use and diffs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from app.detect.store_query import utc
from app.display import numbers
from app.display.library.tables import Choice, Column, Facet, short_date, short_time
from app.display.words import marked_right, success_text
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.journal import Written
from app.domain.language import plural, quantity
from app.domain.library import NEW_SUCCESS, Dated, Memory

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
        lambda row: success_text(row.item),
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
    Column("updated", "Updated", lambda row: short_date(row.updated), 98, MemoryOrder.UPDATED, is_quiet=True, yields=2),
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
        "created", "Taught", lambda row: short_date(row.created), 98, MemoryOrder.CREATED, is_quiet=True, is_shown=False
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
    return tuple(dict.fromkeys(_checked(tag.strip()) for tag in text.split(",") if tag.strip()))


def parse_success(text: str) -> float:
    """Parse a success score, "57 %", 0.57 or 0,57, or a dash for none; raises KnownError outside [0, 1]."""
    if text == numbers.ABSENT:
        return NEW_SUCCESS
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
    known = {
        **dict.fromkeys(("", "false", "no", "0", "active"), False),
        **dict.fromkeys(("true", "yes", "1", "paused"), True),
    }
    said = known.get(text.casefold())
    if said is None:
        raise KnownError(f"A memory is active or paused; “{text[:40]}” is neither.")
    return said


def _checked(text: str, what: str = "name", most: int = LONGEST_NAME) -> str:
    if len(text) > most:
        raise KnownError(f"A {what} has at most {most:,} characters.")
    return text


_FIELDS: dict[str, Callable[[Memory, str], Memory]] = {
    "label": lambda memory, text: replace(memory, intent=_checked(text) or None),
    "namespace": lambda memory, text: replace(memory, namespace=parse_namespace(text)),
    "tags": lambda memory, text: replace(memory, tags=parse_tags(text)),
    "valid_from": lambda memory, text: _lasting(replace(memory, valid_from=parse_time(text))),
    "valid_to": lambda memory, text: _lasting(replace(memory, valid_to=parse_time(text))),
    "replaces": lambda memory, text: replace(memory, replaces=parse_tags(text)),
    "success": lambda memory, text: replace(memory, success=parse_success(text)),
    "paused": lambda memory, text: replace(memory, paused=parse_paused(text)),
    "response": lambda memory, text: replace(memory, response=_checked(text, "response", LONGEST_RESPONSE)),
}


Fact = tuple[str, str]
"""A text on the left, and a muted one on the right."""


def provenance_line(dated: Dated[Memory]) -> str:
    memory = dated.item
    pieces = [
        f"taught {short_time(dated.created)}",
        f"from {memory.source}" if memory.source else "",
        usage_text(dated),
    ]
    if dated.updated != dated.created:
        pieces.insert(1, f"changed {short_time(dated.updated)}")
    return " · ".join(filter(None, pieces))


def usage_text(dated: Dated[Memory]) -> str:
    """Return how often a memory was used, imported uses included, and marked right."""
    used = plural(dated.used, "used once", "used {n} times") if dated.used else "never used"
    return f"{used}, {marked_right(dated.item)}" if dated.item.right else used


def case_rows(cases: Sequence[Case]) -> list[Fact]:
    """Make the rows of cases that expect a memory or its label."""
    said = {Task.MEMORY: "this memory", Task.INTENT: "its intent"}
    return [(case.text, said.get(case.task, case.task.value)) for case in cases]


def delete_question(count: int, days: int) -> str:
    """Return the question before many memories are deleted."""
    question = plural(count, "Delete {n} memory? It goes", "Delete {n} memories? They go")
    return f"{question} to the bin and can be restored for {numbers.count(days)} days."


def empty_question(count: int) -> str:
    """Return the question before the bin is emptied."""
    return f"Delete the {quantity(count, 'thing')} in the bin permanently? This cannot be undone."


def edit_preview(changed: int, selected: int) -> str:
    """Return the number of selected memories that an edit would change."""
    if not changed:
        return plural(selected, "No change.", "No change to any of the {n} memories.")
    if changed == selected:
        return plural(changed, "This changes the memory.", "This changes all {n} memories.")
    return f"This changes {numbers.count(changed)} of {numbers.count(selected)} memories; the others already match."


def edit_outcome(verb: str, written: Written | None) -> str:
    """Return the result of an edit, for a toast."""
    if written is None:
        return "No change."
    count, subject = written.step.count, written.step.subject
    if subject and count == 1:
        return _OUTCOMES_OF_ONE[verb].format(subject)
    return plural(count, *_OUTCOMES[verb])


_OUTCOMES = {
    "deleted": ("{n} memory is in the bin.", "{n} memories are in the bin."),
    "edited": ("{n} memory is changed.", "{n} memories are changed."),
    "restored": ("{n} thing is restored.", "{n} things are restored."),
}

_OUTCOMES_OF_ONE = {"deleted": "{0} is in the bin.", "edited": "{0} is changed.", "restored": "Restored: {0}."}


def bulk_edit(
    namespace: str, label: str | None, add: Sequence[str], remove: Sequence[str], paused: bool | None, reset: bool
) -> MemoryEdit | None:
    """Make the bulk edit of the form's fields; None for no change."""
    edit = MemoryEdit(
        namespace=namespace or None,
        label=label,
        add_tags=tuple(add),
        remove_tags=tuple(remove),
        paused=paused,
        success=NEW_SUCCESS if reset else None,
    )
    return None if edit == MemoryEdit() else edit


# ---- Diffs between two states of a memory, by field and by word.


_LONGEST_COMPARED = 2_000
"""Maximum words of a field for a word diff; longer ones are shown in full, old and new."""


class DiffMark(StrEnum):
    """Change of a text span in a diff."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class DiffSpan:
    text: str
    mark: DiffMark = DiffMark.SAME


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """Changed field, as lines of spans."""

    title: str
    lines: tuple[tuple[DiffSpan, ...], ...]

    @property
    def sentence(self) -> str:
        said = {DiffMark.GONE: "gone: ", DiffMark.NEW: "new: ", DiffMark.SAME: ""}
        return "; ".join("".join(f"{said[piece.mark]}{piece.text}" for piece in line) for line in self.lines)


def memory_diffs(before: Memory | None, after: Memory | None) -> tuple[FieldDiff, ...]:
    """Return the changed fields of two states in display order; all fields if one is None."""
    return field_diffs(memory_fields(before), memory_fields(after))


def three_way_diffs(base: Memory, theirs: Memory, mine: Memory, author: str) -> tuple[FieldDiff, ...]:
    """Return the three-way diff of a memory edited by two people, by field, with authors.

    From the base if one of them changed a field; from theirs to mine if both did, differently.
    """
    was, other, own = memory_fields(base), memory_fields(theirs), memory_fields(mine)
    found = []
    for title in dict.fromkeys((*was, *other, *own)):
        old, yours, new = (side.get(title, ()) for side in (was, other, own))
        if old == yours == new:
            continue
        if new == old:
            who, lines = f"changed by {author or 'somebody else'}", _lines(old, yours)
        elif yours == old:
            who, lines = "changed by you", _lines(old, new)
        elif yours == new:
            who, lines = "changed alike by both", _lines(old, new)
        else:
            who, lines = "changed by both: from theirs to yours", _lines(yours, new)
        found.append(FieldDiff(f"{title} · {who}", lines))
    return tuple(found)


def field_diffs(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> tuple[FieldDiff, ...]:
    """Return the fields that differ between two items, given by title and lines."""
    return tuple(
        FieldDiff(title, _lines(old.get(title, ()), new.get(title, ())))
        for title in dict.fromkeys((*old, *new))
        if old.get(title, ()) != new.get(title, ())
    )


def memory_fields(memory: Memory | None) -> dict[str, Sequence[str]]:
    """Return the fields of a memory by title, as lines; empty fields are left out."""
    if memory is None:
        return {}
    fields: dict[str, Sequence[str]] = {
        "Triggers": memory.triggers,
        "Response": (memory.response,),
        "Intent": (memory.intent or "",),
        "Namespace": (memory.namespace,),
        "Tags": memory.tags,
        "Success": (success_text(memory),),
        "Used": (numbers.count(memory.usage),),
        "Right": (numbers.count(memory.right),),
        "Valid from": (day_of(memory.valid_from),),
        "Valid to": (day_of(memory.valid_to),),
        "Replaces": memory.replaces,
        "State": ("Paused" if memory.paused else "Active",),
        "Id": (memory.id or "",),
    }
    return {title: lines for title, lines in fields.items() if any(lines)}


def _lines(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[DiffSpan, ...], ...]:
    """Diff single texts by word, and lists by line."""
    if len(old) == len(new) == 1:
        return (_words(old[0], new[0]),)
    lines: list[tuple[DiffSpan, ...]] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            lines += [(DiffSpan(text),) for text in old[a:b]]
        elif what == "replace" and b - a == d - c:
            lines += [_words(*pair) for pair in zip(old[a:b], new[c:d], strict=True)]
        else:
            lines += [(DiffSpan(text, DiffMark.GONE),) for text in old[a:b]]
            lines += [(DiffSpan(text, DiffMark.NEW),) for text in new[c:d]]
    return tuple(lines)


def _words(old: str, new: str) -> tuple[DiffSpan, ...]:
    left, right = re.findall(r"\s+|\w+|[^\w\s]", old), re.findall(r"\s+|\w+|[^\w\s]", new)
    if max(len(left), len(right)) > _LONGEST_COMPARED:
        return (DiffSpan(old, DiffMark.GONE), DiffSpan(new, DiffMark.NEW))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < 0.4:
        return (DiffSpan(old, DiffMark.GONE), DiffSpan(new, DiffMark.NEW))
    pieces: list[DiffSpan] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            pieces.append(DiffSpan("".join(left[a:b])))
            continue
        pieces += [DiffSpan("".join(left[a:b]), DiffMark.GONE)] if b > a else []
        pieces += [DiffSpan("".join(right[c:d]), DiffMark.NEW)] if d > c else []
    return tuple(pieces)
