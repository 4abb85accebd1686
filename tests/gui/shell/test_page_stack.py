"""Tests of pages and panes: made on the first visit, positions, and large text."""

from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QThread
from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.library import Memory, Power, Transport
from app.gui.kit import icons
from app.gui.kit.page import Frame, Page
from app.gui.kit.theme import Appearance, Mode, Theme
from app.gui.library.rules import RulesPage
from app.gui.powers.page import PowersPage
from app.gui.scope.context import ContextPage
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.selected import AnswerFoot, SelectedPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell import page_stack
from app.gui.shell.actions import action
from app.gui.shell.application import LATER, PLOT, PagePreloader
from app.gui.shell.main_window import MainWindow
from app.gui.shell.menu import SECTIONS
from app.gui.shell.page_stack import ENTRIES, PAGES, SCOPE, pages_of
from tests.build import of_type, some
from tests.gui.conftest import Opener, round_trip
from tests.gui.dock_windows import Opened, asked, opener_of_sizes, unfold
from tests.gui.inspections import FakeWorkbench
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary


def test_that_a_page_is_made_on_its_first_visit_and_entries_remember_theirs(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    assert list(window.pages) == [SCOPE]
    window.open_page("settings")
    made = window.pages["settings"]
    window.open_page(SCOPE)
    window.open_page("settings")
    assert window.pages["settings"] is made
    assert set(window.pages) == {SCOPE, "settings"}
    session = of_type(window.scope.panels["session"], SessionPanel)
    window.open_page("settings")
    window.ask("hidden")
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    window.open_page(SCOPE)
    round_trip(qtbot, window.worker)
    assert len(session.durations[ON_SCREEN]) == 0
    window.open_page("history")
    window.open_page(SCOPE)
    window.rail.buttons["review"].click()
    assert window.page is window.pages["history"]
    window.act("next_tab")
    assert window.page is window.pages["inbox"]
    window.act("previous_tab")
    assert window.page is window.pages["history"]


class _Windows(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.shown: list[QWidget] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(watched)
        return False


def test_that_every_page_opens_by_its_key_alone_and_escape_leads_back(qapp: QApplication, open_window: Opener) -> None:
    window, seen = open_window(real_bench(MemoryLibrary())), _Windows()
    window.activateWindow()
    qapp.installEventFilter(seen)
    for page in PAGES:
        QTest.keySequence(window, QKeySequence(page.shortcut))
        assert window.page is window.pages[page.key], page.key
        button = window.rail.buttons[page.entry]
        assert button.isChecked(), page.key
        assert button.accessibleName() == button.entry.title
        assert f"{page.title}  {page.shortcut}" in button.toolTip().splitlines()
        tabs = pages_of(page.entry)
        assert window.tabs.isVisible() is (len(tabs) > 1), page.key
        assert window.tabs.keys == [row.key for row in tabs]
        assert window.tabs.tabText(window.tabs.currentIndex()) == page.title
        assert (icons.FOLDER / f"{page.icon}.svg").exists(), page.key
        assert window.page.accessibleName(), page.key
        window.grab()
        if page.key == SCOPE:
            continue
        for _ in range(6):
            QTest.keyClick(window, Qt.Key.Key_F6)
            focus = window.focusWidget()
            assert focus is not None, page.key
            stops = [stop for stop in window.page.focus_stops() if stop.isVisible()]
            assert focus in stops or (page.key == "findings" and not stops), page.key
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert window.page is window.scope, page.key
        assert window.bar.box.line.hasFocus(), page.key
    qapp.removeEventFilter(seen)
    assert seen.shown == [], "no part of a page comes up as a window while the page is made"


def test_that_keys_and_names_of_pages_are_their_own() -> None:
    for part in ("key", "title", "shortcut", "place"):
        assert len({getattr(row, part) for row in PAGES}) == len(PAGES)


def test_that_every_page_has_an_entry_and_every_entry_pages() -> None:
    assert {row.entry for row in PAGES} == {entry.key for entry in ENTRIES}
    assert len(ENTRIES) == 8
    assert all((icons.FOLDER / f"{entry.icon}.svg").exists() for entry in ENTRIES)


@pytest.mark.parametrize(
    ("width", "choice", "wide"), [(1280, "auto", True), (1100, "auto", False), (1100, "words", True)]
)
def test_that_the_rail_has_words_where_there_is_room_or_by_choice(
    open_window: Opener, qtbot: QtBot, width: int, choice: str, wide: bool
) -> None:
    bench = FakeWorkbench()
    bench.values["rail"] = choice
    window = open_window(bench)
    window.resize(width, 800)
    qtbot.waitUntil(lambda: window.core_state is not None and window.rail.is_wide is wide)
    assert window.rail.width() == window.theme.px(168 if wide else 48)
    assert all(button.accessibleName() for button in window.rail.buttons.values())


def test_that_the_menu_says_what_can_be_done_and_zooming_goes_in_steps(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    keys = {row.key for row in window.action_rows}
    assert all(key in keys for section in SECTIONS for key in section.keys if key)
    assert window.rail.menu is not None
    window.rail.menu.refresh()
    for made, section in zip(window.rail.menu.sections, SECTIONS, strict=True):
        shown = [offered for offered in made.actions() if not offered.isSeparator()]
        assert len(shown) == len([key for key in section.keys if key])
        assert all(offered.isEnabled() or offered.toolTip() for offered in shown)
    window.rail.menu.sections[-1].actions()[1].trigger()
    assert window.page is window.pages["help"]
    qtbot.waitUntil(lambda: window.core_state is not None)
    window.act("zoom_in")
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.settings.text_scale == 1.1)
    for _ in range(3):
        window.act("zoom_out")
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.settings.text_scale == 1.0)
    window.open_page(SCOPE)
    window.activateWindow()
    buttons = window.rail.buttons
    second, last = ENTRIES[1].key, ENTRIES[-1].key
    buttons[SCOPE].setFocus()
    QTest.keyClick(buttons[SCOPE], Qt.Key.Key_Down)
    assert buttons[second].hasFocus()
    QTest.keyClick(buttons[second], Qt.Key.Key_Space)
    assert window.page is window.pages[pages_of(second)[0].key]
    buttons[second].setFocus()
    QTest.keyClick(buttons[second], Qt.Key.Key_Up)
    QTest.keyClick(buttons[SCOPE], Qt.Key.Key_Up)
    assert buttons[last].hasFocus()
    window.rail.grab()


@pytest.mark.parametrize("key", ["settings", "context"])
def test_that_ctrl_z_takes_back_no_step_of_the_library_where_none_is_seen(
    qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    window = open_window(real_bench(MemoryLibrary(), (Memory(("a",)),)))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    window.open_page(key)
    for verb in ("undo", "redo"):
        window.toast.hide()
        window.act(verb)
        qtbot.waitUntil(lambda: window.toast.sentence == window.page.no_undo_reason)
    asked: list[str] = []
    monkeypatch.setattr(window.worker, "undo", lambda: asked.append("undo"))
    window.toast.show_message("Renamed", undo=True)
    window.act("undo")
    assert asked == ["undo"]
    window.toast.show_message("Something else")
    window.open_page(SCOPE)
    window.act("undo")
    assert asked == ["undo", "undo"]


SIZES = [((1280, 800), 1.0), ((1024, 640), 1.0), ((1280, 800), 1.5), ((1280, 800), 2.0), ((1024, 640), 2.0)]


def enlarge(window: MainWindow, scale: float, size: tuple[int, int] = (1280, 800)) -> None:
    window.resize(*size)
    window.theme.set_appearance(replace(window.theme.appearance, text_scale=scale))


def overhang(window: MainWindow) -> int:
    """Return the number of pixels of the open page beyond the window's edge."""
    frame = window.stack.currentWidget()
    return frame.horizontalScrollBar().maximum() if isinstance(frame, Frame) else 0


def test_that_every_page_fits_its_window_whatever_theme_size_and_scale(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    for (size, scale), mode in zip(SIZES, cycle((Mode.DARK, Mode.LIGHT)), strict=False):
        window.theme.set_appearance(Appearance(mode=mode, text_scale=scale))
        window.resize(*size)
        for row in PAGES:
            window.open_page(row.key)
            qtbot.waitUntil(lambda: overhang(window) == 0)
            assert window.size().toTuple() == size, (row.key, scale)
            assert window.page.height() >= 400, (row.key, scale)


def test_that_headline_and_reason_are_whole_lines_of_sight(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    verdict = window.scope.verdict

    def is_whole() -> bool:
        lines = [line for line in (verdict.headline, *verdict.reasons) if not line.isHidden()]
        return all(
            line.height() >= line.sizeHint().height() and line.visibleRegion().boundingRect() == line.rect()
            for line in lines
            if line.text()
        ) and any(line.text().startswith("Memory: Ahead of slow-build") for line in lines)

    for size, scale in SIZES:
        enlarge(window, scale, size)
        qtbot.waitUntil(lambda: window.scope.is_shown and is_whole())
        headline = some(verdict.shown).headline
        texts = [line.text() for line in (verdict.headline, *verdict.reasons)]
        assert headline in [verdict.headline.parting.join(texts[:lines]) for lines in (1, 2, 3)]
        room = verdict.headline.width()
        if verdict.reasons[1].isVisible():
            assert verdict.headline.fontMetrics().horizontalAdvance(texts[0]) <= room, (size, scale)


def test_that_a_power_is_shown_below_the_list_while_there_is_no_room_beside_it(
    qtbot: QtBot, open_window: Opener, qapp: QApplication
) -> None:
    window = open_window(real_bench(MemoryLibrary(), [Power("git", transport=Transport("git-server"))]))
    window.resize(1280, 800)
    page = opened_page(window, "powers", PowersPage)
    qtbot.waitUntil(page.right.isVisible)
    page.go_to("server")
    beside = page.right.width()
    enlarge(window, 2.0)
    qapp.processEvents()
    assert overhang(window) == 0
    qtbot.waitUntil(lambda: page.right.y() >= page.list.left.height())
    table = page.table
    shown = [(n, column) for n, column in enumerate(table.paged.columns) if not table.isColumnHidden(n)]
    assert all(table.columnWidth(n) >= window.theme.px(column.width) for n, column in shown)
    window.next_focus_stop(-1)
    focus = some(QApplication.focusWidget())
    frame = of_type(window.stack.currentWidget(), Frame)
    assert frame.rect().contains(focus.mapTo(frame, QPoint(0, 0))), "who goes there by keys sees it"
    at = page.server.start.mapTo(page, QPoint(0, 0))
    assert at.x() + page.server.start.width() <= page.width()
    enlarge(window, 1.0)
    qapp.processEvents()
    assert page.right.y() == 0
    assert page.right.width() == beside


def test_that_panes_below_each_other_are_scrolled_one_by_one(open_window: Opener, qapp: QApplication) -> None:
    window = open_window(FakeWorkbench())
    window.resize(800, 500)
    for key in ("memories", "powers", "history", "context"):
        window.open_page(key)
        qapp.processEvents()
        frame = of_type(window.stack.currentWidget(), Frame)
        assert (key, frame.verticalScrollBar().maximum()) == (key, 0)


def test_that_a_page_and_its_panes_never_scroll_side_by_side(qtbot: QtBot, open_window: Opener) -> None:
    answers = [Memory((f"text number {n}",), response="An answer.\n" * 20, intent=f"intent-{n}") for n in range(40)]
    window = open_window(real_bench(MemoryLibrary(), answers))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    window.ask("text number 7")
    window.resize(1280, 800)
    window.worker.choose("text_scale", "2")
    qtbot.waitUntil(lambda: window.theme.appearance.text_scale == 2.0)
    for key in ("intents", "memories", "findings", "history"):
        window.open_page(key)
        frame = of_type(window.stack.currentWidget(), Frame)
        qtbot.waitUntil(lambda frame=frame: frame.verticalScrollBar().maximum() == 0)  # type: ignore[misc]
    page = opened_page(window, "context", ContextPage)
    qtbot.waitUntil(page.sheet.isVisible)
    bar = page.sheet.verticalScrollBar()
    qtbot.waitUntil(lambda: not bar.isVisible())  # the page scrolls
    window.worker.choose("text_scale", "1")
    qtbot.waitUntil(bar.isVisible)


def test_that_only_the_page_has_a_bar_where_it_scrolls_and_no_line_is_squeezed(
    qtbot: QtBot, open_window: Opener, qapp: QApplication
) -> None:
    answers = [Memory((f"text number {n}",), response="An answer.\n" * 20, intent=f"intent-{n}") for n in range(40)]
    powers = [Power(f"power {n}", f"Use {n}") for n in range(40)]
    window = open_window(real_bench(MemoryLibrary(), [*answers, *powers]))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    window.resize(1024, 640)
    window.worker.choose("text_scale", "2")
    qtbot.waitUntil(lambda: window.theme.appearance.text_scale == 2.0)

    def is_calm(frame: Frame, page: Page) -> bool:
        areas = [area for area in page.findChildren(QAbstractScrollArea) if area.verticalScrollBar().isVisible()]
        barred = [area for area in areas if not isinstance(area, QPlainTextEdit)]
        lines = [line for line in page.findChildren(QLineEdit) if line.isVisible()]
        lines = [line for line in lines if not isinstance(line.parent(), QComboBox)]
        is_whole = all(line.height() >= line.sizeHint().height() for line in lines)
        return bool(lines) and is_whole and not (barred and frame.verticalScrollBar().isVisible())

    def stays_calm(frame: Frame, page: Page) -> bool:
        """Check twice, and that the page scrolls where it must: a layout may be calm too early."""
        if not is_calm(frame, page) or (key != "memories" and not frame.verticalScrollBar().isVisible()):
            return False
        qapp.processEvents()
        return is_calm(frame, page)

    for key in ("memories", "powers", "rules"):
        window.open_page(key)
        frame, page = of_type(window.stack.currentWidget(), Frame), window.page
        qtbot.waitUntil(partial(stays_calm, frame, page))
    window.worker.choose("text_scale", "1")
    window.resize(760, 1100)
    rules = of_type(window.page, RulesPage)

    def has_bar() -> bool:
        return rules.table.verticalScrollBar().isVisible() and not frame.verticalScrollBar().isVisible()

    qtbot.waitUntil(has_bar)


@pytest.fixture
def opened(qtbot: QtBot, open_window: Opener) -> Opened:
    return opener_of_sizes(qtbot, open_window)


def selected(window: MainWindow) -> SelectedPanel:
    return of_type(window.scope.panels["selected"], SelectedPanel)


def matches(window: MainWindow) -> MatchesPanel:
    return of_type(window.scope.panels["matches"], MatchesPanel)


def end_of(widget: QWidget, above: QWidget) -> int:
    return widget.mapTo(above, QPoint(widget.width(), 0)).x()


# ---- below the selected answer


def test_that_verbs_on_the_answer_stand_below_it_once_and_tell_their_keys(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    foot = selected(window).foot
    qtbot.waitUntil(foot.isVisible)
    assert list(foot.buttons) == ["right", "wrong", "add_trigger"]
    assert [made.text() for made in foot.buttons.values()] == ["Right", "Wrong", "Add trigger"]
    assert all(made.toolTip() == action(key).tip for key, made in foot.buttons.items())
    assert all(made.accessibleName() == action(key).text for key, made in foot.buttons.items())
    assert all(end_of(made, foot) <= foot.width() - 16 for made in foot.buttons.values())
    face = window.theme.face(12)
    flags, height = int(Qt.TextFlag.TextWordWrap), face.measure.lineSpacing() * 2 + 1
    shown = face.cropped("words that go on and on " * 60, 200.0, flags, height)
    assert shown.endswith("…")
    assert face.wrapped(shown, 200.0, flags) <= height < face.wrapped(f"{shown[:-1]} and on and on", 200.0, flags)
    assert not set(selected(window).foot.buttons) & set(window.bar.buttons)
    selected(window).sheet.setFocus()
    selected(window).sheet.focusNextPrevChild(True)
    assert selected(window).sheet.accessibleName() == "Selected match: Scores"


def test_that_a_press_below_the_answer_does_what_its_key_does(qtbot: QtBot) -> None:
    panel = SelectedPanel(Theme())
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.action_requested) as pressed:
        panel.foot.buttons["right"].click()
    assert pressed.args == ["right"]


def test_that_words_below_the_answer_give_way_to_icons(qtbot: QtBot) -> None:
    foot = AnswerFoot(Theme())
    qtbot.addWidget(foot)
    foot.resize(200, foot.height())
    foot.show()
    assert {made.text() for made in foot.buttons.values()} == {""}
    assert all(not made.icon().isNull() for made in foot.buttons.values())
    foot.resize(420, foot.height())
    assert [made.text() for made in foot.buttons.values()] == ["Right", "Wrong", "Add trigger"]


# ---- the matches


def test_that_the_legend_stands_right_below_the_last_whole_row(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    panel = matches(window)
    for size in ((1280, 800), (1024, 640), (1400, 777), (1920, 1080)):
        window.resize(*size)
        qtbot.waitUntil(lambda size=size: window.size().toTuple() == size)  # type: ignore[misc]
        qtbot.wait(1)
        assert panel.view.height() + panel.foot.height() == panel.body.height(), size
        assert (panel.view.height() - panel.view.heading) % panel.view.rowHeight(0) == 0, size
        assert panel.foot.y() == panel.view.height(), size
        assert panel.foot.height() >= panel.theme.px(32), size


def test_that_nothing_in_the_matches_head_is_cut(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    panel = matches(window)

    def is_whole() -> bool:
        shown = [made for made in (panel.over, panel.view_menu, panel.filter) if made.isVisible()]
        return bool(shown) and all(end_of(made, panel) <= panel.width() for made in shown)

    for width, scale in ((1280, 1.0), (1024, 1.0), (1280, 2.0), (1024, 2.0), (900, 1.0)):
        enlarge(window, scale, (width, 800))
        qtbot.wait(1)
        qtbot.waitUntil(lambda: panel.head.least <= panel.width() and is_whole())


# ---- fixed parts


def test_that_the_first_histogram_has_all_the_room_that_the_next_has(qtbot: QtBot) -> None:
    pane = SessionPanel(Theme())
    qtbot.addWidget(pane)
    pane.resize(1100, 240)
    pane.show()
    qtbot.waitExposed(pane)
    pane.note({"keywords": 0.2, ON_SCREEN: 8.0})
    qtbot.waitUntil(lambda: pane.fixed[ON_SCREEN].plot is not None)
    histogram = pane.fixed[ON_SCREEN]
    assert histogram.plot is not None
    plot = histogram.plot
    qtbot.waitUntil(lambda: plot.y() == histogram.keys.geometry().bottom() + 1)
    assert plot.geometry().bottom() + 1 == histogram.budget.y()


# ---- texts


def test_that_cues_out_of_sight_and_a_query_on_its_way_are_not_called_none(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    box = window.bar.box
    qtbot.waitUntil(lambda: bool(box.labelled))
    assert box.message == ""
    text = box.line.text()
    box.line.setText(text + " and more of it" * 40)
    box.line.moveCursor(QTextCursor.MoveOperation.End)
    box.show_cues(tuple(cue for cue in box.cues if text[cue.start : cue.end] == cue.text))
    qtbot.waitUntil(lambda: box.message == "Keywords of the type are scrolled out of view")
    qtbot.waitUntil(lambda: window.scope.is_shown)
    unfold(window)
    waiting = replace(window.scope.state, inspection=None, selected=None, has_query=True)
    for panel in window.scope.panels.values():
        panel.show_state(waiting)
    assert matches(window).empty.words[0] == "Working"
    assert not matches(window).samples.isVisible()
    intent = of_type(window.scope.panels["intent"], IntentPanel)
    qtbot.waitUntil(lambda: "Working" in intent.sheet.read)
    window.ask("")
    assert not selected(window).foot.isVisible(), "below no answer there is nothing to press"


def test_that_an_empty_library_offers_a_file(qtbot: QtBot) -> None:
    panel = MatchesPanel(Theme())
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.action_requested) as pressed:
        next(made for made in panel.empty.findChildren(QPushButton) if made.text() == "Import my file…").click()
    assert pressed.args == ["import"]


def test_that_what_is_pressed_for_an_axis_says_of_which_stage(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    window.act("panes_below")
    pane = of_type(window.scope.panels["session"], SessionPanel)
    pane.note({"keywords": 0.2, ON_SCREEN: 8.0})
    runs = pane.fixed[ON_SCREEN].runs
    qtbot.waitUntil(lambda: runs.accessibleName() == f"Answer on screen: {runs.text()}")


def test_that_what_is_fetched_is_there() -> None:
    assert all(map(find_spec, (PLOT, *LATER)))


def test_that_every_row_names_a_page_that_is_there() -> None:
    named = {row.key: getattr(import_module(row.module), row.place.partition(":")[2]) for row in page_stack.PAGES}
    assert all(issubclass(made, Page) for made in named.values()), named


def test_that_modules_are_fetched_by_the_window_while_it_is_calm(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[tuple[str, bool]] = []

    def fetch(name: str) -> None:
        fetched.append((name, QThread.isMainThread()))

    monkeypatch.setattr("app.gui.shell.application.importlib.import_module", fetch)
    asked, calm = list[None](), list[None]()

    def is_idle() -> bool:
        asked.append(None)
        return bool(calm)

    fetching = PagePreloader(("this_is_not_there", PLOT, LATER[0]), is_idle)
    fetching.start(1)
    qtbot.waitUntil(lambda: bool(asked))
    assert fetching.isActive()
    assert not fetched
    calm.append(None)
    qtbot.waitUntil(lambda: not fetching.isActive())
    assert fetched == [(PLOT, True), (LATER[0], True)], "a type of Qt that two threads make at once ends the program"
