"""Tests of keyword rules: whole words, selection of a type, and confidence steps (S3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.formats.toml_tables import read_pack, read_packs
from app.detect.keywords import POLICIES, KeywordRules, confidence_steps
from app.detect.patterns import Pattern, PatternError
from app.domain.errors import FormatError
from app.domain.intent import DetectionSource, IntentType, Rule
from app.scoring.arithmetic import OPERATIONS
from tests.build import some

PACKS = Path(__file__).parents[3] / "resources" / "rules"
SHIPPED = read_packs(PACKS)
OF_000 = [rule for rule in SHIPPED if rule.pack == "subcog"]

PROMPTS = {
    "howto": ("How do I implement authentication?", "Create a new API endpoint", "Add error handling to this function"),
    "location": (
        "Where is the database configuration?",
        "Find the authentication module",
        "Which file handles user creation?",
    ),
    "explanation": (
        "What is the ServiceContainer?",
        "Explain the three-layer storage",
        "Why is RRF used for search fusion?",
    ),
    "comparison": (
        "PostgreSQL vs SQLite for this use case?",
        "Difference between hybrid and vector search",
        "Should I use REST or GraphQL?",
    ),
    "troubleshoot": ("Why is this test failing?", "Error: connection refused", "The build is broken"),
    "general": ("Search for recent patterns", "Show me decisions about the API", "List all security-related memories"),
}
"""The 18 prompts that 000's project documents (S3.4)."""

LABELLED = [(prompt, label) for label, prompts in PROMPTS.items() for prompt in prompts]


def picked(rules: list[Rule], policy: str, text: str) -> str | None:
    intent = KeywordRules(rules).detect(text, policy).intent
    return intent.type.value if intent else None


@pytest.mark.parametrize(("prompt", "label"), LABELLED)
def test_that_evidence_classifies_each_documented_prompt(prompt: str, label: str) -> None:
    assert picked(SHIPPED, "evidence", prompt) == label


@pytest.mark.parametrize(("rules", "policy", "right"), [(OF_000, "priority", 12), (SHIPPED, "priority", 16)])
def test_that_priority_gets_as_many_right_as_was_measured(rules: list[Rule], policy: str, right: int) -> None:
    assert sum(picked(rules, policy, prompt) == label for prompt, label in LABELLED) == right


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("i'm stuck on this async code", "troubleshoot"),
        ("the build keeps failing", "troubleshoot"),
        ("how does the cache work", "explanation"),
        ("how to rotate a page", "howto"),
        ("postgres or mysql?", "comparison"),
        ("where can i find the logs", "location"),
        ("lookup recent decisions", "general"),
        ("the printer doesn\u2019t work", "troubleshoot"),
    ],
)
def test_that_evidence_holds_beyond_the_documented_prompts(text: str, label: str) -> None:
    assert picked(SHIPPED, "evidence", text) == label


def test_that_a_held_back_cue_is_shown_but_does_not_count() -> None:
    detection = KeywordRules(SHIPPED).detect("why does the build keep failing on my mac", "evidence")
    held = {hit.text: hit.held_back for hit in detection.hits}
    assert held == {"why does": True, "build": False, "failing": False}
    assert [entry.type for entry in detection.ranking] == [IntentType.TROUBLESHOOT, IntentType.HOWTO]
    assert detection.by_policy == {"evidence": IntentType.TROUBLESHOOT, "priority": IntentType.HOWTO}


def test_that_the_intent_carries_its_cues_and_topics() -> None:
    intent = some(KeywordRules(SHIPPED).detect("How do I rotate the PDF pages?", "evidence").intent)
    assert intent.source is DetectionSource.KEYWORD
    assert intent.keywords == ("How do I",)
    assert intent.topics == ("rotate", "pdf", "pages")


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("fix it", 0.55),
        ("fix the error", 0.6),
        ("fix it?", 0.65),
        ("fix it. now? please!", 0.75),
        ("fix the error " + "x" * 40, 0.7),
        ("fix this error, it is broken: why is it wrong? it fails. there is an issue with it, " + "x" * 30, 0.95),
    ],
)
def test_that_the_confidence_follows_the_documented_formula(text: str, confidence: float) -> None:
    intent = some(KeywordRules(SHIPPED).detect(text, "evidence").intent)
    assert intent.confidence == pytest.approx(confidence, abs=1e-12)


