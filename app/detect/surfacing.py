"""How many memories an intent brings up by itself: the table of S4.12."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SurfacingRow:
    """From confidence `least` up to, but without, the row above: at most `count` memories. 1 belongs to the first."""

    least: float
    count: int


SURFACING: tuple[SurfacingRow, ...] = (SurfacingRow(0.8, 15), SurfacingRow(0.5, 10), SurfacingRow(0.3, 5))
"""000's table, the highest row first; under its last row nothing is surfaced."""


def surfacing_row(confidence: float, threshold: float) -> SurfacingRow | None:
    """The row that an intent's confidence falls into; None where nothing is surfaced."""
    if confidence < threshold:
        return None
    return next((row for row in SURFACING if confidence >= row.least), None)


def is_dead(row: SurfacingRow, threshold: float) -> bool:
    """Whether no confidence from the threshold on falls into the row."""
    return surfacing_row(max(row.least, threshold), threshold) is not row
