"""Team library in sentences: progress of joining, membership, and the server's log."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.language import plural
from app.domain.library import Change, Joined, Membership, Moving, Role
from app.domain.outside import named
from app.domain.running import shown

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
    """Return the progress of moving a library, in a line."""
    verb = MOVING[what]
    return f"{verb}: {done:,} of {rows:,} rows" if rows else verb


def joined_words(joined: Joined) -> list[str]:
    """Return the result of joining: the owner, the backup, and the member's name."""
    digest = joined.digest[:SHOWN_DIGITS]
    if joined.founded:
        whole = plural(
            joined.rows,
            "This library is the team's now: {n} row is on the server, as here ({digest}).",
            "This library is the team's now: {n} rows are on the server, as here ({digest}).",
            digest=digest,
        )
    else:
        whole = plural(
            joined.rows,
            "The team's library is here now: {n} row, as on the server ({digest}).",
            "The team's library is here now: {n} rows, as on the server ({digest}).",
            digest=digest,
        )
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


def change_line(change: Change) -> str:
    """Format a line of the server's log: "   812  2026-11-22 04:26:09 UTC  anna  3 things"."""
    things = plural(change.things, "{n} thing", "{n} things")
    return f"{change.number:>6}  {change.at} UTC  {shown(change.author, 60)}  {things}"
