"""What went over the wire between Intentscope and a server, message by message, and what the server logged."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QVBoxLayout, QWidget

from app.display import words
from app.display.powers.tools import EXCHANGE_COLUMNS, exchange_line, exchange_text, readable
from app.domain.running import Exchange
from app.gui.kit.controls import Empty, button
from app.gui.kit.fields import PlainField
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.grid import Grid
from app.gui.kit.theme.theme import Theme


class _Messages(Grid):
    """Ctrl+C copies the selected messages."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join(exchange_line(row) for row in self.chosen))
        else:
            super().keyPressEvent(event)


class WireView(QWidget):
    """The last messages, newest last; the picked one stands below in full."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._exchanges: tuple[Exchange, ...] = ()
        self.note = Said(role="caption")
        self.copy = button(
            self.tr("Copy"), tip=self.tr("Copy the selected messages, or all (Ctrl+C in the list)"), press=self._copy
        )
        self.list = _Messages(theme, self.tr("Messages"), EXCHANGE_COLUMNS, many=True)
        self.text = PlainField(theme, self.tr("The message"))
        self.none = Empty(
            theme,
            "power",
            self.tr("No messages yet"),
            self.tr("What is sent and answered stands here."),
        )
        px = theme.px
        head, below = QHBoxLayout(), QVBoxLayout()
        head.setContentsMargins(px(16), px(4), px(12), px(4))
        head.addWidget(self.note, 1)
        head.addWidget(self.copy)
        below.setContentsMargins(px(16), px(8), px(16), px(12))
        below.addWidget(self.text)
        self.whole = QWidget()
        column = QVBoxLayout(self.whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addLayout(below, 1)
        both = QVBoxLayout(self)
        both.setContentsMargins(0, 0, 0, 0)
        both.addWidget(self.whole)
        both.addWidget(self.none)
        self.whole.setVisible(False)
        self.list.picked.connect(self._show_picked)

    def show_exchanges(self, exchanges: tuple[Exchange, ...]) -> None:
        """Show these; whoever looks at the last goes on doing so."""
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
        self.note.say(words.say_n(len(exchanges), "{n} message", "the last {n} messages"))
        self.list.show_rows(exchanges, place if exchanges else None)
        if at_end and exchanges:
            self.list.scrollTo(self.list.paged.index(place, 0), QAbstractItemView.ScrollHint.PositionAtBottom)
        self._show_picked()

    def _show_picked(self) -> None:
        row = self.list.current
        self.text.show_text(readable(exchange_text(row)) if isinstance(row, Exchange) else "")

    def _copy(self) -> None:
        chosen = self.list.chosen if len(self.list.chosen) > 1 else self._exchanges
        QGuiApplication.clipboard().setText("\n".join(exchange_line(row) for row in chosen))


class LogView(QWidget):
    """The last of what the server wrote to its standard error."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        hint = self.tr("The server has written nothing to its standard error.")
        self.text = PlainField(theme, self.tr("What the server logged"), hint, follows=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(16), theme.px(8), theme.px(16), theme.px(12))
        column.addWidget(self.text)

    def show_log(self, text: str) -> None:
        """Show its end."""
        self.text.show_text(readable(text[-18_000:]))
