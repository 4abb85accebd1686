"""Opening of a profile's library: its own, its team's, or a temporary copy."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NoReturn, TypeVar

from app.adapters.store import opening
from app.adapters.store.connections import KEY_FILE, SqlAccess
from app.adapters.store.faults import DiskFullError, ReadOnlyError, known_faults, known_files, unreachable
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.rows.routes import SqlRoutes
from app.adapters.store.writes import Work
from app.domain.errors import StoreError
from app.domain.journal import Edit, Item, ItemKey, Written
from app.files import TemporaryFolder
from app.ports.datastore import CandidateSearch
from app.ports.store import Secrets, WriteResult

WITHOUT_ROOM = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
"""SQLite's errors if it cannot create a file."""


def open_candidate_search(library: SqlLibrary, secrets: Secrets) -> CandidateSearch | None:
    """Open the search on a team's server; None without a team."""
    if (team := library.team()) is None:
        return None
    from app.adapters.store.team.library import PASSWORD
    from app.adapters.store.team.search import SqlCandidates
    from app.adapters.store.team.server import Server

    return SqlCandidates(Server(team.address, secrets.get(PASSWORD)))


def open_library(folder: Path, secrets: Secrets, yield_to_typing: Callable[[], object] = lambda: None) -> SqlLibrary:
    """Open the library of this profile, its own or its team's; raises StoreError."""
    file = opening.prepare_file(folder)
    team = opening.team_of(file)
    if team is None:
        return SqlLibrary.open(folder, secrets, yield_to_typing)
    # The client of a server is only loaded for teams.
    from app.adapters.store.team.library import PASSWORD, TeamLibrary
    from app.adapters.store.team.server import Server

    word, address = team
    return TeamLibrary(file, secrets, yield_to_typing, server=Server(address, secrets.get(PASSWORD)), library=word)


# ---- Temporary copies, for dry runs and read-only profiles; they change neither the profile nor its secrets


@contextmanager
def dry_run(folder: Path, secrets: Secrets) -> Iterator[SqlLibrary]:
    """Open a copy of this profile's library, or an empty one if missing; raises StoreError."""
    file = folder / FILE
    with _place(file, near=True) as place:
        if file.is_file():
            with known_faults(file), known_files(file):
                _copy(file, place / FILE)
        library = SqlLibrary.open(place, _OverlaySecrets(secrets))
        library.leave_team()
        try:
            yield library
        finally:
            library.close()


class TemporaryLibrary(SqlLibrary):
    """Copy that is deleted, with all changes, when it is closed."""

    place: TemporaryFolder | None = None

    def close(self) -> None:
        super().close()
        if self.place is not None:
            self.place.leave()


Lent = TypeVar("Lent", bound=TemporaryLibrary)


class _ReadOnlyRoutes(SqlRoutes):
    def __init__(self, access: SqlAccess, refusal: str) -> None:
        super().__init__(access)
        self._refusal = refusal

    def clear_answers(self) -> int:
        raise ReadOnlyError(self._refusal)

    def set_teaching(self, texts: Iterable[str], *, on: bool) -> None:
        raise ReadOnlyError(self._refusal)


class ReadOnlyLibrary(TemporaryLibrary):
    """Copy for the window: changes by the user raise ReadOnlyError.

    Automatic records go into the copy and are deleted with it.
    """

    def refuse_changes(self, refusal: str) -> None:
        self.refusal = refusal
        self.routes = _ReadOnlyRoutes(self._access, refusal)

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise ReadOnlyError(self.refusal)

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[WriteResult]:
        return super().add_kinds(kinds) if edit is None else self._refused()

    def _do(self, edit: Edit | None, work: Work[Sequence[Item] | None], gone: Sequence[ItemKey] = ()) -> Written | None:
        return super()._do(edit, work, gone) if edit is None else self._refused()

    undo = redo = empty_bin = put_distinct_pairs = put_settings = choose_settings = decide = forget_queries = _refused

    def record_run(self, key: int, **values: Any) -> None:
        if values.get("approved"):
            self._refused()
        super().record_run(key, **values)


