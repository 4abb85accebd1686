"""The encoder on the settings page: compared, changed, fetched, and each of these called off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from app.display.evaluation.comparison import gain_words
from app.display.system.models import KINDS, change, size
from app.domain.encoder import EncoderFacts, FetchStep
from app.gui.kit.controls import button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.page import CoreState
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.system.jobs import SystemJobs
from app.gui.system.settings.encoder_choice import EncoderChoice
from app.settings.sections import EncoderSettings

if TYPE_CHECKING:
    from app.services.system.encoders import Gain, Measured


class EncoderSection(QWidget):
    """The encoders that there are, the one that answers, and what is under way."""

    def __init__(self, theme: Theme, jobs: SystemJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self.choices = {name: EncoderChoice(theme, name) for name in KINDS}
        self.group = QButtonGroup(self)
        self._answering = ""
        self._said: EncoderSettings | None = None
        self._is_fetching = self._is_trying = self._is_changing = False
        self.use = button(self.tr("Use this encoder"), primary=True, press=self._use)
        self.again = button(
            self.tr("Load again"),
            tip=self.tr("As after its model was replaced on the server"),
            press=jobs.load_encoder_again,
        )
        self.fetch = button(self.tr("Install"), press=self._fetch)
        self.trial = button(
            self.tr("Try it on your cases"),
            tip=self.tr("Makes its vectors beside those in use, answers your labelled cases, and keeps nothing"),
            press=self._try,
        )
        self.cancel = button(self.tr("Cancel"), press=self._cancel)
        self.bar, self.line, self.fault = QProgressBar(), QLabel(), FaultLine(theme)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the encoder"))
        self._arrange()
        for choice in self.choices.values():
            self.group.addButton(choice.radio)
            choice.picked.connect(self._show_buttons)
            choice.asked.connect(jobs.look_at_encoder)
        queued = Qt.ConnectionType.QueuedConnection
        jobs.encoder_found.connect(self._on_found, queued)
        jobs.encoder_measured.connect(self._on_measured, queued)
        jobs.encoder_refused.connect(self._on_refused, queued)
        jobs.fetch_moved.connect(self._on_fetched)
        jobs.fetch_ended.connect(self._on_fetch_ended)
        jobs.trial_moved.connect(self._on_fetched)
        jobs.trial_ended.connect(self._on_tried)
        styled(self.line, role="caption")
        self._show_buttons()

    def _arrange(self) -> None:
        px = self.theme.px
        row = QHBoxLayout()
        row.setSpacing(px(8))
        for widget in (self.use, self.trial, self.fetch, self.again, self.cancel):
            row.addWidget(widget)
        row.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(px(16), px(4), px(16), px(14))
        whole.setSpacing(px(2))
        for choice in self.choices.values():
            whole.addWidget(choice)
        whole.addLayout(row)
        whole.addSpacing(px(6))
        whole.addWidget(self.bar)
        whole.addWidget(self.line)
        whole.addWidget(self.fault)
        self.line.setTextFormat(Qt.TextFormat.PlainText)
        self.line.setWordWrap(True)
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def picked(self) -> EncoderChoice:
        """The choice whose button is on."""
        return next(choice for choice in self.choices.values() if choice.radio.isChecked())

    def show_core_state(self, core_state: CoreState) -> None:
        """Show which encoder is set, which one answers, and how far a change has come."""
        said, status = core_state.settings.encoder, core_state.status
        if said != self._said:
            self._said = said
            choice = self.choices[said.name]
            choice.radio.setChecked(True)
            if said.has_models:
                choice.model.setText(said.model)
            for each in self.choices.values():
                each.look()
        if status.encoder != self._answering and status.encoder_state == "ready":
            self._answering = status.encoder
            self.jobs.measure_encoder()
        under_way = change(status)
        self._is_changing = bool(status.next_encoder)
        if not self._is_fetching and not self._is_trying:
            if under_way is not None:
                self._show_progress(under_way.sentence, under_way.done, under_way.whole)
            else:
                self._rest("")
        self.fault.tell(status.faults.get("encoder", ""))
        self._show_buttons()

    # ---- what is pressed

    def _use(self) -> None:
        chosen = self.picked.chosen
        if chosen is not None:
            self.jobs.choose_encoder(chosen)

    def _fetch(self) -> None:
        facts, chosen = self.picked.facts, self.picked.chosen
        if facts is None or chosen is None or not facts.remedy:
            return
        self._is_fetching = True
        self.fault.tell("")
        self._show_progress(self.tr("Beginning"), 0, 0)
        self._show_buttons()
        self.jobs.fetch_encoder(chosen, facts.remedy)
        self.cancel.setFocus()

    def _try(self) -> None:
        chosen = self.picked.chosen
        if chosen is None:
            return
        self._is_trying = True
        self.fault.tell("")
        self._show_progress(self.tr("Beginning"), 0, 0)
        self._show_buttons()
        self.jobs.try_encoder(chosen)
        self.cancel.setFocus()

    def _cancel(self) -> None:
        if self._is_trying:
            self.jobs.trying.cancel()
            self._end_trying("")
        elif self._is_fetching:
            self.jobs.fetching.cancel()
            self._end_fetching(self.tr("Stopped. What was fetched until then is kept for the next time."))
        else:
            self.jobs.cancel_encoder()

    # ---- what comes back

    def _on_found(self, chosen: EncoderSettings, facts: EncoderFacts) -> None:
        self.choices[chosen.name].show_facts(chosen, facts)
        self._show_buttons()

    def _on_measured(self, measured: Measured) -> None:
        for choice in self.choices.values():
            chosen = choice.chosen
            if chosen is not None and chosen.title == self._answering:
                choice.measured = measured
                choice.show_costs()

    def _on_refused(self, sentence: str) -> None:
        self.fault.tell(sentence)

    def _on_fetched(self, step: FetchStep) -> None:
        self._show_progress(step.words, step.done, step.whole)

    def _on_fetch_ended(self, sentence: str) -> None:
        self._end_fetching("" if sentence else self.tr("It is there. Use it when you like."))
        self.fault.tell(sentence)
        self.picked.look()

    def _on_tried(self, chosen: EncoderSettings, gain: Gain | None, sentence: str) -> None:
        self._end_trying(sentence)
        choice = self.choices[chosen.name]
        if gain is not None and chosen == choice.chosen:
            choice.show_gain(gain_words(gain))

    def _end_trying(self, sentence: str) -> None:
        self._is_trying = False
        self._rest("")
        self.fault.tell(sentence)
        self._show_buttons()

    def _end_fetching(self, sentence: str) -> None:
        self._is_fetching = False
        self._rest(sentence)
        self._show_buttons()

    # ---- how it looks

    def _show_progress(self, sentence: str, done: int, whole: int) -> None:
        self.bar.setRange(0, whole)
        self.bar.setValue(done)
        self.bar.setVisible(True)
        self.line.setText(sentence)
        self.line.setVisible(True)

    def _rest(self, sentence: str) -> None:
        self.bar.setVisible(False)
        self.line.setText(sentence)
        self.line.setVisible(bool(sentence))

    def _install_words(self, facts: EncoderFacts | None) -> str:
        count = facts.bytes_to_fetch if facts else None
        return self.tr("Install it") if count is None else self.tr("Install it, some {0}").format(size(count))

    def _show_buttons(self) -> None:
        picked = next((choice for choice in self.choices.values() if choice.radio.isChecked()), None)
        facts = picked.facts if picked else None
        chosen = picked.chosen if picked else None
        is_other = chosen is not None and chosen.title != self._answering
        busy = self._is_fetching or self._is_trying or self._is_changing
        self.use.setVisible(is_other and not busy)
        self.use.setEnabled(facts is not None and not facts.fault)
        self.trial.setVisible(is_other and not busy and facts is not None and not facts.fault)
        self.again.setVisible(not is_other and not busy)
        remedy = facts.remedy if facts else ""
        self.fetch.setVisible(bool(remedy) and not busy)
        self.fetch.setText(self.tr("Download the model") if remedy == "download" else self._install_words(facts))
        self.cancel.setVisible(busy)
        for choice in self.choices.values():
            choice.show_costs()
