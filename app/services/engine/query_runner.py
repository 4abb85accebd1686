"""Runs queries: as typed, to completion, or under other settings; each is measured once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Executor
from contextlib import aclosing
from dataclasses import replace

from app.domain.scope.inspection import Inspection, Phase
from app.services.engine.embedding import QueryVectors
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.query import inspect
from app.settings.model import Settings


class QueryRunner:
    """Runs queries on one engine; they are encoded on the executor that `encode` returns."""

    def __init__(self, engine: Engine, encode: Callable[[], Executor], metrics: EngineMetrics) -> None:
        self._engine = engine
        self._encode = encode
        self._metrics = metrics

    async def inspect(self, text: str, *, typing: bool, route: bool = True) -> AsyncGenerator[Inspection, None]:
        """Yield the lexical answer, then better ones; closing the iterator cancels pending work.

        While `typing` the LLM is asked after the pause of the settings. Without `route` no route is decided.
        """
        pause_ms = float(self._engine.settings.search_intent.debounce_ms) if typing else 0.0
        async with aclosing(
            inspect(self._engine, text, encode=self._encode, pause_ms=pause_ms, typing=typing, route=route)
        ) as answers:
            last: Inspection | None = None
            noted = False
            async for inspection in answers:
                yield inspection
                if inspection.phase is Phase.MERGED and not noted:
                    noted = True
                    self._metrics.note(inspection)
                last = inspection
            if last is not None and not noted:
                self._metrics.note(last)

    async def settle(self, text: str, *, late: bool, route: bool = True) -> Inspection:
        """Return the best answer in time, with its route; `late` also waits for late LLM answers."""
        last: Inspection | None = None
        async with aclosing(self.inspect(text, typing=False, route=route)) as answers:
            async for last in answers:
                is_whole = self._engine.encoder is None or not last.absent
                is_routed = last.route is None or last.route.is_final
                is_heard = last.phase is Phase.MERGED and not last.is_choosing
                is_found = last.searched is None or not last.searched.is_coming
                if is_heard and not late and is_whole and is_routed and is_found:
                    break
        assert last is not None, "an inspection yields at least once"
        return last

    async def settle_as(self, text: str, settings: Settings, vectors: QueryVectors | None = None) -> Inspection:
        """Return the final answer under other settings, without an LLM.

        `vectors` is a separate cache for many queries, so that they do not evict the typed ones.
        """
        llm = LlmRequests(None, self._engine.clock, EngineMetrics())
        routes = None if self._engine.routes is None else replace(self._engine.routes, route_llm=None)
        vectors = vectors or self._engine.vectors
        other = replace(self._engine, settings=settings, llm=llm, vectors=vectors, routes=routes)
        async with aclosing(inspect(other, text, encode=self._encode)) as answers:
            return [inspection async for inspection in answers][-1]
