"""Tests of a session's times as rows and as lines of a file."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.scope.timing import (
    CSV_HEAD,
    FLOOR,
    ON_SCREEN,
    Durations,
    axis_end,
    bins,
    next_round_step,
    over_budget,
    parse_stages,
    percentile,
    session_csv,
    session_rows,
    ticks,
)

TIMES = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=40)


def kept(*times: float) -> Durations:
    durations = Durations()
    for ms in times:
        durations.add(ms)
    return durations


def test_that_the_answer_comes_first_and_stages_without_a_run_not_at_all() -> None:
    durations = {"keywords": kept(0.2), "llm": kept(), FLOOR: kept(0.5), ON_SCREEN: kept(8.0)}
    assert [row.stage for row in session_rows(durations, {})] == ["Answer on screen", "Keywords + lexical", "Keywords"]


def test_that_a_time_a_hair_over_the_budget_does_not_read_as_the_budget() -> None:
    cells = session_rows({ON_SCREEN: kept(10.01)}, {ON_SCREEN: 10.0})[0].cells
    assert cells[1] == "10.01"
    assert cells[-1] == "1 (100 %)"


@given(TIMES, TIMES)
def test_that_the_file_holds_every_run_as_it_was(screen: list[float], embed: list[float]) -> None:
    text = session_csv({ON_SCREEN: kept(*screen), "embed query": kept(*embed)})
    head, *lines = csv.reader(io.StringIO(text))
    assert tuple(head) == CSV_HEAD
    assert {line[3] for line in lines} == {"ms"}
    assert [float(line[2]) for line in lines if line[0] == ON_SCREEN] == screen
    assert [int(line[1]) for line in lines if line[0] == "embed query"] == list(range(1, len(embed) + 1))


def test_that_stages_are_read_from_a_setting_whatever_its_blanks() -> None:
    assert parse_stages(" llm, on screen ,,") == {"llm", "on screen"}
    assert parse_stages("") == frozenset()


# ---- Durations as bins, percentiles and axes.


BINNED_TIMES = st.lists(st.floats(0.01, 2_000.0), min_size=1, max_size=200).map(sorted)


@given(BINNED_TIMES, st.booleans())
def test_that_the_bars_beyond_the_budget_hold_exactly_what_is_over_it(ordered: list[float], log: bool) -> None:
    made = bins(ordered, 10.0, log=log)
    over = sum(count for count, is_over in zip(made.counts, made.over, strict=True) if is_over)
    assert over == sum(ms > 10.0 for ms in ordered)
    assert over_budget(ordered, 10.0)[1].startswith(f"{over} of {len(ordered)} over (")


def test_that_one_run_over_a_budget_far_away_flattens_nothing() -> None:
    made = bins([0.02 + 0.0001 * (n % 30) for n in range(300)] + [14.0], 10.0)
    assert len(made.counts) <= 60
    assert made.high < 0.1
    assert [count for count, is_over in zip(made.counts, made.over, strict=True) if is_over] == [1]


@given(BINNED_TIMES, st.booleans())
def test_that_an_edge_falls_on_the_budget(ordered: list[float], log: bool) -> None:
    made = bins(ordered, 10.0, log=log)
    steps = (made.lefts[-1] - made.place(10.0)) / made.width
    assert steps == pytest.approx(round(steps), abs=1e-6)


@given(BINNED_TIMES, st.sampled_from([50, 90, 99]))
def test_that_a_percentile_is_one_of_the_runs_and_has_its_share_at_or_below(ordered: list[float], share: int) -> None:
    value = percentile(ordered, share)
    assert value in ordered
    assert sum(ms <= value for ms in ordered) >= share / 100 * len(ordered)


def test_that_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 50)


def test_that_one_run_has_one_bar_that_does_not_fill_the_axis() -> None:
    made = bins([0.2], None)
    assert sum(count > 0 for count in made.counts) == 1
    assert made.high - made.low > 3 * made.width


def test_that_the_budget_line_reads_as_in_the_design_and_what_equals_the_budget_is_within_it() -> None:
    ordered = [5.0] * 396 + [11.0] * 16
    assert over_budget(ordered, 10.0) == ("10 ms budget", "16 of 412 over (3.9 %)")
    assert over_budget([10.0], 10.0)[1] == "0 of 1 over (0 %)"
    made = bins([10.0], 10.0)
    assert not any(is_over for count, is_over in zip(made.counts, made.over, strict=True) if count)


@given(st.lists(st.floats(0.0, 100.0), max_size=60))
def test_that_old_durations_fall_out_and_the_rest_stay_sorted(values: list[float]) -> None:
    durations = Durations(kept=20)
    for value in values:
        durations.add(value)
    assert list(durations.sorted()) == sorted(values[-20:])
    durations.clear()
    assert len(durations) == 0


@pytest.mark.parametrize(("width", "step"), [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (60, 100), (0.0, 1.0)])
def test_that_steps_are_one_two_or_five_times_a_power_of_ten(width: float, step: float) -> None:
    assert next_round_step(width) == pytest.approx(step)


def test_that_the_waterfall_stretches_to_the_next_step() -> None:
    assert [axis_end(ms) for ms in (3.0, 12.0, 12.1, 30.0, 800.0)] == [12.0, 12.0, 20.0, 50.0, 1000.0]
    assert ticks(12.0) == (0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0)


def test_that_a_duration_can_be_taken_back_once() -> None:
    durations = Durations()
    for ms in (3.0, 1.0, 3.0):
        durations.add(ms)
    durations.take_back(3.0)
    durations.take_back(7.0)
    assert list(durations.sorted()) == [1.0, 3.0]
    assert len(durations) == 2
