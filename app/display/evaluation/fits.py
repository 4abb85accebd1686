"""Stored fit of `learned`, and changes by a refit, as lines and documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from app.domain.language import plural
from app.domain.scope.fits import Compared, FitStatus, Refit
from app.services.evaluation.fit_words import source_words
from app.services.evaluation.refits import ChangedText


def moment_of(seconds: float) -> str | None:
    """Format a time as in every document, UTC; None if unknown."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S") if seconds else None


def fit_document(fit: FitStatus) -> dict[str, Any]:
    """Return `fit`: the state of the fit and its sources."""
    source = fit.source
    counts = {"memories": source.memories, "powers": source.powers, "cases": source.cases}
    return {"state": fit.state.value, **counts, "made": moment_of(source.made)}


def refit_sentence(refit: Refit) -> str:
    """Format the data of a refit, and how many cases and recent queries it changed."""
    compared = [
        plural(total, f"{changed:,} of {{n}} {one}", f"{changed:,} of {{n}} {many}")
        for changed, total, one, many in (
            (refit.changed_cases, refit.cases, "case", "cases"),
            (refit.changed_queries, refit.queries, "recent query", "recent queries"),
        )
        if total
    ]
    told = f"{' and '.join(compared)} changed" if compared else "there was no case or recent query to compare"
    return f"Fitted again on {source_words(refit.source)}: {told}."


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
        "cases": refit.cases,
        "queries": refit.queries,
        "changed_cases": refit.changed_cases,
        "changed_queries": refit.changed_queries,
        "changes": [
            {"kind": one.kind.value, "text": one.text, "before": list(one.before), "after": list(one.after)}
            for one in changes
        ],
    }
