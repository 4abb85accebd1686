"""Times of this query as a waterfall, and of the session as a histogram."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QWidget

from app.display import numbers, words
from app.display.scope.llm import LlmTimes
from app.display.scope.timing import (
    FLOOR,
    FLOOR_BUDGET_MS,
    FLOOR_STAGES,
    LLM_BUDGET_MS,
    ON_SCREEN,
    Durations,
    LlmBar,
    StageBar,
    Waterfall,
    bins,
    parse_stages,
    session_csv,
    session_rows,
    stage_title,
    waterfall,
)
from app.domain.inspection import LLM_STAGE
from app.domain.llm import LlmOutcome
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import LEFT, RIGHT, Canvas
from app.gui.kit.controls import EmptyState, PaneHeader, button, single_shot
from app.gui.kit.dialogs import FileSaver, png
from app.gui.kit.histogram import Histogram, TimesTable
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.sheet import Sheet
from app.gui.kit.theme import Theme, styled
from app.gui.scope.panels.panel import Panel

EMBED = "embed query"
LOG_AXES = "log_axes"
"""Key of the setting with the stages that have a logarithmic axis."""
_REDRAW_MS = 120
SPARK_BARS = 9
"""Number of bars of the session's histogram while its pane is folded."""


class SessionPanel(Panel):
    """Pane with latencies: answers on screen, the LLM if set up, and a chosen stage."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "This session")
        self.llm_times = LlmTimes()
        self.durations: dict[str, Durations] = {ON_SCREEN: Durations(), LLM_STAGE: self.llm_times.durations}
        self._log = frozenset({LLM_STAGE})
        self._log_axes = LLM_STAGE
        self._make_controls()
        self.empty = EmptyState(theme, "chart", "No times yet", "Type a query; how long each answer took adds up here.")
        self.table = TimesTable(theme, "Times of this session, a row per stage")
        self.fixed = {name: self._histogram(name) for name in (FLOOR, ON_SCREEN, LLM_STAGE)}
        self.stage = Histogram(theme, self.chooser, "Chosen stage")
        self.stage.axis_chosen.connect(lambda log: self._choose_axis(self.chooser.currentData(), log=log))
        self.body = QWidget()
        row = spaced(QHBoxLayout(self.body), theme.px(24), theme.px(16), 0, theme.px(16), theme.px(8))
        for histogram in (self.fixed[FLOOR], self.stage, self.fixed[ON_SCREEN], self.fixed[LLM_STAGE]):
            row.addWidget(histogram, 1)
        for widget in (self.head, self.body, self.table, self.empty):
            self.column.addWidget(widget, 0 if widget is self.head else 1)
        self._timer = single_shot(self, _REDRAW_MS, self.redraw)
        self._fit()
        self._show_parts()

    def show_state(self, scope_state: ScopeState) -> None:
        """Record the LLM's time from its reports; other stages come by `note`."""
        self.scope_state = scope_state
        if scope_state.settings is not None and scope_state.settings.log_axes != self._log_axes:
            self._log_axes = scope_state.settings.log_axes
            self._log = parse_stages(self._log_axes)
            self._redraw_soon()
        self._fit()
        inspection = scope_state.inspection
        report = inspection.trace.llm if inspection is not None else None
        if inspection is not None and report is not None and self.llm_times.take(inspection.query, report):
            self._redraw_soon()

    def note(self, durations: dict[str, float]) -> None:
        """Add the times of one answer: by stage, and until it was on screen. Drawn a little later."""
        floor = [durations[name] for name in FLOOR_STAGES if name in durations]
        for name, ms in (durations | ({FLOOR: sum(floor)} if floor else {})).items():
            if name == LLM_STAGE:
                continue
            if name not in self.durations:
                self.durations[name] = Durations()
                self._offer(name)
            self.durations[name].add(ms)
        self._redraw_soon()

    def forget(self) -> None:
        for durations in self.durations.values():
            durations.clear()
        self.redraw()

    def save_numbers(self) -> None:
        """Ask for a file, and save all recorded times as CSV."""
        content = session_csv(self.durations).encode()
        self.file_saver.ask("Export the times", "intentscope-times.csv", "CSV (*.csv)", lambda: content)

    def save_picture(self) -> None:
        """Ask for a file, and save the pane as a picture."""
        shown = self.table if self.table.isVisible() else self.body
        image = self.grab(shown.geometry()).toImage()
        title = "Export the picture"
        self.file_saver.ask(title, "intentscope-times.png", "PNG (*.png)", lambda: png(image))

    def focus_target(self) -> QWidget:
        if self.table.isVisible():
            return self.table
        return self.chooser if self.chooser.isVisible() else self.as_table

    def summary(self) -> str:
        ordered = self.durations[ON_SCREEN].sorted()
        for share, ms, text in bins(ordered, None).percentiles if ordered else ():
            if share == 95:
                return f"nearly all within {f'{text} ms' if ms < 1_000.0 else f'{ms / 1_000.0:.1f} s'}"
        return ""

    def sparkline(self) -> tuple[float, ...]:
        ordered = self.durations[ON_SCREEN].sorted()
        counts = bins(ordered, None, SPARK_BARS).counts if ordered else ()
        return tuple(count / max(counts) for count in counts[: 2 * SPARK_BARS])

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self._timer.start()

    @property
    def has_llm(self) -> bool:
        """True if an LLM is set up, or was in this session."""
        status = self.scope_state.status
        is_on = status is not None and status.llm.outcome is not LlmOutcome.OFF
        return is_on or bool(len(self.durations[LLM_STAGE]))

    # ---- widgets

    def _make_controls(self) -> None:
        self.clear = button("Clear", link=True, tip="Forget the times of this session", press=self.forget)
        self.as_table = button("Table", link=True, tip="The same numbers as a table")
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(lambda _: self.redraw())
        self.keep = button("Export", link=True, tip="Write the times to a file")
        menu = QMenu(self.keep)
        menu.setAccessibleName("Write the times to a file")
        menu.addAction("Picture (PNG)", self.save_picture)
        menu.addAction("Numbers (CSV)", self.save_numbers)
        styled(self.keep, menu="true").setMenu(menu)
        self.file_saver = FileSaver(self)
        self.file_saver.notified.connect(self.notified)
        self.head = PaneHeader(self.theme, "This session", self.as_table, self.keep, self.clear)
        self.chooser = styled(QComboBox(), quiet="true")
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.chooser.setAccessibleName("Stage to show")
        self.chooser.activated.connect(self.redraw)

    def _histogram(self, name: str) -> Histogram:
        title = stage_title(name)
        made = Histogram(self.theme, QLabel(title), title)
        made.axis_chosen.connect(lambda log: self._choose_axis(name, log=log))
        return made

    def _choose_axis(self, name: str, *, log: bool) -> None:
        """Change a stage's axis, and store that."""
        self._log = self._log | {name} if log else self._log - {name}
        self.set_requested.emit(LOG_AXES, ",".join(sorted(self._log)))
        self.redraw()

    def _fit(self) -> None:
        """Show the histograms that fit: answers, LLM, floor, then a chosen stage."""
        width, px = self.width(), self.theme.px
        two, three, four = (width >= px(units) for units in (520, 730, 1000))
        has_llm = self.has_llm
        for histogram, wanted in (
            (self.fixed[FLOOR], three or (two and not has_llm)),
            (self.stage, four or (three and not has_llm)),
            (self.fixed[LLM_STAGE], two and has_llm),
        ):
            if histogram.isVisibleTo(self.body) is not wanted:
                histogram.setVisible(wanted)
                self._timer.start()

    def _redraw_soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _offer(self, name: str) -> None:
        if name == FLOOR:
            return
        self.chooser.addItem(words.stage(name), name)
        if name == EMBED and self.chooser.currentData() in FLOOR_STAGES:
            self.chooser.setCurrentIndex(self.chooser.count() - 1)

    def _show_parts(self) -> bool:
        """Show histograms, table or neither; return whether there is data."""
        empty, table = not any(len(durations) for durations in self.durations.values()), self.as_table.isChecked()
        self.empty.setVisible(empty)
        self.body.setVisible(not empty and not table)
        self.table.setVisible(not empty and table)
        for control in (self.clear, self.keep, self.as_table):
            control.setEnabled(not empty)
        self.as_table.setText("Histograms" if table else "Table")
        return not empty

    def redraw(self) -> None:
        self.size_wish_changed.emit()
        if not self._show_parts():
            return
        none = Durations()
        if self.table.isVisible():
            budgets = {name: budget for name in self.durations if (budget := self.budget(name)) is not None}
            self.table.times.show_rows(session_rows(self.durations, budgets))
        for name, histogram in (*self.fixed.items(), (self.chooser.currentData(), self.stage)):
            if histogram.isVisible():
                histogram.log = name in self._log
                budget = self.budget(name)
                lines = () if budget is None else (budget,)
                histogram.show_durations(self.durations.get(name, none), budget, lines)

    def budget(self, name: str) -> float | None:
        """Return the budget of a stage in ms; None without one."""
        if name == LLM_STAGE:
            settings = self.scope_state.settings
            return float(settings.search_intent.llm_timeout_ms) if settings is not None else LLM_BUDGET_MS
        return FLOOR_BUDGET_MS if name == FLOOR or name in FLOOR_STAGES else None


