"""A row that asks for a precision and a share of strangers, and offers the threshold that keeps it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display.evaluation.precision_targets import DEFAULT_OUT_OF_SCOPE, DEFAULT_PRECISION, PrecisionTargetView
from app.domain.language import numeral
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.fields import UnitSpin, explain
from app.gui.kit.layouts import spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme

_SPIN = 68


class PrecisionTargetRow(QWidget):
    """`asked` when another value is to be told; what comes of it comes by `show_promise`. `wanted` when it is to be
    set."""

    asked = Signal()
    wanted = Signal(str)
    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.shown = PrecisionTargetView("")
        self.precision = self._spin(theme, DEFAULT_PRECISION, self.tr("Precision"))
        self.strangers = self._spin(theme, DEFAULT_OUT_OF_SCOPE, self.tr("Share of strangers"))
        explain(self.strangers, self.tr("How many of all queries are of nothing that is taught: fewer are right then."))
        self.set = button("", press=self._want)
        self.set.hide()  # until something is offered
        self.said = WrappedLabel(role="caption")
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        for part in (
            ElidedLabel(self.tr("Right at least")),
            self.precision,
            ElidedLabel(self.tr("strangers")),
            self.strangers,
        ):
            row.addWidget(part)
        row.addWidget(self.set)
        row.addStretch(1)
        column = spaced(QVBoxLayout(self), theme.px(2), theme.px(16), 0, theme.px(16), theme.px(8))
        column.addLayout(row)
        column.addWidget(self.said)

    def tell(self, of: Callable[[float, float], PrecisionTargetView]) -> None:
        """Show what comes of the precision and the share of strangers that are asked for."""
        self.show_promise(of(self.precision.value(), self.strangers.value()))

    def show_promise(self, shown: PrecisionTargetView) -> None:
        """Say what keeps the promise, and offer it."""
        if shown == self.shown and self.said.text() == shown.sentence:
            return
        self.shown = shown
        self.said.say(shown.sentence)
        self.set.setVisible(shown.value is not None)
        if shown.value is not None:
            self.set.setText(self.tr("Set {0}").format(numeral(f"{shown.value:g}")))
        self.resized.emit()

    def _spin(self, theme: Theme, value: float, name: str) -> UnitSpin:
        made = UnitSpin()
        made.show_value(f"{value:g}")
        made.setFixedWidth(theme.px(_SPIN))
        made.setAccessibleName(name)
        made.moved.connect(lambda _: self.asked.emit())
        return made

    def _want(self) -> None:
        if self.shown.value is not None:
            self.wanted.emit(repr(self.shown.value))
