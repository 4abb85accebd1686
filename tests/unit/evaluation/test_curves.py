from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.case import Task
from app.evaluation.answers import Answered
from app.evaluation.curves import (
    HISTOGRAM_BINS,
    MOST_POINTS,
    LabelScore,
    best_thresholds,
    confidence_histogram,
    cuts,
    label_scores,
    retrieval,
)
from app.evaluation.documents import document
from app.evaluation.evaluation import accuracy, judged, macro_f1, top
from app.settings.model import Settings
from tests.unit.evaluation.made import FIVE, answer, page_of

ANSWERS = st.lists(
    st.builds(
        lambda expected, first, confidence: answer(expected, f"{first}:{confidence:.3f}"),
        st.sampled_from(["a", "b", "c", "oos"]),
        st.sampled_from("abc"),
        st.floats(0.001, 1.0),
    ),
    min_size=1,
    max_size=30,
)


def test_that_labels_come_worst_first_and_no_match_is_one() -> None:
    found = label_scores(FIVE)
    assert [one.label for one in found] == ["b", "c", None, "a"]
    assert found[3] == LabelScore("a", expected=1, given=2, right=1)
    assert (found[3].precision, found[3].recall, found[3].f1) == pytest.approx((0.5, 1.0, 2 / 3))
    assert (found[0].precision, found[1].recall) == (None, None)


@given(ANSWERS)
def test_that_the_mean_f1_of_the_labels_is_macro_f1_and_their_right_answers_are_all(answers: list[Answered]) -> None:
    found = label_scores(answers)
    assert macro_f1(answers) == pytest.approx(sum(one.f1 for one in found) / len(found))
    assert sum(one.right for one in found) == pytest.approx((accuracy(answers) or 0.0) * len(answers))
    assert sum(one.expected for one in found) == len(answers)
    missed = 0 if any(one.label is None for one in found) else sum(each.predicted is None for each in answers)
    assert sum(one.given for one in found) + missed == len(answers)


def test_that_a_threshold_lies_where_the_f1_of_its_label_is_best() -> None:
    right = [answer("a", f"a:{confidence}") for confidence in (0.9, 0.8, 0.7, 0.6)]
    wrong = [answer("oos", "a:0.5"), answer("b", "a:0.4")]
    found = best_thresholds([*right, *wrong, answer("a", "a:0.1")])
    assert found == {"a": 0.55}
    assert label_scores([*right, *wrong, answer("a", "a:0.1")])[-1].threshold == 0.55


def test_that_equal_confidences_stand_or_fall_together_and_few_cases_tell_nothing() -> None:
    level = [answer("a", "a:0.7") for _ in range(5)]
    assert best_thresholds([*level, answer("oos", "a:0.7")]) == {"a": 0.35}
    assert best_thresholds(level[:4]) == {}


def test_that_the_histogram_parts_right_from_wrong_by_the_top_answer() -> None:
    found = confidence_histogram([*FIVE, answer("a", "a:1.0")])
    assert (sum(found.right), sum(found.wrong)) == (3, 3)
    assert found.right[HISTOGRAM_BINS - 1] == 1
    assert found.right[18] == 1
    assert found.wrong[16] == 1


def test_that_a_cut_tells_what_answering_from_there_on_comes_to() -> None:
    found = cuts(FIVE)
    assert [cut.threshold for cut in found] == [0.9, 0.8, 0.6, 0.25, 0.2]
    assert (found[1].coverage, found[1].precision, found[1].recall) == pytest.approx((0.4, 0.5, 1 / 3))
    assert (found[-1].coverage, found[-1].precision, found[-1].recall) == pytest.approx((1.0, 0.4, 2 / 3))


@given(ANSWERS)
def test_that_cuts_cover_ever_more_and_end_with_all_that_are_first(answers: list[Answered]) -> None:
    found = cuts(answers)
    assert [cut.coverage for cut in found] == sorted(cut.coverage for cut in found)
    assert [cut.recall for cut in found] == sorted(cut.recall for cut in found)
    assert found[-1].recall == pytest.approx(top(1)(answers) or 0.0)


def test_that_a_curve_of_many_cases_keeps_its_ends_and_few_points() -> None:
    many = [answer("a", f"a:{place / 1000:.3f}") for place in range(1, 1001)]
    found = cuts(many)
    assert len(found) == MOST_POINTS
    assert (found[0].threshold, found[-1].threshold, found[-1].coverage) == (1.0, 0.001, 1.0)


def test_that_retrieval_looks_ever_deeper() -> None:
    deep = answer("a", "b:0.5", rank=40)
    assert dict(retrieval([*FIVE, deep])) == {1: 0.5, 2: 0.75, 3: 0.75, 5: 0.75, 10: 0.75, 20: 0.75, 50: 1.0, 100: 1.0}


def test_that_nothing_is_drawn_of_nothing() -> None:
    none = [answer("oos", "")]
    assert (cuts(none), retrieval(none), label_scores([])) == ((), (), ())
    assert cuts([answer("oos", "a:0.5")])[0].recall == 0.0


def test_that_the_document_holds_every_curve_and_the_page_the_worst_labels() -> None:
    evaluation = judged(Task.INTENT, "max", FIVE, Settings())
    told = document(evaluation)
    assert [one["label"] for one in told["labels"]] == ["b", "c", None, "a"]
    assert told["labels"][0]["precision"] is None
    assert told["cuts"][1]["precision"] == 0.5
    assert told["retrieval"][0] == {"depth": 1, "recall": pytest.approx(2 / 3)}
    assert sum(told["histogram"]["right"]) == 2
    page = page_of(evaluation)
    assert "Labels, the worst of 4 first" in page
    assert "Coverage " in page


def test_that_right_answers_that_are_rejected_are_counted_in_the_report() -> None:
    lines = page_of(judged(Task.INTENT, "max", FIVE, Settings())).splitlines()
    assert "In 1 case the right answer comes first, but its confidence is too low." in lines
    found = page_of(judged(Task.INTENT, "max", FIVE[:2], Settings()))
    assert "confidence is too low" not in found
