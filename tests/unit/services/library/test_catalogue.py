"""Tests of the catalogue, intents, namespaces, and a memory's overview with its neighbours."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from app.domain.case import Case, Delivered, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter, MemoryFilter, MemoryOrder, View
from app.domain.intent import IntentType
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power
from app.domain.route import RouteFilter, RouteOrder
from app.evaluation.answers import Answered, RankedName
from app.ports.store import Library
from app.scoring.index.trigger_index import TriggerIndex
from app.services.library.intents import Confusion, IntentFigures, Intents, checked_label, figures_of, renamed_case
from app.services.library.memory_overview import (
    MORE,
    add_namespace,
    centroid_of,
    checked_name,
    count_namespaces,
    neighbours,
    read_memory_overview,
    remove_namespace,
    rename_namespace,
    unit_mean,
)
from app.services.workbench import Workbench
from app.settings.routes import weight_key
from tests.build import library_of, of_type, put, some
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk, names

KEYS = Memory(("rotate the keys", "turn the keys"), id="keys", intent="keys")
DOORS = Memory(("open the doors",), id="doors", intent="doors")


async def taught(bench: Workbench) -> None:
    await bench.curator.teach(KEYS)
    await bench.curator.teach(DOORS)


async def test_that_memories_are_found_in_order_with_their_rows_and_places() -> None:
    async with desk() as bench:
        await taught(bench)
        all_of_them = await bench.catalogue.find_memories(MemoryFilter(), MemoryOrder.ID)
        doors, keys = all_of_them.keys
        assert [all_of_them.rows[key].item.name for key in all_of_them.keys] == ["doors", "keys"]
        descending = await bench.catalogue.find_memories(
            MemoryFilter(), MemoryOrder.ID, descending=True, view=View((keys,), doors, keys)
        )
        assert (descending.keys, descending.whole) == ([keys, doors], 2)
        assert (descending.selected, descending.current, descending.top) == ([(0, 0)], 1, 0)
        assert list(await bench.catalogue.memories([doors, 99])) == [doors]
        assert dict((await bench.catalogue.facets())["label"]) == {"keys": 1, "doors": 1}


async def test_that_a_case_is_added_once_and_a_second_of_its_query_is_refused() -> None:
    async with desk() as bench:
        case = Case("turn the keys", ("keys",), Task.INTENT)
        assert await bench.catalogue.add_case(case) is not None
        with pytest.raises(KnownError, match="already exists: edit that one"):
            await bench.catalogue.add_case(replace(case, expected=("doors",)))
        await bench.catalogue.add_case(replace(case, task=Task.MEMORY))
        counts = await bench.catalogue.case_counts()
        assert (counts[Task.INTENT], counts[Task.MEMORY], counts[Task.POWER]) == (1, 1, 0)
        assert [one.expected for one in await bench.catalogue.cases_of(Task.INTENT)] == [("keys",)]
        found, by_task = await bench.catalogue.find_cases(CaseFilter("turn"), arrange=lambda keys: list(reversed(keys)))
        assert ([found.rows[key].task for key in found.keys], by_task) == ([Task.MEMORY, Task.INTENT], counts)
        assert len(await bench.catalogue.named(ItemKind.CASE, "turn the keys")) == 2


async def test_that_things_are_found_by_the_name_that_a_person_knows_them_by() -> None:
    async with desk() as bench:
        await taught(bench)
        await bench.journal.do(Edit("added", "the power “git”"), [Power("git", "Keeps versions")])
        assert [one.key for one in await bench.catalogue.powers()] == [
            one.key for one in await bench.catalogue.named(ItemKind.POWER, "git")
        ]
        (memory,) = await bench.catalogue.named(ItemKind.MEMORY, "doors")
        assert of_type(memory, Memory).triggers == DOORS.triggers
        assert await bench.catalogue.named(ItemKind.MEMORY, "windows") == []
        assert await bench.catalogue.named(ItemKind.RULE, "doors") == []


async def test_that_a_taught_route_takes_the_place_of_another_and_can_be_taken_back() -> None:
    async with desk() as bench:
        assert await bench.routing.teach("where are the orders", "orders") is True
        assert await bench.routing.teach("where are the orders", "stock") is False
        (case,) = await bench.catalogue.cases_of(Task.ROUTE)
        assert case.expected == ("stock",)
        await bench.curator.undo()
        (case,) = await bench.catalogue.cases_of(Task.ROUTE)
        assert case.expected == ("orders",)


async def test_that_routed_queries_are_found_in_the_log_with_their_rows() -> None:
    async with desk() as bench:
        for text in ("where are the orders", "count the orders"):
            bench.routing.log.note(text, await bench.routing.route(text), "route")
        found = await bench.routing.log.find(RouteFilter(), RouteOrder.AT, descending=False)
        assert [found.rows[key].text for key in found.keys] == ["where are the orders", "count the orders"]
        assert list(await bench.routing.log.page(found.keys[1:])) == list(found.keys[1:])


async def test_that_pausing_is_one_step_that_leaves_out_what_is_paused_already() -> None:
    async with desk() as bench:
        await taught(bench)
        keys = await bench.catalogue.named(ItemKind.MEMORY, "keys")
        both = [one for name in ("keys", "doors") for one in await bench.catalogue.named(ItemKind.MEMORY, name)]
        answers = [one for one in both if isinstance(one, Memory)]
        one = some(await bench.journal.pause(answers[:1], on=True))
        assert one.step.sentence == "paused “keys”"
        answers = [replace(answers[0], paused=True), answers[1]]
        assert len(keys) == 1
        assert await names(bench, "rotate the keys") == ["doors"]
        more = some(await bench.journal.pause(answers, on=True))
        assert more.step.sentence == "paused “doors”"
        assert await bench.journal.pause([replace(answer, paused=True) for answer in answers], on=True) is None
        assert await names(bench, "rotate the keys") == []


async def test_that_it_is_known_whether_the_last_step_was_one_of_settings() -> None:
    async with desk() as bench:
        await bench.curator.teach(KEYS)
        assert await bench.journal.last_of_settings() is None
        await bench.choose_all({"search_intent.surfacing_threshold": "0.5"}, Edit("set", "a threshold"))
        step = some(await bench.journal.last_of_settings()).id
        assert await bench.journal.redoes_settings() is False
        await bench.curator.undo(step)
        assert await bench.journal.last_of_settings() is None
        assert await bench.journal.redoes_settings() is True


MEMORIES = (
    Memory(("freeze my card", "please freeze it"), intent="freeze"),
    Memory(("block the card",), intent="block"),
    Memory(("stop the card",), intent="block", paused=True),
    Memory(("what is a card",), intent="explanation"),
    Memory(("no label here",)),
)
CASES = (
    Case("freeze this card", ("freeze",), Task.INTENT),
    Case("freeze or block it", ("block", "freeze"), Task.INTENT),
    Case("never freeze it", ("block",), Task.INTENT, unwanted=("freeze",)),
    Case("freeze", ("freeze",), Task.POWER),
)


def cases(bench: Workbench, task: Task = Task.INTENT) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {case.text: (case.expected, case.unwanted) for case in bench.library.cases(task)}


async def fill(bench: Workbench) -> None:
    for memory in MEMORIES:
        await bench.curator.teach(memory)
    bench.library.add("cases", CASES)


def answered(text: str, expected: str | None, *given: str) -> Answered:
    names = () if expected is None else (expected,)
    rank = given.index(expected) + 1 if expected in given else None
    ranked = tuple(RankedName(name, 0.9) for name in given)
    return Answered(Case(text, names, Task.INTENT), names, ranked, rank, rejected=False)


async def test_that_intents_are_listed_with_those_named_like_a_type() -> None:
    async with desk() as bench:
        await fill(bench)
        found = await bench.intents.stored()
        assert [(one.label, one.memories, one.triggers, one.cases) for one in found.intents] == [
            ("block", 2, 2, 2),
            ("explanation", 1, 1, 0),
            ("freeze", 1, 2, 2),
        ]


async def test_that_renaming_to_another_intent_merges_the_two() -> None:
    async with desk() as bench:
        await fill(bench)
        merged = some(await bench.intents.rename("block", "freeze"))
        assert merged.written.step.sentence == "merged the intent “block” into “freeze”"
        assert [one.label for one in (await bench.intents.stored()).intents] == ["explanation", "freeze"]
        assert cases(bench)["freeze or block it"] == (("freeze",), ())
        assert cases(bench)["never freeze it"] == (("freeze",), ())


async def test_that_cases_of_an_intent_that_is_gone_are_renamed_alone() -> None:
    async with desk() as bench:
        bench.library.add("cases", [Case("old words", ("gone",), Task.INTENT)])
        renamed = some(await bench.intents.rename("gone", "back"))
        assert (renamed.memories, renamed.cases) == (0, 1)
        assert await bench.intents.rename("gone", "back") is None
        assert await bench.intents.rename("back", "back") is None


@pytest.mark.parametrize("name", ["", "  ", "howto", " Troubleshoot ", "oos", "None", "x" * 201])
def test_that_a_name_that_no_intent_can_have_is_refused(name: str) -> None:
    with pytest.raises(KnownError):
        checked_label(name)


def test_that_a_case_names_an_intent_once_and_wants_what_it_expects() -> None:
    case = Case("text", ("a", "b"), Task.INTENT, unwanted=("c", "a"))
    assert renamed_case(case, "c", "d") == Case("text", ("a", "b"), Task.INTENT, unwanted=("d",))
    assert renamed_case(case, "c", "b") == Case("text", ("a", "b"), Task.INTENT)
    assert renamed_case(case, "b", "a").expected == ("a",)


def test_that_figures_name_what_an_intent_is_confused_with_both_ways() -> None:
    found = figures_of(
        [
            answered("1", "freeze", "freeze"),
            answered("2", "freeze", "block", "freeze"),
            answered("3", "freeze", "block"),
            answered("4", "block", "freeze", "block"),
            answered("5", "freeze"),
            answered("6", None, "freeze"),
            answered("7", "loose", "loose"),
        ]
    )
    freeze = found["freeze"]
    assert (freeze.score.expected, freeze.score.given, freeze.score.right) == (4, 3, 1)
    assert freeze.confusions == (Confusion("block", 2, 1), Confusion(None, 1, 1))
    assert freeze.rival == Confusion("block", 2, 1)
    assert found["block"].rival == Confusion("freeze", 1, 2)
    assert found["block"].score.precision == 0.0
    assert found["loose"] == IntentFigures(found["loose"].score, delivered=1)
    assert None not in found


async def test_that_the_cases_of_intents_are_put_to_the_engine() -> None:
    async with desk() as bench:
        assert (await bench.intents.evaluated()).figures == {}
        await fill(bench)
        bench.library.add("cases", [Case("please freeze it", ("freeze",), Task.INTENT)])
        told: list[tuple[int, int]] = []
        found = await bench.intents.evaluated(lambda done, total: told.append((done, total)))
        assert found.cases == 4
        assert found.figures["freeze"].score.right >= 1
        assert told[-1] == (4, 4)
        assert found.cases_state == (await bench.intents.stored()).cases_state

        async def unexpected(*of: Any) -> Any:
            shown = await bench.evaluations.today(*of)
            other = Delivered((("other", "other"),), can_inject=True)
            return replace(shown, answered=tuple(replace(one, delivered=other) for one in shown.answered))

        shown = await Intents(bench, bench.journal, unexpected).evaluated()
        undelivered = {label: replace(one, delivered=0) for label, one in found.figures.items()}
        assert (shown.figures, shown.right) == (undelivered, 0), "right answers that are not delivered do not count"


def in_namespaces(*namespaces: str) -> MemoryLibrary:
    return library_of(*(Memory((f"trigger {n}",), namespace=name, id=f"m{n}") for n, name in enumerate(namespaces)))


async def test_that_a_new_name_takes_over_the_weights_and_undo_finds_the_old_one_as_it_was() -> None:
    async with desk(lambda: in_namespaces("mine")) as bench:
        await bench.choose_all({MORE: "mine, other", weight_key(IntentType.HOWTO, "mine"): "2.5"})
        await rename_namespace(bench, bench.journal, "mine", "ours")
        namespaces = bench.settings.namespaces
        assert namespaces.own == ("mine", "other", "ours")
        assert namespaces.weights == {IntentType.HOWTO: {"mine": 2.5, "ours": 2.5}}
        await bench.journal.undo()
        assert await count_namespaces(bench) == {"mine": 1}
        assert bench.settings.namespaces.weight(IntentType.HOWTO, "mine") == 2.5


async def test_that_an_empty_one_of_one_s_own_goes_with_its_name() -> None:
    async with desk(lambda: in_namespaces("help")) as bench:
        await bench.choose_all({MORE: "mine, other", weight_key(IntentType.HOWTO, "mine"): "2.5"})
        assert (await rename_namespace(bench, bench.journal, "mine", "ours")).moved == 0
        assert bench.settings.namespaces.own == ("other", "ours")
        assert bench.settings.namespaces.weights == {IntentType.HOWTO: {"ours": 2.5}}


async def test_that_an_existing_name_keeps_its_own_weights() -> None:
    async with desk(lambda: in_namespaces("mine", "patterns")) as bench:
        await bench.choose_all({weight_key(IntentType.HOWTO, "mine"): "2.5"})
        assert (await rename_namespace(bench, bench.journal, "mine", "patterns")).moved == 1
        assert bench.settings.namespaces.weight(IntentType.HOWTO, "patterns") == 1.5
        assert bench.settings.namespaces.weights == {IntentType.HOWTO: {"mine": 2.5}}


async def test_that_what_the_command_line_says_stays_and_hinders_no_renaming() -> None:
    key = weight_key(IntentType.HOWTO, "mine")
    async with desk(lambda: in_namespaces("mine"), LetterEncoder, **{key: 3, MORE: "mine"}) as bench:
        assert (await rename_namespace(bench, bench.journal, "mine", "ours")).moved == 1
        assert bench.settings.namespaces.own == ("mine",)
        assert bench.settings.namespaces.weight(IntentType.HOWTO, "ours") == 3


async def test_that_only_empty_namespaces_of_one_s_own_are_removed() -> None:
    async with desk(lambda: in_namespaces("mine")) as bench:
        await add_namespace(bench, "spare")
        for name, why in (("help", "belongs to the program"), ("mine", "holds a memory")):
            with pytest.raises(KnownError, match=why):
                await remove_namespace(bench, name)
        await remove_namespace(bench, "spare")
        assert bench.settings.namespaces.own == ()
        for name in ("help", "mine"):
            with pytest.raises(KnownError, match="already"):
                await add_namespace(bench, name)


@pytest.mark.parametrize("name", ["", "  ", "a,b", "a=b", "a\u0007b", "x" * 101])
def test_that_some_names_are_refused(name: str) -> None:
    with pytest.raises(KnownError):
        checked_name(name)


class IndexCore:
    def __init__(self) -> None:
        self.library = MemoryLibrary()
        self.index = TriggerIndex(2)
        self.engine: Any = SimpleNamespace(index=self.index, encoder=None)

    async def in_store(self, call: Callable[[Library], Any]) -> Any:
        return call(self.library)


def test_that_a_close_look_gathers_what_is_known() -> None:
    core: Any = IndexCore()
    memory = put(core.library, Memory(("slow build",), intent="speed"))
    other = put(core.library, Memory(("build is slow",), intent="speed"))
    core.index.put([memory, other])
    core.index.embed({"slow build": np.array([1, 0], np.float32), "build is slow": np.array([0.6, 0.8], np.float32)})
    core.library.change(Edit("edited"), [replace(memory, success=0.75)])
    core.library.add(
        "cases",
        [
            Case("it crawls", ("speed",), Task.INTENT),
            Case("another", ("speed-up",), Task.INTENT),
            Case("the first", ("slow build",), Task.MEMORY),
        ],
    )
    assert memory.key is not None
    look = some(asyncio.run(read_memory_overview(core, memory.key)))
    assert look.memory.success == 0.75
    assert [revision.step.verb for revision in look.revisions] == ["edited", "put"]
    assert sorted(case.text for case in look.cases) == ["it crawls", "the first"]
    assert [near.memory.key for near in look.near] == [other.key]
    assert look.has_meaning


def test_that_a_name_that_is_stored_otherwise_is_found_exactly() -> None:
    core: Any = IndexCore()
    memory = put(core.library, Memory(('say "Grüße"',)))
    core.library.add("cases", [Case("x", ('say "Grüße"',), Task.MEMORY), Case("y", ("say",), Task.MEMORY)])
    assert memory.key is not None
    look = some(asyncio.run(read_memory_overview(core, memory.key)))
    assert [case.text for case in look.cases] == ["x"]
    assert not look.has_meaning
    assert look.near == []


def test_that_a_memory_that_is_gone_is_none() -> None:
    assert asyncio.run(read_memory_overview(cast("Any", IndexCore()), 5)) is None


VECTORS = {
    "a": (1.0, 0.0, 0.0),
    "b": (0.6, 0.8, 0.0),
    "c": (0.8, 0.6, 0.0),
    "far": (0.0, 0.0, 1.0),
    "power": (1.0, 0.0, 0.0),
}


@pytest.fixture
def index() -> TriggerIndex:
    made = TriggerIndex(3)
    made.put(
        [
            Memory(("a", "b"), key=1),
            Memory(("far", "c"), key=2),
            Memory(("far",), key=3),
            Memory(("without a vector",), key=4),
            Power("power", key=1),
        ]
    )
    made.embed({text: np.array(vector, np.float32) for text, vector in VECTORS.items()})
    return made


def test_that_the_nearest_come_first_by_their_nearest_trigger(index: TriggerIndex) -> None:
    centroid = some(centroid_of(index, 1))
    assert np.linalg.norm(centroid) == pytest.approx(1.0)
    found = neighbours(index, 1, centroid)
    assert [near.memory.key for near in found] == [2, 3]
    assert found[0].similarity == pytest.approx(float(np.dot(centroid, VECTORS["c"])), abs=1e-6)
    assert found[1].similarity == pytest.approx(0.0, abs=1e-6)


def test_that_no_more_are_told_than_asked_for(index: TriggerIndex) -> None:
    centroid = some(centroid_of(index, 1))
    assert [near.memory.key for near in neighbours(index, 1, centroid, most=1)] == [2]


def test_that_a_memory_without_vectors_or_outside_the_index_has_no_centroid(index: TriggerIndex) -> None:
    assert centroid_of(index, 4) is None
    assert centroid_of(index, 99) is None
    assert unit_mean([np.array([1, 0], np.float32), np.array([-1, 0], np.float32)]) is None


def test_that_an_empty_index_has_no_neighbours() -> None:
    assert neighbours(TriggerIndex(3), 1, np.array([1, 0, 0], np.float32)) == []


async def test_that_a_taught_label_has_no_invisible_characters() -> None:
    async with desk() as bench:
        stored = await bench.curator.teach(Memory(("where is it",), intent=" tra\u200bck\n"))
        assert stored.intent == "track"
