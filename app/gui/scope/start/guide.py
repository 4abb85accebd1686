"""Guide of the first sessions: each hint once, and next steps after some queries."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from app.display.scope.guide import STEPS_FROM, GuideEvent, GuideState, Hint, NextStep
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import ElidedLabel, button, single_shot
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.kit.toast import UNDO
from app.gui.scope.actions import TEACH, WHY_NOT
from app.gui.scope.query_line import QueryLine

if TYPE_CHECKING:
    from app.services.workbench import Workbench


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
        self._file, self.guided = file, read(file)

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
            write(guided, file)

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
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
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


log = logging.getLogger(__name__)

FILE = "guide.json"
FORMAT = 1
"""Version of the file format; files of other versions are ignored."""


def read(file: Path) -> GuideState:
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


def write(guided: GuideState, file: Path) -> None:
    """Store the hints atomically; a read-only profile keeps its file."""
    from app.files import write_private

    kept = {
        "format": FORMAT,
        "told": sorted(guided.told),
        "taken": sorted(guided.taken),
        "queries": guided.queries,
        "over": guided.is_over,
    }
    try:
        write_private(file, json.dumps(kept, indent=1).encode(), waits=False)
    except OSError as error:
        log.info("The hints shown so far could not be stored: %s", error)
