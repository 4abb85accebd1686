"""Tests of the routing page on a real engine: path, teaching by digit, log, alarms."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.adapters.datastores.table import DATA_STORES
from app.detect.route import Evidence, LlmResult, RoutePolicy, decide
from app.domain.case import Case, Task
from app.domain.llm import LlmOutcome
from app.domain.route import LoggedRoute, RolloutStep, RouteMethod
from app.gui.kit.controls import EmptyState
from app.gui.kit.theme import Appearance, Mode
from app.gui.library.rules import RulesPage
from app.gui.routing.answers import ANSWERS as ANSWERS_PART
from app.gui.routing.answers import ServerRow, ServersDialog
from app.gui.routing.page import DECISION, GROUNDS, LOG, METRICS, ROUTES, SIMULATE, RoutePage
from app.gui.routing.simulation import CASES
from app.gui.scope.panels.powers import PowersPanel
from app.gui.shell.main_window import MainWindow
from app.services.engine.route_llm import NOT_WHILE_TYPING
from app.services.evaluation.simulator import Change
from app.services.routing.rollout import RolloutState
from app.services.workbench import Workbench
from app.settings.sections import RouteSettings
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.history_entries import ANSWERS
from tests.gui.inspections import FakeWorkbench
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary
from tests.unit.services.routing.test_stores import Server, Theirs

RELATED = "how are alice and bob related"
VAGUE = "zzz qqq"
NOW = time.time()
"""Present time, so that nothing is deleted for its age."""


def logged(place: int, **values: Any) -> LoggedRoute:
    """Make a logged decision; place 0 is the newest, `values` change it."""
    told: dict[str, Any] = {
        "at": NOW - place,
        "text": f"who knows whom {place}",
        "source": "window",
        "intent": "graph_traversal",
        "databases": ("neo4j",),
        "confidence": 0.95,
        "method": RouteMethod.RULE,
        "rule_confidence": 0.95,
        "reasoning": "“related” → graph_traversal: 95 % reaches 90 %.",
        "ms": 1.5,
        "rule_intent": "graph_traversal",
    }
    return LoggedRoute(**{**told, **values})


MIXED = (
    logged(0),
    logged(1, text="papers like this", method=RouteMethod.LLM_FALLBACK, intent="vector_similarity", confidence=0.8,
           llm=LlmOutcome.ANSWERED, llm_intent="vector_similarity", rule_intent="hybrid_search"),
    logged(2, text="", reasoning="", method=RouteMethod.DEGRADED, intent="vector_similarity", confidence=0.0),
)  # fmt: skip
STUCK = tuple(logged(n, method=RouteMethod.DEGRADED, confidence=0.5, intent="vector_similarity") for n in range(30))


def opened(
    qtbot: QtBot, open_window: Opener, log: Sequence[LoggedRoute] = (), part: str = DECISION, text: str = ""
) -> tuple[MainWindow, MemoryLibrary, RoutePage]:
    library = MemoryLibrary()
    library.routes.add(log)
    window = open_window(real_bench(library, ANSWERS))
    window.activateWindow()
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.encoder_state == "ready")
    if text:
        window.ask(text)
    page = opened_page(window, "route", RoutePage)
    qtbot.waitUntil(lambda: page.watch.last is not None and (not text or page.answers.query == text))
    page.go_to(part)  # after the query, which ends the following of a section
    return window, library, page


def until_routed(qtbot: QtBot, page: RoutePage, text: str) -> None:
    qtbot.waitUntil(lambda: page.decision.query == text and page.decision.sheet.shown is not None)
    page.decision.sheet.grab()


def columns(page: RoutePage, place: int) -> dict[str, str]:
    model = page.log.table.paged
    return {column.key: str(model.index(place, n).data()) for n, column in enumerate(model.columns)}


# ---- the decision


def test_that_a_query_typed_here_is_asked_everywhere_none_decides_nothing(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, part=LOG)
    qtbot.waitUntil(lambda: [one for one in page.findChildren(EmptyState) if one.isVisible()] == [page.log.empty_state])
    assert not page.decision.teach.isVisible()
    assert page.decision.ask.isHidden()
    page.go_to(METRICS)
    qtbot.waitUntil(lambda: page.metrics.shown is not None)
    assert page.metrics.stack.currentWidget() is page.metrics.empty
    page.go_to(DECISION)
    QTest.keyClicks(page.decision.line, RELATED)
    until_routed(qtbot, page, RELATED)
    assert window.bar.box.line.text() == RELATED
    page.decision.line.clear()
    QTest.keyClick(page.decision.line, Qt.Key.Key_X)
    QTest.keyClick(page.decision.line, Qt.Key.Key_Backspace)
    assert page.decision.sheet.isHidden()
    page.go_to(LOG)
    window.worker.choose("history.privacy", "off")
    qtbot.waitUntil(lambda: page.log.stack.currentWidget() is page.log.off)
    assert page.log.off.words[0] == "No decision is stored"


def test_that_the_path_follows_the_query_of_the_scope_and_fits_every_width(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, text=RELATED)
    until_routed(qtbot, page, RELATED)
    sheet, last = page.decision.sheet, page.decision.teach.buttons[-1]
    for width, height in ((700, 320), (700, 800), (1280, 800), (1900, 800)):
        window.resize(width, height)
        for part in (METRICS, LOG, ROUTES, GROUNDS, DECISION):
            page.go_to(part)
            qtbot.wait(5)
            window.grab()
        assert {"Rules decided", "LLM skipped"} <= set(sheet.read.splitlines())
        qtbot.waitUntil(lambda: sheet.height() >= sheet.sizeHint().height() > 100)
        assert last.geometry().bottom() < page.decision.teach.height()
    assert "A rule decided: “how are alice and bob related” points to Graph search, 95 % sure" in sheet.read
    assert "No store is connected; the embedded one answers." in sheet.read
    assert "neo4j" not in sheet.read
    assert page.decision.line.text() == RELATED
    assert page.worker.answer is not None
    page.decision.show_inspection(replace(page.worker.answer, route=None))  # of the next query, not decided yet
    assert sheet.isVisible()
    assert not page.decision.teach.buttons[0].isEnabled()
    window.theme.set_appearance(Appearance(mode=Mode.DARK))
    window.grab()


def test_that_a_router_in_need_says_what_it_lacks_and_a_digit_teaches_it(qtbot: QtBot, open_window: Opener) -> None:
    window, library, page = opened(qtbot, open_window, text=VAGUE)
    until_routed(qtbot, page, VAGUE)
    assert "No LLM is set up" in page.decision.sheet.read
    assert "Fallback used" in page.decision.sheet.read
    QTest.keyClick(page.decision.line, Qt.Key.Key_3)
    assert page.decision.line.text().endswith("3") or page.decision.line.text() == "3"
    assert library.cases(Task.ROUTE) == []
    window.ask(VAGUE)
    until_routed(qtbot, page, VAGUE)
    QTest.keyClick(page.decision.line, Qt.Key.Key_Return)
    QTest.keyClick(page.decision.teach.buttons[0], Qt.Key.Key_1)
    qtbot.waitUntil(lambda: [case.expected for case in library.cases(Task.ROUTE)] == [("graph_traversal",)])
    qtbot.waitUntil(lambda: "goes to Graph search" in window.toast.sentence)
    QTest.keyClick(page.decision.teach.buttons[0], Qt.Key.Key_2)
    qtbot.waitUntil(lambda: [case.expected for case in library.cases(Task.ROUTE)] == [("vector_similarity",)])
    window.act("undo")
    qtbot.waitUntil(lambda: [case.expected for case in library.cases(Task.ROUTE)] == [("graph_traversal",)])
    window.act("undo")
    qtbot.waitUntil(lambda: library.cases(Task.ROUTE) == [])
    done: list[object] = []

    async def add(bench: Workbench) -> None:
        await bench.in_store(lambda held: held.add("cases", [Case(VAGUE, ("orders", "stock"), Task.ROUTE)]))
        await asyncio.sleep(0)

    window.worker.do(add, done.append, done.append)
    qtbot.waitUntil(lambda: bool(done))
    until_routed(qtbot, page, VAGUE)
    page.decision.teach.chosen.emit("hybrid_search")
    qtbot.waitUntil(lambda: [c.expected for c in library.cases(Task.ROUTE)] == [("hybrid_search",)])
    qtbot.waitUntil(lambda: "from now on" in window.toast.sentence)


def test_that_the_llm_is_asked_on_demand_and_a_label_of_ones_own_taught(qtbot: QtBot, open_window: Opener) -> None:
    _, library, page = opened(qtbot, open_window, text=VAGUE)
    until_routed(qtbot, page, VAGUE)
    assert page.decision.ask.isHidden(), "there is no LLM"
    heard = LlmResult(LlmOutcome.OFF, sentence=NOT_WHILE_TYPING)
    page.decision.show_route(VAGUE, decide(Evidence(llm=heard), RoutePolicy()))
    assert page.decision.ask.isVisible()
    page.decision.ask.click()
    # All stages were run, and the last one explained why no LLM could be asked.
    qtbot.waitUntil(page.decision.ask.isHidden)
    page.decision.sheet.grab()
    assert "No LLM is set up" in page.decision.sheet.read
    qtbot.waitUntil(lambda: library.routes.count() > 0)
    teach = page.decision.teach
    assert not teach.teach.isVisible()
    QTest.keyClicks(teach.label, "orders")
    QTest.keyClick(teach.label, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [case.expected for case in library.cases(Task.ROUTE)] == [("orders",)])
    qtbot.waitUntil(lambda: teach.labels == ("orders",))
    QTest.keyClicks(teach.label, "x")
    QTest.keyClick(teach.label, Qt.Key.Key_Escape)
    assert teach.label.text() == ""


def test_that_routing_that_is_off_can_be_switched_on(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, text=RELATED)
    window.worker.choose("route.enabled", "false")
    qtbot.waitUntil(page.decision.off.isVisible)
    page.decision.switch_on_requested.emit()
    qtbot.waitUntil(page.decision.off.isHidden)


# ---- the log


def test_that_one_decision_is_told_and_opened_in_the_scope(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, MIXED, LOG)
    qtbot.waitUntil(lambda: page.log.shown is not None)
    page.log.sheet.grab()
    assert "“related” → Graph search: 95 % reaches 90 %." in page.log.sheet.read
    QTest.keyClick(page.log.table, Qt.Key.Key_Return)
    assert window.is_scope_open
    assert window.bar.box.line.text() == "who knows whom 0"


def test_that_the_log_is_audited_sifted_sorted_and_cleared_after_a_question(qtbot: QtBot, open_window: Opener) -> None:
    _, library, page = opened(qtbot, open_window, MIXED, LOG)
    qtbot.waitUntil(page.log.start_audit.isVisible)
    page.log.start_audit.click()
    audit = page.log.audit
    qtbot.waitUntil(lambda: not audit.job.is_running)
    assert audit.message.text() == "2 decisions checked."
    assert len(audit.table.paged.keys) == 2
    assert audit.agreement.text().startswith("Rules and LLM: ")
    audit.begin(ask=True)
    audit.cancel()
    assert not audit.job.is_running
    audit.back.click()
    assert not page.log.is_auditing
    table = page.log.table
    qtbot.waitUntil(lambda: len(table.paged.keys) == 3)
    assert columns(page, 0)["text"] == "who knows whom 0"
    assert columns(page, 1)["method"] == "LLM"
    assert columns(page, 2)["text"] == "– not kept"
    table.sort_by("confidence", descending=False)
    qtbot.waitUntil(lambda: columns(page, 0)["confidence"] == "–")
    page.log.bar.set_filter("", method="decided")
    qtbot.waitUntil(lambda: [columns(page, n)["method"] for n in range(len(table.paged.keys))] == ["LLM", "rule"])
    page.log.bar.set_filter("papers")
    qtbot.waitUntil(lambda: len(table.paged.keys) == 1)
    page.log.bar.set_filter("", method=RouteMethod.DEGRADED)
    qtbot.waitUntil(lambda: len(table.paged.keys) == 1 and columns(page, 0)["method"] == "fallback")
    page.log.bar.set_filter("nothing has these words")
    qtbot.waitUntil(lambda: page.log.stack.currentWidget() is page.log.list.no_fit)
    page.log.bar.set_filter("")
    qtbot.waitUntil(lambda: len(table.paged.keys) == 3)
    qtbot.waitUntil(page.log.clear_log.isVisible)
    page.log.clear_log.click()
    assert "all 3 decisions" in some(page.dialog).question.text()
    some(page.dialog).verb.click()
    qtbot.waitUntil(lambda: library.routes.count() == 0)
    qtbot.waitUntil(lambda: page.log.stack.currentWidget() is page.log.empty_state)
    assert page.log.clear_cache.isHidden()
    assert page.log.clear_log.isHidden()


# ---- the measures


def test_that_a_stuck_router_raises_the_alarm_on_every_part_at_once(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, STUCK)
    assert page.flatline.sentence == ""  # advice may be constant
    window.worker.choose("route.has_stores", "true")
    qtbot.waitUntil(lambda: "same confidence, 0.50" in page.flatline.sentence)
    assert page.flatline.isVisible()
    assert page.metrics.shown is None
    page.go_to(METRICS)
    qtbot.waitUntil(lambda: page.metrics.shown is not None and page.metrics.shown.is_judged)
    page.metrics.sheet.grab()
    assert "Flatline: the router looks stuck" in page.metrics.sheet.read
    assert "The last 30 decisions all have the same confidence, 0.50." in page.metrics.sheet.read
    assert "Trends, 4 alarms (chosen)" in page.views.accessibleDescription()
    assert page.flatline.sentence == ""
    page.go_to(DECISION)
    qtbot.waitUntil(lambda: page.flatline.sentence.startswith("The router looks stuck. The last 30"))
    window.grab()


def test_that_each_measure_stands_beside_its_target_and_over_time_by_route(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, MIXED, METRICS)
    qtbot.waitUntil(lambda: page.metrics.shown is not None and page.metrics.shown.n == 3)
    part = some(page.metrics.measures)

    def read(place: int) -> list[str]:
        return [str(part.table.paged.index(place, n).data()) for n in range(5)]

    assert read(0) == ["Decided by rules", "33.3 %", "", "", "1 of 3"]  # advice has no target
    window.worker.choose("route.has_stores", "true")
    qtbot.waitUntil(lambda: page.metrics.shown is not None and page.metrics.shown.is_judged)
    assert read(0) == ["Decided by rules", "33.3 %", "70 % to 80 %", "missed", "1 of 3"]
    assert part.plot.isVisible()
    part.table.setFocus()
    QTest.keyClick(part.table, Qt.Key.Key_Down)
    QTest.keyClick(part.table, Qt.Key.Key_Down)
    assert part.title.text() == "Right, of those with a case, over time"
    assert part.plot.isHidden()
    assert part.empty.text().startswith("No curve yet")
    assert page.flatline.sentence == ""
    page.metrics.intent.set_value("vector_similarity")
    qtbot.waitUntil(lambda: page.metrics.shown is not None and page.metrics.shown.n == 2)
    assert read(0)[1] == "0 %"
    assert [one.word for one in page.metrics.intent.facet.choices] == ["Graph search", "Vector search"]


# ---- the page in the window


def test_that_every_part_is_in_the_palette_and_reached_by_keys(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window)
    keys, parts = (ANSWERS_PART, ROUTES, LOG), (page.answers, page.own, page.log)
    for key, part in zip((*keys, METRICS, DECISION), (*parts, page.metrics, page.decision), strict=True):
        window.act(f"route:{key}")
        assert part.isVisible()
        assert page.decision.isVisible() == (key not in (ROUTES, METRICS))
    page.go_to(METRICS)
    QTest.keyClick(page.views, Qt.Key.Key_Right)
    assert page.simulation.isVisible()
    page.views.chosen.emit(DECISION)
    assert page.decision.isVisible()
    for stop in page.focus_stops():
        assert stop.accessibleName() or getattr(stop, "text", str)()


def test_that_open_sections_are_remembered(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    _, _, page = opened(qtbot, open_window)
    page.persist_in(tmp_path)
    assert [key for key, section in page.sections.items() if section.is_open] == [LOG], "it fills the page at first"
    page.sections[LOG].line.click()
    page.sections[GROUNDS].line.click()
    _, _, later = opened(qtbot, open_window)
    later.persist_in(tmp_path)
    assert [key for key, section in later.sections.items() if section.is_open] == [GROUNDS]


def test_that_the_card_of_the_scope_leads_here(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary(), ANSWERS))
    window.ask(RELATED)
    panel = of_type(window.scope.panels["powers"], PowersPanel)
    qtbot.waitUntil(lambda: panel.route is not None)
    panel.action_requested.emit("page:route")
    assert isinstance(window.page, RoutePage)


def test_that_a_workbench_without_an_engine_shows_the_page(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    page = opened_page(window, "route", RoutePage)
    qtbot.waitUntil(lambda: page.watch.last is not None)
    window.grab()


# ---- the answers


def test_that_stores_answer_side_by_side_when_they_are_asked(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, part=ANSWERS_PART, text="how are postgres and mysql related")
    part = page.answers
    qtbot.waitUntil(lambda: part.section.line.summary == "No store is connected; the embedded one answers")
    qtbot.waitUntil(lambda: part.query == "how are postgres and mysql related")
    part.compare.click()
    assert not part.stop.isHidden()
    qtbot.waitUntil(lambda: not part.job.is_running)
    qtbot.waitUntil(lambda: not part.section.visibleRegion().isEmpty() and page.area.verticalScrollBar().value() > 0)
    read = part.sheet.read.splitlines()
    assert read[1:6] == ["Place in each store", "neo4j", "graphiti", "qdrant", "postgresql"]
    assert any(line.startswith("neo4j, routed: embedded in its place, along links") for line in read)
    assert part.message.text().endswith("of neo4j")
    stops = [part.section.line, part.compare, part.judge_cases, part.begin, part.sheet, *part.copies]
    assert part.focus_stops() == stops
    told: list[str] = []
    page.notified.connect(lambda sentence, *_: told.append(sentence))
    part.copies[0].click()
    qtbot.waitUntil(lambda: told == ["The query of neo4j is on the clipboard."])
    window.ask("how are postgres and mysql related?")
    qtbot.waitUntil(lambda: part.message.text() == "These answer “how are postgres and mysql related”.")
    part.begin.click()
    part.cancel()
    assert (part.job.is_running, part.message.text()) == (False, "Stopped.")
    part.judge_cases.click()
    qtbot.waitUntil(lambda: not part.job.is_running)
    assert part.message.text() == "No case in the library expects a memory, a power or an intent."
    page.worker.choose("route.enabled", "false")
    qtbot.waitUntil(lambda: not part.begin.isEnabled())
    window.theme.set_appearance(Appearance(mode=Mode.DARK))
    window.grab()


def servers_of(page: RoutePage) -> ServersDialog:
    return some(page.answers.dialog)


def row_of(qtbot: QtBot, page: RoutePage, name: str) -> ServerRow:
    """Return the row of a store in its dialog."""
    page.answers.servers.click()
    dialog = servers_of(page)
    qtbot.waitUntil(lambda: name in dialog.rows)
    return dialog.rows[name]


def read_what_is_there(qtbot: QtBot, page: RoutePage, row: ServerRow, press: str, state: str) -> None:
    """Open others' documents, press a button there, and wait for the resulting state of the row."""
    row.map.click()
    mapping = some(servers_of(page).mapping)
    qtbot.waitUntil(mapping.source.isEnabled)
    assert str(mapping.mapping()) == "docs; id=id; text=body; fields=shelf"
    getattr(mapping, press).click()
    qtbot.waitUntil(lambda: row.state.text().startswith(state) and servers_of(page).message.text() == "")


