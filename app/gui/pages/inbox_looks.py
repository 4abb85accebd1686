"""What is known closely of the queries that wait: asked for before it is needed, and again when it is outdated."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.pages.inbox_errands import InboxErrands, Look

MOST = 200
"""So many are kept; more than somebody goes back to."""


class Looks(QObject):
    """Looks by key. One that was taken before the last change is shown until a new one has come."""

    came = Signal(int, object)  # key, Look

    def __init__(self, errands: InboxErrands, parent: QObject) -> None:
        super().__init__(parent)
        self._errands = errands
        self._kept: dict[int, tuple[int, Look]] = {}
        self._asked: set[int] = set()
        self._epoch = 0
        errands.looked.connect(self._on_looked, Qt.ConnectionType.QueuedConnection)

    def of(self, key: int | None) -> Look | None:
        """What is known of a query."""
        kept = self._kept.get(key) if key is not None else None
        return kept[1] if kept is not None else None

    def ask(self, key: int, *, anew: bool = False) -> None:
        """Have a look at a query that is not known; `anew` also at one that was looked at before the last change."""
        kept = self._kept.get(key)
        if key not in self._asked and (kept is None or (anew and kept[0] < self._epoch)):
            self._asked.add(key)
            self._errands.look_at(key)

    def outdate(self) -> None:
        """Library or settings have changed: answers of today may be others."""
        self._epoch += 1

    def forget(self, key: int) -> None:
        """It waits no longer."""
        self._kept.pop(key, None)

    def _on_looked(self, key: int, look: Look | None) -> None:
        if look is None or look.is_whole:
            self._asked.discard(key)
        if look is None:
            self.forget(key)
            return
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (self._epoch, look)
        self.came.emit(key, look)
