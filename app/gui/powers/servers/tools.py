"""Tools of a server with their changes, and the messages on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

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
from app.domain.language import plural
from app.domain.running import ToolSchema, WireMessage, shown
from app.gui.kit.controls import EmptyState, button
from app.gui.kit.fields import PlainField
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme.theme import Theme, Themed

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
        self.none = EmptyState(theme, "power", "No tools are known yet", "Start the server to list its tools.")
        self._arrange()
        self.list.picked.connect(self._on_picked)
        self.list.entered.connect(self.call_requested)
        self.list.doubleClicked.connect(lambda _: self.call_requested.emit())
        self._show_picked()

    def _arrange(self) -> None:
        px = self.theme.px
        top, head = QHBoxLayout(), QHBoxLayout()
        for row in (top, head):
            row.setContentsMargins(px(16), px(4), px(16), px(4))
            row.setSpacing(px(8))
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
        self.take.setEnabled(differs)
        self.seen.setVisible(bool(changed))
        if tools is self._tools and (changed, is_taught) == (self._changed, self._is_taught):
            return
        old = self.tool.name if self.tool is not None else None
        self._tools, self._changed, self._is_taught = tools, changed, is_taught
        lines = [ToolLine(tool, tool.name in changed) for tool in sorted(tools, key=lambda t: t.name not in changed)]
        place = next((n for n, line in enumerate(lines) if line.tool.name == old), 0 if lines else None)
        self.whole.setVisible(bool(lines))
        self.none.setVisible(not lines)
        text = plural(len(tools), "{n} tool", "{n} tools")
        if changed:
            more = plural(len(changed), "{n} changed or new", "{n} changed or new")
            text = f"{text}, {more}"
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


# ---- Wire messages between Intentscope and a server, and the server's log.


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
        head, below = QHBoxLayout(), QVBoxLayout()
        head.setContentsMargins(px(16), px(4), px(16), px(4))
        fill(head, (self.note, 1), self.copy)
        below.setContentsMargins(px(16), px(8), px(16), px(12))
        below.addWidget(self.text)
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


class LogView(QWidget):
    """Last lines of the server's stderr."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        hint = "The server has written nothing to its standard error."
        self.text = PlainField(theme, "What the server logged", hint, follows=True)
        fill(spaced(QVBoxLayout(self), None, theme.px(16), theme.px(8), theme.px(16), theme.px(12)), self.text)

    def show_log(self, text: str) -> None:
        self.text.show_text(field_text(text[-18_000:]))
