"""Tests of comparisons and sweeps in words, tables, documents, charts and JUnit (S7.5)."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

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
    LABEL_COLUMNS,
    LABELS,
    RETRIEVAL,
    cases_of_label,
    confusion_matrix,
    diagnostics_csv,
    diagnostics_of,
    reliability_chart,
)
from app.display.evaluation.results import (
    CASE_COLUMNS,
    CONFIDENCE,
    CaseLine,
    EvaluationView,
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
from app.display.evaluation.thresholds import AnsweredCases, neighbours, precision_target_view, refusal, try_threshold
from app.display.library.tables import sorted_by
from app.display.system.settings import THRESHOLDS, setting_sections
from app.domain.case import Case, Delivered, Task
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered, RankedName, Top, Tops
from app.evaluation.comparison import CaseChange, Comparison, Sweep, SweepRow, compared
from app.evaluation.curves import label_scores
from app.evaluation.evaluation import Evaluation, judged
from app.settings.model import Settings, SettingsError, layer
from tests import golden
from tests.build import some
from tests.golden import written
from tests.gui.inspections import design, undetected
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


# ---- the window


GOLDEN = Path(__file__).with_name("comparison.txt")
"""Reviewed text of comparisons, sweeps and figures; `GOLDEN.write_text(read())` writes it again."""

UNWANTED = Answered(Case("?", (), Task.POWER, unwanted=("b",)), (), (RankedName("b", 0.9),), None, rejected=False)
OOS, POWER = answer("oos", "b:0.9"), answer("a", "a:0.9", task=Task.POWER, tier=Tier.ACTIVATED, meant=Tier.ACTIVATED)
WRONG_POWER = answer("a", "b:0.9", task=Task.POWER, tier=Tier.ACTIVATED)
LOST = answer("a", "a:0.1", task=Task.POWER, tier=Tier.NOT_FOUND)
FIVE = [
    answer("a", "a:0.9 b:0.5"),
    answer("b", "a:0.8 b:0.7"),
    answer("b", "b:0.2 a:0.1"),
    answer("oos", "a:0.25"),
    answer("", "c:0.6"),
]
BETTER = [answer("a", "a:0.9"), answer("b", "b:0.8"), *FIVE[2:]]


def of(answers: Sequence[Answered]) -> Evaluation:
    return judged(Task.INTENT, "max", answers, Settings())


def evaluations() -> Iterator[Evaluation]:
    """Yield evaluations of labels, of powers with each outcome, and of types."""
    yield evaluated(RIGHT, WRONG, answer("oos", "b:0.1"))
    yield evaluated(POWER, task=Task.POWER)
    yield evaluated(POWER, WRONG_POWER, LOST, LOST, task=Task.POWER)
    yield evaluated(LOST, task=Task.POWER)
    blocked = replace(POWER, delivered=Delivered(found_power="a", blocker=ActivationBlocker.APPROVAL))
    yield evaluated(POWER, blocked, task=Task.POWER)
    yield evaluated(answer("a", "a:0.9", task=Task.TYPE), task=Task.TYPE)


def view_text(view: EvaluationView) -> Iterator[str]:
    """Yield verdict, tables and legend of a view, and the number of cases in each list."""
    yield view.verdict
    for table in view.tables:
        yield f"  {table.title}: {', '.join(table.heads)}"
        yield from (f"    {row.what}: {' | '.join(row.cells)}" for row in table.rows)
        if table.remark:
            yield f"    {table.remark}"
    yield f"  drawn: {' | '.join(one.name for one in view.chart.series) if view.chart else 'nothing'}"
    yield f"  listed: {golden.line({name: len(lines) for name, lines in view.lists.items()})}"


def results() -> Iterator[tuple[str, ...]]:
    """Yield result, its tone and the answer of a case that is blocked in each way, delivered, and wrong."""
    untyped = Delivered(can_inject=True, needs=0.95)
    lacking = (Delivered((("m", "a"),), "git", True), untyped, replace(untyped, has_type=True))
    columns = {column.key: column for column in CASE_COLUMNS}
    for one in (*(replace(RIGHT, delivered=one) for one in (*lacking, Delivered((("m", "a"),)))), WRONG):
        shown = CaseLine(0, one)
        yield columns["result"].cell(shown), some(columns["result"].tone)(shown), columns["answer"].cell(shown)


def read() -> str:
    turned = [turning(0, 0), turning(1, 1), turning(2, 0, 1), turning(12, 1), turning(1, 0), turning(20, 0)]
    compared_views = [comparison_view(turning(*counts), {}) for counts in ((8, 0, 1), (0, 8), (0, 0))]
    tried = sweep(v0_4=(2, 0), v0_1=(0, 0), v0_2=(8, 0))
    shown, mixed = sweep_view(tried), some(confusion_matrix([*FIVE, *(answer(x, f"{x}:0.9") for x in "xyz")]))
    sweeps = (
        sweep(),
        sweep(v0_1=(0, 0), v0_2=(0, 1)),
        sweep(v0_1=(1, 1), v0_2=(0, 1)),
        sweep(v0_1=(0, 2), v0_2=(0, 1)),
        sweep(v0_1=(0, 0), v0_2=(8, 0)),
        sweep(v0_1=(0, 0), v0_2=(1, 0)),
    )
    orders = (("", False), ("precision", True), ("precision", False))
    both, same = diagnostics_of(of(FIVE), of(BETTER)), diagnostics_of(of(FIVE), of(FIVE))
    charts = {
        "retrieval": both.retrieval,
        "precision and recall": both.precision_recall,
        "coverage": both.coverage,
        "coverage, both alike": same.coverage,
        "reliability": reliability_chart(of(FIVE), None),
        "sweep": shown.chart,
        "sweep to the ends": sweep_view(sweep(v0_1=(10, 0), v0_2=(0, 10))).chart,
        "sweep of choices": sweep_view(sweep("combination", max=(0, 0), cascade=(1, 0))).chart,
    }
    return written(
        {
            "what turned": [(turned_sentence(one), chance_sentence(one)) for one in turned],
            "chance among 20 values": chance_sentence(turning(12, 1), 20),
            "p": map(p_text, (0.0001, 0.035, 1.0)),
            "expected": map(expected, (RIGHT, OOS, UNWANTED)),
            "lines of a comparison": comparison_lines(turning(25, 1, 1), {"combination": "max"}),
            "document of a comparison": comparison_document(turning(2, 1, 1), {"combination": "max"}),
            "best of a sweep": map(sweep_verdict, sweeps),
            "lines of a sweep": sweep_lines(sweep(v0_1=(0, 0), v0_2=(8, 0))),
            "document of a sweep": sweep_document(sweep(v0_1=(0, 0), v0_2=(8, 0)))["sweep"],
            "best in the document": [sweep_document(one)["sweep"]["best"] for one in sweeps],
            "evaluations": (line for one in evaluations() for line in view_text(evaluation_view(one))),
            "comparisons": (line for one in compared_views for line in view_text(one)),
            "better and worse": [(one.is_better, one.is_worse) for one in compared_views],
            "better among 20 values": comparison_view(turning(8, 0), {}, tried=20).is_better,
            "results": results(),
            "sweep": [
                [column.title for column in SWEEP_COLUMNS],
                *([column.cell(line) for column in SWEEP_COLUMNS] for line in shown.lines),
            ],
            "changes of a value": [value_view(shown, place).changes for place in (1, 2)],
            "charts": charts,
            "labels": mixed.labels,
            "grid": [mixed.grid(4).names, *mixed.grid(4).counts],
            "cell": [mixed.grid(4).accessible_text(1, 2), mixed.grid(4).is_right(3, 3)],
            "order of labels": [
                [one.label for one in sorted_by(LABEL_COLUMNS, label_scores(FIVE), key, descending=descending)]
                for key, descending in orders
            ],
            **{
                f"{view} as CSV": diagnostics_csv(diagnostics_of(of(FIVE)), view).splitlines()
                for view in (LABELS, CONFUSION, RETRIEVAL, PICTURES_CONFIDENCE)
            },
            "retrieval of nothing as CSV": diagnostics_csv(
                diagnostics_of(of([answer("oos", "")])), RETRIEVAL
            ).splitlines(),
        }
    )


def test_that_comparisons_sweeps_and_figures_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert evaluation_view(evaluated()).chart is None


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


def test_that_every_offer_can_be_read() -> None:
    for row in ROWS.values():
        if can_sweep(row) and default_values(row):
            assert 1 < len(parse_values(row, default_values(row))) <= MOST, row.key


def test_that_cases_that_say_only_what_is_unwanted_are_in_no_cell() -> None:
    odd = Answered(Case("?", (), Task.INTENT, unwanted=("a",)), (), (RankedName("b", 0.9),), None, rejected=False)
    assert confusion_matrix([odd]) is None
    assert not cases_of_label(None).matches(odd)
    assert diagnostics_of(of([odd])).confidence is None


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


def test_that_any_text_makes_a_document_that_can_be_read() -> None:
    odd = answer("a", "b:0.9")
    odd = replace(odd, case=replace(odd.case, text='<&">\x00\x1b\ud800 one\ntwo'))
    root = ElementTree.fromstring(junit_xml(judged(Task.INTENT, "max", [odd], Settings())))
    (case,) = root.iter("testcase")
    assert case.attrib["name"] == '<&">\ufffd\ufffd\ufffd one\ntwo'


SETTINGS = Settings()


def some_tops(n: int = 400) -> list[Top]:
    dice = random.Random(5)
    values = [dice.choice((0.0, 0.3, 0.5, 0.75, 0.85, 1.0, dice.random())) for _ in range(n)]
    return [Top(v, dice.random() < 0.7, dice.random() < 0.1, dice.choice((0.01, 0.04, 0.2, 1.0))) for v in values]


def cases(task: Task, tops: list[Top]) -> AnsweredCases:
    return AnsweredCases(Tops(len(tops), len(tops), {task: tuple(tops)}))


@pytest.mark.parametrize("key", THRESHOLDS)
def test_that_what_the_settings_refuse_is_refused_here_and_nothing_else(key: str) -> None:
    for value in (0.0, 0.29, 0.3, 0.5, 0.62, 0.75, 0.85, 1.0):
        try:
            layer(here={key: str(value)})
        except ValueError:
            assert refusal(key, value, SETTINGS)
        else:
            assert refusal(key, value, SETTINGS) == ""


THRESHOLDS_GOLDEN = Path(__file__).with_name("thresholds.txt")
"""Reviewed text of tried thresholds; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
CONTRADICTIONS = (("tiers.weak", 0.7), ("tiers.high", 0.4), ("tiers.medium", 0.95), ("bands.medium", 0.8))
CHANGES = (
    ("tiers.medium", 0.7),
    ("tiers.medium", 0.6),
    ("bands.high", 0.9),
    ("search_intent.surfacing_threshold", 0.55),
    ("search_intent.min_confidence", 0.2),
)


