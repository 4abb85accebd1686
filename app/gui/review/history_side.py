"""Panes around the history: replay, query details, privacy setting, refit, import of a log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display.evaluation.runs import change_line, refit_sentence
from app.display.review import replay
from app.display.review.history import MOST_PROBLEMS, log_line, log_stopped, privacy_choices, privacy_sentence, text_of
from app.display.review.replay import accessible_text, cause_parts, replay_sentence
from app.display.review.trace import heading, trace_parts
from app.domain.history import HistoryEntry, ReplayedQuery, ReplayProgress
from app.domain.language import plural
from app.domain.library import Problem
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button, progress_bar
from app.gui.kit.dialogs import SkippedLinesDialog, choose_file
from app.gui.kit.document import DocumentView, parts_html
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import FlowLayout, Stack, fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.delegates import TwoLineList, TwoLineRow
from app.gui.kit.tables.rows import ListModel
from app.gui.kit.theme import Theme, Themed
from app.services.evaluation.refits import RefitChanges
from app.services.review.history import LogProgress
from app.settings.model import Settings


def _drawn(one: ReplayedQuery) -> TwoLineRow:
    return TwoLineRow(one.before.text or "", replay.change_line(one))


class ReplayView(Themed):
    """Replaces the table; results stay when the replay is cancelled."""

    left = Signal()
    stop_requested = Signal()
    picked = Signal()
    entered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.last = ReplayProgress(0, 0)
        self.is_running = False
        self.model = ListModel[ReplayedQuery](lambda one: one.before.text or "", accessible_text, self, _drawn)
        self.back = button("Back to the history", tip="Back (Esc)", press=self.left.emit)
        self.stop = button("Stop", tip="Stop; results so far are kept", press=self.stop_requested.emit)
        self.bar = progress_bar("Queries that were asked again", width=theme.px(200))
        self.message = WrappedLabel(role="caption")
        self.rows = TwoLineList(theme, "Queries with a different answer", self.model, can_leave=True)
        self.empty = EmptyState(theme, "history", "", "")
        self.stack = QStackedWidget()
        fill(self.stack, self.rows, self.empty)
        strip = spaced(QHBoxLayout(), theme.px(10), theme.px(16), theme.px(4), theme.px(16), theme.px(10))
        fill(strip, self.bar, self.stop, (self.message, 1))
        column = spaced(QVBoxLayout(self), 0, 0, theme.px(4), 0, 0)
        head = PaneHeader(theme, "Replay", self.back)
        head.set_more("under the current settings and library")
        fill(column, head, strip, (self.stack, 1))
        self.rows.picked.connect(self.picked)
        self.rows.entered.connect(self.entered)
        self.rows.left.connect(self.left)

    @property
    def current(self) -> ReplayedQuery | None:
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


MOST_SHOWN = 20
"""Maximum number of listed changes of a refit."""


# ---- Pane beside the history: a query as it was, changes of its answer, or the number selected


class HistorySide(Themed):
    """Details of the current query; `shown` has it, with its trace once loaded."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.shown: HistoryEntry | None = None
        about = "Ask it on the scope, under the current settings (Enter)"
        self.open = button("Open", primary=True, tip=about)
        self.why = button("Why not", tip="Explain where the expected answer was lost")
        self.replay = button("Replay", tip="Ask it again, and see what differs")
        self.forget = button("Forget…", tip="Delete the selected queries permanently (Del)")
        self.sheet = DocumentView(theme, "The query as it was")
        self.sums = button("Show arithmetic", link=True, checkable=True, press=self._show_trace)
        self.none = EmptyState(theme, "history", "No query is selected", "Select one to see what the engine answered.")
        self.stack = Stack()
        fill(self.stack, self.none, self.sheet)
        px = theme.px
        verbs = spaced(FlowLayout(px(6)), None, px(16), px(7), px(16), px(8))
        self.verbs = (self.open, self.why, self.replay, self.forget)
        fill(verbs, *self.verbs)
        foot = fill(spaced(QHBoxLayout(), 0, px(8), px(4), px(8), px(4)), self.sums, 1)
        fill(spaced(QVBoxLayout(self), 0, 1, 0, 0, 0), verbs, (self.stack, 1), foot)
        self.show_nothing()

    def show_query(self, past: HistoryEntry) -> None:
        """Show one query; its row is shown before its trace is loaded."""
        if self.shown is None or self.shown.key != past.key:
            self.sheet.verticalScrollBar().setValue(0)
        self.shown = past
        self._show_trace()
        self._show_verbs(1, has_text=past.text is not None)
        self.stack.setCurrentWidget(self.sheet)

    def _show_trace(self) -> None:
        """Show the trace of the query, with its arithmetic on demand."""
        past, shows = self.shown, self.sums.isChecked()
        if past is None:
            return
        parts = trace_parts(past) if past.trace is not None else ()
        rows = [[row for row in part.rows if shows or not row.is_sum] for part in parts]
        shown = [replace(part, rows=tuple(kept)) for part, kept in zip(parts, rows, strict=True) if kept]
        self.sheet.show_html(parts_html(text_of(past), heading(past), shown))
        self.sums.setText("Hide arithmetic" if shows else "Show arithmetic")
        self.sums.setVisible(any(row.is_sum for part in parts for row in part.rows))

    def show_replayed(self, replayed: ReplayedQuery) -> None:
        self.shown = replayed.before
        before = replayed.before
        self.sheet.show_html(parts_html(text_of(before), heading(before), cause_parts(replayed)))
        self._show_verbs(0, has_text=True)
        self.sums.setVisible(False)
        self.stack.setCurrentWidget(self.sheet)

    def show_many(self, count: int) -> None:
        self.shown = None
        self.none.set_text(
            plural(count, "{n} query is selected", "{n} queries are selected"),
            "Replay asks them again; Forget takes them out of the history.",
        )
        self._show_verbs(count, has_text=False)
        self.stack.setCurrentWidget(self.none)

    def show_nothing(self) -> None:
        self.shown = None
        self.none.set_text("No query is selected", "Select one to see what the engine answered.")
        self._show_verbs(0, has_text=False)
        self.stack.setCurrentWidget(self.none)

    def stop(self) -> QWidget:
        return self.sheet if self.stack.currentWidget() is self.sheet else self.open

    def _show_verbs(self, count: int, *, has_text: bool) -> None:
        several = f" {count:,}" if count > 1 else ""
        self.sums.setVisible(self.shown is not None and not self.sums.isHidden())
        self.replay.setText("Replay" + several)
        self.forget.setText("Forget" + (several or "…"))
        self.open.setEnabled(has_text)
        self.why.setEnabled(has_text and count == 1)
        self.replay.setEnabled(count > 1 or (count > 0 and has_text))
        self.forget.setEnabled(count > 0)
        for made in self.verbs:  # without a query there is nothing to do
            made.setVisible(count > 0 or has_text)


