"""Tests of why-not for routes: lost to examples, the cache, or an LLM request (S6.3)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from app.display.scope.why_not_sentences import sentence
from app.domain.case import Case, Task
from app.domain.route import RouteAnswer
from app.domain.scope.why_not import Expectation, LostAt, Note, WhyNot
from app.ports.llm import LlmError
from app.services.workbench import Workbench
from tests.build import library_of
from tests.fakes import ScriptedLlm
from tests.unit.services.routing.test_routes import TAUGHT, VAGUE, desk


@dataclass(frozen=True, slots=True)
class Loss:
    """Query with its expected route.

    `asked`: the LLM has chosen its route before.
    """

    text: str
    expected: str
    stage: LostAt
    winner: str
    asked: bool = False
    taught: Sequence[Case] = ()
    has_llm: bool = True


KNOWN = [Case(f"aaa {'a' * n}", ("vector_similarity",), Task.ROUTE) for n in range(1, 9)]
KNOWN += [Case(f"bbb {'b' * n}", ("temporal_reasoning",), Task.ROUTE) for n in range(1, 9)]

LOSSES = {
    "examples": Loss("aaa aa", "stock", LostAt.EXAMPLES, "orders", taught=TAUGHT),
    "cache": Loss(VAGUE, "vector_similarity", LostAt.CACHE, "graph_traversal", asked=True),
    "llm": Loss(VAGUE, "graph_traversal", LostAt.LLM, "vector_similarity"),
    "llm beside examples": Loss("aab", "temporal_reasoning", LostAt.LLM, "vector_similarity", taught=KNOWN),
    "routes of one's own": Loss(f"{VAGUE} a", "stock", LostAt.FALLBACK, "orders", taught=TAUGHT),
    "fallback": Loss(VAGUE, "graph_traversal", LostAt.FALLBACK, "vector_similarity", has_llm=False),
}


def scripted() -> ScriptedLlm:
    llm = ScriptedLlm(LlmError("It classifies nothing."))
    llm.route_answer = RouteAnswer("graph_traversal", 0.8, "json", "It says so.")
    return llm


@asynccontextmanager
async def on(loss: Loss, llm: ScriptedLlm | None = None) -> AsyncGenerator[Workbench, None]:
    """Open a desk on which the loss occurs."""
    library = library_of(*loss.taught)
    async with desk((llm or scripted()) if loss.has_llm else None, library) as bench:
        if loss.asked:
            assert (await bench.routing.route(loss.text)).intent == "graph_traversal"
        yield bench


async def explained(bench: Workbench, loss: Loss) -> WhyNot:
    return await bench.why_nots.explain(loss.text, Expectation("route", loss.expected))


@pytest.mark.parametrize("name", LOSSES)
async def test_that_the_stage_is_found_that_lost_it_and_no_llm_is_asked(name: str) -> None:
    loss, llm = LOSSES[name], scripted()
    async with on(loss, llm) as bench:
        kept, before = dict(bench.routing.router.kept), list(llm.asked)
        told = await explained(bench, loss)
        assert (told.stage, told.winner_name) == (loss.stage, loss.winner)
        assert llm.asked == before
        assert bench.routing.router.kept == kept
        own, other = told.expected_confidence, told.winner_confidence
        assert own is None or other is None or own <= other, "who lost is not ahead"
        for gap in told.gaps:
            assert gap.winner is None or gap.expected is None or gap.winner >= gap.expected


@pytest.mark.parametrize("name", LOSSES)
async def test_that_the_llm_is_spoken_of_only_where_it_would_be_asked_and_once(name: str) -> None:
    loss = LOSSES[name]
    async with on(loss) as bench:
        told = await explained(bench, loss)
        assert (Note.LLM_MAY_DIFFER in told.notes) == (loss.stage is LostAt.LLM)
        assert "not asked here" not in sentence(told)


@pytest.mark.parametrize("name", LOSSES)
async def test_that_every_change_that_is_told_to_win_does(name: str) -> None:
    loss = LOSSES[name]
    async with on(loss) as bench:
        count = len((await explained(bench, loss)).changes)
    assert count, "there is something that would help"
    for place in range(count):
        async with on(loss) as bench:
            change = (await explained(bench, loss)).changes[place]
            await bench.why_nots.apply(change)
            await bench.ready()
            if change.wins:
                assert (await explained(bench, loss)).has_won, change.key
                assert (await bench.routing.route(loss.text)).intent == loss.expected, change.key


async def test_that_what_won_stands_beside_the_next_and_not_beside_itself() -> None:
    async with on(LOSSES["examples"]) as bench:
        told = await bench.why_nots.explain("aaa aa", Expectation("route", "orders"))
        assert (told.stage, told.winner_name, told.notes) == (None, "stock", ())
        (gap,) = told.gaps
        assert gap.expected is not None
        assert gap.winner is not None
        assert gap.expected > gap.winner
        assert (told.expected_confidence, told.winner_confidence) == (gap.expected, gap.winner)


async def test_that_a_kept_answer_that_wins_is_as_sure_as_the_llm_was() -> None:
    async with on(LOSSES["cache"]) as bench:
        told = await bench.why_nots.explain(VAGUE, Expectation("route", "graph"))
        assert (told.stage, told.expected_confidence, told.winner_confidence) == (None, 0.8, None)


async def test_that_the_cache_may_give_way_to_examples_that_know_better() -> None:
    loss = Loss("aaa aa", "vector_similarity", LostAt.CACHE, "graph_traversal", taught=KNOWN)
    async with on(loss) as bench:
        await bench.choose("route.examples", "false")
        assert (await bench.routing.route(loss.text)).intent == "graph_traversal"
        await bench.choose("route.examples", "true")
        told = await explained(bench, loss)
        assert told.stage is LostAt.CACHE
        change = next(one for one in told.changes if one.key == "setting.route.cache_hours")
        assert change.wins
        await bench.why_nots.apply(change)
        assert (await bench.routing.route(loss.text)).intent == loss.expected
