"""Result of a replay: its progress, and the queries whose answers changed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from app.display.review.replay import accessible_text, change_line, replay_sentence
from app.domain.review.history import ReplayedQuery, ReplayProgress
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.layouts import spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme.theme import Theme
from app.gui.review.history.tables import TwoLineList, TwoLineRow


class ReplayModel(ListModel[ReplayedQuery]):
    """Queries whose answers changed, added as they arrive."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(lambda one: one.before.text or "", accessible_text, parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        found = super().data(index, role)
        return TwoLineRow(found.before.text or "", change_line(found)) if role == ROW_ROLE and found else found


class ReplayView(QWidget):
    """Replaces the table; results stay when the replay is cancelled."""

    left = Signal()
    stop_requested = Signal()
    picked = Signal()
    entered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.last = ReplayProgress(0, 0)
        self.is_running = False
        self.model = ReplayModel(self)
        self.back = button("Back to the history", tip="Back (Esc)", press=self.left.emit)
        self.stop = button("Stop", tip="Stop; results so far are kept", press=self.stop_requested.emit)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Queries that were asked again")
        self.bar.setFixedWidth(theme.px(200))
        self.message = WrappedLabel(role="caption")
        self.rows = TwoLineList(theme, "Queries with a different answer", self.model, can_leave=True)
        self.empty = EmptyState(theme, "history", "", "")
        self.stack = QStackedWidget()
        for part in (self.rows, self.empty):
            self.stack.addWidget(part)
        strip = spaced(QHBoxLayout(), theme.px(10), theme.px(16), theme.px(4), theme.px(16), theme.px(10))
        for widget in (self.bar, self.stop):
            strip.addWidget(widget)
        strip.addWidget(self.message, 1)
        column = spaced(QVBoxLayout(self), 0, 0, theme.px(4), 0, 0)
        head = PaneHeader(theme, "Replay", self.back)
        head.set_more("under today’s settings and library")
        column.addWidget(head)
        column.addLayout(strip)
        column.addWidget(self.stack, 1)
        self.rows.picked.connect(self.picked)
        self.rows.entered.connect(self.entered)
        self.rows.left.connect(self.left)

    @property
    def current(self) -> ReplayedQuery | None:
        """Current query."""
        place = self.rows.place
        return self.model.rows[place] if 0 <= place < len(self.model.rows) else None

    def begin(self, count: int) -> None:
        """Start showing a replay of `count` queries."""
        self.last, self.is_running = ReplayProgress(0, count), True
        self.model.show_rows(())
        self._show()
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_progress(self, replay: ReplayProgress) -> None:
        self.last = replay
        is_first = not self.model.rows
        self.model.add_rows(replay.changed)
        if is_first and self.model.rows:
            self.rows.go_to(0)
        self._show()

    def end(self, sentence: str = "") -> None:
        """End the replay; with a sentence if it failed."""
        had_focus = self.stop.hasFocus()
        self.is_running = False
        self._show()
        if sentence:
            self.message.show_text(sentence)
            self.empty.set_text("The replay broke off", sentence)
        if had_focus:
            self.focus_place().setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_place(self) -> QWidget:
        """Return the widget for the focus."""
        return self.stop if self.is_running else self.rows if self.model.rows else self.back

    def _show(self) -> None:
        running = self.is_running
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.bar.setRange(0, max(1, self.last.of))
        self.bar.setValue(self.last.done)
        self.message.show_text(replay_sentence(self.last, len(self.model.rows), is_running=running))
        self.stack.setCurrentWidget(self.rows if self.model.rows else self.empty)
        if running:
            self.empty.set_text("Asking again", "Differences are listed as they are found.")
        else:
            is_whole = self.last.done >= self.last.of
            line = "No differences" if is_whole else "The replay was stopped"
            self.empty.set_text(line, self.message.text())
