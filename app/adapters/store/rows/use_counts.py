"""What assistants did, in a library: a row for each day and outcome."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.access import SqlAccess
from app.domain.review.usage import UsageCount, UsageCounter
from db.schema import UseCountRow

_ROW = UseCountRow
_KNOWN = [use.value for use in UsageCounter]


class SqlUseCounts:
    """UseCounts in the library's file; every call waits for its transaction. StoreError."""

    def __init__(self, access: SqlAccess) -> None:
        self._access = access

    def add(self, counts: Iterable[UsageCount]) -> None:
        """Add to what was counted of the same day and outcome."""
        rows = list(counts)
        self._access.write(lambda connection: _add(connection, rows))

    def since(self, day: int) -> list[UsageCount]:
        """All of this day and later ones, in any order; what a later program counts is passed over."""
        wanted = select(_ROW.day, _ROW.what, _ROW.outcome, _ROW.count).where(_ROW.day >= day, _ROW.what.in_(_KNOWN))
        rows = self._access.read(lambda connection: connection.execute(wanted).all())
        return [UsageCount(on, UsageCounter(what), outcome, count) for on, what, outcome, count in rows]

    def forget(self) -> None:
        """Forget all."""
        self._access.write(lambda connection: connection.execute(delete(_ROW)))


def _add(connection: Connection, rows: list[UsageCount]) -> None:
    for row in rows:
        own = {"day": row.day, "what": row.use.value, "outcome": row.outcome}
        statement = upsert(_ROW).values(**own, count=row.count)
        connection.execute(
            statement.on_conflict_do_update(index_elements=[*own], set_={"count": _ROW.count + row.count})
        )
