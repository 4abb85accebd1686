"""Tests of why-not in the window: opened by key, live, applied, undone, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCompleter
from pytestqt.qtbot import QtBot

from app.display.scope.why_not import headline, sentences, shown_name, title
from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.journal import Edit, Written
from app.domain.library import Memory, Power
from app.domain.why_not import (
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    LostAt,
    ScorerGap,
    ValueChange,
    WhyNot,
)
from app.gui.scope.compare_actions import CompareActions
from app.gui.scope.why_not import WhyNotActions, WhyNotView
from app.gui.shell.main_window import MainWindow
from app.services.scope.why_not import WhyNots
from app.services.workbench import Workbench
from tests.build import some
from tests.fakes import MemoryLibrary
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import FakeWorkbench
from tests.gui.real_bench import real_bench

CTRL = Qt.KeyboardModifier.ControlModifier
QUERY = "renew the domain"
RENEW = Memory(("renew the certificate", "certificate has expired"), id="renew-certificate")
DOMAIN = Memory(("who owns the domain", "transfer a domain"), id="domain-owner", intent="domains")
PRINTER = Power("printer", "Prints pages", keywords=("print",))
LOWER = Change(
    "setting.fallback_threshold",
    True,
    Effect(1, 0, ("a",), (), 2),
    ChangeSettings((("fallback_threshold", "0.11"),)),
    (ValueChange("fallback_threshold", "0.50", "0.11"),),
)


class Unwritable(MemoryLibrary):
    """Library that cannot store a setting while it is full."""

    is_full = True

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> int | None:
        if self.is_full:
            raise StoreError("The disk is full.")
        return super().choose_settings(edit, changes)

    def undo(self, step: int | None = None) -> Written | None:
        if self.is_full:
            raise StoreError("The disk is full.")
        return super().undo(step)


class Scripted(WhyNots):
    """Why-not service with scripted, slow results; applied changes are real."""

    def __init__(self, bench: Workbench, *, steps: int = 0, refuses: str = "") -> None:
        super().__init__(bench, bench.journal, bench.curator, bench.routing, bench.types, bench.injected)
        self.steps, self.refuses = steps, refuses
        self.asked: list[tuple[str, str]] = []
        self.stopped = 0
        self.own = 0.4
        """Confidence of the expected answer."""

    async def explain(
        self, text: str, expected: Expectation, on_progress: Callable[[int, int], None] | None = None
    ) -> WhyNot:
        self.asked.append((text, str(expected)))
        if self.refuses:
            raise StoreError(self.refuses)
        try:
            for done in range(self.steps):
                if on_progress is not None:
                    on_progress(done, self.steps)
                await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        gaps = (ScorerGap("semantic", 0.4, 0.9), ScorerGap("keyword", None, None))
        lost = (LostAt.SCORING, "x", "y", gaps, self.own, 0.9, 2, (LOWER,))
        return WhyNot(text, expected, Task.MEMORY, *lost, listed=10, ahead=(("semantic", 0.5),), through="y")


def real(open_window: Opener, qtbot: QtBot, *answers: Memory | Power) -> MainWindow:
    """Open an active window on a real engine, with the query asked."""
    library = MemoryLibrary()
    library.add("cases", [Case("who owns the domain", ("domain-owner",), Task.MEMORY)])
    window = open_window(real_bench(library, answers or (RENEW, DOMAIN, PRINTER)))
    return asked(window, qtbot)


def asked(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(lambda: window.scope.state.status is not None and window.scope.state.status.is_open)
    window.ask(QUERY)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    return window


def scripted(open_window: Opener, qtbot: QtBot, *, steps: int = 0, refuses: str = "") -> tuple[MainWindow, Scripted]:
    """Open a window on a real engine, with scripted explanations; return both."""
    bench = real_bench(MemoryLibrary(), (RENEW, DOMAIN, PRINTER))
    bench.why_nots = told = Scripted(bench, steps=steps, refuses=refuses)
    return asked(open_window(bench), qtbot), told


def view_of(window: MainWindow) -> WhyNotView:
    return some(window.scope.why_not_actions.view)


def press(window: MainWindow) -> WhyNotActions:
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_E, CTRL)
    return window.scope.why_not_actions


def expect(window: MainWindow, qtbot: QtBot, typed: str) -> WhyNotView:
    """Type a name, press Enter, and wait for the verdict."""
    view = view_of(window)
    line = view.expected.line
    line.selectAll()
    QTest.keyClicks(line, typed)
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: explained(view, typed.rpartition(":")[2]))
    window.activateWindow()  # an open list may have been the active window
    qtbot.waitUntil(window.isActiveWindow)
    return view


def is_open(part: WhyNotActions | CompareActions) -> bool:
    return part.is_open


def is_running(asking: WhyNotActions) -> bool:
    return asking.view is not None and not asking.view.cancel.isHidden()


def follow(view: WhyNotView, link: str) -> None:
    """Follow a link of the verdict, which must be there."""
    assert f'href="{link}"' in view.sheet.toHtml()
    assert view.sheet.loadResource(2, QUrl("press:Apply:text")).toImage().pixelColor(0, 0).alpha() == 0, "round corners"
    view.sheet.anchorClicked.emit(QUrl(link))


def may_apply(view: WhyNotView) -> bool:
    return 'href="apply:0"' in view.sheet.toHtml()


def explained(view: WhyNotView, name: str = "") -> bool:
    shown = view.shown
    return shown is not None and name in shown_name(shown.expected) and view.cancel.isHidden()


# ---- opening, and the expected name


def test_that_ctrl_e_asks_about_the_selected_match_and_escape_goes_back(qtbot: QtBot, open_window: Opener) -> None:
    window = real(open_window, qtbot)
    inspection = some(window.scope.state.inspection)
    names = [match.answer.name for match in inspection.matches]
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_Down)
    asking = press(window)
    assert is_open(asking)
    view = view_of(window)
    qtbot.waitUntil(lambda: explained(view))
    assert (some(view.shown).query, shown_name(some(view.shown).expected)) == (QUERY, names[1])
    assert view.expected.line.text() == names[1]
    assert view.expected.tag.accessibleName() == "Memory"
    assert sentences(some(view.shown))[0] in view.sheet.read
    QTest.keyClick(view.expected.line, Qt.Key.Key_Escape)
    assert not is_open(asking)
    assert window.bar.box.line.hasFocus()
    assert window.bar.box.line.text() == QUERY
    press(window)
    assert view.expected.line.text() == names[1], "what was expected stays named"
    press(window)
    assert not is_open(asking)


def test_that_nothing_is_expected_yet_with_the_first_power_selected(qtbot: QtBot, open_window: Opener) -> None:
    window = real(open_window, qtbot)
    window.ask("print")

    def names() -> list[str]:
        inspection = window.scope.state.inspection
        return [match.answer.name for match in inspection.matches if match.is_found] if inspection else []

    qtbot.waitUntil(lambda: "printer" in names())
    for _ in range(names().index("printer")):
        QTest.keyClick(window.bar.box.line, Qt.Key.Key_Down)
    selected = window.scope.state.selected
    assert some(selected).answer.name == "printer"
    press(window)
    assert view_of(window).empty.words[0] == "What did you expect?"


def test_that_a_name_is_expected_of_every_kind_or_of_nothing_that_is_taught(qtbot: QtBot, open_window: Opener) -> None:
    window = real(open_window, qtbot)
    press(window)
    view = view_of(window)
    assert view.empty.words[0] == "What did you expect?"
    assert view.empty.isVisible()
    assert not view.sheet.isVisible()
    assert view.expected.line.hasFocus()
    line = view_of(window).expected
    popup = some(some(line.findChild(QCompleter)).popup())
    QTest.keyClicks(line.line, "domain")
    qtbot.waitUntil(popup.isVisible)
    model = line.model
    role = Qt.ItemDataRole.AccessibleTextRole
    read = {model.data(model.index(row), role) for row in range(model.rowCount())}
    assert {"Intent domains", "Memory domain-owner"} <= read
    popup.grab()
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert window.scope.why_not_actions.is_open, "Escape closed the list, not the view"
    QTest.keyClick(line.line, Qt.Key.Key_Down)
    qtbot.waitUntil(popup.isVisible)
    place = model.rows.index(Expectation("intent", "domains"))
    for _ in range(place + 1):
        QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: explained(view_of(window), "domains"))
    assert window.scope.why_not_actions.expected == Expectation("intent", "domains")
    assert line.tag.accessibleName() == "Intent"
    view = expect(window, qtbot, "power:nowhere")
    assert view.shown is not None
    assert headline(view.shown) == "Not taught"
    assert view.fault.isHidden()
    window.ask("")
    assert view.empty.words[0] == "No query yet"


# ---- changes


def test_that_a_change_is_applied_and_seen_to_win_and_taken_back(qtbot: QtBot, open_window: Opener) -> None:
    window = real(open_window, qtbot)
    press(window)
    leads = some(window.scope.state.inspection).matches[0].answer.name == RENEW.name
    view = expect(window, qtbot, "domain-owner" if leads else "renew-certificate")
    assert view.shown is not None
    assert not view.shown.has_won
    keys = [change.key for change in view.shown.changes]
    follow(view, f"apply:{keys.index('trigger.add')}")
    qtbot.waitUntil(lambda: bool(window.toast.sentence and view.shown and view.shown.has_won))
    qtbot.waitUntil(lambda: window.toast.sentence.startswith("Applied: "))
    assert window.toast.offers_undo
    assert title(view.shown) == "Nothing to fix"
    assert view.sheet.hasFocus(), "Ctrl+Z is the window's there"
    QTest.keyClick(view.sheet, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: bool(view.shown and not view.shown.has_won))
    assert is_open(window.scope.why_not_actions)


def test_that_applied_settings_are_undone_in_turn_from_every_page(qtbot: QtBot, open_window: Opener) -> None:
    window, view = applied(open_window, qtbot)
    window.open_page("memories")
    window.toast.undo.click()
    qtbot.waitUntil(lambda: _threshold(window) != 0.11)
    window.act("redo")
    qtbot.waitUntil(lambda: _threshold(window) == 0.11)
    window.open_page("scope")
    for page in ("scope", "settings", "history"):
        if page == "scope":
            QTest.keyClick(view.sheet, Qt.Key.Key_Z, CTRL)
        else:
            window.toast.hide()
            window.open_page(page)
            window.act("undo")
        qtbot.waitUntil(lambda: _threshold(window) != 0.11)
        origins = some(window.core_state).origins
        assert origins.get("fallback_threshold", "default") == "default", "nothing is chosen here any more"
        qtbot.waitUntil(lambda: window.toast.sentence == "Undone: set fallback_threshold to 0.11.")
        if page == "scope":
            QTest.keyClick(view.sheet, Qt.Key.Key_Z, CTRL | Qt.KeyboardModifier.ShiftModifier)
        else:
            window.act("redo")
        qtbot.waitUntil(lambda: _threshold(window) == 0.11)
        qtbot.waitUntil(lambda: window.toast.sentence == "Redone: set fallback_threshold to 0.11.")


def applied(open_window: Opener, qtbot: QtBot, bench: Workbench | None = None) -> tuple[MainWindow, WhyNotView]:
    """Open a window in which a change of a setting was just applied."""
    if bench is None:
        window, _ = scripted(open_window, qtbot)
    else:
        bench.why_nots = Scripted(bench)
        window = asked(open_window(bench), qtbot)
    press(window)
    view = expect(window, qtbot, "domain-owner")
    assert "Fixes this query 2 cases: 1 fixed 0 broken" in " ".join(view.sheet.read.split())
    view.sheet.setFocus()
    QTest.keyClick(view.sheet, Qt.Key.Key_Tab)
    QTest.keyClick(view.sheet, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: _threshold(window) == 0.11)
    qtbot.waitUntil(lambda: window.toast.sentence.startswith("Applied: "))
    return window, view


def test_that_a_change_or_its_undo_that_could_not_be_kept_can_be_tried_again(qtbot: QtBot, open_window: Opener) -> None:
    library = Unwritable()
    bench = real_bench(library, (RENEW, DOMAIN, PRINTER))
    bench.why_nots = Scripted(bench)
    window = asked(open_window(bench), qtbot)
    press(window)
    view = expect(window, qtbot, "domain-owner")
    follow(view, "apply:0")
    qtbot.waitUntil(lambda: window.toast.sentence == "The disk is full.")
    library.is_full = False
    qtbot.waitUntil(lambda: may_apply(view))
    follow(view, "apply:0")
    qtbot.waitUntil(lambda: _threshold(window) == 0.11)
    library.is_full = True
    for _ in range(2):
        window.toast.hide()
        QTest.keyClick(view.sheet, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: window.toast.sentence == "The disk is full.")
        assert _threshold(window) == 0.11
    library.is_full = False
    QTest.keyClick(view.sheet, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: _threshold(window) != 0.11)


def _threshold(window: MainWindow) -> float:
    return some(window.core_state).settings.fallback_threshold


def test_that_cases_are_shown_on_demand_and_large_text_puts_them_below(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = scripted(open_window, qtbot)
    press(window)
    view = expect(window, qtbot, "domain-owner")
    follow(view, "cases:0")
    read = view.sheet.read.splitlines()
    assert read[read.index("Would pass") + 1] == "a"
    follow(view, "cases:0")
    assert "Would pass" not in view.sheet.read
    view.expected.line.setFocus()
    for stop in (view.explain, view.sheet):
        QTest.keyClick(some(QApplication.focusWidget()), Qt.Key.Key_Tab)
        assert stop.hasFocus()
    tables = view.sheet.toHtml().count("<table")
    window.theme.set_appearance(replace(window.theme.appearance, text_scale=2.0))
    qtbot.waitUntil(lambda: view.sheet.toHtml().count("<table") == tables - 1)
    assert view.width() <= window.width()


# ---- live updates, and cancellation


def test_that_it_follows_queries_that_rest(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.gui.scope.why_not.REST_MS", 3_600_000)  # the pause ends when the test decides
    window, told = scripted(open_window, qtbot)
    asking = press(window)
    view = expect(window, qtbot, "domain-owner")
    qtbot.waitUntil(lambda: not asking.rest.isActive())
    told.asked.clear()
    line = window.bar.box.line
    line.setFocus()
    settled: list[int] = []
    window.worker.settled.connect(settled.append)
    for letter in " name":
        QTest.keyClicks(line, letter)
        qtbot.waitUntil(lambda: window.worker.generation in settled)  # the panes have an answer, not explained yet
        assert told.asked == []
        assert asking.rest.remainingTime() > 1_000_000
        assert not may_apply(view), "it belongs to another query"
    asking.rest.start(0)
    qtbot.waitUntil(lambda: explained(view) and may_apply(view))
    assert told.asked == [(f"{QUERY} name", "memory:domain-owner")]
    assert not asking.rest.isActive(), "and nothing more is to come"


def test_that_it_can_be_cancelled_and_says_how_far_it_is(qtbot: QtBot, open_window: Opener) -> None:
    window, told = scripted(open_window, qtbot, steps=400)
    asking = press(window)
    view = view_of(window)
    QTest.keyClicks(view.expected.line, "domain-owner")
    QTest.keyClick(view.expected.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.progress.value() > 2)
    assert is_running(asking)
    assert view.progress.maximum() == 400
    view.cancel.click()
    assert not is_running(asking)
    assert view.empty.words[0] == "Stopped"
    qtbot.waitUntil(lambda: told.stopped == 1)
    round_trip(qtbot, window.worker)
    assert view.progress.value() == 0
    assert view.shown is None
    QTest.keyClick(view.expected.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(told.asked) == 2)
    QTest.keyClicks(window.bar.box.line, "s")
    qtbot.waitUntil(lambda: told.stopped == 2)
    window.scope.why_not_actions.close()


def test_that_a_refusal_is_a_line_and_not_the_end(qtbot: QtBot, open_window: Opener) -> None:
    window, told = scripted(open_window, qtbot, refuses="The store is locked.")
    press(window)
    view = view_of(window)
    QTest.keyClicks(view.expected.line, "domain-owner")
    QTest.keyClick(view.expected.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.fault.sentence == "The store is locked.")
    assert view.empty.words[0] == "Not explained"
    told.refuses = ""
    QTest.keyClick(view.expected.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: explained(view))
    assert view.fault.isHidden()


# ---- with the rest of the window


def test_that_it_opens_from_any_page_and_gives_way_to_a_comparison(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = scripted(open_window, qtbot)
    window.open_page("memories")
    window.act("why_not")
    assert window.is_scope_open
    assert is_open(window.scope.why_not_actions)
    window.act("beside_presets")
    assert is_open(window.scope.compare_actions)
    assert not is_open(window.scope.why_not_actions)
    window.act("why_not")
    assert is_open(window.scope.why_not_actions)
    assert not is_open(window.scope.compare_actions)
    window.act("right")
    assert window.toast.sentence.startswith("Go back with Esc")
    focus_stops = window.scope.focus_stops()
    assert focus_stops[0] is window.bar.box.line
    assert view_of(window).expected.line in focus_stops


def test_that_an_untaught_profile_is_offered_the_seeds(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench(counts={"memories": 0, "powers": 0, "rules": 41}))
    window.act("why_not")
    view = view_of(window)
    assert view.empty.words[0] == "The library is empty"
    assert view.seeds.isVisible()


def test_that_many_changes_with_long_words_are_shown_whole(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = scripted(open_window, qtbot)
    press(window)
    view = view_of(window)
    word = Memory(("x" * 2000,), key=1)
    broken = Effect(1, 2, ("y" * 2000,), ("z" * 2000, "b"), 240)
    teach = Change("trigger.add", True, broken, AddTrigger(word, "x" * 2000))
    expected = Expectation("memory", "x" * 2000)
    told = WhyNot("q", expected, Task.MEMORY, LostAt.SCORING, "x", "y", (), 0.4, 0.9, 2, (teach, *[LOWER] * 39))
    view.expected.show_choice(expected)
    assert view.expected.line.cursorPosition() == 0, "of a long name the beginning is seen"
    assert view.expected.line.hasSelectedText()

    def is_drawn() -> bool:
        if view.shown is None:  # a new answer of the engine removes the verdict
            view.show_verdict(told)
        return view.sheet.read.count("fallback_threshold") == 39

    qtbot.waitUntil(is_drawn)
    follow(view, "cases:0")
    assert "z" * 200 in view.sheet.read
    assert view.sheet.document().size().width() <= view.sheet.viewport().width(), "long words are wrapped"


def test_that_it_stays_quiet_where_another_query_is_about_other_things(qtbot: QtBot, open_window: Opener) -> None:
    def is_about(text: str) -> bool:
        return view.shown is not None and view.shown.query == text

    window, told = scripted(open_window, qtbot)
    press(window)
    view = expect(window, qtbot, "power:printer")
    told.own = 0.01
    window.ask("renew the domain soon")
    qtbot.waitUntil(partial(is_about, "renew the domain soon"))  # an edit of the same query
    window.ask("will it rain")
    qtbot.waitUntil(lambda: view.empty.words[0] == "“printer” was expected of another query")
    assert not explained(view)
    expect(window, qtbot, "power:printer")
    assert is_about("will it rain"), "now it is named for this query"
    told.own = 0.4
    window.ask("print these pages")
    qtbot.waitUntil(partial(is_about, "print these pages"))
