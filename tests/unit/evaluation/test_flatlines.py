"""Tests of flat lines: constant signals are reported, and answers that never rank first."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.review.history import HistoryEntry, Source
from app.evaluation.flatlines import (
    ENOUGH,
    OFTEN,
    RECENT,
    FlatLine,
    FlatSignal,
    ListedMatch,
    PassedOver,
    SilentLlm,
    flat_lines,
    passed_over,
    silent_llm,
)


def asked(count: int, **told: object) -> list[HistoryEntry]:
    given = {"type": "howto", "confidence": 0.6, "kind": "memory", "answer": "one", "answer_confidence": 0.5, **told}
    return [HistoryEntry(at="", source=Source.WINDOW, text=str(place), **given) for place in range(count)]  # type: ignore[arg-type]


def varied(count: int) -> list[HistoryEntry]:
    made: list[HistoryEntry] = []
    for place in range(count):
        types = ("howto", None, "general")
        made += asked(
            1, type=types[place % 3], confidence=place / count, answer=f"a {place}", answer_confidence=1 / (place + 2)
        )
    return made


def test_that_few_queries_say_nothing() -> None:
    assert flat_lines(asked(ENOUGH - 1)) == []


def test_that_what_varies_is_not_flat() -> None:
    assert flat_lines(varied(ENOUGH)) == []
    assert flat_lines([*varied(ENOUGH), *asked(200)][:RECENT]) == []


def test_that_everything_that_stands_still_is_told() -> None:
    assert flat_lines(asked(150)) == [
        FlatLine(FlatSignal.TYPE, RECENT, "howto"),
        FlatLine(FlatSignal.CONFIDENCE, RECENT, 0.6),
        FlatLine(FlatSignal.ANSWER, RECENT, "one"),
        FlatLine(FlatSignal.ANSWER_CONFIDENCE, RECENT, 0.5),
    ]


def test_that_no_type_at_all_is_flat_unless_none_is_looked_for() -> None:
    nothing = asked(ENOUGH, type=None, confidence=0.0, answer=None, kind=None, answer_confidence=0.0)
    assert flat_lines(nothing) == [FlatLine(FlatSignal.TYPE, ENOUGH, None), FlatLine(FlatSignal.ANSWER, ENOUGH, None)]
    assert flat_lines(nothing, detects=False) == [FlatLine(FlatSignal.ANSWER, ENOUGH, None)]


def test_that_an_llm_is_silent_only_if_it_was_asked_and_never_heard() -> None:
    assert silent_llm(["timed_out"] * 15 + ["late"] * 5) == SilentLlm(20, "timed_out", 15)
    assert silent_llm(["timed_out"] * (ENOUGH - 1)) is None
    assert silent_llm(["timed_out"] * 30 + ["answered"]) is None
    assert silent_llm(["off", "unreachable", "superseded"] * 30) is None, "nobody was asked"


def listed(*rows: tuple[str, float]) -> Sequence[ListedMatch]:
    return [ListedMatch(name, None, confidence) for name, confidence in rows]


def test_that_what_is_near_and_never_first_is_passed_over() -> None:
    lists = [listed(("a", 0.9), ("b", 0.8), ("c", 0.2))] * OFTEN + [listed(("d", 0.9), ("b", 0.85)), []]
    assert passed_over(lists, 0.3) == [PassedOver("b", OFTEN + 1, 0.85, "a")]
    assert passed_over([*lists, listed(("b", 0.9))], 0.3) == []
    assert passed_over(lists, 0.3, {"b": 0.9}) == []
    assert passed_over(lists, 0.99, {"b": 0.1})[0].name == "b"


def test_that_memories_of_one_label_are_one_answer() -> None:
    lists = [[ListedMatch("x", "same", 0.9), ListedMatch("y", "same", 0.8), ListedMatch("z", "other", 0.7)]] * OFTEN
    assert [one.name for one in passed_over(lists, 0.3)] == ["other"]
