"""Dialog to choose another profile, or to make one by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.gui.kit.controls import button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import explain, plain_tip
from app.gui.kit.layouts import spaced
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.gui.shell.desktop.file_opener import Profile

_WIDE, _HIGH, _ROW, _NAMES = 620, 420, 30, 220


class ProfilesDialog(QDialog):
    """Profile dialog. Enter takes the selected profile, or the typed name."""

    open_requested = Signal(Path)
    make_requested = Signal(str)
    break_off_requested = Signal()

    def __init__(self, theme: Theme, current: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._rows: Sequence[Profile] = ()
        self.setWindowTitle("Open another profile")
        self.setModal(True)
        self.resize(theme.px(_WIDE), theme.px(_HIGH))
        self.about = QLabel("A profile has its own library, settings, history and log. It opens in a new window.")
        self.about.setWordWrap(True)
        self.rows = self._make_rows()
        self.name = QLineEdit()
        self.name.setPlaceholderText("Name of a new profile")
        self.name.setAccessibleName("Name of a new profile")
        explain(self.name, f"It is made in {current.absolute().parent}.")
        self.name.textChanged.connect(self._renew)
        self.name.returnPressed.connect(self._make)
        self.make = button("Make and open", press=self._make)
        self.make.setAutoDefault(False)
        self.address = QLineEdit()
        self.address.setPlaceholderText("With a team's library: postgresql://USER@HOST/DATABASE")
        self.address.setAccessibleName("Address of a team's library")
        self.password = QLineEdit()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.setPlaceholderText("Password, for the keyring")
        self.password.setAccessibleName("Password of the team's server")
        for field in (self.address, self.password):
            field.textChanged.connect(self._renew)
            field.returnPressed.connect(self._make)
        self.progress = QLabel()
        self.progress.hide()
        self.cancel = button("Cancel", press=self.reject)
        self.cancel.setAutoDefault(False)
        self._is_waiting = False
        self.fault = FaultLine(theme)
        self.verb = button("Open", primary=True, press=self._open)
        self.verb.setDefault(True)
        self._arrange()
        self._renew()

    def show_profiles(self, found: Sequence[Profile]) -> None:
        """List these profiles; the current one is shown but cannot be chosen."""
        self._rows = found
        self.rows.setRowCount(len(found))
        for place, row in enumerate(found):
            name = f"{row.name} (this window)" if row.is_open else row.name
            for column, text in enumerate((name, str(row.folder.parent))):
                item = QTableWidgetItem(text)
                item.setToolTip(plain_tip(str(row.folder)))
                if row.is_open:
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                self.rows.setItem(place, column, item)
        others = [place for place, row in enumerate(found) if not row.is_open]
        if others and not self.name.text():
            self.rows.selectRow(others[0])
            self.rows.setFocus()
        elif not others:
            self.name.setFocus()
        self._renew()

    def refuse(self, sentence: str) -> None:
        """Show why no profile can be made with that name."""
        self._set_waiting(False)
        self._renew()
        self.fault.show_fault(sentence)
        self.name.setFocus()

    def wait(self) -> None:
        """Wait until the library is here or on the team's server; only cancelling is possible."""
        self.fault.show_fault("")
        self.progress.clear()
        self._set_waiting(True)
        self.cancel.setFocus()

    def show_progress(self, line: str, *, is_last: bool) -> None:
        """Show the progress of the move; at the last stage it can no longer be cancelled."""
        self.progress.setText(line)
        if is_last:
            self.cancel.setEnabled(False)

    def reject(self) -> None:
        """Close, or cancel the move."""
        if not self._is_waiting:
            super().reject()
        elif self.cancel.isEnabled():
            self.cancel.setEnabled(False)
            self.break_off_requested.emit()

    def _set_waiting(self, is_waiting: bool) -> None:
        self._is_waiting = is_waiting
        for field in (self.rows, self.name, self.make, self.address, self.password, self.verb):
            field.setEnabled(not is_waiting)
        self.cancel.setEnabled(True)
        self.progress.setVisible(is_waiting)

    # ---- construction

    def _make_rows(self) -> QTableWidget:
        rows = QTableWidget(0, 2)
        rows.setAccessibleName("Profiles")
        rows.setHorizontalHeaderLabels(["Profile", "In the folder"])
        rows.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        rows.setColumnWidth(0, self.theme.px(_NAMES))
        rows.verticalHeader().hide()
        rows.verticalHeader().setDefaultSectionSize(self.theme.px(_ROW))
        rows.setShowGrid(False)
        rows.setWordWrap(False)
        rows.setTabKeyNavigation(False)
        rows.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        rows.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        styled(rows, role="dialog")
        rows.itemSelectionChanged.connect(self._renew)
        rows.itemDoubleClicked.connect(lambda _: self._open())
        return rows

    def _arrange(self) -> None:
        px = self.theme.px
        made = spaced(QHBoxLayout(), px(8))
        made.addWidget(self.name, 1)
        made.addWidget(self.make)
        team = spaced(QHBoxLayout(), px(8))
        team.addWidget(self.address, 2)
        team.addWidget(self.password, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.progress, 1)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.verb)
        layout = spaced(QVBoxLayout(self), px(12), px(20), px(20), px(20), px(16))
        layout.addWidget(self.about)
        layout.addWidget(self.rows, 1)
        layout.addLayout(made)
        layout.addLayout(team)
        layout.addWidget(self.fault)
        layout.addLayout(foot)
        styled(self.about, role="lead", shade="text_2")

    # ---- user actions

    @property
    def chosen(self) -> Profile | None:
        """Selected profile, unless it is this window's."""
        place = self.rows.currentRow()
        row = self._rows[place] if self.rows.selectedItems() and 0 <= place < len(self._rows) else None
        return None if row is None or row.is_open else row

    def _renew(self) -> None:
        self.fault.show_fault("")
        typed = bool(self.name.text())
        self.make.setText("Join and open" if self.address.text() else "Make and open")
        self.make.setEnabled(typed)
        self.verb.setEnabled(self.chosen is not None and not typed)

    def _open(self) -> None:
        if self.chosen is not None:
            self.open_requested.emit(self.chosen.folder)

    def _make(self) -> None:
        if self.name.text():
            self.make_requested.emit(self.name.text())
