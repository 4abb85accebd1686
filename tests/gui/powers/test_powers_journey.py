"""Tests of a real server in the window: approval, tools, a call, and its end."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
from pytestqt.qtbot import QtBot

from app.adapters.mcp.runner import McpRunner
from app.domain.library import Power, Transport
from app.domain.running import RunState
from app.gui.powers.page import PowersPage
from app.gui.powers.servers.server import LOG, WIRE
from app.gui.shell.main_window import MainWindow
from tests.gui.conftest import Opener
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

SERVER = Path(__file__).parents[2] / "servers" / "powers.py"
MODES = ("change", "crash", "exit-at-once", "wrong-tools")


def opened(open_window: Opener, qtbot: QtBot) -> tuple[MainWindow, PowersPage]:
    powers = [
        Power(mode, f"Does {mode}", (mode,), transport=Transport(sys.executable, ("-I", "-S", str(SERVER), mode)))
        for mode in MODES
    ]
    window = open_window(real_bench(MemoryLibrary(), powers, runner=McpRunner))
    page = opened_page(window, "powers", PowersPage)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == len(MODES))
    return window, page


def started(qtbot: QtBot, window: MainWindow, page: PowersPage, mode: str, state: RunState = RunState.RUNNING) -> None:
    page.table.pick_key(MODES.index(mode) + 1)
    window.act("start_power")
    qtbot.waitUntil(lambda: window.power_starter.dialog is not None)
    assert window.power_starter.dialog is not None
    assert str(SERVER) in window.power_starter.dialog.text.toPlainText()
    window.power_starter.dialog.verb.click()
    qtbot.waitUntil(lambda: page.server.run is not None and page.server.run.state is state)


def servers() -> list[int]:
    """Return the child processes that run a server of these powers."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if str(SERVER) in child.cmdline():
                found.append(child.pid)
        except psutil.Error:
            continue  # it ended meanwhile
    return found


def test_that_a_real_server_is_started_called_and_gone_with_the_window(qtbot: QtBot, open_window: Opener) -> None:
    window, page = opened(open_window, qtbot)
    assert servers() == []
    started(qtbot, window, page, "change")
    assert servers()
    pane = page.server
    qtbot.waitUntil(lambda: len(pane.tools.list.rows) == 3)
    assert "misbehaving change" in pane.sheet.read
    pane.tools.list.pick(2)
    pane.tools.call_requested.emit()
    pane.call.begin()
    qtbot.waitUntil(lambda: pane.call.result.toPlainText() == "changed")
    qtbot.waitUntil(lambda: len(pane.tools.list.rows) == 2)
    assert pane.call.result.toPlainText() == "changed"
    pane.open_view("tools")
    qtbot.waitUntil(pane.tools.seen.isVisible)
    assert {line.tool.name for line in pane.tools.list.rows if line.is_changed} == {"echo", "fresh"}
    pane.open_view(WIRE)
    qtbot.waitUntil(lambda: any("tools/call" in row.text for row in pane.wire.list.rows))
    window.close()
    assert servers() == []


def test_that_a_real_server_that_ends_says_why_and_what_it_logged(qtbot: QtBot, open_window: Opener) -> None:
    window, page = opened(open_window, qtbot)
    started(qtbot, window, page, "exit-at-once", RunState.FAILED)
    qtbot.waitUntil(lambda: "exit code 3" in page.server.fault.sentence)
    assert "no API key" in page.server.fault.sentence
    started(qtbot, window, page, "crash")
    pane = page.server
    qtbot.waitUntil(lambda: len(pane.tools.list.rows) == 3)
    pane.tools.list.pick(2)
    pane.call.begin()
    qtbot.waitUntil(lambda: pane.run is not None and pane.run.restarts == 1)
    pane.open_view(LOG)
    qtbot.waitUntil(lambda: pane.run is not None and pane.run.state is RunState.RUNNING)


def test_that_tools_of_a_real_server_with_odd_texts_are_plain(qtbot: QtBot, open_window: Opener) -> None:
    window, page = opened(open_window, qtbot)
    started(qtbot, window, page, "wrong-tools")
    tools = page.server.tools
    qtbot.waitUntil(lambda: len(tools.list.rows) == 4)
    said = [str(tools.list.paged.index(row, column).data()) for row in range(4) for column in range(2)]
    assert all(text.isprintable() for text in said)
