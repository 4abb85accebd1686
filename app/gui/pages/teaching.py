"""Teaching from the query line: the dialog, what the engine says of it, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.domain.library import Memory
from app.gui.query_bar import QueryLine
from app.gui.teach_dialog import TeachDialog
from app.gui.theme import Theme
from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.services.curate import Undone

_LONGEST_NAME = 60


class Teaching(QObject):
    """At most one dialog is open; every end of it leads back to the line."""

    told = Signal(str, bool, bool)  # as a page tells

    def __init__(self, page: QWidget, theme: Theme, worker: Worker, line: QueryLine) -> None:
        super().__init__(page)
        self._page, self._theme, self._worker, self._line = page, theme, worker, line
        self.dialog: TeachDialog | None = None
        queued = Qt.ConnectionType.QueuedConnection
        worker.taught.connect(self._on_taught, queued)
        worker.undone.connect(self._on_undone, queued)
        worker.seeded.connect(self._on_seeded, queued)
        worker.conflicts_found.connect(self._on_conflicts, queued)

    def open_dialog(self) -> None:
        """Ask what to teach, with the query as trigger."""
        dialog = TeachDialog(self._theme, self._line.text(), self._page)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.looked_for.connect(self._worker.find_conflicts)
        dialog.taught.connect(self._worker.teach)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def _on_closed(self) -> None:
        self.dialog = None
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_conflicts(self, ticket: int, found: list[Memory]) -> None:
        if self.dialog is not None:
            self.dialog.show_conflicts(ticket, found)

    def _on_taught(self, memory: Memory) -> None:
        self._line.leaves_undo = True
        name = memory.name if len(memory.name) <= _LONGEST_NAME else memory.name[: _LONGEST_NAME - 1] + "…"
        self.told.emit(self.tr("Taught as “{0}”.").format(name), True, False)

    def _on_undone(self, undone: Undone | None) -> None:
        self.told.emit(undone.sentence if undone else self.tr("There is nothing to take back."), False, False)

    def _on_seeded(self, count: int) -> None:
        self.told.emit(self.tr("Added the seed library: {0} memories and powers.").format(count), False, False)
