"""Stored evaluations, and changes since one with their causes, as lines, rows and documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.display import numbers
from app.display.evaluation.comparison import case_document, chance_sentence, turned_sentence
from app.display.evaluation.diagnostics import diagnostics_of, reliability_chart
from app.display.evaluation.results import (
    CaseLine,
    EvaluationView,
    bins_table,
    case_lines,
    evaluation_view,
    figures_line,
    metrics_tables,
    view_lines,
)
from app.domain.case import TASK_WORDS, EvaluationRun
from app.domain.documents import fields_of
from app.domain.fits import Compared, FitStatus, Refit
from app.domain.language import quantity
from app.evaluation.comparison import CaseChange, Cause, CauseKind
from app.evaluation.documents import table
from app.services.evaluation.refits import ChangedText, source_words
from app.services.evaluation.runs import LatestRun, SinceRun

_CAUSES: Mapping[CauseKind, Callable[[Cause], str]] = {
    CauseKind.SETTING: lambda one: f"setting {one.name} ({one.before or '–'}, now {one.after or '–'})",
    CauseKind.SETTINGS: lambda one: f"settings together: {one.name}",
    CauseKind.TRIGGER: lambda one: (
        f"“{one.name}” of {one.of}, taught or changed since" if one.name else f"{one.of} was changed since"
    ),
    CauseKind.GONE: lambda one: f"{one.name} is not taught any more",
    CauseKind.RULE: lambda one: (
        f"rule {one.name} fires now" if one.after else f"rule {one.name} does not fire any more"
    ),
    CauseKind.SCORER: lambda one: f"{one.name} of {one.of}: {one.before}, now {one.after}",
    CauseKind.ENCODER: lambda _: "another encoder",
    CauseKind.FIT: lambda _: "scores were recalibrated",
    CauseKind.PROGRAM: lambda _: "another version of the program",
    CauseKind.UNKNOWN: lambda _: "not known",
}
"""Words for each kind of cause."""


def cause_words(cause: Cause) -> str:
    """Format the cause of a changed answer."""
    return _CAUSES[cause.kind](cause)


def run_time(run: EvaluationRun) -> str:
    """Format the local time of a run."""
    return datetime.fromtimestamp(run.at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def run_words(run: EvaluationRun) -> str:
    """Format a run as an item of a list."""
    return f"{run.key}: {run_time(run)}, {_right_words(run)}"


def last_run_sentence(run: EvaluationRun) -> str:
    return f"Last run {run_time(run)}: {_right_words(run)} ({numbers.percent(run.right, run.cases)})"


def _right_words(run: EvaluationRun) -> str:
    what = "delivered as expected" if "delivered" in run.metrics else "correct"  # runs of older versions
    return f"{numbers.count(run.right)} of {numbers.count(run.cases)} {what}"


def run_lines(runs: Sequence[EvaluationRun]) -> list[str]:
    if not runs:
        return ["No stored evaluation yet."]
    heads = ("run", "when", "task", "cases", "delivered", "by", "from")
    rows = [
        (
            f"{run.key}",
            run_time(run),
            TASK_WORDS[run.task],
            f"{run.cases:,}",
            f"{run.right:,} ({numbers.percent(run.right, run.cases)})",
            run.combination,
            run.source or "the profile",
        )
        for run in runs
    ]
    return table([heads, *rows])


def run_document(run: EvaluationRun) -> dict[str, Any]:
    return {
        "run": run.key,
        "at": datetime.fromtimestamp(run.at, UTC).isoformat(timespec="seconds"),
        "task": run.task.value,
        "source": run.source,
        "n": run.cases,
        **fields_of(run, "right", "combination", "threshold", "metrics", "settings", "digests", "versions", "step"),
    }


# ---- changes since a run


def changes_since_sentence(found: SinceRun) -> str:
    which = f"Since run {found.run.key} of {run_time(found.run)}"
    if not found.comparison.turned:
        return f"{which}: every case is answered as then."
    return f"{which}: {turned_sentence(found.comparison)}"


def cause_counts(found: SinceRun) -> list[tuple[str, int]]:
    """Return the number of changed cases per cause, most first."""
    return Counter(map(cause_words, found.causes.values())).most_common()


def _more(found: SinceRun) -> str:
    """Format the significance of the difference, its main causes, and cases not compared."""
    parts = [chance_sentence(found.comparison)]
    if counts := cause_counts(found):
        named = "; ".join(f"{words} ({count:,})" for words, count in counts[:3])
        parts.append(f"Moved by: {named}.")
    if found.others:
        parts.append(f"{quantity(found.others, 'current case was', 'current cases were')} not in that run.")
    if found.comparison.before.metrics.get("delivered") is None:
        parts.append("delivered is not compared: that run does not tell what would have started.")
    if found.comparison.before.metrics.get("recall10") is None:
        parts.append("recall10 is not compared: a run keeps less of each list than that takes.")
    return " ".join(part for part in parts if part)


def changes_since_document(found: SinceRun) -> dict[str, Any]:
    comparison, causes = found.comparison, found.causes
    cases = {
        turn.value: [{**case_document(one), "cause": _cause(causes[one.place])} for one in comparison.of(turn)]
        for turn in CaseChange
    }
    return {
        "run": run_document(found.run),
        "cases": len(comparison.after.answered),
        "not_in_run": found.others,
        "settings": {key: {"then": then, "now": now} for key, (then, now) in found.settings.items()},
        **fields_of(comparison, "fixed", "broken", "p"),
        "causes": [{"cause": words, "cases": count} for words, count in cause_counts(found)],
        "turned": cases,
    }


def _cause(cause: Cause) -> dict[str, str]:
    told = {"name": cause.name, "of": cause.of, "then": cause.before, "now": cause.after}
    return {"kind": cause.kind.value, "words": cause_words(cause), **{key: word for key, word in told.items() if word}}


def changes_since_view(found: SinceRun) -> EvaluationView:
    """Return the view for the window: figures then and today, and changed cases with causes."""
    comparison = found.comparison
    before, after = comparison.before, comparison.after
    causes = {place: cause_words(cause) for place, cause in found.causes.items()}

    def line(place: int) -> CaseLine:
        return CaseLine(place, after.answered[place], before.answered[place], causes.get(place, ""))

    heads = ("then", "current", "change")
    metrics = [replace(one, heads=heads) for one in metrics_tables(before, after)]
    tables = *metrics, bins_table(after)
    return EvaluationView(
        changes_since_sentence(found),
        _more(found),
        tuple(table for table in tables if table is not None and table.rows),
        reliability_chart(after, before),
        {turn.value: tuple(line(one.place) for one in comparison.of(turn)) for turn in CaseChange},
        diagnostics=diagnostics_of(after),
        cases=case_lines(after),
        figures=figures_line(metrics),
    )


def changes_since_lines(found: SinceRun) -> list[str]:
    return view_lines(changes_since_view(found))


def since_last_sentence(noted: Sequence[LatestRun]) -> str:
    """Return the change since the stored runs before these; "" without any."""
    found = [one.since for one in noted if one.since is not None]
    if not found:
        return ""
    fixed, broken, cases = (sum(getattr(one, name) for one in found) for name in ("fixed", "broken", "cases"))
    if not fixed and not broken:
        return "Since the last run: no change."
    gained = numbers.points_gained((fixed - broken) / cases)
    return f"Since the last run: {gained}, {numbers.count(fixed)} fixed, {numbers.count(broken)} broken."


def latest_view(latest: LatestRun) -> EvaluationView:
    """Return the view of the latest evaluation, with the change since the stored run before it."""
    since = latest.since
    key = since.run.key if since is not None and (since.fixed or since.broken) else 0
    view = evaluation_view(latest.evaluation)
    sentence = since_last_sentence([latest])
    notes = "\n".join(filter(None, (sentence, view.significance)))
    return replace(view, significance=notes, since_run=key or 0, number=latest.number)


# --------------------------------------------------------------------------------------------------------------------
# Fits and refits of the learned weights


def moment_of(seconds: float) -> str | None:
    """Format a time as in every document, UTC; None if unknown."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S") if seconds else None


