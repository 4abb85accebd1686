"""Tests of the parts of each score: as shown, they add up to the score for any texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from app.display import numbers
from app.display.scope.matches import contributions as shown_parts
from app.display.scope.matches.contributions import Contribution, Part, contributions
from app.domain.library import Memory, Power
from app.domain.match import EagerExplanation, Match, MatchedKeyword
from app.scoring.columns import keywords
from app.scoring.columns.exact import ScoredText
from app.scoring.columns.fuzzy import aligned
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import sorted_tokens
from app.settings.model import Settings
from tests.build import some
from tests.unit.scoring import transcription

WORDS = st.sampled_from(
    "why does the build keep keeps failing fail Fails on my mac laptop – 你好 мир İstanbul a a. ß".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=14).map(" ".join) | st.text(min_size=1, max_size=40).filter(str.strip)


def matched(query: str, *answers: Memory | Power) -> list[Match]:
    """Return the engine's own matches, without vectors."""
    index = TriggerIndex(4)
    index.put(answers)
    scores = index.score(ScoredText(query), name_counts=False)
    settings = Settings()
    return list(matches(index, scores, rank(scores, settings, 10), settings))


def parts_of(query: str, match: Match) -> dict[str, Contribution]:
    return {part.scorer: part for part in contributions(query, match)}


def added_up(arithmetic: str) -> float:
    """Compute the result of a shown line of arithmetic."""
    plain = arithmetic.replace(numbers.TIMES, "*").replace(numbers.MINUS, "-")
    assert re.fullmatch(r"(min\()?[\d.+*/ -]+(, 1\))?", plain), plain
    return float(eval(plain, {"__builtins__": {}, "min": min}))  # noqa: S307 - checked to be arithmetic


@given(TEXTS, TEXTS)
def test_that_every_arithmetic_comes_to_the_score_shown(query: str, trigger: str) -> None:
    match = matched(query, Memory((trigger,), key=1))[0]
    parts = parts_of(query, match)
    assert set(parts) == {name for name in ("exact", "fuzzy", "token_overlap") if match.scores[name]}
    for name, part in parts.items():
        assert part.score == numbers.score(match.scores[name])
        if part.arithmetic:
            assert numbers.score(added_up(part.arithmetic)) == part.score
    if match.scores["token_overlap"]:
        assert parts["token_overlap"].arithmetic


@given(TEXTS, TEXTS)
def test_that_shared_words_add_up_to_the_token_score(query: str, trigger: str) -> None:
    match = matched(query, Memory((trigger,), key=1))[0]
    part = parts_of(query, match).get("token_overlap")
    shared = set(query.lower().split()) & set(trigger.lower().split())
    if part is None:
        assert not shared
        return
    each = some(re.search(r"add[s]? ([\d.]+)\.$", part.sentence))
    assert numbers.score(float(each[1]) * len(shared)) == part.score or (
        abs(float(each[1]) * len(shared) - float(part.score)) < 5.1e-4
    )
    marked = {word.text.lower() for word in part.rows[0].words if word.part is Part.SAME}
    assert marked <= shared


@given(TEXTS, TEXTS)
def test_that_each_edit_belongs_to_one_word_and_all_of_them_make_the_fuzzy_score(query: str, trigger: str) -> None:
    found = aligned(query, trigger)
    expected = fuzz.ratio(sorted_tokens(query), sorted_tokens(trigger)) / 100
    assert found.score == pytest.approx(expected, abs=1e-9)
    assert all(0 <= word.edits <= len(word.text) + 1 for word in (*found.query, *found.trigger))
    assert [word.text for word in found.query] == sorted(query.lower().split())
    for place, word in enumerate(found.query):
        if word.partner is not None:
            assert found.trigger[word.partner].partner == place


@given(TEXTS, TEXTS)
def test_that_the_level_named_is_the_level_scored(query: str, trigger: str) -> None:
    level, sentence = shown_parts.exact_level(query, trigger)
    assert level == transcription.exact(query, trigger)
    assert bool(sentence) == bool(level)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_that_keywords_add_up_to_the_keyword_score(holders: list[int]) -> None:
    words = [f"word{place}" for place in range(len(holders))]
    most = max(holders)
    powers = [
        Power(
            f"p{number}", keywords=tuple(w for w, k in zip(words, holders, strict=True) if number < k), key=number + 1
        )
        for number in range(most)
    ]
    first = next(match for match in matched(" ".join(words), *powers) if match.answer.name == "p0")
    part = parts_of(" ".join(words), first)["keyword"]
    assert {one.keyword: one.holders for one in first.keywords} == dict(zip(words, holders, strict=True))
    assert numbers.score(added_up(part.arithmetic)) == part.score == numbers.score(first.scores["keyword"])
    summed = sum(float(word.note) for word in part.rows[0].words)
    assert numbers.score(min(1.0, summed)) == part.score or abs(summed - float(part.score)) < 6e-4


