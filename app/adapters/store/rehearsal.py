"""A copy of a library to try things on, or to read where nothing can be written: it leaves no trace in the profile and
none among its secrets."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from app.adapters.store.connections import KEY_FILE
from app.adapters.store.faults import DiskFullError, ReadOnlyError, known_faults, unreachable
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.domain.errors import StoreError
from app.ports.store import Secrets

WITHOUT_ROOM = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
"""How SQLite says that it could make no file."""

PLACES = "intentscope-copy-"
"""How the names of folders with copies begin; the number of their process follows."""


def _place() -> TemporaryDirectory[str]:
    """A folder for a copy. Those of processes that were ended before they could take them away go first; OSError."""
    import psutil  # only where a copy is made

    for left in Path(gettempdir()).glob(f"{PLACES}*"):
        number = left.name.removeprefix(PLACES).partition("-")[0]
        if number.isascii() and number.isdigit() and len(number) < 10 and not psutil.pid_exists(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    return TemporaryDirectory(prefix=f"{PLACES}{os.getpid()}-")


@contextmanager
def rehearsed(folder: Path, secrets: Secrets) -> Iterator[SqlLibrary]:
    """The library of this profile folder as a copy, or an empty one where there is none; StoreError."""
    with _place() as place:
        file = folder / FILE
        if file.is_file():
            with known_faults(file):
                _copy(file, Path(place) / FILE)
        library = SqlLibrary.open(Path(place), _Borrowed(secrets))
        try:
            yield library
        finally:
            library.close()


class LentLibrary(SqlLibrary):
    """A copy that is gone when it is closed, and all that was written to it."""

    place: TemporaryDirectory[str] | None = None

    def close(self) -> None:
        super().close()
        if self.place is not None:
            self.place.cleanup()


def opened_to_read(
    folder: Path, secrets: Secrets, give_way: Callable[[], object], tell: Callable[[str], object]
) -> SqlLibrary:
    """The library of this profile folder. Where nothing can be written, by our rights, on this medium or for want of
    room, a copy of it stands in elsewhere, and `tell` hears that nothing is kept. StoreError."""
    try:
        return SqlLibrary.open(folder, secrets, give_way)
    except (ReadOnlyError, DiskFullError):
        file = folder / FILE
        if not file.is_file():
            raise
        lent = _lent(file, secrets, give_way)
    tell(f"Nothing can be written to {folder}: the library there is read, and what is made of it is not kept.")
    return lent


def _lent(file: Path, secrets: Secrets, give_way: Callable[[], object]) -> LentLibrary:
    try:
        place = _place()
    except OSError as error:
        raise unreachable(file, f"no copy can be made: {error.strerror or error}") from error
    try:
        with known_faults(file):
            _copy(file, Path(place.name) / FILE)
        lent = LentLibrary.open(Path(place.name), _Borrowed(secrets), give_way)
    except OSError as error:
        place.cleanup()
        raise unreachable(file, f"it cannot be copied: {error.strerror or error}") from error
    except StoreError:
        place.cleanup()
        raise
    lent.place = place
    return lent


def _copy(file: Path, target: Path) -> None:
    with suppress(FileNotFoundError, PermissionError):  # a library of before it had one, or somebody else's
        shutil.copyfile(file.with_name(KEY_FILE), target.with_name(KEY_FILE))
    log = file.with_name(f"{FILE}-wal")
    if not log.exists():
        shutil.copyfile(file, target)  # nobody has it open, and looking at it as a reader would leave files beside it
        return
    try:
        with (
            closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
    except sqlite3.OperationalError as error:
        # Even a reader needs a file beside a log. Where nobody can make one, nobody writes either.
        if error.sqlite_errorcode & 0xFF not in WITHOUT_ROOM:
            raise
        target.unlink(missing_ok=True)
        shutil.copyfile(file, target)
        shutil.copyfile(log, target.with_name(log.name))


class _Borrowed:
    """Secrets that can be read; what is put or forgotten is so only here."""

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

    def strays(self, prefix: str) -> Sequence[str]:
        return [name for name, value in self._changed.items() if value is not None and name.startswith(prefix)]
