"""Contract of every Library: found items and their order."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.filters import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.history import HistoryEntry, Source
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, StoredIntent
from app.ports.store import Library
from tests.fakes import MemoryLibrary

MEMORIES = (
    Memory(("Rotate the keys", "new keys, please"), "monthly", "Security", "security", ("ops", "a,b"), "m-1", 0.9, 3),
    Memory(("check my database",), "", None, "apis", (), None, 0.5, 0, paused=True),
    Memory(("Überprüfe die Datenbank",), "ja", "alpha", "context", ("ops-2", 'x"ops'), "k2", 0.1, 10),
    Memory(("what's up?",), "nothing", "security", "context", ("Ops",), None, 0.5, 1, source="seed"),
)
HOSTILE = (
    '"',
    "'",
    "a OR b",
    "NOT",
    "NEAR(",
    "*",
    "a* OR",
    "col:x",
    "(",
    '""',
    "-",
    "^a",
    "{",
    "; DROP",
    "a\0b",
    "\ud800",
    "+",
    "AND AND",
)


@pytest.fixture
def library() -> Library:
    made = MemoryLibrary()
    made.add("memories", MEMORIES)
    return made


class TestText:
    @pytest.mark.parametrize(
        ("text", "keys"),
        [
            ("", [1, 2, 3, 4]),
            ("rotate", [1]),
            ("ROT keys", [1]),
            ("key new", [1]),
            ("month", [1]),
            ("secur", [1, 4]),
            ("ops", [1, 3, 4]),
            ("m-1", [1]),
            ("k2", [3]),
            ("database check", [2]),
            ("otate", []),
            ("rotate database", []),
        ],
    )
    def test_that_every_word_begins_a_word_of_the_memory(self, library: Library, text: str, keys: list[int]) -> None:
        assert library.find_memories(MemoryFilter(text)) == keys

    @pytest.mark.parametrize("text", HOSTILE)
    def test_that_no_text_is_an_operator_or_a_fault(self, library: Library, text: str) -> None:
        assert set(library.find_memories(MemoryFilter(text))) <= {1, 2, 3, 4}
        assert library.find_cases(CaseFilter(text)) == []

    def test_that_what_is_changed_is_found_as_it_is_now(self, library: Library) -> None:
        edit = Edit("edited")
        library.edit_memories(edit, [1, 2], MemoryEdit(label="renamed"))
        assert library.find_memories(MemoryFilter("renam")) == [1, 2]
        assert library.find_memories(MemoryFilter("security")) == [
            4
        ]  # the text of a filter does not search the namespace
        library.undo()
        assert library.find_memories(MemoryFilter("renam")) == []
        library.change(edit, gone=[(ItemKind.MEMORY, 1)])
        assert library.find_memories(MemoryFilter("rotate")) == []
        library.undo()
        assert library.find_memories(MemoryFilter("rotate")) == [1]
        library.add("memories", [Memory(("rotate the wheel",), id="m-1")], edit)
        assert library.find_memories(MemoryFilter("keys")) == []
        assert library.find_memories(MemoryFilter("wheel")) == [1]
        library.undo()
        assert library.find_memories(MemoryFilter("keys")) == [1]


def test_that_signs_and_marks_are_found_where_sqlite_looks(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.add("memories", [*MEMORIES, Memory(("hello 👋 there",)), Memory(("שלום עולם",)), Memory(("don't-stop",))])
    for text, keys in (("uber", [3]), ("UBERPRUFE", [3]), ("👋", [5]), ("hel 👋", [5]), ("של", [6]), ("don't-st", [7])):
        assert library.find_memories(MemoryFilter(text)) == keys
    library.close()


class TestFilters:
    @pytest.mark.parametrize(
        ("wanted", "keys"),
        [
            (MemoryFilter(namespace="context"), [3, 4]),
            (MemoryFilter(label="security"), [4]),
            (MemoryFilter(label=""), [2]),
            (MemoryFilter(tag="ops"), [1]),
            (MemoryFilter(tag="a,b"), [1]),
            (MemoryFilter(tag='x"ops'), [3]),
            (MemoryFilter(tag="op"), []),
            (MemoryFilter(source="seed"), [4]),
            (MemoryFilter(success=(0.5, 0.9)), [1, 2, 4]),
            (MemoryFilter(usage=(1, 3)), [1, 4]),
            (MemoryFilter(paused=True), [2]),
            (MemoryFilter(paused=False), [1, 3, 4]),
            (MemoryFilter(updated_from="2020-01-01"), [1, 2, 3, 4]),
            (MemoryFilter(updated_to="2020-01-01"), []),
            (MemoryFilter(updated_from="2020-01-01", updated_to="2999-01-01"), [1, 2, 3, 4]),
            (MemoryFilter("ops", namespace="context", paused=False, success=(0.0, 0.2)), [3]),
        ],
    )
    def test_that_each_filter_lets_its_own_through(
        self, library: Library, wanted: MemoryFilter, keys: list[int]
    ) -> None:
        assert library.find_memories(wanted) == keys

    def test_that_facets_count_what_there_is(self, library: Library) -> None:
        facets = library.facets()
        assert facets["namespace"] == [("context", 2), ("apis", 1), ("security", 1)]
        assert facets["label"] == [("Security", 1), ("alpha", 1), ("security", 1)]
        assert dict(facets["tag"]) == {"Ops": 1, "a,b": 1, "ops": 1, "ops-2": 1, 'x"ops': 1}
        assert facets["source"] == [("", 3), ("seed", 1)]


class TestIntents:
    def test_that_intents_count_memories_triggers_cases_and_queries(self, library: Library) -> None:
        library.add(
            "memories",
            [
                Memory(("spin the keys",), "", "Security", tags=("score_threshold=0.6",), id="m-2"),
                Memory(("hold the keys",), "", "Security", tags=("score_threshold=0.9",), paused=True),
            ],
        )
        library.add(
            "cases",
            [
                Case("keys, now", ("Security", "alpha"), Task.INTENT),
                Case("weather", ("none",), Task.INTENT),
                Case("gone", ("deleted",), Task.INTENT, unwanted=("alpha",)),
                Case("a power", ("Security",), Task.POWER),
            ],
        )
        library.add_queries(
            [
                HistoryEntry(f"2026-11-2{day} 04:26:21", Source.WINDOW, text, "howto", 0.8, "memory", answer, sure)
                for day, text, answer, sure in (
                    (1, "rotate", "m-1", 0.9),
                    (2, "spin", "m-2", 0.5),
                    (3, "rotate it all", "m-1", 0.49),
                    (4, "what's going on", "what's up?", 0.7),
                    (5, "of no memory", "m-9", 0.7),
                )
            ]
        )
        found = library.intents(0.5)
        assert found.intents == (
            StoredIntent("Security", 3, 1, 4, 1, 1, 0.6, "2026-11-22 04:26:21"),
            StoredIntent("alpha", 1, 0, 1, 1, 2),
            StoredIntent("deleted", cases=1, named=1),
            StoredIntent("security", 1, 0, 1, asked="2026-11-24 04:26:21"),
        )
        assert (found.unlabelled, found.cases) == (1, 3)

    def test_that_an_edited_case_changes_the_state_of_the_cases(self, library: Library) -> None:
        library.add("cases", [Case("keys, now", ("alpha",), Task.INTENT)])
        before = library.intents(0.5).cases_state
        case = library.cases(Task.INTENT)[0]
        library.change(Edit("edited"), [replace(case, text="keys, later")])
        assert library.intents(0.5).cases_state != before


class TestOrders:
    @pytest.mark.parametrize(
        ("order", "ascending", "descending"),
        [
            (MemoryOrder.KEY, [1, 2, 3, 4], [4, 3, 2, 1]),
            (MemoryOrder.NAME, [2, 3, 1, 4], [4, 1, 3, 2]),
            (MemoryOrder.TRIGGER, [2, 1, 4, 3], [3, 4, 1, 2]),
            (MemoryOrder.ID, [3, 1, 2, 4], [1, 3, 2, 4]),
            (MemoryOrder.LABEL, [3, 1, 4, 2], [1, 4, 3, 2]),
            (MemoryOrder.RESPONSE, [3, 1, 4, 2], [4, 1, 3, 2]),
            (MemoryOrder.NAMESPACE, [2, 3, 4, 1], [1, 3, 4, 2]),
            (MemoryOrder.SUCCESS, [3, 2, 4, 1], [1, 2, 4, 3]),
            (MemoryOrder.USAGE, [2, 4, 1, 3], [3, 1, 4, 2]),
            (MemoryOrder.PAUSED, [1, 3, 4, 2], [2, 1, 3, 4]),
            (MemoryOrder.SOURCE, [4, 1, 2, 3], [4, 1, 2, 3]),
            (MemoryOrder.CREATED, [1, 2, 3, 4], [1, 2, 3, 4]),
            (MemoryOrder.UPDATED, [1, 2, 3, 4], [1, 2, 3, 4]),
        ],
    )
    def test_that_every_column_sorts_both_ways_and_the_absent_comes_last(
        self, library: Library, order: MemoryOrder, ascending: list[int], descending: list[int]
    ) -> None:
        assert library.find_memories(MemoryFilter(), order) == ascending
        assert library.find_memories(MemoryFilter(), order, descending=True) == descending

    @pytest.mark.parametrize("descending", [False, True])
    def test_that_those_without_tags_come_last(self, library: Library, descending: bool) -> None:
        assert library.find_memories(MemoryFilter(), MemoryOrder.TAGS, descending=descending)[-1] == 2


class TestPages:
    def test_that_a_page_comes_in_the_order_of_its_keys(self, library: Library) -> None:
        page = library.memories_by_key([3, 99, 1])
        assert [dated.item.key for dated in page] == [3, 1]
        assert page[1].item.triggers == MEMORIES[0].triggers
        assert all(len(dated.created) == len(dated.updated) == len("2026-11-22 04:26:21") for dated in page)

    def test_that_cases_are_found_sorted_and_paged(self, library: Library) -> None:
        library.add(
            "cases",
            [Case("b_1", ("x",), Task.INTENT), Case("A%", (), Task.INTENT), Case("c", ("B-answer",), Task.POWER)],
        )
        assert library.find_cases(CaseFilter("b")) == [1, 3]
        assert library.find_cases(CaseFilter("_")) == [1]
        assert library.find_cases(CaseFilter("%")) == [2]
        assert library.find_cases(CaseFilter(task=Task.POWER)) == [3]
        assert library.find_cases(CaseFilter(), CaseOrder.TEXT, descending=True) == [3, 1, 2]
        assert library.find_cases(CaseFilter(), CaseOrder.EXPECTED) == [3, 1, 2]
        assert library.find_cases(CaseFilter(), CaseOrder.TASK) == [1, 2, 3]
        assert [dated.item.text for dated in library.cases_by_key([2, 1])] == ["A%", "b_1"]

    def test_that_texts_are_known_as_queries_of_cases_whatever_their_task(self, library: Library) -> None:
        library.add("cases", [Case("one", (), Task.INTENT), Case("two", (), Task.POWER), Case("Three", (), Task.ROUTE)])
        assert library.cases_among(["one", "two", "three", "four", "one"]) == {"one", "two"}
        assert library.cases_among([]) == frozenset()
        assert library.cases_among(f"text {n}" for n in range(2_500)) == frozenset()
