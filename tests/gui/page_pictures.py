"""Screenshots of the pages in their states, for review.

`python -m tests.gui.page_pictures FOLDER`
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.domain.llm import LlmOutcome
from app.gui.shell.main_window import MainWindow
from app.gui.system.settings.llm_section import LlmSection
from app.gui.system.settings.page import SettingsPage
from app.ports.llm import LlmState
from tests.gui.llm_workbench import ConnectedWorkbench, with_measures
from tests.gui.pictures import opened, settle
from tests.narrowing import of_type

SIZES = ((1280, 800), (1920, 1080))
READY = LlmState(LlmOutcome.ANSWERED, "Ready after 2,140 ms.", "qwen2.5:1.5b", "one_token", "0.33.0", 2140.0)


@dataclass(frozen=True, slots=True)
class Picture:
    """State of a page: its name, the page, the workbench, and the actions before the grab."""

    name: str
    page: str
    make: Callable[[], ConnectedWorkbench]
    act: Callable[[QApplication, MainWindow], None] = lambda app, window: None


def connected() -> ConnectedWorkbench:
    bench = ConnectedWorkbench()
    bench.values = {"llm.url": "http://127.0.0.1:11434", "llm.model": "qwen2.5:1.5b"}
    bench.state = replace(bench.state, llm=READY)
    return bench


def unreachable() -> ConnectedWorkbench:
    bench = connected()
    bench.fails_at = "Server"
    bench.state = replace(
        bench.state, llm=LlmState(LlmOutcome.UNREACHABLE, "No answer from http://127.0.0.1:11434.", "qwen2.5:1.5b")
    )
    return bench


def slow() -> ConnectedWorkbench:
    bench = connected()
    bench.step = 0.25
    return bench


def connection(window: MainWindow) -> LlmSection:
    page = of_type(window.page, SettingsPage)
    page.go_to("llm")
    return page.llm


def check(app: QApplication, window: MainWindow) -> None:
    llm = connection(window)
    llm.checking.begin()
    settle(app, lambda: not llm.checking.is_checking)


def pull(app: QApplication, window: MainWindow) -> None:
    llm = connection(window)
    llm.pulling.name.setText("smollm2:360m")
    llm.pulling.begin.click()
    llm.checking.begin()
    settle(app, lambda: llm.pulling.bar.value() > 200)


def refuse(app: QApplication, window: MainWindow) -> None:
    page = of_type(window.page, SettingsPage)
    page.search.setText("llm")
    line = page.lines["search_intent.llm_timeout_ms"]
    line.chosen.emit("search_intent.llm_timeout_ms", "0")
    settle(app, lambda: bool(line.fault.sentence))


def search(app: QApplication, window: MainWindow) -> None:
    page = of_type(window.page, SettingsPage)
    page.search.setText("margin nothing")
    settle(app, lambda: True)


def chosen() -> ConnectedWorkbench:
    bench = connected()
    bench.values |= {"preset": "as_documented", "search_intent.llm_timeout_ms": "350", "use_hybrid_retrieval": "false"}
    return bench


PICTURES = (
    Picture("connection-empty", "settings", ConnectedWorkbench, lambda _, window: window.page.go_to("llm")),
    Picture("connection-fine", "settings", connected, check),
    Picture("connection-failing", "settings", unreachable, check),
    Picture("connection-pulling", "settings", slow, pull),
    Picture("settings", "settings", chosen),
    Picture("settings-refused", "settings", chosen, refuse),
    Picture("settings-none", "settings", chosen, search),
    Picture("metrics-empty", "metrics", ConnectedWorkbench),
    Picture("metrics-filled", "metrics", lambda: with_measures(connected())),
)


def main(folder: Path) -> None:
    app = of_type(QApplication.instance() or QApplication(sys.argv[:1]), QApplication)
    app.setStyle("Fusion")
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for width, height in SIZES:
            for picture in PICTURES:
                bench = picture.make()
                bench.values["theme"] = theme
                window = opened(app, bench, (width, height), "")
                window.open_page(picture.page)
                settle(app, lambda: True)
                picture.act(app, window)
                window.grab().save(str(folder / f"{picture.name}-{theme}-{width}.png"))
                window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
