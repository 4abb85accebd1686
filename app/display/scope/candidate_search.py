"""Approximate answers in words: coverage and recall of a team server's candidate search."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.display import numbers
from app.domain.language import plural
from app.domain.scope.inspection import ServerSearch

if TYPE_CHECKING:
    from app.ports.datastore import SearchStatus

FINE = 10_000
"""Denominator of displayed shares."""


def approximation_sentence(searched: ServerSearch | None) -> str:
    """Return one or two sentences on the search; "" if every memory was scored."""
    if searched is None:
        return ""
    if searched.is_coming:
        return "The team's server is asked which memories may answer; those that were found lately are here."
    if searched.fault:
        return f"{searched.fault} Of the memories only those are scored that were found lately."
    words = f"Approximate: the team's server chose {searched.found:,} memories among {searched.triggers:,} triggers."
    if searched.other_encoder:
        more = f"Their vectors are of another encoder ({searched.other_encoder}), so meaning found none."
    else:
        more = recall_text(searched.recall, searched.measured)
    ways = f"By meaning came {searched.by_meaning:,}, by words {searched.by_words:,}."
    return f"{words} {more} {ways}"


def recall_text(recall: float | None, day: str) -> str:
    """Return the measured recall of the nearest ten, and its date."""
    if recall is None:
        return "How many of the nearest it finds was never measured."
    shown = numbers.percent(round(recall * FINE), FINE)
    return f"Of the nearest ten it finds {shown} (measured {day})."


# ---- status of the server's index


def search_status_lines(standing: SearchStatus) -> str:
    """Return the number of indexed triggers, and if the index is current and complete."""
    words = f"{standing.triggers:,} triggers are searched on the server, by vectors of {standing.encoder}."
    behind = standing.head - standing.seq
    fresh = (
        plural(
            behind,
            "{n} change is newer: what it touched is scored beside what the server finds.",
            "{n} changes are newer: what they touched is scored beside what the server finds.",
        )
        if behind
        else "All changes are there."
    )
    return " ".join([words, fresh, recall_text(standing.recall, standing.measured)])


def search_document(standing: SearchStatus | None) -> dict[str, Any] | None:
    """Make the JSON document of the candidate search; null without one."""
    if standing is None:
        return None
    found = asdict(standing)
    return {"triggers": found.pop("triggers"), "shards": 1, **found, "measured": standing.measured or None}
