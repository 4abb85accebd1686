"""A profile joins a team's library, or brings its own to the server; and leaves again with all that is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from sqlalchemy import Connection, select, update

from app.adapters.store import connections, copies, opening
from app.adapters.store.faults import known_faults
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import faults, replica
from app.adapters.store.team.library import PASSWORD
from app.adapters.store.team.opened import opened_library
from app.adapters.store.team.server import Server, State, push, things, touched_since
from app.adapters.store.team.wire import Batch, Sum
from app.adapters.store.writing.membership import become_member, leave, membership, move_head
from app.domain.errors import StoreError
from app.domain.language import say
from app.domain.library import Joined, Membership
from app.ports.store import Secrets
from app.settings.refusals import has_password
from db.schema import CaseRow, DifferenceRow, MemoryRow, PowerRow, RevisionRow, StepRow

OWN = (MemoryRow, PowerRow, CaseRow)
"""What a person has taught: who joins a library that is in use has none of it. Rules come with the program."""


def join(folder: Path, secrets: Secrets, address: str, password: str | None) -> Joined:
    """Make a profile's library the copy of the one at this address, where there is none yet, of its own.

    Nothing is changed on either side unless both hold the same in the end, by count and digest. A password in the
    address is kept as a secret, like one that is given apart. StoreError.
    """
    address, within = _split(address)
    password = password or within
    with closing(SqlLibrary.open(folder, secrets)) as library:
        if (mine := library.team()) is not None:
            raise StoreError(say("This profile has joined {address} already: leave that first.", address=mine.address))
    before = copies.back_up(folder)
    with closing(Server(address, password)) as server, _written(opening.opened(folder), _joined(server)) as sides:
        local, remote, state = sides
        become_member(local, state.library, address, state.author, state.head)
        change = "" if state.head else _found(local, remote, state)
        if state.head and not _is_theirs(local, remote, state):
            _follow(local, remote, state)
        both = _verified(local, remote, state.author)
        if change:
            server.commit(remote, change)
        member = membership(local)
        assert member is not None, "it has just joined"
    secrets.change({PASSWORD: password})
    return Joined(member, both.rows, both.digest, bool(change), str(before))


def part(folder: Path, secrets: Secrets, *, offline: bool = False) -> Membership:
    """Take a profile out of its team, with all that is in the library; what it was a copy of. StoreError.

    What others have changed is taken over first, and both sides compared, unless `offline`: TeamGoneError where nobody
    answers.
    """
    with closing(SqlLibrary.open(folder, secrets)) as library:
        mine = library.team()
        if mine is None:
            raise StoreError(say("This profile is in no team."))
        if offline:
            library.leave_team()
            secrets.forget(PASSWORD)
            return mine
    with (
        closing(Server(mine.address, secrets.get(PASSWORD))) as server,
        _written(opening.opened(folder), server.snapshot()) as sides,
    ):
        local, remote, state = sides
        replica.catch_up(local, remote, state)
        _verified(local, remote, state.author)
        leave(local)
    secrets.forget(PASSWORD)
    return mine


def standing(folder: Path, secrets: Secrets) -> tuple[Membership | None, str]:
    """What the profile's library is a copy of, after others' changes were taken over; and why they were not."""
    with closing(opened_library(folder, secrets)) as library:
        return library.team(), library.refusal


def keep_password(folder: Path, secrets: Secrets, password: str) -> None:
    """Keep the password of the team's server, or forget an empty one; StoreError."""
    if standing(folder, secrets)[0] is None:
        raise StoreError(say("This profile is in no team."))
    secrets.change({PASSWORD: password or None})


def _joined(server: Server) -> AbstractContextManager[tuple[Connection, State]]:
    """What the server holds at one moment, which needs no right but to read; what is to be founded is held alone."""
    with server.snapshot() as (_, state):
        return server.snapshot() if state.head else server.change()


