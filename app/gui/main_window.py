"""The window: it keeps the moment, hands it to the panels, and turns keys into questions and verbs."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTemporaryDir, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.display.cues import cues
from app.display.plain import as_text
from app.display.rows import answer_key
from app.domain.inspection import Inspection, Phase
from app.domain.library import Kind, Memory
from app.domain.match import Match
from app.gui import icons
from app.gui.controls import FaultLine
from app.gui.layout import Layout
from app.gui.moment import Moment
from app.gui.panels import PANELS
from app.gui.panels.matches import MatchesPanel
from app.gui.panels.panel import Panel
from app.gui.panels.session import ON_SCREEN, SessionPanel
from app.gui.query_bar import LONGEST, QueryBar
from app.gui.rail import Rail
from app.gui.status_line import StatusLine
from app.gui.styles import style_sheet
from app.gui.teach_dialog import TeachDialog
from app.gui.theme import Mode, Theme
from app.gui.toast import Toast
from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.services.workbench import Status, Undone
    from app.settings import Settings


FRAME_MS = 16


class MainWindow(QWidget):
    """One window on one workbench."""

    painted = Signal()
    bug_found = Signal(str)

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self.worker = theme, worker
        self.moment = Moment()
        self._picked: str | None = None
        self._waits_for_paint: dict[str, float] | None = None
        self._noted = -1
        self._dialog: TeachDialog | None = None
        self._drawings = QTemporaryDir()
        self._held: tuple[int, Inspection] | None = None
        self._hold = QTimer(self)
        self._hold.setSingleShot(True)
        self._hold.setTimerType(Qt.TimerType.PreciseTimer)
        self._hold.setInterval(FRAME_MS)
        self._hold.timeout.connect(self._show_held)
        self.setWindowTitle("Intentscope")
        room = QGuiApplication.primaryScreen().availableSize()
        self.resize(QSize(theme.px(1280), theme.px(800)).boundedTo(room))
        self.bar = QueryBar(theme)
        self.notice = FaultLine(theme)
        self.panels: dict[str, Panel] = {row.key: row.make(theme) for row in PANELS}
        self.layout_ = Layout(theme, self.panels)
        self.status_line = StatusLine(theme)
        self._arrange()
        self.toast = Toast(theme, self)
        self._connect()
        self._bind_keys()
        theme.changed.connect(self._dress)
        self._dress()
        self.bar.box.line.setFocus()

    # ---- building

    def _arrange(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(0)
        for widget, stretch in ((self.bar, 0), (self.notice, 0), (self.layout_, 1)):
            right.addWidget(widget, stretch)
        right.addWidget(self.status_line)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(Rail(self.theme))
        whole.addLayout(right, 1)

    def _connect(self) -> None:
        bar, worker = self.bar, self.worker
        bar.box.line.textChanged.connect(self._on_text)
        bar.box.line.inputRejected.connect(self._on_too_long)
        bar.box.line.stepped.connect(self._on_step)
        bar.box.line.entered.connect(self._focus_selected)
        bar.preset_chosen.connect(lambda name: worker.choose("preset", name))
        bar.copy_asked.connect(self.copy)
        bar.teach_asked.connect(self.teach)
        self.toast.undo_asked.connect(worker.undo)
        for panel in self.panels.values():
            panel.picked.connect(self._on_picked)
            panel.filtered.connect(self._on_filter)
            panel.seeds_asked.connect(worker.add_seed_library)
        queued = Qt.ConnectionType.QueuedConnection
        worker.changed.connect(self._on_change, queued)
        worker.inspected.connect(self.show_inspection)
        worker.settled.connect(self._on_settled, queued)
        worker.taught.connect(self._on_taught, queued)
        worker.undone.connect(self._on_undone, queued)
        worker.seeded.connect(self._on_seeded, queued)
        worker.failed.connect(self._on_failed, queued)
        worker.conflicts_found.connect(self._on_conflicts, queued)
        self.bug_found.connect(self.tell_bug, queued)

    def _bind_keys(self) -> None:
        for keys, act in (
            ("Ctrl+L", self.focus_query),
            ("Escape", self.focus_query),
            ("Ctrl+T", self.teach),
            ("Ctrl+Shift+C", self.copy),
            ("F6", partial(self._next_pane, 1)),
            ("Shift+F6", partial(self._next_pane, -1)),
        ):
            QShortcut(QKeySequence(keys), self, act)
        QShortcut(QKeySequence("Ctrl+Z"), self, self.undo)

    # ---- what a person does

    def focus_query(self) -> None:
        self.bar.box.line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def ask(self, text: str) -> None:
        """Put a text into the line as if it had been typed."""
        self.bar.box.line.keyed_at = perf_counter()
        if text == self.bar.box.line.text():
            self._on_text(text)
        else:
            self.bar.box.line.setText(text)

    def teach(self) -> None:
        """Open the dialog with the query as trigger."""
        dialog = TeachDialog(self.theme, self.bar.box.line.text(), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.looked_for.connect(self.worker.find_conflicts)
        dialog.taught.connect(self.worker.teach)
        dialog.finished.connect(self._on_dialog_closed)
        self._dialog = dialog
        dialog.open()

    def undo(self) -> None:
        self.worker.undo()

    def copy(self) -> None:
        """Copy what is shown as text."""
        if self.moment.inspection is None:
            self.toast.tell(self.tr("There is no answer to copy yet."), bad=True)
            return
        QGuiApplication.clipboard().setText(as_text(self.moment.inspection, self.moment.settings))
        self.toast.tell(self.tr("Copied the inspection as text."))

    # ---- what comes back

    def show_inspection(self, generation: int, inspection: Inspection) -> None:
        """Show an answer to the current question.

        The floor waits for one frame: with the encoder ready the better answer is a few milliseconds away, and showing
        both would make the rows jump twice a key.
        """
        ready = self.moment.status is not None and self.moment.status.encoder_state == "ready"
        if inspection.phase is Phase.FLOOR and ready:
            self._held = (generation, inspection)
            self._hold.start()
        else:
            self._accept(generation, inspection)

    def _show_held(self) -> None:
        if self._held is not None and self._held[0] == self.worker.generation:
            self._accept(*self._held)

    def _accept(self, generation: int, inspection: Inspection) -> None:
        self._held = None
        self._hold.stop()
        self._show(replace(self.moment, inspection=inspection))
        self.bar.box.show_cues(cues(inspection.detection))
        notes = dict.fromkeys((*inspection.query.notes, *inspection.notes, self._cut_notice()))
        self.bar.box.tell(" ".join(filter(None, notes)))
        if inspection.phase is not Phase.FLOOR:
            self._time(generation, inspection)

    def _on_settled(self, generation: int) -> None:
        if generation != self.worker.generation:
            return
        self._show_held()
        if self.moment.inspection is not None:
            self._time(generation, self.moment.inspection)

    def _on_change(self, status: Status, settings: Settings) -> None:
        self._show(replace(self.moment, status=status, settings=settings))
        self.status_line.show_status(status)
        self.bar.presets.set_current(settings.preset)
        self.theme.set_mode(Mode(settings.theme))
        text = self.bar.box.line.text()
        if text.strip():
            self._noted = self.worker.ask(text)

    def _on_text(self, text: str) -> None:
        self.notice.tell("")
        self.status_line.show_fault("")
        self.bar.box.line.leaves_undo = False
        if text.strip():
            self.worker.ask(text)
            return
        self.bar.box.tell("")
        self.worker.drop()
        self._picked = None
        self.bar.box.show_cues(())
        self._show(replace(self.moment, inspection=None, selected=None))

    def _on_taught(self, memory: Memory) -> None:
        self.bar.box.line.leaves_undo = True
        name = memory.name if len(memory.name) <= 60 else memory.name[:59] + "…"
        self.toast.tell(self.tr("Taught as “{0}”.").format(name), undo=True)

    def _on_undone(self, undone: Undone | None) -> None:
        self.toast.tell(undone.sentence if undone else self.tr("There is nothing to take back."))

    def _on_seeded(self, count: int) -> None:
        self.toast.tell(self.tr("Added the seed library: {0} memories and powers.").format(count))

    def _on_failed(self, verb: str, sentence: str) -> None:
        if verb in ("inspect", "open"):
            self.notice.tell(sentence)
            self.status_line.show_fault(sentence)
        else:
            self.toast.tell(sentence, bad=True)
        if verb == "choose" and self.moment.settings is not None:
            self.bar.presets.set_current(self.moment.settings.preset)

    def tell_crash(self, error: Exception) -> None:
        """A bug of the engine goes where all bugs go."""
        sys.excepthook(type(error), error, error.__traceback__)

    def tell_bug(self, sentence: str) -> None:
        """Say in the status line that something went wrong that should not have."""
        self.status_line.show_fault(sentence)

    def _on_conflicts(self, ticket: int, found: list[Memory]) -> None:
        if self._dialog is not None:
            self._dialog.show_conflicts(ticket, found)

    def _on_dialog_closed(self) -> None:
        self._dialog = None
        self.focus_query()

    def _on_too_long(self) -> None:
        if len(self.bar.box.line.text()) >= LONGEST:
            self.bar.box.tell(self._cut_notice())

    def _cut_notice(self) -> str:
        if len(self.bar.box.line.text()) < LONGEST:
            return ""
        return self.tr("The line takes {0} characters; what comes after them was cut.").format(f"{LONGEST:,}")

    # ---- the moment

    def _on_picked(self, match: Match) -> None:
        self._picked = answer_key(match)
        self._show(self.moment)

    def _on_filter(self, kind: Kind | None) -> None:
        self._show(replace(self.moment, kind=kind))

    def _on_step(self, by: int) -> None:
        panel = self.panels["matches"]
        if isinstance(panel, MatchesPanel):
            panel.step(by)

    def _show(self, moment: Moment) -> None:
        self.moment = replace(moment, selected=self._selection(moment))
        for panel in self.panels.values():
            panel.show_moment(self.moment)

    def _selection(self, moment: Moment) -> Match | None:
        if moment.inspection is None:
            return None
        shown = [match for match in moment.inspection.matches if moment.kind is None or match.kind is moment.kind]
        kept = (match for match in shown if answer_key(match) == self._picked)
        return next(kept, shown[0] if shown else None)

    # ---- time until the answer is on screen

    def _time(self, generation: int, inspection: Inspection) -> None:
        """Once per keystroke, when its answer is about to be painted."""
        if generation <= self._noted:
            return
        self._noted = generation
        self._waits_for_paint = {stage.name: stage.ms for stage in inspection.trace.stages}
        self.panels["matches"].update()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.UpdateRequest:
            self._after_paint()
        return handled

    def _after_paint(self) -> None:
        self.painted.emit()
        durations, self._waits_for_paint = self._waits_for_paint, None
        session = self.panels["session"]
        if durations is not None and isinstance(session, SessionPanel):
            durations[ON_SCREEN] = (perf_counter() - self.bar.box.line.keyed_at) * 1000.0
            session.note(durations)

    # ---- keys, looks, end

    def _focus_selected(self) -> None:
        self.panels["selected"].focus_target().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _next_pane(self, by: int) -> None:
        stops = [self.bar.box.line, *(self.panels[row.key].focus_target() for row in PANELS if row.stop)]
        stops = [stop for stop in stops if stop.isVisible() and stop.isEnabled()]
        focus = QApplication.focusWidget()
        here = next((n for n, stop in enumerate(stops) if stop is focus or (focus and stop.isAncestorOf(focus))), 0)
        stops[(here + by) % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)

    def _dress(self) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(self.theme.palette())
            app.setFont(self.theme.font())
        chevron = icons.write_drawing("chevron-down", self.theme.tokens.text_2, Path(self._drawings.path()))
        self.setStyleSheet(style_sheet(self.theme, chevron.as_posix()))
        self.setAutoFillBackground(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.toast.place()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.worker.close()
        super().closeEvent(event)
