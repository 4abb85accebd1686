"""Results of an evaluation for the window: metric tables, diagnostics, and lists of cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import escape, quoteattr

from app.display import numbers
from app.display.evaluation.comparison import (
    NO_MATCH_RIGHT,
    TURNS,
    chance_sentence,
    changes_text,
    expected,
    metric_values,
    outcome_text,
    turned_sentence,
)
from app.display.evaluation.diagnostics import (
    LABEL_COLUMNS,
    CaseSelection,
    Chart,
    Diagnostics,
    diagnostics_of,
    reliability_chart,
)
from app.display.library.cases import answer_text, delivered_sentence, delivery_text, delivery_tone
from app.display.library.tables import Column, column_lines, sorted_by
from app.display.system.metrics import Row, Table, table_lines
from app.domain.case import TASK_WORDS, Task
from app.domain.language import quantity
from app.domain.match import BAND_WORDS
from app.evaluation.answers import (
    Answered,
    deliveries,
    delivery_of,
    fault_words,
    found_but_lost,
    labelled,
    passes,
    withheld_by,
)
from app.evaluation.comparison import CaseChange, Comparison, interval
from app.evaluation.curves import cuts, label_scores
from app.evaluation.distribution import QUALITY_TARGET, mistakes, quality
from app.evaluation.documents import occupied_tiers, tier_sections
from app.evaluation.evaluation import Evaluation, reliability_groups

METRIC_TITLES: Mapping[str, str] = {
    "delivered": "Delivered as expected",
    "top1": "Expected answer first",
    "top3": "Among the first 3",
    "top5": "Among the first 5",
    "recall10": "Recall at 10",
    "mrr10": "Mean of 1 / rank",
    "accuracy": "Correct before delivery",
    NO_MATCH_RIGHT: "No match where none fits",
    "macro_f1": "F1, mean of labels",
    "auroc": "AUROC, answerable",
    "ece": "Calibration error",
    "tier_accuracy": "Tier as expected",
    "served": "Served in any tier",
    "activated": "Confident in one power",
    "wrongly_activated": "Wrong where confident",
    "friction": "Turns at most",
}
"""Title of every metric, in display order."""

HEADLINE = ("delivered", "top1", NO_MATCH_RIGHT, "wrongly_activated")
"""Metrics of the first table; without expected first answers, as of types, "accuracy" stands for them."""

INDEXES = frozenset({"mrr10", "macro_f1", "auroc", "ece", "friction"})
"""Metrics that are not shares of cases."""

WRONG, RIGHT = "wrong", "right"
"""Lists of an evaluation without comparison."""

LLM_RIGHT, LLM_WRONG, OTHER_POLICY = "llm_right", "llm_wrong", "other_policy"
"""Additional lists if the LLM takes part.

