"""Tests of roll-outs: a fixed side per query, separate counts, and roll-back on an alert."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.domain.errors import StoreError
from app.domain.route import RolloutStep, RouteFilter
from app.services.routing.rollout import LEAST, NO_CANDIDATE, NO_LOG, RolloutState, bucket_of
from app.services.workbench import Workbench
from app.settings.model import SettingsError
from app.settings.refusals import candidate_text, parse_candidate
from tests.build import some
from tests.fakes import Clock, MemoryLibrary
from tests.unit.services.routing.test_routes import desk

WORSE = {"route.rules": "false", "route.examples": "false"}
"""Settings under which nothing decides, so that each query goes to the safe store."""

RULED = [f"{what} {n}" for n in range(60) for what in ("similar texts", "who is connected to whom", "papers by author")]


async def asked(bench: Workbench, texts: list[str]) -> None:
    for text in texts:
        bench.routing.log.note(text, await bench.routing.route(text))
    await bench.routing.rollout.ready()


def with_desk(*works: Callable[[Workbench], Awaitable[None]], **chosen: Any) -> None:
    """Run each piece of work on its own workbench, over the same library."""
    library, wall = MemoryLibrary(), Clock()

    async def run() -> None:
        for work in works:
            async with desk(library=library, wall=wall, **chosen) as bench:
                await work(bench)
            wall.now += 60.0

    asyncio.run(run())


def test_that_a_query_keeps_its_side_while_the_share_grows() -> None:
    places = {text: bucket_of(text, "a") for text in RULED}
    assert all(0.0 <= place < 100.0 for place in places.values())
    assert places == {text: bucket_of(f"{text.upper()}?", "a") for text in RULED}
    # Another candidate gets other queries, each about its share.
    assert sum(abs(place - bucket_of(text, "b")) < 1.0 for text, place in places.items()) < 20
    assert 0.3 < sum(place < 50.0 for place in places.values()) / len(places) < 0.7


def test_that_a_candidate_is_written_and_read_again() -> None:
    assert parse_candidate(candidate_text(WORSE)) == WORSE
    assert parse_candidate(" ") == {}
    for bad in ("route.threshold", "route.threshold=", "theme=dark", "llm.model=x"):
        with pytest.raises(ValueError, match="a candidate"):
            parse_candidate(bad)


def test_that_a_rollout_that_does_worse_goes_back_by_itself_and_stays_back() -> None:
    told: list[RolloutState] = []
    name = candidate_text(WORSE)

    async def begin(bench: Workbench) -> None:
        bench.routing.rollout.changed.subscribe(told.append)
        await asked(bench, RULED[:9])
        state = await bench.routing.rollout.roll_out(50, WORSE)
        assert (state.share, state.candidate, state.back) == (50, name, None)
        assert bench.settings.route.rollout == 50
        await asked(bench, RULED[:60])
        # Too few decisions of the candidate to judge it.
        then = await bench.routing.log.decisions(RouteFilter(configuration=name))
        assert 10 < len(then) < LEAST
        assert {one.configuration for one in await bench.routing.log.decisions()} == {"", name}
        assert bench.routing.rollout.state.share == 50
        sides = {text: (await bench.routing.route(text)).configuration for text in RULED[:60]}
        assert sides == {text: name if bucket_of(text, name) < 50 else "" for text in sides}

    async def go_on(bench: Workbench) -> None:
        # The next start continues: earlier decisions count.
        assert bench.routing.rollout.state.share == 50
        await asked(bench, RULED[60:])
        state = bench.routing.rollout.state
        assert (state.share, bench.settings.route.rollout) == (0, 0)
        assert "Rules decide only 0 % of the queries; 001 expects 60 % at least." in some(state.back).why
        assert "went to the fallback" in some(state.back).why
        assert bench.routing.state().rollout == state
        assert (await bench.routing.route(RULED[0])).configuration == ""
        metrics = some(await bench.routing.rollout.metrics())
        assert metrics.candidate == name
        assert metrics.then.count >= LEAST
        assert (metrics.today.rule_hits or 0.0) > 0.6 > (metrics.then.rule_hits or 0.0)

    async def later(bench: Workbench) -> None:
        back = some(bench.routing.rollout.state.back)
        assert "Rules decide only" in back.why
        # After a confirmation, here in another program, it may be tried again: earlier decisions no longer count.
        await bench.in_store(lambda library: library.routes.add_rollout(RolloutStep(back.at + 1.0, 0, name)))
        await bench.choose("theme", "dark")
        await bench.routing.rollout.ready()
        assert bench.routing.rollout.state.back is None
        state = await bench.routing.rollout.roll_out(100)
        assert (state.share, state.candidate) == (100, name)
        assert (await bench.routing.route(RULED[0])).configuration == name
        await asked(bench, RULED[:12])
        assert bench.routing.rollout.state.share == 100
        assert (await bench.routing.rollout.roll_out(0)).share == 0
        await bench.in_store(lambda library: library.routes.add_rollout(RolloutStep(back.at + 2.0, 0, name, "Again.")))

    async def at_last(bench: Workbench) -> None:
        back = some(bench.routing.rollout.state.back)
        assert back.why == "Again."
        assert (await bench.routing.rollout.roll_out(0)).back is None

    with_desk(begin, go_on, later, at_last)
    assert [state.share for state in told] == [50]


def test_that_what_is_pinned_outside_is_held_back_by_what_is_kept() -> None:
    async def work(bench: Workbench) -> None:
        await asked(bench, RULED)
        assert bench.settings.route.rollout == 100
        back = some(bench.routing.rollout.state.back)
        assert (await bench.routing.route(RULED[0])).configuration == ""
        await bench.choose("theme", "dark")
        await bench.routing.rollout.ready()
        assert (bench.routing.rollout.state.share, bench.routing.rollout.state.back) == (0, back)
        assert (await bench.routing.route(RULED[0])).configuration == ""

    async def again(bench: Workbench) -> None:
        assert (bench.settings.route.rollout, bench.routing.rollout.state.share) == (100, 0)
        assert bench.routing.rollout.state.back is not None

    with_desk(work, again, route__rollout=100, route__candidate=candidate_text(WORSE))


def test_that_what_cannot_be_rolled_out_says_why() -> None:
    async def work(bench: Workbench) -> None:
        rollout = bench.routing.rollout
        assert await rollout.metrics() is None
        assert (await rollout.roll_out(0)).share == 0
        assert await bench.journal.steps() == [], "nothing is ended where nothing is rolled out"
        with pytest.raises(SettingsError, match="No candidate"):
            await rollout.roll_out(10)
        for bad in ({"route.threshold": "7"}, {"theme": "dark"}):
            with pytest.raises(SettingsError):
                await rollout.roll_out(10, bad)
        await bench.choose("route.rollout", "10")
        await rollout.ready()
        assert (rollout.state.share, rollout.state.hindrance) == (0, NO_CANDIDATE)
        await rollout.roll_out(10, WORSE)
        await bench.choose("history.privacy", "off")
        await rollout.ready()
        assert (rollout.state.share, rollout.state.hindrance) == (0, NO_LOG)
        assert (await bench.routing.route(RULED[0])).configuration == ""
        with pytest.raises(SettingsError, match="needs the log"):
            await rollout.roll_out(50)

    with_desk(work)


class Unwritable(MemoryLibrary):
    def __init__(self) -> None:
        super().__init__()
        self.routes.add_rollout = self._refuse  # type: ignore[method-assign]

    def _refuse(self, step: RolloutStep) -> None:
        raise StoreError("The library cannot be written.")


async def test_that_a_library_that_cannot_be_written_rolls_nothing_out() -> None:
    async with desk(library=Unwritable(), route__rollout=100, route__candidate=candidate_text(WORSE)) as bench:
        assert bench.routing.rollout.state.hindrance == "The library cannot be written."
        assert (await bench.routing.route(RULED[0])).configuration == ""
