"""Library as a folder of readable texts: read, compared by digests, and saved atomically.

An interrupted change is completed only by the next save of the same profile: a folder may come from elsewhere, and
its content must not trigger changes.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import ExitStack, aclosing, contextmanager, suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path, PurePosixPath
from threading import RLock
from typing import Protocol

import orjson
from watchfiles import Change, DefaultFilter, awatch

from app import files
from app.adapters.folder_files import FOLDERS, FORMAT, LIBRARY_FILE, files_of, read_text
from app.adapters.formats.syntax.text import MAX_WHOLE_BYTES, whole_text
from app.adapters.formats.syntax.toml_documents import document_of
from app.domain.errors import FormatError, KnownError
from app.domain.journal import Item
from app.domain.library import Problem
from app.domain.match import without_lone_surrogates
from app.files import write_private
from app.ports.folder import FileFault, FolderContent, LocatedItem, ReportProgress, SyncState

STAGING = ".intentscope-saving"
"""Folder of new files until all are written."""

ORDER = "order.json"
"""File with the moves and deletions; once it exists, the new files are the library."""

LIBRARY_FILES = re.compile(r"library\.toml|(?:memories|powers|rules)/[^\0\\:]+\.toml|cases/[^\0\\:]+\.jsonl")
"""Paths of files that may be written or deleted."""


class PendingSaves(Protocol):
    """Records of a profile's unfinished saves, by the token of their order."""

    def pending(self, folder: Path) -> str: ...
    def begin(self, folder: Path, token: str) -> None: ...
    def end(self, folder: Path) -> None: ...


class NoPendingSaves:
    """Null object for a folder without a profile: interrupted saves are not completed."""

    def pending(self, folder: Path) -> str:
        return ""

    def begin(self, folder: Path, token: str) -> None: ...
    def end(self, folder: Path) -> None: ...


def swap(folder: Path, put: Mapping[str, bytes], gone: Iterable[str], pending: PendingSaves) -> None:
    """Write and delete files of a library's folder, all or nothing; raises OSError, FormatError."""
    recover(folder, pending)
    staging = folder / STAGING
    with ExitStack() as undo:
        undo.callback(_discard_staged, staging, folder, pending)
        staging.mkdir()
        for number, content in enumerate(put.values()):
            _write(staging / str(number), content)
        order = orjson.dumps({"put": {name: digest(content) for name, content in put.items()}, "gone": sorted(gone)})
        for name in (*put, *gone):
            _place(folder, name)
        _write(staging / "draft", order)
        pending.begin(folder, digest(order))
        (staging / "draft").replace(staging / ORDER)
        undo.pop_all()
    _put_in_place(folder, order)
    pending.end(folder)


def _discard_staged(staging: Path, folder: Path, pending: PendingSaves) -> None:
    """Delete a save that has not changed anything."""
    shutil.rmtree(staging, ignore_errors=True)
    with suppress(OSError):  # the token of a missing order has no effect
        pending.end(folder)


def refuse_unfinished(folder: Path) -> None:
    """Raise FormatError for an interrupted save: the folder holds parts of two libraries."""
    if os.path.lexists(folder / STAGING / ORDER):
        raise FormatError(
            f"{folder} holds a save that broke off half-way, so it is not read: save to it again "
            "with the profile that began it, which finishes it. If no profile here began one, delete "
            f"“{STAGING}” in it."
        )


def recover(folder: Path, pending: PendingSaves) -> None:
    """Complete this profile's interrupted save, or delete an incomplete one.

    Raises FormatError, without a change, for a save of another profile.
    """
    staging = folder / STAGING
    if staging.is_symlink() or not staging.is_dir():
        return
    if os.path.lexists(staging / ORDER):
        order = _bounded(staging / ORDER)
        if order is None or digest(order) != pending.pending(folder):
            raise FormatError(
                f"{folder} holds a save that broke off half-way and that this profile did not begin, "
                f"so nothing was changed: save to it with the profile that did, or delete “{STAGING}” "
                "in it."
            )
        _put_in_place(folder, order)
    else:
        shutil.rmtree(staging)
    pending.end(folder)


def digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _put_in_place(folder: Path, order: bytes) -> None:
    """Execute an order of this profile; a file that has changed since is not moved."""
    staging = folder / STAGING
    order_read = orjson.loads(order)
    for number, (name, print_) in enumerate(order_read["put"].items()):
        target, written = _place(folder, name), _bounded(staging / str(number))
        if written is not None and digest(written) == print_:
            target.parent.mkdir(parents=True, exist_ok=True)
            (staging / str(number)).replace(target)
    for name in order_read["gone"]:
        target = _place(folder, name)
        target.unlink(missing_ok=True)
        _remove_empty(folder, target.parent)
    shutil.rmtree(staging)


def _bounded(file: Path) -> bytes | None:
    """Read a regular file of limited size; None for others and missing ones."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_WHOLE_BYTES:
        return None
    return file.read_bytes()


def _place(folder: Path, name: object) -> Path:
    """Return the file of this name; raises FormatError if it is outside, as through a link."""
    parts = PurePosixPath(str(name)).parts
    if not isinstance(name, str) or not LIBRARY_FILES.fullmatch(name) or ".." in parts:
        raise FormatError(f"“{str(name)[:100]}” is not a file of a library, so nothing was written.")
    for depth in range(1, len(parts)):
        if folder.joinpath(*parts[:depth]).is_symlink():
            raise FormatError(f"{folder.joinpath(*parts[:depth])} is a link to another folder, so nothing was written.")
    return folder.joinpath(*parts)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _remove_empty(folder: Path, place: Path) -> None:
    with suppress(OSError):  # not empty
        while place != folder:
            place.rmdir()
            place = place.parent


# ---- Exclusive access to a library's folder among threads and programs.


if sys.platform != "win32":
    import fcntl

WAIT_SECONDS = 30.0
"""Maximum time to wait for another program in seconds."""

RETRY_SECONDS = 0.02

_here = RLock()
_held: set[Path] = set()


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Lock this folder; reentrant on one thread. Raises KnownError after a time-out.

    Between programs the folder itself is locked, which leaves no file behind; where folders cannot be locked, as on
    Windows, only this program's threads exclude each other.
    """
    place = Path(os.path.realpath(folder))  # unlike Path.resolve it accepts circular links
    with _here:
        if place in _held or not place.is_dir():
            yield
            return
        handle = _locked(place)
        _held.add(place)
        try:
            yield
        finally:
            _held.discard(place)
            if handle is not None:
                os.close(handle)


if sys.platform == "win32":

    def _locked(place: Path) -> int | None:
        return None

else:

    def _locked(place: Path) -> int | None:
        """Open and lock the folder until it is closed; None if folders cannot be locked."""
        handle = os.open(place, os.O_RDONLY)
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                    os.close(handle)
                    return None
            if time.monotonic() > until:
                os.close(handle)
                raise KnownError(f"Another program is at work in {place}, so nothing was done: try again later.")
            time.sleep(RETRY_SECONDS)


MAX_FILES = 200_000
"""Maximum number of files of a library's folder."""

MAX_BYTES = 2**30
"""Maximum total size of a library's files in bytes."""

LINK = "{file} is a link or no ordinary file, so the library is not read."

HEARTBEAT_MS = 1_000
"""Interval of heartbeats in ms."""

POLL_SECONDS = 2.0
"""Interval of polling in seconds, where the system reports no changes."""

DEBOUNCE_MS = 400
"""Time in ms within which changes are combined, such as those of a checkout."""


