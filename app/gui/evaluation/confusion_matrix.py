"""Confusion matrix: expected labels as rows, predicted as columns; a cell opens its cases."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from app.display.evaluation.diagnostics import CaseSelection, ConfusionGrid, ConfusionMatrix
from app.gui.kit.drawing.canvas import CENTER, RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme

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
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.cell = (0, 0)
        self._confused: ConfusionMatrix | None = None
        self._grid: ConfusionGrid | None = None
        self._most = 0

    def show_confused(self, confused: ConfusionMatrix | None) -> None:
        """Draw this matrix."""
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
