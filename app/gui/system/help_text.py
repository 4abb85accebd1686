"""List of the help's contents or hits, and the text of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QFont, QImage, QKeyEvent, QPainter, QResizeEvent, QTextCharFormat, QTextDocument
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTextBrowser

from app.display.system.help_pages import Section
from app.gui.kit.canvas import Canvas
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme import Theme, styled
from app.gui.kit.tokens import LIGHT
from app.gui.system.help_repository import Drawing, HelpContent, dark_name, parse, typeset

_LINE, _FIRST, _CHAPTER, _FOUND = 28, 30, 38, 66
"""Row heights in units: page, first chapter, other chapters, hit."""

_SIDES, _INSIDE = 8, 6


@dataclass(frozen=True, slots=True)
class HelpRow:
    """Row: target ("" for a chapter's title), text, and for a hit its page and context."""

    key: str
    title: str
    anchor: str = ""
    page: str = ""
    around: str = ""


def contents(chapters: Mapping[str, Mapping[str, str]]) -> list[HelpRow]:
    return [
        line
        for title, topics in chapters.items()
        for line in (HelpRow("", title), *(HelpRow(key, topic) for key, topic in topics.items()))
    ]


def findings(found: Sequence[tuple[Section, str]]) -> list[HelpRow]:
    """Return the rows of hits, three lines each."""
    return [HelpRow(one.page, one.title, one.anchor, one.page_title, around) for one, around in found]


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
        box = QRectF(_SIDES, 1, canvas.width - 2 * _SIDES, high - 2)
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
        theme.follow(self._apply_theme)

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


COLUMN, _PAD, _ABOVE = 760, 32, 20
"""Maximum width of lines, and space beside and above them, in units."""

_RECOLOURED = ("surface", "sunken", "text", "text_2", "border", "border_strong", "accent")
"""Tokens used in the drawings, which are drawn in the theme's colours."""

_MOST_MARKED = 300


class HelpText(QTextBrowser):
    """Shows one page. Links are emitted instead of followed."""

    link_followed = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.content = HelpContent("")
        self._sought: Sequence[str] = ()
        self.marked: list[str] = []
        """Highlighted texts."""
        self._column = 0
        self._shown: QTextDocument | None = None
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.anchorClicked.connect(lambda url: self.link_followed.emit(url.toString()))
        theme.changed.connect(self._lay_out_again)

    def show_content(self, content: HelpContent, anchor: str = "", sought: Sequence[str] = ()) -> None:
        """Show a page from its top or a heading, with these words highlighted."""
        self.content, self._sought = content, sought
        self._set()
        self.go_to(anchor)

    def go_to(self, anchor: str) -> None:
        """Scroll to a heading of the page; "" is the top."""
        if anchor:
            self.scrollToAnchor(anchor)
        else:
            self.verticalScrollBar().setValue(0)

    @property
    def pixels_wide(self) -> int:
        """Maximum width of a picture, in screen pixels."""
        return round(self.theme.px(COLUMN) * self.devicePixelRatioF())

    # ---- layout

    def _set(self) -> None:
        """Put the page into a new document, which is laid out once, when shown."""
        document = parse(self.content.markdown)
        document.setDocumentMargin(0)
        document.setDefaultFont(self._font())
        document.setIndentWidth(self.theme.px(22))
        for name in self.content.pictures:
            document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), self.picture(name))
        typeset(document, self.theme, {name: self._width(picture) for name, picture in self.content.pictures.items()})
        self._leave_room(document)
        self._mark(document)
        self.setDocument(document)
        if self._shown is not None:
            self._shown.deleteLater()
        self._shown = document

    def _font(self) -> QFont:
        """Return the font without ligatures: in code, `>=` is two characters."""
        font = QFont(self.theme.font())
        for feature in ("liga", "calt"):
            font.setFeature(QFont.Tag(feature), 0)
        return font

    def _leave_room(self, document: QTextDocument) -> None:
        """Add space above and below the text, which scrolls with it."""
        root = document.rootFrame()
        form = root.frameFormat()
        form.setTopMargin(self.theme.px(_ABOVE))
        form.setBottomMargin(self.theme.px(2 * _ABOVE))
        root.setFrameFormat(form)

    def _lay_out_again(self) -> None:
        """Lay the page out again in other colours or sizes, at about the same place."""
        bar = self.verticalScrollBar()
        share = bar.value() / max(1, bar.maximum())
        self._fit()
        self._set()
        bar.setValue(round(share * bar.maximum()))

    def _width(self, picture: Drawing) -> int:
        """Return the width of a picture: images fill the column, drawings have at most their own."""
        if isinstance(picture, QImage):
            return max(1, self._column)
        return max(1, min(self._column, self.theme.px(QSvgRenderer(QByteArray(picture)).defaultSize().width())))

    def picture(self, name: str) -> QImage:
        """Return a picture of the page as drawn; raises KeyError."""
        picture = self.content.pictures[name]
        if self.theme.is_dark:
            picture = self.content.pictures.get(dark_name(name), picture)
        return picture if isinstance(picture, QImage) else self._drawn(picture)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Load nothing: a document never reads a file or an address."""
        return None

    def _drawn(self, drawing: bytes) -> QImage:
        """Render an SVG in the theme's colours, at the screen's resolution."""
        colours = {getattr(LIGHT, token).lower(): getattr(self.theme.tokens, token) for token in _RECOLOURED}
        renderer = QSvgRenderer(QByteArray(recoloured(drawing, colours)))
        ratio = self.devicePixelRatioF()
        wide = self._width(drawing)
        size = renderer.defaultSize().scaled(wide, 100_000, Qt.AspectRatioMode.KeepAspectRatio) * ratio
        image = QImage(size.expandedTo(QSize(1, 1)), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter, QRectF(image.rect()))
        painter.end()
        return image

    def _mark(self, document: QTextDocument) -> None:
        """Highlight the search words, by colour and a line that no link has."""
        form = QTextCharFormat()
        form.setBackground(self.theme.color("selection"))
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
        form.setUnderlineColor(self.theme.color("accent"))
        self.marked = []
        for word in self._sought:
            cursor = document.find(word)
            while not cursor.isNull() and len(self.marked) < _MOST_MARKED:
                self.marked.append(cursor.selectedText())
                cursor.mergeCharFormat(form)
                cursor = document.find(word, cursor)

    # ---- geometry

    def resizeEvent(self, event: QResizeEvent) -> None:
        before = self._column
        self._fit()
        if self._column != before and self.content.pictures:
            self._lay_out_again()
        super().resizeEvent(event)

    def _fit(self) -> None:
        """Limit the line length, left-aligned."""
        px = self.theme.px
        pad = px(_PAD) if self.width() > px(420) else px(12)
        self._column = max(1, min(px(COLUMN), self.width() - 2 * pad - self.verticalScrollBar().sizeHint().width()))
        right = max(0, self.width() - pad - self._column - self.verticalScrollBar().sizeHint().width())
        self.setViewportMargins(pad, 0, right, 0)


def recoloured(drawing: bytes, colours: Mapping[str, str]) -> bytes:
    """Replace colours in an SVG, by hexadecimal names; the old ones in lower case."""
    text = drawing.decode("utf-8")
    return re.sub(r"#[0-9a-fA-F]{6}\b", lambda m: colours.get(m.group().lower(), m.group()), text).encode("utf-8")