They have the cases that only the LLM fixes or breaks, and those that the other merge policy answers differently.
"""

LISTS: Mapping[str, str] = {
    WRONG: "Failed",
    RIGHT: "Delivered",
    LLM_RIGHT: "LLM fixes",
    LLM_WRONG: "LLM breaks",
    OTHER_POLICY: "By policy",
    **{turn.value: word for turn, word in TURNS.items()},
}
"""Every list of cases by its key, and its title."""

TEXT, EXPECTED, ANSWER = "text", "expected", "answer"
CONFIDENCE, THEN, THEN_CONFIDENCE = "confidence", "then", "then_of"
"""Columns of a list of cases, which are also its sort keys."""

RESULT = "result"
"""Additional column without a comparison."""

CAUSE = "cause"
"""Additional column if causes of changes are known."""


@dataclass(frozen=True, slots=True)
class CaseLine:
    """Case in a list: its place among the cases, its answer, and the tried answer, if any."""

    place: int
    before: Answered
    after: Answered | None = None
    cause: str = ""
    """Cause of a changed answer, if known."""


@dataclass(frozen=True, slots=True)
class EvaluationView:
    """View model of one evaluation or comparison: verdict and significance as sentences.

    `changes` are the settings to apply, {} for none; `is_better`: they do more good than harm, by more than chance.
    """

    verdict: str
    significance: str
    tables: tuple[Table, ...]
    chart: Chart | None
    lists: Mapping[str, tuple[CaseLine, ...]]
    changes: Mapping[str, str] = field(default_factory=dict)
    is_better: bool = False
    diagnostics: Diagnostics | None = None
    cases: tuple[CaseLine, ...] = ()
    """Every case, for selections in the diagnostics."""
    figures: str = ""
    """Most important metrics in one line."""
    since_run: int = 0
    """Stored run compared with in `significance`; 0 for none, or if no case changed."""
    number: int = 0
    """Number of the evaluation of this process; 0 for comparisons."""
    is_worse: bool = False
    """The changes do more harm than good, by more than chance."""
    withheld_by: str = ""
    """Setting that withholds most expected answers; "" for none."""


# ---- views


def evaluation_view(evaluation: Evaluation) -> EvaluationView:
    """Return the view of an evaluation of today: metrics, reliability, and the cases by outcome."""
    tables = _tables(evaluation, None)
    return EvaluationView(
        accuracy_sentence(evaluation),
        _next_sentence(evaluation),
        tables,
        reliability_chart(evaluation, None),
        lists_by_outcome(evaluation),
        diagnostics=diagnostics_of(evaluation),
        cases=case_lines(evaluation),
        figures=figures_line(tables, 1),
        withheld_by=withheld_by(evaluation.answered)[1],
    )


def accuracy_sentence(evaluation: Evaluation) -> str:
    """Format how many cases deliver exactly what they expect, and what the others lack."""
    return delivered_sentence(deliveries(evaluation.answered))


def _next_sentence(evaluation: Evaluation) -> str:
    """Format why failed cases lose an expected first answer, and the next step; "" for none."""
    failed = [one for one in labelled(evaluation.answered) if not passes(one)]
    lost, (_, key) = Counter(words for _, words in found_but_lost(failed)), withheld_by(failed)
    if not failed:
        return ""
    losses = ", ".join(f"{count:,} {words}" for words, count in lost.most_common())
    whole = quantity(len(failed), "failed case")
    first = f"In {lost.total():,} of {whole} the expected answer comes first: {losses}. "
    approve = "approve the powers that are found; " * ("not approved" in lost)
    sweep = f"; Sweep of {key}" * bool(key)
    return f"{first * bool(lost)}Next: {approve}Why not for one of them{sweep}."


def case_lines(evaluation: Evaluation) -> tuple[CaseLine, ...]:
    return tuple(CaseLine(place, answered) for place, answered in enumerate(evaluation.answered))


def lists_by_outcome(evaluation: Evaluation) -> dict[str, tuple[CaseLine, ...]]:
    lines = case_lines(evaluation)
    return {
        WRONG: tuple(line for line in lines if not passes(line.before)),
        RIGHT: tuple(line for line in lines if passes(line.before)),
    }


def comparison_view(comparison: Comparison, changes: Mapping[str, str], tried: int = 1) -> EvaluationView:
    """Return the view of a comparison; `tried` is the number of comparisons on these cases."""
    lists = {
        turn.value: tuple(CaseLine(one.place, one.before, one.after) for one in comparison.of(turn))
        for turn in CaseChange
    }
    before, after = comparison.before, comparison.after
    is_certain = comparison.is_more_than_chance(tried)
    is_better, is_worse = comparison.net > 0 and is_certain, comparison.net < 0 and is_certain
    verdict = f"{'Worse: ' * is_worse}{turned_sentence(comparison)}"
    sentences = verdict, chance_sentence(comparison, tried)
    chart, drawn = reliability_chart(before, after), diagnostics_of(before, after)
    pairs = zip(before.answered, after.answered, strict=True)
    lines = tuple(CaseLine(place, one, other) for place, (one, other) in enumerate(pairs))
    tables = _tables(before, after)
    return EvaluationView(
        *sentences, tables, chart, lists, changes, is_better, drawn, lines, figures_line(tables), is_worse=is_worse
    )


# ---- metric tables


def _tables(before: Evaluation, after: Evaluation | None) -> tuple[Table, ...]:
    made = [*metrics_tables(before, after), _occupancy_table(before, after), bins_table(after or before)]
    return tuple(table for table in made if table is not None and table.rows)


def _heads(after: Evaluation | None, alone: str) -> tuple[str, ...]:
    if after is None:
        return (alone,)
    return "current", "then", "change"


def metrics_tables(before: Evaluation, after: Evaluation | None) -> tuple[Table, Table]:
    """Return the tables of the main metrics and of the others, with differences if compared."""
    now, then = metric_values(before), {} if after is None else metric_values(after)
    applies = [name for name in METRIC_TITLES if name in now or name in then]
    first = [name for name in (*HEADLINE, *["accuracy"] * ("top1" not in applies)) if name in applies]

    def rows(names: Sequence[str]) -> tuple[Row, ...]:
        return tuple(Row(METRIC_TITLES[name], _cells(name, now, then, after is not None)) for name in names)

    title = f"{TASK_WORDS[Task(before.task)]}, {quantity(len(before.answered), 'case')}"
    how = before.combination if after is None or after.combination == before.combination else ""
    below = "where the chance that any power fits is below" if before.is_by_any else "below"
    remarks = [f"Combination {how}; no match {below} {numbers.chance(before.threshold)}."] if how else []
    if after is None and before.answered:
        low, high = interval(sum(map(passes, before.answered)), len(before.answered))
        remarks.append(f"Delivered lies between {_share(low)} and {_share(high)} (95 % interval).")
    memories = [one for one in before.answered if one.case.task is not Task.POWER and one.acceptable and passes(one)]
    silent = sum(one.delivered is not None and one.delivered.is_silent for one in memories)
    remarks += [f"Of {silent:,} delivered without a response the intent alone counts."] if silent else []
    heads = _heads(after, "current")
    others = [name for name in applies if name not in first]
    return Table(title, heads, rows(first), " ".join(remarks)), Table("More metrics", heads, rows(others))


def figures_line(tables: Sequence[Table], start: int = 0) -> str:
    """Format the metrics of the first table in one line, compared ones with both values."""
    return " · ".join(f"{row.what} {' → '.join(row.cells[:2])}" for row in tables[0].rows[start:]) if tables else ""


def _cells(
    name: str, now: Mapping[str, float | None], then: Mapping[str, float | None], is_compared: bool
) -> tuple[str, ...]:
    one, other = now.get(name), then.get(name)
    if not is_compared:
        return (figure_text(name, one),)
    gain = numbers.signed if name in INDEXES else numbers.points_gained
    gained = "" if one is None or other is None else gain(other - one)
    return figure_text(name, one), figure_text(name, other), gained


def figure_text(name: str, value: float | None) -> str:
    """Format a metric: shares as percentages, others with three decimals."""
    if value is None:
        return numbers.ABSENT
    return numbers.fixed(value, 3) if name in INDEXES else _share(value)


def _occupancy_table(before: Evaluation, after: Evaluation | None) -> Table | None:
    """Return the number of cases in each band or tier."""
    counts = dict(_occupied(before))
    if not counts:
        return None
    then = {} if after is None else dict(_occupied(after))
    rows = []
    for word in dict.fromkeys((*counts, *then)):
        count, other = counts.get(word, 0), then.get(word, 0)
        cells: tuple[str, ...] = (numbers.count(count),)
        if after is not None:
            cells = (*cells, numbers.count(other), numbers.minus(f"{other - count:+,}" if other != count else "0"))
        rows.append(Row(word, cells, is_quiet=not count and not other))
    title = "Bands" if before.bands else "Tiers"
    return Table(title, _heads(after, "cases"), tuple(rows))


def _occupied(evaluation: Evaluation) -> list[tuple[str, int]]:
    if evaluation.bands:
        return [(BAND_WORDS[band], count) for band, count in evaluation.bands.items()]
    return occupied_tiers(evaluation)


def bins_table(evaluation: Evaluation) -> Table | None:
    rows = tuple(
        Row(
            f"{100 * one.low:.0f} to {100 * one.high:.0f} %",
            (numbers.count(one.count), _share(one.confidence), _share(one.right)),
        )
        for one in reliability_groups(evaluation.answered)
    )
    if not rows:
        return None
    heads = ("cases", "confidence", "expected")
    remark = "By confidence: its mean, and the share of cases whose first answer is the expected one."
    return Table("Reliability", heads, rows, remark)


def _share(value: float) -> str:
    return numbers.percent(round(value * 1e9), 1_000_000_000)


# ---- lists of cases


def _result(line: CaseLine) -> str:
    return delivery_text(delivery_of(line.before))


def _outcome(answered: Answered | None) -> str:
    """Return the answer given, or the expected one if it is rejected, and why the case fails."""
    return "" if answered is None else answer_text(answered.predicted, fault_words(answered))


def _score(answered: Answered | None) -> str:
    return "" if answered is None else numbers.rough_chance(answered.confidence, answered.limits)


CASE_COLUMNS: tuple[Column[CaseLine], ...] = (
    Column("text", "Query", lambda line: line.before.case.text, 260, TEXT),
    Column("expected", "Expected", lambda line: expected(line.before), 130, EXPECTED),
    Column(RESULT, "Result", _result, 112, RESULT, tone=lambda line: delivery_tone(delivery_of(line.before)), yields=1),
    Column("answer", "Answered", lambda line: _outcome(line.before), 320, ANSWER),
    Column(
        "confidence",
        "Confidence",
        lambda line: _score(line.before),
        88,
        CONFIDENCE,
        is_number=True,
        yields=3,
        value=lambda line: line.before.confidence,
    ),
    Column("then", "Then", lambda line: _outcome(line.after), 150, THEN),
    Column(
        "then_of",
        "Confidence",
        lambda line: _score(line.after),
        88,
        THEN_CONFIDENCE,
        is_number=True,
        yields=2,
        value=lambda line: 0.0 if line.after is None else line.after.confidence,
    ),
    Column(CAUSE, "Moved by", lambda line: line.cause, 220, CAUSE),
)


def case_columns(kind: str, cases: Sequence[CaseLine]) -> list[Column[CaseLine]]:
    """Return the columns of a list: with the answer then if it compares, with causes if they are known."""
    hidden = {THEN, THEN_CONFIDENCE} if kind in (WRONG, RIGHT) else {RESULT}
    hidden |= set() if any(line.cause for line in cases) else {CAUSE}
    return [column for column in CASE_COLUMNS if column.key not in hidden]


def sorted_cases(
    lines: Sequence[CaseLine], order: str, *, descending: bool, pick: CaseSelection | None = None
) -> list[CaseLine]:
    """Sort lines by a column and filter them by their later answer; ties keep their order."""
    if pick is not None:
        lines = [line for line in lines if pick.matches(line.after or line.before)]
    return sorted_by(CASE_COLUMNS, lines, order, descending=descending)


# ---- in the terminal

SHOWN_CASES, SHOWN_LABELS, SHOWN_MISTAKES = 20, 10, 10
COVERAGES = (0.5, 0.7, 0.8, 0.9, 1.0)
"""Shares of cases for which the terminal gives the precision."""


def view_lines(shown: EvaluationView) -> list[str]:
    """Return a view for the terminal; tables have the names that gates use."""
    names = {title: name for name, title in METRIC_TITLES.items()}
    tables = [
        replace(table, rows=tuple(replace(row, aside=names.get(row.what, "")) for row in table.rows))
        for table in shown.tables
    ]
    lines = [f"{shown.verdict} {shown.significance}".strip(), "", *table_lines(tables)]
    for kind, cases in shown.lists.items():
        if cases and kind != RIGHT:
            columns = sorted(case_columns(kind, cases), key=lambda column: column.key == TEXT)  # queries last
            lines += ["", f"{LISTS[kind]} ({len(cases):,})"]
            lines += (f"  {line}" for line in column_lines(columns, cases[:SHOWN_CASES]))
            more = len(cases) - SHOWN_CASES
            lines += [f"  and {more:,} more; --json has all"] if more > 0 else []
    return lines


def comparison_lines(comparison: Comparison, changes: Mapping[str, str]) -> list[str]:
    return [f"Under {changes_text(changes)}", *view_lines(comparison_view(comparison, changes))]


def evaluation_lines(evaluation: Evaluation) -> list[str]:
    """Return the view for the terminal, then tiers, coverage, the worst labels, and frequent mistakes."""
    answers, tables = evaluation.answered, list[Table]()
    lines = [*view_lines(evaluation_view(evaluation)), *_notes(evaluation)]
    for section in tier_sections(evaluation):
        lines += ["", *section]
    at = dict.fromkeys(next((cut for cut in cuts(answers) if cut.coverage >= share), None) for share in COVERAGES)
    found = [cut for cut in at if cut is not None]
    rows = [Row(_share(cut.coverage), (_share(cut.precision), numbers.chance(cut.threshold))) for cut in found]
    tables += [Table("Coverage", ("precision", "confidence from"), tuple(rows))] if rows else []
    mistaken = mistakes(answers).most_common(SHOWN_MISTAKES)
    named = tuple(Row(f"{expected} → {given}", (f"{count:,}",)) for (expected, given), count in mistaken)
    tables += [Table("Most frequent mistakes (expected → given)", ("",), named)] if named else []
    labels = label_scores(answers)
    worst = [one for one in labels if one.f1 < 1.0][:SHOWN_LABELS] if len(labels) > 1 else []
    if worst:
        lines += ["", f"Labels, the worst of {len(labels):,} first"]
        lines += [f"  {line}" for line in column_lines(LABEL_COLUMNS, worst)]
    for table in tables:
        lines += ["", *table_lines([table])]
    return lines


def _notes(evaluation: Evaluation) -> Iterable[str]:
    """Format the target of the bands, and the source of the scale."""
    if evaluation.bands and (share := quality(evaluation.bands)) is not None:
        verdict = "met" if share >= QUALITY_TARGET else "not met"
        yield f"High or medium: {_share(share)}; the target of {_share(QUALITY_TARGET)} is {verdict}."
    chance = evaluation.chance
    if chance is not None and (chance.is_shipped or chance.ece is None):
        yield "Too little is taught to fit a scale on it, so the shipped one tells how often such answers are correct."
    elif chance is not None and chance.ece is not None:
        error = f"its own calibration error is {numbers.points(chance.ece)}"
        yield f"The scale is fitted on {chance.asked:,} triggers taught here; {error}."


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 excludes: control characters and surrogates."""


