"""Tests of the preview of a draft power, computed without changing the index."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.library import Memory, Power
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.services.powers.power_preview import UNSTORED, PowerTrial, holders_by_keyword
from tests.build import library_of, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk

POWERS = [
    Power("postgres", "Ask PostgreSQL", ("postgres", "database")),
    Power("mysql", "Ask MySQL", ("mysql", "database")),
    Power("mongodb", "Ask MongoDB", ("database",), paused=True),
]


def library() -> MemoryLibrary:
    return library_of(*POWERS, Memory(("run a postgres query",), id="memory"))


async def test_that_standings_are_those_of_the_whole_index() -> None:
    async with desk(library) as bench:
        await bench.ready()
        trial = PowerTrial(bench)
        for text in ("run a postgres query", "check my database", "something else"):
            inspection = await bench.settle(text)
            found = {m.answer.key: m.confidence for m in inspection.matches if isinstance(m.answer, Power)}
            standings = await trial.standings(text)
            assert len(standings) == 2
            for key, confidence in found.items():
                assert key is not None
                assert standings[key].confidence == pytest.approx(confidence, abs=1e-6)
                is_sure = standings[key].tier is Tier.ACTIVATED
                assert standings[key].lack is (ActivationBlocker.COMMAND if is_sure else None)


async def test_that_taking_a_keyword_away_is_seen_before_it_is_stored() -> None:
    async with desk(library) as bench:
        await bench.ready()
        postgres = bench.library.powers()[0]
        trial = PowerTrial(bench)
        effect = await trial.effect("run a postgres query", replace(postgres, keywords=("database",)))
        assert effect.before is not None
        assert (effect.before.rank, effect.before.among, effect.before.tier) == (1, 2, Tier.ACTIVATED)
        assert effect.before.confidence >= 0.9 > some(effect.after).confidence
        again = await trial.effect("run a postgres query", postgres)
        assert again.before == again.after == effect.before
        assert bench.library.powers()[0] == postgres
        assert bench.engine.index.answers()[postgres.kind, postgres.key or 0] == postgres


async def test_that_a_new_power_is_tried_and_a_paused_one_does_not_answer() -> None:
    async with desk(library) as bench:
        await bench.ready()
        trial = PowerTrial(bench)
        new = await trial.effect("look at the weather", Power("weather", keywords=("weather",)))
        assert new.before is None
        assert (some(new.after).rank, some(new.after).among) == (1, 3)
        assert UNSTORED not in await trial.standings("look at the weather")
        paused = bench.library.powers()[2]
        assert (await trial.effect("database", paused)).after is None
        woken = await trial.effect("database", replace(paused, paused=False))
        assert woken.before is None
        assert woken.after is not None


async def test_that_what_was_stored_meanwhile_counts() -> None:
    async with desk(library) as bench:
        await bench.ready()
        trial = PowerTrial(bench)
        await trial.standings("database")
        mysql = bench.library.powers()[1]
        await bench.journal.edit(replace(mysql, keywords=("mysql",)))
        await bench.ready()
        shared = await trial.effect("look into the database now", bench.library.powers()[0])
        assert some(shared.before).confidence == pytest.approx(0.9)


async def test_that_no_query_has_no_standings() -> None:
    async with desk(library) as bench:
        await bench.ready()
        assert await PowerTrial(bench).standings("  ") == {}


def test_that_holders_are_counted_as_keywords_are_matched_and_paused_powers_hold_nothing() -> None:
    stored = [replace(power, key=number) for number, power in enumerate(POWERS, 1)]
    draft = replace(stored[0], keywords=("Databases", "postgres", "query"))
    assert holders_by_keyword(stored, draft) == {"Databases": 2, "postgres": 1, "query": 1}
