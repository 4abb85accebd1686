"""Tests of powers' servers in the window: approval, tools, calls, and their end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.adapters.mcp.runner import McpRunner
from app.display.powers.running import ApprovalPrompt
from app.domain.library import Power, Tool, Transport
from app.domain.running import PowerRun, RunState, ToolSchema, WireMessage
from app.gui.kit.fields import ChoiceBox
from app.gui.powers.page import PowersPage
from app.gui.powers.server import CALL, LOG, WIRE
from app.gui.powers.start_dialog import StartDialog
from app.gui.shell.main_window import MainWindow
from app.services.workbench import Workbench
from tests.build import of_type
from tests.fake_runner import MemoryRunner, MemoryServer
from tests.gui.conftest import Opener
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

HOSTILE = "<h1>big</h1> \u202egnp.exe\x1b[31m"
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": HOSTILE},
        "count": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"], "default": "b"},
        "more": {"type": "array"},
    },
    "required": ["text"],
}
POWERS = (
    Power("git", "Look at repositories", ("git",), transport=Transport("git-server", ("good",), {"TOKEN": ""})),
    Power("slow", "Hangs", ("slow",), transport=Transport("slow-server", ("hang",))),
    Power("bad", "Ends at once", ("bad",), transport=Transport("bad-server", ("exit-at-once",))),
    Power("moves", "Tells how far it is", ("moves",), transport=Transport("moving", ("progress",))),
    Power("bare", "Has no server", ("bare",)),
)


@pytest.fixture
def runner() -> MemoryRunner:
    return MemoryRunner("TOKEN")


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, library: MemoryLibrary, runner: MemoryRunner) -> MainWindow:
    made = open_window(real_bench(library, POWERS, runner=lambda: runner))
    made.activateWindow()
    return made


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> PowersPage:
    made = opened_page(window, "powers", PowersPage)
    qtbot.waitUntil(lambda: len(made.table.paged.keys) == len(POWERS))
    return made


Start = Callable[[str], "Served"]


@dataclass(frozen=True)
class Served:
    """Server on the engine's thread, where it changes its tools."""

    window: MainWindow
    server: MemoryServer

    def change(self, *tools: ToolSchema) -> None:
        async def act(bench: Workbench) -> None:
            self.server.change(tools)

        self.window.worker.do(act, lambda _: None, lambda _: None)


@pytest.fixture
def start(qtbot: QtBot, window: MainWindow, page: PowersPage, runner: MemoryRunner) -> Start:
    """Return a function that starts a power from the window, approved; it returns its server."""

    def start_(name: str) -> Served:
        count = len(runner.servers)
        pick(page, name)
        window.act("start_power")
        question(qtbot, window).verb.click()
        qtbot.waitUntil(lambda: runner.has_started(count + 1))
        qtbot.waitUntil(lambda: state(page, name) == "● Running")
        return Served(window, runner.servers[-1])

    return start_


def pick(page: PowersPage, name: str) -> None:
    page.list.go_to(next(key for key, row in page.table.rows.items() if row.power.name == name))


def state(page: PowersPage, name: str) -> str:
    model = page.table.paged
    place = next(n for n in range(len(model.keys)) if str(model.index(n, 0).data()) == name)
    return str(model.index(place, 8).data())


def question(qtbot: QtBot, window: MainWindow) -> StartDialog:
    qtbot.waitUntil(lambda: window.power_starter.dialog is not None)
    assert window.power_starter.dialog is not None
    return window.power_starter.dialog


def told(window: MainWindow, part: str) -> Callable[[], bool]:
    return lambda: part in window.toast.accessibleName()


def test_that_start_runs_what_is_seen(
    qtbot: QtBot, window: MainWindow, page: PowersPage, library: MemoryLibrary, runner: MemoryRunner
) -> None:
    pick(page, "git")
    reached = page.editor.reached
    reached.args.add.click()
    (cell,) = reached.args.table.viewport().findChildren(QLineEdit)
    QTest.keyClicks(cell, "half-typed")
    window.act("start_power")
    dialog = question(qtbot, window)
    assert dialog.text.toPlainText() == "git-server good half-typed\nwith TOKEN"
    assert library.powers()[0].transport.args == ("good", "half-typed")
    dialog.verb.click()
    qtbot.waitUntil(lambda: runner.has_started(1))
    assert page.right.is_server_open


