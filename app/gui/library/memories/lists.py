"""The last steps with the way back, and the bin with what was deleted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display import words
from app.display.library.memory_words import bin_head, bin_lines, last_step, step_lines
from app.domain.journal import Binned, Step
from app.gui.kit.controls import Empty, button
from app.gui.kit.fields import plain_tip
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.lines import LineList
from app.gui.kit.theme.theme import Theme


class LastSteps(QWidget):
    """What was done to the library, newest first; only the last that stands can be taken back from here."""

    undo_asked = Signal()
    redo_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.list = LineList(theme, self.tr("Last steps"))
        self.undo = button(self.tr("Undo the last"), press=self.undo_asked.emit)
        self.redo = button(self.tr("Redo"), press=self.redo_asked.emit)
        self.empty = Empty(
            theme, "history", self.tr("Nothing was done yet"), self.tr("Every step from now on can be taken back here.")
        )
        px = theme.px
        foot = QHBoxLayout()
        foot.setContentsMargins(px(16), px(8), px(16), px(12))
        foot.setSpacing(px(8))
        foot.addWidget(self.undo)
        foot.addWidget(self.redo)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        column.addWidget(self.empty, 1)
        self.show_steps(())

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Show these, newest first."""
        self.list.show_lines(step_lines(steps))
        last = last_step(steps)
        self.undo.setEnabled(bool(last))
        self.undo.setToolTip(plain_tip(last))
        self.redo.setEnabled(any(step.undone for step in steps))
        for part in (self.list, self.undo, self.redo):
            part.setVisible(bool(steps))
        self.empty.setVisible(not steps)


class Bin(QWidget):
    """What is deleted and can be restored, last deleted first."""

    restore_asked = Signal(Sequence)  # list[ItemKey]
    empty_asked = Signal(int)  # how many things would be forgotten

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.binned: Sequence[Binned] = ()
        self.days = 30
        self.caption = Said(role="caption")
        self.list = LineList(theme, self.tr("Bin"), several=True)
        self.list.picked.connect(self._show_verbs)
        self.list.asked.connect(lambda _: self._restore())
        self.restore = button(self.tr("Restore"), press=self._restore)
        self.clear = button(self.tr("Empty now …"), press=lambda: self.empty_asked.emit(len(self.binned)))
        self.empty = Empty(
            theme, "trash", self.tr("The bin is empty"), self.tr("What you delete can be restored here.")
        )
        px = theme.px
        aboveion = QHBoxLayout()
        aboveion.setContentsMargins(px(16), px(6), px(16), px(8))
        aboveion.addWidget(self.caption)
        foot = QHBoxLayout()
        foot.setContentsMargins(px(16), px(8), px(16), px(12))
        foot.addWidget(self.restore)
        foot.addStretch(1)
        foot.addWidget(self.clear)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(aboveion)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        column.addWidget(self.empty, 1)
        self.show_bin(())

    def show_bin(self, binned: Sequence[Binned], lines: Sequence[tuple[str, str]] | None = None) -> None:
        """Show these, last deleted first; `lines` are what they say, where that is known already."""
        self.binned = binned
        self.list.show_lines(bin_lines(binned) if lines is None else lines)
        self.caption.say(bin_head(len(binned), self.days))
        for part in (self.list, self.restore, self.clear):
            part.setVisible(bool(binned))
        self.empty.setVisible(not binned)
        self._show_verbs()

    def show_days(self, days: int) -> None:
        """Say how long things stay."""
        self.days = days
        self.caption.say(bin_head(len(self.binned), days))

    def _show_verbs(self) -> None:
        picked = len(self.list.places)
        self.restore.setEnabled(picked > 0)
        self.restore.setText(words.say_n(picked, "Restore", "Restore {n}") if picked else words.say("Restore"))

    def _restore(self) -> None:
        keys = [self.binned[place].key for place in self.list.places]
        if keys:
            self.restore_asked.emit(keys)
