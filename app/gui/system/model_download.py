"""Fetching a model: its name, how far it is, and a way to stop."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from app.display.system.models import progress
from app.gui.kit.controls import Head, button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.system.jobs import SystemJobs


class PullPane(QWidget):
    """The server fetches the model; this machine's program only asks, watches, and may break off."""

    def __init__(self, theme: Theme, jobs: SystemJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self.name = QLineEdit()
        self.name.setMaxLength(200)
        self.name.setPlaceholderText(self.tr("such as qwen2.5:1.5b"))
        self.name.setAccessibleName(self.tr("Model to pull"))
        self.name.textChanged.connect(self._show_buttons)
        self.name.returnPressed.connect(self._begin)
        self.begin = button(self.tr("Pull"), tip=self.tr("Have the server fetch this model"), press=self._begin)
        self.cancel = button(self.tr("Cancel"), tip=self.tr("Stop fetching"), press=self._cancel)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the pull"))
        self.line = QLabel(self.tr("The server fetches it from its own library; that may take minutes."))
        self.line.setTextFormat(Qt.TextFormat.PlainText)
        self.line.setWordWrap(True)
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.fault = FaultLine(theme)
        self.reachable = False
        self._model = ""
        self._arrange()
        jobs.pull_moved.connect(self._on_moved)
        jobs.pull_ended.connect(self._on_ended)
        styled(self.line, role="caption")
        self._show_buttons()

    def _arrange(self) -> None:
        px = self.theme.px
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addWidget(self.name, 1)
        row.addWidget(self.begin)
        row.addWidget(self.cancel)
        inner = QVBoxLayout()
        inner.setContentsMargins(px(16), px(4), px(16), px(12))
        inner.setSpacing(px(8))
        inner.addLayout(row)
        inner.addWidget(self.bar)
        inner.addWidget(self.line)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(Head(self.theme, self.tr("Pull a model")))
        whole.addWidget(self.fault)
        whole.addLayout(inner)

    @property
    def is_pulling(self) -> bool:
        return bool(self._model)

    def set_reachable(self, there_is_an_address: bool) -> None:
        """Whether there is a server to ask at all."""
        self.reachable = there_is_an_address
        self._show_buttons()

    def _begin(self) -> None:
        model = self.name.text().strip()
        if not model or not self.begin.isEnabled():
            return
        self._model = model
        self.fault.tell("")
        self.bar.setRange(0, 0)
        self.line.setText(self.tr("Asking for {0}").format(model))
        self._show_buttons()
        self.jobs.pull(model)
        self.cancel.setFocus()

    def _cancel(self) -> None:
        self.jobs.pulling.cancel()
        self._rest(self.tr("Stopped. What {0} has got stays with the server; pulling again goes on from there."))

    def _on_moved(self, step: tuple[str, int, int]) -> None:
        said, share = progress(*step)
        self.line.setText(said)
        if share is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, 1000)
            self.bar.setValue(round(1000 * share))

    def _on_ended(self, model: str, sentence: str) -> None:
        self.fault.tell(sentence)
        if sentence:
            self._rest(self.tr("{0} was not pulled."))
        else:
            self._rest(self.tr("{0} is on the server. Choose it above."), full=True)

    def _rest(self, sentence: str, *, full: bool = False) -> None:
        self.line.setText(sentence.format(self._model))
        self._model = ""
        self.bar.setRange(0, 1)
        self.bar.setValue(1 if full else 0)
        self._show_buttons()
        if self.cancel.hasFocus():
            self.name.setFocus()

    def _show_buttons(self) -> None:
        pulling = self.is_pulling
        self.begin.setEnabled(not pulling and self.reachable and bool(self.name.text().strip()))
        self.cancel.setEnabled(pulling)
        self.name.setReadOnly(pulling)
        self.bar.setVisible(pulling)
