from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from app.display.evaluation.diagnostics import (
    CONFIDENCE,
    CONFUSION,
    LABELS,
    RETRIEVAL,
    cases_of_label,
    confusion_matrix,
    diagnostics_csv,
    diagnostics_of,
    reliability_chart,
    sorted_labels,
)
from app.display.evaluation.results import comparison_view, evaluation_view, sorted_cases
from app.domain.case import Case, Task
from app.evaluation.answers import Answered, RankedName
from app.evaluation.comparison import compared
from app.evaluation.curves import label_scores
from app.evaluation.evaluation import Evaluation, judged
from app.settings.model import Settings
from tests.build import some
from tests.unit.evaluation.made import answer

FIVE = [
    answer("a", "a:0.9 b:0.5"),
    answer("b", "a:0.8 b:0.7"),
    answer("b", "b:0.2 a:0.1"),
    answer("oos", "a:0.25"),
    answer("", "c:0.6"),
]

MANY = st.lists(
    st.builds(
        lambda expected, first: answer(expected, f"{first}:0.5"), st.sampled_from("abcdef"), st.sampled_from("abcdef")
    ),
    min_size=1,
    max_size=40,
)


def of(answers: Sequence[Answered]) -> Evaluation:
    return judged(Task.INTENT, "max", answers, Settings())


def rows(view: str, answers: Sequence[Answered] = FIVE) -> list[list[str]]:
    return list(csv.reader(io.StringIO(diagnostics_csv(diagnostics_of(of(answers)), view))))


@given(MANY, st.integers(0, 9))
def test_that_a_grid_holds_every_case_once_whatever_room_labels_have(answers: list[Answered], most: int) -> None:
    found = some(confusion_matrix(answers))
    grid = found.grid(most)
    assert sum(map(sum, grid.counts)) == len(answers)
    assert len(grid.names) <= max(2, most)
    cells = [(row, column) for row in range(len(grid.names)) for column in range(len(grid.names))]
    for row, column in cells:
        picked = [one for one in answers if grid.selection(row, column).matches(one)]
        assert len(picked) == grid.counts[row][column]
        assert all(one.is_right for one in picked) or not grid.is_right(row, column)


def test_that_labels_with_the_most_mistakes_come_first_and_the_rest_is_one() -> None:
    right = [answer(name, f"{name}:0.9") for name in "xyz"]
    found = some(confusion_matrix([*FIVE, *right]))
    assert found.labels == (None, "b", "a", "c", "x", "y", "z")
    grid = found.grid(4)
    assert grid.names == ("no match", "b", "a", "4 others")
    assert grid.counts == ((1, 0, 0, 1), (1, 0, 1, 0), (0, 0, 1, 0), (0, 0, 0, 3))
    assert not grid.is_right(3, 3)
    assert grid.accessible_text(1, 2) == "Expected: b; given: a: 1"


def test_that_cases_that_say_only_what_is_unwanted_are_in_no_cell() -> None:
    case = Case("?", (), Task.INTENT, unwanted=("a",))
    odd = Answered(case, (), (RankedName("b", 0.9),), None, rejected=False)
    assert confusion_matrix([odd]) is None
    assert not cases_of_label(None).matches(odd)
    assert diagnostics_of(of([odd])).confidence is None


def test_that_labels_are_sorted_and_absent_figures_come_last_both_ways() -> None:
    labels = label_scores(FIVE)
    assert [one.label for one in sorted_labels(labels, "", descending=False)] == ["b", "c", None, "a"]
    assert [one.label for one in sorted_labels(labels, "precision", descending=True)] == [None, "a", "c", "b"]
    assert [one.label for one in sorted_labels(labels, "precision", descending=False)][-1] == "b"


def test_that_a_picked_list_goes_by_the_later_answer() -> None:
    better = [answer("a", "a:0.9"), answer("b", "b:0.8"), *FIVE[2:]]
    shown = comparison_view(compared(of(FIVE), of(better)), {"combination": "max"})
    assert [line.place for line in sorted_cases(shown.cases, "text", descending=False, pick=cases_of_label("b"))] == [
        1,
        2,
    ]
    grid = some(confusion_matrix(better))
    place = grid.labels.index("b")
    picked = sorted_cases(shown.cases, "", descending=False, pick=grid.grid(9).selection(place, place))
    assert [line.place for line in picked] == [1]
    assert len(evaluation_view(of(FIVE)).cases) == len(FIVE)


def test_that_curves_of_both_are_drawn_where_they_differ() -> None:
    better = of([answer("a", "a:0.9"), answer("b", "b:0.8"), *FIVE[2:]])
    drawn = diagnostics_of(of(FIVE), better)
    assert [one.dash for one in some(drawn.coverage).series] == ["solid", "dash"]
    assert some(drawn.coverage).at[0][0] == 0.6
    assert some(drawn.retrieval).across_words[:3] == ("1", "2", "3")
    charts = (drawn.retrieval, drawn.precision_recall, drawn.coverage, reliability_chart(of(FIVE), None))
    assert all(chart is not None and chart.across_name and chart.up_name for chart in charts)
    same = some(diagnostics_of(of(FIVE), of(FIVE)).coverage)
    assert len(same.series) == 1


def test_that_each_view_is_kept_as_numbers() -> None:
    assert rows(LABELS)[0][:2] == ["label", "cases"]
    assert len(rows(LABELS)) == 5
    assert [row for row in rows(CONFUSION) if row[1] in ("a", "c")][1:] == [["b", "a", "1"], ["none", "c", "1"]]
    confidence = rows(CONFIDENCE)
    assert sum(int(row[2]) + int(row[3]) for row in confidence[1:21]) == 5
    assert confidence[22] == ["curve", "coverage", "precision"]
    assert rows(RETRIEVAL)[1][1:] == ["1", str(2 / 3)]
    assert rows(RETRIEVAL, [answer("oos", "")])[:2] == [["curve", "among_first", "recall"], []]
