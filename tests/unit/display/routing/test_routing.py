"""Tests of the exact texts on routes: path, stores, log, audit and metrics."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.detect.route import CacheResult, Evidence, LlmResult, RoutePolicy, RouteRules, RulesResult, VoteResult, decide
from app.display.library.tables import Column
from app.display.routing import metrics, path
from app.display.routing import rows as routing_rows
from app.display.routing.path import STAGES
from app.display.routing.stores import (
    can_be_filled,
    run_document,
    run_lines,
    run_sentence,
    source_lines,
    state_sentence,
    states_lines,
    stores_summary,
    untested,
)
from app.display.scope.match_rows import route_card
from app.display.system.metrics import table_lines
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.datastore import WAYS, Hit, Source, StoreAnswer
from app.domain.history import UsageCounter, UsageTotals
from app.domain.inspection import METHODS, RouteDecision
from app.domain.intent import Rule, RulePurpose
from app.domain.llm import LlmOutcome
from app.domain.route import (
    DOCUMENTED,
    CircuitName,
    CircuitState,
    LoggedRoute,
    RouteIntent,
    RouteMethod,
    RouteOrder,
    RouteStage,
)
from app.domain.route_alerts import RouteAlarm, RouteAlert
from app.evaluation.routing import audit_of, metrics_of
from app.services.engine.route_llm import NOT_WHILE_TYPING
from app.services.routing.routes import AuditProgress, RoutingState
from app.services.routing.stores import StoreReply, StoreRun, StoreState
from app.settings.model import Settings
from app.settings.sections import STORE_ADDRESSES, RouteSettings
from tests.golden import line, written

GRAPH = Rule("graph.ties", "graph_traversal", "ties|related", "routes", 0, purpose=RulePurpose.ROUTE)
HYBRID = Rule("hybrid.by", "hybrid", "papers by", "routes", 1, confidence=0.7, purpose=RulePurpose.ROUTE)
VECTOR = Rule("vector.like", "vector", "like", "routes", 2, unless="would like", purpose=RulePurpose.ROUTE)
RULES = RouteRules([GRAPH, HYBRID, VECTOR])
VOTE = Vote(
    "multi_database",
    0.848,
    0.65,
    (("multi_database", 0.876), ("hybrid_search", 0.124)),
    (NearExample("papers by Q", "hybrid_search", 0.785, is_shipped=True),),
)
NONE = replace(VOTE, label="hybrid_search", shares=(("hybrid_search", 0.2), ("multi_database", 0.12)))
LINE = LoggedRoute(
    1_800_000_000.0, "who knows whom", "window", "graph_traversal", ("neo4j",), 0.95, RouteMethod.RULE, 0.95, "A rule.",
    1.5,
)  # fmt: skip
STATE = RoutingState(None, "", 362, 360, ("graph_traversal",), CircuitState(), 0.0436, 100.0, 1)


def decision(text: str, **known: Any) -> RouteDecision:
    return decide(Evidence(RulesResult(RULES.find(text), 1.25), **known), RoutePolicy())


def cell(columns: tuple[Column[Any], ...], key: str, row: Any) -> str:
    return next(column for column in columns if column.key == key).cell(row)


# ---- the golden text
GOLDEN = Path(__file__).with_name("routing.txt")
"""Text of decisions, states and logs; rewrite it with `GOLDEN.write_text(read())`."""
LATE = replace(LINE, at=LINE.at + 3 * 3_600.0, method=RouteMethod.LLM_FALLBACK, intent="x", ms=600.0, cost=0.001,
               llm=LlmOutcome.ANSWERED, confidence=0.7)  # fmt: skip


def decisions() -> Iterator[str]:
    """Yield the sentences, the reason of the stores and the grounds of decisions."""
    votes: tuple[tuple[str, dict[str, Any]], ...] = (
        ("how are they related", {"vote": VoteResult(VOTE)}),
        ("papers by the ties", {}),
        ("zzz", {"vote": VoteResult(VOTE)}),
        ("zzz", {"vote": VoteResult(NONE)}),
        ("zzz", {}),
    )
    for text, evidence in votes:
        found = decision(text, **evidence)
        yield "\n".join((*path.sentences(found, (0.9,)), path.why_stores(found)))
    own = tuple(NearExample(f"all about {n}", "multi_database", 0.5 - n / 100) for n in range(5))
    told = replace(VOTE, confidence=0.7004**2, grounds=VoteBasis(0.7004, 0.7004, True, own, ("all about",)))
    route = decision("papers by Ann, I would like ties", vote=VoteResult(told))
    yield "\n".join(table_lines(path.grounds(replace(route, llm_intent="x", reasoning="Because."))))


def states() -> Iterator[str]:
    """Yield what routing rests on and lacks, money, the use of caches, and audits."""
    alone = replace(STATE, has_llm=False, kept=0)
    yield "\n".join(map(metrics.state_line, (STATE, alone, replace(alone, kept=1))))
    used_up = CircuitState(CircuitName.OPEN, "The month’s budget of $1.00 is used up ($1.0002 spent).")
    yield "\n".join(map(metrics.problem_sentence, (replace(STATE, circuit=used_up), STATE, None)))
    yield "\n".join(map(path.dollars, (0.0, 1234.5, 0.25, 0.0436, 0.000048, 1e-9)))
    counts = {"redis hit": 3, "redis miss": 1, "redis gone": 2, "table hit": 1, "table miss": 2}
    use = UsageTotals(30, {(UsageCounter.ROUTE_CACHES, outcome): count for outcome, count in counts.items()})
    yield "\n".join(table_lines(metrics.cache_tables(use)))
    sample = [replace(LINE, rule_intent="a", llm_intent="a"), replace(LINE, rule_intent="a", llm_intent="b")]
    audit = audit_of(sample)
    steps = AuditProgress(1, 2, audit), AuditProgress(2, 2, audit, "No LLM is set up."), AuditProgress(0, 0, audit)
    said = (routing_rows.audit_sentence(step, is_over=step.done != 1) for step in steps)
    yield "\n".join((*table_lines((routing_rows.audit_table(audit),)), *said))


OFF = LlmResult(LlmOutcome.OFF, sentence="No LLM is set up.")
SLOW = LlmResult(LlmOutcome.TIMED_OUT, sentence="The LLM did not answer within 200 ms.", ms=200.0)
COMING = VoteResult(missing="The query’s vector is being made.", is_coming=True)
PATHS: dict[str, tuple[str, dict[str, Any]]] = {
    "rules": ("how are they related", {}),
    "examples": ("papers by the ties", {"cache": CacheResult(), "vote": VoteResult(VOTE, ms=0.5)}),
    "fallback": ("zzz", {"cache": CacheResult(), "llm": OFF}),
    "best rule": ("papers by Ann", {"cache": CacheResult(), "llm": OFF}),
    "examples to come": ("zzz", {"vote": COMING}),
    "LLM too slow": ("zzz", {"llm": SLOW}),
}


def paths() -> Iterator[tuple[str, object]]:
    """Yield stops, cards and views of routes, queries by spans, examples, and absent votes."""
    for name, (text, known) in PATHS.items():
        route = decision(text, **known)
        yield f"path, {name}", path.path(route)
        yield f"card, {name}", route_card(route)
        for has_stores in (False, True):
            view = replace(path.route_view(text, route, has_stores=has_stores), stops=(), grounds=())
            yield f"view, {name}{', where stores are set up' * has_stores}", view
    likeliest = replace(decision("zzz"), confidence=0.3, databases=("orders",), intent="orders")
    yield "card, undecided", route_card(likeliest)
    there = Settings(route=RouteSettings(has_stores=True))
    yield "card where stores are set up", route_card(decision("how are they related"), there)
    text = "papers by Ann, I would like ties"
    yield "query", [path.query_spans(one, decision(one)) for one in (text, "z" * 500, "")]
    own = tuple(NearExample(f"all about {n}", "multi_database", 0.5 - n / 100) for n in range(5))
    grounds = replace(VOTE, grounds=VoteBasis(0.848, 1.0, True, own, ("all about",)))
    listed = (replace(grounds, nearest=(*VOTE.nearest, own[0])), replace(grounds, nearest=own))
    yield "examples of the winner", [path.supporting_examples(decision("zzz", vote=VoteResult(one))) for one in listed]
    bare = RouteDecision("vector_similarity", ("qdrant",), 0.0, "degraded", 0.0, "Nothing was asked.")
    yield "no votes", [path.no_vote(decision("zzz")), path.no_vote(bare)]


def logged() -> Iterator[tuple[str, object]]:
    """Yield how a logged decision is labelled and detailed, and what a stuck router and an empty log show."""
    labelled = [replace(LINE, labels=labels) for labels in ((), ("graph",), ("vector",))]
    yield "labels", [routing_rows.label_of(one) for one in labelled]
    yield (
        "text, source and method",
        [
            routing_rows.text_of(replace(LINE, text="")),
            cell(routing_rows.LOG_COLUMNS, "source", replace(LINE, source="route")),
            cell(routing_rows.LOG_COLUMNS, "method", replace(LINE, method=RouteMethod.BEST_RULE)),
        ],
    )
    opinions: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("a", "a", ()), ("a", "b", ()), ("a", "", ()), ("a", "b", ("a", "b")), ("a", "a", ("a",)), ("", "", ("a",)),
        ("", "b", ("a",)),
    )  # fmt: skip
    for rule, llm, cases in opinions:
        row = replace(LINE, rule_intent=rule, llm_intent=llm, labels=cases)
        yield f"agreement of rules {rule}, LLM {llm}, cases {line(cases)}", routing_rows.agreement_text(row)
    asked = replace(LINE, llm=LlmOutcome.TIMED_OUT, rule_intent="hybrid_search", labels=("graph",), reasoning="")
    undecided = replace(LINE, method=RouteMethod.DEGRADED, confidence=0.3)
    fallen = replace(undecided, confidence=0.0)
    for name, one in (("asked", asked), ("by rule", LINE), ("of one's own", replace(LINE, intent="orders"))):
        yield f"details, {name}", routing_rows.log_parts(one, DOCUMENTED)
    yield "headings", [routing_rows.log_heading(one).partition(" · ")[2] for one in (LINE, undecided, fallen)]
    yield "confidences", [routing_rows.confidence_text(one) for one in (LINE, undecided, fallen)]
    facets = routing_rows.log_facets(DOCUMENTED, ["orders"])
    yield "routes to filter by", [one.word for facet in facets if facet.key == "intent" for one in facet.choices]
    yield (
        "filters",
        [
            routing_rows.log_filter(" ties ", {"age": 7, "method": RouteMethod.RULE}, 1_000_000.0),
            routing_rows.log_filter("", {"method": "decided"}, 5.0),
            routing_rows.log_filter("", {}, 5.0),
        ],
    )
    own = [
        replace(STATE, labels=tuple(f"shelf {n}" for n in range(12))),
        replace(STATE, labels=("orders", "graph_traversal")),
    ]
    yield "routes to teach", [metrics.teachable_routes(state, DOCUMENTED) for state in (None, *own)]
    yield "button", metrics.route_button_text("multi_database", DOCUMENTED)
    shares = ((0.6996, (0.7,)), (0.7, (0.7,)), (0.0, ()), (1.0, ()), (0.9999, ()))
    yield "shares beside targets", {one: metrics.share_text(*one) for one in shares}
    varied = [replace(LINE, intent=f"i{n}", confidence=n / 100, method=RouteMethod.CACHE) for n in range(50)]
    stuck = [replace(LINE, at=LINE.at + 1 + n, confidence=0.5, method=RouteMethod.DEGRADED) for n in range(100)]
    for name, lines in (("stuck", metrics_of([*stuck, *varied])), ("empty", metrics_of([]))):
        for has_stores in (True, False):
            shown = metrics.dashboard(lines, has_stores=has_stores)
            measures = [f"{one.name} {one.value} {one.word}" for one in shown.measures]
            yield f"dashboard, {name}{', stores' * has_stores}", (*shown.flatlines, *shown.alerts, *measures)


def read() -> str:
    several = [LINE] * 15 + [replace(LINE, labels=("graph",)), replace(LATE, llm=LlmOutcome.FAILED)] + [LATE] * 4
    alarmed = replace(metrics_of(several), alerts=(RouteAlert(RouteAlarm.LLM_ERRORS, "It fails.", 0.2),))
    log = "\n".join(metrics.metrics_lines(alarmed, has_stores=True))
    whole = written({**dict(paths()), **dict(logged())})
    return "\n\n".join((*decisions(), *states(), log, whole))


def test_that_decisions_states_and_logs_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert metrics.cache_tables(UsageTotals(30)) == ()
    assert len(metrics.metrics_lines(metrics_of([]))) == 1 + len(
        metrics.dashboard(metrics_of([]), has_stores=True).measures
    )
    found = metrics_of([LINE, LATE])
    alarmed = replace(found, alerts=(RouteAlert(RouteAlarm.LLM_ERRORS, "It fails.", 0.2),))
    assert metrics.metrics_lines(alarmed) == metrics.metrics_lines(replace(found, alerts=())), "advice has no alarms"


# ---- the path


def test_that_an_address_of_a_store_shows_stores_and_that_of_a_cache_does_not() -> None:
    route, there = decision("how are they related"), Settings(route=RouteSettings(has_stores=True))
    set_up = Settings(route=RouteSettings(neo4j="bolt://localhost:7687"))
    assert route_card(route, set_up) == route_card(route, there)
    assert not RouteSettings(redis="redis://localhost:6379/0").has_any_store, "it keeps answers, and holds nothing"


def test_that_the_llm_is_offered_only_where_typing_left_it_out() -> None:
    typed = decision("zzz", llm=LlmResult(LlmOutcome.OFF, sentence=NOT_WHILE_TYPING))
    assert [metrics.can_ask_llm(one) for one in (typed, decision("zzz", llm=OFF), None)] == [True, False, False]


@pytest.mark.parametrize(("usual", "known"), [(0.0649, 0.168), (0.7004, 0.7004), (1.0, 1.0), (0.3, 0.0)])
def test_that_the_confidence_of_a_vote_can_be_multiplied_again(usual: float, known: float) -> None:
    vote = replace(VOTE, confidence=usual * known, grounds=VoteBasis(usual, known))
    one, other, product = (row.cells[0] for row in path.confidence_steps(decision("zzz", vote=VoteResult(vote))))
    assert round(float(one) * float(other), 3) == float(product)


# ---- the router


# ---- the log


def test_that_every_column_that_sorts_has_an_order_of_the_store() -> None:
    orders = [column.order for column in routing_rows.LOG_COLUMNS if column.order]
    assert sorted(orders) == sorted(RouteOrder)


# ---- the dashboard


def test_that_each_measure_has_its_curve_with_gaps_where_nothing_was_decided() -> None:
    late = replace(LATE, ms=100.0)
    found = metrics_of([LINE, replace(late, llm=LlmOutcome.FAILED), late])
    shown = {one.name: one for one in metrics.dashboard(found, has_stores=True).measures}
    curves = {name: one.chart.series[0].ys for name, one in shown.items()}
    assert [f"{y:g}" for y in curves["Decided by rules"]] == ["1", "nan", "nan", "0"]
    assert [f"{y:g}" for y in curves["P90, ms"]] == [f"{math.log10(1.5):g}", "nan", "nan", "2"]
    assert [f"{y:g}" for y in curves["Failed questions to the LLM"]] == ["nan", "nan", "nan", "0.5"]
    for name, bound in (("Decided by rules", 0.6), ("Decided by the LLM", 0.4), ("Failed questions to the LLM", 0.05)):
        assert [at for at, _ in shown[name].chart.alarms] == [bound]
    assert [one.name for one in shown["P90, ms"].chart.series] == ["all", "rule", "LLM"]
    assert shown["P90, ms"].chart.up_words[-1] == "1000"
    assert shown["Cost of a query"].chart.band == (0.0, 0.0002)
    for one in shown.values():
        chart = one.chart
        assert len(chart.across_marks) == len(chart.across_words) <= 4
        assert all(math.isnan(y) or chart.up[0] <= y <= chart.up[1] for line in chart.series for y in line.ys)
    advice = metrics.dashboard(found)
    times = {row.what: row.cells for row in advice.tables[-1].rows}
    assert list(times) == sorted(times, reverse=True)
    assert list(times.values())[1] == ("1", "100 %", "0 %", "1.5", "–", "$0", "–")
    times_chart = next(one.chart for one in advice.measures if one.name == "P90, ms")
    assert times_chart.up_words == ("1.0", "10", "100", "1000")  # from the data alone
    assert {(one.word, one.chart.band, one.chart.alarms) for one in advice.measures} == {("", None, ())}


def test_that_every_outcome_and_method_has_a_word() -> None:
    assert set(STAGES) == set(RouteStage)
    assert set(METHODS) == set(path.DECIDERS) == set(RouteMethod)
    assert set(metrics.LOOKS) == {"all", *RouteMethod}


STORES_GOLDEN = Path(__file__).with_name("stores.txt")
"""Text of runs and states; write it again with `GOLDEN.write_text(read())`, and review the difference."""

DECISION = RouteDecision("graph_traversal", ("neo4j",), 0.95, "rule", 0.95, "A rule.")
SIGNING = Hit("memory:signing", "signing", 1.0, "signing fails", ("signing",), "2026-01-01 00:00:00")
RED = Hit("memory:red", "red", 1 / 3, "", ("signing", "tag:build", "red"))
STORES_GRAPH = StoreReply("neo4j", "embedded", RouteIntent.GRAPH, True, StoreAnswer((SIGNING, RED), 1.25, "SELECT 1"))
STORES_VECTOR = StoreReply(
    "qdrant", "qdrant", RouteIntent.VECTOR, False, StoreAnswer((replace(RED, path=(), text="is red"),), 0.5, "V", False)
)
GONE = StoreReply("postgresql", "", RouteIntent.HYBRID, False, fault="The server is gone.")
STORES_NONE = StoreReply("graphiti", "embedded", RouteIntent.TEMPORAL, False, StoreAnswer((), 2.0, "T"))
RUN = StoreRun(DECISION, replies=(STORES_GRAPH, STORES_NONE, STORES_VECTOR, GONE), hits=(SIGNING, RED))
HELD = StoreState("postgresql", "postgresql", 3, others=1)
MAPPED = replace(HELD, others=2, mapped="docs; id=id; text=body")


def stores_read() -> str:
    begun = StoreRun(DECISION, (500, 1200), waiting=("neo4j", "qdrant"))
    gone = replace(GONE, is_routed=True)
    runs = (
        begun,
        replace(begun, filled=(1200, 1200)),
        StoreRun(DECISION),
        replace(RUN, replies=(STORES_GRAPH, replace(STORES_NONE, is_routed=True)), hits=(SIGNING,)),
        replace(RUN, replies=(STORES_GRAPH, gone)),
        replace(RUN, replies=(gone, STORES_NONE), hits=()),
    )
    states = (
        HELD,
        replace(HELD, late=2, others=5),
        replace(HELD, others=0),
        replace(HELD, fault="Gone."),
        replace(HELD, others=0, is_unready=True),
        MAPPED,
    )
    up, lost = StoreState("qdrant", "qdrant", 3), StoreState("neo4j", "neo4j", fault="Nobody answers.")
    embedded = StoreState("qdrant", "embedded")
    several = ([embedded], [up, lost], [lost], [replace(lost, store="redis", by="redis")])
    lines = (
        *map(run_sentence, runs),
        *run_lines(RUN),
        *map(state_sentence, states),
        *source_lines("postgresql", [Source("docs", {"id": "int", "body": "text", "vec": "vector(3)"})]),
        *states_lines([up, StoreState("neo4j", "embedded")]),
        *map(stores_summary, several),
    )
    return "\n".join(lines) + "\n"


def test_that_runs_and_states_of_stores_read_as_reviewed() -> None:
    assert stores_read() == STORES_GOLDEN.read_text("utf-8")
    assert [can_be_filled(each) for each in (HELD, MAPPED)] == [True, False]


def test_that_each_server_says_what_was_never_tried() -> None:
    servers = [StoreState(name, name) for name in WAYS]
    assert all(untested(each).startswith("Not tested: ") for each in servers if each.store in STORE_ADDRESSES)
    assert untested(StoreState("qdrant", "embedded")) == ""


def test_that_the_document_has_everything() -> None:
    found = run_document(RUN)
    assert [one["id"] for one in found["hits"]] == ["memory:signing", "memory:red"]
    assert found["stores"][0] == {
        "store": "neo4j",
        "by": "embedded",
        "way": "graph_traversal",
        "routed": True,
        "ms": 1.25,
        "exact": True,
        "hits": found["hits"],
        "query": "SELECT 1",
        "fault": None,
    }
    assert found["hits"][1] == {
        "id": "memory:red",
        "name": "red",
        "score": 1 / 3,
        "text": None,
        "path": ["signing", "tag:build", "red"],
        "since": None,
    }
    assert found["stores"][3]["hits"] is None
    assert found["stores"][3]["fault"] == "The server is gone."
