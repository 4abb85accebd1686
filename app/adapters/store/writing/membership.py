"""Team membership of this library, in a row."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select, update

from app.domain.library import Membership
from db.schema import StepRow, TeamRow


def membership(connection: Connection) -> Membership | None:
    """Return the membership; None for an own library."""
    row = connection.execute(select(TeamRow)).first()
    if row is None:
        return None
    return Membership(row.library, row.address, row.author, row.head, f"{row.seen:%Y-%m-%d %H:%M}")


def become_member(connection: Connection, library: str, address: str, author: str, head: int) -> None:
    """Make the library a copy of a team's."""
    connection.execute(insert(TeamRow).values(id=1, library=library, address=address, author=author, head=head))


def move_head(connection: Connection, head: int) -> None:
    """Record the last change in the copy, and the time."""
    connection.execute(update(TeamRow).values(head=head, seen=func.current_timestamp()))


def leave(connection: Connection) -> None:
    """Make the library an own one, with its content."""
    connection.execute(update(StepRow).where(StepRow.author == "").values(author=None))
    connection.execute(delete(TeamRow))
