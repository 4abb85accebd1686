"""Page of keys: every shortcut by group, searchable."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display.library.tables import fuzzy_score
from app.domain.language import plural
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.action import PLACE_KEYS, Action, Group, PlaceKeys
from app.gui.kit.controls import EmptyState, PaneHeader
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.drawing.sheet import Sheet, draw_caps, scrolled
from app.gui.kit.layouts import spaced
from app.gui.kit.page import Page
from app.gui.kit.theme.theme import Theme

Row = Action | PlaceKeys

_LEAST, _MOST, _PAD, _GAP = 448, 560, 16, 40
"""Minimum and maximum width of a column, margin and gap, in units."""

_ROW, _TITLE, _AFTER = 32, 34, 18
_ABOVE = 7
"""Space above and below a row's text, which wraps if its keys need the space."""


class KeysSheet(Sheet):
    """Groups in balanced columns, as many as fit."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.groups: list[tuple[Group, list[Row]]] = []

    def compose(self, canvas: Canvas) -> float:
        room = canvas.width - 2 * _PAD
        columns = max(1, int((room + _GAP) // (_LEAST + _GAP)))
        wide = min(_MOST, (room + _GAP) / columns - _GAP)
        ends = [float(_PAD)] * columns
        for group, rows in self.groups:
            column = ends.index(min(ends))
            left = _PAD + column * (wide + _GAP)
            ends[column] = self._group(canvas, group, rows, left, ends[column], wide)
        return max(ends)

    def _group(self, canvas: Canvas, group: Group, rows: Sequence[Row], left: float, top: float, wide: float) -> float:
        canvas.text(QRectF(left, top, wide, _TITLE - 8), group, self.theme.face(15, 650))
        y = top + _TITLE
        for row in rows:
            begin = draw_caps(canvas, row.keys, left + wide, y, _ROW)
            words = QRectF(left, y + _ABOVE, begin - left - 12, _ROW)
            y += max(_ROW, canvas.paragraph(words, row.name, self.theme.face(13)) + 2 * _ABOVE)
            canvas.line(left, y - 0.5, left + wide, y - 0.5)
        return y + _AFTER


class KeysPage(Page):
    """Search field, and the keys below it."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Keys")
        self._rows: list[Row] = []
        self.head = PaneHeader(theme, "Keys")
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText("Search keys by what they do, or by the key")
        self.search.setAccessibleName("Search keys")
        self.search.textChanged.connect(self._filter)
        self.sheet = KeysSheet(theme, "Keys")
        self.area = scrolled(self.sheet, "Keys")
        self.empty = EmptyState(theme, "search", "No key does that", "Ctrl+K also finds actions without a key.")
        self.empty.setVisible(False)
        px = theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), 0, px(16), px(10))
        top.addWidget(self.search)
        whole = spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0)
        whole.addWidget(self.head)
        whole.addLayout(top)
        whole.addWidget(self.area, 1)
        whole.addWidget(self.empty, 1)

    def focus_stops(self) -> list[QWidget]:
        return [self.search, self.area]

    def show_action_rows(self, rows: Sequence[Action]) -> None:
        self._rows = [*PLACE_KEYS, *(row for row in rows if row.shortcuts)]
        self._filter()

    def _filter(self) -> None:
        """Show the keys that match the search by name or key."""
        sought = self.search.text().strip()
        shown = [row for row in self._rows if _fits(row, sought)]
        groups = [(group, [row for row in shown if row.group is group]) for group in Group]
        self.sheet.groups = [(group, rows) for group, rows in groups if rows]
        self.head.set_more(plural(len(shown), "{n} action", "{n} actions"))
        self.area.setVisible(bool(shown))
        self.empty.setVisible(not shown)
        self.sheet.update()


def _fits(row: Row, sought: str) -> bool:
    by_key = any(sought.casefold() in key.casefold() for key in row.keys)
    return by_key or fuzzy_score(sought, row.name) is not None
