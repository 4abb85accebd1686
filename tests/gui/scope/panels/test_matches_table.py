"""Tests of moving rows: animated in pauses of typing; selection, scroll and identity stay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QAbstractAnimation, QPersistentModelIndex
from pytestqt.qtbot import QtBot

from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.theme.theme import Preference
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked
from tests.gui.inspections import FakeWorkbench


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener) -> MainWindow:
    made = open_window(FakeWorkbench())
    asked(qtbot, made)
    qtbot.waitUntil(lambda: made.scope_state.inspection is not None and made.scope_state.inspection.phase != "floor")
    made.worker.drop()
    return made


def pane(window: MainWindow) -> MatchesPanel:
    return of_type(window.panels["matches"], MatchesPanel)


def flipped(window: MainWindow, *, is_typing: bool) -> ScopeState:
    """Return the same answers in reverse order."""
    inspection = some(window.scope_state.inspection)
    return replace(
        window.scope_state, inspection=replace(inspection, matches=inspection.matches[::-1]), is_typing=is_typing
    )


def test_that_rows_glide_from_where_they_were(qtbot: QtBot, window: MainWindow) -> None:
    view = pane(window).view
    high = view.rowHeight(0)
    pane(window).show_state(flipped(window, is_typing=False))
    assert view.is_gliding
    offsets = [view.offset(row) for row in range(len(pane(window).model.rows))]
    assert min(offsets) < 0 < max(offsets)
    assert max(offsets) >= high / 2
    qtbot.waitUntil(lambda: not view.is_gliding)
    assert view.offset(0) == 0


def test_that_the_first_power_is_below_its_heading(window: MainWindow) -> None:
    view, model = pane(window).view, pane(window).model
    inspection = some(window.scope_state.inspection)
    answers = (*inspection.memories[:2], *inspection.powers[:2])
    for matches in (answers, answers[1:], answers[:2], answers[1:3]):
        pane(window).show_state(replace(window.scope_state, inspection=replace(inspection, matches=matches)))
        high = view.verticalHeader().defaultSectionSize()
        taller = [view.rowHeight(place) - high for place in range(len(model.rows))]
        assert taller == [view.heading * row.starts_list for row in model.rows]
        assert (view.heading > 0) is any(row.starts_list for row in model.rows)


def test_that_a_glide_takes_120_ms(window: MainWindow) -> None:
    assert window.theme.duration(120) == 120
    pane(window).show_state(flipped(window, is_typing=False))
    glide = some(pane(window).view.findChild(QAbstractAnimation))
    assert glide.duration() == 120


def test_that_rows_are_set_at_once_while_someone_types(window: MainWindow) -> None:
    pane(window).show_state(flipped(window, is_typing=True))
    assert not pane(window).view.is_gliding
    assert pane(window).view.offset(0) == 0


def test_that_a_key_ends_a_glide(window: MainWindow) -> None:
    pane(window).show_state(flipped(window, is_typing=False))
    assert pane(window).view.is_gliding
    pane(window).show_state(replace(window.scope_state, is_typing=True))
    assert not pane(window).view.is_gliding


def test_that_nothing_glides_where_less_motion_is_wished(window: MainWindow) -> None:
    window.theme.set_appearance(replace(window.theme.appearance, reduced_motion=Preference.ON))
    pane(window).show_state(flipped(window, is_typing=False))
    assert not pane(window).view.is_gliding


def test_that_typing_counts_as_typing_until_a_pause(window: MainWindow) -> None:
    assert window.scope_state.is_typing
    window.bar.box.line.keyed_at -= 1.0
    window.scope.show_core_state(window.core_state) if window.core_state is not None else None
    assert not window.scope_state.is_typing


def test_that_a_change_of_order_keeps_selection_scroll_and_model(window: MainWindow) -> None:
    panel = pane(window)
    resets: list[int] = []
    panel.model.modelReset.connect(lambda: resets.append(1))
    panel.view.verticalScrollBar().setValue(40)
    scroll = panel.view.verticalScrollBar().value()
    picked = panel.model.rows[2]
    scope_state = replace(flipped(window, is_typing=False), selected=picked.match)
    before = QPersistentModelIndex(panel.model.index(0, 0))
    panel.show_state(scope_state)
    assert resets == []
    assert before.isValid()
    assert panel.view.verticalScrollBar().value() == scroll
    assert panel.model.rows[panel.view.currentIndex().row()].key == picked.key


def test_that_gliding_rows_are_painted_between_their_places(qtbot: QtBot, window: MainWindow) -> None:
    view = pane(window).view
    pane(window).show_state(flipped(window, is_typing=False))
    during = view.viewport().grab().toImage()
    assert view.is_gliding
    qtbot.waitUntil(lambda: not view.is_gliding)
    after = view.viewport().grab().toImage()
    assert during != after
    assert after == view.viewport().grab().toImage()
