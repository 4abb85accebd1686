"""Joining a team's library, founding one from a profile's library, and leaving it."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from sqlalchemy import Connection, select, update

from app.adapters.store import connections, journal, opening, restoring
from app.adapters.store.entries import become_member, end_membership, membership, move_head
from app.adapters.store.faults import known_faults
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import faults, replica
from app.adapters.store.team.library import PASSWORD
from app.adapters.store.team.open_library import open_library
from app.adapters.store.team.server import Server, State, keep_settings, log, push, settings_of
from app.adapters.store.team.wire import LOCAL, Batch, Checksum, checked, size, whole
from app.domain.errors import StoreError
from app.domain.library import Joined, Membership, MoveProgress, Moving, TeamChange
from app.ports.store import Secrets
from app.settings.layers import is_portable, sort_settings
from app.settings.refusals import has_password
from db.schema import CaseRow, DifferenceRow, MemoryRow, PowerRow, RevisionRow, StepRow
from db.team import TABLES

LONGEST_NAME = 48
"""Maximum number of an address's characters in the name of its profile."""

OWN = (MemoryRow, PowerRow, CaseRow)
"""User's own items, which a profile must not have to join; rules come with the program."""


def join(
    folder: Path, secrets: Secrets, address: str, password: str | None, tell: MoveProgress = lambda *_: None
) -> Joined:
    """Make a profile's library the copy of the one at this address; found one if there is none.

    Both sides change only if they are equal in the end, by count and digest. A password in the address is stored as
    a secret, like a separate one. Raises StoreError.
    """
    address, within = _split(address)
    password = password or within
    with _discarding_new_profile(folder):
        joined = _join(folder, secrets, address, password, tell)
    secrets.change({PASSWORD: password})
    return joined


def _join(folder: Path, secrets: Secrets, address: str, password: str | None, tell: MoveProgress) -> Joined:
    with closing(SqlLibrary.open(folder, secrets)) as library:
        if (mine := library.team()) is not None:
            raise StoreError(f"This profile has joined {mine.address} already: leave that first.")
    tell(Moving.COPYING, 0, 0)
    with (
        _copied(folder) as before,
        closing(Server(address, password)) as server,
        _moving(opening.prepare_file(folder), _joined(server), tell) as move,
    ):
        become_member(move.local, move.state.library, address, move.state.author, move.state.head)
        change, left_out = "", tuple[str, ...]()
        if move.state.head:
            both, left_out = move.follow()
        else:
            both, change = move.found()
        member = membership(move.local)
        assert member is not None, "it has just joined"
        tell(Moving.KEEPING, both.rows, both.rows)
        if change:
            server.commit(move.remote, change)
    return Joined(member, both.rows, both.digest, bool(change), str(before), left_out)


def profile_for(chosen: Path | None, home: Path, address: str) -> tuple[Path, bool]:
    """Return the profile for the library at this address, and whether it is a copy already.

    The chosen profile, else an existing copy at home, else a new one. Raises StoreError if the chosen one is
    another library's copy.
    """
    address, _ = _split(address)
    files = sorted(home.glob(f"*/{opening.FILE}")) if chosen is None else [chosen / opening.FILE]
    homes = {place: file.parent for file in files if (place := _place(file))}
    if address in homes:
        return homes[address], True
    if homes and chosen is not None:
        raise StoreError(f"This profile has joined {min(homes)} already: leave that first.")
    name = re.sub(r"[^\w.-]+", "-", address.partition("://")[2].partition("?")[0])[:LONGEST_NAME].strip("-.")
    return chosen or home / f"{name}-{hashlib.sha256(address.encode()).hexdigest()[:8]}", False


def _place(file: Path) -> str:
    """Return the address of the team library that this file copies; "" if own or unknown."""
    with suppress(StoreError, sqlite3.Error):  # opening it reports the fault
        if file.exists() and (team := opening.team_of(file)) is not None:
            return team[1]
    return ""


