"""A short word low in the window, where it hides least, that goes by itself and may offer an undo."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.gui import icons
from app.gui.actions import action
from app.gui.clearing import clearing
from app.gui.controls import button
from app.gui.theme import Theme
from app.gui.tips import explain

SHOWN_MS = 6_000
_JUST_MS = 500
"""What was told so shortly before a page is opened is about what was done with that, and stays."""

_LINES = 2.6
"""So many lines of words make three once they are wrapped."""


class Toast(QWidget):
    """One at a time. It never takes the focus by itself, and waits while the mouse or the focus is on it."""

    undo_asked = Signal()
    focus_left = Signal()  # it went while it had the focus

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self._window = theme, parent
        self._bad, self._full = False, ""
        self._told = QElapsedTimer()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._sentence = QLabel()
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        row = action("undo")
        self.undo = button(f"{self.tr('Undo')}  {row.keys[0]}", tip=row.tip, press=self._on_undo)
        self.undo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.undo.installEventFilter(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(38), theme.px(8), theme.px(10), theme.px(8))
        layout.setSpacing(theme.px(16))
        layout.addWidget(self._sentence)
        layout.addWidget(self.undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def sentence(self) -> str:
        return "" if self.isHidden() else self._full

    @property
    def offers_undo(self) -> bool:
        return not self.undo.isHidden()

    def is_waiting(self) -> bool:
        """If it stays because somebody looks at it."""
        return self.isVisible() and not self._timer.isActive()

    def tell(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        """Show a sentence for a while."""
        self._full = sentence
        self._told.start()
        self._lay(sentence)
        explain(self._sentence, sentence)
        self.setAccessibleName(sentence)
        self._bad = bad
        self.undo.setVisible(undo)
        self.undo.setIcon(icons.icon("undo", self.theme.tokens.text))
        self.place()
        self.show()
        self.raise_()
        self._go_in_a_while()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _lay(self, sentence: str) -> None:
        """In one line, else in up to three; what is longer is cut."""
        label, measure = self._sentence, self._sentence.fontMetrics()
        room = max(200, self._window.width() - self.theme.px(260))
        is_long = measure.horizontalAdvance(sentence) > room
        label.setWordWrap(is_long)
        label.setMinimumWidth(room if is_long else 0)
        label.setMaximumWidth(room)
        label.setText(measure.elidedText(sentence, Qt.TextElideMode.ElideRight, round(_LINES * room)))

    def place(self) -> None:
        """Stand bottom centre above the status bar, or near it where that would hide what one works on."""
        self.adjustSize()
        through = Qt.WidgetAttribute.WA_TransparentForMouseEvents
        self.setAttribute(through, True)  # else it would find itself
        self.move(clearing(self._window, self.size(), self.theme))
        self.setAttribute(through, False)

    def leave_page(self) -> None:
        """Another page is opened: what was told of the last one goes, unless it can be undone."""
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
        """Begin the time anew, but not while the mouse or the focus is here."""
        if self.underMouse() or self.undo.hasFocus():
            self._timer.stop()
        else:
            self._timer.start(SHOWN_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self.theme.color("raised"))
        painter.setPen(QPen(self.theme.color("border_strong"), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        size = self.theme.px(15)
        name, shade = ("warning", self.theme.tokens.danger) if self._bad else ("check", self.theme.tokens.success)
        picture = icons.pixmap(name, shade, size, self.devicePixelRatioF())
        painter.drawPixmap(self.theme.px(14), (self.height() - size) // 2, picture)

    def _on_undo(self) -> None:
        had_focus = self.undo.hasFocus()
        self.hide()
        if had_focus:
            self.focus_left.emit()
        self.undo_asked.emit()
