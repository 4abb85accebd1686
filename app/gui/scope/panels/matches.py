"""Matches pane: every answer with its scores, best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.display.scope.guide import Sample
from app.display.scope.match_rows import (
    MatchRow,
    ignored_scorers,
    match_rows,
    scorer_keys,
    together,
    with_stale_scores,
)
from app.display.scope.verdict import with_outcomes
from app.display.words import about
from app.domain.inspection import Decision, Inspection
from app.domain.library import Kind
from app.domain.match import Match
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button, single_shot
from app.gui.kit.pane_parts import FaultLine, remedy_for
from app.gui.kit.tables.rows import show_painted_rows
from app.gui.kit.theme import Theme
from app.gui.scope.first_steps import Samples
from app.gui.scope.panels.matches_delegate import (
    CALM_CONFIDENCE,
    CALM_NARROW,
    CALM_ROW_HEIGHT,
    CELL,
    CONFIDENCE,
    FOOT,
    HEADING,
    NARROW_CELL,
    NARROW_CONFIDENCE,
    ROW_HEIGHT,
    WIDE_CELL,
    WIDE_CONFIDENCE,
    WIDE_ROW_HEIGHT,
    ColumnHead,
    Legend,
    MatchDelegate,
)
from app.gui.scope.panels.matches_table import MatchesModel, MatchesView, TableWithFooter, ViewMenu
from app.gui.scope.panels.panel import HEAD, Panel


class MatchesHeader(PaneHeader):
    """Title, combination, links and filter by kind; `fit` adapts them to a width."""

    def __init__(self, theme: Theme, *, over: QPushButton, view: QPushButton, kinds: SegmentedControl) -> None:
        super().__init__(theme, "Matches", over, kinds, view)
        self._over, self._kinds = over, kinds
        self._wanted: tuple[object, ...] = ()

    def fit(self, width: int, combination: str) -> None:
        """Show what fits a width in pixels: the combination is dropped first, a chosen kind never."""
        over = "" if self._over.isHidden() else self._over.text()
        wanted = (width, self.theme.scale, combination, over, self._kinds.current)
        if wanted == self._wanted:
            return
        self._wanted = wanted
        self.set_more(combination, about(*(name.replace(" ", "_") for name in combination.split(", "))))
        self.show_title(True)
        self._kinds.setVisible(True)
        gives_way: tuple[Callable[[], object], ...] = (
            lambda: self.set_more(""),
            lambda: self.show_title(False),
            lambda: self._kinds.setVisible(self._kinds.current != "all"),
        )
        for leave_out in gives_way:
            if self.least <= width:
                return
            leave_out()


# ---- Pane

_HIGH_FROM = 720
"""Height in units from which the pane lists twice as many rows of each kind."""

_CAPTIONS_FROM = 150.0
"""Minimum height of the pane in units for captions of columns."""

_WIDE_FROM = 940
_SCORERS_FROM, _USUAL_FROM = 460, 560
"""Minimum widths in units for the scores, and for cells of the usual width."""

_NAME = 180
"""Minimum width of a name, in units, before cells become wider than necessary."""

_USUAL_COMBINATION = "learned"

GROUP_MATCHES = "group_matches"
"""Key of the setting for grouping."""

_LEAST_SHOWN, _FOLDED_BELOW = 3, 0.01  # in a list of one kind: rows never folded, confidence of folded ones

_EXPLAIN_MS = 30
"""Delay in ms of the note on absent scorers while typing: brief absences are not shown."""


class MatchesPanel(Panel):
    """Matches pane. The page owns the selection; the pane emits what was picked."""

    _times = 1
    """Multiple of the rows that both lists show together; 2 in a high pane."""
    _room = 0
    """Number of rows that are seen at once; 0 for any number."""
    _folded, _is_unfolded = 0, False
    """Number of rows of the chosen kind that are folded, and whether they were opened."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Matches")
        scorers = self._asked = scorer_keys(None)
        self._aside: frozenset[str] = frozenset()
        self.model = MatchesModel(scorers, self)
        self.painter = MatchDelegate(theme, scorers, self)
        self.filter = SegmentedControl(theme, "Show", [("all", "All"), ("memory", "Memories"), ("power", "Powers")])
        self.filter.chosen.connect(lambda key: self.filtered.emit(None if key == "all" else Kind(key)))
        self.over = button("", link=True, press=lambda: self.action_requested.emit("pane_selected"))
        self.over.setVisible(False)
        self.view_menu = ViewMenu()
        self.view_menu.preset_requested.connect(lambda name: self.set_requested.emit("preset", name))
        self.view_menu.grouping_requested.connect(self.toggle_grouping)
        self.view_menu.columns_requested.connect(self.toggle_columns)
        self.view_menu.action_requested.connect(self.action_requested)
        self.head = MatchesHeader(theme, over=self.over, view=self.view_menu, kinds=self.filter)
        self.columns = ColumnHead(theme, scorers)
        self.view = self._make_view()
        self.fault = FaultLine(theme)
        self.notice = FaultLine(theme)
        self.settings_fault = FaultLine(theme)
        self._seed = button("Try the sample library", primary=True, press=self.seeds_requested.emit)
        self._import = button("Import my file…", press=lambda: self.action_requested.emit("import"))
        self._import.setToolTip("Import a file (Ctrl+O)")
        self.empty = EmptyState(theme, "memory", "", "", self._seed, self._import)
        self.more = button("", link=True, tip="Show the rows below", press=self._show_more)
        self.foot = Legend(theme, self.more)
        self.body = TableWithFooter(theme, self.view, self.foot)
        for widget in (self.head, self.fault, self.notice, self.settings_fault, self.columns):
            self.column.addWidget(widget)
        self.column.addWidget(self.body, 1)
        self.column.addWidget(self.empty, 1)
        self.samples = Samples(theme)
        self.samples.lines.query_requested.connect(self.query_requested)
        self.column.addWidget(self.samples, 1)
        self._explain_soon = single_shot(self, _EXPLAIN_MS, self._explain)
        self._update_header()
        self.show_state(ScopeState())

    def focus_target(self) -> QWidget:
        if self.samples.isVisible():
            return self.samples.lines.buttons[0]
        return self._seed if self._seed.isVisible() else self.view

    def offer_samples(self, samples: tuple[Sample, ...], has_llm: bool) -> None:
        """Show these sample queries while there is no query."""
        self.samples.lines.offer(samples, has_llm=has_llm)
        self._show_empty(bool(self.model.rows))

    def toggle_grouping(self) -> None:
        """Request one row per label, or one per memory; the menu's check follows the setting."""
        self.show_chosen()
        settings = self.scope_state.settings
        is_by_label = settings is not None and settings.group_matches == "label"
        self.set_requested.emit(GROUP_MATCHES, "memory" if is_by_label else "label")

    def toggle_columns(self) -> None:
        """Request a column per scorer, or one bar per row."""
        self.show_chosen()
        self.set_requested.emit("match_columns", "confidence" if _has_columns(self.scope_state) else "scorers")

    def show_chosen(self) -> None:
        """Check the settings in force in the menu, also after a refusal."""
        settings = self.scope_state.settings
        if settings is not None:
            by_label, columns = settings.group_matches == "label", settings.match_columns == "scorers"
            self.view_menu.show_chosen(settings.preset, by_label=by_label, has_columns=columns)

    def show_state(self, scope_state: ScopeState) -> None:
        if scope_state.is_new_query(self.scope_state):
            self.view.scrollToTop()
        has_columns = _has_columns(self.scope_state)
        self._is_unfolded &= scope_state.kind is self.scope_state.kind
        self.scope_state = scope_state
        if _has_columns(scope_state) is not has_columns:
            self._lay_out()
        self.show_chosen()
        part = "changes" if scope_state.faults.get("changes") else "store"
        self.fault.show_fault(scope_state.faults.get(part, ""), remedy_for(part, scope_state.status))
        self.notice.show_fault(scope_state.faults.get("encoder", ""), remedy_for("encoder", scope_state.status))
        part = "rules" if scope_state.faults.get("rules") else "settings"
        self.settings_fault.show_fault(scope_state.faults.get(part, ""), remedy_for(part, scope_state.status))
        inspection = scope_state.inspection
        if inspection is not None and not scope_state.awaits_vector:
            wanted = scorer_keys(inspection), ignored_scorers(inspection)
            if wanted != (self._asked, self._aside):  # columns of the combination only, which leaves space for names
                self._asked, self._aside = wanted
                self._lay_out()
        self._show_provisional(inspection)
        shown = self._shown_rows(scope_state)
        # Scores absent for a few ms stay, dimmed, so that nothing flickers.
        self._show_rows(
            with_stale_scores(shown, self.model.rows) if scope_state.is_typing and scope_state.awaits_vector else shown
        )
        self.filter.set_current(str(scope_state.kind) if scope_state.kind else "all")
        self._update_header()
        self._show_empty(bool(shown))
        self._select(scope_state.selected)
        if scope_state.is_typing:
            self._explain_soon.start()
        else:
            self._explain()

    def _show_provisional(self, inspection: Inspection | None) -> None:
        """Draw paler bars while the answer may change, but not between two quick key presses."""
        if inspection is None or self.scope_state.awaits_vector:
            return
        is_provisional = any(inspection.provisional.get(one) for one in (Decision.MEMORY, Decision.POWER))
        if is_provisional is not self.painter.is_provisional:
            self.painter.is_provisional = is_provisional
            self.view.viewport().update()

    def _explain(self) -> None:
        """Show below the rows which scorers are absent or hidden for lack of space."""
        self._explain_soon.stop()
        if any(cell.stale for row in self.model.rows for cell in row.cells):
            self._show_rows(self._shown_rows(self.scope_state))
        inspection = self.scope_state.inspection
        self.foot.show_reason("" if inspection is None else " ".join(dict.fromkeys(inspection.absent.values())))
        self._update_footer()

    def _shown_rows(self, scope_state: ScopeState) -> tuple[MatchRow, ...]:
        """Return the rows of the chosen kind, or the first of all."""
        inspection, settings = scope_state.inspection, scope_state.settings
        if inspection is None:
            return ()
        shown = [match for match in inspection.matches if match.kind is scope_state.kind]
        if scope_state.kind is None:
            shown = together(inspection.matches, self._times, self._room)
        self._folded = 0
        if scope_state.kind is not None and not self._is_unfolded:
            listed = [
                match
                for place, match in enumerate(shown)
                if place < _LEAST_SHOWN or match.confidence >= _FOLDED_BELOW or match is scope_state.selected
            ]
            self._folded, shown = len(shown) - len(listed), listed
        rows = match_rows(inspection, settings, shown)
        if settings is not None:
            rows = with_outcomes(rows, inspection, settings)
        return tuple(
            replace(row, starts_list=True) if row.kind is not before.kind else row
            for before, row in zip((*rows[:1], *rows), rows, strict=False)
        )

    def offer_over(self, name: str) -> None:
        """Offer the pane of this name, which is overlaid; "" for none."""
        if name:
            self.over.setText(f"{name}  F4")
            self.over.setToolTip(f"Show the pane {name} over the matches, or close it (F4)")
        self.over.setVisible(bool(name))
        self._update_header()

    def step(self, by: int) -> None:
        place = self.view.currentIndex().row() + by
        if self.model.rows:
            self.view.selectRow(max(0, min(len(self.model.rows) - 1, place)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and watched is self.view.viewport():
            self._lay_out()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.columns.setVisible(not self.body.isHidden() and self.height() >= self.theme.px(_CAPTIONS_FROM))
        high = self.height() / self.theme.scale
        seen = 2 if high >= _HIGH_FROM else 1, max(1, int((high - HEAD - 2 * HEADING - FOOT) // self.painter.height))
        if seen != (self._times, self._room):
            self._times, self._room = seen
            self._show_rows(self._shown_rows(self.scope_state))
            self._select(self.scope_state.selected)
        self._lay_out()
        self._update_header()

    # ---- widgets

    def _make_view(self) -> MatchesView:
        view = MatchesView(self.theme, self.model, self.painter)
        view.setAccessibleName("Matches, best first")
        show_painted_rows(view)
        view.viewport().installEventFilter(self)
        view.verticalScrollBar().valueChanged.connect(self._update_footer)
        view.selectionModel().currentRowChanged.connect(self._on_row)
        return view

    def _lay_out(self) -> None:
        px = self.theme.px
        width = self.view.viewport().width()
        shown, cell, last = self._fitting(width)
        self.painter.is_calm = not shown
        wanted = {0: CALM_ROW_HEIGHT, WIDE_CELL: WIDE_ROW_HEIGHT}
        self.painter.height = wanted.get(cell, ROW_HEIGHT)
        for column, scorer in enumerate(self.model.scorers, start=1):
            self.view.setColumnHidden(column, scorer not in shown)
            self.view.setColumnWidth(column, px(cell))
        self.view.setColumnWidth(len(self.model.scorers) + 1, px(last))
        self.view.setColumnWidth(0, max(1, width - len(shown) * px(cell) - px(last)))
        self.view.lay_rows(anew=True)
        self.body.place()
        if shown and shown != self.columns.scorers:
            self.columns.show_scorers(shown, tuple(key for key in self._asked if key not in shown))
        self.columns.show_widths(cell, last)
        self.foot.show_marks(cell > 0)
        self._update_footer()

    def _fitting(self, width: int) -> tuple[tuple[str, ...], int, int]:
        """Return the scorers with columns, the width of their cells, and that of the last column.

        Names have priority: scorers that do not count are dropped first, then all. Without chosen columns there are
        none.
        """
        calm = CALM_CONFIDENCE if width >= self.theme.px(_NAME + CALM_CONFIDENCE) else CALM_NARROW
        if not _has_columns(self.scope_state):
            return (), 0, calm
        counted = tuple(key for key in self._asked if key not in self._aside)
        for shown, cell, last, least in (
            (self._asked, WIDE_CELL, WIDE_CONFIDENCE, _WIDE_FROM),
            (self._asked, CELL, CONFIDENCE, _USUAL_FROM),
            (self._asked, NARROW_CELL, NARROW_CONFIDENCE, _SCORERS_FROM),
            (counted, CELL, CONFIDENCE, _SCORERS_FROM),
        ):
            if width >= self.theme.px(max(least, _NAME + len(shown) * cell + last)):
                return shown, cell, last
        has_room = width >= self.theme.px(_SCORERS_FROM)
        return (counted, NARROW_CELL, NARROW_CONFIDENCE) if has_room else ((), 0, calm)

    # ---- display

    def _show_rows(self, rows: tuple[MatchRow, ...]) -> None:
        """Show these rows; moved ones glide, except while typing."""
        before = [row.key for row in self.model.rows]
        self.model.show_rows(rows)
        if self.view.lay_rows() or len(rows) != len(before):
            self.body.place()
        if rows:
            self.columns.show_kind(rows[0].kind)
        now = [row.key for row in rows]
        if self.scope_state.is_typing:
            self.view.stop()
        elif before != now:
            self.view.glide(before, now)

    def _select(self, match: Match | None) -> None:
        place = next((n for n, row in enumerate(self.model.rows) if row.match is match), -1)
        if place == self.view.currentIndex().row():
            return
        model = self.view.selectionModel()
        model.blockSignals(True)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        model.setCurrentIndex(self.model.index(place, 0), flags)
        model.blockSignals(False)
        self.view.viewport().update()

    def _on_row(self, current: QModelIndex) -> None:
        if 0 <= current.row() < len(self.model.rows):
            self.picked.emit(self.model.rows[current.row()].match)

    def _update_header(self) -> None:
        self.head.fit(self.width(), _combination(self.scope_state))

    def _update_footer(self) -> None:
        rows = self.model.rows
        last = self.view.rowAt(self.view.viewport().height() - self.theme.px(12))
        hidden = rows[last:] if last >= 0 else ()
        if last >= 0 and self.view.rowViewportPosition(last) + self.view.rowHeight(last) <= (
            self.view.viewport().height() + 1
        ):
            hidden = rows[last + 1 :]
        self.more.setVisible(bool(hidden) or self._folded > 0)
        if hidden:
            self.more.setText(f"{len(hidden) + self._folded} more, best {hidden[0].share}")
        elif self._folded:
            self.more.setText(f"{self._folded} more below 1 %")

    def _show_more(self) -> None:
        self._is_unfolded = True
        self.show_state(self.scope_state)
        bar = self.view.verticalScrollBar()
        bar.setValue(bar.value() + self.view.viewport().height())

    def _show_empty(self, any_rows: bool) -> None:
        words = ("", "") if any_rows else self._empty_words()
        self.empty.set_text(*words)
        untaught = self.scope_state.has_empty_library
        for offered in (self._seed, self._import):
            offered.setVisible(untaught)
        waits = self.scope_state.inspection is None and not (self.scope_state.has_query or self.scope_state.lines)
        tries = not (any_rows or untaught or self.scope_state.open_error) and waits and bool(self.samples.lines.shown)
        self.samples.setVisible(tries)
        self.empty.setVisible(not any_rows and not tries)
        self.body.setVisible(any_rows)
        self.columns.setVisible(any_rows and self.height() >= self.theme.px(_CAPTIONS_FROM))

    def _empty_words(self) -> tuple[str, str]:
        if self.scope_state.has_empty_library:
            return ("The library is empty", "Nothing can answer yet. Press Ctrl+T to teach what you typed.")
        if self.scope_state.status is None and self.scope_state.open_error:
            return "The library is not open", self.scope_state.open_error
        if self.scope_state.status is None:
            return "Opening the library", "You can start typing; answers appear when the library has loaded."
        if self.scope_state.inspection is None and self.scope_state.has_query:
            return "Working", "The first answer after the start takes a moment longer."
        if self.scope_state.inspection is None:
            return "No matches yet", ""
        return "No matches", "Nothing of this kind was scored for this query."


def _combination(scope_state: ScopeState) -> str:
    """Return the names of the combinations; "" for the usual one, unless all scorers are shown."""
    if scope_state.inspection is None:
        return ""
    names = dict.fromkeys(scope_state.inspection.combination.values())
    if tuple(names) == (_USUAL_COMBINATION,) and not _has_columns(scope_state):
        return ""
    return ", ".join(name.replace("_", " ") for name in names)


def _has_columns(scope_state: ScopeState) -> bool:
    return scope_state.settings is not None and scope_state.settings.match_columns == "scorers"
