"""Journal and bin of the library, and a team's library: documents, lines and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.display import numbers
from app.display.library.memories import Fact, memory_diffs
from app.display.library.tables import short_time
from app.domain.journal import Binned, ItemKind, Revision, Step, name_of
from app.domain.language import capitalized, plural, quantity
from app.domain.library import Joined, Membership, Memory, Moving, Role, TeamChange
from app.domain.outside import named
from app.domain.running import shown

Document = dict[str, Any]


def step_document(step: Step) -> Document:
    return {
        "step": step.id,
        "at": step.at,
        "done": step.sentence,
        "things": step.count,
        "source": step.source,
        "author": step.author or None,
        "undone": step.undone,
    }


def step_line(step: Step) -> str:
    """Format a step with its number, for `undo`."""
    said = step_text(step)
    return f"{step.id:>6}  " + (f"{said} (undone)" if step.undone else said)


def done_document(step: Step | None) -> Document:
    """Make the document of the step made by a command; None without a change."""
    return {"done": None if step is None else step_document(step)}


def revision_document(revision: Revision) -> Document:
    """Make the document of an item's step, with the item's existence before and after."""
    return {
        **step_document(revision.step),
        "was_there": revision.before is not None,
        "is_there": revision.after is not None,
    }


def binned_document(binned: Binned) -> Document:
    """Make the document of a deleted item: kind, name, and the step that deleted it."""
    step = binned.step
    return {"kind": binned.kind.value, "name": name_of(binned.item), "step": step.id, "at": step.at}


def binned_line(binned: Binned) -> str:
    """Format a deleted item with its restore name, and the step that deleted it."""
    return f"{binned.kind.value}:{name_of(binned.item)}  {step_text(binned.step)}"


def revision_rows(revisions: Sequence[Revision]) -> list[Fact]:
    """Make the rows of a memory's revisions, newest first."""
    return [(_change(revision), short_time(revision.step.at)) for revision in revisions]


def step_rows(steps: Sequence[Step]) -> list[Fact]:
    """Make the rows of the library's steps, newest first."""
    return [(_sentence(step), short_time(step.at)) for step in steps]


def bin_rows(binned: Sequence[Binned]) -> list[Fact]:
    """Make the rows of deleted items, with the time of deletion."""
    return [(name_of(one.item), _since(one)) for one in binned]


def bin_summary(count: int, days: int) -> str:
    """Return the number of items in the bin, and how long they stay."""
    most = plural(days, "a day", "{n} days, then they are deleted permanently")
    stay = f"Deleted items stay here for {most}."
    held = plural(count, "{n} thing.", "{n} things.") if count else "The bin is empty."
    return f"{held} {stay}"


def _sentence(step: Step) -> str:
    return _with_author(step, capitalized(step.sentence))


def _with_author(step: Step, what: str) -> str:
    """Add the author, if another person, and if the step is undone."""
    said = " · ".join(filter(None, (what, shown(step.author, 60))))
    return f"{said} (undone)" if step.undone else said


def _change(revision: Revision) -> str:
    """Return the verb of a revision, and the fields that it changed."""
    before, after = revision.before, revision.after
    if not isinstance(before, Memory) or not isinstance(after, Memory):
        return _sentence(revision.step)
    verb = capitalized(revision.step.verb)
    fields = ", ".join(difference.title for difference in memory_diffs(before, after))
    return _with_author(revision.step, f"{verb}: {fields}" if fields else verb)


def _since(one: Binned) -> str:
    at = short_time(one.step.at)
    return at if one.kind is ItemKind.MEMORY else f"{one.kind.value}, {at}"


def last_step_text(steps: Sequence[Step]) -> str:
    """Return the user's last step that is not undone, as a line; "" if there is none."""
    return next((step_text(step) for step in steps if not step.undone and not step.author), "")


def step_text(step: Step) -> str:
    """Format a step: "deleted 12 memories · anna · 14:02", with another person's name."""
    return " · ".join(filter(None, (step.sentence, shown(step.author, 60), short_time(step.at))))


def success_changes(revisions: Sequence[Revision]) -> tuple[str, ...]:
    """Return changes of success, newest first: "0.500 → 0.550, marked … right · 14:02"."""
    moves = []
    for revision in revisions:
        old, new = (state.success if isinstance(state, Memory) else None for state in (revision.before, revision.after))
        if old is not None and new is not None and old != new and not revision.step.undone:
            moves.append(f"{numbers.chance(old)} → {numbers.chance(new)}, {step_text(revision.step)}")
    return tuple(moves)


MOVING = {
    Moving.COPYING: "Copying what is here",
    Moving.SENDING: "Bringing to the server",
    Moving.FETCHING: "Fetching from the server",
    Moving.COMPARING: "Comparing both sides",
    Moving.KEEPING: "Keeping on both sides",
}

ROLES = {Role.READER: "reader", Role.EDITOR: "editor", Role.OWNER: "owner"}

SHOWN_DIGITS = 12
"""Number of digits of a digest shown for comparison."""


def progress_line(what: Moving, done: int, rows: int) -> str:
    verb = MOVING[what]
    return f"{verb}: {done:,} of {rows:,} rows" if rows else verb


def joined_words(joined: Joined) -> list[str]:
    """Return the result of joining: the owner, the backup, and the member's name."""
    digest = joined.digest[:SHOWN_DIGITS]
    if joined.founded:
        rows = plural(joined.rows, "{n} row is", "{n} rows are")
        whole = f"This library is the team's now: {rows} on the server, as here ({digest})."
    else:
        whole = f"The team's library is here now: {quantity(joined.rows, 'row')}, as on the server ({digest})."
    kept = f"What was here before is kept in {joined.before}."
    left = [left_out_sentence(joined.left_out)] if joined.left_out else []
    return [whole, kept, author_sentence(joined.member), *left]


def left_out_sentence(keys: Sequence[str]) -> str:
    """Return the server's settings that were not adopted."""
    return (
        "Settings on the server that did not come along, because addresses, permissions and encoders are each "
        f"person's own: {named(keys)}."
    )


def author_sentence(member: Membership) -> str:
    """Return the member's name in the team."""
    return f"What you change bears the name {member.author}."


def sharing_words(member: Membership) -> str:
    """Return the member's name and role: "shared as anna (editor)"."""
    if member.role is None:
        return f"shared as {member.author}"
    return f"shared as {member.author} ({ROLES[member.role]})"


def member_lines(member: Membership) -> list[str]:
    """Return the library's address, the member's name, and a reader's limits."""
    lines = [f"The library of the team at {member.address}.", author_sentence(member)]
    if member.role is Role.READER:
        return [lines[0], f"{member.author} may only read it: the server refuses what you change."]
    return lines


def change_line(change: TeamChange) -> str:
    """Format a line of the server's log: "   812  2026-11-22 04:26:09 UTC  anna  3 things"."""
    things = quantity(change.things, "thing")
    return f"{change.number:>6}  {change.at} UTC  {shown(change.author, 60)}  {things}"
