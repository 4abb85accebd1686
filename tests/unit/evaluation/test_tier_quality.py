"""Tests of figures of tiers, their token cost (S5.7), and routes with 001's targets and alarms (S6.6)."""

from dataclasses import replace

import pytest

from app.domain.case import Case, Delivered, Task
from app.domain.llm import LlmOutcome
from app.domain.match import Tier
from app.domain.route import LoggedRoute, RouteColumns, RouteMethod
from app.domain.route_alerts import RouteAlarm
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered
from app.evaluation.distribution import (
    DOCUMENTED,
    DOCUMENTED_ANSWER,
    DOCUMENTED_EVERYTHING,
    DOCUMENTED_SAVING,
    AnswerTokens,
    TokenCost,
    friction,
    search_times,
    tier_quality,
    token_cost,
    turns,
)
from app.evaluation.documents import gate
from app.evaluation.evaluation import Evaluation, judged
from app.evaluation.routing import DAY, Share, Target, audit_of, counts_of, metrics_of, sampled
from app.settings.model import Settings
from tests.unit.evaluation.made import answer

ACTIVATED, MULTIPLE, WEAK, NONE = Tier
SETTINGS = Settings()


def power(
    expected: str, candidates: str, tier: Tier, *, meant: Tier | None = None, offered: int = 0, rank: int | None = None
) -> Answered:
    return answer(expected, candidates, task=Task.POWER, tier=tier, meant=meant, offered=offered, rank=rank)


RIGHT = power("a", "a:0.9", ACTIVATED, meant=ACTIVATED, offered=1)
WRONG = power("a", "b:0.9 a:0.4", ACTIVATED, meant=ACTIVATED, offered=1)
OFFERED = power("a", "b:0.6 a:0.5", MULTIPLE, meant=ACTIVATED, offered=2)
TOO_LOW = power("a", "b:0.6 c:0.2 a:0.1", MULTIPLE, meant=MULTIPLE, offered=1)
WEAKLY = power("a", "a:0.4", WEAK, meant=WEAK, offered=1)
LOST = power("a", "a:0.1", NONE, meant=WEAK)
NOTHING = power("", "a:0.1", NONE, meant=NONE)
SEVEN = [RIGHT, WRONG, OFFERED, TOO_LOW, WEAKLY, LOST, NOTHING]


@pytest.mark.parametrize(
    ("answered", "least", "most"),
    [
        (RIGHT, 0, 0),
        (WRONG, 1, 1),
        (OFFERED, 0, 1),
        (TOO_LOW, 1, 1),
        (WEAKLY, 1, 1),
        (LOST, 1, 1),
        (power("a", "", NONE), 1, 1),
    ],
)
def test_that_a_turn_is_lost_unless_the_right_power_is_there(answered: Answered, least: int, most: int) -> None:
    assert turns(answered) == (least, most)


def test_that_friction_is_a_mean_over_the_cases_that_expect_a_power() -> None:
    assert friction(SEVEN) == (4 / 6, 5 / 6)
    assert friction([NOTHING]) is None


def test_that_tiers_meant_and_got_are_counted() -> None:
    found = tier_quality([*SEVEN, power("a", "a:0.9", ACTIVATED, offered=1)], SETTINGS)
    assert (found.expecting, found.right, found.accuracy) == (7, 5, 5 / 7)
    assert found.confusion[ACTIVATED] == {ACTIVATED: 2, MULTIPLE: 1, WEAK: 0, NONE: 0}
    assert found.confusion[WEAK][NONE] == 1
    assert found.wrongly_activated == 1
    assert found.unreachable == ()


def test_that_cases_without_a_tier_have_no_tier_accuracy() -> None:
    found = tier_quality([power("a", "a:0.9", ACTIVATED, offered=1)], SETTINGS)
    assert (found.expecting, found.accuracy, found.confusion) == (0, None, {})


