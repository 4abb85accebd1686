"""Below a threshold on the settings page: its slider, and what the value under it does."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent

from app.display import numbers, words
from app.display.evaluation.thresholds import LevelCount, Trial
from app.gui.kit.drawing.pen import LEVEL_COLORS, Pen
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.theme.theme import Theme
from app.gui.kit.threshold_slider import HIGH, ThresholdSlider

_REST_MS = 300
"""So long the slider must rest under the keys before its value is set; the mouse sets it by letting go."""

_PAD = 16.0
_WIDEST = 700.0
_SENTENCE, _CASES, _LINE = HIGH + 4.0, HIGH + 24.0, 15.0
_COUNTS_HIGH = 42.0


class TrialStrip(Ruled):
    """Says what is being tried and when it rests; what comes of it comes by `show_trial`."""

    tried = Signal(float)
    rested = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme)
        self.trial: Trial | None = None
        self.read = ""
        self._high = 0.0
        self.setAccessibleName(self.tr("What “{0}” does").format(title))
        self.slider = ThresholdSlider(theme)
        self.slider.setParent(self)
        self.slider.setAccessibleName(self.tr("{0}, slider").format(title))
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.rested)
        self.slider.tried.connect(self._on_tried)
        self.slider.sliderReleased.connect(self._on_released)

    @property
    def high(self) -> float:
        """How high the strip is now, in units."""
        wide = self.width() / self.theme.scale - 2 * _PAD
        cases = self._cases_high(wide)
        return _CASES + cases + 8 + (_COUNTS_HIGH if self.trial is not None and self.trial.levels else 0.0)

    def show_trial(self, trial: Trial) -> None:
        """Say what the value under the slider does."""
        if trial == self.trial:
            return
        self.trial = trial
        self.read = "\n".join(_said(trial))
        self.setAccessibleDescription(self.read)
        self.slider.setAccessibleDescription(self.read)
        if self.high != self._high:
            self._high = self.high
            self.resized.emit()
        self.update()

    def hold(self) -> None:
        """Forget that the slider has moved: its value is being set in another way."""
        self._rest.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        px = self.theme.px
        wide = min(_WIDEST, self.width() / self.theme.scale - 2 * _PAD)
        self.slider.setGeometry(px(_PAD - 9), 0, px(wide + 18), px(HIGH))

    def write(self, pen: Pen) -> None:
        trial = self.trial
        if trial is None:
            return
        face, wide = self.theme.face, pen.width - 2 * _PAD
        if trial.refusal:
            pen.icon("warning", _PAD, _SENTENCE + 2, 14, "danger")
            pen.text(QRectF(_PAD + 20, _SENTENCE, wide - 20, 18), trial.refusal, face(12, 500), "danger")
            return
        pen.text(QRectF(_PAD, _SENTENCE, wide, 18), trial.current, face(12, 500))
        pen.paragraph(QRectF(_PAD, _CASES, wide, 40), trial.cases, face(11), "text_2", lines=3)
        top = _CASES + self._cases_high(wide) + 4
        column = min(260.0, wide / max(1, len(trial.levels)))
        for place, level in enumerate(trial.levels):
            self._level(pen, level, _PAD + place * column, top, column - 12)

    def _level(self, pen: Pen, level: LevelCount, x: float, top: float, room: float) -> None:
        face, token, at = self.theme.face, "text", x
        if level.level is not None:
            pen.level(level.level, x, top + 3)
            token, at = LEVEL_COLORS[level.level], x + 18
        pen.text(QRectF(at, top, room - (at - x), 18), level.word, face(12, 600), token)
        pen.text(
            QRectF(x, top + 18, room, 16), _counted(level), face(11, mono=True), "text" if _moves(level) else "text_2"
        )

    def _cases_high(self, wide: float) -> float:
        if self.trial is None or not self.trial.cases:
            return 0.0
        flags = int(Qt.TextFlag.TextWordWrap)
        measure = self.theme.face(11).measure
        return measure.boundingRect(QRectF(0, 0, max(100.0, wide), 1000), flags, self.trial.cases).height() + 2

    def _on_tried(self, value: float) -> None:
        self.tried.emit(value)
        if not self.slider.isSliderDown():
            self._rest.start()

    def _on_released(self) -> None:
        self._rest.stop()
        self.rested.emit()


def _moves(level: LevelCount) -> bool:
    return (level.now, level.now_right) != (level.then, level.then_right)


def _counted(level: LevelCount) -> str:
    """How many cases, and how many of them right; from … to … where the value tried changes that."""
    if not _moves(level):
        return words.say("{n}, {right} right", n=numbers.count(level.now), right=numbers.count(level.now_right))
    return words.say(
        "{n} → {then}, {right} → {then_right} right",
        n=numbers.count(level.now),
        then=numbers.count(level.then),
        right=numbers.count(level.now_right),
        then_right=numbers.count(level.then_right),
    )


def _said(trial: Trial) -> list[str]:
    counts = [f"{level.word}: {_counted(level)}" for level in trial.levels]
    return [line for line in (trial.refusal, trial.current, trial.cases, *counts) if line]
