"""What a command line is for, told before it is parsed: files to open, or answers to a program."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from app.surfaces.hook.engine_client import first_word

WINDOW = "gui"

FOR_PROGRAMS = frozenset({"hook", "engine", "mcp", "serve"})
"""The commands that answer programs, which know English."""


def with_command(words: Sequence[str], commands: Collection[str]) -> list[str]:
    """The words with the window's command put before files that stand where a command would.

    A word that is neither a command nor a file, nor looks like the path of one, stays: it is a command misspelt.
    """
    found = list(words)
    place = first_word(found)
    if place is not None and found[place] not in commands and _is_file(found[place]):
        found.insert(place, WINDOW)
    return found


def is_for_programs(words: Sequence[str]) -> bool:
    """Whether a program reads what comes of a command line."""
    place = first_word(words)
    return "--json" in words or (place is not None and words[place] in FOR_PROGRAMS)


def is_logged(words: Sequence[str]) -> bool:
    """Whether the stderr of a command line is somebody's log: that of an assistant, or of the desktop for a window."""
    place = first_word(words)
    return place is None or words[place] in {WINDOW, *FOR_PROGRAMS}


def files_of(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The files and folders that are there, by their whole paths, and those that are not."""
    paths = [Path(name).absolute() for name in names]
    return [path for path in paths if path.exists()], [path for path in paths if not path.exists()]


def _is_file(word: str) -> bool:
    separators = {os.sep, os.altsep or os.sep, "."}
    return any(separator in word for separator in separators) or Path(word).exists()
