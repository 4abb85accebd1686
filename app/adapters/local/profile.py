"""Where a profile is kept: as chosen, else where this system keeps programs' data."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from app.settings.model import Choices  # the window is painted before the settings are read


SETTINGS_FILE = "settings.toml"
PROFILES_FILE = "profiles.json"


def profile_folder(choices: Choices) -> Path:
    """The folder of library, settings, log and caches."""
    return profile_at(choices.profile)


def profile_at(chosen: Path | None) -> Path:
    """The profile's folder: the one that was chosen, or the usual one."""
    return chosen or _all_data() / "default"


def settings_file(choices: Choices) -> Path:
    """The settings file, which need not be there."""
    return choices.settings or profile_folder(choices) / SETTINGS_FILE


def settings_at(chosen: Path | None, profile: Path) -> Path:
    """The settings file: the one that was chosen, or the profile's own."""
    return chosen or profile / SETTINGS_FILE


def profiles_list() -> Path:
    """The file that remembers which profiles were opened from a window."""
    return _all_data() / PROFILES_FILE


def encoders_folder() -> Path:
    """Where encoders are kept that a person had fetched: too large for each profile to have its own."""
    return _all_data() / "encoders"


def _all_data() -> Path:
    return Path(platformdirs.user_data_dir("intentscope", appauthor=False))


# --------------------------------------------------------------------------------------------------------------------
# Small files of a profile: read by their owner alone, and replaced whole or not at all


def write_private(file: Path, content: bytes) -> None:
    """Put content in the place of a file, with mode 0600; the old one stays until the new one is on the disk. OSError,
    after which nothing is left beside it."""
    handle, name = mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        with suppress(OSError):  # it took the other's place, or cannot be tidied either
            draft.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the disk know what the files of a folder are called by now, where a system can say so; OSError."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
