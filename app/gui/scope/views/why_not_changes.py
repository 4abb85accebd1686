"""Changes that would win, best first: the effect of each on the cases, and a button."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.display.scope.why_not import ChangeRow, WhyNotExplanation
from app.display.scope.why_not_sentences import with_break_points
from app.domain.scope.why_not import Change
from app.gui.bridge.jobs import Chunks
from app.gui.kit.controls import button
from app.gui.kit.drawing.canvas import CENTER, Canvas
from app.gui.kit.layouts import spaced
from app.gui.kit.pane_parts import WrappedLabel, section
from app.gui.kit.theme.theme import Theme

_CHIP_HIGH, _CHIP_PAD, _CHIP_GAP = 20.0, 8.0, 6.0
_LONGEST = 300


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


class EffectChips(QWidget):
    """Two chips: how many cases a change fixes and breaks; dimmed for none."""

    def __init__(self, theme: Theme, row: ChangeRow) -> None:
        super().__init__()
        self.theme = theme
        self.chips = (
            (row.fixes, "success" if row.has_fixes else "text_2", "success_soft" if row.has_fixes else "sunken"),
            (row.breaks, "danger" if row.has_breaks else "text_2", "danger_soft" if row.has_breaks else "sunken"),
        )
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(", ".join(word for word, _, _ in self.chips))

    def sizeHint(self) -> QSize:
        face = self.theme.face(11, 600)
        wide = sum(face.width(word) + 2 * _CHIP_PAD for word, _, _ in self.chips) + _CHIP_GAP
        return QSize(self.theme.px(wide + 1), self.theme.px(_CHIP_HIGH))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        canvas, face, x = Canvas(QPainter(self), self.theme, self.width()), self.theme.face(11, 600), 0.0
        for word, token, soft in self.chips:
            wide = face.width(word) + 2 * _CHIP_PAD
            canvas.fill(QRectF(x, 0, wide, _CHIP_HIGH), soft, 4)
            canvas.text(QRectF(x, 0, wide, _CHIP_HIGH), word, face, token, CENTER)
            x += wide + _CHIP_GAP


class ChangeLine(QWidget):
    """One change with its button; its cases are shown on demand."""

    apply_requested = Signal(Change)

    def __init__(self, theme: Theme, row: ChangeRow) -> None:
        super().__init__()
        self.theme, self.row = theme, row
        self.setAccessibleName(row.what)
        self.setAccessibleDescription(row.read)
        self.apply = button("Apply", primary=row.is_best, press=partial(self.apply_requested.emit, row.change))
        self.apply.setAccessibleName(f"Apply: {row.what[:_LONGEST]}")
        self.apply.setAccessibleDescription(row.read)
        self.which = button("Which cases", link=True, press=self.toggle)
        self.which.setAccessibleName(f"Which cases: {row.what[:_LONGEST]}")
        self.which.setVisible(bool(row.named))
        self.named: list[WrappedLabel] = []
        self._inner = QVBoxLayout()
        self._arrange()

    def _arrange(self) -> None:
        px, row, top = self.theme.px, self.row, Qt.AlignmentFlag.AlignTop
        words, across = QVBoxLayout(), QHBoxLayout()
        words.setSpacing(px(3))
        words.addWidget(WrappedLabel(with_break_points(row.what[:_LONGEST]), role="name"))
        if row.effect:
            words.addWidget(WrappedLabel(row.effect, role="caption"))
        words.addWidget(self.which, 0, Qt.AlignmentFlag.AlignLeft)
        across.setSpacing(px(12))
        across.addLayout(words, 1)
        if row.fixes:
            across.addWidget(EffectChips(self.theme, row), 0, top)
        across.addWidget(self.apply, 0, top)
        self._inner.setContentsMargins(px(16), px(12), px(16), px(10))
        self._inner.setSpacing(px(3))
        self._inner.addLayout(across)
        self.setLayout(self._inner)

    def toggle(self) -> None:
        """Show or hide the cases that the change fixes and breaks."""
        if self.named:
            for sentence in self.named:
                self._inner.removeWidget(sentence)
                sentence.deleteLater()
            self.named = []
        else:
            for title, texts in self.row.named:
                self.named.append(section(title))
                self.named += [WrappedLabel(with_break_points(_cut(text))) for text in texts]
            for sentence in self.named:
                self._inner.addWidget(sentence)
        self.which.setText("Hide the cases" if self.named else "Which cases")

    def let_apply(self, *, on: bool) -> None:
        """Enable the button while the change belongs to the current query."""
        self.apply.setEnabled(on)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.theme.px(16), 0, self.width() - self.theme.px(32), 1, self.theme.color("border"))


class ChangesList(QWidget):
    """All changes, created in chunks."""

    apply_requested = Signal(Change)
    made = Signal()  # all are created

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.lines: list[ChangeLine] = []
        self._rows: tuple[ChangeRow, ...] = ()
        self._turns = Chunks(self)
        self._is_beside = self._may_apply = True
        self.title = WrappedLabel(role="name")
        self.hint = WrappedLabel(role="caption")
        self.hint.setVisible(False)
        px = theme.px
        top = spaced(QVBoxLayout(), px(4), px(16), px(15), px(16), px(10))
        top.addWidget(self.title)
        top.addWidget(self.hint)
        self._column = spaced(QVBoxLayout(self))
        self._column.addLayout(top)
        self._column.addStretch(1)

    @property
    def best(self) -> QPushButton | None:
        """The first button, if there is a change."""
        return self.lines[0].apply if self.lines else None

    def show_changes(self, shown: WhyNotExplanation | None) -> None:
        """Show the changes of a verdict."""
        rows = shown.changes if shown is not None else ()
        self.title.show_text(shown.title if shown is not None else "")
        self.hint.show_text(shown.hint if shown is not None else "")
        if rows == self._rows:
            return
        self._turns.finish()
        self._rows = rows
        for line in self.lines:
            self._column.removeWidget(line)
            line.setParent(None)
            line.deleteLater()
        self.lines = []
        self._turns.begin(self._make(rows))

    def _make(self, rows: Sequence[ChangeRow]) -> Iterator[object]:
        """Make one line per step, so that no key waits."""
        for row in rows:
            line = ChangeLine(self.theme, row)
            line.apply_requested.connect(self.apply_requested)
            line.let_apply(on=self._may_apply)
            self.lines.append(line)
            self._column.insertWidget(len(self.lines), line)
            yield line
        self.made.emit()

    def let_apply(self, *, on: bool) -> None:
        """Enable the buttons while the changes belong to the current query."""
        self._may_apply = on
        for line in self.lines:
            line.let_apply(on=on)

    def set_side_by_side(self, *, on: bool) -> None:
        """Set whether the verdict is on the left, or above."""
        self._is_beside = on
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        across, down = (1, self.height()) if self._is_beside else (self.width(), 1)
        QPainter(self).fillRect(0, 0, across, down, self.theme.color("border"))
