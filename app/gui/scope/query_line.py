"""Query line with its cues, and the query bar with its buttons."""

from __future__ import annotations

from enum import IntEnum
from math import ceil
from time import perf_counter

from PySide6.QtCore import QEvent, QMimeData, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy

from app.display.review.ask_all import lines_of
from app.display.scope.intent import Cue, RuleEffect
from app.gui.kit import icons
from app.gui.kit.canvas import LEFT, Canvas
from app.gui.kit.controls import button, set_primary
from app.gui.kit.fields import LONGEST, plain_tip
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.theme import Theme, Themed, styled
from app.gui.scope.actions import BAR, action_button

_BOX, _LOW_BOX = 62, 38
"""Height of the framed editor with one line, in units, with and without a line for labels."""

MOST_LINES = 3
"""Number of lines that the editor grows to; longer texts scroll."""

_DOCUMENT_MARGIN = 2
"""Margin around the text in pixels, as in a line edit."""

MOST_CHANGES = 5_000
"""Number of changes after which an emptied line clears its undo steps, some 100 queries.

Qt keeps every letter as long as the widget exists: the window grew by 1 MB in half an hour of typing.
"""

_RANK = {RuleEffect.WON: 0, RuleEffect.MATCHED: 1, RuleEffect.HELD_BACK: 2}
_DASHES: dict[RuleEffect, tuple[float, float] | None] = {
    RuleEffect.WON: None,
    RuleEffect.MATCHED: (5, 2),
    RuleEffect.HELD_BACK: (2, 2),
}
_FROM_QUERY = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class QueryLine(QPlainTextEdit):
    """Editor of the query, one to `MOST_LINES` lines high, which records the time of keys.

    `is_list`: several lines were pasted, which are not asked as one query until Enter is pressed.
    While `leaves_undo` is set, or there is no typing to undo or redo, Ctrl+Z and Ctrl+Shift+Z go to the window. So do
    the keys for marking an answer and for why-not, which move the cursor on some desktops.
    """

    changed = Signal(str)  # the whole text, if it has changed
    rejected = Signal()  # text beyond `LONGEST` characters was dropped
    stepped = Signal(int)
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("query")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(_DOCUMENT_MARGIN)
        self.setAccessibleName("Query")
        self.setPlaceholderText("Type what people would ask")
        self.keyed_at = perf_counter()
        self.leaves_undo = self.is_list = False
        self._text, self._changes = "", 0
        self.textChanged.connect(self._on_text)

    def text(self) -> str:
        """Return the whole text; pasted lines are separated by newlines."""
        return self._text

    def setText(self, text: str) -> None:
        """Replace the text, with the cursor at its end; this cannot be undone."""
        self.is_list = False
        self.setPlainText(text[:LONGEST])
        self.moveCursor(QTextCursor.MoveOperation.End)

    def go_to(self, place: int) -> None:
        """Move the cursor before a character."""
        self.setTextCursor(self._cursor_at(place))

    def _on_text(self) -> None:
        text = self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")
        if text == self._text:
            return
        if len(text) > LONGEST:
            cursor = self._cursor_at(LONGEST)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            self._text = text  # so that the removal alone is a change
            cursor.removeSelectedText()
            self.rejected.emit()
            return
        self._text = text
        self.is_list &= "\n" in text
        self._changes += 1
        if not text and self._changes > MOST_CHANGES:
            self._changes = 0
            self.document().clearUndoRedoStacks()
        self.changed.emit(text)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert as much of a pasted or dropped text as fits."""
        room = max(0, LONGEST - len(self._text) + len(self.textCursor().selectedText()))
        text = source.text()
        self.is_list |= len(lines_of(text)) > 1
        self.textCursor().insertText(text[:room])
        if self.is_list:
            self.moveCursor(QTextCursor.MoveOperation.Start)
        self.ensureCursorVisible()
        if len(text) > room:
            self.rejected.emit()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.InputMethod):
            self.keyed_at = perf_counter()
        elif isinstance(event, QKeyEvent) and self._is_the_windows(event):
            event.ignore()
            return False
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.keyed_at = perf_counter()
        super().mouseReleaseEvent(event)

    def _is_the_windows(self, event: QKeyEvent) -> bool:
        if event.type() is not QEvent.Type.ShortcutOverride:
            return False
        if event.matches(QKeySequence.StandardKey.Undo):
            return self.leaves_undo or not self.document().isUndoAvailable()
        if event.matches(QKeySequence.StandardKey.Redo):
            return self.leaves_undo or not self.document().isRedoAvailable()
        controlled = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return bool(controlled) and Qt.Key(event.key()) in (*_FROM_QUERY, Qt.Key.Key_E)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _FROM_QUERY and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.stepped.emit(_FROM_QUERY[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    @property
    def lines(self) -> int:
        """Number of lines of the text at this width."""
        return max(1, round(self.document().size().height()))

    def height_of(self, lines: int) -> int:
        """Return the height of whole lines, in pixels; one less, and Qt would scroll a text that fits."""
        layout = self.document().firstBlock().layout()
        high = layout.lineAt(0).height() if layout.lineCount() else float(self.fontMetrics().lineSpacing())
        return ceil(lines * high) + 2 * _DOCUMENT_MARGIN + 1

    def rects(self, start: int, end: int) -> list[QRectF]:
        """Return the visible rectangles of a span of characters in this widget, one per line."""
        first, last = (utf16(self._text, place) for place in (start, end))
        seen, found = self.viewport().rect(), list[QRectF]()
        block, stop = self.document().findBlock(first), self.document().findBlock(last).next()
        while block.isValid() and block != stop:
            corner = self.blockBoundingGeometry(block).translated(self.contentOffset()).topLeft()
            layout, begin = block.layout(), block.position()
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                left = max(first - begin, line.textStart())
                right = min(last - begin, line.textStart() + line.textLength())
                if left < right:
                    x1, x2 = sorted((_x(line.cursorToX(left)), _x(line.cursorToX(right))))
                    found.append(QRectF(corner.x() + x1, corner.y() + line.y(), x2 - x1, line.height()))
            block = block.next()
        return [rect for rect in found if seen.top() <= rect.center().y() <= seen.bottom()]

    def _cursor_at(self, place: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(utf16(self._text, place), self.document().characterCount() - 1))
        return cursor


_NOTHING_TYPED = "Answers appear as you type"


class QueryBox(Themed):
    """Framed editor with its cues underlined and labelled below, the winning one highlighted.

    It grows with the text.
    """

    grown = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.line = QueryLine()
        self.line.setParent(self)
        self.line.installEventFilter(self)
        self.line.cursorPositionChanged.connect(self.update)
        self.line.verticalScrollBar().valueChanged.connect(lambda _: self.update())
        self.line.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        self.setFocusProxy(self.line)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.px(_BOX))
        self.offer = button("", link=True, tip="Answer each line on its own, and list the answers (Ctrl+Shift+Return)")
        self.offer.setParent(self)
        self.offer.hide()
        self.most_lines = MOST_LINES
        self.is_low = False
        """True if the window is too low for a line of labels."""
        self._cues: tuple[Cue, ...] = ()
        self._note, self._none = "", _NOTHING_TYPED
        self.labelled: list[str] = []
        self.message = ""
        theme.follow(self.apply_theme)

    @property
    def cues(self) -> tuple[Cue, ...]:
        return self._cues

    def show_cues(self, cues: tuple[Cue, ...]) -> None:
        """Mark these cues; one that is no longer in the text is left out."""
        if cues != self._cues:
            self._cues = cues
            words = "; ".join(f"{cue.text}: {cue.label}, {cue.rule_effect}" for cue in cues)
            self.line.setAccessibleDescription(words)
            self.update()

    def show_no_cues(self, sentence: str | None) -> None:
        """Show below the text that it has no cue, None while it is empty; a cue's label replaces it."""
        text = _NOTHING_TYPED if sentence is None else sentence
        if text != self._none:
            self._none = text
            self.update()

    @property
    def note(self) -> str:
        return self._note

    def show_note(self, note: str) -> None:
        """Show a note on the text below its right end, without moving anything."""
        if note != self._note:
            self._note = note
            self.setToolTip(plain_tip(note))
            self.setAccessibleDescription(note)
            self.update()

    def apply_theme(self) -> None:
        styled(self.line, low="true" if self.is_low else "false")
        self.line.setFont(self.theme.font(16 if self.is_low else 20))
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(700), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self.line.ensureCursorVisible()

    def show_offer(self, text: str) -> None:
        """Offer to ask each of several lines; this is the primary action while they are not one query."""
        count = len(lines_of(text)) if "\n" in text else 0
        self.offer.setVisible(count > 1)
        if count > 1:
            self.offer.setText(f"Ask all {count:,} lines")
        set_primary(self.offer, on=self.line.is_list)
        styled(self.offer, link="false" if self.line.is_list else "true")
        self._fit()

    def show_most_lines(self, lines: int, *, is_low: bool) -> None:
        """Set the maximum number of lines; one scrolls sideways. `is_low`: no labels, and a smaller font."""
        if (lines, is_low) != (self.most_lines, self.is_low):
            self.most_lines, self.is_low = lines, is_low
            wrap = QPlainTextEdit.LineWrapMode
            self.line.setLineWrapMode(wrap.NoWrap if lines == 1 else wrap.WidgetWidth)
            self.apply_theme()
            self.line.ensureCursorVisible()
            self.grown.emit()

    def _fit(self) -> None:
        """Fit the editor's height to the lines of its text, within the limit."""
        px, beside = self.theme.px, self.offer.sizeHint().width() if self.is_low and not self.offer.isHidden() else 0
        self.line.resize(self.width() - px(57) - beside, self.line.height())  # wraps the text before it is counted
        high = self.line.height_of(min(self.most_lines, self.line.lines))
        self.line.setGeometry(px(43), px(9) - _DOCUMENT_MARGIN, self.line.width(), high)
        scrolls = self.line.lines > self.most_lines
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.line.setVerticalScrollBarPolicy(policy)
        if self.height() != (wanted := px(_LOW_BOX if self.is_low else _BOX) + high - self.line.height_of(1)):
            self.setFixedHeight(wanted)
            self.grown.emit()
        self.offer.adjustSize()
        self.offer.move(self.width() - px(8) - self.offer.width(), self.height() - self.offer.height() - px(7))

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.line.hasFocus()
        canvas = Canvas(painter, self.theme, self.width())
        edge = 2.0 if focused else 1.0
        frame = QRectF(0, 0, canvas.width, self.height() / self.theme.scale).adjusted(
            edge / 2, edge / 2, -edge / 2, -edge / 2
        )
        painter.setBrush(self.theme.color("surface"))
        outline = painter.pen()
        outline.setColor(self.theme.color("accent" if focused else "border_strong"))
        outline.setWidthF(edge)
        painter.setPen(outline)
        painter.drawRoundedRect(frame, 8, 8)
        canvas.icon("search", 16, 12, 18)
        self._draw_cues(canvas)

    def _draw_cues(self, canvas: Canvas) -> None:
        text = self.line.text()
        cues = [cue for cue in self._cues if text[cue.start : cue.end] == cue.text]
        marks = [(cue, self._in_units(rect)) for cue in cues for rect in self.line.rects(cue.start, cue.end)]
        canvas.painter.setClipRect(QRectF(40, 0, canvas.width - 51, self.height() / self.theme.scale))
        for cue, rect in marks:
            if cue.rule_effect is RuleEffect.WON:
                canvas.fill(rect.adjusted(-3, 0, 3, 2), "accent_soft", 4)
        for cue, rect in marks:  # after all highlights, which reach the underlines of the line above
            y, token = rect.bottom() + 2, "accent" if cue.rule_effect is RuleEffect.WON else "text_2"
            canvas.line(rect.left() - 1, y, rect.right() + 1, y, token, 2.0, dashes=_DASHES[cue.rule_effect])
        placed = {cue: rect.left() for cue, rect in reversed(marks)}
        said = "Keywords of the type are scrolled out of view" if cues else self._none
        if not self.is_low:
            self._draw_labels(canvas, list(placed.items()), said)

    def _in_units(self, rect: QRectF) -> QRectF:
        """Return a rectangle of the editor in units of this box."""
        scale, at = self.theme.scale, self.line.pos()
        return QRectF(
            (at.x() + rect.x()) / scale, (at.y() + rect.y()) / scale, rect.width() / scale, rect.height() / scale
        )

    def _draw_labels(self, canvas: Canvas, placed: list[tuple[Cue, float]], said: str) -> None:
        """Draw note and labels of the visible cues below the text; `said` without any label.

        With several lines each label repeats its cue.
        """
        top = self.height() / self.theme.scale - 22
        taken: list[tuple[float, float]] = []
        edge = self.offer.x() / self.theme.scale if self.offer.isVisible() else canvas.width - 14
        if edge < canvas.width - 14:
            taken.append((edge, canvas.width))
        if self._note:
            note = self.theme.face(11, 500)
            wide = min(note.width(self._note), canvas.width * 0.6)
            taken.append((edge - wide, canvas.width))
            canvas.text(QRectF(edge - wide, top, wide + 2, 16), self._note, note, "warning", LEFT)
        has_lines, end = self.line.lines > 1, 45.0
        labels: list[str] = []
        for cue, x1 in sorted(placed, key=lambda entry: (_RANK[entry[0].rule_effect], entry[1])):
            font = self.theme.face(11, 600)
            shown = f"{cue.text}: {cue.label}" if has_lines else cue.label
            width = font.width(shown)
            x = end if has_lines else min(x1, canvas.width - 14 - width)
            if x < 40 or any(x < right + 8 and left < x + width + 8 for left, right in taken):
                continue
            taken.append((x, x + width))
            end = x + width + 16
            labels.append(cue.label)
            token = "accent" if cue.rule_effect is RuleEffect.WON else "text_2"
            canvas.text(QRectF(x, top, width + 2, 16), shown, font, token, LEFT)
        self.message = "" if placed else said
        if self.message:
            end = min((left for left, _ in taken), default=canvas.width)
            canvas.text(QRectF(45, top, end - 53, 16), said, self.theme.face(11), "text_2", LEFT)
        self.labelled = labels


