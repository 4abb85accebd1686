"""View menu, model and view of the matches: whole rows that glide to their new places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from PySide6.QtCore import QAbstractAnimation, QEasingCurve, QObject, QRect, QVariantAnimation, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStyle, QStyleOptionViewItem, QTableView, QWidget

from app.display import words
from app.display.scope.match_rows import Cell, MatchRow
from app.display.scope.side_by_side import preset_choices
from app.display.words import about
from app.gui.kit.page import Action
from app.gui.kit.tables.rows import RowsModel
from app.gui.kit.theme import Theme, styled
from app.gui.scope.actions import COMBINATIONS, GROUPING, LETTERS, POLICIES, PRESETS
from app.gui.scope.panels.matches_delegate import FOOT, HEADING, MatchDelegate, Place

GLIDE_MS = 120


class TableWithFooter(QWidget):
    """Table with a footer that takes the space below its last whole row."""

    def __init__(self, theme: Theme, rows: MatchesView, foot: QWidget) -> None:
        super().__init__()
        self.theme, self.rows, self.foot = theme, rows, foot
        for widget in (rows, foot):
            widget.setParent(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.place()

    def place(self) -> None:
        """Lay out both; the height of rows may have changed."""
        row, room = self.rows.verticalHeader().defaultSectionSize(), max(0, self.height() - self.theme.px(FOOT))
        head = self.rows.heading
        high = room - (room - head) % row if room > row + head else room
        whole = head + row * self.rows.model().rowCount()
        if whole <= self.height():  # the footer follows the last row; rather all rows than the whole footer
            high = whole
        self.rows.setGeometry(0, 0, self.width(), high)
        self.foot.setGeometry(0, high, self.width(), self.height() - high)


class MatchesView(QTableView):
    """Table without partly visible rows, as `TableWithFooter` ensures.

    A glide only affects painting: selection, scroll position and model have their final state at once.
    """

    def __init__(self, theme: Theme, model: MatchesModel, painter: MatchDelegate) -> None:
        super().__init__()
        self.theme = theme
        self._model, self._painter = model, painter
        self.setModel(model)
        self.setItemDelegate(painter)
        self._headed = -1
        self._from: dict[int, int] = {}
        self._glide = QVariantAnimation(
            self, startValue=1.0, endValue=0.0, easingCurve=QEasingCurve(QEasingCurve.Type.OutCubic)
        )
        self._glide.valueChanged.connect(lambda _: self.viewport().update())
        self._glide.finished.connect(self._from.clear)

    @property
    def is_gliding(self) -> bool:
        return self._glide.state() is QAbstractAnimation.State.Running

    @property
    def heading(self) -> int:
        """Height in pixels of the heading between the lists; 0 without one."""
        return self.theme.px(HEADING) if self._headed >= 0 else 0

    def lay_rows(self, *, anew: bool = False) -> bool:
        """Make the first row of the second list higher by its heading; return whether heights changed.

        `anew` if the height of all rows may have changed.
        """
        before, high = self._headed, self.theme.px(self._painter.height)
        self._headed = next((place for place, row in enumerate(self._model.rows) if row.starts_list), -1)
        if self._headed == before and not anew:
            return False
        if anew:
            self.verticalHeader().setDefaultSectionSize(high)
        self.setRowHeight(before, high)  # rows come and go at the end only; Qt ignores places without a row
        self.setRowHeight(self._headed, high + self.heading)
        return True

    def glide(self, before: Sequence[str], now: Sequence[str]) -> None:
        """Make rows glide from their old places, by key; new ones appear at once."""
        high = self.verticalHeader().defaultSectionSize()
        places: Mapping[str, int] = {key: place for place, key in enumerate(before)}
        self.stop()
        self._from |= {
            place: (places[key] - place) * high
            for place, key in enumerate(now)
            if key in places and places[key] != place
        }
        duration = self.theme.duration(GLIDE_MS)
        if self._from and duration:
            self._glide.setDuration(duration)
            self._glide.start()

    def stop(self) -> None:
        self._glide.stop()
        self._from.clear()

    def offset(self, row: int) -> float:
        """Return how far below its place a row is drawn now, in pixels."""
        return self._from.get(row, 0) * float(self._glide.currentValue() or 0.0) if self.is_gliding else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_gliding:
            self._paint_still(event)
            return
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), self.theme.color("surface"))
        rows = range(self.model().rowCount())
        for row in sorted(rows, key=lambda row: row in self._from):  # moving rows are drawn over the others
            self._paint_row(painter, row, round(self.offset(row)))

    def _paint_still(self, event: QPaintEvent) -> None:
        """Draw the changed cells at once, which is much cheaper than Qt's call per cell."""
        region, area = event.region(), event.rect()
        painter = QPainter(self.viewport())
        painter.fillRect(area, self.theme.color("surface"))
        selection, root = self.selectionModel(), self.rootIndex()
        spans = [
            (column, self.columnViewportPosition(column), self.columnWidth(column))
            for column in range(self._model.columnCount())
            if not self.isColumnHidden(column)
        ]
        places: list[Place] = []
        for row in range(max(0, self.rowAt(max(0, area.top()))), len(self._model.rows)):
            top = self.rowViewportPosition(row)
            if top > area.bottom():
                break
            on = selection.isRowSelected(row, root)
            high = self.rowHeight(row)
            rects = ((column, QRect(left, top, wide, high)) for column, left, wide in spans)
            places += [(self._model.rows[row], column, rect, on) for column, rect in rects if region.intersects(rect)]
        self._painter.paint_places(painter, places)

    def _paint_row(self, painter: QPainter, row: int, offset: int) -> None:
        top = self.rowViewportPosition(row) + offset
        if top >= self.viewport().height() or top + self.rowHeight(row) <= 0:
            return
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        if self.selectionModel().isRowSelected(row, self.rootIndex()):
            option.state |= QStyle.StateFlag.State_Selected
        for column in range(self.model().columnCount()):
            if not self.isColumnHidden(column):
                index = self.model().index(row, column)
                option.rect = self.visualRect(index).translated(0, offset)
                self.itemDelegate().paint(painter, option, index)


