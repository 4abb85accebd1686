"""Contract of every RouteStore, LlmAnswerCache and EvaluationRuns."""

import json
import sqlite3
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, CaseOutcome, Delivered, EvaluationRun, Task
from app.domain.history import HistoryEntry, Source
from app.domain.llm import LlmAnswer, LlmOutcome, StoredLlmAnswer
from app.domain.match import Query
from app.domain.route import CachedRoute, LoggedRoute, RolloutStep, RouteColumns, RouteFilter, RouteMethod, RouteOrder
from app.domain.running import ActivationBlocker
from app.ports.store import Library

ANSWER = LlmAnswer("graph_traversal", 0.8, "json", reasoning="It says so.")
NOW = 1_800_000_000.0
LINE = LoggedRoute(
    NOW, "who knows whom", "route", "graph_traversal", ("neo4j",), 0.95, RouteMethod.RULE, 0.95, "A rule.", 1.5, 0.01,
    LlmOutcome.ANSWERED, "graph_traversal", "multi_database",
)  # fmt: skip

STEPS = ((10, ""), (50, ""), (0, "Rules decide only 9 %."))
"""Shares of a roll-out over time, with reasons."""


def kept(text: str, at: float = NOW, digest: str = "d") -> CachedRoute:
    return CachedRoute(text, digest, ANSWER, at)


def test_that_answers_are_kept_by_text_and_replaced(library: Library) -> None:
    routes = library.routes
    for one in (kept("b"), kept("a", NOW + 1), replace(kept("b", NOW + 2), answer=replace(ANSWER, confidence=0.5))):
        routes.keep(one, 10)
    found, damage = routes.find_answers("d", NOW - 10, NOW + 10)
    assert [(one.text, one.answer.confidence) for one in found] == [("a", 0.8), ("b", 0.5)]
    assert damage == ""
    assert routes.clear_answers() == 2
    assert routes.find_answers("d", 0.0, NOW + 10) == ([], "")


def test_that_old_answers_those_of_a_future_and_those_asked_otherwise_are_forgotten_for_good(library: Library) -> None:
    for one in (kept("old", NOW - 100), kept("now"), kept("ahead", NOW + 100), kept("other", digest="e")):
        library.routes.keep(one, 10)
    assert [one.text for one in library.routes.find_answers("d", NOW - 10, NOW + 10)[0]] == ["now"]
    assert [one.text for one in library.routes.find_answers("d", 0.0, NOW * 2)[0]] == ["now"]


def test_that_no_more_than_so_many_are_kept_the_newest(library: Library) -> None:
    for number in range(5):
        library.routes.keep(kept(f"q{number}", NOW + number), 3)
    assert [one.text for one in library.routes.find_answers("d", 0.0, NOW * 2)[0]] == ["q2", "q3", "q4"]


def test_that_every_field_of_a_decision_comes_back_with_its_label(library: Library) -> None:
    library.routes.add([LINE, replace(LINE, text="no case \ud800", llm=None)])
    library.add(
        "cases", [Case("who knows whom", ("graph", "neo"), Task.ROUTE), Case("no case \ufffd", ("x",), Task.TYPE)]
    )
    second, first = library.routes.find(RouteFilter())
    assert replace(first, key=None, labels=()) == LINE
    assert first.labels == ("graph", "neo")
    assert (second.text, second.labels, second.llm) == ("no case \ufffd", (), None)


def test_that_the_log_can_be_sifted(library: Library) -> None:
    other = replace(
        LINE, at=NOW + 5, text="100% LIKE_this", method=RouteMethod.EXAMPLES, intent="mine", source="window"
    )
    undecided = replace(LINE, at=NOW - 5, text="zzz", method=RouteMethod.DEGRADED)
    library.routes.add([LINE, replace(other, confidence=0.5), undecided])

    def texts(**wanted: Any) -> list[str]:
        return [one.text for one in library.routes.find(RouteFilter(**wanted))]

    both = ["100% LIKE_this", "who knows whom"]
    assert (texts(), texts(is_decided=True)) == ([*both, "zzz"], both)
    assert texts(limit=1) == both[:1]
    assert texts(text="0% like_") == both[:1]
    assert texts(text="l_ke") == []
    assert texts(intent="mine") == texts(method=RouteMethod.EXAMPLES) == texts(source="window") == both[:1]
    assert texts(since=NOW + 5) == texts(most=0.6) == both[:1]
    assert texts(until=NOW + 5) == texts(least=0.9) == [both[1], "zzz"]