_LEFT = 100.0
_TIMES = 66.0
_AXIS_ROOM = 19.0
_LLM_ROOM = 32.0
_MOST_ROW = 24.0


class WaterfallSheet(Sheet):
    shown: Waterfall | None = None

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        height = self.height() / self.theme.scale
        if shown is None or not shown.bars:
            return height
        below = _AXIS_ROOM + (_LLM_ROOM if shown.llm is not None else 14.0)
        row = max(12.0, min(_MOST_ROW, (height - 3 - below) / len(shown.bars)))
        bottom = 2 + row * len(shown.bars)
        width = canvas.width - _LEFT - 12 - _TIMES
        self._grid(canvas, shown, width, bottom)
        for place, bar in enumerate(shown.bars):
            self._bar(canvas, shown, bar, 2 + place * row, row, width)
        canvas.explain(QRectF(0, 0, canvas.width, bottom), shown.scorers_text)
        self._settled(canvas, shown, width, bottom)
        self.budget(canvas, shown, row, width)
        if shown.llm is not None:
            self._llm(canvas, shown.llm, bottom + _AXIS_ROOM + 1, width)
        return height

    def _grid(self, canvas: Canvas, shown: Waterfall, width: float, bottom: float) -> None:
        for tick in shown.ticks:
            x = _LEFT + width * tick / shown.axis
            canvas.line(x, 0, x, bottom, "border")

    def _bar(self, canvas: Canvas, shown: Waterfall, bar: StageBar, y: float, row: float, width: float) -> None:
        face = self.theme.face
        name = canvas.text(QRectF(16, y, _LEFT - 20, row), bar.name, face(12))
        if bar.outcome and name < _LEFT - 40:
            canvas.text(QRectF(20 + name, y, _LEFT - 22 - name, row), bar.outcome, face(11), "text_2")
        x = _LEFT + width * bar.start / shown.axis
        reach = max(2.0, width * (bar.end - bar.start) / shown.axis)
        where = QRectF(x, y + (row - 9) / 2, reach, 9)
        if bar.rests:
            canvas.hatch(where)
        else:
            canvas.fill(where, "bar", 2)
        rect = QRectF(canvas.width - 12 - _TIMES, y, _TIMES, row)
        canvas.text(rect, bar.text, face(12, mono=True), "text_2", RIGHT)

    def _llm(self, canvas: Canvas, bar: LlmBar, y: float, width: float) -> None:
        """Draw the LLM on its own scale, hatched past its budget."""
        face = self.theme.face
        small, bold = face(11), face(11, 600)
        canvas.text(QRectF(16, y, _LEFT - 20, 14), "LLM", face(12))
        solid, end = width * bar.solid / bar.axis, width * bar.end / bar.axis
        if bar.end > 0.0:
            canvas.fill(QRectF(_LEFT, y + 2.5, max(2.0, solid), 9), "bar", 2)
        if end > solid:
            canvas.hatch(QRectF(_LEFT + solid, y + 2.5, max(2.0, end - solid), 9))
        if bar.end <= 0.0:
            canvas.line(_LEFT, y + 7, _LEFT + width, y + 7, "border")
        canvas.text(QRectF(canvas.width - 12 - _TIMES, y, _TIMES, 14), bar.text, face(12, mono=True), "text_2", RIGHT)
        budget = _LEFT + width * bar.budget / bar.axis
        canvas.line(budget, y - 1, budget, y + 16, "danger", 1.6)
        canvas.text(QRectF(16, y + 14, _LEFT - 20, 15), bar.scale_text, small, "text_2")
        wide = bold.width(bar.budget_text)
        x = max(_LEFT, min(budget - wide / 2, _LEFT + width - wide))
        canvas.text(QRectF(x, y + 14, wide + 2, 15), bar.budget_text, bold, "danger")
        text = small.width(bar.outcome)
        start = _LEFT + width - text
        if start > x + wide + 8:
            canvas.text(QRectF(start, y + 14, text + 2, 15), bar.outcome, small, "text_2")

    def _settled(self, canvas: Canvas, shown: Waterfall, width: float, bottom: float) -> None:
        """Draw the line of the final answer, and the ticks that its label leaves space for."""
        bold, small = self.theme.face(11, 600), self.theme.face(11, mono=True)
        settled = _LEFT + width * shown.settled / shown.axis
        canvas.line(settled, 0, settled, bottom + 2, "text", 1.6)
        wide, y = bold.width(shown.settled_text), bottom + 3
        at = settled - wide - 3 if settled - wide - 3 >= _LEFT + 12 else settled + 4
        at = min(at, canvas.width - 12 - wide)
        for tick in shown.ticks:
            text = numbers.tick(tick)
            half = small.width(text) / 2
            x = _LEFT + width * tick / shown.axis
            if x + half < at - 6 or x - half > at + wide + 6:
                canvas.text(QRectF(x - half, y, 2 * half + 2, 15), text, small, "text_2", LEFT)
        canvas.text(QRectF(at, y, wide + 2, 15), shown.settled_text, bold)

    def budget(self, canvas: Canvas, shown: Waterfall, row: float, width: float) -> None:
        """Draw the budget of the floor along its bars; later stages have none."""
        if not shown.floor:
            return
        bold, text = self.theme.face(11, 600), "first answer within 10 ms"
        x, bottom, wide = _LEFT + width * FLOOR_BUDGET_MS / shown.axis, 2 + row * shown.floor, bold.width(text)
        canvas.line(x, 0, x, bottom, "danger", 1.6)
        clear = _LEFT + width * max(bar.end for bar in shown.bars[: shown.floor]) / shown.axis + 4
        settled = _LEFT + width * shown.settled / shown.axis
        right, left = x + 5, x - wide - 5
        if left - 4 < settled < x:
            left = settled - wide - 5
        at = right if right >= clear and right + wide <= _LEFT + width and not x < settled < right + wide else left
        if at >= clear or at == right:
            canvas.text(QRectF(at, max(0.0, (bottom - 15) / 2), wide + 2, 15), text, bold, "danger")


