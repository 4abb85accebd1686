"""Tests of past queries: stored after a pause, decided in undoable steps, without delays."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.store.library import SqlLibrary
from app.display.review.history import decision_of, level_of
from app.display.review.inbox import reasons
from app.display.review.trace import mark_of, stored_matches
from app.domain.errors import KnownError, StoreError
from app.domain.fits import FitPolicy
from app.domain.history import Doubt, HistoryCounts, HistoryEntry, HistoryFilter, Judgement, Source, UsageCounter
from app.domain.journal import ItemKind
from app.domain.library import Memory
from app.domain.match import Band
from app.domain.why_not import NOTHING, Expectation
from app.services import core
from app.services.engine import typing_priority
from app.services.review import history, recorder
from tests.build import some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk
from tests.unit.services.pasts import kept, past_desk, settled, teach, typed
from tests.waiting import PATIENCE

SLOW = "why is my build slow"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "REST_SECONDS", 0.0)
    monkeypatch.setattr(typing_priority, "TYPING_SECONDS", 0.0)


async def test_that_a_query_is_kept_when_it_rests_with_its_answer_and_trace() -> None:
    async with past_desk() as bench:
        told = asyncio.Event()
        bench.history.changed.subscribe(lambda counts: told.set() if counts.kept else None)
        async for _ in bench.inspect(SLOW):
            pass
        await asyncio.wait_for(told.wait(), PATIENCE)
        (query,) = await kept(bench)
        assert (query.text, query.answer, query.kind, query.source) == (SLOW, "slow-build", "memory", Source.WINDOW)
        assert query.settled_ms is not None
        assert query.key is not None
        whole = some(await bench.history.one(query.key))
        assert "query" not in some(whole.trace)
        assert some(whole.trace)["matches"][0]["name"] == "slow-build"


async def test_that_what_is_typed_over_or_deleted_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "REST_SECONDS", 1000.0)
    async with past_desk() as bench:
        for text in ("why", "why is", SLOW):
            async for _ in bench.inspect(text):
                pass
        bench.note_cleared()
        bench.history.recorder.keep_settled()
        await bench.history.recorder.flush()
        assert await kept(bench) == []
        async for _ in bench.inspect("rotate"):
            pass
        bench.history.recorder.keep_settled()
        await bench.history.recorder.flush()
        assert [query.text for query in await kept(bench)] == ["rotate"]


async def test_that_a_pause_is_not_kept_but_what_another_query_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "LOOK_SECONDS", 0.0)
    async with past_desk() as bench:
        for text in ("how do i rot", "how do i rotate keys", "how do i rotate the keys", SLOW):
            async for _ in bench.inspect(text):
                pass
        bench.note_cleared()
        await bench.history.recorder.flush()
        assert [query.text for query in await kept(bench)] == ["how do i rotate the keys", SLOW]


async def test_that_what_was_chosen_among_several_waits_with_it_in_front_and_teaches_nothing_by_itself() -> None:
    async with past_desk() as bench:
        found = await bench.settle(SLOW)
        chosen = found.matches[1].answer
        bench.history.recorder.note(found, Source.MCP)
        bench.history.recorder.note_chosen(found, chosen, Source.MCP)
        bench.history.recorder.note_chosen(found, Memory(("of no match",)), Source.MCP)
        await bench.history.recorder.flush()
        (query,) = await kept(bench)
        assert (query.answer, query.times) == (chosen.name, 1)
        assert Doubt.CHOSEN in query.doubts
        assert bench.library.cases() == []
        assert any(chosen.name in why.sentence for why in reasons(query, None) if why.doubt is Doubt.CHOSEN)
        assert query.key is not None
        await bench.history.mark(query.key, fits=True)
        (case,) = bench.library.cases()
        assert (case.text, case.expected) == (SLOW, (chosen.name,))
        await bench.curator.undo()
        assert bench.library.cases() == []


async def test_that_the_same_text_asked_again_by_the_window_itself_counts_once() -> None:
    async with past_desk() as bench:
        for text in (SLOW, SLOW, "rotate the keys", SLOW):
            await typed(bench, text)
        assert {query.text: query.times for query in await kept(bench)} == {"rotate the keys": 1, SLOW: 2}


async def test_that_hashed_queries_have_no_word_of_what_was_typed() -> None:
    async with past_desk(settings={"history.privacy": "hashed"}) as bench:
        await typed(bench, "How do I rotate zebras?")
        (query,) = await kept(bench)
        assert query.key is not None
        whole = await bench.history.one(query.key)
        assert query.text is None
        assert not query.waits
        assert query.type == "howto"
        told = str(some(whole).trace).lower()
        assert "howto" in told
        assert not any(word in told for word in ("zebra", "how do i"))
        with pytest.raises(KnownError, match="hashed"):
            await bench.history.mark(query.key, fits=True)


async def test_that_nothing_is_kept_when_it_is_off_and_what_was_kept_stays() -> None:
    async with past_desk() as bench:
        await typed(bench, SLOW)
        await bench.choose("history.privacy", "off")
        await typed(bench, "rotate the keys")
        assert await bench.history.recorder.keep([await bench.settle("x")], Source.MCP) == []
        assert [query.text for query in await kept(bench)] == [SLOW]
        assert await bench.history.forget() == 1


async def test_that_answers_of_other_surfaces_are_kept_beside_the_windows() -> None:
    async with past_desk() as bench:
        await typed(bench, SLOW)
        bench.history.recorder.note(await bench.settle(SLOW), Source.MCP)
        await settled(bench)
        assert [query.source for query in await kept(bench)] == [Source.WINDOW, Source.MCP]


async def test_that_doubtful_queries_wait_and_the_other_preset_adds_its_doubt() -> None:
    async with past_desk(settings={"name_counts": False, "history.compare_presets": True}) as bench:
        told: list[HistoryCounts] = []
        bench.history.changed.subscribe(told.append)
        await typed(bench, "zzz")
        (query,) = await kept(bench, HistoryFilter(waiting=True))
        assert Doubt.WEAK in query.doubts
        theirs = await bench.settle_as("zzz", {"preset": "as_documented"})
        ours = await bench.settle_as("zzz", {})
        differs = ours.matches[0].answer.name != theirs.matches[0].answer.name
        assert (Doubt.PRESETS in query.doubts) == differs
        assert told[-1].waiting == 1


async def test_that_presets_that_disagree_make_a_query_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async with past_desk() as bench:
        monkeypatch.setattr(recorder, "presets_differ", lambda one, other: True)
        await typed(bench, "rotate the keys")
        assert await kept(bench, HistoryFilter(doubts=(Doubt.PRESETS,))) == []
        await bench.choose("history.compare_presets", "true")
        await typed(bench, SLOW)
        (query,) = await kept(bench, HistoryFilter(doubts=(Doubt.PRESETS,)))
        assert query.waits


async def test_that_what_was_expected_is_expected_no_more_where_no_answer_is_right() -> None:
    async with past_desk() as bench:
        await typed(bench, SLOW)
        answer = (await bench.settle(SLOW)).matches[0].answer
        await bench.curator.mark(answer, SLOW, fits=True)
        await bench.curator.mark_none(SLOW)
        cases = await bench.in_store(lambda library: library.cases())
        assert all(not case.expected and not case.unwanted for case in cases)
        assert await bench.curator.mark_none(SLOW) is None, "the cases say so already"
        await settled(bench)
        assert "decided as none" not in {step.verb for step in await bench.journal.steps()}
        with pytest.raises(KnownError):
            await bench.curator.mark_none(" ")


async def test_that_marking_and_teaching_elsewhere_decides_what_waits_with_that_text() -> None:
    async with past_desk() as bench:
        for text in ("turn all keys", "open sesame", "zzz"):
            await typed(bench, text)
        keys = bench.curator.current(bench.library.memories()[1])
        await bench.curator.mark(keys, "turn all keys", fits=False)
        await bench.curator.add_trigger(keys, "open sesame")
        await bench.curator.teach(Memory(("zzz",)))
        await settled(bench)
        assert [query.decision for query in await kept(bench)] == [Judgement.WRONG, Judgement.TAUGHT, Judgement.TAUGHT]


async def test_that_a_query_acted_upon_is_kept_before_it_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "REST_SECONDS", 1000.0)
    async with past_desk() as bench:
        async for _ in bench.inspect("zzz"):
            pass
        await bench.curator.teach(Memory(("zzz",)))
        await settled(bench)
        (query,) = await kept(bench)
        assert (query.text, query.decision) == ("zzz", Judgement.TAUGHT)


async def test_that_teaching_from_the_inbox_decides_the_query_whatever_the_trigger() -> None:
    async with past_desk() as bench:
        await typed(bench, "zzz")
        (query,) = await kept(bench)
        assert query.key is not None
        await bench.history.teach(query.key, Memory(("something shorter",)))
        assert (await kept(bench))[0].decision is Judgement.TAUGHT
        await bench.curator.undo()
        assert (await kept(bench))[0].waits
        answer = await bench.history.add_trigger(query.key, bench.library.memories()[0])
        assert "zzz" in answer.triggers


async def test_that_what_waits_is_judged_anew_when_the_library_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LOOK_SECONDS", 0.0)
    async with past_desk() as bench:
        bench.learning.policy, told = FitPolicy.REFIT, asyncio.Event()
        await typed(bench, "zzz")
        await typed(bench, "kkkk wwww")
        bench.history.changed.subscribe(lambda counts: told.set() if counts.waiting == 1 else None)
        await teach(bench, [Memory(("zzz",), id="asleep", response="Wake up.")])
        await asyncio.wait_for(told.wait(), PATIENCE)
        today = some((await bench.settle_as("kkkk wwww", {})).first)
        (left,) = await kept(bench, HistoryFilter(waiting=True))
        assert (left.text, left.answer) == ("kkkk wwww", today.answer.name)
        assert left.answer_confidence == pytest.approx(today.confidence)


async def test_that_skipping_takes_along_what_waits_under_the_same_text_and_leaves_what_is_decided() -> None:
    async with past_desk() as bench:
        await typed(bench, "zzz")
        (query,) = await kept(bench)
        assert query.key is not None
        await bench.history.decide([query.key], Judgement.TAUGHT)
        unlike = replace(query, key=None, decision=None, doubts=(Doubt.WEAK,), trace={})
        others = [replace(unlike, source=source) for source in (Source.MCP, Source.LOG)]
        mcp, _ = await bench.in_store(lambda library: library.add_queries(others))
        step = some(await bench.history.skip([mcp]))
        assert (step.sentence, step.count) == ("skipped “zzz”", 2)
        assert {one.source: one.decision for one in await kept(bench)} == {
            Source.WINDOW: Judgement.TAUGHT,
            Source.MCP: Judgement.SKIPPED,
            Source.LOG: Judgement.SKIPPED,
        }
        await bench.curator.undo()
        assert {one.source: one.decision for one in await kept(bench)} == {
            Source.WINDOW: Judgement.TAUGHT,
            Source.MCP: None,
            Source.LOG: None,
        }


async def test_that_what_cannot_be_marked_says_why() -> None:
    async with past_desk() as bench:
        await typed(bench, SLOW)
        (query,) = await kept(bench)
        assert query.key is not None
        memory = bench.library.memories()[0]
        assert memory.key is not None
        await bench.journal.delete([(ItemKind.MEMORY, memory.key)])
        with pytest.raises(KnownError, match="deleted"):
            await bench.history.mark(query.key, fits=True)
        await bench.history.forget([query.key])
        with pytest.raises(KnownError, match="forgotten"):
            await bench.history.mark(query.key, fits=True)


class Refusing(MemoryLibrary):
    refuses = True

    def add_queries(self, queries: Any) -> list[int]:
        if self.refuses:
            raise StoreError("The disk is full.")
        return super().add_queries(queries)


async def test_that_a_store_that_fails_is_told_in_the_status_and_nothing_is_lost() -> None:
    library = Refusing()
    async with past_desk(lambda: library) as bench:
        await typed(bench, SLOW)
        assert "The disk is full." in bench.status().faults["history"]
        library.refuses = False
        await typed(bench, "rotate the keys")
        assert "history" not in bench.status().faults
        assert [query.text for query in await kept(bench)] == [SLOW, "rotate the keys"]


@pytest.mark.parametrize("is_forgotten", [True, False])
async def test_that_what_waits_for_the_store_is_kept_as_is_wanted_by_then(is_forgotten: bool) -> None:
    library = Refusing()
    async with past_desk(lambda: library) as bench:
        await typed(bench, SLOW)
        await (bench.history.forget() if is_forgotten else bench.choose("history.privacy", "hashed"))
        library.refuses = False
        await typed(bench, "rotate the keys")
        assert [query.text for query in await kept(bench)] == (["rotate the keys"] if is_forgotten else [None, None])


async def test_that_what_waits_for_the_store_is_tried_again_at_the_end() -> None:
    library = Refusing()
    async with past_desk(lambda: library) as bench:
        await typed(bench, SLOW)
        library.refuses = False
    assert library.count_queries().kept == 1


async def test_that_what_has_had_its_time_goes_while_the_desk_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "PRUNE_SECONDS", 0.01)

    library = MemoryLibrary()
    async with past_desk(lambda: library, settings={"history.most": 100}, watch=True) as bench:
        gone = asyncio.Event()
        bench.history.changed.subscribe(lambda counts: gone.set() if counts.kept == 100 else None)
        for at in ("2126-11-22 00:00:00", "2126-11-23 00:00:00"):
            library.add_queries([HistoryEntry(at, Source.LOG, f"q{n} {at}") for n in range(150)])
            await asyncio.wait_for(gone.wait(), PATIENCE)
            gone.clear()


async def test_that_queries_of_another_program_are_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "WATCH_SECONDS", 0.02)
    monkeypatch.setattr(core, "WATCH_SHARE", 0.0)
    async with past_desk(lambda: SqlLibrary.open(tmp_path), watch=True) as bench:
        seen = asyncio.Event()
        bench.history.changed.subscribe(lambda counts: seen.set() if counts.kept == 1 else None)
        other = SqlLibrary.open(tmp_path)
        other.add_queries([HistoryEntry("2126-11-22 00:00:00", Source.HOOK, "where is my parcel")])
        other.close()
        await asyncio.wait_for(seen.wait(), PATIENCE)


async def test_that_changes_are_told_once_for_many() -> None:
    async with past_desk() as bench:
        told: list[HistoryCounts] = []
        is_told = asyncio.Event()
        bench.history.changed.subscribe(told.append)
        bench.history.changed.subscribe(lambda _: is_told.set())
        inspection = await bench.settle(SLOW)
        for _ in range(20):
            bench.history.recorder.note(inspection, Source.MCP)
        await settled(bench)
        await asyncio.wait_for(is_told.wait(), PATIENCE)
        assert 1 <= len(told) <= 3


async def test_that_what_was_expected_is_what_a_case_says_else_the_answer_that_came_second() -> None:
    async with past_desk() as bench:
        await typed(bench, SLOW)
        (query,) = await kept(bench)
        assert query.key is not None
        matches = (await bench.settle(SLOW)).matches
        second = matches[1]
        assert await bench.history.expected(query.key) == Expectation(second.kind.value, second.answer.name)
        third = matches[2].answer
        await bench.curator.mark(third, SLOW, fits=True)
        expected = some(await bench.history.expected(query.key))
        assert expected.name in (third.answer_label, third.name)
        await bench.curator.mark_none(SLOW)
        assert await bench.history.expected(query.key) == Expectation(matches[0].kind.value, NOTHING)


async def test_that_a_mark_is_told_of_the_answer_that_was_marked() -> None:
    async with past_desk() as bench:
        await typed(bench, SLOW)
        matches = (await bench.settle(SLOW)).matches
        first, second = matches[0].answer, matches[1].answer
        await bench.curator.mark(second, SLOW, fits=True)
        await bench.history.close()
        (query,) = await kept(bench)
        assert decision_of(query) == f"✓ right: {second.answer_label or second.name}"
        assert mark_of(query, second.kind.value, second.name, second.answer_label) is True
        assert mark_of(query, first.kind.value, first.name, first.answer_label) is None
        await bench.curator.mark(first, SLOW, fits=True)
        await bench.history.close()
        (query,) = await kept(bench)
        assert decision_of(query) == "✓ right"
        assert mark_of(query, first.kind.value, first.name, first.answer_label) is True


async def test_that_a_kept_answer_has_the_level_that_the_threshold_of_its_label_gives_it() -> None:
    async with desk() as bench:
        await bench.curator.teach(Memory(("the build fails",), "Ask.", id="sure", tags=("score_threshold=0.99",)))
        bench.history.recorder.note(await bench.settle("the build failed"))
        await bench.history.recorder.flush()
        for counts, level in (("true", Band.FALLBACK), ("false", Band.HIGH)):
            await bench.choose("label_thresholds", counts)
            (query,) = await bench.history.page(await bench.history.find(HistoryFilter()))
            assert level_of(replace(query, doubts=()), bench.settings) is level


async def test_that_a_memory_without_a_name_is_listed_by_its_intent() -> None:
    async with past_desk() as bench:
        await teach(bench, [Memory(("rotate the signing keys", "new keys"), "Ask ops.", intent="keys")])
        await bench.history.recorder.keep([await bench.settle("new keys")], Source.WINDOW)
        (query,) = await kept(bench)
        first = stored_matches(some(await bench.history.one(some(query.key))), 1)[0]
        assert (query.intent, first.title, first.phrase) == ("keys", "keys", "“rotate the signing keys”")


async def test_that_counts_are_told_before_they_are_kept_and_kept_at_the_end() -> None:
    library = MemoryLibrary()
    async with desk(lambda: library) as bench:
        bench.usage.count(UsageCounter.HOOKS, "late")
        bench.usage.count(UsageCounter.MEMORIES, "injected", 0)
        assert (await bench.usage.totals(1)).counts == {(UsageCounter.HOOKS, "late"): 1}
        assert library.usage_counts.since(0) == []
    (kept,) = library.usage_counts.since(0)
    assert (kept.use, kept.outcome, kept.count) == (UsageCounter.HOOKS, "late", 1)


async def test_that_nothing_is_kept_where_no_history_is() -> None:
    library = MemoryLibrary()
    async with desk(lambda: library) as bench:
        await bench.choose("history.privacy", "off")
        bench.usage.count(UsageCounter.HOOKS, "late")
        assert bench.metrics.use[UsageCounter.HOOKS, "late"] == 1
        assert (await bench.usage.totals()).counts == {}
    assert library.usage_counts.since(0) == []
