"""Workbench with a scripted LLM: links, models and a pull, as slow as a test needs."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator

from app.domain.review.usage import UsageTotals
from app.ports.llm import LlmError
from app.services.engine.metrics import EngineMetrics
from app.services.review.recorder import UsageLog
from app.services.system.connection import REMEDIES, Link, LinkState, without_address
from tests.gui.inspections import FakeWorkbench

SENTENCES = {
    "Address": "http://127.0.0.1:11434.",
    "Server": "Ollama 0.33.0 answers.",
    "Model": "qwen2.5:1.5b is on the server.",
    "Loaded": "It was loaded in 2,140 ms. A cold start is not a time-out.",
    "Answer": "“how do I rotate a page”: howto 0.912, mode one_token.",
    "Latency": "142 ms is the median of 5 answers; the budget is 200 ms.",
}
MODELS = ["qwen2.5:1.5b", "smollm2:135m"]


class FakeUseLog(UsageLog):
    """Usage counts set by a test."""

    def __init__(self) -> None:
        self.found = UsageTotals(30)

    async def totals(self, days: int = 30) -> UsageTotals:
        return self.found


class ConnectedWorkbench(FakeWorkbench):
    """Workbench; `fails_at` names the failing link, `step` is the duration of each one."""

    def __init__(self) -> None:
        super().__init__()
        self.fails_at: str | None = None
        self.step = 0.0
        self.total = 100
        self.models = list(MODELS)
        self.model_fault: LlmError | None = None
        self.under_way = 0
        self.metrics = EngineMetrics()
        self.usage: FakeUseLog = FakeUseLog()

    async def check_llm(self) -> AsyncGenerator[tuple[Link, ...], None]:
        if not self.settings.llm.url:
            yield without_address()
            return
        links, step = {name: Link(name, LinkState.WAITING) for name in REMEDIES}, self.step
        self.under_way += 1
        try:
            for name, sentence in SENTENCES.items():
                links[name] = Link(name, LinkState.RUNNING)
                yield tuple(links.values())
                await asyncio.sleep(step)
                if name == self.fails_at:
                    links[name] = Link(name, LinkState.FAILED, "No answer from http://127.0.0.1:9.", REMEDIES[name])
                    yield tuple(links.values())
                    return
                links[name] = Link(name, LinkState.FINE, sentence)
                yield tuple(links.values())
        finally:
            self.under_way -= 1

    async def llm_models(self) -> list[str]:
        if self.model_fault is not None:
            raise self.model_fault
        return self.models

    async def pull_llm(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        step = self.step
        self.under_way += 1
        try:
            yield "pulling manifest", 0, 0
            if model == "nowhere":
                raise LlmError("pull model manifest: file does not exist.")
            for done in range(0, self.total + 1, 10):
                await asyncio.sleep(step)
                yield "pulling 4a1b", done * 1_000_000, self.total * 1_000_000
                while self.is_held:  # noqa: ASYNC110 - it is set on the window's thread
                    await asyncio.sleep(0.005)
            self.models.append(model)
        finally:
            self.under_way -= 1


def with_measures(bench: ConnectedWorkbench) -> ConnectedWorkbench:
    """Add some hundred generated detections, most of them with an LLM within its budget."""
    metrics, dice = bench.metrics, random.Random(11)
    for number in range(240):
        ms = dice.lognormvariate(4.9, 0.45)
        late = ms > 200
        metrics.llm_started += 1
        if number % 12 == 0:
            metrics.llm_completed["cancelled"] += 1
            metrics.outcomes["superseded"] += 1
            continue
        metrics.llm_completed["timeout" if late else "success"] += 1
        metrics.outcomes["timed_out" if late else "answered"] += 1
        if late:
            metrics.llm_timeouts["cold" if number < 20 else "budget"] += 1
        metrics.llm_seconds.add(ms / 1000)
        if number % 3 == 0:
            metrics.detected("keyword", dice.uniform(0.0002, 0.0009))
        metrics.detected("keyword" if late else "hybrid" if number % 7 else "llm", min(ms, 200) / 1000)
    metrics.llm_orphaned = 1
    return bench
