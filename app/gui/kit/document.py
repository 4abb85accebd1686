"""DocumentView for text with tables, and the HTML of marked texts, diffs and number tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QUrl
from PySide6.QtGui import QPainter, QPixmap, QResizeEvent, QTextBlockFormat, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser

from app.display import numbers
from app.display.library.memories import DiffMark, FieldDiff
from app.domain.match import Band, Tier
from app.domain.running import ActivationBlocker
from app.gui.kit import icons
from app.gui.kit.canvas import Canvas
from app.gui.kit.fields import plain_tip
from app.gui.kit.theme import Theme, color
from app.gui.kit.tokens import ROUTE_TOKENS

if TYPE_CHECKING:  # these import numpy, which waits for the first paint
    from app.display.review.trace import TracePart, TraceRow
    from app.display.system.metrics import Table

_GLYPH, _BADGE, _PRESS = QSize(19, 12), QSize(15, 15), QSize(60, 28)
_BAR_WIDE, _BAR_HIGH, _MOST_PICTURES = 180, 8, 500
_LEVELS = {str(level): level for level in (*Band, *Tier, *ActivationBlocker)}
_MOST_DIFF_LINES, _MOST_READ = 400, 4000
_ENDS = re.compile(r"<(?:/p|/tr|hr)>")
_MARKUP = re.compile(r"<!--|-->|<[^<>]*>")
_STOP = re.compile(r'class="row" stop="(\d+)"')
_CLASSES, _RULES = re.compile(r'class="([^"]*)"'), re.compile(r"(\S+) \{([^}]*)\}")

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
        self.theme, self._name, self._is_whole, self._widest = theme, name, is_whole, widest
        self._html, self._classes = "", set[str]()
        self._style: dict[str, str] = {}
        self._pictures: dict[str, QPixmap] = {}
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if is_whole:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.document().setDocumentMargin(0)
        theme.follow(self._apply_theme)

    @property
    def read(self) -> str:
        return self.toPlainText()

    def show_html(self, html: str) -> None:
        """Show this document; an equal one keeps the selection."""
        if html != self._html:
            self._html = html
            self._set()
            self.setAccessibleDescription(heard(html)[:_MOST_READ])

    def show_differences(self, differences: Sequence[FieldDiff]) -> None:
        """Show the differences of two states; they are read aloud as sentences."""
        self.show_html("".join(map(_difference, differences)) or span("No differences.", "text_2", "p"))
        self.setAccessibleDescription("\n".join(f"{one.title}: {one.sentence}" for one in differences)[:_MOST_READ])

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return the picture of this name; a document never reads a file or an address."""
        wanted = name.toString() if isinstance(name, QUrl) else name
        if len(self._pictures) > _MOST_PICTURES:
            self._pictures.clear()
        if wanted not in self._pictures and (drawn := self._picture(wanted)) is not None:
            self._pictures[wanted] = drawn
        return self._pictures.get(wanted)

    def _picture(self, wanted: str) -> QPixmap | None:
        """Draw an icon, a bar, a scorer's badge or the glyph of a level."""
        tokens = self.theme.tokens
        match wanted.split(":"):
            case "icon", icon, token, size:
                return icons.pixmap(icon, getattr(tokens, token), self.theme.px(int(size)), self.devicePixelRatioF())
            case "bar", token, value, wide, ticks:
                bar = QRectF(0, 0, int(wide), _BAR_HIGH)
                if not (ticks or float(value or 0)):
                    return self._drawn(bar.size().toSize(), lambda canvas: canvas.bar(bar, 0 if value else None, ""))
                bare = self.loadResource(0, f"bar:{token}:{value and '0'}:{wide}:")
                return self._filled(bare, float(value or 0), tokens.scorer(token), map(float, ticks.split()))
            case "badge", scorer:
                return self._drawn(_BADGE, lambda canvas: canvas.badge(scorer, 0, 0))
            case "press", word, token:
                frame = QRectF(0, 0, _PRESS.width(), _PRESS.height())
                return self._drawn(_PRESS, lambda canvas: canvas.press(word, frame, token))
        level = _LEVELS.get(wanted)
        return None if level is None else self._drawn(_GLYPH, lambda canvas: canvas.level(level, 0, 0))

    def _filled(self, bare: QPixmap, value: float, shade: str, ticks: Iterable[float]) -> QPixmap:
        """Return a bar with its share filled, on the track that all bars of this width have."""
        drawn, scale, high = QPixmap(bare), self.theme.scale, _BAR_HIGH * self.theme.scale
        wide, painter = drawn.deviceIndependentSize().width(), QPainter(drawn)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(shade))
        if value:
            painter.drawRoundedRect(QRectF(0, 0, max(1.5 * scale, wide * min(value, 1.0)), high), 2 * scale, 2 * scale)
        for tick in ticks:
            painter.fillRect(QRectF(wide * tick - scale / 2, 0, scale, high), self.theme.color("border_strong"))
        painter.end()
        return drawn

    def _drawn(self, size: QSize, draw: Callable[[Canvas], object]) -> QPixmap:
        """Return a drawing of this size, in units."""
        ratio = self.devicePixelRatioF()
        drawn = QPixmap(QSize(self.theme.px(size.width()), self.theme.px(size.height())) * ratio)
        drawn.setDevicePixelRatio(ratio)
        drawn.fill(Qt.GlobalColor.transparent)
        painter = QPainter(drawn)
        draw(Canvas(painter, self.theme, self.width()))
        painter.end()
        return drawn

    def focusNextPrevChild(self, is_next: bool) -> bool:
        is_moved, link = super().focusNextPrevChild(is_next), self.textCursor().selectedText()
        self.setAccessibleName(self._name + f": {link}" * bool(self._focused_link()))
        return is_moved

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:  # Qt gives the document the font of the application
            self.document().setDefaultFont(self.theme.font(12))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self._set_tabs()
        super().resizeEvent(event)
        self._fit()

    def _apply_theme(self) -> None:
        self._pictures.clear()
        self.document().setDefaultFont(self.theme.font(12))
        self._style, self._classes = _style(self.theme), set()
        self._set()

    def _set(self) -> None:
        bar, document, focused = self.verticalScrollBar(), self.document(), self._focused_link()
        place, edit, selection = bar.value(), QTextCursor(document), self.textCursor()
        selected = selection.anchor(), selection.position(), selection.selectedText()
        policy = self.verticalScrollBarPolicy()
        if bar.isVisible():  # the empty document between would hide it: three layouts instead of one
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        edit.beginEditBlock()  # so that it is laid out once
        classes = {"p", "hr", "table", "td", "img", *" ".join(_CLASSES.findall(self._html)).split()}
        if not classes <= self._classes:  # Qt compares each element with each rule, so it gets those in use
            self._classes |= classes
            rules = (f"{name} {{{rule}}}" for name, rule in self._style.items() if name.lstrip(".") in self._classes)
            document.setDefaultStyleSheet("".join(rules))
        self.setHtml(numbers.unbroken(self._html))
        form = document.rootFrame().frameFormat()
        form.setMargin(self.theme.px(self.pad))
        form.setTopMargin(self.theme.px(4))
        form.setBottomMargin(self.theme.px(self.pad if self._is_whole else 6))
        document.rootFrame().setFrameFormat(form)
        self._set_tabs()
        edit.endEditBlock()
        self.setVerticalScrollBarPolicy(policy)
        self._fit()
        if focused:
            self._focus_link(focused)
        elif selected[2]:
            self._select(*selected)
        bar.setValue(place)

    def _set_tabs(self) -> None:
        """Set the tabs of the rows: where the second cell begins and the last one ends."""
        if stop := _STOP.search(self._html):
            right, document = self.viewport().width() - 2 * self.theme.px(self.pad), self.document()
            rows, back = document.find("\t"), QTextDocument.FindFlag.FindBackward
            last = document.find("\t", document.characterCount() - 1, back)
            rows.setPosition(last.position(), QTextCursor.MoveMode.KeepAnchor)
            form, kind = QTextBlockFormat(), QTextOption.TabType
            form.setTabPositions([QTextOption.Tab(int(stop[1]), kind.LeftTab), QTextOption.Tab(right, kind.RightTab)])
            rows.mergeBlockFormat(form)

    def _select(self, anchor: int, position: int, text: str) -> None:
        """Select this text again, at its old place or where it is now."""
        cursor, last = self.textCursor(), self.document().characterCount() - 1
        cursor.setPosition(min(anchor, last))
        cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
        if cursor.selectedText() != text:
            cursor = self.document().find(text)
        if not cursor.isNull():
            self.setTextCursor(cursor)

    def _focused_link(self) -> str:
        cursor = self.textCursor()
        return cursor.charFormat().anchorHref() if self.hasFocus() and cursor.hasSelection() else ""

    def _focus_link(self, link: str) -> None:
        """Focus the link with this key, if there still is one; else the next Tab goes to the first."""
        block = self.document().begin()
        while block.isValid():
            for format_ in block.textFormats():
                if format_.format.anchorHref() == link:
                    before = QTextCursor(self.document())
                    before.setPosition(block.position() + format_.start, QTextCursor.MoveMode.KeepAnchor)
                    self.setTextCursor(before)
                    self.focusNextPrevChild(True)
                    return
            block = block.next()

    def _fit(self) -> None:
        if self._widest:
            self.setViewportMargins(0, 0, max(0, self.width() - self.theme.px(self._widest)), 0)
        if self._is_whole:
            self.setFixedHeight(math.ceil(self.document().size().height()) if self._html else 0)


