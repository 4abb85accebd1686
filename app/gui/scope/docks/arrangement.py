"""The room of each part of the scope by design, and the user's arrangement of the panes, stored in a file."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

# ---- How much room each part of the scope gets: the table of the design, and what gives way when there is less.


LEFT = (280.0, 440.0)
RIGHT = (288.0, 620.0)
BELOW = (160.0, 360.0)
CENTER = 540.0
LEAST_SIDE = 200.0
"""A pane at the side is made this narrow before the centre loses its winner and its confidence."""

SCORES_CENTER, LEAST_LEFT = 520.0, 240.0
"""A centre so wide shows all scores; for them the left side goes below the design's least."""

LEAST_CENTER = 320.0
LEAST_ABOVE = 400.0
"""With less height than this above them, the panes below shrink."""

_NARROW, _WIDE = 1112.0, 1752.0
"""The widths, without the rail, of the two windows that the design gives sizes for."""


@dataclass(frozen=True, slots=True)
class Room:
    """Widths of columns and heights of rows, in units. `is_overlaid`: what gives way lies over the centre, when it is
    asked for."""

    left: float
    right: float
    above: float
    below: float
    is_overlaid: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """Which sides have open panes. `yields`: the right side may give way."""

    left: bool = True
    right: bool = True
    below: bool = True
    yields: bool = True


def room(width: float, height: float, filled: Filled, wished: Mapping[str, float]) -> Room:
    """The room in a page of this size, in units; `wished` has dragged sizes by side."""
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
    """The sides as wide as the centre leaves them: first down to the design's least, then to ours."""
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


# ---- How a person arranged the panes, and the file in the profile that remembers it over restarts.


log = logging.getLogger(__name__)

FORMAT = 2
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
    """The panes in the order in which they lie in their places, the sizes that were dragged, in units, and which
    sections of *Selected* are open.

    Sizes are kept by place ("left": the width of that column) and by pane (its share of its column).
    """

    panes: Mapping[str, Pane] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    sections: frozenset[str] = frozenset()


def read(file: Path) -> Arrangement | None:
    """The stored arrangement; None without one, or if the file is damaged or of another format."""
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
    """Store the arrangement atomically; a read-only profile keeps what it has."""
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
