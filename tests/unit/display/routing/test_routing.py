"""Tests of the exact texts on routes: path, stores, log, audit and dashboard."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from app.detect.route import CacheResult, Evidence, LlmResult, RoutePolicy, RulesResult, VoteResult, decide
from app.detect.route_rules import RouteRules
from app.display.library.tables import Column
from app.display.routing import dashboard, metrics, path
from app.display.routing import rows as routing_rows
from app.display.routing.path import OUTCOMES, STAGES
from app.display.scope.matches.resolution import route_card
from app.display.system.metrics import table_lines
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.intent import Rule, RulePurpose
from app.domain.llm import LlmOutcome
from app.domain.review.route_alerts import RouteAlarm, RouteAlert
from app.domain.review.usage import UsageCounter, UsageTotals
from app.domain.route import (
    DOCUMENTED,
    CircuitName,
    CircuitState,
    LoggedRoute,
    RouteFilter,
    RouteMethod,
    RouteOrder,
    RouteStage,
    StepOutcome,
)
from app.domain.scope.resolution import METHODS, RouteDecision
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
    1_800_000_000.0,
    "who knows whom",
    "window",
    "graph_traversal",
    ("neo4j",),
    0.95,
    RouteMethod.RULE,
    0.95,
    "A rule.",
    1.5,
)
STATE = RoutingState(None, "", 362, 360, ("graph_traversal",), CircuitState(), 0.0436, 100.0, 1)


def decision(text: str, **known: Any) -> RouteDecision:
    return decide(Evidence(RulesResult(RULES.find(text), 1.25), **known), RoutePolicy())


def cell(columns: tuple[Column[Any], ...], key: str, row: Any) -> str:
    return next(column for column in columns if column.key == key).cell(row)


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
        ("zzz", {"cache": CacheResult(), "llm": OFF}, "nothing, nothing, (skipped), (skipped), fallback"),
        ("papers by Ann", {"cache": CacheResult(), "llm": OFF},
         "unsure 70 %, nothing, (skipped), (skipped), best rule 70 %"),
        ("zzz", {"vote": COMING}, "nothing, (skipped), waiting, (skipped), for now"),
        ("zzz", {"llm": SLOW}, "nothing, (skipped), (skipped), failed, fallback"),
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


@pytest.mark.parametrize(
    ("text", "evidence", "said"),
    [
        (
            "how are they related",
            {"vote": VoteResult(VOTE)},
            (
                "A rule decided: “related” points to graph_traversal, 95 % sure where 90 % is needed.",
                "Taught examples: 88 % of the votes say multi_database, 12 % hybrid_search.",
            ),
        ),
        (
            "papers by the ties",
            {},
            (
                (
                    "Nothing was sure enough, so the best rule decides: “papers by” and “ties” point to "
                    "multi_database, 60 % sure where 90 % is needed."
                ),
                "Taught examples are off.",
            ),
        ),
        (
            "zzz",
            {"vote": VoteResult(VOTE)},
            (
                "The taught examples decided: 88 % of the votes say multi_database, 12 % hybrid_search.",
                "No rule matched.",
            ),
        ),
        (
            "zzz",
            {"vote": VoteResult(NONE)},
            (
                "Nothing decided, so it falls back to vector search.",
                "Taught examples: 68 % of the votes say “no store”, 20 % hybrid_search.",
            ),
        ),
        ("zzz", {}, ("Nothing decided, so it falls back to vector search.", "Taught examples are off.")),
    ],
)
def test_that_a_decision_is_said_in_three_sentences(text: str, evidence: dict[str, Any], said: tuple[str, str]) -> None:
    told = path.sentences(decision(text, **evidence), (0.9,))
    assert told == (*said, "Advice only: no store is connected.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("how are they related", "graph_traversal is answered by neo4j."),
        ("papers by the ties", "The stores of the routes that matched: hybrid_search, graph_traversal."),
        ("zzz", "Searching qdrant goes least wrong where nothing is known."),
    ],
)
def test_that_the_stores_have_a_reason(text: str, said: str) -> None:
    assert path.why_stores(decision(text)) == said
    voted = decision("zzz", vote=VoteResult(VOTE))
    assert path.why_stores(voted) == "Several stores, and nothing says which: all of them."


def grounds(route: RouteDecision) -> str:
    return "\n".join(["", *table_lines(path.grounds(route))])


def test_that_the_grounds_show_what_each_rule_vote_and_example_adds() -> None:
    own = tuple(NearExample(f"all about {n}", "multi_database", 0.5 - n / 100) for n in range(5))
    told = replace(VOTE, confidence=0.7004**2, grounds=VoteBasis(0.7004, 0.7004, True, own, ("all about",)))
    route = decision("papers by Ann, I would like ties", vote=VoteResult(told))
    assert (
        grounds(replace(route, llm_intent="x", reasoning="Because."))
        == """