# ---- Model: one row per answer, which keeps its identity while its numbers change.


class MatchesModel(RowsModel[MatchRow]):
    """Answer, one column per scorer, confidence. New rows replace old ones without a reset."""

    def __init__(self, scorers: tuple[str, ...], parent: QObject | None = None) -> None:
        titles = [words.scorer(name).title for name in scorers]
        super().__init__(("Answer", *titles, "Confidence, lead"), (), parent)
        self.scorers = scorers

    def show_rows(self, rows: Sequence[MatchRow], *, anew: bool = False) -> None:
        """Show these rows and signal only cells that look or read differently."""
        differing = [self._differing(*pair) for pair in zip(self.replace_rows(rows), rows, strict=False)]
        for runs, group in groupby(enumerate(differing), key=itemgetter(1)):
            places = [place for place, _ in group]
            for first, last in runs:
                self.dataChanged.emit(self.index(places[0], first), self.index(places[-1], last))

    def _differing(self, old: MatchRow, new: MatchRow) -> tuple[tuple[int, int], ...]:
        """Return the first and last columns of each run of cells that look different."""
        if old == new:
            return ()
        runs: list[tuple[int, int]] = []
        for column, (before, now) in enumerate(zip(self._drawn(old), self._drawn(new), strict=True)):
            if before == now:
                continue
            if runs and runs[-1][1] == column - 1:
                runs[-1] = runs[-1][0], column
            else:
                runs.append((column, column))
        return tuple(runs)

    def _drawn(self, row: MatchRow) -> tuple[object, ...]:
        level = (row.level, row.level_word, row.outcome, row.ends_injected)
        answer = (row.key, row.kind, row.name, row.trigger, row.more, row.starts_list, *level)
        return answer, *(row.cell(name) for name in self.scorers), (row.confidence, row.lead, *level)

    def text(self, row: MatchRow, column: int) -> str:
        if column == 0:
            return row.name
        if column <= len(self.scorers):
            cell = self._cell(row, column)
            return cell.text if cell else ""
        return row.confidence

    def spoken(self, row: MatchRow, column: int) -> str:
        if column == 0:
            kind = words.KINDS[row.kind]
            spoken = f"{kind} {row.name}, {row.outcome}, {row.share}, “{row.trigger}”"
            return f"{spoken}, {row.more}" if row.more not in ("", f"“{row.trigger}”") else spoken
        if column <= len(self.scorers):
            cell = self._cell(row, column)
            title = self.heads[column]
            if cell is None or cell.value is None or cell.stale:
                return f"{title} absent"
            return f"{title} {cell.text}" + (", puts it ahead" if cell.decides else "")
        return f"{row.confidence} {row.lead}"

    def tip(self, row: MatchRow, column: int) -> str:
        return "\n".join((row.name, row.trigger, row.more)[: 3 if row.more else 2]) if column == 0 else ""

    def _cell(self, row: MatchRow, column: int) -> Cell | None:
        return row.cell(self.scorers[column - 1])


