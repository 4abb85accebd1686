"""Actions of comparing: presets, queries or combinations side by side over the panes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.display.scope.side_by_side import SideBySide, combination_word, preset_choices, side_by_side, side_by_side_text
from app.domain.scope.inspection import Inspection
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.page import CoreState
from app.gui.kit.theme.theme import Theme
from app.gui.scope.query_line import QueryLine
from app.gui.scope.views.overlays import Overlays
from app.gui.scope.views.side_by_side import ComparisonKind, SideBySideView

if TYPE_CHECKING:
    from app.services.workbench import Workbench
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """One side of a comparison: a text, and changed settings as pairs of dotted key and value."""

    text: str
    changes: tuple[tuple[str, str], ...] = ()


Answers = tuple[Inspection, Inspection]
"""Inspections of the left and the right side."""


async def settle_both(
    bench: Workbench, left: ComparedQuestion, right: ComparedQuestion, known: Mapping[ComparedQuestion, Inspection]
) -> AsyncGenerator[Answers, None]:
    """Answer both sides, one after the other; known answers are reused. Raises SettingsError.

    Scoring a pinned query again would evict what the index caches for the text being typed.
    """
    sides = [known.get(asked) or await bench.settle_as(asked.text, dict(asked.changes)) for asked in (left, right)]
    yield sides[0], sides[1]


_LEFT_COMBINATION, _RIGHT_COMBINATION = "balanced", "max"


class CompareActions(Overlays[SideBySideView]):
    """Actions that request a comparison only after the panes' own answer.

    A newer query replaces the running comparison, so that typing never waits.
    """

    def __init__(self, theme: Theme, worker: Worker, place: QStackedWidget, line: QueryLine) -> None:
        super().__init__(place, line)
        self._theme, self._worker = theme, worker
        self.shown: SideBySide | None = None
        self.settings: Settings | None = None
        self.against = ComparisonKind.PRESETS
        self._pinned = ""
        self._presets: tuple[str, str] = ("recommended", "as_documented")
        self._combinations = (_LEFT_COMBINATION, _RIGHT_COMBINATION)
        self._pin_is_left = True
        self.asked: tuple[ComparedQuestion, ComparedQuestion] | None = None
        self._known: dict[ComparedQuestion, Inspection] = {}
        self._kept = ""
        self._job = Job(worker, self)

    # ---- user actions

    def toggle_presets(self) -> None:
        """Compare the two presets, or go back if they are compared."""
        if self.is_open and self.against is ComparisonKind.PRESETS:
            self.close()
        else:
            self._open(ComparisonKind.PRESETS)

    def compare_combinations(self) -> None:
        self._open(ComparisonKind.COMBINATIONS)

    def pin(self) -> None:
        """Pin the query in the line, or unpin it and go back."""
        if self.is_open and self.against is ComparisonKind.QUERIES:
            self.close()
            return
        if not self._line.text().strip():
            self.notified.emit("Type a query first; then it can be pinned.", False, True)
            return
        self._worker.note_acted()
        self._pin_text()
        self._open(ComparisonKind.QUERIES)

    def swap(self) -> None:
        self._presets = self._presets[::-1]
        self._combinations = self._combinations[::-1]
        self._pin_is_left = not self._pin_is_left
        self._ask()

    def copy(self) -> bool:
        """Copy the comparison as text; False if none is open."""
        if not self.is_open:
            return False
        if self.shown is None:
            self.notified.emit("No comparison to copy yet.", False, True)
        else:
            QGuiApplication.clipboard().setText(side_by_side_text(self.shown))
            self.notified.emit("Copied the comparison as text.", False, False)
        return True

    # ---- called by the page

    def focus_stops(self) -> list[QWidget]:
        return [] if self.view is None else [self.view.against, self.view.sheet]

    def answered(self) -> None:
        """Request the sides, if changed, once the panes have their answer or the line is empty."""
        if self.is_open and self._sides() != self.asked:
            self._ask()

    def show_core_state(self, core_state: CoreState) -> None:
        """Drop the results after a change of library or settings; the panes' answer comes first."""
        self.settings = core_state.settings
        self.asked = None
        self._known.clear()
        from app.settings.model import PRESETS

        own = [
            key for key in PRESETS["as_documented"] if core_state.origins.get(key) not in (None, "default", "preset")
        ]
        self._kept = f"kept on both sides: {', '.join(own)}" if own else ""

    # ---- internals

    def _open(self, against: ComparisonKind) -> None:
        self._lay_over()
        self._choose(against)

    def _left(self) -> None:
        self._job.cancel()
        self._pinned, self.asked, self.shown = "", None, None
        self._known.clear()

    def _make_view(self) -> SideBySideView:
        view = SideBySideView(self._theme)
        view.against_chosen.connect(lambda key: self._choose(ComparisonKind(key)))
        view.combinations_chosen.connect(self._on_combinations)
        view.swap_requested.connect(self.swap)
        view.unpin_requested.connect(self.close)
        view.copy_requested.connect(self.copy)
        return view

    def _choose(self, against: ComparisonKind) -> None:
        if against is ComparisonKind.QUERIES and not self._pinned:
            self._pin_text()
        if against is not self.against:
            self.shown = None
        self.against = against
        self._ask()

    def _pin_text(self) -> None:
        self._pinned, self._pin_is_left = self._line.text(), True

    def _on_combinations(self, left: str, right: str) -> None:
        self._combinations = (left, right)
        self._ask()

    def _ask(self) -> None:
        """Request both sides; the last result stays until these arrive."""
        view = self.view
        assert view is not None, "there is something to compare only once it was opened"
        view.show_against(self.against, self._titles(), self._combinations)
        left, right = self._sides()
        note = "the same query on both sides: type another one" if self.against is ComparisonKind.QUERIES else ""
        view.show_pinned(self._kept if self.against is ComparisonKind.PRESETS else note * (left == right))
        if not left.text.strip() or not right.text.strip():
            self._job.cancel()
            self.asked, self.shown = None, None
            view.show_empty("No query yet", "Type a sentence above; it is answered on both sides.")
            view.show_pairs(None)
            return
        if self.shown is None:
            view.show_empty("Both sides are being settled", "This takes a moment.")
            view.show_pairs(None)
        self._known = {asked: found for asked, found in self._known.items() if asked in (left, right)}
        self.asked = (left, right)
        known = dict(self._known)

        self._job.follow(lambda bench: settle_both(bench, left, right, known), self._on_compared, self._on_finished)

    def _sides(self) -> tuple[ComparedQuestion, ComparedQuestion]:
        text = self._line.text()
        if self.against is ComparisonKind.PRESETS:
            left, right = (ComparedQuestion(text, (("preset", name),)) for name in self._presets)
            return left, right
        if self.against is ComparisonKind.COMBINATIONS:
            own = (("power_combination", "same"), ("use_hybrid_retrieval", "true"))
            left, right = (ComparedQuestion(text, (("combination", name), *own)) for name in self._combinations)
            return left, right
        pinned, typed = ComparedQuestion(self._pinned), ComparedQuestion(text)
        return (pinned, typed) if self._pin_is_left else (typed, pinned)

    def _titles(self) -> tuple[str, str]:
        if self.against is ComparisonKind.PRESETS:
            left, right = map(dict(preset_choices()).__getitem__, self._presets)
            return left, right
        if self.against is ComparisonKind.COMBINATIONS:
            left, right = map(combination_word, self._combinations)
            return left, right
        pinned, typed = f"Pinned: {self._pinned}", f"Typed: {self._line.text()}"
        return (pinned, typed) if self._pin_is_left else (typed, pinned)

    def _on_compared(self, answers: Answers) -> None:
        if not self.is_open or self.view is None or self.asked is None or self.settings is None:
            return
        self._known = dict(zip(self.asked, answers, strict=True))
        self.shown = side_by_side(answers[0], answers[1], self._titles(), self.settings)
        self.view.fault.show_fault("")
        self.view.show_pairs(self.shown)

    def _on_finished(self, sentence: str) -> None:
        if self.is_open and self.view is not None:
            self.view.fault.show_fault(sentence)
