"""Jobs of the pages of settings and of the LLM: models, checks, downloads, the encoder, metrics."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.domain.encoder import EncoderFacts, FetchStep
from app.domain.errors import StoreError
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.workbench import Workbench
    from app.settings.sections import EncoderSettings


class SystemJobs(QObject):
    """Shared by the pages of a worker, as a download continues while another page is open."""

    models_listed = Signal(Sequence, str, str)  # names, a sentence if there are none, whose address was asked
    links_tried = Signal(tuple)  # tuple[Link, ...]
    check_finished = Signal(str)  # a sentence if it broke off
    pull_progressed = Signal(tuple)  # status, bytes done, bytes in all
    pull_finished = Signal(str, str)  # model, a sentence if it failed
    measured = Signal(object)  # Measured
    encoder_found = Signal(object, EncoderFacts)  # EncoderSettings
    encoder_measured = Signal(object)  # Measured, of services.encoders
    encoder_refused = Signal(str)  # a sentence for the user
    fetch_progressed = Signal(FetchStep)
    fetch_finished = Signal(str)  # a sentence if it failed
    trial_progressed = Signal(FetchStep)
    trial_finished = Signal(object, object, str)  # EncoderSettings, Gain or None, a sentence if there is none

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self.worker = worker
        self.checking, self.pulling, self.fetching, self.trying, self._short = (Job(worker, self) for _ in range(5))

    # ---- the LLM

    def list_models(self) -> None:
        """Ask the server which models it has; by the time it answers the settings may name another."""
        asked = ""

        async def look(bench: Workbench) -> list[str]:
            nonlocal asked
            asked = bench.settings.llm.url
            return await bench.llm_models()

        self._short.do(
            look,
            lambda found: self.models_listed.emit(found, "", asked),
            lambda sentence: self.models_listed.emit([], sentence, asked),
        )

    def check(self) -> None:
        """Try every link to the LLM."""
        self.checking.follow(lambda bench: bench.check_llm(), self.links_tried.emit, self.check_finished.emit)

    def pull(self, model: str) -> None:
        """Have the server fetch a model."""
        self.pulling.follow(
            lambda bench: bench.pull_llm(model),
            self.pull_progressed.emit,
            lambda sentence: self.pull_finished.emit(model, sentence),
        )

    # ---- the encoder

    def look_at_encoder(self, chosen: EncoderSettings) -> None:
        """Find out what is known of an encoder without loading it."""
        self._short.do(
            lambda bench: bench.encoders.facts(chosen),
            lambda facts: self.encoder_found.emit(chosen, facts),
            self.encoder_refused.emit,
        )

    def measure_encoder(self) -> None:
        """Time the encoder that answers."""
        self._short.do(lambda bench: bench.encoders.measure(), self.encoder_measured.emit)

    def choose_encoder(self, chosen: EncoderSettings) -> None:
        """Change to another encoder; how far that is shows in the status."""
        self._short.do(lambda bench: bench.encoders.choose(chosen), ignore, self.encoder_refused.emit)

    def cancel_encoder(self) -> None:
        """Go back to the encoder that answers."""
        self._short.do(lambda bench: bench.encoders.cancel(), ignore, self.encoder_refused.emit)

    def load_encoder_again(self) -> None:
        """Load the encoder anew, as after its model was replaced."""
        self._short.do(lambda bench: bench.encoders.load_again(), ignore, self.encoder_refused.emit)

    def fetch_encoder(self, chosen: EncoderSettings, remedy: str) -> None:
        """Download the model that is named, or install what the encoder lacks."""

        def fetch(bench: Workbench) -> AsyncGenerator[FetchStep, None]:
            return bench.encoders.download(chosen.model) if remedy == "download" else bench.encoders.install()

        self.fetching.follow(fetch, self.fetch_progressed.emit, self.fetch_finished.emit)

    def try_encoder(self, chosen: EncoderSettings) -> None:
        """Find out what an encoder would do to the labelled cases."""
        self.trying.run_with_progress(
            lambda bench, tell: bench.encoders.gain(chosen, tell),
            lambda done, total: self.trial_progressed.emit(FetchStep("Trying it on your cases", done, total)),
            lambda gain: self.trial_finished.emit(chosen, gain, ""),
            lambda sentence: self.trial_finished.emit(chosen, None, sentence),
        )

    # ---- measures

    def measure(self) -> None:
        """Copy the session's measures, on the thread that writes them."""
        from app.display.system.metrics import metrics_snapshot

        async def look(bench: Workbench) -> object:
            with suppress(StoreError):  # the status tells
                return metrics_snapshot(bench.metrics, await bench.usage.totals())
            return metrics_snapshot(bench.metrics)

        self._short.do(look, self.measured.emit)


def system_jobs(worker: Worker) -> SystemJobs:
    """The jobs of a worker, created on first use."""
    return worker.findChild(SystemJobs) or SystemJobs(worker)
