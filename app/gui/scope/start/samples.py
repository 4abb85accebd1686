"""Sample queries with what each shows, as far as the library has their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.display.scope.guide import Sample
from app.domain.llm import LlmOutcome
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.services.core import Status
    from app.services.workbench import Workbench
    from app.settings.model import Settings


class SampleLines(QWidget):
    """Line per sample: what it shows, and a button with its text."""

    query_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.shown: tuple[tuple[str, str], ...] = ()
        self.buttons: list[QPushButton] = []
        self._titles: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(2, 1)
        self._grid.setHorizontalSpacing(theme.px(16))
        self._grid.setVerticalSpacing(theme.px(4))

    def offer(self, samples: tuple[Sample, ...], *, has_llm: bool) -> None:
        """Show these samples; nothing happens if they are already shown."""
        wanted = tuple((sample.title(has_llm=has_llm), sample.text) for sample in samples)
        if wanted == self.shown:
            return
        self.shown = wanted
        for widget in (*self._titles, *self.buttons):
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._titles, self.buttons = [], []
        for place, (title, text) in enumerate(wanted):
            self._add(place, title, text)

    def _add(self, place: int, title: str, text: str) -> None:
        label = styled(QLabel(title), role="caption")
        label.setTextFormat(Qt.TextFormat.PlainText)
        chip = button(text, press=lambda: self.query_requested.emit(text))
        styled(chip, role="sample")
        chip.setAccessibleName(f"{title}: {text}")
        chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._grid.addWidget(label, place, 0)
        self._grid.addWidget(chip, place, 1)
        self._titles.append(label)
        self.buttons.append(chip)


class Samples(QScrollArea):
    """Samples in a scroll area, below a sentence."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.lines = SampleLines(theme)
        self.setAccessibleName("Queries to try")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        inside = QWidget()
        column = QVBoxLayout(inside)
        head = QLabel("Type a sentence above, or try one of these:")
        head.setWordWrap(True)
        column.setContentsMargins(theme.px(16), theme.px(12), theme.px(16), theme.px(12))
        column.setSpacing(theme.px(8))
        column.addWidget(head)
        column.addWidget(self.lines)
        column.addStretch(1)
        self.setWidget(inside)
        styled(head, role="title")


# ---- Choice of samples by the contents of the library.


class SampleOffers(QObject):
    """Offers samples after each change of the library; none if their answers would differ."""

    offered = Signal(tuple, bool)  # the samples, True if an LLM is set up

    def __init__(self, page: QObject, worker: Worker) -> None:
        super().__init__(page)
        self._job = Job(worker, self)
        self._counts: dict[str, int] = {}
        self._has_llm = False
        self._found: tuple[Sample, ...] = ()
        worker.changed.connect(self._on_change, Qt.ConnectionType.QueuedConnection)

    def _on_change(self, status: Status, _settings: Settings, _origins: object) -> None:
        self._has_llm = status.llm.outcome is not LlmOutcome.OFF
        if dict(status.counts) != self._counts:
            self._counts = dict(status.counts)
            self._job.run(_held_samples, self._on_found)
        self._offer()

    def _on_found(self, found: tuple[Sample, ...]) -> None:
        self._found = found
        self._offer()

    def _offer(self) -> None:
        self.offered.emit(self._found, self._has_llm)


async def _held_samples(bench: Workbench) -> tuple[Sample, ...]:
    """Return the samples whose answers this library has."""
    from app.display.scope.guide import samples_for

    return samples_for(bench.holds)
