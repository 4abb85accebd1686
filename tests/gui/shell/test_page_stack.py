"""Tests of the rail and its pages: made on the first visit, reached by key, with the status."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.library import Memory
from app.gui.kit.theme import icons
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell.menu import SECTIONS
from app.gui.shell.page_stack import ENTRIES, PAGES, SCOPE, pages_of
from tests.build import of_type
from tests.fakes import MemoryLibrary
from tests.gui.conftest import Opener, round_trip
from tests.gui.llm_workbench import ConnectedWorkbench
from tests.gui.real_bench import real_bench


def test_that_a_page_is_made_on_its_first_visit_and_entries_remember_theirs(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    assert list(window.pages) == [SCOPE]
    window.open_page("settings")
    made = window.pages["settings"]
    window.open_page(SCOPE)
    window.open_page("settings")
    assert window.pages["settings"] is made
    assert set(window.pages) == {SCOPE, "settings"}
    session = of_type(window.panels["session"], SessionPanel)
    window.open_page("settings")
    window.ask("hidden")
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None)
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
    """Recorder of every window that is shown."""

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
    bench = ConnectedWorkbench()
    bench.values["rail"] = choice
    window = open_window(bench)
    window.resize(width, 800)
    qtbot.waitUntil(lambda: window.core_state is not None and window.rail.is_wide is wide)
    assert window.rail.width() == window.theme.px(168 if wide else 48)
    assert all(button.accessibleName() for button in window.rail.buttons.values())


def test_that_the_menu_says_what_can_be_done_and_zooming_goes_in_steps(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    keys = {row.key for row in window.action_rows}
    assert all(key in keys for section in SECTIONS for key in section.keys if key)
    assert window.rail.menu is not None
    window.rail.menu.refresh()
    for made, section in zip(window.rail.menu.sections, SECTIONS, strict=True):
        shown = [offered for offered in made.actions() if not offered.isSeparator()]
        assert len(shown) == len([key for key in section.keys if key])
        assert all(offered.isEnabled() or offered.toolTip() for offered in shown)
    help_menu = window.rail.menu.sections[-1]
    help_menu.actions()[1].trigger()
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
    asked: list[str] = []
    monkeypatch.setattr(window.worker, "undo", lambda: asked.append("undo"))
    monkeypatch.setattr(window.worker, "redo", lambda: asked.append("redo"))
    window.open_page(key)
    for verb in ("undo", "redo"):
        window.toast.hide()
        window.act(verb)
        qtbot.waitUntil(lambda: window.toast.sentence == window.page.no_undo_reason)
    assert asked == []
    window.toast.show_message("Renamed", undo=True)
    window.act("undo")
    assert asked == ["undo"]
    window.toast.show_message("Something else")
    window.open_page(SCOPE)
    window.act("undo")
    assert asked == ["undo", "undo"]
