"""Two answers side by side, by presets, queries or combinations; intents and outcomes too."""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QTableView, QVBoxLayout, QWidget

from app.display.scope.intent import IntentCard
from app.display.scope.matches.resolution import Card
from app.display.scope.matches.rows import scorer_keys
from app.display.scope.side_by_side import SideBySide, combination_choices
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button
from app.gui.kit.drawing.canvas import LEVEL_COLORS, RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import ChoiceBox, plain_tip
from app.gui.kit.layouts import spaced
from app.gui.kit.tables.rows import show_painted_rows
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.views.overlays import Overlay
from app.gui.scope.views.side_by_side_table import ROW_HEIGHT, ColumnWidths, PairDelegate, PairHead, PairsModel, diamond

_TITLES_HIGH = 40


class ComparisonKind(StrEnum):
    PRESETS = "presets"
    QUERIES = "queries"
    COMBINATIONS = "combinations"


class SideBySideView(Overlay):
    """Shows a comparison and emits requests; it computes nothing."""

    against_chosen = Signal(str)  # ComparisonKind
    combinations_chosen = Signal(str, str)  # left, right
    swap_requested = Signal()
    unpin_requested = Signal()
    copy_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Side by side")
        scorers = scorer_keys(None)
        self.model = PairsModel(scorers, self)
        self.against = SegmentedControl(
            theme,
            "Set side by side",
            [
                (ComparisonKind.PRESETS, "Presets"),
                (ComparisonKind.QUERIES, "Queries"),
                (ComparisonKind.COMBINATIONS, "Combinations"),
            ],
        )
        self.against.chosen.connect(self.against_chosen)
        self.boxes = (self._make_box("Combination at the left"), self._make_box("Combination at the right"))
        self.titles = styled(QLabel(), role="name"), styled(QLabel(), role="name")
        self._full_titles = ("", "")
        self._kept = ""
        self.head = self._make_head()
        self.fault = FaultLine(theme)
        self.sheets: tuple[SideSheet, ...] = (
            IntentsSheet(theme, "Both types", len(scorers)),
            FirstSheet(theme, "First difference", len(scorers)),
            OutcomesSheet(theme, "Both outcomes for powers", len(scorers)),
        )
        self.columns = PairHead(theme, scorers)
        self.view = self._make_view()
        self.empty = EmptyState(theme, "columns", "", "")
        self._arrange()
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    # ---- display

    def show_against(self, against: ComparisonKind, titles: tuple[str, str], combinations: tuple[str, str]) -> None:
        """Show the kind of comparison; the titles are choices where the sides can be chosen."""
        self.against.set_current(against)
        chosen = against is ComparisonKind.COMBINATIONS
        for box, label, title, name in zip(self.boxes, self.titles, titles, combinations, strict=True):
            box.setVisible(chosen)
            label.setVisible(not chosen)
            box.show_value(name)
            label.setToolTip(plain_tip(title[:2000]))
        self._full_titles = titles
        self._lay_out()
        self.unpin.setVisible(against is ComparisonKind.QUERIES)

    def show_pairs(self, shown: SideBySide | None) -> None:
        """Show a comparison; None: nothing to compare, as `show_empty` explains."""
        if shown is not None and (asked := shown.scorers) and asked != self.model.scorers:
            self._show_scorers(asked)
        self.model.show_pairs(shown)
        for sheet in self.sheets:
            sheet.show_pairs(shown)
        for part in (*self.sheets, self.columns, self.view):
            part.setVisible(shown is not None)
        self._update_footer()
        self.copy.setEnabled(shown is not None)
        self.empty.setVisible(shown is None)

    def _show_scorers(self, asked: tuple[str, ...]) -> None:
        """Show columns for the scorers of the two combinations only."""
        self.model.show_scorers(asked)
        self.columns.show_scorers(asked)
        for sheet in self.sheets:
            sheet.scorers = len(asked)
            sheet.update()
        self._lay_out()

    def show_pinned(self, kept: str) -> None:
        """Show which settings are the same on both sides although presets would differ; "" for none."""
        self._kept = kept
        self._update_footer()

    def show_empty(self, line: str, sentence: str) -> None:
        """Show the empty state: there is nothing to compare."""
        self.empty.set_text(line, sentence)

    def _update_footer(self) -> None:
        rows = self.model.rows
        differ = sum(bool(row.differs) for row in rows)
        counted = f"{len(rows)} answers, {differ} differ" if rows else ""
        self.head.set_more(", ".join(filter(None, (counted, "both without the LLM", self._kept))))

    # ---- widgets

    def _make_head(self) -> PaneHeader:
        self.swap = button("Swap", tip="Swap the sides", press=self.swap_requested.emit)
        self.unpin = button("Unpin", tip="Unpin the query (Ctrl+P)", press=self.unpin_requested.emit)
        self.copy = button("Copy", tip="Copy the comparison as text", press=self.copy_requested.emit)
        return PaneHeader(self.theme, "Side by side", self.swap, self.unpin, self.copy, self.close_it)

    def _make_box(self, name: str) -> ChoiceBox:
        box = ChoiceBox(combination_choices())
        box.setAccessibleName(name)
        box.changed.connect(self._on_box)
        return box

    def _on_box(self) -> None:
        left, right = (box.currentData() for box in self.boxes)
        self.combinations_chosen.emit(left, right)

    def _make_view(self) -> QTableView:
        view = QTableView()
        view.setModel(self.model)
        view.setItemDelegate(PairDelegate(self.theme, self.model, view))
        view.setAccessibleName("Answers of both sides, paired")
        show_painted_rows(view)
        view.viewport().installEventFilter(self)
        return view

    def _arrange(self) -> None:
        self.top = QWidget()
        self.top.setFixedHeight(self.theme.px(_TITLES_HIGH))
        for part in (self.against, *self.titles, *self.boxes):
            part.setParent(self.top)
        for label in self.titles:
            label.setTextFormat(Qt.TextFormat.PlainText)
        intents, first, outcomes = self.sheets
        column = spaced(QVBoxLayout(self))
        for widget in (self.head, self.top, self.fault, intents, first, self.columns):
            column.addWidget(widget)
        column.addWidget(self.view, 1)
        column.addWidget(outcomes)
        column.addWidget(self.empty, 1)

    # ---- layout and style

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and watched is self.view.viewport():
            self._lay_out()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        px, scorers = self.theme.px, len(self.model.scorers)
        width = self.width() / self.theme.scale
        grid = ColumnWidths.of(width, scorers)
        for column in range(1, self.model.columnCount()):
            _, part = self.model.place_of(column)
            is_score = 1 <= part <= scorers
            wide = grid.rank if part == 0 else grid.cell if is_score else grid.last
            self.view.setColumnHidden(column, is_score and not grid.cell)
            self.view.setColumnWidth(column, max(1, px(wide)))
        sides = sum(self.view.columnWidth(column) for column in range(1, self.model.columnCount()))
        self.view.setColumnWidth(0, max(1, self.width() - sides))
        self.view.verticalHeader().setDefaultSectionSize(px(ROW_HEIGHT))
        self._lay_out_titles(grid, width)

    def _lay_out_titles(self, grid: ColumnWidths, width: float) -> None:
        px = self.theme.px
        hint = self.against.sizeHint()
        self.against.setGeometry(px(16), px(6), hint.width(), hint.height())
        least = (px(16) + hint.width()) / self.theme.scale
        wide = (width - grid.answer) / 2
        for place, (label, box) in enumerate(zip(self.titles, self.boxes, strict=True)):
            end = grid.answer + (place + 1) * wide - 14
            x = max(end - wide + 28, least + 14)
            label.setGeometry(px(x), px(6), px(end - x), px(28))
            full = " ".join(self._full_titles[place][:2000].split())
            label.setText(label.fontMetrics().elidedText(full, Qt.TextElideMode.ElideRight, label.width()))
            box.setGeometry(px(x), px(6), px(min(240, end - x)), px(28))

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        for made, name in ((self.unpin, "pin"), (self.copy, "copy"), (self.close_it, "cross")):
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))
        self.view.viewport().update()
        self.update()


