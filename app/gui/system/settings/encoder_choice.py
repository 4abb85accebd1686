"""One encoder among those offered: what it is, which model, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.display.system.models import KINDS, costs
from app.domain.encoder import EncoderFacts
from app.gui.kit.controls import button
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.settings.sections import WITH_ONE_MODEL, EncoderSettings

if TYPE_CHECKING:
    from app.services.system.encoders import Measured

_PAUSE_MS = 300
"""So long typing must pause before a folder or name is looked at."""


class EncoderChoice(QWidget):
    """A radio button with what belongs to it."""

    picked = Signal()
    asked = Signal(EncoderSettings)  # EncoderSettings to be looked at

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme, self.name = theme, name
        self.facts: EncoderFacts | None = None
        self.measured: Measured | None = None
        title, sentence = KINDS[name]
        self.radio = QRadioButton(title)
        self.radio.setAccessibleDescription(sentence)
        self.radio.clicked.connect(self._on_clicked)
        self.sentence, self.costs, self.gain = QLabel(sentence), QLabel(), QLabel()
        self.model, self.folder = QLineEdit(), button(self.tr("Choose folder"), press=self._choose_folder)
        self.model.setMaxLength(1000)
        self.model.setAccessibleName(self.tr("Model for {0}").format(title))
        self.model.setPlaceholderText("all-minilm" if name == "ollama" else "all-MiniLM-L6-v2")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self.look)
        self.model.textEdited.connect(self._on_edited)
        self._arrange()
        styled(self.sentence, role="caption")
        styled(self.gain, role="caption", shade="text")
        self._show_shade()
        self.show_costs()

    def _arrange(self) -> None:
        px = self.theme.px
        field = QHBoxLayout()
        field.setSpacing(px(8))
        field.addWidget(self.model, 1)
        field.addWidget(self.folder)
        self.model.setMaximumWidth(px(420))
        field.addStretch(1)
        inner = QVBoxLayout()
        inner.setContentsMargins(px(24), 0, 0, 0)
        inner.setSpacing(px(4))
        inner.addWidget(self.sentence)
        inner.addLayout(field)
        inner.addWidget(self.costs)
        inner.addWidget(self.gain)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, px(10))
        whole.setSpacing(px(2))
        whole.addWidget(self.radio)
        whole.addLayout(inner)
        self.model.setHidden(self.name in WITH_ONE_MODEL)  # only now: without a parent it would be a window
        self.folder.setHidden(self.name != "sentence-transformers")
        self.gain.setHidden(True)
        for label in (self.sentence, self.costs, self.gain):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def chosen(self) -> EncoderSettings | None:
        """The settings that this choice stands for; None if what was typed can be no model."""
        try:
            return EncoderSettings.model_validate({"name": self.name, "model": self.model.text()})
        except ValueError:
            return None

    def look(self) -> None:
        """Have what was typed looked at."""
        self._pause.stop()
        self.facts = None
        chosen = self.chosen
        if chosen is None:
            self.facts = EncoderFacts(fault=self.tr("That is no name and no folder."))
        else:
            self.asked.emit(chosen)
        self.show_costs()

    def show_facts(self, chosen: EncoderSettings, facts: EncoderFacts) -> None:
        """Take in what was found, if it is about what stands in the field now."""
        if chosen == self.chosen:
            self.facts = facts
            self.show_costs()

    def show_costs(self) -> None:
        """Say what it costs, or why it cannot be had."""
        line = costs(self.facts, self.measured)
        self.costs.setText(line)
        self.radio.setAccessibleDescription(f"{self.sentence.text()} {line}")
        self._show_shade()

    def show_gain(self, words: str) -> None:
        """Say what it would do to the labelled cases; "" while nobody has tried."""
        self.gain.setText(words)
        self.gain.setVisible(bool(words))

    def _on_clicked(self) -> None:
        self.picked.emit()

    def _on_edited(self) -> None:
        self.facts = self.measured = None
        self.show_gain("")
        self.radio.setChecked(True)
        self.show_costs()
        self.picked.emit()
        self._pause.start()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Folder of a sentence-transformers model"), self.model.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take_folder)
        dialog.open()

    def take_folder(self, folder: str) -> None:
        """Put a folder into the field, and have it looked at."""
        self.model.setText(folder)
        self._on_edited()
        self.look()

    def _show_shade(self) -> None:
        fault = self.facts is not None and bool(self.facts.fault)
        # Why one cannot be had matters to whoever wants it, and is no alarm for the others.
        shade = "text" if not fault else "danger" if self.radio.isChecked() else "text_2"
        styled(self.costs, role="caption", shade=shade)
