"""Designed space of each part of the scope, and the user's arrangement of panes in a file."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
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


def room(
    width: float,
    height: float,
    wished: Mapping[str, float],
    *,
    left: bool = True,
    right: bool = True,
    below: bool = True,
    yields: bool = True,
) -> Room:
    """Return the space in a page of this size, in units; `wished` has dragged sizes by side.

    `left`, `right` and `below` have open panes; `yields`: the right side may be overlaid.
    """
    share = _within((width - _NARROW) / (_WIDE - _NARROW), (0.0, 1.0))
    at_left = _within(wished.get("left", 296 + 88 * share), LEFT) if left else 0.0
    at_right = _within(wished.get("right", 440 + 140 * share), RIGHT) if right else 0.0
    overlaid = right and yields and width - min(at_left, LEFT[0]) - RIGHT[0] - 2 < CENTER
    at_left, beside = _narrowed(at_left, 0.0 if overlaid else at_right, width - 2)
    high = _within(wished.get("below", 200 + 44 * share), BELOW)
    high = max(BELOW[0], min(high, height - LEAST_ABOVE)) if below else 0.0
    return Room(at_left, at_right if overlaid else beside, height - high, high, overlaid)


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
    LEFT = "left"
    RIGHT = "right"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane; `floats` is its floating rectangle (x, y, width, height in pixels), if any."""

    place: Place
    shown: bool = True
    floats: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Panes in order, dragged sizes in units, and open sections of *Selected*.

    Sizes are stored by place ("left": the width of that column) and by pane (its share of its column).
    """

    panes: Mapping[str, Pane]
    sizes: Mapping[str, float]
    sections: frozenset[str] = frozenset()


def read(file: Path) -> Arrangement | None:
    """Read the stored arrangement; None without one, or if damaged or of another format."""
    try:
        found = json.loads(file.read_bytes())
        if found["format"] != FORMAT:
            return None
        panes = {key: _pane(stored) for key, stored in found["panes"].items()}
        sizes = {key: _size(stored) for key, stored in found["sizes"].items()}
        return Arrangement(panes, sizes, frozenset(map(str, found.get("sections", ()))))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _pane(stored: Any) -> Pane:
    """Read one pane; raises ValueError, KeyError or TypeError for a damaged one."""
    floats = stored["floats"]
    if floats is not None:
        x, y, width, height = (int(_size(abs(side))) * (-1 if side < 0 else 1) for side in floats)
        if width <= 0 or height <= 0:
            raise ValueError
        floats = (x, y, width, height)
    if not isinstance(stored["shown"], bool):
        raise TypeError
    return Pane(Place(stored["place"]), stored["shown"], floats)


def _size(stored: Any) -> float:
    if isinstance(stored, bool) or not 0 <= stored <= _LARGEST:
        raise ValueError
    return float(stored)


def write(arrangement: Arrangement, file: Path) -> None:
    """Store the arrangement atomically; a read-only profile keeps its file."""
    from app.files import write_private

    stored = asdict(arrangement) | {"format": FORMAT, "sections": sorted(arrangement.sections)}
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(file, json.dumps(stored, indent=1).encode(), waits=False)
    except OSError as error:
        log.info("The arrangement of the panes is not kept: %s", error)
