"""How long does a floor wait for the better answer before it is shown?"""

from __future__ import annotations

from collections import deque

FRAME_MS = 16
"""One frame. Showing floor and better answer within it would make the rows jump twice a key, and drawing the one would
keep the other waiting."""

SHOWN_AFTER_MS = 9.0
"""So long after its key a floor shows if nothing better has come: what is left of the frame is for painting it."""

LATELY = 9
"""So many better answers tell how soon the next one is to be expected."""


class FloorWait:
    """Waits for a better answer where those that came lately came within the frame of their keys.

    With an encoder that is quick enough, most keys have one picture, with meaning, sooner than after a picture without
    it. Where it takes longer, as with a large library or a slow machine, the floor shows at once.
    """

    def __init__(self) -> None:
        self._lately: deque[bool] = deque(maxlen=LATELY)

    def note(self, after_ms: float | None) -> None:
        """A better answer came so long after its key; None for one that no key asked for."""
        if after_ms is not None:
            self._lately.append(after_ms <= FRAME_MS)

    def wait(self, after_ms: float | None) -> int:
        """How long a floor that came so long after its key waits, in ms; None for one that no key asked for."""
        if after_ms is None:
            return FRAME_MS
        is_near = 2 * sum(self._lately) >= len(self._lately)
        return max(0, round(SHOWN_AFTER_MS - after_ms)) if is_near else 0
