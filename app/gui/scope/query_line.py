"""The query line with its cues, and the query bar with its buttons."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from time import perf_counter

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
)
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from app.display.scope.intent import Cue, RuleEffect
from app.gui.kit.controls import button
from app.gui.kit.drawing.canvas import LEFT, Canvas
from app.gui.kit.fields import LONGEST, plain_tip
from app.gui.kit.layouts import spaced
from app.gui.kit.theme import icons
from app.gui.kit.theme.theme import Theme
from app.gui.scope.actions import BAR

_CURSOR_INSET = 5
"""How far left of the cursor Qt lets the cursor's rectangle begin."""

_FADE = 28
"""So many pixels a text that begins further left takes to appear."""

MOST_CHANGES = 5_000
"""After so many changes of the text, some hundred queries, an emptied line forgets the steps of undo: Qt keeps every
letter for as long as the line is there, and the window grew by a megabyte in half an hour of typing."""

_RANK = {RuleEffect.WON: 0, RuleEffect.MATCHED: 1, RuleEffect.HELD_BACK: 2}
_DASHES: dict[RuleEffect, tuple[float, float] | None] = {
    RuleEffect.WON: None,
    RuleEffect.MATCHED: (5, 2),
    RuleEffect.HELD_BACK: (2, 2),
}
_FROM_QUERY = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class QueryLine(QLineEdit):
    """The line edit; it records the time of a key, and the position of a character.

    While `leaves_undo` is set, or there is no typing to undo or redo, Ctrl+Z and Ctrl+Shift+Z are the window's. So are
    the keys that mark an answer or ask why another one came, which move the cursor on some desktops.
    """

    stepped = Signal(int)
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("query")
        self.setMaxLength(LONGEST)
        self.setFrame(False)
        self.setAccessibleName("Query")
        self.setPlaceholderText("Type what people would ask")
        self.keyed_at = perf_counter()
        self.leaves_undo = False
        self._changes = 0
        self.textChanged.connect(self._forget_steps)

    def _forget_steps(self, text: str) -> None:
        self._changes += 1
        if not text and self._changes > MOST_CHANGES:
            self._changes = 0
            self.setText("")  # what forgets them

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.InputMethod, QEvent.Type.MouseButtonRelease):
            self.keyed_at = perf_counter()
        elif isinstance(event, QKeyEvent) and self._is_the_windows(event):
            event.ignore()
            return False
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fade the left edge where text is scrolled out, so that no letter looks cut."""
        super().paintEvent(event)
        if self.fontMetrics().horizontalAdvance(self.text()) < self.width() - 2 * _FADE:
            return
        begin = self.places([(0, 0)])
        if not begin or begin[0][0] >= 0:
            return
        shade = self.palette().color(self.backgroundRole())
        clear = QColor(shade)
        clear.setAlpha(0)
        fade = QLinearGradient(0, 0, _FADE, 0)
        fade.setColorAt(0.2, shade)
        fade.setColorAt(1, clear)
        QPainter(self).fillRect(QRectF(0, 0, _FADE, self.height()), fade)

    def _is_the_windows(self, event: QKeyEvent) -> bool:
        if event.type() is not QEvent.Type.ShortcutOverride:
            return False
        if event.matches(QKeySequence.StandardKey.Undo):
            return self.leaves_undo or not self.isUndoAvailable()
        if event.matches(QKeySequence.StandardKey.Redo):
            return self.leaves_undo or not self.isRedoAvailable()
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

    def places(self, spans: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
        """From where to where spans of characters reach, in this widget's pixels, whatever is scrolled out."""
        text = self.text()
        layout = QTextLayout(text[:4000], self.font())
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        if not line.isValid():
            return []
        length = len(text[:4000])
        cursor = min(utf16(text, min(self.cursorPosition(), length)), utf16(text, length))
        origin = self.cursorRect().x() + _CURSOR_INSET - _x(line.cursorToX(cursor))
        return [
            (origin + _x(line.cursorToX(utf16(text, start))), origin + _x(line.cursorToX(utf16(text, end))))
            for start, end in spans
            if end <= length
        ]


