"""Pane of a power's server: state, properties, tools, a call, wire messages and log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.display.powers.running import facts, is_on, sentence, state_token, state_word
from app.display.powers.tools import (
    ARGUMENT_COLUMNS,
    EXCHANGE_COLUMNS,
    TOOL_COLUMNS,
    ToolLine,
    arguments,
    arguments_word,
    exchange_line,
    exchange_text,
    field_text,
    tool_about,
)
from app.domain.language import plural, quantity
from app.domain.library import Power, Tool
from app.domain.running import PowerRun, RunRecord, RunState, ToolSchema, WireMessage, shown
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job, PowerWatch
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button
from app.gui.kit.document import DocumentView, span
from app.gui.kit.fields import PlainField
from app.gui.kit.layouts import Stack, fill, spaced
from app.gui.kit.pane_parts import FaultLine, WrappedLabel
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme import Theme, Themed
from app.gui.powers.call import CallView

if TYPE_CHECKING:
    from app.services.workbench import Workbench


_SECOND_MS, _LOGGED = 1_000, 18_000
"""Interval of updates, and maximum characters of the log that are shown."""

TOOLS, CALL, WIRE, LOG = "tools", "call", "wire", "log"


def _facts_html(state: str, token: str, shown: Sequence[tuple[str, str]]) -> str:
    """Return a state, then properties in two columns; the last one takes a line."""
    cells = [f"{span(name, 'text_2')}&nbsp; {span(value)}" for name, value in shown]
    pairs = (cells[:-1][place : place + 2] for place in range(0, len(cells) - 1, 2))
    rows = ["".join(f'<td width="50%">{cell}</td>' for cell in pair) for pair in pairs]
    rows += [f'<td colspan="2">{cell}</td>' for cell in cells[-1:]]
    table = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'{span(state, f"body strong {token}", "p")}<table width="100%" cellspacing="0">{table}</table>'


class ServerPane(QWidget):
    """Pane of a power's server; follows the watch of runs while visible."""

    start_requested = Signal()
    stop_requested = Signal()
    notified = Signal(str, bool, bool)  # as in Page

    def __init__(self, theme: Theme, worker: Worker, watch: PowerWatch) -> None:
        super().__init__()
        self.theme, self.watch = theme, watch
        self._job = Job(worker, self, lambda sentence: self.notified.emit(sentence, False, True))
        self.power = Power("")
        self.idle_turns = 0
        self._record = RunRecord()
        self._is_approved: bool | None = None
        """Approval of the power; None until known."""
        self._taught: tuple[ToolSchema, ...] = ()
        self.start = button("Start", primary=True, tip="Start the server (F5)", press=self.start_requested.emit)
        self.stop = button("Stop", tip="Stop the server (Shift+F5)", press=self.stop_requested.emit)
        self.head = PaneHeader(theme, "Server", self.stop, self.start)
        self.fault = FaultLine(theme)
        self.note = WrappedLabel(role="caption")
        self.sheet = DocumentView(theme, "Details of the server", is_whole=True)
        self.tools, self.call = ToolsView(theme), CallView(theme, worker)
        self.wire, written = WireView(theme), QWidget()
        hint = "The server has written nothing to its standard error."
        self.log = PlainField(theme, "What the server logged", hint, follows=True)
        fill(spaced(QVBoxLayout(written), None, theme.px(16), theme.px(8), theme.px(16), theme.px(12)), self.log)
        self.views: dict[str, QWidget] = {TOOLS: self.tools, CALL: self.call, WIRE: self.wire, LOG: written}
        names = {TOOLS: "Tools", CALL: "Call", WIRE: "Messages", LOG: "Log"}
        self.which = SegmentedControl(theme, "Parts of the server", list(names.items()))
        self.stack = Stack()
        self._second = QTimer(self, interval=_SECOND_MS)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        px = self.theme.px
        fill(self.stack, *self.views.values())
        text = fill(spaced(QVBoxLayout(), None, px(16), 0, px(16), px(4)), self.note)
        row = fill(spaced(QVBoxLayout(), None, px(16), px(2), px(16), px(6)), self.which)
        fill(spaced(QVBoxLayout(self)), self.head, self.fault, self.sheet, text, row, (self.stack, 1))

    def _connect(self) -> None:
        self.watch.changed.connect(self._refresh)
        self.call.called.connect(self._load_wire)
        self.which.chosen.connect(self.open_view)
        self.tools.picked.connect(self._on_tool)
        self.tools.call_requested.connect(self._on_call_requested)
        self.tools.take_requested.connect(self._take_tools)
        self.tools.seen_requested.connect(self._note_seen)
        self.call.notified.connect(lambda sentence, bad: self.notified.emit(sentence, False, bad))
        self._second.timeout.connect(self._refresh)

    # ---- display

    @property
    def run(self) -> PowerRun | None:
        """State of the power's server, if it was ever started."""
        return self.watch.runs.get(self.power.name) if self.power.key is not None else None

    def show_power(self, power: Power) -> None:
        """Show the server of a stored power, or what a new one lacks."""
        if power.key != self.power.key or power.name != self.power.name:
            self._record, self._is_approved = RunRecord(), None
            self.wire.show_exchanges(())
            self.log.show_text("")
        self.power = power
        self._taught = tuple(ToolSchema(tool.name, tool.description) for tool in power.tools)
        if self.isVisible():
            self._load()
        self._show()

    def focus_stops(self) -> list[QWidget]:
        inner: dict[str, list[QWidget]] = {
            TOOLS: [self.tools.list, self.tools.arguments],
            CALL: [self.call.call, self.call.result],
            WIRE: [self.wire.list, self.wire.text],
            LOG: [self.log],
        }
        return [self.start, self.stop, self.which, *inner[self.which.current]]

    def open_view(self, key: str) -> None:
        self.which.set_current(key)
        self.stack.setCurrentWidget(self.views[key])
        if key == CALL:
            self.call.show_tool(self.power.name, self.tools.tool)
        elif key in (WIRE, LOG):
            self._load_wire()

    def _load(self) -> None:
        if self.power.key is not None:
            name = self.power.name

            async def act(bench: Workbench) -> tuple[RunRecord, bool]:
                records = await bench.gateway.records()
                return records.get(name, RunRecord()), await bench.gateway.is_approved(name)

            def show(found: tuple[RunRecord, bool]) -> None:
                if name == self.power.name:
                    self._record, self._is_approved = found
                    self._show()

            self._job.do(act, show, ignore)  # a deleted power is missing in the table
            self._load_wire()

    def _load_wire(self) -> None:
        if self.power.key is not None and self.isVisible() and self.which.current in (WIRE, LOG):
            name = self.power.name

            async def act(bench: Workbench) -> tuple[tuple[WireMessage, ...], str]:
                # Masking takes up to 0.1 s, for which no query waits.
                exchanges = await asyncio.to_thread(bench.gateway.exchanges, name)
                return exchanges, await asyncio.to_thread(bench.gateway.stderr, name)

            def show(found: tuple[tuple[WireMessage, ...], str]) -> None:
                if name == self.power.name and self.which.current == WIRE:
                    self.wire.show_exchanges(found[0])
                elif name == self.power.name:
                    self.log.show_text(field_text(found[1][-_LOGGED:]))

            self._job.do(act, show)

    def _take_tools(self) -> None:
        """Score queries by the tools that the server listed, as a step of the journal."""
        name = self.power.name

        def tell(changed: bool) -> None:
            saved = f"Saved the tools of “{shown(name, 80)}”."
            self.notified.emit(saved if changed else "No change: these are its tools.", changed, False)

        self._job.do(lambda bench: bench.gateway.take_tools(name), tell)

    def _note_seen(self) -> None:
        name = self.power.name
        self._job.do(lambda bench: bench.gateway.saw_tools(name))

    def _tools(self) -> tuple[ToolSchema, ...]:
        """Return the tools of the running server, otherwise those of its last run."""
        run = self.run
        if run is not None and run.tools:
            return run.tools
        return self._record.tools

    def _show(self) -> None:
        run, power = self.run, self.power
        on = is_on(run)
        running = run is not None and run.state is RunState.RUNNING
        text = sentence(run, power)
        failed = run is not None and run.state in (RunState.FAILED, RunState.RESTARTING)
        self.fault.show_fault(text if failed else "")
        hint = self._approval_hint() if not on and not failed else ""
        self.note.show_text(" ".join(part for part in ("" if failed else text, hint) if part))
        self.head.set_more(shown(power.name, 60))
        shown_facts = facts(run, self.watch.seconds(power.name), self.idle_turns)
        self.sheet.show_html(_facts_html(state_word(run), state_token(run), shown_facts))
        self.start.setVisible(not on)
        self.start.setEnabled(power.key is not None and not power.paused and _can_be_reached(power))
        self.stop.setVisible(on)
        tools = self._tools()
        listed = tuple(Tool(tool.name, tool.description) for tool in tools)
        changed = run.changed if run is not None else ()
        if tools:
            self.tools.show_tools(tools, changed, is_on=running, differs=bool(listed) and listed != power.tools)
        else:
            self.tools.show_taught(() if running else self._taught)
        self.call.show_on(running)
        if running and self.isVisible():
            self._second.start()
        else:
            self._second.stop()

    def _approval_hint(self) -> str:
        if self._is_approved is None or not _can_be_reached(self.power) or self.power.paused:
            return ""
        if self._is_approved:
            return "It is approved: starting it asks nothing."
        return "Before it is started for the first time you are shown exactly what is run."

    # ---- results

    def _refresh(self) -> None:
        if self.isVisible():
            self._show()
            self._load_wire()

    def _on_tool(self) -> None:
        """Update the call's tool, unless a call is shown: a removed tool stays with its result."""
        if not (self.which.current == CALL and self.call.is_of(self.power.name)):
            self.call.show_tool(self.power.name, self.tools.tool)

    def _on_call_requested(self) -> None:
        self.open_view(CALL)
        self.call.enter()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load()
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()


