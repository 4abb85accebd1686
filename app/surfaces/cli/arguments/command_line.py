"""Classification of an unparsed command line: files to open, or output for a program."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from app.surfaces.hook.engine_client import first_word

WINDOW = "gui"

FOR_PROGRAMS = frozenset({"hook", "engine", "mcp", "serve"})
"""Commands whose output is read by programs."""


def with_command(words: Sequence[str], commands: Collection[str]) -> list[str]:
    """Return the words with the window's command inserted before files in the command's place.

    A word that is neither a command nor like a file stays: it is a misspelt command.
    """
    found = list(words)
    place = first_word(found)
    if place is not None and found[place] not in commands and _is_file(found[place]):
        found.insert(place, WINDOW)
    return found


def is_logged(words: Sequence[str]) -> bool:
    """Check if stderr is a log: an assistant's, or the desktop's for a window."""
    place = first_word(words)
    return place is None or words[place] in {WINDOW, *FOR_PROGRAMS}


def files_of(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Return the absolute paths that exist, and those that do not."""
    paths = [Path(name).absolute() for name in names]
    return [path for path in paths if path.exists()], [path for path in paths if not path.exists()]


def _is_file(word: str) -> bool:
    separators = {os.sep, os.altsep or os.sep, "."}
    return any(separator in word for separator in separators) or Path(word).exists()
