"""One query's way through the engine: the floor at once, then each better answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import Executor
from typing import Any

from app.domain.inspection import PAINT_STAGE, Inspection
from app.domain.llm import LlmReport
from app.domain.query import Query
from app.services.engine import Engine
from app.services.query_trip import QueryTrip


async def inspect(
    engine: Engine, text: str, *, encode: Callable[[], Executor], pause_ms: float = 0.0, typing: bool = False
) -> AsyncGenerator[Inspection, None]:
    """Yield the floor (keywords and lexical scores), then a better answer each time the query's vector or the LLM's
    word has come. The LLM is asked after a typing pause of `pause_ms`; for the route, while `typing`, only if that is
    wanted.

    `encode` names the thread of the engine's encoder, which may be exchanged for another between two answers. The
    engine's settings are read once, at the start; a failing encoder leaves the floor standing and says so.
    """
    trip = QueryTrip(engine, Query.of(text), pause_ms, typing=typing)
    trip.detect()
    if trip.query.is_empty:
        yield trip.nothing_typed()
        return
    trip.recall_vector()
    if not typing:
        # Who types sees the lexical answer first; else the vector is made on its thread while this one scores.
        trip.begin_embedding(encode)
    reports = engine.lane.reports(trip.query.scored, trip.settings, pause_ms)
    waiting: dict[asyncio.Task[Any], Callable[[asyncio.Task[Any]], bool]] = {}
    try:
        trip.score_lexically()
        floor, shown = trip.inspection(), engine.clock.now_ms()
        yield floor
        if typing:
            trip.stages.add(PAINT_STAGE, shown)
        trip.begin_embedding(encode)
        waiting |= dict.fromkeys(trip.to_come(), lambda task: False)
        waiting[asyncio.create_task(_next(reports))] = trip.hear
        while waiting:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if waiting.pop(task)(task):
                    waiting[asyncio.create_task(_next(reports))] = trip.hear
            if trip.has_news:
                yield trip.inspection()
    finally:
        trip.cancel()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await reports.aclose()


async def _next(reports: AsyncIterator[LlmReport]) -> LlmReport | None:
    return await anext(reports, None)
