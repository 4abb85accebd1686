"""The details of memories in words: provenance and usage, edits of one and of many, and word-by-word diffs."""

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
"""A text at the left, and a quieter one at the right."""


def provenance_line(dated: Dated[Memory]) -> str:
    """Where a memory is from and how it is used, in one line."""
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
    """How often a memory was used, by an assistant or before anybody counted here, and marked right."""
    used = plural(dated.used, "used once", "used {n} times") if dated.used else "never used"
    return f"{used}, {marked_right(dated.item)}" if dated.item.right else used


def case_rows(cases: Sequence[Case]) -> list[Row]:
    """The cases that expect a memory, or its label."""
    said = {Task.MEMORY: "this memory", Task.INTENT: "its intent"}
    return [(case.text, said.get(case.task, case.task.value)) for case in cases]


def delete_question(count: int, days: int) -> str:
    """The question before many memories are deleted."""
    return plural(
        count,
        "Delete {n} memory? It goes to the bin and can be restored for {days} days.",
        "Delete {n} memories? They go to the bin and can be restored for {days} days.",
        days=numbers.count(days),
    )


def empty_question(count: int) -> str:
    """The question before the bin is emptied."""
    return plural(
        count,
        "Delete the {n} thing in the bin permanently? This cannot be undone.",
        "Delete the {n} things in the bin permanently? This cannot be undone.",
    )


def edit_preview(changed: int, selected: int) -> str:
    """How many of the selected memories an edit would change."""
    if not changed:
        return plural(selected, "No change.", "No change to any of the {n} memories.")
    if changed == selected:
        return plural(changed, "This changes the memory.", "This changes all {n} memories.")
    return f"This changes {numbers.count(changed)} of {numbers.count(selected)} memories; the others already match."


def edit_outcome(verb: str, written: Written | None) -> str:
    """The outcome of an edit, for a toast."""
    if written is None:
        return "No change."
    count, subject = written.step.count, written.step.subject
    if subject and count == 1:
        return _outcomes_of_one()[verb].format(subject)
    return plural(count, *_OUTCOMES[verb])


_OUTCOMES = {
    "deleted": ("{n} memory is in the bin.", "{n} memories are in the bin."),
    "edited": ("{n} memory is changed.", "{n} memories are changed."),
    "restored": ("{n} thing is restored.", "{n} things are restored."),
}


def _outcomes_of_one() -> dict[str, str]:
    return {
        "deleted": "{0} is in the bin.",
        "edited": "{0} is changed.",
        "restored": "Restored: {0}.",
    }


def bulk_edit(
    namespace: str, label: str | None, add: Sequence[str], remove: Sequence[str], paused: bool | None, reset: bool
) -> MemoryEdit | None:
    """The bulk edit that the form fields ask for; None for no change."""
    edit = MemoryEdit(
        namespace=namespace or None,
        label=label,
        add_tags=tuple(add),
        remove_tags=tuple(remove),
        paused=paused,
        success=NEW_SUCCESS if reset else None,
    )
    return None if edit == MemoryEdit() else edit


# ---- Diffs between two states of a memory, field by field and word by word.


_LONGEST_COMPARED = 2_000
"""A field of more words is not diffed word by word, but shown whole, old and new."""


class DiffMark(StrEnum):
    """What a diff did to a span of text."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class DiffSpan:
    """A span of text in a diff."""

    text: str
    mark: DiffMark = DiffMark.SAME


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """A field that differs, as lines of spans."""

    title: str
    lines: tuple[tuple[DiffSpan, ...], ...]

    @property
    def sentence(self) -> str:
        """The diff as a sentence, for screen readers."""
        said = {DiffMark.GONE: "gone: ", DiffMark.NEW: "new: ", DiffMark.SAME: ""}
        return "; ".join("".join(f"{said[piece.mark]}{piece.text}" for piece in line) for line in self.lines)


def memory_diffs(before: Memory | None, after: Memory | None) -> tuple[FieldDiff, ...]:
    """The fields that differ between two states, in the order of the details; all fields if one state is None."""
    return field_diffs(_fields(before), _fields(after))


def three_way_diffs(base: Memory, theirs: Memory, mine: Memory, author: str) -> tuple[FieldDiff, ...]:
    """Three-way diff of a memory that two people changed, field by field, with who changed it: from the base where one
    of them did, and from theirs to mine where both did, differently."""
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
    """The fields that differ between two items, each given as title and lines, in their order."""
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
        "Success": (numbers.score(memory.success),),
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
    """Single texts are diffed word by word, lists line by line."""
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
