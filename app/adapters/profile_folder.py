"""Where a profile is kept: as chosen, else where this system keeps programs' data."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from app.settings import Choices

SETTINGS_FILE = "settings.toml"


def profile_folder(choices: Choices) -> Path:
    """The folder of library, settings, log and caches."""
    return choices.profile or Path(platformdirs.user_data_dir("intentscope", appauthor=False)) / "default"


def settings_file(choices: Choices) -> Path:
    """The settings file, which need not be there."""
    return choices.settings or profile_folder(choices) / SETTINGS_FILE