def leave(folder: Path, secrets: Secrets, *, offline: bool = False, tell: MoveProgress = lambda *_: None) -> Membership:
    """Leave the team with the library's content; return the former membership.

    Unless `offline`, the changes of others are applied first, and both sides are compared. Raises StoreError, and
    TeamGoneError if the server does not answer.
    """
    with closing(SqlLibrary.open(folder, secrets)) as library:
        mine = library.team()
        if mine is None:
            raise StoreError("This profile is in no team.")
        if offline:
            library.leave_team()
            secrets.forget(PASSWORD)
            return mine
    with (
        closing(Server(mine.address, secrets.get(PASSWORD))) as server,
        _moving(opening.prepare_file(folder), server.snapshot(), tell) as move,
    ):
        tell(Moving.FETCHING, 0, 0)
        replica.catch_up(move.local, move.remote, move.state)
        both = move.compared()
        tell(Moving.KEEPING, both.rows, both.rows)
        end_membership(move.local)
    secrets.forget(PASSWORD)
    return mine


def status(folder: Path, secrets: Secrets) -> tuple[Membership | None, str]:
    """Return the membership after applying changes, and why they could not be applied."""
    with closing(open_library(folder, secrets)) as library:
        return library.team(), library.refusal


def newest_changes(folder: Path, secrets: Secrets, most: int) -> list[TeamChange]:
    """Return the newest entries of the server's log.

    Raises StoreError without a team or an answer.
    """
    with closing(SqlLibrary.open(folder, secrets)) as library:
        if (team := library.team()) is None:
            raise StoreError("This profile is in no team.")
    with closing(Server(team.address, secrets.get(PASSWORD))) as server, server.snapshot() as (connection, _):
        return log(connection, most)


def keep_password(folder: Path, secrets: Secrets, password: str) -> None:
    """Store the password of the team's server, or delete it if empty; raises StoreError."""
    if status(folder, secrets)[0] is None:
        raise StoreError("This profile is in no team.")
    secrets.change({PASSWORD: password or None})


def _joined(server: Server) -> AbstractContextManager[tuple[Connection, State]]:
    """Open a snapshot of the server, which needs only read rights; a new library is locked."""
    with server.snapshot() as (_, state):
        return server.snapshot() if state.head else server.change()


@contextmanager
def _discarding_new_profile(folder: Path) -> Iterator[None]:
    """Delete a new profile if the operation fails."""
    is_new = not folder.exists() or not any(folder.iterdir())
    with ExitStack() as undone:
        if is_new:
            undone.callback(shutil.rmtree, folder, ignore_errors=True)
        yield
        undone.pop_all()


@contextmanager
def _copied(folder: Path) -> Iterator[Path]:
    """Back up the present library; delete the backup if the operation fails."""
    before = restoring.back_up(folder)
    with ExitStack() as undone:
        undone.callback(before.unlink, missing_ok=True)
        yield before
        undone.pop_all()


@contextmanager
def _moving(file: Path, there: AbstractContextManager[tuple[Connection, State]], tell: MoveProgress) -> Iterator[Move]:
    """Open both sides for changes; this side commits last, after the server."""
    engine = connections.engine(file, "BEGIN IMMEDIATE", connections.WRITING)
    try:
        with known_faults(file), engine.begin() as local, there as (remote, state):
            yield Move(local, remote, state, tell)
    finally:
        engine.dispose()


def _split(address: str) -> tuple[str, str | None]:
    """Split the password from an address; raises StoreError if invalid."""
    try:
        found = urlsplit(address.strip())
    except ValueError as error:
        raise faults.no_address(address) from error
    before, _, host = found.netloc.rpartition("@")
    is_address = found.scheme in ("postgresql", "postgres") and bool(found.netloc or found.query)
    if not is_address or host.count("[") != host.count("]"):
        raise faults.no_address(address)
    pairs = parse_qsl(found.query, keep_blank_values=True)
    user, colon, password = before.partition(":")
    who = f"{user}@" if user else ""
    asked = urlencode([(name, value) for name, value in pairs if name != "password"], quote_via=quote, safe="/:")
    bare = f"{found.scheme}://{who}{host}{found.path}{f'?{asked}' if asked else ''}"
    rest = "&".join(part for part in found.query.split("&") if not part.startswith("password="))
    if found.fragment or has_password(f"{found.scheme}://{who}{host}{found.path}?{rest}"):
        raise faults.no_address(address)  # its parts may hold a password in an unusual notation
    return bare, unquote(password) if colon else dict(pairs).get("password")


