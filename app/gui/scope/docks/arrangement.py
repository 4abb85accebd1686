"""Designed space of each part of the scope, and the user's arrangement of panes in a file."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

# ---- Space of each part: the design's table, and what shrinks if there is less.


LEFT = (280.0, 440.0)
RIGHT = (288.0, 620.0)
BELOW = (160.0, 360.0)
CENTER = 540.0
LEAST_SIDE = 200.0
"""Minimum width of a side pane, to which it shrinks before the centre loses columns."""

SCORES_CENTER, LEAST_LEFT = 520.0, 240.0
"""Centre width that shows all scores, and the left width that it may force."""

LEAST_CENTER = 320.0
LEAST_ABOVE = 400.0
"""Minimum height above the lower panes, which shrink for it."""

_NARROW, _WIDE = 1112.0, 1752.0
"""Widths, without the rail, of the two windows for which the design has sizes."""


@dataclass(frozen=True, slots=True)
class Room:
    """Widths of columns and heights of rows, in units.

    `is_overlaid`: the pane without space lies over the centre when opened.
    """

    left: float
    right: float
    above: float
    below: float
    is_overlaid: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """Sides that have open panes; `yields`: the right side may be overlaid."""

    left: bool = True
    right: bool = True
    below: bool = True
    yields: bool = True


def room(width: float, height: float, filled: Filled, wished: Mapping[str, float]) -> Room:
    """Return the space in a page of this size, in units; `wished` has dragged sizes by side."""
    share = _within((width - _NARROW) / (_WIDE - _NARROW), (0.0, 1.0))
    left = _within(wished.get("left", 296 + 88 * share), LEFT) if filled.left else 0.0
    right = _within(wished.get("right", 440 + 140 * share), RIGHT) if filled.right else 0.0
    overlaid = filled.right and filled.yields and width - min(left, LEFT[0]) - RIGHT[0] - 2 < CENTER
    beside = 0.0 if overlaid else right
    left, beside = _narrowed(left, beside, width - 2)
    below = _within(wished.get("below", 200 + 44 * share), BELOW)
    below = max(BELOW[0], min(below, height - LEAST_ABOVE)) if filled.below else 0.0
    return Room(left, right if overlaid else beside, height - below, below, overlaid)


def _narrowed(left: float, right: float, width: float) -> tuple[float, float]:
    """Return the side widths that the centre leaves: the design's minimum, then `LEAST_SIDE`."""
    for center, least_left, least_right in (
        (CENTER, LEFT[0], RIGHT[0]),
        (SCORES_CENTER, LEAST_LEFT, RIGHT[0]),
        (LEAST_CENTER, LEAST_SIDE, LEAST_SIDE),
    ):
        missing = center - (width - left - right)
        taken = _within(missing, (0.0, max(0.0, left - least_left)))
        left, missing = left - taken, missing - taken
        right -= _within(missing, (0.0, max(0.0, right - least_right)))
    return left, right


def _within(value: float, bounds: tuple[float, float]) -> float:
    return max(bounds[0], min(bounds[1], value))


# ---- The user's arrangement of panes, stored in the profile.


log = logging.getLogger(__name__)

FORMAT = 2
"""Version of the file format; files of other versions are ignored."""

FILE = "panes.json"
_LARGEST = 100_000


class Place(StrEnum):
    """Place of a pane around the centre."""

    LEFT = "left"
    RIGHT = "right"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane; `floats` is its floating rectangle (x, y, width, height in pixels), if any."""

    place: Place
    is_shown: bool = True
    floats: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Panes in order, dragged sizes in units, and open sections of *Selected*.

    Sizes are stored by place ("left": the width of that column) and by pane (its share of its column).
    """

    panes: Mapping[str, Pane] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    sections: frozenset[str] = frozenset()


def read(file: Path) -> Arrangement | None:
    """Read the stored arrangement; None without one, or if damaged or of another format."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            return None
        panes = {str(key): _pane(kept) for key, kept in found["panes"].items()}
        sizes = {str(key): _size(kept) for key, kept in found["sizes"].items()}
        sections = frozenset(str(key) for key in found.get("sections", ()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Arrangement(panes, sizes, sections)


def write(arrangement: Arrangement, file: Path) -> None:
    """Store the arrangement atomically; a read-only profile keeps its file."""
    from app.files import write_private

    panes = {
        key: {"place": pane.place, "shown": pane.is_shown, "floats": pane.floats}
        for key, pane in arrangement.panes.items()
    }
    sections = sorted(arrangement.sections)
    kept = {"format": FORMAT, "panes": panes, "sizes": dict(arrangement.sizes), "sections": sections}
    text = json.dumps(kept, indent=1)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(file, text.encode(), waits=False)
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
