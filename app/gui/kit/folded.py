"""FoldedLine, a line that opens a part, and Section, a body below such a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QStyle, QStyleOptionFocusRect, QVBoxLayout, QWidget

from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.tables import table_columns
from app.gui.kit.tables.table_columns import TableLook
from app.gui.kit.theme.theme import Theme

_PAD, _GAP, _BAR, _BARS_HIGH, _SIGN = 16.0, 8.0, 4.0, 16.0, 18.0


class FoldedLine(QPushButton):
    """Line with a chevron, a name, a summary, and an optional sparkline; checked: chevron down."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme, self.name = theme, name
        self.summary = ""
        self.bars: tuple[float, ...] = ()
        self.setFlat(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setToolTip(f"Open {name}")
        self.setAccessibleName(f"Open {name}")

    def show_summary(self, summary: str, bars: tuple[float, ...] = ()) -> None:
        if (summary, bars) != (self.summary, self.bars):
            wide = self.sizeHint()
            self.summary, self.bars = summary, bars
            if self.sizeHint() != wide:
                self.updateGeometry()
            self.update()
        self.setAccessibleDescription(summary)

    def sizeHint(self) -> QSize:
        texts = self.theme.face(12, 600).width(self.name) + self.theme.face(12).width(self.summary)
        bars = len(self.bars) * (_BAR + 1) + _GAP if self.bars else 0.0
        return QSize(self.theme.px(2 * _PAD + texts + 2 * _GAP + bars + _SIGN), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        """Return a width that never cuts the name, but the summary."""
        return QSize(self.theme.px(_PAD + self.theme.face(12, 600).width(self.name) + _SIGN), self.theme.px(34))

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
        canvas.icon("chevron-down" if self.isChecked() else "chevron-right", _PAD - 4, (high - 12) / 2, 12)
        x = _PAD + 12
        bold, plain = self.theme.face(12, 600), self.theme.face(12)
        canvas.text(QRectF(x, 0, canvas.width - x, high), self.name, bold)
        x += bold.width(self.name) + _GAP
        wide = len(self.bars) * (_BAR + 1) + _GAP if self.bars else 0.0
        room = canvas.width - x - _PAD / 2 - wide
        if room + 1 >= plain.width(self.summary):
            canvas.text(QRectF(x, 0, room, high), self.summary, plain, "text_2")
            x += plain.width(self.summary) + _GAP
        for place, value in enumerate(self.bars if x + wide <= canvas.width + 1 else ()):
            tall = max(1.0, _BARS_HIGH * value)
            canvas.fill(QRectF(x + place * (_BAR + 1), (high + _BARS_HIGH) / 2 - tall, _BAR, tall), "text_2")


class Section(Ruled):
    """Body below a line that folds it; `right` controls are hidden while it is folded."""

    toggled = Signal()

    def __init__(
        self, theme: Theme, name: str, body: QWidget, *, right: Sequence[QWidget] = (), always: Sequence[QWidget] = ()
    ) -> None:
        super().__init__(theme)
        self.body, self._right = body, right
        self.line = FoldedLine(theme, name)
        self.line.setCheckable(True)
        self.line.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.line.setFixedHeight(theme.px(36))
        self.line.toggled.connect(self._on_toggled)
        head = fill(spaced(QHBoxLayout(), theme.px(8), 0, 1, theme.px(16), 0), (self.line, 1))
        for made in (*right, *always):
            head.addWidget(made, 0, Qt.AlignmentFlag.AlignVCenter)
        fill(spaced(QVBoxLayout(self)), head, (body, 1))
        self._on_toggled(False)

    @property
    def is_open(self) -> bool:
        return self.line.isChecked()

    def set_open(self, on: bool) -> None:
        self.line.setChecked(on)

    def persist_in(self, file: Path, key: str) -> None:
        """Restore whether it is open from the file of tables, and store each change there."""
        self.set_open(table_columns.read(file, key).shown.get("open", self.is_open))
        self.toggled.connect(lambda: table_columns.write(file, key, TableLook(shown={"open": self.is_open})))

    def _on_toggled(self, on: bool) -> None:
        for part in (self.body, *self._right):
            part.setVisible(on)
        self.setSizePolicy(
            QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred if on else QSizePolicy.Policy.Fixed
        )
        self.line.setAccessibleName(f"{'Fold' if on else 'Open'} {self.line.name}")
        self.line.setToolTip(self.line.accessibleName())
        self.toggled.emit()

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)
