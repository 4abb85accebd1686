"""Settings page: every setting by section, searchable, edited in place; threshold trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.display.evaluation.thresholds import AnsweredCases, neighbours, precision_target_view, try_threshold
from app.display.library.teaching import preview_base, preview_lines, preview_short
from app.display.staleness import evaluation_inputs
from app.display.system.settings import THRESHOLDS, SettingRow, SettingSection, matching, setting_sections
from app.domain.inspection import Inspection
from app.domain.why_not import EditPreview
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Chunks, Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, single_shot
from app.gui.kit.fields import UnitSpin
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import FoldedLine
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.theme import Theme, styled
from app.gui.system.encoder_section import EncoderSection
from app.gui.system.llm_section import LlmSection
from app.gui.system.setting_line import SettingLine
from app.settings.model import UNASKED

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.evaluation.answers import Tops
    from app.services.workbench import Workbench


_WIDEST, _HIGH = 1180, 900
"""Maximum width, so that sentence and value are close; height for advanced settings; in units."""


class SettingsPage(Page):
    """Search, sections at the left, settings at the right, which are created in chunks.

    In a narrow window the sections are a choice beside the search field, so that the settings have the full width.
    """

    side_by_side_from = 950

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Settings")
        self.no_undo_reason = "The last step did not change a setting: undo it with Ctrl+Z on another page."
        self.worker = worker
        self.sections: tuple[SettingSection, ...] = ()
        self._lines: dict[str, SettingLine] = {}
        self._turns = Chunks(self)
        self.titles: dict[str, QLabel] = {}
        self.folds: dict[str, FoldedLine] = {}
        self.search = line_edit("Search settings", clearable=True, hint="Search by name, description or variable")
        self.search.textChanged.connect(self._filter)
        self.only_changed = button("Only changed", tip="Show what is not at its default", checkable=True)
        self.only_changed.toggled.connect(self._filter)
        self.threshold_trials = ThresholdTrials(self, worker, self._lines)
        self.setting_preview = SettingPreview(self, worker, self._lines)
        self.head = PaneHeader(theme, "Settings", self.threshold_trials.button)
        self.places = QListWidget()
        self.places.setAccessibleName("Sections")
        self.places.setProperty("places", "true")
        self.jump = QComboBox()
        self.jump.setAccessibleName("Go to a section")
        self.jump.setToolTip("Go to a section")
        self.jump.activated.connect(lambda place: self.places.setCurrentItem(self._offered()[place]))
        self.jump.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.jump.setVisible(False)
        self.body = QWidget()
        self.column = spaced(QVBoxLayout(self.body), 0, 0, 0, theme.px(8), theme.px(24))
        self.body.setMaximumWidth(theme.px(_WIDEST))
        self.encoder, self.llm = EncoderSection(theme, worker), LlmSection(theme, worker)
        for section in (self.encoder, self.llm):
            section.task_finished.connect(self.task_finished)
            section.setParent(self.body)
            section.setVisible(False)  # until it has its place
        self.parts: dict[str, QWidget] = {"encoder": self.encoder, "llm": self.llm}
        self.area = ScrollArea(self.body, "Settings")
        self.empty = EmptyState(
            theme,
            "search",
            "No setting found",
            "Search for one word of its name or description.",
            button("Look among all actions", press=lambda: self.palette_requested.emit(self.search.text())),
        )
        self.empty.setVisible(False)
        self._arrange()
        worker.choice_refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)

    def _arrange(self) -> None:
        px = self.theme.px
        top = spaced(QHBoxLayout(), px(8), px(16), 0, px(16), px(10))
        fill(top, (self.search, 1), self.jump, self.only_changed)
        self.places.setFixedWidth(px(216))
        below = fill(spaced(QHBoxLayout(), 0), self.places)
        right = fill(spaced(QVBoxLayout(), 0), (self.area, 1), (self.empty, 1))
        below.addLayout(right, 1)
        fill(spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0), self.head, top, (below, 1))

    def focus_stops(self) -> list[QWidget]:
        return [self.search, self.jump if self.is_narrow else self.places, self.area]

    def lay_panes(self, flipped: bool) -> None:
        self.places.setVisible(not self.is_narrow)
        self.jump.setVisible(self.is_narrow)

    def enter(self) -> None:
        """Take the focus, with the search text selected."""
        super().enter()
        self.search.selectAll()

    @property
    def lines(self) -> dict[str, SettingLine]:
        """Lines of all settings by key; missing ones are made now."""
        self._make_rest()
        return self._lines

    def _make_rest(self) -> None:
        """Create the remaining lines, and lay them out."""
        if not self._turns.are_done:
            self._turns.finish()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.sections = setting_sections(core_state.settings, core_state.origins)
        if not self.places.count():
            self.places.addItems([section.title for section in self.sections])
            self.places.setCurrentRow(0)
            self.places.currentTextChanged.connect(self._go_to)
            self._turns.begin(self._making())
        for section in self.sections:
            for row in section.rows:
                line = self._lines.get(row.key)
                if line is not None and row != line.row:
                    line.show_row(row)
        self.threshold_trials.show_core_state(core_state)
        self.encoder.show_core_state(core_state)
        self.llm.show_core_state(core_state)
        self._filter()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.threshold_trials.load()

    def _making(self) -> Iterator[None]:
        """Make the sections from the top, with the settings of each moment."""
        self.column.addStretch(1)
        for place, section in enumerate(self.sections):
            title = self.titles[section.key] = QLabel(section.title, self.body)
            title.setTextFormat(Qt.TextFormat.PlainText)
            title.setIndent(0)
            styled(title, role="chapter")
            self.column.insertWidget(self.column.count() - 1, title)
            title.setVisible(not place)  # the others when their section is made
            if (part := self.parts.get(section.key)) is not None:
                part.setParent(None)  # a new parent puts it last for Tab
                self.column.insertWidget(self.column.count() - 1, part)
            own = QVBoxLayout()  # so that only one section is laid out for each line
            own.setSpacing(0)
            self.column.insertLayout(self.column.count() - 1, own)
            fold = self.folds[section.key] = FoldedLine(self.theme, "Advanced")
            fold.setCheckable(True)
            fold.toggled.connect(lambda _, place=place: self._show_section(place))
            fold.setVisible(False)
            own.addWidget(fold)
            yield
            for row in sorted(range(len(section.rows)), key=lambda row: section.rows[row].is_advanced):
                if section.rows[row].key in self.llm.server.fields:
                    continue
                own.addWidget(self._make_line(self.sections[place].rows[row]))
                if not section.rows[row].is_advanced:
                    own.addWidget(fold)  # moved below it
                yield
            fold.setChecked(self.visible_height >= self.theme.px(_HIGH))
            self._show_section(place)
        if self.isVisible():
            self.threshold_trials.load()  # for the lines that are new

    def _make_line(self, row: SettingRow) -> SettingLine:
        line = self._lines[row.key] = SettingLine(self.theme, row)
        line.chosen.connect(self.worker.choose)
        line.drafted.connect(self.setting_preview.take)
        line.forgotten.connect(lambda key: self.worker.choose(key, None))
        self.threshold_trials.join(line)
        line.setParent(self.body)
        line.fit(self.body.width() - self.theme.px(8))  # otherwise it would be laid out twice
        line.move(0, self.body.height())  # out of sight until it has its place
        line.setVisible(False)  # until its section is made
        return line

    # ---- search

    def _filter(self) -> None:
        """Show the matching settings, and the titles above them."""
        left = sum(map(self._show_section, range(len(self.sections))))
        self._offer_places()
        is_sought = bool(self.search.text() or self.only_changed.isChecked())
        self.head.set_more(f"{left} of {sum(len(one.rows) for one in self.sections)} settings" if is_sought else "")
        self.area.setVisible(bool(left))
        self.empty.setVisible(not left)

    def _show_section(self, place: int) -> int:
        """Show the matching settings of a section, as far as they are made; return the number that match.

        Without a search only the chosen section is shown, its advanced settings on demand or if they are changed.
        """
        section, changed = self.sections[place], self.only_changed.isChecked()
        is_sought = bool(changed or self.search.text())
        listed = [row for row in section.rows if row.is_changed or not (changed or (row.is_unread and not is_sought))]
        found = {row.key for row in listed if matching(row, section, self.search.text())}
        shown = found if is_sought or place == self.places.currentRow() else set()
        folded = shown & {row.key for row in section.rows if row.is_advanced and not (is_sought or row.is_changed)}
        if section.key in self.folds:
            self.folds[section.key].setVisible(bool(folded))
            folded = set() if self.folds[section.key].isChecked() else folded
        for row in section.rows:
            if row.key in self._lines:
                self._lines[row.key].setVisible(row.key in shown - folded)
        if section.key in self.titles:
            self.titles[section.key].setVisible(bool(shown))
        if section.key in self.titles and section.key in self.parts:
            is_in_part = (section.key == "encoder" and not changed) or shown & self.llm.server.fields.keys()
            self.parts[section.key].setVisible(bool(shown and is_in_part))
        self.places.item(place).setHidden(not found)
        return len(found)

    def _offered(self) -> list[QListWidgetItem]:
        """Return the sections with matching settings."""
        items = [self.places.item(place) for place in range(self.places.count())]
        return [item for item in items if not item.isHidden()]

    def _offer_places(self) -> None:
        """Offer the sections with matching settings."""
        titles = [item.text() for item in self._offered()]
        if titles != [self.jump.itemText(place) for place in range(self.jump.count())]:
            self.jump.clear()
            self.jump.addItems(titles)

    def go_to(self, key: str) -> None:
        """Scroll to a setting and focus it, or to a section, clearing the search."""
        self.search.clear()
        self.only_changed.setChecked(False)
        line = self.lines.get(key) or self.llm.server.fields.get(key)
        keys = [[section.key, *(row.key for row in section.rows)] for section in self.sections]
        self.places.setCurrentRow(next((place for place, one in enumerate(keys) if key in one), 0))
        if line is not None:
            if line.isHidden():
                self.folds[self.sections[self.places.currentRow()].key].setChecked(True)
            if line.isHidden():
                self.search.setText(key)  # listed only when sought
            self.area.ensureWidgetVisible(line, 0, self.area.height() // 3)
            line.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif key in self.titles:
            (self.llm.server.address if key == "llm" else self.places).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _go_to(self, title: str) -> None:
        """Show a section, or scroll to it in what was found."""
        self._make_rest()
        self._filter()
        self.jump.setCurrentText(title)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        self.area.verticalScrollBar().setValue(next(one.y() for one in self.titles.values() if one.text() == title))

    # ---- results

    def _on_refused(self, key: str, sentence: str) -> None:
        line = self._lines.get(key)
        if line is not None and self.isVisible():
            line.show_refusal(sentence)


# ---- Preview of a typed or hovered value, requested when keys and pointer rest.

_AHEAD_AFTER_MS = 250


class SettingPreview(QObject):
    """Debounce: each letter restarts the wait, and a newer draft cancels the running preview."""

    def __init__(self, page: QWidget, worker: Worker, lines: Mapping[str, SettingLine]) -> None:
        super().__init__(page)
        self._lines, self._job = lines, Job(worker, self)
        self._draft: tuple[str, str] | None = None
        self._timer = single_shot(self, _AHEAD_AFTER_MS, self._ask)

    def take(self, key: str, typed: str) -> None:
        """Take a draft or hovered value ("": none); settings that affect no answer are skipped."""
        self._job.cancel()
        self._draft = (key, typed) if typed and not key.startswith(UNASKED) else None
        if self._draft is not None:
            self._timer.start()
        else:
            self._timer.stop()

    def _ask(self) -> None:
        if self._draft is not None:
            changes = dict((self._draft,))
            self._lines[self._draft[0]].show_preview("trying…", "")
            self._job.run(lambda bench: bench.edit_previews.of_settings(changes), self._on_previewed, self._on_refused)

    def _on_refused(self, _: str) -> None:
        """Show no effect for an invalid value; the reason is shown when it is set."""
        if self._draft is not None:
            self._lines[self._draft[0]].show_preview("", "")

    def _on_previewed(self, preview: EditPreview) -> None:
        if self._draft is not None:
            short = preview_short(preview)
            tip = "\n".join((short, preview_base(preview), *preview_lines(preview))) if short else ""
            self._lines[self._draft[0]].show_preview(short, tip)


# ---- Threshold trials: the answer on screen and the labelled cases for every slider.


class ThresholdTrials(QObject):
    """Runs the cases once in the background; counting them for a threshold is instantaneous."""

    def __init__(self, page: QWidget, worker: Worker, lines: Mapping[str, SettingLine]) -> None:
        super().__init__(page)
        self._page, self._lines = page, lines
        self._core_state: CoreState | None = None
        self._inspection: Inspection | None = worker.answer
        self._cases = AnsweredCases()
        self._answered_for: object = None
        self.button: QPushButton = button("", link=True, press=self._toggle)
        self.button.setVisible(False)
        self._job = Job(worker, self)
        worker.inspected.connect(self._on_inspected)

    def join(self, line: SettingLine) -> None:
        """Enable trials for a line with a slider."""
        if isinstance(line.editor, UnitSpin):
            line.editor.moved.connect(partial(self._try, line.row.key))
        if line.promise is not None:
            line.promise.target_changed.connect(partial(self._update_target, line.row.key))

    def show_core_state(self, core_state: CoreState) -> None:
        """Follow changes of settings or library."""
        self._core_state = core_state
        if self._page.isVisible():
            self.load()

    def load(self) -> None:
        """Run the cases again after a change, and show the effect of every threshold."""
        wanted = self._signature()
        if wanted is not None and wanted != self._answered_for:
            self._answered_for = wanted
            self._answer()
        self._show_all()

    # ---- cases

    def _signature(self) -> object:
        """Return the inputs of the cases' confidences; None while unknown or embedding."""
        core_state = self._core_state
        if (
            core_state is None
            or core_state.status.encoder_state == "loading"
            or core_state.status.embedded < core_state.status.to_embed
        ):
            return None
        cases = core_state.status.counts.get("cases", 0)
        return evaluation_inputs(core_state.status, core_state.settings, (*UNASKED, *THRESHOLDS)), cases

    def _answer(self) -> None:
        self._job.follow(_answers, self._on_progress, self._on_finished)

    def _toggle(self) -> None:
        if self._job.is_running:
            self._job.cancel()
            self._cases = AnsweredCases(None, "Checking the thresholds was stopped.")
        else:
            self._answer()
        self._show_all()

    def _on_progress(self, tops: Tops) -> None:
        self._cases = AnsweredCases(tops)
        self._show_all()

    def _on_finished(self, sentence: str) -> None:
        if sentence:
            self._cases = AnsweredCases(None, sentence)
        self._show_all()

    def _on_inspected(self, _generation: int, inspection: Inspection) -> None:
        self._inspection = inspection
        if self._page.isVisible():
            self._show_all()

    # ---- display

    def _show_all(self) -> None:
        tops = self._cases.tops
        stopped = not self._job.is_running and bool(self._cases.fault)
        self.button.setVisible(self._job.is_running or stopped)
        if self._job.is_running:
            done = f" ({tops.done:,} / {tops.total:,} cases)" if tops is not None and tops.total else ""
            self.button.setText("Stop checking thresholds" + done)
        elif stopped:
            self.button.setText("Check thresholds")
        if (head := self.button.parentWidget()) is not None and (row := head.layout()) is not None:
            row.activate()  # at once: the longer text would be painted in the old width
        for key, line in self._lines.items():
            if isinstance(line.editor, UnitSpin):
                self._try(key, line.editor.value())
                self._update_target(key)

    def _try(self, key: str, value: float) -> None:
        line = self._lines[key]
        if self._core_state is None or line.strip is None:
            return
        settings = self._core_state.settings
        line.strip.slider.show_marks(float(line.row.default), neighbours(key, settings))
        line.strip.show_trial(try_threshold(key, value, settings, self._inspection, self._cases))

    def _update_target(self, key: str) -> None:
        if (promise := self._lines[key].promise) is not None:
            promise.update_target(partial(precision_target_view, key, self._cases.tops))


def _answers(bench: Workbench) -> AsyncGenerator[Tops, None]:
    """Run the labelled cases for threshold trials."""
    from app.services.evaluation.case_runs import answer_cases

    return answer_cases(bench, bench.evaluations)
