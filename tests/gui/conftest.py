"""Fixtures of GUI tests, which leave no window, widget or engine thread behind."""

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.bridge.engine_thread import Worker
from app.gui.kit.theme import Theme
from app.gui.shell.application import make_window
from app.gui.shell.main_window import MainWindow
from app.services.workbench import Workbench
from tests.memory_library import MemoryLibrary

Opener = Callable[[Workbench], MainWindow]


class EagerBot(QtBot):
    """QtBot that checks a condition every millisecond instead of every ten."""

    def waitUntil(self, callback: Callable[[], bool | None], **named: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self, "wait", lambda _: QtBot.wait(self, 1))
            super().waitUntil(callback, **named)


def round_trip(qtbot: QtBot, worker: Worker) -> None:
    """Wait until the engine has done all that was sent to it, and the window has heard of it.

    What waits for a test or a painting is not waited for.
    """
    ends = list[object]()

    async def act(_: Workbench) -> None:
        await asyncio.sleep(0)
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=0.1)

    worker.do(act, ends.append, ends.append)
    qtbot.waitUntil(lambda: bool(ends))
    qtbot.wait(1)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return EagerBot(request)


@pytest.fixture(autouse=True)
def no_leftovers(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a widget or an engine's thread.

    Only its own objects are searched for garbage. Frozen ones are never freed, so garbage of earlier tests is collected
    first, and nothing is frozen while a window of a file exists.
    """
    before = set(QApplication.topLevelWidgets())
    if not before:
        gc.collect()
        gc.freeze()
    qapp.setStyle("Fusion")
    QLocale.setDefault(QLocale.c())  # independent of the desktop's and earlier tests' locale
    qapp.setFont(Theme().font())  # like a window, so that a single part is measured in the same fonts
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [widget for widget in QApplication.topLevelWidgets() if widget not in before]
    assert left == [], f"widgets are left over: {left}"
    engines = [thread.name for thread in threading.enumerate() if thread.name == "intentscope-engine"]
    assert engines == [], "an engine thread is still running"


@pytest.fixture
def library() -> MemoryLibrary:
    return MemoryLibrary()


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Opener]:
    """Return a function that opens a window on a workbench and waits for it.

    All windows are closed at the end.
    """
    windows: list[MainWindow] = []

    def open_(bench: Workbench) -> MainWindow:
        window = make_window(lambda: bench)
        windows.append(window)
        window.resize(1280, 800)
        window.show()
        window.worker.start()
        qtbot.waitUntil(lambda: window.scope.state.status is not None)
        return window

    yield open_
    for window in windows:
        window.close()
        window.worker.close()  # a window with a running task would ask first
        window.deleteLater()
        qtbot.wait(1)
