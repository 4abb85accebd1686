"""Tests that replacing or adding one compiled rule equals compiling all rules again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.keywords import KeywordRules
from app.domain.intent import Rule, RulePurpose

RULES = [
    Rule("a.where", "location", "where is", "a", 0),
    Rule("a.how", "howto", "how do", "a", 1),
    Rule("b.graph", "graph_traversal", "linked", "b", 0, purpose=RulePurpose.ROUTE),
    Rule("b.like", "vector_similarity", "similar", "b", 1, purpose=RulePurpose.ROUTE),
]

CHANGES = {
    "added": Rule("mine.why", "explanation", "why", "mine", 0),
    "heavier": replace(RULES[0], weight=3.0),
    "off": replace(RULES[0], enabled=False),
    "other label": replace(RULES[1], label="general"),
    "no type": replace(RULES[1], label="nonsense"),
    "route added": Rule("a.route", "hybrid_search", "tagged", "a", 2, purpose=RulePurpose.ROUTE),
    "route off": replace(RULES[3], enabled=False),
    "now a route": replace(RULES[0], purpose=RulePurpose.ROUTE, label="graph_traversal"),
    "no longer a route": replace(RULES[2], purpose=RulePurpose.SEARCH_INTENT, label="general"),
}

TEXTS = (
    "where is it",
    "how do I see why",
    "linked and similar",
    "nothing",
    "where is what is linked, and how do we know",
)


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_that_one_rule_replaced_is_as_all_compiled_anew(changed: Rule) -> None:
    before = KeywordRules(RULES)
    found = [before.detect(text, "evidence") for text in TEXTS]
    quick = before.with_rule(changed)
    whole = KeywordRules([*(rule for rule in RULES if rule.id != changed.id), changed])
    assert len(quick) == len(whole)
    assert quick.of_routes == whole.of_routes
    assert quick.problems == whole.problems
    for text in TEXTS:
        assert quick.detect(text, "evidence") == whole.detect(text, "evidence")
    assert [before.detect(text, "evidence") for text in TEXTS] == found