def test_that_a_hashed_decision_has_neither_text_nor_reason(library: Library) -> None:
    library.routes.add([LINE], hashed=True)
    library.routes.add([])
    (found,) = library.routes.find(RouteFilter())
    assert (found.text, found.reasoning, found.intent) == ("", "", "graph_traversal")


def test_that_money_is_added_up_and_old_lines_go(library: Library) -> None:
    library.routes.add([replace(LINE, at=NOW - 50), LINE])
    assert library.routes.cost_since(NOW) == pytest.approx(0.01)
    assert library.routes.cost_since(0.0) == pytest.approx(0.02)
    assert library.routes.prune(NOW) == 1
    assert library.routes.cost_since(0.0) == pytest.approx(0.01)


def test_that_cases_can_be_kept_from_teaching(library: Library) -> None:
    routes = library.routes
    routes.set_teaching([], on=False)
    routes.set_teaching(["a", "b \ud800", "a"], on=False)
    assert routes.non_teaching(["a", "b \ud800", "c"]) == {"a", "b \ud800"}
    routes.set_teaching(["a"], on=True)
    assert routes.non_teaching(["a", "b \ud800"]) == {"b \ud800"}


def test_that_cases_label_texts(library: Library) -> None:
    library.add("cases", [Case("a", ("x", "y"), Task.ROUTE), Case("b", (), Task.ROUTE), Case("c", ("z",), Task.TYPE)])
    assert library.routes.labels(["a", "b", "c", "d \ud800"]) == {"a": ("x", "y"), "b": ()}
    assert library.routes.labels([]) == {}


def test_that_keys_come_in_the_order_asked_for(library: Library) -> None:
    routes = library.routes
    routes.add([replace(LINE, text="b", confidence=0.6), replace(LINE, at=NOW + 1, text="a", confidence=0.6, ms=9.0)])
    routes.add([replace(LINE, at=NOW + 2, text="c", confidence=0.9)], hashed=True)
    every = RouteFilter()

    def texts(order: RouteOrder, *, descending: bool, wanted: RouteFilter = every) -> list[str]:
        rows = {one.key: one for one in routes.page(routes.keys(wanted, order, descending=descending))}
        return [rows[key].text for key in routes.keys(wanted, order, descending=descending)]

    assert texts(RouteOrder.AT, descending=True) == ["", "a", "b"]
    assert texts(RouteOrder.AT, descending=False) == ["b", "a", ""]
    assert texts(RouteOrder.TEXT, descending=False) == ["a", "b", ""]
    assert texts(RouteOrder.TEXT, descending=True) == ["b", "a", ""]
    assert texts(RouteOrder.CONFIDENCE, descending=False) == ["a", "b", ""]
    assert texts(RouteOrder.MS, descending=True)[0] == "a"
    assert texts(RouteOrder.AT, descending=True, wanted=RouteFilter(text="A")) == ["a"]
    assert texts(RouteOrder.AT, descending=True, wanted=RouteFilter(limit=2)) == ["", "a"]
    assert routes.count() == 3


def test_that_a_page_has_labels_and_leaves_out_what_is_gone(library: Library) -> None:
    library.add("cases", [Case(LINE.text, ("graph_traversal",), Task.ROUTE)])
    library.routes.add([LINE])
    (key,) = library.routes.keys(RouteFilter(), RouteOrder.AT, descending=True)
    (one,) = library.routes.page([key, key + 1])
    assert one.labels == ("graph_traversal",)
    assert library.routes.page([]) == []


def test_that_what_is_measured_comes_in_columns_with_labels_and_what_was_marked_afterwards(library: Library) -> None:
    routes = library.routes
    none = routes.columns(RouteFilter())
    assert not any((none.at, none.outcomes, none.labels, none.marked))
    routes.add([replace(LINE, at=5.0), LINE, replace(LINE, at=NOW + 1, text="no case", llm=None)])
    library.add("cases", [Case(LINE.text, ("graph", "neo"), Task.ROUTE), Case("no case", ("x",), Task.TYPE)])
    found, wanted = routes.columns(RouteFilter()), RouteColumns.of(routes.find(RouteFilter()))
    for name in ("at", "intents", "methods", "confidences", "ms", "costs", "outcomes", "labels"):
        assert list(getattr(found, name)) == list(getattr(wanted, name))
    assert list(found.outcomes) == [None, "answered", "answered"]
    assert list(found.marked) == [False, False, True]
    assert list(routes.columns(RouteFilter(until=NOW, intent=LINE.intent)).at) == [5.0]
    assert list(routes.columns(RouteFilter(limit=1)).at) == [NOW + 1]


