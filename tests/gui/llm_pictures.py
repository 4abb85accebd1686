"""Screenshots of the LLM lane in its states, for review.

`python -m tests.gui.llm_pictures PREFIX`
"""

from __future__ import annotations

import random
import sys
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from app.domain.llm import LlmOutcome
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.llm import LlmPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell.main_window import MainWindow
from tests.gui.llm_states import DETAIL, bench, inspection_with, report_of, settings
from tests.gui.pictures import opened, settle, with_history
from tests.narrowing import of_type

SIZES = ((1280, 800), (1920, 1080))


def show(app: QApplication, window: MainWindow, outcome: LlmOutcome) -> None:
    report = report_of(outcome)
    if outcome is LlmOutcome.ANSWERED and window.scope_state.settings and window.scope_state.settings.llm.details:
        report = replace(report, detail=DETAIL)
    window.worker.drop()
    inspection = inspection_with(report, window.scope_state.settings or settings())
    for each in window.panels.values():
        each.show_state(replace(window.scope_state, inspection=inspection, selected=inspection.matches[0]))
    panel = of_type(window.panels["llm"], LlmPanel)
    if outcome is LlmOutcome.ASKING:
        panel.countdown.clock = lambda: panel.countdown._began + 0.216
        panel._tick()
    settle(app, lambda: True, 0.1)


def with_llm_history(window: MainWindow) -> None:
    """Add some hundred generated LLM times."""
    dice = random.Random(11)
    panel = of_type(window.panels["session"], SessionPanel)
    for _ in range(388):
        late = dice.random() < 0.196
        panel.llm_times.durations.add(dice.gauss(450, 120) if late else min(199.0, max(70.0, dice.gauss(128, 22))))
    panel._redraw()


def main(prefix: str) -> None:
    app = of_type(QApplication.instance() or QApplication(sys.argv[:1]), QApplication)
    app.setStyle("Fusion")
    for theme in ("light", "dark"):
        for width, height in SIZES:
            state = LlmOutcome.ANSWERED
            window = opened(app, bench(state, theme=theme), (width, height))
            with_history(window)
            with_llm_history(window)
            for outcome in LlmOutcome:
                show(app, window, outcome)
                window.grab().save(f"{prefix}{outcome.value}-{theme}-{width}.png")
            intent = of_type(window.panels["intent"], IntentPanel)
            intent.toggle_policies()
            for outcome in (LlmOutcome.TIMED_OUT, LlmOutcome.ANSWERED):
                show(app, window, outcome)
                window.grab().save(f"{prefix}policies-{outcome.value}-{theme}-{width}.png")
            lane = of_type(window.panels["llm"], LlmPanel)
            lane.show_raw()
            settle(app, lambda: True, 0.1)
            if lane.dialog is not None:
                lane.dialog.grab().save(f"{prefix}raw-{theme}-{width}.png")
                lane.dialog.close()
            window.close()


if __name__ == "__main__":
    main(sys.argv[1])
