"""Tests of patterns: errors with place, reason and remedy, and linear time for any text."""

from __future__ import annotations

from time import thread_time
from typing import Any

import pytest

from app.detect.keywords import KeywordRules
from app.detect.patterns import Pattern, PatternError, explain, rule_fault
from app.domain.intent import Rule
from tests.build import some

FAULTS = {
    "(a": (1, "never closed"),
    "fix (the|a": (5, "never closed"),
    "a)": (2, "closes nothing"),
    "ab(c[d": (5, "never closed"),
    r"\(x[ab": (4, "never closed"),
    "how**": (4, "repeats what is repeated already"),
    "*a": (1, "nothing before it"),
    "a|*": (3, "nothing before it"),
    "a++": (2, "repeats"),
    "[z-a]": (2, "no range"),
    "[[:foo:]]": (2, "no range or class"),
    "a{5,2}": (2, "no size"),
    "a{2000}": (2, "no size"),
    "stop\\": (5, "stands before nothing"),
    r"\kind": (1, "no escape"),
    r"\(?=a(?=b)": (6, "looks ahead"),
    "x(?!y)": (2, "looks ahead for what must not"),
    "(?<!not )fix": (1, "looks back for what must not"),
    "(?<=a)b": (1, "looks back at"),
    r"(\w+) \1": (7, "refers back"),
    r"(?P<n>a)(?P=n)": (9, "refers back"),
    "(?>a)": (1, "atomic"),
    "(?#why)a": (1, "comment"),
    "(a)(?(1)b|c)": (4, "whether a group matched"),
    "  ": (1, "empty"),
}


@pytest.mark.parametrize("source", FAULTS)
def test_that_a_refused_pattern_says_where_and_why(source: str) -> None:
    place, why = FAULTS[source]
    fault = some(explain(source))
    assert fault.place == place, fault
    assert why in fault.sentence
    assert fault.remedy.endswith(".")
    assert place - 1 + max(1, fault.length) <= max(len(source), 1)


@pytest.mark.parametrize("source", ["(?<!not )fix", "fix(?! it)"])
def test_that_what_must_not_be_there_is_sent_to_unless(source: str) -> None:
    fault = some(explain(source))
    assert "“Unless”" in fault.remedy


@pytest.mark.parametrize("source", ["how", r"a\)b", "[)(]x", "[]a]", "[^]a]", "(?i:how) [[:alpha:]]+", r"\[a\]"])
def test_that_a_good_pattern_has_no_fault(source: str) -> None:
    assert explain(source) is None


@pytest.mark.parametrize("source", ["(a+)+$", "(a|aa)+$"])
@pytest.mark.parametrize("end", ["", "!"])
def test_that_nested_repetition_costs_no_more_than_a_few_plain_patterns(source: str, end: str) -> None:
    text = "a" * 50_000 + end
    nested, plain = Pattern(source), Pattern("a+$")

    def best_of_three(pattern: Pattern) -> float:
        times = []
        for _ in range(3):
            started = thread_time()
            assert pattern.find(text) == (None if end else (0, 50_000))
            times.append(thread_time() - started)
        return min(times)

    assert best_of_three(nested) < 20 * best_of_three(plain)


@pytest.mark.parametrize("source", [
    "(?:.{0,30}){0,33}b", "(?:.|a){0,1000}(?:.|b){0,1000}b", r"\w{0,1000}b",
    r"\pL" * 30_000, r"[^\PL]" * 200, "a" * 8_001, "(a|" * 200_000,
], ids=lambda source: source[:20])  # fmt: skip
def test_that_large_repetitions_are_refused_wherever_a_rule_comes_in(source: str) -> None:
    with pytest.raises(PatternError, match="too large"):
        Pattern(source)
    fault = some(explain(source))
    assert fault.sentence == "The pattern is too large."
    assert "smaller repetitions" in fault.remedy
    rule = Rule("own", "howto", source, "mine", 0)
    told = rule_fault(rule) or ""
    assert "smaller repetitions" in told
    assert len(told) < 500
    rules = KeywordRules([rule, Rule("good", "howto", "bcc", "mine", 1)])
    assert len(rules) == 1
    assert "own" in rules.problems[0]


class CountedSearches:
    """Compiled pattern that counts its searches."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self.count = 0

    def search(self, *asked: Any) -> Any:
        self.count += 1
        return self._compiled.search(*asked)


@pytest.mark.parametrize(
    ("source", "text", "most"),
    [("a", "ba " * 20_000, 100), ("(?:.{0,30}){0,14}b", "a " * 900 + "bcc", 10), ("a*", "ä " * 20_000, 300)],
)
def test_that_looking_anew_in_a_text_is_bounded(source: str, text: str, most: int) -> None:
    pattern = Pattern(source)
    counted = CountedSearches(pattern._anywhere), CountedSearches(pattern._on_edges)
    pattern._anywhere, pattern._on_edges = counted
    assert pattern.find(text) is None
    assert sum(each.count for each in counted) < most


def test_that_what_stands_within_many_words_is_still_found_after_them() -> None:
    text = "unlikely " * 100 + "like"
    assert Pattern("like").find(text) == (900, 904)
    assert Pattern("ähn").find("ähnlich " * 100 + "ähn") == (800, 803)
