"""How much room each part of the scope gets: the table of the design, and what gives way when there is less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.gui.scope.panels.panel import HEAD

LEFT = (280.0, 440.0)
RIGHT = (288.0, 520.0)
BELOW = (160.0, 360.0)
CENTER = 540.0
LEAST_SIDE = 200.0
"""A pane at the side is made this narrow before the centre loses its winner and its confidence."""

SCORES_CENTER, LEAST_LEFT = 520.0, 240.0
"""A centre so wide shows all scores; for them the left side goes below the design's least."""

LEAST_CENTER = 320.0
LEAST_ABOVE = 400.0
"""With less height than this above it, the timing shrinks, then it is shown in one line of numbers."""

_NARROW, _WIDE = 1112.0, 1752.0
"""The widths, without the rail, of the two windows that the design gives sizes for."""


@dataclass(frozen=True, slots=True)
class Room:
    """Widths of the columns and heights of the rows, in units of the design.

    `below_left` is the width of the first pane below. `is_short`: what lies below is one line of numbers;
    `is_overlaid`: what gives way lies over the centre, when it is asked for.
    """

    left: float
    right: float
    above: float
    below: float
    below_left: float
    is_short: bool
    is_overlaid: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """Which sides have panes to show. `yields`: those at the right may give way; `opens`: those below are wanted as
    more than one line."""

    left: bool = True
    right: bool = True
    below: bool = True
    yields: bool = True
    opens: bool = True


def room(width: float, height: float, filled: Filled, wished: Mapping[str, float]) -> Room:
    """The room in a page of this size, in units; `wished` holds what a person dragged, by side."""
    share = _within((width - _NARROW) / (_WIDE - _NARROW), (0.0, 1.0))
    left = _within(wished.get("left", 296 + 88 * share), LEFT) if filled.left else 0.0
    right = _within(wished.get("right", 300 + 124 * share), RIGHT) if filled.right else 0.0
    overlaid = filled.right and filled.yields and width - min(left, LEFT[0]) - RIGHT[0] - 2 < CENTER
    beside = 0.0 if overlaid else right
    left, beside = _narrowed(left, beside, width - 2)
    below = _within(wished.get("below", 200 + 44 * share), BELOW)
    below = max(BELOW[0], min(below, height - LEAST_ABOVE))
    is_short = not filled.opens or height - below < LEAST_ABOVE
    below = (HEAD if is_short else below) if filled.below else 0.0
    return Room(left, right if overlaid else beside, height - below, below, 452 + 148 * share, is_short, overlaid)


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
