"""Tests of server searches: results of a complete local index, without delays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from threading import Event

import pytest

from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.filters import MemoryEdit
from app.domain.journal import Edit
from app.domain.library import Kind, Line, Memory, Power
from app.domain.match import Match
from app.domain.why_not import Expectation, LostAt, Note
from app.ports.datastore import Candidates, SearchStatus
from app.ports.encoder import Vectors
from app.services.engine import engine
from app.services.evaluation.case_runs import run_cases
from app.services.workbench import Workbench
from tests.build import library_of, of_type, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk, opened, unopened
from tests.waiting import PATIENCE

MEMORIES = [Memory((f"rotate the {key}", f"{key} are old"), id=key) for key in ("keys", "tyres", "crops", "staff")]
POWERS = [Power("vault", "keeps keys", keywords=("keys",))]
ENCODER = f"{LetterEncoder.provenance.encoder} {LetterEncoder.provenance.revision}"


def taught() -> MemoryLibrary:
    return library_of(*MEMORIES, *POWERS)


class Scan:
    """Search over every vector: the nearest memories."""

    def __init__(self, library: MemoryLibrary, *, encoder: str = ENCODER) -> None:
        self.library, self.encoder = library, encoder
        self.asked: list[tuple[str, bool]] = []
        self.vectors: list[Vectors | None] = []
        self.fault = ""
        self.touched: tuple[int, ...] = ()
        self.is_asked = self.is_closed = False
        self.hidden: frozenset[int] = frozenset()
        """Keys of memories that the search does not find."""
        self.go = Event()
        self.go.set()

    def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
        if encoder != self.encoder:
            vector = None
        self.asked.append((text, vector is not None))
        self.vectors.append(vector)
        assert self.go.wait(PATIENCE)
        if self.fault:
            raise StoreError(self.fault)
        standing = some(self.status())
        made = {
            one.key or 0: dict(zip(one.triggers, LetterEncoder().encode(one.triggers), strict=True))
            for one in self.library.memories()
        }
        if vector is None:
            return Candidates(made, standing, by_words=len(made))
        made = {key: vectors for key, vectors in made.items() if key not in self.hidden}
        best = sorted(made, key=lambda key: -max(float(own @ vector) for own in made[key].values()))[:most]
        return Candidates({key: made[key] for key in best}, standing, self.touched, len(best), 0)

    def close(self) -> None:
        self.is_closed = True

    def status(self) -> SearchStatus | None:
        self.is_asked = True
        return SearchStatus(8, 3, 3, self.encoder, 0.98, "2026-11-24") if self.encoder else None


@asynccontextmanager
async def searching(search: Scan, **chosen: object) -> AsyncGenerator[Workbench, None]:
    """Open a workbench that lets servers search."""
    made = unopened(lambda: search.library, LetterEncoder, search, **{"team.score": "server", **chosen})
    async with opened(made) as workbench:
        yield workbench
    assert search.is_closed or not search.is_asked


def told(match: Match) -> tuple[str, float, dict[str, float | None]]:
    scores = {name: None if value is None else round(value, 5) for name, value in match.scores.items()}
    return match.answer.name, round(match.confidence, 5), scores


async def test_that_where_all_is_found_the_answer_is_that_of_scoring_everything() -> None:
    async with desk(taught) as whole, searching(Scan(taught())) as part:
        assert len(part.engine.index) == len(POWERS[0].triggers)
        for text in ("rotate the keys", "old tyres", "keys"):
            here, there = await whole.settle(text), await part.settle(text)
            assert list(map(told, there.matches)) == list(map(told, here.matches))
            assert here.searched is None
            assert there.searched is not None
            assert (there.searched.found, there.searched.triggers, there.searched.recall) == (4, 8, 0.98)
            assert "candidates" in [stage.name for stage in there.trace.stages]


async def test_that_a_mail_is_searched_by_the_sentence_that_is_read() -> None:
    search = Scan(taught())
    async with searching(search) as bench:
        await bench.settle("rotate the keys")
        await bench.settle("Zzz zzz zzz! Rotate the keys. Qqqq jjjj kkkk vv.")
        near = [float(some(one) @ LetterEncoder().encode(["Rotate the keys."])[0]) for one in search.vectors]
        assert near[1] == pytest.approx(1.0)


async def test_that_the_floor_comes_first_and_what_was_found_stays_for_the_next_key() -> None:
    search = Scan(taught())
    async with searching(search) as bench:
        search.go.clear()
        async with aclosing(bench.inspect("keys")) as answers:
            floor = await anext(answers)
            assert some(floor.searched).is_coming
            assert [match.answer.name for match in floor.matches] == ["vault"]
            search.go.set()
            last = [answer async for answer in answers][-1]
        assert some(last.searched).found == 4
        search.go.clear()
        async with aclosing(bench.inspect("keys are")) as answers:
            assert "keys" in [match.answer.name for match in (await anext(answers)).matches]
        search.go.set()


async def test_that_a_fault_is_said_and_what_was_found_before_answers() -> None:
    search = Scan(taught())
    async with searching(search) as bench:
        await bench.settle("rotate the keys")
        search.fault = "The server is gone."
        found = await bench.settle("old keys")
        assert some(found.searched).fault == "The server is gone."
        assert found.matches[0].answer.name in ("keys", "vault")


async def test_that_what_was_found_longest_ago_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_LOADED", 2)
    async with searching(Scan(taught()), **{"team.candidates": 10}) as bench:
        candidates = some(bench.engine.candidates)
        for keys in ([1], [2], [1], [3]):
            await candidates.load_keys(keys)
        assert sorted(candidates.held()) == [1, 3]


async def test_that_what_was_touched_since_is_scored_with_vectors_of_its_own() -> None:
    search = Scan(taught(), encoder="another 2")
    async with searching(search) as bench:
        found = await bench.settle("rotate the keys")
        assert search.asked[-1] == ("rotate the keys", False)
        assert some(found.searched).other_encoder == "another 2"
        await bench.ready()
        assert bench.engine.index.unembedded() == []
        assert (await bench.settle("rotate the keys")).matches[0].scores["semantic"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("chosen", "encoder", "is_here"),
    [
        ({"team.score": "auto", "team.score_from": 8}, ENCODER, False),
        ({"team.score": "auto", "team.score_from": 9}, ENCODER, True),
        ({"team.score": "auto", "team.score_from": 8}, "", True),
        ({"team.score": "here", "team.score_from": 0}, ENCODER, True),
    ],
)
async def test_that_size_decides_where_is_scored_unless_it_is_said(
    chosen: dict[str, object], encoder: str, *, is_here: bool
) -> None:
    async with searching(Scan(taught(), encoder=encoder), **chosen) as bench:
        assert (bench.engine.candidates is None) == is_here
        assert (await bench.settle("rotate the keys")).matches[0].answer.name == "keys"
        await asyncio.sleep(0)


async def test_that_cases_and_what_is_expected_are_counted_on_though_servers_find_few() -> None:
    search = Scan(taught())
    search.library.add("cases", [Case("rotate the crops", ("crops",), Task.MEMORY)])
    async with searching(search, **{"team.candidates": 10}) as bench:
        candidates = some(bench.engine.candidates)
        found = [run async for run in run_cases(bench, bench.evaluations, [1])][-1]
        assert [outcome.is_right for outcome in found.outcomes] == [True]
        assert [candidates.gathered(text) is None for text in ("rotate the crops", "another")] == [False, True]
        search.hidden = frozenset({3})
        lost = await bench.why_nots.explain("rotate the keys", Expectation("memory", "crops"))
        assert lost.stage is not LostAt.NOT_TAUGHT
        assert Note.NOT_FOUND in lost.notes
        search.hidden = frozenset()
        explained = await bench.why_nots.explain("rotate the keys", Expectation("memory", "crops"))
        assert Note.NOT_FOUND not in explained.notes
        assert "search" in bench.status().notes


async def test_that_a_memory_that_changes_while_it_is_searched_gets_vectors_of_its_own() -> None:
    class Edited(Scan):
        """Search whose local library is newer than its servers."""

        def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
            found = super().search(text, vector, most, encoder=encoder)
            own = next(memory for memory in self.library.memories() if memory.id == "keys")
            self.library.change(Edit("edited"), [replace(own, triggers=("zzz zzz", own.triggers[1]))])
            return found

    async with searching(Edited(taught())) as bench:
        await bench.settle("rotate the keys")
        await bench.ready()
        index = bench.engine.index
        for text in ("zzz zzz", "keys are old"):
            (row,) = index.exact.rows(text)
            assert index.semantic.vectors[row] == pytest.approx(LetterEncoder().encode([text])[0], abs=1e-3)


async def test_that_servers_that_are_filled_anew_are_asked_by_the_encoder_that_they_have_then() -> None:
    search = Scan(taught(), encoder="another 2")
    async with searching(search) as bench:
        for encoder, is_ours in (("another 2", False), (ENCODER, True), ("another 2", False)):
            search.encoder = encoder
            found = await bench.settle("rotate the keys")
            assert search.asked[-1] == ("rotate the keys", is_ours)
            assert some(found.searched).other_encoder == ("" if is_ours else "another 2")


async def test_that_vectors_of_an_encoder_that_was_exchanged_meanwhile_are_not_taken() -> None:
    search = Scan(taught())
    async with searching(search) as bench:
        candidates, known = bench.engine.candidates, search.search("", None, 4).vectors
        assert isinstance(candidates, engine.WorkingSet)
        old = SearchStatus(8, 3, 3, "another 2")
        await candidates.load_keys(known, Candidates(known, old))
        assert bench.engine.index.embedded() == len(POWERS[0].triggers)
        new = SearchStatus(8, 3, 3, ENCODER)
        bench.engine.index.remove((Kind.MEMORY, 1))
        await candidates.load_keys(known, Candidates(known, new))
        assert bench.engine.index.embedded() > len(POWERS[0].triggers)


async def test_that_what_was_gathered_stays_though_others_ask_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_LOADED", 1)

    search = Scan(taught())
    async with searching(search, **{"team.candidates": 10}) as bench:
        candidates = some(bench.engine.candidates)
        search.hidden = frozenset({2, 3, 4})
        vector = LetterEncoder().encode(["keys"])[0]
        await asyncio.gather(candidates.gather("keys", vector), candidates.load_keys([2]))
        for keys in ([1], [3], [4], [2]):
            await candidates.load_keys(keys)
        assert sorted(candidates.held()) == [1, 2]


async def test_that_edits_of_many_leave_the_others_to_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_LOADED", 1)
    async with searching(Scan(taught())) as bench:
        candidates = some(bench.engine.candidates)
        await candidates.load_keys([2])
        await bench.journal.edit_many([1, 2, 3, 4], MemoryEdit(label="old"))
        assert len(candidates.held()) <= 2
        await candidates.load_keys([2])
        found = bench.engine.index.answer((Kind.MEMORY, 2))
        assert of_type(found, Memory).intent == "old"
        stored = await bench.curator.teach(Memory(("quite new",)))
        assert stored.key in candidates.held()


async def test_that_a_threshold_is_every_memorys_of_its_label() -> None:
    search = Scan(taught())
    async with searching(search) as bench:
        assert bench.engine.candidates is not None
        await bench.journal.edit_many([1, 2, 3], MemoryEdit(label="old"))
        bench.engine.index.remove((Kind.MEMORY, 3))
        _, count = await bench.curator.set_thresholds({"old": 0.7})
        assert count == 1
        assert [memory.threshold for memory in search.library.memories()] == [0.7, 0.7, 0.7, None]


async def test_that_an_import_changes_what_was_found_before() -> None:
    async with searching(Scan(taught())) as bench:
        candidates = some(bench.engine.candidates)
        await candidates.load_keys([1])
        await bench.import_sources([("memories", [Line(1, Memory(("turn the locks",), id="keys"))])])
        found = bench.engine.index.answer((Kind.MEMORY, 1))
        assert found is not None
        assert found.triggers == ("turn the locks",)
        assert candidates.held() == [1]
