"""Screenshots of the window in its states, for review.

`python -m tests.gui.pictures FOLDER`
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from app.display.scope.timing import ON_SCREEN
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell.application import make_window
from app.gui.shell.main_window import MainWindow
from app.ports.llm import LlmState
from app.services.core import EncoderState
from tests.gui.inspections import TEXT, FakeWorkbench
from tests.narrowing import of_type

ANSWER = LlmAnswer(
    IntentType.TROUBLESHOOT,
    0.91,
    "one_token",
    distribution={"troubleshoot": 0.91, "howto": 0.041, "explanation": 0.032, "general": 0.01},
)


def settle(app: QApplication, done: Callable[[], bool], seconds: float = 5.0, rest_ms: int = 350) -> None:
    """Run the event loop until a condition holds, and a little longer."""
    deadline = QDeadlineTimer(round(seconds * 1000))
    while not done() and not deadline.hasExpired():
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    loop = QEventLoop(app)
    QTimer.singleShot(rest_ms, loop.quit)
    loop.exec()


def opened(app: QApplication, bench: FakeWorkbench, size: tuple[int, int], text: str = TEXT) -> MainWindow:
    """Open a window of this size with an answered query."""
    window = make_window(lambda: bench)
    window.resize(*size)
    window.show()
    window.worker.start()
    settle(app, lambda: window.scope_state.status is not None)
    if text:
        window.ask(text)
        settle(app, lambda: window.scope_state.inspection is not None)
    return window


def with_history(window: MainWindow) -> None:
    """Add some hundred generated times, so that the histogram has a shape."""
    dice = random.Random(7)
    panel = of_type(window.panels["session"], SessionPanel)
    for _ in range(410):
        slow = dice.random() < 0.035
        shown = dice.uniform(10.1, 14) if slow else min(9.95, dice.gauss(8.3, 0.8))
        panel.note(
            {"keywords": 0.2, "embed query": shown - 1.4, "lexical": abs(dice.gauss(0.4, 0.1)), ON_SCREEN: shown}
        )


def main(folder: Path) -> None:
    app = of_type(QApplication.instance() or QApplication(sys.argv[:1]), QApplication)
    app.setStyle("Fusion")
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for width, height in ((1280, 800), (1920, 1080)):
            bench = FakeWorkbench()
            bench.values["theme"] = theme
            window = opened(app, bench, (width, height))
            with_history(window)
            settle(app, lambda: True)
            window.grab().save(str(folder / f"scope-{theme}-{width}.png"))
            if (theme, width) == ("light", 1280):
                window.teach()
                settle(app, lambda: True)
                assert window.scope.teach_actions.dialog is not None
                window.scope.teach_actions.dialog.grab().save(str(folder / "teach.png"))
                window.scope.teach_actions.dialog.reject()
            window.close()
    late = FakeWorkbench()
    late.state = replace(late.state, llm=LlmState(LlmOutcome.LATE))
    late.llm = LlmReport(
        LlmOutcome.LATE, model="qwen2.5:1.5b", ms=740.0, budget_ms=200.0, answer=ANSWER, would_be=0.802
    )
    fault = FakeWorkbench()
    fault.state = replace(
        fault.state,
        faults={"settings": "The settings file has an error in line 12. The last good settings stay in use."},
    )
    states = {
        "late": (late, TEXT),
        "fault": (fault, TEXT),
        "empty": (FakeWorkbench(counts={"memories": 0, "powers": 0, "rules": 41}), ""),
        "start": (FakeWorkbench(), ""),
        "loading": (FakeWorkbench(encoder=EncoderState.LOADING), TEXT),
        "none": (FakeWorkbench(), "hello there"),
        "long": (FakeWorkbench(), "why does the build of the very long name keep failing " * 40),
    }
    for name, (bench, text) in states.items():
        window = opened(app, bench, (1280, 800), text)
        if name == "none":
            window.toast.show_message("Taught as “hello there”.", undo=True)
            settle(app, lambda: True)
        window.grab().save(str(folder / f"{name}.png"))
        window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
