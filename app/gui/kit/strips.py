"""The strips of a page: a long task with its bar, and the optimistic-lock conflict in which a person chooses."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QProgressBar,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import StaleError
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_STEPS = 1_000


class TaskStrip(QWidget):
    """Shows one button or the other; what they are called and where they lie is the page's to say.

    `stopped` when the task is not wanted any more.
    """

    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.begin = button("", primary=True)
        self.stop = button(self.tr("Stop"), press=self.stopped.emit)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.note = ElidedLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(theme.px(16), theme.px(8), theme.px(12), theme.px(8))
        styled(self.note, role="caption")

    @property
    def is_running(self) -> bool:
        return not self.stop.isHidden()

    def show_progress(self, done: float | None) -> None:
        """Show how much of the task is done, 0 to 1; None while there is none."""
        if done is not None:
            self.bar.setValue(round(done * _STEPS))
        had_focus = self.stop.hasFocus() or self.begin.hasFocus()
        self.bar.setVisible(done is not None)
        self.note.setVisible(done is None)
        self.stop.setVisible(done is not None)
        self.begin.setVisible(done is None)
        if had_focus:
            (self.begin if done is None else self.stop).setFocus()

    def tell(self, sentence: str) -> None:
        """Say what came of the last time."""
        self.note.setText(sentence)


# --------------------------------------------------------------------------------------------------------------------
# Panes that stand side by side, or one below the other where the page is too narrow for that

LEAST_PANE = 150.0
"""A head, a line to search and some rows, in units."""

_UNBOUNDED = 16_777_215
"""Qt's own upper bound of a size."""


def turn_box(theme: Theme, box: QBoxLayout, side: QWidget, width: float, *, narrow: bool) -> None:
    """Lay out a box whose last pane is `width` units wide, or as wide as the page where it stands below."""
    box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
    if narrow:
        side.setMinimumWidth(0)
        side.setMaximumWidth(_UNBOUNDED)
    else:
        side.setFixedWidth(theme.px(width))


def split_of(left: QWidget, side: QWidget, stretches: tuple[int, int] = (1, 0)) -> QSplitter:
    """Two panes with a hairline between them; what room is left has the first, or the one that stretches."""
    split = QSplitter(Qt.Orientation.Horizontal)
    split.setHandleWidth(1)
    split.setChildrenCollapsible(False)
    for stretch, pane in zip(stretches, (left, side), strict=True):
        split.addWidget(pane)
        split.setStretchFactor(split.count() - 1, stretch)
    return split


def turn_split(split: QSplitter, sizes: tuple[int, int], *, narrow: bool) -> None:
    """Lay out two panes with a handle between them, in these sizes in pixels."""
    split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
    split.setSizes(sizes)


def least_heights(theme: Theme, heights: dict[QWidget, float], *, narrow: bool, within: int) -> None:
    """Keep panes that stand below each other so many units high, so that something can be seen of each.

    Where they would be higher together than the page, `within` pixels of which can be seen, each gives of its height,
    so that panes are scrolled one by one and not all of them; none gets lower than LEAST_PANE.
    """
    whole = sum(theme.px(height) for height in heights.values())
    share = min(1.0, within / whole) if within else 1.0
    for pane, height in heights.items():
        pane.setMinimumHeight(0)
        least = max(int(theme.px(height) * share), theme.px(min(LEAST_PANE, height)), pane.minimumSizeHint().height())
        pane.setMinimumHeight(least if narrow else 0)


# ---- Two hands on one thing: another program was faster, and a person says whose words stay.


class StaleStrip(Ruled):
    """A sentence and two ways out; hidden while there is nothing to decide."""

    ground = "warning_soft"
    mark = "warning"

    theirs_kept = Signal(StaleError)  # `mine` is what a person had made of it
    mine_written = Signal(StaleError)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.error: StaleError | None = None
        self.sentence = WrappedLabel(shade="warning")
        self.theirs = button(self.tr("Keep theirs"), press=self._keep_theirs)
        self.mine = button(self.tr("Write mine"), press=self._write_mine)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.theirs)
        row.addWidget(self.mine)
        row.addStretch(1)
        column = spaced(QVBoxLayout(self), theme.px(6), theme.px(16), theme.px(8), theme.px(16), theme.px(10))
        column.addWidget(self.sentence)
        column.addLayout(row)
        self.setVisible(False)

    def ask(self, error: StaleError) -> None:
        """Ask which of the two stays; each tooltip says what becomes of the other."""
        self.error = error
        gone = error.present is None
        self.sentence.say(str(error))
        self.setAccessibleName(str(error))
        self.theirs.setToolTip(
            self.tr("Drop your edits; it stays deleted") if gone else self.tr("Drop your edits and show theirs")
        )
        self.mine.setToolTip(
            self.tr("Bring it back as you edited it") if gone else self.tr("Write your edits over theirs")
        )
        self.setVisible(True)
        self.theirs.setFocus()

    def drop(self) -> None:
        """There is nothing to decide any more."""
        self.error = None
        self.setVisible(False)

    def _keep_theirs(self) -> None:
        self._decide(self.theirs_kept)

    def _write_mine(self) -> None:
        self._decide(self.mine_written)

    def _decide(self, signal: SignalInstance) -> None:
        error = self.error
        self.drop()
        if error is not None:
            signal.emit(error)
