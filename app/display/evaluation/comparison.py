"""Comparison of settings or encoders on labelled cases, as sentences, rows and documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app.display import numbers
from app.display.library.cases import NO_MATCH_TEXT, format_answers
from app.display.system.settings import value_words
from app.domain.case import TASK_WORDS
from app.domain.documents import fields_of
from app.domain.language import percents, plural, quantity
from app.evaluation.answers import Answered, delivery_of, passes, unexpected, why_not_delivered
from app.evaluation.comparison import CHANCE, CaseChange, ChangedCase, Comparison, Sweep
from app.evaluation.documents import document

if TYPE_CHECKING:
    from app.evaluation.evaluation import Evaluation
    from app.services.system.encoders import Gain


SHOWN_REFUSED = 5
"""Limit of untried values that are listed one by one."""

NO_MATCH_RIGHT = "no_match_right"
"""Additional metric: share of the cases without an answer that got none."""

TURNS: Mapping[CaseChange, str] = {
    CaseChange.FIXED: "Fixed",
    CaseChange.BROKEN: "Broken",
    CaseChange.OTHERWISE: "Fails in another way",
}


def metric_values(evaluation: Evaluation) -> dict[str, float | None]:
    """Return the metrics and further figures that apply."""
    every = {**evaluation.metrics, **evaluation.further}
    return {name: value for name, value in every.items() if value is not None}


def turned_sentence(comparison: Comparison) -> str:
    """Format the number of changed cases."""
    if not comparison.turned:
        return "Every case is answered as before."
    fixed, broken, other = (len(comparison.of(turn)) for turn in CaseChange)
    more = f" {quantity(other, 'more fails', 'more fail')} in another way." if other else ""
    waiting = sum(not passes(one.after) for one in comparison.of(CaseChange.FIXED))
    more += f" {numbers.count(waiting)} of the fixed could not start yet." if waiting else ""
    return f"{quantity(fixed, 'case')} fixed, {numbers.count(broken)} broken.{more}"


def chance_sentence(comparison: Comparison, tried: int = 1) -> str:
    """Format if the difference exceeds chance; "" if no case changed."""
    whole = comparison.fixed + comparison.broken
    if not whole:
        return ""
    of = f"If fixed or broken were a toss-up for {plural(whole, 'the case', 'each of the {n} cases')} that changed"
    odds = (
        f"{of}, a difference like this would come by chance in {_share(comparison.p)} of all "
        f"tries (McNemar's exact test, {p_text(comparison.p)})."
    )
    if tried > 1:
        strict = f"As {tried} values were tried, it takes p below {CHANCE / tried:.2g}."
        odds = f"{odds} {strict}"
    if comparison.is_more_than_chance(tried):
        return f"This is more than chance. {odds}"
    return f"This may be chance. {odds}"


def p_text(p: float) -> str:
    """Format a p value: "p = 0.035", "p < 0.001"."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2g}"


def _share(p: float) -> str:
    if p < 0.001:
        return "fewer than 0.1 %"
    return f"{100 * p:.2g} %" if p < 0.995 else "100 %"


def sweep_verdict(sweep: Sweep) -> str:
    """Format the best value, and if it is better by more than chance."""
    best = sweep.best
    if best is None:
        return "No value was tried."
    value = value_words(sweep.key, best.value)
    if best.comparison.net <= 0:
        what = "No value fixes more cases than it breaks."
        return what if best.comparison.net == 0 else f"{what} The best of them is {value}."
    turned = turned_sentence(best.comparison)
    if sweep.is_better:
        return f"{value} is best. {turned}"
    what = "No value beats the current one by more than chance."
    return f"{what} The best is {value}. {turned}"


def sweep_chance_sentence(sweep: Sweep) -> str:
    """Format the significance of the best value, and untried values; "" without either."""
    best = sweep.best
    sure = "" if best is None or best.comparison.net <= 0 else chance_sentence(best.comparison, sweep.tried)
    if not sweep.refused:
        return sure
    few = sweep.refused if len(sweep.refused) <= SHOWN_REFUSED else (sweep.refused[0], "…", sweep.refused[-1])
    left = f"Not tried, since the other settings do not go with it: {' '.join(few)}."
    return f"{sure} {left}".strip()


