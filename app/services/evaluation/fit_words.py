"""State of the stored fit in words, in local time."""

from __future__ import annotations

from datetime import UTC, datetime

from app.domain.language import plural
from app.domain.scope.fits import FitSource, FitState, FitStatus


def source_words(source: FitSource, now: datetime | None = None) -> str:
    """Format the data and time of a fit, "14 memories and 43 cases, 12:56"; "" without data."""
    counted = [
        *([plural(source.memories, "{n} memory", "{n} memories")] if source.memories else []),
        *([plural(source.powers, "{n} power", "{n} powers")] if source.powers else []),
        *([plural(source.cases, "{n} case", "{n} cases")] if source.cases else []),
    ]
    if not counted:
        return ""
    told = " and ".join(filter(None, (", ".join(counted[:-1]), counted[-1])))
    if not source.made:
        return told
    at, today = datetime.fromtimestamp(source.made, UTC).astimezone(), (now or datetime.now(UTC)).astimezone()
    return f"{told}, {at:%H:%M}" if at.date() == today.date() else f"{told}, {at:%Y-%m-%d %H:%M}"


def fit_words(fit: FitStatus, now: datetime | None = None) -> str:
    """Format the state of the fit for a status line; "" if no fit decides."""
    if fit.state is FitState.UNWANTED:
        return ""
    if fit.state is FitState.FITTING:
        return "Learning from the library…"
    if fit.state is FitState.MISSING:
        return "Not fitted yet"
    if not fit.source.made:
        return "Learned"
    told = source_words(fit.source, now)
    said = f"Learned from {told}" if told else "Too few triggers to learn from; shipped weights"
    return f"{said}{'; out of date' if fit.state is FitState.STALE else ''}"


def fit_sentence(fit: FitStatus) -> str:
    """Format a command's note on a stale or first fit; "" for any other."""
    told = source_words(fit.source) if fit.source.made else ""
    of = f"on {told}" if told else "before"
    if fit.state is FitState.STALE:
        refit = "an open window or “intentscope evaluate --refit” fits it again"
        return f"The learned score was fitted {of}, and knows of no change or undo since; {refit}."
    return f"The learned weights were fitted {of} and stored; this version had none." if fit.is_first and told else ""
