"""Output of a command: to the terminal, or to a file that is replaced atomically."""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from app.domain.language import say

OK, FAILED, MISUSED, CRASHED, INTERRUPTED = 0, 1, 2, 70, 130
"""Exit codes (S8.1): fine; a check failed; bad usage or input; a bug of this program; Ctrl+C."""


class MisuseError(Exception):
    """The command line is invalid; the message is a sentence."""


@contextlib.contextmanager
def output(options: argparse.Namespace, *, private: bool = False) -> Iterator[TextIO]:
    """Stdout, or the file that --output names, which is replaced only when everything has been written.

    What is no regular file, such as a pipe, is written straight to. A private file is for its owner alone.
    """
    path: Path | None = getattr(options, "output", None)
    if path is None:
        yield sys.stdout
    else:
        with written(path, private=private) as file:
            yield file


@contextlib.contextmanager
def written(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """Write a file atomically; MisuseError where it cannot be written."""
    with as_misuse(path):
        mode = _mode_of(path)
        straight = path.parent == Path("/dev") or (mode is not None and not stat.S_ISREG(mode))
        target = path if straight else path.resolve()
        draft = None if straight else _draft_beside(target, 0o600 if private else mode)
        file = (draft or target).open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        with contextlib.closing(file):
            yield file
            with as_misuse(path):
                try:
                    file.flush()
                    if draft is not None:
                        os.fsync(file.fileno())  # before it takes the place of what is good
                finally:
                    file.close()  # what found no room is not tried again
        if draft is not None:
            with as_misuse(path):
                draft.replace(target)
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def _mode_of(path: Path) -> int | None:
    """The mode of the existing file, links followed; None without one."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _draft_beside(target: Path, mode: int | None) -> Path:
    """A temporary file in the target's folder, with this mode or the default one."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    os.close(handle)
    if mode is None:
        mask = os.umask(0o077)
        os.umask(mask)
        mode = 0o666 & ~mask
    draft = Path(name)
    draft.chmod(stat.S_IMODE(mode))
    return draft


@contextlib.contextmanager
def as_misuse(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise MisuseError(
            say("{path} cannot be written: {strerror}.", path=path, strerror=error.strerror or error)
        ) from error


def visible_here(sentence: object) -> str:
    """A sentence for the terminal, which may quote a file or an argument: what would steer the terminal is shown."""
    from app.display.visible import visible

    return visible(str(sentence))