def skipped_lines_sentence(lost: int, file: str) -> str:
    no_case = "is not a case and was" if lost == 1 else "are not cases and were"
    return f"{quantity(lost, 'line')} of {file} {no_case} skipped."


def given(answered: Answered) -> str:
    """Format the given answer, or that there was none."""
    return answered.predicted or NO_MATCH_TEXT


def outcome_text(answered: Answered) -> str:
    """Format the given answer; if it is correct but the case fails, the wrong delivery."""
    return why_not_delivered(answered) or given(answered)


def expected(answered: Answered) -> str:
    """Format the expected answers, or the unwanted ones."""
    case = answered.case
    if case.unwanted and not case.expected:
        return f"not {format_answers(case.unwanted)}"
    return format_answers(answered.acceptable) if answered.acceptable else NO_MATCH_TEXT


def changes_text(changes: Mapping[str, str]) -> str:
    """Format changed settings as they are written."""
    return ", ".join(f"{key}={value}" for key, value in changes.items())


# ---- as documents


def comparison_document(comparison: Comparison, changes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "settings": dict(changes),
        "metrics": dict(comparison.after.metrics),
        **_turned_document(comparison),
        "cases": {turn.value: [case_document(one) for one in comparison.of(turn)] for turn in CaseChange},
    }


def _turned_document(comparison: Comparison, tried: int = 1) -> dict[str, Any]:
    return {
        **comparison.after.further,
        **fields_of(comparison, "fixed", "broken", "net", "p"),
        "test": "McNemar, exact, two-sided",
        "more_than_chance": comparison.is_more_than_chance(tried),
    }


def case_document(one: ChangedCase) -> dict[str, Any]:
    return {
        **fields_of(one.before.case, "text", "expected", "unwanted"),
        "before": _side(one.before),
        "after": _side(one.after),
    }


def _side(answered: Answered) -> dict[str, Any]:
    return {
        "predicted": answered.predicted,
        "confidence": answered.confidence,
        "delivered": delivery_of(answered).value,
        "unexpected": list(unexpected(answered)),
    }


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """Return today's evaluation without its cases, and the result of each value."""
    today = {key: value for key, value in document(sweep.today).items() if key != "cases"}
    best = sweep.best
    rows = [
        {
            "value": row.value,
            "today": row.is_today,
            "right": row.right,
            "metrics": dict(row.comparison.after.metrics),
            **_turned_document(row.comparison, sweep.tried),
        }
        for row in sweep.rows
    ]
    swept = {"key": sweep.key, "values": rows, "best": None if best is None else best.value}
    return {**today, "sweep": {**swept, "better_than_chance": sweep.is_better, "refused": list(sweep.refused)}}


# ---- Effect of another encoder on labelled cases


def encoder_gain_sentence(gain: Gain) -> str:
    """Format the effect of an encoder on the labelled cases, and if it exceeds chance."""
    shares = (one.metrics["top1"] for one in (gain.comparison.before, gain.comparison.after))
    before, after = (numbers.ABSENT if share is None else percents(share) for share in shares)
    count = len(gain.comparison.after.answered)
    found = f"{after} of the {count:,} cases have the expected answer first with it, {before} as it is now."
    if count == 1:
        found = f"the one case has the expected answer first in {after} with it, in {before} as it is now."
    words = f"{TASK_WORDS[gain.task]}: {found}"
    odds = chance_sentence(gain.comparison)
    return " ".join(part for part in (words, turned_sentence(gain.comparison), odds) if part)


def encoder_gain_document(gain: Gain) -> dict[str, Any]:
    """Return the effect of an encoder on the labelled cases, for JSON."""
    comparison = gain.comparison
    return {
        "task": gain.task.value,
        "cases": len(comparison.after.answered),
        "top1_before": comparison.before.metrics["top1"],
        "top1_after": comparison.after.metrics["top1"],
        **fields_of(comparison, "fixed", "broken", "p"),
    }