@contextmanager
def _written(
    file: Path, there: AbstractContextManager[tuple[Connection, State]]
) -> Iterator[tuple[Connection, Connection, State]]:
    """Both sides, to be changed: what is here, what is on the server, and where that stands."""
    engine = connections.engine(file, "BEGIN IMMEDIATE", connections.WRITING)
    try:
        with there as (remote, state), known_faults(file), engine.begin() as local:
            yield local, remote, state
    finally:
        engine.dispose()


def _split(address: str) -> tuple[str, str | None]:
    """An address without the password in it, and that; StoreError where it is none."""
    try:
        found = urlsplit(address.strip())
    except ValueError as error:
        raise faults.no_address(address) from error
    if found.scheme not in ("postgresql", "postgres") or not (found.netloc or found.query):
        raise faults.no_address(address)
    pairs = parse_qsl(found.query, keep_blank_values=True)
    user, colon, password = found.netloc.rpartition("@")[0].partition(":")
    who, host = f"{user}@" if user else "", found.netloc.rpartition("@")[2]
    asked = urlencode([(name, value) for name, value in pairs if name != "password"], quote_via=quote, safe="/:")
    bare = f"{found.scheme}://{who}{host}{found.path}{f'?{asked}' if asked else ''}"
    rest = "&".join(part for part in found.query.split("&") if not part.startswith("password="))
    if found.fragment or has_password(f"{found.scheme}://{who}{host}{found.path}?{rest}"):
        raise faults.no_address(address)  # what is in it of a password that is not written as addresses are
    return bare, unquote(password) if colon else dict(pairs).get("password")


def _found(local: Connection, remote: Connection, state: State) -> str:
    """Bring all that is here to a library that holds nothing."""
    _sign(local)
    number = replica.begin_step(local, state)
    replica.end_step(local, number)
    told = replica.told(local, replica.everything(local), state.author)
    change = push(remote, state, told, number, replica.keys_given(local))
    move_head(local, state.head + 1)
    return change


def _sign(local: Connection) -> None:
    """Have steps of what a team shares be this person's, but for those that another has done."""
    items = select(RevisionRow.step_id).union(select(DifferenceRow.step_id))
    local.execute(update(StepRow).where(StepRow.id.in_(items), StepRow.author.is_(None)).values(author=""))


def _is_theirs(local: Connection, remote: Connection, state: State) -> bool:
    """Whether what is here is what the server holds, and is kept then: it was brought there by a join that was cut off
    before it was noted here, or this person has left meanwhile."""
    if not _has_own(local):
        return False
    with local.begin_nested() as tried:
        _sign(local)
        if _sum(replica.told(local, replica.everything(local), state.author)) == _sum(
            things(remote, touched_since(remote, 0))
        ):
            replica.take_keys(local, state)
            return True
        tried.rollback()
    return False


def _has_own(local: Connection) -> bool:
    return any(local.execute(select(row.id).limit(1)).first() is not None for row in OWN)


def _follow(local: Connection, remote: Connection, state: State) -> None:
    """Have here what the server holds, in place of what came with the program."""
    if _has_own(local):
        raise StoreError(
            say(
                "The team's library is in use, and this profile has memories, powers or cases of its own, so nothing "
                "was changed: export them, join with a new profile (--profile), and import them there."
            )
        )
    for kind, keys in replica.everything(local):
        replica.forget(local, kind, keys)
    local.exec_driver_sql("DELETE FROM steps")
    replica.take_over(local, remote, touched_since(remote, 0), state.author)
    replica.take_keys(local, state)


def _verified(local: Connection, remote: Connection, author: str) -> Sum:
    """What both sides hold; StoreError where that is not the same."""
    here = _sum(replica.told(local, replica.everything(local), author))
    there = _sum(things(remote, touched_since(remote, 0)))
    if here != there:
        raise StoreError(
            say(
                "The library here and the one on the server do not hold the same ({here} rows here, {there} there), so "
                "nothing was changed.",
                here=here.rows,
                there=there.rows,
            )
        )
    return here


def _sum(batches: Iterable[Batch]) -> Sum:
    made = Sum()
    for batch in batches:
        made.add(batch)
    return made
