"""Line of the expected answer, with completions of all answers and their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from PySide6.QtCore import SIGNAL, QEvent, QModelIndex, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout

from app.display.scope.why_not import KIND_ICONS, kind_word, parse_expectation, shown_name
from app.domain.scope.why_not import Expectation
from app.gui.kit.controls import line_edit
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.fields import handle_escape
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme.theme import Theme, Themed

_MOST_ROWS, _ROW = 10, 28
_TAG = 96.0
_LONGEST = 400


class ChoiceDelegate(RowDelegate):
    """Row of the completions: icon of the kind, name, and word of the kind on the right."""

    wide, ground = 120, "raised"

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        choice, theme = index.data(ROW_ROLE), self.theme
        canvas.icon(KIND_ICONS[choice.kind], 12, 7, 14)
        taken = canvas.text(QRectF(0, 0, canvas.width - 12, _ROW), kind_word(choice), theme.face(11), "text_2", RIGHT)
        canvas.text(QRectF(34, 0, canvas.width - 34 - 24 - taken, _ROW), shown_name(choice), theme.face(13))


class KindTag(Themed):
    """Kind of the expected answer, before its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._shown: Expectation | None = None
        self.setFixedSize(theme.px(_TAG), theme.px(28))

    def show_kind(self, expected: Expectation | None) -> None:
        """Show the kind; None without an answer."""
        self._shown = expected
        self.setAccessibleName(kind_word(expected) if expected is not None else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        canvas, shown = Canvas(QPainter(self), self.theme, self.width()), self._shown
        if shown is not None:
            canvas.icon(KIND_ICONS[shown.kind], 0, 6, 16)
        left, word, token = (0, "Expected", "text_2") if shown is None else (23, kind_word(shown), "text")
        canvas.text(QRectF(left, 0, _TAG - left, 28), word, self.theme.face(12, 600), token)


class ExpectedLine(Themed):
    """Requests completions while typing; Enter chooses, even before they have arrived."""

    names_requested = Signal(int, str)  # ticket, the text
    chosen = Signal(Expectation)
    left = Signal()  # Escape

    _tickets = count(1)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choice: Expectation | None = None
        self._ticket, self._decides, self._opens = 0, False, False
        self.tag = KindTag(theme)
        self.line = line_edit(
            "What was expected", longest=_LONGEST, hint="a memory, an intent, a type, a power or a route"
        )
        self.model = ListModel[Expectation](
            shown_name, lambda choice: f"{kind_word(choice)} {shown_name(choice)}", self
        )
        self._completer = QCompleter(self.model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(_MOST_ROWS)
        self._completer.setWidget(self.line)
        self._completer.connect(SIGNAL("activated(QModelIndex)"), self._on_row)  # one of two overloads
        if (popup := self._completer.popup()) is not None:
            popup.setItemDelegate(ChoiceDelegate(theme, _ROW, popup))
            popup.setAccessibleName("What can be expected")
        self.line.textEdited.connect(self._on_edited)
        self.line.returnPressed.connect(self.decide)
        self.line.installEventFilter(self)
        fill(spaced(QHBoxLayout(self), theme.px(8)), self.tag, (self.line, 1))
        self.setFocusProxy(self.line)

    # ---- display

    def show_choice(self, choice: Expectation) -> None:
        """Show this answer, without a signal."""
        self.choice = choice
        self.tag.show_kind(choice)
        self.line.setText(shown_name(choice))
        self.select()

    def select(self) -> None:
        """Select the text, so that the next letter replaces it; a long name shows its start."""
        length = len(self.line.text())
        self.line.setSelection(length, -length)

    def show_names(self, ticket: int, offered: Sequence[Expectation]) -> None:
        """Show the completions of the latest request; choose, if Enter waits for them."""
        if ticket != self._ticket:
            return
        self.model.show_rows(offered)
        if self._decides:
            self._decides = False
            self._hide_names()
            if choice := parse_expectation(self.line.text(), offered, self.choice.kind if self.choice else ""):
                self._choose(choice)
        elif offered and self.line.hasFocus() and (self._opens or self.line.text().strip()):
            self._completer.complete()
        else:
            self._hide_names()

    def decide(self) -> None:
        """Choose by the text once its completions have arrived; a selected completion has priority."""
        popup = self._completer.popup()
        if popup is not None and popup.isVisible() and (picked := popup.currentIndex()).isValid():
            self._hide_names()
            self._on_row(picked)
        elif self.choice is not None and self.line.text() == shown_name(self.choice):
            self._hide_names()
            self.chosen.emit(self.choice)
        elif typed := self.line.text().strip():
            self._decides = True
            self._ask(typed)

    # ---- user actions

    def _on_edited(self) -> None:
        self._decides = self._opens = False
        is_choice = self.choice is not None and self.line.text() == shown_name(self.choice)
        self.tag.show_kind(self.choice if is_choice else None)
        self._ask(self.line.text().strip())

    def _open(self) -> None:
        """List the completions of the text, or all if the text is the chosen answer."""
        is_choice = self.choice is not None and self.line.text() == shown_name(self.choice)
        self._opens = True
        self._ask("" if is_choice else self.line.text().strip())

    def _ask(self, prefix: str) -> None:
        self._ticket = next(self._tickets)
        self.names_requested.emit(self._ticket, prefix)

    def _on_row(self, index: QModelIndex) -> None:
        choice = index.data(ROW_ROLE)
        if isinstance(choice, Expectation):
            self._decides = False
            self._ticket = next(self._tickets)  # drop the pending request
            self._choose(choice)

    def _choose(self, choice: Expectation) -> None:
        self.show_choice(choice)
        self.chosen.emit(choice)

    def _hide_names(self) -> None:
        if (popup := self._completer.popup()) is not None:
            popup.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the line on Escape, before the window's shortcut; open the list on Down."""
        if watched is not self.line or not isinstance(event, QKeyEvent):
            return False
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window's, though it moves the cursor on some desktops
            return event.type() is QEvent.Type.ShortcutOverride
        if handle_escape(event, self.left.emit):
            return True
        if event.key() == Qt.Key.Key_Down and event.type() is QEvent.Type.KeyPress:
            self._open()
            return True
        return False