class TomlFolders:
    """Libraries in folders; calls may block.

    Raises KnownError if a folder cannot be read or written. Reading changes nothing. `pending` records the
    profile's unfinished saves.
    """

    def __init__(self, pending: PendingSaves | None = None) -> None:
        self._pending = pending or NoPendingSaves()

    def read(self, folder: Path, report: ReportProgress = lambda _done, _total: None) -> FolderContent:
        """Read the content of a folder; `report` is called per file, and may raise to cancel."""
        with _known_faults(folder, "{file} cannot be read: {strerror}."), folder_lock(folder):
            refuse_unfinished(folder)
            _check(folder)
            names = list(_checked_names(folder))
            items: list[LocatedItem] = []
            faults: list[FileFault] = []
            fingerprints: dict[str, str] = {}
            for done, name in enumerate(names):
                report(done, len(names))
                content = _content(folder, name)
                fingerprints[name] = digest(content)
                if name != LIBRARY_FILE:
                    _read_into(name, content, items, faults)
            report(len(names), len(names))
        return FolderContent(tuple(items), tuple(faults), fingerprints)

    def fingerprints(self, folder: Path) -> dict[str, str]:
        with _known_faults(folder, "{file} cannot be read: {strerror}."), folder_lock(folder):
            refuse_unfinished(folder)  # before all else: an interrupted first save may have moved nothing into place
            if not (folder / LIBRARY_FILE).is_file():
                return {}
            return {name: digest(_content(folder, name)) for name in _checked_names(folder)}

    def recover(self, folder: Path) -> None:
        with _known_faults(folder, "{file} cannot be written: {strerror}."), folder_lock(folder):
            recover(folder, self._pending)

    def write(
        self, folder: Path, items: Iterable[Item], expected: Mapping[str, str] | None, report: ReportProgress
    ) -> int:
        """Make a folder hold exactly these items; return the number of changed files.

        On KnownError nothing is changed: if the folder is not as `expected` (None: any), or holds other files
        without a library.
        """
        wanted = files_of(items, lambda done: report(done, 0))
        with _known_faults(folder, "{file} cannot be written: {strerror}."):
            files.make_folder(folder)
            with folder_lock(folder):
                return self._write(folder, wanted, expected)

    def _write(self, folder: Path, wanted: Mapping[str, bytes], expected: Mapping[str, str] | None) -> int:
        recover(folder, self._pending)
        there = self.fingerprints(folder)
        if not (folder / LIBRARY_FILE).is_file() and any(not name.startswith(".") for name in os.listdir(folder)):
            raise KnownError(
                f"{folder} holds other files and no library, so nothing was written: choose an empty folder."
            )
        if expected is not None and there != expected:
            raise KnownError(
                f"The files in {folder} have changed since they were read, so nothing was written: "
                "compare and import the changes, then save again."
            )
        put = {name: content for name, content in wanted.items() if there.get(name) != digest(content)}
        gone = there.keys() - wanted.keys()
        if put or gone:
            swap(folder, put, gone, self._pending)
        return len(put) + len(gone)

    async def watch(self, folder: Path) -> AsyncGenerator[bool, None]:
        is_new = False
        try:
            while await asyncio.to_thread(folder.is_dir):
                places = await asyncio.to_thread(_places, folder)
                watched = awatch(
                    *places,
                    watch_filter=_LibraryFileFilter(places[0]),
                    debounce=DEBOUNCE_MS,
                    rust_timeout=HEARTBEAT_MS,
                    yield_on_timeout=True,
                    recursive=False,  # else it would follow links out of the folder
                )
                async with aclosing(watched):
                    async for changes in watched:
                        yield bool(changes) or is_new
                        is_new = bool(changes) and await asyncio.to_thread(_places, folder) != places
                        if is_new or not await asyncio.to_thread(folder.is_dir):
                            break
        except (OSError, RuntimeError):  # the system stops watching, or cannot on such a disk
            async for is_other in self._polled(folder):
                yield is_other

    async def _polled(self, folder: Path) -> AsyncGenerator[bool, None]:
        before = None
        while await asyncio.to_thread(folder.is_dir):
            await asyncio.sleep(POLL_SECONDS)
            now = await asyncio.to_thread(_stamps, folder)
            yield before is not None and now != before
            before = now


class _LibraryFileFilter(DefaultFilter):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __call__(self, change: Change, path: str) -> bool:
        name = os.path.relpath(path, self._folder).replace(os.sep, "/")
        return name == LIBRARY_FILE or name.partition("/")[0] in FOLDERS


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for name in _names(folder):
        with suppress(OSError):
            state = (folder / name).stat()
            found[name] = state.st_size, state.st_mtime_ns
    return found