Rules that matched                    Rule  Characters  Confidence
  “papers by” → hybrid_search    hybrid.by      1 to 9       0.700
  “like” → vector_similarity   vector.like    24 to 27   overruled
  “ties” → graph_traversal      graph.ties    29 to 32       0.950
Vote of the taught examples                      Share
  multi_database                                 0.876
  hybrid_search                                  0.124
  Such votes were right, each example left out  0.7004
  × such queries are of the taught kind         0.7004
  = confidence in multi_database                 0.491
Nearest taught examples   From          Route  Similarity
  papers by Q            ships  hybrid_search       0.785
Nearest of those for multi_database         From           Route  Similarity
  all about 0                        taught here  multi_database       0.500
  all about 1                        taught here  multi_database       0.490
  all about 2                        taught here  multi_database       0.480
Decision
  Rule confidence   0.600
  The LLM says          x
  Deciding took    1.2 ms
  Cost                 $0
  Because."""
    )


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
    assert path.no_vote(decision("zzz")) == "Taught examples are off."
    bare = RouteDecision("vector_similarity", ("qdrant",), 0.0, "degraded", 0.0, "Nothing was asked.")
    assert path.no_vote(bare) == "The taught examples were not asked."


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "$0"),
        (1234.5, "$1,234.50"),
        (0.25, "$0.2500"),
        (0.0436, "$0.0436"),
        (0.000048, "$0.000048"),
        (1e-9, "<$0.000001"),
    ],
)
def test_that_small_money_keeps_its_digits(value: float, said: str) -> None:
    assert path.dollars(value) == said


def test_that_the_card_names_the_method_in_a_word_and_says_if_more_is_to_come() -> None:
    assert route_card(decision("how are they related")).badge == "rule"
    coming = decision("zzz", vote=VoteResult(missing="…", is_coming=True))
    assert route_card(coming).badge == "fallback, so far"


def test_that_a_query_that_nothing_decides_is_called_a_safe_choice_without_a_number() -> None:
    card, view = route_card(decision("zzz")), path.route_view("zzz", decision("zzz"))
    safe = "Nothing decided, so it falls back to vector search"
    assert (card.badge, card.name, card.rest) == ("fallback", "vector_similarity", "")
    assert card.sentence == f"{safe}. Advice only: no store is connected."
    assert (view.by, view.confidence) == ("fallback", "")
    likeliest = replace(decision("zzz"), confidence=0.3, databases=("orders",), intent="orders")
    assert (route_card(likeliest).badge, route_card(likeliest).rest) == ("undecided", ", 30 %")


def test_that_stores_are_named_to_those_alone_who_have_them() -> None:
    route = decision("how are they related")
    there = Settings(route=RouteSettings(has_stores=True))
    assert (route_card(route).rest, route_card(route, there).rest) == (", 95 %", " to neo4j, 95 %")
    assert route_card(route).sentence.endswith(" Advice only: no store is connected.")
    assert "Advice" not in route_card(route, there).sentence
    set_up = Settings(route=RouteSettings(neo4j="bolt://localhost:7687"))
    assert route_card(route, set_up) == route_card(route, there)
    assert not RouteSettings(redis="redis://localhost:6379/0").has_any_store, "it keeps answers, and holds nothing"
    bare, view = path.route_view("q", route), path.route_view("q", route, has_stores=True)
    assert (bare.stores, bare.sentences[-1]) == ("", "Advice only: no store is connected.")
    assert (view.stores, view.sentences[-1]) == ("neo4j", "graph_traversal is answered by neo4j.")


# ---- the router


def test_that_digits_teach_the_five_or_a_persons_own_routes() -> None:
    five = ("graph_traversal", "vector_similarity", "hybrid_search", "temporal_reasoning", "multi_database")
    assert dashboard.teachable_routes(None, DOCUMENTED) == five
    assert dashboard.teachable_routes(replace(STATE, labels=("orders", "graph_traversal")), DOCUMENTED) == five
    own = tuple(f"shelf {n}" for n in range(12))
    assert dashboard.teachable_routes(replace(STATE, labels=own), DOCUMENTED) == own[:9]
    assert [dashboard.route_button_text(label, DOCUMENTED) for label in ("multi_database", "orders")] == [
        "Several",
        "orders",
    ]


def test_that_what_routing_rests_on_stands_in_a_line() -> None:
    assert dashboard.state_line(STATE) == (
        "360 examples that ship · 2 taught here · 1 answer of the LLM kept · LLM in use"
        " · $0.0436 of $100.00 spent this month"
    )
    alone = replace(STATE, has_llm=False, kept=0)
    assert dashboard.state_line(alone) == "360 examples that ship · 2 taught here"
    assert dashboard.state_line(replace(alone, kept=1)).endswith("1 answer of the LLM kept")


def test_that_an_open_circuit_is_told_with_what_still_works() -> None:
    used_up = "The month’s budget of $1.00 is used up ($1.0002 spent)."
    state = replace(STATE, circuit=CircuitState(CircuitName.OPEN, used_up))
    assert dashboard.problem_sentence(state) == f"{used_up} Rules, kept answers and taught examples decide meanwhile."
    assert dashboard.problem_sentence(STATE) == ""
    assert dashboard.problem_sentence(None) == ""


def test_that_the_llm_is_offered_only_where_typing_left_it_out() -> None:
    typed = decision("zzz", llm=LlmResult(LlmOutcome.OFF, sentence=NOT_WHILE_TYPING))
    assert dashboard.can_ask_llm(typed)
    assert not dashboard.can_ask_llm(decision("zzz", llm=LlmResult(LlmOutcome.OFF, sentence="No LLM is set up.")))
    assert not dashboard.can_ask_llm(None)


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
    assert [choice.word for choice in intent.choices][-2:] == ["multi_database", "orders"]


def test_that_the_details_say_who_said_what() -> None:
    asked = replace(LINE, llm=LlmOutcome.TIMED_OUT, rule_intent="hybrid_search", labels=("graph",), reasoning="")
    parts = {part.title: part.rows for part in routing_rows.log_parts(asked, DOCUMENTED)}
    assert [(row.said, row.quiet) for row in parts["Who said what"]] == [
        ("Rules", "hybrid_search"),
        ("LLM", "timed out"),
        ("Case", "graph"),
    ]
    assert parts["Why"][0].said == "Not kept: a reason quotes the words of the query."
    bare = {part.title: part.rows for part in routing_rows.log_parts(LINE, DOCUMENTED)}["Who said what"]
    assert [row.quiet for row in bare] == ["nothing", "not asked", "none for this query"]
    assert (bare[0].value, parts["Decision"][0].value, parts["Who said what"][0].value) == ("", "95 %", "95 %")
    assert routing_rows.confidence_text(replace(LINE, method=RouteMethod.DEGRADED, confidence=0.0)) == "–"
    assert routing_rows.log_heading(LINE).endswith("window · decided by a rule")


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


def test_that_an_audit_counts_who_agrees_and_says_how_far_it_is() -> None:
    sample = [replace(LINE, rule_intent="a", llm_intent="a"), replace(LINE, rule_intent="a", llm_intent="b")]
    audit = audit_of(sample)
    told = [(row.what, *row.cells) for row in routing_rows.audit_table(audit).rows]
    assert told[:2] == [("Rules and LLM", "1 of 2", "50.0 %"), ("Rules and cases", "nothing to compare", "")]
    assert routing_rows.audit_sentence(AuditProgress(1, 2, audit), is_over=False) == "1 of 2 checked."
    silent = AuditProgress(2, 2, audit, "No LLM is set up.")
    assert routing_rows.audit_sentence(silent, is_over=True) == "2 decisions checked. No LLM is set up."
    assert routing_rows.audit_sentence(AuditProgress(0, 0, audit), is_over=True).startswith("The log holds no decision")


# ---- the dashboard


LATE = replace(LINE, at=LINE.at + 3 * 3_600.0, method=RouteMethod.LLM_FALLBACK, intent="x", ms=600.0, cost=0.001,
               llm=LlmOutcome.ANSWERED, confidence=0.7)  # fmt: skip


def test_that_the_log_is_told_beside_its_targets_and_adds_up() -> None:
    logged = [LINE] * 15 + [replace(LINE, labels=("graph",)), replace(LATE, llm=LlmOutcome.FAILED)] + [LATE] * 4
    found = metrics_of(logged)
    assert metrics.metrics_lines(replace(found, alerts=(RouteAlert(RouteAlarm.LLM_ERRORS, "It fails.", 0.2),))) == (
        metrics.metrics_lines(replace(found, alerts=()))
    ), "advice has no alarms"
    alarmed = replace(found, alerts=(RouteAlert(RouteAlarm.LLM_ERRORS, "It fails.", 0.2),))
    assert (
        "\n".join(["", *metrics.metrics_lines(alarmed, has_stores=True)])
        == """
