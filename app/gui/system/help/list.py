"""Contents of the help, or hits of a search, as one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.display.system.help_pages import Chapter, HelpHit
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_LINE, _FIRST, _CHAPTER, _FOUND = 28, 30, 38, 66
"""Row heights in units: page, first chapter, other chapters, hit."""

_PAD, _INSIDE = 8, 6


@dataclass(frozen=True, slots=True)
class HelpRow:
    """Row: target ("" for a chapter's title), text, and for a hit its page and context."""

    key: str
    title: str
    anchor: str = ""
    page: str = ""
    around: str = ""


def contents(chapters: Sequence[Chapter]) -> list[HelpRow]:
    """Return the rows of chapters and pages."""
    return [
        line
        for chapter in chapters
        for line in (HelpRow("", chapter.title), *(HelpRow(topic.key, topic.title) for topic in chapter.topics))
    ]


def findings(found: Sequence[HelpHit]) -> list[HelpRow]:
    """Return the rows of hits, three lines each."""
    return [
        HelpRow(one.section.page, one.section.title, one.section.anchor, one.section.page_title, one.around)
        for one in found
    ]


class HelpListModel(ListModel[HelpRow]):
    """Rows, of which the titles of chapters cannot be selected."""

    def flags(self, index: Index) -> Qt.ItemFlag:
        is_open = index.isValid() and bool(self.rows[index.row()].key)
        return super().flags(index) if is_open else Qt.ItemFlag.NoItemFlags


def _spoken(line: HelpRow) -> str:
    return ", ".join(filter(None, (line.title, line.page if line.page != line.title else "", line.around)))


class HelpLineDelegate(QStyledItemDelegate):
    """Paints a chapter's title, a page, or a hit with its context."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = index.data(ROW_ROLE)
        high = _FOUND if line.page else _LINE if line.key else _CHAPTER if index.row() else _FIRST
        return QSize(self.theme.px(120), self.theme.px(high))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(ROW_ROLE)
        place = option.rect
        painter.save()
        painter.translate(place.topLeft())
        canvas = Canvas(painter, self.theme, place.width())
        canvas.keeps = False
        high = place.height() / self.theme.scale
        box = QRectF(_PAD, 1, canvas.width - 2 * _PAD, high - 2)
        if option.state & QStyle.StateFlag.State_Selected:
            canvas.fill(box, "selection", 6)
        elif line.key and option.state & QStyle.StateFlag.State_MouseOver:
            canvas.fill(box, "sunken", 6)
        room = box.adjusted(_INSIDE, 0, -_INSIDE, 0)
        if line.page:
            self._finding(canvas, line, room)
        elif line.key:
            canvas.text(room, line.title, self.theme.face(13), "text")
        else:
            canvas.text(QRectF(room.x(), high - 26, room.width(), 22), line.title, self.theme.face(11, 600), "text_2")
        painter.restore()

    def _finding(self, canvas: Canvas, line: HelpRow, room: QRectF) -> None:
        end = canvas.text(QRectF(room.x(), 5, room.width(), 18), line.title, self.theme.face(13, 600))
        if line.page != line.title and end + 60 < room.width():
            beside = QRectF(room.x() + end + 8, 5, room.width() - end - 8, 18)
            canvas.text(beside, line.page, self.theme.face(11), "text_2")
        canvas.paragraph(QRectF(room.x(), 25, room.width(), 34), line.around, self.theme.face(12), "text_2", 2)


class HelpList(QListView):
    """Enter or a click opens a row; the open page is selected."""

    opened = Signal(HelpRow)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.model_ = HelpListModel(lambda line: line.title, _spoken, self)
        self.setModel(self.model_)
        self.setItemDelegate(HelpLineDelegate(theme, self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.clicked.connect(lambda _: self.go())
        styled(self, role="contents")
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def show_lines(self, lines: Sequence[HelpRow], current: str = "") -> None:
        """List these rows, with the row of a key selected."""
        self.model_.show_rows(lines)
        self.select(current)

    def select(self, key: str) -> None:
        """Select the first row of this key, without opening it."""
        place = next((n for n, line in enumerate(self.model_.rows) if line.key == key and key), None)
        if place is not None and self.current is not self.model_.rows[place]:
            self.setCurrentIndex(self.model_.index(place, 0))

    @property
    def current(self) -> HelpRow | None:
        """Selected row."""
        index = self.currentIndex()
        return self.model_.rows[index.row()] if index.isValid() else None

    def move_by(self, step: int) -> None:
        """Select the next row with a target."""
        lines = self.model_.rows
        place = self.currentIndex().row() + step if self.currentIndex().isValid() else (0 if step > 0 else -1)
        while 0 <= place < len(lines) and not lines[place].key:
            place += step
        if 0 <= place < len(lines):
            self.setCurrentIndex(self.model_.index(place, 0))

    def go(self) -> None:
        """Open the selected row."""
        if self.current is not None and self.current.key:
            self.opened.emit(self.current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.go()
        else:
            super().keyPressEvent(event)

    def _apply_theme(self) -> None:
        self.model_.layoutChanged.emit()
