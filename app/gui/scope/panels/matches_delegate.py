"""Delegate of match rows: kind, name, trigger, scores, confidence; legend of the letters."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent, QTransform
from PySide6.QtWidgets import QHBoxLayout, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.display import words
from app.display.scope.match_rows import Cell, MatchRow
from app.domain.library import Kind
from app.gui.kit.canvas import LEFT, LEVEL_COLORS, RIGHT, Canvas
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import fill
from app.gui.kit.sheet import Sheet
from app.gui.kit.tables.rows import ROW_ROLE, Index
from app.gui.kit.theme import Theme, Themed
from app.scoring.scorers import SCORERS

ROW_HEIGHT = 50
CALM_ROW_HEIGHT = 36
WIDE_ROW_HEIGHT = 53
HEADING, FOOT = 27, 32
"""Heights in units of the heading above the powers, and of the legend."""
NARROW_CELL, CELL, WIDE_CELL = 43, 50, 92
CONFIDENCE, WIDE_CONFIDENCE, NARROW_CONFIDENCE = 106, 128, 76
CALM_CONFIDENCE, CALM_NARROW = 336, 66
"""Widths of the last column without scores: with bar and outcome, or percentage alone."""
_GUTTER = 6.0
_NAME_X = 38.0


HEADINGS: Mapping[Kind, str] = {Kind.MEMORY: "Memories", Kind.POWER: "Powers"}

_LEAST = 1e-6
"""Minimum value that gets a bar."""

_DIMMED = 0.4
"""Opacity of a score of the previous answer."""

_MOST_PIXELS = 1_500_000
"""Limit of pixels of all cached score cells, 4 bytes each."""

Place = tuple[MatchRow, int, QRect, bool]
"""Cell to draw: row, column, rectangle, True if the row is selected."""


class MatchDelegate(QStyledItemDelegate):
    """Paints the cells of match rows."""

    def __init__(self, theme: Theme, scorers: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme, self.scorers = theme, scorers
        self.height = ROW_HEIGHT
        self.is_calm = True
        """True if there are no scores, so that the confidence is a bar."""
        self.is_provisional = False
        """True while the answer may still change by itself: bars are paler."""
        self.pictures: dict[Hashable, QPixmap] = {}
        theme.changed.connect(self.pictures.clear)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.px(CELL), self.theme.px(self.height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, MatchRow):
            return
        on = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        self.paint_places(painter, [(row, index.column(), option.rect, on)])
        painter.restore()

    def paint_places(self, painter: QPainter, places: Sequence[Place]) -> None:
        """Draw these cells, and the heading above the first of another list; the painter's state is changed."""
        theme, scale = self.theme, self.theme.scale
        places = [self._below_heading(painter, *place) for place in places]
        ratio = painter.device().devicePixelRatio()
        cells = [self._cell(row, column) for row, column, _, _ in places]
        has_pictures = ratio % 1 == 0  # otherwise cells may start between pixels
        for cell, (_, _, rect, on) in zip(cells, places, strict=True):
            if cell is None or not has_pictures:
                self.lay_ground(painter, rect, on)
            else:
                painter.drawPixmap(rect.topLeft(), self._picture(cell, rect.size(), on, ratio))
        canvas = Canvas(painter, theme, 0.0)
        canvas.keeps = False
        top = (self.height - ROW_HEIGHT) / 2
        for cell, (row, column, rect, on) in zip(cells, places, strict=True):
            painter.setTransform(QTransform(scale, 0.0, 0.0, scale, rect.x(), rect.y()))
            canvas.width = rect.width() / scale
            if cell is not None:
                if not has_pictures:
                    self.draw_bar(canvas, cell, on, top)
                self.draw_number(canvas, cell, top)
            elif column == 0:
                (self._calm_answer if self.is_calm else self._answer)(canvas, row, on, top)
            elif column > len(self.scorers):
                (self._calm_confidence if self.is_calm else self._confidence)(canvas, row, top)
            if row.ends_injected:
                canvas.line(0, self.height - 1, canvas.width, self.height - 1, "warning", 2, dashes=(3, 2))

    def _below_heading(self, painter: QPainter, row: MatchRow, column: int, rect: QRect, on: bool) -> Place:
        """Draw the heading of a row's list, if the row is its first; return the place of the row below it."""
        if not row.starts_list:
            return row, column, rect, on
        high = self.theme.px(HEADING)
        painter.fillRect(rect.x(), rect.y(), rect.width(), high, self.theme.color("surface"))
        painter.fillRect(rect.x(), rect.y() + high - 1, rect.width(), 1, self.theme.color("border"))
        if column == 0:
            painter.save()
            painter.translate(rect.topLeft())
            draw_heading(Canvas(painter, self.theme, rect.width()), row.kind, rect.width() / self.theme.scale)
            painter.restore()
        return row, column, rect.adjusted(0, high, 0, 0), on

    def _cell(self, row: MatchRow, column: int) -> Cell | None:
        return row.cell(self.scorers[column - 1]) if 0 < column <= len(self.scorers) else None

    def _picture(self, cell: Cell, size: QSize, on: bool, ratio: float) -> QPixmap:
        """Return the cached pixmap of a score cell, keyed by its rounded value.

        Drawing cells took most of the time of a keystroke.
        """
        steps = size.width() * ratio
        value = None if cell.value is None else round(cell.value * steps) / steps
        look = (cell.scorer, value, bool(cell.value), cell.decides, cell.stale, on)
        key = (*look, size.width(), size.height(), ratio, self.height)
        picture = self.pictures.get(key)
        if picture is None:
            picture = self.pictures[key] = QPixmap(size * ratio)
            picture.setDevicePixelRatio(ratio)
            painter = QPainter(picture)
            self.lay_ground(painter, QRect(QPoint(0, 0), size), on)
            shown = replace(cell, value=cell.value and max(value or 0.0, _LEAST))
            self.draw_bar(Canvas(painter, self.theme, size.width()), shown, on, (self.height - ROW_HEIGHT) / 2)
            painter.end()
            if len(self.pictures) * size.width() * size.height() * ratio * ratio > _MOST_PIXELS:
                del self.pictures[next(iter(self.pictures))]
        return picture

    def lay_ground(self, painter: QPainter, rect: QRect, on: bool) -> None:
        painter.fillRect(rect, self.theme.color("selection" if on else "surface"))
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, self.theme.color("border"))

    def _answer(self, canvas: Canvas, row: MatchRow, on: bool, top: float) -> None:
        face = self.theme.face
        if on:
            canvas.fill(QRectF(0, 0, 3, self.height), "accent")
        canvas.icon("memory" if row.kind is Kind.MEMORY else "power", 15, top + 8, 15)
        room = canvas.width - _NAME_X - 10
        weight, shade = (600, "text") if row.is_found else (400, "text_2")
        canvas.text(QRectF(_NAME_X, top + 5, room, 20), row.name, face(13, weight), shade)
        x = _NAME_X
        if row.level is not None:
            canvas.level(row.level, x, top + 28)
            word = face(12, 500)
            x += 18 + canvas.text(QRectF(x + 18, top + 25, 96, 19), row.level_word, word, LEVEL_COLORS[row.level]) + 9
        if row.trigger and canvas.width - x > 30:
            self._trigger(canvas, row, x, top)

    def _calm_answer(self, canvas: Canvas, row: MatchRow, on: bool, _: float) -> None:
        if on:
            canvas.fill(QRectF(0, 0, 3, self.height), "accent")
        canvas.icon("memory" if row.kind is Kind.MEMORY else "power", 15, (self.height - 15) / 2, 15)
        weight, shade = (600, "text") if row.is_found else (400, "text_2")
        name, room = self.theme.face(13, weight), canvas.width - _NAME_X - 10
        used = canvas.text(QRectF(_NAME_X, 0, room, self.height), row.name, name, shade)
        if row.more and room - used > 60:
            rest = QRectF(_NAME_X + used + 10, 0, room - used - 10, self.height)
            canvas.text(rest, row.more, self.theme.face(12), "text_2")

    def _calm_confidence(self, canvas: Canvas, row: MatchRow, _: float) -> None:
        face, middle = self.theme.face, self.height / 2
        weight, shade = (600, "text") if row.is_found else (400, "text_2")
        share = face(13, weight)
        if canvas.width < CALM_CONFIDENCE - 1:  # a column has whole pixels
            canvas.text(QRectF(0, 0, canvas.width - 15, self.height), row.share, share, shade, RIGHT)
            return
        color = self.theme.tokens.accent if row.is_found else self.theme.tokens.border_strong
        canvas.fill(QRectF(0, middle - 4, 120, 8), "sunken", 2)
        canvas.painter.setOpacity(_DIMMED if self.is_provisional else 1.0)
        canvas.bar(QRectF(0, middle - 4, 120, 8), max(row.match.confidence, _LEAST), color, None)
        canvas.painter.setOpacity(1.0)
        canvas.text(QRectF(120, 0, 62, self.height), row.share, share, shade, RIGHT)
        token = outcome_token(row)
        if row.level is not None and row.shows_outcome:
            canvas.level(row.level, 194, middle - 6)
        canvas.text(QRectF(213, 0, canvas.width - 217, self.height), row.outcome, face(12, 500), token)

    def _trigger(self, canvas: Canvas, row: MatchRow, x: float, top: float) -> None:
        font = self.theme.face(12)
        room = canvas.width - x - 10
        shown = row.more or f"“{row.trigger}”"
        canvas.text(QRectF(x, top + 25, room, 19), shown, font, "text_2")

    def draw_number(self, canvas: Canvas, cell: Cell, top: float) -> None:
        font = self.theme.face(12, 700 if cell.decides else 400, mono=True)
        token = "border_strong" if cell.stale else "text" if cell.decides else "text_2"
        canvas.text(QRectF(_GUTTER, top + 6, canvas.width - _GUTTER, 19), cell.text, font, token, LEFT)

    def draw_bar(self, canvas: Canvas, cell: Cell, on: bool, top: float) -> None:
        width = canvas.width - 2 * _GUTTER
        track = "surface" if on else "sunken"
        canvas.painter.setOpacity(_DIMMED if cell.stale else 1.0)
        canvas.bar(QRectF(_GUTTER, top + 30, width, 7), cell.value, self.theme.tokens.scorer(cell.scorer), track)
        if cell.decides and cell.value is not None:
            canvas.triangle(_GUTTER + width * cell.value, top + 39)
        canvas.painter.setOpacity(1.0)

    def _confidence(self, canvas: Canvas, row: MatchRow, top: float) -> None:
        face = self.theme.face
        rect = QRectF(0, top + 5, canvas.width - 15, 20)
        weight, shade = (700, "text") if row.is_found else (500, "text_2")
        canvas.text(rect, row.confidence, face(15, weight, mono=True), shade, RIGHT)
        canvas.text(rect.translated(0, 20), row.lead, face(11, mono=True), "text_2", RIGHT)


