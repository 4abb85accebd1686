"""Safe file writing: a complete draft in the target's folder replaces the target.

Nothing is written through a link, into a pipe or device, or over another user's file, even if the target is replaced
meanwhile: folders are opened one by one, and each name is used within its open folder.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, BinaryIO

if sys.platform != "win32":
    import fcntl
else:
    import msvcrt

PRIVATE = 0o600
"""File mode: readable by the owner only."""

MOST_LINKS, TRIES = 40, 5
PIPE_SECONDS, POLL_SECONDS = 10.0, 0.02
"""Longest wait for a reader of a pipe, and the polling interval, in seconds."""

STEM = 40
"""Characters of the target's name in the name of its draft: names have at most 255 bytes."""

IN_FOLDERS = os.open in os.supports_dir_fd
"""True if the system resolves names within an open folder; Windows does not."""

NOFOLLOW, BINARY = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_BINARY", 0)
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
TEMPORARY, LOCK = ".intentscope-", "lock"
"""Name prefix of temporary folders, and the lock file in each."""

FOLDERS = re.compile(rf"{re.escape(TEMPORARY)}[a-z0-9_]{{8}}")
DESCRIPTOR = re.compile(r"/dev/std(in|out|err)|/(?:dev|proc/self)/fd/(\d{1,9})")


log = logging.getLogger(__name__)

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


REMEDIES = dict.fromkeys(DISK_FULL, "free some space there, and try again") | {
    errno.EROFS: "choose another place",
    errno.EACCES: "change the permissions there, or choose another place",
    errno.EPERM: "change the permissions there, or choose another place",
}
"""Remedies of faults of writing, by number."""


def why_unwritten(error: OSError) -> str:
    """Return the reason without a full stop, and what to do if that is known."""
    told = error.strerror or str(error)
    return f"{told}; {REMEDIES[error.errno]}" if error.errno in REMEDIES else told


class UnsafeTargetError(OSError):
    """The target is a link, not a regular file, or another user's; `strerror` gives the reason."""

    def __init__(self, path: Path, reason: str, number: int = errno.EINVAL) -> None:
        super().__init__(number, reason, str(path))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder opened by descriptor, unaffected if its path is replaced; on Windows only a path."""

    path: Path
    handle: int | None

    def at(self, name: str) -> str | Path:
        return name if self.handle is not None else self.path / name

    def found(self, name: str) -> os.stat_result | None:
        """Return the state of a name without following links; None if it does not exist."""
        try:
            return os.stat(self.at(name), dir_fd=self.handle, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = PRIVATE) -> int:
        return os.open(self.at(name), flags | NOFOLLOW | BINARY, mode, dir_fd=self.handle)

    def remove(self, name: str) -> None:
        os.unlink(self.at(name), dir_fd=self.handle)


# ---- Files


@contextmanager
def replacing(target: Path, *, mode: int | None = None, waits: bool = True) -> Iterator[BinaryIO]:
    """Open a draft that replaces the target on exit; an error leaves the target. Raises OSError.

    Without a mode the target keeps its own, and a new file gets the default mode. With `waits` content and name are
    synced to disk before this returns.
    """
    if not target.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    with _opened(target.parent) as folder:
        _remove_abandoned(folder, _draft_of(target.name), _remove_draft)
        old = folder.found(target.name)
        wanted = mode if mode is not None or old is None else stat.S_IMODE(old.st_mode) & 0o777
        name, handle = _draft(folder, target.name, 0o666 if wanted is None else wanted)
        with ExitStack() as unfinished:
            unfinished.callback(_discard, folder, name)
            with os.fdopen(handle, "wb") as stream:
                made = os.fstat(handle)
                _refuse_unsafe(target, folder.found(target.name), made)
                if wanted is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, wanted)  # independent of the umask
                yield stream
                stream.flush()
                if waits:
                    os.fsync(handle)
                if sys.platform != "win32":  # on Windows an open file cannot be renamed
                    _replace(folder, name, target, made)
            if sys.platform == "win32":
                _replace(folder, name, target, made)
            unfinished.pop_all()
        if waits:
            _sync(folder)


def write(target: Path, content: bytes, *, mode: int | None = None, waits: bool = True) -> None:
    """Replace the target's content; see `replacing`."""
    with replacing(target, mode=mode, waits=waits) as stream:
        stream.write(content)


