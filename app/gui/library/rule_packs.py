"""Packs of rules: their menu, and previewed changes of them; moving a rule within its pack."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from app.display.library.rules import PackRow, pack_title, plan_lines
from app.domain.intent import Rule
from app.domain.journal import Written
from app.domain.language import plural
from app.gui.bridge.engine_thread import OnResult
from app.gui.bridge.jobs import Job
from app.gui.kit.dialogs import FileSaver, choose_file
from app.gui.kit.page import Page
from app.gui.kit.tables.list_detail import offer
from app.services.library.rules import PackPlan

if TYPE_CHECKING:
    from app.services.workbench import Workbench


class PackEdits(QObject):
    """Menu of packs. Confirms before a change; one dialog at a time."""

    chosen = Signal(str)  # pack whose rules to show

    def __init__(self, page: Page, jobs: Job, done: OnResult) -> None:
        super().__init__(page)
        self._page, self._jobs, self._done = page, jobs, done
        self.rows: Sequence[PackRow] = ()
        self.file_saver = FileSaver(page)
        self.file_saver.notified.connect(lambda sentence, bad: page.notified.emit(sentence, False, bad))

    def fill_menu(self, menu: QMenu) -> None:
        """Add a menu for each pack, with its state, and the import of another."""
        for row in self.rows:
            name = row.name
            offer(
                menu.addMenu(f"{pack_title(name)}   {row.state}"),
                ("Show only this pack", partial(self.chosen.emit, name), True),
                ("Switch off" if row.enabled else "Switch on", partial(self._switch, row), True),
                ("Reset…", partial(self.plan_reset, name), row.is_shipped),
                ("Export…", partial(self._export, name), True),
            )
        menu.addSeparator()
        ask = partial(choose_file, self._page, "Import a rule pack", self._plan_import, "Rule packs (*.toml)")
        offer(menu, ("Import a pack…", ask, True))

    def _switch(self, row: PackRow) -> None:
        self._jobs.queue(lambda bench: bench.rule_edits.enable(row.name, on=row.enabled == 0), self._done)

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
            self._page.notified.emit(text, False, False)
            return
        verb = "Reset" if is_reset else "Import"
        n = len(plan.changes)
        changes = plural(n, "{n} rule changes. Undo reverts it", "{n} rules change. Undo reverts them")
        text = f"{changes} in one step."
        lines = "\n".join(plan_lines(plan))

        async def change(bench: Workbench) -> Written | None:
            return await (bench.rule_edits.reset(plan.pack) if is_reset else bench.rule_packs.take(plan))

        act = partial(self._jobs.queue, change, self._done)
        self._page.confirm(f"{verb} the pack “{plan.pack}”", text, verb, act, verbatim=lines)

    def _export(self, pack: str) -> None:
        def save(text: str) -> None:
            self.file_saver.ask("Export the pack", f"{pack}.toml", "Rule packs (*.toml)", partial(str.encode, text))

        self._jobs.do(lambda bench: bench.rule_packs.text(pack), save)


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
