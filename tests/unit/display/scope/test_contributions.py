"""Tests of scores as shown: parts and arithmetic add up, and the largest part is the reason."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from app.display import numbers
from app.display.scope import arithmetic
from app.display.scope import contributions as shown_parts
from app.display.scope.arithmetic import Reason, reason_lines, reason_of
from app.display.scope.contributions import Contribution, contributions
from app.display.scope.match_rows import match_details, match_rows
from app.domain.fits import Learned, Logit
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import EagerExplanation, Match, MatchedKeyword, Operand, Step
from app.scoring.arithmetic import BALANCED, EVIDENCE, NONE, OPERATIONS, SHIPPED_SLOPE, SLOPE, step
from app.scoring.columns import exact
from app.scoring.columns.fuzzy import aligned
from app.scoring.combiners import COMBINERS
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText, sorted_tokens
from app.settings.model import Settings
from tests.golden import written
from tests.gui.inspections import design
from tests.reason_law import assert_reason_holds
from tests.unit.scoring import transcription
from tests.unit.scoring.vectors import index_of, vector_of

WORDS = st.sampled_from(
    "why does the build keep keeps failing fail Fails on my mac laptop – 你好 мир İstanbul a a. ß".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=14).map(" ".join) | st.text(min_size=1, max_size=40).filter(str.strip)


def matched(query: str, *answers: Memory | Power) -> list[Match]:
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
def test_that_each_edit_belongs_to_one_word_and_all_of_them_make_the_fuzzy_score(query: str, trigger: str) -> None:
    found = aligned(query, trigger)
    assert found.score == pytest.approx(fuzz.ratio(sorted_tokens(query), sorted_tokens(trigger)) / 100, abs=1e-9)
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


def test_that_misspelt_words_meet_the_words_meant() -> None:
    found = aligned("the biuld keeps failling on my labtop", "the build keeps failing on my laptop")
    pairs = {word.text: found.trigger[word.partner].text for word in found.query if word.partner is not None}
    assert (pairs["biuld"], pairs["failling"], pairs["labtop"]) == ("build", "failing", "laptop")
    edits = {word.text: word.edits for word in found.query}
    assert (edits["keeps"], edits["failling"]) == (0, 1)


def test_that_a_long_text_is_cut_and_said_so() -> None:
    query = " ".join(f"word{n}" for n in range(200))
    part = parts_of(query, matched(query, Memory((query + " x",), key=1))[0])["token_overlap"]
    assert (len(part.rows[0].words), part.rows[0].more) == (shown_parts.MOST_WORDS, 140)
    assert part.arithmetic


def test_that_the_numbers_of_the_formulas_are_the_engines() -> None:
    assert shown_parts.NAME_SCORE == exact.NAME_SCORE
    assert shown_parts.FURTHER_KEYWORD == exact.FURTHER_KEYWORD
    for holders in range(1, 30):
        expected = exact.shared_keyword_score(holders)
        assert shown_parts.ALONE_OR_SHARED + shown_parts.SHARED_OUT / holders == expected


UNIT = st.floats(0.0, 1.0).filter(lambda value: not 0.0 < value < 1e-15)  # smaller values cannot be shown
NAMES = st.sampled_from(["exact", "fuzzy", "semantic", "centroid", "mean", "base"])
OPERANDS = st.lists(st.builds(Operand, NAMES, UNIT), min_size=1, max_size=5)
WEIGHED = st.lists(st.builds(Operand, NAMES, UNIT, st.sampled_from([0.1, 0.3, 0.4])), min_size=1, max_size=5)
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")


def again(made: Step, line: arithmetic.Line) -> float:
    """Compute the result of a line from its text, as a reader would."""
    found = [float(text) for text in _NUMBER.findall(line.text)]
    if made.operation in ("sum", "weighted_mean"):
        weighed = made.operation == "weighted_mean"
        found = found[:-1] if weighed else found
        values = found[1::2] if any(operand.weight not in (None, 1.0) for operand in made.operands) else found
    else:
        values = found
    operands = [Operand(o.name, value, o.weight) for o, value in zip(made.operands, values, strict=True)]
    return OPERATIONS[made.operation](operands)


@given(st.sampled_from(["mean", "max", "min"]), OPERANDS)
def test_that_a_call_re_adds_to_the_number_it_shows(operation: str, operands: list[Operand]) -> None:
    made = step("any", operation, operands)
    line = arithmetic.line(made)
    if line.result[0] not in "<>":
        digits = len(line.result.partition(".")[2])
        assert f"{again(made, line):.{digits}f}" == (line.result if line.result != "0" else "0")


@example([Operand("exact", 0.0, 0.4), Operand("exact", 1.0 - 2.0**-53, 0.1), Operand("exact", 0.005, 0.1)])
@example([Operand("exact", 2.0**-52, 0.3), Operand("exact", 0.3, 0.3), Operand("exact", 0.2, 0.4)])
@given(WEIGHED)
def test_that_a_weighted_mean_re_adds_to_the_number_it_shows(operands: list[Operand]) -> None:
    made = step("any", "weighted_mean", operands)
    line = arithmetic.line(made)
    if line.result[0] not in "<>":
        digits = len(line.result.partition(".")[2])
        assert f"{again(made, line):.{digits}f}" == (line.result if line.result != "0" else "0")


ANSWERS: tuple[Answer, ...] = (
    Power("paint", "colour the walls of a house", ("wall",), key=1),
    Power("build", "put up a shed of wood", ("shed",), key=2),
    Power("plant", "trees and shrubs in the garden", key=3),
    Memory(("the wall is wet",), key=1),
    Memory(("the shed is full",), intent="storage", key=2),
    Memory(("there is room in the shed",), intent="storage", key=3),
)
REASONS_TEXTS = (
    "colour the wall",
    "a shed of wood",
    "is there room",
    "shrubs by the wall",
    "there is room in the shed",
    "zzz",
)


def ranked(text: str, settings: Settings, *, has_vector: bool = True) -> tuple[Match, ...]:
    index = index_of(ANSWERS)
    scores = index.score(ScoredText(text, vector_of(text) if has_vector else None))
    return matches(index, scores, rank(scores, settings, 10), settings)


@pytest.mark.parametrize("has_vector", [True, False])
@pytest.mark.parametrize("combination", sorted(COMBINERS))
def test_that_contributions_add_up_under_every_combination(combination: str, has_vector: bool) -> None:
    settings = Settings.model_validate({"combination": combination})
    for text in REASONS_TEXTS:
        found = replace(design(), matches=ranked(text, settings, has_vector=has_vector), below=())
        for match in found.matches:
            if match.confidence:
                assert_reason_holds(found, match)


weights = st.floats(0.1, 12.0)


@given(
    st.sampled_from(REASONS_TEXTS),
    st.builds(
        Logit, none=st.floats(-5.0, 8.0), **dict.fromkeys(("semantic", "centroid", "bm25", "fuzzy", "keyword"), weights)
    ),
)
def test_that_contributions_add_up_under_any_fitted_weights(text: str, logit: Logit) -> None:
    settings = Settings(combination="learned").with_learned(Learned(logit, logit))
    found = replace(design(), matches=ranked(text, settings), below=())
    for match in found.matches:
        if match.confidence:
            assert_reason_holds(found, match)


def test_that_only_a_leader_is_marked_and_by_what_put_it_ahead() -> None:
    settings = Settings(combination="learned")
    for text in REASONS_TEXTS:
        found = replace(design(), matches=ranked(text, settings), below=())
        leaders = {Kind.MEMORY: found.memories[0], Kind.POWER: found.powers[0]}
        for row in match_rows(found, settings):
            marked = tuple(cell.scorer for cell in row.cells if cell.decides)
            if row.match is leaders[row.kind] and row.is_found:
                assert set(marked) == set(reason_of(found, row.match).credited)
            else:
                assert marked == ()


def test_that_memories_and_powers_are_two_lists() -> None:
    for text in REASONS_TEXTS:
        found = ranked(text, Settings(combination="learned"))
        kinds = [match.kind for match in found]
        assert kinds == sorted(kinds, key=[Kind.MEMORY, Kind.POWER].index)
        for kind in Kind:
            own = [match for match in found if match.kind is kind]
            assert [one.confidence for one in own] == sorted((one.confidence for one in own), reverse=True)
            after = [*own[1:], None]
            assert [one.lead for one in own] == [
                None if other is None else one.confidence - other.confidence
                for one, other in zip(own, after, strict=True)
            ]


def test_that_the_selected_match_shows_the_contributions_as_a_sum_before_its_confidence() -> None:
    settings = Settings(combination="learned")
    found = replace(design(), matches=ranked("colour the wall", settings), below=())
    best = found.powers[0]
    reason = reason_of(found, best)
    (shown,) = reason_lines(reason)
    details = match_details(found, best, settings)
    assert details.lines[-2] == shown
    assert details.reason == reason
    assert reason.rival is not None
    assert shown.text.startswith(f"over {reason.rival.answer.name}: ")
    assert details.lines[-1].name == "confidence"
    assert not reason_lines(Reason("No other power competes."))


def test_that_reasons_are_compared_by_what_they_say() -> None:
    """Matches hold vectors, whose comparison has no truth value."""
    match = design().matches[0]
    assert Reason("Level.", match) == Reason("Level.", replace(match, confidence=0.1))
    assert Reason("Level.", match) != Reason("Ahead.", match)


GOLDEN = Path(__file__).with_name("contributions.txt")
"""Reviewed text of parts and arithmetic; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
STEPS: dict[str, tuple[str, str, list[Operand]]] = {
    "as few digits as re-add": ("mean", "mean", [Operand("semantic", 0.8384), Operand("centroid", 0.8744)]),
    "more digits, or it does not re-add": ("sum", "sum", [Operand("a", 0.1004), Operand("b", 0.2004)]),
    "a scorer by its initial": ("confidence", "max", [Operand("exact", 0.0), Operand("mean", 0.856)]),
    "a score that passed its threshold": ("confidence", "take", [Operand("fuzzy", 0.8), Operand("threshold", 0.75)]),
    "a real minus": ("merge", "sum", [Operand("floor", 0.55), Operand("penalty", -0.1)]),
    "a logarithm is no score": (
        EVIDENCE, "sum", [Operand("semantic", 0.878, 4.7), Operand("regression", -0.701, 1.5)],
    ),
    "what is above chance is no score": (
        EVIDENCE, "sum", [Operand("semantic", 0.878, 4.7), Operand("fuzzy", 0.264, 4.19)],
    ),
    "one score": ("confidence", "sum", [Operand("fuzzy", 0.779, 1.0)]),
    "how often it is right": (
        "confidence", "chance", [Operand(BALANCED, 0.6), Operand(SLOPE, 10.0), Operand("offset", -4.0)],
    ),
    "how often it is right by the shipped scale": (
        "confidence", "chance", [Operand(BALANCED, 0.6), Operand(SHIPPED_SLOPE, 10.0), Operand("offset", -4.0)],
    ),
    "weights below zero": (
        NONE, "sum", [Operand("none", -2.5, 1.0), Operand("energy", 5.0, -0.38), Operand("background", -3.0, 0.4)],
    ),
    "twice below zero": (NONE, "sum", [Operand("none", 1.0, 1.0), Operand("background", -3.0, -0.4)]),
}  # fmt: skip


