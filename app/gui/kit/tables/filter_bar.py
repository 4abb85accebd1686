"""Filter of a table: search line, menu of facets, a chip for each one that is set, and a count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QListWidget, QMenu, QPushButton, QVBoxLayout, QWidget

from app.display import numbers
from app.display.library.tables import ANY, Choice, Facet, count_of_total
from app.gui.kit.controls import button, line_edit, menu_button, single_shot
from app.gui.kit.icons import icon
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.tables.delegates import ASIDE, LineDelegate
from app.gui.kit.theme import Theme, Themed, styled

DEBOUNCE_MS = 90
"""Debounce of the search line, in ms."""

_LONGEST = 500


class FilterBar(Themed):
    """Emits `changed` for another filter: at once for a chip, debounced for typing."""

    changed = Signal()
    left = Signal()  # Down or Enter in the line: go to the table

    def __init__(self, theme: Theme, hint: str, *right: QWidget) -> None:
        super().__init__(theme)
        self.chips: dict[str, FacetChip] = {}
        self._waiting: dict[str, Any] = {}
        """Values that were set for facets not shown yet."""
        self.search = line_edit(hint, longest=_LONGEST, clearable=True, is_hint=True)
        self.search.installEventFilter(self)
        self.count = styled(QLabel(textFormat=Qt.TextFormat.PlainText), role="caption")
        self.filter = menu_button("Filter", "Show only rows with a property", self._fill_menu)
        self.filter.setVisible(False)
        self._before_chips = right[-1] if right else self.filter
        self.clear = button("Clear", link=True, tip="Clear all filters", press=self.clear_all)
        self._timer = single_shot(self, DEBOUNCE_MS, self._emit_changed)
        self.search.textChanged.connect(lambda _: self._timer.start())
        px = theme.px
        above = fill(spaced(QHBoxLayout(), px(8)), (self.search, 1), self.count, self.filter, *right)
        self._below, self._chips = QWidget(), FlowLayout(px(6))
        fill(spaced(QHBoxLayout(self._below), px(6)), (self._chips, 1), self.clear)
        fill(spaced(QVBoxLayout(self), px(8), px(16), px(5), px(16), px(8)), above, self._below)
        self._show_chips()

    @property
    def text(self) -> str:
        return self.search.text()

    @property
    def chosen(self) -> Mapping[str, Any]:
        """Chosen values, by facet."""
        return self._waiting | {key: chip.value for key, chip in self.chips.items() if chip.value is not ANY}

    @property
    def is_filtering(self) -> bool:
        return bool(self.text.strip() or self.chosen)

    def show_facets(self, facets: Sequence[Facet]) -> None:
        """Offer these facets; one with a single value is left out until it has more."""
        before = self._before_chips
        for place, facet in enumerate(facets):
            chip = self.chips.get(facet.key)
            if chip is None:
                chip = self.chips[facet.key] = FacetChip(self.theme, facet)
                chip.set_value(self._waiting.pop(facet.key, ANY))
                chip.changed.connect(self._emit_changed)
                self._chips.insert(place, chip)
            self.setTabOrder(before, before := chip)
            chip.show_facet(facet)
        self.filter.setVisible(any(len(facet.choices) > 1 for facet in facets))
        self._show_chips()

    def show_count(self, shown: int, whole: int) -> None:
        self.count.setVisible(shown != whole)
        self.count.setText(count_of_total(shown, whole))
        self.count.setAccessibleName(f"{self.count.text()} shown")

    def clear_all(self) -> None:
        with QSignalBlocker(self.search):
            self.search.clear()
        self._waiting = {}
        for chip in self.chips.values():
            with QSignalBlocker(chip):
                chip.set_value(ANY)
        self._emit_changed()

    def set_filter(self, text: str = "", **values: Any) -> None:
        """Replace the filter; values of facets not shown yet apply at once, too."""
        self.search.setText(text)
        self._waiting = {key: value for key, value in values.items() if key not in self.chips}
        for key, chip in self.chips.items():
            with QSignalBlocker(chip):
                chip.set_value(values.get(key, ANY))
        self._emit_changed()

    def type_on(self, letters: str) -> None:
        """Continue typing in the line."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.insert(letters)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._emit_changed()
                self.left.emit()
                return True
            if event.key() == Qt.Key.Key_Down:
                self.left.emit()
                return True
        return False

    def _emit_changed(self) -> None:
        self._timer.stop()
        self._show_chips()
        self.changed.emit()

    def _show_chips(self) -> None:
        for chip in self.chips.values():
            chip.setVisible(chip.value is not ANY)
        self._below.setVisible(bool(self.chosen))

    def _fill_menu(self, menu: QMenu) -> None:
        for chip in self.chips.values():
            if len(chip.facet.choices) > 1:
                menu.addAction(chip.facet.title).triggered.connect(
                    lambda _=False, chip=chip: chip.open_values(self.filter)
                )