def test_that_starting_a_power_where_none_serves_is_wrong() -> None:
    assert tier_quality([power("", "a:0.9", ACTIVATED, offered=1)], SETTINGS).wrongly_activated == 1
    unwanted = Answered(Case("?", (), Task.POWER, unwanted=("b",)), (), RIGHT.candidates, None, False, ACTIVATED, 1)
    assert tier_quality([unwanted], SETTINGS).wrongly_activated == 0
    known = Answered(Case("?", (), Task.POWER, unwanted=("a",)), (), RIGHT.candidates, None, False, ACTIVATED, 1)
    assert tier_quality([known], SETTINGS).wrongly_activated == 1
    assert not known.is_right
    trap = Case("?", (), Task.POWER, unwanted=("b",), tier=NONE)
    meant = Answered(trap, (), RIGHT.candidates, None, False, ACTIVATED, 1)
    assert (meant.is_right, tier_quality([meant], SETTINGS).wrongly_activated) == (False, 1)


def test_that_searches_are_summed_up_by_tier() -> None:
    found = search_times([(ACTIVATED, 10.0), (ACTIVATED, 20.0), (NONE, 60.0)])
    assert (found.n, found.mean, found.p50) == (3, 30.0, 20.0)
    assert found.p95 == pytest.approx(56.0)
    assert found.by_tier == {ACTIVATED: 15.0, NONE: 60.0}
    with pytest.raises(ValueError, match="nothing to sum up"):
        search_times([])


def _judged() -> Evaluation:
    return judged(Task.POWER, "balanced", SEVEN, SETTINGS)


def test_that_a_gate_can_stand_on_the_tiers() -> None:
    assert gate(_judged(), "tier_accuracy>=0.7")
    assert not gate(_judged(), "tier_accuracy>0.9")
    assert not gate(judged(Task.POWER, "balanced", [power("a", "a:0.9", ACTIVATED)], SETTINGS), "tier_accuracy>=0")


BLOCKERS = {"a": ActivationBlocker.APPROVAL, "b": ActivationBlocker.COMMAND}


def blocked(answered: Answered) -> Answered:
    found = answered.candidates[0].name
    return replace(answered, delivered=Delivered(found_power=found, blocker=BLOCKERS.get(found)))


def test_that_a_wrong_power_that_cannot_be_started_harms_nobody_beside_one_that_can() -> None:
    found = tier_quality([WRONG, blocked(WRONG), blocked(RIGHT)], SETTINGS)
    assert (found.wrongly_activated, found.wrongly_blocked, sum(found.blocked.values())) == (1, 1, 2)


def cost(*answers: AnswerTokens, everything: int = 10_000) -> TokenCost:
    return token_cost(answers, counter="words", powers=2, tools=5, everything=everything)


FOUR = (
    AnswerTokens(Tier.ACTIVATED, 100),
    AnswerTokens(Tier.ACTIVATED, 300),
    AnswerTokens(Tier.MULTIPLE_MATCHES, 200, 400),
    AnswerTokens(Tier.NOT_FOUND, 1_000),
)


def test_that_the_documents_own_figures_add_up() -> None:
    answers = [
        AnswerTokens(tier, tokens) for tier, (share, tokens) in DOCUMENTED.items() for _ in range(round(share * 100))
    ]
    found = cost(*answers, everything=DOCUMENTED_EVERYTHING)
    assert found.both == pytest.approx(DOCUMENTED_ANSWER)
    assert found.saving == pytest.approx(DOCUMENTED_SAVING, abs=0.005)


def test_that_without_any_tool_nothing_can_be_saved() -> None:
    assert cost(*FOUR, everything=0).saving is None
    assert cost(AnswerTokens(Tier.NOT_FOUND, 20), everything=10).saving == -1.0
    with pytest.raises(ValueError, match="nothing to count"):
        cost()


RULE, LLM, CACHE = RouteMethod.RULE, RouteMethod.LLM_FALLBACK, RouteMethod.CACHE
LINE = LoggedRoute(
    0.0, "q", "route", "graph_traversal", ("neo4j",), 0.95, RULE, 0.95, "", 1.0, labels=("graph",), key=1
)
ASKED = replace(
    LINE,
    method=LLM,
    intent="multi_database",
    confidence=0.7,
    ms=100.0,
    cost=0.001,
    llm=LlmOutcome.ANSWERED,
    llm_intent="multi_database",
    rule_intent="graph_traversal",
    at=DAY,
    labels=("vector",),
)


def test_that_an_empty_log_has_no_rates_and_no_alarms() -> None:
    found = metrics_of([])
    figures = (found.count, found.rule_hits, found.accuracy, found.cost_per_query, found.times)
    assert figures == (0, None, None, None, {})
    assert {target.is_met for target in found.targets} == {None}
    assert found.alerts == ()


