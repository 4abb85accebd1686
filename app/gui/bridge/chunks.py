"""Makes what takes long in short turns of the window's loop, so that a key in between is answered at once."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

TURN_SECONDS = 0.002
"""No further step is begun so long after a turn began; what it made is laid out and drawn after it."""


class Chunks(QObject):
    """Goes through the steps of one thing after another, each as an iterator, until all are done."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._turn)

    @property
    def are_done(self) -> bool:
        return self._steps is None

    def begin(self, steps: Iterator[object]) -> None:
        """Take the first turn now, and the others as the loop comes round; what was under way before is done first."""
        self.finish()
        self._steps = steps
        self._turn()

    def finish(self) -> None:
        """Do all that is left now, for somebody who needs it whole; where a step asks for that, nothing changes."""
        steps, self._steps = self._steps, None
        self._timer.stop()
        for _ in steps or ():
            pass

    def _turn(self) -> None:
        steps, until = self._steps, perf_counter() + TURN_SECONDS
        for _ in steps or ():
            if perf_counter() >= until:
                self._timer.start()
                return
        self._steps = None
