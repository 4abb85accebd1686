"""Where a profile is kept: as chosen, else where this system keeps programs' data."""

from __future__ import annotations

from pathlib import Path
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
    """The same for a folder that may have been chosen."""
    return chosen or _all_data() / "default"


def settings_file(choices: Choices) -> Path:
    """The settings file, which need not be there."""
    return choices.settings or profile_folder(choices) / SETTINGS_FILE


def settings_at(chosen: Path | None, profile: Path) -> Path:
    """The same for a file that may have been chosen."""
    return chosen or profile / SETTINGS_FILE


def profiles_list() -> Path:
    """The file that remembers which profiles were opened from a window."""
    return _all_data() / PROFILES_FILE


def _all_data() -> Path:
    return Path(platformdirs.user_data_dir("intentscope", appauthor=False))
