"""Input fields: switch, choice, number, line; copyable texts; undo and focus in an editor."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QTextDocument,
    QTextOption,
    QValidator,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)
from shiboken6 import isValid

from app.gui.kit.canvas import Canvas
from app.gui.kit.theme import Theme, styled

LONGEST = 20_000
"""Maximum length of a query in characters; a longer paste is cut with a notice."""

_DECIMALS = 3
_PLACING = (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.StyleChange, QEvent.Type.Polish, QEvent.Type.FontChange)
_TOUCHING = (QEvent.Type.Enter, QEvent.Type.Leave, QEvent.Type.FocusIn, QEvent.Type.FocusOut)
_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}


class Switch(QAbstractButton):
    """Toggle, readable by position and word. `previewed` has the other value while hovered.

    Also while focused; "" afterwards.
    """

    changed = Signal(str)
    previewed = Signal(str)

    def __init__(self, theme: Theme, name: str = "") -> None:
        super().__init__()
        self.theme = theme
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda on=False: self.changed.emit("true" if on else "false"))

    @property
    def named(self) -> str:
        return "Off" if self.isChecked() else "On"

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in _TOUCHING and self.isEnabled():
            is_touched = self.underMouse() or self.hasFocus()
            self.previewed.emit(("false" if self.isChecked() else "true") if is_touched else "")
        return done

    def show_value(self, raw: str) -> None:
        """Show a value without a signal."""
        self.setChecked(raw == "true")

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(80), self.theme.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        canvas = Canvas(painter, self.theme, self.width())
        on, alive = self.isChecked(), self.isEnabled()
        track = QRectF(1, 5, 34, 18)
        shade = "accent_fill" if on and alive else "sunken"
        painter.setPen(QPen(self.theme.color("border_strong" if not on or not alive else "accent_fill"), 1))
        painter.setBrush(self.theme.color(shade))
        painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), 9, 9)
        knob = "on_accent" if on and alive else "border_strong"
        canvas.fill(QRectF(track.right() - 15 if on else track.left() + 3, 8, 12, 12), knob, 6)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.color("accent"), 2))
            painter.drawRoundedRect(track.adjusted(-0, -3, 0, 3), 11, 11)
        word = "On" if on else "Off"
        canvas.text(QRectF(44, 0, 36, 28), word, self.theme.face(12, 600), "text" if alive else "text_2")


class ChoiceBox(QComboBox):
    """Combo box that ignores the wheel without the focus. `previewed` has the highlighted value.

    "" once the list is closed.
    """

    changed = Signal(str)
    previewed = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]] = (), name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_choices(choices)
        self.activated.connect(lambda place: self.changed.emit(self.itemData(place)))
        self.highlighted.connect(self._preview)
        self.named = ""
        """Previewed value, as a word."""

    def _preview(self, place: int) -> None:
        self.named = self.itemText(place)
        self.previewed.emit("" if place == self.currentIndex() else str(self.itemData(place)))

    def hidePopup(self) -> None:
        super().hidePopup()
        self.previewed.emit("")

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer these pairs of value and word; the present value stays."""
        if [(self.itemData(n), self.itemText(n)) for n in range(self.count())] == list(choices):
            return
        shown = self.currentData()
        self.clear()
        for raw, word in choices:
            self.addItem(word, raw)
        if shown is not None:
            self.show_value(shown)

    def show_value(self, raw: str) -> None:
        """Show a value without a signal."""
        place = self.findData(raw)
        if place < 0:
            self.addItem(raw, raw)
            place = self.count() - 1
        self.setCurrentIndex(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class UnitSpin(QDoubleSpinBox):
    """Number in [0, 1] with three decimals, or more if the value has more.

    `moved` while it is edited, `changed` on Enter, on a step by key or arrow, and on leaving.
    """

    changed = Signal(str)
    moved = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._shown = "0"
        self._announces = True
        self.setRange(0.0, 1.0)
        self.setDecimals(_DECIMALS)
        self.setSingleStep(0.005)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.valueChanged.connect(self._on_value)
        self.editingFinished.connect(self.commit)

    def textFromValue(self, value: float) -> str:
        return f"{value:.{self.decimals()}f}".rstrip("0").rstrip(".")

    def show_value(self, raw: str) -> None:
        """Show a value without a signal."""
        self._shown = raw
        self._announces = False
        self.setDecimals(max(_DECIMALS, len(raw.partition(".")[2]) if "e" not in raw else _DECIMALS))
        self.setValue(float(raw))
        self._announces = True

    def try_value(self, value: float) -> None:
        """Show a value that is tried elsewhere, with a signal as if it were typed."""
        self.setDecimals(_DECIMALS)
        self.setValue(value)

    def commit(self) -> None:
        """Emit the value, if it differs from the last one shown."""
        if self.value() != float(self._shown) and not self.isReadOnly():
            self._shown = f"{self.value():.6g}"
            self.changed.emit(self._shown)

    def stepBy(self, steps: int) -> None:
        super().stepBy(steps)
        self.commit()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept a decimal point in every locale: there are no thousands separators here."""
        found = super().validate(text.replace(".", self.locale().decimalPoint()), position)
        assert isinstance(found, tuple), "PySide gives back what C++ writes into its arguments"
        return found

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in _PLACING:
            # A style sheet leaves one pixel for the text of a box without buttons.
            self.lineEdit().setGeometry(self.rect().adjusted(7, 2, -7, -2))
        return done

    def _on_value(self, value: float) -> None:
        if self._announces:
            self.moved.emit(value)


class ValueLine(QLineEdit):
    """Text or number; emitted on Enter or on leaving, if it differs.

    With `step`, arrow and page keys step it.
    """

    changed = Signal(str)

    def __init__(self, step: Callable[[str, int], str] | None = None) -> None:
        super().__init__()
        self._step, self._shown = step, ""
        self.setMaxLength(2_000)
        self.editingFinished.connect(self._commit)

    def show_value(self, raw: str) -> None:
        """Show a value without a signal; a draft stays."""
        half_typed = self.hasFocus() and self.text().strip() not in (self._shown, raw)
        self._shown = raw
        if not half_typed and raw != self.text():
            self.setText(raw)
            self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = _STEPS.get(Qt.Key(event.key()))
        if by is None or self._step is None or self.isReadOnly():
            super().keyPressEvent(event)
            return
        self.setText(self._step(self.text(), by))
        self._commit()

    def _commit(self) -> None:
        text = self.text().strip()
        if text != self._shown and not self.isReadOnly():
            self._shown = text
            self.changed.emit(text)


# ---- External texts in places where Qt would guess at markup


def plain_tip(text: str) -> str:
    """Make a tooltip that shows a text verbatim: wrapped, without markup. "" for none."""
    return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>' if text else ""


def explain(widget: QWidget, text: str) -> None:
    """Set a tooltip and its plain text for screen readers, since Qt would read its markup."""
    widget.setToolTip(plain_tip(text))
    widget.setAccessibleDescription(text)


# ---- Read-only fields for copying: fixed font, wrapped anywhere, never markup

_LOW = 44


class PlainField(QPlainTextEdit):
    """Read-only text that Tab leaves; a new text scrolls to its top, or end if it `follows`."""

    def __init__(self, theme: Theme, name: str, hint: str = "", *, follows: bool = False) -> None:
        super().__init__()
        self.theme, self._follows = theme, follows
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(name)
        self.setMinimumHeight(theme.px(_LOW))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # the page asks for no more space
        self.setPlaceholderText(hint)
        self.setFont(theme.font(12, mono=True))
        styled(self, role="mono")

    def show_text(self, text: str) -> None:
        if text == self.toPlainText():
            return
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self.setPlainText(text)
        if self._follows and at_end:
            bar.setValue(bar.maximum())


# ---- Keyboard in editor fields: leaving, and Ctrl+Z without typing to undo.


def handle_key(event: QEvent, action_of: Callable[[QKeyEvent], Callable[[], object] | None]) -> bool:
    """Handle a key with an action here, before the window's shortcuts; False for other events."""
    act = action_of(event) if isinstance(event, QKeyEvent) else None
    if act is None:
        return False
    if event.type() is QEvent.Type.ShortcutOverride:
        event.accept()
    elif event.type() is QEvent.Type.KeyPress:
        act()
    return True


def handle_escape(event: QEvent, leave: Callable[[], object]) -> bool:
    """Handle Esc: leave the field here, before the window returns to the query."""
    return handle_key(event, lambda key: leave if key.key() == Qt.Key.Key_Escape else None)


class UndoKeyFilter(QObject):
    """Passes Undo and Redo to the window if a field has nothing to undo.

    Qt's fields would swallow them.
    """

    def __init__(self, within: QWidget) -> None:
        super().__init__(within)
        self._within = within
        for field in self._fields():
            field.installEventFilter(self)

    def forget(self) -> None:
        """Clear the fields' undo stacks after storing: the keys then undo the step."""
        for field in self._fields():
            if isinstance(field, QPlainTextEdit):
                field.document().clearUndoRedoStacks()
            else:
                cursor = field.cursorPosition()
                field.setText(field.text())
                field.setCursorPosition(cursor)

    def _fields(self) -> list[QLineEdit | QPlainTextEdit]:
        return [*self._within.findChildren(QLineEdit), *self._within.findChildren(QPlainTextEdit)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        history = watched.document() if isinstance(watched, QPlainTextEdit) else watched
        if not isinstance(history, QLineEdit | QTextDocument):
            return False
        if event.matches(QKeySequence.StandardKey.Undo):
            return not history.isUndoAvailable()
        return event.matches(QKeySequence.StandardKey.Redo) and not history.isRedoAvailable()


class FocusLeaveWatch(QObject):
    """Emits `left` when the focus leaves a field within a widget, so that its text is stored.

    Moving to a widget of `but`, such as the revert button, or to another window, does not count.
    """

    left = Signal()

    def __init__(self, within: QWidget, but: Sequence[QWidget] = ()) -> None:
        super().__init__(within)
        self._within, self._but = within, but
        self._last: QWidget | None = None
        """Field within that had the focus last.

        A signal with the field would also be sent for one being deleted.
        """
        application = QApplication.instance()
        assert isinstance(application, QApplication), "widgets need one"
        application.focusObjectChanged.connect(self._on_focus)

    def _on_focus(self, new: QObject | None) -> None:
        if not isinstance(new, QWidget):
            return  # another program's window is active
        old, self._last = self._last, new if self._within.isAncestorOf(new) else None
        if old is None or not isValid(old) or old is new or new in self._but:
            return
        if not (old.isAncestorOf(new) or new.isAncestorOf(old)):  # as between a table and the line in its cell
            self.left.emit()