def test_that_starting_stores_it(qtbot: QtBot, window: MainWindow, page: PowersPage, library: MemoryLibrary) -> None:
    page.add()
    QTest.keyClicks(page.editor.name, "fresh")
    page.editor.reached.how.set_current("command")
    page.editor.reached.command.setText("fresh-server --on")
    window.act("start_power")
    assert question(qtbot, window).text.toPlainText() == "fresh-server --on"
    assert library.powers()[-1].transport == Transport("fresh-server", ("--on",))
    question(qtbot, window).cancel.click()


def test_that_no_query_waits_while_secrets_are_masked(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, page: PowersPage, start: Start
) -> None:
    served = start("git")
    engine: list[int] = []
    masking: list[int] = []

    async def act(bench: Workbench) -> None:
        engine.append(threading.get_ident())

    def exchanges() -> tuple[WireMessage, ...]:
        masking.append(threading.get_ident())
        return ()

    monkeypatch.setattr(served.server, "exchanges", exchanges)
    served.window.worker.do(act, lambda _: None, lambda _: None)
    page.server.open_view(WIRE)
    qtbot.waitUntil(lambda: bool(engine and masking))
    assert engine[0] not in masking
    assert threading.main_thread().ident not in masking


class TestTheQuestion:
    def test_that_the_first_start_and_a_changed_command_ask_and_a_yes_starts_it(
        self,
        qtbot: QtBot,
        window: MainWindow,
        page: PowersPage,
        library: MemoryLibrary,
        runner: MemoryRunner,
        start: Start,
    ) -> None:
        pick(page, "git")
        QTest.keyClick(page.table, Qt.Key.Key_F5)
        dialog = question(qtbot, window)
        assert dialog.text.toPlainText() == "git-server good\nwith TOKEN"
        assert dialog.verb.text() == "Start this command"
        assert dialog.variables.toPlainText().startswith("TOKEN: no value stored, so it gets yours")
        assert dialog.variables.isVisible()
        assert "1 variable of your own" in dialog.warning.text()
        assert dialog.warning.y() < dialog.text.y(), "a warning stands before what it warns of"
        assert dialog.focusWidget() is dialog.cancel
        QTest.keyClick(dialog.cancel, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: window.power_starter.dialog is None)
        assert not runner.orders
        assert not library.powers()[0].approved
        window.act("start_power")
        QTest.keyClick(question(qtbot, window), Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: window.power_starter.dialog is None)
        assert not runner.orders
        start("git")
        assert page.right.is_server_open
        qtbot.waitUntil(lambda: window.status_line.running()[2] == "1 power runs")
        assert "1 power runs" in window.rail.buttons["library"].accessibleName()
        window.act("stop_power")
        qtbot.waitUntil(lambda: state(page, "git") == "")
        assert runner.running == []
        window.act("start_power")
        qtbot.waitUntil(lambda: runner.has_started(2) and state(page, "git") == "● Running")
        assert window.power_starter.dialog is None
        power = library.powers()[0]
        page.right.open_view("editor")
        page.send(replace(power, transport=Transport("rm", ("-rf", "\u202e/"), {"TOKEN": ""})))
        qtbot.waitUntil(lambda: state(page, "git") == "")
        window.act("start_power")
        dialog = question(qtbot, window)
        assert dialog.text.toPlainText() == "rm -rf $'\\u202e/'\nwith TOKEN"
        assert dialog.before.toPlainText() == "git-server good\nwith TOKEN"
        assert "typed in the window" in dialog.origin.text()
        dialog.reject()

    def test_that_buttons_stay_on_screen(self, qtbot: QtBot, window: MainWindow, page: PowersPage) -> None:
        long = "\n".join(["x" * 60] * 40)
        window.theme.set_appearance(replace(window.theme.appearance, text_scale=2.0))
        dialog = StartDialog(window.theme, ApprovalPrompt("git", long, False, "From afar.", long, said=long), window)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        room = dialog.screen().availableSize().height()
        assert dialog.height() <= room
        bottom = dialog.verb.mapTo(dialog, dialog.verb.rect().bottomLeft()).y()
        assert bottom <= dialog.height()
        assert dialog.text.height() >= window.theme.px(30)
        assert dialog.text.verticalScrollBar().maximum() > 0

    def test_that_an_approval_while_edits_wait_takes_none_of_them(
        self, qtbot: QtBot, page: PowersPage, start: Start, library: MemoryLibrary
    ) -> None:
        pick(page, "git")
        page.editor.description.setPlainText("Mine")
        page.action_requested.emit("approve_power")
        window = of_type(page.window(), MainWindow)
        question(qtbot, window).verb.click()
        qtbot.waitUntil(lambda: library.powers()[0].approved)
        qtbot.waitUntil(lambda: all(draft.approved for draft in page.drafts.values()))
        page.save()
        qtbot.waitUntil(lambda: library.powers()[0].description == "Mine")
        assert library.powers()[0].approved
        assert not page.stale.isVisible()

    def test_that_the_scopes_power_is_started(self, qtbot: QtBot, window: MainWindow, runner: MemoryRunner) -> None:
        assert "Select a power" in window.power_starter.start_refusal()
        window.ask("git")
        qtbot.waitUntil(lambda: window.scope.state.selected is not None)
        assert not runner.orders
        window.act("start_power")
        dialog = question(qtbot, window)
        assert dialog.confirmation.power == "git"
        dialog.verb.click()
        qtbot.waitUntil(lambda: runner.has_started(1))
        assert window.is_scope_open


