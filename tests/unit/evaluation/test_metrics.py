from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.evaluation.evaluation import METRICS, accuracy, auroc, ece, macro_f1, measured, mrr10, recall10, top
from tests.unit.evaluation.made import FIVE, answer


def test_that_ranking_metrics_take_cases_with_an_answer_whatever_the_confidence() -> None:
    assert top(1)(FIVE) == pytest.approx(2 / 3)
    assert top(3)(FIVE) == 1.0
    assert mrr10(FIVE) == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert recall10(FIVE) == 1.0


def test_that_accuracy_takes_all_cases_and_heeds_the_threshold() -> None:
    assert accuracy(FIVE) == pytest.approx(2 / 5)


def test_that_macro_f1_counts_no_match_as_a_label() -> None:
    # a: expected once, given twice, right once. b: expected twice, never given. c: given once. No match: expected
    # twice, given twice, right once.
    assert macro_f1(FIVE) == pytest.approx((2 / 3 + 0 + 0 + 2 / 4) / 4)


def test_that_no_match_is_no_label_where_no_case_expects_it() -> None:
    # a: expected and given once. b: expected twice, given once, right once; the other got no answer.
    assert macro_f1([answer("a", "a:0.9"), answer("b", "b:0.9"), answer("b", "b:0.1")]) == pytest.approx(
        (1 + 2 / 3) / 2
    )


def test_that_auroc_compares_answerable_cases_with_the_others() -> None:
    # 0.9, 0.8, 0.2 against 0.25, 0.6: of six pairs, four are in order.
    assert auroc(FIVE) == pytest.approx(4 / 6)


def test_that_auroc_counts_the_chance_of_any_where_confidences_are_shares() -> None:
    level, stranger = answer("a", "a:0.48 b:0.47"), answer("oos", "a:0.6")
    assert auroc([level, stranger]) == 0.0
    assert auroc([replace(level, shared=0.95), replace(stranger, shared=0.7)]) == 1.0


def test_that_ece_weighs_the_gap_of_each_bin() -> None:
    # Bins of 1/15: 0.9 -> 13, 0.8 -> 12, 0.2 and 0.25 -> 3, 0.6 -> 9. Right at the top: 0.9 and 0.2.
    gaps = [abs(0.9 - 1), abs(0.8 - 0), abs(0.2 + 0.25 - 1), abs(0.6 - 0)]
    assert ece(FIVE) == pytest.approx(sum(gaps) / 5)


def test_that_several_acceptable_answers_share_the_recall_and_the_first_gives_the_rank() -> None:
    many = " ".join(f"x{place}:0.5" for place in range(9))
    both = answer("a b c", f"{many} b:0.4")
    assert recall10([both]) == pytest.approx(1 / 3)
    assert mrr10([both]) == pytest.approx(1 / 10)
    assert top(5)([both]) == 0.0


def test_that_nothing_counts_beyond_the_tenth_place() -> None:
    eleventh = answer("a", " ".join(f"x{place}:0.5" for place in range(10)), rank=11)
    assert mrr10([eleventh]) == 0.0
    assert recall10([eleventh]) == 0.0


def test_that_a_case_without_candidates_is_a_match_of_none() -> None:
    nothing = [answer("none", ""), answer("a", "")]
    assert accuracy(nothing) == 0.5
    assert auroc(nothing) == 0.5
    assert top(1)(nothing) == 0.0


def test_that_metrics_that_do_not_apply_are_none() -> None:
    assert measured([]) == dict.fromkeys(METRICS)
    assert auroc([answer("a", "a:0.9")]) is None
    only_none = measured([answer("", "a:0.9")])
    assert [name for name, value in only_none.items() if value is None] == [
        "top1", "top3", "top5", "recall10", "mrr10", "auroc", "tier_accuracy",
    ]  # fmt: skip


CONFIDENCES = st.lists(st.sampled_from([place / 20 for place in range(1, 21)]), min_size=1, max_size=8)


@given(CONFIDENCES, CONFIDENCES)
def test_that_auroc_is_the_share_of_pairs_in_order(answerable: list[float], others: list[float]) -> None:
    cases = [answer("a", f"a:{value}") for value in answerable] + [answer("", f"a:{value}") for value in others]
    pairs = [(value > other) + 0.5 * (value == other) for value in answerable for other in others]
    assert auroc(cases) == pytest.approx(sum(pairs) / len(pairs))


@given(CONFIDENCES, CONFIDENCES)
def test_that_auroc_of_the_perfectly_separated_is_1(answerable: list[float], others: list[float]) -> None:
    cases = [answer("a", f"a:{0.5 + value / 2}") for value in answerable]
    cases += [answer("", f"a:{value / 2 - 0.02}") for value in others]
    assert auroc(cases) == 1.0


CASES = st.builds(
    lambda expected, names, top_confidence: answer(
        expected, " ".join(f"{name}:{top_confidence / place}" for place, name in enumerate(names, 1))
    ),
    st.sampled_from(("a", "b", "a b", "none", "")),
    st.lists(st.sampled_from("abcd"), unique=True, max_size=4),
    st.floats(0.01, 1.0),
)


@given(st.lists(CASES, max_size=12))
def test_that_every_metric_lies_in_0_to_1_and_more_places_find_no_less(cases: list) -> None:  # type: ignore[type-arg]
    found = measured(cases)
    assert all(value is None or (0.0 <= value <= 1.0 and math.isfinite(value)) for value in found.values())
    if found["top1"] is not None:
        assert found["top1"] <= found["mrr10"] <= found["top5"]  # type: ignore[operator]
        assert found["top1"] <= found["top3"] <= found["top5"]  # type: ignore[operator]


@given(st.lists(st.sampled_from("abc"), min_size=1))
def test_that_always_right_is_perfect(labels: list[str]) -> None:
    cases = [*(answer(label, f"{label}:1.0") for label in labels), answer("none", "")]
    perfect = dict.fromkeys(METRICS, 1.0) | {"ece": 0.0, "tier_accuracy": None}
    assert measured(cases) == pytest.approx(perfect)
