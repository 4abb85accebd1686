"""DocumentView for text with tables, and the HTML of marked texts, diffs and number tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, QUrl
from PySide6.QtGui import QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QTextBrowser

from app.display.library.memory_details import DiffMark, FieldDiff
from app.display.review.trace import TracePart, TraceRow
from app.display.system.metrics import Table
from app.domain.match import Band, Tier
from app.domain.running import ActivationBlocker
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.theme import icons
from app.gui.kit.theme.theme import Theme
from app.gui.kit.theme.tokens import ROUTE_TOKENS

_GLYPH = QSize(19, 12)
_ICON, _BAR = "icon:", "bar:"
_BAR_SIZE = QSize(180, 8)
_LEVELS = {str(level): level for level in (*Band, *Tier, *ActivationBlocker)}
_MOST_DIFF_LINES, _MOST_READ = 400, 4000

WIDEST = 480
"""Maximum width of tables of numbers, in units, so that rows can be followed."""


class DocumentView(QTextBrowser):
    """Document that wraps, can be selected and copied, and is read aloud; at most `widest` units wide.

    With `is_whole` it is as high as its text, since something around it scrolls.
    """

    pad = 16
    """Space beside the text, in units."""

    def __init__(self, theme: Theme, name: str, *, is_whole: bool = False, widest: int = 0) -> None:
        super().__init__()
        self.theme, self._is_whole, self._widest = theme, is_whole, widest
        self._html = ""
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if is_whole:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        theme.changed.connect(self._set)
        self._set()

    @property
    def read(self) -> str:
        return self.toPlainText()

    def show_html(self, html: str) -> None:
        """Show this document; an equal one keeps the selection."""
        if html != self._html:
            self._html = html
            self._set()

    def show_differences(self, differences: Sequence[FieldDiff]) -> None:
        """Show the differences of two states; they are read aloud as sentences."""
        self.show_html("".join(map(_difference, differences)) or span("No differences.", "text_2", "p"))
        told = "\n".join(f"{one.title}: {one.sentence}" for one in differences)
        self.setAccessibleDescription(told[:_MOST_READ])

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Draw the glyph of a level, an icon or a bar, by name; a document never reads a file or an address."""
        wanted, ratio = name.toString() if isinstance(name, QUrl) else name, self.devicePixelRatioF()
        if wanted.startswith(_ICON):
            _, icon, token, size = wanted.split(":")
            return icons.pixmap(icon, getattr(self.theme.tokens, token), self.theme.px(int(size)), ratio)
        level, is_bar = _LEVELS.get(wanted), wanted.startswith(_BAR)
        if level is None and not is_bar:
            return None
        room = _BAR_SIZE if is_bar else _GLYPH
        drawn = QPixmap(QSize(self.theme.px(room.width()), self.theme.px(room.height())) * ratio)
        drawn.setDevicePixelRatio(ratio)
        drawn.fill(Qt.GlobalColor.transparent)
        painter = QPainter(drawn)
        canvas = Canvas(painter, self.theme, self.width())
        if level is not None:
            canvas.level(level, 0, 0)
        else:
            _, value, token = wanted.split(":")
            canvas.bar(QRectF(0, 0, room.width(), room.height()), float(value), getattr(self.theme.tokens, token))
        painter.end()
        return drawn

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)
        self._fit()

    def _set(self) -> None:
        bar, document = self.verticalScrollBar(), self.document()
        place = bar.value()
        document.setDocumentMargin(0)
        document.setDefaultFont(self.theme.font(12))
        document.setDefaultStyleSheet(_style(self.theme))
        self.setHtml(self._html)
        form = document.rootFrame().frameFormat()
        form.setMargin(self.theme.px(self.pad))
        form.setTopMargin(self.theme.px(4))
        document.rootFrame().setFrameFormat(form)
        self._fit()
        bar.setValue(place)

    def _fit(self) -> None:
        if self._widest:
            self.setViewportMargins(0, 0, max(0, self.width() - self.theme.px(self._widest)), 0)
        if self._is_whole:
            self.setFixedHeight(math.ceil(self.document().size().height()) if self._html else 0)