def _style(theme: Theme) -> dict[str, str]:
    """Return the rules of the documents by selector: colours by token, sizes in the theme's scale."""
    tokens, px = theme.tokens, theme.px
    colors = "".join(
        f".{name} {{ {'background-' * name.endswith('_soft')}color: {getattr(tokens, name)} }}"
        for name in tokens.__slots__
    )
    sheet = f"""{colors}
        p {{ margin: 0 }}
        hr {{ background-color: {tokens.border}; line-height: 50%; margin-bottom: {px(3)}px }}
        table {{ margin-top: {px(3)}px; margin-bottom: {px(3)}px }}
        td {{ padding: {px(3)}px 0 }}
        img {{ vertical-align: middle }}
        .title {{ font-size: {px(15)}px; font-weight: 600; margin-bottom: {px(2)}px; white-space: pre-wrap }}
        .query {{ font-size: {px(20)}px; margin-bottom: {px(4)}px; white-space: pre-wrap }}
        .number {{ font-size: {px(15)}px }}
        .head {{ font-size: {px(11)}px; font-weight: 600; color: {tokens.text_2}; margin-top: {px(14)}px;
                 margin-bottom: {px(3)}px }}
        .body {{ font-size: {px(13)}px; margin-bottom: {px(6)}px }}
        .underlined {{ text-decoration: underline }}
        .under {{ margin-left: {px(29)}px }}
        .below {{ margin-top: {px(2)}px; margin-bottom: {px(6)}px }}
        .small {{ font-size: {px(11)}px }}
        .strong {{ font-weight: 600 }}
        .mono {{ font-family: "{theme.mono}" }}
        .row {{ margin-top: {px(2)}px; margin-bottom: {px(2)}px; white-space: pre }}
        .tight {{ padding-top: {px(1)}px; padding-bottom: {px(1)}px }}
        .cell {{ padding-left: {px(14)}px; white-space: nowrap }}
        .apart {{ padding-left: {px(14)}px }}
        .left {{ padding-right: {px(16)}px }}
        .beside {{ border-left: 1px solid {tokens.border}; padding-left: {px(16)}px }}
        .card {{ border: 1px solid {tokens.border_strong}; padding: {px(12)}px }}
        .chosen {{ border: 2px solid {tokens.accent}; padding: {px(12) - 1}px; background-color: {tokens.selection} }}
        .whole {{ white-space: nowrap }}
        .diff {{ white-space: pre-wrap }}
        .gone {{ color: {tokens.danger}; background-color: {tokens.danger_soft}; text-decoration: line-through }}
        .new {{ color: {tokens.success}; background-color: {tokens.success_soft}; text-decoration: underline;
                font-weight: 600 }}
        .rule {{ border-top: 1px solid {tokens.border}; padding-top: {px(5)}px; padding-bottom: {px(5)}px }}
        .alert {{ padding: {px(6)}px {px(12)}px }}"""
    return dict(_RULES.findall(sheet))