def test_that_decisions_say_by_which_configuration_and_changes_of_a_rollout_are_kept(library: Library) -> None:
    routes = library.routes
    routes.add([LINE, replace(LINE, at=NOW + 1, configuration="route.threshold=0.95")])
    assert [one.configuration for one in routes.find(RouteFilter())] == ["route.threshold=0.95", ""]
    assert [one.at for one in routes.find(RouteFilter(configuration=""))] == [NOW]
    assert routes.rollouts(5) == []
    steps = [RolloutStep(NOW + n, share, "route.threshold=0.95", why) for n, (share, why) in enumerate(STEPS)]
    for step in steps:
        routes.add_rollout(step)
    assert routes.rollouts(5) == steps[::-1]
    assert routes.rollouts(1) == steps[-1:]


KEPT = StoredLlmAnswer(
    "is it broken",
    0,
    LlmOutcome.ANSWERED,
    70.0,
    1_800_000_000.0,
    "troubleshoot",
    0.8,
    "one_token",
    {"troubleshoot": 0.8, "howto": 0.2},
)
SILENT = StoredLlmAnswer("odd \ud800", 0, LlmOutcome.UNREADABLE, 80.0, KEPT.at + 1)


def test_that_answers_come_back_by_text_question_and_run(library: Library) -> None:
    cache, again = library.llm_answers, replace(KEPT, run=1, name="howto", confidence=0.4)
    cache.keep("question", [KEPT, again, SILENT], 10)
    cache.keep("another", [replace(KEPT, confidence=0.1)], 10)
    found = cache.answers("question", [KEPT.text, SILENT.text, "never asked"])
    assert sorted(found, key=lambda one: (one.at, one.run)) == [KEPT, again, SILENT]
    assert cache.answers("another", [KEPT.text])[0].confidence == 0.1
    assert cache.answers("question", []) == []


def test_that_a_newer_answer_takes_the_place_of_its_run_and_only_the_newest_stay(library: Library) -> None:
    cache = library.llm_answers
    cache.keep("q", [KEPT], 10)
    cache.keep("q", [replace(KEPT, name="howto", at=KEPT.at + 5)], 10)
    assert [one.name for one in cache.answers("q", [KEPT.text])] == ["howto"]
    texts = [f"text {n}" for n in range(5)]
    cache.keep("q", [replace(KEPT, text=text, at=KEPT.at + 10 + n) for n, text in enumerate(texts)], 3)
    assert sorted(one.text for one in cache.answers("q", [*texts, KEPT.text])) == texts[2:]


