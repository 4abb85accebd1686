"""Tests of conflicts and duplicates: found, and resolved in one undoable step."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.domain.errors import KnownError
from app.domain.health import DuplicateFinding, DuplicateKind, SimilarityThresholds
from app.domain.library import Kind, Memory, Power
from app.scoring import duplicates as duplicate_findings
from app.scoring.duplicates import Findings
from app.scoring.index.trigger_index import TriggerIndex
from app.services.library import duplicates
from app.services.workbench import Workbench
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

SPELLING = SimilarityThresholds(0.85, 1.0)

LIBRARY = (
    Memory(("Reset my password!",), "Use the form.", id="form", usage=3, tags=("a",)),
    Memory(("reset  my password", "lost my password"), "Call us.", id="call", usage=9, tags=("b", "a")),
    Memory(("freeze my account",), intent="freeze"),
    Memory(("please freeze my account now", "FREEZE my account."), intent="freeze"),
    Memory(("when were you born today",), intent="age"),
    Memory(("where were you born today",), intent="place"),
    Power("bank", examples=("show my balance", "when was i born today"), keywords=("freeze my account",)),
)


@asynccontextmanager
async def opened(*answers: Memory | Power) -> AsyncGenerator[Workbench, None]:
    bench = real_bench(MemoryLibrary(), answers or LIBRARY)
    await bench.open(llm=False, watch=False)
    await bench.ready()
    try:
        yield bench
    finally:
        await bench.close()


async def found(bench: Workbench, least: SimilarityThresholds = SPELLING) -> Findings:
    told = [each async for each in bench.duplicates.search(least)]
    shares = [each for each in told if isinstance(each, float)]
    assert shares == sorted(shares)
    last = told[-1]
    assert isinstance(last, Findings)
    return last


def texts(finding: DuplicateFinding) -> set[str]:
    return {holding.trigger for holding in finding.holdings}


def of(found: Findings, likeness: DuplicateKind) -> list[set[str]]:
    return [texts(finding) for finding in found.found if finding.likeness is likeness]


def one(found: Findings, *triggers: str) -> DuplicateFinding:
    (finding,) = (finding for finding in found.found if texts(finding) == set(triggers))
    return finding


def triggers(bench: Workbench) -> dict[str, tuple[str, ...]]:
    return {memory.name: memory.triggers for memory in bench.library.memories()}


async def test_that_findings_are_named_sorted_and_scored() -> None:
    async with opened() as bench:
        told = await found(bench)
        assert of(told, DuplicateKind.CONFLICT) == [{"Reset my password!", "reset  my password"}]
        assert {"when were you born today", "where were you born today"} in of(told, DuplicateKind.NEAR_CONFLICT)
        assert of(told, DuplicateKind.DUPLICATE) == [{"freeze my account", "FREEZE my account."}]
        kinds = [finding.likeness for finding in told.found]
        assert kinds == sorted(kinds, key=list(DuplicateKind).index)
        conflict = told.found[0]
        assert [holding.answer.name for holding in conflict.holdings] == ["call", "form"]
        near = one(told, "when were you born today", "where were you born today")
        assert near.spelling == pytest.approx(46 / 49, abs=0.02)
        assert near.meaning is not None
        assert (told.searched, told.unembedded) == (10, 0)


async def test_that_signs_with_a_meaning_make_no_duplicate_and_are_merged_with_the_others() -> None:
    one = Memory(("set temp -5", "learn C++", "50 %", "buy it"), id="one", intent="a")
    other = Memory(("set temp 5", "learn C#", "50", "Buy it!"), id="other", intent="a")
    async with opened(one, other) as bench:
        told = await found(bench)
        assert of(told, DuplicateKind.DUPLICATE) == [{"buy it", "Buy it!"}]
        await bench.duplicates.merge(told.found[0], 0)
        assert triggers(bench) == {"one": (*one.triggers, *other.triggers[:-1])}


async def test_that_without_vectors_only_spelling_is_compared_and_that_is_said() -> None:
    bench = real_bench(MemoryLibrary(), LIBRARY)
    await bench.open(encoder=False, llm=False, watch=False)
    told = await found(bench, SimilarityThresholds(0.85, 0.5))
    assert told.unembedded == told.searched == 10
    assert all(finding.meaning is None for finding in told.found)
    await bench.close()


async def test_that_a_near_conflict_kept_gives_the_other_wording_to_the_answer_that_is_kept() -> None:
    async with opened() as bench:
        near = one(await found(bench), "when were you born today", "where were you born today")
        await bench.duplicates.keep(near, 0)
        by_label = {memory.intent: memory.triggers for memory in bench.library.memories()}
        assert by_label["age"] == ("when were you born today", "where were you born today")
        assert "place" not in by_label
        assert bench.engine.index.same_but_punctuation("where were you born today")[0].answer_label == "age"
        await bench.curator.undo()
        assert {memory.intent for memory in bench.library.memories()} >= {"age", "place"}


async def test_that_a_duplicate_kept_loses_the_others_and_a_memory_without_triggers_goes() -> None:
    async with opened() as bench:
        duplicate = one(await found(bench), "freeze my account", "FREEZE my account.")
        place = [holding.trigger for holding in duplicate.holdings].index("FREEZE my account.")
        await bench.duplicates.keep(duplicate, place)
        freezing = [memory.triggers for memory in bench.library.memories() if memory.intent == "freeze"]
        assert freezing == [("please freeze my account now", "FREEZE my account.")]


async def test_that_what_is_told_apart_is_never_shown_again_until_that_is_undone() -> None:
    async with opened() as bench:
        told = await found(bench)
        conflict = told.found[0]
        assert await bench.duplicates.mark_different(conflict) is not None
        assert await bench.duplicates.mark_different(conflict) is None
        assert conflict not in await bench.duplicates.fresh(told.found)
        assert of(await found(bench), DuplicateKind.CONFLICT) == []
        await bench.curator.undo()
        assert of(await found(bench), DuplicateKind.CONFLICT) == [texts(conflict)]


async def test_that_another_answer_for_what_was_told_apart_is_shown() -> None:
    async with opened() as bench:
        await bench.duplicates.mark_different((await found(bench)).found[0])
        await bench.curator.teach(Memory(("reset my password",), "Ask Ann."))
        (conflict,) = of(await found(bench), DuplicateKind.CONFLICT)
        assert len(conflict) == 3


async def test_that_what_changed_meanwhile_is_refused_and_drops_out() -> None:
    async with opened() as bench:
        told = await found(bench)
        conflict = told.found[0]
        await bench.duplicates.drop(conflict, 0)
        with pytest.raises(KnownError, match="meanwhile"):
            await bench.duplicates.drop(conflict, 0)
        left = await bench.duplicates.fresh(told.found)
        assert conflict not in left
        assert len(left) == len(told.found) - 1


async def test_that_a_search_that_is_left_stops_and_the_next_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "SLICE_SECONDS", 0.0)
    async with opened() as bench:
        search = bench.duplicates.search(SPELLING)
        assert isinstance(await anext(search), float)
        await search.aclose()
        assert (await found(bench)).searched == 10


async def test_that_a_search_begins_anew_when_the_library_changes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "AT_ONCE", 1)
    async with opened() as bench:
        searching = asyncio.create_task(found(bench))
        await asyncio.sleep(0)
        bench.engine.index.put([Memory(("lost  MY password",), "Ask Ann.", key=99)])
        assert {"lost my password", "lost  MY password"} in of(await searching, DuplicateKind.CONFLICT)


async def test_that_near_ones_beyond_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicate_findings, "MOST_FINDINGS", 2)
    async with opened(
        *(Memory((f"what is the price of item {letter}",), intent="price") for letter in "abcd")
    ) as bench:
        told = await found(bench)
        assert len(of(told, DuplicateKind.NEAR_DUPLICATE)) == 2
        assert told.left_out == {DuplicateKind.NEAR_DUPLICATE: 4}


async def test_that_a_typed_trigger_is_told_what_it_is_near_under_other_answers() -> None:
    async with opened() as bench:
        near = await bench.duplicates.near("when were you born  Today", "place", SPELLING)
        assert [(each.answer.answer_label or each.answer.name, each.is_same) for each in near][:1] == [("age", True)]
        assert near[0].spelling == 1.0
        own = await bench.duplicates.near("when were you born today", "age", SPELLING)
        assert {each.answer.answer_label for each in own} == {"place"}
        assert not any(each.is_same for each in own)
        assert await bench.duplicates.near("  ", None) == []
        assert await bench.duplicates.near("nothing is like this one", None, SPELLING) == []
        keyword = await bench.duplicates.near("freeze my account", "freeze", SPELLING)
        assert keyword == [], "a power's keyword is no trigger that somebody else may not have"


# ---- The search for similar triggers stays correct during edits of the library.


MANY = 1_500
MEANING = SimilarityThresholds(1.0, 0.99)
ALIKE = {"how old are you", "tell me your age"}


def memories() -> list[Memory]:
    """Make memories that are not similar, and at the end two of equal meaning under two labels."""
    texts = [f"{number * 7_919:x} {number:o} {number}" for number in range(MANY)] + sorted(ALIKE)
    return [Memory((text,), intent=f"label {number}", key=number) for number, text in enumerate(texts, 1)]


def taught() -> TriggerIndex:
    random, index = np.random.default_rng(5), TriggerIndex(16)
    vectors = random.normal(size=(MANY + 2, 16)).astype(np.float32)
    vectors[-1] = vectors[-2]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index.put(memories())
    index.embed({memory.triggers[0]: vector for memory, vector in zip(memories(), vectors, strict=True)})
    return index


def desk_with(index: TriggerIndex, meanwhile: Callable[[], None]) -> Any:
    """Make a desk on which something is done during a store access."""

    async def in_store(_: object) -> set[object]:
        meanwhile()
        await asyncio.sleep(0)
        return set()

    return SimpleNamespace(engine=SimpleNamespace(index=index), in_store=in_store)


def near_conflicts(found: float | Findings) -> list[set[str]]:
    assert isinstance(found, Findings)
    wanted = (finding for finding in found.found if finding.likeness is DuplicateKind.NEAR_CONFLICT)
    return [{holding.trigger for holding in finding.holdings} for finding in wanted]


async def test_that_an_index_laid_out_anew_before_the_search_is_searched_as_it_is_then() -> None:
    index = taught()

    def thin_out() -> None:
        for key in range(1, 1_202):
            index.remove((Kind.MEMORY, key))
        before = len(index.texts())
        index.put([Memory(("one more",), intent="more", key=9_999)])
        assert len(index.texts()) < before

    steps = [step async for step in duplicates.search_in_background(desk_with(index, thin_out), MEANING)]
    assert near_conflicts(steps[-1]) == [ALIKE]
    assert isinstance(steps[-1], Findings)
    assert steps[-1].searched == MANY + 3 - 1_201


async def test_that_an_answer_edited_during_the_search_is_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "SLICE_SECONDS", 0.0)
    index = taught()

    search = duplicates.search_in_background(desk_with(index, lambda: None), MEANING)
    assert await anext(search) == 0.0
    index.put([Memory(memories()[-1].triggers, "Another answer.", intent=memories()[-1].intent, key=MANY + 2)])
    steps = [step async for step in search]
    assert near_conflicts(steps[-1]) == [ALIKE]
