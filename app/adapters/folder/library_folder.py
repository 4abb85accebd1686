"""Library as a folder of readable texts: read and saved as a whole, compared by digests."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import orjson
from watchfiles import Change, DefaultFilter, awatch

from app import files
from app.adapters.folder.files import FOLDERS, FORMAT, LIBRARY_FILE, files_of
from app.adapters.folder.reading import read_text
from app.adapters.folder.swap import NoPendingSaves, PendingSaves, digest, folder_lock, recover, refuse_unfinished, swap
from app.adapters.formats.syntax.text import MAX_WHOLE_BYTES, whole_text
from app.adapters.formats.syntax.toml_documents import document_of
from app.domain.errors import FormatError, KnownError
from app.domain.journal import Item
from app.domain.library import Problem
from app.domain.match import without_lone_surrogates
from app.files import write_private
from app.ports.folder import FileFault, FolderContent, LocatedItem, ReportProgress, SyncState

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