def test_that_the_highest_own_confidence_of_a_matched_rule_wins() -> None:
    rules = [
        Rule("a", "howto", "alpha", "p", 0, confidence=0.3),
        Rule("b", "howto", "beta", "p", 1, confidence=0.8),
        Rule("c", "howto", "gamma", "p", 2),
    ]
    intent = some(KeywordRules(rules).detect("alpha beta gamma?", "evidence").intent)
    assert intent.confidence == 0.8


@given(st.text(max_size=200), st.sampled_from(sorted(POLICIES)))
def test_that_any_text_is_detected_within_bounds_and_every_step_re_adds(text: str, policy: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    detection = KeywordRules(SHIPPED).detect(clean, policy)
    for hit in detection.hits:
        assert clean[slice(*hit.span)] == hit.text
    for step in detection.steps:
        assert OPERATIONS[step.operation](step.operands) == step.result
    if detection.intent:
        assert 0.0 <= detection.intent.confidence <= 0.95
        assert detection.intent.confidence == detection.steps[-1].result


def test_that_disabled_rules_and_rules_of_other_purposes_do_not_match() -> None:
    rules = [replace(rule, enabled=False) for rule in SHIPPED]
    assert len(KeywordRules(rules)) == 0


@pytest.mark.parametrize("pattern", ["a(b", "a(?=b)", r"(a)\1"])
def test_that_a_pattern_that_cannot_be_run_is_refused_with_a_sentence(pattern: str) -> None:
    with pytest.raises(PatternError, match="does not compile"):
        Pattern(pattern)
    rules = KeywordRules([Rule("bad", "howto", pattern, "p", 0), Rule("good", "howto", "fine", "p", 1)])
    assert len(rules) == 1
    assert "bad" in rules.problems[0]


def test_that_a_label_which_is_no_type_is_left_out_and_said() -> None:
    rules = KeywordRules([Rule("odd", "shopping", "buy", "p", 0)])
    assert len(rules) == 0
    assert "shopping" in rules.problems[0]


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        ("how to", "show to, how to", (9, 15)),
        ("fail|failing", "it is failing", (6, 13)),
        ("caf", "café caf", (5, 8)),
        ("or", "for or_ or", (8, 10)),
        (r"\?", "so?", (2, 3)),
        ("x", "", None),
        ("x?", "abc", None),
        ("über", "Über uns", (0, 4)),
        ("b", "\U0001f600 b", (2, 3)),
    ],
)
def test_that_patterns_match_whole_words_only(pattern: str, text: str, span: tuple[int, int] | None) -> None:
    assert Pattern(pattern).find(text) == span


def test_that_the_limit_on_cues_is_a_step_of_its_own() -> None:
    rules = KeywordRules(SHIPPED)
    text = "fix this error, it is broken: why is it wrong? it fails. there is an issue with it, " + "x" * 30
    ranking = rules.detect(text, "evidence").ranking
    names = [(step.name, step.operation) for step in confidence_steps(text, ranking[0].hits)]
    assert names == [("cues", "min"), ("floor", "sum")]


@pytest.mark.parametrize("content", ["", "[pack]\nname = 'x'", "not toml ["])
def test_that_a_pack_of_another_form_is_refused_with_a_sentence(tmp_path: Path, content: str) -> None:
    file = tmp_path / "pack.toml"
    file.write_text(content)
    with pytest.raises(FormatError, match=r"pack\.toml"):
        read_pack(file)
    with pytest.raises(FormatError, match="cannot be read"):
        read_pack(tmp_path / "missing.toml")
