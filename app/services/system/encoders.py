"""Encoders service: compare, choose, cancel, install and download encoders."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.encoder import EncoderFacts, FetchStep, Provenance
from app.domain.errors import KnownError
from app.evaluation.comparison import Comparison
from app.services.core import Core, Progress
from app.services.engine.adapters import Adapters
from app.services.engine.encoder_loader import EncoderLoader, configured_encoder
from app.services.evaluation.evaluations import Evaluations
from app.services.evaluation.trials import RANKED
from app.settings.model import value_of
from app.settings.sections import EncoderSettings

KEYS = {field: f"encoder.{field}" for field in ("name", "model", "url")}

NO_CASES = (
    "There are no labelled cases to try it on, so what it gains here is unknown. Mark answers "
    "right or wrong, or import cases."
)

TIMED_QUERIES = tuple(f"how do I rotate page {number}" for number in range(5))
"""Typical short queries; the median time is reported."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Comparison of another encoder on the labelled cases of a task."""

    task: Task
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Measured:
    """Cost of the current encoder: ms per query, and memory in bytes (None if unknown)."""

    provenance: Provenance
    query_ms: float
    memory_bytes: int | None


class Encoders:
    """`workbench.encoders`."""

    def __init__(
        self,
        adapters: Adapters,
        core: Core,
        encoder_loader: EncoderLoader,
        evaluations: Evaluations,
    ) -> None:
        self._adapters = adapters
        self._core = core
        self._engine = core.engine
        self._evaluations = evaluations
        self._encoder_loader = encoder_loader

    async def facts(self, chosen: EncoderSettings) -> EncoderFacts:
        """Describe an encoder without loading it; an empty address means the LLM's."""
        if chosen.name == "ollama" and not chosen.url:
            chosen = chosen.model_copy(update={"url": self._engine.settings.llm.url})
        return await asyncio.to_thread(self._adapters.encoders[chosen.name].facts, chosen)

    async def measure(self) -> Measured:
        """Time some queries with the current encoder.

        Raises EncoderError, or KnownError without one.
        """
        encoder, times = self._engine.encoder, []
        if encoder is None:
            raise KnownError("No encoder is ready.")
        loop = asyncio.get_running_loop()
        for query in TIMED_QUERIES:
            begun = self._adapters.now_ms()
            await loop.run_in_executor(self._encoder_loader.thread, encoder.encode, [query])
            times.append(self._adapters.now_ms() - begun)
        return Measured(encoder.provenance, statistics.median(times), self._encoder_loader.memory)

    async def gain(self, chosen: EncoderSettings, progress: Progress | None = None) -> Gain:
        """Compare an encoder with the current one on the cases of the task with the most cases.

        Nothing is stored; cancelling stops it. Raises KnownError without cases, or if the encoder is unavailable.
        """
        facts = await self.facts(chosen)
        if facts.fault:
            raise KnownError(facts.fault)
        cases = await self._core.in_store(lambda library: library.cases())
        by_task = {task: [case for case in cases if case.task is task] for task in RANKED}
        task = max(by_task, key=lambda task: len(by_task[task]))
        if not by_task[task]:
            raise KnownError(NO_CASES)
        changes = {dotted: str(getattr(chosen, field)) for field, dotted in KEYS.items()}
        return Gain(task, await self._evaluations.compare(by_task[task], task, changes, progress))

    async def choose(self, chosen: EncoderSettings) -> None:
        """Store the choice of an encoder and load it in the background.

        Raises SettingsError, KnownError.
        """
        facts = await self.facts(chosen)
        if facts.fault:
            raise KnownError(facts.fault)
        await self._core.choose_all({dotted: getattr(chosen, field) or None for field, dotted in KEYS.items()})

    async def load_again(self) -> None:
        """Reload the configured encoder, such as after its model was replaced."""
        self._encoder_loader.follow(anew=True)

    async def cancel(self) -> None:
        """Return to the current encoder, keeping new vectors; raises KnownError without one."""
        before = self._encoder_loader.answering
        if before is None:
            raise KnownError("No previous encoder to go back to.")
        await self._core.choose_all(dict.fromkeys(KEYS.values()))
        settings = self._engine.settings
        if configured_encoder(settings) != before:
            changed = {dotted: str(getattr(before, field)) for field, dotted in KEYS.items()}
            await self._core.choose_all({dotted: v for dotted, v in changed.items() if v != value_of(settings, dotted)})
        self._encoder_loader.follow()

    # ---- downloads

    def install(self) -> AsyncGenerator[FetchStep, None]:
        """Install sentence-transformers step by step; closing cancels; raises KnownError."""
        return self._adapters.installer.install()

    def download(self, model: str) -> AsyncGenerator[FetchStep, None]:
        """Download a model by name, step by step; closing cancels; raises KnownError."""
        return self._adapters.installer.download(model)
