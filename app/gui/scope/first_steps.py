"""Welcome card of an empty library, sample queries, and hints of the first sessions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.display.scope.guide import STEPS_FROM, GuideEvent, GuideState, Hint, NextStep, Sample
from app.domain.llm import LlmOutcome
from app.files import write_state
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit import icons
from app.gui.kit.controls import ElidedLabel, button, single_shot
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import Ruled, ScrollArea
from app.gui.kit.theme import Theme, styled
from app.gui.kit.toast import UNDO
from app.gui.scope.actions import TEACH, WHY_NOT
from app.gui.scope.overlays import PANES, Overlay, Overlays
from app.gui.scope.query_line import QueryLine

if TYPE_CHECKING:
    from app.services.status import Status
    from app.services.workbench import Workbench
    from app.settings.model import Settings


REST_MS = 1_200
"""Debounce of typing in ms before a hint is shown or hidden."""

ABOUT: Mapping[str, Action] = {row.key: row for row in (WHY_NOT, TEACH, UNDO)}
"""Actions that hints are about."""


class Guide(QObject):
    """Shows hints after a pause in typing, and only with a file to store them in.

    So no pane moves while the user types.
    """

    action_requested = Signal(str)  # key of an action of the window
    page_requested = Signal(str, str)  # key of a page, and of an item on it

    def __init__(self, theme: Theme, worker: Worker, line: QueryLine, scope_state: Callable[[], ScopeState]) -> None:
        super().__init__(line)
        self.strip = HintStrip(theme)
        self.guided = GuideState()
        self._worker, self._line, self._scope_state = worker, line, scope_state
        self._file: Path | None = None
        self.seen = ""
        """Last query at a pause in typing."""
        self._is_stored = False
        self._hint: Hint | None = None
        self._steps: tuple[NextStep, ...] = ()
        self.rest = single_shot(self, REST_MS, self.check)
        queued = Qt.ConnectionType.QueuedConnection
        line.changed.connect(self._wait)
        worker.settled.connect(self._wait, queued)  # an answer may come after the pause in typing
        for stored in (worker.taught, worker.trigger_added, worker.marked):
            stored.connect(self._on_stored, queued)
        worker.changed.connect(self._on_change, queued)
        self.strip.pressed.connect(self._on_pressed)
        self.strip.closed.connect(self._on_closed)

    def persist_in(self, file: Path) -> None:
        """Load the shown hints from a file, and store new ones in it."""
        self._file, self.guided = file, read_guide(file)

    def check(self) -> None:
        """Show the hint that fits the screen, or none, at a pause in typing."""
        state = self._scope_state()
        if self._file is None or state.inspection is None or not self._line.isVisible():
            return
        guided, text = self.guided, self._line.text().strip()
        if text == self.seen and not self._is_stored:
            return
        if text != self.seen:
            self.seen = text
            guided = guided.with_query()
        moment, self._is_stored = self._moment(state), False
        self._hint = guided.hint(moment)
        self._steps = () if self._hint is not None else guided.steps(state.status)
        self._store(guided if self._hint is None else replace(guided, told=guided.told | {self._hint.key}))
        self._show_hint()

    def _moment(self, state: ScopeState) -> GuideEvent:
        if self._is_stored:
            return GuideEvent.STORED
        found = state.inspection is not None and any(match.is_found for match in state.inspection.matches)
        return GuideEvent.FOUND if found else GuideEvent.NOT_FOUND

    def _show_hint(self) -> None:
        hint, steps = self._hint, self._steps
        if hint is not None:
            links = [(hint.act, hint.word)] if hint.word else []
            self.strip.show_hint(hint.text.format(key=ABOUT[hint.act].keys[0]), links)
        elif steps:
            self.strip.show_hint("Next:", [(step.key, step.title) for step in steps])
        else:
            self.strip.show_hint("", ())

    def _wait(self) -> None:
        self.rest.start()

    def _on_stored(self) -> None:
        self._is_stored = True
        self.rest.start()

    def _on_change(self) -> None:
        """Remove completed steps from the hint."""
        if self._steps and (left := self.guided.steps(self._scope_state().status)) != self._steps:
            self._steps = left
            self._show_hint()

    def _on_pressed(self, key: str) -> None:
        step = next((step for step in self._steps if step.key == key), None)
        if step is None:
            self._on_closed()
            self.action_requested.emit(key)
            return
        if step.is_done is None:  # otherwise the step stays until it is done
            self._store(replace(self.guided, taken=self.guided.taken | {step.key}))
        self._on_change()
        self.page_requested.emit(step.page, step.place)

    def _on_closed(self) -> None:
        if self._steps:
            self._store(replace(self.guided, is_over=True))
        self._hint, self._steps = None, ()
        self._show_hint()
        self._line.setFocus(Qt.FocusReason.OtherFocusReason)

    def _store(self, guided: GuideState) -> None:
        file = self._file
        if guided == self.guided or file is None:
            return
        self.guided = guided

        async def store(_: Workbench) -> None:
            write_guide(guided, file)

        self._worker.do(store, lambda _: None, lambda _: None)


# ---- Strip below the panes: one hint with links and a button to close it.


class HintStrip(Ruled):
    """A sentence, up to three links, and a cross; hidden without a hint."""

    ground = "accent_soft"
    mark = "accent"

    pressed = Signal(str)  # key of a link
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.links: list[QPushButton] = []
        self.sentence = styled(ElidedLabel(), role="body")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.close_it = button("", link=True, tip="Close this line", press=self.closed.emit)
        self._row = row = spaced(QHBoxLayout(self), theme.px(8), theme.px(16), theme.px(4), theme.px(12), theme.px(4))
        fill(row, self.sentence, 1, self.close_it)
        theme.follow(self._apply_theme)
        self.setVisible(False)

    def show_hint(self, sentence: str, links: Sequence[tuple[str, str]]) -> None:
        """Show a hint with a link for each key and word; hidden for ""."""
        for link in self.links:
            self._row.removeWidget(link)
            link.deleteLater()
        self.links = []
        for place, (key, word) in enumerate(links):
            link = button(word, link=True, press=partial(self.pressed.emit, key))
            self._row.insertWidget(1 + place, link)
            self.links.append(link)
        self.sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self.setVisible(bool(sentence))

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)

    def _apply_theme(self) -> None:
        size = self.theme.px(14)
        self.close_it.setIcon(icons.icon("cross", self.theme.tokens.text_2))
        self.close_it.setIconSize(QSize(size, size))


# ---- File in the profile with the shown hints.


GUIDE_FILE = "guide.json"
FORMAT = 1
"""Version of the file format; files of other versions are ignored."""


def read_guide(file: Path) -> GuideState:
    """Read the shown hints; none without a file, or if it is damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            return GuideState()
        told, taken = (frozenset(str(key) for key in found[name]) for name in ("told", "taken"))
        queries = min(STEPS_FROM, max(0, int(found["queries"])))
        return GuideState(told, taken, queries, found["over"] is True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return GuideState()


def write_guide(guided: GuideState, file: Path) -> None:
    """Store the hints atomically; a read-only profile keeps its file."""
    kept = {
        "format": FORMAT,
        "told": sorted(guided.told),
        "taken": sorted(guided.taken),
        "queries": guided.queries,
        "over": guided.is_over,
    }
    write_state(file, kept)


class SampleLines(QWidget):
    """Line per sample: what it shows, and a button with its text."""

    query_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.shown: tuple[tuple[str, str], ...] = ()
        self.buttons: list[QPushButton] = []
        self._titles: list[QLabel] = []
        self._grid = spaced(QGridLayout(self), None)
        self._grid.setColumnStretch(2, 1)
        self._grid.setHorizontalSpacing(theme.px(16))
        self._grid.setVerticalSpacing(theme.px(4))

    def offer(self, samples: tuple[Sample, ...], *, has_llm: bool) -> None:
        """Show these samples; nothing happens if they are already shown."""
        wanted = tuple((sample.title(has_llm=has_llm), sample.text) for sample in samples)
        if wanted == self.shown:
            return
        self.shown = wanted
        for widget in (*self._titles, *self.buttons):
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._titles, self.buttons = [], []
        for place, (title, text) in enumerate(wanted):
            self._add(place, title, text)

    def _add(self, place: int, title: str, text: str) -> None:
        label = styled(QLabel(title), role="caption")
        label.setTextFormat(Qt.TextFormat.PlainText)
        chip = styled(button(text, press=lambda: self.query_requested.emit(text)), role="sample")
        chip.setAccessibleName(f"{title}: {text}")
        chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._grid.addWidget(label, place, 0)
        self._grid.addWidget(chip, place, 1)
        self._titles.append(label)
        self.buttons.append(chip)


class Samples(ScrollArea):
    """Samples in a scroll area, below a sentence."""

    def __init__(self, theme: Theme) -> None:
        inside, self.lines = QWidget(), SampleLines(theme)
        super().__init__(inside, "Queries to try")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        wide, high = theme.px(16), theme.px(12)
        head = styled(QLabel("Queries to try", wordWrap=True), role="title")
        fill(spaced(QVBoxLayout(inside), theme.px(8), wide, high, wide, high), head, self.lines, 1)


# ---- Choice of samples by the contents of the library.


class SampleOffers(QObject):
    """Offers samples after each change of the library; none if their answers would differ."""

    offered = Signal(tuple, bool)  # the samples, True if an LLM is set up

    def __init__(self, page: QObject, worker: Worker) -> None:
        super().__init__(page)
        self._job = Job(worker, self)
        self._counts: dict[str, int] = {}
        self._has_llm = False
        self._found: tuple[Sample, ...] = ()
        worker.changed.connect(self._on_change, Qt.ConnectionType.QueuedConnection)

    def _on_change(self, status: Status, _settings: Settings, _origins: object) -> None:
        self._has_llm = status.llm.outcome is not LlmOutcome.OFF
        if dict(status.counts) != self._counts:
            self._counts = dict(status.counts)
            self._job.run(_available_samples, self._on_found)
        self._offer()

    def _on_found(self, found: tuple[Sample, ...]) -> None:
        self._found = found
        self._offer()

    def _offer(self) -> None:
        self.offered.emit(self._found, self._has_llm)


async def _available_samples(bench: Workbench) -> tuple[Sample, ...]:
    """Return the samples whose answers this library has."""
    from app.display.scope.guide import samples_for

    return samples_for(bench.catalogue.holds)


# ---- Card of an empty profile: purpose of the program, three ways to begin, then sample queries.


_WIDTH, _PAD, _AROUND = 704, 20, 8


class Card(QFrame):
    """Framed column: an icon, a headline, and widgets below."""

    def __init__(self, theme: Theme, icon: str, headline: str, sentence: str = "") -> None:
        super().__init__()
        self.theme, self._icon = theme, icon
        styled(self, role="card")
        self.column = spaced(QVBoxLayout(self), theme.px(8), *(theme.px(_PAD),) * 4)
        self._picture = QLabel()
        self.column.addWidget(self._picture)
        self.headline = WrappedLabel(headline, role="headline")
        self.column.addWidget(self.headline)
        if sentence:
            self.column.addWidget(WrappedLabel(sentence, role="caption"))
        self.column.addSpacing(theme.px(8))
        self.setMaximumWidth(theme.px(_WIDTH))
        theme.follow(self._apply_theme)

    def _apply_theme(self) -> None:
        self._picture.setPixmap(icons.pixmap(self._icon, self.theme.tokens.accent, self.theme.px(28), 2.0))


class WelcomeView(Overlay):
    """View of one card at a time: `ways` to begin, or queries to `try_`."""

    def __init__(self, theme: Theme, steps: FirstSteps) -> None:
        super().__init__(theme, "First steps", steps.close)
        self.lines = SampleLines(theme)
        self.lines.query_requested.connect(steps.try_query)
        self.sample = button("Try the sample library", primary=True, press=steps.sample_requested.emit)
        self.own = button("Import my file…", press=lambda: steps.action_requested.emit("import"))
        self.teach = button("Teach one answer…", press=lambda: steps.action_requested.emit("teach"))
        self.ways = self._ways()
        self.try_ = self._try()
        inside = QWidget()
        middle = spaced(QVBoxLayout(inside), None, *(theme.px(_AROUND),) * 4)
        middle.addStretch(1)
        for card in (self.ways, self.try_):
            row = fill(QHBoxLayout(), 1, (card, 1000), 1)
            middle.addLayout(row)
        middle.addStretch(2)
        area = ScrollArea(inside, "")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        fill(spaced(QVBoxLayout(self), None), area)

    def _ways(self) -> Card:
        card = Card(
            self.theme, "scope", "Intentscope shows which of your memories or tools a query would call, and why."
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(self.theme.px(16))
        grid.setVerticalSpacing(self.theme.px(12))
        grid.setColumnStretch(1, 1)
        ways: tuple[tuple[QPushButton, str], ...] = (
            (self.sample, "Answers and tools of a software team, to try. Ctrl+K, “undo” removes them."),
            (self.own, "CSV, JSON Lines, YAML, TOML and more; or drop it on the window."),
            (self.teach, "A query that people would type, and what it should return."),
        )
        for row, (made, what) in enumerate(ways):
            made.setAccessibleDescription(what)
            grid.addWidget(made, row, 0)
            grid.addWidget(WrappedLabel(what, role="caption"), row, 1)
        card.column.addLayout(grid)
        return card

    def _try(self) -> Card:
        card = Card(self.theme, "search", "", "Each one shows a different outcome.")
        card.column.addWidget(self.lines)
        card.column.addSpacing(self.theme.px(8))
        foot = fill(QHBoxLayout(), self.close_it, 1)
        card.column.addLayout(foot)
        return card

    def show_ways(self, on: bool, *, waits: bool = False) -> None:
        """Show the ways to begin, or the sample queries, whose library may still be loading."""
        offer, wait = "Try one of these, or type a query above", "Adding the sample library"
        self.try_.headline.show_text(wait if waits else offer)
        self.ways.setVisible(on)
        self.try_.setVisible(not on)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.theme.color("bg"))


# ---- State of the card: empty profile, or sample library just added.


class FirstSteps(Overlays[WelcomeView]):
    """State machine: ways to begin, sample queries, or panes.

    The ways are shown while nothing is stored or typed, the sample queries after the sample library was added, and the
    panes from the next letter on. It never covers another view.
    """

    sample_requested = Signal()
    action_requested = Signal(str)  # key of an action of the window
    query_requested = Signal(str)  # a query to type
    flipped = Signal()  # the card was shown or hidden

    def __init__(self, theme: Theme, place: QStackedWidget, line: QueryLine) -> None:
        super().__init__(place, line)
        self._theme = theme
        self._samples: tuple[Sample, ...] = ()
        self._has_llm = False
        self._state = ScopeState()
        self._is_new = self._waits = False
        line.changed.connect(self._on_text)

    def show_state(self, state: ScopeState) -> None:
        """Show or hide the card for this state of the scope."""
        self._state = state
        self._update_card()

    def offer(self, samples: tuple[Sample, ...], has_llm: bool) -> None:
        """Offer sample queries whose answers the library has."""
        self._samples, self._has_llm = samples, has_llm
        self._update_card()

    def await_sample(self) -> None:
        """Wait for the sample library; the next letter replaces the text."""
        self._is_new = self._waits = True
        self._line.setFocus(Qt.FocusReason.OtherFocusReason)
        self._line.selectAll()
        self._update_card()

    def sample_loaded(self) -> None:
        """Stop waiting: the sample library is loaded, or failed to load."""
        self._waits = False
        self._update_card()

    def close(self) -> None:
        """Go back to the panes, or to the query line alone if there is nothing to show."""
        self._is_new = False
        self._update_card()
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_stops(self) -> list[QWidget]:
        view = self.view
        if view is None:
            return []
        targets = [view.sample] if view.ways.isVisible() else view.lines.buttons
        return [*targets[:1]]

    def _on_text(self) -> None:
        self._is_new = False
        self._update_card()

    def try_query(self, text: str) -> None:
        self._is_new = False
        self._update_card()
        self.query_requested.emit(text)

    def _update_card(self) -> None:
        is_empty = self._state.has_empty_library and not self._line.text().strip()
        tries = self._is_new and (self._waits or bool(self._samples))
        if (is_empty or tries) and not any(self._state.faults.values()):  # the panes show faults and their remedies
            if self.is_open or self._place.currentIndex() == PANES:
                view = self._lay_over()
                view.lines.offer(self._samples, has_llm=self._has_llm)
                view.show_ways(not tries, waits=self._waits)
        elif self.is_open:
            self._place.setCurrentIndex(PANES)

    def _make_view(self) -> WelcomeView:
        return WelcomeView(self._theme, self)

    def _on_toggled(self) -> None:
        was_open = self._was_open
        super()._on_toggled()
        if was_open is not self.is_open:
            self.flipped.emit()
