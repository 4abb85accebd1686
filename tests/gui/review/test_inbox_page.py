"""Tests of the inbox on a real engine: one key per decision, undo, and restoration."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.filters import SearchResult
from app.domain.history import Doubt, HistoryEntry, HistoryFilter, Judgement
from app.domain.library import Answer
from app.domain.why_not import EditPreview, Effect, Expectation
from app.gui.kit.theme import Theme
from app.gui.review.inbox_page import InboxPage
from app.gui.review.inbox_queue import InboxCard
from app.gui.shell.main_window import MainWindow
from app.services.review.history import GONE
from app.services.scope.edit_previews import EditPreviews
from app.settings.model import Settings
from tests.gui.conftest import Opener
from tests.gui.history_entries import history_entries, history_entry, keep, open_on
from tests.memory_library import MemoryLibrary

Opened = tuple[MainWindow, MemoryLibrary, InboxPage]


def opened(qtbot: QtBot, open_window: Opener, count: int) -> Opened:
    window, library = open_on(qtbot, open_window, history_entries(count))
    window.open_page("inbox")
    page = window.page
    assert isinstance(page, InboxPage)
    qtbot.waitUntil(lambda: len(page.model.keys) == count)
    return window, library, page


@pytest.fixture
def three(qtbot: QtBot, open_window: Opener) -> Opened:
    return opened(qtbot, open_window, 3)


def press(*keys: Qt.Key | str) -> None:
    """Send real key events to the focused widget."""
    for key in keys:
        focus = QApplication.focusWidget()
        assert focus is not None
        if isinstance(key, str):
            QTest.keyClicks(focus, key)
        else:
            QTest.keyClick(focus, key)


def front(page: InboxPage) -> str:
    return (page.view.row.text or "") if page.view.row is not None else ""


def decision(library: MemoryLibrary, text: str) -> Judgement | None:
    (key,) = library.find_queries(HistoryFilter(words=text))
    return library.queries_by_key([key])[0].decision


def until_looked(qtbot: QtBot, page: InboxPage) -> None:
    qtbot.waitUntil(lambda: page.card.today is not None)


def test_that_one_query_is_in_front_with_its_doubt_until_another_is_chosen(qtbot: QtBot, three: Opened) -> None:
    window, library, page = three
    assert front(page) == "the nightly build number 0 is slow"
    assert page.where.text() == "1 of 3"
    until_looked(qtbot, page)
    assert "Weak match  slow-build has 41 %. Whether it was delivered is not stored." in page.card.read
    qtbot.waitUntil(lambda: page.head.more.text() == "3 to review: 3 not delivered")
    qtbot.waitUntil(lambda: window.rail.buttons["review"].badge == "3")
    assert window.rail.buttons["review"].accessibleName() == "Review, 3 queries to review"
    assert page.verbs["right"].text() == "Right  R"
    window.resize(1024, 640)
    qtbot.waitUntil(lambda: page.front.why.y() - page.verbs["skip"].y() < page.verbs["skip"].height(), timeout=5_000)
    press("n")
    assert front(page) == "the nightly build number 1 is slow"
    press(Qt.Key.Key_Down)
    assert page.where.text() == "3 of 3"
    press(Qt.Key.Key_Up, Qt.Key.Key_Up)
    assert front(page) == "the nightly build number 0 is slow"
    assert len(page.model.keys) == 3
    press("t", *[Qt.Key.Key_Down] * len(page.teach.choices or (1,) * 4))
    assert page.teach.label.hasFocus()
    press(Qt.Key.Key_Up)
    assert page.teach.list.hasFocus()
    press(Qt.Key.Key_Escape)
    assert not page.teach.isVisible()
    assert window.page is page
    assert len(page.model.keys) == 3
    assert decision(library, "number 0 is") is None
    text = front(page)
    library.add("cases", [Case(text, ("deploy",), Task.INTENT)])
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_E)
    qtbot.waitUntil(lambda: window.scope.why_not_actions.is_open)
    assert window.bar.box.line.text() == text
    assert window.scope.why_not_actions.expected == Expectation("intent", "deploy")
    assert decision(library, text) is None


def test_that_right_wrong_and_skip_take_one_key_each(qtbot: QtBot, three: Opened) -> None:
    window, library, page = three
    assert page.said.isHidden(), "it takes no space before the first decision"
    press("r")
    assert front(page) == "the nightly build number 1 is slow"  # immediately, whatever the store does
    press("w", "s")
    assert page.stack.currentWidget() is page.empty
    qtbot.waitUntil(lambda: not page.pending)
    decided = [decision(library, f"number {n} is") for n in range(3)]
    assert decided == [Judgement.RIGHT, Judgement.WRONG, Judgement.SKIPPED]
    cases = {case.text: (case.expected, case.unwanted) for case in library.cases()}
    assert cases["the nightly build number 0 is slow"] == (("speed-up",), ())
    assert cases["the nightly build number 1 is slow"] == ((), ("speed-up",))
    qtbot.waitUntil(lambda: window.rail.buttons["review"].badge == "")
    assert window.rail.buttons["review"].accessibleName() == "Review"


def test_that_a_query_becomes_a_trigger_of_an_answer_or_of_a_new_memory(qtbot: QtBot, three: Opened) -> None:
    _, library, page = three
    until_looked(qtbot, page)
    press("t")
    assert page.teach.isVisible()
    names = [choice.name for choice in page.teach.choices]
    press("2", Qt.Key.Key_Return)
    assert not page.teach.isVisible()
    assert page.view.hasFocus()
    assert front(page) == "the nightly build number 1 is slow"
    qtbot.waitUntil(lambda: not page.pending)
    assert decision(library, "number 0 is") is Judgement.TAUGHT
    answers: list[Answer] = [*library.memories(), *library.powers()]
    assert ([one.name for one in answers if "the nightly build number 0 is slow" in one.triggers]) == [names[1]]
    until_looked(qtbot, page)
    qtbot.waitUntil(lambda: page.teach.label.completer().model().rowCount() > 0)
    press("t")
    press("night")
    assert page.teach.label.hasFocus()
    press("ly", Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not page.pending)
    (taught,) = [memory for memory in library.memories() if memory.intent == "nightly"]
    assert taught.triggers == ("the nightly build number 1 is slow",)
    assert page.said.text() == "“the nightly build number 1 is slow” is taught: a new memory with the intent nightly."


def test_that_the_button_says_what_it_would_do(qtbot: QtBot, three: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    _, library, page = three
    asked: list[tuple[str, str | None, str]] = []

    async def of_trigger(_: object, answer: Answer, text: str) -> EditPreview:
        asked.append((answer.name, answer.answer_label, text))
        fixes = 0 if answer.key is None else 2
        return EditPreview(Effect(fixes, 1, ("a flat white",) * fixes, ("tea",), 12), (), 0, 3, 40)

    monkeypatch.setattr(EditPreviews, "of_trigger", of_trigger)
    until_looked(qtbot, page)
    press("t")
    text = front(page)
    press("2")
    second = page.teach.choices[1].match.answer
    qtbot.waitUntil(lambda: asked[-1:] == [(second.name, second.answer_label, text)])
    qtbot.waitUntil(lambda: page.teach.verb.text() == "Teach: fixes 2, breaks 1, changes 3 recent tiers  Enter")
    assert page.teach.effect.text().startswith("Checked against 12 cases and 40 recent queries. Fixes “a flat white”")
    press("night")
    assert (page.teach.verb.text(), page.teach.effect.text()) == ("Teach  Enter", "")
    qtbot.waitUntil(lambda: asked[-1] == (text, "night", text))
    qtbot.waitUntil(lambda: "fixes 0, breaks 1" in page.teach.verb.text())
    page.teach.show_preview(0, EditPreview(Effect(9, 9, (), (), 12)))
    assert "fixes 0" in page.teach.verb.text(), "what an older draft would do is dropped"
    page.teach.verb.setFocus()
    page.teach.verb.click()
    qtbot.waitUntil(lambda: not page.pending)
    assert [memory.intent for memory in library.memories() if text in memory.triggers] == ["night"]


def test_that_ctrl_z_takes_the_last_decision_back_and_puts_the_query_in_front(qtbot: QtBot, three: Opened) -> None:
    window, library, page = three
    press("r", "r")
    window.act("undo")
    qtbot.waitUntil(lambda: front(page) == "the nightly build number 1 is slow")
    assert len(page.model.keys) == 2
    assert decision(library, "number 1 is") is None
    assert decision(library, "number 0 is") is Judgement.RIGHT
    window.act("undo")
    qtbot.waitUntil(lambda: front(page) == "the nightly build number 0 is slow")
    assert library.cases() == []


def test_that_neither_an_old_search_nor_a_failed_decision_loses_the_query(qtbot: QtBot, three: Opened) -> None:
    window, library, page = three
    page.news_timer.setInterval(60_000)  # the search after the decision comes later
    before = list(page.model.keys)
    page.refresh()
    press("r")
    qtbot.waitUntil(lambda: not page.pending)
    page.show_found(SearchResult(before, len(before), {}))
    assert list(page.model.keys) == before[1:]
    key = page.view.key
    assert key is not None
    library.forget_queries([key])
    press("t", "late", Qt.Key.Key_Return)
    assert front(page) == "the nightly build number 2 is slow"
    qtbot.waitUntil(lambda: page.view.key == key)
    told = f"“the nightly build number 1 is slow” is back: {GONE}"
    qtbot.waitUntil(lambda: page.said.text() == window.toast.sentence == told)
    assert len(page.decided) == 1


def test_that_a_query_without_an_answer_is_neither_right_nor_wrong(qtbot: QtBot, open_window: Opener) -> None:
    unanswered = history_entry("the nightly build", answer=None, kind=None, answer_confidence=0.0, trace=None)
    window, _ = open_on(qtbot, open_window, [unanswered])
    window.open_page("inbox")
    page = window.page
    assert isinstance(page, InboxPage)
    qtbot.waitUntil(lambda: front(page) == "the nightly build")
    assert [key for key, made in page.verbs.items() if not made.isEnabled()] == ["right", "wrong"]
    press("w")
    assert page.said.text() == "No answer to mark. Teach it (T), or skip it (S)."
    assert len(page.model.keys) == 1
    assert "Not delivered  Nothing answers it." in page.card.read


def test_that_a_new_query_comes_without_moving_the_one_in_front_or_what_is_taught(qtbot: QtBot, three: Opened) -> None:
    window, library, page = three
    press("n")
    keep(window, qtbot, [history_entry("a newer one", at="2026-11-21 09:00:00", doubts=(Doubt.TIED,))])
    qtbot.waitUntil(lambda: len(page.model.keys) == 4)
    assert front(page) == "the nightly build number 1 is slow"
    assert page.where.text() == "3 of 4"
    press("t", "late")
    last = page.model.keys[3]
    library.forget_queries([last])
    keep(window, qtbot, [history_entry("the newest one", at="2026-11-21 10:00:00")])
    qtbot.waitUntil(lambda: last not in page.model.keys and len(page.model.keys) == 4)
    assert page.teach.isVisible()
    assert page.teach.label.hasFocus()
    assert page.teach.label.text() == "late"
    assert front(page) == "the nightly build number 1 is slow"


def test_that_an_empty_inbox_says_why(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = open_on(qtbot, open_window, [])
    window.open_page("inbox")
    page = window.page
    assert isinstance(page, InboxPage)
    assert page.empty.words[1].startswith("Queries that find no memory to inject and no power to start")
    window.worker.choose("history.privacy", "off")
    qtbot.waitUntil(lambda: page.empty.words[1] == "The history is off, so no query comes here.")
    assert page.focus_stops()[0].hasFocus()
    QTest.keyClick(page.focus_stops()[0], Qt.Key.Key_Escape)
    assert window.page is page


def test_that_many_queries_are_decided_with_the_keyboard_alone(qtbot: QtBot, open_window: Opener) -> None:
    """One key per query, or three for teaching; only the answers to choose from are waited for."""
    _, library, page = opened(qtbot, open_window, 20)
    before = len(library.memories())
    for n in range(20):
        assert front(page) == f"the nightly build number {n} is slow"
        match n % 5:
            case 0:
                press("r" if n % 2 else "o")
            case 1:
                press("w")
            case 2:
                press("s")
            case 3:
                until_looked(qtbot, page)
                press("t", "1", Qt.Key.Key_Return)
            case _:
                press("t", "label", Qt.Key.Key_Return)
    assert page.stack.currentWidget() is page.empty
    qtbot.waitUntil(lambda: not page.pending)
    kept = library.queries_by_key(library.find_queries(HistoryFilter()))
    counts = {one: sum(query.decision is one for query in kept) for one in Judgement}
    assert counts == {"taught": 8, "right": 2, "none": 2, "wrong": 4, "skipped": 4}
    made = [memory for memory in library.memories() if memory.intent == "label"]
    assert len(made) == len(library.memories()) - before == 4


def test_that_a_hundred_thousand_that_wait_are_decided_as_quickly_as_three(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = open_on(qtbot, open_window, history_entries(1))
    window.open_page("inbox")
    page = window.page
    assert isinstance(page, InboxPage)
    qtbot.waitUntil(lambda: len(page.model.keys) == 1)
    page.model.show_keys(list(range(1, 100_001)), {n: history_entry(f"query {n}", key=n) for n in range(1, 60)})
    page.view.go_to(0)
    page.watch.counted.disconnect()
    for _ in range(5):
        press("n")
    page.view.grab()
    assert front(page) == "query 6"
    assert page.where.text() == "6 of 100,000"
    press(Qt.Key.Key_End)
    assert page.where.text() == "100,000 of 100,000"


def test_that_a_failed_look_is_repeated_on_demand(qtbot: QtBot, three: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    _, library, page = three
    until_looked(qtbot, page)
    key, looks = page.view.key, page.looks
    assert key is not None
    looks.forget(key)

    def locked(_: int) -> HistoryEntry:
        raise StoreError("The library is locked.")

    with monkeypatch.context() as patched, qtbot.waitSignal(page.looks.failed):
        patched.setattr(library, "query", locked)
        looks.ask(key)
    looks.ask(key)
    qtbot.waitUntil(lambda: looks.of(key) is not None)


def test_that_only_the_first_answer_says_that_it_is_below_the_threshold(qtbot: QtBot) -> None:
    matches = [
        {"kind": "memory", "id": name, "name": name, "confidence": confidence, "band": "fallback"}
        for name, confidence in (("slow-build", 0.4), ("keys", 0.004))
    ]
    card = InboxCard(Theme(), "The query in front")
    qtbot.addWidget(card)
    card.show_row(replace(history_entry("build"), trace={"matches": matches}), Settings())
    assert card.read.count("Below threshold") == 1
    assert "40 %" in card.read
    assert "<1 %" in card.read


def test_that_the_last_decision_is_said_where_nothing_is_left(qtbot: QtBot, open_window: Opener) -> None:
    _, _, page = opened(qtbot, open_window, 1)
    until_looked(qtbot, page)
    press("r")
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    said = "slow-build is right for “the nightly build number 0 is slow”. Ctrl+Z undoes it."
    assert page.empty.words == ("Nothing to review", said)
