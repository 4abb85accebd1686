"""Scope page: query line and panels; keys become queries, answers become panel states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display.review.ask_all import lines_of
from app.display.scope.intent import cues, no_cue
from app.display.scope.match_rows import answer_key, key_of_answer
from app.display.scope.text import approximation_sentence
from app.display.scope.verdict import notes_beside
from app.domain.inspection import Inspection, Phase
from app.domain.library import Memory, Power
from app.domain.match import Match, Tier
from app.domain.why_not import Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.scope_state import PAUSE_MS, PaintClock, ScopeState
from app.gui.kit.fields import LONGEST
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import WHY_PLACE, Action, CoreState, Page, only_appearance_changed
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.theme import Theme
from app.gui.scope.actions import ASK_ALL, COMBINATIONS, GROUPING, LETTERS, PIN, POLICIES, PRESETS, WHY_NOT, CopyActions
from app.gui.scope.ask_all import AskAllActions
from app.gui.scope.compare_actions import CompareActions
from app.gui.scope.dock_layout import ScopeLayout
from app.gui.scope.dock_panes import Panes
from app.gui.scope.first_steps import GUIDE_FILE, FirstSteps, Guide, SampleOffers
from app.gui.scope.overlays import PANES
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import GROUP_MATCHES, MatchesPanel
from app.gui.scope.panels.matches_delegate import LettersLegend
from app.gui.scope.panels.panel import Panel
from app.gui.scope.panels.registry import PANELS, IdleJobs, PanelUpdates
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.scope.panels.session import LOG_AXES, SessionPanel
from app.gui.scope.query_line import MOST_LINES, QueryBar
from app.gui.scope.teach_actions import TeachActions
from app.gui.scope.verdict_strip import VerdictStrip
from app.gui.scope.why_not import WhyNotActions

PanelKind = TypeVar("PanelKind", bound=Panel)

_WRAPPED = 280.0
"""Minimum height of the page in units for more than one line of the query."""

_LABELLED = 460.0
"""Minimum height of the page in units for labels below the query, and for the verdict."""


class ScopePage(Page):
    """Page that holds the ScopeState and passes it to the panels."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Scope")
        self.worker = worker
        self.state = ScopeState()
        self._picked: str | None = None
        self._picked_for = ""
        self.bar = QueryBar(theme)
        self.notice = FaultLine(theme)
        self.verdict = VerdictStrip(theme)
        self.panels: dict[str, Panel] = {row.key: row.make(theme) for row in PANELS}
        self.panel_updates = PanelUpdates(self.panels, self)
        self.clock = PaintClock(self)
        self.teach_actions = TeachActions(self, self.bar.box.line, theme, worker, lambda: self.state)
        self.copy_actions = CopyActions(self, lambda: self.state)
        column = fill(spaced(QVBoxLayout(self)), self.bar, self.notice, self.verdict)
        below = QStackedWidget()
        layout = ScopeLayout(theme, self.panels, self.panel(SelectedPanel))
        self.panes = Panes(layout)
        below.addWidget(layout)
        below.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)  # it takes the remaining space
        self.below = below
        self.compare_actions = CompareActions(theme, worker, below, self.bar.box.line)
        self.why_not_actions = WhyNotActions(self.bar.box.line, lambda: self.state, theme, worker, below)
        self.ask_all_actions = AskAllActions(theme, worker, below, self.bar.box.line, lambda: self.state.settings)
        self.first_steps = FirstSteps(theme, below, self.bar.box.line)
        self.sample_offers = SampleOffers(self, worker)
        self.idle_jobs = IdleJobs(self, worker, self._to_count)
        self.guide = Guide(theme, worker, self.bar.box.line, lambda: self.state)
        fill(column, (below, 1), self.guide.strip)
        self._connect()

    def _connect(self) -> None:
        line, bar, worker = self.bar.box.line, self.bar, self.worker
        line.changed.connect(self._on_text)
        line.rejected.connect(lambda: bar.box.show_note(self._cut_notice()))
        line.stepped.connect(self.panel(MatchesPanel).step)
        line.entered.connect(self._focus_selected)
        line.entered.connect(worker.note_acted)
        bar.action_requested.connect(self.action_requested)
        self.verdict.picked.connect(self._on_picked)
        self.verdict.action_requested.connect(self.action_requested)
        self.verdict.page_requested.connect(self.page_requested)
        self.verdict.setting_requested.connect(self._open_setting)
        for panel in self.panels.values():
            panel.picked.connect(self._on_picked)
            panel.filtered.connect(lambda kind: self._show(replace(self.state, kind=kind)))
            panel.seeds_requested.connect(self._add_sample)
            panel.query_requested.connect(self._try)
            panel.action_requested.connect(self.action_requested)
            panel.set_requested.connect(worker.choose)
            panel.setting_requested.connect(self._open_setting)
            panel.notified.connect(lambda sentence, bad: self.notified.emit(sentence, False, bad))
        queued = Qt.ConnectionType.QueuedConnection
        worker.inspected.connect(self.show_inspection)
        worker.settled.connect(self._on_settled, queued)
        worker.failed.connect(self._on_failed, queued)
        worker.choice_refused.connect(self._on_refused, queued)
        notifiers = (self.teach_actions, self.copy_actions, self.compare_actions, self.why_not_actions)
        for part in (*notifiers, self.ask_all_actions):
            part.notified.connect(self.notified)
        self.panes.notified.connect(lambda sentence: self.notified.emit(sentence, False, False))
        self.clock.noted.connect(self._on_times)
        chosen, matches = self.panes.layout.selected, self.panel(MatchesPanel)
        self.idle_jobs.counted.connect(chosen.show_counts)
        self.idle_jobs.previewed.connect(chosen.foot.show_preview)
        self.sample_offers.offered.connect(matches.offer_samples)
        self.panes.layout.overlaid.connect(matches.offer_over)
        matches.offer_over(self.panes.layout.over)
        self._connect_views()

    def _connect_views(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        teaches, asks, steps = self.teach_actions, self.ask_all_actions, self.first_steps
        teaches.query_requested.connect(self.ask)
        teaches.keep_requested.connect(self._keep_selected)
        teaches.select_requested.connect(self._select)
        asks.query_requested.connect(self.ask)
        asks.teach_requested.connect(teaches.open_for)
        self.bar.box.offer.clicked.connect(lambda: self.action_requested.emit(ASK_ALL.key))
        steps.sample_requested.connect(self._add_sample)
        steps.action_requested.connect(self.action_requested)
        steps.query_requested.connect(self._try)
        steps.flipped.connect(self._show_verdict)
        self.below.currentChanged.connect(lambda _: self._show_verdict())
        self.sample_offers.offered.connect(steps.offer)
        self.worker.seeded.connect(steps.sample_loaded, queued)
        self.guide.action_requested.connect(self.action_requested)
        self.guide.page_requested.connect(self.page_requested)

    # ---- user actions

    def focus_stops(self) -> list[QWidget]:
        covers = (self.compare_actions, self.why_not_actions, self.ask_all_actions, self.first_steps)
        cover = next((cover for cover in covers if cover.is_open), self.panes)
        guiding = self.guide.strip
        last = [*guiding.links, guiding.close_it][:1] if guiding.isVisible() else []
        offer = [self.bar.box.offer] if self.bar.box.offer.isVisible() else []
        return [self.bar.box.line, *offer, *cover.focus_stops(), *last]

    @property
    def is_covered(self) -> bool:
        """True if a view covers the panes."""
        return self.below.currentIndex() != PANES

    def persist_in(self, folder: Path) -> None:
        self.guide.persist_in(folder / GUIDE_FILE)

    def action_rows(self) -> tuple[Action, ...]:
        compare_actions = self.compare_actions
        return (
            PRESETS.bound(compare_actions.toggle_presets),
            PIN.bound(compare_actions.pin),
            COMBINATIONS.bound(compare_actions.compare_combinations),
            WHY_NOT.bound(self.toggle_why_not),
            ASK_ALL.bound(self.ask_all_actions.ask, self.ask_all_actions.refusal),
            GROUPING.bound(self.panel(MatchesPanel).toggle_grouping),
            LETTERS.bound(self.explain_letters),
            POLICIES.bound(self.toggle_policies, self.policies_refusal),
            *self.panes.actions(),
        )

    def go_to(self, key: str) -> None:
        """Open why-not for the expected answer that the key names."""
        if key.startswith(WHY_PLACE):
            expected = key.removeprefix(WHY_PLACE)
            self.why_not_actions.ask_about(Expectation.of(expected) if expected else None)

    def selected_power(self) -> Power | None:
        """Return the selected power, otherwise the one that the query activates."""
        selected, inspection = self.state.selected, self.state.inspection
        if selected is not None and isinstance(selected.answer, Power):
            return selected.answer
        resolution = None if inspection is None else inspection.resolution
        if resolution is not None and resolution.status is Tier.ACTIVATED and resolution.matches:
            return resolution.matches[0].power
        return None

    def toggle_why_not(self) -> None:
        """Open why-not or, on the scope, close it again."""
        was_here = self.isVisibleTo(self.window())
        self.page_requested.emit("scope", "")
        self.why_not_actions.toggle(may_close=was_here)

    def ask(self, text: str) -> None:
        """Set the query as if it had been typed; several lines are asked as one."""
        self.bar.box.line.is_list = False
        self.bar.box.line.keyed_at = perf_counter()
        if text == self.bar.box.line.text():
            self.bar.show_offer(text)
            self._on_text(text)
        else:
            self.bar.box.line.setText(text)

    def _try(self, text: str) -> None:
        self.ask(text)
        self.bar.box.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def panel(self, kind: type[PanelKind]) -> PanelKind:
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def _keep_selected(self) -> None:
        if self.state.selected is not None:
            self._pick(answer_key(self.state.selected))

    def _select(self, answer: Memory) -> None:
        self._pick(key_of_answer(answer))
        self._show(self.state)

    def _pick(self, key: str) -> None:
        """Keep this answer selected as long as the query continues the present text."""
        self._picked, self._picked_for = key, self.bar.box.line.text()

    def explain_letters(self) -> None:
        """Show which scorer each letter stands for."""
        self.page_requested.emit("scope", "")
        LettersLegend(self.theme, self).open_over(self.panels["matches"])

    def toggle_policies(self) -> None:
        """Switch between both merge policies and the one in force."""
        self.panel(IntentPanel).toggle_policies()
        if not self.panes.layout.is_shown("intent"):
            self.panes.toggle("intent")

    def policies_refusal(self) -> str:
        """Return why the merge policies cannot be compared now; "" if they can."""
        return "" if self.state.inspection is not None else "The query is empty. Type a query first."

    def _add_sample(self) -> None:
        self.first_steps.await_sample()
        self.worker.add_seed_library()

    def _open_setting(self, key: str) -> None:
        self.page_requested.emit("settings", key)

    def hideEvent(self, event: QHideEvent) -> None:
        self.worker.note_acted()  # the query is left as it is

    def _focus_selected(self) -> None:
        if self.bar.box.line.is_list:
            self.ask(self.bar.box.line.text())
        elif self.first_steps.is_open:
            self.first_steps.focus_stops()[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.panes.enter("selected")

    def _show_verdict(self) -> None:
        """Hide the verdict above a view of other queries, and above each view of a low page."""
        is_of_query = not (self.first_steps.is_open or self.ask_all_actions.is_open)
        is_low = self.height() < self.theme.px(_LABELLED)
        self.verdict.setVisible(is_of_query and not (self.is_covered and is_low))

    def _on_text(self, text: str) -> None:
        if not (text.startswith(self._picked_for) or self._picked_for.startswith(text)):
            # Another query: the last selection does not apply to it.
            self._picked = None
        if text.strip() and not self.bar.box.line.is_list:
            generation = self.worker.ask(text)
            if not self.isVisible() or self.is_covered:
                self.clock.skip(generation)
        else:
            self.worker.drop()
            self._picked = None
            self.bar.box.show_note("")
            self.bar.box.show_cues(())
            self.bar.box.show_no_cues("Enter asks the lines as one query" if self.bar.box.line.is_list else None)
            self._show(replace(self.state, inspection=None, selected=None))
            self.compare_actions.answered()
        self.clock.typing()
        self.notice.show_fault(self.state.open_error)
        self.fault_changed.emit(self.state.open_error)
        self.bar.box.line.leaves_undo = False

    def _cut_notice(self) -> str:
        return f"Text beyond {LONGEST:,} characters was cut." if len(self.bar.box.line.text()) >= LONGEST else ""

    # ---- results

    def show_core_state(self, core_state: CoreState) -> None:
        differs = not core_state.status.is_counted_anew and not only_appearance_changed(self.core_state, core_state)
        super().show_core_state(core_state)
        text = self.bar.box.line.text()
        if text.strip() and differs and not self.bar.box.line.is_list:
            self.clock.skip(self.worker.ask(text))  # first, so that the engine works while the panels are filled
        self._show(
            replace(self.state, status=core_state.status, settings=core_state.settings), defer=bool(text.strip())
        )
        if differs:  # otherwise no new answer follows to recompute the comparison
            self.compare_actions.show_core_state(core_state)

    def show_inspection(self, generation: int, inspection: Inspection) -> None:
        self._show(replace(self.state, inspection=inspection), defer=True)
        self.bar.box.show_cues(cues(inspection.detection))
        self.bar.box.show_no_cues(no_cue(inspection.detection))
        beside = notes_beside(inspection, self.state.settings)
        notes = (*beside, self._cut_notice(), approximation_sentence(inspection.searched))
        self.bar.box.show_note(" ".join(filter(None, dict.fromkeys(notes))))
        if inspection.phase is Phase.FLOOR:
            self._paint_something()  # the engine waits with better answers until this one is painted
        else:
            self.compare_actions.answered()
            self._time(generation, inspection)

    def _on_settled(self, generation: int) -> None:
        if generation != self.worker.generation:
            return
        self.compare_actions.answered()
        if self.state.inspection is not None:
            self._time(generation, self.state.inspection)

    def _on_failed(self, verb: str, sentence: str) -> None:
        if verb == "open":
            self._show(replace(self.state, open_error=sentence))
        if verb in ("inspect", "open"):
            self.notice.show_fault(sentence)
            self.fault_changed.emit(sentence)
        elif verb != "teach" or not self.teach_actions.refuse(sentence):
            self.refuse(sentence)
        if verb == "seed":
            self.first_steps.sample_loaded()

    def _on_refused(self, key: str, sentence: str) -> None:
        self.panel(MatchesPanel).show_chosen()
        if key in ("preset", LOG_AXES, GROUP_MATCHES) and self.isVisible():
            self.refuse(sentence)

    # ---- state

    def _on_picked(self, match: Match) -> None:
        self._pick(answer_key(match))
        self._show(self.state)

    def _show(self, scope_state: ScopeState, *, defer: bool = False) -> None:
        """Pass the state, with its selected match, to the panels."""
        is_typing = (perf_counter() - self.bar.box.line.keyed_at) * 1000 < PAUSE_MS
        text, is_list = self.bar.box.line.text(), self.bar.box.line.is_list
        self.state = replace(
            scope_state,
            selected=self._selection(scope_state),
            is_typing=is_typing,
            has_query=bool(text.strip()) and not is_list,
            lines=len(lines_of(text)) if is_list else 0,
        )
        self.first_steps.show_state(self.state)
        self.verdict.show_state(self.state)
        self.panel_updates.show(self.state, defer=defer)
        self.idle_jobs.rest(self.state)

    def _to_count(self) -> ScopeState | None:
        """Return the state for word importance; None if hidden, or if a better answer is pending."""
        is_seen = self.isVisible() and not self.is_covered and self.panes.layout.is_shown("selected")
        return self.state if is_seen and not self.state.awaits_vector else None

    @property
    def is_shown(self) -> bool:
        """True if every panel shows the state."""
        return self.panel_updates.is_done

    def _selection(self, scope_state: ScopeState) -> Match | None:
        if scope_state.inspection is None:
            return None
        shown = [
            match
            for match in scope_state.inspection.matches
            if scope_state.kind is None or match.kind is scope_state.kind
        ]
        kept = (match for match in shown if answer_key(match) == self._picked)
        found = (match for match in shown if match.is_found)
        return next(kept, next(found, shown[0] if shown else None))

    # ---- time until the answer is on screen

    def _time(self, generation: int, inspection: Inspection) -> None:
        """Record the time once per keystroke, when its answer is about to be painted."""
        if (
            self.isVisible()
            and not self.is_covered
            and self.clock.expect(generation, {stage.name: stage.ms for stage in inspection.trace.stages})
        ):
            self._paint_something()

    def _paint_something(self) -> None:
        """Force a repaint, so that the window reports it even if the answer looks the same."""
        self.panels["matches"].update(0, 0, 1, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        height = self.height() / self.theme.scale
        self.verdict.fit(height)
        self._show_verdict()
        self.bar.box.show_most_lines(MOST_LINES if height >= _WRAPPED else 1, is_low=height < _LABELLED)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint nothing: the page has no background."""

    def after_paint(self) -> None:
        self.worker.painted()
        self.clock.painted(self.bar.box.line.keyed_at)
        self.panel_updates.painted()

    def _on_times(self, times: list[dict[str, float]]) -> None:
        for durations in times:
            self.panel(SessionPanel).note(durations)
