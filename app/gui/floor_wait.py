"""How long does a floor wait for the better answer before it is shown?"""

from __future__ import annotations

FRAME_MS = 16
"""One frame. Showing floor and better answer within it would make the rows jump twice a key."""

SHOWN_AFTER_MS = 5.0
"""So long after its key a floor shows if nothing better has come: what is left of the frame is for painting it."""


def floor_wait(after_ms: float | None) -> int:
    """How long a floor that came so long after its key waits, in ms; None for one that no key asked for."""
    return FRAME_MS if after_ms is None else max(0, round(SHOWN_AFTER_MS - after_ms))