def utf16(text: str, index: int) -> int:
    """Return the index of a code point in UTF-16, as Qt counts."""
    head = text[:index]
    return index if head.isascii() else index + sum(character > "\uffff" for character in head)


def _x(place: object) -> float:
    """Return an x coordinate in a line; PySide may return it with the cursor's index."""
    at = place[0] if isinstance(place, tuple) else place
    assert isinstance(at, float), "places are pixels"
    return at


# ---- Bar at the top: the query line, and buttons for actions on the query.


_PRIMARY = "teach"
_MARGIN, _GAP, _ICON_ONLY, _WITH_WORD = 16, 8, 32, 48


class Words(IntEnum):
    """Amount of text on the bar's buttons; the query gets the remaining space."""

    ALL = 0
    TEACH = 1
    NONE = 2


_LEAST_QUERY = {Words.ALL: 820, Words.TEACH: 520, Words.NONE: 0}
"""Minimum width of the query, in units, for each amount of text."""


class QueryBar(Themed):
    """Bar at the top: the query, and a button for each action on it."""

    action_requested = Signal(str)  # key of an action

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.rows = {row.key: row for row in BAR}
        self.box = QueryBox(theme)
        self.box.grown.connect(self._fit)
        self._fit()
        request = self.action_requested.emit
        self.buttons = {row.key: action_button(row, request, primary=row.key == _PRIMARY) for row in BAR}
        self.box.line.changed.connect(self.show_offer)
        self.message: Words | None = None
        layout = spaced(QHBoxLayout(self), theme.px(_GAP), theme.px(_MARGIN), 0, theme.px(_MARGIN), 0)
        layout.addWidget(self.box, 1)
        layout.addSpacing(theme.px(4))
        fill(layout, *self.buttons.values())
        theme.follow(self.apply_theme)

    def show_offer(self, text: str) -> None:
        """Show the offer for this text, and which action is the primary one."""
        is_list, teach = self.box.line.is_list, self.buttons[_PRIMARY]
        self.box.show_offer(text)
        if is_list == (teach.property("primary") == "true"):
            set_primary(teach, on=not is_list)
            self.apply_theme()

    def apply_theme(self) -> None:
        tokens = self.theme.tokens
        for key, made in self.buttons.items():
            shade = tokens.on_accent if made.property("primary") == "true" else tokens.text
            made.setIcon(icons.icon(self.rows[key].icon, shade, tokens.border_strong))
        self.message = None
        self._set_words()

    def _fit(self) -> None:
        self.setFixedHeight(self.box.height() + self.theme.px(10 if self.box.is_low else 20))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_words()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self.theme.color("border"))

    def _set_words(self) -> None:
        """Replace words by icons if the query needs the space."""
        text = next((words for words in Words if self._remaining_width(words) >= _LEAST_QUERY[words]), Words.NONE)
        if text is self.message:
            return
        self.message = text
        for key, made in self.buttons.items():
            word = self._word(key, text)
            made.setText(word)
            made.setProperty("square", "false" if word else "true")
            made.style().polish(made)

    def _word(self, key: str, said: Words) -> str:
        row = self.rows[key]
        if said is Words.ALL:
            return f"{row.word}  {row.keys[0]}" if key == _PRIMARY else row.word
        return row.word if said is Words.TEACH and key == _PRIMARY else ""

    def _remaining_width(self, said: Words) -> float:
        """Return the resulting width of the query, in units."""
        face = self.theme.face(12, 600)
        wide: float = 2 * _MARGIN + 4 + len(self.buttons) * _GAP
        for key in self.buttons:
            word = self._word(key, said)
            wide += face.width(word) + _WITH_WORD if word else _ICON_ONLY
        return self.width() / self.theme.scale - wide
