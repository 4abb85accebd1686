"""Tests of panes as docks: moved, floated, remembered, reset, and collapsed in small windows."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.library import Kind, Power
from app.gui.scope import dock_panes
from app.gui.scope.dock_layout import (
    BELOW,
    DEFAULT,
    FILE,
    LEAST_SIDE,
    LEFT,
    RIGHT,
    Arrangement,
    Pane,
    read,
    room,
    write,
)
from app.gui.scope.docks import WIDTH
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.panel import Place
from app.gui.scope.panels.registry import PANELS
from app.gui.scope.panels.session import SessionPanel
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.dock_windows import Opened, asked, dock, layout_of, opener_of_sizes, panes_of, unfold
from tests.gui.inspections import TEXT, FakeWorkbench

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
    assert set(layout_of(window).docks) == {row.key for row in PANELS if row.place}
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
    assert window.scope.panels["powers"].isVisible()
    rows["panes_reset"].act()
    assert layout_of(window).arrangement() == DEFAULT
    assert not window.scope.panels["powers"].isVisible()
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
    window.act("query")
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
        assert extent() == before + window.theme.px(dock_panes.STEP)
        rows[shrinks].act()
        assert extent() == before
        assert "pane cannot" not in window.toast.accessibleName()
    panes_of(window).enter("intent")
    for _ in range(40):
        dock_panes.resize(layout_of(window), dock(window, "intent"), dock_panes.STEP, across=True)
    widest = dock(window, "intent").width()
    assert not dock_panes.resize(layout_of(window), dock(window, "intent"), dock_panes.STEP, across=True)
    dock_panes.resize(layout_of(window), dock(window, "intent"), -dock_panes.STEP, across=True)
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


@pytest.mark.parametrize(
    "content",
    [
        '{"format": 2, "panes": {"intent"',
        '{"format": 2, "panes": {"gone": {"place": "left", "shown": true, "floats": null}}, "sizes": {"gone": 3}}',
    ],
)
def test_that_a_damaged_file_or_unknown_panes_leave_the_design_s_layout(
    opened: Opened, tmp_path: Path, content: str
) -> None:
    (tmp_path / FILE).write_text(content, encoding="utf-8")
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


@pytest.mark.parametrize(("width", "is_open"), [(1280, False), (1920, True)])
def test_that_the_left_panes_are_open_where_there_is_room(opened: Opened, width: int, is_open: bool) -> None:
    window = opened(width, 1000)
    assert dock(window, "intent").isVisible() is is_open
    folded = [made.name for made in layout_of(window).strip.buttons]
    assert folded[-2:] == ["This query", "This session"]
    assert ("Type" in folded) is not is_open


KEPT = Arrangement(
    {
        "selected": Pane(Place.LEFT),
        "intent": Pane(Place.BELOW, False),
        "llm": Pane(Place.RIGHT, True, (-40, 20, 300, 200)),
    },
    {"left": 310.5},
    frozenset({"words"}),
)


def test_that_what_is_written_is_read_again_in_its_order(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "panes.json"
    write(KEPT, file)
    again = read(file)
    assert again == KEPT
    assert again is not None
    assert list(again.panes) == ["selected", "intent", "llm"]
    assert [path.name for path in file.parent.iterdir()] == ["panes.json"]


def _changed(*path: str, to: object) -> str:
    found = {"format": 2, "panes": {"intent": {"place": "left", "shown": True, "floats": None}}, "sizes": {"left": 300}}
    at: dict[str, object] = found
    for step in path[:-1]:
        at = at[step]  # type: ignore[assignment]
    at[path[-1]] = to
    return json.dumps(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 2}',
        _changed("format", to=0),
        _changed("format", to=1),
        _changed("panes", to=[]),
        _changed("panes", "intent", to=3),
        _changed("panes", "intent", "place", to="above"),
        _changed("panes", "intent", "shown", to="yes"),
        _changed("panes", "intent", "floats", to=[1, 2, 3]),
        _changed("panes", "intent", "floats", to=[1, 2, 0, 0]),
        _changed("panes", "intent", "floats", to=[1, 2, 1e300, 4]),
        _changed("sizes", "left", to="wide"),
        _changed("sizes", "left", to=-1),
        _changed("sizes", "left", to=True),
        _changed("sections", to=3),
    ],
)
def test_that_a_damaged_or_older_file_is_ignored(tmp_path: Path, text: str) -> None:
    file = tmp_path / "panes.json"
    file.write_text(text, encoding="utf-8")
    assert read(file) is None


def test_that_bytes_that_are_no_text_and_folders_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "panes.json"
    file.write_bytes(b"\xff\xfe\x00")
    assert read(file) is None
    assert read(tmp_path) is None
    assert read(tmp_path / "none.json") is None


def test_that_a_place_that_cannot_be_written_to_changes_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    write(KEPT, blocked / "panes.json")
    assert blocked.read_text(encoding="utf-8") == "in the way"


@pytest.mark.parametrize(("size", "scale"), [((1024, 640), 1.0), ((1280, 800), 2.0), ((1024, 640), 2.0)])
def test_that_the_window_keeps_its_size_and_never_loses_winner_and_confidence(
    qtbot: QtBot, open_window: Opener, size: tuple[int, int], scale: float
) -> None:
    bench = FakeWorkbench()
    bench.values["text_scale"] = scale
    window = open_window(bench)
    window.resize(*size)
    asked(qtbot, window)
    qtbot.waitUntil(lambda: window.theme.scale >= scale)
    qtbot.wait(1)
    assert window.size().toTuple() == size
    view = window.scope.panels["matches"].focus_target()
    assert view.isVisible()
    assert isinstance(view, QTableView)
    assert view.height() >= view.rowHeight(0) > 0
    line = window.bar.box.line
    assert line.height() == line.height_of(line.lines), "the whole query is shown"
    verdict = window.scope.verdict
    told = " ".join(line.text() for line in (verdict.headline, *verdict.reasons) if line.isVisible() and line.height())
    assert all(reason in told for reason in some(verdict.shown).reasons)
    center = layout_of(window).center.geometry()
    assert layout_of(window).main.rect().contains(center)
    assert layout_of(window).strip.isVisible()


def test_that_large_text_leaves_room_for_a_power_and_the_link_to_why_not(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.values["text_scale"] = 2.0
    window = open_window(bench)
    window.resize(1280, 800)
    asked(qtbot, window)
    matches = of_type(window.scope.panels["matches"], MatchesPanel)
    qtbot.waitUntil(lambda: {row.kind for row in matches.model.rows} == set(Kind) and not matches.more.isVisible())
    qtbot.waitUntil(lambda: not some(window.scope.state.inspection).absent)
    strip, reasons, found = window.scope.verdict, window.scope.verdict.reasons, some(window.scope.state.inspection)
    assert [link.text() for link in strip.links if link.isVisible()][-1] == "Expected something else?"
    qtbot.waitUntil(lambda: reasons[0].fontMetrics().horizontalAdvance(reasons[0].text()) <= reasons[0].width())
    powers = tuple(one for one in found.matches if isinstance(one.answer, Power))
    window.resize(800, 640)
    strip.show_state(replace(window.scope.state, inspection=replace(found, matches=powers)))
    assert len(some(strip.shown).reasons) == 1
    assert all(one.fontMetrics().horizontalAdvance(one.text()) <= one.width() for one in reasons[:3]), "spare lines"


def test_that_f4_opens_the_selected_pane_over_the_centre_until_it_fits(qtbot: QtBot, opened: Opened) -> None:
    window = opened(800, 640)
    line = window.bar.box.line
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    over = dock(window, "selected")
    center = layout_of(window).center.geometry()
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_F4):
        QTest.keyClick(window, Qt.Key.Key_F4)
        assert over.isVisible()
        assert layout_of(window).center.geometry() == center
        assert center.contains(over.geometry())
        assert window.scope.panels["selected"].focus_target().hasFocus()
        QTest.keyClick(some(QApplication.focusWidget()), key)
        assert not over.isVisible()
        assert line.hasFocus()
    assert dock(window, "selected").is_over
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: dock(window, "selected").isVisible())
    assert dock(window, "selected").x() > layout_of(window).center.geometry().right()
    window.resize(800, 640)
    qtbot.waitUntil(lambda: not dock(window, "selected").isVisible())


def test_that_f4_steps_in_and_out_where_the_pane_is_beside(opened: Opened) -> None:
    window = opened()
    window.bar.box.line.setFocus()
    QTest.keyClick(window, Qt.Key.Key_F4)
    assert window.scope.panels["selected"].focus_target().hasFocus()
    QTest.keyClick(window, Qt.Key.Key_F4)
    assert dock(window, "selected").isVisible()
    assert window.bar.box.line.hasFocus()


def test_that_f6_follows_what_is_visible_from_left_to_right(opened: Opened) -> None:
    window = opened()
    unfold(window)
    targets = {key: panel.focus_target() for key, panel in window.scope.panels.items()}
    shown = [next(key for key in targets if targets[key] is stop) for stop in panes_of(window).focus_stops()]
    assert shown == ["intent", "llm", "matches", "selected", "session"]
    layout_of(window).put("intent", Place.RIGHT)
    layout_of(window).put("session", Place.LEFT)
    shown = [next(key for key in targets if targets[key] is stop) for stop in panes_of(window).focus_stops()]
    assert shown == ["llm", "session", "matches", "selected", "intent"]
    window.resize(1024, 640)
    layout_of(window).show_pane("session", False)
    assert targets["session"] not in panes_of(window).focus_stops()


def test_that_the_folded_session_has_its_percentile_and_a_sparkline(qtbot: QtBot, opened: Opened) -> None:
    window = opened(1024, 640)
    panel = of_type(window.scope.panels["session"], SessionPanel)
    made = layout_of(window).strip.buttons[-1]
    panel.note({ON_SCREEN: 12.0})
    qtbot.waitUntil(lambda: made.accessibleDescription() == "nearly all within 12 ms")
    panel.note({ON_SCREEN: 13_306.0})
    qtbot.waitUntil(lambda: made.accessibleDescription() == "nearly all within 13.3 s")
    assert max(made.bars) == 1.0


@pytest.mark.parametrize(("width", "height"), [(820, 640), (800, 500)])
def test_that_what_gave_way_is_offered_beside_the_matches(opened: Opened, width: int, height: int) -> None:
    window = opened(width, height)
    matches = of_type(window.scope.panels["matches"], MatchesPanel)
    assert matches.over.isVisible()
    assert "F4" in matches.over.text()
    assert matches.rect().contains(matches.over.mapTo(matches, matches.over.rect().bottomRight()))
    matches.over.click()
    assert dock(window, "selected").isVisible()
    window.resize(1280, 800)
    assert not matches.over.isVisible()


@pytest.mark.parametrize(("width", "height"), [(1024, 640), (800, 500)])
def test_that_all_scores_stay_in_a_small_window(qtbot: QtBot, opened: Opened, width: int, height: int) -> None:
    window = opened(width, height)
    matches = of_type(window.scope.panels["matches"], MatchesPanel)
    layout_of(window).show_pane("selected", False)
    matches.toggle_columns()
    qtbot.waitUntil(lambda: matches.painter.is_calm is False)
    view = matches.view
    asked = [place for place, key in enumerate(matches.model.scorers, 1) if key in matches.columns.scorers]
    assert asked
    assert not any(view.isColumnHidden(column) for column in asked)
    assert sum(view.columnWidth(column) for column in range(len(matches.model.scorers) + 2)) <= view.viewport().width()


def test_that_a_query_of_some_words_is_seen_from_its_first_letter(opened: Opened) -> None:
    window = opened(800, 640)
    line = window.bar.box.line
    for width in (800, 1024, 1280):
        window.resize(width, 640)
        assert line.text() == TEXT
        assert line.rects(0, 1)
        assert line.fontMetrics().horizontalAdvance(TEXT) < line.width()


@pytest.mark.parametrize(
    ("width", "height", "sizes"), [(1112, 692, (280, 290, 492, 200)), (1752, 972, (384, 580, 728, 244))]
)
def test_that_the_two_designed_windows_have_its_sizes(width: float, height: float, sizes: tuple[float, ...]) -> None:
    assert astuple(room(width, height, {}))[:4] == sizes
    assert not room(width, height, {}).is_overlaid


def test_that_between_them_sizes_grow_evenly() -> None:
    assert room(1432, 832, {}).left == pytest.approx(340)
    assert room(1432, 832, {}).right == pytest.approx(510)


def test_that_dragged_sizes_stay_within_the_design_s_bounds() -> None:
    got = room(1752, 972, {"left": 900.0, "right": 290.0, "below": 10.0})
    assert (got.left, got.right, got.below) == (LEFT[1], 290.0, BELOW[0])


def test_that_what_lies_below_shrinks_before_what_is_above() -> None:
    heights = [room(1112, height, {}) for height in range(700, 400, -10)]
    assert heights[0].below == 200
    assert heights[-1].below == BELOW[0]
    assert room(1112, 700, {}, below=False).above == 700


def test_that_the_right_side_lies_over_the_centre_only_where_the_centre_would_be_too_narrow() -> None:
    assert not room(540 + 280 + 288 + 2, 700, {}).is_overlaid
    assert room(540 + 280 + 288 + 1, 700, {}).is_overlaid
    assert not room(700, 700, {}, yields=False).is_overlaid
    assert not room(700, 700, {}, right=False).is_overlaid


@given(
    st.floats(600, 4000),
    st.floats(300, 2500),
    st.dictionaries(st.sampled_from(("left", "right", "below")), st.floats(0, 2000)),
    st.booleans(),
)
def test_that_the_centre_never_goes(width: float, height: float, wished: dict[str, float], yields: bool) -> None:
    got = room(width, height, wished, yields=yields)
    beside = 0.0 if got.is_overlaid else got.right
    assert width - got.left - beside >= min(320, width - 2 * LEAST_SIDE - 2)
    assert got.above > 0
    assert LEAST_SIDE <= got.left <= LEFT[1]
    assert got.right <= RIGHT[1]