def version_of(file: Path) -> tuple[int, int, int] | None:
    """Return what differs between versions of a file: time, size, number; None without the file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def write_private(file: Path, content: bytes, *, waits: bool = True) -> None:
    """Replace a file of a profile, with mode 0600; its path may lead through links.

    Raises OSError.
    """
    write(file.absolute(), content, mode=PRIVATE, waits=waits)


def write_state(file: Path, state: Any) -> None:
    """Store a state of the window as JSON in a profile; one that cannot be written keeps its file."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(file, json.dumps(state, indent=1).encode(), waits=False)
    except OSError as error:
        log.info("%s is not stored: %s", file.name, error)


@contextmanager
def writing(target: Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open an output path given by the user; raises OSError.

    Descriptors of this process, such as /dev/stdout, and pipes and character devices of the user or the system are
    written to directly; for other targets see `replacing`.
    """
    handle = _stream(target)
    if handle is None:
        with replacing(target, mode=mode) as stream:
            yield stream
    else:
        with os.fdopen(handle, "wb") as stream:
            yield stream


def read(target: Path, most: int) -> bytes | None:
    """Read at most `most` bytes of a regular file; None if it does not exist. Raises OSError.

    Never waits for a pipe and follows no link.
    """
    try:
        with _opened(target.parent) as folder:
            old = folder.found(target.name)
            if old is None:
                return None
            _refuse_kind(target, old)
            with os.fdopen(folder.open(target.name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
                _refuse_kind(target, os.fstat(stream.fileno()))
                return stream.read(most)
    except FileNotFoundError:
        return None


def remove(target: Path) -> None:
    """Remove a file or a link, not the link's target; no error if it does not exist.

    Raises OSError.
    """
    with suppress(FileNotFoundError), _opened(target.parent) as folder:
        folder.remove(target.name)


def make_folder(path: Path) -> None:
    """Make a folder and its parents, through no link that `replacing` would refuse.

    Raises OSError.
    """
    with _opened(path, make=True):
        pass


def move(source: Path, target: Path, *, mode: int = PRIVATE) -> None:
    """Move a complete file to a target as `replacing` does, synced to disk. Raises OSError."""
    with _opened(source.parent) as here, _opened(target.parent) as there:
        with os.fdopen(here.open(source.name, os.O_RDWR), "rb") as stream:
            made = os.fstat(stream.fileno())
            _refuse_unsafe(target, there.found(target.name), made)
            if hasattr(os, "fchmod"):
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        try:
            os.replace(here.at(source.name), there.at(target.name), src_dir_fd=here.handle, dst_dir_fd=there.handle)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        else:
            _sync(there)
            return
    with source.open("rb") as stream, replacing(target, mode=mode) as copy:
        shutil.copyfileobj(stream, copy)
    source.unlink()


def check(target: Path) -> None:
    """Raise OSError, such as UnsafeTargetError, for a target that could not be written."""
    with _opened(target.parent) as folder:
        found = folder.found(target.name)
        if found is not None:
            _refuse_kind(target, found)


def is_shared(folder: Path) -> bool:
    """Check if other users can replace a file that was just made in this folder; raises OSError."""
    if os.name != "posix":
        return False
    found = folder.stat()
    may_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX
    return bool(may_write) or found.st_uid not in (0, os.geteuid())


def remove_abandoned(folder: Path, name: str = "") -> list[str]:
    """Remove drafts (of one target or all) and temporary folders of ended programs.

    Returns the names of what was removed. Raises OSError.
    """
    with _opened(folder.absolute()) as opened:
        drafts = _remove_abandoned(opened, _draft_of(name), _remove_draft)
        return drafts if name else [*drafts, *_remove_abandoned(opened, FOLDERS, _remove_folder)]


class TemporaryFolder:
    """A private temporary folder, removed on exit.

    After a kill the next program that makes one there removes it: the lock is free then. Process numbers would not
    tell, since containers that share a folder have the same ones.
    """

    def __init__(self, parent: Path) -> None:
        """Make and lock the folder; raises OSError."""
        with _opened(parent.absolute()) as opened:
            _remove_abandoned(opened, FOLDERS, _remove_folder)
        for _ in range(TRIES):
            self.path = Path(mkdtemp(prefix=TEMPORARY, dir=parent.absolute()))
            try:
                self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE)
            except FileNotFoundError:
                continue  # another program removed the folder before it was locked
            if _claimed(self._lock) and (self.path / LOCK).exists():
                return
            os.close(self._lock)
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(parent))

    def leave(self) -> None:
        """Remove the folder; no effect after the first call."""
        if self.path.exists():
            _clear(self.path)
            with suppress(OSError):
                os.close(self._lock)  # Windows removes no open file
            shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.leave()


# ---- Folders


@contextmanager
def _opened(path: Path, *, make: bool = False) -> Iterator[_Folder]:
    """Open a folder; in an absolute path, links of the user or the system are followed.

    A relative path leads through no link: the current folder may come from elsewhere, such as a clone.
    """
    if not IN_FOLDERS:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        yield _Folder(path, None)
        return
    handle = _walked(path, make)
    try:
        yield _Folder(path, handle)
    finally:
        os.close(handle)


def _walked(path: Path, make: bool) -> int:
    """Open a folder name by name and return its descriptor."""
    handle, links = os.open(".", FOLDER), 0
    coming = [*reversed(path.parts)]
    with ExitStack() as unfinished:
        unfinished.callback(lambda: os.close(handle))
        while coming:
            name = coming.pop()
            try:
                below = _entered(name, handle, make)
            except OSError as error:
                led = None if error.errno not in (errno.ELOOP, errno.ENOTDIR) else _led_to(name, handle, path)
                if led is None:
                    raise
                if (links := links + 1) > MOST_LINKS:
                    raise UnsafeTargetError(path, os.strerror(errno.ELOOP), errno.ELOOP) from error
                coming += reversed(led.parts)
            else:
                os.close(handle)
                handle = below
        unfinished.pop_all()
    return handle


def _entered(name: str, handle: int, make: bool) -> int:
    if make:
        try:
            return os.open(name, FOLDER | NOFOLLOW, dir_fd=handle)
        except FileNotFoundError:
            with suppress(FileExistsError):  # made by another program meanwhile
                os.mkdir(name, dir_fd=handle)
    return os.open(name, FOLDER | NOFOLLOW, dir_fd=handle)


def _led_to(name: str, handle: int, path: Path) -> Path | None:
    """Return the target of a link in a path, None for no link.

    Raises UnsafeTargetError if refused.
    """
    found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if not stat.S_ISLNK(found.st_mode):
        return None
    led = Path(os.readlink(name, dir_fd=handle))
    if not path.is_absolute():
        raise UnsafeTargetError(path, f"“{name}” is a link to {led}: give the path of that folder", errno.ELOOP)
    if found.st_uid not in (0, os.geteuid()):
        raise UnsafeTargetError(path, f"“{name}” is another user's link to {led}", errno.ELOOP)
    return led


def _sync(folder: _Folder) -> None:
    """Sync the names in a folder to disk, if the system can; raises OSError."""
    if folder.handle is not None:
        try:
            handle = os.open(".", os.O_RDONLY, dir_fd=folder.handle)
        except PermissionError:
            return  # the folder is writable but not readable
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ---- Checks


def _refuse_kind(path: Path, found: os.stat_result) -> None:
    """Raise UnsafeTargetError unless this is a regular file."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISLNK(found.st_mode):
        led = os.path.realpath(path)
        raise UnsafeTargetError(path, f"it is a link to {led}: name that file, or remove the link", errno.ELOOP)
    if not stat.S_ISREG(found.st_mode):
        raise UnsafeTargetError(path, "it is a pipe, a socket or a device: name a file")


def _refuse_unsafe(path: Path, found: os.stat_result | None, made: os.stat_result) -> None:
    """Raise UnsafeTargetError for a target that is no regular file or has another owner."""
    if found is not None:
        _refuse_kind(path, found)
        if found.st_uid != made.st_uid:
            raise UnsafeTargetError(path, "it belongs to another user: name another file")


def _stream(target: Path) -> int | None:
    """Open a descriptor, pipe or device for direct writing; None for every other target."""
    named = DESCRIPTOR.fullmatch(str(target)) if os.name == "posix" else None
    if named is not None:
        return os.dup(int(named[2] or ("in", "out", "err").index(named[1])))
    with _opened(target.parent) as folder:
        found = folder.found(target.name)
        if found is None or not (stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode)):
            return None
        if os.name == "posix" and found.st_uid not in (0, os.geteuid()):
            raise UnsafeTargetError(target, "it belongs to another user: name another file")
        handle = _writer(folder, target, is_pipe=stat.S_ISFIFO(found.st_mode))
        if not os.path.samestat(found, os.fstat(handle)):
            os.close(handle)
            raise UnsafeTargetError(target, "it was replaced meanwhile: try again")
        return handle


