"""The queries that wait as a list: rows come when they are looked at, one goes as soon as it is decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from app.display import numbers
from app.display.library.catalogue import Column
from app.display.review import inbox
from app.display.review.rows import level_of, text_of
from app.domain.filters import SearchResult, place_of
from app.domain.history import PastQuery
from app.gui.kit.tables.paged_model import FEW, PagedModel
from app.gui.kit.tables.rows import ROW_ROLE
from app.gui.kit.theme.theme import Theme
from app.gui.review.history.lines import PastRows, TwoLines
from app.settings.model import Settings

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

_COLUMNS: tuple[Column[PastQuery], ...] = (Column("text", "Query", text_of, 300),)


class InboxModel(PagedModel[PastQuery]):
    """What waits, in order. What is decided goes at once, and comes back to its place if that failed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)
        self.settings: Settings | None = None

    def take_out(self, place: int) -> int:
        """Let a row go; its key."""
        keys = self._own()
        self.beginRemoveRows(_NOWHERE, place, place)
        key = keys.pop(place)
        self.endRemoveRows()
        return key

    def put_in(self, place: int, key: int, row: PastQuery | None) -> int:
        """Let a row come back, as near to its place as there is one; where it is."""
        place = max(0, min(place, len(self.keys)))
        keys = self._own()
        self.beginInsertRows(_NOWHERE, place, place)
        keys.insert(place, key)
        if row is not None:
            self._rows[key] = row
        self.endInsertRows()
        return place

    def _own(self) -> list[int]:
        """The keys as a list that may be changed in place, which with very many is quicker than a copy."""
        if not isinstance(self.keys, list):
            self.keys = list(self.keys)
        return self.keys

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in (ROW_ROLE, Qt.ItemDataRole.AccessibleTextRole) or not index.isValid():
            return super().data(index, role)
        row = self.row_at(index.row())
        if row is None:
            return None if role == ROW_ROLE else super().data(index, role)
        if role == ROW_ROLE:
            score = numbers.ABSENT if row.answer is None else numbers.score(row.answer_confidence)
            below = f"{inbox.why_short(row)} · {row.answer}" if row.answer else inbox.why_short(row)
            return TwoLines(text_of(row), below, score, level_of(row, self.settings))
        return inbox.heard(row)


class WaitingRows(PastRows):
    """The list of what waits. The query under the keyboard is the one in front."""

    def __init__(self, theme: Theme, name: str) -> None:
        self.waiting = InboxModel()
        super().__init__(theme, name, self.waiting)
        self.waiting.setParent(self)
        self._wanted: int | None = None
        self.seen.connect(self.waiting.look_at)

    @property
    def key(self) -> int | None:
        """The key of the query in front."""
        return self.waiting.keys[self.place] if 0 <= self.place < len(self.waiting.keys) else None

    @property
    def row(self) -> PastQuery | None:
        """The query in front, if it has come."""
        return self.waiting.row_at(self.place)

    def show_found(self, found: SearchResult, gone: Collection[int]) -> None:
        """Show what waits but for what is being decided; what was in front or is waited for is in front then."""
        keys = without(found.keys, gone)
        if keys == self.waiting.keys:
            self.waiting.take_rows(found.rows, list(found.rows))
            return
        place, still = self.place, self.key
        self.waiting.show_keys(keys, found.rows)
        wanted = None if self._wanted is None else place_of(keys, self._wanted)
        if wanted is not None:
            place, self._wanted = wanted, None
        elif (found_again := place_of(keys, still)) is not None:
            place = found_again
        self.go_to(place)

    def wait_for(self, key: int | None) -> None:
        """Put this one in front as soon as it waits again."""
        self._wanted = key

    def drop_front(self) -> None:
        """Let the query in front go; the next one is in front at once."""
        place = self.place
        self.waiting.take_out(place)
        if self.place != place:
            self.go_to(place)


def without(keys: Sequence[int], gone: Collection[int]) -> list[int]:
    """These keys but for some, in their order; a few among very many are found quickest one by one."""
    if len(gone) > FEW:
        return [key for key in keys if key not in gone]
    left = list(keys)
    for key in gone:
        if (place := place_of(left, key)) is not None:
            del left[place]
    return left
