"""Tests of comparisons and sweeps: changed cases, significance, and best values (S7.5)."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.case import Task
from app.evaluation.answers import Answered
from app.evaluation.comparison import CaseChange, Comparison, Sweep, SweepRow, compared, mcnemar, numeric, slim, steps
from app.evaluation.evaluation import Evaluation, judged, measured, no_match_right
from app.settings.model import Settings
from tests.build import some
from tests.unit.evaluation.made import answer

NAMES = ("a", "b", "c")


def evaluated(*answers: Answered) -> Evaluation:
    return judged(Task.INTENT, "balanced", answers, Settings())


RIGHT, WRONG, OTHER, NONE = (answer("a", given) for given in ("a:0.9", "b:0.9", "c:0.9", "b:0.1"))


def exact(fixed: int, broken: int) -> Fraction:
    """Compute the definition with integers."""
    whole = fixed + broken
    tail = sum(comb(whole, k) for k in range(min(fixed, broken) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**whole))


def test_that_p_counts_every_way_of_few_cases_down_to_none_at_all() -> None:
    pairs = [(fixed, broken) for fixed in range(12) for broken in range(12)]
    assert [mcnemar(*pair) for pair in pairs] == pytest.approx([float(exact(*pair)) for pair in pairs], rel=1e-12)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 50))
def test_that_a_more_uneven_difference_is_less_likely(few: int, more: int, yet: int) -> None:
    low, high = sorted((few, more))
    assert mcnemar(low, high + yet) <= mcnemar(low, high)


def test_that_cases_turn_right_wrong_or_to_another_wrong_answer() -> None:
    before = evaluated(WRONG, RIGHT, WRONG, RIGHT, WRONG, NONE)
    after = evaluated(RIGHT, WRONG, OTHER, RIGHT, WRONG, WRONG)
    found = compared(before, after)
    turns = [(one.place, one.turn) for one in found.turned]
    assert turns == [
        (0, CaseChange.FIXED),
        (1, CaseChange.BROKEN),
        (2, CaseChange.OTHERWISE),
        (5, CaseChange.OTHERWISE),
    ]
    assert (found.fixed, found.broken, found.net, found.p) == (1, 1, 0, 1.0)
    assert found.of(CaseChange.FIXED)[0].after is after.answered[0]


def turning(fixed: int, broken: int, same: int = 0) -> Comparison:
    before = evaluated(*[WRONG] * fixed, *[RIGHT] * broken, *[RIGHT] * same)
    return compared(before, evaluated(*[RIGHT] * fixed, *[WRONG] * broken, *[RIGHT] * same))


@given(
    st.lists(st.sampled_from(NAMES), min_size=0, max_size=3, unique=True),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0.01, 1)), max_size=6, unique_by=lambda pair: pair[0]),
)
def test_that_no_metric_misses_what_is_left_out(names: list[str], pairs: list[tuple[str, float]]) -> None:
    ranked = sorted(pairs, key=lambda pair: -pair[1])
    whole = answer(" ".join(names), " ".join(f"{name}:{value}" for name, value in ranked))
    kept = slim(whole)
    assert measured([kept, RIGHT, NONE]) == measured([whole, RIGHT, NONE])
    assert (kept.predicted, kept.is_right, kept.confidence) == (whole.predicted, whole.is_right, whole.confidence)
    assert len(kept.candidates) <= 1 + len(names)


def test_that_rightly_unanswered_cases_are_counted_apart() -> None:
    none, some = answer("oos", "b:0.1"), answer("oos", "b:0.9")
    assert no_match_right([none, some, RIGHT]) == 0.5
    assert no_match_right([RIGHT]) is None


# ---- gates on a change


# ---- sweeps


def row(value: str, fixed: int, broken: int, *, is_today: bool = False) -> SweepRow:
    before = evaluated(*[WRONG] * 10, *[RIGHT] * 10)
    after = [RIGHT] * fixed + [WRONG] * (10 - fixed) + [WRONG] * broken + [RIGHT] * (10 - broken)
    return SweepRow(value, compared(before, evaluated(*after)), is_today)


def sweep(*rows: SweepRow) -> Sweep:
    return Sweep("fallback_threshold", evaluated(*[WRONG] * 10, *[RIGHT] * 10), rows)


def best(*rows: SweepRow) -> str:
    found = some(sweep(*rows).best)
    return found.value


def test_that_a_value_is_better_only_beyond_chance_and_however_many_were_tried() -> None:
    today, good = row("0.3", 0, 0, is_today=True), row("0.2", 7, 0)
    assert sweep(today, good).is_better
    assert sweep(today, good).tried == 1
    assert not sweep(today, good, *(row(f"0.{n}", 0, 1) for n in range(4, 9))).is_better
    assert not sweep(today, row("0.2", 1, 0)).is_better
    assert not sweep(today, row("0.2", 0, 10)).is_better
    assert not sweep().is_better


def test_that_each_metric_has_its_own_best_values() -> None:
    found = sweep(row("a", 3, 0), row("b", 5, 0), row("c", 5, 0), row("d", 0, 0))
    assert found.best_of("accuracy") == {"b", "c"}
    assert found.best_of("ece") == {"b", "c"}
    assert found.best_of("tier_accuracy") == frozenset()
    assert sweep(row("a", 3, 0), row("b", 3, 0)).best_of("accuracy") == frozenset()
    assert sum(one.right for one in found.rows) == 13 + 15 + 15 + 10
    nothing = sweep(row("a", 3, 0), row("b", 5, 0), row("z", 0, 10))
    assert not any("z" in nothing.best_of(metric) for metric in nothing.today.metrics), "it answers nothing rightly"


@given(st.integers(-50, 50), st.integers(1, 100), st.sampled_from([0.01, 0.02, 0.05, 0.1, 1.0, 2.5]))
def test_that_a_range_meets_its_ends(first: int, count: int, step: float) -> None:
    start = round(first * step, 10)
    found = steps(start, round(start + count * step, 10), step)
    assert len(found) == count + 1
    assert found[0] == pytest.approx(start)
    assert found[-1] == pytest.approx(start + count * step)
    assert all(len(f"{value!r}") < 12 for value in found)
    assert found == tuple(sorted(set(found)))


def test_that_values_are_numbers_or_none_of_them_is() -> None:
    assert numeric(["0.1", "2"]) == (0.1, 2.0)
    assert numeric(["0.1", "max"]) is None
    assert numeric(["inf"]) is None
    assert numeric([]) == ()