@contextmanager
def _known_faults(folder: Path, sentence: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        named = error.filename or folder
        raise KnownError(sentence.format(file=named, strerror=files.why_unwritten(error))) from error


def _read_into(name: str, content: bytes, items: list[LocatedItem], faults: list[FileFault]) -> None:
    try:
        text = whole_text(BytesIO(content))
    except FormatError as error:
        faults.append(FileFault(name, Problem(1, str(error))))
        return
    for found in read_text(name.partition("/")[0], text):
        if isinstance(found, Problem):
            faults.append(FileFault(name, found))
        else:
            items.append(LocatedItem(found.value, name, found.number))


def _check(folder: Path) -> None:
    file = folder / LIBRARY_FILE
    if not file.is_file():
        raise FormatError(
            f"{folder} is a folder, but no library: it has no {LIBRARY_FILE}. Import its files one by one, or an "
            "exported agent as its ZIP file."
        )
    try:
        form = document_of(whole_text(file)).get("format")
    except FormatError as error:
        raise FormatError(f"{file} cannot be read. {error}") from None
    if form != FORMAT:
        raise FormatError(
            f"{folder} is a library of form {form!r:.40}, but this program reads form {FORMAT}: use the one that wrote "
            "it."
        )


def _names(folder: Path) -> Iterator[str]:
    """Yield the library's files by path, in a portable order."""
    yield LIBRARY_FILE
    count = 0
    for kind, ending in FOLDERS.items():
        found = []
        for place, _, names in _walk(folder, kind):
            inside = Path(place).relative_to(folder).as_posix()
            found += [f"{inside}/{name}" for name in names if name.endswith(ending) and not name.startswith(".")]
            if (count := count + len(names)) > MAX_FILES:
                raise FormatError(f"{folder} holds more than {MAX_FILES:,} files; such a library is not read.")
        yield from sorted(found)


def _walk(folder: Path, kind: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk the folder of one kind, without links; raises FormatError if it is a link itself."""
    if (folder / kind).is_symlink():
        raise FormatError(LINK.format(file=folder / kind))
    yield from os.walk(folder / kind)


def _places(folder: Path) -> list[Path]:
    """Return the library's folder and those in it without links; raises FormatError."""
    real = Path(os.path.realpath(folder))
    return [real, *sorted(Path(place) for kind in FOLDERS for place, _, _ in _walk(real, kind))]


def _checked_names(folder: Path) -> list[str]:
    """Return the library's files after checking their sizes; raises FormatError."""
    names = list(_names(folder))
    whole = 0
    for name in names:
        if without_lone_surrogates(name) != name:
            raise FormatError(f"{folder / name} has a name that is not UTF-8, so the library is not read: rename it.")
        state = (folder / name).lstat()
        size = state.st_size if stat.S_ISREG(state.st_mode) else 0
        if size > MAX_WHOLE_BYTES:
            raise FormatError(
                f"{folder / name} is larger than {MAX_WHOLE_BYTES // 2**20} MB, so the library is not read."
            )
        if (whole := whole + size) > MAX_BYTES:
            raise FormatError(f"The files in {folder} are larger than {MAX_BYTES // 2**30} GB, so none is read.")
    return names


def _content(folder: Path, name: str) -> bytes:
    """Read one file of a library, up to its maximum size.

    Raises FormatError for a link or a device. A folder from elsewhere may link to outside files or endless devices.
    """
    if (folder / name).is_symlink() or not (folder / name).is_file():
        raise FormatError(LINK.format(file=folder / name))
    with (folder / name).open("rb") as stream:
        return stream.read(MAX_WHOLE_BYTES + 1)  # whole_text rejects a file that has grown since


# ---- Digests of each folder that the library was saved to or loaded from, and unfinished saves.


class SyncStateFiles:
    """Sync states in files of the profile, one per folder."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def get(self, folder: Path) -> SyncState:
        """Return the stored state; empty if unreadable."""
        try:
            held = orjson.loads(self._file(folder).read_bytes())
            return SyncState(dict(held["digests"]), dict(held["prints"]))
        except (OSError, ValueError, KeyError, TypeError):
            return SyncState()

    def put(self, folder: Path, synced: SyncState) -> None:
        """Store a state; raises KnownError if it cannot be written."""
        file = self._file(folder)
        named = str(folder).encode("utf-8", "backslashreplace").decode()
        held = {"folder": named, "digests": dict(synced.digests), "prints": dict(synced.fingerprints)}
        try:
            self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(file, orjson.dumps(held))
        except OSError as error:
            raise KnownError(f"{file} cannot be written: {files.why_unwritten(error)}.") from error

    def pending(self, folder: Path) -> str:
        """Return the token of this profile's unfinished save to a folder; "" for none."""
        try:
            return self._file(folder, ".saving").read_text("ascii")
        except (OSError, ValueError):
            return ""

    def begin(self, folder: Path, token: str) -> None:
        """Record a save before it changes anything; raises OSError."""
        self._place.mkdir(parents=True, exist_ok=True)
        write_private(self._file(folder, ".saving"), token.encode("ascii"))

    def end(self, folder: Path) -> None:
        """Remove the record of a finished save; raises OSError."""
        self._file(folder, ".saving").unlink(missing_ok=True)

    def _file(self, folder: Path, ending: str = ".json") -> Path:
        name = os.path.normcase(os.path.realpath(folder))
        return self._place / f"{blake2b(os.fsencode(name), digest_size=8).hexdigest()}{ending}"
