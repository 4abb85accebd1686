"""Tests of the exact texts on routes: path, stores, log, audit and metrics."""

from __future__ import annotations

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
from app.display.scope.matches.rows import route_card
from app.display.system.metrics import table_lines
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.intent import Rule, RulePurpose
from app.domain.llm import LlmOutcome
from app.domain.review.history import UsageCounter, UsageTotals
from app.domain.review.route_alerts import RouteAlarm, RouteAlert
from app.domain.route import (
    DOCUMENTED,
    CircuitName,
    CircuitState,
    LoggedRoute,
    RouteFilter,
    RouteMethod,
    RouteOrder,
    RouteStage,
)
from app.domain.scope.inspection import METHODS, RouteDecision
from app.evaluation.routing import audit_of, metrics_of
from app.services.engine.route_llm import NOT_WHILE_TYPING
from app.services.routing.routes import AuditProgress, RoutingState
from app.settings.model import Settings
from app.settings.sections import RouteSettings

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


def read() -> str:
    logged = [LINE] * 15 + [replace(LINE, labels=("graph",)), replace(LATE, llm=LlmOutcome.FAILED)] + [LATE] * 4
    alarmed = replace(metrics_of(logged), alerts=(RouteAlert(RouteAlarm.LLM_ERRORS, "It fails.", 0.2),))
    log = "\n".join(metrics.metrics_lines(alarmed, has_stores=True))
    return "\n\n".join((*decisions(), *states(), log)) + "\n"


def test_that_decisions_states_and_logs_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert metrics.cache_tables(UsageTotals(30)) == ()
    found = metrics_of([LINE, LATE])
    alarmed = replace(found, alerts=(RouteAlert(RouteAlarm.LLM_ERRORS, "It fails.", 0.2),))
    assert metrics.metrics_lines(alarmed) == metrics.metrics_lines(replace(found, alerts=())), "advice has no alarms"


# ---- the path

OFF = LlmResult(LlmOutcome.OFF, sentence="No LLM is set up.")
SLOW = LlmResult(LlmOutcome.TIMED_OUT, sentence="The LLM did not answer within 200 ms.", ms=200.0)
COMING = VoteResult(missing="The query’s vector is being made.", is_coming=True)


@pytest.mark.parametrize(
    ("text", "known", "said"),
    [
        ("how are they related", {}, "decided 95 %, (skipped), (skipped), (skipped), (skipped)"),
        ("papers by the ties", {"cache": CacheResult(), "vote": VoteResult(VOTE, ms=0.5)},
         "unsure 60 %, nothing, decided 85 %, (skipped), (skipped)"),
        ("zzz", {"cache": CacheResult(), "llm": OFF}, "nothing, nothing, (skipped), (skipped), used"),
        ("papers by Ann", {"cache": CacheResult(), "llm": OFF},
         "unsure 70 %, nothing, (skipped), (skipped), best rule 70 %"),
        ("zzz", {"vote": COMING}, "nothing, (skipped), waiting, (skipped), for now"),
        ("zzz", {"llm": SLOW}, "nothing, (skipped), (skipped), failed, used"),
    ],
)  # fmt: skip
def test_that_the_path_says_what_each_stop_came_to(text: str, known: dict[str, Any], said: str) -> None:
    """Stops in brackets were not passed; those after the deciding one have no reason."""
    stops = path.path(decision(text, **known))
    told = (f"{stop.word} {stop.confidence}".strip() for stop in stops)
    assert ", ".join(one if stop.is_passed else f"({one})" for one, stop in zip(told, stops, strict=True)) == said
    decided = next(place for place, stop in enumerate(stops) if stop.decides)
    assert not any(stop.why for stop in stops[decided + 1 :])
    assert path.route_view(text, decision(text, **known)).is_final == (known.get("vote") is not COMING)


def test_that_the_query_is_cut_where_rules_found_something() -> None:
    text = "papers by Ann, I would like ties"
    spans = [("papers by", True), (" Ann, I would ", None), ("like", False), (" ", None), ("ties", True)]
    assert list(path.query_spans(text, decision(text))) == spans
    assert path.query_spans("z" * 500, decision("z" * 500))[-1] == ("…", None)
    assert path.query_spans("", decision("")) == ()


def test_that_shares_come_to_one_and_what_they_leave_is_for_no_store() -> None:
    def shares(*values: float) -> list[str]:
        named = tuple(zip(("multi_database", "hybrid_search"), values, strict=True))
        route = decision("zzz", vote=VoteResult(replace(VOTE, shares=named)))
        return [row.cells[0] for row in path.grounds(route)[1].rows if row.bar is not None]

    assert shares(0.124, 0.087) == ["0.124", "0.087", "0.789"]
    assert shares(0.6, 0.1) == ["0.600", "0.100", "0.300"]
    assert len(shares(0.99996, 0.00004)) == 2


