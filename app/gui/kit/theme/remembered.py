"""Colours and motion of the last run, for the first frame.

The library with the settings is not open yet. Sizes are not remembered: the window opens in its usual size, and its
text grows with the settings.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from app.gui.kit.theme.theme import Appearance, Mode, Preference

FILE = "look.json"

log = logging.getLogger(__name__)


def read(file: Path) -> Appearance:
    """Read the stored appearance; the default one without a file, or if it is damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Appearance(Mode(found["theme"]), Preference(found["high_contrast"]), Preference(found["reduced_motion"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Appearance()


def write(appearance: Appearance, file: Path) -> None:
    """Store the appearance atomically; a read-only profile keeps its file."""
    from app.files import write_private

    look = {
        "theme": appearance.mode,
        "high_contrast": appearance.high_contrast,
        "reduced_motion": appearance.reduced_motion,
    }
    try:
        write_private(file, json.dumps(look).encode(), waits=False)
    except OSError as error:
        log.info("The appearance is not stored: %s", error)
