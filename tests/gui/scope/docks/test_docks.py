"""Tests of panes as docks: moved, hidden, floated, remembered, and reset."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.scope.docks import panes
from app.gui.scope.docks.arrangement import FILE, Arrangement, Pane, Place, read
from app.gui.scope.docks.docks import WIDTH
from app.gui.scope.docks.layout import DEFAULT
from app.gui.scope.panels.registry import PANELS, Area
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.dock_windows import Opened, dock, layout_of, opener_of_sizes, panes_of, unfold
from tests.gui.inspections import FakeWorkbench

LEFT_BUTTON = Qt.MouseButton.LeftButton


@pytest.fixture
def opened(qtbot: QtBot, open_window: Opener) -> Opened:
    return opener_of_sizes(qtbot, open_window)


@pytest.mark.parametrize(
    ("size", "left", "right", "below"), [((1280, 800), 280, 290, 200), ((1920, 1080), 384, 580, 244)]
)
def test_that_panes_begin_as_designed(opened: Opened, size: tuple[int, int], left: int, right: int, below: int) -> None:
    window = opened(*size)
    px = window.theme.px
    assert not dock(window, "session").isVisible()
    unfold(window)
    assert dock(window, "intent").width() == px(left)
    assert dock(window, "selected").width() == px(right)
    assert abs(dock(window, "session").height() - px(below)) <= 1
    assert dock(window, "intent").head.height() == px(34)


def test_that_panes_beside_the_centre_are_docks_with_names_and_hairlines(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    assert set(layout_of(window).docks) == {row.key for row in PANELS if row.area is not Area.CENTER}
    for one in layout_of(window).docks.values():
        assert one.accessibleName() == one.panel.accessibleName() == one.windowTitle()
        assert one.dots.accessibleName()
    by_name = {made.name: made for made in layout_of(window).strip.buttons}
    qtbot.waitUntil(lambda: by_name["This query"].accessibleDescription() == "8.6 ms")
    assert by_name["Type"].accessibleDescription() == "From keywords"
    by_name["Type"].click()
    assert dock(window, "intent").isVisible()
    unfold(window)
    center = layout_of(window).center.geometry()
    assert center.left() - dock(window, "intent").geometry().right() == 2
    assert dock(window, "selected").geometry().left() - center.right() == 2
    image = layout_of(window).main.grab().toImage()
    assert image.pixelColor(center.left() - 1, 5) == window.theme.color("border")
    layout = layout_of(window)
    line = dock(window, "intent").geometry().right() + 1
    qtbot.waitUntil(lambda: line in [grip.hairline.x() for grip in layout.grips.shown])
    grip = next(grip for grip in layout.grips.shown if grip.hairline.x() == line)
    assert grip.width() == WIDTH >= 6
    before = dock(window, "intent").width()
    QTest.mousePress(grip, LEFT_BUTTON, pos=QPoint(0, 40))
    QTest.mouseMove(grip, QPoint(50, 40))
    qtbot.waitUntil(lambda: dock(window, "intent").width() == before + 50)
    QTest.mouseRelease(grip, LEFT_BUTTON, pos=QPoint(50, 40))
    qtbot.waitUntil(lambda: "left" in layout.sizes)
    assert set(layout.sizes) == {"left"}
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: dock(window, "selected").width() > window.theme.px(300))
    assert dock(window, "intent").width() == before + 50


def test_that_a_pane_is_moved_hidden_and_shown_by_keys_mouse_and_menu(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    unfold(window)
    layout = layout_of(window)
    layout.put("selected", Place.LEFT)
    assert dock(window, "selected").x() == dock(window, "intent").x() == 0
    assert layout.center.geometry().right() == layout.main.rect().right()
    layout.show_pane("selected", False)
    assert not dock(window, "selected").isVisible()
    panes_of(window).toggle("selected")
    assert dock(window, "selected").isVisible()
    assert dock(window, "selected").x() == 0
    panes_of(window).reset()
    assert layout.arrangement() == DEFAULT
    assert dock(window, "selected").x() > layout.center.geometry().right()
    rows = {row.key: row for row in panes_of(window).actions()}
    assert rows["pane_selected"].shortcuts == ("F4",)
    rows["pane_intent_show"].act()
    assert dock(window, "intent").isVisible()
    rows["pane_intent_show"].act()
    assert not dock(window, "intent").isVisible()
    rows["pane_intent_right"].act()
    assert dock(window, "intent").isVisible()
    assert dock(window, "intent").place is Place.RIGHT
    rows["pane_powers_show"].act()
    assert window.panels["powers"].isVisible()
    rows["panes_reset"].act()
    assert layout_of(window).arrangement() == DEFAULT
    assert not window.panels["powers"].isVisible()
    head = dock(window, "selected").head
    QTest.mousePress(head, LEFT_BUTTON, pos=QPoint(100, 10))
    for step in range(1, 8):
        QTest.mouseMove(head, QPoint(100 - 40 * step, 10 + 30 * step))
    QTest.mouseRelease(head, LEFT_BUTTON, pos=QPoint(-180, 220))
    qtbot.waitUntil(lambda: dock(window, "selected").isFloating())
    assert dock(window, "selected").isVisible()
    panes_of(window).toggle_float("selected")
    assert not dock(window, "selected").isFloating()
    unfold(window)
    menu = panes_of(window).menu(dock(window, "llm"))
    action_rows = {action.text(): action for action in menu.actions() if action.text()}
    assert list(action_rows) == ["Move left", "Move right", "Move below", "Float", "Fold", "Reset layout"]
    assert not action_rows["Move left"].isEnabled()
    action_rows["Move below"].trigger()
    assert dock(window, "llm").place is Place.BELOW
    assert dock(window, "llm").height() == dock(window, "session").height()
    action_rows["Fold"].trigger()
    assert not dock(window, "llm").isVisible()
    (again,) = layout_of(window).strip.buttons
    assert again.accessibleName() == "Open LLM"
    again.click()
    assert dock(window, "llm").isVisible()
    menu.deleteLater()


def test_that_a_pane_beside_is_resized_by_keys_and_an_edge_that_cannot_move_says_so(opened: Opened) -> None:
    window = opened(1600, 1000)
    rows = {row.key: row for row in panes_of(window).actions()}
    window.focus_query()
    assert "F6" in rows["pane_wider"].refusal()
    unfold(window)
    layout_of(window).put("llm", Place.BELOW)
    for key, grows, shrinks in (
        ("intent", "pane_wider", "pane_narrower"),
        ("selected", "pane_wider", "pane_narrower"),
        ("llm", "pane_higher", "pane_lower"),
    ):
        extent = dock(window, key).height if key == "llm" else dock(window, key).width
        before = extent()
        panes_of(window).enter(key)
        assert rows[grows].refusal() == ""
        rows[grows].act()
        assert extent() == before + window.theme.px(panes.STEP)
        rows[shrinks].act()
        assert extent() == before
        assert "pane cannot" not in window.toast.accessibleName()
    panes_of(window).enter("intent")
    for _ in range(40):
        panes.resize(layout_of(window), dock(window, "intent"), panes.STEP, across=True)
    widest = dock(window, "intent").width()
    assert not panes.resize(layout_of(window), dock(window, "intent"), panes.STEP, across=True)
    panes.resize(layout_of(window), dock(window, "intent"), -panes.STEP, across=True)
    assert dock(window, "intent").width() < widest


# ---- remembering


def test_that_arrangements_outlast_a_restart(qtbot: QtBot, opened: Opened, open_window: Opener, tmp_path: Path) -> None:
    window = opened()
    panes_of(window).persist_in(tmp_path / FILE)
    layout = layout_of(window)
    unfold(window)
    layout.put("selected", Place.LEFT)
    layout.show_pane("session", False)
    layout.float_("llm")
    window.act("selected_computed")
    kept = layout.arrangement()
    qtbot.waitUntil(lambda: read(tmp_path / FILE) == kept)
    again = open_window(FakeWorkbench())
    panes_of(again).persist_in(tmp_path / FILE)
    assert layout_of(again).arrangement() == kept
    assert not dock(again, "session").isVisible()
    assert dock(again, "llm").isFloating()
    assert layout.arrangement().sections == {"computed"}


def test_that_what_was_just_arranged_is_written_at_the_end_and_nothing_before(opened: Opened, tmp_path: Path) -> None:
    window = opened()
    panes_of(window).persist_in(tmp_path / FILE)
    window.resize(1100, 700)
    panes_of(window).remember_now()
    assert not (tmp_path / FILE).exists()
    layout_of(window).put("llm", Place.RIGHT)
    panes_of(window).remember_now()
    remembered = some(read(tmp_path / FILE))
    assert remembered.panes["llm"].place is Place.RIGHT


def test_that_a_damaged_file_leaves_the_design_s_layout(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"format": 2, "panes": {"intent"', encoding="utf-8")
    window = opened()
    panes_of(window).persist_in(tmp_path / FILE)
    assert layout_of(window).arrangement() == DEFAULT
    assert dock(window, "selected").isVisible()


def test_that_a_pane_whose_screen_is_gone_floats_on_one_that_is_there(opened: Opened) -> None:
    layout = layout_of(opened())
    layout.arrange(Arrangement({"llm": Pane(Place.LEFT, True, (9_000, 9_000, 400, 300))}, {}))
    where = layout.docks["llm"].geometry()
    assert QGuiApplication.screenAt(where.center()) is not None
    assert where.width() == 400


def test_that_unknown_panes_are_ignored_and_new_ones_shown(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        '{"format": 2, "panes": {"gone": {"place": "left", "shown": true, "floats": null}}, "sizes": {"gone": 3}}',
        encoding="utf-8",
    )
    window = opened()
    panes_of(window).persist_in(tmp_path / FILE)
    assert layout_of(window).arrangement() == DEFAULT


@pytest.mark.parametrize(("width", "is_open"), [(1280, False), (1920, True)])
def test_that_the_left_panes_are_open_where_there_is_room(opened: Opened, width: int, is_open: bool) -> None:
    window = opened(width, 1000)
    assert dock(window, "intent").isVisible() is is_open
    folded = [made.name for made in layout_of(window).strip.buttons]
    assert folded[-2:] == ["This query", "This session"]
    assert ("Type" in folded) is not is_open
