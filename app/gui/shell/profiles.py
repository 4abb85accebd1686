"""Profiles: their dialog, neighbours and recent ones, each opened in its own window."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QRunnable, Qt, QThreadPool, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.display.library.journal import progress_line
from app.domain.errors import KnownError
from app.domain.library import MoveProgress, Moving
from app.gui.kit.controls import button, line_edit
from app.gui.kit.fields import explain, plain_tip
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.rows import pick_whole_rows
from app.gui.kit.theme import Theme, styled
from app.gui.shell import file_opener

if TYPE_CHECKING:
    from app.gui.shell.page_stack import Window
    from app.gui.shell.remedy_actions import Places


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile's folder; `is_open` if this window shows it."""

    folder: Path
    is_open: bool = False

    @property
    def name(self) -> str:
        return self.folder.name or str(self.folder)


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
        self.about = QLabel(
            "A profile has its own library, settings, history and log. It opens in a new window.", wordWrap=True
        )
        self.rows = self._make_rows()
        self.name = line_edit("Name of a new profile", is_hint=True)
        explain(self.name, f"It is made in {current.absolute().parent}.")
        self.name.textChanged.connect(self._renew)
        self.name.returnPressed.connect(self._make)
        self.make = button("Make and open", press=self._make, auto=False)
        self.address = line_edit(
            "Address of a team's library", hint="With a team's library: postgresql://USER@HOST/DATABASE"
        )
        self.password = line_edit("Password of the team's server", secret=True, hint="Password, for the keyring")
        for field in (self.address, self.password):
            field.textChanged.connect(self._renew)
            field.returnPressed.connect(self._make)
        self.progress = QLabel()
        self.progress.hide()
        self.cancel = button("Cancel", press=self.reject, auto=False)
        self._is_waiting = False
        self.fault = FaultLine(theme)
        self.verb = button("Open", primary=True, press=self._open, default=True)
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
        rows = styled(QTableWidget(0, 2), role="dialog")
        pick_whole_rows(rows)
        rows.setAccessibleName("Profiles")
        rows.setHorizontalHeaderLabels(["Profile", "In the folder"])
        rows.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        rows.setColumnWidth(0, self.theme.px(_NAMES))
        rows.verticalHeader().setDefaultSectionSize(self.theme.px(_ROW))
        rows.itemSelectionChanged.connect(self._renew)
        rows.itemDoubleClicked.connect(lambda _: self._open())
        return rows

    def _arrange(self) -> None:
        px = self.theme.px
        made = fill(spaced(QHBoxLayout(), px(8)), (self.name, 1), self.make)
        team = fill(spaced(QHBoxLayout(), px(8)), (self.address, 2), (self.password, 1))
        foot = fill(QHBoxLayout(), (self.progress, 1), 1, self.cancel, self.verb)
        layout = spaced(QVBoxLayout(self), px(12), px(20), px(20), px(20), px(16))
        fill(layout, self.about, (self.rows, 1), made, team, self.fault, foot)
        styled(self.about, role="lead", shade="text_2")

    # ---- user actions

    @property
    def chosen(self) -> Profile | None:
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


MARKS = ("library.db", "settings.toml")
"""Files of which a profile folder has at least one."""

MOST_LOOKED_AT, MOST_LISTED = 2_000, 200
LONGEST_NAME = 64
_PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))
_KEPT_BY_WINDOWS = frozenset({"con", "prn", "aux", "nul", *_PORTS})


def profiles_of(current: Path, remembered: Path | None) -> list[Profile]:
    """Return the current profile, recent ones and neighbours, each once; reads the disk."""
    current = current.absolute()
    late = file_opener.read(remembered) if remembered is not None else []
    found = [current, *(folder for folder in late if _is_profile(folder)), *_beside(current)]
    return [Profile(folder, folder == current) for folder in dict.fromkeys(found)][:MOST_LISTED]


def name_refusal(name: str, current: Path) -> str:
    """Return why a name is invalid for a new profile; "" if it is valid. Reads the disk."""
    if not name.strip():
        return "Type a name first."
    odd = any(character in '/\\:*?"<>|' or not character.isprintable() for character in name)
    if odd or name.startswith(".") or name != name.strip() or name.endswith("."):
        return 'A name has no / \\ : * ? " < > | in it, and no dot or blank at its ends.'
    stem = name.partition(".")[0].casefold()
    if len(name.encode(errors="replace")) > LONGEST_NAME or stem in _KEPT_BY_WINDOWS:
        return "This name cannot be used on every system. Choose another, of at most 64 letters."
    folder = current.parent / name
    if os.path.lexists(folder) and not _is_profile(folder):
        return "The name is already in use. Choose another."
    return ""


def command_for(folder: Path) -> tuple[str, list[str]]:
    """Return program and arguments that open a profile in another window, also from a bundle."""
    words = ["--profile", str(folder), "gui"]
    return sys.executable, words if getattr(sys, "frozen", False) else ["-m", "app", *words]