def _can_be_reached(power: Power) -> bool:
    return bool(power.transport.command or power.transport.url)


# ---- Tools of a server with their changes, and the messages on the wire.


_ABOUT, _DETAILS = 62, 214


class ToolsView(Themed):
    """Tool list, `picked` on selection; untrusted descriptions are shown as plain text."""

    picked = Signal()
    call_requested = Signal()
    take_requested = Signal()
    seen_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._tools: Sequence[ToolSchema] = ()
        self._changed: tuple[str, ...] = ()
        self._is_taught = False
        self.tool: ToolSchema | None = None
        self.seen = button("Seen", tip="Remove the marks of changes", press=self.seen_requested.emit)
        self.take = button(
            "Save these tools",
            tip="Score queries against these tools instead of the stored ones; Ctrl+Z undoes it",
            press=self.take_requested.emit,
        )
        self.call = button("Call", tip="Fill in the arguments and call it", press=self.call_requested.emit)
        self.note = WrappedLabel(role="caption")
        self.list = Grid(theme, "Tools of the server", TOOL_COLUMNS)
        self.name = WrappedLabel(role="title")
        self.about = PlainField(theme, "Description of the tool", "No description.")
        self.about.setFixedHeight(theme.px(_ABOUT))
        self.about.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.asks = WrappedLabel(role="section")
        self.asks.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.arguments = Grid(theme, "Arguments of the tool", ARGUMENT_COLUMNS)
        self.none = EmptyState(theme, "power", "No tools are known yet", "They are listed once the server runs.")
        self._arrange()
        self.list.picked.connect(self._on_picked)
        self.list.entered.connect(self.call_requested)
        self.list.doubleClicked.connect(lambda _: self.call_requested.emit())
        self._show_picked()

    def _arrange(self) -> None:
        px = self.theme.px
        top, head = (spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(4)) for _ in range(2))
        fill(top, (self.note, 1), self.seen, self.take)
        fill(head, (self.name, 1), self.call)
        self.details = QWidget()
        self.details.setMinimumHeight(px(_DETAILS))  # otherwise wrapped texts overlap in a low window
        below = fill(spaced(QVBoxLayout(self.details)), head)
        text = fill(spaced(QVBoxLayout(), px(6), px(16), 0, px(16), px(6)), self.about, self.asks)
        fill(below, text, (self.arguments, 1))
        self.whole = QWidget()
        fill(spaced(QVBoxLayout(self.whole)), top, (self.list, 1), (self.details, 1))
        both = spaced(QVBoxLayout(self), None)
        fill(both, (self.whole, 1), (self.none, 1))

    def show_taught(self, tools: Sequence[ToolSchema]) -> None:
        """Show a power's stored tools (names and descriptions) before its server has listed any."""
        self.show_tools(tools, (), is_on=False, differs=False, is_taught=bool(tools))

    def show_tools(
        self,
        tools: Sequence[ToolSchema],
        changed: tuple[str, ...],
        *,
        is_on: bool,
        differs: bool,
        is_taught: bool = False,
    ) -> None:
        """Show these tools; `is_on`: callable, `differs`: not those that queries are scored against.

        `is_taught`: not listed by the server, so their arguments are unknown.
        """
        self.call.setEnabled(is_on)
        self.take.setVisible(differs)
        self.seen.setVisible(bool(changed))
        if (tools, changed, is_taught) == (self._tools, self._changed, self._is_taught):
            return
        old = self.tool.name if self.tool is not None else None
        self._tools, self._changed, self._is_taught = tools, changed, is_taught
        lines = [ToolLine(tool, tool.name in changed) for tool in sorted(tools, key=lambda t: t.name not in changed)]
        place = next((n for n, line in enumerate(lines) if line.tool.name == old), 0 if lines else None)
        self.whole.setVisible(bool(lines))
        self.none.setVisible(not lines)
        text = quantity(len(tools), "tool")
        if changed:
            text = f"{text}, {len(changed):,} changed or new"
        if is_taught:
            text = f"{text}: entered here, not listed by its server yet"
        self.note.show_text(text)
        self.list.show_rows(lines, place)
        self._on_picked()

    def _on_picked(self) -> None:
        line = self.list.current
        tool = line.tool if isinstance(line, ToolLine) else None
        if tool is not self.tool:
            self.tool = tool
            self._show_picked()
            self.picked.emit()

    def _show_picked(self) -> None:
        tool = self.tool
        self.details.setVisible(tool is not None)
        if tool is None:
            self.whole.setVisible(bool(self._tools))
            self.none.setVisible(not self._tools)
            return
        rows = arguments(tool.input_schema)
        self.name.show_text(shown(tool.name, 120))
        self.about.show_text(field_text(tool_about(tool)))
        word = arguments_word(rows)
        self.asks.show_text("Its arguments are known once the server lists them." if self._is_taught else word)
        self.arguments.show_rows(rows or ())
        self.arguments.setVisible(bool(rows))