def test_that_a_server_is_filled_on_a_yes(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[Server] = []
    passwords: list[str | None] = []

    def opened_server(settings: RouteSettings, secret: Callable[[str], str | None], _: str) -> Server | None:
        if not settings.postgresql:
            return None
        if settings.postgresql_mapping:
            return Theirs()
        passwords.append(secret("store:postgresql"))
        servers.append(Server())
        return servers[-1]

    monkeypatch.setitem(DATA_STORES, "postgresql", opened_server)
    _, _, page = opened(qtbot, open_window, part=ANSWERS_PART)
    part = page.answers
    row = row_of(qtbot, page, "postgresql")
    QTest.keyClicks(row.address, "postgresql://me@localhost/notes")
    QTest.keyClick(row.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: row.state.text().startswith("holds"))
    assert part.section.line.summary == "postgresql connected"
    assert servers_of(page).rows["neo4j"].fill.isHidden()
    assert row.state.text() == f"holds 0 documents; {len(ANSWERS)} differ from the library"
    QTest.keyClicks(row.password, "open sesame")
    assert row.password.displayText() != "open sesame"
    QTest.keyClick(row.password, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: passwords[-1] == "open sesame" and servers_of(page).message.text() == "")
    assert row.password.text() == ""
    assert not servers_of(page).isHidden()
    read_what_is_there(qtbot, page, row, "read", "reads 1 document of “docs”")
    assert row.fill.isHidden()
    read_what_is_there(qtbot, page, row, "none", "holds 0 documents")
    part.section.set_open(False)
    row.fill.click()
    qtbot.waitUntil(lambda: page.dialog is not None and part.section.is_open)
    assert page.dialog is not None
    assert "is deleted there. These statements are run first:" in page.dialog.question.text()
    assert [shown.toPlainText() for shown in page.dialog.findChildren(QPlainTextEdit)] == ["CREATE TABLE"]
    assert servers[-1].was_put == []
    page.dialog.accept()
    qtbot.waitUntil(
        lambda: part.message.text() == "The store holds everything that is taught." and not part.job.is_running
    )
    assert len(servers[-1].was_put) == len(ANSWERS)
    servers[-1].is_gone = True
    told: list[str] = []
    page.notified.connect(lambda sentence, *_: told.append(sentence))
    row = row_of(qtbot, page, "postgresql")
    assert row.state.text() == "Nobody answers."
    row.fill.click()
    qtbot.waitUntil(lambda: told == ["Nobody answers."])


# ---- the simulator


def test_that_the_simulator_sets_both_sides_together_and_opens_a_flip(qtbot: QtBot, open_window: Opener) -> None:
    window, _, page = opened(qtbot, open_window, (logged(0, text=""),), SIMULATE)
    part = page.simulation
    assert part.stack.currentWidget() is part.empty
    assert part.focus_stops() == [part.source, part.rules, part.examples, part.llm, part.begin]

    def run(sentence: str) -> None:
        part.run()
        assert part.job.is_running
        assert not part.stop.isHidden()
        qtbot.waitUntil(lambda: not part.job.is_running and sentence in part.message.text())

    run("The log of decisions holds no texts")
    page.teach(RELATED, "graph_traversal")
    qtbot.waitUntil(lambda: "goes to Graph search" in window.toast.sentence)
    part.source.show_value(CASES)
    part.rules.show_value("off")
    part.examples.show_value("off")
    part.llm.show_value("0.2")
    assert part.change == Change({"route.rules": "false", "route.examples": "false"}, fails=0.2)
    run("1 query changes its route. 0 cases fixed, 1 broken.")
    assert part.table.paged.index(0, 0).data() == RELATED
    assert "Right, of those with a case" in part.sheet.read
    for width in (700, 1280, 1920):
        window.resize(width, 800)
        window.grab()
        sides = part.sheet.width() >= 360, part.sheet.height() >= 140, part.table.height() >= 140
        assert all(sides)
    # A simulated failing LLM cannot be rolled out.
    assert part.rollout.isHidden()
    part.llm.show_value("")
    part.llm.changed.emit("")
    part.rollout.shares[10].click()
    qtbot.waitUntil(lambda: part.rollout.state.share == 10)
    assert not part.rollout.shares[10].isEnabled()
    assert part.rollout.message.text().startswith("10 of 100 queries go by route.examples=false, route.rules=false")
    part.rollout.back.click()
    qtbot.waitUntil(lambda: part.rollout.state.share == 0)
    ended = "The last roll-out, ended: route.examples=false, route.rules=false"
    qtbot.waitUntil(lambda: ended in part.sheet.read.splitlines())
    assert part.sheet.read.count("roll-out") == 1
    back = RolloutState(0, "a=b", None, RolloutStep(NOW, 0, "a=b", "Rules decide only 9 %."))
    page.watch.received.emit(replace(page.watch.last, rollout=back))
    assert page.fault.sentence.endswith(": Rules decide only 9 %.")
    assert part.rollout.back.text() == "Seen"
    part.table.entered.emit()
    qtbot.waitUntil(lambda: window.bar.box.line.text() == RELATED)


# ---- the list of routes


def test_that_a_route_of_ones_own_is_set_up_edited_taught_and_removed(qtbot: QtBot, open_window: Opener) -> None:
    window, library, page = opened(qtbot, open_window, part=ROUTES, text=VAGUE)
    part = page.own
    qtbot.waitUntil(lambda: len(part.uses) == 5)
    assert [button.isEnabled() for button in (part.edit, part.switch, part.reset, part.remove)] == [
        True,
        True,
        False,
        False,
    ]
    part.add.click()
    dialog = some(part.dialog)
    dialog.save.click()
    qtbot.waitUntil(lambda: dialog.message.text() == "A route needs a unique name.")
    QTest.keyClicks(dialog.name, "billing")
    dialog.stores[2].click()
    QTest.keyClicks(dialog.others, "ledger")
    dialog.color.show_value("pink")
    QTest.keyClick(dialog.about, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: part.current is not None and part.current.route.name == "billing")
    assert (some(part.current).route.stores, some(part.current).route.color) == (("qdrant", "ledger"), "pink")
    assert "no rule and no example yet" in part.note.text()
    assert "A rule decides alone from 90 % on" in part.message.text()
    # It is a button with the next digit, and its example counts immediately.
    page.go_to(DECISION)
    until_routed(qtbot, page, VAGUE)
    qtbot.waitUntil(lambda: page.decision.teach.labels[-1] == "billing")
    page.decision.teach.choose(6)
    qtbot.waitUntil(lambda: [case.expected for case in library.cases(Task.ROUTE)] == [("billing",)])
    page.go_to(ROUTES)
    qtbot.waitUntil(lambda: part.uses[-1].taught == 1)
    QTest.keyClick(part.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.dialog is not None)
    assert some(page.dialog).question.text().startswith("Remove the route “billing” with 0 rules and 1 example?")
    some(page.dialog).verb.click()
    qtbot.waitUntil(lambda: len(part.uses) == 5)
    assert library.cases(Task.ROUTE) == []
    part.table.pick(0)
    part.rules.click()
    assert of_type(window.page, RulesPage).bar.text == "graph_traversal"