def _writer(folder: _Folder, target: Path, *, is_pipe: bool) -> int:
    """Open a pipe or a device for writing; raises OSError, also without a reader of the pipe."""
    flags, until = os.O_WRONLY | getattr(os, "O_NOCTTY", 0), time.monotonic() + PIPE_SECONDS
    while is_pipe:
        try:
            handle = folder.open(target.name, flags | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > until:
                raise UnsafeTargetError(target, "it is a pipe that no program reads from", errno.ENXIO) from error
            time.sleep(POLL_SECONDS)
        else:
            os.set_blocking(handle, True)
            return handle
    return folder.open(target.name, flags)


# ---- Drafts


def _draft_of(name: str) -> re.Pattern[str]:
    """Return the pattern of the names of drafts, of this target or of all."""
    stem = re.escape(name[:STEM]) if name else rf".{{1,{STEM}}}"
    return re.compile(rf"\.{stem}\.[0-9a-f]{{16}}\.part", re.DOTALL)


def _draft(folder: _Folder, name: str, mode: int) -> tuple[str, int]:
    """Make a locked draft beside the target; return its name and descriptor."""
    for _ in range(TRIES):
        draft = f".{name[:STEM]}.{os.urandom(8).hex()}.part"
        handle = folder.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        found = folder.found(draft) if _claimed(handle) else None
        if found is not None and os.path.samestat(found, os.fstat(handle)):
            return draft, handle
        os.close(handle)  # another program removed the draft before it was locked
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(folder.path / name))


