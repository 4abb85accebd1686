"""Starts of the program: by which words, in which profile, and what one of the window asks for, be it this process's
own or one that another process hands over."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LONGEST_QUERY, LONGEST_PATH, MOST_FILES, LONGEST_TOKEN = 100_000, 4_096, 100, 512


@dataclass(frozen=True, slots=True)
class Start:
    """A query to type, files and library folders to open, and what the desktop gave to come to the front with."""

    query: str | None = None
    files: tuple[Path, ...] = ()
    activation: str = ""

    def document(self) -> dict[str, object]:
        """The start as JSON takes it, files by their whole paths."""
        files = [str(path.absolute()) for path in self.files]
        return {"query": self.query, "files": files, "activation": self.activation}


def start_of(found: object) -> Start:
    """The start that a document of whoever sent it describes; ValueError if it is none, or too large."""
    if not isinstance(found, Mapping):
        raise ValueError("a start is a table")
    query, files, activation = found.get("query"), found.get("files", []), found.get("activation", "")
    if not (query is None or (isinstance(query, str) and len(query) <= LONGEST_QUERY)):
        raise ValueError("the query is no text, or too long")
    if not isinstance(files, list) or len(files) > MOST_FILES:
        raise ValueError("the files are no list, or too many")
    if not (isinstance(activation, str) and len(activation) <= LONGEST_TOKEN and _is_plain(activation)):
        raise ValueError("the desktop gives no such word")
    return Start(query, tuple(map(_path, files)), activation)


def _path(name: object) -> Path:
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_PATH or "\0" in name:
        raise ValueError("a file has no such name")
    path = Path(name)
    if not path.is_absolute():
        raise ValueError("a file is named by its whole path")
    return path


def _is_plain(text: str) -> bool:
    return text.isascii() and (not text or text.isprintable())


PROGRAM = "intentscope"
"""How the installed program is called."""


def own_command(profile: Path | None) -> list[str]:
    """The program and its words that answer for a profile, None for the usual one, from any working directory."""
    python = Path(sys.executable)
    script = python.with_name(f"{PROGRAM}{python.suffix}")
    if getattr(sys, "frozen", False):
        words = [str(python)]
    elif script.is_file():
        words = [str(script)]
    else:
        words = [str(python), "-m", "app"]
    return words if profile is None else [*words, "--profile", str(profile)]


SETTINGS_FILE = "settings.toml"
"""What the settings of a profile are called in it."""


def all_data() -> Path:
    """The folder of all profiles, and of what they share."""
    import platformdirs  # a window that is told its profile paints without

    return Path(platformdirs.user_data_dir("intentscope", appauthor=False))


def usual_profile() -> Path:
    """The profile of who names none."""
    return all_data() / "default"