def trials() -> Iterator[tuple[str, object]]:
    """Yield trials: refused values, changes of the answer on screen, and missing answers or cases."""
    tops, none = cases(Task.POWER, some_tops()), AnsweredCases()
    for key, value in CONTRADICTIONS:
        yield f"{key} = {value} is refused", try_threshold(key, value, SETTINGS, design(), tops)
    for key, value in CHANGES:
        yield f"{key} = {value}", try_threshold(key, value, SETTINGS, design(), none)
    memories = replace(design(), matches=tuple(match for match in design().matches if match.band is not None))
    yield "no query", try_threshold("tiers.high", 0.9, SETTINGS, None, none)
    yield "no power", try_threshold("tiers.high", 0.9, SETTINGS, memories, none)
    injecting = "search_intent.surfacing_threshold"
    yield "no type", try_threshold(injecting, 0.9, SETTINGS, undetected("x"), none)
    type_ = some(design().detection.intent).type
    report = LlmReport(LlmOutcome.ANSWERED, ms=100.0, answer=LlmAnswer(type_, 0.91, "one_token", distribution={}))
    answered = replace(design(), trace=replace(design().trace, llm=report))
    types = cases(Task.TYPE, some_tops())
    yield "the LLM answered", try_threshold("search_intent.min_confidence", 0.95, SETTINGS, answered, types)
    for name, key, state in (
        ("cases are answered", "tiers.high", AnsweredCases(Tops(64, 240, {}))),
        ("no cases of powers", "tiers.high", AnsweredCases(Tops(0, 0, {}))),
        ("no cases of types", injecting, AnsweredCases(Tops(0, 0, {}))),
        ("a fault", "tiers.high", AnsweredCases(None, "The encoder failed.")),
    ):
        yield name, try_threshold(key, 0.9, SETTINGS, None, state)
    both = {Task.INTENT: (Top(0.9, is_right=True),), Task.MEMORY: (Top(0.1, is_right=False),)}
    for key in ("bands.high", "tiers.high"):
        tried = try_threshold(key, 0.8, SETTINGS, None, AnsweredCases(Tops(2, 2, both)))
        yield f"{key} with labels and single memories", (tried.cases, *tried.levels)


