"""What the pages send the engine for: settings, checks, downloads, comparisons; each tells its steps and its end."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

if TYPE_CHECKING:
    import asyncio

    from app.domain.inspection import Inspection
    from app.services.scope.side_by_side import ComparedQuestion
    from app.services.workbench import Workbench
    from app.settings.sections import EncoderSettings

Act = Callable[["Workbench"], Awaitable[Any]]
"""What is done on the engine's thread."""

Tell = Callable[[Any], object]
Refuse = Callable[[str], object]
"""What is called there with the result, or with a sentence for the user."""

CHECK, PULL, COMPARE, CASES, FETCH = "check", "pull", "compare", "cases", "fetch"
"""The long jobs."""


class EngineJobs(QObject):
    """Every method returns at once. A long job replaces an earlier one of its kind, and can be cancelled.

    What a long job still says after it was cancelled or replaced is dropped here, on the window's thread.
    """

    chosen = Signal(str)  # key
    refused = Signal(str, str)  # key, a sentence for the user
    models_listed = Signal(object, str, str)  # list[str], a sentence if they could not be had, whose address was asked
    links_tried = Signal(object)  # tuple[Link, ...]
    check_ended = Signal(str)  # a sentence if it broke off
    pull_moved = Signal(object)  # status, bytes done, bytes in all
    pull_ended = Signal(str, str)  # model, a sentence if it failed
    measured = Signal(object)  # Measured
    samples_found = Signal(object)  # tuple[Sample, ...]
    compared = Signal(object)  # Answers: the left and the right Inspection
    compare_ended = Signal(str)  # a sentence if one side was refused
    cases_moved = Signal(object)  # Tops: how far the cases are answered, and what they came to
    cases_ended = Signal(str)  # a sentence if it broke off
    encoder_found = Signal(object, object)  # EncoderSettings, EncoderFacts
    encoder_measured = Signal(object)  # Measured, of services.encoders
    encoder_refused = Signal(str)  # a sentence for the user
    fetch_moved = Signal(object)  # a line of news
    fetch_ended = Signal(str)  # a sentence if it failed
    _step = Signal(str, int, object)
    _end = Signal(str, int, str)

    def __init__(
        self,
        do: Callable[[Act, Tell, Refuse], None],
        call: Callable[..., None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._do, self._call = do, call
        self._tickets = dict.fromkeys((CHECK, PULL, COMPARE, CASES, FETCH), 0)
        self._steps = {
            CHECK: self.links_tried.emit,
            PULL: self.pull_moved.emit,
            COMPARE: self.compared.emit,
            CASES: self.cases_moved.emit,
            FETCH: self.fetch_moved.emit,
        }
        self._ends: dict[str, Callable[[str], object]] = {
            CHECK: self.check_ended.emit,
            PULL: lambda sentence: self.pull_ended.emit(self._model, sentence),
            COMPARE: self.compare_ended.emit,
            CASES: self.cases_ended.emit,
            FETCH: self.fetch_ended.emit,
        }
        self._under_way: dict[str, asyncio.Task[Any]] = {}
        self._model = ""
        self._step.connect(self._on_step, Qt.ConnectionType.QueuedConnection)
        self._end.connect(self._on_end, Qt.ConnectionType.QueuedConnection)

    # ---- short jobs

    def choose(self, key: str, value: str | None) -> None:
        """Set a setting for this profile; None forgets what was set here."""
        self._do(
            lambda bench: bench.choose(key, value),
            lambda _: self.chosen.emit(key),
            lambda sentence: self.refused.emit(key, sentence),
        )

    def retry(self, part: str) -> None:
        """Try again what failed: "store" or "encoder"; what comes of it shows in the status."""
        self._do(lambda bench: bench.retry(part), lambda _: None, lambda _: None)

    def list_models(self) -> None:
        """Ask the server which models it has; by the time it answers the settings may name another."""
        asked = ""

        async def look(bench: Workbench) -> list[str]:
            nonlocal asked
            asked = bench.settings.llm.url
            return await bench.llm_models()

        self._do(
            look,
            lambda found: self.models_listed.emit(found, "", asked),
            lambda sentence: self.models_listed.emit([], sentence, asked),
        )

    def measure(self) -> None:
        """Copy the session's measures, on the thread that writes them."""
        from app.display.system.measures import measured

        async def look(bench: Workbench) -> object:
            return measured(bench.measures)

        self._do(look, self.measured.emit, lambda _: None)

    def find_samples(self) -> None:
        """Look which sample queries show with this library what they are meant to show."""
        from app.display.scope.samples import samples_for

        async def look(bench: Workbench) -> object:
            return samples_for(bench.holds)

        self._do(look, self.samples_found.emit, lambda _: None)

    # ---- the encoder

    def look_at_encoder(self, chosen: EncoderSettings) -> None:
        """Find out what is known of an encoder without loading it."""
        self._do(
            lambda bench: bench.encoders.facts(chosen),
            lambda facts: self.encoder_found.emit(chosen, facts),
            self.encoder_refused.emit,
        )

    def measure_encoder(self) -> None:
        """Time the encoder that answers."""
        self._do(lambda bench: bench.encoders.measure(), self.encoder_measured.emit, lambda _: None)

    def choose_encoder(self, chosen: EncoderSettings) -> None:
        """Change to another encoder; how far that is shows in the status."""
        self._do(lambda bench: bench.encoders.choose(chosen), lambda _: None, self.encoder_refused.emit)

    def cancel_encoder(self) -> None:
        """Go back to the encoder that answers."""
        self._do(lambda bench: bench.encoders.cancel(), lambda _: None, self.encoder_refused.emit)

    def load_encoder_again(self) -> None:
        """Load the encoder anew, as after its model was replaced."""
        self._do(lambda bench: bench.encoders.load_again(), lambda _: None, self.encoder_refused.emit)

    def fetch_encoder(self, model: str | None) -> None:
        """Download a model by its name, or with None install the library that runs them."""

        def fetch(bench: Workbench) -> AsyncGenerator[Any, None]:
            return bench.encoders.install() if model is None else bench.encoders.download(model)

        self._go(FETCH, fetch)

    # ---- long jobs

    def check(self) -> None:
        """Try every link to the LLM."""
        self._go(CHECK, lambda bench: bench.check_llm())

    def pull(self, model: str) -> None:
        """Have the server fetch a model."""
        self._model = model
        self._go(PULL, lambda bench: bench.pull_llm(model))

    def compare(
        self, left: ComparedQuestion, right: ComparedQuestion, known: Mapping[ComparedQuestion, Inspection]
    ) -> None:
        """Answer two questions, to be shown side by side, but for those that are known."""

        def settle(bench: Workbench) -> AsyncGenerator[Any, None]:
            from app.services.scope.side_by_side import settle_both

            return settle_both(bench, left, right, known)

        self._go(COMPARE, settle)

    def answer_cases(self) -> None:
        """Have the labelled cases answered, so that thresholds can be tried on them."""

        def answer(bench: Workbench) -> AsyncGenerator[Any, None]:
            from app.services.evaluation.case_runs import answer_cases

            return answer_cases(bench)

        self._go(CASES, answer)

    def cancel(self, errand: str) -> None:
        """Break off a long job; nothing more is told of it."""
        self._tickets[errand] += 1
        self._call(self._cancel, errand)

    def _go(self, errand: str, stream: Callable[[Workbench], AsyncGenerator[Any, None]]) -> None:
        self.cancel(errand)
        ticket = self._tickets[errand]

        async def follow(bench: Workbench) -> None:
            if ticket != self._tickets[errand]:
                return  # cancelled before it began
            import asyncio

            task = asyncio.current_task()
            assert task is not None, "an errand runs as a task"
            self._under_way[errand] = task
            try:
                async with contextlib.aclosing(stream(bench)) as steps:
                    async for step in steps:
                        self._step.emit(errand, ticket, step)
            finally:
                if self._under_way.get(errand) is task:
                    del self._under_way[errand]

        self._do(
            follow,
            lambda _: self._end.emit(errand, ticket, ""),
            lambda sentence: self._end.emit(errand, ticket, sentence),
        )

    def _cancel(self, errand: str) -> None:
        task = self._under_way.pop(errand, None)
        if task is not None:
            task.cancel()

    # ---- on the window's thread

    def _on_step(self, errand: str, ticket: int, step: object) -> None:
        if ticket == self._tickets[errand]:
            self._steps[errand](step)

    def _on_end(self, errand: str, ticket: int, sentence: str) -> None:
        if ticket == self._tickets[errand]:
            self._ends[errand](sentence)
