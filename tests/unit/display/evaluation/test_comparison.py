"""Tests of comparisons and sweeps in words, tables, documents, charts and JUnit (S7.5)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display import numbers
from app.display.evaluation.comparison import (
    chance_sentence,
    comparison_document,
    expected,
    p_text,
    sweep_document,
    sweep_verdict,
    turned_sentence,
)
from app.display.evaluation.diagnostics import CONFIDENCE as PICTURES_CONFIDENCE
from app.display.evaluation.diagnostics import (
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
from app.display.evaluation.results import (
    CASE_COLUMNS,
    CONFIDENCE,
    CaseLine,
    Gated,
    comparison_lines,
    comparison_view,
    evaluation_view,
    junit_xml,
    sorted_cases,
)
from app.display.evaluation.sweep import (
    MOST,
    PRESET_WORDS,
    SEVERAL,
    SWEEP_COLUMNS,
    can_sweep,
    compare_choices,
    default_values,
    parse_changes,
    parse_values,
    rows_for,
    sweep_lines,
    sweep_view,
    value_view,
)
from app.display.system.settings import setting_sections
from app.domain.case import Case, Delivered, Task
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered, RankedName
from app.evaluation.comparison import CaseChange, Comparison, Sweep, SweepRow, compared
from app.evaluation.curves import label_scores
from app.evaluation.evaluation import Evaluation, judged, limits_of
from app.settings.model import Settings, SettingsError
from tests.build import some
from tests.unit.evaluation.made import answer

ROWS = {row.key: row for section in setting_sections(Settings(), {}) for row in section.rows}

RIGHT, WRONG, OTHER = (answer("a", given) for given in ("a:0.9", "b:0.8", "c:0.7"))


def evaluated(*answers: Answered, task: Task = Task.INTENT) -> Evaluation:
    return judged(task, "balanced", answers, Settings())


def turning(fixed: int, broken: int, other: int = 0, same: int = 1) -> Comparison:
    before = [WRONG] * fixed + [RIGHT] * broken + [WRONG] * other + [RIGHT] * same
    after = [RIGHT] * fixed + [WRONG] * broken + [OTHER] * other + [RIGHT] * same
    return compared(evaluated(*before), evaluated(*after))


def sweep(key: str = "fallback_threshold", **values: tuple[int, int]) -> Sweep:
    before = evaluated(*[WRONG] * 10, *[RIGHT] * 10)
    rows = []
    for name, (fixed, broken) in values.items():
        after = [RIGHT] * fixed + [WRONG] * (10 - fixed) + [WRONG] * broken + [RIGHT] * (10 - broken)
        value = name.removeprefix("v").replace("_", ".") if name.startswith("v") else name
        rows.append(SweepRow(value, compared(before, evaluated(*after)), (fixed, broken) == (0, 0)))
    return Sweep(key, before, tuple(rows))


# ---- words


def test_that_the_verdict_counts_what_turns() -> None:
    assert turned_sentence(turning(0, 0)) == "Every case is answered as before."
    assert turned_sentence(turning(1, 1)) == "1 case fixed, 1 broken."
    assert turned_sentence(turning(2, 0, 1)) == "2 cases fixed, 0 broken. 1 more fails in another way."


def test_that_chance_is_told_in_plain_words_with_the_name_of_the_test() -> None:
    assert chance_sentence(turning(0, 0, 1)) == ""
    sure = chance_sentence(turning(12, 1))
    assert sure.startswith("This is more than chance. If fixed or broken were a toss-up for each of the 13 cases that")
    assert "in 0.34 % of all tries (McNemar's exact test, p = 0.0034)" in sure
    assert chance_sentence(turning(12, 1), 20).endswith("As 20 values were tried, it takes p below 0.0025.")
    assert chance_sentence(turning(12, 1), 20).startswith("This may be chance.")
    assert "for the case that changed" in chance_sentence(turning(1, 0))
    assert "100 % of all tries" in chance_sentence(turning(1, 0))
    assert "fewer than 0.1 %" in chance_sentence(turning(20, 0))
    assert (p_text(0.0001), p_text(0.035), p_text(1.0)) == ("p < 0.001", "p = 0.035", "p = 1")


def test_that_a_case_says_what_it_expects() -> None:
    unwanted = Answered(Case("?", (), Task.POWER, unwanted=("b",)), (), (RankedName("b", 0.9),), None, rejected=False)
    assert [expected(one) for one in (RIGHT, answer("oos", "b:0.9"), unwanted)] == ["a", "no match", "not b"]


def test_that_the_lines_of_a_comparison_hold_figures_verdict_and_cases() -> None:
    lines = comparison_lines(turning(25, 1, 1), {"combination": "max"})
    assert lines[0] == "Under combination=max"
    assert lines[1].startswith("25 cases fixed, 1 broken.")
    assert lines[3].split()[-3:] == ["today", "then", "change"]
    assert "Fixed (25)" in lines
    assert "  and 5 more; --json has all" in lines
    cells = [line.split() for line in lines]
    assert ["a", "b", "80", "%", "a", "90", "%", "?"] in cells
    assert ["a", "b", "80", "%", "c", "70", "%", "?"] in cells


def test_that_the_document_of_a_comparison_holds_every_case_that_turns() -> None:
    told = comparison_document(turning(25, 1, 1), {"combination": "max"})
    assert told["settings"] == {"combination": "max"}
    assert (told["fixed"], told["broken"], told["net"], told["more_than_chance"]) == (25, 1, 24, True)
    assert {kind: len(cases) for kind, cases in told["cases"].items()} == {"fixed": 25, "broken": 1, "otherwise": 1}
    assert told["cases"]["broken"][0]["after"] == {
        "predicted": "b",
        "confidence": 0.8,
        "delivered": "wrong",
        "unexpected": [],
    }


def test_that_a_sweep_says_which_value_is_best_and_if_that_is_more_than_chance() -> None:
    assert sweep_verdict(sweep()) == "No value was tried."
    today = "No value delivers more cases as expected than the current one."
    assert sweep_verdict(sweep(v0_1=(0, 0), v0_2=(0, 1))) == today
    assert sweep_verdict(sweep(v0_1=(1, 1), v0_2=(0, 1))) == today
    assert sweep_verdict(sweep(v0_1=(0, 2), v0_2=(0, 1))) == f"{today} The best of them is 0.2."
    assert sweep_verdict(sweep(v0_1=(0, 0), v0_2=(8, 0))).startswith("0.2 is best. 8 cases fixed")
    assert sweep_verdict(sweep(v0_1=(0, 0), v0_2=(1, 0))).startswith("No value beats the current one by more than")


def test_that_the_lines_of_a_sweep_mark_what_is_best() -> None:
    lines = sweep_lines(sweep(v0_1=(0, 0), v0_2=(8, 0)))
    heads, now, first, second = (line.split() for line in lines[1:5])
    assert heads[:6] == ["value", "mark", "fixed", "broken", "p", "delivered"]
    assert now[0] == "today"
    assert first[:2] == ["0.1", "today"]
    assert second[:3] == ["0.2", "best", "8"]
    assert "%*" in second
    told = sweep_document(sweep(v0_1=(0, 0), v0_2=(8, 0)))
    assert "cases" not in told
    assert (told["sweep"]["best"], told["sweep"]["better_than_chance"]) == ("0.2", True)
    assert [row["right"] for row in told["sweep"]["values"]] == [10, 18]
    assert sweep_document(sweep())["sweep"]["best"] is None


# ---- the window


def test_that_an_evaluation_of_today_lists_wrong_and_right_cases() -> None:
    shown = evaluation_view(evaluated(RIGHT, WRONG, answer("oos", "b:0.1")))
    assert shown.verdict == "2 of 3 cases delivered as expected (66.7 %); 1 wrong."
    assert [line.place for line in shown.lists["wrong"]] == [1]
    figures, others, bands, bins = shown.tables
    assert figures.heads == others.heads == ("today",)
    assert [(row.what, *row.cells) for row in figures.rows] == [
        ("Delivered as expected", "66.7 %"),
        ("Expected answer first", "50.0 %"),
        ("No match where none fits", "100 %"),
        ("Calibration error", "0.333"),
    ]
    assert figures.remark.endswith("Delivered lies between 20.8 % and 93.9 % (95 % interval).")
    assert "Among the first 3" in [row.what for row in others.rows]
    assert sum(int(row.cells[0]) for row in bands.rows) == 3
    assert [row.what for row in bins.rows] == ["10 to 90 %"]
    assert shown.chart is not None
    assert [one.name.split(",")[0] for one in shown.chart.series] == ["ideal", "today"]
    assert evaluation_view(evaluated()).chart is None


def test_that_a_comparison_sets_both_beside_each_other() -> None:
    shown = comparison_view(turning(8, 0, 1), {"combination": "max"})
    assert shown.is_better
    assert shown.tables[0].rows[0].cells == ("10.0 %", "90.0 %", "+80.0 points")
    assert {kind: len(lines) for kind, lines in shown.lists.items()} == {"fixed": 8, "broken": 0, "otherwise": 1}
    assert shown.chart is not None
    assert [one.name for one in shown.chart.series] == ["ideal", "today, 10 cases a point", "then, 10 cases a point"]
    assert not comparison_view(turning(8, 0), {}, tried=20).is_better
    worse = comparison_view(turning(0, 8), {})
    assert (worse.is_better, worse.is_worse, worse.verdict[:6]) == (False, True, "Worse:")
    same = comparison_view(turning(0, 0), {})
    assert len(some(same.chart).series) == 2


def test_that_powers_have_tiers_and_types_neither() -> None:
    power = answer("a", "a:0.9", task=Task.POWER, tier=Tier.ACTIVATED, meant=Tier.ACTIVATED)
    tables = evaluation_view(evaluated(power, task=Task.POWER)).tables
    assert [table.title for table in tables] == ["Power, 1 case", "More metrics", "Tiers", "Reliability"]
    told = metrics(evaluated(power, task=Task.POWER))
    assert (told["Confident in one power"], told["Wrong where confident"], told["Turns at most"]) == (
        "100 %",
        "0 %",
        "1.000",
    )
    wrong = answer("a", "b:0.9", task=Task.POWER, tier=Tier.ACTIVATED)
    lost = answer("a", "a:0.1", task=Task.POWER, tier=Tier.NOT_FOUND)
    told = metrics(evaluated(power, wrong, lost, lost, task=Task.POWER))
    assert (told["Confident in one power"], told["Wrong where confident"]) == ("50.0 %", "50.0 %")
    assert "Wrong where confident" not in metrics(evaluated(lost, task=Task.POWER))
    blocked = replace(power, delivered=Delivered(found_power="a", blocker=ActivationBlocker.APPROVAL))
    (tiers,) = [
        one for one in evaluation_view(evaluated(power, blocked, task=Task.POWER)).tables if one.title == "Tiers"
    ]
    counts = {row.what: row.cells for row in tiers.rows}
    assert (counts["Would be activated"], counts["Confident, not approved"]) == (("1",), ("1",))
    tables = evaluation_view(evaluated(answer("a", "a:0.9", task=Task.TYPE), task=Task.TYPE)).tables
    assert [table.title for table in tables] == ["Type, 1 case", "More metrics", "Reliability"]


def metrics(evaluation: Evaluation) -> dict[str, str]:
    """Return each metric of a view by its title."""
    return {row.what: row.cells[0] for table in evaluation_view(evaluation).tables[:2] for row in table.rows}


def test_that_a_case_shows_its_result_with_a_sign_and_what_keeps_it_from_passing() -> None:
    memory, untyped = ("m", "a"), Delivered(can_inject=True, needs=0.95)
    lines = [
        CaseLine(0, replace(RIGHT, delivered=one))
        for one in (Delivered((memory,), "git", True), untyped, replace(untyped, has_type=True), Delivered((memory,)))
    ]
    columns = {column.key: column for column in CASE_COLUMNS}
    shown = [tuple(columns[key].cell(line) for key in ("result", "answer")) for line in [*lines, CaseLine(4, WRONG)]]
    assert shown == [
        ("✗ unexpected", "a, and git"),
        ("✗ not delivered", "a, not injected (95 % needed without a type)"),
        ("✗ not delivered", "a, not injected (95 % needed)"),
        ("✓ delivered", "a"),
        ("✗ wrong", "b"),
    ]
    tone = some(columns["result"].tone)
    assert [tone(line) for line in lines] == ["danger", "danger", "danger", "success"]


@pytest.mark.parametrize("task", [Task.INTENT, Task.POWER, Task.TYPE])
def test_that_a_row_keeps_the_side_of_every_threshold(task: Task) -> None:
    (cell,) = (column.cell for column in CASE_COLUMNS if column.key == "confidence")
    limits = limits_of(task, Settings())
    for value in (limit + step / 2_000 for limit in limits for step in range(-25, 26)):
        shown = cell(CaseLine(0, replace(answer("a", f"a:{value}", task=task), limits=limits)))
        assert numbers.keeps_sides(value, str(float(shown[:-2]) / 100), limits), (value, shown)


def test_that_a_sweep_over_numbers_is_drawn_in_their_order() -> None:
    shown = sweep_view(sweep(v0_4=(2, 0), v0_1=(0, 0), v0_2=(8, 0)))
    assert shown.best == 2
    assert shown.chart is not None
    first = shown.chart.series[0]
    assert first.xs == (0.1, 0.2, 0.4)
    assert first.ys == (0.5, 0.9, 0.6)
    assert shown.chart.at == ((0.2, "best"), (0.1, "today"))
    assert (shown.chart.across_name, shown.chart.up_name) == ("Answer threshold", "share of cases")
    assert shown.chart.up[0] <= 0.5
    assert shown.chart.up[1] >= 0.9
    assert some(sweep_view(sweep(v0_1=(10, 0), v0_2=(0, 10))).chart).up == (0.0, 1.0)
    assert sweep_view(sweep("combination", max=(0, 0), cascade=(1, 0))).chart is None
    assert value_view(shown, 1).changes == {}
    assert value_view(shown, 2).changes == {"fallback_threshold": "0.2"}
    cells = {column.key: column.cell(shown.lines[2]) for column in SWEEP_COLUMNS}
    assert (cells["value"], cells["mark"], cells["fixed"], cells["delivered"]) == ("0.2", "best", "8", "90.0 %*")
    assert [column.cell(shown.lines[1]) for column in SWEEP_COLUMNS[1:5]] == ["today", "0", "0", ""]


def test_that_lists_are_sorted_by_any_column() -> None:
    lines = comparison_view(turning(1, 1, 1), {}).lists
    mixed = [line for turn in CaseChange for line in lines[turn.value]]
    for column in CASE_COLUMNS:
        assert len(sorted_cases(mixed, column.order, descending=True)) == len(mixed)
        assert all(isinstance(column.cell(line), str) for line in mixed)
    rising = sorted_cases(mixed, CONFIDENCE, descending=False)
    assert [line.before.confidence for line in rising] == [0.8, 0.8, 0.9]
    assert sorted_cases(mixed, "", descending=False) == mixed
    alone = evaluation_view(evaluated(WRONG)).lists["wrong"]
    assert all(column.cell(alone[0]) is not None for column in CASE_COLUMNS)


def test_that_each_task_offers_what_its_answers_depend_on() -> None:
    for task in Task:
        rows = rows_for(task, Settings(), {})
        assert rows, task
        assert all(can_sweep(row) for row in rows), task
        assert default_values(rows[0]), task
        choices = [value for value, _ in compare_choices(rows)]
        assert choices[:2] == list(PRESET_WORDS)
        assert choices[-1] == SEVERAL
    assert "tiers.ambiguity_margin" in {row.key for row in rows_for(Task.POWER, Settings(), {})}
    assert "search_intent.surfacing_confidence" in {row.key for row in rows_for(Task.MEMORY, Settings(), {})}


def test_that_several_settings_are_written_in_a_line() -> None:
    told = parse_changes("combination=max; retrieval_fuzzy_threshold = 0.8;")
    assert told == {"combination": "max", "thresholds.fuzzy": "0.8"}
    for text in ("", " ; ", "combination"):
        with pytest.raises(SettingsError):
            parse_changes(text)


# ---- values of a sweep


@pytest.mark.parametrize(
    ("key", "text", "values"),
    [
        ("fallback_threshold", "0:0.2:0.05", ("0", "0.05", "0.1", "0.15", "0.2")),
        ("fallback_threshold", "0.1,0.3, 0.1", ("0.1", "0.3")),
        ("fallback_threshold", "0:0.2:0.1,0.5", ("0", "0.1", "0.2", "0.5")),
        ("fallback_threshold", "0.3:0.1:-0.1", ("0.3", "0.2", "0.1")),
        ("combination", "max,cascade", ("max", "cascade")),
        ("combination", "all", tuple(value for value, _ in ROWS["combination"].choices)),
        ("use_hybrid_retrieval", "all", ("true", "false")),
        ("search_intent.llm_max_in_flight", "1:3:1", ("1", "2", "3")),
    ],
)
def test_that_values_are_read_as_they_are_written(key: str, text: str, values: tuple[str, ...]) -> None:
    assert parse_values(ROWS[key], text) == values


def test_that_a_range_without_a_step_and_no_values_at_all_have_twenty_steps() -> None:
    row = ROWS["fallback_threshold"]
    assert len(parse_values(row, "0:1")) == 21
    assert parse_values(row, "") == parse_values(row, "all") == parse_values(row, "0:1")
    assert len(parse_values(ROWS["search_intent.llm_max_in_flight"], "all")) == 16


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("combination", "sum", "not a value of “combination”"),
        ("fallback_threshold", "high", "neither a number nor a range"),
        ("fallback_threshold", "0:1:0", "neither a number nor a range"),
        ("fallback_threshold", "0:1:0.1:2", "neither a number nor a range"),
        ("fallback_threshold", "0:1:1e-9", "this range has far more"),
        ("fallback_threshold", "0:1e308:1e-308", "this range has far more"),
        ("fallback_threshold", "0:1:0.001", f"At most {MOST}"),
        ("fallback_threshold", "0:1:0.00001", "not 100,001"),
        ("search_intent.llm_max_in_flight", "1:2:0.5", "whole numbers"),
        ("llm.url", "http://localhost", "is a text"),
        ("weights.fuzzy", "all", "has no end"),
        ("fallback_threshold", ",", "has no end"),
    ],
)
def test_that_what_is_no_value_is_refused_in_a_sentence(key: str, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_values(ROWS[key], text)


def test_that_every_offer_can_be_read() -> None:
    for row in ROWS.values():
        if can_sweep(row) and default_values(row):
            assert 1 < len(parse_values(row, default_values(row))) <= MOST, row.key


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
    by_label = sorted_cases(shown.cases, "text", descending=False, pick=cases_of_label("b"))
    assert [line.place for line in by_label] == [1, 2]
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
    confidence = rows(PICTURES_CONFIDENCE)
    assert sum(int(row[2]) + int(row[3]) for row in confidence[1:21]) == 5
    assert confidence[22] == ["curve", "coverage", "precision"]
    assert rows(RETRIEVAL)[1][1:] == ["1", str(2 / 3)]
    assert rows(RETRIEVAL, [answer("oos", "")])[:2] == [["curve", "among_first", "recall"], []]


def test_that_every_case_and_gate_is_a_test_and_the_wrong_ones_fail() -> None:
    evaluation = judged(Task.INTENT, "max", [answer("a", "a:0.9"), answer("b", "a:0.8 b:0.7")], Settings())
    root = ElementTree.fromstring(junit_xml(evaluation, [Gated("top1>=0.9", 0.5, held=False), Gated("ece<1", 0, True)]))
    cases, gates = root.findall("testsuite")
    assert (cases.attrib["name"], cases.attrib["tests"], cases.attrib["failures"]) == ("intent", "2", "1")
    (failure,) = cases.iter("failure")
    assert failure.attrib["message"] == "expected b, got a"
    assert failure.text == "80 % a\n70 % b"
    assert [one.attrib["message"] for one in gates.iter("failure")] == ["gate not met: top1>=0.9 (0.5)"]


def test_that_any_text_makes_a_document_that_can_be_read() -> None:
    odd = answer("a", "b:0.9")
    odd = replace(odd, case=replace(odd.case, text='<&">\x00\x1b\ud800 one\ntwo'))
    root = ElementTree.fromstring(junit_xml(judged(Task.INTENT, "max", [odd], Settings())))
    (case,) = root.iter("testcase")
    assert case.attrib["name"] == '<&">\ufffd\ufffd\ufffd one\ntwo'
