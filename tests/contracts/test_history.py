"""Contract of every Library on past queries: stored, found, decided in steps, deleted."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.filters import MemoryFilter, MemoryOrder
from app.domain.history import Access, Doubt, HistoryEntry, HistoryFilter, HistoryOrder, Judgement, Source
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power, Transport
from app.domain.running import RunRecord, ToolSchema
from app.ports.store import Library
from db.schema import digest
from tests.build import put, remove, some
from tests.fakes import MemoryLibrary

ALL = HistoryFilter()
SKIP = Edit("skipped", "a query")


def asked(text: str | None, **values: Any) -> HistoryEntry:
    made = HistoryEntry("2026-11-22 04:26:21", Source.WINDOW, text, "howto", 0.6, "memory", "slow-build", 0.8)
    return replace(made, **values)


def found(library: Library, wanted: HistoryFilter = ALL, order: HistoryOrder = HistoryOrder.AT) -> list[str | None]:
    return [query.text for query in library.queries_by_key(library.find_queries(wanted, order))]


def test_that_a_query_comes_back_as_it_was_kept_and_its_trace_when_it_is_asked_for(library: Library) -> None:
    query = asked("Wie baue ich das?", status="activated", settled_ms=12.5, doubts=(Doubt.TIED, Doubt.WEAK))
    (key,) = library.add_queries([replace(query, trace={"matches": [1, 2], "intent": None}, trace_version=7)])
    (listed,) = library.queries_by_key([key])
    assert replace(listed, digest=b"") == replace(query, key=key, doubts=(Doubt.WEAK, Doubt.TIED))
    assert listed.digest
    assert listed.trace is None
    whole = some(library.query(key))
    assert (whole.trace, whole.trace_version) == ({"matches": [1, 2], "intent": None}, 7)
    assert library.query(key + 1) is None
    assert library.queries_by_key([key + 1, key]) == [listed]


def test_that_a_text_is_kept_once_a_source_with_its_latest_answer(library: Library) -> None:
    keys = library.add_queries([asked("a", trace={"n": 1}), asked("b"), asked("a", at="2026-11-22 05:00:00", times=2)])
    assert keys[0] == keys[2] != keys[1]
    (other,) = library.add_queries([asked("a", source=Source.MCP)])
    assert other not in keys
    (query,) = library.queries_by_key([keys[0]])
    assert (query.times, query.at) == (3, "2026-11-22 05:00:00")
    whole = some(library.query(keys[0]))
    assert whole.trace is None
    assert library.queries_of(["a", "c"]) == sorted([keys[0], other])


def test_that_a_digest_is_one_query_with_its_text_and_takes_the_text_away(library: Library) -> None:
    (key,) = library.add_queries([asked("secret")])
    assert library.add_queries([asked(None, digest=digest("secret"), doubts=(Doubt.WEAK,))]) == [key]
    (query,) = library.queries_by_key([key])
    assert library.add_queries([asked(None, digest=query.digest, doubts=(Doubt.WEAK,))]) == [key]
    (hashed,) = library.queries_by_key([key])
    assert (hashed.text, hashed.times, hashed.waits) == (None, 3, False)
    assert found(library, HistoryFilter("secret")) == []
    assert library.add_queries([asked("secret")]) == [key]
    assert found(library, HistoryFilter("secret")) == ["secret"]


def test_that_lone_surrogates_do_not_keep_a_query_from_being_kept(library: Library) -> None:
    (key,) = library.add_queries([asked("a\ud800b")])
    assert found(library, HistoryFilter("A\ud800B")) == ["a\ufffdb"]
    assert library.queries_of(["a\ud800b"]) == [key]


def test_that_filters_let_through_what_they_name(library: Library) -> None:
    doubtful = asked("Straße zum Ärger", doubts=(Doubt.WEAK, Doubt.TIMED_OUT), type=None)
    (_, second, _) = library.add_queries(
        [doubtful, asked("the build", source=Source.LOG), asked("a slow build", at="2026-11-23 00:00:00")]
    )
    library.decide(SKIP, [second], Judgement.SKIPPED)
    assert found(library, HistoryFilter("BUILD slow")) == ["a slow build"]
    assert found(library, HistoryFilter("ärger STRASSE")) == ["Straße zum Ärger"]
    assert found(library, HistoryFilter(sources=(Source.LOG, Source.MCP))) == ["the build"]
    assert found(library, HistoryFilter(doubts=(Doubt.TIMED_OUT, Doubt.TIED))) == ["Straße zum Ärger"]
    assert found(library, HistoryFilter(decisions=(Judgement.SKIPPED,))) == ["the build"]
    assert found(library, HistoryFilter(types=("",))) == ["Straße zum Ärger"]
    assert found(library, HistoryFilter(types=("howto",))) == ["the build", "a slow build"]
    assert found(library, HistoryFilter(waiting=True)) == ["Straße zum Ärger"]
    assert found(library, HistoryFilter(since="2026-11-23")) == ["a slow build"]


@pytest.mark.parametrize("order", HistoryOrder)
@pytest.mark.parametrize("descending", [False, True])
def test_that_orders_go_up_and_down_and_what_is_absent_comes_last(
    library: Library, order: HistoryOrder, descending: bool
) -> None:
    low = asked("A", at="2026-11-21 00:00:00", type="comparison", confidence=0.1, answer="aa", answer_confidence=0.1)
    high = asked("b", at="2026-11-22 00:00:00", confidence=0.9, answer="B", answer_confidence=0.9, settled_ms=2.0)
    absent = asked(None, digest=b"d" * 32, at="2026-11-23 00:00:00", type=None, confidence=1.0, answer=None)
    keys = library.add_queries([high, replace(low, settled_ms=1.0), replace(absent, answer_confidence=1.0)])
    got = library.find_queries(HistoryFilter(), order, descending=descending)
    rising = [keys[1], keys[0]]
    always_there = order in (HistoryOrder.AT, HistoryOrder.CONFIDENCE, HistoryOrder.ANSWER_CONFIDENCE)
    if always_there:
        rising.append(keys[2])
    assert got == (rising[::-1] if descending else rising) + ([] if always_there else [keys[2]])


def test_that_a_decision_is_a_step_that_is_undone_and_done_again(library: Library) -> None:
    keys = library.add_queries([asked("a", doubts=(Doubt.WEAK,)), asked("b", doubts=(Doubt.WEAK, Doubt.TIED))])
    assert library.count_queries().by_doubt[Doubt.WEAK] == 2
    written = some(library.decide(SKIP, [*keys, 99], Judgement.SKIPPED))
    assert (written.step.sentence, written.step.count) == ("skipped a query", 2)
    assert [query.decision for query in library.queries_by_key(keys)] == [Judgement.SKIPPED] * 2
    assert library.count_queries().waiting == 0
    library.undo()
    counts = library.count_queries()
    assert (counts.kept, counts.waiting, counts.by_doubt[Doubt.WEAK], counts.by_doubt[Doubt.TIED]) == (2, 2, 2, 1)
    assert found(library, HistoryFilter(waiting=True)) == ["a", "b"]
    library.redo()
    assert found(library, HistoryFilter(decisions=(Judgement.SKIPPED,))) == ["a", "b"]
    assert library.decide(SKIP, [99], Judgement.SKIPPED) is None


def test_that_undoing_a_decision_brings_back_the_one_before_also_once_its_step_is_forgotten(library: Library) -> None:
    keys = library.add_queries([asked("a", doubts=(Doubt.WEAK,)), asked("b", doubts=(Doubt.WEAK,))])

    def decided() -> list[Judgement | None]:
        return [query.decision for query in library.queries_by_key(keys)]

    library.decide(Edit("marked right", "a query"), keys[:1], Judgement.RIGHT)
    library.decide(Edit("marked wrong", "two queries"), keys, Judgement.WRONG)
    assert decided() == [Judgement.WRONG] * 2
    library.undo()
    assert decided() == [Judgement.RIGHT, None]
    assert found(library, HistoryFilter(decisions=(Judgement.RIGHT,))) == ["a"]
    assert found(library, HistoryFilter(waiting=True)) == ["b"]
    library.undo()
    assert decided() == [None, None]
    library.redo()
    library.redo()
    assert decided() == [Judgement.WRONG] * 2
    library.undo()
    library.empty_bin()
    library.decide(SKIP, keys[1:], Judgement.SKIPPED)  # the undone step is deleted with its decision
    library.undo()
    library.prune(0)
    assert decided() == [Judgement.RIGHT, None]


def test_that_a_decision_goes_with_the_step_that_it_belongs_to(library: Library) -> None:
    (key,) = library.add_queries([asked("a", doubts=(Doubt.WEAK,))])
    taught = some(library.change(Edit("taught"), [Memory(("a",))]))
    assert library.decide(taught.step.id, [key], Judgement.TAUGHT) is not None
    assert len(library.steps()) == 1
    library.undo()
    assert (library.memories(), found(library, HistoryFilter(waiting=True))) == ([], ["a"])
    assert library.decide(taught.step.id, [key], Judgement.RIGHT) is None
    library.change(Edit("taught"), [Memory(("b",))])
    assert found(library, HistoryFilter(waiting=True)) == ["a"]


def test_that_decisions_stay_when_their_step_grows_old_or_the_bin_is_emptied(library: Library) -> None:
    keys = library.add_queries([asked("a", doubts=(Doubt.WEAK,)), asked("b", doubts=(Doubt.WEAK,))])
    library.decide(SKIP, keys[:1], Judgement.SKIPPED)
    library.empty_bin()
    assert len(library.steps()) == 1
    library.prune(0)
    assert library.steps() == []
    assert found(library, HistoryFilter(waiting=True)) == ["b"]


def test_that_the_journal_forgets_what_a_forgotten_query_said_and_nothing_else(library: Library) -> None:
    library.change(Edit("taught", "“my bank code”"), [Memory(("my bank code",))])
    keys = library.add_queries([asked("my bank code"), asked("b")])
    for key, text in zip(keys, ("my bank code", "b"), strict=True):
        library.decide(Edit("skipped", f"“{text}”"), [key], Judgement.SKIPPED)
    library.forget_queries(keys[:1])
    assert [step.sentence for step in library.steps()] == ["skipped “b”", "skipped a query", "taught “my bank code”"]
    library.prune_queries(0, 100, 100)
    assert [step.subject for step in library.steps()] == ["a query", "a query", "“my bank code”"]
    assert library.undo() is not None


def test_that_a_decision_stands_until_another_answer_is_in_doubt(library: Library) -> None:
    query = asked("a", doubts=(Doubt.WEAK,))
    (key,) = library.add_queries([query])
    library.decide(SKIP, [key], Judgement.SKIPPED)
    for same in (query, replace(query, answer="other", doubts=())):
        library.add_queries([same])
        assert library.queries_by_key([key])[0].decision is Judgement.SKIPPED
    library.add_queries([replace(query, type="location")])
    assert library.queries_by_key([key])[0].waits
    library.undo()
    library.redo()
    assert library.queries_by_key([key])[0].waits


def test_that_doubts_are_added_in_their_order_and_only_to_what_is_there(library: Library) -> None:
    (key,) = library.add_queries([asked("a", doubts=(Doubt.TIMED_OUT,))])
    library.add_doubts(key, [Doubt.PRESETS])
    library.add_doubts(key, [Doubt.PRESETS])
    library.add_doubts(99, [Doubt.PRESETS])
    assert library.queries_by_key([key])[0].doubts == (Doubt.PRESETS, Doubt.TIMED_OUT)


def test_that_queries_are_forgotten_by_key_or_all(library: Library) -> None:
    keys = library.add_queries([asked("a", trace={}), asked("b", trace={}), asked("c")])
    library.decide(SKIP, keys, Judgement.SKIPPED)
    assert library.forget_queries([keys[0], 99]) == 1
    assert found(library) == ["b", "c"]
    assert library.forget_queries() == 2
    assert library.count_queries().kept == 0
    assert library.undo() is not None
    (again,) = library.add_queries([asked("a")])
    assert again not in keys


def test_that_what_is_too_old_or_too_many_goes_some_at_a_time(library: Library) -> None:
    library.add_queries([asked(f"q{n:02}", at=f"2126-11-22 00:00:{n:02}", trace={}) for n in range(20)])
    while library.prune_queries(30, 5, 100):
        pass
    assert found(library) == [f"q{n}" for n in range(15, 20)]


def test_that_only_what_is_older_than_so_many_days_goes(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.add_queries([asked("old", at="2020-01-01 00:00:00"), asked("new", at="2126-01-01 00:00:00")])
    assert library.prune_queries(30, 100, 1_000) == 0  # there is no newer query: the clock may be wrong
    earlier = datetime.now(UTC) - timedelta(days=2)
    library.add_queries([asked("of late", at=f"{earlier:%Y-%m-%d %H:%M:%S}")])
    assert library.prune_queries(30, 100, 1_000) == 1
    assert library.prune_queries(30, 100, 1_000) == 0
    assert found(library) == ["of late", "new"]
    library.close()


def test_that_queries_and_decisions_outlive_the_program(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    (key,) = library.add_queries([asked("a", doubts=(Doubt.WEAK,), trace={"n": 1})])
    library.decide(SKIP, [key], Judgement.SKIPPED)
    library.close()
    library = SqlLibrary.open(tmp_path)
    query = some(library.query(key))
    assert (query.decision, query.trace) == (Judgement.SKIPPED, {"n": 1})
    library.undo()
    assert found(library, HistoryFilter(waiting=True)) == ["a"]
    library.close()


def test_that_a_text_that_waits_from_several_sources_is_in_the_inbox_once(library: Library) -> None:
    doubt = (Doubt.WEAK,)
    window, _ = library.add_queries([asked("a", doubts=doubt), asked("b", doubts=doubt)])
    (mcp,) = library.add_queries([asked("a", source=Source.MCP, doubts=doubt, at="2026-11-22 05:00:00")])
    waiting = HistoryFilter(waiting=True)
    assert found(library, waiting) == ["b", "a"]
    assert mcp in library.find_queries(waiting)
    assert library.count_queries().waiting == 2
    assert library.count_queries().by_doubt[Doubt.WEAK] == 2
    library.decide(SKIP, [mcp], Judgement.SKIPPED)
    assert window in library.find_queries(waiting), "the other is still in doubt"
    library.decide(SKIP, [window], Judgement.SKIPPED)
    assert found(library, waiting) == ["b"]


def test_that_an_undelivered_query_leaves_the_inbox_while_its_cases_expect_no_answer(library: Library) -> None:
    weak, both = (Doubt.WEAK,), (Doubt.WEAK, Doubt.CEILING)
    library.add_queries([asked("lol", doubts=weak), asked("found", doubts=weak), asked("type", doubts=both)])
    library.change(Edit("imported"), [Case(text, (), Task.INTENT) for text in ("lol", "found", "type")])
    library.change(Edit("added"), [Case("found", ("slow-build",), Task.POWER)])
    assert found(library, HistoryFilter(waiting=True)) == ["found", "type"]
    assert library.count_queries().waiting == 2
    library.add_queries([asked("lol", doubts=(Doubt.TIED,))])
    assert "lol" in found(library, HistoryFilter(waiting=True)), "something is delivered, so the case fails"
    library.add_queries([asked("lol", doubts=weak)])
    library.undo()
    library.undo()
    assert found(library, HistoryFilter(waiting=True)) == ["lol", "found", "type"]


def test_that_what_assistants_are_told_is_logged_with_its_query_and_counted_for_its_memory(library: Library) -> None:
    told, cut, never = (put(library, Memory((text,), id=text)) for text in ("told", "cut", "never"))
    first = Access(told.key or 0, 1, 0.9)
    out = Access(cut.key or 0, None, 0.8, "paused")
    early = asked("a", source=Source.HOOK, accesses=(out, replace(first, rank=3)))
    (key, other) = library.add_queries([early, asked("b", source=Source.MCP, accesses=(first,))])
    assert [library.add_queries([replace(early, at="2026-11-23 00:00:00", accesses=(out, first))])] == [[key]]
    query = some(library.query(key))
    assert query.accesses == (first, out)
    assert [one.injected for one in library.queries_by_key([key, other])] == [1, 1]
    assert [one.name for one in query.accesses] == ["told", "cut"]
    logged = library.accesses_of(told.key or 0, 2)
    assert [(one.access.rank, one.source, one.text, one.query) for one in logged] == [
        (1, Source.HOOK, "a", key),
        (1, Source.MCP, "b", other),
    ]
    rows = library.memories_by_key([one.key or 0 for one in (told, cut, never)])
    assert [(row.used, row.last_used) for row in rows] == [(3, "2026-11-23 00:00:00"), (0, ""), (0, "")]
    assert library.find_memories(MemoryFilter(usage=(0, 0))) == [cut.key, never.key]
    assert library.find_memories(MemoryFilter(), MemoryOrder.USAGE, descending=True)[0] == told.key
    assert library.memories()[0] == told, "to be told is no edit"


def test_that_the_log_is_forgotten_with_its_queries_and_the_oldest_lines_go_while_counts_stay(library: Library) -> None:
    memory = put(library, Memory(("a",)))
    key = memory.key or 0
    keys = library.add_queries([asked(f"q{n}", accesses=(Access(key, 1, 0.9),), source=Source.HOOK) for n in range(4)])
    library.add_queries([asked(None, digest=digest("q3"), accesses=(Access(key, 2, 0.9),), source=Source.HOOK)])
    assert [one.text for one in library.accesses_of(key, 9)] == [None, None, "q2", "q1", "q0"]
    library.forget_queries(keys[:1])
    assert [one.text for one in library.accesses_of(key, 9)] == [None, None, "q2", "q1"]
    while library.prune_queries(99_999, 100, 3):
        pass
    assert [one.text for one in library.accesses_of(key, 9)] == [None, None, "q2"]
    remove(library, memory)
    assert some(library.query(keys[2])).accesses[0].name == ""
    library.forget_queries()
    assert library.accesses_of(key, 9) == []
    put(library, memory)
    assert library.memories_by_key([key])[0].used == 5


def test_that_right_marks_are_taken_back_with_their_step(library: Library) -> None:
    memory = put(library, Memory(("a",)))
    library.change(Edit("marked"), [replace(memory, right=memory.right + 1)])
    assert library.find_memories(MemoryFilter(right=(1, 9))) == [memory.key]
    library.undo()
    assert library.memories()[0].right == 0
    library.redo()
    assert library.memories()[0].right == 1


FIRST, SECOND = Provenance("first", "1", 3), Provenance("second", "1", 2)
TEXTS = [f"text {number}" for number in range(10)]


@pytest.fixture
def embedded() -> Library:
    opened = MemoryLibrary()
    opened.put_embeddings(FIRST, TEXTS, np.ones((10, 3), np.float32))
    opened.put_embeddings(SECOND, TEXTS[5:], np.ones((5, 2), np.float32))
    return opened


def test_that_vectors_of_what_is_kept_stay_whoever_made_them(embedded: Library) -> None:
    assert embedded.prune_embeddings(TEXTS[4:7], 100) == 4 + 3 + 3
    assert set(embedded.embeddings(FIRST, TEXTS)) == set(TEXTS[4:7])
    assert set(embedded.embeddings(SECOND, TEXTS)) == set(TEXTS[5:7])
    assert embedded.prune_embeddings(TEXTS[4:7], 100) == 0


def test_that_no_more_texts_than_asked_for_go_at_once(embedded: Library) -> None:
    assert embedded.prune_embeddings((), 4) <= 8
    assert len({*embedded.embeddings(FIRST, TEXTS), *embedded.embeddings(SECOND, TEXTS)}) == 6
    while embedded.prune_embeddings((), 4):
        pass
    assert embedded.embeddings(FIRST, TEXTS) == {}


def test_that_vectors_are_counted_by_where_they_come_from(embedded: Library) -> None:
    assert embedded.vector_counts() == {FIRST: 10, SECOND: 5}
    embedded.prune_embeddings(TEXTS[:5], 100)
    assert embedded.vector_counts() == {FIRST: 5}


POWER = Power("git", transport=Transport("git-server"))
TOOLS = (
    ToolSchema("log", "Tells\0 what\ud800 was.", "Log", {"type": "object", "properties": {"n": {"maximum": 10**40}}}),
    ToolSchema("bare", output_schema={"type": "object"}),
)


@pytest.fixture
def runs_library() -> Library:
    made = MemoryLibrary()
    made.change(Edit("added"), [POWER])
    return made


def key_of(runs_library: Library) -> int:
    return runs_library.powers()[0].key or 0


def test_that_nothing_is_kept_of_a_power_that_never_ran(runs_library: Library) -> None:
    assert runs_library.run_records() == {}


def test_that_what_is_given_is_kept_and_the_rest_stays(runs_library: Library) -> None:
    key = key_of(runs_library)
    runs_library.record_run(key, approved="abc")
    runs_library.record_run(key, tools=TOOLS[1:], activations=1)
    runs_library.record_run(key, seen={"bare": "d"}, calls=3)
    runs_library.record_run(key, calls=2)
    kept = runs_library.run_records()[key]
    assert replace(kept, last_used=None) == RunRecord("abc", TOOLS[1:], {"bare": "d"}, 1, 5)
    assert kept.last_used is not None
    runs_library.record_run(key, tools=(), seen={})
    assert (runs_library.run_records()[key].tools, runs_library.run_records()[key].seen) == ((), {})


def test_that_no_use_is_no_time_of_use(runs_library: Library) -> None:
    runs_library.record_run(key_of(runs_library), approved="abc")
    assert runs_library.run_records()[key_of(runs_library)].last_used is None


def test_that_whatever_text_a_server_tells_can_be_kept(runs_library: Library) -> None:
    runs_library.record_run(key_of(runs_library), tools=TOOLS)
    assert runs_library.run_records()[key_of(runs_library)].tools == TOOLS


def test_that_whatever_withdraws_an_approval_forgets_what_it_was_for(runs_library: Library) -> None:
    key = key_of(runs_library)
    runs_library.change(Edit("approved"), [replace(runs_library.powers()[0], approved=True)])
    runs_library.record_run(key, approved="abc", calls=1)
    runs_library.change(Edit("edited"), [replace(runs_library.powers()[0], description="other")])
    assert runs_library.run_records()[key].approved == "abc"
    runs_library.change(Edit("edited"), [replace(runs_library.powers()[0], transport=Transport("other"))])
    assert runs_library.run_records()[key].approved == ""
    runs_library.undo()
    assert runs_library.powers()[0].approved
    assert (runs_library.run_records()[key].approved, runs_library.run_records()[key].calls) == ("", 1)


def test_that_a_power_that_comes_back_from_the_bin_unapproved_is_unapproved(runs_library: Library) -> None:
    key = key_of(runs_library)
    runs_library.record_run(key, approved="abc")
    runs_library.change(Edit("deleted"), gone=[(ItemKind.POWER, key)])
    runs_library.undo()
    assert runs_library.run_records()[key].approved == ""
