"""How long does a floor wait for the better answer before it is shown?"""

from __future__ import annotations

FRAME_MS = 16
"""One frame. Showing floor and better answer within it would make the rows jump twice a key."""

SHOWN_AFTER_MS = 10.0
"""So long after its key a floor shows if nothing better has come: what is left of the frame is for painting it."""

EARLY_MS = 8.0
"""A floor that is later than this tells of a busy machine, where painting twice a key would only make more of it so."""


def floor_wait(after_ms: float | None) -> int:
    """How long a floor that came so long after its key waits, in ms; None for one that no key asked for."""
    if after_ms is None or after_ms > EARLY_MS:
        return FRAME_MS
    return round(SHOWN_AFTER_MS - after_ms)
