"""Tests of the history page on a real engine: search, details, replay, retention, deletion."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.domain.case import Case, Task
from app.domain.fits import Compared, FitSource, Refit
from app.domain.history import Doubt, HistoryFilter, Judgement, ReplayProgress, Source
from app.domain.why_not import Expectation
from app.gui.kit.dialogs import SkippedLinesDialog
from app.gui.kit.theme import Theme
from app.gui.review.history_page import HistoryPage
from app.gui.review.history_side import MOST_SHOWN, RefitStrip
from app.gui.shell.main_window import MainWindow
from app.services.evaluation.refits import ChangedText, RefitChanges
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.history_entries import history_entry, keep, open_on
from tests.gui.pages import open_dialog, opened_page
from tests.memory_library import MemoryLibrary

Opened = tuple[MainWindow, MemoryLibrary, HistoryPage]

LONG = "what is the difference between the two plans, and which one fits " * 20
QUERIES = (
    history_entry("the build is slow", 0, answer_confidence=0.934, doubts=(), trace=history_entry("x").trace),
    history_entry("לבדוק את מסד הנתונים 🔥", 1, source=Source.MCP, type=None, answer=None, kind=None, trace=None),
    history_entry(LONG, 2, source=Source.LOG, doubts=(Doubt.TIED, Doubt.PRESETS), times=3),
    history_entry(None, 3, digest=b"\x01" * 32, type="location", trace=None),
    history_entry(
        "a postgres query", 4, kind="power", answer="postgres", answer_confidence=0.9, type="howto", doubts=()
    ),
)
TEXT, SOURCE, TYPE, ANSWER, CONFIDENCE, DOUBTS, DECISION = 0, 2, 3, 5, 6, 8, 9


@pytest.fixture
def five(qtbot: QtBot, open_window: Opener) -> Opened:
    return opened(qtbot, open_window, QUERIES)


def opened(qtbot: QtBot, open_window: Opener, queries: object) -> Opened:
    assert isinstance(queries, tuple)
    window, library = open_on(qtbot, open_window, queries)
    page = opened_page(window, "history", HistoryPage)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == len(queries))
    return window, library, page


def cells(page: HistoryPage, place: int) -> list[str]:
    model = page.table.paged
    return [str(model.index(place, column).data()) for column in range(model.columnCount())]


def texts(page: HistoryPage) -> list[str]:
    return [cells(page, place)[TEXT] for place in range(len(page.table.paged.keys))]


def until_traced(qtbot: QtBot, page: HistoryPage) -> None:
    qtbot.waitUntil(lambda: page.side.shown is not None and page.side.shown.trace is not None)
    page.side.sheet.grab()


def test_that_each_query_says_what_came_of_it_and_is_sought_and_sorted(qtbot: QtBot, five: Opened) -> None:
    _, _, page = five
    assert texts(page)[0] == "the build is slow"
    first, without, long, hashed, power = (cells(page, place) for place in range(5))
    assert first[TYPE] == "Troubleshoot"
    assert first[CONFIDENCE] == "93 %"
    assert [without[TYPE], without[ANSWER], without[CONFIDENCE]] == ["No type", "–", "–"]
    assert [long[SOURCE], long[DOUBTS], long[DECISION]] == ["Imported", "tied, presets", "Waits"]
    assert hashed[TEXT] == "– hashed"
    assert hashed[DECISION] == ""
    assert power[ANSWER] == "postgres"
    qtbot.waitUntil(lambda: page.head.more.text() == "5 queries, 2 to review")
    page.table.grab()
    until_traced(qtbot, page)
    page.side.sums.click()
    read = page.side.sheet.read
    assert "Troubleshoot" in read
    assert "max(E 0, F 0.412) = 0.412" in read
    assert "“the build is slow”  best trigger" in read
    assert "Keywords" in read
    page.table.pick(1)
    qtbot.waitUntil(lambda: page.side.sheet.read.startswith("לבדוק את מסד הנתונים 🔥\n"))
    assert "over MCP" in page.side.sheet.read
    page.bar.search.setText("POSTGRES")
    qtbot.waitUntil(lambda: texts(page) == ["a postgres query"])
    page.bar.set_filter(source=Source.LOG)
    qtbot.waitUntil(lambda: texts(page) == [LONG])
    page.bar.set_filter(decision="waiting")
    qtbot.waitUntil(lambda: len(texts(page)) == 2)
    page.bar.set_filter(doubt=Doubt.PRESETS)
    qtbot.waitUntil(lambda: texts(page) == [LONG])
    page.bar.clear_all()
    page.table.sort_by("text", descending=False)
    qtbot.waitUntil(lambda: texts(page)[0] == "a postgres query")
    page.bar.search.setText("nowhere")
    qtbot.waitUntil(page.list.no_fit.isVisible)


def test_that_enter_asks_in_the_scope_and_a_button_why_it_came_out_so(qtbot: QtBot, five: Opened) -> None:
    window, library, page = five
    page.table.pick(3)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert window.toast.sentence == "Only a digest of this query is stored. It cannot be asked again."
    qtbot.waitUntil(lambda: not page.side.replay.isEnabled())
    page.table.pick(4)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert window.is_scope_open
    assert window.bar.box.line.text() == "a postgres query"
    window.open_page("history")
    library.add("cases", [Case("the build is slow", ("deploy",), Task.INTENT)])
    page.table.pick(0)
    qtbot.waitUntil(page.side.why.isEnabled)
    page.side.why.click()
    qtbot.waitUntil(lambda: window.scope.why_not_actions.is_open)
    assert window.bar.box.line.text() == "the build is slow"
    assert window.scope.why_not_actions.expected == Expectation("intent", "deploy")


def test_that_a_replay_lists_what_is_answered_otherwise_and_is_stopped(qtbot: QtBot, five: Opened) -> None:
    window, _, page = five
    page.replay_all.click()
    assert page.is_replaying
    qtbot.waitUntil(lambda: not page.replay.is_running)
    assert page.replay.last.done == 5
    assert page.replay.last.left_out == 1
    assert len(page.replay.model.rows) + page.replay.last.same == 4
    assert page.replay.message.text().endswith("1 is kept without its text and could not be asked.")
    assert page.replay.current is not None
    page.side.sheet.grab()
    assert "→" in page.side.sheet.read
    assert "because" in page.side.sheet.read
    assert page.replay.rows.hasFocus()
    QTest.keyClick(page.replay.rows, Qt.Key.Key_Escape)
    assert page.list.left.currentWidget() is page.list.found_side
    assert window.page is page
    assert page.table.hasFocus()
    page.table.pick(4)
    qtbot.waitUntil(page.side.replay.isEnabled)
    page.side.replay.click()
    qtbot.waitUntil(lambda: not page.replay.is_running and page.replay.last.done == 1)
    page.replay.back.click()
    page.replay_found()
    page.replay.stop.click()
    assert not page.replay.is_running
    page.replay.show_progress(ReplayProgress(3, 5, same=3))
    page.replay.end()
    assert "Stopped after 3." in page.replay.message.text()
    assert page.replay.empty.words[0] == "The replay was stopped"
    page.replay.end("The encoder is still loading.")
    assert page.replay.empty.words == ("The replay broke off", "The encoder is still loading.")


def test_that_several_are_selected_and_queries_are_forgotten_only_after_a_question(qtbot: QtBot, five: Opened) -> None:
    window, library, page = five
    page.table.selectAll()
    qtbot.waitUntil(lambda: page.side.forget.text() == "Forget 5")
    assert page.side.none.words[0] == "5 queries are selected"
    assert not page.side.open.isEnabled()
    page.table.pick(0)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    assert page.dialog is not None
    assert page.dialog.question.text().startswith("Forget 1 query? This cannot be undone.")
    page.dialog.reject()
    assert len(library.find_queries(HistoryFilter())) == 5
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    page.dialog.accept()
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 4)
    qtbot.waitUntil(lambda: window.toast.sentence == "Forgot 1 query.")
    page.forget_all.click()
    page.dialog.accept()
    qtbot.waitUntil(page.empty_state.isVisible)
    assert library.find_queries(HistoryFilter()) == []


def test_that_what_is_kept_is_said_and_chosen_on_the_page(qtbot: QtBot, five: Opened) -> None:
    window, _, page = five
    assert page.privacy.message.text().endswith("Deleted after 30 days, or beyond 100,000.")
    page.privacy.choice.setFocus()
    QTest.keyClick(page.privacy.choice, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.settings.history.privacy == "hashed")
    assert page.privacy.message.text().startswith("Only a digest, numbers and names are stored")
    QTest.keyClick(page.privacy.choice, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: page.privacy.message.text().startswith("No query is stored from now on."))
    assert page.table.isVisible()
    page.forget_all.click()
    some(page.dialog).accept()
    qtbot.waitUntil(page.off.isVisible)


def test_that_a_log_is_taken_in_and_its_bad_lines_are_told(qtbot: QtBot, five: Opened, tmp_path: Path) -> None:
    _, library, page = five
    file = tmp_path / "asked.jsonl"
    file.write_text('{"text": "the build is slow again"}\n{"text": \n{"text": "rotate the keys"}\n', "utf-8")
    page.log.take(file)
    qtbot.waitUntil(lambda: not page.log.name)
    assert page.log.message.text().startswith("2 queries of asked.jsonl are kept.")
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 7)
    assert {query.source for query in library.queries_by_key(library.find_queries(HistoryFilter()))} >= {Source.LOG}
    if page.log.problems:
        page.log.lines.click()
        open_dialog(page.log, SkippedLinesDialog).accept()
    page.log.choose()
    open_dialog(page.log, QFileDialog).reject()


def test_that_new_queries_and_decisions_are_seen_without_asking(qtbot: QtBot, five: Opened) -> None:
    window, library, page = five
    keep(window, qtbot, [history_entry("a newer one", at="2026-11-21 09:00:00")])
    qtbot.waitUntil(lambda: texts(page)[0] == "a newer one")
    (key,) = library.find_queries(HistoryFilter(words="newer"))
    window.worker.do(lambda bench: bench.history.decide([key], Judgement.SKIPPED), lambda _: None, lambda _: None)
    qtbot.waitUntil(lambda: cells(page, 0)[DECISION] == "Skipped")


def test_that_an_empty_history_offers_a_way_on(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, ())
    qtbot.waitUntil(page.empty_state.isVisible)
    dead = page.side.open, page.side.why, page.side.replay, page.side.forget, page.replay_all, page.forget_all
    assert not any(one.isVisible() for one in dead)
    assert not page.replay_all.isEnabled()
    assert page.focus_stops()[0] is page.take_log
    assert page.take_log.hasFocus()
    window.act("history:replay")
    window.act("history:forget_all")
    assert page.dialog is None


def test_that_closing_the_window_on_a_replay_and_a_log_asks_once_for_both(five: Opened) -> None:
    window, _, page = five
    page.replay.begin(5)
    page.log.name = "chat.log"
    assert not window.close()
    asked = some(window.close_prompt.dialog)
    assert "A replay is under way: 0 of 5 queries." in asked.question.text()
    assert "A log is being imported" in asked.question.text()
    assert asked.verb.text() == "Stop them and close"
    assert not window.close()
    assert window.close_prompt.dialog is asked
    asked.verb.click()
    assert not window.isVisible()


REFITS_SOURCE = FitSource(14, 0, 43)


def test_that_a_refit_is_told_with_what_it_changed_once_that_is_asked_for(qtbot: QtBot) -> None:
    strip = RefitStrip(Theme())
    qtbot.addWidget(strip)
    assert strip.isHidden()
    changes = tuple(ChangedText(Compared.QUERY, f"text {n}", ("before",), ()) for n in range(MOST_SHOWN + 2))
    strip.show_refit(RefitChanges(Refit(REFITS_SOURCE, 43, 24, 0, len(changes)), changes))
    assert not strip.isHidden()
    assert "22 of 24 recent queries changed" in strip.message.text()
    assert strip.changes.isHidden()
    strip.more.click()
    assert not strip.changes.isHidden()
    assert "text 0: before → nothing" in strip.changes.text()
    assert strip.changes.text().endswith("and 2 more")
    strip.more.click()
    assert strip.changes.isHidden()
    strip.show_refit(RefitChanges(Refit(REFITS_SOURCE, 43, 24, 0, 0), ()))
    assert strip.isHidden()
