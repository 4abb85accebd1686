"""What is said about one memory, several of them, and what was done to them."""

from __future__ import annotations

from collections.abc import Sequence

from app.display import numbers, words
from app.display.library.catalogue import moment
from app.display.library.diff import differences, step_words
from app.domain.case import Case, Task
from app.domain.filters import MemoryEdit
from app.domain.journal import Binned, Revision, Step, ThingKind, Written, name_of
from app.domain.library import NEW_SUCCESS, Dated, Memory

Line = tuple[str, str]
"""What a line says at the left, and quieter at the right."""


def about(dated: Dated[Memory]) -> str:
    """Where a memory is from and how it is used, in one line."""
    memory = dated.item
    pieces = [
        words.say("taught {at}", at=moment(dated.created)),
        words.say("from {source}", source=memory.source) if memory.source else "",
        words.say_n(memory.usage, "used once", "used {n} times") if memory.usage else words.say("never used"),
    ]
    if dated.updated != dated.created:
        pieces.insert(1, words.say("changed {at}", at=moment(dated.updated)))
    return " · ".join(filter(None, pieces))


def case_lines(cases: Sequence[Case]) -> list[Line]:
    """The cases that expect a memory, or its label."""
    said = {Task.MEMORY: words.say("this memory"), Task.INTENT: words.say("its label")}
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
    stay = words.say_n(
        days, "What is deleted stays here for a day.", "What is deleted stays here for {n} days, then it goes for good."
    )
    held = words.say_n(count, "{n} thing.", "{n} things.") if count else words.say("The bin is empty.")
    return f"{held} {stay}"


def delete_question(count: int, days: int) -> str:
    """What is asked before many memories are deleted."""
    return words.say_n(
        count,
        "Delete {n} memory? It goes to the bin and can be restored for {days} days.",
        "Delete {n} memories? They go to the bin and can be restored for {days} days.",
        days=numbers.count(days),
    )


def empty_question(count: int) -> str:
    """What is asked before the bin is emptied."""
    return words.say_n(
        count,
        "Forget the {n} thing in the bin for good? This cannot be undone.",
        "Forget the {n} things in the bin for good? This cannot be undone.",
    )


def would_change(changed: int, selected: int) -> str:
    """What an edit of several memories would do."""
    if not changed:
        return words.say_n(selected, "The memory is so already.", "All {n} memories are so already.")
    if changed == selected:
        return words.say_n(changed, "This changes the memory.", "This changes all {n} memories.")
    return words.say(
        "This changes {changed} of {selected} memories; the others are so already.",
        changed=numbers.count(changed),
        selected=numbers.count(selected),
    )


def outcome(verb: str, written: Written | None) -> str:
    """What came of a deed, for a toast."""
    if written is None:
        return words.say("Nothing was changed: all is so already.")
    count, subject = written.step.count, written.step.subject
    if subject and count == 1:
        return _outcomes_of_one()[verb].format(subject)
    return words.say_n(count, *_OUTCOMES[verb])


_OUTCOMES = {
    "deleted": ("{n} memory is in the bin.", "{n} memories are in the bin."),
    "edited": ("{n} memory is changed.", "{n} memories are changed."),
    "restored": ("{n} thing is restored.", "{n} things are restored."),
}


def _outcomes_of_one() -> dict[str, str]:
    return {
        "deleted": words.say("{0} is in the bin."),
        "edited": words.say("{0} is changed."),
        "restored": words.say("Restored: {0}."),
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
    said = step.sentence[:1].upper() + step.sentence[1:]
    return words.say("{said} (undone)", said=said) if step.undone else said


def _changed(revision: Revision) -> str:
    """What was done to it: the verb, and which fields that changed."""
    before, after = revision.before, revision.after
    if not isinstance(before, Memory) or not isinstance(after, Memory):
        return _step(revision.step)
    verb = revision.step.verb[:1].upper() + revision.step.verb[1:]
    fields = ", ".join(difference.title for difference in differences(before, after))
    said = f"{verb}: {fields}" if fields else verb
    return words.say("{said} (undone)", said=said) if revision.step.undone else said


def _since(one: Binned) -> str:
    at = moment(one.step.at)
    return at if one.kind is ThingKind.MEMORY else f"{one.kind.value}, {at}"


def last_step(steps: Sequence[Step]) -> str:
    """The last step that stands, as a line; "" if there is none."""
    return next((step_words(step) for step in steps if not step.undone), "")