def open_to_show(folder: Path, secrets: Secrets, yield_to_typing: Callable[[], object]) -> SqlLibrary:
    """Open the library of this profile; if it is read-only, a copy that refuses changes.

    Its `refusal` says why. Raises StoreError.
    """
    try:
        return open_library(folder, secrets, yield_to_typing)
    except (ReadOnlyError, DiskFullError) as error:
        file = folder / FILE
        if not file.is_file():
            raise
        shown = _lent(file, secrets, yield_to_typing, ReadOnlyLibrary)
        shown.refuse_changes(f"{error} Until then it is shown as it was, and nothing can be changed or kept.")
    return shown


def open_to_read(
    folder: Path, secrets: Secrets, yield_to_typing: Callable[[], object], tell: Callable[[str], object]
) -> SqlLibrary:
    """Open the library of this profile, or a copy if it is read-only or the disk is full.

    `tell` is then called with a sentence that nothing is stored. Raises StoreError.
    """
    try:
        return open_library(folder, secrets, yield_to_typing)
    except (ReadOnlyError, DiskFullError):
        file = folder / FILE
        if not file.is_file():
            raise
        lent = _lent(file, secrets, yield_to_typing, TemporaryLibrary)
    tell(f"Nothing can be written to {folder}: the library there is read, and what is made of it is not kept.")
    return lent


def _lent(file: Path, secrets: Secrets, yield_to_typing: Callable[[], object], kind: type[Lent]) -> Lent:
    place = _place(file)
    try:
        with known_faults(file):
            _copy(file, place.path / FILE)
        lent = kind.open(place.path, _OverlaySecrets(secrets), yield_to_typing)
        lent.leave_team()
    except OSError as error:
        place.leave()
        raise unreachable(file, f"it cannot be copied: {error.strerror or error}") from error
    except StoreError:
        place.leave()
        raise
    lent.place = place
    return lent


def _place(file: Path, *, near: bool = False) -> TemporaryFolder:
    """Make a temporary folder, `near` the profile or in the system's; raises StoreError."""
    if near:
        with suppress(OSError):
            return TemporaryFolder(file.parent)
    try:
        return TemporaryFolder(Path(gettempdir()))
    except OSError as error:
        raise unreachable(file, f"no copy can be made: {error.strerror or error}") from error


def _copy(file: Path, target: Path) -> None:
    with suppress(FileNotFoundError, PermissionError):  # an older library without a key, or another user's
        shutil.copyfile(file.with_name(KEY_FILE), target.with_name(KEY_FILE))
    log = file.with_name(f"{FILE}-wal")
    if not log.exists():
        shutil.copyfile(file, target)  # nobody has it open, and a reader would leave files beside it
        return
    try:
        with (
            closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
    except sqlite3.OperationalError as error:
        # Even a reader needs a file beside a log. If none can be made, nobody writes either.
        if error.sqlite_errorcode & 0xFF not in WITHOUT_ROOM:
            raise
        target.unlink(missing_ok=True)
        shutil.copyfile(file, target)
        shutil.copyfile(log, target.with_name(log.name))


class _OverlaySecrets:
    """Overlay over the secrets of a profile: changes stay in memory."""

    is_fallback = False

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._changed: dict[str, str | None] = {}

    @property
    def place(self) -> str:
        return self._secrets.place

    def get(self, name: str) -> str | None:
        return self._changed[name] if name in self._changed else self._secrets.get(name)

    def put(self, name: str, value: str) -> None:
        self._changed[name] = value

    def forget(self, name: str) -> None:
        self._changed[name] = None

    def change(self, values: Mapping[str, str | None]) -> None:
        self._changed |= values

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        return [name for name, value in self._changed.items() if value is not None and name.startswith(prefix)]
