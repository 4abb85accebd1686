"""Routing simulation: queries, candidate settings, both results, changed routes, rollout."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.display.routing.simulation import (
    EXAMPLES_CHOICES,
    FLIP_COLUMNS,
    LLM_CHOICES,
    RULES_CHOICES,
    SimulationView,
    chosen_change,
    rollout_sentence,
    rollout_table,
    simulation_view,
)
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Progress
from app.gui.kit.controls import EmptyState, button, progress_bar, single_shot
from app.gui.kit.dialogs import choose_file
from app.gui.kit.document import WIDEST, DocumentView, tables_html
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.page import Page
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme import Theme
from app.services.evaluation.simulator import Change
from app.services.routing.rollout import RolloutMetrics, RolloutState

if TYPE_CHECKING:
    from app.services.workbench import Workbench

LOG, CASES, _FILE = "log", "cases", "file"
"""The sources of simulated queries."""

_WIDE_FROM = 1000
_SIDES = (2, 3)
"""Width ratio of the two results and of the changed routes, if side by side."""
_NEWS_AFTER_MS = 500


async def _simulated(source: Path | str, change: Change, bench: Workbench, tell: Progress) -> SimulationView:
    """Route the queries of a file, of LOG or of CASES, today and under a change."""
    simulator = bench.simulator
    if isinstance(source, Path):
        queries = await simulator.read(source)
    else:
        queries = await (simulator.labelled() if source == CASES else simulator.logged())
    return simulation_view(await simulator.run(queries, change, tell), change)


class RouteSimulationPart(QWidget):
    """Part that runs on request only; the last result stays during another run."""

    def __init__(self, page: Page, worker: Worker) -> None:
        super().__init__()
        theme = self.theme = page.theme
        self._page, self.job, self._rolling = page, Job(worker, self), Job(worker, self, page.refuse)
        self.file: Path | None = None
        self.shown: SimulationView | None = None
        self._sides: RolloutMetrics | None = None
        self.source = ChoiceBox(name="Which queries")
        self._offer_sources()
        self.rules = ChoiceBox(list(RULES_CHOICES.items()), "Rules after the change")
        self.examples = ChoiceBox(list(EXAMPLES_CHOICES.items()), "Examples after the change")
        self.llm = ChoiceBox(list(LLM_CHOICES.items()), "The LLM after the change")
        tip = "Route the queries under the current settings and as chosen; stored LLM answers are reused"
        self.begin = button("Run", primary=True, tip=tip, press=self.run)
        self.stop = button("Stop", tip="The LLM's answers so far are kept", press=self.cancel)
        self.bar = progress_bar("Progress of the simulation", width=theme.px(180))
        self.message = WrappedLabel(role="name")
        self.rollout = RolloutStrip(theme)
        self.sheet = DocumentView(theme, "Both sides", widest=WIDEST)
        self.table = Grid(theme, "Queries that change route", FLIP_COLUMNS)
        what = "Choose what to change, then run the simulation. Nothing is changed or logged."
        self.empty = EmptyState(theme, "evaluate", "No simulation yet", what)
        self._news = single_shot(self, _NEWS_AFTER_MS, self._fetch_rollout)
        self._arrange()
        self._connect()
        self._show_state()

    def _arrange(self) -> None:
        px = self.theme.px
        row = spaced(FlowLayout(px(8)), None, px(16), px(4), px(16), px(8))
        fill(row, self.source, self.rules, self.examples, self.llm, self.begin, self.stop)
        self.told = QWidget()
        fill(spaced(QHBoxLayout(self.told), px(10), px(16), 0, px(16), px(8)), self.bar, (self.message, 1))
        self.body = fill(QSplitter(childrenCollapsible=False), self.sheet, self.table)
        for place, share in enumerate(_SIDES):
            self.body.setStretchFactor(place, share)
        self.stack = fill(QStackedWidget(), self.body, self.empty)
        fill(spaced(QVBoxLayout(self)), row, self.told, self.rollout, (self.stack, 1))

    def _connect(self) -> None:
        self.table.entered.connect(self._open)
        self.table.doubleClicked.connect(self._open)
        self.source.changed.connect(lambda source: self.ask_file() if source == _FILE else None)
        for box in (self.rules, self.examples, self.llm):
            box.changed.connect(lambda _: self.rollout.offer({} if self.change.fails else self.change.settings))
        self.rollout.share_requested.connect(self._roll_out)

    def focus_stops(self) -> list[QWidget]:
        run = self.stop if self.job.is_running else self.begin
        found = [part for part in (self.sheet, self.table) if self.has_any and not part.isHidden()]
        return [*found, self.source, self.rules, self.examples, self.llm, run, *self.rollout.focus_stops()]

    # ---- requests

    @property
    def change(self) -> Change:
        rules, examples, llm = (str(box.currentData()) for box in (self.rules, self.examples, self.llm))
        return chosen_change(rules, examples, llm)

    def run(self) -> None:
        """Simulate, replacing a running simulation."""
        source: Path | str = str(self.source.currentData())
        if source == _FILE:
            if self.file is None:
                self.ask_file()
                return
            source = self.file
        self.bar.setRange(0, 0)
        self.message.show_text("The queries are being read.")
        act = partial(_simulated, source, self.change)
        self.job.run_with_progress(act, self._on_progress, self._on_simulated, self._end)
        self._show_state()

    def cancel(self) -> None:
        """Cancel the simulation; earlier results stay."""
        if self.job.is_running:
            self.job.cancel()
            self._end("Stopped.")

    def ask_file(self) -> None:
        """Open a dialog for a file of queries."""
        choose_file(self, "Queries from a file", self._take_file)

    def _take_file(self, file: Path) -> None:
        self.file = file
        self._offer_sources()
        self.source.show_value(_FILE)

    def _offer_sources(self) -> None:
        name = "From a file…" if self.file is None else self.file.name[:40]
        self.source.set_choices([(LOG, "The log of decisions"), (CASES, "Your cases for routes"), (_FILE, name)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the results side by side if wide enough, otherwise below each other."""
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        self.body.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    # ---- results

    def _on_progress(self, done: int, total: int) -> None:
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)
        self.message.show_text(f"{done:,} of {total:,} queries")

    def _on_simulated(self, shown: SimulationView) -> None:
        self.shown = shown
        self.table.show_rows(shown.flips, 0 if shown.flips else None)
        self._end(shown.sentence)

    def show_state(self, state: RolloutState) -> None:
        """Show the state of the rollout, which may have changed."""
        self.rollout.show_state(state)
        self.load_rollout()

    def load_rollout(self) -> None:
        """Refresh the rollout soon, if visible."""
        if self.isVisible() and not self._news.isActive():
            self._news.start()

    def _fetch_rollout(self) -> None:
        async def act(bench: Workbench) -> tuple[RolloutState, RolloutMetrics | None]:
            found = await bench.routing.rollout.metrics()
            return bench.routing.rollout.state, found

        self._rolling.run(act, self._on_rollout)

    def _roll_out(self, share: int, changes: Mapping[str, str]) -> None:
        self._rolling.do(lambda bench: bench.routing.rollout.roll_out(share, changes), lambda _: self._fetch_rollout())

    def _on_rollout(self, found: tuple[RolloutState, RolloutMetrics | None]) -> None:
        state, self._sides = found
        self.rollout.show_state(state)
        self._show_state()

    @property
    def has_any(self) -> bool:
        """True if there is a result of a simulation or a rollout."""
        return self.shown is not None or self._sides is not None

    def _end(self, sentence: str) -> None:
        self.message.show_text(sentence)
        self._show_state()

    def _show_state(self) -> None:
        simulated = [] if self.shown is None else [self.shown.table]
        rolled = [] if self._sides is None else [rollout_table(self._sides, self.rollout.state)]
        self.sheet.show_html(tables_html([*simulated, *rolled]))
        for part in (self.bar, self.stop):
            part.setVisible(self.job.is_running)
        self.begin.setVisible(not self.job.is_running)
        self.told.setVisible(self.job.is_running or bool(self.message.text()))
        self.stack.setCurrentWidget(self.body if self.has_any else self.empty)
        was_hidden, has_flips = self.table.isHidden(), self.shown is not None and bool(self.shown.flips)
        self.table.setVisible(has_flips)
        if was_hidden and has_flips:
            # A part shown later gets space here: before, its width was 0.
            self.body.setSizes([share * self.width() for share in _SIDES])

    def _open(self) -> None:
        if (row := self.table.current) is not None:
            self._page.ask_on_scope(row.case.text)


