"""Effect of an LLM on answers, as sentences, rows and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from app.display import numbers, words
from app.display.evaluation.comparison import chance_sentence, comparison_document, turned_sentence
from app.display.evaluation.diagnostics import diagnostics_of, reliability_chart
from app.display.evaluation.results import (
    LLM_RIGHT,
    LLM_WRONG,
    OTHER_POLICY,
    SHOWN_CASES,
    CaseLine,
    EvaluationView,
    accuracy_sentence,
    bins_table,
    case_lines,
    lists_by_outcome,
    metrics_tables,
    view_lines,
)
from app.display.system.metrics import Row, Table
from app.domain.documents import fields_of
from app.domain.language import percents, quantity
from app.domain.llm import LlmOutcome
from app.evaluation.comparison import CaseChange, Comparison
from app.evaluation.evaluation import no_match_right, reliability
from app.evaluation.llm import ENGINE, KEYWORD, LEARNED, LLM, LlmEvaluation, Repeats

WORDS: Mapping[str, str] = {
    KEYWORD: "Keywords",
    LEARNED: "With learned",
    ENGINE: "Engine alone",
    LLM: "LLM alone",
    "by_type": "Merged (by type)",
    "adr": "Merged (adr)",
    "shipped": "Merged (shipped)",
}
"""Words for each method of answering, by column."""

SHORT_FIGURES: Mapping[str, str] = {"accuracy": "share", "macro_f1": "F1", "ece": "ECE"}
"""Short titles of the figures beside each other in the window."""


def model_sentence(found: LlmEvaluation) -> str:
    """Format the model, its mode, and how many answers are new, not cached."""
    cases = quantity(len(found.adds.before.answered), "case")
    new = f"{quantity(found.asked, 'request')} sent" if found.asked else "every answer was kept"
    mode = f" ({found.mode})" if found.mode else ""
    sentence = f"{found.model}{mode}: {cases}, {new}."
    silent = f" {quantity(found.silent, 'case has', 'cases have')} no kept answer." if found.silent else ""
    return sentence + silent


def repeats_sentence(found: Repeats) -> str:
    """Format the agreement of repeated answers."""
    times = quantity(found.cases, "case")
    same = numbers.ABSENT if found.share is None else percents(found.share)
    return (
        f"Asked {found.runs} times each, {same} of {times} that were answered more than once "
        f"named the same each time; their confidences differ by up to {found.spread:.3f}."
    )


def flip_sentence(comparison: Comparison) -> str:
    """Format the number of changed cases, and if it exceeds chance."""
    if not comparison.turned:
        return "Every case is answered as before."
    return f"{turned_sentence(comparison)} {chance_sentence(comparison)}".strip()


def llm_lines(found: LlmEvaluation) -> list[str]:
    """Return the view for the terminal, the other merge policy, and the agreement of repeated answers."""
    one, other = found.policies
    lines = [*view_lines(llm_view(found)), "", f"Merged by {one}, then by {other}: {flip_sentence(found.flips)}"]
    return lines if found.repeats is None else [*lines, repeats_sentence(found.repeats), *_varied(found.repeats)]


def _varied(found: Repeats) -> list[str]:
    shown = found.varied[:SHOWN_CASES]
    lines = [f"  {', '.join(f'{name} {count}' for name, count in named.items())}: {text}" for text, named in shown]
    more = len(found.varied) - len(shown)
    return [*lines, f"  and {more:,} more; --json has all"] if more else lines


def llm_view(found: LlmEvaluation) -> EvaluationView:
    """Return the window's view: answers with the LLM, methods as columns, and changed cases."""
    today = found.adds.after
    lists = {
        **lists_by_outcome(today),
        LLM_RIGHT: _reversed(found.adds, CaseChange.FIXED),
        LLM_WRONG: _reversed(found.adds, CaseChange.BROKEN),
        OTHER_POLICY: _by_other_policy(found),
    }
    bins = bins_table(found.columns[LLM])
    tables = [_columns_table(found), _answers_table(found), *metrics_tables(today, None)]
    if bins is not None:
        tables.append(replace(bins, title="Reliability of the LLM alone"))
    own = reliability_chart(today, found.columns[LLM], then="LLM alone")
    adds = f"With the LLM, against the answers without it: {flip_sentence(found.adds)}"
    more, drawn = f"{model_sentence(found)} {adds}", diagnostics_of(today)
    return EvaluationView(
        accuracy_sentence(today), more, tuple(tables), own, lists, diagnostics=drawn, cases=case_lines(today)
    )


