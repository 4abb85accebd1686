"""How a person arranged the panes, and the file in the profile that remembers it over restarts."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

FORMAT = 1
"""Raised when an older file would be misread; such a file is ignored."""

FILE = "panes.json"
_LARGEST = 100_000


class Place(StrEnum):
    """Where a pane can lie around the centre."""

    LEFT = "left"
    RIGHT = "right"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane: its place, if it is shown, and where it floats (x, y, width, height in pixels) if it does."""

    place: Place
    is_shown: bool = True
    floats: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The panes in the order in which they lie in their places, the sizes that were dragged, in units, and whether what
    lies below is open (else it is shown in one line).

    Sizes are kept by place ("left": the width of that column) and by pane (its share of its column).
    """

    panes: Mapping[str, Pane] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    is_open_below: bool = False


def read(file: Path) -> Arrangement | None:
    """What was remembered; None if there is nothing, or it is damaged, or of another format."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            return None
        panes = {str(key): _pane(kept) for key, kept in found["panes"].items()}
        sizes = {str(key): _size(kept) for key, kept in found["sizes"].items()}
        is_open_below = found.get("open_below") is True
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Arrangement(panes, sizes, is_open_below)


def write(arrangement: Arrangement, file: Path) -> None:
    """Remember it, whole or not at all; a profile that cannot be written to keeps what it has."""
    from app.gui.kit.dialogs import PRIVATE, write_whole

    panes = {
        key: {"place": pane.place, "shown": pane.is_shown, "floats": pane.floats}
        for key, pane in arrangement.panes.items()
    }
    kept = {"format": FORMAT, "panes": panes, "sizes": dict(arrangement.sizes), "open_below": arrangement.is_open_below}
    text = json.dumps(kept, indent=1)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, text.encode(), waits=False, mode=PRIVATE)
    except OSError as error:
        log.info("The arrangement of the panes is not kept: %s", error)


def _pane(kept: Any) -> Pane:
    floats = kept["floats"]
    if floats is not None:
        x, y, width, height = (int(_size(abs(side))) * (-1 if side < 0 else 1) for side in floats)
        if width <= 0 or height <= 0:
            raise ValueError
        floats = (x, y, width, height)
    if not isinstance(kept["shown"], bool):
        raise TypeError
    return Pane(Place(kept["place"]), kept["shown"], floats)


def _size(kept: Any) -> float:
    if isinstance(kept, bool) or not 0 <= kept <= _LARGEST:
        raise ValueError
    return float(kept)