def parts() -> Iterator[tuple[str, Contribution]]:
    """Yield parts of scores: of words, shared keywords, a name, and scores of another query."""
    text = "failling build zzz"
    yield "close words", parts_of(text, matched(text, Memory(("build failing often",), key=1))[0])["fuzzy"]
    text = "the the build"
    yield "a word typed twice", parts_of(text, matched(text, Memory(("the end",), key=1))[0])["token_overlap"]
    powers = [Power(name, keywords=("database", name), key=n) for n, name in enumerate(("pg", "my", "mg"), 1)]
    text = "check my databases"
    shared = next(one for one in matched(text, *powers) if one.answer.name == "pg")
    yield "a keyword of three powers", parts_of(text, shared)["keyword"]
    name = EagerExplanation(keywords=(MatchedKeyword("pg", None),))
    yield "a name", contributions("ask pg", Match(Power("pg"), 0.95, {"keyword": 0.95}, (), "pg", name))[0]
    texts, scores = dict.fromkeys(("fuzzy", "token_overlap"), "it may fail"), {"fuzzy": 0.91, "token_overlap": 0.9}
    foreign = Match(Memory(("it may fail",)), 0.9, scores, (), "", EagerExplanation((), texts))
    for scorer, part in parts_of("why does it fail", foreign).items():
        yield f"a score of another query, {scorer}", part


def read() -> str:
    made = {name: arithmetic.line(step(*args)) for name, args in STEPS.items()}
    made["an operation without a row"] = arithmetic.line(Step("odd", "median", (Operand("a", 0.1),), 0.1))
    near = step("mean", "mean", [Operand("semantic", 0.8496), Operand("centroid", 0.8496)])
    made["beside the threshold 0.85"] = arithmetic.line(near, (0.85,))
    scorers = {name: [piece.scorer for piece in line.pieces if piece.scorer] for name, line in made.items()}
    lines = {name: (line.text, line.result, ", ".join(scorers[name])) for name, line in made.items()}
    return written({"text, result and scorers of lines": lines, **dict(parts())})


def test_that_parts_and_arithmetic_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