@pytest.mark.parametrize(("usual", "known"), [(0.0649, 0.168), (0.7004, 0.7004), (1.0, 1.0), (0.3, 0.0)])
def test_that_the_confidence_of_a_vote_can_be_multiplied_again(usual: float, known: float) -> None:
    vote = replace(VOTE, confidence=usual * known, grounds=VoteBasis(usual, known))
    one, other, product = (row.cells[0] for row in path.confidence_steps(decision("zzz", vote=VoteResult(vote))))
    assert round(float(one) * float(other), 3) == float(product)


def test_that_the_winners_own_examples_are_listed_once() -> None:
    own = tuple(NearExample(f"all about {n}", "multi_database", 0.5 - n / 100) for n in range(5))
    told = replace(VOTE, grounds=VoteBasis(0.848, 1.0, True, own, ("all about",)))
    listed = replace(told, nearest=(*VOTE.nearest, own[0]))
    shown = path.supporting_examples(decision("zzz", vote=VoteResult(listed)))
    assert [one.text for one in shown] == ["all about 1", "all about 2"]
    assert path.supporting_examples(decision("zzz", vote=VoteResult(replace(told, nearest=own)))) == ()


def test_that_absent_votes_say_why() -> None:
    assert path.no_vote(decision("zzz")) == "The examples are off."
    bare = RouteDecision("vector_similarity", ("qdrant",), 0.0, "degraded", 0.0, "Nothing was asked.")
    assert path.no_vote(bare) == "The examples were not asked."


def test_that_the_card_names_the_method_in_a_word_and_says_if_more_is_to_come() -> None:
    assert route_card(decision("how are they related")).badge == "rule"
    coming = decision("zzz", vote=VoteResult(missing="…", is_coming=True))
    assert route_card(coming).badge == "fallback, so far"


def test_that_a_query_that_nothing_decides_is_called_a_safe_choice_without_a_number() -> None:
    card, view = route_card(decision("zzz")), path.route_view("zzz", decision("zzz"))
    safe = "Nothing decided, so it falls back to vector search"
    assert (card.badge, card.name, card.rest) == ("fallback", "vector_similarity", "")
    assert card.sentence == f"{safe}. No store is connected; the embedded one answers."
    assert (view.by, view.confidence) == ("fallback", "")
    likeliest = replace(decision("zzz"), confidence=0.3, databases=("orders",), intent="orders")
    assert (route_card(likeliest).badge, route_card(likeliest).rest) == ("undecided", ", 30 %")


def test_that_stores_are_named_to_those_alone_who_have_them() -> None:
    route = decision("how are they related")
    there = Settings(route=RouteSettings(has_stores=True))
    assert (route_card(route).rest, route_card(route, there).rest) == (", 95 %", " to neo4j, 95 %")
    assert route_card(route).sentence.endswith(" No store is connected; the embedded one answers.")
    assert "Advice" not in route_card(route, there).sentence
    set_up = Settings(route=RouteSettings(neo4j="bolt://localhost:7687"))
    assert route_card(route, set_up) == route_card(route, there)
    assert not RouteSettings(redis="redis://localhost:6379/0").has_any_store, "it keeps answers, and holds nothing"
    bare, view = path.route_view("q", route), path.route_view("q", route, has_stores=True)
    assert (bare.stores, bare.sentences[-1]) == ("", "No store is connected; the embedded one answers.")
    assert (view.stores, view.sentences[-1]) == ("neo4j", "Graph search is answered by neo4j.")


# ---- the router


def test_that_digits_teach_the_five_or_a_persons_own_routes() -> None:
    five = ("graph_traversal", "vector_similarity", "hybrid_search", "temporal_reasoning", "multi_database")
    assert metrics.teachable_routes(None, DOCUMENTED) == five
    assert metrics.teachable_routes(replace(STATE, labels=("orders", "graph_traversal")), DOCUMENTED) == five
    own = tuple(f"shelf {n}" for n in range(12))
    assert metrics.teachable_routes(replace(STATE, labels=own), DOCUMENTED) == own[:9]
    assert metrics.route_button_text("multi_database", DOCUMENTED) == "Several stores"


def test_that_the_llm_is_offered_only_where_typing_left_it_out() -> None:
    typed = decision("zzz", llm=LlmResult(LlmOutcome.OFF, sentence=NOT_WHILE_TYPING))
    assert metrics.can_ask_llm(typed)
    assert not metrics.can_ask_llm(decision("zzz", llm=LlmResult(LlmOutcome.OFF, sentence="No LLM is set up.")))
    assert not metrics.can_ask_llm(None)


# ---- the log


def test_that_a_logged_decision_says_if_a_case_bears_it_out() -> None:
    assert routing_rows.label_of(LINE) == ""
    assert routing_rows.label_of(replace(LINE, labels=("graph",))) == "✓ right"
    assert routing_rows.label_of(replace(LINE, labels=("vector",))) == "✗ vector_similarity"
    assert routing_rows.text_of(replace(LINE, text="")) == "– not kept"
    assert cell(routing_rows.LOG_COLUMNS, "source", replace(LINE, source="route")) == "command line"
    assert cell(routing_rows.LOG_COLUMNS, "method", replace(LINE, method=RouteMethod.BEST_RULE)) == "best rule"