def test_that_misspelt_words_meet_the_words_meant() -> None:
    found = aligned("the biuld keeps failling on my labtop", "the build keeps failing on my laptop")
    pairs = {word.text: found.trigger[word.partner].text for word in found.query if word.partner is not None}
    assert (pairs["biuld"], pairs["failling"], pairs["labtop"]) == ("build", "failing", "laptop")
    edits = {word.text: word.edits for word in found.query}
    assert (edits["keeps"], edits["failling"]) == (0, 1)


def test_that_words_close_alone_and_same_are_told_apart() -> None:
    match = matched("failling build zzz", Memory(("build failing often",), key=1))[0]
    fuzzy = parts_of("failling build zzz", match)["fuzzy"]
    assert {word.text: word.part for word in fuzzy.rows[0].words} == {
        "build": Part.SAME,
        "failling": Part.CLOSE,
        "zzz": Part.ALONE,
    }
    assert fuzzy.rows[1].words[-1].text == "often"


def test_that_a_word_made_of_others_letters_is_not_called_shared() -> None:
    match = matched("tests failing", Memory(("in tests",), key=1))[0]
    fuzzy = parts_of("tests failing", match)["fuzzy"]
    assert {word.text: (word.part, word.note) for word in fuzzy.rows[1].words}["in"] == (Part.ALONE, "")
    notes = [int(word.note or 0) for row in fuzzy.rows for word in row.words]
    assert fuzzy.sentence.startswith(f"{sum(notes)} edits")


def test_that_a_keyword_says_how_many_powers_share_it() -> None:
    powers = [Power(name, keywords=("database", name), key=n) for n, name in enumerate(("pg", "my", "mg"), 1)]
    part = parts_of(
        "check my databases", next(m for m in matched("check my databases", *powers) if m.answer.name == "pg")
    )["keyword"]
    assert part.sentence == "“database” is shared by 3 powers."
    assert (part.arithmetic, part.score) == ("0.5 + 0.4/3", "0.633")


def test_that_a_name_that_counts_is_called_a_name() -> None:
    match = Match(
        Power("pg"), 0.95, {"keyword": 0.95}, (), "pg", EagerExplanation(keywords=(MatchedKeyword("pg", None),))
    )
    part = contributions("ask pg", match)[0]
    assert (part.sentence, part.arithmetic, part.score) == ("“pg” is the power’s name.", "", "0.950")


def test_that_no_arithmetic_is_shown_that_does_not_come_to_the_score() -> None:
    texts = dict.fromkeys(("fuzzy", "token_overlap"), "it may fail")
    match = Match(
        Memory(("it may fail",)), 0.9, {"fuzzy": 0.91, "token_overlap": 0.9}, (), "", EagerExplanation((), texts)
    )
    for part in contributions("why does it fail", match):
        assert part.arithmetic == ""
    token = parts_of("why does it fail", match)["token_overlap"]
    assert [word.text for word in token.rows[0].words if word.part is Part.SAME] == ["it", "fail"]
    assert token.sentence == ""


def test_that_a_word_typed_twice_counts_once() -> None:
    match = matched("the the build", Memory(("the end",), key=1))[0]
    part = parts_of("the the build", match)["token_overlap"]
    assert part.arithmetic == "0.4 × 1/3 + 0.6 × 1/2"
    assert part.sentence == "The shared word adds 0.433."


def test_that_a_long_text_is_cut_and_said_so() -> None:
    query = " ".join(f"word{n}" for n in range(200))
    part = parts_of(query, matched(query, Memory((query + " x",), key=1))[0])["token_overlap"]
    assert (len(part.rows[0].words), part.rows[0].more) == (shown_parts.MOST_WORDS, 140)
    assert part.arithmetic


def test_that_the_numbers_of_the_formulas_are_the_engines() -> None:
    assert shown_parts.NAME_SCORE == keywords.NAME_SCORE
    assert shown_parts.FURTHER_KEYWORD == keywords.FURTHER_KEYWORD
    for holders in range(1, 30):
        expected = keywords.shared_keyword_score(holders)
        assert shown_parts.ALONE_OR_SHARED + shown_parts.SHARED_OUT / holders == expected
