"""Panes as docks: area, drag handle and menu, floating edge, and the strip of folded panes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QCursor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QDockWidget, QHBoxLayout, QMainWindow, QPushButton, QWidget

from app.gui.kit import icons
from app.gui.kit.controls import button
from app.gui.kit.fields import handle_escape
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FoldedLine
from app.gui.kit.theme import Theme, Themed
from app.gui.scope.panels.panel import Panel, Place

if TYPE_CHECKING:
    from app.gui.scope.panels.registry import PanelRow


DOCK_AREAS = {
    Place.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    Place.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    Place.BELOW: Qt.DockWidgetArea.BottomDockWidgetArea,
}
_FREE = (
    QDockWidget.DockWidgetFeature.DockWidgetMovable
    | QDockWidget.DockWidgetFeature.DockWidgetFloatable
    | QDockWidget.DockWidgetFeature.DockWidgetClosable
)


def dock_area(parent: QWidget, center: QWidget) -> QMainWindow:
    """Make the window of the docks around a central widget; the lower area has both corners."""
    area = QMainWindow(parent)
    area.setWindowFlags(Qt.WindowType.Widget)
    area.setObjectName("docks")
    area.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    area.setDockOptions(QMainWindow.DockOption(0))  # no tabs, no nested docks, no animation
    area.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
    area.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
    area.setCentralWidget(center)
    return area


class Dock(QDockWidget):
    """Panel as a dock; `is_wanted`: the user wants to see it, `is_over`: it is overlaid."""

    moved = Signal()
    left = Signal()
    menu_requested = Signal(QPushButton)

    def __init__(self, theme: Theme, row: PanelRow, panel: Panel, place: Place) -> None:
        super().__init__()
        self.theme, self.row, self.panel = theme, row, panel
        self.place = place
        self.is_wanted, self.is_over = True, False
        name = panel.accessibleName()
        self.setObjectName(row.key)
        self.setWindowTitle(name)
        self.setAccessibleName(name)
        self.setFeatures(_FREE)
        self.setAllowedAreas(Qt.DockWidgetArea.AllDockWidgetAreas & ~Qt.DockWidgetArea.TopDockWidgetArea)
        self.head = panel.take_head()
        self.dots = button("", link=True, press=lambda: self.menu_requested.emit(self.dots))
        self.dots.setAccessibleName(f"Move or fold the pane {name}")
        self.dots.setToolTip("Move, float or fold this pane")
        self.head.add(self.dots)
        self.setTitleBarWidget(self.head)
        self.setWidget(panel)
        self.dockLocationChanged.connect(self._on_place)
        self.topLevelChanged.connect(lambda _: self.moved.emit())
        theme.follow(self._apply_theme)

    def set_overlaid(self, on: bool) -> None:
        """Switch between an overlay over the page, which cannot be moved, and a dock."""
        self.is_over = on
        self.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures if on else _FREE)

    def event(self, event: QEvent) -> bool:
        """Leave an overlaid or floating pane by Escape."""
        return ((self.is_over or self.isFloating()) and handle_escape(event, self.left.emit)) or super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        QTimer.singleShot(0, self, self._on_closed)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        if self.is_over:
            painter.fillRect(0, 0, 1, self.height(), self.theme.color("border"))
        elif self.isFloating():
            painter.setPen(QPen(self.theme.color("border_strong"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _on_closed(self) -> None:
        """Stay hidden if closed by the user; reopen with the window if closed with it."""
        page = self.parentWidget()
        if page is not None and page.isVisible():
            self.is_wanted = False
            self.moved.emit()

    def _on_place(self, area: Qt.DockWidgetArea) -> None:
        for place, own in DOCK_AREAS.items():
            if own == area:
                self.place = place
                self.moved.emit()

    def _apply_theme(self) -> None:
        self.dots.setIcon(icons.icon("more", self.theme.tokens.text_2))
        self.dots.setIconSize(QSize(self.theme.px(16), self.theme.px(16)))
        self.update()


# ---- Grips between docks: strips over the separators that are wide enough to drag

WIDTH = 7
"""Width of a grip, in pixels."""


class Grip(QWidget):
    """Strip over a separator, wide enough to drag; it forwards the mouse to the docks' window."""

    def __init__(self, docks: QMainWindow, dragged: Callable[[bool], object]) -> None:
        super().__init__(docks)
        self._docks, self._dragged = docks, dragged
        self._offset = QPoint()
        self.hairline = QPoint()

    def lie_at(self, strip: QRect, hairline: QPoint) -> None:
        """Cover a strip; `hairline` is a point of the separator in it."""
        self.hairline = hairline
        across = strip.height() > strip.width()
        self.setCursor(QCursor(Qt.CursorShape.SplitHCursor if across else Qt.CursorShape.SplitVCursor))
        self.setGeometry(strip)
        self.show()
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._offset = self.hairline - self.mapToParent(event.position().toPoint())
        self._dragged(True)
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = QPointF(self.mapToParent(event.position().toPoint()) + self._offset)
        where = self._docks.mapToGlobal(place)
        moved = QMouseEvent(event.type(), place, where, event.button(), event.buttons(), event.modifiers())
        QApplication.sendEvent(self._docks, moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.mouseMoveEvent(event)
        self._dragged(False)


def _strips(docks: QMainWindow, dock: QWidget) -> list[tuple[QRect, QPoint]]:
    """Return the strips along a dock's sides that have a separator, each with a point of it."""
    rect, half = dock.geometry(), WIDTH // 2
    middle = rect.center()
    sides = (
        (QPoint(rect.left() - 1, middle.y()), QRect(rect.left() - 1 - half, rect.top(), WIDTH, rect.height())),
        (QPoint(rect.right() + 1, middle.y()), QRect(rect.right() + 1 - half, rect.top(), WIDTH, rect.height())),
        (QPoint(middle.x(), rect.top() - 1), QRect(rect.left(), rect.top() - 1 - half, rect.width(), WIDTH)),
        (QPoint(middle.x(), rect.bottom() + 1), QRect(rect.left(), rect.bottom() + 1 - half, rect.width(), WIDTH)),
    )
    inside = docks.rect()
    return [(strip, point) for point, strip in sides if inside.contains(point) and docks.isSeparator(point)]


class Grips:
    """Grips of a window of docks; `dragged` is called when a drag begins (True) and ends."""

    def __init__(self, docks: QMainWindow, dragged: Callable[[bool], object]) -> None:
        self._docks, self._dragged = docks, dragged
        self._grips: list[Grip] = []

    @property
    def shown(self) -> list[Grip]:
        return [grip for grip in self._grips if not grip.isHidden()]

    def place(self, docked: Iterable[QWidget]) -> None:
        """Place a grip over every separator beside these docks."""
        found = [strip for dock in docked for strip in _strips(self._docks, dock)]
        while len(self._grips) < len(found):
            self._grips.append(Grip(self._docks, self._dragged))
        for grip, (strip, hairline) in zip(self._grips, found, strict=False):
            grip.lie_at(strip, hairline)
        for grip in self._grips[len(found) :]:
            grip.hide()


class FoldedStrip(Themed):
    """Folded panes side by side, each with its name and summary; those about time are on the right."""

    opened = Signal(str)  # key of a pane

    def __init__(self, theme: Theme, parent: QWidget, left: Mapping[str, Panel], right: Mapping[str, Panel]) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Folded panes")
        self._panels = {**left, **right}
        self._lines = {key: FoldedLine(theme, panel.accessibleName()) for key, panel in self._panels.items()}
        for key, line in self._lines.items():
            line.clicked.connect(lambda _=False, key=key: self.opened.emit(key))
        lines = [self._lines[key] for key in self._panels]
        fill(spaced(QHBoxLayout(self)), *lines[: len(left)], 1, *lines[len(left) :])

    @property
    def buttons(self) -> list[FoldedLine]:
        """Lines of the folded panes, from left to right."""
        return [line for line in self._lines.values() if not line.isHidden()]

    def show_folded(self, keys: Collection[str]) -> None:
        for key, line in self._lines.items():
            line.setVisible(key in keys)
        self.setVisible(bool(keys))
        self.update_summaries()

    def update_summaries(self) -> None:
        for key, line in self._lines.items():
            if not line.isHidden():
                line.show_summary(self._panels[key].summary(), self._panels[key].sparkline())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(0, 0, self.width(), 1, self.theme.color("border"))