# ---- Rollout strip: the share of the candidate's queries, with buttons for more and for none.


SHARES = (10, 50, 100)
"""Steps of a rollout by 001, in percent."""


class RolloutStrip(QWidget):
    """Strip that is hidden while there is no rollout and no candidate."""

    share_requested = Signal(int, Mapping)  # percentage, and the candidate's settings; none: its present ones

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.state = RolloutState()
        self.changes: Mapping[str, str] = {}
        self.message = WrappedLabel()
        tip = "Let {} of 100 queries go by the candidate, in every program of this profile"
        self.shares = {
            share: button(f"{share} %", tip=tip.format(share), press=partial(self._ask, share)) for share in SHARES
        }
        self.back = button("Go back", tip="Use the current settings for all queries again", press=partial(self._ask, 0))
        row = spaced(QHBoxLayout(self), theme.px(8), theme.px(16), 0, theme.px(16), theme.px(8))
        fill(row, *self.shares.values(), self.back, (self.message, 1))
        self._show()

    def focus_stops(self) -> list[QWidget]:
        made = (*self.shares.values(), self.back)
        return [] if self.isHidden() else [one for one in made if not one.isHidden() and one.isEnabled()]

    def show_state(self, state: RolloutState) -> None:
        self.state = state
        self._show()

    def offer(self, changes: Mapping[str, str]) -> None:
        """Offer these settings as the next candidate."""
        self.changes = changes
        self._show()

    def _show(self) -> None:
        state = self.state
        is_told = bool(state.share or state.back or state.hindrance)
        self.setVisible(is_told or bool(self.changes))
        if state.back is not None:
            self.message.show_text("The roll-out was reverted automatically; see the reason above.")
        else:
            offer = "Use these settings for a share of all queries from now on."
            self.message.show_text(rollout_sentence(state) if is_told else offer)
        for share, made in self.shares.items():
            made.setEnabled(share != state.share)
        self.back.setVisible(is_told)
        self.back.setText("Seen" if state.back is not None else "Go back")

    def _ask(self, share: int) -> None:
        self.share_requested.emit(share, {} if self.state.share or not share else self.changes)