def promises() -> Iterator[tuple[str, object]]:
    """Yield values for a precision: by cases, by texts outside the fit, and none."""
    good = [Top(0.6 + place / 1000, is_right=place % 40 != 3) for place in range(300)]
    strange = [Top(place / 100, is_right=False, expects_none=True) for place in range(70)]
    folds = {True: (*good, *strange)}
    labelled = {Task.POWER: (*good[:100], Top(0.9, is_right=True, is_labelled=False))}
    by_folds = Tops(0, 0, {}, folds)
    for name, key, tops, wanted, share in (
        ("by cases", "tiers.high", Tops(1, 1, labelled, folds), 0.9, 0.05),
        ("by folds", "tiers.high", by_folds, 0.95, 0.3),
        ("kept by no value", "tiers.high", by_folds, 0.9999, 0.05),
        ("without folds", "bands.high", by_folds, 0.9, 0.05),
        ("while cases are answered", "tiers.high", Tops(0, 3, {}, folds), 0.9, 0.05),
    ):
        yield f"promise {name}", precision_target_view(key, tops, wanted, share)


def thresholds_read() -> str:
    near = {key: neighbours(key, SETTINGS) for key in ("tiers.high", "bands.medium", "tiers.ambiguity_margin")}
    return written({**dict(trials()), **dict(promises()), "neighbours": near})


def test_that_tried_thresholds_read_as_reviewed() -> None:
    assert thresholds_read() == THRESHOLDS_GOLDEN.read_text("utf-8")


def test_that_fixed_cases_that_cannot_start_are_told() -> None:
    blocked = replace(POWER, delivered=Delivered(found_power="a", blocker=ActivationBlocker.APPROVAL))
    for after, waits in ((blocked, True), (POWER, False)):
        both = compared(evaluated(LOST, task=Task.POWER), evaluated(after, task=Task.POWER))
        gains = some(both.after.metrics["delivered"]) > some(both.before.metrics["delivered"])
        assert (both.fixed, gains, "could not start" in turned_sentence(both)) == (1, not waits, waits)
