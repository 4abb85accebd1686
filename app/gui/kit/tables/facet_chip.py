"""One thing to sift by: a button that says what is chosen, and a list of the values that opens below it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.display import numbers, words
from app.display.library.catalogue import ANY, Choice, Facet
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.theme.theme import Theme

_ROW, _MOST_ROWS = 26, 12


class _Lines(QStyledItemDelegate):
    """A value and, at the right, how many have it."""

    def __init__(self, popup: ChoicePopup) -> None:
        super().__init__(popup)
        self._popup = popup

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self._popup.theme.px(120), self._popup.theme.px(_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, choice, area = self._popup.theme, self._popup.shown[index.row()], option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("selection"))
        painter.translate(area.x(), area.y())
        pen = Pen(painter, theme, area.width())
        count = "" if choice.count is None else numbers.count(choice.count)
        taken = pen.text(QRectF(0, 0, pen.width - 12, _ROW), count, theme.face(11, mono=True), "text_2", RIGHT)
        weight = 650 if choice.value == self._popup.value else 400
        pen.text(QRectF(12, 0, pen.width - 36 - taken, _ROW), choice.word, theme.face(12, weight))
        painter.restore()


class ChoicePopup(QFrame):
    """The values of a facet, with a line to look for one where they are many."""

    chosen = Signal(Choice)

    def __init__(self, theme: Theme, facet: Facet, value: Any, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.theme, self.value = theme, value
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(facet.name)
        self._all = (Choice(ANY, words.say("Any")), *facet.choices)
        self.shown: tuple[Choice, ...] = self._all
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Look for one"))
        self.search.setAccessibleName(self.tr("Look for one"))
        self.search.setVisible(facet.is_long)
        self.search.textChanged.connect(self._sift)
        self.search.installEventFilter(self)
        self.list = QListView()
        self.list.setAccessibleName(facet.name)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.model = QStringListModel(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Lines(self))
        self.list.clicked.connect(lambda index: self._choose(index.row()))
        self.list.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, theme.px(4), 1, theme.px(4))
        layout.setSpacing(theme.px(4))
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        self._show()
        rows = min(_MOST_ROWS, len(self._all))
        self.list.setFixedHeight(theme.px(_ROW) * rows)
        self.setFixedWidth(theme.px(260))
        (self.search if facet.is_long else self.list).setFocus()

    def _sift(self, sought: str) -> None:
        letters = sought.casefold().strip()
        self.shown = tuple(choice for choice in self._all if letters in choice.word.casefold())
        self._show()

    def _show(self) -> None:
        self.model.setStringList([choice.word for choice in self.shown])
        here = next((n for n, choice in enumerate(self.shown) if choice.value == self.value), 0)
        if self.shown:
            self.list.setCurrentIndex(self.model.index(here))

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.shown):
            self.chosen.emit(self.shown[place])
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentIndex().row())
            return True
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and watched is self.search:
            here = self.list.currentIndex().row() + (1 if event.key() == Qt.Key.Key_Down else -1)
            self.list.setCurrentIndex(self.model.index(max(0, min(len(self.shown) - 1, here))))
            return True
        return False


class FacetChip(QPushButton):
    """Says “Label” or “Label: billing”; pressing it opens the values."""

    changed = Signal()

    def __init__(self, theme: Theme, facet: Facet) -> None:
        super().__init__()
        self.theme, self.facet = theme, facet
        self.value: Any = ANY
        self.popup: ChoicePopup | None = None
        self.setCheckable(True)
        self.clicked.connect(self.open_values)
        self._describe()

    def show_facet(self, facet: Facet) -> None:
        """Offer the values that there are now."""
        self.facet = facet
        self._describe()

    def set_value(self, value: Any) -> None:
        """Choose a value as a person would, ANY for none."""
        if value != self.value:
            self.value = value
            self._describe()
            self.changed.emit()
        self._describe()

    def open_values(self) -> None:
        """Open the list below the button."""
        self.setChecked(self.value is not ANY)
        popup = self.popup = ChoicePopup(self.theme, self.facet, self.value, self)
        popup.chosen.connect(self._choose)
        popup.destroyed.connect(self._forget)
        popup.adjustSize()
        popup.move(self.mapToGlobal(self.rect().bottomLeft()))
        popup.show()

    def _choose(self, choice: Choice) -> None:
        self.set_value(choice.value)

    def _forget(self) -> None:
        self.popup = None

    def _describe(self) -> None:
        name = self.facet.name
        word = self.facet.word_of(self.value)
        cut = word if len(word) <= 24 else f"{word[:23]}…"
        self.setChecked(self.value is not ANY)
        self.setText(name if self.value is ANY else f"{name}: {cut}")
        self.setAccessibleName(name)
        said = self.tr("any") if self.value is ANY else word
        self.setAccessibleDescription(said)
        self.setToolTip(self.tr("Sift by {0}").format(name.lower()))
