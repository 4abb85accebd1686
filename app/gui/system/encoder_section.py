"""Encoder on the settings page: choices with costs; compare, change, download, cancel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.display.evaluation.comparison import encoder_gain_sentence
from app.display.system.models import KINDS, costs, encoder_change, size
from app.domain.encoder import EncoderFacts, FetchStep
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, single_shot
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import FaultLine, WrappedLabel
from app.gui.kit.theme import Theme, Themed, styled
from app.settings.sections import WITH_ONE_MODEL, EncoderSettings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.system.encoders import Gain, Measured
    from app.services.workbench import Workbench


class EncoderSection(Themed):
    """Encoders, the current one, and the running task."""

    task_finished = Signal(str)  # result of a download or an installation in a sentence

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme)
        self._fetching, self._trying, self._job = (Job(worker, self, self._on_refused) for _ in range(3))
        self.choices = {name: EncoderChoice(theme, name) for name in KINDS}
        self.group = QButtonGroup(self)
        self._answering = ""
        self._said: EncoderSettings | None = None
        self._running: Job | None = None
        """Download, installation or trial under way."""
        self._is_changing = False
        self.use = button("Use this encoder", primary=True, press=self._use)
        self.again = button(
            "Load again",
            tip="As after its model was replaced on the server",
            press=lambda: self._job.do(lambda bench: bench.encoders.load_again()),
        )
        self.fetch = button("Install", press=self._fetch)
        self.trial = button(
            "Try it on your cases",
            tip="Makes its vectors beside those in use, answers your labelled cases, and keeps nothing",
            press=self._try,
        )
        self.cancel = button("Cancel", press=self._cancel)
        self.bar, self.line, self.fault = QProgressBar(), WrappedLabel(role="caption"), FaultLine(theme)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the encoder")
        self._arrange()
        for choice in self.choices.values():
            self.group.addButton(choice.radio)
            choice.picked.connect(self._show_buttons)
            choice.inspection_requested.connect(self._inspect)
        self._show_buttons()

    def _arrange(self) -> None:
        px = self.theme.px
        row = fill(spaced(QHBoxLayout(), px(8)), self.use, self.trial, self.fetch, self.again, self.cancel, 1)
        whole = fill(spaced(QVBoxLayout(self), px(2), px(16), px(4), px(16), px(14)), *self.choices.values(), row)
        whole.addSpacing(px(6))
        fill(whole, self.bar, self.line, self.fault)

    @property
    def picked(self) -> EncoderChoice:
        """Choice whose button is on."""
        return next(choice for choice in self.choices.values() if choice.radio.isChecked())

    def show_core_state(self, core_state: CoreState) -> None:
        """Show the configured and the current encoder, and the progress of a change."""
        text, status = core_state.settings.encoder, core_state.status
        if text != self._said:
            self._said = text
            choice = self.choices[text.name]
            choice.radio.setChecked(True)
            if text.has_models:
                choice.model.setText(text.model)
            for each in self.choices.values():
                each.request_inspection()
        if status.encoder != self._answering and status.encoder_state == "ready":
            self._answering = status.encoder
            self._job.do(lambda bench: bench.encoders.measure(), self._on_measured, ignore)
        under_way = encoder_change(status)
        self._is_changing = bool(status.next_encoder)
        if self._running is None:
            if under_way is not None:
                self._show_progress(under_way.sentence, under_way.done, under_way.whole)
            else:
                self._end()
        self.fault.show_fault(status.faults.get("encoder", ""))
        self._show_buttons()

    # ---- user actions

    def _use(self) -> None:
        chosen = self.picked.chosen
        if chosen is not None:
            self._job.do(lambda bench: bench.encoders.choose(chosen))

    def _fetch(self) -> None:
        facts, chosen = self.picked.facts, self.picked.chosen
        if facts is None or chosen is None or not facts.remedy:
            return
        remedy = facts.remedy

        def fetch(bench: Workbench) -> AsyncGenerator[FetchStep, None]:
            return bench.encoders.download(chosen.model) if remedy == "download" else bench.encoders.install()

        self._fetching.follow(fetch, self._on_fetched, self.end_fetching)
        self._begin(self._fetching)

    def _try(self) -> None:
        chosen = self.picked.chosen
        if chosen is None:
            return
        self._trying.run_with_progress(
            lambda bench, tell: bench.encoders.gain(chosen, tell),
            lambda done, total: self._on_fetched(FetchStep("Trying it on your cases", done, total)),
            lambda gain: self._on_tried(chosen, gain),
            self._end_trying,
        )
        self._begin(self._trying)

    def _begin(self, running: Job) -> None:
        self._running = running
        self.fault.show_fault("")
        self._show_progress("Beginning", 0, 0)
        self._show_buttons()
        self.cancel.setFocus()

    def _cancel(self) -> None:
        if (running := self._running) is None:
            self._job.do(lambda bench: bench.encoders.cancel())
        else:
            running.cancel()
            kept = "Stopped. What was fetched until then is kept for the next time."
            self._end(kept if running is self._fetching else "")

    # ---- results

    def _inspect(self, chosen: EncoderSettings) -> None:
        """Show the facts of an encoder, without loading it."""

        def show(facts: EncoderFacts) -> None:
            self.choices[chosen.name].show_facts(chosen, facts)
            self._show_buttons()

        self._job.do(lambda bench: bench.encoders.facts(chosen), show)

    def _on_measured(self, measured: Measured) -> None:
        for choice in self.choices.values():
            chosen = choice.chosen
            if chosen is not None and chosen.title == self._answering:
                choice.measured = measured
                choice.show_costs()

    def _on_refused(self, sentence: str) -> None:
        self.fault.show_fault(sentence)

    def _on_fetched(self, step: FetchStep) -> None:
        self._show_progress(step.words, step.done, step.whole)

    def end_fetching(self, sentence: str) -> None:
        """Show the end of a download or an installation; a sentence if it failed."""
        self._end("" if sentence else "It is there. Use it when you like.")
        self.fault.show_fault(sentence)
        self.picked.request_inspection()
        self.task_finished.emit(sentence or "The encoder is there.")

    def _on_tried(self, chosen: EncoderSettings, gain: Gain | None) -> None:
        self._end_trying("")
        choice = self.choices[chosen.name]
        if gain is not None and chosen == choice.chosen:
            choice.show_gain(encoder_gain_sentence(gain))

    def _end_trying(self, fault: str) -> None:
        self._end()
        self.fault.show_fault(fault)

    # ---- display

    def _show_progress(self, sentence: str, done: int, whole: int) -> None:
        self.bar.setRange(0, whole)
        self.bar.setValue(done)
        self.bar.setVisible(True)
        self.line.show_text(sentence)

    def _end(self, sentence: str = "") -> None:
        """Show that nothing runs, and how it ended."""
        self._running = None
        self.bar.setVisible(False)
        self.line.show_text(sentence)
        self._show_buttons()

    def _show_buttons(self) -> None:
        picked = next((choice for choice in self.choices.values() if choice.radio.isChecked()), None)
        facts = picked.facts if picked else None
        chosen = picked.chosen if picked else None
        is_other = chosen is not None and chosen.title != self._answering
        busy = self._running is not None or self._is_changing
        self.use.setVisible(is_other and not busy)
        self.use.setEnabled(facts is not None and not facts.fault)
        self.trial.setVisible(is_other and not busy and facts is not None and not facts.fault)
        self.again.setVisible(not is_other and not busy)
        remedy = facts.remedy if facts else ""
        self.fetch.setVisible(bool(remedy) and not busy)
        install = f"Install it, some {size(facts.bytes_to_fetch)}" if facts and facts.bytes_to_fetch else "Install it"
        self.fetch.setText("Download the model" if remedy == "download" else install)
        self.cancel.setVisible(busy)
        for choice in self.choices.values():
            choice.show_costs()


# ---- One offered encoder: description, model, costs.


_PAUSE_MS = 300
"""Debounce before a typed folder or name is inspected, in ms."""


class EncoderChoice(QWidget):
    """Radio button with its fields."""

    picked = Signal()
    inspection_requested = Signal(EncoderSettings)  # settings to inspect

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme, self.name = theme, name
        self.facts: EncoderFacts | None = None
        self.measured: Measured | None = None
        title, sentence = KINDS[name]
        self.radio = QRadioButton(title)
        self.radio.setAccessibleDescription(sentence)
        self.radio.clicked.connect(self.picked)
        self.sentence, self.costs = WrappedLabel(sentence, role="caption"), WrappedLabel(role="caption")
        self.gain = WrappedLabel(role="caption", shade="text")
        self.model, self.folder = QLineEdit(), button("Choose folder", press=self._choose_folder)
        self.model.setMaxLength(1000)
        self.model.setAccessibleName(f"Model for {title}")
        self.model.setPlaceholderText("all-minilm" if name == "ollama" else "all-MiniLM-L6-v2")
        self._pause = single_shot(self, _PAUSE_MS, self.request_inspection)
        self.model.textEdited.connect(self._on_edited)
        self._arrange()
        self._show_shade()
        self.show_costs()

    def _arrange(self) -> None:
        px = self.theme.px
        field = fill(spaced(QHBoxLayout(), px(8)), (self.model, 1), self.folder)
        self.model.setMaximumWidth(px(420))
        field.addStretch(1)
        inner = fill(spaced(QVBoxLayout(), px(4), px(24), 0, 0, 0), self.sentence, field, self.costs, self.gain)
        fill(spaced(QVBoxLayout(self), px(2), 0, 0, 0, px(10)), self.radio, inner)
        self.model.setHidden(self.name in WITH_ONE_MODEL)  # only now: without a parent it would be a window
        self.folder.setHidden(self.name != "sentence-transformers")
        self.gain.setHidden(True)

    @property
    def chosen(self) -> EncoderSettings | None:
        """Settings of this choice; None for an invalid model."""
        try:
            return EncoderSettings.model_validate({"name": self.name, "model": self.model.text()})
        except ValueError:
            return None

    def request_inspection(self) -> None:
        """Request the facts of the typed model."""
        self._pause.stop()
        self.facts = None
        chosen = self.chosen
        if chosen is None:
            self.facts = EncoderFacts(fault="Not a model name or a folder.")
        else:
            self.inspection_requested.emit(chosen)
        self.show_costs()

    def show_facts(self, chosen: EncoderSettings, facts: EncoderFacts) -> None:
        """Store the facts, if they are of the model in the field."""
        if chosen == self.chosen:
            self.facts = facts
            self.show_costs()

    def show_costs(self) -> None:
        """Show the costs, or why it is unavailable."""
        line = costs(self.facts, self.measured)
        self.costs.setText(line)
        self.radio.setAccessibleDescription(f"{self.sentence.text()} {line}")
        self._show_shade()

    def show_gain(self, words: str) -> None:
        """Show its effect on the labelled cases; "" before a trial."""
        self.gain.setText(words)
        self.gain.setVisible(bool(words))

    def _on_edited(self) -> None:
        self.facts = self.measured = None
        self.show_gain("")
        self.radio.setChecked(True)
        self.show_costs()
        self.picked.emit()
        self._pause.start()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, "Folder of a sentence-transformers model", self.model.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take_folder)
        dialog.open()

    def take_folder(self, folder: str) -> None:
        """Put a folder into the field, and inspect it."""
        self.model.setText(folder)
        self._on_edited()
        self.request_inspection()

    def _show_shade(self) -> None:
        fault = self.facts is not None and bool(self.facts.fault)
        # Unavailability is an error only for the chosen encoder.
        shade = "text" if not fault else "danger" if self.radio.isChecked() else "text_2"
        styled(self.costs, role="caption", shade=shade)
