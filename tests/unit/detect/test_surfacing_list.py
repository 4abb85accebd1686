"""Tests of injected memories: selection, order and limits."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.surfacing import (
    SIMILAR,
    SURFACING,
    Cut,
    Entry,
    Limits,
    Parts,
    Surfaced,
    SurfacingRow,
    Weighed,
    cuts,
    entries,
    head_text,
    is_complete,
    memory_text,
    number_text,
    ordered,
    weigh,
)
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Memory

WEIGHTS = {"patterns": 1.5, "learnings": 1.3, "blockers": 0.5}


def memory(name: str, namespace: str = "context", response: str = "") -> Memory:
    return Memory((name,), response, namespace=namespace)


def listed(pairs: Sequence[tuple[Memory, float]], tokens: int, row: int | None, limit: int) -> tuple[Entry, ...]:
    weighed = weigh(pairs, lambda namespace: WEIGHTS.get(namespace, 1.0))
    parts = Parts("head", 10, ["text"] * len(weighed), [tokens] * len(weighed))
    return entries(weighed, None if row is None else SURFACING[row], parts, Limits(0.6, limit))


def test_that_weights_order_and_leave_the_confidence_alone() -> None:
    found = weigh(
        [(memory("a"), 0.8), (memory("b", "patterns"), 0.6), (memory("c", "blockers"), 0.9)],
        lambda namespace: WEIGHTS.get(namespace, 1.0),
    )
    assert [(one.memory.name, one.confidence, round(one.product, 9)) for one in found] == [
        ("b", 0.6, 0.9),
        ("a", 0.8, 0.8),
        ("c", 0.9, 0.45),
    ]


def test_that_equal_products_are_ordered_by_confidence_and_then_as_they_came() -> None:
    found = weigh(
        [(memory("a", "blockers"), 0.8), (memory("b"), 0.4), (memory("c"), 0.4)], lambda n: WEIGHTS.get(n, 1.0)
    )
    assert [one.memory.name for one in found] == ["a", "b", "c"]


def test_that_each_entry_knows_its_rank_by_confidence_alone() -> None:
    made = listed([(memory("a"), 0.8), (memory("b", "patterns"), 0.6)], 1, 0, 4000)
    assert [(entry.memory.name, entry.rank, entry.plain_rank) for entry in made] == [("b", 1, 2), ("a", 2, 1)]


@pytest.mark.parametrize(("limit", "inside"), [(9, 0), (29, 0), (30, 1), (49, 1), (50, 2), (4000, 3)])
def test_that_the_budget_cuts_before_the_first_memory_that_does_not_fit(limit: int, inside: int) -> None:
    made = listed([(memory(name), 0.9) for name in "abc"], 20, 0, limit)
    assert [entry.total for entry in made] == [30, 50, 70]
    assert [entry.cut for entry in made] == [None] * inside + [Cut.BUDGET] * (3 - inside)


def test_that_what_follows_the_cut_stays_out_even_if_it_would_fit() -> None:
    weighed = weigh([(memory("long"), 0.9), (memory("short"), 0.8)], lambda _: 1.0)
    made = entries(weighed, SURFACING[0], Parts("", 0, ["", ""], [50, 1]), Limits(0.6, 10))
    assert [entry.cut for entry in made] == [Cut.BUDGET, Cut.BUDGET]


@pytest.mark.parametrize(("last", "most", "complete"), [(0.5, 1.5, True), (0.45, 2.0, False), (0.44, 2.0, True)])
def test_that_a_pool_is_complete_if_nothing_outside_reaches_its_last(last: float, most: float, complete: bool) -> None:
    weighed = weigh([(memory("a"), 0.95), (memory("b"), 0.9)], lambda _: 1.0)
    assert is_complete(weighed, 2, last, most) is complete
    assert not is_complete(weighed, 3, last, most)


def test_that_the_text_is_the_head_and_what_is_inside() -> None:
    intent = SearchIntent(IntentType.HOWTO, 0.85, DetectionSource.KEYWORD)
    weighed = weigh([(memory("how to sign", "patterns", "Use the key.\n\n2. [x] forged"), 0.9)], lambda _: 1.0)
    text = number_text(1) + memory_text(weighed[0].memory)
    made = entries(weighed, SURFACING[0], Parts(head_text(intent), 12, [text], [9]), Limits(0.6, 100))
    surfaced = Surfaced(intent, SURFACING[0], Limits(0.6, 100), made, head=head_text(intent), head_tokens=12)
    assert surfaced.tokens == 21
    assert surfaced.text == (
        "Memories for this question (its type is howto, 0.850), best first:\n"
        "\n1. [patterns] how to sign\n   Use the key.\n\n   2. [x] forged\n"
    )


def test_that_no_line_of_a_memory_can_pass_for_another() -> None:
    lines = (number_text(1) + memory_text(memory("how\n2. [a] b", "c\nd", "3. [e] f\r4. g\u20285. h"))).splitlines()
    assert [line for line in lines if line and not line.startswith("   ")] == ["1. [c d] how 2. [a] b"]


def test_that_nothing_is_injected_where_nothing_is_inside() -> None:
    made = listed([(memory("a"), 0.9)], 1, None, 4000)
    surfaced = Surfaced(None, None, Limits(0.6, 4000), made, head=head_text(None), head_tokens=10)
    assert (surfaced.text, surfaced.tokens) == ("", 0)


def test_that_a_memory_without_the_least_confidence_stays_out_whatever_its_weight() -> None:
    weighed = weigh([(memory("a"), 0.3), (memory("b", "patterns"), 0.29)], lambda n: WEIGHTS.get(n, 1.0))
    made = entries(weighed, SURFACING[0], Parts("", 0, ["", ""], [1, 1]), Limits(0.6, 100, confidence=0.3))
    assert {entry.memory.name: entry.cut for entry in made} == {"a": None, "b": Cut.CONFIDENCE}


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


def test_that_the_same_response_comes_once_and_is_no_move_by_weights() -> None:
    weighed = [*(Weighed(Memory((n,), "Push.", "x"), 0.5, 1.0, 0.0, 0.9) for n in "ab"), one("c", 0.4, "x", 0.9)]
    assert injected(weighed) == ["a", "c"]
    made = entries(ordered(weighed, ROW, LIMITS), ROW, Parts("", 0, [""] * 3, [1] * 3), LIMITS)
    assert [(entry.rank - entry.plain_rank, entry.cut) for entry in made] == [(0, None), (0, None), (0, Cut.COVERED)]


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
