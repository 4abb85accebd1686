"""The pane beside the past queries: one of them as it was, why it is answered otherwise now, or how many are picked."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.review.replay import why_parts
from app.display.review.rows import text_of
from app.display.review.trace import heading, trace_parts
from app.domain.history import PastQuery, Replayed
from app.gui.kit.controls import Empty, button
from app.gui.kit.drawing.parts_sheet import PartsSheet
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.theme.theme import Theme

_PAD, _LINE, _GAP = 16.0, 20.0, 14.0
_NUMBER, _GLYPH = 64.0, 19.0
_MOST_LINES = 40


# --------------------------------------------------------------------------------------------------------------------
# The pane beside the past queries: one of them as it was, why it is answered otherwise now, or how many are picked


class HistorySide(QWidget):
    """`shown` is the query in front, with its trace once that has come."""

    open_asked = Signal()
    why_asked = Signal()
    replay_asked = Signal()
    forget_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.shown: PastQuery | None = None
        self.open = button(
            self.tr("Open in the scope"),
            tip=self.tr("Ask it on the scope, under today’s settings (Enter)"),
            press=self.open_asked.emit,
        )
        self.why = button(
            self.tr("Why not"),
            tip=self.tr("Say where the answer that was expected is lost"),
            press=self.why_asked.emit,
        )
        self.replay = button(
            self.tr("Replay"), tip=self.tr("Ask it again, and see what differs"), press=self.replay_asked.emit
        )
        self.forget = button(
            self.tr("Forget …"), tip=self.tr("Forget what is selected, for good (Del)"), press=self.forget_asked.emit
        )
        self.sheet = PartsSheet(theme, self.tr("The query as it was"))
        self.area: QScrollArea = scrolled(self.sheet, self.tr("The query as it was"))
        self.none = Empty(
            theme, "history", self.tr("No query is selected"), self.tr("Select one to see what was made of it.")
        )
        self.stack = QStackedWidget()
        for part in (self.none, self.area):
            self.stack.addWidget(part)
        px = theme.px
        verbs = QHBoxLayout()
        verbs.setContentsMargins(px(16), px(7), px(16), px(8))
        verbs.setSpacing(px(8))
        for made in (self.open, self.why, self.replay, self.forget):
            verbs.addWidget(made)
        verbs.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(verbs)
        column.addWidget(self.stack, 1)
        self.show_nothing()

    def show_query(self, past: PastQuery) -> None:
        """Show one query; what is known of it before its trace has come stands already."""
        if self.shown is None or self.shown.key != past.key:
            self.area.verticalScrollBar().setValue(0)
        self.shown = past
        parts = trace_parts(past) if past.trace is not None else ()
        self.sheet.show_parts(text_of(past), heading(past), parts)
        self._show_verbs(1, has_text=past.text is not None)
        self.stack.setCurrentWidget(self.area)

    def show_replayed(self, replayed: Replayed) -> None:
        """Show what differs, and why."""
        self.shown = replayed.before
        self.sheet.show_parts(text_of(replayed.before), heading(replayed.before), why_parts(replayed))
        self._show_verbs(0, has_text=True)
        self.open.setEnabled(True)
        self.stack.setCurrentWidget(self.area)

    def show_many(self, count: int) -> None:
        """Several are picked."""
        self.shown = None
        self.none.tell(
            words.say_n(count, "{n} query is selected", "{n} queries are selected"),
            words.say("Replay asks them again; Forget takes them out of the history."),
        )
        self._show_verbs(count, has_text=False)
        self.replay.setEnabled(True)
        self.stack.setCurrentWidget(self.none)

    def show_nothing(self) -> None:
        """Nothing is picked."""
        self.shown = None
        self.none.tell(self.tr("No query is selected"), self.tr("Select one to see what was made of it."))
        self._show_verbs(0, has_text=False)
        self.stack.setCurrentWidget(self.none)

    def stop(self) -> QWidget:
        """Where the keyboard stops."""
        return self.area if self.stack.currentWidget() is self.area else self.open

    def _show_verbs(self, count: int, *, has_text: bool) -> None:
        several = f" {count:,}" if count > 1 else ""
        self.replay.setText(words.say("Replay") + several)
        self.forget.setText(words.say("Forget") + (several or " …"))
        self.open.setEnabled(has_text)
        self.why.setEnabled(has_text and count == 1)
        self.replay.setEnabled(count > 0 and has_text)
        self.forget.setEnabled(count > 0)
