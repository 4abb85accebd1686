"""Threshold input: a slider from 0 to 1, and a row for a target precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QVBoxLayout, QWidget

from app.display import numbers
from app.display.evaluation.thresholds import DEFAULT_OUT_OF_SCOPE, DEFAULT_PRECISION, PrecisionTargetView
from app.gui.kit.canvas import CENTER, Canvas
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.fields import UnitSpin, explain
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme import Theme

STEPS = 1000
"""Resolution of the slider: thousandths."""

HIGH = 44
_EDGE = 9.0
_TRACK_Y = 20.0


class ThresholdSlider(QSlider):
    """Slider with marks for the default and other thresholds; emits `tried` while it moves.

    The owner sets the value.
    """

    tried = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.theme = theme
        self.default: float | None = None
        """Default value; None while unknown: then nothing is marked."""
        self.marks: tuple[tuple[str, float], ...] = ()
        self.setRange(0, STEPS)
        self.setSingleStep(5)
        self.setPageStep(50)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(lambda value: self.tried.emit(value / STEPS))

    def show_value(self, value: float) -> None:
        """Show a value without a signal."""
        self.blockSignals(True)
        self.setValue(round(value * STEPS))
        self.blockSignals(False)
        self.update()

    def show_marks(self, default: float, marks: Sequence[tuple[str, float]]) -> None:
        """Mark the default below the track, and other thresholds by name."""
        if (default, tuple(marks)) != (self.default, self.marks):
            self.default, self.marks = default, tuple(marks)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(400), self.theme.px(HIGH))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(True)
        self._go_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._go_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        canvas = Canvas(painter, self.theme, self.width())
        alive = self.isEnabled()
        left, right = self._x(canvas, 0.0), self._x(canvas, 1.0)
        here = self._x(canvas, self.value() / STEPS)
        canvas.fill(QRectF(left, _TRACK_Y - 2, right - left, 4), "sunken", 2)
        canvas.fill(QRectF(left, _TRACK_Y - 2, here - left, 4), "accent_fill" if alive else "border_strong", 2)
        self._draw_marks(canvas)
        painter.setPen(QPen(self.theme.color("surface"), 2))
        painter.setBrush(self.theme.color("accent_fill" if alive else "border_strong"))
        painter.drawEllipse(QPointF(here, _TRACK_Y), 7.5, 7.5)
        if self.hasFocus():
            painter.setPen(QPen(self.theme.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(here, _TRACK_Y), 9.5, 9.5)

    def _draw_marks(self, canvas: Canvas) -> None:
        """Draw other thresholds above the track, the default below; overlapping words are left out."""
        face, end = self.theme.face(11), -100.0
        for word, value in sorted(self.marks, key=lambda mark: mark[1]):
            x = self._x(canvas, value)
            canvas.line(x, _TRACK_Y - 6, x, _TRACK_Y + 5, "border_strong", 1.5)
            wide = face.width(word)
            start = min(max(0.0, x - wide / 2), canvas.width - wide)
            if start > end + 6:
                canvas.text(QRectF(start, 0, wide + 2, 12), word, face, "text_2")
                end = start + wide
        if self.default is None:
            return
        x = self._x(canvas, self.default)
        canvas.triangle(x, _TRACK_Y + 6.5, "text_2")
        text = f"default {self.default:g}"
        wide = face.width(text)
        start = min(max(0.0, x - wide / 2), canvas.width - wide)
        canvas.text(QRectF(start, _TRACK_Y + 12.5, wide + 2, 12), text, face, "text_2", CENTER)

    def _x(self, canvas: Canvas, value: float) -> float:
        return _EDGE + value * (canvas.width - 2 * _EDGE)

    def _go_to(self, x: float) -> None:
        scale = self.theme.scale
        share = (x / scale - _EDGE) / max(1.0, self.width() / scale - 2 * _EDGE)
        self.setValue(round(max(0.0, min(1.0, share)) * STEPS))


_SPIN = 68


class PrecisionTargetRow(QWidget):
    """Takes a target precision and an out-of-scope share, and offers the threshold for it.

    Emits `target_changed`; the owner answers with `show_target`. `threshold_requested` sets the threshold.
    """

    target_changed = Signal()
    threshold_requested = Signal(str)
    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.shown = PrecisionTargetView("")
        self.precision = self._spin(theme, DEFAULT_PRECISION, "Precision")
        self.out_of_scope = self._spin(theme, DEFAULT_OUT_OF_SCOPE, "Share out of scope")
        explain(self.out_of_scope, "Share of all queries that no answer fits: precision is lower then.")
        self.set = button("", press=lambda: self.threshold_requested.emit(repr(self.shown.value)))
        self.set.hide()  # until a threshold is offered
        self.message = WrappedLabel(role="caption")
        row = spaced(QHBoxLayout(), theme.px(8))
        words = ElidedLabel("Precision at least"), ElidedLabel("out of scope")
        fill(row, words[0], self.precision, words[1], self.out_of_scope, self.set, 1)
        fill(spaced(QVBoxLayout(self), theme.px(2), theme.px(16), 0, theme.px(16), theme.px(8)), row, self.message)

    def update_target(self, of: Callable[[float, float], PrecisionTargetView]) -> None:
        """Show the threshold for the present values."""
        self.show_target(of(self.precision.value(), self.out_of_scope.value()))

    def show_target(self, shown: PrecisionTargetView) -> None:
        if shown == self.shown and self.message.text() == shown.sentence:
            return
        self.shown = shown
        self.message.show_text(shown.sentence)
        self.set.setVisible(shown.value is not None)
        if shown.value is not None:
            self.set.setText(f"Set {numbers.chance(shown.value)}")
        self.resized.emit()

    def _spin(self, theme: Theme, value: float, name: str) -> UnitSpin:
        made = UnitSpin()
        made.show_value(f"{value:g}")
        made.setFixedWidth(theme.px(_SPIN))
        made.setAccessibleName(name)
        made.moved.connect(lambda _: self.target_changed.emit())
        return made
