"""The pane beside the memories: one of them closely, several at once, the past, the last steps, the bin."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.domain.errors import StaleError
from app.gui.kit.controls import Empty, Segments
from app.gui.kit.theme.theme import Theme
from app.gui.library.memories.details import MemoryDetails
from app.gui.library.memories.lists import Bin, LastSteps
from app.gui.library.memories.many import ManyMemories
from app.gui.library.memories.past import MemoryConflict, MemoryPast
from app.services.library.close_look import CloseLook

MEMORY, PAST, STEPS, BIN = "memory", "past", "steps", "bin"


class MemorySide(QWidget):
    """A conflict stays in front until it is decided."""

    view_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.selected = 0
        self.views = Segments(
            theme,
            self.tr("What the pane shows"),
            (
                (MEMORY, self.tr("Memory")),
                (PAST, self.tr("History")),
                (STEPS, self.tr("Steps")),
                (BIN, self.tr("Bin")),
            ),
        )
        self.details = MemoryDetails(theme)
        self.many = ManyMemories(theme)
        self.past = MemoryPast(theme)
        self.conflict = MemoryConflict(theme)
        self.steps = LastSteps(theme)
        self.bin = Bin(theme)
        self.none = Empty(
            theme,
            "memory",
            self.tr("No memory is selected"),
            self.tr("Select one to see it closely, or several to change them at once."),
        )
        self.stack = QStackedWidget()
        parts = (self.none, self.details, self.many, self.past, self.conflict, self.steps, self.bin)
        for part in parts:
            self.stack.addWidget(part)
        above = QHBoxLayout()
        above.setContentsMargins(theme.px(16), theme.px(7), theme.px(16), theme.px(10))
        above.addWidget(self.views)
        above.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addWidget(self.stack, 1)
        self.views.chosen.connect(self._on_view)
        self.place()

    @property
    def view(self) -> str:
        return self.views.current

    @property
    def has_conflict(self) -> bool:
        return self.conflict.error is not None

    def open_view(self, key: str) -> None:
        """Show one of the views, as if it had been chosen."""
        self.views.set_current(key)
        self._on_view(key)

    def show_selected(self, count: int) -> None:
        """So many memories are selected now."""
        self.selected = count
        if count > 1:
            self.many.show_selected(count)
        self.place()

    def show_look(self, look: CloseLook) -> None:
        """Show one memory and its past."""
        self.details.show_look(look)
        self.past.show_revisions(look.revisions)
        self.place()

    def show_conflict(self, error: StaleError) -> None:
        """Let a person choose between two versions."""
        self.conflict.show_conflict(error)
        self.place()

    def end_conflict(self) -> None:
        """It is decided."""
        self.conflict.error = None
        self.place()

    def place(self) -> None:
        """Show what belongs in front."""
        has_one = self.selected == 1 and self.details.look is not None
        if self.has_conflict:
            front: QWidget = self.conflict
        elif self.view == STEPS:
            front = self.steps
        elif self.view == BIN:
            front = self.bin
        elif self.selected > 1:
            front = self.many
        elif not has_one:
            front = self.none
        else:
            front = self.past if self.view == PAST else self.details
        if front is not self.stack.currentWidget():
            self.stack.setCurrentWidget(front)

    def stop(self) -> QWidget:
        """Where the keyboard stops in what is in front."""
        stops: dict[QWidget, QWidget] = {
            self.details: self.details.area,
            self.many: self.many.stops()[0],
            self.past: self.past.list,
            self.conflict: self.conflict.keep,
            self.steps: self.steps.list,
            self.bin: self.bin.list,
        }
        current = self.stack.currentWidget()
        found = self.views if current is None else stops.get(current, self.views)
        return found if found.isVisible() else self.views

    def _on_view(self, key: str) -> None:
        self.place()
        self.view_chosen.emit(key)
