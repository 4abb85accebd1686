"""Injected memories in words: of one query, of one memory, and as documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.detect.surfacing import Cut
from app.display import numbers
from app.display.library.tables import short_time
from app.display.review.history import SOURCE_WORDS
from app.domain.library import Dated, Memory
from app.domain.review.history import Access, LoggedAccess

CUT_WORDS: Mapping[Cut, str] = {
    Cut.PAUSED: "paused",
    Cut.SUCCESS: "success too low",
    Cut.SILENT: "no response",
    Cut.THRESHOLD: "type below the threshold",
    Cut.CONFIDENCE: "not confident enough",
    Cut.COVERED: "covered by others",
    Cut.COUNT: "beyond the count",
    Cut.BUDGET: "over the budget",
    Cut.NAMESPACE: "another namespace",
    Cut.EXPIRED: "no longer valid",
    Cut.REPLACED: "replaced",
    Cut.NOT_YET: "not valid yet",
}
"""Reasons why a memory was left out; the limits of that time are not stored."""


def outcome_of(access: Access) -> str:
    """Return the rank at which a memory was injected, or why it was left out."""
    if access.cut is None:
        return f"injected as no. {access.rank or 0}"
    known = access.cut in Cut.__members__.values()
    return f"left out: {CUT_WORDS[Cut(access.cut)] if known else access.cut}"


def name_of(access: Access) -> str:
    """Return the present name of the memory."""
    return access.name or "a memory that is gone"


def access_lines(logged: Sequence[LoggedAccess]) -> list[tuple[str, str]]:
    """Return the queries that considered a memory, newest first, with the outcome of each."""
    return [(_asked(one), " · ".join(_about(one, short_time(one.at)))) for one in logged]


def _asked(one: LoggedAccess) -> str:
    return one.text if one.text is not None else f"{numbers.ABSENT} hashed"


def _about(one: LoggedAccess, last: str) -> tuple[str, ...]:
    return outcome_of(one.access), SOURCE_WORDS[one.source], last


def log_lines(row: Dated[Memory], logged: Sequence[LoggedAccess]) -> list[str]:
    """Format the access log of a memory for the terminal, below a line with its total."""
    lines = [
        f"{short_time(one.at):>16}  {_asked(one)}  →  {' · '.join(_about(one, numbers.score(one.access.confidence)))}"
        for one in logged
    ]
    return [usage_line(row), *lines]


def usage_line(row: Dated[Memory]) -> str:
    """Return how often a memory was used and marked right, and its last injection."""
    memory = row.item
    said = f"{memory.name}: used {row.used}, marked right {memory.right}"
    last = f"last injected {short_time(row.last_used)}" if row.last_used else "never injected"
    return f"{said} ({last})"


def usage_document(row: Dated[Memory]) -> dict[str, Any]:
    """Make the document of a memory's use, marks and last injection."""
    return {
        "memory": row.item.name,
        "used": row.used,
        "right": row.item.right,
        "last_used": row.last_used or None,
    }


def log_document(row: Dated[Memory], logged: Sequence[LoggedAccess]) -> dict[str, Any]:
    """Make the document of a memory's use, and of the queries that considered it."""
    return {
        **usage_document(row),
        "accesses": [
            {
                "at": one.at,
                "source": one.source.value,
                "query": one.query,
                "text": one.text,
                "rank": one.access.rank,
                "confidence": one.access.confidence,
                "cut": one.access.cut,
            }
            for one in logged
        ],
    }
