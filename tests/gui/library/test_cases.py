"""Tests of the cases page on a real engine: search, edits, addition, deletion, runs."""

import time
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCompleter, QLineEdit
from pytestqt.qtbot import QtBot

from app.domain.case import Case, Task
from app.domain.journal import Edit
from app.domain.library import Line, Memory, Power, Transport
from app.domain.why_not import Expectation
from app.gui.evaluation.page import EvaluatePage
from app.gui.kit.dialogs import ConfirmDialog
from app.gui.library.cases import CasesPage
from app.gui.shell.main_window import MainWindow
from tests.build import library_of, of_type, some
from tests.gui.conftest import Opener
from tests.gui.pages import opened_page, row_action
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

ANSWERS = (
    Power("postgres", "Ask PostgreSQL", ("postgres",), transport=Transport(command="start"), approved=True),
    Power("mysql", "Ask MySQL", ("mysql",), transport=Transport(command="start"), approved=True),
    Memory(("rain",)),
)
CASES = (
    Case("a postgres query", ("postgres",), Task.POWER),
    Case("a mysql query", ("postgres",), Task.POWER),
    Case("the mysql tables", (), Task.POWER, unwanted=("mysql",)),
    Case("where is the door", ("location",), Task.TYPE),
)
TEXT, EXPECTED = 0, 2


@pytest.fixture
def library() -> MemoryLibrary:
    return library_of(*CASES)


@pytest.fixture
def window(open_window: Opener, library: MemoryLibrary) -> MainWindow:
    made = open_window(real_bench(library, ANSWERS))
    made.activateWindow()
    return made


def is_ready(window: MainWindow) -> bool:
    status = window.scope.state.status
    return status is not None and status.encoder_state == "ready"


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> CasesPage:
    qtbot.waitUntil(lambda: is_ready(window))
    made = opened_page(window, "cases", CasesPage)
    qtbot.waitUntil(lambda: len(made.table.paged.keys) == len(CASES))
    return made


def cells(page: CasesPage, place: int) -> list[str]:
    model = page.table.paged
    return [str(model.index(place, column).data()) for column in range(model.columnCount())]


def texts(page: CasesPage) -> list[str]:
    return [cells(page, place)[TEXT] for place in range(len(page.table.paged.keys))]


def type_into(page: CasesPage, place: int, column: int, text: str) -> QLineEdit:
    """Open the cell's editor and type, without leaving it."""
    page.table.setCurrentIndex(page.table.paged.index(place, column))
    page.table.edit(page.table.currentIndex())
    (line,) = page.table.viewport().findChildren(QLineEdit)
    line.selectAll()
    QTest.keyClicks(line, text)
    return line


def test_that_each_case_says_what_it_expects_and_is_sought_sifted_and_sorted(qtbot: QtBot, page: CasesPage) -> None:
    ends = [part.mapTo(page, part.rect().topRight()).x() for part in (page.run_all, page.list.view)]
    assert ends[0] == ends[1]
    assert cells(page, 0)[:5] == ["a postgres query", "Power", "postgres", "", ""]
    assert cells(page, 2)[2:4] == ["", "mysql"]
    assert "4" in page.bar.count.text()
    page.bar.search.setText("door")
    qtbot.waitUntil(lambda: texts(page) == ["where is the door"])
    page.bar.set_filter(task=Task.POWER)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 3)
    page.table.sort_by("text", descending=True)
    qtbot.waitUntil(lambda: texts(page)[0] == "the mysql tables")
    page.bar.search.setText("nowhere")
    qtbot.waitUntil(page.list.no_fit.isVisible)