def _discard(folder: _Folder, draft: str) -> None:
    with suppress(OSError):  # the draft cannot be removed either
        folder.remove(draft)


def _replace(folder: _Folder, draft: str, target: Path, made: os.stat_result) -> None:
    found = folder.found(draft)
    if found is None or not os.path.samestat(found, made):
        raise UnsafeTargetError(target, "another program removed or replaced its draft: try again")
    _refuse_unsafe(target, folder.found(target.name), made)
    os.replace(folder.at(draft), folder.at(target.name), src_dir_fd=folder.handle, dst_dir_fd=folder.handle)


# ---- Leftovers of killed programs


def _remove_abandoned(folder: _Folder, names: re.Pattern[str], remove: Callable[[_Folder, str], None]) -> list[str]:
    """Remove entries that match and are not locked; return their names."""
    try:
        handle = None if folder.handle is None else os.open(".", os.O_RDONLY, dir_fd=folder.handle)
    except PermissionError:
        return []
    try:
        found = os.listdir(folder.path if handle is None else handle)
    finally:
        if handle is not None:
            os.close(handle)
    removed = []
    for name in filter(names.fullmatch, found):
        with suppress(OSError):  # in use, another user's, or gone
            remove(folder, name)
            removed.append(name)
    return removed


def _remove_draft(folder: _Folder, name: str) -> None:
    """Remove a draft; raises OSError if it is in use."""
    with _own_lock(folder, name):
        folder.remove(name)


def _remove_folder(folder: _Folder, name: str) -> None:
    """Remove a temporary folder; raises OSError if it is in use."""
    path = folder.path / name
    found = folder.found(name)
    if found is None or not stat.S_ISDIR(found.st_mode) or (os.name == "posix" and found.st_uid != os.geteuid()):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(path))
    handle = None if folder.handle is None else folder.open(name, FOLDER)
    try:
        with _own_lock(_Folder(path, handle), LOCK):
            _clear(path)
    except FileNotFoundError:
        path.rmdir()  # still being made, or already emptied
        return
    finally:
        if handle is not None:
            os.close(handle)
    shutil.rmtree(path)


def _clear(path: Path) -> None:
    """Remove everything in a temporary folder except its lock, which is removed last."""
    for each in path.iterdir():
        if each.name != LOCK:
            with suppress(OSError):
                shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()


@contextmanager
def _own_lock(folder: _Folder, name: str) -> Iterator[None]:
    """Hold the lock of a file of this user; raises OSError if another program has it."""
    if sys.platform == "win32":
        yield  # an open file cannot be removed
        return
    handle = folder.open(name, os.O_RDWR | os.O_NONBLOCK)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), name)
        lock(handle)
        yield
    finally:
        os.close(handle)


def _claimed(handle: int) -> bool:
    """Lock a new file until it is closed; False if another program is removing it as abandoned."""
    try:
        lock(handle)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks, where nothing is removed either
    return True


def lock(handle: int) -> None:
    """Lock an open file until closed; raises BlockingIOError if locked, OSError without file locks."""
    if sys.platform == "win32":
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