# ---- Wire messages between Intentscope and a server


class _Messages(Grid):
    """Message list; Ctrl+C copies the selected ones."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join(exchange_line(row) for row in self.chosen))
        else:
            super().keyPressEvent(event)


class WireView(Themed):
    """Last messages, newest last; the selected one is shown in full below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._exchanges: tuple[WireMessage, ...] = ()
        self.note = WrappedLabel(role="caption")
        self.copy = button("Copy", tip="Copy the selected messages, or all (Ctrl+C in the list)", press=self._copy)
        self.list = _Messages(theme, "Messages", EXCHANGE_COLUMNS, many=True)
        self.text = PlainField(theme, "The message")
        self.none = EmptyState(theme, "power", "No messages yet", "Messages to and from the server appear here.")
        px = theme.px
        head = fill(spaced(QHBoxLayout(), None, px(16), px(4), px(16), px(4)), (self.note, 1), self.copy)
        below = fill(spaced(QVBoxLayout(), None, px(16), px(8), px(16), px(12)), self.text)
        self.whole = QWidget()
        fill(spaced(QVBoxLayout(self.whole)), head, (self.list, 1), (below, 1))
        both = spaced(QVBoxLayout(self), None)
        fill(both, self.whole, self.none)
        self.whole.setVisible(False)
        self.list.picked.connect(self._show_picked)

    def show_exchanges(self, exchanges: tuple[WireMessage, ...]) -> None:
        """Show the messages; a view at the last one follows."""
        if exchanges == self._exchanges:
            return
        old, count = self.list.current, len(self._exchanges)
        at_end = old is None or (bool(self._exchanges) and self.list.current_key == count - 1)
        self._exchanges = exchanges
        place = len(exchanges) - 1
        if not at_end:
            place = next((n for n, one in enumerate(exchanges) if one is old or one == old), place)
        self.whole.setVisible(bool(exchanges))
        self.none.setVisible(not exchanges)
        self.note.show_text(plural(len(exchanges), "{n} message", "the last {n} messages"))
        self.list.show_rows(exchanges, place if exchanges else None)
        if at_end and exchanges:
            self.list.scrollTo(self.list.paged.index(place, 0), QAbstractItemView.ScrollHint.PositionAtBottom)
        self._show_picked()

    def _show_picked(self) -> None:
        row = self.list.current
        self.text.show_text(field_text(exchange_text(row)) if isinstance(row, WireMessage) else "")

    def _copy(self) -> None:
        chosen = self.list.chosen if len(self.list.chosen) > 1 else self._exchanges
        QGuiApplication.clipboard().setText("\n".join(exchange_line(row) for row in chosen))