@dataclass(frozen=True, slots=True)
class Move:
    """Move of a library: local and remote connections, the server's state, and progress."""

    local: Connection
    remote: Connection
    state: State
    tell: MoveProgress

    def found(self) -> tuple[Checksum, str]:
        """Send the library to an empty server; return the checksum and the change's id."""
        _sign(self.local)
        number = replica.begin_step(self.local, self.state)
        replica.end_step(self.local, number)
        here = Checksum()
        batches = here.of(self._counted(Moving.SENDING, self._mine(), size(self.local, LOCAL)))
        change = push(self.remote, self.state, batches, number, replica.last_keys(self.local))
        chosen, _ = journal.selected(self.local)
        keep_settings(self.remote, {key: chosen[key] for key in chosen if is_portable(key)})
        move_head(self.local, self.state.head + 1)
        return _same(here, self._sum(self._theirs(), here.rows)), change

    def follow(self) -> tuple[Checksum, tuple[str, ...]]:
        """Replace the local library by the server's.

        Returns the checksum, and the keys of the server's settings that are not applied: addresses, permissions and
        other choices of a user.
        """
        left_out: tuple[str, ...] = ()
        if any(self.local.execute(select(row.id).limit(1)).first() is not None for row in OWN):
            held = self._keep_if_equal()
        else:
            there, rows = Checksum(), size(self.remote, TABLES)
            fetched = there.of(self._counted(Moving.FETCHING, self._theirs(), rows))
            for _ in replica.fill(self.local, fetched, self.state.author):
                self._ping()
            held = _same(self._sum(self._mine(), rows), there)
            chosen, _ = journal.selected(self.local)
            offered = sort_settings(settings_of(self.remote))
            journal.put(self.local, {**offered.portable, **chosen})
            left_out = (*offered.harmless, *offered.personal, *offered.refused)
        replica.take_keys(self.local, self.state)
        return held, left_out

    def compared(self) -> Checksum:
        """Return the common checksum; raises StoreError if the sides differ."""
        rows = size(self.remote, TABLES)
        return _same(self._sum(self._mine(), rows), self._sum(self._theirs(), rows))

    def _keep_if_equal(self) -> Checksum:
        """Keep the local library if it equals the server's, else StoreError.

        It was sent by a join that was interrupted before the end, or the user has left the team meanwhile.
        """
        with self.local.begin_nested():
            _sign(self.local)
            rows = size(self.local, LOCAL)
            here = self._sum(self._mine(), rows) if rows == size(self.remote, TABLES) else None
            if here is None or here != self._sum(self._theirs(), rows):
                raise StoreError(
                    "The team's library is in use, and this profile has its own memories, powers or cases, so "
                    "nothing was changed: export them, join with a new profile (--profile), and import them there."
                )
        return here

    def _mine(self) -> Iterator[Batch]:
        return replica.everything(self.local, self.state.author)

    def _theirs(self) -> Iterator[Batch]:
        return checked(whole(self.remote, TABLES))

    def _sum(self, side: Iterator[Batch], rows: int) -> Checksum:
        made = Checksum()
        for _ in made.of(self._counted(Moving.COMPARING, side, rows)):
            pass
        return made

    def _counted(self, what: Moving, side: Iterator[Batch], rows: int) -> Iterator[Batch]:
        """Yield the batches with progress reports."""
        done = 0
        self.tell(what, done, rows)
        for batch in side:
            done += len(batch.rows) + len(batch.parts)
            if done > rows:
                raise faults.odd("more rows than it says it holds")
            yield batch
            self.tell(what, done, rows)
            self._ping()

    def _ping(self) -> None:
        """Ping the server, which drops clients that are silent in a transaction."""
        self.remote.exec_driver_sql("SELECT 1")


def _sign(local: Connection) -> None:
    """Mark the shared steps as this user's, except those of others."""
    items = select(RevisionRow.step_id).union(select(DifferenceRow.step_id))
    local.execute(update(StepRow).where(StepRow.id.in_(items), StepRow.author.is_(None)).values(author=""))


def _same(here: Checksum, there: Checksum) -> Checksum:
    """Return the common checksum; raises StoreError if the sides differ."""
    if here != there:
        raise StoreError(
            f"The library here and the one on the server do not hold the same ({here.rows} rows "
            f"here, {there.rows} there), so nothing was changed. Try again; if that remains, another program has "
            "written to the server's tables."
        )
    return here
