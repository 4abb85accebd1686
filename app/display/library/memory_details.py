"""Details of memories in words: origin and use, edits, and word-by-word diffs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from app.display import numbers
from app.display.library.memories import day_of
from app.display.library.tables import short_time
from app.display.words import marked_right
from app.domain.case import Case, Task
from app.domain.filters import MemoryEdit
from app.domain.journal import Written
from app.domain.language import plural
from app.domain.library import NEW_SUCCESS, Dated, Memory

Row = tuple[str, str]
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


def case_rows(cases: Sequence[Case]) -> list[Row]:
    """Make the rows of cases that expect a memory or its label."""
    said = {Task.MEMORY: "this memory", Task.INTENT: "its intent"}
    return [(case.text, said.get(case.task, case.task.value)) for case in cases]


def delete_question(count: int, days: int) -> str:
    """Return the question before many memories are deleted."""
    return plural(
        count,
        "Delete {n} memory? It goes to the bin and can be restored for {days} days.",
        "Delete {n} memories? They go to the bin and can be restored for {days} days.",
        days=numbers.count(days),
    )


def empty_question(count: int) -> str:
    """Return the question before the bin is emptied."""
    return plural(
        count,
        "Delete the {n} thing in the bin permanently? This cannot be undone.",
        "Delete the {n} things in the bin permanently? This cannot be undone.",
    )


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
    return field_diffs(_fields(before), _fields(after))


def three_way_diffs(base: Memory, theirs: Memory, mine: Memory, author: str) -> tuple[FieldDiff, ...]:
    """Return the three-way diff of a memory edited by two people, by field, with authors.

    From the base if one of them changed a field; from theirs to mine if both did, differently.
    """
    was, other, own = _fields(base), _fields(theirs), _fields(mine)
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


def _fields(memory: Memory | None) -> dict[str, tuple[str, ...]]:
    if memory is None:
        return {}
    fields = {
        "Triggers": memory.triggers,
        "Response": (memory.response,) if memory.response else (),
        "Intent": (memory.intent,) if memory.intent else (),
        "Namespace": (memory.namespace,),
        "Tags": memory.tags,
        "Success": (numbers.chance(memory.success),),
        "Used": (numbers.count(memory.usage),),
        "Right": (numbers.count(memory.right),),
        "Valid from": (day_of(memory.valid_from),) if memory.valid_from else (),
        "Valid to": (day_of(memory.valid_to),) if memory.valid_to else (),
        "Replaces": memory.replaces,
        "State": ("Paused" if memory.paused else "Active",),
        "Id": (memory.id,) if memory.id else (),
    }
    return {title: lines for title, lines in fields.items() if lines}


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
