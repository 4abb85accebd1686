"""Weights of namespaces by type: the matrix, edited in place, with a live preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.detect.surfacing import Surfaced
from app.display import words
from app.display.library.namespaces import TYPES, NamespaceRow, WeightCell, is_weight_text, namespace_rows, own_keys
from app.display.scope.surfacing import memory_ranks
from app.domain.inspection import Inspection, Phase
from app.domain.intent import IntentType
from app.domain.journal import choosing
from app.domain.language import quantity
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.canvas import LEFT, RIGHT, Canvas
from app.gui.kit.controls import button, line_edit
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import Section, WrappedLabel
from app.gui.kit.tables.rows import Index, RowsModel, edit_again
from app.gui.kit.theme import Theme, styled
from app.services.library.memory_overview import (
    RenamedNamespace,
    add_namespace,
    count_namespaces,
    remove_namespace,
    rename_namespace,
)

_TIP, _READ = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole

NAME, COUNT, FIRST = 0, 1, 2
"""Columns: name, number of memories, and from `FIRST` on the types."""


class NamespaceModel(RowsModel[NamespaceRow]):
    """Rows as a model; an edit is emitted, and shown once it is stored."""

    weight_typed = Signal(str, str)  # key, text
    renamed = Signal(str, str)  # old and new name

    def __init__(self) -> None:
        self.titles = ("Namespace", "Memories", *(words.type_word(type_) for type_ in TYPES))
        super().__init__(self.titles)
        self.type_: IntentType | None = None
        self.typed: tuple[str, int, str] | None = None
        """Namespace, column and text of the last input, until it is stored or refused."""

    def shorten(self, titles: tuple[str, ...]) -> None:
        """Show these titles, shortened to the available space."""
        if titles != self.heads:
            self.heads = titles
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(titles) - 1)

    def show_namespaces(self, rows: tuple[NamespaceRow, ...]) -> None:
        """Show the rows; an open editor stays if the namespaces are the same."""
        are_same = [row.name for row in rows] == [row.name for row in self.rows]
        if are_same and rows != self.rows:
            self.typed = None
        self.show_rows(rows, anew=not are_same)

    def cell(self, index: Index) -> WeightCell | None:
        """Return the weight at an index; None in the columns of names and counts."""
        if not index.isValid() or index.column() < FIRST:
            return None
        return self.rows[index.row()].cells[index.column() - FIRST]

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        cell = self.cell(index)
        may = index.column() == NAME if cell is None else not cell.fixed
        return flags | Qt.ItemFlag.ItemIsEditable if may else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role in (_TIP, _READ):
            return self.titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section != NAME:
            return None
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return None
        return super().data(index, Qt.ItemDataRole.DisplayRole if role == Qt.ItemDataRole.EditRole else role)

    def text(self, row: NamespaceRow, column: int) -> str:
        return row.cells[column - FIRST].text if column >= FIRST else (row.name, row.counted)[column]

    def spoken(self, row: NamespaceRow, column: int) -> str:
        return row.cells[column - FIRST].said if column >= FIRST else self.text(row, column)

    def tip(self, row: NamespaceRow, column: int) -> str:
        return row.cells[column - FIRST].tip if column >= FIRST else ""

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        text, cell = str(value).strip(), self.cell(index)
        self.typed = self.rows[index.row()].name, index.column(), text
        if cell is None:
            if text != self.rows[index.row()].name:
                self.renamed.emit(self.rows[index.row()].name, text)
        elif text.replace(",", ".") != cell.text:
            self.weight_typed.emit(cell.key, text.replace(",", "."))
        return False


# ---- Table of weights

_ROW, _COUNT_WIDTH, _NAME_LEAST, _TYPE_MOST = 29, 84, 110, 112
_TYPE_LEAST, _TYPE_EASY = 44, 74
"""Minimum width of a type, and the one below which the counts are hidden."""
_EDGE, _EDGE_TIGHT = 15, 6


class NamespaceDelegate(QStyledItemDelegate):
    """Paints a cell: default weights faint, effective ones in full, changed ones with a mark."""

    being_typed = Signal(str, str)  # key, text

    def __init__(self, theme: Theme, model: NamespaceModel) -> None:
        super().__init__()
        self.theme, self.model = theme, model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        # PySide's stubs lack the inherited members of the option.
        place, state, view = option.rect, option.state, option.widget
        painter.save()
        painter.translate(place.topLeft())
        canvas = Canvas(painter, self.theme, place.width())
        wide, high = place.width() / self.theme.scale, place.height() / self.theme.scale
        of_type = index.column() >= FIRST and TYPES[index.column() - FIRST] is self.model.type_
        # The style has already filled a selected cell, in a colour with too little contrast.
        canvas.fill(QRectF(0, 0, wide, high), "selection" if of_type else "surface")
        self._content(canvas, index, wide, high)
        canvas.line(0, high - 0.5, wide, high - 0.5)
        if state & QStyle.StateFlag.State_Selected:
            here = view.hasFocus()
            token, strength = ("accent", 2.0) if here else ("border_strong", 1.0)
            for y in (1.0, high - 2):
                canvas.line(0, y, wide, y, token, strength)
            for x in (1.0, wide - 1):
                canvas.line(x, 0, x, high - 1, token, strength)
        painter.restore()

    def _content(self, canvas: Canvas, index: Index, wide: float, high: float) -> None:
        face, row, cell = self.theme.face, self.model.rows[index.row()], self.model.cell(index)
        if cell is None:
            if index.column() == NAME:
                canvas.text(QRectF(16, 0, wide - 20, high), row.name, face(13, 600 if row.count else 400))
            else:
                token = "text" if row.count else "text_2"
                canvas.text(QRectF(4, 0, wide - 20, high), row.counted, face(12, mono=True), token, RIGHT)
            return
        token = "accent" if cell.is_set else "text_2" if cell.is_plain else "text"
        weight = 400 if cell.is_plain and not cell.is_set else 700
        canvas.text(QRectF(4, 0, wide - 20, high), cell.text, face(12, weight, mono=True), token, RIGHT)
        if cell.is_set:
            canvas.fill(QRectF(wide - 12, high / 2 - 2.5, 5, 5), "accent", 0 if cell.fixed else 2.5)
        if cell.fixed:
            canvas.text(QRectF(6, 0, 20, high), "=", face(11), "text_2", LEFT)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        cell = self.model.cell(index)
        if cell is None:
            editor.setAccessibleName("New name of the namespace")
        else:
            key = cell.key
            editor.setAccessibleName("Weight from 0 to 10")
            editor.setAlignment(Qt.AlignmentFlag.AlignRight)
            editor.textEdited.connect(lambda text: self.being_typed.emit(key, text.replace(",", ".")))
        return styled(editor, role="cell")

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        # Keep text being typed when the rows are reloaded.
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(str(self.model.data(index, Qt.ItemDataRole.EditRole)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text())


class NamespaceMatrix(QTableView):
    """Table: arrows move, digits and Enter edit, F2 or Enter on a name renames, Del resets."""

    reset_requested = Signal(QModelIndex)

    def __init__(self, theme: Theme, model: NamespaceModel) -> None:
        super().__init__()
        self.theme = theme
        self._namespaces = model
        self.setModel(model)
        self.painter = NamespaceDelegate(theme, model)
        self.setItemDelegate(self.painter)
        self.setAccessibleName("Weights of the namespaces for each type")
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.EditKeyPressed | trigger.DoubleClicked)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(1)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="matrix")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here, key = self.currentIndex(), event.key()
        if self.state() is QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)  # keys that the editor ignores
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.reset_requested.emit(here)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit(here)
        elif here.column() >= FIRST and event.text() and event.text() in "0123456789.,":
            self.edit(here)
            editor = self.viewport().findChild(QLineEdit)
            if isinstance(editor, QLineEdit):
                editor.clear()
                editor.insert(event.text())
                editor.setModified(True)
                editor.textEdited.emit(editor.text())
        else:
            super().keyPressEvent(event)

    def type_again(self) -> None:
        """Open the cell again with the last input, which could not be stored."""
        model = self._namespaces
        typed, model.typed = model.typed, None
        names = [row.name for row in model.rows]
        if typed is None or typed[0] not in names or self.state() is QAbstractItemView.State.EditingState:
            return
        edit_again(self, model.index(names.index(typed[0]), typed[1]), typed[2])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        px, wide = self.theme.px, self.viewport().width()
        room = wide - px(_NAME_LEAST)
        metrics = QFontMetrics(self.theme.font(11, 600))
        counts = max(px(_COUNT_WIDTH), metrics.horizontalAdvance(self._namespaces.titles[COUNT]) + px(_EDGE) + px(5))
        count = counts if room - counts >= px(_TYPE_EASY) * len(TYPES) else 0
        types = max(px(_TYPE_LEAST), min(px(_TYPE_MOST), (room - count) // len(TYPES)))
        self.setColumnHidden(COUNT, not count)
        edge = _EDGE if count else _EDGE_TIGHT
        widths = self._widths(types, edge)
        for column, width in enumerate(widths):
            self.setColumnWidth(FIRST + column, width)
        self.setColumnWidth(COUNT, counts)
        self.setColumnWidth(NAME, max(px(_NAME_LEAST), wide - count - sum(widths)))
        self._style_header(edge, counts, widths)

    def _widths(self, types: int, edge: int) -> list[int]:
        """Return the width of each type: equal, or shifted from shorter to longer titles."""
        metrics, beside = QFontMetrics(self.theme.font(11, 600)), self.theme.px(edge) + self.theme.px(4) + 1
        wanted = [metrics.horizontalAdvance(title) + beside for title in self._namespaces.titles[FIRST:]]
        spare = types * len(TYPES) - sum(wanted)
        if max(wanted) <= types or spare < 0:
            return [types] * len(TYPES)
        return [want + spare // len(TYPES) for want in wanted]

    def _style_header(self, edge: int, counts: int, widths: Sequence[int]) -> None:
        """Shorten titles at their ends; Qt would cut off where they begin."""
        px, model = self.theme.px, self._namespaces
        metrics = QFontMetrics(self.theme.font(11, 600))
        name, *titles = model.titles
        rooms = [counts, *widths]
        ends = Qt.TextElideMode.ElideRight
        shortened = [
            metrics.elidedText(title, ends, room - px(edge) - px(4)) for title, room in zip(titles, rooms, strict=True)
        ]
        model.shorten((name, *shortened))
        styled(self, dense="true" if edge == _EDGE_TIGHT else "false")
        head = self.horizontalHeader()
        head.style().unpolish(head)  # the padding of its sections depends on the table's property
        head.style().polish(head)


class QueryFollower(QObject):
    """Follower of one page; a hidden page requests nothing."""

    found = Signal(Inspection, Surfaced)
    refused = Signal(str)  # sentence for the user

    def __init__(self, page: QWidget, worker: Worker) -> None:
        super().__init__(page)
        self._page, self._worker = page, worker
        self._is_ready = False
        self._asked: Inspection | None = None
        self.job = Job(worker, self, self.refused.emit)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._on_settled, Qt.ConnectionType.QueuedConnection)

    @property
    def answer(self) -> Inspection | None:
        """Last answer of the query; None without a query."""
        return self._worker.answer

    def show_core_state(self, core_state: CoreState) -> None:
        self._is_ready = core_state.status.encoder_state == "ready"
        self.refresh()

    def refresh(self, changes: Mapping[str, str] = {}) -> None:
        """Request the surfaced memories again, under trial settings."""
        answer = self.answer
        if answer is not None and self._page.isVisible():
            self._asked = answer
            self.job.run(lambda bench: bench.surface(answer, changes), lambda found: self.found.emit(answer, found))

    def forget(self) -> None:
        """Drop the request: its answer is not emitted."""
        self._asked = None
        self.job.cancel()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        # With the encoder ready the better answer is a few milliseconds away.
        if not (inspection.phase is Phase.FLOOR and self._is_ready):
            self.refresh()

    def _on_settled(self, generation: int) -> None:
        if generation == self._worker.generation and self.answer is not self._asked:
            self.refresh()


_MOST_SHARE = 0.36
"""Maximum share of the window's height for the matrix."""


