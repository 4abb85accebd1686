"""The packs: how many of their rules are on, whose they are, and what can be done with a whole pack."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu, QVBoxLayout, QWidget

from app.display import words
from app.display.library.rules import PackRow
from app.gui.controls import Head, button
from app.gui.theme import Theme

_ROLE = Qt.ItemDataRole.UserRole
_ROW, _MOST = 28, 5


class PackList(QListWidget):
    """The list itself; Space switches the selected pack."""

    switched = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.switched.emit()
        else:
            super().keyPressEvent(event)


class PacksPane(QWidget):
    """All packs as one, then each; the rules below are those of the one that is selected."""

    picked = Signal(str)  # pack, "" for all
    switch_asked = Signal(str, bool)
    reset_asked = Signal(str)
    export_asked = Signal(str)
    import_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows: dict[str, PackRow] = {}
        self.list = PackList()
        self.list.setAccessibleName(self.tr("Packs"))
        self.list.setProperty("places", "true")
        self.list.currentItemChanged.connect(self._on_current)
        self.list.switched.connect(self._switch)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.switch = button("", press=self._switch)
        self.reset = button(self.tr("Reset…"), press=lambda: self.reset_asked.emit(self.current))
        self.export = button(self.tr("Export…"), press=lambda: self.export_asked.emit(self.current))
        self.take = button(
            self.tr("Import…"), tip=self.tr("Read a pack from a TOML file"), press=self.import_asked.emit
        )
        self.head = Head(theme, self.tr("Packs"), self.switch, self.reset, self.export, self.take)
        self.list.setStyleSheet('QListWidget[places="true"] { border-right: none; }')
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.list)
        self._describe()

    @property
    def current(self) -> str:
        """The pack that is selected; "" for all."""
        place = self.list.currentRow()
        return "" if place < 0 else str(self.list.item(place).data(_ROLE))

    def show_rows(self, rows: Sequence[PackRow]) -> None:
        """Show these packs; the one that is selected stays, if it is still there."""
        kept = self.current
        self.rows = {row.name: row for row in rows}
        total, on = sum(row.rules for row in rows), sum(row.enabled for row in rows)
        wanted = [("", self.tr("All packs"), self.tr("{0} of {1} on").format(on, total))]
        wanted += [(row.name, row.name, row.state) for row in rows]
        held = self.list.blockSignals(True)
        while self.list.count() > len(wanted):
            self.list.takeItem(self.list.count() - 1)
        for place, (name, title, state) in enumerate(wanted):
            if place == self.list.count():
                self.list.addItem(QListWidgetItem())
            item = self.list.item(place)
            item.setText(f"{title}   {state}")
            item.setData(_ROLE, name)
            if name == kept:
                self.list.setCurrentItem(item)
        self.list.blockSignals(held)
        frame = self.list.height() - self.list.viewport().height()
        self.list.setFixedHeight(self.theme.px(_ROW) * min(_MOST, len(wanted)) + max(frame, self.theme.px(16)))
        self._describe()
        if self.current != kept:
            self.picked.emit(self.current)

    def pick(self, pack: str) -> None:
        """Select a pack."""
        for place in range(self.list.count()):
            if self.list.item(place).data(_ROLE) == pack:
                self.list.setCurrentRow(place)

    def _describe(self) -> None:
        row = self.rows.get(self.current)
        on = row is not None and row.enabled > 0
        self.switch.setText(self.tr("Switch off") if on else self.tr("Switch on"))
        self.switch.setEnabled(row is not None)
        self.export.setEnabled(row is not None)
        self.reset.setEnabled(row is not None and row.is_shipped)
        self.reset.setToolTip(
            self.tr("Make the pack what it was when it came with the program; you see first what that changes")
            if row is None or row.is_shipped
            else self.tr("This pack did not come with the program.")
        )
        self.export.setToolTip(self.tr("Write the pack to a TOML file"))
        chosen = self.tr("Select a pack first.") if row is None else ""
        self.switch.setToolTip(chosen or self.tr("Switch all rules of the pack (Space)"))

    def _switch(self) -> None:
        row = self.rows.get(self.current)
        if row is not None:
            self.switch_asked.emit(row.name, row.enabled == 0)

    def _on_current(self) -> None:
        self._describe()
        self.picked.emit(self.current)

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(words.say("Pack {name}", name=self.current) if self.current else self.tr("Packs"))
        for made in (self.switch, self.reset, self.export, self.take):
            offered = menu.addAction(made.text())
            offered.setEnabled(made.isEnabled())
            offered.triggered.connect(made.click)
        menu.popup(self.list.viewport().mapToGlobal(at))