class QueryBox(QWidget):
    """The framed line: the winning cue highlighted behind the text, all cues underlined and labelled below it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.line = QueryLine()
        self.line.setParent(self)
        self.line.installEventFilter(self)
        self.line.cursorPositionChanged.connect(self.update)
        self.setFocusProxy(self.line)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.px(62))
        self._cues: tuple[Cue, ...] = ()
        self._note, self._none = "", self._nothing_typed()
        self.labelled: list[str] = []
        self.message = ""
        theme.changed.connect(self.apply_theme)
        self.apply_theme()

    @property
    def cues(self) -> tuple[Cue, ...]:
        return self._cues

    def show_cues(self, cues: tuple[Cue, ...]) -> None:
        """Mark these cues; one that no longer stands in the text is left out."""
        if cues != self._cues:
            self._cues = cues
            words = "; ".join(f"{cue.text}: {cue.label}" for cue in cues)
            self.line.setAccessibleDescription(words)
            self.update()

    def show_no_cues(self, sentence: str | None) -> None:
        """Show below the text that it has no cue, None while it is empty; a label of a cue replaces it."""
        text = self._nothing_typed() if sentence is None else sentence
        if text != self._none:
            self._none = text
            self.update()

    def _nothing_typed(self) -> str:
        return "Keywords that reveal the query type are underlined here"

    @property
    def note(self) -> str:
        return self._note

    def show_note(self, note: str) -> None:
        """Say something about the text itself, below its right end; nothing moves."""
        if note != self._note:
            self._note = note
            self.setToolTip(plain_tip(note))
            self.setAccessibleDescription(note)
            self.update()

    def apply_theme(self) -> None:
        font = self.theme.font(20)
        self.line.setFont(font)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(700), self.theme.px(62))

    def resizeEvent(self, event: QResizeEvent) -> None:
        px = self.theme.px
        self.line.setGeometry(px(43), px(6), self.width() - px(57), px(30))

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
        frame = QRectF(0, 0, canvas.width, 62).adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2)
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
        scale = self.theme.scale
        left, right = 43.0, canvas.width - 14
        placed: list[tuple[Cue, float, float]] = []
        for cue, (start, end) in zip(cues, self.line.places([(cue.start, cue.end) for cue in cues]), strict=False):
            x1, x2 = sorted((left + start / scale, left + end / scale))
            x1, x2 = max(x1, left), min(x2, right)
            if x2 > x1:
                placed.append((cue, x1, x2))
        canvas.painter.setClipRect(QRectF(left - 3, 0, right - left + 6, 62))
        for cue, x1, x2 in placed:
            won = cue.rule_effect is RuleEffect.WON
            if won:
                canvas.fill(QRectF(x1 - 3, 9, x2 - x1 + 6, 27), "accent_soft", 4)
            canvas.line(x1 - 1, 37, x2 + 1, 37, "accent" if won else "text_2", 2.0, dashes=_DASHES[cue.rule_effect])
        self._draw_labels(canvas, placed, "Keywords of the type are scrolled out of view" if cues else self._none)

    def _draw_labels(self, canvas: Canvas, placed: list[tuple[Cue, float, float]], said: str) -> None:
        """Draw the labels of the visible cues, or the note where there is none."""
        taken: list[tuple[float, float]] = []
        if self._note:
            note = self.theme.face(11, 500)
            wide = min(note.width(self._note), canvas.width * 0.6)
            taken.append((canvas.width - 14 - wide, canvas.width))
            canvas.text(QRectF(canvas.width - 14 - wide, 40, wide + 2, 16), self._note, note, "warning", LEFT)
        labels: list[str] = []
        for cue, x1, _ in sorted(placed, key=lambda entry: (_RANK[entry[0].rule_effect], entry[1])):
            font = self.theme.face(11, 600)
            width = font.width(cue.label)
            x = min(x1, canvas.width - 14 - width)
            if x < 40 or any(x < end + 8 and start < x + width + 8 for start, end in taken):
                continue
            taken.append((x, x + width))
            labels.append(cue.label)
            token = "accent" if cue.rule_effect is RuleEffect.WON else "text_2"
            canvas.text(QRectF(x, 40, width + 2, 16), cue.label, font, token, LEFT)
        self.message = "" if placed else said
        if self.message:
            end = taken[0][0] if taken else canvas.width
            canvas.text(QRectF(45, 40, end - 53, 16), said, self.theme.face(11), "text_2", LEFT)
        self.labelled = labels


def utf16(text: str, index: int) -> int:
    """The place of a code point in Qt's counting, which takes two for those beyond the first plane."""
    head = text[:index]
    return index if head.isascii() else index + sum(character > "\uffff" for character in head)


def _x(place: object) -> float:
    """A place in a line; PySide hands back the cursor's index as well."""
    at = place[0] if isinstance(place, tuple) else place
    assert isinstance(at, float), "places are pixels"
    return at


# ---- The bar across the top: the query line, and buttons for what is done with the query.


_PRIMARY = "teach"
_MARGIN, _GAP, _ICON_ONLY, _WITH_WORD = 16, 8, 32, 48


class Words(IntEnum):
    """How much text the bar's buttons show; the query gets the rest of the room."""

    ALL = 0
    TEACH = 1
    NONE = 2


_LEAST_QUERY = {Words.ALL: 820, Words.TEACH: 520, Words.NONE: 0}
"""How much room, in units, the query must keep for so many words."""


class QueryBar(QWidget):
    """The bar at the top: the query, and a button for each action on it."""

    action_requested = Signal(str)  # the key of an action

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows = {row.key: row for row in BAR}
        self.setFixedHeight(theme.px(82))
        self.box = QueryBox(theme)
        self.buttons = {key: self._button(key) for key in self.rows}
        self.message: Words | None = None
        layout = spaced(QHBoxLayout(self), theme.px(_GAP), theme.px(_MARGIN), 0, theme.px(_MARGIN), 0)
        layout.addWidget(self.box, 1)
        layout.addSpacing(theme.px(4))
        for widget in self.buttons.values():
            layout.addWidget(widget)
        theme.changed.connect(self.apply_theme)
        self.apply_theme()

    def apply_theme(self) -> None:
        tokens = self.theme.tokens
        for key, made in self.buttons.items():
            shade = tokens.on_accent if key == _PRIMARY else tokens.text
            made.setIcon(icons.icon(self.rows[key].icon, shade, tokens.border_strong))
        self.message = None
        self._set_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_words()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self.theme.color("border"))

    def _button(self, key: str) -> QPushButton:
        row = self.rows[key]
        made = button("", primary=key == _PRIMARY, tip=row.tip, press=partial(self.action_requested.emit, key))
        made.setObjectName(key)
        made.setAccessibleName(row.name)
        return made

    def _set_words(self) -> None:
        """Words give way to icons, so that the query keeps its room."""
        text = next((words for words in Words if self._left(words) >= _LEAST_QUERY[words]), Words.NONE)
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

    def _left(self, said: Words) -> float:
        """How wide the query would be, in units."""
        face = self.theme.face(12, 600)
        wide: float = 2 * _MARGIN + 4 + len(self.buttons) * _GAP
        for key in self.buttons:
            word = self._word(key, said)
            wide += face.width(word) + _WITH_WORD if word else _ICON_ONLY
        return self.width() / self.theme.scale - wide
