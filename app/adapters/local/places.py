"""Where the system wants the data of programs; imported by the prompt hook, too, which has little time."""

from __future__ import annotations

from pathlib import Path

import platformdirs

SETTINGS_FILE = "settings.toml"
"""What the settings of a profile are called in it."""


def all_data() -> Path:
    """The folder of all profiles, and of what they share."""
    return Path(platformdirs.user_data_dir("intentscope", appauthor=False))


def usual_profile() -> Path:
    """The profile of who names none."""
    return all_data() / "default"