21 decisions                                    Target
  Decided by rules                76.2 %  70 % to 80 %     met
  Decided by the LLM              23.8 %  20 % to 30 %     met
  Right, of those with a case      100 %        ≥ 95 %     met
  P90, ms                            600         ≤ 500  missed
  Answered from the cache            0 %        ≥ 70 %  missed
  Cost of a query              $0.000238     ≤ $0.0002  missed
  Failed questions to the LLM     20.0 %         ≤ 5 %   alarm
Alarm: It fails.
By method; times in ms  Decisions   Share  Right  P50  P90  P95  P99
  rule                         16  76.2 %  100 %  1.5  1.5  1.5  1.5
  LLM                           5  23.8 %      –  600  600  600  600
  all                          21   100 %  100 %  1.5  600  600  600
By route           Decisions   Share  Right
  graph_traversal         16  76.2 %  100 %
  x                        5  23.8 %      –
  These decisions have cost $0.0050."""
    )


def test_that_an_empty_log_is_told_as_one() -> None:
    shown = dashboard.dashboard(metrics_of([]), has_stores=True)
    assert {(one.value, one.word) for one in shown.measures} == {("–", "no data")}
    assert dashboard.flatline_title(shown) == ""
    assert len(metrics.metrics_lines(metrics_of([]))) == 1 + len(shown.measures)


def test_that_each_measure_has_its_curve_with_gaps_where_nothing_was_decided() -> None:
    late = replace(LATE, ms=100.0)
    found = metrics_of([LINE, replace(late, llm=LlmOutcome.FAILED), late])
    shown = {one.name: one for one in dashboard.dashboard(found, has_stores=True).measures}
    curves = {name: one.chart.series[0].ys for name, one in shown.items()}
    assert [f"{y:g}" for y in curves["Decided by rules"]] == ["1", "nan", "nan", "0"]
    assert [f"{y:g}" for y in curves["P90, ms"]] == [f"{math.log10(1.5):g}", "nan", "nan", "2"]
    assert [f"{y:g}" for y in curves["Failed questions to the LLM"]] == ["nan", "nan", "nan", "0.5"]
    for name, bound in (("Decided by rules", 0.6), ("Decided by the LLM", 0.4), ("Failed questions to the LLM", 0.05)):
        assert [at for at, _ in shown[name].chart.alarms] == [bound]
    assert [one.name for one in shown["P99 by method, ms"].chart.series] == ["all", "rule", "LLM"]
    assert shown["P90, ms"].chart.up_words[-1] == "1000"
    assert shown["Cost of a query"].chart.band == (0.0, 0.0002)
    for one in shown.values():
        chart = one.chart
        assert len(chart.across_marks) == len(chart.across_words) <= 4
        assert all(math.isnan(y) or chart.up[0] <= y <= chart.up[1] for line in chart.series for y in line.ys)
    advice = dashboard.dashboard(found)
    times = {row.what: row.cells for row in advice.tables[-1].rows}
    assert list(times) == sorted(times, reverse=True)
    assert list(times.values())[1] == ("1", "100 %", "0 %", "–", "1.5", "–", "$0", "–")
    assert advice.measures[3].chart.up_words == ("1.0", "10", "100", "1000")  # from the data alone
    assert {(one.word, one.chart.band, one.chart.alarms) for one in advice.measures} == {("", None, ())}


def test_that_a_share_never_crosses_its_target() -> None:
    assert metrics.share_text(0.6996, (0.7,)) == "69.96 %"
    assert metrics.share_text(0.7, (0.7,)) == "70.0 %"
    assert [metrics.share_text(value) for value in (0.0, 1.0, 0.9999)] == ["0 %", "100 %", "99.99 %"]


def test_that_a_router_that_is_stuck_is_told_as_that() -> None:
    varied = [replace(LINE, intent=f"i{n}", confidence=n / 100, method=RouteMethod.CACHE) for n in range(50)]
    stuck = [replace(LINE, at=LINE.at + 1 + n, confidence=0.5, method=RouteMethod.DEGRADED) for n in range(100)]
    shown = dashboard.dashboard(metrics_of([*stuck, *varied]), has_stores=True)
    assert shown.flatlines == (
        "The last 100 decisions all have the same confidence, 0.50.",
        "The last 100 decisions all went to the fallback: nothing decided them.",
        "The last 100 decisions all go the same way, graph_traversal.",
    )
    assert dashboard.flatline_title(shown) == "Flatline: the router looks stuck"
    assert shown.alerts == ("Rules decide only 0 % of the queries; 001 expects 60 % at least.",)
    advice = dashboard.dashboard(metrics_of([*stuck, *varied]))
    assert (advice.flatlines, advice.alerts) == ((), ())


def test_that_every_outcome_and_method_has_a_word() -> None:
    assert set(OUTCOMES) == set(StepOutcome)
    assert set(STAGES) == set(RouteStage)
    assert set(METHODS) == set(path.DECIDERS) == set(RouteMethod)
    assert set(metrics.LOOKS) == {"all", *RouteMethod}


def test_that_the_hit_rates_of_both_caches_are_told_once_they_were_asked() -> None:
    counts = {"redis hit": 3, "redis miss": 1, "redis gone": 2, "table hit": 1, "table miss": 2}
    use = UsageTotals(30, {(UsageCounter.ROUTE_CACHES, outcome): count for outcome, count in counts.items()})
    (table,) = dashboard.cache_tables(use)
    assert [(row.what, row.cells) for row in table.rows] == [
        ("Redis", ("4", "3", "75.0 %")),
        ("This library", ("3", "1", "33.3 %")),
    ]
    assert table.remark == "Redis did not answer 2 times; the table did."
    assert dashboard.cache_tables(UsageTotals(30)) == ()