@dataclass(frozen=True, slots=True)
class Gated:
    """Gate as it was written, its measured number, and whether it holds."""

    text: str
    value: float | None
    held: bool


def junit_xml(evaluation: Evaluation, gates: Sequence[Gated] = ()) -> str:
    """Return the document: a test suite of the cases, named by task, and one of any gates."""
    suites = [_suite(evaluation.task.value, [_case(one) for one in evaluation.answered])]
    if gates:
        suites.append(_suite("gates", [_gate(one) for one in gates]))
    lines = [line for suite in suites for line in suite]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *lines, "</testsuites>", ""])


_Test = tuple[str, str, str]
"""Name, failure ("" for none) and details of a test."""


def _suite(name: str, tests: Sequence[_Test]) -> Iterable[str]:
    failed = sum(bool(failure) for _, failure, _ in tests)
    yield f'  <testsuite name={_quoted(name)} tests="{len(tests)}" failures="{failed}" errors="0" skipped="0">'
    for what, failure, details in tests:
        opening = f"    <testcase classname={_quoted(f'intentscope.{name}')} name={_quoted(what)}"
        if failure:
            yield f"{opening}>"
            yield f"      <failure message={_quoted(failure)}>{escape(_clean(details))}</failure>"
            yield "    </testcase>"
        else:
            yield f"{opening}/>"
    yield "  </testsuite>"


def _case(answered: Answered) -> _Test:
    if passes(answered):
        return answered.case.text, "", ""
    failure = f"expected {expected(answered)}, got {outcome_text(answered)}"
    best = (f"{numbers.rough_chance(one.confidence, answered.limits)} {one.name}" for one in answered.candidates)
    return answered.case.text, failure, "\n".join(best)


def _gate(gate: Gated) -> _Test:
    if gate.held:
        return gate.text, "", ""
    value = numbers.ABSENT if gate.value is None else f"{gate.value:.6g}"
    return gate.text, f"gate not met: {gate.text} ({value})", ""


def _quoted(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