# ---- Strips above and below the paired matches: intents with steps, first difference, outcomes.


INTENTS_HIGH, FIRST_HIGH, OUTCOMES_HIGH = 100, 40, 66
_STEPS = 3
_X = 16.0


class SideSheet(Sheet):
    """Strip of the comparison on the grid of the matches; its height is fixed."""

    high = 40

    def __init__(self, theme: Theme, name: str, scorers: int) -> None:
        super().__init__(theme, name)
        self.scorers = scorers
        self.shown: SideBySide | None = None
        self.setFixedHeight(theme.px(self.high))

    def show_pairs(self, shown: SideBySide | None) -> None:
        """Draw this comparison; None: nothing to compare."""
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, canvas: Canvas) -> float:
        canvas.painter.fillRect(QRectF(0, 0, canvas.width, self.high), self.theme.color("surface"))
        if self.shown is not None:
            self.draw(canvas, self.shown, ColumnWidths.of(canvas.width, self.scorers))
        canvas.line(0, self.high - 0.5, canvas.width, self.high - 0.5)
        return self.high

    @abstractmethod
    def draw(self, canvas: Canvas, shown: SideBySide, grid: ColumnWidths) -> None:
        """Draw the comparison."""

    def label(self, canvas: Canvas, grid: ColumnWidths, title: str, differs: str, lines: int) -> None:
        """Draw the first column of a strip: its name, and the differences."""
        face, room = self.theme.face, grid.answer - 2 * _X
        canvas.text(QRectF(_X, 8, room, 20), title, face(12, 600))
        if differs:
            diamond(canvas, _X, 33, first=False)
            canvas.paragraph(QRectF(_X + 14, 29, room - 14, 70), differs, face(11), "text", lines=lines)
        else:
            canvas.text(QRectF(_X, 28, room, 18), "the same on both sides", face(11), "text_2")


