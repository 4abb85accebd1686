"""Tests of routes: the first certain stage decides, and every stage has a reason (S6.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.detect.route import (
    LEANING,
    CacheResult,
    Evidence,
    LlmResult,
    RoutePolicy,
    RouteRules,
    RulesResult,
    VoteResult,
    decide,
    is_settled,
)
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.intent import Rule, RulePurpose
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import DOCUMENTED, RouteMethod, Routes, RouteStage, StepOutcome

POLICY = RoutePolicy()


def rule(name: str, label: str, confidence: float | None = None, unless: str | None = None) -> Rule:
    return Rule(name, label, name, "p", 0, confidence=confidence, unless=unless, purpose=RulePurpose.ROUTE)


RULES = RouteRules(
    [rule("sure", "graph"), rule("near", "vector"), rule("once", "temporal"), rule("held", "graph", unless="back")]
)
NEAREST = (NearExample("an example", "hybrid_search", 0.8),)


def looked(text: str) -> RulesResult:
    return RulesResult(RULES.find(text), 0.5)


def vote(label: str = "hybrid_search", sure: float = 0.8, threshold: float = 0.7, **more: Any) -> VoteResult:
    return VoteResult(
        Vote(label, sure, threshold, **{"shares": ((label, 0.7), ("graph_traversal", 0.3)), **more}), ms=0.2
    )


def answer(intent: str = "multi_database", sure: float = 0.8, why: str = "") -> LlmAnswer:
    return LlmAnswer(intent, sure, "json", reasoning=why)


def test_that_a_sure_rule_decides_and_nothing_else_is_needed() -> None:
    found = decide(Evidence(looked("sure"), CacheResult(answer()), vote()), POLICY)
    assert (found.intent, found.databases, found.method, found.confidence) == (
        "graph_traversal",
        ("neo4j",),
        RouteMethod.RULE,
        0.95,
    )
    assert [step.stage for step in found.steps] == list(RouteStage)
    assert [step.outcome for step in found.steps[1:]] == [StepOutcome.SKIPPED] * 4
    assert "“sure” → graph_traversal" in found.reasoning
    assert found.is_final
    assert found.ms == 0.7, "the vote was taken, too"


def test_that_examples_as_sure_as_a_rule_must_be_overrule_one_for_another_route() -> None:
    overruling = RoutePolicy(overrule=True)
    found = decide(Evidence(looked("sure"), vote=vote(sure=0.9)), overruling)
    assert (found.method, found.intent, found.rule_intent) == (RouteMethod.EXAMPLES, "hybrid_search", "graph_traversal")
    said = found.steps[0]
    assert (said.outcome, said.label) == (StepOutcome.UNSURE, "graph_traversal")
    assert said.sentence == "“sure” → graph_traversal: 95 %, but the examples are sure of hybrid_search: 90 %."
    assert found.steps[1].sentence == "Skipped: a rule decided."
    others = (
        vote(sure=0.899),
        vote("graph_traversal", sure=0.95),
        vote(sure=0.95, grounds=VoteBasis(is_backed=False)),
        vote(sure=0.95, shares=(("hybrid_search", 0.1), ("graph_traversal", 0.1))),
        VoteResult(missing="The query’s vector is being made."),
    )
    for other in others:
        kept = decide(Evidence(looked("sure"), vote=other), overruling)
        assert kept.method == RouteMethod.RULE
        assert kept.ms == pytest.approx(0.5 + other.ms)
        named = kept.steps[2].sentence
        assert named == ("They do not overrule what decides." if other.vote else "Not needed: it was decided before.")
    without = Routes(tuple(replace(row, enabled=row.name != "hybrid_search") for row in DOCUMENTED.rows))
    off = RoutePolicy(overrule=True, routes=without)
    assert decide(Evidence(looked("sure"), vote=vote(sure=0.95)), off).method == RouteMethod.RULE


def test_that_a_rule_may_be_overruled_as_long_as_the_examples_are_waited_for() -> None:
    coming = VoteResult(missing="The query’s vector is being made.", is_coming=True)
    for policy, is_final in ((POLICY, True), (RoutePolicy(overrule=True), False)):
        found = decide(Evidence(looked("sure"), vote=coming), policy)
        assert (found.method, found.is_final) == (RouteMethod.RULE, is_final)


def test_that_the_cache_comes_before_the_examples() -> None:
    for age, words in ((10.0, "less than a minute ago"), (600.0, "10 min ago"), (7_300.0, "2 h ago")):
        found = decide(Evidence(looked(""), CacheResult(answer(), age), vote()), POLICY)
        assert (found.method, found.intent) == (RouteMethod.CACHE, "multi_database")
        assert words in found.reasoning


@pytest.mark.parametrize(
    ("sure", "words"),
    [
        (0.2, "20 % is below 70 %"),
        (0.699, "69.9 % is below 70.0 %"),
        (0.69999, "just below 70.0 %"),
        (0.7 - 2**-53, "just below 70.0 %"),
    ],
)
def test_that_a_number_that_misses_its_threshold_never_looks_as_if_it_reached_it(sure: float, words: str) -> None:
    found = decide(Evidence(looked(""), CacheResult(), vote(sure=sure)), POLICY)
    assert words in next(step.sentence for step in found.steps if step.stage is RouteStage.EXAMPLES)


def test_that_the_examples_decide_where_rules_do_not() -> None:
    found = decide(Evidence(looked("once"), CacheResult(), vote(nearest=NEAREST)), POLICY)
    assert (found.method, found.intent, found.databases) == (RouteMethod.EXAMPLES, "hybrid_search", ("postgresql",))
    assert (found.rule_confidence, found.rule_intent) == (0.85, "temporal_reasoning")
    assert found.nearest == NEAREST
    assert "an example" in found.reasoning
    assert found.shares[0] == ("hybrid_search", 0.7)


def test_that_the_threshold_of_the_examples_can_be_set() -> None:
    assert not is_settled(Evidence(vote=vote()), RoutePolicy(abstain=0.9))
    assert is_settled(Evidence(vote=vote(sure=0.3)), RoutePolicy(abstain=0.2))


OWN = NearExample("another one", "hybrid_search", 0.4)
OTHER = NearExample("far from it", "graph_traversal", 0.5)
OTHER_TOO = (NearExample("farther", "vector_similarity", 0.3),)


def test_that_the_examples_abstain_where_none_of_the_nearest_says_what_they_say() -> None:
    alone = VoteBasis(is_backed=False, backing=(OWN,), words=("same as",))
    voted = vote(nearest=(OTHER, *OTHER_TOO), grounds=alone)
    found = decide(Evidence(looked(""), CacheResult(), voted), POLICY)
    told = next(step for step in found.steps if step.stage is RouteStage.EXAMPLES)
    assert told.outcome is StepOutcome.UNSURE
    last = next(step for step in found.steps if step.stage is RouteStage.FALLBACK)
    assert (found.method, last.outcome) == (RouteMethod.EXAMPLES, StepOutcome.DECIDED), "likelier right than not"
    assert told.sentence == (
        "The examples say hybrid_search: 80 % by its word “same as”, "
        "but none of the 2 nearest examples is for hybrid_search, so they abstain."
    )
    assert found.grounds == alone
    assert is_settled(Evidence(vote=voted), RoutePolicy(abstain=0.2))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "taken together they are more for hybrid_search, as “another one” (0.400)."),
        (("start",), "but its word “start” speaks for hybrid_search, and so does “another one” (0.400)."),
        (("start", "as"), "but its words “start” and “as” speak for hybrid_search, and so does “another one” (0.400)."),
    ],
)
def test_that_a_vote_against_the_nearest_example_says_what_speaks_for_it(words: tuple[str, ...], said: str) -> None:
    voted = vote(nearest=(OTHER, OWN), grounds=VoteBasis(backing=(OWN,), words=words))
    told = decide(Evidence(looked(""), CacheResult(), voted), POLICY).reasoning
    assert "80 % reaches 70 %. Of their vote hybrid_search has 70 %, graph_traversal 30 %." in told
    assert "Nearest is “far from it” (graph_traversal, 0.500)" in told
    assert told.endswith(said)


def test_that_a_vote_with_the_nearest_example_needs_no_more_words() -> None:
    voted = vote(nearest=(OWN, OTHER), grounds=VoteBasis(backing=(OWN,), words=("start",)))
    told = decide(Evidence(looked(""), CacheResult(), voted), POLICY).reasoning
    assert told.endswith("Nearest is “another one” (hybrid_search, 0.400).")


def test_that_the_llm_is_the_last_that_is_asked() -> None:
    heard = LlmResult(LlmOutcome.ANSWERED, answer(why="Both are named."), ms=90.0, cost=0.1)
    found = decide(Evidence(looked("sure near"), None, vote(sure=0.1), heard), POLICY)
    assert (found.method, found.databases) == (RouteMethod.LLM_FALLBACK, ("neo4j", "qdrant"))
    assert "Both are named." in found.reasoning
    assert (found.llm_outcome, found.llm_intent, found.cost) == (LlmOutcome.ANSWERED, "multi_database", 0.1)
    everywhere = decide(Evidence(looked(""), llm=LlmResult(LlmOutcome.ANSWERED, answer())), POLICY)
    assert everywhere.databases == ("neo4j", "qdrant", "postgresql")


@pytest.mark.parametrize(
    ("heard", "outcome"),
    [
        (None, StepOutcome.SKIPPED),
        (LlmResult(LlmOutcome.OFF, sentence="It is off."), StepOutcome.SKIPPED),
        (LlmResult(LlmOutcome.TIMED_OUT), StepOutcome.FAILED),
        (LlmResult(LlmOutcome.UNREACHABLE, sentence="Nobody answers."), StepOutcome.FAILED),
        (LlmResult(LlmOutcome.LOW_CONFIDENCE, answer(sure=0.2)), StepOutcome.UNSURE),
        (LlmResult(LlmOutcome.ASKING), StepOutcome.WAITING),
    ],
)
def test_that_without_the_llm_the_best_rule_decides(heard: LlmResult | None, outcome: StepOutcome) -> None:
    found = decide(Evidence(looked("once"), vote=vote(sure=0.1), llm=heard), POLICY)
    assert (found.method, found.intent, found.confidence) == (RouteMethod.BEST_RULE, "temporal_reasoning", 0.85)
    assert found.steps[3].outcome is outcome
    assert found.is_final == (outcome is not StepOutcome.WAITING)


def test_that_several_intents_are_told_with_their_words() -> None:
    found = decide(Evidence(looked("sure and near")), POLICY)
    assert (found.intent, found.databases, found.confidence) == ("multi_database", ("neo4j", "qdrant"), 0.6)
    assert "Several routes matched (“sure” → graph_traversal; “near” → vector_similarity)" in found.reasoning


def test_that_a_leaning_vote_is_better_than_the_safe_store() -> None:
    for sure in (0.55, LEANING):
        found = decide(Evidence(vote=vote(sure=sure)), POLICY)
        assert (found.method, found.intent) == (RouteMethod.EXAMPLES, "hybrid_search")


def test_that_with_nothing_to_go_by_the_safe_store_is_searched() -> None:
    for taken in (None, vote(sure=LEANING - 0.01), VoteResult(missing="No encoder.")):
        found = decide(Evidence(vote=taken), POLICY)
        assert (found.method, found.intent, found.databases, found.confidence) == (
            RouteMethod.DEGRADED,
            "vector_similarity",
            ("qdrant",),
            0.0,
        )


def test_that_somebodys_own_stores_know_no_safe_one() -> None:
    taken = vote("orders", 0.1, shares=(("orders", 0.6), ("stock", 0.4)))
    found = decide(Evidence(vote=taken), POLICY)
    assert (found.method, found.databases, found.confidence) == (RouteMethod.DEGRADED, ("orders",), 0.1)


def test_that_a_vote_to_come_is_waited_for_and_held_rules_are_counted() -> None:
    found = decide(Evidence(looked("held back"), vote=VoteResult(missing="Soon.", is_coming=True)), POLICY)
    assert not found.is_final
    assert found.steps[0].sentence == "No rule matched; 1 was overruled."
    two = RouteRules([rule("held", "graph", unless="back"), rule("back", "graph", unless="held")])
    told = decide(Evidence(RulesResult(two.find("held back"))), POLICY).steps[0].sentence
    assert told == "No rule matched; 2 were overruled."


MOSTLY_NONE: dict[str, Any] = {"shares": (("hybrid_search", 0.3), ("graph_traversal", 0.1))}
"""Vote with a share of 0.6 for no store."""


def test_that_a_vote_for_no_store_names_no_route_whatever_else_it_says() -> None:
    for policy in (POLICY, RoutePolicy(abstain=0.0)):
        found = decide(Evidence(vote=vote(sure=0.9, **MOSTLY_NONE)), policy)
        step = next(step for step in found.steps if step.stage is RouteStage.EXAMPLES)
        assert (step.outcome, step.label, step.confidence) == (StepOutcome.UNSURE, "", None)
        assert step.sentence == "The examples say that no store is asked for, so they abstain."
        assert (found.method, found.databases, found.confidence) == (RouteMethod.DEGRADED, ("qdrant",), 0.0)
        assert found.reasoning.startswith("No store seems to be asked for: 60 % of the votes say")
        assert "lean" not in found.reasoning


def test_that_of_ones_own_routes_none_is_called_likely_where_no_store_is_asked_for() -> None:
    found = decide(Evidence(vote=vote("billing", 0.4, shares=(("billing", 0.2), ("refunds", 0.1)))), POLICY)
    assert (found.intent, found.method, found.confidence) == ("billing", RouteMethod.DEGRADED, 0.0)
    assert found.reasoning.endswith("There is always an answer: billing of your own routes is named.")


def test_that_a_rule_still_counts_where_the_vote_is_for_no_store() -> None:
    assert decide(Evidence(looked("sure"), vote=vote(**MOSTLY_NONE)), POLICY).method == RouteMethod.RULE
    assert decide(Evidence(looked("once"), vote=vote(**MOSTLY_NONE)), POLICY).method == RouteMethod.BEST_RULE
