"""Why-not view over the panes: expected answer, verdict on the left, changes on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.display.scope.why_not import KIND_ICONS, ChangeRow, GapRow, WhyNotExplanation
from app.display.scope.why_not_sentences import with_break_points
from app.domain.scope.why_not import Change
from app.gui.bridge.jobs import Chunks
from app.gui.kit.controls import EmptyState, PaneHeader, button, progress_bar
from app.gui.kit.drawing.canvas import CENTER, LEFT, RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet, scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel, section
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme, Themed
from app.gui.scope.views.overlays import Overlay
from app.gui.scope.views.why_not_line import ExpectedLine
from app.scoring.scorers import SCORERS

_CHIP_HIGH, _CHIP_PAD, _CHIP_GAP = 20.0, 8.0, 6.0
_LONGEST = 300


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


class EffectChips(Themed):
    """Two chips: how many cases a change fixes and breaks; dimmed for none."""

    def __init__(self, theme: Theme, row: ChangeRow) -> None:
        super().__init__(theme)
        self.chips = (
            (row.fixes, "success" if row.has_fixes else "text_2", "success_soft" if row.has_fixes else "sunken"),
            (row.breaks, "danger" if row.has_breaks else "text_2", "danger_soft" if row.has_breaks else "sunken"),
        )
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(", ".join(word for word, _, _ in self.chips))

    def sizeHint(self) -> QSize:
        face = self.theme.face(11, 600)
        wide = sum(face.width(word) + 2 * _CHIP_PAD for word, _, _ in self.chips) + _CHIP_GAP
        return QSize(self.theme.px(wide + 1), self.theme.px(_CHIP_HIGH))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        canvas, face, x = Canvas(QPainter(self), self.theme, self.width()), self.theme.face(11, 600), 0.0
        for word, token, soft in self.chips:
            wide = face.width(word) + 2 * _CHIP_PAD
            canvas.fill(QRectF(x, 0, wide, _CHIP_HIGH), soft, 4)
            canvas.text(QRectF(x, 0, wide, _CHIP_HIGH), word, face, token, CENTER)
            x += wide + _CHIP_GAP


class ChangeLine(QWidget):
    """One change with its button; its cases are shown on demand."""

    apply_requested = Signal(Change)

    def __init__(self, theme: Theme, row: ChangeRow) -> None:
        super().__init__()
        self.theme, self.row = theme, row
        self.setAccessibleName(row.what)
        self.setAccessibleDescription(row.read)
        self.apply = button("Apply", primary=row.is_best, press=partial(self.apply_requested.emit, row.change))
        self.apply.setAccessibleName(f"Apply: {row.what[:_LONGEST]}")
        self.apply.setAccessibleDescription(row.read)
        self.which = button("Which cases", link=True, press=self.toggle, name=f"Which cases: {row.what[:_LONGEST]}")
        self.which.setVisible(bool(row.named))
        self.named: list[WrappedLabel] = []
        self._inner = QVBoxLayout()
        self._arrange()

    def _arrange(self) -> None:
        px, row, top = self.theme.px, self.row, Qt.AlignmentFlag.AlignTop
        words, across = QVBoxLayout(), QHBoxLayout()
        words.setSpacing(px(3))
        words.addWidget(WrappedLabel(with_break_points(row.what[:_LONGEST]), role="name"))
        if row.effect:
            words.addWidget(WrappedLabel(row.effect, role="caption"))
        words.addWidget(self.which, 0, Qt.AlignmentFlag.AlignLeft)
        across.setSpacing(px(12))
        across.addLayout(words, 1)
        if row.fixes:
            across.addWidget(EffectChips(self.theme, row), 0, top)
        across.addWidget(self.apply, 0, top)
        self._inner.setContentsMargins(px(16), px(12), px(16), px(10))
        self._inner.setSpacing(px(3))
        self._inner.addLayout(across)
        self.setLayout(self._inner)

    def toggle(self) -> None:
        """Show or hide the cases that the change fixes and breaks."""
        if self.named:
            for sentence in self.named:
                self._inner.removeWidget(sentence)
                sentence.deleteLater()
            self.named = []
        else:
            for title, texts in self.row.named:
                self.named.append(section(title))
                self.named += [WrappedLabel(with_break_points(_cut(text))) for text in texts]
            fill(self._inner, *self.named)
        self.which.setText("Hide the cases" if self.named else "Which cases")

    def let_apply(self, *, on: bool) -> None:
        """Enable the button while the change belongs to the current query."""
        self.apply.setEnabled(on)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.theme.px(16), 0, self.width() - self.theme.px(32), 1, self.theme.color("border"))


class ChangesList(Themed):
    """All changes, created in chunks."""

    apply_requested = Signal(Change)
    made = Signal()  # all are created

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.lines: list[ChangeLine] = []
        self._rows: tuple[ChangeRow, ...] = ()
        self._turns = Chunks(self)
        self._is_beside = self._may_apply = True
        self.title = WrappedLabel(role="name")
        self.hint = WrappedLabel(role="caption")
        self.hint.setVisible(False)
        px = theme.px
        top = fill(spaced(QVBoxLayout(), px(4), px(16), px(15), px(16), px(10)), self.title, self.hint)
        self._column = fill(spaced(QVBoxLayout(self)), top, 1)

    @property
    def best(self) -> QPushButton | None:
        """The first button, if there is a change."""
        return self.lines[0].apply if self.lines else None

    def show_changes(self, shown: WhyNotExplanation | None) -> None:
        rows = shown.changes if shown is not None else ()
        self.title.show_text(shown.title if shown is not None else "")
        self.hint.show_text(shown.hint if shown is not None else "")
        if rows == self._rows:
            return
        self._turns.finish()
        self._rows = rows
        for line in self.lines:
            self._column.removeWidget(line)
            line.setParent(None)
            line.deleteLater()
        self.lines = []
        self._turns.begin(self._make(rows))

    def _make(self, rows: Sequence[ChangeRow]) -> Iterator[object]:
        """Make one line per step, so that no key waits."""
        for row in rows:
            line = ChangeLine(self.theme, row)
            line.apply_requested.connect(self.apply_requested)
            line.let_apply(on=self._may_apply)
            self.lines.append(line)
            self._column.insertWidget(len(self.lines), line)
            yield line
        self.made.emit()

    def let_apply(self, *, on: bool) -> None:
        """Enable the buttons while the changes belong to the current query."""
        self._may_apply = on
        for line in self.lines:
            line.let_apply(on=on)

    def set_side_by_side(self, *, on: bool) -> None:
        """Set whether the verdict is on the left, or above."""
        self._is_beside = on
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        across, down = (1, self.height()) if self._is_beside else (self.width(), 1)
        QPainter(self).fillRect(0, 0, across, down, self.theme.color("border"))


_PAD, _ROW, _HEAD, _LAST = 16.0, 38.0, 44.0, 30.0
_TITLE, _TITLE_TIGHT, _GAP, _BETWEEN = 142.0, 26.0, 70.0, 18.0
_LEAST_VALUE, _MOST_VALUE = 88.0, 300.0
_BADGE = 15.0
_MOST_LINES = 6


class VerdictSheet(Sheet):
    """Sheet of one verdict, as high as it needs."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.shown: WhyNotExplanation | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_verdict(self, shown: WhyNotExplanation | None) -> None:
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        if shown is None:
            return 10.0
        face, wide = self.theme.face, canvas.width - 2 * _PAD
        y = 14.0
        canvas.icon("check" if shown.won else "cross", _PAD, y + 3, 16, "success" if shown.won else "danger")
        canvas.text(QRectF(_PAD + 24, y, wide - 24, 22), shown.headline, face(15, 650))
        y += 26
        y += canvas.paragraph(QRectF(_PAD, y, wide, 400), shown.sentence, face(13), lines=_MOST_LINES) + 10
        if shown.rows:
            y = self._table(canvas, shown, y)
        if shown.nearest:
            y += canvas.paragraph(QRectF(_PAD, y, wide, 200), shown.nearest, face(12), "text_2", lines=_MOST_LINES) + 6
        return y + 10

    def _table(self, canvas: Canvas, shown: WhyNotExplanation, y: float) -> float:
        columns = _columns(canvas.width, bool(shown.winner))
        self._head(canvas, shown, y, columns)
        y += _HEAD
        for row in shown.rows:
            canvas.line(_PAD, y - 0.5, canvas.width - _PAD, y - 0.5)
            self._row(canvas, row, y, columns)
            y += _ROW
        if shown.ranks[0]:
            canvas.line(_PAD, y - 0.5, canvas.width - _PAD, y - 0.5)
            canvas.text(QRectF(_PAD, y, _TITLE, _LAST), "Rank", self.theme.face(12))
            for (x, wide), rank in zip(columns, shown.ranks, strict=False):
                canvas.text(QRectF(x, y, wide, _LAST), rank, self.theme.face(13, mono=True), "text_2", LEFT)
            y += _LAST
        return y + 12

    def _head(self, canvas: Canvas, shown: WhyNotExplanation, y: float, columns: list[tuple[float, float]]) -> None:
        quiet, name = self.theme.face(11, 500), self.theme.face(13, 600)
        words = ("Expected", shown.beside)
        for (x, wide), word, text in zip(columns, words, (shown.expected, shown.winner), strict=False):
            canvas.text(QRectF(x, y, wide, 16), word, quiet, "text_2")
            inset = 0.0
            if word == words[0]:
                canvas.icon(KIND_ICONS.get(shown.kind, "label"), x, y + 20, 14)
                inset = 20.0
            canvas.text(QRectF(x + inset, y + 16, wide - inset, 22), text, name)
        if len(columns) > 1:
            canvas.text(QRectF(canvas.width - _PAD - _GAP, y, _GAP, 16), "Difference", quiet, "text_2", RIGHT)

    def _row(self, canvas: Canvas, row: GapRow, y: float, columns: list[tuple[float, float]]) -> None:
        face, total = self.theme.face, not row.scorer
        tight = columns[0][0] < _PAD + _TITLE
        is_known = row.scorer in SCORERS
        if is_known:
            canvas.badge(row.scorer, _PAD, y + 11, _BADGE, named=not tight)
        if not (tight and is_known):
            inset = 22.0 if is_known else 0.0
            room = columns[0][0] - _PAD - inset - 6
            canvas.text(QRectF(_PAD + inset, y + 8, room, 21), row.title, face(12, 650 if total else 400))
        tokens = self.theme.tokens
        shade = tokens.accent if total else tokens.scorer(row.scorer) if is_known else tokens.bar
        values = ((row.expected, row.expected_text), (row.winner, row.winner_text))
        most = max((value for value, _ in values if value), default=None)
        end = max(1.0, most or 0.0)  # evidence may exceed 1
        for (x, wide), (value, text) in zip(columns, values, strict=False):
            leads = value is not None and value == most
            font = face(14 if total else 12, 700 if total or leads else 400, mono=True)
            canvas.text(QRectF(x, y + 3, wide, 19), text, font, "text" if total or leads else "text_2", LEFT)
            canvas.bar(QRectF(x, y + 25, wide, 6), None if value is None else value / end, shade)
        if row.gap and len(columns) > 1:
            canvas.text(
                QRectF(canvas.width - _PAD - _GAP, y + 7, _GAP, 22),
                row.gap,
                face(13, 700 if total else 600, mono=True),
                "text",
                RIGHT,
            )