class IntentsSheet(SideSheet):
    """Both intents: type, confidence, source, steps."""

    high = INTENTS_HIGH

    def draw(self, canvas: Canvas, shown: SideBySide, grid: ColumnWidths) -> None:
        self.label(canvas, grid, "Type", shown.intents_differ, 4)
        wide = (canvas.width - grid.answer) / 2
        for place, card in enumerate(shown.intents):
            x = grid.answer + place * wide
            canvas.line(x + 0.5, 0, x + 0.5, self.high)
            self._card(canvas, card, x, wide)

    def _card(self, canvas: Canvas, card: IntentCard, x: float, wide: float) -> None:
        face, room = self.theme.face, wide - 2 * 14
        number = face(15, 700, mono=True)
        taken = number.width(card.confidence)
        canvas.text(QRectF(x + 14, 6, room - taken - 10, 22), card.headline, face(15, 650))
        canvas.text(QRectF(x + 14, 6, room, 22), card.confidence, number, "text", RIGHT)
        canvas.text(QRectF(x + 14, 27, room, 18), card.source, face(12), "text_2")
        y = 46.0
        for row in card.sums[:_STEPS]:
            value = face(12, mono=True)
            canvas.text(QRectF(x + 14, y, room, 17), row.value, value, "text", RIGHT)
            how = f"{row.what}: {row.how}"
            canvas.text(QRectF(x + 14, y, room - value.width(row.value) - 10, 17), how, face(11), "text_2")
            y += 17


class FirstSheet(SideSheet):
    """First difference of the two lists of matches, and its reason."""

    high = FIRST_HIGH

    def draw(self, canvas: Canvas, shown: SideBySide, grid: ColumnWidths) -> None:
        face = self.theme.face(12)
        differs = any(row.is_first for row in shown.rows)
        room = canvas.width - 2 * _X - 16
        lines = 1 if face.width(shown.first) <= room else 2
        top = (self.high - lines * face.measure.lineSpacing()) / 2
        if differs:
            canvas.fill(QRectF(0, 0, canvas.width, self.high), "warning_soft")
            canvas.fill(QRectF(0, 0, 3, self.high), "warning")
            diamond(canvas, _X, top + 4, first=True)
        x = _X + 16 if differs else _X
        canvas.paragraph(QRectF(x, top, room, self.high), shown.first, face, "text" if differs else "text_2", lines=2)


class OutcomesSheet(SideSheet):
    high = OUTCOMES_HIGH

    def draw(self, canvas: Canvas, shown: SideBySide, grid: ColumnWidths) -> None:
        canvas.line(0, 0.5, canvas.width, 0.5)
        self.label(canvas, grid, "Powers", self._differs(shown), 2)
        wide = (canvas.width - grid.answer) / 2
        for place, card in enumerate(shown.outcomes):
            x = grid.answer + place * wide
            canvas.line(x + 0.5, 0, x + 0.5, self.high)
            if card is not None:
                self._card(canvas, card, x + 14, wide - 28)

    def _differs(self, shown: SideBySide) -> str:
        what = shown.outcomes_differ
        return f"differs: {what}" if what else ""

    def _card(self, canvas: Canvas, card: Card, x: float, room: float) -> None:
        face = self.theme.face
        at = x
        if card.level is not None:
            canvas.level(card.level, x, 12)
            at += 18
        token = LEVEL_COLORS[card.level] if card.level is not None else "text_2"
        runs = [
            (f"{card.badge}  ", face(12, 600), token),
            (card.name, face(12, 600), "text"),
            (card.rest, face(12), "text"),
        ]
        canvas.runs(at, 8, 20, runs, room - (at - x))
        canvas.paragraph(QRectF(x, 29, room, 34), card.sentence, face(11), "text_2", lines=2)
