"""Gaps between a timer's beats, in which the window's thread did not answer, with causes."""

import faulthandler
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter, thread_time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 1
BINS_MS = (1.0, 2.0, 4.0, 8.0, 16.0, 33.0, 66.0, 133.0)
"""Upper ends of the histogram's bins; the last bin has none."""

BLOCKED_MS = 8.0
"""Maximum time in ms for which this program may block the window's thread."""

LONGEST_BAR = 40
LONGEST_SHOWN = 5

LOOK_SECONDS = 0.002
_THREAD, _FRAME = re.compile(r"hread (0x\w+)"), re.compile(r'File "(.+)", line \d+ in (\S+)')
_IDLE = ("worker._run", "fetching._fetch")
LATE_MS = 5.0
"""Delay in ms from which on the cause of a late beat is sampled.

This is also the interval: more samples would block the thread themselves.
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """One late beat, in ms.

    `wall` is the time without an answer, `cpu` the time that this thread ran, and `queued` the time that it waited
    for a core used by others. The rest is waiting for the interpreter or a lock.
    """

    at: float
    wall: float
    cpu: float
    queued: float
    held_by: str = ""
    """Outermost and innermost functions of the program that were seen running; "" if none."""

    @property
    def waited(self) -> float:
        """Waiting time for Python's interpreter lock, or for another lock of the process."""
        return max(0.0, self.wall - self.cpu - self.queued)

    @property
    def ours(self) -> float:
        """Time caused by this program: all except waiting for a core."""
        return self.cpu + self.waited


class Heartbeat(QObject):
    """Timer of one beat per millisecond on its thread, with all gaps."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gaps: list[Gap] = []
        self._queue = _opened(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat"))
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._last = (0.0, 0.0, 0.0)
        self._seen: Counter[str] = Counter()
        self._thread = threading.get_ident()
        self._looks: threading.Thread | None = None

    def start(self) -> None:
        self.gaps = []
        self._seen.clear()
        self._last = self._now()
        self._timer.start(BEAT_MS)
        self._looks = threading.Thread(target=self._look, daemon=True)
        self._looks.start()

    def stop(self) -> list[Gap]:
        self._timer.stop()
        looks, self._looks = self._looks, None
        if looks is not None:
            looks.join()
        return self.gaps

    def _beat(self) -> None:
        before, self._last = self._last, self._now()
        wall, cpu, queued = (now - then for now, then in zip(self._last, before, strict=True))
        held_by = self._seen.most_common(1)[0][0] if self._seen else ""
        self._seen.clear()
        self.gaps.append(Gap(before[0], wall, cpu, queued, held_by))

    def _look(self) -> None:
        """Sample on a separate thread what runs while a beat is late."""
        while self._looks is not None:
            time.sleep(LOOK_SECONDS)
            if perf_counter() * 1000.0 - self._last[0] > LATE_MS:
                self._seen[_at_work(self._thread)] += 1

    def _now(self) -> tuple[float, float, float]:
        # On a system without this figure everything counts as ours.
        queued = int(os.pread(self._queue, 64, 0).split()[1]) / 1e6 if self._queue is not None else 0.0
        return perf_counter() * 1000.0, thread_time() * 1000.0, queued


def _opened(path: Path) -> int | None:
    """Open a file permanently.

    Opening it at every beat would cost more than the measured effects.
    """
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _at_work(thread: int) -> str:
    """Return the outermost and innermost functions of a thread, then the others' innermost.

    The fault handler writes them, as reading another thread's frames while it is in Qt crashes.
    """
    # In memory, as the writing thread holds the interpreter, and a disk may block it.
    with os.fdopen(os.memfd_create("frames"), "w+") if hasattr(os, "memfd_create") else TemporaryFile("w+") as stream:
        faulthandler.dump_traceback(stream)
        stream.seek(0)
        told = stream.read().split("\n\n")
    own, others = "Qt alone", []
    for part in told:
        names = [f"{Path(file).stem}.{name}" for file, name in _FRAME.findall(part) if "app" in Path(file).parts]
        if int(_THREAD.findall(part)[0], 16) == thread:
            own = " > ".join(dict.fromkeys([*names[-1:], *names[:1]])) or own
        elif names and names[0] not in _IDLE:
            others.append(names[0])
    return f"{own}; beside it {', '.join(others)}" if others else own


def histogram(gaps: Sequence[Gap]) -> str:
    """Format a histogram of gaps, by wall time and by our part, and our longest ones."""
    lines = [f"{'gap, ms':>12}  {'by the clock':>12}  {'ours':>7}"]
    ends = (*BINS_MS, float("inf"))
    for low, high in zip((0.0, *BINS_MS), ends, strict=True):
        wall = sum(low <= gap.wall < high for gap in gaps)
        ours = sum(low <= gap.ours < high for gap in gaps)
        name = f"{low:g} to {high:g}" if high < float("inf") else f"over {low:g}"
        lines.append(f"{name:>12}  {wall:>12,}  {ours:>7,}  {'#' * round(LONGEST_BAR * ours / max(1, len(gaps)))}")
    over = sum(gap.ours > BLOCKED_MS for gap in gaps)
    lines.append(
        f"{len(gaps):,} beats, {over:,} held by us for more than {BLOCKED_MS:g} ms ({over / max(1, len(gaps)):.2%})"
    )
    lines += [
        f"  {gap.wall:6.1f} ms: ran {gap.cpu:.1f}, waited for the interpreter or a lock {gap.waited:.1f}, "
        f"for a core {gap.queued:.1f}; {gap.held_by or 'nothing of the program was seen'}"
        for gap in sorted(gaps, key=lambda gap: -gap.ours)[:LONGEST_SHOWN]
    ]
    holders = Counter(gap.held_by for gap in gaps if gap.ours > BLOCKED_MS)
    lines += [f"  {count:>4} times {name or 'nothing seen'}" for name, count in holders.most_common(LONGEST_SHOWN)]
    return "\n".join(lines)
