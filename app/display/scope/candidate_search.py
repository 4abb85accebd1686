"""Approximate answers in words: what a candidate search on a team's servers covered, and its recall."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.display import numbers
from app.domain.language import plural
from app.domain.scope.inspection import ServerSearch

if TYPE_CHECKING:
    from app.ports.candidates import SearchStatus

FINE = 10_000
"""Shares are told as parts of so many."""


def approximation_sentence(searched: ServerSearch | None) -> str:
    """In one or two sentences; "" where every memory was scored."""
    if searched is None:
        return ""
    if searched.is_coming:
        return "The team's servers are asked which memories may answer; those that were found lately are here."
    if searched.fault:
        return f"{searched.fault} Of the memories only those are scored that were found lately."
    words = f"Approximate: the team's servers chose {searched.found:,} memories among {searched.triggers:,} triggers."
    if searched.other_encoder:
        more = f"Their vectors are of another encoder ({searched.other_encoder}), so meaning found none."
    else:
        more = recall_text(searched.recall, searched.measured)
    ways = f"By meaning came {searched.by_meaning:,}, by words {searched.by_words:,}."
    return f"{words} {more} {ways}"


def recall_text(recall: float | None, day: str) -> str:
    """Which share of the nearest ten is found, and when that was measured."""
    if recall is None:
        return "How many of the nearest they find was never measured."
    shown = numbers.percent(round(recall * FINE), FINE)
    return f"Of the nearest ten they find {shown} (measured {day})."


# ---- how the index on the servers stands


def search_status_lines(standing: SearchStatus) -> str:
    """How many triggers are searched on how many servers, and how fresh and whole what they find is."""
    words = plural(
        standing.shards,
        "{triggers} triggers are searched on {n} server, by vectors of {encoder}.",
        "{triggers} triggers are searched on {n} servers, by vectors of {encoder}.",
        triggers=f"{standing.triggers:,}",
        encoder=standing.encoder,
    )
    behind = standing.head - standing.seq
    fresh = (
        plural(
            behind,
            "{n} change is newer: what it touched is scored beside what they find.",
            "{n} changes are newer: what they touched is scored beside what they find.",
        )
        if behind
        else "All changes are there."
    )
    return " ".join([words, fresh, recall_text(standing.recall, standing.measured)])


def search_document(standing: SearchStatus | None) -> dict[str, Any] | None:
    """The state of the candidate search as a JSON document; null where nothing is searched on a server."""
    return None if standing is None else {**asdict(standing), "measured": standing.measured or None}
