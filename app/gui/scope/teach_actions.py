"""Teaching from the query line: a memory, a trigger, right or wrong; its effect, and undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.display.library.teaching import TeachingTarget, teaching_targets
from app.display.scope import guide
from app.display.scope.intent import taught_message as type_taught
from app.display.scope.intent import type_choice
from app.domain.intent import IntentType
from app.domain.library import Answer, Memory
from app.domain.scope.inspection import Inspection, Phase
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.theme.theme import Theme
from app.gui.scope.query_line import QueryLine
from app.gui.scope.teach_dialog import TeachDialog

if TYPE_CHECKING:
    from app.domain.journal import Redone, Undone
    from app.services.workbench import Workbench


class TeachActions(QObject):
    """Actions of teaching, with one dialog at a time; closing it focuses the line.

    The selection stays, unless the query was taught as a new memory, which is then selected.
    """

    notified = Signal(str, bool, bool)  # as in Page
    keep_requested = Signal()  # keep the selected answer selected, wherever it moves
    query_requested = Signal(str)  # a query to type
    select_requested = Signal(Memory)  # select this memory, if it is among the matches

    def __init__(
        self, page: QWidget, line: QueryLine, theme: Theme, worker: Worker, scope_state: Callable[[], ScopeState]
    ) -> None:
        super().__init__(page)
        self._page, self._theme, self._worker, self._line = page, theme, worker, line
        self._scope_state = scope_state
        self.dialog: TeachDialog | None = None
        self._waiting: tuple[str, Answer, str] | None = None
        self._seen: Inspection | None = None
        self._is_seen_whole = self._is_unfound = False
        self._written, self._conflicts = Job(worker, self, self._toast), Job(worker, self, self._toast)
        self._near, self._effect = Job(worker, self), Job(worker, self)
        self.menu: QMenu | None = None
        queued = Qt.ConnectionType.QueuedConnection
        worker.taught.connect(self._on_taught, queued)
        worker.trigger_added.connect(self._on_trigger_added, queued)
        worker.marked.connect(self._on_marked, queued)
        worker.undone.connect(self._on_undone, queued)
        worker.redone.connect(self._on_redone, queued)
        worker.seeded.connect(self._on_seeded, queued)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._on_settled, queued)

    # ---- user actions

    def open_dialog(self) -> None:
        """Open the dialog with the query as trigger of a new memory or of an existing answer."""
        text, inspection = self._line.text(), self._scope_state().inspection
        is_of_query = inspection is not None and inspection.query.text == text
        self._open(text, teaching_targets(inspection) if is_of_query else ())

    def open_for(self, inspection: Inspection) -> None:
        """Open the dialog for another answered query."""
        self._open(inspection.query.text, teaching_targets(inspection))

    def open_new(self) -> None:
        """Open the dialog for a new memory without a trigger."""
        self._open("", ())

    def _open(self, text: str, offered: Sequence[TeachingTarget]) -> None:
        dialog = TeachDialog(self._theme, text, self._page.window(), offered)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.draft_changed.connect(self._on_draft)
        dialog.taught.connect(self._teach)
        dialog.trigger_chosen.connect(self._add_to)
        dialog.none_chosen.connect(self._choose_none)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def refusal(self) -> str:
        """Return why the selected answer can be neither marked nor given a trigger; "" if it can."""
        if not self._line.text().strip():
            return "The query is empty. Type a sentence first."
        if self._scope_state().selected is None:
            return "No answer is selected. There is nothing to teach or mark."
        return ""

    def type_refusal(self) -> str:
        """Return why no type can be taught; "" if one can."""
        return "" if self._line.text().strip() else "The query is empty. Type a sentence first."

    def ask_type(self) -> None:
        """Open the menu of types below the query; each has a digit."""
        menu = QMenu(self._page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("Teach the type of the query")
        for digit, type_ in enumerate((*IntentType, None), 1):
            menu.addAction(f"&{digit}  {type_choice(type_)}", partial(self._teach_type, type_))
        menu.aboutToHide.connect(self._forget_menu)
        self.menu = menu
        menu.setActiveAction(menu.actions()[0])
        menu.popup(self._line.mapToGlobal(QPoint(0, self._line.height() + 2)))

    def _teach_type(self, type_: IntentType | None) -> None:
        text = self._line.text().strip()
        self._written.do(
            lambda bench: bench.types.teach(text, type_),
            lambda is_new: self._report(type_taught(type_, is_new=is_new)),
        )

    def _forget_menu(self) -> None:
        self.menu = None

    def add_trigger(self) -> None:
        if answer := self._selected():
            self._worker.add_trigger(answer, self._line.text().strip())

    def mark(self, *, fits: bool) -> None:
        if answer := self._selected():
            match = self._scope_state().selected
            self._is_unfound = fits and match is not None and not match.is_found
            self._worker.mark(answer, self._line.text().strip(), fits=fits)

    def mark_none(self) -> None:
        text = self._line.text().strip()
        if text:
            self._mark_none(text)
        else:
            self.notified.emit(self.refusal(), False, True)

    def _mark_none(self, text: str) -> None:
        self.keep_requested.emit()
        self._written.do(
            lambda bench: bench.curator.mark_none(text),
            lambda written: self._report(guide.marked_none_message(text), undo=written is not None),
        )

    def _selected(self) -> Answer | None:
        """Return the selected answer, which stays selected; None with a message if there is none."""
        why, match = self.refusal(), self._scope_state().selected
        if why or match is None:
            self.notified.emit(why, False, True)
            return None
        self.keep_requested.emit()
        return match.answer

    def refuse(self, sentence: str) -> bool:
        """Show in the dialog why a memory was not stored; False if none is open."""
        if self.dialog is None or not self.dialog.is_storing:
            return False
        self.dialog.refuse(sentence)
        return True

    def _teach(self, memory: Memory) -> None:
        self.keep_requested.emit()
        self._worker.teach(memory)

    def _choose_none(self) -> None:
        text = self._line.text() if self.dialog is None else self.dialog.trigger.text()
        if self.dialog is not None:
            self.dialog.accept()
        self._mark_none(text.strip())

    def _add_to(self, answer: Answer, trigger: str) -> None:
        if self.dialog is not None:
            self.dialog.accept()
        self.keep_requested.emit()
        self._worker.add_trigger(answer, trigger)

    # ---- results

    def _on_closed(self) -> None:
        self._on_draft(None, "", "")
        self.dialog = None
        if self._page.isVisible():
            self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_draft(self, drafted: Answer | None, trigger: str, label: str) -> None:
        """Request the conflicts of a draft, near duplicates under other answers, and its effect on cases."""
        for job in (self._conflicts, self._near, self._effect):
            job.cancel()
        if self.dialog is None or drafted is None or not trigger:
            return

        async def conflicts(bench: Workbench) -> list[Memory]:
            return bench.conflicts(trigger, label or None)

        self._conflicts.run(conflicts, self.dialog.show_conflicts)
        self._near.run(lambda bench: bench.duplicates.near(trigger, label or None), self.dialog.show_near)
        self._effect.run(lambda bench: bench.edit_previews.of_trigger(drafted, trigger), self.dialog.show_preview)

    def _on_taught(self, memory: Memory) -> None:
        if self.dialog is not None and self.dialog.is_storing:
            self.dialog.accept()
            if not self._line.text().strip() and memory.triggers and self._page.isVisible():
                self.query_requested.emit(memory.triggers[0])  # otherwise the new memory would not be visible
        of_query = self._line.text().strip() in memory.triggers
        if of_query:
            self.select_requested.emit(memory)  # marking then applies to the new memory
        self._report_rank(guide.taught_message(memory), memory, self._line.text().strip())

    def _on_trigger_added(self, answer: Answer, trigger: str) -> None:
        self._report_rank(guide.trigger_added_message(answer), answer, trigger)

    def _on_marked(self, before: Answer, after: Answer, fits: bool) -> None:
        text = guide.marked_message(before, after, fits=fits)
        self._report(f"{text} {guide.not_found_message(after)}" if self._is_unfound else text)

    def _on_undone(self, undone: Undone | None) -> None:
        if undone is None:
            self.notified.emit("Nothing to undo.", False, False)
        else:
            self._report(undone.sentence, undo=False)

    def _on_redone(self, redone: Redone | None) -> None:
        if redone is None:
            self.notified.emit("Nothing to redo.", False, False)
        else:
            self._report(redone.sentence)

    def _on_seeded(self, count: int) -> None:
        self.notified.emit(f"Added the sample library: {count} memories, powers and cases.", bool(count), False)

    def _toast(self, refusal: str) -> None:
        self.notified.emit(refusal, False, True)

    # ---- effect, shown with the next answer to the query

    def _report(self, sentence: str, *, undo: bool = True) -> None:
        """Report an action. Until the next letter, Ctrl+Z undoes it."""
        self._line.leaves_undo = True
        self._waiting = None
        self.notified.emit(sentence, undo, False)

    def _report_rank(self, sentence: str, answer: Answer, taught: str) -> None:
        """Report an action at once, and the answer's new rank once the query is answered again."""
        self._report(sentence)
        if taught == self._line.text().strip() and taught in answer.triggers:
            self._waiting = (sentence, answer, taught)
            self._report_shown()

    def _on_inspected(self, _: int, inspection: Inspection) -> None:
        self._seen, self._is_seen_whole = inspection, inspection.phase is not Phase.FLOOR
        self._report_shown()

    def _on_settled(self, generation: int) -> None:
        if generation == self._worker.generation:
            self._is_seen_whole = True
            self._report_shown()

    def _report_shown(self) -> None:
        """Report the rank from the final answer after the action.

        The floor is skipped if a better answer follows, so that the message does not change while it is read.
        """
        if self._waiting is None or self._seen is None or not self._is_seen_whole:
            return
        sentence, answer, taught = self._waiting
        if self._line.text().strip() != taught:
            self._waiting = None
        elif self._seen.query.text.strip() == taught and (standing := guide.rank_message(self._seen, answer, taught)):
            self._waiting = None
            self.notified.emit(f"{sentence} {standing}", True, False)
