"""Toast: a short message at the foot of the window, in its flow, which may offer an undo."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.display import numbers
from app.gui.kit import icons
from app.gui.kit.controls import button
from app.gui.kit.fields import explain
from app.gui.kit.layouts import spaced
from app.gui.kit.page import Action, Group
from app.gui.kit.theme import Theme

UNDO = Action("undo", "Undo the last step", Group.TEACH, shortcuts=("Ctrl+Z",), icon="undo")
"""Action offered by a toast."""

SHOWN_MS = 6_000
_JUST_MS = 500
"""Age in ms below which a message stays when a page is opened: it is about that action."""

_LOW = 26
"""Height of one line, in units: that of the status line."""

_SHARE, _NARROW = 0.7, 640
"""Maximum share of the row; below this width in units, a message takes the whole row."""

_LINES = 2.6
"""Text length, in lines, that fits into three lines after wrapping."""


class Toast(QWidget):
    """One message at a time, on the left of the window's bottom row; never takes the focus.

    It covers nothing: the widget `beside` it gets the rest of the row, and is hidden if that is too little. Stays
    while the mouse or the focus is on it.
    """

    undo_requested = Signal()
    focus_left = Signal()  # it was hidden while it had the focus

    def __init__(self, theme: Theme, beside: QWidget) -> None:
        super().__init__()
        self.theme, self._beside = theme, beside
        self._bad, self._full = False, ""
        self._told = QElapsedTimer()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumHeight(theme.px(_LOW))
        self.label = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.undo = button(f"Undo  {UNDO.keys[0]}", link=True, tip=UNDO.tip, press=self._on_undo)
        self.undo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.undo.setFixedHeight(theme.px(_LOW - 4))
        self.undo.installEventFilter(self)
        self._row = spaced(QHBoxLayout(self), theme.px(8), theme.px(36), theme.px(2), theme.px(8), theme.px(2))
        self._row.addWidget(self.label)
        self._row.addWidget(self.undo)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def sentence(self) -> str:
        return "" if self.isHidden() else self._full

    @property
    def offers_undo(self) -> bool:
        return not self.undo.isHidden()

    def is_waiting(self) -> bool:
        """Check if it stays because the mouse or the focus is on it."""
        return self.isVisible() and not self._timer.isActive()

    def show_message(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        self._full = sentence
        self._told.start()
        explain(self.label, sentence)
        self.setAccessibleName(sentence)
        self._bad = bad
        self.undo.setVisible(undo)
        self.fit()
        self.show()
        self.update()
        self._go_in_a_while()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def fit(self) -> None:
        """Fit the width to the sentence, in one to three lines; longer ones are cut."""
        row, label, px = self.parentWidget(), self.label, self.theme.px
        if row is None:
            return
        measure, is_narrow = label.fontMetrics(), row.width() < px(_NARROW)
        self._beside.setVisible(self.isHidden() or not is_narrow)
        wide = row.width() if is_narrow else round(_SHARE * row.width())
        room = wide - px(52) - (self.undo.sizeHint().width() if self.offers_undo else 0)
        is_long = measure.horizontalAdvance(self._full) > room
        label.setWordWrap(is_long)
        text = numbers.unbroken(self._full)
        label.setText(measure.elidedText(text, Qt.TextElideMode.ElideRight, round(_LINES * room)))
        label.setFixedWidth(room if is_long else measure.horizontalAdvance(self._full) + 1)
        self.setFixedHeight(max(px(_LOW), label.heightForWidth(room) + px(8) if is_long else 0))

    def showEvent(self, event: QShowEvent) -> None:
        self.fit()

    def hideEvent(self, event: QHideEvent) -> None:
        self._beside.show()

    def leave_page(self) -> None:
        """Hide it when another page is opened, unless it offers an undo."""
        if not self.offers_undo and not self.is_waiting() and self._told.isValid() and self._told.elapsed() > _JUST_MS:
            self._timer.stop()
            self.hide()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._go_in_a_while()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusIn:
            self._timer.stop()
        elif event.type() is QEvent.Type.FocusOut:
            self._go_in_a_while()
        return False

    def _go_in_a_while(self) -> None:
        """Restart the time, but not while the mouse or the focus is here."""
        if self.underMouse() or self.undo.hasFocus():
            self._timer.stop()
        else:
            self._timer.start(SHOWN_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, px = QPainter(self), self.theme.px
        token = "danger" if self._bad else "success"
        painter.fillRect(self.rect(), self.theme.color("raised"))
        painter.fillRect(0, 0, self.width(), 1, self.theme.color("border"))
        painter.fillRect(0, 0, px(3), self.height(), self.theme.color(token))
        size, name = px(15), "warning" if self._bad else "check"
        picture = icons.pixmap(name, getattr(self.theme.tokens, token), size, self.devicePixelRatioF())
        painter.drawPixmap(px(13), (self.height() - size) // 2, picture)

    def _on_undo(self) -> None:
        had_focus = self.undo.hasFocus()
        self.hide()
        if had_focus:
            self.focus_left.emit()
        self.undo_requested.emit()