def test_that_every_column_that_sorts_has_an_order_of_the_store() -> None:
    orders = [column.order for column in routing_rows.LOG_COLUMNS if column.order]
    assert sorted(orders) == sorted(RouteOrder)


def test_that_ages_are_counted_back_from_now() -> None:
    wanted = routing_rows.log_filter(" ties ", {"age": 7, "method": RouteMethod.RULE}, 1_000_000.0)
    assert (wanted.text, wanted.since, wanted.method, wanted.intent) == ("ties", 395_200.0, RouteMethod.RULE, None)
    assert routing_rows.log_filter("", {"method": "decided"}, 5.0) == RouteFilter(limit=1_000_000, is_decided=True)
    assert routing_rows.log_filter("", {}, 5.0).since is None


def test_that_a_persons_own_routes_can_be_sifted_by() -> None:
    intent = next(facet for facet in routing_rows.log_facets(DOCUMENTED, ["orders"]) if facet.key == "intent")
    assert [choice.word for choice in intent.choices][-2:] == ["Several stores", "orders"]


def test_that_the_details_say_who_said_what() -> None:
    asked = replace(LINE, llm=LlmOutcome.TIMED_OUT, rule_intent="hybrid_search", labels=("graph",), reasoning="")
    parts = {part.title: part.rows for part in routing_rows.log_parts(asked, DOCUMENTED)}
    assert [(row.said, row.quiet) for row in parts["Who said what"]] == [
        ("Rules", "hybrid_search"),
        ("LLM", "timed out"),
        ("Case", "graph"),
    ]
    assert parts["Why"][0].said == "Not stored: a reason quotes the words of the query."
    bare = {part.title: part.rows for part in routing_rows.log_parts(LINE, DOCUMENTED)}["Who said what"]
    assert [row.quiet for row in bare] == ["nothing", "not asked", "none for this query"]
    assert (bare[0].value, parts["Who said what"][0].value, "Decision" in parts) == ("", "95 %", False)
    assert routing_rows.log_parts(replace(LINE, intent="orders"), DOCUMENTED)[0].title == "Decision"
    assert routing_rows.confidence_text(replace(LINE, method=RouteMethod.DEGRADED, confidence=0.0)) == "–"
    assert routing_rows.log_heading(LINE).endswith("window · decided by a rule")
    likeliest = replace(LINE, method=RouteMethod.DEGRADED, confidence=0.3)
    assert routing_rows.log_heading(likeliest).endswith("undecided")
    assert routing_rows.log_heading(replace(likeliest, confidence=0.0)).endswith("fallback")


@pytest.mark.parametrize(
    ("rule", "llm", "labels", "said"),
    [
        ("a", "a", (), "agree"),
        ("a", "b", (), "✗ differ"),
        ("a", "", (), ""),
        ("a", "b", ("a", "b"), "✗ differ"),
        ("a", "a", ("a",), "agree"),
        ("", "", ("a",), ""),
        ("", "b", ("a",), "✗ differ"),
    ],
)
def test_that_agreement_needs_two_opinions(rule: str, llm: str, labels: tuple[str, ...], said: str) -> None:
    assert routing_rows.agreement_text(replace(LINE, rule_intent=rule, llm_intent=llm, labels=labels)) == said


# ---- the dashboard


def test_that_an_empty_log_is_told_as_one() -> None:
    shown = metrics.dashboard(metrics_of([]), has_stores=True)
    assert {(one.value, one.word) for one in shown.measures} == {("–", "no data")}
    assert shown.flatlines == ()
    assert len(metrics.metrics_lines(metrics_of([]))) == 1 + len(shown.measures)


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


def test_that_a_share_never_crosses_its_target() -> None:
    assert metrics.share_text(0.6996, (0.7,)) == "69.96 %"
    assert metrics.share_text(0.7, (0.7,)) == "70.0 %"
    assert [metrics.share_text(value) for value in (0.0, 1.0, 0.9999)] == ["0 %", "100 %", "99.99 %"]


def test_that_a_router_that_is_stuck_is_told_as_that() -> None:
    varied = [replace(LINE, intent=f"i{n}", confidence=n / 100, method=RouteMethod.CACHE) for n in range(50)]
    stuck = [replace(LINE, at=LINE.at + 1 + n, confidence=0.5, method=RouteMethod.DEGRADED) for n in range(100)]
    shown = metrics.dashboard(metrics_of([*stuck, *varied]), has_stores=True)
    assert shown.flatlines == (
        "The last 100 decisions all have the same confidence, 0.50.",
        "The last 100 decisions all went to the fallback: nothing decided them.",
        "The last 100 decisions all go the same way, graph_traversal.",
    )
    assert shown.flatlines
    assert shown.alerts == ("Rules decide only 0 % of the queries; 001 expects 60 % at least.",)
    advice = metrics.dashboard(metrics_of([*stuck, *varied]))
    assert (advice.flatlines, advice.alerts) == ((), ())


def test_that_every_outcome_and_method_has_a_word() -> None:
    assert set(STAGES) == set(RouteStage)
    assert set(METHODS) == set(path.DECIDERS) == set(RouteMethod)
    assert set(metrics.LOOKS) == {"all", *RouteMethod}
