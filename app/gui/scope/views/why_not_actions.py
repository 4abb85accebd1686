"""Actions of why-not: the expected answer, the verdict, applying a change, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.display.scope import why_not
from app.domain.scope.inspection import Inspection, Phase
from app.domain.scope.why_not import Change, Expectation, WhyNot
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import single_shot
from app.gui.kit.theme.theme import Theme
from app.gui.scope.query_line import QueryLine
from app.gui.scope.views.overlays import Overlays

if TYPE_CHECKING:
    from app.gui.scope.views.why_not import WhyNotView
    from app.services.workbench import Workbench

REST_MS = 500
"""Debounce in ms of typing before a new explanation; after other changes `ANEW_MS`."""

ANEW_MS = 60
_MOST_NAMES = 40


class WhyNotActions(Overlays["WhyNotView"]):
    """Requests an explanation after a pause in typing; the next key cancels it."""

    def __init__(
        self, line: QueryLine, state: Callable[[], ScopeState], theme: Theme, worker: Worker, place: QStackedWidget
    ) -> None:
        super().__init__(place, line)
        self._state, self._theme, self._worker = state, theme, worker
        self.expected: Expectation | None = None
        self._named_for = ""
        """Query that the expected answer was named for; "" before there is one."""
        self._shown: WhyNot | None = None
        self._asked = -1
        self._job, self._names = Job(worker, self, self._on_refused), Job(worker, self)
        self.rest = single_shot(self, 0, self._explain)
        self._line.changed.connect(self._on_text)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._follow, Qt.ConnectionType.QueuedConnection)

    @property
    def is_running(self) -> bool:
        return self.view is not None and not self.view.cancel.isHidden()

    # ---- user actions

    def toggle(self, *, may_close: bool = True) -> None:
        """Explain why the selected or expected answer did not win; or go back."""
        if self.is_open and may_close:
            self.close()
        elif not self.is_open:
            self._open(self._selected_below())

    def ask_about(self, expected: Expectation | None) -> None:
        """Explain why this answer did not win; None asks for the expected answer."""
        self.close()
        self.expected = expected
        self._open(expected)

    def cancel(self) -> None:
        self._stop()
        if self.view is not None and self.view.shown is None:
            self.view.show_empty("Stopped", "Press Enter in the line above to try again.")

    def expect(self, expected: Expectation) -> None:
        self.expected, self._named_for = expected, self._line.text().strip()
        self._explain()

    def focus_stops(self) -> list[QWidget]:
        return [] if self.view is None else [self.view.expected.line, self.view.sheet]

    # ---- opening

    def _open(self, found: Expectation | None) -> None:
        if found is not None:
            self.expected, self._named_for = found, self._line.text().strip()
        self._shown, self._asked = None, -1
        view = self._lay_over()
        if found is not None:
            view.expected.show_choice(found)
        view.expected.select()  # partly typed text stays until the next letter
        view.expected.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        view.fault.show_fault("")
        self._explain()

    def _left(self) -> None:
        self._stop()  # the expected answer stays for the next time

    def _make_view(self) -> WhyNotView:
        from app.gui.scope.views.why_not import WhyNotView  # rarely used: imported after the first paint

        view = WhyNotView(self._theme)
        view.expected.names_requested.connect(self._find_names)
        view.expected.names_dropped.connect(self._names.cancel)
        view.expected.chosen.connect(self.expect)
        view.apply_requested.connect(self._apply)
        view.cancel_requested.connect(self.cancel)
        view.seeds_requested.connect(self._worker.add_seed_library)
        return view

    def _selected_below(self) -> Expectation | None:
        """Return the selected match, unless it leads: the first of all, or the first found of its kind."""
        selected, inspection = self._state().selected, self._state().inspection
        if selected is None or inspection is None:
            return None
        first_of_kind = next((match for match in inspection.matches if match.kind is selected.kind), None)
        if inspection.matches[:1] == (selected,) or (selected.is_found and selected == first_of_kind):
            return None
        return Expectation(selected.kind.value, selected.answer.name)

    # ---- requests

    def _explain(self) -> None:
        """Request an explanation for the current query; that of an edited one stays until it arrives."""
        self._stop()
        view = self.view
        if view is None or not self.is_open:
            return
        shown, text, expected, seeds = self._shown, self._line.text(), self.expected, self._state().has_empty_library
        why = ("Nothing is expected yet", "Name the answer that you expected in the line above, and press Enter.")
        if not text.strip():
            why = ("No query yet", "Type a sentence above, then name what you expected.")
        if seeds:
            why = ("The library is empty", "Add the sample library, or teach the query with Ctrl+T.")
        if seeds or expected is None or not text.strip():
            self._shown = None
            view.show_verdict(None)
            view.show_empty(*why, seeds=seeds)
            return
        self._asked = self._worker.generation
        if shown is None or shown.expected != expected or not why_not.is_edit(text.strip(), shown.query.strip()):
            view.show_verdict(None)
            view.show_empty("Finding where it was lost", "Changes are tried. For a type or a route this takes seconds.")
        view.let_apply(on=False)
        view.show_running("finding where it was lost")
        self._job.run_with_progress(
            lambda bench, tell: bench.why_nots.explain(text, expected, tell), self._on_progress, self._on_explained
        )

    def _stop(self) -> None:
        self.rest.stop()
        self._job.cancel()
        if self.view is not None:
            self.view.show_running(None)

    def _apply(self, change: Change) -> None:
        if self.view is not None:
            self.view.let_apply(on=False)
            self.view.sheet.setFocus(Qt.FocusReason.OtherFocusReason)
        self._worker.note_acted()
        self._job.do(
            lambda bench: bench.why_nots.apply(change), lambda _: self._on_applied(change), self._on_not_applied
        )

    def _find_names(self, prefix: str) -> None:
        async def find(bench: Workbench) -> Sequence[Expectation]:
            return tuple(map(Expectation.of, bench.why_nots.candidates(prefix, _MOST_NAMES)))

        def show(offered: Sequence[Expectation]) -> None:
            if self.view is not None:
                self.view.expected.show_names(offered)

        self._names.run(find, show)

    # ---- results

    def _on_text(self) -> None:
        """Cancel while typing; the shown verdict is of another query, so it cannot be applied."""
        if not self.is_open or self.view is None:
            return
        self._stop()
        self.view.let_apply(on=False)
        if self._line.text().strip():
            self.rest.start(REST_MS)
        else:
            self._explain()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        if inspection.phase is not Phase.FLOOR:
            self._follow(generation)

    def _follow(self, generation: int) -> None:
        """Explain a new answer to the query, also after a change of library or settings."""
        is_newest = generation == self._worker.generation
        if self.is_open and is_newest and generation != self._asked and not self.rest.isActive():
            self.rest.start(ANEW_MS)

    def _on_progress(self, done: int, total: int) -> None:
        if self.view is not None and self.is_open:
            text = f"trying changes: {done:,} of {total:,} cases"
            self.view.show_running(text, done, total)

    def _on_explained(self, found: WhyNot) -> None:
        view = self.view
        if view is None or not self.is_open:
            return
        self._shown = found
        view.fault.show_fault("")
        view.show_running(None)
        self._named_for = self._named_for or found.query
        if not why_not.is_edit(found.query.strip(), self._named_for) and not why_not.is_related(found):
            view.show_verdict(None)
            view.show_empty(
                f"“{why_not.shown_name(found.expected)}” was expected of another query",
                "Name the answer that you expected of this one in the line above, and press Enter.",
            )
            return
        view.show_verdict(found)
        view.let_apply(on=True)

    def _on_refused(self, sentence: str) -> None:
        if self.view is not None:
            self.view.show_running(None)
            self.view.fault.show_fault(sentence)
            if self.view.shown is None:
                self.view.show_empty("Not explained", "Press Enter in the line above to try again.")

    def _on_applied(self, change: Change) -> None:
        self._line.leaves_undo = True
        self.notified.emit(why_not.applied_message(change), True, False)
        self._asked = -1
        if self.is_open:
            self.rest.start(ANEW_MS)

    def _on_not_applied(self, sentence: str) -> None:
        """Report the refusal, and explain again."""
        self.notified.emit(sentence, False, True)
        if self.is_open:
            self.rest.start(ANEW_MS)
