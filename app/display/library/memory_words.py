"""What is said about one memory, several, what was done to them, and what differs between two states of one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from app.display import numbers
from app.display.library.catalogue import moment
from app.display.library.memories import day_of
from app.display.words import marked_right
from app.domain.case import Case, Task
from app.domain.filters import MemoryEdit
from app.domain.journal import Binned, Revision, Step, ThingKind, Written, name_of
from app.domain.language import forms, say, say_n
from app.domain.library import NEW_SUCCESS, Dated, Memory
from app.domain.running import shown

Line = tuple[str, str]
"""What a line says at the left, and quieter at the right."""


def about(dated: Dated[Memory]) -> str:
    """Where a memory is from and how it is used, in one line."""
    memory = dated.item
    pieces = [
        say("taught {at}", at=moment(dated.created)),
        say("from {source}", source=memory.source) if memory.source else "",
        use_words(dated),
    ]
    if dated.updated != dated.created:
        pieces.insert(1, say("changed {at}", at=moment(dated.updated)))
    return " · ".join(filter(None, pieces))


def use_words(dated: Dated[Memory]) -> str:
    """How often a memory was used, by an assistant or before anybody counted here, and marked right."""
    used = say_n(dated.used, "used once", "used {n} times") if dated.used else say("never used")
    return f"{used}, {marked_right(dated.item)}" if dated.item.right else used


def case_lines(cases: Sequence[Case]) -> list[Line]:
    """The cases that expect a memory, or its label."""
    said = {Task.MEMORY: say("this memory"), Task.INTENT: say("its label")}
    return [(case.text, said.get(case.task, case.task.value)) for case in cases]


def revision_lines(revisions: Sequence[Revision]) -> list[Line]:
    """What was done to a memory, newest first."""
    return [(_changed(revision), moment(revision.step.at)) for revision in revisions]


def step_lines(steps: Sequence[Step]) -> list[Line]:
    """What was done to the library, newest first."""
    return [(_step(step), moment(step.at)) for step in steps]


def bin_lines(binned: Sequence[Binned]) -> list[Line]:
    """What is in the bin, and since when."""
    return [(name_of(one.item), _since(one)) for one in binned]


def bin_head(count: int, days: int) -> str:
    """How much is in the bin, and how long it stays."""
    stay = say_n(
        days, "What is deleted stays here for a day.", "What is deleted stays here for {n} days, then it goes for good."
    )
    held = say_n(count, "{n} thing.", "{n} things.") if count else say("The bin is empty.")
    return f"{held} {stay}"


def delete_question(count: int, days: int) -> str:
    """What is asked before many memories are deleted."""
    return say_n(
        count,
        "Delete {n} memory? It goes to the bin and can be restored for {days} days.",
        "Delete {n} memories? They go to the bin and can be restored for {days} days.",
        days=numbers.count(days),
    )


def empty_question(count: int) -> str:
    """What is asked before the bin is emptied."""
    return say_n(
        count,
        "Forget the {n} thing in the bin for good? This cannot be undone.",
        "Forget the {n} things in the bin for good? This cannot be undone.",
    )


def would_change(changed: int, selected: int) -> str:
    """What an edit of several memories would do."""
    if not changed:
        return say_n(selected, "The memory is so already.", "All {n} memories are so already.")
    if changed == selected:
        return say_n(changed, "This changes the memory.", "This changes all {n} memories.")
    return say(
        "This changes {changed} of {selected} memories; the others are so already.",
        changed=numbers.count(changed),
        selected=numbers.count(selected),
    )


def outcome(verb: str, written: Written | None) -> str:
    """What came of an edit, for a toast."""
    if written is None:
        return say("Nothing was changed: all is so already.")
    count, subject = written.step.count, written.step.subject
    if subject and count == 1:
        return _outcomes_of_one()[verb].format(subject)
    return say_n(count, *_OUTCOMES[verb])


_OUTCOMES = {
    "deleted": forms("{n} memory is in the bin.", "{n} memories are in the bin."),
    "edited": forms("{n} memory is changed.", "{n} memories are changed."),
    "restored": forms("{n} thing is restored.", "{n} things are restored."),
}


def _outcomes_of_one() -> dict[str, str]:
    return {
        "deleted": say("{0} is in the bin."),
        "edited": say("{0} is changed."),
        "restored": say("Restored: {0}."),
    }


def edit_of(
    namespace: str, label: str | None, add: Sequence[str], remove: Sequence[str], paused: bool | None, reset: bool
) -> MemoryEdit | None:
    """What the fields of several memories ask for; None if that is nothing."""
    edit = MemoryEdit(
        namespace=namespace or None,
        label=label,
        add_tags=tuple(add),
        remove_tags=tuple(remove),
        paused=paused,
        success=NEW_SUCCESS if reset else None,
    )
    return None if edit == MemoryEdit() else edit


def _step(step: Step) -> str:
    return _told(step, step.sentence[:1].upper() + step.sentence[1:])


def _told(step: Step, what: str) -> str:
    """What a step did, with who of a team did it, if that was not oneself."""
    said = " · ".join(filter(None, (what, shown(step.author, 60))))
    return say("{said} (undone)", said=said) if step.undone else said


def _changed(revision: Revision) -> str:
    """What was done to it: the verb, and which fields that changed."""
    before, after = revision.before, revision.after
    if not isinstance(before, Memory) or not isinstance(after, Memory):
        return _step(revision.step)
    verb = revision.step.verb[:1].upper() + revision.step.verb[1:]
    fields = ", ".join(difference.title for difference in differences(before, after))
    return _told(revision.step, f"{verb}: {fields}" if fields else verb)


def _since(one: Binned) -> str:
    at = moment(one.step.at)
    return at if one.kind is ThingKind.MEMORY else f"{one.kind.value}, {at}"


def last_step(steps: Sequence[Step]) -> str:
    """The last step of one's own that stands, as a line; "" if there is none."""
    return next((step_words(step) for step in steps if not step.undone and not step.author), "")


