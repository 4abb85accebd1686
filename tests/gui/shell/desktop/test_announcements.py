"""Tests of one-time notices of a profile: shown until read, then deleted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.adapters.store import opening
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.gui.shell.application import make_window
from app.gui.shell.desktop.remedy_actions import Places
from app.gui.shell.main_window import MainWindow
from tests.gui.inspections import FakeWorkbench

SENTENCE = "Check <b>llm.url</b>: it may have come from the team's server."


@pytest.fixture
def library(tmp_path: Path) -> Path:
    SqlLibrary.open(tmp_path).close()
    return tmp_path / FILE


def opened(qtbot: QtBot, library: Path) -> MainWindow:
    asked: list[None] = []

    def take() -> list[str]:
        found = opening.take_notices(library)
        asked.append(None)
        return found

    window = make_window(FakeWorkbench, Places(library.parent, None, take_notices=take))
    qtbot.addWidget(window, before_close_func=lambda made: made.worker.close())
    window.show()
    window.worker.start()
    qtbot.waitUntil(lambda: bool(asked))
    return window


def test_that_a_notice_is_shown_until_it_is_read_and_only_once(qtbot: QtBot, library: Path) -> None:
    with closing(sqlite3.connect(library)) as connection, connection:
        opening.add_notice(connection, SENTENCE)
        opening.add_notice(connection, "A second one.")
    window = opened(qtbot, library)
    strip = window.announcement_strip
    qtbot.waitUntil(strip.isVisible)
    assert strip.text.text() == f"{SENTENCE}\nA second one."
    assert strip.text.textFormat() is Qt.TextFormat.PlainText
    assert strip.accessibleName() == strip.text.text()
    strip.read.click()
    assert strip.isHidden()
    again = opened(qtbot, library)
    qtbot.waitUntil(lambda: again.core_state is not None)
    assert again.announcement_strip.isHidden()
