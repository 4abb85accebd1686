"""Sheet, a painted widget that is read aloud by row; and Ruled, a pane with hairlines."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QHelpEvent, QPainter, QPaintEvent, QResizeEvent, QTransform
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QToolTip, QWidget

from app.display import numbers
from app.gui.kit.canvas import Canvas
from app.gui.kit.theme import Theme, Themed

_MOST_READ = 4000
"""Maximum number of characters for screen readers."""

_SPOKEN_MS = 150
"""Debounce of updates for screen readers, in ms."""

_SHRINK_MS = 400
"""Delay in ms before a sheet shrinks: a short answer is followed by a longer one.

Each change of height draws everything again.
"""


Row = tuple[str, list[tuple[str, QRect]]]
"""Line as read aloud, and its cells: text and place of each."""


class AccessibleRows(QObject):
    """Invisible labels over a sheet for screen readers: one per row, with one per cell.

    Qt exposes child widgets; an accessibility interface in Python would be owned by two garbage collectors. Labels
    exist only while a screen reader runs, and are updated when drawing pauses.
    """

    def __init__(self, sheet: QWidget) -> None:
        super().__init__(sheet)
        self._sheet = sheet
        self._labels: list[QLabel] = []
        self._told: list[Row] = []
        self._wanted: list[Row] = []
        self._soon = QTimer(self, singleShot=True, interval=_SPOKEN_MS)
        self._soon.timeout.connect(self.update_labels)

    def update_soon(self, rows: list[Row]) -> None:
        """Update to these rows: the first time at once, then debounced."""
        self._wanted = rows
        if rows != self._told:
            self._soon.start(_SPOKEN_MS if self._told else 0)

    def update_labels(self) -> None:
        self._told = self._wanted
        self._labels = _as_many(self._sheet, self._labels, len(self._told))
        for label, (line, cells) in zip(self._labels, self._told, strict=True):
            place = QRect()
            for _, rect in cells:
                place = place.united(rect)
            _describe_label(label, line, place)
            own = [each for each in label.children() if isinstance(each, QLabel)]
            several = cells if len(cells) > 1 else []
            for cell, (text, rect) in zip(_as_many(label, own, len(several)), several, strict=True):
                _describe_label(cell, "absent" if text == numbers.ABSENT else text, rect.translated(-place.topLeft()))


def _as_many(parent: QWidget, labels: list[QLabel], wanted: int) -> list[QLabel]:
    """Return that many labels on their parent; surplus ones are deleted.

    Hidden labels would still be read.
    """
    for label in labels[wanted:]:
        label.setParent(None)
        label.deleteLater()
    return labels[:wanted] + [_mute_label(parent) for _ in range(wanted - len(labels))]


def _mute_label(parent: QWidget) -> QLabel:
    made = QLabel(parent)
    made.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return made


def _describe_label(label: QLabel, text: str, place: QRect) -> None:
    if label.accessibleName() != text:
        label.setAccessibleName(text)
    label.setGeometry(place)
    label.show()


class Sheet(Themed):
    """Template method: a subclass draws in `compose`, top to bottom, and returns the height."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName(name)
        self._height = 10
        self.hovers: list[tuple[QPoint, QPoint, str]] = []
        """Tooltips by place: elided texts in full, and explanations of terms."""
        self._read = ""
        self._room = (0, 0)
        self._rows: AccessibleRows | None = None
        self._fitting = QTimer(self, singleShot=True)
        self._fitting.timeout.connect(self._fit)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # the drawing stays when the sheet only grows

    @abstractmethod
    def compose(self, canvas: Canvas) -> float:
        """Draw everything; return the height in units."""

    @property
    def height_units(self) -> float:
        area = self.parentWidget()
        return (area if area is not None else self).height() / self.theme.scale

    @property
    def read(self) -> str:
        """Text of the sheet, by line."""
        return self._read

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        canvas = Canvas(painter, self.theme, self.width())
        shown = event.rect()
        if QAccessible.isActive():
            canvas.places = {}
        canvas.show_only(shown.top() / self.theme.scale, (shown.bottom() + 1) / self.theme.scale)
        height = self.theme.px(self.compose(canvas))
        painter.end()
        scale = self.theme.scale
        self.hovers = [
            (
                QPoint(round(rect.left() * scale), round(rect.top() * scale)),
                QPoint(round(rect.right() * scale), round(rect.bottom() * scale)),
                text,
            )
            for rect, text in canvas.cut
        ]
        if canvas.places is not None:
            self._update_rows(canvas)
        read = "\n".join(canvas.written)
        if read != self._read:
            self._read = read
            self.setAccessibleDescription(read[:_MOST_READ])
            if (area := self._area()) is not None:
                # The keyboard focus is on the scroll area, not on the sheet.
                area.setAccessibleDescription(read[:_MOST_READ])
        if height != self._height:
            self._height = height
            self._fitting.start(0 if height > self.minimumHeight() else _SHRINK_MS)

    def _update_rows(self, canvas: Canvas) -> None:
        """Update the accessible rows after painting."""
        if self._rows is None:
            self._rows = AccessibleRows(self)
        scale = self.theme.scale
        told = [
            (
                line,
                [(text, QTransform.fromScale(scale, scale).mapRect(place).toAlignedRect()) for text, place in places],
            )
            for n, line in enumerate(canvas.written)
            if (places := (canvas.places or {}).get(n))
        ]
        self._rows.update_soon(told)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Redraw if the available space has changed, not if only the content grew."""
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
                    said = html.escape(text[:2000]).replace("\n", "<br>")
                    QToolTip.showText(event.globalPos(), f"<qt>{said}</qt>", self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def _area(self) -> QScrollArea | None:
        parent = self.parentWidget()
        area = parent.parentWidget() if parent is not None else None
        return area if isinstance(area, QScrollArea) else None

    def _fit(self) -> None:
        if self._area() is not None:
            self.setMinimumHeight(self._height)
        self.updateGeometry()


class ScrollArea(QScrollArea):
    """Vertical scroll area that takes the focus and follows it, unless its widget was disabled or hidden."""

    def __init__(self, inside: QWidget, name: str) -> None:
        super().__init__()
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.viewport().setAutoFillBackground(False)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        bar, focused = self.verticalScrollBar(), cast("QWidget | None", self.window().focusWidget())
        place = bar.value()
        is_moved = super().focusNextPrevChild(is_next)
        if focused is not None and not (focused.isEnabled() and focused.isVisible()):
            bar.setValue(place)
        return is_moved


# ---- Background of a pane: fill, mark at the edge, and hairlines between its parts.


_MARK = 3
"""Width of the mark at the left edge, in units."""


class Ruled(Themed):
    """Template method: pane with background and hairlines; a subclass places and draws them.

    The layout places the parts, so the positions are queried at every painting.
    """

    ground = ""
    """Colour token of the background; "" for none."""

    mark = ""
    """Colour token of the mark at the left edge; "" for none."""

    def hairlines(self) -> Iterator[QRect]:
        """Yield the present places of hairlines; none by default."""
        yield from ()

    def write(self, canvas: Canvas) -> None:
        """Draw the content of the pane itself; nothing by default."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.ground:
            painter.fillRect(self.rect(), self.theme.color(self.ground))
        for line in self.hairlines():
            painter.fillRect(line, self.theme.color("border"))
        if self.mark:
            painter.fillRect(0, 0, self.theme.px(_MARK), self.height(), self.theme.color(self.mark))
        self.write(Canvas(painter, self.theme, self.width()))


# ---- Key caps of shortcuts.


_CAP = 20.0
"""Height of a key cap, in units."""


def draw_caps(canvas: Canvas, keys: Sequence[str], right: float, top: float, high: float) -> float:
    """Draw shortcuts as key caps that end at `right`; return the left edge."""
    face = canvas.theme.face(11, 600)
    for key in reversed(keys):
        wide = face.width(key) + 12
        cap = QRectF(right - wide, top + (high - _CAP) / 2, wide, _CAP)
        canvas.fill(cap, "sunken", 4)
        canvas.text(cap.translated(6, 0), key, face, "text")
        right -= wide + 6
    return right + 6 if keys else right