def test_that_all_are_run_the_wrong_ones_lead_to_their_causes_and_an_old_run_is_made_again(
    qtbot: QtBot, window: MainWindow, page: CasesPage
) -> None:
    page.table.pick(0)
    assert not row_action(page.table, "Why not").isEnabled(), "nothing was run yet"
    assert all(map(page.table.isColumnHidden, (4, 5, 6, 7)))
    page.run_all.setFocus()
    page.run_all.click()
    assert page.runs.cancel.isVisible()
    assert page.table.hasFocus()
    qtbot.waitUntil(lambda: not page.runs.job.is_running and len(page.outcomes) == 4)
    assert page.table.hasFocus(), "and no other button has it"
    assert not page.table.isColumnHidden(4)
    assert page.runs.message.text() == "2 of 4 cases delivered as expected (50.0 %); 2 wrong."
    assert cells(page, 0)[4:7] == ["✓ delivered", "postgres", "1"]
    assert cells(page, 1)[4:6] == ["✗ wrong", "mysql"]
    assert cells(page, 2)[4] == "✗ wrong"
    qtbot.waitUntil(lambda: "result" in page.bar.chips)
    page.bar.set_filter(result="failed")
    qtbot.waitUntil(lambda: texts(page) == ["a mysql query", "the mysql tables"])
    page.bar.clear_all()
    page.table.sort_by("confidence", descending=False)
    qtbot.waitUntil(lambda: texts(page)[0] == "where is the door")
    window.worker.choose("theme", "dark")
    qtbot.waitUntil(lambda: some(page.core_state).settings.theme == "dark")
    assert page.runs.stale.isHidden()
    window.worker.teach(Memory(("snow",)))
    qtbot.waitUntil(page.runs.stale.isVisible)
    qtbot.waitUntil(lambda: page.runs.stale.message.text() == "Out of date: 1 memory more.")
    with qtbot.waitSignal(page.runs.finished):
        page.runs.stale.again.click()
    assert page.runs.stale.isHidden()
    assert len(page.outcomes) == len(CASES)
    lost = next(place for place in range(len(CASES)) if texts(page)[place] == "a mysql query")
    page.table.pick(next(place for place in range(len(CASES)) if texts(page)[place] == "a postgres query"))
    assert not row_action(page.table, "Why not").isEnabled()
    page.table.pick(lost)
    row_action(page.table, "Why not").trigger()
    assert window.is_scope_open
    assert window.bar.box.line.text() == "a mysql query"
    asking = window.scope.why_not_actions
    assert asking.is_open
    assert asking.expected == Expectation("power", "postgres")
    assert some(asking.view).expected.line.text() == "postgres"
    qtbot.waitUntil(lambda: asking.view is not None and some(asking.view).shown is not None)


def test_that_the_selection_is_run_stopped_and_forgotten_after_an_edit(qtbot: QtBot, page: CasesPage) -> None:
    page.table.pick(3)
    row_action(page.table, "Run selected").trigger()
    qtbot.waitUntil(lambda: not page.runs.job.is_running and len(page.outcomes) == 1)
    page.run_all.click()
    page.runs.cancel.click()
    assert not page.runs.job.is_running
    assert not page.runs.bar.isVisible()
    qtbot.waitUntil(page.run_all.isEnabled)
    page.run_all.click()
    qtbot.waitUntil(lambda: not page.runs.job.is_running and len(page.outcomes) == 4)
    QTest.keyClick(type_into(page, 1, EXPECTED, "no match"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: cells(page, 1)[EXPECTED:] == ["no match", "", "", "", "", ""])


def test_that_ctrl_return_in_the_line_of_a_new_case_adds_it_and_elsewhere_runs_all(
    qtbot: QtBot, page: CasesPage, library: MemoryLibrary
) -> None:
    before, line = len(library.cases()), page.new.text
    line.setFocus()
    line.setText("restart the web server")
    QTest.keyClick(line, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(library.cases()) == before + 1)
    assert not page.runs.job.is_running
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(page.outcomes) > 0)


def test_that_cases_are_edited_in_place_added_once_and_opened_in_the_scope(
    qtbot: QtBot, window: MainWindow, page: CasesPage, library: MemoryLibrary
) -> None:
    line = type_into(page, 1, EXPECTED, "postgres; my")
    (completer,) = (found for found in line.findChildren(QCompleter) if found.widget() is line)
    names = of_type(completer.model(), QStringListModel)
    qtbot.waitUntil(lambda: names.stringList() == ["mysql"])
    completer.activated.emit("mysql")
    assert line.text() == "postgres; mysql"
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: library.cases()[1].expected == ("postgres", "mysql"))
    qtbot.waitUntil(lambda: cells(page, 1)[EXPECTED] == "postgres; mysql")
    assert window.toast.offers_undo
    window.act("undo")
    qtbot.waitUntil(lambda: cells(page, 1)[EXPECTED] == "postgres")
    page.add.click()
    page.new.task.show_value("power")
    page.new.text.setText("look into mysql")
    page.new.expected.setText("mysql")
    QTest.keyClick(page.new.expected, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 5)
    assert library.cases()[4].expected == ("mysql",)
    qtbot.waitUntil(lambda: page.new.text.text() == "")
    page.new.text.setText("a mysql query")
    page.new.verb.click()
    qtbot.waitUntil(lambda: "already" in window.toast.sentence)
    QTest.keyClick(page.new.text, Qt.Key.Key_Escape)
    assert not page.new.isVisible()
    assert page.isVisible()
    page.table.pick(1)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert window.is_scope_open
    assert window.bar.box.line.text() == "a mysql query"
    window.open_page("cases")
    line = type_into(page, 3, EXPECTED, "upstairs")
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "none of the six types" in window.toast.sentence)
    assert cells(page, 3)[EXPECTED] == "location"


