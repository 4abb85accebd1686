"""Tests of large text: every page fits the window's width."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import cycle

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QComboBox, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.domain.library import Memory, Power, Transport
from app.gui.kit.page import Frame, Page
from app.gui.kit.theme.theme import Appearance, Mode
from app.gui.library.rules.page import RulesPage
from app.gui.powers.page import PowersPage
from app.gui.scope.context import ContextPage
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import PAGES
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked
from tests.gui.inspections import FakeWorkbench
from tests.gui.llm_workbench import ConnectedWorkbench
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

SIZES = [((1280, 800), 1.0), ((1024, 640), 1.0), ((1280, 800), 1.5), ((1280, 800), 2.0), ((1024, 640), 2.0)]


def enlarge(window: MainWindow, scale: float, size: tuple[int, int] = (1280, 800)) -> None:
    window.resize(*size)
    window.theme.set_appearance(replace(window.theme.appearance, text_scale=scale))


def overhang(window: MainWindow) -> int:
    """Return the number of pixels of the open page beyond the window's edge."""
    frame = window.stack.currentWidget()
    return frame.horizontalScrollBar().maximum() if isinstance(frame, Frame) else 0


def test_that_every_page_fits_its_window_whatever_theme_size_and_scale(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
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
        texts = (verdict.headline.text(), verdict.reasons[0].text())
        assert headline in (texts[0], verdict.headline.parting.join(texts))
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
    assert page.right.y() >= page.left.height()
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
    window = open_window(ConnectedWorkbench())
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
    window.choose("text_scale", "2")
    qtbot.waitUntil(lambda: window.theme.appearance.text_scale == 2.0)
    for key in ("intents", "memories", "findings", "history"):
        window.open_page(key)
        frame = of_type(window.stack.currentWidget(), Frame)
        qtbot.waitUntil(lambda frame=frame: frame.verticalScrollBar().maximum() == 0)  # type: ignore[misc]
    page = opened_page(window, "context", ContextPage)
    qtbot.waitUntil(page.sheet.isVisible)
    bar = page.sheet.verticalScrollBar()
    qtbot.waitUntil(lambda: not bar.isVisible())  # the page scrolls
    window.choose("text_scale", "1")
    qtbot.waitUntil(bar.isVisible)


def test_that_only_the_page_has_a_bar_where_it_scrolls_and_no_line_is_squeezed(
    qtbot: QtBot, open_window: Opener, qapp: QApplication
) -> None:
    answers = [Memory((f"text number {n}",), response="An answer.\n" * 20, intent=f"intent-{n}") for n in range(40)]
    powers = [Power(f"power {n}", f"Use {n}") for n in range(40)]
    window = open_window(real_bench(MemoryLibrary(), [*answers, *powers]))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    window.resize(1024, 640)
    window.choose("text_scale", "2")
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
    window.choose("text_scale", "1")
    window.resize(760, 1100)
    rules = of_type(window.page, RulesPage)

    def has_bar() -> bool:
        return rules.table.verticalScrollBar().isVisible() and not frame.verticalScrollBar().isVisible()

    qtbot.waitUntil(has_bar)
