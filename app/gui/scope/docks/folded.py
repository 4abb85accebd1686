"""The line at the lower edge of the scope: the folded panes, each with what it would say in a few words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QStyle, QStyleOptionFocusRect, QWidget

from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.layouts import spaced
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.panel import Panel

_PAD, _GAP, _BAR, _BARS_HIGH, _SIGN = 16.0, 8.0, 4.0, 16.0, 18.0


class FoldedPane(QPushButton):
    """A folded pane: its name, its summary, a sparkline if it has one. A press opens it."""

    def __init__(self, theme: Theme, panel: Panel) -> None:
        super().__init__()
        self.theme, self.panel = theme, panel
        self.summary = ""
        self.bars: tuple[float, ...] = ()
        self.setFlat(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setToolTip(f"Open {panel.accessibleName()}")
        self.update_summary()

    def update_summary(self) -> None:
        """Show what the pane would say now."""
        now = self.panel.summary(), self.panel.sparkline()
        if now != (self.summary, self.bars):
            wide = self.sizeHint()
            self.summary, self.bars = now
            if self.sizeHint() != wide:
                self.updateGeometry()
            self.update()
        self.setAccessibleName(f"Open {self.panel.accessibleName()}")
        self.setAccessibleDescription(self.summary)

    def sizeHint(self) -> QSize:
        texts = self.theme.face(12, 600).width(self.panel.accessibleName()) + self.theme.face(12).width(self.summary)
        bars = len(self.bars) * (_BAR + 1) + _GAP if self.bars else 0.0
        return QSize(self.theme.px(2 * _PAD + texts + 2 * _GAP + bars + _SIGN), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        """The name is never cut; the summary gives way."""
        name = self.theme.face(12, 600).width(self.panel.accessibleName())
        return QSize(self.theme.px(_PAD + name + _SIGN), self.theme.px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.underMouse():
            painter.fillRect(self.rect(), self.theme.color("sunken"))
        if self.hasFocus():
            option = QStyleOptionFocusRect()
            option.initFrom(self)
            option.rect = self.rect().adjusted(2, 2, -2, -2)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)
        canvas, high = Canvas(painter, self.theme, self.width()), self.height() / self.theme.scale
        canvas.icon("chevron-right", _PAD - 4, (high - 12) / 2, 12)
        x = _PAD + 12
        bold, plain = self.theme.face(12, 600), self.theme.face(12)
        name = self.panel.accessibleName()
        canvas.text(QRectF(x, 0, canvas.width - x, high), name, bold)
        x += bold.width(name) + _GAP
        wide = len(self.bars) * (_BAR + 1) + _GAP if self.bars else 0.0
        room = canvas.width - x - _PAD / 2 - wide
        if room > 20:
            canvas.text(QRectF(x, 0, room, high), self.summary, plain, "text_2")
            x += min(room, plain.width(self.summary)) + _GAP
        for place, value in enumerate(self.bars if x + wide <= canvas.width + 1 else ()):
            tall = max(1.0, _BARS_HIGH * value)
            canvas.fill(QRectF(x + place * (_BAR + 1), (high + _BARS_HIGH) / 2 - tall, _BAR, tall), "text_2")


class FoldedStrip(QWidget):
    """The folded panes side by side; those about time are at the right."""

    opened = Signal(str)  # the key of a pane

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setAccessibleName("Folded panes")
        self.buttons: list[FoldedPane] = []
        self._row = spaced(QHBoxLayout(self))
        self._keys: list[str] = []

    def show_panels(self, folded: Sequence[tuple[str, Panel]], at_right: Collection[str]) -> None:
        """Have a button for each of these panes; those `at_right` come last."""
        keys = [key for key, _ in folded]
        if keys != self._keys:
            self._keys = keys
            while (item := self._row.takeAt(0)) is not None:
                if (old := item.widget()) is not None:
                    old.hide()
                    old.deleteLater()
            ordered = sorted(folded, key=lambda each: each[0] in at_right)
            self.buttons = [self._button(key, panel) for key, panel in ordered]
            for made in self.buttons:
                self._row.addWidget(made)
            self._row.insertStretch(sum(key not in at_right for key in keys), 1)
        self.setVisible(bool(folded))
        self.update_summaries()

    def _button(self, key: str, panel: Panel) -> FoldedPane:
        made = FoldedPane(self.theme, panel)
        made.clicked.connect(lambda _checked=False: self.opened.emit(key))
        return made

    def update_summaries(self) -> None:
        """Show what the panes would say now."""
        for made in self.buttons:
            made.update_summary()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(QRect(QPoint(0, 0), QSize(self.width(), 1)), self.theme.color("border"))
