"""Tests of the evaluation page on a real engine: results, comparison, sweep, charts, undo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.display.evaluation.diagnostics import CASES, CONFIDENCE, CONFUSION, LABELS, RETRIEVAL, VIEWS, diagnostics_csv
from app.display.evaluation.results import CASE_COLUMNS, CaseLine
from app.display.evaluation.sweep import KEPT_RUN
from app.domain.case import Case, EvaluationRun, Task
from app.domain.errors import StoreError
from app.domain.library import Memory, Power, Transport
from app.domain.why_not import Expectation
from app.evaluation.answers import Answered, RankedName
from app.gui.evaluation.form import COMPARE, SWEEP, TODAY
from app.gui.evaluation.page import EvaluatePage
from app.gui.kit.dialogs import png_of, svg_of
from app.gui.kit.fields import ChoiceBox
from app.gui.shell.main_window import MainWindow
from tests.build import library_of, some
from tests.gui.conftest import Opener, round_trip
from tests.gui.pages import open_dialog, opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

ANSWERS = (
    Power("postgres", "Ask PostgreSQL", ("postgres", "database"), transport=Transport(command="start"), approved=True),
    Power("mysql", "Ask MySQL", ("mysql", "database"), transport=Transport(command="start"), approved=True),
    Memory(("will it rain",), intent="weather"),
)
EVALUATION_CASES = (
    Case("a postgres query", ("postgres",), Task.POWER),
    Case("a mysql query", ("postgres",), Task.POWER),
    Case("zzz", (), Task.POWER),
    Case("will it rain", ("weather",), Task.INTENT),
    Case("how do I pay", ("howto",), Task.TYPE),
)


@pytest.fixture
def library() -> MemoryLibrary:
    return library_of(*EVALUATION_CASES)


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, library: MemoryLibrary) -> MainWindow:
    made = open_window(real_bench(library, ANSWERS))
    made.activateWindow()
    qtbot.waitUntil(lambda: some(made.scope.state.status).encoder_state == "ready")
    return made


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> EvaluatePage:
    made = opened_page(window, "evaluate", EvaluatePage)
    qtbot.waitUntil(made.start.isVisible)
    return made


def evaluated(qtbot: QtBot, page: EvaluatePage) -> None:
    page.shown = None
    page.form.run.click()
    qtbot.waitUntil(lambda: page.shown is not None)


def choose(box: ChoiceBox, value: str) -> None:
    box.show_value(value)
    box.changed.emit(value)


def compare(qtbot: QtBot, page: EvaluatePage, what: str, value: str = "") -> None:
    page.open_mode(COMPARE)
    choose(page.form.what, what)
    if value:
        page.form.choice.show_value(value)
        page.form.line.setText(value)
    evaluated(qtbot, page)


def cells(page: EvaluatePage, place: int) -> list[str]:
    model = page.lists.table.paged
    return [str(model.index(place, column).data()) for column in range(model.columnCount())]


def test_that_the_form_offers_the_task_with_the_most_cases_and_only_what_can_be_tried(page: EvaluatePage) -> None:
    assert page.form.chosen_task is Task.POWER
    assert page.form.task.currentText() == "Power (3)"
    page.open_mode(COMPARE)
    choose(page.form.what, "tiers.weak")
    assert not page.form.run.isEnabled()
    page.form.line.setText("0.4")
    assert page.form.run.isEnabled()
    page.open_mode(SWEEP)
    assert [field.text() for field in page.form.range.fields] == ["0", "100", "5"], "in per cent"
    page.open_mode(COMPARE)
    assert page.form.line.text() == "0.4"

    def offered(box: ChoiceBox) -> list[str]:
        return [box.itemData(place) for place in range(box.count())]

    choose(page.form.what, "combination")
    page.form.choice.show_value("max")
    choose(page.form.what, "name_counts")
    assert offered(page.form.choice) == ["true", "false"]
    choose(page.form.what, "preset=recommended")
    page.open_mode(SWEEP)
    assert "preset=recommended" not in offered(page.form.what)
    page.form.what.show_value("tiers.weak")
    choose(page.form.task, "intent")
    assert "tiers.weak" not in offered(page.form.what)
    page.open_mode(TODAY)
    choose(page.form.task, "memory")
    assert not page.form.run.isEnabled()
    assert page.start.words[0] == "No case of this task yet"


def test_that_before_the_first_run_of_a_session_the_last_stored_one_is_told(qtbot: QtBot, page: EvaluatePage) -> None:
    assert page.start.words[0] == "Nothing evaluated since the start"
    run = EvaluationRun(0.0, Task.POWER, "", 4, 3, "learned", 0.3, {"delivered": 0.75}, {}, {}, {}, 0, 7)
    page.form.show_runs([run])
    told = "Last run 1970-01-01 00:00: 3 of 4 delivered as expected (75.0 %)"
    qtbot.waitUntil(lambda: page.start.words[0] == told)
    page.form.show_runs([replace(run, metrics={})])
    qtbot.waitUntil(lambda: page.start.words[0] == told.replace("delivered as expected", "correct"))
    page.form.show_runs([replace(run, source="cases.jsonl")])
    qtbot.waitUntil(lambda: page.start.words[0] == "Nothing evaluated since the start")


def test_that_today_has_figures_and_wrong_cases_lead_on(qtbot: QtBot, window: MainWindow, page: EvaluatePage) -> None:
    evaluated(qtbot, page)
    assert page.verdict.text() == "2 of 3 cases delivered as expected (66.7 %); 1 wrong."
    assert page.figures.text().startswith("Expected answer first 50.0 % · No match where none fits 100 % · Wrong where")
    page.views.open("metrics")
    titles = ["Power, 3 cases", "More metrics", "Tiers", "Reliability"]
    assert [line for line in page.views.results.tables.read.splitlines() if line in titles] == titles
    assert page.verdict.width() > 100, "the sentence has its room where nothing stands below it"
    qtbot.waitUntil(lambda: len(page.lists.table.paged.keys) == 1)
    qtbot.waitUntil(lambda: cells(page, 0)[:4] == ["a mysql query", "postgres", "✗ wrong", "mysql"])
    assert not page.apply.isVisible()
    assert some(page.views.results.plot).isVisible()
    page.views.open(CASES)
    page.lists.table.pick(0)
    QTest.keyClick(page.lists.table, Qt.Key.Key_Return)
    assert window.is_scope_open
    assert window.bar.box.line.text() == "a mysql query"
    window.open_page("evaluate")
    for task, is_shown in ((Task.INTENT, False), (Task.POWER, True)):
        choose(page.form.task, task.value)
        assert (page.shown is not None) is is_shown
    qtbot.waitUntil(lambda: len(page.lists.table.paged.keys) == 1)
    assert page.lists.table.selected_keys == [0], "the most confident failed case"
    assert page.lists.why.isEnabled()
    page.lists.why.click()
    assert window.scope.why_not_actions.is_open
    assert window.bar.box.line.text() == "a mysql query"
    assert window.scope.why_not_actions.expected == Expectation("power", "postgres")
    window.open_page("evaluate")
    page.lists.kinds["wrong", "right"].set_current("right")
    page.lists.table.sort_by("text", descending=True)
    qtbot.waitUntil(lambda: len(page.lists.table.paged.keys) == 2)
    qtbot.waitUntil(lambda: cells(page, 0)[0] == "zzz")
    page.lists.table.sort_by("text", descending=False)
    qtbot.waitUntil(lambda: cells(page, 0)[0] == "a postgres query")


def test_that_a_comparison_is_applied_taken_back_and_run_again_once_it_is_old(
    qtbot: QtBot, window: MainWindow, page: EvaluatePage, library: MemoryLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(qtbot, page, "combination", "exact")
    assert page.verdict.text() == "0 cases fixed, 1 broken. 1 more fails in another way."
    assert "McNemar" in page.note.text()
    assert page.lists.kind == "broken"
    qtbot.waitUntil(lambda: cells(page, 0)[5] == "no match")
    assert page.apply.text() == "Set Combination to Exact"
    assert page.apply.property("primary") != "true"

    def refuse(*_: object) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(library, "choose_settings", refuse)
        with qtbot.waitSignal(page.notified) as told:
            page.apply.click()
        assert told.args == ["The disk is full.", False, True]
    assert page.apply.isEnabled()
    page.apply.click()
    qtbot.waitUntil(lambda: library.setting_values().get("combination") == "exact")
    told = "Out of date: combination (balanced, now exact)."
    qtbot.waitUntil(lambda: page.stale.message.text() == told)
    assert not page.apply.isEnabled()
    qtbot.waitUntil(lambda: window.toast.offers_undo)
    window.act("undo")
    qtbot.waitUntil(lambda: "combination" not in library.setting_values())
    qtbot.waitUntil(page.stale.isHidden)
    window.worker.choose("theme", "dark")
    window.worker.choose("reduced_motion", "on")
    qtbot.waitUntil(lambda: some(page.core_state).settings.reduced_motion == "on")
    assert page.stale.isHidden()
    window.worker.choose("tiers.high", "0.95")
    qtbot.waitUntil(page.stale.isVisible)
    assert page.stale.message.text() == "Out of date: tiers.high (0.9, now 0.95)."
    page.form.line.setText("tiers.weak=0.1")
    before = page.shown
    page.stale.again.click()
    qtbot.waitUntil(lambda: page.shown is not before)
    assert page.stale.isHidden()
    assert page.apply.isEnabled()
    assert page.apply.text() == "Set Combination to Exact"


def test_that_a_run_is_stopped_presets_and_several_settings_are_compared_and_no_value_refused(
    qtbot: QtBot, window: MainWindow, page: EvaluatePage
) -> None:
    page.form.run.click()
    qtbot.waitUntil(lambda: next(page.hairlines()).top() > page.form.y() + page.form.bar.geometry().bottom())
    page.form.stop.click()
    assert not page.form.stop.isVisible()
    round_trip(qtbot, window.worker)
    assert [page.shown] == [None]
    assert page.start.isVisible()
    compare(qtbot, page, "preset=as_documented")
    assert some(page.shown).changes == {"preset": "as_documented"}
    compare(qtbot, page, "several", "tiers.high=0.9; combination=fuzzy")
    assert some(page.shown).changes == {"tiers.high": "0.9", "combination": "fuzzy"}
    page.form.line.setText("nonsense")
    page.form.run.click()
    qtbot.waitUntil(lambda: "KEY=VALUE" in page.fault.sentence)
    assert page.form.run.isVisible()


def test_that_each_way_of_looking_keeps_its_result_and_a_sweep_marks_the_best(qtbot: QtBot, page: EvaluatePage) -> None:
    evaluated(qtbot, page)
    told = page.verdict.text()
    page.open_mode(SWEEP)
    assert page.start.isVisible()
    assert page.shown is None
    choose(page.form.what, "tiers.weak")
    evaluated(qtbot, page)
    swept = page.verdict.text()
    page.open_mode(TODAY)
    assert (page.verdict.text(), page.sweep.isVisible()) == (told, False)
    page.open_mode(SWEEP)
    qtbot.waitUntil(lambda: page.shown is not None)
    assert (page.verdict.text(), page.sweep.isVisible()) == (swept, True)
    for field, text in zip(page.form.range.fields, ("10", "40", "10"), strict=True):
        field.setText(text)
    evaluated(qtbot, page)
    assert page.sweep.isVisible()
    qtbot.waitUntil(lambda: len(page.sweep.table.paged.keys) == 4)
    assert page.verdict.text() == "No value fixes more cases than it breaks."
    page.sweep.table.pick(next(place for place in range(4) if page.sweep.shown and place != page.sweep.shown.best))
    qtbot.waitUntil(lambda: page.sweep.is_aside and " %" in page.apply.text())
    assert " %: " in page.note.text()
    choose(page.form.what, "combination")
    assert not page.form.range.isVisible(), "every combination is tried"
    evaluated(qtbot, page)
    assert some(page.sweep.plot).isHidden()
    assert page.form.run.geometry().right() > page.width() - 40, "at the end of its row"
    page.open_mode("today")
    qtbot.waitUntil(page.sweep.isHidden)


def test_that_cases_come_from_a_file_too(qtbot: QtBot, page: EvaluatePage, tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text('{"text": "will it rain", "expected": ["weather"]}\nno case\n')
    page.form.task.show_value("intent")
    page.form.show_file(file)
    assert page.form.open.text() == "labels.jsonl"
    evaluated(qtbot, page)
    assert page.verdict.text() == "1 of 1 case delivered as expected (100 %)."
    assert page.note.text().endswith("1 line of labels.jsonl is not a case and was skipped.")
    page.form.back.click()
    assert page.form.file is None
    page.form.show_file(tmp_path / "missing.jsonl")
    page.form.run.click()
    qtbot.waitUntil(lambda: bool(page.fault.sentence))
    page.ask_file()
    dialog = open_dialog(page, QFileDialog)
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    assert page.form.file == file


def test_that_without_cases_the_page_says_how_to_get_some(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary(), ANSWERS))
    page = opened_page(window, "evaluate", EvaluatePage)
    qtbot.waitUntil(page.empty.isVisible)
    assert not page.form.isVisible()

    def is_offered() -> bool:  # until they are counted again: the library has none
        page.show_counts({task: 2 if task is Task.ROUTE else 0 for task in Task})
        return page.form.isVisible()

    qtbot.waitUntil(is_offered)
    assert page.form.chosen_task is Task.ROUTE
    assert page.form.run.isEnabled()
    page.action_requested.emit("page:cases")
    assert window.page is window.pages["cases"]


def test_that_a_store_that_cannot_count_leaves_a_line_and_a_way_out(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> list[int]:
        raise StoreError("The library is locked by another program.")

    with monkeypatch.context() as broken:
        broken.setattr(library, "find_cases", refuse)
        page = opened_page(window, "evaluate", EvaluatePage)
        qtbot.waitUntil(page.start.isVisible)
    assert "locked" in page.fault.sentence
    assert page.start.words[0] == "The cases could not be counted"
    assert page.form.open.isVisible()
    assert not page.form.run.isEnabled()
    page.fault.act.click()
    qtbot.waitUntil(page.form.run.isEnabled)
    assert not page.fault.sentence


def test_that_the_llm_is_asked_on_demand_and_where_there_is_none_it_is_said(qtbot: QtBot, page: EvaluatePage) -> None:
    choice = page.form
    choose(choice.task, Task.ROUTE.value)
    assert choice.llm.isHidden()
    choose(choice.task, Task.TYPE.value)
    assert not choice.llm.isHidden()
    before = choice.request
    choice.llm.switch.click()
    assert (before.llm, choice.request.llm) == (False, True)
    page.run(choice.request)
    qtbot.waitUntil(lambda: "No LLM is set up" in page.fault.sentence)
    # Cases changed by the LLM are listed beside wrong ones, with the answer without it.
    case = Answered(EVALUATION_CASES[0], ("postgres",), (RankedName("postgres", 0.9),), 1, rejected=False)
    line = CaseLine(0, case, case)
    held = {"wrong": (), "right": (line,), "llm_right": (line,), "llm_wrong": (), "other_policy": ()}
    page.lists.show_lists(held, (line,))
    lists = next(one for kinds, one in page.lists.kinds.items() if "llm_right" in kinds)
    assert lists.current == "right"
    lists.set_current("llm_right")
    lists.chosen.emit("llm_right")
    qtbot.waitUntil(lambda: cells(page, 0)[-3:] == ["postgres", "90 %", ""])
    assert not {column.key: page.lists.table.isColumnHidden(n) for n, column in enumerate(CASE_COLUMNS)}["then"]


def test_that_what_changed_since_the_last_run_is_told_and_compared(qtbot: QtBot, page: EvaluatePage) -> None:
    evaluated(qtbot, page)
    assert (page.note.text()[:14], page.turned.isVisible()) == ("Next: Why not ", False)
    page.apply_changes({"tiers.high": "1", "tiers.medium": "1", "tiers.weak": "1"})
    qtbot.waitUntil(page.stale.isVisible)
    evaluated(qtbot, page)
    assert page.note.text().startswith("Since the last run: \N{MINUS SIGN}33.3 points, 0 fixed, 1 broken.\n")
    page.turned.click()
    qtbot.waitUntil(lambda: page.shown is not None and not page.form.is_running)
    assert page.modes.current == COMPARE
    assert "0 cases fixed, 1 broken" in page.verdict.text()


def opened(qtbot: QtBot, open_window: Opener) -> tuple[MainWindow, EvaluatePage]:
    library = MemoryLibrary()
    library.add("cases", EVALUATION_CASES)
    window = open_window(real_bench(library, ANSWERS))
    window.activateWindow()
    qtbot.waitUntil(lambda: some(window.scope.state.status).encoder_state == "ready")
    page = opened_page(window, "evaluate", EvaluatePage)
    qtbot.waitUntil(page.start.isVisible)
    page.form.run.click()
    qtbot.waitUntil(lambda: page.shown is not None)
    return window, page


def test_that_pictures_are_opened_walked_and_lead_to_cases(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    _, page = opened(qtbot, open_window)
    views = page.views
    assert not views.export.isVisible()
    for view in VIEWS:
        views.open(view)
        assert views.body.isVisible()
        assert views.promise.isVisible() == (view == CONFIDENCE)

    views.open(LABELS)
    assert views.export.isVisible()
    first = views.table.lines[0]
    views.table.pick(0)
    QTest.keyClick(views.table, Qt.Key.Key_Return)
    assert views.view == CASES
    qtbot.waitUntil(lambda: page.lists.table.paged.rowCount() == first.expected)
    assert page.lists.picked.text() == f"Expected: {first.label}"
    page.lists.back.click()
    assert page.lists.pick is None

    views.open(CONFUSION)
    matrix = views.matrix
    grid = some(matrix.grid)
    row, column = next((n, m) for n, cells in enumerate(grid.counts) for m, count in enumerate(cells) if count)
    for key, times in ((Qt.Key.Key_Up, 9), (Qt.Key.Key_Left, 9), (Qt.Key.Key_Down, row), (Qt.Key.Key_Right, column)):
        for _ in range(times):
            QTest.keyClick(matrix, key)
    assert matrix.cell == (row, column)
    assert matrix.accessibleName() == grid.accessible_text(row, column)
    QTest.keyClick(matrix, Qt.Key.Key_Return)
    assert views.view == CASES
    qtbot.waitUntil(lambda: page.lists.table.paged.rowCount() == grid.counts[row][column])

    for view in (LABELS, CONFUSION, CONFIDENCE, RETRIEVAL):
        views.open(view)
        assert views.shown is not None
        assert png_of(views.body).startswith(b"\x89PNG")
        drawn = svg_of(views.body, "Evaluation").decode()
        assert "<svg" in drawn
        assert "<path" in drawn or "<text" in drawn
        assert diagnostics_csv(views.shown, view)
    kept = tmp_path / "labels.csv"
    views.open(LABELS)
    assert views.set.isVisible() == bool(some(views.shown).suggested)
    views.save_csv()
    some(views.file_saver.dialog).fileSelected.emit(str(kept))
    some(views.file_saver.dialog).close()
    qtbot.waitUntil(kept.exists)
    assert kept.read_text(encoding="utf-8").startswith("label,cases")


def test_that_today_is_set_beside_a_run_that_was_kept(qtbot: QtBot, open_window: Opener) -> None:
    _, page = opened(qtbot, open_window)
    qtbot.waitUntil(lambda: bool(page.form.own_runs))
    compare = page.form
    page.open_mode(COMPARE)
    choose(compare.what, KEPT_RUN)
    assert compare.choice.currentData() == "1"
    assert compare.request.run == 1
    compare.run.click()
    qtbot.waitUntil(lambda: page.shown is not None)
    assert some(page.shown).verdict.startswith("Since run 1 of")
    assert not page.apply.isVisible()
    page.views.open(LABELS)
    assert page.views.table.lines
