"""Packs of rules: how many rules are on, and the actions on a pack, also from the palette."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QMenu, QVBoxLayout, QWidget

from app.display.library.rules import PackRow, pack_title, plan_lines
from app.domain.intent import Rule
from app.domain.language import plural
from app.gui.bridge.engine_thread import OnResult
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button
from app.gui.kit.dialogs import ConfirmDialog, FileSaver, ask
from app.gui.kit.folded import Section
from app.gui.kit.layouts import spaced
from app.gui.kit.page import Action, Group
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme, Themed
from app.services.library.rules import PackPlan

if TYPE_CHECKING:
    from app.gui.kit.page import Page


_ROLE = Qt.ItemDataRole.UserRole
_ROW, _MOST = 28, 5


class PackList(QListWidget):
    """List of packs; Space switches the selected one."""

    switched = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.switched.emit()
        else:
            super().keyPressEvent(event)


class PacksPane(Themed):
    """All packs as one, then each; the table shows the rules of the selected one."""

    picked = Signal(str)  # pack, "" for all
    switch_requested = Signal(str, bool)
    reset_requested = Signal(str)
    export_requested = Signal(str)
    import_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.rows: dict[str, PackRow] = {}
        self.list = styled(PackList(), edge="false")
        self.list.setAccessibleName("Packs")
        self.list.setProperty("places", "true")
        self.list.currentItemChanged.connect(self._on_current)
        self.list.switched.connect(self._switch)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.switch = button("", press=self._switch)
        self.reset = button("Reset…", press=lambda: self.reset_requested.emit(self.current))
        self.export = button("Export…", press=lambda: self.export_requested.emit(self.current))
        self.take = button("Import…", tip="Read a pack from a TOML file", press=self.import_requested.emit)
        right = (self.switch, self.reset, self.export, self.take)
        self.section = Section(theme, "Packs", self.list, right=right)
        spaced(QVBoxLayout(self)).addWidget(self.section)
        self._describe()

    @property
    def current(self) -> str:
        """The selected pack; "" for all."""
        place = self.list.currentRow()
        return "" if place < 0 else str(self.list.item(place).data(_ROLE))

    def show_rows(self, rows: Sequence[PackRow]) -> None:
        """Show these packs; the selected one stays selected if it still exists."""
        kept = self.current
        self.rows = {row.name: row for row in rows}
        total, on = sum(row.rules for row in rows), sum(row.enabled for row in rows)
        wanted = [("", "All packs", f"{on} of {total} on")]
        wanted += [(row.name, pack_title(row.name), row.state) for row in rows]
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
        place = max(0, self.list.currentRow())
        self.section.line.show_summary(self.list.item(place).text() if self.list.count() else "")
        row = self.rows.get(self.current)
        on = row is not None and row.enabled > 0
        self.switch.setText("Switch off" if on else "Switch on")
        self.switch.setEnabled(row is not None)
        self.export.setEnabled(row is not None)
        self.reset.setEnabled(row is not None and row.is_shipped)
        self.reset.setToolTip(
            "Restore the shipped pack; the changes are shown first"
            if row is None or row.is_shipped
            else "This pack does not ship with the program."
        )
        self.export.setToolTip("Write the pack to a TOML file")
        chosen = "Select a pack first." if row is None else ""
        self.switch.setToolTip(chosen or "Switch all rules of the pack (Space)")

    def _switch(self) -> None:
        row = self.rows.get(self.current)
        if row is not None:
            self.switch_requested.emit(row.name, row.enabled == 0)

    def _on_current(self) -> None:
        self._describe()
        self.picked.emit(self.current)

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(f"Pack {self.current}" if self.current else "Packs")
        for made in (self.switch, self.reset, self.export, self.take):
            offered = menu.addAction(made.text())
            offered.setEnabled(made.isEnabled())
            offered.triggered.connect(made.click)
        menu.popup(self.list.viewport().mapToGlobal(at))


# ---- Actions on packs: previewed resets and imports, and exports to a file


class PackEdits(QObject):
    """Confirms before a change; one dialog at a time."""

    notified = Signal(str, bool)  # a sentence, True for bad news

    def __init__(self, theme: Theme, page: QWidget, packs: PacksPane, jobs: Job, done: OnResult) -> None:
        super().__init__(page)
        self._theme, self._page, self._jobs, self._done = theme, page, jobs, done
        self.file_saver = FileSaver(page)
        self.file_saver.notified.connect(self.notified)
        self.dialog: ConfirmDialog | None = None
        self.file_dialog: QFileDialog | None = None
        packs.switch_requested.connect(
            lambda pack, on: jobs.queue(lambda bench: bench.rule_book.enable(pack, on=on), done)
        )
        packs.reset_requested.connect(self.plan_reset)
        packs.export_requested.connect(self._export)
        packs.import_requested.connect(self._ask_file)

    def plan_reset(self, pack: str) -> None:
        """Show the changes that a reset of a pack would make, before making them."""
        self._jobs.do(
            lambda bench: bench.rule_packs.plan_reset(pack), lambda plan: self._on_planned(plan, is_reset=True)
        )

    def _plan_import(self, path: Path) -> None:
        self._jobs.do(
            lambda bench: bench.rule_packs.plan_import(path), lambda plan: self._on_planned(plan, is_reset=False)
        )

    def _on_planned(self, plan: PackPlan, *, is_reset: bool) -> None:
        if plan.is_empty and not plan.problems:
            text = f"The pack “{plan.pack}” is unchanged."
            if not is_reset:
                text = f"“{plan.source}” contains nothing new."
            self.notified.emit(text, False)
            return
        verb = "Reset" if is_reset else "Import"
        n = len(plan.changes)
        text = plural(
            n, "{n} rule changes. Undo reverts it in one step.", "{n} rules change. Undo reverts them in one step."
        )
        lines = "\n".join(plan_lines(plan))
        title = f"{verb} the pack “{plan.pack}”"
        self.dialog = ask(
            ConfirmDialog(self._theme, title, text, verb, self._page, verbatim=lines),
            lambda: self._jobs.queue(
                lambda bench: bench.rule_book.reset(plan.pack) if is_reset else bench.rule_packs.take(plan), self._done
            ),
        )
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _ask_file(self) -> None:
        dialog = QFileDialog(self._page, "Import a rule pack")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilter("Rule packs (*.toml)")
        dialog.fileSelected.connect(lambda chosen: self._plan_import(Path(chosen)))
        dialog.finished.connect(self._forget_file)
        self.file_dialog = dialog
        dialog.open()

    def _forget(self) -> None:
        self.dialog = None

    def _forget_file(self) -> None:
        self.file_dialog = None

    def _export(self, pack: str) -> None:
        def save(text: str) -> None:
            self.file_saver.ask("Export the pack", f"{pack}.toml", "Rule packs (*.toml)", partial(str.encode, text))

        self._jobs.do(lambda bench: bench.rule_packs.text(pack), save)


# ---- Actions on rules for the palette; disabled while the rules page is closed.


_ROWS: tuple[tuple[str, str, str], ...] = (
    ("add", "Add a rule", "plus"),
    ("duplicate", "Duplicate the selected rule", "rules"),
    ("save", "Save the rule that is being edited", "check"),
    ("revert", "Drop what is not saved of the rule", "undo"),
)


def rule_actions(page: Page, acts: Mapping[str, Callable[[], object]]) -> tuple[Action, ...]:
    """Return an action for each of these callbacks of the page, by key."""

    def refusal() -> str:
        return "" if page.isVisibleTo(page.window()) else "Open the rules page first."

    return tuple(
        Action(f"rule_{key}", text, Group.LIBRARY, acts[key], (), icon, refusal=refusal) for key, text, icon in _ROWS
    )


# ---- Moving a rule among the rules of its pack, of which some may be hidden


def stepped(rules: Sequence[Rule], shown: Sequence[str], name: str, by: int) -> list[str] | None:
    """Return the pack's ids with one rule moved past its next shown neighbour; None without one."""
    ids = _pack_of(rules, name)
    seen = [one for one in shown if one in ids]
    if name not in seen:
        return None
    place = seen.index(name) + by
    if not 0 <= place < len(seen):
        return None
    return _inserted(ids, name, seen[place], after=by > 0)


def dropped_before(rules: Sequence[Rule], shown: Sequence[str], name: str, row: int) -> list[str] | None:
    """Return the pack's ids with one rule before a shown row; None if that is in another pack."""
    ids = _pack_of(rules, name)
    if row < len(shown) and shown[row] in ids:
        return _inserted(ids, name, shown[row], after=False)
    if row > 0 and shown[row - 1] in ids:
        return _inserted(ids, name, shown[row - 1], after=True)
    return None


def _pack_of(rules: Sequence[Rule], name: str) -> list[str]:
    pack = next((rule.pack for rule in rules if rule.id == name), None)
    return [rule.id for rule in rules if rule.pack == pack]


def _inserted(ids: Sequence[str], name: str, by: str, *, after: bool) -> list[str]:
    if name == by:
        return list(ids)
    left = [one for one in ids if one != name]
    left.insert(left.index(by) + after, name)
    return left


def placed(rules: Sequence[Rule], ids: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules pack by pack, those with these ids in this order."""
    place = {one: n for n, one in enumerate(ids)}
    return tuple(sorted(rules, key=lambda one: (one.pack, place.get(one.id, one.position))))
