"""The triggers of one memory as a list: edited in place, added, removed, put in another order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.display.library.memories import LONGEST_TRIGGER
from app.gui.kit.controls import button
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_ROW, _MOST_ROWS = 26, 6


class TriggerList(QWidget):
    """Tells the whole list whenever a person has changed it; F2 edits, Delete removes, Alt with Up or Down moves."""

    changed = Signal(Sequence)  # list[str]

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._shown: tuple[str, ...] = ()
        self._adding = ""
        self._filling = False
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Triggers"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QListWidget.EditTrigger.DoubleClicked | QListWidget.EditTrigger.EditKeyPressed)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.installEventFilter(self)
        self.list.itemChanged.connect(lambda _: self._tell())
        self.list.currentRowChanged.connect(lambda _: self._show_verbs())
        self.line = QLineEdit()
        self.line.setMaxLength(LONGEST_TRIGGER)
        self.line.setPlaceholderText(self.tr("Add a trigger"))
        self.line.setAccessibleName(self.tr("Add a trigger"))
        self.line.returnPressed.connect(self._add)
        self.up = button("", tip=self.tr("Move the trigger up (Alt+Up)"), press=lambda: self.move_by(-1))
        self.down = button("", tip=self.tr("Move the trigger down (Alt+Down)"), press=lambda: self.move_by(1))
        self.gone = button("", tip=self.tr("Remove the trigger (Delete)"), press=self.remove)
        below = QHBoxLayout()
        below.setSpacing(theme.px(4))
        below.addWidget(self.line, 1)
        for made in (self.up, self.down, self.gone):
            made.setProperty("square", "true")
            below.addWidget(made)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addWidget(self.list)
        layout.addLayout(below)
        styled(self.list, role="entries")
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def texts(self) -> list[str]:
        return [self.list.item(place).text() for place in range(self.list.count())]

    def show_triggers(self, triggers: tuple[str, ...], *, anyway: bool = False) -> None:
        """Show what is stored."""
        if triggers == self._shown and not anyway:
            return
        here = max(0, self.list.currentRow())
        self._adding = ""
        self._shown, self._filling = triggers, True
        self.list.clear()
        for text in triggers:
            item = QListWidgetItem(text)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.list.addItem(item)
        self.list.setCurrentRow(min(here, len(triggers) - 1))
        self._filling = False
        self._size()
        self._show_verbs()

    def take_back(self) -> None:
        """Show again what is stored."""
        self.show_triggers(self._shown, anyway=True)

    def hold(self) -> bool:
        """What was typed could not be stored: it stays, to be tried again. Whether there is any."""
        if self._adding and not self.line.text():
            self.line.setText(self._adding)
        return bool(self.line.text()) or tuple(self.texts) != self._shown

    def edit_first(self) -> None:
        """Let the first trigger be typed over."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self.list.setCurrentRow(0)
        self.list.editItem(self.list.item(0))

    def move_by(self, by: int) -> None:
        """Move the current trigger up or down."""
        here, texts = self.list.currentRow(), self.texts
        if 0 <= here < len(texts) and 0 <= here + by < len(texts):
            texts.insert(here + by, texts.pop(here))
            self._filling = True
            self.list.setCurrentRow(here + by)
            self._filling = False
            self.changed.emit(texts)

    def remove(self) -> None:
        """Remove the current trigger."""
        here, texts = self.list.currentRow(), self.texts
        if 0 <= here < len(texts):
            self.changed.emit(texts[:here] + texts[here + 1 :])

    def _add(self) -> None:
        text = self.line.text().strip()
        if text:
            self.line.clear()
            self._adding = text
            self.changed.emit([*self.texts, text])

    def _tell(self) -> None:
        if not self._filling and tuple(self.texts) != self._shown:
            self.changed.emit(self.texts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if self.list.state() is QListWidget.State.EditingState:
            return False
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if alt and event.key() in steps:
            self.move_by(steps[Qt.Key(event.key())])
            return True
        if event.key() == Qt.Key.Key_Delete:
            self.remove()
            return True
        return False

    def _show_verbs(self) -> None:
        here, count = self.list.currentRow(), self.list.count()
        self.up.setEnabled(here > 0)
        self.down.setEnabled(0 <= here < count - 1)
        self.gone.setEnabled(here >= 0 and count > 1)

    def _size(self) -> None:
        rows = max(1, min(_MOST_ROWS, self.list.count()))
        self.list.setFixedHeight((self.theme.px(_ROW) + 1) * rows)

    def _dress(self) -> None:
        tokens = self.theme.tokens
        for made, name in ((self.up, "up"), (self.down, "down"), (self.gone, "cross")):
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))
        self._size()