def _columns_table(found: LlmEvaluation) -> Table:
    rows = []
    for name, each in found.columns.items():
        right = sum(answer.is_right for answer in each.answered)
        values = (each.metrics[figure] for figure in SHORT_FIGURES)
        cells = (numbers.ABSENT if value is None else f"{value:.3f}" for value in values)
        rows.append(Row(WORDS.get(name, name), (numbers.count(right), *cells)))
    heads = ("correct", *SHORT_FIGURES.values())
    remark = "Correct answers, or correctly none; their share; F1 and calibration error."
    return Table("Ways of answering", heads, tuple(rows), remark)


def _answers_table(found: LlmEvaluation) -> Table:
    share = numbers.ABSENT if found.within is None else percents(found.within)
    rows = [Row(f"Within {found.budget_ms:,.0f} ms", (share,))]
    rows += [Row(f"{name.upper()}, ms", (f"{value:,.0f}",)) for name, value in found.times_ms.items()]
    rows += [Row(words.LLM[LlmOutcome(name)].word, (f"{count:,}",)) for name, count in found.outcomes.items()]
    return Table("Answers of the LLM", ("",), tuple(rows))


def _reversed(comparison: Comparison, turn: CaseChange) -> tuple[CaseLine, ...]:
    """Return these changed cases with today's answer first."""
    return tuple(CaseLine(one.place, one.after, one.before) for one in comparison.of(turn))


def _by_other_policy(found: LlmEvaluation) -> tuple[CaseLine, ...]:
    """Return the cases that the other merge policy answers differently, today's answer first."""
    is_second = found.adds.after.answered == found.flips.after.answered
    pairs = ((one.place, one.before, one.after) for one in found.flips.turned)
    return tuple(
        CaseLine(place, *((after, before) if is_second else (before, after))) for place, before, after in pairs
    )


def llm_document(found: LlmEvaluation) -> dict[str, Any]:
    """Return every column with metrics, changed cases, latencies and repeats, for JSON."""
    one, other = found.policies
    return {
        **fields_of(found, "model", "mode", "asked", "silent", "outcomes", "budget_ms"),
        "within_budget": found.within,
        "ms": dict(found.times_ms),
        "columns": {
            name: {
                "right": sum(answer.is_right for answer in each.answered),
                "metrics": dict(each.metrics),
                "no_match_right": no_match_right(each.answered),
            }
            for name, each in found.columns.items()
        },
        "reliability": [asdict(bin_) for bin_ in reliability(found.columns[LLM].answered)],
        "cases": _cases(found),
        "adds": comparison_document(found.adds, {}),
        "flips": {"from": one, "to": other, **comparison_document(found.flips, {"search_intent.merge": other})},
        "repeats": None if found.repeats is None else _repeats(found.repeats),
    }


def _cases(found: LlmEvaluation) -> list[dict[str, Any]]:
    rows: Sequence[Any] = list(zip(*(each.answered for each in found.columns.values()), strict=True))
    return [
        {
            "text": answers[0].case.text,
            "expected": list(answers[0].case.expected),
            **{
                name: {"predicted": own.predicted, "confidence": own.confidence, "right": own.is_right}
                for name, own in zip(found.columns, answers, strict=True)
            },
        }
        for answers in rows
    ]


def _repeats(found: Repeats) -> dict[str, Any]:
    varied = [{"text": text, "named": dict(named)} for text, named in found.varied]
    return {**fields_of(found, "runs", "cases", "same", "share", "spread"), "varied": varied}