def span(text: str, classes: str = "", tag: str = "span", tip: str = "") -> str:
    """Return a text as HTML, with classes of the style sheet and a tooltip; "" for no text."""
    title = f' title="{escape(plain_tip(tip))}"' if tip else ""
    return f'<{tag} class="{classes}"{title}>{escape(text).replace(chr(10), "<br>")}</{tag}>' if text else ""


def aside_html(text: str) -> str:
    """Return a text for screen readers alone, as a comment: what a look or a picture says."""
    return f"<span><!-- {escape(text)} --></span>" if text else ""  # a bare one takes the next space


def heard(html: str) -> str:
    """Return a document as it is read aloud: by paragraph and row, with the asides."""
    lines = unescape(_MARKUP.sub(" ", _ENDS.sub("\n", html))).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def link_html(key: str, text: str, classes: str = "accent strong") -> str:
    """Return a link, which `anchorClicked` reports by its key."""
    return f'<a href="{escape(key)}" style="text-decoration: none">{span(text, classes)}</a>'


def press_html(key: str, word: str, *, on: bool) -> str:
    """Return a picture of a button with a word; a link as of `link_html` if `on`."""
    picture = f'<img src="press:{word}:{"text" if on else "text_2"}">{aside_html(word)}'
    return f'<a href="{escape(key)}">{picture}</a>' if on else picture


