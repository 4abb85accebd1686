"""Window with an answer and its panes, for tests of user actions on them."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.gui.scope.dock_layout import ScopeLayout
from app.gui.scope.dock_panes import Panes
from app.gui.scope.docks import Dock
from app.gui.shell.main_window import MainWindow
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT, FakeWorkbench

Opened = Callable[..., MainWindow]


def panes_of(window: MainWindow) -> Panes:
    return window.scope.panes


def layout_of(window: MainWindow) -> ScopeLayout:
    return window.scope.panes.layout


def dock(window: MainWindow, key: str) -> Dock:
    return layout_of(window).docks[key]


def unfold(window: MainWindow) -> None:
    for key in layout_of(window).docks:
        layout_of(window).show_pane(key)


def asked(qtbot: QtBot, window: MainWindow) -> None:
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)


def opener_of_sizes(qtbot: QtBot, open_window: Opener) -> Opened:
    """Return a function that opens a window of a given size with an answer."""

    def open_(width: int = 1280, height: int = 800) -> MainWindow:
        window = open_window(FakeWorkbench())
        window.resize(width, height)
        window.activateWindow()
        qtbot.waitUntil(lambda: window.size().toTuple() == (width, height))
        asked(qtbot, window)
        qtbot.wait(1)
        return window

    return open_