def test_that_a_person_decides_between_two_hands_and_many_are_deleted_after_a_question(
    qtbot: QtBot, window: MainWindow, page: CasesPage, library: MemoryLibrary
) -> None:
    for theirs, kept, choice in (("theirs", "theirs", page.stale.theirs), ("again theirs", "mine", page.stale.mine)):
        line = type_into(page, 0, EXPECTED, "mine")
        edited = replace(library.cases()[0], expected=(theirs,))
        library.change(Edit("edited", source="elsewhere"), [edited])
        QTest.keyClick(line, Qt.Key.Key_Return)
        qtbot.waitUntil(page.stale.isVisible)
        choice.click()
        qtbot.waitUntil(lambda: not page.stale.isVisible())
        qtbot.waitUntil(lambda: (cells(page, 0)[EXPECTED],) == library.cases()[0].expected != ("again theirs",))
        assert library.cases()[0].expected == (kept,)
    page.table.selectAll()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    (dialog,) = page.findChildren(ConfirmDialog)
    assert "4 cases" in dialog.question.text()
    dialog.verb.click()
    qtbot.waitUntil(page.empty.isVisible)
    assert library.cases() == []
    window.act("undo")
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 4)
    assert all(verb.isVisible() for verb in page.verbs)


def test_that_an_empty_page_says_how_cases_come_to_be(qtbot: QtBot, open_window: Opener) -> None:
    page = opened_page(open_window(real_bench(MemoryLibrary())), "cases", CasesPage)
    qtbot.waitUntil(page.empty.isVisible)
    assert "Ctrl+Up" in page.empty.words[1]
    assert not page.sample.isVisible()
    assert not any(verb.isVisible() for verb in page.verbs), "they would stand twice, or do nothing"
    page.first.click()
    assert page.new.isVisible()


def test_that_a_sample_library_is_offered_its_cases(qtbot: QtBot, open_window: Opener) -> None:
    sample = Memory(("what does held mean on an order",), id="order-states")
    window = open_window(real_bench(MemoryLibrary(), [sample], seed={"cases": lambda: [Line(1, CASES[0])]}))
    qtbot.waitUntil(lambda: is_ready(window))
    page = opened_page(window, "cases", CasesPage)
    qtbot.waitUntil(page.sample.isVisible)
    evaluate = opened_page(window, "evaluate", EvaluatePage)
    qtbot.waitUntil(evaluate.sample.isVisible)
    evaluate.sample.click()
    opened_page(window, "cases", CasesPage)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 1)
    assert window.toast.offers_undo


def test_that_the_sample_library_brings_its_cases_and_one_undo_removes_them(qtbot: QtBot, open_window: Opener) -> None:
    seed: dict[str, Any] = {
        "memories": lambda: [Line(1, Memory(("what is held",), id="states"))],
        "cases": lambda: [Line(1, CASES[0])],
    }
    window = open_window(real_bench(library := MemoryLibrary(), seed=seed))
    qtbot.waitUntil(lambda: is_ready(window))
    with qtbot.waitSignal(window.worker.seeded):
        window.worker.add_seed_library()
    assert (len(library.cases()), len(library.memories())) == (1, 1)
    qtbot.waitUntil(lambda: window.toast.offers_undo)
    with qtbot.waitSignal(window.worker.undone):
        window.worker.undo()
    assert (library.cases(), library.memories()) == ([], [])


@pytest.mark.parametrize("slow", [0.0, 0.05])
def test_that_runs_of_cases_and_of_evaluate_are_the_same_runs(
    qtbot: QtBot,
    window: MainWindow,
    page: CasesPage,
    library: MemoryLibrary,
    monkeypatch: pytest.MonkeyPatch,
    slow: float,
) -> None:
    with qtbot.waitSignal(page.runs.finished):
        page.run_all.click()
    find = library.find_cases

    def find_late(*how: Any, **more: Any) -> list[int]:
        time.sleep(slow)
        return find(*how, **more)

    monkeypatch.setattr(library, "find_cases", find_late)
    evaluate = opened_page(window, "evaluate", EvaluatePage)
    qtbot.waitUntil(lambda: evaluate.shown is not None)
    assert evaluate.form.chosen_task is Task.POWER
    assert evaluate.verdict.text() == "1 of 3 cases delivered as expected (33.3 %); 2 wrong."
    assert not evaluate.turned.isVisible(), "there is no run before it"
    page.outcomes.clear()
    with qtbot.waitSignal(evaluate.task_finished):
        evaluate.form.run.click()
    assert evaluate.note.text().startswith("Since the last run: no change.\nNext: ")
    window.open_page("cases")
    qtbot.waitUntil(lambda: len(page.outcomes) == 3)
    assert page.runs.message.text().endswith("as expected (33.3 %); 2 wrong. Since the last run: no change.")
