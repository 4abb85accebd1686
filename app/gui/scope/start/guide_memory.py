"""The file in the profile that remembers what its guide has told, so that it tells each thing once."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from app.display.scope.guide import STEPS_FROM, Guided

log = logging.getLogger(__name__)

FILE = "guide.json"
FORMAT = 1
"""Raised when an older file would be misread; such a file is ignored."""


def read(file: Path) -> Guided:
    """What was remembered; nothing where there is no file, or it is damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            return Guided()
        told, taken = (frozenset(str(key) for key in found[name]) for name in ("told", "taken"))
        queries = min(STEPS_FROM, max(0, int(found["queries"])))
        return Guided(told, taken, queries, found["over"] is True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Guided()


def write(guided: Guided, file: Path) -> None:
    """Remember it, whole or not at all; a profile that cannot be written to keeps what it has."""
    from app.gui.kit.dialogs import PRIVATE, write_whole

    kept = {
        "format": FORMAT,
        "told": sorted(guided.told),
        "taken": sorted(guided.taken),
        "queries": guided.queries,
        "over": guided.is_over,
    }
    try:
        write_whole(file, json.dumps(kept, indent=1).encode(), waits=False, mode=PRIVATE)
    except OSError as error:
        log.info("What the guide has told is not kept: %s", error)