# ---- Facet: a button with its value, and the popup of values.


_ROW, _MOST_ROWS, _EDGE = 28, 12, 12


class ChoicePopup(QFrame):
    """Values of a facet, with a search line if there are many."""

    chosen = Signal(Choice)

    def __init__(self, theme: Theme, facet: Facet, value: Any, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.theme, self.value = theme, value
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(facet.title)
        self._all = (Choice(ANY, "Any"), *facet.choices)
        self.shown: tuple[Choice, ...] = ()
        self.search = line_edit("Search", is_hint=True)
        self.search.setVisible(facet.is_long)
        self.search.textChanged.connect(self._show)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(facet.title)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(LineDelegate(theme, _EDGE, self.list))
        self.list.clicked.connect(lambda index: self._choose(index.row()))
        self.list.installEventFilter(self)
        fill(spaced(QVBoxLayout(self), theme.px(4), 1, theme.px(4), 1, theme.px(4)), self.search, self.list)
        self._show()
        self.list.setFixedHeight(theme.px(_ROW) * min(_MOST_ROWS, len(self._all)))
        self.setFixedWidth(theme.px(260))
        (self.search if facet.is_long else self.list).setFocus()

    def _show(self, sought: str = "") -> None:
        letters = sought.casefold().strip()
        self.shown = tuple(choice for choice in self._all if letters in choice.word.casefold())
        self.list.clear()
        self.list.addItems([choice.word for choice in self.shown])
        for place, choice in enumerate(self.shown):
            self.list.item(place).setData(ASIDE, "" if choice.count is None else numbers.count(choice.count))
        self.list.setCurrentRow(next((n for n, choice in enumerate(self.shown) if choice.value == self.value), 0))

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.shown):
            self.chosen.emit(self.shown[place])
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentRow())
            return True
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and watched is self.search:
            here = self.list.currentRow() + (1 if event.key() == Qt.Key.Key_Down else -1)
            self.list.setCurrentRow(max(0, min(len(self.shown) - 1, here)))
            return True
        return False


class FacetChip(QPushButton):
    """Facet as a button, “Intent: billing”; pressing it opens the values."""

    changed = Signal()

    def __init__(self, theme: Theme, facet: Facet) -> None:
        super().__init__()
        self.theme, self.facet = theme, facet
        self.value: Any = ANY
        self.popup: ChoicePopup | None = None
        self.setCheckable(True)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the chevron follows the text
        self.clicked.connect(lambda _: self.open_values())
        theme.follow(self._describe)

    def show_facet(self, facet: Facet) -> None:
        self.facet = facet
        self._describe()

    def set_value(self, value: Any) -> None:
        """Choose a value as the user would, ANY for none."""
        if value != self.value:
            self.value = value
            self._describe()
            self.changed.emit()

    def open_values(self, below: QWidget | None = None) -> None:
        below = below or self
        self.setChecked(self.value is not ANY)
        popup = self.popup = ChoicePopup(self.theme, self.facet, self.value, self)
        popup.chosen.connect(lambda choice: self.set_value(choice.value))
        popup.destroyed.connect(self._forget)
        popup.adjustSize()
        popup.move(below.mapToGlobal(below.rect().bottomLeft()))
        popup.show()

    def _forget(self) -> None:
        self.popup = None

    def _describe(self) -> None:
        name = self.facet.title
        word = self.facet.word_of(self.value)
        cut = word if len(word) <= 24 else f"{word[:23]}…"
        self.setChecked(self.value is not ANY)
        self.setIcon(icon("chevron-down", self.theme.tokens.text_2))
        self.setIconSize(QSize(self.theme.px(10), self.theme.px(10)))
        self.setText(name if self.value is ANY else f"{name}: {cut}")
        self.setAccessibleName(name)
        self.setAccessibleDescription("any" if self.value is ANY else word)
        self.setToolTip(f"Filter by {name.lower()}")
