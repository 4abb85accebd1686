"""What stands on the page of evaluation before anything is found: what would be done, or why it cannot be yet."""

from __future__ import annotations

from collections.abc import Callable

from app.display import words
from app.gui.controls import Empty, button
from app.gui.pages.evaluate_errands import COMPARE, SWEEP, TODAY
from app.gui.theme import Theme


class NoCases(Empty):
    """There is no case at all: what a case is, and the two ways to some."""

    def __init__(self, theme: Theme, ask_file: Callable[[], object], open_cases: Callable[[], object]) -> None:
        self.first = button(words.say("From a file…"), primary=True, press=ask_file)
        super().__init__(
            theme,
            "check",
            words.say("No cases yet"),
            words.say(
                "A case is a query with the answer that would be right. Mark answers on the scope (Ctrl+Up, Ctrl+Down),"
                " write cases on their page, or take them from a file."
            ),
            self.first,
            button(words.say("Cases"), press=open_cases),
        )


class EvaluateStart(Empty):
    """One line on how it stands, and one sentence on what this way of looking does."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "evaluate", "", "")

    def tell_state(self, mode: str, *, is_running: bool, is_counted: bool, has_task: bool) -> None:
        """Say how it stands: `has_task` if there are cases of the chosen task, `is_counted` if that is known."""
        if is_running:
            self.tell(self.tr("Evaluating"), self._sentence_of(mode))
        elif not is_counted and not has_task:
            self.tell(self.tr("The cases could not be counted"), self.tr("Try again, or take cases from a file."))
        elif has_task:
            self.tell(self.tr("Nothing was evaluated yet"), self._sentence_of(mode))
        else:
            self.tell(self.tr("No case of this task yet"), self._sentence_of(mode))

    def _sentence_of(self, mode: str) -> str:
        return {
            TODAY: self.tr("Evaluate puts every case to the engine of today. Nothing is started, and no LLM is asked."),
            COMPARE: self.tr(
                "Compare answers every case under today's settings and under others, and tells what turns."
            ),
            SWEEP: self.tr("Sweep answers every case under each value of a setting, and tells which is best."),
        }[mode]
