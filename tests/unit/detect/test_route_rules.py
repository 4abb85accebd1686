"""Tests of the shipped route rules: 001's phrases, similar ones, and misleading words."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters.formats.toml_tables import read_packs
from app.detect.route import RouteRules, is_foreign
from app.domain.intent import Rule, RulePurpose
from app.domain.route import DOCUMENTED, RouteIntent
from tests.apex_phrases import FOR_THE_LLM, PHRASES

SHIPPED = read_packs(Path(__file__).parents[3] / "resources" / "rules")
RULES = RouteRules(SHIPPED)
APEX = RouteRules([rule for rule in SHIPPED if rule.pack == "apex"])

GRAPH, VECTOR, HYBRID = RouteIntent.GRAPH, RouteIntent.VECTOR, RouteIntent.HYBRID
TEMPORAL, MULTI = RouteIntent.TEMPORAL, RouteIntent.MULTI

UNSURE = [
    ("how the debt moved over time", TEMPORAL, 0.85),
    ("how has the team changed", TEMPORAL, 0.85),
    ("evolution of the guild", TEMPORAL, 0.85),
    ("state as of 2019", TEMPORAL, 0.85),
    ("links that vanished", TEMPORAL, 0.85),
    ("year by year growth", TEMPORAL, 0.85),
    ("similar texts by the same author", MULTI, 0.6),
    ("papers by people linked to Ohm", MULTI, 0.6),
    ("trending this week", MULTI, 0.6),
    ("cross-reference the tables", MULTI, 0.6),
    ("trending tag", MULTI, 0.6),
    ("networks like that one", MULTI, 0.6),
    ("which ties do the two clubs have with one another", GRAPH, 0.7),
    ("networks wired like a star", GRAPH, 0.7),
    ("articles by Larsen", HYBRID, 0.7),
    ("orders since March 2021", HYBRID, 0.7),
    ("who knows the mayor", GRAPH, 0.7),
]

NOTHING = Path(__file__).with_name("no_route.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(("text", "intent", "confidence"), UNSURE)
def test_that_other_cues_are_found_and_do_not_decide(text: str, intent: RouteIntent, confidence: float) -> None:
    found = RULES.find(text)
    assert (found.intent, found.confidence) == (intent, confidence)


@pytest.mark.parametrize("text", NOTHING)
def test_that_false_friends_find_nothing(text: str) -> None:
    assert RULES.find(text).intent == ""


@pytest.mark.parametrize(("text", "intent"), PHRASES)
def test_that_the_rules_find_what_001_says_of_its_phrases(text: str, intent: str) -> None:
    assert RULES.find(text).intent == intent


@pytest.mark.parametrize(("text", "intent"), FOR_THE_LLM)
def test_that_no_rule_decides_what_001_leaves_to_the_llm(text: str, intent: str) -> None:
    assert RULES.find(text).confidence < 0.9


def test_that_001s_own_patterns_decide_few_of_its_phrases_and_send_some_astray() -> None:
    decided = [(APEX.find(text), intent) for text, intent in PHRASES if APEX.find(text).confidence >= 0.9]
    right = sum(found.intent == intent for found, intent in decided)
    assert (len(PHRASES), len(decided), right) == (30, 16, 13)


def test_that_a_rule_held_back_is_told_and_does_not_count() -> None:
    found = RULES.find("articles related to sleep")
    assert [hit.held_back for hit in found.hits] == [True]
    assert found.counting == ()


def test_that_labels_may_be_anybodys_own_and_a_broken_rule_is_named() -> None:
    mine = Rule("m", " Warehouse ", "stock", "mine", 0, purpose=RulePurpose.ROUTE)
    broken = Rule("b", "graph", "(", "mine", 1, purpose=RulePurpose.ROUTE)
    off = Rule("o", "graph", "stock", "mine", 2, purpose=RulePurpose.ROUTE, enabled=False)
    rules = RouteRules([mine, broken, off])
    found = rules.find("in stock")
    assert (found.intent, found.stores, found.confidence) == ("Warehouse", ("Warehouse",), 0.9)
    assert len(rules) == 1
    assert "Rule b is left out" in rules.problems[0]
    assert RouteRules([*SHIPPED, mine], {"Warehouse"}).find("similar stock").intent == "Warehouse"


def test_that_stores_come_in_one_order() -> None:
    assert DOCUMENTED.stores_of_several(["hybrid_search", "temporal_reasoning", "mine"]) == (
        "neo4j",
        "graphiti",
        "postgresql",
        "mine",
    )


@pytest.mark.parametrize(
    ("labels", "foreign"),
    [((), False), (("graph_traversal",), False), (("sales", "graph_traversal"), False), (("sales", "support"), True)],
)
def test_that_routes_are_somebodys_own_only_if_none_is_shipped(labels: tuple[str, ...], foreign: bool) -> None:
    assert is_foreign(labels) is foreign