def fit_document(fit: FitStatus) -> dict[str, Any]:
    """Return `fit`: the state of the fit and its sources."""
    source = fit.source
    counts = {"memories": source.memories, "powers": source.powers, "cases": source.cases}
    return {"state": fit.state.value, **counts, "made": moment_of(source.made)}


def refit_sentence(refit: Refit) -> str:
    """Format the data of a refit or the changed settings, and the numbers of changed answers."""
    compared = [
        f"{changed:,} of {quantity(total, one, many)}"
        for changed, total, one, many in (
            (refit.changed_cases, refit.cases, "case", "cases"),
            (refit.changed_queries, refit.queries, "recent query", "recent queries"),
        )
        if total
    ]
    told = f"{' and '.join(compared)} changed" if compared else "no case or recent query was compared"
    if refit.settings:
        return f"Settings changed ({', '.join(refit.settings)}): {told}."
    source = source_words(refit.source)
    return f"Fitted again{f' on {source}' if source else ''}: {told}."


def change_line(one: ChangedText) -> str:
    """Format a changed case or query, with what was delivered before and after."""
    kind = "case " if one.kind is Compared.CASE else "query"
    return f"  {kind}  {one.text}: {_names(one.before)} → {_names(one.after)}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def refit_document(refit: Refit, changes: Sequence[ChangedText]) -> dict[str, Any]:
    source = refit.source
    return {
        "made": moment_of(source.made),
        "fitted_on": {"memories": source.memories, "powers": source.powers, "cases": source.cases},
        **fields_of(refit, "cases", "queries", "changed_cases", "changed_queries"),
        **({"settings": list(refit.settings)} if refit.settings else {}),
        "changes": [
            {"kind": one.kind.value, "text": one.text, "before": list(one.before), "after": list(one.after)}
            for one in changes
        ],
    }
