"""How long answers took in this session: histograms with their percentiles and budgets."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from app.display import words
from app.display.bins import Durations
from app.display.llm_times import LlmTimes
from app.display.timing import KEYSTROKE_BUDGET_MS, LLM_BUDGET_MS
from app.domain.inspection import LLM_STAGE
from app.domain.llm import LlmOutcome
from app.gui.controls import Empty, Head, button
from app.gui.moment import Moment
from app.gui.panels.histogram import Histogram
from app.gui.panels.panel import Panel
from app.gui.theme import Theme

ON_SCREEN = "on screen"
FLOOR = "keywords and lexical"
EMBED = "embed query"
_FLOOR_STAGES = ("keywords", "lexical")
_REDRAW_MS = 120


class SessionPanel(Panel):
    """The pane: answers on screen, the LLM where one is set up, and stages of one's choice where there is room."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("This session"))
        self.llm_times = LlmTimes()
        self.durations: dict[str, Durations] = {ON_SCREEN: Durations(), LLM_STAGE: self.llm_times.durations}
        self.clear = button(
            self.tr("Clear"), link=True, tip=self.tr("Forget the times of this session"), press=self.forget
        )
        self.head = Head(theme, self.tr("This session"), self.clear)
        self.empty = Empty(
            theme, "chart", self.tr("No times yet"), self.tr("Type a query; how long each answer took adds up here.")
        )
        self.chooser = QComboBox()
        self.chooser.setProperty("quiet", "true")
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.chooser.setAccessibleName(self.tr("Stage to show"))
        self.chooser.activated.connect(self._redraw)
        self.fixed = {
            name: Histogram(theme, _title(theme, title), title, log=name == LLM_STAGE)
            for name, title in (
                (FLOOR, self.tr("Keywords + lexical")),
                (ON_SCREEN, self.tr("Answer on screen")),
                (LLM_STAGE, self.tr("LLM")),
            )
        }
        self.stage = Histogram(theme, self.chooser, self.tr("Chosen stage"))
        self.body = QWidget()
        row = QHBoxLayout(self.body)
        row.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(8))
        row.setSpacing(theme.px(24))
        for histogram in (self.fixed[FLOOR], self.stage, self.fixed[ON_SCREEN], self.fixed[LLM_STAGE]):
            row.addWidget(histogram, 1)
        for widget in (self.head, self.body, self.empty):
            self.column.addWidget(widget, 0 if widget is self.head else 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REDRAW_MS)
        self._timer.timeout.connect(self._redraw)
        self._fit()
        self._show_empty()

    def show_moment(self, moment: Moment) -> None:
        """Count the LLM's time as its reports come; the other stages are told by `note`."""
        self.moment = moment
        self._fit()
        inspection = moment.inspection
        report = inspection.trace.llm if inspection is not None else None
        if inspection is not None and report is not None and self.llm_times.take(inspection.query, report):
            self._redraw_soon()

    def note(self, durations: dict[str, float]) -> None:
        """Add the times of one answer: by stage, and until it was on screen. Drawn a little later."""
        floor = [durations[name] for name in _FLOOR_STAGES if name in durations]
        for name, ms in (durations | ({FLOOR: sum(floor)} if floor else {})).items():
            if name == LLM_STAGE:
                continue
            if name not in self.durations:
                self.durations[name] = Durations()
                self._offer(name)
            self.durations[name].add(ms)
        self._redraw_soon()

    def forget(self) -> None:
        """Start the session's times anew."""
        for durations in self.durations.values():
            durations.clear()
        self._redraw()

    def focus_target(self) -> QWidget:
        return self.chooser if self.chooser.isVisible() else self.clear

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self._timer.start()

    @property
    def has_llm(self) -> bool:
        """If an LLM is set up, or was in this session."""
        status = self.moment.status
        is_on = status is not None and status.llm.outcome is not LlmOutcome.OFF
        return is_on or bool(len(self.durations[LLM_STAGE]))

    def _fit(self) -> None:
        """Show as many histograms as there is room for; beside the answers the LLM's goes before the chosen stage's."""
        width, px = self.width(), self.theme.px
        two, four, has_llm = width >= px(520), width >= px(1000), self.has_llm
        for histogram, wanted in (
            (self.fixed[FLOOR], four),
            (self.stage, four or (two and not has_llm)),
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
        if name == EMBED and self.chooser.currentData() in _FLOOR_STAGES:
            self.chooser.setCurrentIndex(self.chooser.count() - 1)

    def _show_empty(self) -> bool:
        empty = not any(len(durations) for durations in self.durations.values())
        self.empty.setVisible(empty)
        self.body.setVisible(not empty)
        self.clear.setEnabled(not empty)
        return empty

    def _redraw(self) -> None:
        if self._show_empty():
            return
        none = Durations()
        for name, histogram in self.fixed.items():
            if histogram.isVisible():
                budget, lines = self._budget(name)
                histogram.show_durations(self.durations.get(name, none), budget, lines)
        if self.stage.isVisible():
            self.stage.show_durations(self.durations.get(self.chooser.currentData(), none), None, ())

    def _budget(self, name: str) -> tuple[float | None, tuple[float, ...]]:
        """The budget that a histogram's bins are aligned on, and all that are drawn in it."""
        settings = self.moment.settings
        llm = float(settings.search_intent.llm_timeout_ms) if settings is not None else LLM_BUDGET_MS
        if name == LLM_STAGE:
            return llm, (llm,)
        return (KEYSTROKE_BUDGET_MS, (KEYSTROKE_BUDGET_MS,)) if name == ON_SCREEN else (None, ())


def _title(theme: Theme, text: str) -> QLabel:
    label = QLabel(text)
    label.setStyleSheet(f"font-size: {theme.px(12)}px; font-weight: 600")
    return label
