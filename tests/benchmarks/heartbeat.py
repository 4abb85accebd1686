"""How long does the window's thread not answer? Gaps between the beats of a timer, and what each was spent on."""

from __future__ import annotations

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
"""The window's thread may be held by this program for so long at most."""

LONGEST_BAR = 40
LONGEST_SHOWN = 5

LOOK_SECONDS = 0.002
_THREAD, _FRAME = re.compile(r"hread (0x\w+)"), re.compile(r'File "(.+)", line \d+ in (\S+)')
_IDLE = ("worker._run", "fetching._fetch")
LATE_MS = 5.0
"""A beat that is so late is looked into, as often as this: more often would itself hold the thread."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One beat that came late: how long nothing was answered, and how much of that this thread ran, or waited for a
    core because other threads or programs had them; the rest it waited for the interpreter or a lock. All in ms."""

    at: float
    wall: float
    cpu: float
    queued: float
    held_by: str = ""
    """The functions of the program that were seen at work, the outermost and the innermost; "" if none was."""

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
        """Every gap since `start`."""
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
        """On a thread of its own: see what is at work while a beat is late."""
        while self._looks is not None:
            time.sleep(LOOK_SECONDS)
            if perf_counter() * 1000.0 - self._last[0] > LATE_MS:
                self._seen[_at_work(self._thread)] += 1

    def _now(self) -> tuple[float, float, float]:
        # On a system that does not tell everything counts as ours.
        queued = int(os.pread(self._queue, 64, 0).split()[1]) / 1e6 if self._queue is not None else 0.0
        return perf_counter() * 1000.0, thread_time() * 1000.0, queued


def _opened(path: Path) -> int | None:
    """A file that stays open, since opening it at every beat would cost more than what is measured."""
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _at_work(thread: int) -> str:
    """The outermost and innermost functions of the program that a thread is in, then the innermost of each other one.

    As the fault handler writes them, since asking for another thread's frames while it is in Qt ends in a crash.
    """
    # In memory, since who writes this holds the interpreter, and a disk may keep it waiting.
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
    """How many gaps were how long, by the clock and by what is ours, and the longest of ours with what held them."""
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
        f"for a core {gap.queued:.1f}; {gap.held_by or 'nothing of the program was seen'}"
        for gap in sorted(gaps, key=lambda gap: -gap.ours)[:LONGEST_SHOWN]
    ]
    holders = Counter(gap.held_by for gap in gaps if gap.ours > BLOCKED_MS)
    lines += [f"  {count:>4} times {name or 'nothing seen'}" for name, count in holders.most_common(LONGEST_SHOWN)]
    return "\n".join(lines)
