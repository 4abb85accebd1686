"""Time from a key to the painted answer; reported when typing pauses."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.display.scope.timing import ON_SCREEN

PAUSE_MS = 400
"""Pause in ms before times are reported: drawing them would delay the next answer."""

MOST_KEPT = 1_000
"""Limit of measurements waiting for a pause."""


class PaintClock(QObject):
    """Emits once per query: its stages, and the time when its answer is painted."""

    noted = Signal(Sequence)  # list[dict[str, float]]: ms by stage, and until the answer was on screen

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._noted = -1
        self._expected: dict[str, float] | None = None
        self._kept: deque[dict[str, float]] = deque(maxlen=MOST_KEPT)
        self._pause = QTimer(self, singleShot=True)
        self._pause.setTimerType(Qt.TimerType.CoarseTimer)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._hand_on)

    def typing(self) -> None:
        """Note a key: pending measurements are reported later."""
        if self._kept:
            self._pause.start()

    def skip(self, generation: int) -> None:
        """Ignore a query that was not typed."""
        self._noted = generation

    def expect(self, generation: int, stages: dict[str, float]) -> bool:
        """Note that an answer is about to be painted; False if it is already measured."""
        if generation <= self._noted:
            return False
        self._noted = generation
        self._expected = stages
        return True

    def painted(self, keyed_at: float) -> None:
        """Note a finished painting, and the time of its key by perf_counter()."""
        expected, self._expected = self._expected, None
        if expected is not None:
            expected[ON_SCREEN] = (perf_counter() - keyed_at) * 1000.0
            self._kept.append(expected)
            self._pause.start()

    def _hand_on(self) -> None:
        kept = list(self._kept)
        self._kept.clear()
        self.noted.emit(kept)
