"""Why not, in the place of the panes: what was expected, the verdict at the left, the changes at the right."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.display.scope.why_not import Verdict
from app.gui import icons
from app.gui.controls import Empty, Head, button
from app.gui.covering import Cover
from app.gui.fault_line import FaultLine
from app.gui.sheet import scrolled
from app.gui.theme import Theme
from app.gui.why_not.changes import ChangesList
from app.gui.why_not.line import ExpectedLine
from app.gui.why_not.sheet import VerdictSheet

_BESIDE = 900
"""From so many units of width on the changes stand beside the verdict, else below it."""

_WIDEST_LINE = 620


class WhyNotView(Cover):
    """Shows a verdict and says what is wished of it; it asks nothing by itself."""

    explain_asked = Signal()
    cancel_asked = Signal()
    seeds_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("Why not"))
        self.shown: Verdict | None = None
        self.expected = ExpectedLine(theme)
        self.expected.left.connect(self.close_asked)
        self.explain = button(
            self.tr("Explain"), tip=self.tr("Say where it was lost (Enter)"), press=self.expected.decide
        )
        self.cancel = button(self.tr("Cancel"), tip=self.tr("Stop trying changes"), press=self.cancel_asked.emit)
        self.head = Head(theme, self.tr("Why not"), self.cancel, self.close_it)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Cases that were run"))
        self.fault = FaultLine(theme)
        self.sheet = VerdictSheet(theme, self.tr("Expected against winner"))
        self.changes = ChangesList(theme)
        self.changes.made.connect(self._order_tabs)
        self.seeds = button(self.tr("Add seed library"), primary=True, press=self.seeds_asked.emit)
        self.empty = Empty(theme, "why", "", "", self.seeds)
        self._arrange()
        self._order_tabs()
        self.tell_running(None)
        theme.changed.connect(self._dress)
        self._dress()

    # ---- what is shown

    def show_verdict(self, shown: Verdict | None) -> None:
        """Show a verdict; None: there is none, and `tell_empty` says why."""
        self.shown = shown
        self.sheet.show_verdict(shown)
        self.changes.show_changes(shown)
        self.area.setVisible(shown is not None)
        self.empty.setVisible(shown is None)
        if shown is not None:
            self.area.setAccessibleDescription(f"{shown.headline}. {shown.sentence}")

    def tell_empty(self, line: str, sentence: str, *, seeds: bool = False) -> None:
        """What to say while there is no verdict; with `seeds` the seed library is offered."""
        self.empty.tell(line, sentence)
        self.seeds.setVisible(seeds)

    def tell_running(self, more: str | None, done: int = 0, total: int = 0) -> None:
        """Say how far it is, beside the title; None: nothing is under way. Nothing moves."""
        is_running = more is not None
        had_focus = self.cancel.hasFocus()
        self.cancel.setVisible(is_running)
        self.head.set_more(more or "")
        self.progress.setMaximum(total if is_running else 1)
        self.progress.setValue(done if is_running else 0)
        if had_focus and not is_running:
            self.expected.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_apply(self, *, on: bool) -> None:
        """Whether what is shown still belongs to what is asked."""
        self.changes.let_apply(on=on)

    # ---- parts

    def _arrange(self) -> None:
        px = self.theme.px
        top = QWidget()
        row = QHBoxLayout(top)
        row.setContentsMargins(px(16), px(6), px(16), px(10))
        row.setSpacing(px(8))
        self.expected.setMaximumWidth(px(_WIDEST_LINE))
        row.addWidget(self.expected, 1)
        row.addWidget(self.explain)
        row.addStretch(0)
        body = QWidget()
        self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight, body)
        self._across.setContentsMargins(0, 0, 0, 0)
        self._across.setSpacing(0)
        self._across.addWidget(self.sheet, 1)
        self._across.addWidget(self.changes, 1)
        self.area = scrolled(body, self.tr("Expected against winner, and changes"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.head, top, self.progress, self.fault):
            column.addWidget(widget)
        column.addWidget(self.area, 1)
        column.addWidget(self.empty, 1)

    def _order_tabs(self) -> None:
        """Tab goes from the name to the verdict and through the changes, and last to the buttons above."""
        stops: list[QWidget] = [self.expected.line, self.explain, self.area]
        stops += [made for line in self.changes.lines for made in (line.apply, line.which)]
        for before, after in pairwise([*stops, self.seeds, self.cancel, self.close_it]):
            QWidget.setTabOrder(before, after)

    # ---- sizes and looks

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = self.width() >= self.theme.px(_BESIDE)
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if direction is not self._across.direction():
            self._across.setDirection(direction)
            self.changes.stand_beside(on=beside)

    def _dress(self) -> None:
        tokens = self.theme.tokens
        self.close_it.setIcon(icons.icon("cross", tokens.text, tokens.border_strong))
        self.progress.setStyleSheet(
            f"QProgressBar {{ background: {tokens.border}; min-height: {self.theme.px(2)}px;"
            f" max-height: {self.theme.px(2)}px; border-radius: 0 }}"
            "QProgressBar::chunk { border-radius: 0 }"
        )
        self.update()