def _columns(width: float, both: bool) -> list[tuple[float, float]]:
    """Return (start, width) of the values of the expected answer, and of the winner if any.

    Without space for the scorers' names, only their initials are shown.
    """
    free = width - 2 * _PAD - _BETWEEN * 2 - _GAP if both else width - 2 * _PAD - _BETWEEN
    number = 2 if both else 1
    title = _TITLE if (free - _TITLE) / number >= _LEAST_VALUE else _TITLE_TIGHT
    wide = float(int(min(_MOST_VALUE, max(40.0, (free - title) / number - _BETWEEN / 2))))
    first = _PAD + title
    return [(first, wide), (first + wide + _BETWEEN, wide)][:number]


# ---- View in place of the panes

_BESIDE = 900
"""Minimum width in units for changes beside the verdict; otherwise they are below."""

_WIDEST_LINE = 620


class WhyNotView(Overlay):
    """Shows a verdict and emits requests; it computes nothing."""

    cancel_requested = Signal()
    seeds_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Why not")
        self.shown: WhyNotExplanation | None = None
        self.expected = ExpectedLine(theme)
        self.expected.left.connect(self.close_requested)
        self.explain = button("Explain", tip="Explain where it was lost (Enter)", press=self.expected.decide)
        self.cancel = button("Cancel", tip="Stop trying changes", press=self.cancel_requested.emit)
        self.head = PaneHeader(theme, "Why not", self.cancel, self.close_it)
        self.progress = styled(progress_bar("Cases that were run"), role="hairline")
        self.fault = FaultLine(theme)
        self.sheet = VerdictSheet(theme, "Expected against winner")
        self.changes = ChangesList(theme)
        self.changes.made.connect(self._order_tabs)
        self.seeds = button("Add the sample library", primary=True, press=self.seeds_requested.emit)
        self.empty = EmptyState(theme, "why", "", "", self.seeds)
        self._arrange()
        self._order_tabs()
        self.show_running(None)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    # ---- display

    def show_verdict(self, shown: WhyNotExplanation | None) -> None:
        """Show a verdict; None: there is none, as `show_empty` explains."""
        self.shown = shown
        self.sheet.show_verdict(shown)
        self.changes.show_changes(shown)
        self.area.setVisible(shown is not None)
        self.empty.setVisible(shown is None)
        if shown is not None:
            self.area.setAccessibleDescription(f"{shown.headline}. {shown.sentence}")

    def show_empty(self, line: str, sentence: str, *, seeds: bool = False) -> None:
        """Show the empty state without a verdict; with `seeds` the sample library is offered."""
        self.empty.set_text(line, sentence)
        self.seeds.setVisible(seeds)

    def show_running(self, more: str | None, done: int = 0, total: int = 0) -> None:
        """Show the progress beside the title; None for no job. The layout does not move."""
        is_running = more is not None
        had_focus = self.cancel.hasFocus()
        self.cancel.setVisible(is_running)
        self.head.set_more(more or "")
        self.progress.setMaximum(total if is_running else 1)
        self.progress.setValue(done if is_running else 0)
        if had_focus and not is_running:
            self.expected.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_apply(self, *, on: bool) -> None:
        """Enable applying while the verdict belongs to the current query."""
        self.changes.let_apply(on=on)

    # ---- widgets

    def _arrange(self) -> None:
        px = self.theme.px
        top = QWidget()
        row = spaced(QHBoxLayout(top), px(8), px(16), px(6), px(16), px(10))
        self.expected.setMaximumWidth(px(_WIDEST_LINE))
        fill(row, (self.expected, 1), self.explain, 0)
        body = QWidget()
        self._across = spaced(QBoxLayout(QBoxLayout.Direction.LeftToRight, body))
        fill(self._across, (self.sheet, 1), (self.changes, 1))
        self.area = scrolled(body, "Expected against winner, and changes")
        fill(spaced(QVBoxLayout(self)), self.head, top, self.progress, self.fault, (self.area, 1), (self.empty, 1))

    def _order_tabs(self) -> None:
        """Set the tab order: name, verdict, changes, and last the buttons above."""
        focus_stops: list[QWidget] = [self.expected.line, self.explain, self.area]
        focus_stops += [made for line in self.changes.lines for made in (line.apply, line.which)]
        for before, after in pairwise([*focus_stops, self.seeds, self.cancel, self.close_it]):
            QWidget.setTabOrder(before, after)

    # ---- layout and style

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = self.width() >= self.theme.px(_BESIDE)
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if direction is not self._across.direction():
            self._across.setDirection(direction)
            self.changes.set_side_by_side(on=beside)

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        self.close_it.setIcon(icons.icon("cross", tokens.text, tokens.border_strong))
