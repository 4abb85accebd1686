"""A look at the health: when the last one was, a button for the next, and how far the one under way is."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.gui.pages.task_strip import TaskStrip
from app.gui.theme import Theme


class LookStrip(TaskStrip):
    """`asked` when a look is wanted, `stopped` when it is not any more."""

    asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName(self.tr("Progress of the look"))
        self.begin.setToolTip(self.tr("Look at everything that is taught and set, in the background"))
        self.begin.clicked.connect(self.asked)
        self.stop.setToolTip(self.tr("Break off the look"))
        self.name_look(again=False)
        self.row.setSpacing(theme.px(12))
        for widget in (self.begin, self.stop):
            self.row.addWidget(widget)
        self.row.addWidget(self.bar, 1)
        self.row.addWidget(self.note, 1)
        self.show_progress(None)

    def name_look(self, *, again: bool) -> None:
        """Name what the button begins: the first look, or another."""
        self.begin.setText(self.tr("Look again") if again else self.tr("Look"))
