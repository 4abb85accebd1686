"""Undo and redo from any page: of the page's own kind, of all steps, or where settings are chosen of those alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from app.display.library.catalogue import moment
from app.domain.errors import KnownError
from app.gui.bridge.engine_thread import Tell

if TYPE_CHECKING:
    from app.domain.journal import Redone, Step, Undone
    from app.gui.shell.window import Window
    from app.services.workbench import Workbench


class UndoRedo(QObject):
    """Behind the keys of the window and the button of its messages."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window, self._worker = window, window.worker
        window.toast.undo_asked.connect(self._worker.undo)
        self._worker.undo_questioned.connect(self._question, Qt.ConnectionType.QueuedConnection)

    def undo(self) -> None:
        """Take back the last step; where steps are not seen, only if it was one of settings or a message offers it."""
        page, toast = self._window.page, self._window.toast
        if page.no_undo and not (toast.isVisible() and toast.offers_undo):
            self._swap_settings(page.no_undo, self._worker.undone.emit, redo=False)
        elif not page.undo():
            self._worker.undo()

    def _question(self, step: Step) -> None:
        title, verb = self.tr("Undo"), self.tr("Take back")
        said = self.tr("The last step is of {0}: {1} (from {2}). Take all of it back?")
        question = said.format(moment(step.at), step.sentence, step.source)
        self._window.page.confirm(title, question, verb, partial(self._worker.undo, step.id))

    def redo(self) -> None:
        """Do again what was taken back last; where steps are not seen, only if that was settings."""
        if why := self._window.page.no_undo:
            self._swap_settings(why, self._worker.redone.emit, redo=True)
        else:
            self._worker.redo()

    def _swap_settings(self, why: str, tell: Tell, *, redo: bool) -> None:
        async def act(bench: Workbench) -> Undone | Redone | None:
            if redo:
                if not await bench.journal.redoes_settings():
                    raise KnownError(why)
                return await bench.curator.redo()
            step = await bench.journal.last_of_settings()
            if step is None:
                raise KnownError(why)
            return await bench.curator.undo(step)  # this one, though another may come while it waits for its turn

        verb = "redo" if redo else "undo"
        self._worker.do(act, tell, lambda sentence: self._worker.failed.emit(verb, sentence))
