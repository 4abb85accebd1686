"""Measures the time from a key to the painted answer; reports only when typing pauses."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.display.scope.timing import ON_SCREEN

PAUSE_MS = 400
"""So long nothing must have been typed before times are handed on: drawing them would delay the next answer, and axes
stay as they are while someone types."""

MOST_KEPT = 1_000
"""The latest measurements that wait for that pause; without a bound, typing without a pause would fill the memory."""


class PaintClock(QObject):
    """Emits once per query: its stages as its answer is about to be painted, and the time when that is done."""

    noted = Signal(Sequence)  # list[dict[str, float]]: ms by stage, and until it was on screen

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
        """This question was not typed; its time says nothing."""
        self._noted = generation

    def expect(self, generation: int, stages: dict[str, float]) -> bool:
        """The answer to a question is about to be painted; False if its time is taken already."""
        if generation <= self._noted:
            return False
        self._noted = generation
        self._expected = stages
        return True

    def painted(self, keyed_at: float) -> None:
        """A picture is done; the key came at that time of perf_counter()."""
        expected, self._expected = self._expected, None
        if expected is not None:
            expected[ON_SCREEN] = (perf_counter() - keyed_at) * 1000.0
            self._kept.append(expected)
            self._pause.start()

    def _hand_on(self) -> None:
        kept = list(self._kept)
        self._kept.clear()
        self.noted.emit(kept)
