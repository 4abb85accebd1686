"""A look at a library's health: what cannot be reached, never fires, stands still or never surfaces (S7.7)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from typing import Protocol

from app.domain.filters import MemoryFilter
from app.domain.health import Concerned, Figures, Health, HealthFinding, Looked, Sign, in_order
from app.domain.history import PastQuery
from app.domain.intent import Rule
from app.domain.library import Dated, Memory
from app.domain.running import PowerRun
from app.ports.store import Memories, PastQueries
from app.services.core import Core, EncoderState
from app.services.engine.typing_priority import TypingPriority
from app.services.library.duplicate_search import Taught, noted, one_slice, stand_back
from app.services.library.rule_trial import RuleTrial
from app.services.review import health_reach
from app.services.review import health_reach as health_past
from app.services.review.health_memories import Arrays, MemoryCheck, missing_vectors
from app.services.routing.routes import Routing

AT_ONCE = 500
"""So many memories are read before a waiting keystroke gets its turn."""

FEWEST_MARKED = 1e-9

BEFORE, MEMORIES = 0.05, 0.93
"""The shares of the work that lie before the memories, and in them."""


class Gateway(Protocol):
    """What is asked of the powers' gateway."""

    def runs(self) -> Mapping[str, PowerRun]: ...
    async def approvals(self) -> frozenset[str]: ...


async def look(
    core: Core, rule_trial: RuleTrial, routing: Routing, gateway: Gateway
) -> AsyncGenerator[float | Health, None]:
    """How far the look is, 0 to 1, time and again, and at the end what it found; closing it breaks off.

    Vectors that are being made are waited for. Runs on the core's thread; what takes long runs on one of its own, which
    stands back for whoever types. StoreError.
    """
    yield 0.0
    await core.ready()
    begun = time.perf_counter()
    taught = await noted(core.engine)
    semantic = core.engine.index.semantic
    arrays = Arrays(semantic.vectors, semantic.known.copy())
    survey = await rule_trial.survey()
    rules = await core.in_store(lambda library: library.rules())
    yield BEFORE
    check = MemoryCheck(taught, arrays, core.settings)
    async with aclosing(_on_a_thread(core, check.steps())) as steps:
        async for done in steps:
            yield BEFORE + MEMORIES * done
    texts, policy = survey.cases + survey.others, core.settings.search_intent.selection
    queries = await _past(core)
    findings = [
        *health_reach.rule_findings(rules, survey.hints, texts, policy),
        *_of_reach(core, rules, check.answers),
        *await _of_powers(core, gateway),
        *check.findings,
        *await _of_vectors(core, routing, taught, arrays),
        *await _set_aside(core),
        *await _of_past(core, routing, queries, taught),
    ]
    looked = Looked(
        memories=sum(isinstance(answer, Memory) for answer, _ in taught),
        triggers=sum(len(rows) for _, rows in taught),
        powers=len(core.engine.index.layout().powers),
        rules=sum(rule.enabled for rule in rules),
        past=len(queries),
        by_meaning=check.by_meaning,
        texts=texts,
        seconds=time.perf_counter() - begun,
    )
    yield Health(in_order(findings), looked)


def _of_reach(core: Core, rules: Sequence[Rule], answers: int) -> list[HealthFinding]:
    powers = core.engine.index.layout().powers
    has_meaning = core.status().encoder_state is not EncoderState.FAILED
    return health_reach.reach_findings(health_reach.Ground(core.settings, powers, answers, rules, has_meaning))


async def _on_a_thread(core: Core, steps: Iterator[float]) -> AsyncGenerator[float, None]:
    """Take steps on a thread of their own, a moment at a time; while an answer is due there, it waits."""
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, "health", initializer=stand_back)
    try:
        while (
            done := await loop.run_in_executor(thread, one_slice, _giving_way(core.typing_priority, steps))
        ) is not None:
            yield done
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


def _giving_way(typing_priority: TypingPriority, steps: Iterator[float]) -> Iterator[float]:
    for done in steps:
        yield done
        typing_priority.yield_to_typing()


async def _of_powers(core: Core, gateway: Gateway) -> list[HealthFinding]:
    powers = core.engine.index.layout().powers
    return health_reach.power_findings(powers, await gateway.approvals(), gateway.runs())


async def _of_vectors(core: Core, routing: Routing, taught: Taught, arrays: Arrays) -> list[HealthFinding]:
    """What is the matter with the encoder, or with the vectors that it made."""
    status, encoder = core.status(), core.engine.encoder
    if status.encoder_state is EncoderState.FAILED:
        return [HealthFinding(Sign.ENCODER_ABSENT, {"sentence": status.faults.get("encoder", "")})]
    if encoder is None:
        return []
    is_under_way = status.embedded < status.to_embed
    found = [] if is_under_way else missing_vectors(taught, arrays.known, status.put_off)
    counts = await core.in_store(lambda library: library.vector_counts())
    found += health_past.vector_findings(counts, encoder)
    route, state = core.settings.route, routing.state()
    if route.enabled and route.examples and state.examples and state.missing:
        found.append(HealthFinding(Sign.ROUTES_UNLEARNED, {"sentence": state.missing}))
    return found


async def _set_aside(core: Core) -> list[HealthFinding]:
    """Memories that take no part: paused, or below the least success score."""
    least = core.settings.min_score
    found = await _memories(core, Sign.MEMORY_PAUSED, MemoryFilter(paused=True), {})
    if least > 0.0:
        wanted = MemoryFilter(success=(0.0, least - FEWEST_MARKED), paused=False)
        found += await _memories(core, Sign.BELOW_MIN_SCORE, wanted, {"least": least})
    return found


async def _memories(core: Core, sign: Sign, wanted: MemoryFilter, figures: Figures) -> list[HealthFinding]:
    keys = await core.in_store(lambda library: library.find_memories(wanted))
    found: list[Concerned] = []
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        for dated in await core.in_store(partial(_by_key, some)):
            memory = dated.item
            name = memory.answer_label or memory.name
            found.append(Concerned(name, memory.triggers[0], "", memory.success, "memory", memory.key))
        await core.typing_priority.turn()
    return [HealthFinding(sign, figures, found)] if found else []


def _by_key(keys: Sequence[int], library: Memories) -> list[Dated[Memory]]:
    return library.memories_by_key(keys)


def _traced(keys: Sequence[int], library: PastQueries) -> list[PastQuery]:
    return library.traced_queries(keys)


async def _past(core: Core) -> list[PastQuery]:
    """The newest queries with their traces, the newest first."""
    keys = await core.in_store(health_past.newest)
    queries: list[PastQuery] = []
    for start in range(0, len(keys), health_past.READ_AT_ONCE):
        queries += await core.in_store(partial(_traced, keys[start : start + health_past.READ_AT_ONCE]))
        await core.typing_priority.turn()
    return queries


async def _of_past(core: Core, routing: Routing, queries: Sequence[PastQuery], taught: Taught) -> list[HealthFinding]:
    names = {answer.answer_label or answer.name for answer, _ in taught}
    found = health_past.past_findings(queries, core.settings, names)
    if core.settings.route.enabled:
        found += health_past.route_findings(await routing.log.metrics())
    return found