def icon_html(name: str, token: str, size: int = 16) -> str:
    """Return an icon as HTML, in the colour of a token; size in units."""
    return f'<img src="icon:{name}:{token}:{size}">'


def bar_html(value: float | None, token: str, wide: int = 120, ticks: Iterable[float] = ()) -> str:
    """Return a bar from 0 to 1 in a token's or scorer's colour, hatched for None."""
    marks = " ".join(f"{tick:.3f}" for tick in ticks)
    return f'<img src="bar:{token}:{"" if value is None else f"{value:.3f}"}:{wide}:{marks}">'


def badge_html(scorer: str) -> str:
    """Return the letter of a scorer on its colour."""
    return f'<img src="badge:{scorer}" style="vertical-align: bottom">'


def table_html(rows: Iterable[Sequence[str]], first: str = "", *, ruled: bool = False, stop: int = 0) -> str:
    """Return rows of cells, which are HTML; all but the first, `first` wide, are at the right.

    The cell of a row with a single one spans the table. With `ruled` a line is above each row. With `stop` they are
    paragraphs of three cells, the second from so many pixels on; Qt lays them out in half the time.
    """
    if stop:
        return "".join(f'<p class="row" stop="{stop}">{"&#9;".join(row)}</p>' for row in rows)
    every = list(rows)
    most = max(map(len, every), default=1)
    look, at = ("rule", "top") if ruled else ("tight", "middle")
    width = f'class="{look}{"" if ruled else " whole"}" width="{first}"' if first else f'class="{look}"'
    lines = (
        f'<td valign="{at}" colspan="{most if len(row) == 1 else 1}" {width}>{row[0]}</td>'
        + "".join(f'<td valign="{at}" align="right" class="{look} cell">{cell}</td>' for cell in row[1:])
        for row in every
    )
    return f'<table width="100%" cellspacing="0">{"".join(f"<tr>{line}</tr>" for line in lines)}</table>'


def level_html(level: Band | Tier | ActivationBlocker) -> str:
    return f'<img src="{level}">'


# ---- A text, a line below it, then its parts.


_LONGEST_HEADING = 300


def heading_html(text: str, classes: str) -> str:
    """Return a query as heading; a long one is cut, so that what is below it stays in view."""
    cut = len(text) > _LONGEST_HEADING
    return span(f"{text[:_LONGEST_HEADING].rstrip()}…" if cut else text, classes, "p")


def parts_html(text: str, below: str, parts: Iterable[TracePart]) -> str:
    """Return a text, the line below it, and its parts."""
    return heading_html(text, "title") + span(below, "text_2", "p") + "".join(map(_part, parts))


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
    return f'<tr><td>{said}</td><td align="right" class="cell">{escape(row.value)}</td></tr>'


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
    cell = f'<td width="{each}%" align="right" class="small strong text_2 cell">'
    heads = "".join(f"{cell}{escape(head)}</td>" for head in table.heads)
    lines = [
        f'<td width="{100 - each * len(table.heads)}%" class="small strong text_2">{escape(table.title)}</td>{heads}'
    ]
    for row in table.rows:
        token = "text_2" if row.is_quiet else "text"
        mark = f"{span(row.mark, ROUTE_TOKENS.get(row.color, row.color))} " if row.color else ""
        bold = -1 if row.is_quiet or table.is_even else len(row.cells) - 1
        shade = ROUTE_TOKENS.get(row.color, "bar")
        bar = "" if row.bar is None else f"{bar_html(row.bar, shade, _BAR_WIDE)}&nbsp; "
        numbers = (
            f'<td align="right" class="cell {token}{" strong" * (place == bold)}">'
            f"{'' if place else bar}{escape(cell)}</td>"
            for place, cell in enumerate(row.cells)
        )
        aside = f"<br>{span(row.aside, 'small text_2')}" if row.aside else ""
        lines.append(f"<td>{mark}{span(row.what, token)}{aside}</td>{''.join(numbers)}")
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table width="100%" cellspacing="0">{rows}</table>{span(table.remark, "small text_2", "p")}'
