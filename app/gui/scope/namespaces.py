"""Weights of namespaces by type, a part of the page Context, with a live preview."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractItemDelegate, QHBoxLayout, QVBoxLayout, QWidget

from app.detect.surfacing import Surfaced
from app.display.library.namespaces import is_weight_text, namespace_rows, own_keys
from app.display.scope.surfacing import memory_ranks
from app.domain.journal import choosing
from app.domain.language import plural
from app.domain.scope.inspection import Inspection, Phase
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, line_edit
from app.gui.kit.folded import Section
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme
from app.gui.scope.namespace_matrix import NAME, NamespaceMatrix, NamespaceModel
from app.services.library.memory_overview import (
    Renamed,
    add_namespace,
    count_namespaces,
    remove_namespace,
    rename_namespace,
)


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

    def _on_renamed(self, renamed: Renamed) -> None:
        self.model.typed = None
        text = plural(
            renamed.moved,
            "Moved {n} memory from “{old}” to “{new}”.",
            "Moved {n} memories from “{old}” to “{new}”.",
            old=renamed.old,
            new=renamed.new,
        )
        self.notified.emit(text, renamed.moved > 0)
        self.count()
