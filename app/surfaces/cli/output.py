"""Output of a command: to the terminal, or to a file that is replaced atomically."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, TextIO, TypeVar

from app import files
from app.domain.errors import StoreBusyError

OK, FAILED, MISUSED, CRASHED, INTERRUPTED = 0, 1, 2, 70, 130
"""Exit codes (S8.1): success; failed check; bad usage or input; bug of the program; Ctrl+C."""

SOURCE = "command line"
"""Source of the steps that commands make."""


class MisuseError(Exception):
    """The command line is invalid; the message is a sentence."""


def wants_json(options: argparse.Namespace) -> bool:
    """Check if the output is one JSON document."""
    return bool(getattr(options, "json", False))


class Printer:
    """Output of a command: each result as one JSON document, or as lines for people."""

    def __init__(self, file: TextIO, *, as_json: bool = False) -> None:
        self.file, self.as_json = file, as_json

    def write(self, document: dict[str, Any], lines: Iterable[str]) -> None:
        from app.display.words import visible_lines

        self.print(json.dumps(document, allow_nan=False) if self.as_json else visible_lines("\n".join(lines)))

    def print(self, text: str) -> None:
        """Print a text as it is; JSON is in ASCII, since lone surrogates have no encoding."""
        print(text, file=self.file)


@contextlib.contextmanager
def output(options: argparse.Namespace, *, private: bool = False) -> Iterator[Printer]:
    """Open stdout, or the file of --output, which is replaced when everything is written.

    See `files.writing` for special targets and refusals. Only its owner may read a private file.
    """
    path: Path | None = getattr(options, "output", None)
    if path is None:
        yield Printer(sys.stdout, as_json=wants_json(options))
    else:
        with written(path, private=private) as file:
            yield Printer(file, as_json=wants_json(options))


@contextlib.contextmanager
def written(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """Write a file atomically; raises MisuseError if it cannot be written."""
    with contextlib.ExitStack() as opened:
        with as_misuse(path):
            stream = opened.enter_context(files.writing(path, mode=files.PRIVATE if private else None))
        file = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="\n")
        yield file
        with as_misuse(path):
            file.flush()
            opened.close()


@contextlib.contextmanager
def as_misuse(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {files.why_unwritten(error)}.") from error


def escaped(sentence: object) -> str:
    """Escape a sentence for the terminal, since it may quote a file or an argument."""
    from app.display.words import visible

    return visible(str(sentence))


def is_confirmed(question: str) -> bool:
    """Ask on stderr for a yes; any other answer, and the end of the input, is a no."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def typed_password(place: str) -> str:
    """Read the password of this place from a hidden prompt or stdin."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    from getpass import getpass

    return getpass(f"Password of {place}: ")


LONGEST_SECONDS = 600.0
"""Longest wait of a command in seconds; importing a large file takes some minutes."""

WAITING = "Another program is writing to the library, as a long import does; this waits for it (Ctrl+C gives up)."

T = TypeVar("T")


class Unread(Generic[T]):
    """One-shot iterable that knows if it was started and cannot be read again."""

    def __init__(self, things: Iterable[T]) -> None:
        self._things = things
        self.is_begun = False

    def __iter__(self) -> Iterator[T]:
        for thing in self._things:
            self.is_begun = True
            yield thing


async def retry_while_locked(
    work: Callable[[], Awaitable[T]],
    *,
    again: Callable[[], bool] = lambda: True,
    longest: float = LONGEST_SECONDS,
    tell: Callable[[str], object] = lambda sentence: print(sentence, file=sys.stderr, flush=True),
) -> T:
    """Run work; repeat it while the store is busy, for at most `longest` seconds.

    The store itself delays each attempt by some seconds. Raises StoreBusyError after that, or once `again` returns
    False.
    """
    deadline, is_told = time.monotonic() + longest, False
    while True:
        try:
            return await work()
        except StoreBusyError:
            if time.monotonic() >= deadline or not again():
                raise
        if not is_told:
            is_told = True
            tell(WAITING)