class Profiles(QObject):
    """Profiles of one window, read on another thread, since no engine may be open."""

    _found = Signal(Sequence)  # list[Profile]
    _named = Signal(str, str)  # name, refusal
    _progressed = Signal(Moving, int, int)
    _joined = Signal(Path, str)  # folder, refusal

    def __init__(self, window: Window, places: Places) -> None:
        super().__init__(window.window())
        self._window, self.places = window, places
        self.dialog: ProfilesDialog | None = None
        self.launch = _launch
        self._found.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._named.connect(self._make, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._show_progress, Qt.ConnectionType.QueuedConnection)
        self._joined.connect(self._open_joined, Qt.ConnectionType.QueuedConnection)
        self._is_broken_off = False

    def refusal(self) -> str:
        """Return why no other profile can be opened from here; "" if one can."""
        return "" if self.places.profile is not None else "This window has no profile."

    def choose(self) -> None:
        current, remembered = self.places.profile, self.places.profiles
        if current is None:
            return
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        dialog = ProfilesDialog(self._window.theme, current, self._window.window())
        dialog.open_requested.connect(self.open)
        dialog.make_requested.connect(self._ask_name)
        dialog.break_off_requested.connect(self._break_off)
        dialog.finished.connect(self._closed)
        self.dialog = dialog
        dialog.open()
        self._elsewhere(lambda: self._found.emit(profiles_of(current, remembered)))

    def open(self, folder: Path) -> None:
        """Open a profile in another window; this one stays."""
        program, words = command_for(folder)
        if self.dialog is not None:
            self.dialog.accept()
        if not self.launch(program, words):
            self._window.toast.show_message(f"{program} could not be started.", bad=True)
            return
        self._window.toast.show_message(f"The profile {folder.name} opens in a new window.")
        if (file := self.places.profiles) is not None and self.places.profile is not None:
            late = [folder, self.places.profile.absolute()]
            self._elsewhere(lambda: _remember(late, file))

    def _ask_name(self, name: str) -> None:
        current = self.places.profile
        assert current is not None, "the dialog is open"
        self._elsewhere(lambda: self._named.emit(name, name_refusal(name, current)))

    def _make(self, name: str, why: str) -> None:
        if self.dialog is None or self.places.profile is None:
            return
        folder, address = self.places.profile.absolute().parent / name, self.dialog.address.text().strip()
        if why:
            self.dialog.refuse(why)
        elif address and self.places.join is not None:
            self.dialog.wait()
            self._is_broken_off = False
            join, password = self.places.join, self.dialog.password.text()
            self._elsewhere(lambda: self._join(join, folder, address, password))
        else:
            self.open(folder)

    def _join(
        self, join: Callable[[Path, str, str, MoveProgress], object], folder: Path, address: str, password: str
    ) -> None:
        """Join on another thread; the result is emitted on the window's."""
        why = ""
        try:
            join(folder, address, password, self._report_progress)
        except KnownError as error:
            why = str(error)
        if isValid(self):
            self._joined.emit(folder, why)

    def _report_progress(self, what: Moving, done: int, rows: int) -> None:
        """Report progress from the other thread; raises to cancel."""
        if what is not Moving.KEEPING and (self._is_broken_off or not isValid(self)):
            raise KnownError("Stopped; nothing is changed, neither here nor on the server.")
        if isValid(self):
            self._progressed.emit(what, done, rows)

    def _break_off(self) -> None:
        self._is_broken_off = True

    def _show_progress(self, what: Moving, done: int, rows: int) -> None:
        if self.dialog is not None:
            self.dialog.show_progress(progress_line(what, done, rows), is_last=what is Moving.KEEPING)

    def _open_joined(self, folder: Path, why: str) -> None:
        if not why:
            self.open(folder)
        elif self.dialog is not None:
            self.dialog.refuse(why)

    def _show(self, found: Sequence[Profile]) -> None:
        if self.dialog is not None:
            self.dialog.show_profiles(found)

    def _closed(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.deleteLater()

    def _elsewhere(self, run: Callable[[], object]) -> None:
        QThreadPool.globalInstance().start(QRunnable.create(run))


def _launch(program: str, words: list[str]) -> bool:
    """Start a detached process; return True on success."""
    process = QProcess()
    process.setProgram(program)
    process.setArguments(words)
    started: object = process.startDetached()  # annotated as a tuple, but is a bool
    return bool(started[0]) if isinstance(started, tuple) else bool(started)


def _is_profile(folder: Path) -> bool:
    try:
        return any((folder / mark).is_file() for mark in MARKS)
    except OSError:
        return False


def _beside(current: Path) -> list[Path]:
    """Return the profiles in the parent folder, by name, as far as readable."""
    try:
        with os.scandir(current.parent) as entries:
            names = [entry.name for _, entry in zip(range(MOST_LOOKED_AT), entries, strict=False)]
    except OSError:
        return []
    folders = (current.parent / name for name in sorted(names, key=str.casefold) if not name.startswith("."))
    return [folder for folder in folders if _is_profile(folder)]


def _remember(folders: Sequence[Path], file: Path) -> None:
    known = file_opener.read(file)
    for folder in reversed(folders):
        known = file_opener.with_latest(folder, known)
    file_opener.write(known, file)