def _style(theme: Theme) -> str:
    """Return the classes of the documents: colours by token, sizes in the theme's scale."""
    tokens, px = theme.tokens, theme.px
    colors = "".join(
        f".{name} {{ {'background-' * name.endswith('_soft')}color: {getattr(tokens, name)} }}"
        for name in tokens.__slots__
    )
    return f"""{colors}
        p {{ margin: 0 }}
        hr {{ background-color: {tokens.border} }}
        table {{ margin-bottom: {px(6)}px }}
        td {{ padding: {px(3)}px 0 }}
        img {{ vertical-align: middle }}
        .title {{ font-size: {px(15)}px; font-weight: 600; margin-bottom: {px(2)}px; white-space: pre-wrap }}
        .query {{ font-size: {px(20)}px; margin-bottom: {px(4)}px; white-space: pre-wrap }}
        .number {{ font-size: {px(15)}px }}
        .head {{ font-size: {px(11)}px; font-weight: 600; color: {tokens.text_2}; margin-top: {px(14)}px;
                 margin-bottom: {px(3)}px }}
        .body {{ font-size: {px(13)}px; margin-bottom: {px(6)}px }}
        .underlined {{ text-decoration: underline }}
        .below {{ margin-top: {px(2)}px; margin-bottom: {px(6)}px }}
        .small {{ font-size: {px(11)}px }}
        .strong {{ font-weight: 600 }}
        .mono {{ font-family: "{theme.mono}" }}
        .cell {{ padding-left: {px(14)}px; white-space: nowrap }}
        .whole {{ white-space: nowrap }}
        .diff {{ white-space: pre-wrap }}
        .gone {{ color: {tokens.danger}; background-color: {tokens.danger_soft}; text-decoration: line-through }}
        .new {{ color: {tokens.success}; background-color: {tokens.success_soft}; text-decoration: underline;
                font-weight: 600 }}
        .rule {{ border-top: 1px solid {tokens.border}; padding: {px(5)}px 0 }}
        .alert {{ padding: {px(6)}px {px(12)}px }}"""


def span(text: str, classes: str = "", tag: str = "span") -> str:
    """Return a text as HTML, with classes of the style sheet; "" for no text."""
    return f'<{tag} class="{classes}">{escape(text).replace(chr(10), "<br>")}</{tag}>' if text else ""


def icon_html(name: str, token: str, size: int = 16) -> str:
    """Return an icon as HTML, in the colour of a token; size in units."""
    return f'<img src="{_ICON}{name}:{token}:{size}">'


def level_html(level: Band | Tier | ActivationBlocker) -> str:
    return f'<img src="{level}">'


# ---- A text, a line below it, then its parts.


def parts_html(text: str, below: str, parts: Iterable[TracePart]) -> str:
    """Return a text, the line below it, and its parts."""
    return span(text, "title", "p") + span(below, "text_2", "p") + "".join(map(_part, parts))


def _part(part: TracePart) -> str:
    rows = "".join(map(_row, part.rows))
    return f'{span(part.title, "head", "p")}<table width="100%" cellspacing="0">{rows}</table>'


def _row(row: TraceRow) -> str:
    if row.is_sum:
        return f'<tr><td colspan="2">{span(row.quiet, "text_2")}<br>{span(row.said, "mono")}</td></tr>'
    glyph = "" if row.level is None else level_html(row.level)
    between = "&nbsp; " if row.said and row.quiet else ""
    said = f"{glyph}{span(row.said)}{between}{span(row.quiet, 'text_2')}"
    if not row.value:
        return f'<tr><td colspan="2">{said}</td></tr>'
    return f'<tr><td>{said}</td><td align="right" class="mono cell">{escape(row.value)}</td></tr>'


# ---- Diff by field: removed words struck through, new ones underlined.


def _difference(one: FieldDiff) -> str:
    marks = {DiffMark.SAME: "text", DiffMark.GONE: "gone", DiffMark.NEW: "new"}
    lines = ("".join(span(piece.text, marks[piece.mark]) for piece in line) for line in one.lines[:_MOST_DIFF_LINES])
    return span(one.title, "head", "p") + "".join(f'<p class="diff">{line}</p>' for line in lines)


# ---- Tables of counts and times below each other: names left, numbers right; zeros are muted.


_CELL_SHARE, _CELLS_SHARE = 14, 70
"""Maximum shares of a table's width in percent: of a column of numbers, and of all of them."""


def tables_html(tables: Iterable[Table]) -> str:
    return "<hr>".join(map(_table, tables))


def _table(table: Table) -> str:
    # Without shares of their own Qt gives the numbers all the width, and a letter's to the names.
    each = min(_CELL_SHARE, _CELLS_SHARE // max(1, len(table.heads)))
    cell = f'<td width="{each}%" align="right" class="small text_2 cell">'
    heads = "".join(f"{cell}{escape(head)}</td>" for head in table.heads)
    lines = [f'<td width="{100 - each * len(table.heads)}%" class="strong">{escape(table.title)}</td>{heads}']
    for row in table.rows:
        token = "text_2" if row.is_quiet else "text"
        mark = f"{span(row.mark, ROUTE_TOKENS.get(row.color, row.color))} " if row.color else ""
        bold = -1 if row.is_quiet or table.is_even else len(row.cells) - 1
        bar = "" if row.bar is None else f'<img src="{_BAR}{row.bar}:{ROUTE_TOKENS.get(row.color, "bar")}">&nbsp; '
        numbers = (
            f'<td align="right" class="cell{" mono" * any(map(str.isdigit, cell))} {token}'
            f'{" strong" * (place == bold)}">{"" if place else bar}{escape(cell)}</td>'
            for place, cell in enumerate(row.cells)
        )
        aside = f"<br>{span(row.aside, 'small text_2')}" if row.aside else ""
        lines.append(f"<td>{mark}{span(row.what, token)}{aside}</td>{''.join(numbers)}")
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table width="100%" cellspacing="0">{rows}</table>{span(table.remark, "small text_2", "p")}'
