"""What assistants were told of memories, in words: of one query, of one memory, and as documents."""

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
    Cut.COUNT: "beyond the count",
    Cut.BUDGET: "over the budget",
    Cut.NAMESPACE: "another namespace",
    Cut.EXPIRED: "no longer valid",
    Cut.REPLACED: "replaced",
    Cut.NOT_YET: "not valid yet",
}
"""Why a memory stayed out, as it is kept: the limits of then are not."""


def outcome_of(access: Access) -> str:
    """The place at which a memory was told, or why it was not."""
    if access.cut is None:
        return f"injected as no. {access.rank or 0}"
    known = access.cut in Cut.__members__.values()
    return f"left out: {CUT_WORDS[Cut(access.cut)] if known else access.cut}"


def name_of(access: Access) -> str:
    """What the memory is called now."""
    return access.name or "a memory that is gone"


def access_lines(logged: Sequence[LoggedAccess]) -> list[tuple[str, str]]:
    """The queries that a memory was in question for, newest first: the query, and what became of the memory."""
    return [(_asked(one), " · ".join(_about(one, short_time(one.at)))) for one in logged]


def _asked(one: LoggedAccess) -> str:
    return one.text if one.text is not None else f"{numbers.ABSENT} hashed"


def _about(one: LoggedAccess, last: str) -> tuple[str, ...]:
    return outcome_of(one.access), SOURCE_WORDS[one.source], last


def log_lines(row: Dated[Memory], logged: Sequence[LoggedAccess]) -> list[str]:
    """The access log of a memory for the terminal, below a line with its total."""
    lines = [
        f"{short_time(one.at):>16}  {_asked(one)}  →  {' · '.join(_about(one, numbers.score(one.access.confidence)))}"
        for one in logged
    ]
    return [usage_line(row), *lines]


def usage_line(row: Dated[Memory]) -> str:
    """How often a memory was used and marked right, and when an assistant was told it last."""
    memory = row.item
    said = f"{memory.name}: used {row.used}, marked right {memory.right}"
    last = f"last injected {short_time(row.last_used)}" if row.last_used else "never injected"
    return f"{said} ({last})"


def usage_document(row: Dated[Memory]) -> dict[str, Any]:
    """How often a memory was used and marked right, and when an assistant was told it last."""
    return {
        "memory": row.item.name,
        "used": row.used,
        "right": row.item.right,
        "last_used": row.last_used or None,
    }


def log_document(row: Dated[Memory], logged: Sequence[LoggedAccess]) -> dict[str, Any]:
    """How often a memory was used and marked right, and the queries that it was in question for."""
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
