"""Tests of Ctrl+Z without visible steps: it undoes settings, and nothing of the library."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.domain.journal import MUCH, Edit, Step
from app.domain.library import Memory
from app.gui.shell.main_window import MainWindow
from app.services.workbench import Workbench
from tests.build import some
from tests.fakes import MemoryLibrary
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench

SET = Edit("set", "matches to 5")


def done(qtbot: QtBot, window: MainWindow, act: Any) -> None:
    """Wait until work on the library is done."""
    told: list[object] = []
    window.worker.do(act, told.append, told.append)
    qtbot.waitUntil(lambda: bool(told))


def on_settings(qtbot: QtBot, open_window: Opener) -> tuple[MainWindow, Workbench]:
    bench = real_bench(MemoryLibrary())
    window = open_window(bench)
    window.open_page("settings")
    done(qtbot, window, lambda bench: bench.choose_all({"matches": "5"}, SET))
    return window, bench


def test_that_settings_are_undone_and_redone_and_no_step_of_the_library(qtbot: QtBot, open_window: Opener) -> None:
    window, bench = on_settings(qtbot, open_window)
    window.act("undo")
    qtbot.waitUntil(lambda: bench.settings.matches == 10)
    window.act("redo")
    qtbot.waitUntil(lambda: bench.settings.matches == 5)
    done(qtbot, window, lambda bench: bench.teach(Memory(("x",))))
    window.toast.hide()
    window.act("undo")
    qtbot.waitUntil(lambda: window.toast.sentence == window.page.no_undo_reason)
    assert [memory.name for memory in bench.library.memories()] == ["x"]
    assert bench.settings.matches == 5


def test_that_no_message_offers_another_undo_once_a_setting_is_changed(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    window.toast.show_message("Taught as “x”.", undo=True)
    window.choose("theme", "dark")
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.settings.theme == "dark")
    assert window.toast.isVisible()
    window.choose("matches", "5")
    qtbot.waitUntil(lambda: not window.toast.isVisible())


def test_that_a_step_of_the_library_that_comes_first_by_a_hair_stays(qtbot: QtBot, open_window: Opener) -> None:
    window, bench = on_settings(qtbot, open_window)
    QApplication.processEvents()
    held = asyncio.Event()

    async def hold(bench: Workbench) -> None:
        async with bench.writing:
            await held.wait()

    async def let_go(_bench: Workbench) -> None:
        for _ in range(300):
            if len(bench.writing._waiters or ()) == 2:  # the addition, and the undo waiting for it
                break
            await asyncio.sleep(0.01)
        held.set()

    ended: list[object] = []
    window.worker.do(hold, ended.append, ended.append)
    window.worker.do(lambda bench: bench.teach(Memory(("x",))), ended.append, ended.append)
    window.act("undo")
    window.worker.do(let_go, ended.append, ended.append)
    qtbot.waitUntil(lambda: len(ended) == 3 and bench.settings.matches == 10)
    assert [memory.name for memory in bench.library.memories()] == ["x"]


def test_that_much_of_an_earlier_day_is_taken_back_only_by_a_yes(qtbot: QtBot, open_window: Opener) -> None:
    library = MemoryLibrary()
    window = open_window(real_bench(library))
    many = [Memory((f"phrase {number}",)) for number in range(MUCH)]
    done(qtbot, window, lambda bench: bench.journal.do(Edit("imported", "100 memories"), many))
    with closing(sqlite3.connect(library.file, isolation_level=None)) as connection:
        connection.execute("UPDATE steps SET at = datetime('now', '-2 days')")
    window.act("undo")
    qtbot.waitUntil(lambda: window.page.dialog is not None)
    dialog = some(window.page.dialog)
    assert "imported 100 memories" in dialog.question.text()
    dialog.reject()
    assert len(library.memories()) == MUCH
    qtbot.waitUntil(lambda: window.page.dialog is None)
    window.act("undo")
    qtbot.waitUntil(lambda: window.page.dialog is not None)
    some(window.page.dialog).accept()
    qtbot.waitUntil(lambda: library.memories() == [])


def test_that_what_was_done_today_is_taken_back_at_once_however_much() -> None:
    step = Step(1, "2026-11-22 23:59:00", "imported", "", MUCH, "window")
    assert not step.is_far("2026-11-22")
    assert step.is_far("2026-11-23")
    assert not replace(step, count=MUCH - 1).is_far("2026-12-01")
