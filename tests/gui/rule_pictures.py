"""Screenshots of the rules page in its states, for review.

`python -m tests.gui.rule_pictures FOLDER [STATE …]`
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.domain.case import Case, Task
from app.domain.intent import Rule
from app.domain.library import Memory
from app.gui.library.rules.page import RulesPage
from app.gui.shell.application import make_window
from app.gui.shell.main_window import MainWindow
from tests.fakes import MemoryLibrary
from tests.gui.pages import opened_page
from tests.gui.pictures import settle
from tests.gui.real_bench import real_bench
from tests.narrowing import of_type

SIZES = ((1280, 800), (1920, 1080))
QUERY = "why does the build keep failing on my mac after I rotate the signing keys"
ASKED = (
    ("How do I rotate the {} in a PDF without losing the bookmarks?", "howto"),
    ("The {} build fails since this morning and nobody knows why", "troubleshoot"),
    ("Where is the configuration of the {}?", "location"),
    ("What is the {} and why is it there?", "explanation"),
    ("Should I use the {} or the other one?", "comparison"),
    ("List all recent changes of the {}", "general"),
    ("rotate the {} quickly", "howto"),
    ("is the {} rotated already or stuck", "troubleshoot"),
)
THINGS = ("page", "signing key", "log file", "backup", "cache", "report", "mirror", "tunnel", "gateway", "queue") * 3
MINE = (
    Rule("mine.rotate", "howto", r"rotate|turn\s+round", "mine", 0, 1.5),
    Rule("mine.rotate-again", "howto", r"Rotate|turn\s+round", "mine", 1, 0.5),
    Rule("mine.zebra", "general", "zebra crossing", "mine", 2, enabled=False),
    Rule("mine.rotate-the", "general", r"rotate\s+the", "mine", 3, confidence=0.8, unless="key"),
)


def library(*, own: bool = True, cases: int = 200) -> MemoryLibrary:
    """Make a library with shipped rules, some own ones, and generated cases."""
    made = MemoryLibrary()
    made.add_memories([Memory(("rotate the api keys",)), Memory(("restart the build server",))])
    if own:
        made.put_rules(list(MINE))
    texts = [(text.format(thing), label) for thing in dict.fromkeys(THINGS) for text, label in ASKED]
    texts += [(f"{text} ({n})", label) for n, (text, label) in enumerate(texts * 3)]
    made.add_cases([Case(text, (label,), Task.TYPE) for text, label in texts[:cases]])
    return made


def shipped(page: RulesPage) -> None:
    page.select("subcog.howto.how-do" if "subcog.howto.how-do" in page.stored else next(iter(page.stored)))
    page.search.textChanged.emit(page.search.text())


def live(page: RulesPage) -> None:
    page.select("mine.rotate")
    page.search.textChanged.emit(page.search.text())
    page.editor.line.setText("can you turn round this picture")
    page.editor.pattern.setFocus()
    page.editor.pattern.setText("")
    QTest.keyClicks(page.editor.pattern, r"rotated?|turn\s+round")


def broken(page: RulesPage) -> None:
    page.select("mine.rotate")
    page.search.textChanged.emit(page.search.text())
    page.editor.pattern.setFocus()
    page.editor.pattern.setText("")
    QTest.keyClicks(page.editor.pattern, r"(?:rotate|turn\s+(?<!not )round)")


def reset(page: RulesPage) -> None:
    rule = next(iter(page.stored.values()))
    page.store(replace(rule, weight=rule.weight + 1, enabled=False))
    page.packs.pick(rule.pack)
    page.edits.plan_reset(rule.pack)


def seek(page: RulesPage) -> None:
    page.search.setText("no such rule")


STATES: dict[str, tuple[Callable[[], MemoryLibrary], Callable[[RulesPage], None]]] = {
    "empty": (lambda: library(own=False, cases=0), lambda page: None),
    "shipped": (library, shipped),
    "live": (library, live),
    "broken": (library, broken),
    "reset": (library, reset),
    "none": (library, seek),
}


def opened(app: QApplication, make: Callable[[], MemoryLibrary], size: tuple[int, int], theme: str) -> MainWindow:
    """Open a window on a real engine, on its rules page."""
    bench = real_bench(make())
    window = make_window(lambda: bench)
    window.resize(*size)
    window.show()
    window.worker.start()
    settle(app, lambda: window.scope_state.status is not None)
    window.choose("theme", theme)
    window.ask(QUERY)
    settle(app, lambda: window.scope_state.inspection is not None)
    page = opened_page(window, "rules", RulesPage)
    settle(app, lambda: page.survey is not None)
    return window


def main(folder: Path, states: list[str]) -> None:
    app = of_type(QApplication.instance() or QApplication(sys.argv[:1]), QApplication)
    app.setStyle("Fusion")
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for width, height in SIZES:
            for name in states or STATES:
                make, act = STATES[name]
                window = opened(app, make, (width, height), theme)
                page = of_type(window.page, RulesPage)
                act(page)
                settle(app, lambda: False, 0.8)
                shown = page.edits.dialog or window
                shown.grab().save(str(folder / f"rules-{name}-{theme}-{width}.png"))
                if page.edits.dialog is not None:
                    QTest.keyClick(page.edits.dialog, Qt.Key.Key_Escape)
                window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