def test_that_no_text_is_kept_and_what_is_damaged_is_not_there(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    cache = library.llm_answers
    cache.keep("q", [KEPT], 10)
    connection = sqlite3.connect(library.file, isolation_level=None)
    (row,) = connection.execute("SELECT * FROM llm_answers").fetchall()
    assert not any("broken" in str(value) for value in row)
    for spoiling in (
        "UPDATE llm_answers SET confidence = 7",
        "UPDATE llm_answers SET outcome = 'odd'",
        "UPDATE llm_answers SET distribution = '[1]'",
        "UPDATE llm_answers SET ms = 'long'",
        "DROP TABLE llm_answers",
    ):
        cache.keep("q", [KEPT], 10)
        connection.execute(spoiling)
        assert cache.answers("q", [KEPT.text]) == [], spoiling
    assert cache.answers("q", [KEPT.text]) == []
    cache.keep("q", [KEPT], 10)
    assert cache.answers("q", [KEPT.text]) == [KEPT]
    connection.close()
    library.close()


def test_that_what_was_said_of_a_query_is_forgotten_with_it(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    other = replace(KEPT, text="another")
    library.llm_answers.keep("q", [KEPT, other], 10)
    keys = library.add_queries([HistoryEntry("2026-11-22 04:26:21", Source.WINDOW, KEPT.text)])
    library.forget_queries(keys)
    assert library.llm_answers.answers("q", [KEPT.text, other.text]) == [other]
    long = "why " * 1_000
    said = replace(KEPT, text=Query.of(long).scored)
    library.llm_answers.keep("q", [said], 10)
    assert library.forget_queries(library.add_queries([HistoryEntry("2026-11-22 04:26:22", Source.WINDOW, long)])) == 1
    assert library.llm_answers.answers("q", [said.text, other.text]) == [other]
    library.forget_queries()
    assert library.llm_answers.answers("q", [other.text]) == []
    library.close()


RUN = EvaluationRun(
    at=1_800_000_000.5,
    task=Task.INTENT,
    source="cases.jsonl",
    cases=2,
    right=1,
    combination="max",
    threshold=0.3,
    metrics={"top1": 0.5, "auroc": None},
    settings={"combination": "max"},
    digests={"answers": 2**60 + 1},
    versions={"program": "1.0", "encoder": "minilm"},
    step=7,
)
BROUGHT = Delivered((("fix-it", "fix"), ("other", "other")), "git", can_inject=True)
WON = CaseOutcome("is it broken", "fix", 0.75, False, 1, 0.9, "activated", {"semantic": 0.5}, ("rule-1",), BROUGHT)
LOST = CaseOutcome("odd \ud800", None, 0.0, True, None)


def test_that_a_run_comes_back_with_what_its_cases_came_to(library: Library) -> None:
    kept = library.evaluation_runs
    key = kept.keep(RUN, [WON, LOST], 5)
    assert kept.runs() == [replace(RUN, key=key)]
    assert kept.outcomes(key, [WON.text, "another", LOST.text]) == [WON, LOST]
    assert kept.outcomes(key + 1, [WON.text]) == []


def test_that_it_is_stored_why_a_power_would_not_start(library: Library) -> None:
    blocked = [
        replace(WON, text=blocker.value, delivered=Delivered(found_power="git", blocker=blocker))
        for blocker in ActivationBlocker
    ]
    key = library.evaluation_runs.keep(RUN, blocked, 5)
    assert library.evaluation_runs.outcomes(key, [one.text for one in blocked]) == blocked


@pytest.mark.parametrize(
    ("stored", "delivered"),
    [
        ([[["fix-it", "fix"]], "git", True], None),
        ([[["fix-it", "fix"]], "", True], None),
        ([[["fix-it", "fix"]], "git", True, "git", False], None),
        ([[], "", True, "git", False], None),
        ([[], "", True, "git", True], Delivered((), "", True, "git", ActivationBlocker.APPROVAL)),
        ([[["fix-it", "fix"]], "", True, "", False], Delivered((("fix-it", "fix"),), can_inject=True)),
    ],
)
def test_that_an_older_delivery_counts_only_if_it_tells_whether_its_power_would_start(
    tmp_path: Path, stored: list[object], delivered: Delivered | None
) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    key = library.evaluation_runs.keep(RUN, [WON], 9)
    connection = sqlite3.connect(library.file, isolation_level=None)
    (packed,) = connection.execute("SELECT document FROM evaluation_runs").fetchone()
    document = {text: [*held[:-1], stored] for text, held in json.loads(zlib.decompress(packed)).items()}
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(json.dumps(document).encode()),))
    connection.close()
    assert library.evaluation_runs.outcomes(key, [WON.text]) == [replace(WON, delivered=delivered)]
    library.close()


def test_that_the_newest_come_first_and_only_so_many_stay(library: Library) -> None:
    kept = library.evaluation_runs
    keys = [kept.keep(replace(RUN, right=right), [WON], 3) for right in range(5)]
    assert [run.key for run in kept.runs()] == keys[:1:-1]
    assert kept.outcomes(keys[0], [WON.text]) == []
    assert [run.right for run in kept.runs()] == [4, 3, 2]
    first, *others = kept.runs()
    assert (kept.forget(first.key), kept.runs(), kept.forget(first.key)) == (1, others, 0)
    assert (kept.forget(), kept.runs(), kept.forget()) == (2, [], 0)


def test_that_kept_runs_go_with_the_whole_history(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    library.evaluation_runs.keep(RUN, [WON], 3)
    assert library.forget_queries([1]) == 0
    assert len(library.evaluation_runs.runs()) == 1
    assert library.forget_queries() == 0
    assert library.evaluation_runs.runs() == []
    library.close()


def test_that_no_text_of_a_case_is_kept_and_what_is_damaged_is_passed_over(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    kept = library.evaluation_runs
    key = kept.keep(RUN, [WON], 9)
    connection = sqlite3.connect(library.file, isolation_level=None)
    (packed,) = connection.execute("SELECT document FROM evaluation_runs").fetchone()
    assert b"broken" not in zlib.decompress(packed)
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(b'{"x": [1]}'),))
    assert kept.outcomes(key, [WON.text]) == []
    connection.execute("UPDATE evaluation_runs SET document = ?", (packed[:5],))
    assert kept.outcomes(key, [WON.text]) == []
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(b"[]"),))
    assert kept.outcomes(key, [WON.text]) == []
    broken = zlib.decompress(packed).replace(b"0.75", b"7.5")
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(broken),))
    assert kept.outcomes(key, [WON.text]) == []
    connection.execute("UPDATE evaluation_runs SET task = 'odd'")
    assert kept.runs() == []
    connection.close()
    library.close()
