"""What a table is sifted by: a line of words, chips of values, and how much is left of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.display.library.catalogue import ANY, Facet, standing
from app.gui.kit.controls import button
from app.gui.kit.tables.facet_chip import FacetChip
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

DEBOUNCE_MS = 90
"""So long typing pauses before it is looked for."""

_LONGEST = 500


class FilterBar(QWidget):
    """Tells `changed` when something else is to be shown: at once for a chip, after a pause for typing."""

    changed = Signal()
    left = Signal()  # Down or Enter in the line: go to the table

    def __init__(self, theme: Theme, hint: str, *right: QWidget) -> None:
        super().__init__()
        self.theme = theme
        self.chips: dict[str, FacetChip] = {}
        self.search = QLineEdit()
        self.search.setMaxLength(_LONGEST)
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(hint)
        self.search.setAccessibleName(hint)
        self.search.installEventFilter(self)
        self.count = QLabel()
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.clear = button(self.tr("Clear"), link=True, tip=self.tr("Show all again"), press=self.clear_all)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._on_pause)
        self.search.textChanged.connect(lambda _: self._timer.start())
        px = theme.px
        above = QHBoxLayout()
        above.setSpacing(px(8))
        above.addWidget(self.search, 1)
        for widget in right:
            above.addWidget(widget)
        self._below = QHBoxLayout()
        self._below.setSpacing(px(6))
        self._below.addStretch(1)
        self._below.addWidget(self.clear)
        self._below.addWidget(self.count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(px(16), 0, px(16), px(8))
        layout.setSpacing(px(8))
        layout.addLayout(above)
        layout.addLayout(self._below)
        styled(self.count, role="caption")
        self._show_clear()

    @property
    def text(self) -> str:
        return self.search.text()

    @property
    def chosen(self) -> Mapping[str, Any]:
        """The values that are chosen, by facet."""
        return {key: chip.value for key, chip in self.chips.items() if chip.value is not ANY}

    @property
    def is_sifting(self) -> bool:
        return bool(self.text.strip() or self.chosen)

    def show_facets(self, facets: Sequence[Facet]) -> None:
        """Offer these; one with a single value, as where all are in one namespace, is left out until it has more."""
        for place, facet in enumerate(facets):
            chip = self.chips.get(facet.key)
            if chip is None:
                chip = self.chips[facet.key] = FacetChip(self.theme, facet)
                chip.changed.connect(self._on_chip)
                self._below.insertWidget(place, chip)
            chip.show_facet(facet)
            chip.setVisible(len(facet.choices) > 1 or chip.value is not ANY)

    def show_count(self, shown: int, whole: int) -> None:
        """Say how many of how many are shown."""
        text = standing(shown, whole)
        self.count.setText(text)
        self.count.setAccessibleName(self.tr("{0} shown").format(text))

    def clear_all(self) -> None:
        """Sift nothing out any more."""
        self._timer.stop()
        self.search.blockSignals(True)
        self.search.clear()
        self.search.blockSignals(False)
        for chip in self.chips.values():
            chip.blockSignals(True)
            chip.set_value(ANY)
            chip.blockSignals(False)
        self._tell()

    def sift(self, text: str = "", **values: Any) -> None:
        """Look for this and nothing else."""
        self.search.setText(text)
        for key, chip in self.chips.items():
            chip.blockSignals(True)
            chip.set_value(values.get(key, ANY))
            chip.blockSignals(False)
        self._on_pause()

    def type_on(self, letters: str) -> None:
        """Go on typing in the line."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.insert(letters)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._on_pause()
                self.left.emit()
                return True
            if event.key() == Qt.Key.Key_Down:
                self.left.emit()
                return True
        return False

    def _on_pause(self) -> None:
        self._timer.stop()
        self._tell()

    def _on_chip(self) -> None:
        self._timer.stop()
        self._tell()

    def _tell(self) -> None:
        self._show_clear()
        self.changed.emit()

    def _show_clear(self) -> None:
        self.clear.setVisible(self.is_sifting)
