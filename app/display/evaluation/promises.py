"""From which confidence on answers keep a promise of precision: what the window says of it, and the value to set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.display import numbers
from app.domain.case import Task
from app.domain.language import numeral, percents, say, say_n, thousands
from app.evaluation.answers import Top, Tops

if TYPE_CHECKING:
    from app.evaluation.reports.promise import Promise

PRECISION, STRANGERS = 0.97, 0.05
"""What is asked for until somebody asks for something else."""

PROMISED: Mapping[str, tuple[Task, ...]] = {"tiers.high": (Task.POWER,), "bands.high": (Task.INTENT, Task.MEMORY)}
"""The thresholds that a promise is kept by, and the tasks whose cases tell of it."""

LINES: Mapping[Task, str] = {task: key for key, tasks in PROMISED.items() for task in tasks}
"""The threshold that a line of each task is for."""


@dataclass(frozen=True, slots=True)
class PromiseShown:
    """What is said of a promise, and the value that keeps it; None where none does."""

    sentence: str
    value: float | None = None


def promise_of(key: str, tops: Tops | None, precision: float, strangers: float) -> PromiseShown:
    """The value of a threshold that keeps a promise, by the labelled cases of the profile; where those are too few, by
    the phrases that were left out to fit what decides."""
    from app.evaluation.reports.promise import LEAST_ANSWERED

    if tops is None or tops.done < tops.total:
        return PromiseShown("")
    cases = [top for task in PROMISED[key] for top in tops.by_task.get(task, ())]
    folds = tops.of_folds.get(PROMISED[key] == (Task.POWER,), ())
    if sum(top.is_labelled for top in cases) >= LEAST_ANSWERED:
        return kept_by(cases, precision, strangers)
    if not folds:
        return PromiseShown(
            say(
                "For a precision it takes {count} labelled cases, or several phrases an answer and the combination "
                "“Learned”.",
                count=LEAST_ANSWERED,
            )
        )
    return kept_by(folds, precision, strangers, are_cases=False)


def kept_by(every: Sequence[Top], precision: float, strangers: float, *, are_cases: bool = True) -> PromiseShown:
    """The value that keeps a promise on these; where none of them is a stranger, for none."""
    from app.evaluation.reports.promise import LEAST_ANSWERED, promised

    known = [top for top in every if top.is_labelled]
    has_strangers = any(top.expects_none for top in known)
    found = promised(known, precision, strangers if has_strangers else 0.0)
    if found is None:
        return PromiseShown(say("No value keeps that over {count} cases and more.", count=LEAST_ANSWERED))
    sentences = [_kept(found), _by(found, are_cases=are_cases)]
    if not has_strangers:
        sentences.append(say("No case is a stranger's, so none are counted."))
    return PromiseShown(" ".join(sentences), found.threshold)


def _kept(found: Promise) -> str:
    told = {
        "value": numeral(f"{found.threshold:g}"),
        "precision": _percent(found.precision),
        "low": _percent(found.low),
        "high": _percent(found.high),
        "coverage": _percent(found.coverage),
    }
    sentence = say(
        "From {value} on {precision} of the answers are right ({low} to {high} with 95 %), and {coverage} of the "
        "queries that have an answer get one.",
        **told,
    )
    if found.admitted is None:
        return sentence
    return f"{sentence} {say('Of strangers {share} do.', share=_percent(found.admitted))}"


def _by(found: Promise, *, are_cases: bool) -> str:
    n = found.answered
    if are_cases:
        return say_n(n, "By {count} labelled case.", "By {count} labelled cases.", count=numbers.count(n))
    return say_n(
        n,
        "By {count} text that was left out of the fit and asked; labelled cases tell it better.",
        "By {count} texts that were left out of the fit and asked; labelled cases tell it better.",
        count=numbers.count(n),
    )


# ---- in the terminal


def promise_text(promise: Promise | None, task: Task) -> str:
    """The section of a page on it."""
    from app.evaluation.reports.promise import LEAST_ANSWERED
    from app.evaluation.reports.tier_report import table

    if promise is None:
        no_line = say("No line keeps that precision over {count} cases and more.", count=LEAST_ANSWERED)
        return f"\n{say('Precision as promised')}\n  {no_line}\n"
    rows = [
        (say("confidence from"), numeral(f"{promise.threshold:g}"), LINES[task]),
        (say("precision"), _percent(promise.precision), _interval(promise)),
        (say("coverage"), _percent(promise.coverage), say("of the cases that expect an answer")),
    ]
    if promise.admitted is not None:
        weighed = say("of strangers, who are {share} of all", share=_percent(promise.strangers))
        rows.append((say("admitted"), _percent(promise.admitted), weighed))
    return "\n".join(["", say("Precision as promised"), *table(rows), ""])


def _interval(promise: Promise) -> str:
    bounds = {"low": _percent(promise.low), "high": _percent(promise.high), "count": thousands(promise.answered)}
    return say("{low} to {high} with 95 %, by {count} cases", **bounds)


def _percent(share: float) -> str:
    return percents(share)
