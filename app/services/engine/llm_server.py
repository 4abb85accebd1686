"""LLM server that a profile's settings name."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager

from app.ports.llm import LlmConnection, LlmUnreachableError
from app.services.engine.connection import ConnectionCheck, Link, without_address
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.settings.sections import LlmSettings


class ConfiguredLlmServer:
    """Server of the settings: connected for queries, checked, its models listed and pulled."""

    def __init__(
        self,
        make: Callable[[LlmSettings], LlmConnection],
        engine: Engine,
        metrics: EngineMetrics,
        on_change: Callable[[], None],
    ) -> None:
        self._make = make
        self._engine = engine
        self._metrics = metrics
        self._changed = on_change

    async def set_up(self) -> None:
        """Connect to the configured LLM, if any, and start to warm it up."""
        settings, before = self._engine.settings, self._engine.llm
        llm = settings.llm
        client = self._make(llm) if llm.url and llm.model and settings.search_intent.use_llm else None
        self._engine.llm = LlmRequests(client, self._engine.now_ms, self._metrics)
        self._engine.llm.state_changed.subscribe(lambda _: self._changed())
        self._engine.llm.start()
        await before.close()

    async def check(self) -> AsyncGenerator[tuple[Link, ...], None]:
        """Check every link to the LLM in turn; yields all links after each change."""
        if not self._engine.settings.llm.url:
            yield without_address()
            return
        async with self._connection() as llm:
            check = ConnectionCheck(llm, self._engine.settings, self._engine.now_ms)
            async with aclosing(check.run()) as steps:
                async for links in steps:
                    yield links

    async def models(self) -> list[str]:
        """Return the models of the server; raises LlmError."""
        async with self._connection() as llm:
            return await llm.models()

    async def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        """Pull a model; yields status, bytes done and total. Closing cancels; raises LlmError."""
        async with self._connection() as llm, aclosing(llm.pull(model)) as steps:
            async for step in steps:
                yield step

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[LlmConnection, None]:
        """Open a separate connection, so that a check never blocks a query."""
        llm = self._engine.settings.llm
        if not llm.url:
            raise LlmUnreachableError("No address is set (llm.url).")
        connection = self._make(llm)
        try:
            yield connection
        finally:
            await connection.close()
