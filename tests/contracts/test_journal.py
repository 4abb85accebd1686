"""Contract of every Library's journal: no edit is lost unless the user deletes it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.case import Case, Task
from app.domain.errors import KnownError, StaleError, StoreError
from app.domain.filters import MemoryEdit, MemoryFilter
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKey, ItemKind, kind_of
from app.domain.library import Memory, Power, Tool, Transport
from app.ports.store import Library
from tests.build import some
from tests.fakes import MemoryLibrary
from tests.team import ALONE, every_library

TAUGHT, EDITED, DELETED = Edit("taught"), Edit("edited", "it", "command line"), Edit("deleted")
MEMORY = Memory(("a\0b", "👩‍👧"), "answer", "label", "apis", ("x", 'y"z'), "m-1", 0.1 + 0.2, 4, True)
POWER = Power("pg", "Runs", ("sql",), "Slowly.", (Tool("query", "one"), Tool("t")), ("e",), Transport("npx", ("-y",)))
RULE = Rule("howto.a", "howto", "how do i", "mine", 2, 1.1, 0.9, "why")
CASE = Case("q", ("a", "b"), Task.INTENT)
THINGS: tuple[Item, ...] = (MEMORY, POWER, RULE, CASE)


library = every_library


def everything(library: Library) -> list[Item]:
    return [*library.memories(), *library.powers(), *library.rules(), *library.cases()]


def stored(library: Library, item: Any, edit: Edit = TAUGHT) -> Any:
    written = some(library.change(edit, [item]))
    return written.items[0]


def key(item: Item) -> ItemKey:
    assert item.key is not None
    return kind_of(item), item.key


def same(left: list[Item], right: list[Item]) -> bool:
    return left == right and [(i.key, i.version) for i in left] == [(i.key, i.version) for i in right]


class TestSteps:
    def test_that_an_edit_is_a_step_with_words(self, library: Library) -> None:
        library.change(Edit("taught", "“a”"), [Memory(("a",))])
        library.add("memories", [Memory((f"m{number}",)) for number in range(3)], Edit("imported", source="big.jsonl"))
        library.change(Edit("edited"), [RULE, CASE])
        told = [(step.sentence, step.count, step.source) for step in library.steps()]
        assert told == [
            ("edited 1 rule and 1 case", 2, "window"),
            ("imported 3 memories", 3, "big.jsonl"),
            ("taught “a”", 1, "window"),
        ]
        assert [step.id for step in library.steps(1)] == [max(step.id for step in library.steps())]

    def test_that_what_changes_nothing_is_no_step(self, library: Library) -> None:
        memory = stored(library, MEMORY)
        library.undo()
        library.redo()
        assert library.change(EDITED, [memory]) is None
        assert library.change(DELETED, gone=[(ItemKind.CASE, 7)]) is None
        assert library.add("memories", [MEMORY], Edit("imported")).unchanged == 1
        assert len(library.steps()) == 1

    def test_that_quiet_writes_leave_no_step_but_a_version_of_their_own(self, library: Library) -> None:
        library.add("memories", [Memory(("a",))])
        before = library.memories()[0]
        library.add("memories", [Memory(("a",), "answer")])
        assert library.memories()[0].version > before.version
        assert library.steps() == []
        assert library.undo() is None
        assert library.redo() is None

    def test_that_new_memories_know_where_they_were_taught(self, library: Library) -> None:
        library.add("memories", [Memory(("a",)), Memory(("b",), source="seed")], Edit("imported", source="big.jsonl"))
        library.add("memories", [Memory(("a",), "changed")], Edit("imported", source="other.jsonl"))
        assert [memory.source for memory in library.memories()] == ["big.jsonl", "seed"]


class TestUndo:
    @pytest.mark.parametrize("thing", THINGS, ids=lambda thing: kind_of(thing).value)
    def test_that_every_kind_goes_and_comes_back_exactly(self, library: Library, thing: Item) -> None:
        item = stored(library, thing)
        assert replace(item, key=None, **({"source": ""} if isinstance(item, Memory) else {})) == thing
        states = [everything(library)]
        field = "response" if isinstance(item, Memory) else "description" if isinstance(item, Power) else "label"
        item = stored(library, replace(item, **({"expected": ()} if isinstance(item, Case) else {field: "new"})))
        states.append(everything(library))
        library.change(DELETED, gone=[key(item)])
        states.append(everything(library))
        for before in (states[1], states[0], []):
            assert library.undo() is not None
            assert same(everything(library), before)
        assert library.undo() is None
        for after in states:
            assert library.redo() is not None
            assert same(everything(library), after)
        assert library.redo() is None

    def test_that_undo_tells_what_is_there_now_and_what_is_gone(self, library: Library) -> None:
        memory = stored(library, MEMORY)
        library.change(DELETED, gone=[key(memory)])
        undone = some(library.undo())
        assert (list(undone.items), list(undone.gone), undone.step.verb) == ([memory], [], "deleted")
        undone = some(library.undo())
        assert (list(undone.items), list(undone.gone), undone.step.verb) == ([], [key(memory)], "taught")
        assert [step.undone for step in library.steps()] == [True, True]

    def test_that_a_new_step_takes_the_place_of_undone_ones(self, library: Library) -> None:
        stored(library, Memory(("a",)))
        stored(library, Memory(("b",)))
        library.undo()
        stored(library, Memory(("c",)))
        assert library.redo() is None
        assert [memory.name for memory in library.memories()] == ["a", "c"]
        assert len(library.steps()) == 2

    def test_that_an_earlier_step_can_be_undone_alone(self, library: Library) -> None:
        first, _second = stored(library, Memory(("a",))), stored(library, Memory(("b",)))
        library.undo(first.version)
        assert [memory.name for memory in library.memories()] == ["b"]
        library.undo()
        library.redo()
        library.redo()
        assert [memory.name for memory in library.memories()] == ["a", "b"]

    def test_that_a_step_whose_item_changed_since_is_not_undone(self, library: Library) -> None:
        first = stored(library, Memory(("a",)))
        stored(library, replace(first, response="later"), EDITED)
        with pytest.raises(KnownError, match=r"“taught 1 memory” cannot be undone"):
            library.undo(first.version)
        library.add("memories", [replace(library.memories()[0], response="past the journal")])
        with pytest.raises(KnownError, match="was changed again"):
            library.undo()
        assert [memory.response for memory in library.memories()] == ["past the journal"]
        assert not any(step.undone for step in library.steps())

    def test_that_an_undo_never_makes_two_of_one_name(self, library: Library) -> None:
        memory = stored(library, Memory(("a",), id="n"))
        library.change(DELETED, gone=[key(memory)])
        library.add("memories", [Memory(("b",), id="n")])
        with pytest.raises(KnownError):
            library.undo()
        assert [held.name for held in library.memories()] == ["n"]
        with pytest.raises(StoreError, match="“n”"):
            library.put_back(TAUGHT, [key(memory)])

    def test_that_an_import_of_several_kinds_is_one_step(self, library: Library) -> None:
        kinds: list[tuple[str, list[Any]]]
        kinds = [("memories", [MEMORY]), ("powers", [POWER]), ("rules", [RULE]), ("cases", [CASE])]
        changes = library.add_kinds(kinds, Edit("imported", source="seed"))
        assert [(len(change.added), change.unchanged) for change in changes] == [(1, 0)] * 4
        (step,) = library.steps()
        assert (step.count, step.source) == (4, "seed")
        assert [change.unchanged for change in library.add_kinds(kinds, Edit("imported"))] == [1] * 4
        assert len(library.steps()) == 1, "nothing changed"
        before = everything(library)
        library.undo()
        assert everything(library) == []
        library.redo()
        assert same(everything(library), before)

    def test_that_an_import_of_several_kinds_is_taken_in_whole_or_not_at_all(self, library: Library) -> None:
        def broken() -> Iterator[Power]:
            yield POWER
            raise KnownError("the file ends here")

        kinds: list[tuple[str, Iterable[Any]]] = [("memories", [MEMORY]), ("powers", broken())]
        with pytest.raises(KnownError, match="ends here"):
            library.add_kinds(kinds, Edit("imported"))
        assert everything(library) == []
        assert library.steps() == []

    def test_that_an_import_is_undone_and_redone_as_one(self, library: Library) -> None:
        kept = stored(library, Memory(("m1",), "old"))
        library.add("memories", [Memory((f"m{number}",), "new") for number in range(3)], Edit("imported"))
        after = everything(library)
        undone = some(library.undo())
        assert same(everything(library), [kept])
        assert (len(undone.items), len(undone.gone)) == (1, 2)
        library.redo()
        assert same(everything(library), after)


class TestVersions:
    def test_that_the_later_of_two_editors_is_told(self, library: Library) -> None:
        opened = stored(library, Memory(("a",)))
        theirs = stored(library, replace(opened, response="theirs"))
        with pytest.raises(StaleError, match=r"“a” has been changed elsewhere") as caught:
            library.change(EDITED, [replace(opened, response="mine")])
        assert caught.value.present == theirs
        assert [memory.response for memory in library.memories()] == ["theirs"]
        mine = stored(library, replace(opened, response="mine", version=theirs.version))
        assert library.memories() == [mine]

    def test_that_an_edit_of_what_is_deleted_is_told(self, library: Library) -> None:
        opened = stored(library, Memory(("a",)))
        library.change(DELETED, gone=[key(opened)])
        with pytest.raises(StaleError, match="has been deleted") as caught:
            library.change(EDITED, [replace(opened, response="mine")])
        assert caught.value.present is None
        library.change(EDITED, [replace(opened, response="mine")], anyway=True)
        assert [(memory.key, memory.response) for memory in library.memories()] == [(opened.key, "mine")]

    def test_that_an_undone_edit_made_again_is_another_version(self, library: Library) -> None:
        first = stored(library, Memory(("a",)))
        seen = stored(library, replace(first, response="one"))
        library.undo()
        stored(library, replace(first, response="two"))
        with pytest.raises(StaleError):
            library.change(EDITED, [replace(seen, response="three")])

    def test_that_one_stale_item_stops_the_whole_step(self, library: Library) -> None:
        one, two = stored(library, Memory(("a",))), stored(library, Memory(("b",)))
        stored(library, replace(two, response="theirs"))
        with pytest.raises(StaleError):
            library.change(EDITED, [replace(one, response="mine"), replace(two, response="mine")])
        assert [memory.response for memory in library.memories()] == ["", "theirs"]


class TestNames:
    def test_that_what_goes_makes_room_for_a_newcomer_of_its_name(self, library: Library) -> None:
        old = stored(library, POWER)
        assert library.change(Edit("took in"), [Power("pg", "another")], [key(old)]) is not None
        (newer,) = library.powers()
        assert (newer.description, newer.key != old.key) == ("another", True)
        library.undo()
        assert library.powers() == [old]

    def test_that_what_is_named_otherwise_makes_room_for_what_comes_after_it(self, library: Library) -> None:
        old = stored(library, POWER)
        written = some(library.change(EDITED, [replace(old, name="pg-old"), Power("pg", "another")]))
        assert [(power.name, power.key) for power in written.items if isinstance(power, Power)] == [
            ("pg-old", old.key),
            ("pg", library.powers()[1].key),
        ]

    def test_that_what_is_to_be_stored_is_not_deleted(self, library: Library) -> None:
        old = stored(library, POWER)
        written = some(library.change(EDITED, [replace(old, description="newer")], [key(old)]))
        assert (len(written.items), list(written.gone), len(library.powers())) == (1, [], 1)
        library.undo()
        assert library.powers() == [old]

    def test_that_two_of_one_name_cannot_come_together(self, library: Library) -> None:
        for twins in ([Memory(("a",), id="twice"), Memory(("b",), id="twice")], [Power("twice"), Power("twice")]):
            with pytest.raises(StoreError, match="“twice”"):
                library.change(TAUGHT, twins)
        assert everything(library) == []


class TestHistory:
    def test_that_an_item_tells_what_it_was(self, library: Library) -> None:
        first = stored(library, Memory(("a",)))
        second = stored(library, replace(first, response="two"), EDITED)
        stored(library, Memory(("other",)))
        third = stored(library, replace(second, response="three"), EDITED)
        told = library.history(*key(first))
        assert [(r.step.verb, r.before, r.after) for r in told] == [
            ("edited", second, third),
            ("edited", first, second),
            ("taught", None, first),
        ]
        library.undo()
        assert [revision.after for revision in library.history(*key(first))] == [second, first]

    def test_that_an_earlier_state_is_restored_as_a_new_step(self, library: Library) -> None:
        first = stored(library, Memory(("a",)))
        stored(library, replace(first, response="two"))
        (_, taught) = library.history(*key(first))
        assert taught.after is not None
        library.change(Edit("restored"), [taught.after], anyway=True)
        assert library.memories() == [first]
        library.undo()
        assert library.memories()[0].response == "two"


class TestBin:
    def test_that_deleted_things_are_listed_and_put_back_under_their_keys(self, library: Library) -> None:
        items = [stored(library, thing) for thing in THINGS]
        library.change(DELETED, gone=[key(item) for item in items])
        assert everything(library) == []
        assert {binned.key for binned in library.binned()} == {key(item) for item in items}
        assert all(binned.step.verb == "deleted" for binned in library.binned())
        written = some(library.put_back(Edit("restored"), [key(item) for item in items[:3]]))
        assert (written.step.count, everything(library)) == (3, items[:3])
        assert [binned.item for binned in library.binned()] == [items[3]]
        library.undo()
        assert (everything(library), len(library.binned())) == ([], 4)
        assert library.put_back(Edit("restored"), [(ItemKind.MEMORY, 99)]) is None

    def test_that_what_is_undone_is_not_in_the_bin(self, library: Library) -> None:
        stored(library, MEMORY)
        library.undo()
        assert library.binned() == []

    def test_that_a_thing_deleted_twice_is_there_once_and_as_it_was_last(self, library: Library) -> None:
        memory = stored(library, Memory(("a",)))
        library.change(DELETED, gone=[key(memory)])
        library.put_back(Edit("restored"), [key(memory)])
        (back,) = library.memories()
        stored(library, replace(back, response="later"))
        library.change(DELETED, gone=[key(memory)])
        assert [binned.item for binned in library.binned()] == [replace(memory, response="later")]

    def test_that_an_emptied_bin_is_empty_for_good(self, library: Library) -> None:
        gone, kept = stored(library, Memory(("a",))), stored(library, Memory(("b",)))
        library.change(DELETED, gone=[key(gone)])
        library.empty_bin()
        assert (library.binned(), library.history(*key(gone))) == ([], [])
        assert [step.sentence for step in library.steps()] == ["taught 1 memory"]
        library.undo()
        assert library.memories() == []
        library.redo()
        assert library.memories() == [kept]

    @ALONE
    def test_that_old_steps_are_forgotten_and_young_ones_kept(self, library: Library) -> None:
        library.change(DELETED, gone=[key(stored(library, Memory(("a",))))])
        library.prune(30)
        assert len(library.steps()) == 2
        library.prune(0)
        stored(library, Memory(("b",)))
        assert (len(library.steps()), library.binned()) == (1, [])


class TestManyAtOnce:
    def test_that_one_edit_changes_many_as_one_step(self, library: Library) -> None:
        library.add("memories", [Memory((f"m{n}",), tags=("old", "x") if n % 2 else ()) for n in range(4)])
        before = everything(library)
        keys = library_keys(library)
        edit = MemoryEdit("apis", "label", ("new", "x"), ("old",), True, 0.25)
        assert library.count_edited(keys, edit) == 4
        written = some(library.edit_memories(Edit("edited"), [*keys, 99], edit))
        assert written.step.count == 4
        assert [(item, item.version) for item in written.items] == [(m, m.version) for m in library.memories()]
        for memory in library.memories():
            told = (memory.namespace, memory.intent, memory.paused, memory.success, set(memory.tags))
            assert told == ("apis", "label", True, 0.25, {"new", "x"})
        assert library.count_edited(keys, edit) == 0
        assert library.edit_memories(Edit("edited"), keys, edit) is None
        library.edit_memories(Edit("edited"), keys, MemoryEdit(label=""))
        assert {memory.intent for memory in library.memories()} == {None}
        library.undo()
        library.undo()
        assert same(everything(library), before)

    def test_that_they_are_found_as_they_are_after_every_edit_undo_and_redo(self, library: Library) -> None:
        library.add(
            "memories", [Memory((f"phrase {n}",), "old answer", intent="old", tags=("stale",)) for n in range(4)]
        )
        keys = library_keys(library)

        def found(*words: str) -> list[int]:
            return [len(library.find_memories(MemoryFilter(word))) for word in words]

        library.edit_memories(EDITED, keys[:2], MemoryEdit(namespace="help", paused=True, success=1.0))
        assert found("phrase", "old", "stale") == [4, 4, 4]
        library.edit_memories(EDITED, keys[:3], MemoryEdit(label="new", add_tags=("fresh",), remove_tags=("stale",)))
        assert found("phrase", "new", "fresh", "stale") == [4, 3, 3, 1]
        library.undo()
        assert found("phrase", "new", "fresh", "stale") == [4, 0, 0, 4]
        library.undo()
        assert found("phrase", "old", "stale") == [4, 4, 4]
        library.redo()
        library.redo()
        assert found("phrase", "new", "fresh", "stale") == [4, 3, 3, 1]

    def test_that_memories_that_changed_ids_or_triggers_change_back(self, library: Library) -> None:
        library.add("memories", [Memory(("one",), id="a"), Memory(("two",), id="b"), Memory(("three",), id="c")])
        before = everything(library)
        one, two, three = library.memories()
        for changed in (replace(one, id="x"), replace(two, id="a"), replace(three, triggers=("four", "five"))):
            library.change(EDITED, [changed])
        (last,) = [m for m in library.memories() if m.id == "x"]
        library.change(EDITED, [replace(last, response="said")])
        after = everything(library)
        for _ in range(4):
            library.undo()
        assert same(everything(library), before)
        assert len(library.find_memories(MemoryFilter("three"))) == 1
        for _ in range(4):
            library.redo()
        assert same(everything(library), after)
        assert len(library.find_memories(MemoryFilter("four"))) == 1

    def test_that_only_what_it_changes_is_touched(self, library: Library) -> None:
        library.add("memories", [Memory(("a",), paused=True), Memory(("b",))])
        versions = [memory.version for memory in library.memories()]
        written = some(library.edit_memories(Edit("paused"), library_keys(library), MemoryEdit(paused=True)))
        assert written.step.count == 1
        assert library.memories()[0].version == versions[0]
        assert library.memories()[1].version == written.step.id


class TestSecrets:
    power = Power("pg", transport=Transport("npx", env={"TOKEN": "hush", "HOME": ""}), approved=True)

    def test_that_values_are_kept_apart_and_survive_a_deletion(self, library: Library) -> None:
        power = stored(library, self.power)
        assert library.powers()[0].transport.env == {"TOKEN": "", "HOME": ""}
        assert library.environment(power) == {"TOKEN": "hush", "HOME": ""}
        library.change(DELETED, gone=[key(power)])
        library.undo()
        assert library.environment(library.powers()[0]) == {"TOKEN": "hush", "HOME": ""}

    def test_that_a_name_without_a_value_leaves_the_kept_one_alone(self, library: Library) -> None:
        library.add("powers", [self.power])
        blank = Power("pg", transport=Transport("npx", env={"TOKEN": "", "HOME": ""}))
        assert library.add("powers", [blank]).unchanged == 1
        assert library.environment(library.powers()[0])["TOKEN"] == "hush"
        assert library.powers()[0].approved

    def test_that_another_value_is_another_transport(self, library: Library) -> None:
        library.add("powers", [self.power])
        library.add("powers", [replace(self.power, approved=False)])
        assert library.powers()[0].approved
        library.add("powers", [Power("pg", transport=Transport("npx", env={"TOKEN": "other", "HOME": ""}))])
        assert library.environment(library.powers()[0])["TOKEN"] == "other"
        assert not library.powers()[0].approved


def library_keys(library: Library) -> list[int]:
    return [memory.key for memory in library.memories() if memory.key is not None]


texts = st.sampled_from(["a", "b", "c"])
acts = st.lists(
    st.tuples(st.sampled_from(["put", "edit", "delete", "undo", "redo", "many", "import"]), texts, st.integers(0, 5)),
    max_size=14,
)


def act(library: Library, verb: str, word: str, number: int) -> object:
    held = library.memories()
    chosen = held[number % len(held)] if held else None
    try:
        if verb == "put":
            library.change(TAUGHT, [Memory((word,), id=word if number == 0 else None)])
        elif verb == "import":
            library.add("memories", [Memory((word,), str(number)), Memory(("d",), id=word)], Edit("imported"))
        elif verb == "undo":
            library.undo()
        elif verb == "redo":
            library.redo()
        elif chosen is not None and verb == "edit":
            library.change(EDITED, [replace(chosen, response=word)])
        elif chosen is not None and verb == "delete":
            library.change(DELETED, gone=[key(chosen)])
        elif verb == "many":
            library.edit_memories(EDITED, library_keys(library), MemoryEdit(add_tags=(word,)))
    except KnownError:
        return "refused"
    return None


@given(acts=acts)
def test_that_undo_and_redo_go_through_any_course_of_events(acts: list[tuple[str, str, int]]) -> None:
    library = MemoryLibrary()
    past: list[list[Item]] = [[]]
    undone: list[list[Item]] = []
    for event in acts:
        steps = library.steps(1)
        act(library, *event)
        if event[0] == "undo":
            undone += [past.pop()] if len(past) > 1 else []
        elif event[0] == "redo":
            past += [undone.pop()] if undone else []
        elif library.steps(1) != steps:
            past.append(everything(library))
            undone.clear()
        assert everything(library) == past[-1]
    while library.undo() is not None:
        past.pop()
        assert everything(library) == past[-1]
    assert past == [[]]
    library.end()
