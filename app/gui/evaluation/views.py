"""Views of a result: lists of cases, label table, confusion matrix and plots, with export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display.evaluation.diagnostics import (
    CASES,
    CONFIDENCE,
    CONFUSION,
    LABEL_COLUMNS,
    LABELS,
    METRICS,
    RETRIEVAL,
    VIEWS,
    CaseSelection,
    ConfusionGrid,
    ConfusionMatrix,
    Diagnostics,
    cases_of_label,
    diagnostics_csv,
    suggested_thresholds,
)
from app.display.evaluation.results import EvaluationView
from app.display.evaluation.thresholds import THRESHOLD_BY_TASK, threshold_for_precision
from app.display.library.tables import sorted_by
from app.domain.filters import SearchResult
from app.evaluation.answers import Top, top_of
from app.evaluation.curves import LabelScore
from app.gui.evaluation.results import CaseLists, LazyPlot, MetricsPart
from app.gui.kit.canvas import CENTER, RIGHT, Canvas
from app.gui.kit.controls import EmptyState, button
from app.gui.kit.dialogs import FileSaver, png_of, svg_of
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.sheet import Sheet
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme
from app.gui.kit.thresholds import PrecisionTargetRow


class LabelTable(LibraryTable):
    """Every label with its metrics, worst first by default."""

    opened = Signal(CaseSelection)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Labels", LABEL_COLUMNS, "evaluate_labels")
        self._labels: Sequence[LabelScore] = ()
        self.lines: Sequence[LabelScore] = ()
        self.sorted_by.connect(self._sort)
        self.entered.connect(self._open)
        self.doubleClicked.connect(self._open)

    def show_labels(self, labels: Sequence[LabelScore]) -> None:
        self._labels = labels
        self._sort()

    def _sort(self, *_: object) -> None:
        self.lines = sorted_by(LABEL_COLUMNS, self._labels, self.order, descending=self.descending)
        count = len(self.lines)
        self.show_found(SearchResult(range(count), count, dict(enumerate(self.lines))))

    def _open(self, *_: object) -> None:
        if (current := self.current_row) is not None:
            self.opened.emit(cases_of_label(current.label))


def _side_by_side(theme: Theme, plots: Sequence[LazyPlot]) -> QWidget:
    made = QWidget()
    fill(spaced(QHBoxLayout(made), theme.px(8), 0, theme.px(6), 0, theme.px(10)), *((plot, 1) for plot in plots))
    return made


class Views(QWidget):
    """Tabs of views; only the open one is drawn. A selection in a plot is shown among the cases."""

    notified = Signal(str, bool)
    thresholds_requested = Signal(Mapping)  # thresholds by label
    threshold_requested = Signal(str, str)  # key, value

    def __init__(self, theme: Theme, lists: CaseLists) -> None:
        super().__init__()
        self.theme, self.lists, self.results = theme, lists, MetricsPart(theme)
        self.shown: Diagnostics | None = None
        self._view: EvaluationView | None = None
        self.choice = ChoiceBox(list(VIEWS.items()), "What is shown")
        self.export = button("Export…", link=True, tip="Save the picture as PNG, SVG or CSV", press=self.open_menu)
        tip = "Set the threshold of each intent to its best value"
        self.set = button("Set thresholds…", link=True, tip=tip, press=self.open_thresholds)
        self.table = LabelTable(theme)
        self.matrix = ConfusionSheet(theme)
        names = "Confidences of expected and other first answers", "Precision by coverage"
        self.confidence = [LazyPlot(theme, name) for name in names]
        names = "How often an expected answer is among the first", "Precision by recall"
        self.retrieval = [LazyPlot(theme, name) for name in names]
        self._line = ""
        """Threshold that a line of the view sets; "" for none."""
        self._tops: list[Top] = []
        self.promise = PrecisionTargetRow(theme)
        self.promise.target_changed.connect(self._update_target)
        self.promise.threshold_requested.connect(lambda value: self.threshold_requested.emit(self._line, value))
        self.none = EmptyState(theme, "evaluate", "Nothing to draw", "No case names an expected answer.")
        self.file_saver = FileSaver(self)
        self.file_saver.notified.connect(self.notified)
        self.menu: QMenu | None = None
        self._places: dict[str, QWidget] = {
            CASES: lists,
            LABELS: self.table,
            CONFUSION: self.matrix,
            CONFIDENCE: _side_by_side(theme, self.confidence),
            RETRIEVAL: _side_by_side(theme, self.retrieval),
            METRICS: self.results,
        }
        self._arrange()
        self.choice.changed.connect(self.open)
        self.table.opened.connect(self.pick)
        self.matrix.picked.connect(self.pick)
        self.open(CASES)

    def _arrange(self) -> None:
        px = self.theme.px
        row, lists = FlowLayout(px(8)), self.lists
        row.setContentsMargins(px(16), px(6), px(16), px(6))
        fill(row, self.choice, *lists.kinds.values(), lists.picked, lists.back, lists.why, self.set, self.export)
        row.grow(lists.picked)
        self.stack = QStackedWidget()
        fill(self.stack, *self._places.values(), self.none)
        fill(spaced(QVBoxLayout(self)), row, (self.stack, 1), self.promise)

    @property
    def view(self) -> str:
        return str(self.choice.currentData())

    @property
    def body(self) -> QWidget:
        """Widget below the tabs of views."""
        return self._places[self.view]

    @property
    def stop(self) -> QWidget:
        """Widget that gets the keyboard focus."""
        focus_stops = {CASES: self.lists.table, LABELS: self.table, CONFUSION: self.matrix, METRICS: self.results.area}
        return focus_stops.get(self.view, self.choice)

    def show_pictures(self, shown: EvaluationView) -> None:
        """Show the diagnostics of a view; the open tab stays open."""
        self.shown, self._view = shown.diagnostics, shown
        self.lists.show_lists(shown.lists, shown.cases)
        self._tops = [top_of(line.after or line.before) for line in shown.cases]
        self._line = THRESHOLD_BY_TASK.get(shown.cases[0].before.case.task, "") if shown.cases else ""
        self.open(self.view)

    def open(self, view: str) -> None:
        """Open a view; hidden views are not drawn."""
        self.choice.show_value(view)
        self.lists.show_head(on=view == CASES)
        self.export.setVisible(view not in (CASES, METRICS) and self.shown is not None)
        self.set.setVisible(view == LABELS and self.shown is not None and bool(self.shown.suggested))
        is_filled = view == CASES or self._fill(view)
        self.stack.setCurrentWidget(self._places[view] if is_filled else self.none)
        self.promise.setVisible(view == CONFIDENCE and is_filled and bool(self._line))
        self._update_target()

    def _fill(self, view: str) -> bool:
        """Fill a view; return whether it has data."""
        shown = self.shown
        if view == METRICS and self._view is not None:
            self.results.show_metrics(self._view)
            return True
        if shown is None or shown.confusion is None:
            return False
        if view == LABELS:
            self.table.show_labels(shown.labels)
        elif view == CONFUSION:
            self.matrix.show_confused(shown.confusion)
        else:
            first, second = self.confidence if view == CONFIDENCE else self.retrieval
            first.show_data(shown.confidence if view == CONFIDENCE else shown.retrieval)
            second.show_data(shown.coverage if view == CONFIDENCE else shown.precision_recall)
        return True

    def _update_target(self) -> None:
        if not self.promise.isHidden():
            self.promise.update_target(partial(threshold_for_precision, self._tops))

    def pick(self, pick: CaseSelection) -> None:
        self.lists.show_pick(pick)
        self.open(CASES)
        self.lists.table.setFocus()

    def open_thresholds(self) -> None:
        """Offer the thresholds that were best for the labels."""
        if self.shown is None:
            return
        menu = self.menu = QMenu(self)
        for words, wanted in suggested_thresholds(self.shown, self.table.current_row):
            menu.addAction(words, partial(self.thresholds_requested.emit, wanted))
        menu.popup(self.set.mapToGlobal(QPoint(0, self.set.height())))

    # ---- export

    def open_menu(self) -> None:
        """Show the menu of file formats."""
        menu = self.menu = QMenu(self)
        menu.addAction("PNG…", lambda: self._ask("png", "PNG (*.png)", png_of(self.body)))
        menu.addAction("SVG…", lambda: self._ask("svg", "SVG (*.svg)", svg_of(self.body, "Evaluation")))
        menu.addAction("CSV…", self.save_csv)
        menu.popup(self.export.mapToGlobal(QPoint(0, self.export.height())))

    def save_csv(self) -> None:
        if self.shown is not None:
            self._ask("csv", "CSV (*.csv)", diagnostics_csv(self.shown, self.view).encode())

    def _ask(self, ending: str, kind: str, content: bytes) -> None:
        self.file_saver.ask("Export the picture", f"intentscope-{self.view}.{ending}", kind, lambda: content)


_PAD, _HEAD, _NUMBER = 16.0, 40.0, 26.0
_NAMES = (90.0, 190.0)
_WIDE, _HIGH = (30.0, 72.0), (20.0, 30.0)
"""Minimum and maximum size of a cell."""

_FAINT, _STRONG = 0.10, 0.42
"""Opacity of a cell's colour for one case, and for all cases of its row."""

_STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}


class ConfusionSheet(Sheet):
    """Matrix of the most confused labels that fit; arrow keys move, Enter opens a cell."""

    picked = Signal(CaseSelection)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Confusion: expected answers by given ones")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.cell = (0, 0)
        self._confused: ConfusionMatrix | None = None
        self._grid: ConfusionGrid | None = None
        self._most = 0

    def show_confused(self, confused: ConfusionMatrix | None) -> None:
        if confused is not self._confused:
            self._confused, self._grid, self.cell = confused, None, (0, 0)
            self.update()

    @property
    def grid(self) -> ConfusionGrid | None:
        """Grid that fits the present size."""
        if self._confused is None:
            return None
        names = _NAMES[0] if self.width() / self.theme.scale < 600 else _NAMES[1]
        across = int((self.width() / self.theme.scale - 2 * _PAD - names - _NUMBER) / _WIDE[0])
        down = int((self.height_units - _HEAD - _PAD) / _HIGH[0])
        most = min(across, down)
        if self._grid is None or most != self._most:
            self._grid, self._most = self._confused.grid(most), most
            last = len(self._grid.names) - 1
            self.cell = min(self.cell[0], last), min(self.cell[1], last)
        return self._grid

    @property
    def height_units(self) -> float:
        return self.height() / self.theme.scale

    # ---- drawing

    def compose(self, canvas: Canvas) -> float:
        grid = self.grid
        if grid is None:
            return 0.0
        face, place = self.theme.face, self._place()
        legend = "Rows are expected, columns given; labels with the most mistakes come first."
        canvas.text(QRectF(_PAD, 0, canvas.width - 2 * _PAD, 20), legend, face(11), "text_2")
        for n, name in enumerate(grid.names):
            row, column = place(n, 0), place(0, n)
            canvas.text(
                QRectF(_PAD, row.y(), _NUMBER - 6, row.height()), str(n + 1), face(11, mono=True), "text_2", RIGHT
            )
            canvas.text(
                QRectF(_PAD + _NUMBER, row.y(), row.x() - _PAD - _NUMBER - 8, row.height()),
                name,
                face(12),
                "text" if n < len(grid.names) - 1 or not grid.folded else "text_2",
            )
            head = QRectF(column.x(), 20, column.width(), _HEAD - 20)
            canvas.text(head, str(n + 1), face(11, mono=True), "text_2", CENTER)
            canvas.explain(head, name)
        for n in range(len(grid.names)):
            for m in range(len(grid.names)):
                self._draw_cell(canvas, grid, n, m, place(n, m))
        if self.hasFocus():
            canvas.painter.setPen(QPen(self.theme.color("accent"), 2.0))
            canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
            canvas.painter.drawRect(place(*self.cell).adjusted(1, 1, -1, -1))
        return self.height_units

    def _draw_cell(self, canvas: Canvas, grid: ConfusionGrid, row: int, column: int, where: QRectF) -> None:
        count, whole = grid.counts[row][column], sum(grid.counts[row])
        inner = where.adjusted(0.5, 0.5, -0.5, -0.5)
        if not count:
            canvas.fill(inner, "bg" if row != column else "sunken")
            return
        is_rest = row == column and not grid.is_right(row, column)
        shade = QColor(self.theme.color("border_strong" if is_rest else "success" if row == column else "danger"))
        shade.setAlphaF(_FAINT + (_STRONG - _FAINT) * count / whole)
        canvas.fill(inner, "surface")
        canvas.fill(inner, shade)
        weight = 400 if row == column else 600
        canvas.text(inner, str(count), self.theme.face(11, weight, mono=True), "text", CENTER)
        canvas.explain(inner, grid.accessible_text(row, column))

    def _place(self) -> _Places:
        assert self._grid is not None, "there is something to draw"
        units = self.width() / self.theme.scale
        names = _NAMES[0] if units < 600 else _NAMES[1]
        count = len(self._grid.names)
        left = _PAD + _NUMBER + names
        wide = min(_WIDE[1], max(_WIDE[0], (units - left - _PAD) / count))
        high = min(_HIGH[1], max(_HIGH[0], (self.height_units - _HEAD - _PAD) / count))
        return _Places(left, _HEAD, float(int(wide)), float(int(high)))

    # ---- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self._go(cell)
            self.open_cell()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._cell_at(event.position().toPoint())
        grid = self.grid
        has_cases = grid is not None and over is not None and grid.counts[over[0]][over[1]] > 0
        self.setCursor(Qt.CursorShape.PointingHandCursor if has_cases else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        grid, step = self.grid, _STEPS.get(Qt.Key(event.key()))
        if grid is not None and step is not None:
            last = len(grid.names) - 1
            row, column = (min(last, max(0, at + by)) for at, by in zip(self.cell, step, strict=True))
            self._go((row, column))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_cell()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._go(self.cell)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def open_cell(self) -> None:
        """Show the cases of the current cell, if it has any."""
        grid = self.grid
        if grid is not None and grid.counts[self.cell[0]][self.cell[1]]:
            self.picked.emit(grid.selection(*self.cell))

    def _go(self, cell: tuple[int, int]) -> None:
        self.cell = cell
        if (grid := self.grid) is not None:
            self.setAccessibleName(grid.accessible_text(*cell))
        self.update()

    def _cell_at(self, at: QPoint) -> tuple[int, int] | None:
        grid = self.grid
        return None if grid is None else self._place().at(at.x(), at.y(), self.theme.scale, len(grid.names))


class _Places:
    """Geometry of the cells, in units."""

    def __init__(self, left: float, top: float, wide: float, high: float) -> None:
        self._left, self._top, self._wide, self._high = left, top, wide, high

    def __call__(self, row: int, column: int) -> QRectF:
        return QRectF(self._left + column * self._wide, self._top + row * self._high, self._wide, self._high)

    def at(self, x: float, y: float, scale: float, count: int) -> tuple[int, int] | None:
        """Return the cell at a pixel, if there is one."""
        column, row = int((x / scale - self._left) // self._wide), int((y / scale - self._top) // self._high)
        return (row, column) if 0 <= row < count and 0 <= column < count else None