class WaterfallPanel(Panel):
    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "This query")
        self.pause = QLabel()
        self.pause.setTextFormat(Qt.TextFormat.PlainText)
        self.head = PaneHeader(theme, "This query", self.pause)
        self.sheet = WaterfallSheet(theme, "Time of each stage")
        self.empty = EmptyState(theme, "clock", "", "The time of each stage appears here.")
        fill(self.column, self.head, (self.sheet, 1), (self.empty, 1))
        styled(self.pause, role="note")
        self.show_state(self.scope_state)

    def show_state(self, scope_state: ScopeState) -> None:
        shown = waterfall(scope_state.inspection.trace) if scope_state.inspection is not None else None
        is_empty = shown is None or not shown.bars
        self.empty.set_text(scope_state.idle[0], self.empty.words[1])
        self.empty.setVisible(is_empty)
        self.sheet.setVisible(not is_empty)
        if shown != self.sheet.shown:
            self.sheet.shown = shown
            self.pause.setText(shown.pause_text if shown is not None else "")
            self.sheet.update()
            self.size_wish_changed.emit()

    def summary(self) -> str:
        shown = self.sheet.shown
        if shown is None or not shown.bars:
            return ""
        return f"{shown.settled_text.removeprefix('settled ')}{' without LLM' if shown.llm is not None else ''}"
