"""The first frame has the colours of the last run, before the library is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QThreadPool
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.gui.kit.theme import remembered
from app.gui.kit.theme.tokens import DARK, LIGHT
from app.gui.shell.application import make_window
from app.gui.shell.desktop.remedy_actions import Places
from app.gui.shell.main_window import MainWindow
from tests.gui.inspections import FakeWorkbench

Starter = Callable[[str], MainWindow]


@pytest.fixture
def started(qtbot: QtBot, tmp_path: Path) -> Iterator[Starter]:
    """Starts a window of a profile whose library has this theme; the worker is not started."""
    windows: list[MainWindow] = []

    def start(theme: str) -> MainWindow:
        bench = FakeWorkbench()
        bench.values["theme"] = theme
        window = make_window(lambda: bench, Places(profile=tmp_path))
        windows.append(window)
        window.resize(800, 600)
        window.show()
        return window

    yield start
    for window in windows:
        window.close()
        window.worker.close()
        window.deleteLater()
        qtbot.wait(1)


def ground(window: MainWindow) -> QColor:
    """The colour of a corner that holds nothing else."""
    return window.grab().toImage().pixelColor(window.width() - 3, window.height() - 3)


def open_library(qtbot: QtBot, window: MainWindow) -> None:
    window.worker.start()
    qtbot.waitUntil(lambda: window.core_state is not None)
    QThreadPool.globalInstance().waitForDone()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_that_the_first_frame_has_the_colours_of_the_last_run(qtbot: QtBot, started: Starter, theme: str) -> None:
    first = started(theme)
    open_library(qtbot, first)
    first.close()
    again = started(theme)
    assert again.core_state is None, "its library is not open yet"
    shade = (DARK if theme == "dark" else LIGHT).bg
    assert ground(again) == QColor(shade)


def test_that_the_library_has_the_last_word(qtbot: QtBot, started: Starter) -> None:
    open_library(qtbot, started("dark"))
    again = started("light")
    looks = [again.theme.is_dark]
    open_library(qtbot, again)
    looks.append(again.theme.is_dark)
    assert looks == [True, False]
    assert not started("light").theme.is_dark


@pytest.mark.parametrize("damaged", ["", "{", "[]", "{}", '{"theme": "pink"}', "1e999", "[" * 100_000])
def test_that_a_damaged_file_leaves_the_default(tmp_path: Path, damaged: str) -> None:
    file = tmp_path / remembered.FILE
    file.write_text(damaged)
    assert remembered.read(file) == remembered.read(tmp_path / "none")