class ViewMenu(QPushButton):
    """Menu of presets, grouping and comparisons; checks follow the settings."""

    preset_requested = Signal(str)
    grouping_requested = Signal()
    columns_requested = Signal()
    action_requested = Signal(str)  # key of an action

    def __init__(self) -> None:
        super().__init__("View")
        styled(self, link="true", menu="true")
        self.setAccessibleName("View of the matches")
        self.setToolTip("Preset, one row per intent, and comparisons side by side")
        menu = self._menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self.presets: dict[str, QAction] = {}
        self._side_by_side = self._offer(menu, "Presets side by side", PRESETS)
        menu.addSeparator()
        self.by_label = self._add(menu, "One row per intent", self.grouping_requested.emit)
        self.by_label.setCheckable(True)
        self.by_label.setToolTip(GROUPING.text)
        self.columns = self._add(menu, "All scorers", self.columns_requested.emit)
        self.columns.setCheckable(True)
        self.columns.setToolTip("A column for each scorer, instead of one bar for the confidence")
        menu.addSeparator()
        self._offer(menu, "Merge policies side by side", POLICIES)
        self._offer(menu, "Combinations side by side", COMBINATIONS)
        menu.addSeparator()
        self._offer(menu, "Letters of the scorers", LETTERS)
        self.setMenu(menu)

    def show_chosen(self, preset: str, *, by_label: bool, has_columns: bool) -> None:
        if not self.presets:
            self._add_presets()  # the settings' module, which has them, is loaded after the first paint
        if preset in self.presets:
            self.presets[preset].setChecked(True)
        self.by_label.setChecked(by_label)
        self.columns.setChecked(has_columns)

    def _add_presets(self) -> None:
        one_of = QActionGroup(self)
        for name, word in preset_choices():
            made = QAction(f"Preset: {word}", self._menu, checkable=True, toolTip=about(name))
            made.triggered.connect(lambda _=False, name=name: self.preset_requested.emit(name))
            one_of.addAction(made)
            self._menu.insertAction(self._side_by_side, made)
            self.presets[name] = made

    def _offer(self, menu: QMenu, text: str, row: Action) -> QAction:
        keys = f"\t{row.keys[0]}" if row.keys else ""  # only as a hint: the window has the shortcut
        made = self._add(menu, text + keys, partial(self.action_requested.emit, row.key))
        made.setToolTip(row.text)
        return made

    def _add(self, menu: QMenu, text: str, act: Callable[[], object]) -> QAction:
        made = menu.addAction(text)
        made.triggered.connect(lambda _checked=False: act())
        return made
