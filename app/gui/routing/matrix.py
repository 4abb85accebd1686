"""The decision matrix: which pattern leads to which intent and stores, and how surely; edited on the rules page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display.routing.rows import MatrixRow, matrix_columns, matrix_sentence
from app.domain.filters import SearchResult
from app.gui.kit.controls import Empty, button
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme

DEFAULT_THRESHOLD = 0.9


class RouteMatrixPart(QWidget):
    """Read only; Enter or a double click asks for the rules page with the rule in front."""

    edit_asked = Signal(str)  # the id of the rule, "" for none

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows: tuple[MatrixRow, ...] = ()
        self._threshold = DEFAULT_THRESHOLD
        self.said = Said(role="caption")
        self.edit = button(
            self.tr("Edit on the rules page"),
            tip=self.tr("Open the rules page with the selected rule (Enter)"),
            press=self._edit,
        )
        self.table = LibraryTable(theme, self.tr("Decision matrix"), matrix_columns(self._threshold), "route matrix")
        self.table.entered.connect(self._edit)
        self.table.doubleClicked.connect(lambda _: self._edit())
        self.empty = Empty(
            theme,
            "rules",
            self.tr("No rule leads to a route"),
            self.tr("Taught examples and the LLM decide alone. A rule for routes is added on the rules page."),
        )
        px = theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), px(4), px(16), px(8))
        top.setSpacing(px(8))
        top.addWidget(self.said, 1)
        top.addWidget(self.edit)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self.stack, 1)

    def stops(self) -> list[QWidget]:
        """Where the keyboard stops, in order."""
        return [self.table, self.edit] if self.rows else [self.edit]

    def show_core_state(self, core_state: CoreState) -> None:
        """The threshold of the rules may have changed."""
        if core_state.settings.route.threshold != self._threshold:
            self._threshold = core_state.settings.route.threshold
            self.table.paged.columns = matrix_columns(self._threshold)
            self.show_rows(self.rows)

    def show_rows(self, rows: Sequence[MatrixRow]) -> None:
        """Show these rules."""
        self.rows = tuple(rows)
        current = self.table.current_key
        place = current if current is not None and current < len(rows) else 0 if rows else None
        selected = () if place is None else ((place, place),)
        keys = [row.key for row in rows]
        self.table.show_found(SearchResult(keys, len(rows), {row.key: row for row in rows}, selected, place))
        self.said.say(matrix_sentence(rows, self._threshold))
        self.stack.setCurrentWidget(self.table if rows else self.empty)

    def _edit(self) -> None:
        key = self.table.current_key
        self.edit_asked.emit(self.rows[key].rule.id if key is not None and key < len(self.rows) else "")
