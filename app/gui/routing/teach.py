"""The strip that teaches a route: which way is right, by a digit, a button or a label of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout

from app.display.routing.measures import choice_word
from app.gui.kit.controls import button
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme

_LONGEST = 80


class RouteTeach(Ruled):
    """Says which route was chosen; it knows nothing of the query."""

    chosen = Signal(str)
    left = Signal()  # Escape in the line of labels

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._labels: tuple[str, ...] = ()
        self.buttons: list[QPushButton] = []
        self.title = Said(self.tr("Teach this route: which way is right?"), role="title")
        self.label = QLineEdit()
        self.label.setMaxLength(_LONGEST)
        self.label.setPlaceholderText(self.tr("or a route of your own"))
        self.label.setAccessibleName(self.tr("Route to teach, by a name of your own"))
        self.label.returnPressed.connect(self._on_label)
        self.label.textChanged.connect(lambda _: self._show())
        self.label.installEventFilter(self)
        self.teach = button(
            self.tr("Teach"), tip=self.tr("Teach the route that is typed (Enter)"), press=self._on_label
        )
        px = theme.px
        self._row = QHBoxLayout()
        self._row.setSpacing(px(6))
        self._row.addWidget(self.label, 1)
        self._row.addWidget(self.teach)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(16), px(8), px(16), px(10))
        column.setSpacing(px(6))
        column.addWidget(self.title)
        column.addLayout(self._row)
        self._can_teach = False
        self._show()

    @property
    def labels(self) -> tuple[str, ...]:
        """The routes that have a digit."""
        return self._labels

    def show_choices(self, labels: Sequence[str]) -> None:
        """Offer these, each with its digit."""
        if tuple(labels) == self._labels:
            return
        self._labels = tuple(labels)
        for old in self.buttons:
            self._row.removeWidget(old)
            old.deleteLater()
        self.buttons = []
        for place, label in enumerate(self._labels):
            tip = self.tr("Teach {0} ({1})").format(label, place + 1)
            made = button(f"{place + 1}  {choice_word(label)}", tip=tip, press=partial(self.chosen.emit, label))
            made.setAccessibleName(tip)
            self.buttons.append(made)
            self._row.insertWidget(place, made)
        self._show()

    def let_teach(self, *, on: bool) -> None:
        """Whether there is a query to teach."""
        self._can_teach = on
        self._show()

    def choose(self, digit: int) -> None:
        """Teach the route of this digit, if there is one."""
        if self._can_teach and 0 < digit <= len(self._labels):
            self.chosen.emit(self._labels[digit - 1])

    def clear(self) -> None:
        """Make room for the next label."""
        self.label.clear()

    def _on_label(self) -> None:
        if self._can_teach and (text := self.label.text().strip()):
            self.chosen.emit(text)

    def _show(self) -> None:
        for made in (*self.buttons, self.label):
            made.setEnabled(self._can_teach)
        self.teach.setEnabled(self._can_teach and bool(self.label.text().strip()))

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is not self.label or not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        # Escape leaves the line before the window leads back to the query.
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress:
            self.label.clear()
            self.left.emit()
            return True
        return False

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)