class TestServers:
    def test_that_nothing_typed_shown_or_selected_starts_anything_and_a_failed_start_says_what_to_do(
        self, qtbot: QtBot, window: MainWindow, page: PowersPage, runner: MemoryRunner
    ) -> None:
        for power in POWERS:
            pick(page, power.name)
            page.right.open_view("server")
        pick(page, "bare")
        assert not page.server.start.isEnabled()
        assert "neither a command nor an address" in page.server.note.text()
        assert not runner.orders
        pick(page, "bad")
        window.act("start_power")
        question(qtbot, window).verb.click()
        qtbot.waitUntil(lambda: state(page, "bad") == "✕ Failed")
        assert "exit code 3" in page.server.fault.sentence
        assert "start it again" in page.server.fault.sentence
        assert page.server.start.isVisible()

    def test_that_stop_all_stops_all(
        self, qtbot: QtBot, window: MainWindow, page: PowersPage, start: Start, runner: MemoryRunner
    ) -> None:
        assert "No power runs" in window.power_starter.all_refusal()
        start("git")
        start("moves")
        qtbot.waitUntil(lambda: window.status_line.running()[2] == "2 powers run")
        qtbot.waitUntil(told(window, "“moves”"))  # otherwise it could come after that of the stop
        window.act("stop_all_powers")
        qtbot.waitUntil(lambda: runner.running == [])
        qtbot.waitUntil(told(window, "Stopped 2 powers"))
        qtbot.waitUntil(lambda: window.rail.buttons["library"].badge == "")

    def test_that_closing_the_window_stops_all(self, window: MainWindow, start: Start, runner: MemoryRunner) -> None:
        start("git")
        window.close()
        assert runner.running == []


class TestTools:
    def test_that_tools_are_listed_stored_marked_when_they_change_and_shown_as_text_however_many(
        self, qtbot: QtBot, window: MainWindow, page: PowersPage, start: Start, library: MemoryLibrary
    ) -> None:
        server = start("git")
        tools = page.server.tools
        qtbot.waitUntil(lambda: len(tools.list.rows) == 3)
        assert not tools.seen.isVisible()
        qtbot.waitUntil(lambda: Tool("where") in library.powers()[0].tools)
        window.act("undo")
        qtbot.waitUntil(lambda: library.powers()[0].tools == ())
        told = server.server.tools
        server.change(replace(told[0], description="Sends it to somebody else."), *told[1:])
        qtbot.waitUntil(tools.seen.isVisible)
        assert str(tools.list.paged.index(0, 2).data()) == "◆ Changed"
        assert "1 changed or new" in tools.note.text()
        tools.seen.click()
        qtbot.waitUntil(lambda: not tools.seen.isVisible())
        server.change(ToolSchema("status", "How it stands.", "Status", SCHEMA))
        qtbot.waitUntil(lambda: tools.tool is not None and tools.tool.name == "status")
        cells = [[str(tools.arguments.paged.index(n, c).data()) for c in range(4)] for n in range(4)]
        assert cells[0] == ["text", "text", "Required", ""]
        assert cells[2] == ["kind", "one of 2", "", '"b"']
        assert tools.about.toPlainText() == "Status\nHow it stands."
        server.change(*(ToolSchema(f"{HOSTILE}{n}", HOSTILE + "x" * 10_000, HOSTILE) for n in range(1_000)))
        qtbot.waitUntil(lambda: len(tools.list.rows) == 1_000)
        assert tools.name.textFormat() is Qt.TextFormat.PlainText
        for text in (tools.name.text(), tools.about.toPlainText(), str(tools.list.paged.index(0, 1).data())):
            assert "\u202e" not in text
            assert "\x1b" not in text
            assert "<h1>big</h1>" in text


