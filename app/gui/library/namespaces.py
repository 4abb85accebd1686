"""The namespaces page: the matrix of weights, and the ranking of the query's memories before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.detect.surfacing import Surfaced
from app.display import words
from app.display.library.namespaces import is_weight_text, keys_set_here, namespace_rows
from app.display.scope.surfacing import Move, memory_ranks, rank_moves
from app.domain.language import plural
from app.domain.scope.inspection import Inspection
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet, draw_move, scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import keep_least_heights, orient_box, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.query_follower import QueryFollower
from app.gui.kit.theme.theme import Theme
from app.gui.library.namespace_matrix import NAME, NamespaceMatrix, NamespaceModel
from app.services.library.namespaces import Renamed

_RIGHT, _RIGHT_WIDE, _WIDE_FROM = 400, 620, 1500


class NamespacesPage(Page):
    """A weight is tried while it is typed, and stored when it is entered."""

    side_by_side_from = 820

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Namespaces")
        self.no_undo_reason = "The last step did not change a setting: undo it with Ctrl+Z on another page."
        self._counts: Mapping[str, int] = {}
        self._before: dict[int | None, int] | None = None
        self._before_edit: dict[int | None, int] | None = None
        self._is_trying = False
        self._shown: tuple[Inspection, Surfaced] | None = None
        self.model = NamespaceModel()
        self.matrix = NamespaceMatrix(theme, self.model)
        self.reset = button("Reset all", link=True, tip="Reset every weight set here")
        self.reset.clicked.connect(self._reset_all)
        self.head = PaneHeader(theme, "Weights of namespaces by type", self.reset)
        self.fault = FaultLine(theme)
        self.name = QLineEdit()
        self.name.setPlaceholderText("Name of a new namespace")
        self.name.setAccessibleName("Name of a new namespace")
        self.name.returnPressed.connect(self._add)
        self.add = button("Add", tip="Add the namespace", press=self._add)
        hint = "Type a weight from 0 to 10. Del: the default. Enter on a name: rename."
        self.hint = WrappedLabel(hint, role="caption")
        self.sheet = ReorderSheet(theme, "Order of the query's memories")
        self.area = scrolled(self.sheet, "Order of the query's memories")
        self.order_head = PaneHeader(theme, "Order")
        self.empty = EmptyState(
            theme,
            "namespaces",
            "No query yet",
            "Type one on the scope; its memories are put in order here.",
        )
        self.following = QueryFollower(self, worker)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        px = self.theme.px
        foot = spaced(QHBoxLayout(), px(8), px(16), px(8), px(16), px(10))
        self.name.setMaximumWidth(px(240))
        foot.addWidget(self.name, 1)
        foot.addWidget(self.add)
        foot.addSpacing(px(8))
        foot.addWidget(self.hint, 2)
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setContentsMargins(0, px(4), 0, 0)
            column.setSpacing(0)
        left.addWidget(self.head)
        left.addWidget(self.fault)
        left.addWidget(self.matrix, 1)
        left.addLayout(foot)
        right.addWidget(self.order_head)
        right.addWidget(self.area, 1)
        right.addWidget(self.empty, 1)
        self.right = QWidget()
        self.right.setLayout(right)
        whole = self._whole = spaced(QHBoxLayout(self), px(1))
        whole.addLayout(left, 1)
        whole.addWidget(self.right)

    def _connect(self) -> None:
        queued, jobs = Qt.ConnectionType.QueuedConnection, self.following.jobs
        self.following.found.connect(self._show_order)
        self.following.refused.connect(self._on_refused)
        jobs.counted.connect(self._on_counted, queued)
        jobs.renamed.connect(self._on_renamed, queued)
        jobs.added.connect(self._on_added, queued)
        self.model.weight_typed.connect(self._choose)
        self.model.renamed.connect(jobs.rename)
        self.matrix.painter.being_typed.connect(self._try)
        self.matrix.painter.closeEditor.connect(self._on_editor_closed)
        self.matrix.reset_requested.connect(self._reset)

    def focus_stops(self) -> list[QWidget]:
        return [self.matrix, self.area, self.name, self.add, self.reset]

    # ---- what stands

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        if self.isVisible():
            self.following.jobs.count()
        self._show_rows()
        self.following.show_core_state(core_state)

    def _show_rows(self) -> None:
        if self.core_state is None:
            return
        here = self.matrix.currentIndex()
        place = here.row(), here.column()
        rows = namespace_rows(self.core_state.settings, self.core_state.origins, self._counts)
        self.model.show_rows(rows)
        if rows and not self.matrix.currentIndex().isValid():
            row, column = place if here.isValid() else (0, NAME + 2)
            self.matrix.setCurrentIndex(self.model.index(min(max(row, 0), len(rows) - 1), max(column, 0)))
        changed = sum(cell.is_set for row in rows for cell in row.cells)
        more = plural(changed, "{n} changed", "{n} changed") if changed else ""
        self.head.set_more(more)
        self.reset.setEnabled(bool(keys_set_here(rows)))

    def _on_counted(self, counts: Mapping[str, int]) -> None:
        if dict(counts) != dict(self._counts):
            self._counts = counts
            self._show_rows()

    def _show_order(self, inspection: Inspection, found: Surfaced) -> None:
        if self._shown is not None and self._shown[0].query.text != inspection.query.text:
            self._before = None
        self._shown = inspection, found
        self.model.type_ = None if found.intent is None else found.intent.type
        self.matrix.viewport().update()
        self.sheet.moves = rank_moves(found, self._before)
        self.sheet.query = inspection.query.text
        self.sheet.sentence = self._sentence(found)
        self.order_head.set_more(
            "against the order before the change" if self._before is not None else "against the order by confidence"
        )
        self.sheet.update()
        self._show_empty(False)

    def _sentence(self, found: Surfaced) -> str:
        if found.intent is None:
            return "No type was detected, so every namespace weighs 1."
        text = f"{words.type_word(found.intent.type)}: its column of weights orders these."
        if not found.inside and found.row is None:
            return text + " " + "Nothing is injected: the confidence is below the threshold."
        return text

    def _show_empty(self, on: bool) -> None:
        self.empty.setVisible(on)
        self.area.setVisible(not on)

    # ---- what a person does

    def _try(self, key: str, text: str) -> None:
        """Show what a weight would do while it is typed."""
        if is_weight_text(text):
            if not self._is_trying:
                self._keep_before()
                self._is_trying = True
            self.following.refresh({key: text})

    def _choose(self, key: str, text: str) -> None:
        self.fault.show_fault("")
        self.following.jobs.choose({key: text})

    def _reset(self, index: QModelIndex) -> None:
        """Back to the default; on the name of an empty namespace of one's own, away with it."""
        cell = self.model.cell(index)
        self.fault.show_fault("")
        if cell is not None and cell.is_here:
            self._keep_before()
            self.following.jobs.choose({cell.key: None})
        elif cell is None and index.isValid() and index.column() == NAME:
            self.following.jobs.remove(self.model.rows[index.row()].name)

    def _reset_all(self) -> None:
        self._keep_before()
        self.following.jobs.choose(dict.fromkeys(keys_set_here(self.model.rows)))

    def _keep_before(self) -> None:
        """The order that stands becomes the one that moves are counted from."""
        self._before_edit = self._before
        if self._shown is not None:
            self._before = memory_ranks(self._shown[1])

    def _on_editor_closed(self, _: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """What was tried and not entered is forgotten."""
        if self._is_trying and hint is QAbstractItemDelegate.EndEditHint.RevertModelCache:
            self._before = self._before_edit
            self.following.refresh()
        self._is_trying = False

    def _add(self) -> None:
        self.fault.show_fault("")
        self.model.typed = None
        self.following.jobs.add(self.name.text())

    # ---- what comes back

    def _on_added(self, name: str) -> None:
        self.name.clear()
        self.notified.emit(f"Added the namespace “{name}”.", False, False)

    def _on_renamed(self, renamed: Renamed) -> None:
        self.model.typed = None
        text = plural(
            renamed.moved,
            "Moved {n} memory from “{old}” to “{new}”.",
            "Moved {n} memories from “{old}” to “{new}”.",
            old=renamed.old,
            new=renamed.new,
        )
        self.notified.emit(text, renamed.moved > 0, False)
        self.following.jobs.count()

    def _on_refused(self, sentence: str) -> None:
        self.fault.show_fault(sentence)
        if self.isVisible():
            self.matrix.type_again()
        self.following.refresh()

    # ---- while it can be seen

    def showEvent(self, event: QShowEvent) -> None:
        self.following.jobs.count()
        self._show_empty(self.following.answer is None)
        self.following.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.following.forget()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_panes(flipped=False)

    def lay_panes(self, flipped: bool) -> None:
        narrow = self.is_narrow
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        keep_least_heights(self.theme, {self.matrix: 200, self.right: 280}, narrow=narrow, within=0)
        orient_box(self.theme, self._whole, self.right, _RIGHT_WIDE if wide else _RIGHT, narrow=narrow)

    def hairlines(self) -> Iterator[QRect]:
        right = self.right.geometry()
        beside, above = QRect(right.x() - 1, 0, 1, self.height()), QRect(0, right.y() - 1, self.width(), 1)
        yield above if self.is_narrow else beside


# ---- The order of a query's memories before and after, drawn side by side with a line from place to place.


_PAD, _ROW, _TOP = 16.0, 36.0, 66.0
_BEFORE, _WAY, _RANK, _MOVE = 22.0, 46.0, 24.0, 36.0


class ReorderSheet(Sheet):
    """The memories in their new ranking; a line leads from the old rank of each."""

    query = ""
    sentence = ""
    moves: tuple[Move, ...] = ()

    def compose(self, canvas: Canvas) -> float:
        face, wide = self.theme.face, canvas.width - 2 * _PAD
        canvas.text(QRectF(_PAD, 0, wide, 18), f"“{self.query}”", face(13, 600))
        canvas.paragraph(QRectF(_PAD, 19, wide, 34), self.sentence, face(11), "text_2", lines=2)
        if not self.moves:
            canvas.text(QRectF(_PAD, _TOP, wide, 18), "No memory matches.", face(12), "text_2")
            return _TOP + 30
        self._lines(canvas)
        for place, move in enumerate(self.moves):
            self._row(canvas, move, _TOP + place * _ROW)
        return _TOP + len(self.moves) * _ROW + 12

    def _lines(self, canvas: Canvas) -> None:
        left = _PAD + _BEFORE
        for place, move in enumerate(self.moves):
            end = _TOP + place * _ROW + 12
            if move.way is None:
                continue
            # From below the last row where it was not among those shown.
            start = _TOP + min(place + move.way, len(self.moves) - 0.4) * _ROW + 12
            token, strength = _shade(move.way)
            canvas.line(left, start, left + _WAY - 6, end, token, strength)

    def _row(self, canvas: Canvas, move: Move, y: float) -> None:
        face, number = self.theme.face, self.theme.face(12, mono=True)
        place = int(move.now)
        if place <= len(self.moves):
            canvas.text(QRectF(_PAD, y + 3, _BEFORE - 6, 18), str(place), number, "text_2", RIGHT)
        left = _PAD + _BEFORE + _WAY
        weight = 650 if move.way else 400
        canvas.text(QRectF(left, y + 3, _RANK - 8, 18), move.now, face(12, weight, mono=True), "text", RIGHT)
        if move.way is None:
            canvas.text(QRectF(left + _RANK, y + 3, _MOVE, 18), "new", face(11, 600), "success")
        draw_move(canvas, self.theme, move.way or 0, left + _RANK, y + 3)
        x = left + _RANK + _MOVE
        token = "text" if move.is_inside else "text_2"
        canvas.text(
            QRectF(x, y + 1, canvas.width - _PAD - x, 18), move.name, face(13, 600 if move.is_inside else 400), token
        )
        room = canvas.width - _PAD - x
        wide = canvas.text(QRectF(x, y + 17, room, 16), move.equation, face(11, mono=True), "text_2", RIGHT)
        canvas.text(QRectF(x, y + 17, room - wide - 8, 16), move.about, face(11), "text_2")


def _shade(way: int) -> tuple[str, float]:
    if not way:
        return "border", 1.2
    return ("success", 2.0) if way > 0 else ("warning", 1.4)