def draw_heading(canvas: Canvas, kind: Kind, room: float) -> None:
    """Draw the heading of the list of a kind."""
    canvas.text(QRectF(16, 0, room - 16, HEADING - 1), HEADINGS[kind], canvas.theme.face(12, 600))


def outcome_token(row: MatchRow) -> str:
    """Return the colour of an outcome: a memory that is not injected must not look like a success."""
    if row.is_injected:
        return "success"
    return "text_2" if row.kind is Kind.MEMORY or row.level is None else LEVEL_COLORS[row.level]


class ColumnHead(Themed):
    """Header above the rows: scorers by badge and, if there is space, by name."""

    def __init__(self, theme: Theme, scorers: tuple[str, ...]) -> None:
        super().__init__(theme)
        self.scorers: tuple[str, ...] = ()
        self._kind = Kind.MEMORY
        self._cell, self._last = CELL, CONFIDENCE
        self.setFixedHeight(theme.px(HEADING))
        self.setAccessibleName("Columns")
        self.show_scorers(scorers)

    def show_scorers(self, scorers: tuple[str, ...], aside: tuple[str, ...] = ()) -> None:
        """Show a column for each of these scorers; those `aside` have no space."""
        self.scorers = scorers
        names = [f"{words.scorer(key).initial}: {words.scorer(key).title}" for key in scorers]
        tips = [f"{words.scorer(key).title}: {words.scorer(key).summary}" for key in scorers]
        if aside:
            titles = ", ".join(words.scorer(key).title for key in aside)
            tips.append(f"{titles}: no room here, and not counted; Selected shows them.")
        self.setToolTip("\n".join(tips))
        self.setAccessibleDescription(", ".join(names))
        self.update()

    def show_kind(self, kind: Kind) -> None:
        if kind is not self._kind:
            self._kind = kind
            self.update()

    def show_widths(self, cell: int, last: int) -> None:
        """Set the widths of cells and the last column, in units; 0 for no score columns."""
        if (cell, last) != (self._cell, self._last):
            self._cell, self._last = cell, last
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        canvas = Canvas(painter, self.theme, self.width())
        face, cell, last = self.theme.face, self._cell, self._last
        scorers = self.scorers if cell else ()
        x = canvas.width - last - cell * len(scorers)
        draw_heading(canvas, self._kind, x)
        for key in scorers:
            canvas.badge(key, x + _GUTTER, 5.5)
            if cell == WIDE_CELL:
                title = words.scorer(key).title
                canvas.text(QRectF(x + _GUTTER + 20, 0, cell - 26, 26), title, face(11, 500), "text_2")
            x += cell
        if cell:
            title = "Confidence" if last == NARROW_CONFIDENCE else "Confidence, lead"
            canvas.text(QRectF(x - 20, 0, last + 5, 26), title, face(11, 500), "text_2", RIGHT)
        elif last == CALM_CONFIDENCE:
            canvas.text(QRectF(x, 0, 182, 26), "Confidence", face(11, 500), "text_2", RIGHT)
            canvas.text(QRectF(x + 194, 0, last - 194, 26), "Outcome", face(11, 500), "text_2")
        canvas.line(0, 26.5, canvas.width, 26.5)