class NamespaceWeights(Section):
    """Section that previews a weight while it is typed, and stores it on Enter.

    It is open at first if a weight is set.
    """

    notified = Signal(str, bool)  # a sentence, True if it can be undone
    begun = Signal()  # an edit begins: earlier refusals are obsolete

    def __init__(self, theme: Theme, following: QueryFollower) -> None:
        self.reset = button("Reset all", link=True, tip="Reset every weight set here", press=self._reset_all)
        super().__init__(theme, "Weights of namespaces", QWidget(), right=(self.reset,))
        self.before: dict[int | None, int] | None = None
        """Ranks that moves are counted from; None for those by confidence alone."""
        self._core_state: CoreState | None = None
        self._counts: Mapping[str, int] = {}
        self._before_edit: dict[int | None, int] | None = None
        self._is_trying = False
        self._shown: tuple[Inspection, Surfaced] | None = None
        self.following = following
        self.model = NamespaceModel()
        self.matrix = NamespaceMatrix(theme, self.model)
        self.name = line_edit("Name of a new namespace", is_hint=True)
        self.name.returnPressed.connect(self._add)
        self.add = button("Add", tip="Add the namespace", press=self._add)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        px = self.theme.px
        self.name.setMaximumWidth(px(240))
        foot = fill(spaced(QHBoxLayout(), px(8), px(16), px(8), px(16), px(10)), (self.name, 1), self.add)
        hint = "0 to 10; Del: the default. Enter on a name: rename."
        foot.addWidget(WrappedLabel(hint, role="caption"), 2)
        fill(spaced(QVBoxLayout(self.body)), self.matrix, foot)

    def _connect(self) -> None:
        self.toggled.connect(self.fit)
        self.model.weight_typed.connect(self._choose)
        self.model.renamed.connect(self._rename)
        self.matrix.painter.being_typed.connect(self._try)
        self.matrix.painter.closeEditor.connect(self._on_editor_closed)
        self.matrix.reset_requested.connect(self._reset)

    def focus_stops(self) -> list[QWidget]:
        """Return the focus stops: the line, and the widgets below while open."""
        return [self.line, self.matrix, self.name, self.add, self.reset]

    def fit(self) -> None:
        """Set the height of the matrix to its rows, up to a share of the window's height."""
        header = self.matrix.horizontalHeader().sizeHint().height()
        rows = header + len(self.model.rows) * self.matrix.verticalHeader().defaultSectionSize()
        most = int(_MOST_SHARE * self.window().height())
        self.matrix.setFixedHeight(max(header, min(rows, most)))

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        is_first, self._core_state = self._core_state is None, core_state
        if self.isVisible():
            self.count()
        self._show_rows()
        if is_first and any(cell.is_set for row in self.model.rows for cell in row.cells):
            self.set_open(True)

    def count(self) -> None:
        self.following.job.do(count_namespaces, self._on_counted)

    def _show_rows(self) -> None:
        if self._core_state is None:
            return
        here = self.matrix.currentIndex()
        place = here.row(), here.column()
        rows = namespace_rows(self._core_state.settings, self._core_state.origins, self._counts)
        self.model.show_namespaces(rows)
        if rows and not self.matrix.currentIndex().isValid():
            row, column = place if here.isValid() else (0, NAME + 2)
            self.matrix.setCurrentIndex(self.model.index(min(max(row, 0), len(rows) - 1), max(column, 0)))
        changed = sum(cell.is_set for row in rows for cell in row.cells)
        self.line.show_summary(f"{changed:,} changed" if changed else "as shipped")
        self.reset.setEnabled(bool(own_keys(rows)))
        self.fit()

    def show_found(self, inspection: Inspection, found: Surfaced) -> None:
        """Tint the column of the detected type; for another query, moves start from the confidence."""
        if self._shown is not None and self._shown[0].query.text != inspection.query.text:
            self.before = None
        self._shown = inspection, found
        self.model.type_ = None if found.intent is None else found.intent.type
        self.matrix.viewport().update()

    # ---- user actions

    def _try(self, key: str, text: str) -> None:
        """Preview a weight while it is typed."""
        if is_weight_text(text):
            if not self._is_trying:
                self._keep_before()
                self._is_trying = True
            self.following.refresh({key: text})

    def _choose(self, key: str, text: str) -> None:
        self.begun.emit()
        self._store({key: text})

    def _store(self, changes: Mapping[str, str | None]) -> None:
        """Store some settings (None: remove), as an undoable step."""
        self.following.job.do(lambda bench: bench.choose_all(changes, choosing(changes)))

    def _reset(self, index: QModelIndex) -> None:
        """Reset a weight to the default; on the name of an empty custom namespace, delete that."""
        cell = self.model.cell(index)
        self.begun.emit()
        if cell is not None and cell.is_here:
            self._keep_before()
            self._store({cell.key: None})
        elif cell is None and index.isValid() and index.column() == NAME:
            name = self.model.rows[index.row()].name
            self.following.job.do(lambda bench: remove_namespace(bench, name))

    def _reset_all(self) -> None:
        self._keep_before()
        self._store(dict.fromkeys(own_keys(self.model.rows)))

    def _keep_before(self) -> None:
        """Count moves from the present ranking."""
        self._before_edit = self.before
        if self._shown is not None:
            self.before = memory_ranks(self._shown[1])

    def _on_editor_closed(self, _: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Discard a previewed weight that was not entered."""
        if self._is_trying and hint is QAbstractItemDelegate.EndEditHint.RevertModelCache:
            self.before = self._before_edit
            self.following.refresh()
        self._is_trying = False

    def _add(self) -> None:
        self.begun.emit()
        self.model.typed = None
        name = self.name.text()
        self.following.job.do(lambda bench: add_namespace(bench, name), self._on_added)

    def _rename(self, old: str, new: str) -> None:
        self.following.job.do(lambda bench: rename_namespace(bench, bench.journal, old, new), self._on_renamed)

    # ---- results

    def _on_counted(self, counts: Mapping[str, int]) -> None:
        if dict(counts) != dict(self._counts):
            self._counts = counts
            self._show_rows()

    def _on_added(self, name: str) -> None:
        self.name.clear()
        self.notified.emit(f"Added the namespace “{name}”.", False)

    def _on_renamed(self, renamed: RenamedNamespace) -> None:
        self.model.typed = None
        text = f"Moved {quantity(renamed.moved, 'memory', 'memories')} from “{renamed.old}” to “{renamed.new}”."
        self.notified.emit(text, renamed.moved > 0)
        self.count()
