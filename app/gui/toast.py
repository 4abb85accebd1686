"""A short word at the bottom of the window that goes by itself, and may offer an undo."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.gui import icons
from app.gui.controls import button
from app.gui.theme import Theme
from app.gui.tips import plain_tip

SHOWN_MS = 6_000


class Toast(QWidget):
    """One at a time; it never takes the focus, and waits while the mouse is on it."""

    undo_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self._window = theme, parent
        self._bad = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._sentence = QLabel()
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._undo = button(self.tr("Undo  Ctrl+Z"), press=self._on_undo)
        self._undo.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(38), theme.px(8), theme.px(10), theme.px(8))
        row.setSpacing(theme.px(16))
        row.addWidget(self._sentence)
        row.addWidget(self._undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def sentence(self) -> str:
        return "" if self.isHidden() else self._sentence.text()

    @property
    def offers_undo(self) -> bool:
        return not self._undo.isHidden()

    def tell(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        """Show a sentence for a while."""
        measure = self._sentence.fontMetrics()
        room = max(200, self._window.width() - self.theme.px(260))
        self._sentence.setText(measure.elidedText(sentence, Qt.TextElideMode.ElideRight, room))
        self._sentence.setToolTip(plain_tip(sentence))
        self.setAccessibleName(sentence)
        self._bad = bad
        self._undo.setVisible(undo)
        self._undo.setIcon(icons.icon("undo", self.theme.tokens.text))
        self.place()
        self.show()
        self.raise_()
        self._timer.start(SHOWN_MS)

    def place(self) -> None:
        """Stand bottom centre."""
        self.adjustSize()
        parent = self._window
        self.move((parent.width() - self.width()) // 2, parent.height() - self.height() - self.theme.px(40))

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
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
        self.hide()
        self.undo_asked.emit()
