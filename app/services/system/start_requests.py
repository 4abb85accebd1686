"""Program starts: command line, profile folder, and the request passed to an open window."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LONGEST_QUERY, LONGEST_PATH, MOST_FILES, LONGEST_TOKEN = 100_000, 4_096, 100, 512


@dataclass(frozen=True, slots=True)
class StartRequest:
    """Request of a new start to the window: query, files, and the desktop's activation token."""

    query: str | None = None
    files: tuple[Path, ...] = ()
    activation: str = ""

    def document(self) -> dict[str, object]:
        """Return the request as a JSON object, files by absolute paths."""
        files = [str(path.absolute()) for path in self.files]
        return {"query": self.query, "files": files, "activation": self.activation}


def parse_start_request(found: object) -> StartRequest:
    """Parse the JSON object of another process; raises ValueError if it is invalid or too large."""
    if not isinstance(found, Mapping):
        raise ValueError("a start is a table")
    query, files, activation = found.get("query"), found.get("files", []), found.get("activation", "")
    if not (query is None or (isinstance(query, str) and len(query) <= LONGEST_QUERY)):
        raise ValueError("the query is not a text, or too long")
    if not isinstance(files, list) or len(files) > MOST_FILES:
        raise ValueError("the files are not a list, or too many")
    is_plain = isinstance(activation, str) and activation.isascii() and activation.isprintable()
    if not is_plain or len(activation) > LONGEST_TOKEN:
        raise ValueError("the desktop gives no such word")
    return StartRequest(query, tuple(map(_path, files)), activation)


def _path(name: object) -> Path:
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_PATH or "\0" in name:
        raise ValueError("a file has no such name")
    path = Path(name)
    if not path.is_absolute():
        raise ValueError("a file is named by its whole path")
    return path


PROGRAM = "intentscope"
"""Name of the installed program."""


def own_command(profile: Path | None) -> list[str]:
    """Return the command that starts this program for a profile (None: default), from anywhere."""
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
"""Settings file in the folder of a profile."""


def data_folder() -> Path:
    """Return the folder of all profiles and of their shared data."""
    import platformdirs  # a window with an explicit profile starts without it

    return Path(platformdirs.user_data_dir("intentscope", appauthor=False))


def default_profile() -> Path:
    return data_folder() / "default"
