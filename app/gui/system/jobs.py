"""Jobs of the settings page: models, checks, downloads, encoder, metrics."""

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
    """Shared by the pages of a worker, since downloads continue while another page is open."""

    models_listed = Signal(Sequence, str, str)  # names, a sentence if there are none, address of the server
    links_tried = Signal(tuple)  # tuple[Link, ...]
    check_finished = Signal(str)  # sentence if it failed
    pull_progressed = Signal(tuple)  # status, bytes done, bytes in total
    pull_finished = Signal(str, str)  # model, sentence if it failed
    measured = Signal(object)  # Measured
    encoder_found = Signal(object, EncoderFacts)  # EncoderSettings
    encoder_measured = Signal(object)  # Measured, of services.encoders
    encoder_refused = Signal(str)  # sentence for the user
    fetch_progressed = Signal(FetchStep)
    fetch_finished = Signal(str)  # sentence if it failed
    trial_progressed = Signal(FetchStep)
    trial_finished = Signal(object, object, str)  # EncoderSettings, Gain or None, sentence if there is none

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self.worker = worker
        self.checking, self.pulling, self.fetching, self.trying, self._short = (Job(worker, self) for _ in range(5))

    # ---- LLM

    def list_models(self) -> None:
        """List the server's models; the settings may name another server by the time it answers."""
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
        """Check every link to the LLM."""
        self.checking.follow(lambda bench: bench.check_llm(), self.links_tried.emit, self.check_finished.emit)

    def pull(self, model: str) -> None:
        self.pulling.follow(
            lambda bench: bench.pull_llm(model),
            self.pull_progressed.emit,
            lambda sentence: self.pull_finished.emit(model, sentence),
        )

    # ---- encoder

    def look_at_encoder(self, chosen: EncoderSettings) -> None:
        """Load the facts of an encoder without loading it."""
        self._short.do(
            lambda bench: bench.encoders.facts(chosen),
            lambda facts: self.encoder_found.emit(chosen, facts),
            self.encoder_refused.emit,
        )

    def measure_encoder(self) -> None:
        """Time the current encoder."""
        self._short.do(lambda bench: bench.encoders.measure(), self.encoder_measured.emit)

    def choose_encoder(self, chosen: EncoderSettings) -> None:
        """Change to another encoder; the status shows the progress."""
        self._short.do(lambda bench: bench.encoders.choose(chosen), ignore, self.encoder_refused.emit)

    def cancel_encoder(self) -> None:
        """Return to the current encoder."""
        self._short.do(lambda bench: bench.encoders.cancel(), ignore, self.encoder_refused.emit)

    def load_encoder_again(self) -> None:
        """Reload the encoder, such as after its model was replaced."""
        self._short.do(lambda bench: bench.encoders.load_again(), ignore, self.encoder_refused.emit)

    def fetch_encoder(self, chosen: EncoderSettings, remedy: str) -> None:
        """Download the named model, or install what the encoder needs."""

        def fetch(bench: Workbench) -> AsyncGenerator[FetchStep, None]:
            return bench.encoders.download(chosen.model) if remedy == "download" else bench.encoders.install()

        self.fetching.follow(fetch, self.fetch_progressed.emit, self.fetch_finished.emit)

    def try_encoder(self, chosen: EncoderSettings) -> None:
        """Evaluate an encoder on the labelled cases."""
        self.trying.run_with_progress(
            lambda bench, tell: bench.encoders.gain(chosen, tell),
            lambda done, total: self.trial_progressed.emit(FetchStep("Trying it on your cases", done, total)),
            lambda gain: self.trial_finished.emit(chosen, gain, ""),
            lambda sentence: self.trial_finished.emit(chosen, None, sentence),
        )

    # ---- metrics

    def measure(self) -> None:
        """Copy the session's metrics, on the thread that writes them."""
        from app.display.system.metrics import metrics_snapshot

        async def look(bench: Workbench) -> object:
            with suppress(StoreError):  # reported in the status
                return metrics_snapshot(bench.metrics, await bench.usage.totals())
            return metrics_snapshot(bench.metrics)

        self._short.do(look, self.measured.emit)


def system_jobs(worker: Worker) -> SystemJobs:
    """Return the jobs of a worker, created on first use."""
    return worker.findChild(SystemJobs) or SystemJobs(worker)