class Legend(QWidget):
    """Legend below the rows, as far as it fits beside the widget on the right."""

    def __init__(self, theme: Theme, right: QWidget) -> None:
        super().__init__()
        self.theme, self.why, self._marks = theme, "", True
        self._right = right
        self._row = fill(QHBoxLayout(self), 1, (right, 0, Qt.AlignmentFlag.AlignTop))
        self.setAccessibleName("Legend: a wedge marks what puts an answer first; hatched is absent, not 0")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay at the top, whatever the height."""
        beside = (self.theme.px(FOOT) - self._right.sizeHint().height()) // 2
        self._row.setContentsMargins(0, max(0, beside), self.theme.px(10), 0)

    def show_marks(self, on: bool) -> None:
        """Explain the marks, if there are scores with marks."""
        if on is not self._marks:
            self._marks = on
            self.update()

    def show_reason(self, why: str) -> None:
        """Show why scorers are absent, unless only because of their kind."""
        if why != self.why:
            self.why = why
            self.setAccessibleDescription(why)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        canvas = Canvas(painter, self.theme, self.width())
        font = self.theme.face(11)
        if not self._marks:
            return
        decides, sentence = "puts it ahead of the next", "absent, not 0"
        end = (self._right.x() if self._right.isVisible() else self.width()) / self.theme.scale - 12
        x = 32 + font.width(decides)
        if x <= end:
            canvas.triangle(20, 12)
            canvas.text(QRectF(32, 0, x - 31, 30), decides, font, "text_2")
        x += 18
        if x + 28 + font.width(sentence) <= end:
            canvas.hatch(QRectF(x, 11.5, 22, 7))
            sentence += f": {self.why}" if self.why else ""
            canvas.text(QRectF(x + 28, 0, end - x - 28, 30), sentence, font, "text_2")
        self.setToolTip(plain_tip(sentence if self.why else ""))


_ROW, _PAD, _NAMES = 24.0, 12.0, 100.0
_WIDE = 660


class LettersLegend(Sheet):
    """One row per scorer: letter, name and summary. Closed by Esc or a click."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "Letters of the scorers", parent)
        self.setWindowFlags(Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wide = min(theme.px(_WIDE), parent.window().width())
        self.setFixedSize(wide, theme.px(2 * _PAD + _ROW * len(SCORERS)))

    def open_over(self, place: QWidget) -> None:
        """Open at the upper left corner of a widget."""
        self.move(place.mapToGlobal(QPoint(0, 0)))
        self.show()

    def compose(self, canvas: Canvas) -> float:
        high = 2 * _PAD + _ROW * len(SCORERS)
        canvas.fill(QRectF(0, 0, canvas.width, high), "border_strong")
        canvas.fill(QRectF(1, 1, canvas.width - 2, high - 2), "raised")
        for place, key in enumerate(SCORERS):
            y, shown = _PAD + _ROW * place, words.scorer(key)
            canvas.badge(key, _PAD, y + (_ROW - 15) / 2)
            canvas.text(QRectF(_PAD + 24, y, _NAMES, _ROW), shown.title, self.theme.face(12, 600))
            left = _PAD + 24 + _NAMES
            canvas.text(QRectF(left, y, canvas.width - left - _PAD, _ROW), shown.summary, self.theme.face(12), "text_2")
        return high
