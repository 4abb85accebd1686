"""Asks once before the window is closed on a task whose work would be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QCloseEvent

if TYPE_CHECKING:
    from app.gui.kit.confirm import Confirm
    from app.gui.shell.window import Window


class ClosePrompt(QObject):
    """One window's. A question is open until it is answered, or until nothing is under way any more."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window = window
        self._is_sure = False
        self.dialog: Confirm | None = None
        window.importing.jobs.moved.connect(self._look_again)
        window.importing.freed.connect(self._look_again)
        window.foldering.freed.connect(self._look_again)

    def holds(self, event: QCloseEvent) -> bool:
        """If the window stays open until a question is answered; the event is refused then."""
        tasks = [] if self._is_sure else self.tasks()
        if not tasks:
            return False
        event.ignore()
        self._ask(tasks)
        return True

    def tasks(self) -> list[str]:
        """What is under way and would be lost, a sentence or two each."""
        from app.display.library import importing

        window, found = self._window, []
        if window.importing.is_storing:
            taking = window.importing.taking
            found.append(importing.importing(taking.done, taking.total) if taking else importing.importing(0, 0))
        if window.foldering.is_busy and window.foldering.dialog is None:
            found.append(importing.filing())
        if "history" in window.pages:
            from app.gui.review.history.page import HistoryPage

            page = window.pages["history"]
            assert isinstance(page, HistoryPage)
            if page.replay.is_running:
                found.append(importing.replaying(page.replay.last))
            if page.log.name:
                found.append(importing.logging(page.log.last.read, page.log.last.of))
        return found

    def _ask(self, tasks: list[str]) -> None:
        from app.display.library.importing import stop_verb
        from app.gui.kit.confirm import Confirm, ask

        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        title = self.tr("Close the window")
        question = Confirm(self._window.theme, title, "\n\n".join(tasks), stop_verb(len(tasks)), self._window.window())
        question.cancel.setText(self.tr("Keep the window open"))
        self.dialog = ask(question, self._leave)
        self.dialog.finished.connect(self._close_dialog)

    def _leave(self) -> None:
        self._is_sure = True
        self._window.stop_job()
        self._window.window().close()

    def _close_dialog(self) -> None:
        self.dialog = None

    def _look_again(self) -> None:
        """The question says how far it is; it goes when there is nothing left to lose."""
        if self.dialog is None:
            return
        if tasks := self.tasks():
            self.dialog.question.say("\n\n".join(tasks))
        else:
            self.dialog.reject()