# ---- What differs between two states of a memory, field by field and word by word.


_LONGEST_COMPARED = 2_000
"""So many words of a field are compared one by one; longer texts are shown whole, old and new."""


class Mark(StrEnum):
    """What became of a piece of text."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text and what became of it."""

    text: str
    mark: Mark = Mark.SAME


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs, in lines of pieces."""

    title: str
    lines: tuple[tuple[Piece, ...], ...]

    @property
    def sentence(self) -> str:
        """The field and what differs in it, for those who listen."""
        said = {Mark.GONE: say("gone: "), Mark.NEW: say("new: "), Mark.SAME: ""}
        return "; ".join("".join(f"{said[piece.mark]}{piece.text}" for piece in line) for line in self.lines)


def differences(before: Memory | None, after: Memory | None) -> tuple[Difference, ...]:
    """The fields that differ, in the order of the details; all fields that say something if one state is none."""
    return compared(_fields(before), _fields(after))


def three_way(base: Memory, theirs: Memory, mine: Memory, author: str) -> tuple[Difference, ...]:
    """What became of a memory that two have changed, field by field, and who it was: what one of them changed from what
    both began with, and where both changed a field to different things, from theirs to mine."""
    was, other, own = _fields(base), _fields(theirs), _fields(mine)
    found = []
    for title in dict.fromkeys((*was, *other, *own)):
        old, yours, new = (side.get(title, ()) for side in (was, other, own))
        if old == yours == new:
            continue
        if new == old:
            who, lines = say("changed by {author}", author=author or say("somebody else")), _lines(old, yours)
        elif yours == old:
            who, lines = say("changed by you"), _lines(old, new)
        elif yours == new:
            who, lines = say("changed alike by both"), _lines(old, new)
        else:
            who, lines = say("changed by both: from theirs to yours"), _lines(yours, new)
        found.append(Difference(f"{say(title)} · {who}", lines))
    return tuple(found)


def compared(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> tuple[Difference, ...]:
    """The fields that differ of two things, each a title and its lines, in the order of the fields."""
    return tuple(
        Difference(say(title), _lines(old.get(title, ()), new.get(title, ())))
        for title in dict.fromkeys((*old, *new))
        if old.get(title, ()) != new.get(title, ())
    )


def step_words(step: Step) -> str:
    """A step as a line: "deleted 12 memories · anna · 14:02", with who of a team did it, if that was not oneself."""
    return " · ".join(filter(None, (step.sentence, shown(step.author, 60), moment(step.at))))


def success_history(revisions: Sequence[Revision]) -> tuple[str, ...]:
    """How the success score moved, newest first: "0.500 → 0.550, marked … right · 14:02"."""
    moves = []
    for revision in revisions:
        old, new = (state.success if isinstance(state, Memory) else None for state in (revision.before, revision.after))
        if old is not None and new is not None and old != new and not revision.step.undone:
            moves.append(f"{numbers.score(old)} → {numbers.score(new)}, {step_words(revision.step)}")
    return tuple(moves)


def _fields(memory: Memory | None) -> dict[str, tuple[str, ...]]:
    if memory is None:
        return {}
    fields = {
        say("Triggers"): memory.triggers,
        say("Response"): (memory.response,) if memory.response else (),
        say("Label"): (memory.intent,) if memory.intent else (),
        say("Namespace"): (memory.namespace,),
        say("Tags"): memory.tags,
        say("Success"): (numbers.score(memory.success),),
        say("Used"): (numbers.count(memory.usage),),
        say("Right"): (numbers.count(memory.right),),
        say("Valid from"): (day_of(memory.valid_from),) if memory.valid_from else (),
        say("Valid to"): (day_of(memory.valid_to),) if memory.valid_to else (),
        say("Replaces"): memory.replaces,
        say("State"): (say("Paused") if memory.paused else say("Active"),),
        say("Id"): (memory.id,) if memory.id else (),
    }
    return {title: lines for title, lines in fields.items() if lines}


def _lines(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """Single texts are compared word by word, lists line by line."""
    if len(old) == len(new) == 1:
        return (_words(old[0], new[0]),)
    lines: list[tuple[Piece, ...]] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            lines += [(Piece(text),) for text in old[a:b]]
        elif what == "replace" and b - a == d - c:
            lines += [_words(*pair) for pair in zip(old[a:b], new[c:d], strict=True)]
        else:
            lines += [(Piece(text, Mark.GONE),) for text in old[a:b]]
            lines += [(Piece(text, Mark.NEW),) for text in new[c:d]]
    return tuple(lines)


def _words(old: str, new: str) -> tuple[Piece, ...]:
    left, right = re.findall(r"\s+|\w+|[^\w\s]", old), re.findall(r"\s+|\w+|[^\w\s]", new)
    if max(len(left), len(right)) > _LONGEST_COMPARED:
        return (Piece(old, Mark.GONE), Piece(new, Mark.NEW))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < 0.4:
        return (Piece(old, Mark.GONE), Piece(new, Mark.NEW))
    pieces: list[Piece] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            pieces.append(Piece("".join(left[a:b])))
            continue
        pieces += [Piece("".join(left[a:b]), Mark.GONE)] if b > a else []
        pieces += [Piece("".join(right[c:d]), Mark.NEW)] if d > c else []
    return tuple(pieces)