def test_that_rates_times_money_and_accuracy_are_counted() -> None:
    kept = replace(ASKED, method=CACHE, llm=None, cost=0.0, ms=2.0, labels=())
    lost = replace(ASKED, method=RouteMethod.DEGRADED, confidence=0.0, llm=LlmOutcome.TIMED_OUT, labels=("none",))
    found = metrics_of([LINE, LINE, ASKED, kept, lost])
    assert (found.rule_hits, found.fallbacks, found.degraded) == (0.4, 0.2, 0.2)
    rates = (found.cache_hits, found.llm_errors, found.accuracy, found.cost)
    assert rates == pytest.approx((1 / 3, 0.5, 3 / 4, 0.002))
    assert found.by_method["rule"].accuracy == 1.0
    assert found.by_method["cache"].accuracy is None
    assert found.by_intent["multi_database"].count == 3
    assert (found.seconds, [one.at for one in found.over_time]) == (3_600.0, [0.0, DAY])
    assert [one.counts.rule_hits for one in found.over_time] == [2, 0]
    assert [one.counts.rates[RouteAlarm.FALLBACKS] for one in found.over_time] == [0.0, pytest.approx(1 / 3)]
    assert [one.cost_per_query for one in found.over_time] == [0.0, pytest.approx(0.002 / 3)]
    assert found.over_time[1].cache_hits == pytest.approx(1 / 3)
    assert sum(one.times["all"].count for one in found.over_time) == 5
    assert found.times["all"].count == 5
    assert (found.times["rule"].p50, found.times["llm_fallback"].p99) == (1.0, 100.0)


def test_that_what_was_marked_afterwards_is_counted_apart() -> None:
    log = RouteColumns.of([replace(LINE, at=1.0), replace(ASKED, at=2.0), replace(LINE, at=9.0)], labelled_at=5.0)
    found = metrics_of(log)
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.marked == Share(2, 2, 1)


def test_that_targets_have_bounds_on_either_side() -> None:
    assert Target("x", 0.75, 0.7, 0.8).is_met
    assert not Target("x", 0.9, 0.7, 0.8).is_met
    assert not Target("x", 0.1, 0.7, None).is_met


@pytest.mark.parametrize(
    ("outcomes", "silent"),
    [("", 0), ("a", 0), ("f", 1), ("aff", 2), ("fffa", 0), ("fffl", 0), ("afsf", 2), ("fs-f-", 2)],
)
def test_that_the_newest_failures_in_a_row_are_counted_by_their_time(outcomes: str, silent: int) -> None:
    """A superseded request, and a decision without one, do not count."""
    kinds = {
        "a": LlmOutcome.ANSWERED,
        "l": LlmOutcome.LOW_CONFIDENCE,
        "f": LlmOutcome.TIMED_OUT,
        "s": LlmOutcome.SUPERSEDED,
        "-": None,
    }
    log = [replace(ASKED, at=float(at), llm=kinds[word]) for at, word in enumerate(outcomes)]
    assert counts_of(log[::-1]).llm_silent == silent


def test_that_an_audit_compares_rules_llm_and_labels() -> None:
    agreed = replace(ASKED, llm_intent="graph_traversal", labels=("graph", "vector"))
    found = audit_of([LINE, ASKED, agreed, replace(LINE, labels=(), rule_intent="")])
    assert found.rule_against_llm == (1, 2)
    assert found.rule_against_label == (1, 2)
    assert found.llm_against_label == (1, 2)
    assert found.decision_against_label == (1, 3)
    fell_back = replace(LINE, labels=("none",), method=RouteMethod.DEGRADED, confidence=0.0, rule_intent="")
    found = audit_of([fell_back, replace(ASKED, labels=("none",)), replace(LINE, labels=("none",))])
    assert (found.decision_against_label, found.rule_against_label) == ((1, 3), (2, 3))
    assert found.llm_against_label == (0, 1)


def test_that_a_sample_is_by_chance_and_the_same_again() -> None:
    log = [replace(LINE, text=f"q{n}") for n in range(300)]
    some = sampled([*log, *log], 100, seed=3)
    assert len({one.text for one in some}) == 100
    assert some == sampled([*log, *log], 100, seed=3)
    assert some != sampled(log, 100, seed=4)
    assert len(sampled([replace(LINE, text="", key=n) for n in range(5)], 100)) == 5
