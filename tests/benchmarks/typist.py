"""Simulated typing into a window at a steady pace, with times until each answer was painted."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from random import Random
from time import perf_counter

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.gui.shell.main_window import MainWindow
from app.services.evaluation import bench

SHARES = (0.5, 0.95, 0.99, 1.0)


@dataclass(frozen=True, slots=True)
class Stroke:
    """One key press: its kind (a row of EDITS), and ms until an answer was painted.

    None if a later key press came first.
    """

    edit: str
    ms: float | None


class Typist:
    """Typist of sentences with slips, edits in the middle and pastes, by real key events."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self._window, self._line = window, window.bar.box.line
        self._steps = self._typing(Random(seed))
        self._awaited: tuple[str, str, float] | None = None
        self.strokes: list[Stroke] = []
        self._left = 0
        self._timer = QTimer(window)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._press)
        window.painted.connect(self._on_painted)

    def begin(self, rate: float) -> None:
        """Press this many keys per second, until all are typed."""
        self._timer.start(round(1000 / rate))

    def more(self, keys: int) -> None:
        self._left += keys

    @property
    def is_done(self) -> bool:
        return self._left <= 0 and self._awaited is None

    def stop(self) -> None:
        self._timer.stop()
        self._window.painted.disconnect(self._on_painted)

    def _typing(self, random: Random) -> Iterator[tuple[str, str]]:
        while True:
            yield from bench.session(bench.sentence(random), bench.sentence(random), random)
            yield "deleting", ""

    def _press(self) -> None:
        if self._awaited is not None:
            self.strokes.append(Stroke(self._awaited[0], None))
            self._awaited = None
        if self._left <= 0:
            return
        self._left -= 1
        edit, text = next(self._steps)
        press = self._key(self._line.text(), text)
        if text.strip():
            self._awaited = (edit, text, perf_counter())
        press()

    def _key(self, before: str, text: str) -> partial[None]:
        """Return the key press between two texts: a letter, a backspace, or a paste over everything."""
        line = self._line
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
        if len(text) == len(before) + 1 and before[shared:] == text[shared + 1 :]:
            line.go_to(shared)
            return partial(QTest.keyClicks, line, text[shared])
        if len(text) == len(before) - 1 and before[shared + 1 :] == text[shared:]:
            line.go_to(shared + 1)
            return partial(QTest.keyClick, line, Qt.Key.Key_Backspace)
        line.selectAll()
        if not text:
            return partial(QTest.keyClick, line, Qt.Key.Key_Delete)
        QGuiApplication.clipboard().setText(text)
        return partial(QTest.keyClick, line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    def _on_painted(self) -> None:
        shown = self._window.scope.panels["matches"].scope_state.inspection
        if self._awaited is not None and shown is not None and shown.query.text == self._awaited[1]:
            edit, _, begun = self._awaited
            self._awaited = None
            self.strokes.append(Stroke(edit, (perf_counter() - begun) * 1000.0))


def table(strokes: Sequence[Stroke]) -> str:
    """Format the times by kind of key press."""
    by_edit: defaultdict[str, list[float]] = defaultdict(list)
    for stroke in strokes:
        if stroke.ms is not None:
            by_edit[stroke.edit].append(stroke.ms)
            by_edit["all"].append(stroke.ms)
    lines = [f"{'key to paint, ms':<18}  {'keys':>5}  {'P50':>6}  {'P95':>6}  {'P99':>6}  {'most':>6}"]
    for edit in (*bench.EDITS, "all"):
        own = sorted(by_edit[edit])
        if own:
            shown = "  ".join(f"{own[min(len(own) - 1, int(share * len(own)))]:>6.1f}" for share in SHARES)
            lines.append(f"{edit:<18}  {len(own):>5}  {shown}")
    late = sum(stroke.ms is None for stroke in strokes)
    lines.append(f"{late} of {len(strokes)} keys were overtaken by the next one before their answer was painted")
    return "\n".join(lines)
