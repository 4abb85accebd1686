"""Tests of coverage: the smallest set of memories, with similar rivals of their labels."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.surfacing import SIMILAR, SURFACING, Cut, Limits, SurfacingRow, Weighed, cuts, ordered
from app.domain.library import Memory

LIMITS = Limits(0.6, 4000, confidence=0.75, certain=0.85, coverage=0.75)
ROW = SURFACING[0]


def one(name: str, chance: float, label: str | None = None, of_label: float | None = None, **more: float) -> Weighed:
    """A memory with its chance and that of its label."""
    memory = Memory((name,), f"Response of {name}.", label)
    return Weighed(memory, chance, more.pop("weight", 1.0), label_chance=of_label or chance, **more)


def injected(weighed: Sequence[Weighed], limits: Limits = LIMITS, row: SurfacingRow | None = ROW) -> list[str]:
    own = ordered(weighed, row, limits)
    return [each.memory.name for each, cut in zip(own, cuts(own, row, limits), strict=True) if cut is None]


def test_that_the_first_comes_alone_where_it_covers_and_two_of_one_label_come_both_or_none() -> None:
    weighed = [one("a", 0.8, "x", 0.98), one("b", 0.18, "x", 0.98)]
    assert injected(weighed) == ["a"]
    assert cuts(weighed, ROW, LIMITS) == (None, Cut.COVERED)
    weighed = [one("a", 0.53, "x", 0.98), one("b", 0.45, "x", 0.98), one("c", 0.01)]
    assert injected(weighed) == ["a", "b"]
    assert injected([one("a", 0.39, "x", 0.7), one("b", 0.31, "x", 0.7)]) == []


@pytest.mark.parametrize(("second", "names"), [(0.499, ["a", "b"]), (0.48, [])])
def test_that_two_labels_come_together_where_hardly_anything_else_is_likely(second: float, names: list[str]) -> None:
    assert injected([one("a", 0.499), one("b", second)]) == names


def test_that_a_rival_of_similar_chance_is_not_left_out() -> None:
    weighed = [one(name, 0.24, "x", 0.96) for name in "abcd"]
    assert injected(weighed) == ["a", "b", "c", "d"]
    assert injected([one("a", 0.5, "x", 0.9), one("b", 0.3, "x", 0.9), one("c", 0.1, "x", 0.9)]) == ["a", "b"]


def test_that_the_same_response_comes_once() -> None:
    twice = [Weighed(Memory((name,), "Push.", "x"), 0.5, 1.0, label_chance=0.9) for name in "ab"]
    weighed = [*twice, one("c", 0.4, "x", 0.9)]
    assert injected(weighed) == ["a", "c"]
    assert cuts(ordered(weighed, ROW, LIMITS), ROW, LIMITS)[-1] is Cut.COVERED


def test_that_count_and_budget_still_limit_the_set() -> None:
    weighed = [one(str(n), 0.12, "x", 0.96) for n in range(8)]
    assert cuts(weighed, SURFACING[2], LIMITS) == (*[None] * 5, *[Cut.COUNT] * 3)
    assert cuts(weighed[:3], ROW, LIMITS, [3000, 4000, 4001]) == (None, None, Cut.BUDGET)


CHANCES = st.lists(st.tuples(st.sampled_from("xyz"), st.floats(0.001, 1.0)), min_size=1, max_size=9)


@given(CHANCES, st.floats(0.01, 1.0), st.floats(0.1, 1.0))
def test_that_the_set_is_minimal_and_leading(drawn: list[tuple[str, float]], coverage: float, all_of_it: float) -> None:
    whole = sum(chance for _, chance in drawn) / all_of_it
    labels = {label: sum(own for other, own in drawn if other == label) / whole for label, _ in drawn}
    weighed = sorted(
        (one(str(n), chance / whole, label, labels[label]) for n, (label, chance) in enumerate(drawn)),
        key=lambda each: -each.confidence,
    )
    limits = Limits(0.6, 4000, confidence=0.3, coverage=coverage)
    found = cuts(weighed, ROW, limits)
    count = found.count(None)
    assert found[:count] == (None,) * count
    if max(labels.values()) >= 0.3:
        assert count >= 1
    if 0 < count < len(found):
        out, inside = weighed[count:], weighed[:count]
        assert sum(each.confidence for each in inside) >= coverage - 1e-6 or out[0].confidence < 0.05
        for each in out:
            rivals = [other.confidence for other in inside if other.label == each.label]
            assert not rivals or each.confidence < SIMILAR * min(rivals)
    if count > 1:
        last, before = weighed[count - 1], weighed[: count - 1]
        rivals = [other.confidence for other in before if other.label == last.label]
        is_rival = bool(rivals) and last.confidence >= SIMILAR * min(rivals)
        assert is_rival or sum(each.confidence for each in before) < coverage
