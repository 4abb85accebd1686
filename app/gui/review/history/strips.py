"""The strips above the past queries: what is kept and for how long, and how far a log is that is taken in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QProgressBar, QWidget

from app.display.review.rows import MOST_PROBLEMS, log_line, log_stopped, privacy_choices, privacy_sentence
from app.domain.library import Problem
from app.gui.kit.controls import Segments, button
from app.gui.kit.left_out import LeftOutDialog
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme
from app.gui.review.history.jobs import HistoryJobs
from app.services.review.history import LogProgress
from app.settings.model import Settings


class PrivacyStrip(QWidget):
    """How much of a query is kept, to be chosen where one sees what was kept."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.choice = Segments(theme, self.tr("What is kept of a query"), privacy_choices())
        self.said = Said(role="caption")
        self.name = Said(self.tr("Kept"), role="caption")
        self.name.setSizePolicy(self.choice.sizePolicy())
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(8))
        row.setSpacing(theme.px(10))
        row.addWidget(self.name)
        row.addWidget(self.choice)
        row.addWidget(self.said, 1)
        self.choice.chosen.connect(self.chosen)

    def show_settings(self, settings: Settings) -> None:
        """Show what is in force."""
        kept = settings.history
        self.choice.set_current(kept.privacy)
        self.said.say(privacy_sentence(kept.privacy, kept.days, kept.most))


class LogStrip(QWidget):
    """Lets a log be chosen, and tells how far it is. It takes no room while nothing was taken in."""

    ended = Signal()

    def __init__(self, theme: Theme, jobs: HistoryJobs) -> None:
        super().__init__()
        self.theme, self._jobs = theme, jobs
        self.name = ""
        """The log that is being taken in; "" while none is."""
        self.last = LogProgress(0, 0)
        self.problems: list[Problem] = []
        self.dialog: QFileDialog | LeftOutDialog | None = None
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("How much of the log is read"))
        self.bar.setFixedWidth(theme.px(200))
        self.stop = button(self.tr("Stop"), tip=self.tr("Stop; what is kept stays"), press=self.cancel)
        self.said = Said(role="caption")
        self.lines = button(self.tr("Show the lines"), link=True, press=self.show_left_out)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(8))
        row.setSpacing(theme.px(10))
        row.addWidget(self.bar)
        row.addWidget(self.stop)
        row.addWidget(self.said, 1)
        row.addWidget(self.lines)
        jobs.log_moved.connect(self._on_moved)
        jobs.log_ended.connect(self._on_ended)
        self.setVisible(False)

    def choose(self) -> None:
        """Let a log be chosen."""
        dialog = QFileDialog(self, self.tr("Take in a log"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Logs and chats (*.txt *.log *.jsonl *.json *.csv)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(lambda chosen: self.take(Path(chosen)))
        self._open(dialog)

    def take(self, path: Path) -> None:
        """Take in the queries of a log."""
        self.name, self.last, self.problems = path.name, LogProgress(0, 0), []
        self._jobs.take_log(path)
        self._show()
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def cancel(self) -> None:
        """Stop; what is kept stays."""
        if self.name:
            self._jobs.stop_log()
            line = log_stopped(self.name, self.last)
            self.name = ""
            self._show(line)
            self.ended.emit()

    def show_left_out(self) -> None:
        """List the lines that could not be read."""
        self._open(LeftOutDialog(self.theme, self._last_name, self.problems, self))

    def _open(self, dialog: QFileDialog | LeftOutDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._forget_dialog)
        self.dialog = dialog
        dialog.open()

    def _forget_dialog(self) -> None:
        self.dialog = None

    def _on_moved(self, progress: LogProgress) -> None:
        self.last = progress
        room = MOST_PROBLEMS - len(self.problems)
        self.problems += [Problem(*problem) for problem in progress.problems[:room]]
        self._show()

    def _on_ended(self, sentence: str) -> None:
        line = sentence or log_line(self.name, self.last)
        self._last_name, self.name = self.name, ""
        self._show(line)
        self.ended.emit()

    def _show(self, line: str = "") -> None:
        running = bool(self.name)
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.bar.setRange(0, self.last.of)  # of nobody knows how many lines it goes to and fro
        self.bar.setValue(min(self.last.read, self.last.of))
        self.said.say(log_line(self.name, self.last) if running else line)
        self.lines.setVisible(not running and bool(self.problems))
        self.setVisible(running or bool(line))
