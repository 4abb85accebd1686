"""The left of the page of powers: what can be done with the selected ones, what is sought, and the table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.display import words
from app.display.library.catalogue import listed
from app.domain.library import Power
from app.gui.controls import Empty, Head, button
from app.gui.library.confirm import Confirm, ask
from app.gui.library.filter_bar import FilterBar
from app.gui.pages.powers_errands import PowerErrands, Shelf
from app.gui.pages.powers_table import PowersTable, power_facets
from app.gui.theme import Theme
from app.services.powers.live_effect import UNSTORED


class PowersPane(QWidget):
    """Pauses and deletes by itself; `picked` tells of another selection, `entered` that the details are wanted."""

    picked = Signal()
    entered = Signal()

    def __init__(self, theme: Theme, errands: PowerErrands, add: Callable[[], object]) -> None:
        super().__init__()
        self.theme, self.errands = theme, errands
        self.new = button(self.tr("New power"), press=add)
        self.pause = button(
            self.tr("Pause"),
            tip=self.tr("Take the selected powers out of the answers"),
            press=lambda: errands.pause(self.selected, on=True),
        )
        self.resume = button(
            self.tr("Resume"),
            tip=self.tr("Let the selected powers answer again"),
            press=lambda: errands.pause(self.selected, on=False),
        )
        self.delete = button(self.tr("Delete"), tip=self.tr("Delete the selected powers (Del)"), press=self._ask_delete)
        self.bar = FilterBar(theme, self.tr("Search names, words and tools"))
        self.table = PowersTable(theme, self.tr("Powers"))
        self.nothing = Empty(theme, "search", self.tr("No power holds these words"), self.tr("Search for fewer."))
        self.nothing.setVisible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(4), 0, 0)
        column.setSpacing(0)
        column.addWidget(Head(theme, self.tr("Powers"), self.pause, self.resume, self.delete, self.new))
        column.addWidget(self.bar)
        column.addWidget(self.table, 1)
        column.addWidget(self.nothing, 1)
        self.bar.changed.connect(self._sift)
        self.bar.left.connect(lambda: self.table.setFocus(Qt.FocusReason.OtherFocusReason))
        self.table.typed.connect(self.bar.type_on)
        self.table.picked.connect(self._on_picked)
        self.table.delete_asked.connect(self._ask_delete)
        self.table.entered.connect(self.entered)
        self.table.shown.connect(self._show_count)

    @property
    def selected(self) -> list[Power]:
        """The stored powers that are selected."""
        rows = self.table.rows
        return [rows[key].power for key in self.table.selected_keys if key != UNSTORED and key in rows]

    def show_facets(self, shelf: Shelf) -> None:
        """Offer to sift by what these powers have."""
        say = {"answers": self.tr("Answers"), "paused": self.tr("Paused"), True: self.tr("Yes"), False: self.tr("No")}
        self.bar.show_facets(power_facets(shelf.powers, {**say, "": self.tr("None")}))

    def _sift(self) -> None:
        """Show what fits; what is shown beside the table is always one of those."""
        self.table.sift(self.bar.text, self.bar.chosen)
        if self.table.current_key is None and self.table.paged.keys:
            self.table.pick(0)

    def _ask_delete(self) -> None:
        chosen = self.selected
        if len(chosen) == 1:
            self.errands.delete(chosen)
        elif chosen:
            names = listed([power.name for power in chosen], 8)
            question = words.say("Delete {names}? You can undo it, and take single ones out of the bin.", names=names)
            title = words.say("Delete {n} powers", n=len(chosen))
            ask(Confirm(self.theme, title, question, title, self), lambda: self.errands.delete(chosen))

    def _on_picked(self) -> None:
        chosen = self.selected
        self.pause.setEnabled(any(not power.paused for power in chosen))
        self.resume.setEnabled(any(power.paused for power in chosen))
        self.delete.setEnabled(bool(chosen))
        self.picked.emit()

    def _show_count(self) -> None:
        shown = len(self.table.paged.keys)
        self.bar.show_count(shown, len(self.table.rows))
        self.table.setVisible(bool(shown))
        self.nothing.setVisible(not shown and bool(self.table.rows))
