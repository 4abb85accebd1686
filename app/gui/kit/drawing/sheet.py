"""A pane's body that is drawn as one sheet: it knows its height, tells cut texts in full, and can be read aloud."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QToolTip, QWidget

from app.gui.kit.drawing.pen import Pen
from app.gui.kit.theme.theme import Theme

_MOST_READ = 4000
"""So many characters of what is written are given to screen readers."""

_SHRINK_MS = 400
"""A sheet that came out lower keeps its height so long: each key brings a short answer and then a longer one, and each
other height draws everything once more."""


class Sheet(QWidget):
    """Draw in `compose`, top to bottom, and say there how high it came out.

    With `under_bar` the bar that scrolls it stands in its right margin, so that nothing moves sideways when it comes.
    """

    under_bar = False

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setAccessibleName(name)
        self._height = 10
        self.hovers: list[tuple[QPoint, QPoint, str]] = []
        """What is told where the pointer rests, between two corners: cut texts in full, and what words mean."""
        self._read = ""
        self._room = (0, 0)
        self._fitting = QTimer(self, singleShot=True)
        self._fitting.timeout.connect(self._fit)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # what is drawn stays where the sheet only grows

    @abstractmethod
    def compose(self, pen: Pen) -> float:
        """Draw everything; the height it takes, in units."""

    @property
    def units_high(self) -> float:
        """How high the place for it is now, in units."""
        area = self.parentWidget()
        return (area if area is not None else self).height() / self.theme.scale

    @property
    def read(self) -> str:
        """What is written on the sheet, line by line."""
        return self._read

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = Pen(painter, self.theme, self.width() + self.taken)
        shown = event.rect()
        pen.show_only(shown.top() / self.theme.scale, (shown.bottom() + 1) / self.theme.scale)
        height = self.theme.px(self.compose(pen))
        painter.end()
        scale = self.theme.scale
        self.hovers = [
            (
                QPoint(round(rect.left() * scale), round(rect.top() * scale)),
                QPoint(round(rect.right() * scale), round(rect.bottom() * scale)),
                text,
            )
            for rect, text in pen.cut
        ]
        read = "\n".join(pen.written)
        if read != self._read:
            self._read = read
            self.setAccessibleDescription(read[:_MOST_READ])
            if (area := self._area()) is not None:
                # The keyboard stops at the area, not at the sheet in it.
                area.setAccessibleDescription(read[:_MOST_READ])
        if height != self._height:
            self._height = height
            self._fitting.start(0 if height > self.minimumHeight() else _SHRINK_MS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw all anew if there is other room for it, and not because the sheet came out longer in the same room."""
        area = self._area()
        room = (self.width(), (area.viewport() if area is not None else self).height())
        if room != self._room:
            self._room = room
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(200), self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = event.pos()
            for start, end, text in self.hovers:
                if start.x() <= place.x() <= end.x() and start.y() <= place.y() <= end.y():
                    QToolTip.showText(event.globalPos(), f"<qt>{_escaped(text)}</qt>", self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    @property
    def taken(self) -> int:
        """How many pixels of its right margin lie under the bar."""
        area = self._area() if self.under_bar else None
        return area.width() - self.width() if area is not None else 0

    def _area(self) -> QScrollArea | None:
        """The area that the sheet is scrolled in, if any."""
        parent = self.parentWidget()
        area = parent.parentWidget() if parent is not None else None
        return area if isinstance(area, QScrollArea) else None

    def _fit(self) -> None:
        if self._area() is not None:
            self.setMinimumHeight(self._height)
        self.updateGeometry()


def scrolled(sheet: QWidget, name: str) -> QScrollArea:
    """The sheet in an area that scrolls it up and down, reachable by keyboard."""
    area = QScrollArea()
    area.setWidget(sheet)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    area.setAccessibleName(name)
    area.viewport().setAutoFillBackground(False)
    return area


def _escaped(text: str) -> str:
    return text[:2000].replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>")