# ---- Strips above the history: privacy and retention, refit, import of a log.


class PrivacyStrip(Themed):
    """Privacy setting of the history, where its effect is visible; the tooltip has the sentence, too."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choice = SegmentedControl(theme, "What is stored of a query", privacy_choices())
        self.message = WrappedLabel(role="caption")
        self.name = WrappedLabel("Record", role="caption")
        self.name.setSizePolicy(self.choice.sizePolicy())
        row = spaced(QHBoxLayout(self), theme.px(10), theme.px(16), 0, theme.px(16), theme.px(8))
        fill(row, self.name, self.choice, (self.message, 1), 0)
        self.choice.chosen.connect(self.chosen)

    def show_settings(self, settings: Settings) -> None:
        kept = settings.history
        self.choice.set_current(kept.privacy)
        self.message.show_text(privacy_sentence(kept.privacy, kept.days, kept.most))
        self.choice.setToolTip(plain_tip(self.message.text()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.message.setVisible(self.width() >= self.theme.px(560))


class RefitStrip(QWidget):
    """Last refit of the learned weights, with its changes on demand.

    Hidden unless it changed an answer.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.message, self.changes = WrappedLabel(role="caption"), WrappedLabel(role="caption")
        self.more = button("", link=True, press=lambda: self._show(is_open=not self.changes.isVisibleTo(self)))
        whole = spaced(QVBoxLayout(self), theme.px(4), theme.px(16), 0, theme.px(16), theme.px(8))
        row = fill(spaced(QHBoxLayout(), theme.px(10)), (self.message, 1), self.more)
        fill(whole, row, self.changes)
        self._lines: tuple[str, ...] = ()
        self._show(is_open=False)
        self.hide()

    def show_refit(self, found: RefitChanges) -> None:
        self.setVisible(bool(found.refit.changed_cases or found.refit.changed_queries))
        lines = tuple(change_line(one).strip() for one in found.changes[:MOST_SHOWN])
        if left := len(found.changes) - len(lines):
            lines += (f"and {left:,} more",)
        self.message.show_text(refit_sentence(found.refit))
        is_open = self.changes.isVisibleTo(self) and lines == self._lines
        self._lines = lines
        self._show(is_open=is_open)

    def _show(self, *, is_open: bool) -> None:
        self.more.setVisible(bool(self._lines))
        self.more.setText("Hide the changes" if is_open else "Show the changes")
        self.changes.show_text("\n".join(self._lines))
        self.changes.setVisible(is_open)


