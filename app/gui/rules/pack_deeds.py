"""What is done with whole packs: previewed resets and imports, and exports to a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.display import words
from app.gui.keeping import Keeping
from app.gui.rules.errands import RuleErrands
from app.gui.rules.packs import PacksPane
from app.gui.rules.plan_dialog import PlanDialog
from app.gui.theme import Theme
from app.services.library.rules import PackPlan


class PackDeeds(QObject):
    """Asks before anything is changed; one dialog at a time."""

    told = Signal(str, bool)  # a sentence, if it is bad news

    def __init__(self, theme: Theme, page: QWidget, packs: PacksPane, errands: RuleErrands) -> None:
        super().__init__(page)
        self._theme, self._page, self._errands = theme, page, errands
        self.keeping = Keeping(page)
        self.keeping.told.connect(self.told)
        self.dialog: PlanDialog | None = None
        self.file_dialog: QFileDialog | None = None
        packs.switch_asked.connect(lambda pack, on: errands.switch_pack(pack, on=on))
        packs.reset_asked.connect(errands.plan_reset)
        packs.export_asked.connect(errands.write_out)
        packs.import_asked.connect(self._ask_file)
        errands.planned.connect(self._on_planned, Qt.ConnectionType.QueuedConnection)
        errands.written.connect(self._on_written, Qt.ConnectionType.QueuedConnection)

    def _on_planned(self, plan: PackPlan, is_reset: bool) -> None:
        if plan.is_empty and not plan.problems:
            said = words.say("The pack “{pack}” is as it came with the program.", pack=plan.pack)
            if not is_reset:
                said = words.say("“{file}” holds nothing that is new here.", file=plan.source)
            self.told.emit(said, False)
            return
        self.dialog = PlanDialog(self._theme, plan, is_reset=is_reset, parent=self._page)
        self.dialog.accepted.connect(partial(self._errands.carry_out, plan, is_reset=is_reset))
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _ask_file(self) -> None:
        dialog = QFileDialog(self._page, self.tr("Import a rule pack"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilter(self.tr("Rule packs (*.toml)"))
        dialog.fileSelected.connect(lambda chosen: self._errands.plan_import(Path(chosen)))
        dialog.finished.connect(self._forget_file)
        self.file_dialog = dialog
        dialog.open()

    def _forget(self) -> None:
        self.dialog = None

    def _forget_file(self) -> None:
        self.file_dialog = None

    def _on_written(self, pack: str, text: str) -> None:
        self.keeping.ask(
            self.tr("Export the pack"), f"{pack}.toml", self.tr("Rule packs (*.toml)"), partial(str.encode, text)
        )
