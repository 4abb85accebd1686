"""Threshold for a target precision: the sentence for the window, and the value to set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.display import numbers
from app.domain.case import Task
from app.domain.language import percents, plural
from app.evaluation.answers import Top, Tops

if TYPE_CHECKING:
    from app.evaluation.reports.precision_target import PrecisionTarget

DEFAULT_PRECISION, DEFAULT_OUT_OF_SCOPE = 0.97, 0.05
"""Default targets: precision, and the share of out-of-scope queries."""

TASKS_BY_THRESHOLD: Mapping[str, tuple[Task, ...]] = {
    "tiers.high": (Task.POWER,),
    "bands.high": (Task.INTENT, Task.MEMORY),
}
"""Thresholds that can be fitted to a target precision, with the tasks that measure it."""

THRESHOLD_BY_TASK: Mapping[Task, str] = {task: key for key, tasks in TASKS_BY_THRESHOLD.items() for task in tasks}
"""Threshold that is fitted on the cases of each task."""


@dataclass(frozen=True, slots=True)
class PrecisionTargetView:
    """Sentence on a target precision, and the threshold that reaches it; None if there is none."""

    sentence: str
    value: float | None = None


def precision_target_view(key: str, tops: Tops | None, precision: float, out_of_scope: float) -> PrecisionTargetView:
    """Return the threshold that reaches a target precision on the labelled cases of the profile.

    If these are too few, the held-out phrases of the fit are used.
    """
    from app.evaluation.reports.precision_target import LEAST_ANSWERED

    if tops is None or tops.done < tops.total:
        return PrecisionTargetView("")
    cases = [top for task in TASKS_BY_THRESHOLD[key] for top in tops.by_task.get(task, ())]
    folds = tops.of_folds.get(TASKS_BY_THRESHOLD[key] == (Task.POWER,), ())
    if sum(top.is_labelled for top in cases) >= LEAST_ANSWERED:
        return threshold_for_precision(cases, precision, out_of_scope)
    if not folds:
        return PrecisionTargetView(
            f"For a precision it takes {LEAST_ANSWERED} labelled cases, or several phrases an "
            "answer and the combination “Learned”."
        )
    return threshold_for_precision(folds, precision, out_of_scope, are_cases=False)


def threshold_for_precision(
    every: Sequence[Top], precision: float, out_of_scope: float, *, are_cases: bool = True
) -> PrecisionTargetView:
    """Return the threshold for a precision on these answers; without out-of-scope ones, share 0."""
    from app.evaluation.reports.precision_target import LEAST_ANSWERED, precision_target

    known = [top for top in every if top.is_labelled]
    has_out_of_scope = any(top.expects_none for top in known)
    found = precision_target(known, precision, out_of_scope if has_out_of_scope else 0.0)
    if found is None:
        return PrecisionTargetView(f"No value keeps that over {LEAST_ANSWERED} cases and more.")
    sentences = [_precision_sentence(found), _sample_sentence(found, are_cases=are_cases)]
    if not has_out_of_scope:
        sentences.append("No case is a stranger's, so none are counted.")
    return PrecisionTargetView(" ".join(sentences), found.threshold)


def _precision_sentence(found: PrecisionTarget) -> str:
    figures = {
        "value": f"{found.threshold:g}",
        "precision": _percent(found.precision),
        "low": _percent(found.low),
        "high": _percent(found.high),
        "coverage": _percent(found.coverage),
    }
    sentence = (
        "From {value} on {precision} of the answers are right ({low} to {high} with 95 %), and {coverage} of the "
        "queries that have an answer get one."
    ).format(**figures)
    if found.admitted is None:
        return sentence
    return f"{sentence} Of strangers {_percent(found.admitted)} do."


def _sample_sentence(found: PrecisionTarget, *, are_cases: bool) -> str:
    n = found.answered
    if are_cases:
        return plural(n, "By {count} labelled case.", "By {count} labelled cases.", count=numbers.count(n))
    return plural(
        n,
        "By {count} text that was left out of the fit and asked; labelled cases tell it better.",
        "By {count} texts that were left out of the fit and asked; labelled cases tell it better.",
        count=numbers.count(n),
    )


# ---- in the terminal


def precision_target_text(promise: PrecisionTarget | None, task: Task) -> str:
    """Return the section on a target precision of the report in the terminal."""
    from app.evaluation.reports.precision_target import LEAST_ANSWERED
    from app.evaluation.reports.tier_report import table

    if promise is None:
        no_line = f"No line keeps that precision over {LEAST_ANSWERED} cases and more."
        return f"\nPrecision as expected\n  {no_line}\n"
    rows = [
        ("confidence from", f"{promise.threshold:g}", THRESHOLD_BY_TASK[task]),
        ("precision", _percent(promise.precision), _interval(promise)),
        ("coverage", _percent(promise.coverage), "of the cases that expect an answer"),
    ]
    if promise.admitted is not None:
        weighed = f"of strangers, who are {_percent(promise.strangers)} of all"
        rows.append(("admitted", _percent(promise.admitted), weighed))
    return "\n".join(["", "Precision as expected", *table(rows), ""])


def _interval(promise: PrecisionTarget) -> str:
    bounds = {"low": _percent(promise.low), "high": _percent(promise.high), "count": f"{promise.answered:,}"}
    return "{low} to {high} with 95 %, by {count} cases".format(**bounds)


def _percent(share: float) -> str:
    return percents(share)