class LogStrip(QWidget):
    """Import of a query log, with its progress. Hidden without one."""

    finished = Signal()

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self)
        self.name = ""
        """Name of the log being imported; "" for none."""
        self.last = LogProgress(0, 0)
        self.problems: list[Problem] = []
        self.bar = progress_bar("How much of the log is read", width=theme.px(200))
        self.stop = button("Stop", tip="Stop; stored queries are kept", press=self.cancel)
        self.message = WrappedLabel(role="caption")
        self.lines = button("Show the lines", link=True, press=self.show_left_out)
        row = spaced(QHBoxLayout(self), theme.px(10), theme.px(16), 0, theme.px(16), theme.px(8))
        fill(row, self.bar, self.stop, (self.message, 1), self.lines)
        self.setVisible(False)

    def choose(self) -> None:
        """Open a dialog to choose a log."""
        kinds = ("Logs and chats (*.txt *.log *.jsonl *.json *.csv)", "All files (*)")
        choose_file(self, "Import a log", self.take, *kinds)

    def take(self, path: Path) -> None:
        self.name, self.last, self.problems = path.name, LogProgress(0, 0), []
        self._job.follow(
            lambda bench: bench.history.take_log(path), self._on_progress, self._on_finished, whole_steps=True
        )
        self._show()
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def cancel(self) -> None:
        """Cancel the import; stored queries stay."""
        if self.name:
            self._job.cancel()
            line = log_stopped(self.name, self.last)
            self.name = ""
            self._show(line)
            self.finished.emit()

    def show_left_out(self) -> None:
        """List the unreadable lines."""
        dialog = SkippedLinesDialog(self.theme, self._last_name, self.problems, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _on_progress(self, progress: LogProgress) -> None:
        self.last = progress
        room = MOST_PROBLEMS - len(self.problems)
        self.problems += [Problem(*problem) for problem in progress.problems[:room]]
        self._show()

    def _on_finished(self, sentence: str) -> None:
        line = sentence or log_line(self.name, self.last)
        self._last_name, self.name = self.name, ""
        self._show(line)
        self.finished.emit()

    def _show(self, line: str = "") -> None:
        running = bool(self.name)
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.bar.setRange(0, self.last.of)  # without a total the bar is indeterminate
        self.bar.setValue(min(self.last.read, self.last.of))
        self.message.show_text(log_line(self.name, self.last) if running else line)
        self.lines.setVisible(not running and bool(self.problems))
        self.setVisible(running or bool(line))
