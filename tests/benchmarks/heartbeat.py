"""How long does the window's thread not answer? Gaps between the beats of a timer, and what each was spent on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, thread_time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 1
BINS_MS = (1.0, 2.0, 4.0, 8.0, 16.0, 33.0, 66.0, 133.0)
"""Upper ends of the histogram's bins; the last bin has none."""

BLOCKED_MS = 8.0
"""The window's thread may be held by this program for so long at most."""

LONGEST_BAR = 40


@dataclass(frozen=True, slots=True)
class Gap:
    """One beat that came late: how long nothing was answered, and how much of that this thread ran, or waited for a
    core because other threads or programs had them; the rest it waited for the interpreter or a lock. All in ms."""

    at: float
    wall: float
    cpu: float
    queued: float

    @property
    def waited(self) -> float:
        """For Python's interpreter lock, or for another of the process."""
        return max(0.0, self.wall - self.cpu - self.queued)

    @property
    def ours(self) -> float:
        """What this program did: all but the waiting for a core."""
        return self.cpu + self.waited


class Heartbeat(QObject):
    """Beats once a millisecond on the thread that makes it, and keeps every gap."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gaps: list[Gap] = []
        self._queue = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._last = (0.0, 0.0, 0.0)

    def start(self) -> None:
        self.gaps = []
        self._last = self._now()
        self._timer.start(BEAT_MS)

    def stop(self) -> list[Gap]:
        """Every gap since `start`."""
        self._timer.stop()
        return self.gaps

    def _beat(self) -> None:
        before, self._last = self._last, self._now()
        wall, cpu, queued = (now - then for now, then in zip(self._last, before, strict=True))
        self.gaps.append(Gap(before[0], wall, cpu, queued))

    def _now(self) -> tuple[float, float, float]:
        try:
            queued = int(self._queue.read_text().split()[1]) / 1e6
        except (OSError, IndexError):
            queued = 0.0  # a system that does not tell: then everything counts as ours
        return perf_counter() * 1000.0, thread_time() * 1000.0, queued


def histogram(gaps: Sequence[Gap]) -> str:
    """How many gaps were how long, by the clock and by what is ours, and the three longest of ours."""
    lines = [f"{'gap, ms':>12}  {'by the clock':>12}  {'ours':>7}"]
    ends = (*BINS_MS, float("inf"))
    for low, high in zip((0.0, *BINS_MS), ends, strict=True):
        wall = sum(low <= gap.wall < high for gap in gaps)
        ours = sum(low <= gap.ours < high for gap in gaps)
        name = f"{low:g} to {high:g}" if high < float("inf") else f"over {low:g}"
        bar = "#" * round(LONGEST_BAR * ours / max(1, len(gaps)))
        lines.append(f"{name:>12}  {wall:>12,}  {ours:>7,}  {bar}")
    over = sum(gap.ours > BLOCKED_MS for gap in gaps)
    lines.append(
        f"{len(gaps):,} beats, {over:,} held by us for more than {BLOCKED_MS:g} ms ({over / max(1, len(gaps)):.2%})"
    )
    lines += [
        f"  {gap.wall:6.1f} ms: ran {gap.cpu:.1f}, waited for the interpreter or a lock {gap.waited:.1f}, "
        f"for a core {gap.queued:.1f}"
        for gap in sorted(gaps, key=lambda gap: -gap.ours)[:3]
    ]
    return "\n".join(lines)
