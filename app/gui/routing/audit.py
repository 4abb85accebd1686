"""An audit in the place of the log: the sample as a table, who agrees with whom, and how far it is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.display.routing.rows import AUDIT_COLUMNS, audit_lines, audit_sentence
from app.domain.filters import SearchResult
from app.gui.kit.controls import button
from app.gui.kit.drawing.pen import Pen
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.gui.routing.jobs import RouteJobs
from app.services.routing.routes import AuditStep


class AgreementSheet(Sheet):
    """Who agrees with whom, side by side, or below each other where there is no room."""

    lines: tuple[tuple[str, str], ...] = ()

    def compose(self, pen: Pen) -> float:
        face = self.theme.face
        columns = 4 if pen.width >= 760 else 2
        room = (pen.width - 32) / columns
        for place, (name, said) in enumerate(self.lines):
            x, y = 16 + place % columns * room, 4 + place // columns * 42
            pen.text(QRectF(x, y, room - 12, 16), name, face(11, 600), "text_2")
            pen.text(QRectF(x, y + 17, room - 12, 20), said, face(13, 600))
        return 46.0 + 42 * ((len(self.lines) - 1) // columns if self.lines else 0)


class RouteAuditView(QWidget):
    """One audit at a time; what has been looked at stays when it is stopped."""

    left = Signal()

    def __init__(self, theme: Theme, jobs: RouteJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self.step: AuditStep | None = None
        self.is_running = False
        self.back = button(self.tr("Back to the log"), press=self.leave)
        self.ask = button(
            self.tr("Ask the LLM, too"),
            tip=self.tr("Ask it about each of the sample that it was not asked about; this may cost money"),
            press=lambda: self.begin(ask=True),
        )
        self.stop = button(self.tr("Stop"), link=True, tip=self.tr("What has been looked at stays"), press=self.cancel)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("How far the audit is"))
        self.progress.setFixedWidth(theme.px(180))
        self.said = Said(role="caption")
        self.sheet = AgreementSheet(theme, self.tr("Who agrees with whom"))
        self.table = LibraryTable(theme, self.tr("The sample"), AUDIT_COLUMNS, "route audit")
        px = theme.px
        row = QHBoxLayout()
        row.setContentsMargins(px(16), px(4), px(16), px(8))
        row.setSpacing(px(8))
        for made in (self.back, self.ask, self.progress, self.stop):
            row.addWidget(made)
        row.addWidget(self.said, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(row)
        whole.addWidget(self.sheet)
        whole.addWidget(self.table, 1)
        jobs.audit_moved.connect(self._on_moved)
        jobs.audit_ended.connect(self._on_ended)
        self._show()

    def begin(self, *, ask: bool = False) -> None:
        """Begin anew; with `ask` the LLM is asked where it was not."""
        self.is_running, self.step = True, None
        self.jobs.audit(ask=ask)
        self._show()

    def cancel(self) -> None:
        """Stop; what has been looked at stays."""
        self.jobs.stop_audit()
        self.is_running = False
        self._show()

    def leave(self) -> None:
        """Stop, and go back."""
        if self.is_running:
            self.cancel()
        self.left.emit()

    def _on_moved(self, step: AuditStep) -> None:
        self.step = step
        self._show()

    def _on_ended(self, sentence: str) -> None:
        self.is_running = False
        self._show()
        if sentence:
            self.said.say(sentence)

    def _show(self) -> None:
        step = self.step
        for part in (self.progress, self.stop):
            part.setVisible(self.is_running)
        self.ask.setEnabled(not self.is_running)
        if step is None:
            self.said.say(self.tr("The log is being read."))
            return
        self.progress.setRange(0, max(1, step.whole))
        self.progress.setValue(step.done)
        self.said.say(audit_sentence(step, is_over=not self.is_running))
        self.sheet.lines = audit_lines(step.audit)
        self.sheet.update()
        rows = dict(enumerate(step.audit.sample))
        keys = list(rows)
        current = self.table.current_key
        self.table.show_found(
            SearchResult(keys, len(keys), rows, (), current if current is not None else 0 if keys else None)
        )