class TestCalls:
    def show_form(self, qtbot: QtBot, page: PowersPage, server: Served, name: str = "echo") -> None:
        server.change(ToolSchema(name, input_schema=SCHEMA))
        call = page.server.call
        qtbot.waitUntil(lambda: call.tool is not None and bool(call.tool.input_schema.get("required")))
        page.server.tools.call.click()
        qtbot.waitUntil(lambda: len(call.form.fields) == 4)

    def test_that_a_tool_is_called_with_what_the_form_holds(self, qtbot: QtBot, page: PowersPage, start: Start) -> None:
        call = page.server.call
        self.show_form(qtbot, page, start("git"))
        text, count, kind, _ = call.form.fields
        assert isinstance(kind.field, ChoiceBox)
        assert kind.field.currentText() == "b"
        QTest.keyClick(text.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert text.fault.text() == "This is required."
        assert not call.is_calling
        QTest.keyClicks(text.field, "hello")
        QTest.keyClicks(count.field, "none")
        call.begin()
        assert "whole number" in count.fault.text()
        QTest.keyClick(count.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(count.field, "3")
        QTest.keyClick(count.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: call.result.toPlainText() == "hello")
        assert call.state.text().startswith("echo: answered in")
        call.copy.click()
        assert QGuiApplication.clipboard().text() == "hello"

    def test_that_an_error_is_called_one_and_progress_shown(self, qtbot: QtBot, page: PowersPage, start: Start) -> None:
        self.show_form(qtbot, page, start("git"), "where")
        call = page.server.call
        QTest.keyClicks(call.form.fields[0].field, "x")
        call.begin()
        qtbot.waitUntil(lambda: "reports an error" in call.state.text())
        assert call.state.text().startswith("⚠")
        server = start("moves")
        server.change(ToolSchema("progress"))
        qtbot.waitUntil(lambda: call.tool is not None and call.tool.name == "progress")
        seen: list[int] = []
        call.progress.valueChanged.connect(seen.append)
        call.begin()
        qtbot.waitUntil(lambda: "without content" in call.result.toPlainText())
        assert seen[-2:] == [500, 1_000]

    def test_that_the_wire_shows_what_went_over_it_without_secrets_and_a_call_is_cancelled(
        self, qtbot: QtBot, page: PowersPage, start: Start, library: MemoryLibrary
    ) -> None:
        server = start("slow")
        self.show_form(qtbot, page, server)
        QTest.keyClicks(page.server.call.form.fields[0].field, "hello")
        page.server.call.begin()
        page.server.open_view(WIRE)
        wire = page.server.wire
        qtbot.waitUntil(lambda: len(wire.list.rows) == 2)
        assert [str(wire.list.paged.index(n, 0).data()) for n in range(2)] == ["→ sent", "← got"]
        assert wire.text.toPlainText() == "hello"
        wire.list.selectAll()
        QTest.keyClick(wire.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "→ sent 0 ms hello\n← got 0 ms hello"
        page.server.open_view(LOG)
        assert "written nothing" in page.server.log.placeholderText()
        server.change(ToolSchema("hang"))
        call = page.server.call
        qtbot.waitUntil(lambda: call.tool is not None and call.tool.name == "hang")
        page.server.open_view(CALL)
        call.begin()
        assert call.progress.isVisible()
        QTest.keyClick(call.cancel, Qt.Key.Key_Escape)
        assert "cancelled" in call.state.text()
        assert page.isVisible()
        assert state(page, "slow") == "● Running"


def test_that_a_server_that_changes_without_end_is_told_of_now_and_at_last(qtbot: QtBot, window: MainWindow) -> None:
    watch, told = window.power_starter.watch, []
    watch.changed.connect(lambda: told.append(watch.runs["busy"].calls))
    for calls in range(1, 501):
        watch.run_changed.emit(PowerRun("busy", RunState.RUNNING, calls=calls))
    qtbot.waitUntil(lambda: bool(told) and told[-1] == 500)
    assert len(told) < 250


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
    page.list.go_to(MODES.index(mode) + 1)
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
