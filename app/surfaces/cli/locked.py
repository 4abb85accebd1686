"""Files on the command line without a command: they are opened in the window."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from app.domain.errors import StoreBusyError

VALUED = ("--profile", "--settings", "--set", "--output", "--exit-after", "--query")
"""The options before a command that take the next word."""

WINDOW = "gui"


def with_command(words: Sequence[str], commands: Collection[str]) -> list[str]:
    """The words with the window's command put before files that stand where a command would.

    A word that is neither a command nor a file, nor looks like the path of one, stays: it is a command misspelt.
    """
    found = list(words)
    place = _first(found)
    if place is not None and found[place] not in commands and _is_file(found[place]):
        found.insert(place, WINDOW)
    return found


def files_of(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The files and folders that are there, by their whole paths, and those that are not."""
    paths = [Path(name).absolute() for name in names]
    return [path for path in paths if path.exists()], [path for path in paths if not path.exists()]


def _first(words: Sequence[str]) -> int | None:
    """The place of the first word that is no option and no option's value."""
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return place
        place += 2 if word in VALUED else 1
    return None


def _is_file(word: str) -> bool:
    separators = {os.sep, os.altsep or os.sep, "."}
    return any(separator in word for separator in separators) or Path(word).exists()


# --------------------------------------------------------------------------------------------------------------------
# A command that has to write waits, and says so, while another program is writing to the library

T = TypeVar("T")

LONGEST_SECONDS = 600.0
"""So long a command waits at most; the import of a large file takes some minutes."""

WAITING = "Another program is writing to the library, as a long import does; this waits for it (Ctrl+C gives up)."


class Unread(Generic[T]):
    """Things to be read once, which know whether that has begun: what was read of them cannot be had again."""

    def __init__(self, things: Iterable[T]) -> None:
        self._things = things
        self.is_begun = False

    def __iter__(self) -> Iterator[T]:
        for thing in self._things:
            self.is_begun = True
            yield thing


async def patiently(
    work: Callable[[], Awaitable[T]],
    *,
    again: Callable[[], bool] = lambda: True,
    longest: float = LONGEST_SECONDS,
    tell: Callable[[str], object] = lambda sentence: print(sentence, file=sys.stderr, flush=True),
) -> T:
    """What the work comes to. While the store is busy it is begun anew, which the store itself delays by some seconds,
    for at most `longest` seconds and as long as `again` allows it; then StoreBusyError."""
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
