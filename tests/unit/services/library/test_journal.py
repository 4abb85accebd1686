"""Tests of undo and redo: every change, and the index always equals the library."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StoreError
from app.domain.filters import MemoryEdit
from app.domain.intent import Rule
from app.domain.journal import Edit, ItemKind, Written
from app.domain.library import Line, Memory, Power, Problem
from app.services.workbench import Workbench
from tests.build import some
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import desk, names


def texts(workbench: Workbench) -> list[str]:
    """Return every trigger in the index, which must equal the library's."""
    indexed = sorted(text for answer in workbench.engine.index.answers().values() for text in answer.triggers)
    held = [memory for memory in workbench.library.memories() if not memory.paused]
    assert indexed == sorted(text for memory in held for text in memory.triggers)
    return indexed


async def test_that_an_edit_answers_at_once_and_is_undone_and_redone() -> None:
    async with desk() as workbench:
        memory = await workbench.curator.teach(Memory(("rotate the keys",)))
        changed = await workbench.journal.edit(replace(memory, triggers=("open the door",)))
        assert changed.version > memory.version
        assert texts(workbench) == ["open the door"]
        await workbench.journal.undo()
        assert texts(workbench) == ["rotate the keys"]
        await workbench.journal.redo()
        assert (await names(workbench, "open the door"))[0] == "open the door"
        assert [step.sentence for step in await workbench.journal.steps()] == [
            "edited “open the door”",
            "taught “rotate the keys”",
        ]


async def test_that_many_are_edited_paused_and_deleted_as_one_step_each() -> None:
    async with desk() as workbench:
        lines = [Line(n, Memory((f"phrase {n}",))) for n in range(5)]
        await workbench.import_sources([("memories", lines)], "five.jsonl")
        keys = [memory.key or 0 for memory in workbench.library.memories()]
        assert {memory.source for memory in workbench.library.memories()} == {"five.jsonl"}
        journal = workbench.journal
        assert await journal.count_edited(keys, MemoryEdit(paused=True)) == 5
        written = some(await journal.edit_many(keys[:3], MemoryEdit(paused=True)))
        assert written.step.count == 3
        assert texts(workbench) == ["phrase 3", "phrase 4"]
        await journal.delete([(ItemKind.MEMORY, key) for key in keys[3:]])
        assert texts(workbench) == []
        assert len(await journal.binned()) == 2
        await journal.put_back([(ItemKind.MEMORY, keys[4])])
        assert texts(workbench) == ["phrase 4"]
        for _ in range(3):
            await journal.undo()
        assert len(texts(workbench)) == 5
        await journal.undo()
        assert texts(workbench) == []


async def test_that_an_edit_of_many_keeps_their_vectors_and_answers_as_the_library_has_them(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        await workbench.import_sources([("memories", [Line(n, Memory((f"phrase {n}",))) for n in range(300)])])
        await workbench.ready()
        keys = [memory.key or 0 for memory in workbench.library.memories()]
        index, journal = workbench.engine.index, workbench.journal

        def held() -> list[tuple[Memory, int]]:
            answers = [one for one in index.answers().values() if isinstance(one, Memory)]
            assert index.embedded() == len(index) == 300, "none lost its vector"
            stored = [(one, one.version) for one in workbench.library.memories()]
            assert sorted(((one, one.version) for one in answers), key=lambda each: each[0].key or 0) == stored
            return stored

        before = held()
        await journal.edit_many(keys, MemoryEdit(namespace="help", add_tags=("bulk",), success=0.75))
        edited = held()
        assert {(one.namespace, one.tags, one.success) for one, _ in edited} == {("help", ("bulk",), 0.75)}
        await journal.undo()
        assert held() == before
        await journal.redo()
        assert held() == edited


async def test_that_an_earlier_state_is_restored_from_the_history() -> None:
    async with desk() as workbench:
        memory = await workbench.curator.teach(Memory(("one",)))
        await workbench.journal.edit(replace(memory, triggers=("two",)))
        (edited, _taught) = await workbench.journal.history(ItemKind.MEMORY, memory.key or 0)
        assert edited.before == memory
        assert edited.before is not None
        await workbench.journal.restore(edited.before)
        assert texts(workbench) == ["one"]
        await workbench.journal.undo()
        assert texts(workbench) == ["two"]


async def test_that_typing_is_answered_while_a_large_import_is_undone(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        lines = [Line(n, Memory((f"phrase {n} of many",))) for n in range(3_000)]
        await workbench.import_sources([("memories", lines)])
        await workbench.ready()
        undoing = asyncio.ensure_future(workbench.journal.undo())
        answered = 0
        while not undoing.done():
            await workbench.settle("phrase 7 of many")
            answered += 1
        assert answered > 3
        assert texts(workbench) == []


RULE = Rule("mine.a", "howto", "how", "mine", 1)


async def test_that_a_rule_that_does_not_compile_is_refused_with_the_place() -> None:
    async with desk() as workbench:
        with pytest.raises(KnownError, match=r"repetition operator: \*\* \(at character 4\)"):
            await workbench.journal.do(_edit(), [replace(RULE, pattern="how**")])
        with pytest.raises(KnownError, match="empty"):
            await workbench.journal.do(_edit(), [replace(RULE, pattern=" ")])
        with pytest.raises(KnownError, match="perl operator"):
            await workbench.journal.do(_edit(), [replace(RULE, unless="(?<=x)y")])
        lines = [Line(1, RULE), Line(2, replace(RULE, id="mine.b", pattern="(a"))]
        (intake,) = await workbench.import_sources([("rules", lines)])
        assert len(intake.change.added) == 1
        assert [problem.line for problem in intake.problems] == [2]
        assert isinstance(intake.problems[0], Problem)


def _edit() -> Edit:
    return Edit("edited")


async def test_that_packs_are_switched_ordered_and_reset() -> None:
    async with desk() as workbench:
        book = workbench.rule_edits
        shipped = await book.rules("subcog")
        await book.enable("subcog", on=False)
        assert not any(rule.enabled for rule in await book.rules("subcog"))
        assert not any(rule.pack == "subcog" and rule.enabled for rule in workbench.library.rules())
        await book.order("subcog", [shipped[2].id, shipped[0].id])
        assert [rule.id for rule in await book.rules("subcog")][:3] == [shipped[2].id, shipped[0].id, shipped[1].id]
        await workbench.journal.do(_edit(), [replace(RULE, pack="subcog")])
        await book.reset("subcog")
        assert await book.rules("subcog") == shipped
        await workbench.journal.undo()
        assert "mine.a" in {rule.id for rule in await book.rules("subcog")}
        with pytest.raises(KnownError, match="switch it off"):
            await book.delete(shipped[:1])
        (mine,) = [rule for rule in await book.rules() if rule.id == "mine.a"]
        await book.delete([mine])
        assert "mine.a" not in {rule.id for rule in await book.rules()}
        with pytest.raises(KnownError, match="does not ship with"):
            await book.reset("mine")


def state(workbench: Workbench) -> tuple[list[Memory], list[Power], list[tuple[str, tuple[str, ...]]]]:
    library = workbench.library
    return library.memories(), library.powers(), [(case.text, case.expected) for case in library.cases()]


async def test_that_each_step_taken_back_can_be_done_again() -> None:
    async with desk() as workbench:
        curator = workbench.curator
        states = [state(workbench)]
        memory = await curator.teach(Memory(("rotate the keys",), id="keys", intent="keys"))
        states.append(state(workbench))
        await curator.add_trigger(memory, "turn all the keys")
        states.append(state(workbench))
        await curator.mark(memory, "turn the keys", fits=True)
        states.append(state(workbench))
        await curator.mark(memory, "open the door", fits=False)
        states.append(state(workbench))
        for before in reversed(states[:-1]):
            assert await curator.undo() is not None
            assert state(workbench) == before
        for after in states[1:]:
            assert await curator.redo() is not None
            assert state(workbench) == after
        assert await curator.redo() is None
        assert (await names(workbench, "turn all the keys"))[0] == "keys"
        assert await curator.undo() is not None
        assert state(workbench) == states[-2]


async def test_that_cases_of_many_queries_are_one_step() -> None:
    async with desk() as workbench:
        curator = workbench.curator
        memory = await curator.teach(Memory(("rotate the keys",), id="keys", intent="keys"))
        before = state(workbench)
        chosen = [("turn the keys", memory), ("hello", None)]
        assert await curator.make_cases(chosen) is not None
        assert await curator.make_cases(chosen) is None, "they exist already"
        expected = {case.text: case.expected for case in workbench.library.cases()}
        assert expected == {"turn the keys": ("keys",), "hello": ()}
        assert workbench.library.memories() == before[0], "a case of many marks no answer"
        undone = some(await curator.undo())
        assert undone.sentence == "Undone: added 2 cases."
        assert state(workbench) == before


async def test_that_the_sentences_of_undo_and_redo_mirror_each_other() -> None:
    async with desk() as workbench:
        curator = workbench.curator
        memory = await curator.teach(Memory(("rotate the keys",), id="keys"))
        await curator.add_trigger(memory, "turn all the keys")
        await curator.mark(memory, "turn", fits=True)
        undone = [await curator.undo() for _ in range(3)]
        redone = [await curator.redo() for _ in range(3)]
        assert [step.sentence for step in undone if step] == [
            "Undone: marked keys right for “turn”.",
            "Undone: added “turn all the keys” to the triggers of keys.",
            "Undone: taught “keys”.",
        ]
        assert [step.sentence for step in redone if step] == [
            "Redone: taught “keys”.",
            "Redone: added “turn all the keys” to the triggers of keys.",
            "Redone: marked keys right for “turn”.",
        ]


async def test_that_one_undo_takes_the_whole_sample_library_out_again() -> None:
    async with desk() as workbench:
        assert await workbench.add_seed_library() == 3
        assert (len(workbench.library.memories()), len(workbench.library.powers())) == (1, 1)
        await workbench.ready()
        (step,) = await workbench.journal.steps()
        assert step.sentence == "imported 1 memory, 1 power and 1 case"
        await workbench.curator.undo()
        assert (workbench.library.memories(), workbench.library.powers(), workbench.library.cases()) == ([], [], [])
        assert not (await workbench.settle("check my database")).matches
        await workbench.curator.redo()
        assert await workbench.add_seed_library() == 0
        assert len((await workbench.settle("check my database")).matches) == 2


async def test_that_redoing_a_mark_replaces_the_case_again_and_undo_restores_it() -> None:
    async with desk() as workbench:
        memory = await workbench.curator.teach(Memory(("rotate the keys",), intent="keys"))
        workbench.library.add("cases", [Case("turn", ("doors",), Task.INTENT)])
        await workbench.curator.mark(memory, "turn", fits=True)
        await workbench.curator.undo()
        await workbench.curator.redo()
        assert workbench.library.cases()[0].expected == ("keys",)
        await workbench.curator.undo()
        assert workbench.library.cases()[0].expected == ("doors",)


async def test_that_a_power_marked_wrong_becomes_a_case_that_does_not_want_it() -> None:
    async with desk() as workbench:
        await workbench.add_seed_library()
        (power,), sample = workbench.library.powers(), workbench.library.cases()
        assert await workbench.curator.mark(power, "postgres", fits=False) == power
        (case,) = (one for one in workbench.library.cases() if one not in sample)
        assert (case.expected, case.unwanted, case.task) == ((), (power.name,), Task.POWER)
        await workbench.curator.mark(power, "postgres", fits=True)
        (case,) = (one for one in workbench.library.cases() if one not in sample)
        assert (case.expected, case.unwanted) == ((power.name,), ())
        await workbench.curator.undo()
        await workbench.curator.undo()
        assert workbench.library.cases() == sample


async def test_that_a_wrong_mark_keeps_what_else_a_case_expects_and_does_not_want() -> None:
    async with desk() as workbench:
        memory = await workbench.curator.teach(Memory(("rotate the keys",), intent="keys"))
        asked = Case("turn", ("keys", "locks"), Task.INTENT, unwanted=("doors",))
        workbench.library.add("cases", [asked, Case("turn left", ("roads",), Task.INTENT)])
        await workbench.curator.mark(memory, "turn", fits=False)
        first, other = workbench.library.cases()
        assert (first.expected, first.unwanted) == (("locks",), ("doors", "keys"))
        assert other.expected == ("roads",)


class FullLibrary(MemoryLibrary):
    is_full = False

    def redo(self) -> Written | None:
        if self.is_full:
            raise StoreError("The disk is full.")
        return super().redo()


async def test_that_a_step_that_cannot_be_done_again_now_stays_the_next() -> None:
    library = FullLibrary()
    async with desk(library=lambda: library) as workbench:
        await workbench.curator.teach(Memory(("one",)))
        await workbench.curator.undo()
        library.is_full = True
        with pytest.raises(StoreError, match="full"):
            await workbench.curator.redo()
        library.is_full = False
        assert await workbench.curator.redo() is not None
        assert len(library.memories()) == 1


async def test_that_hasty_undos_and_redos_keep_their_order() -> None:
    async with desk() as workbench:
        curator = workbench.curator
        await curator.teach(Memory(("one",)))
        await curator.teach(Memory(("two",)))
        await asyncio.gather(curator.undo(), curator.undo(), curator.redo(), curator.redo(), curator.undo())
        assert [memory.name for memory in workbench.library.memories()] == ["one"]


async def test_that_a_case_of_no_match_stays_one_when_an_answer_is_marked_wrong() -> None:
    async with desk() as workbench:
        memory = await workbench.curator.teach(Memory(("rotate the keys",), id="keys"))
        await workbench.journal.do(Edit("added"), [Case("open the door", (), Task.MEMORY)])
        (before,) = workbench.library.cases()
        await workbench.curator.mark(memory, "open the door", fits=False)
        assert workbench.library.cases() == [before]
        assert workbench.library.memories()[0].success < memory.success
        await workbench.curator.mark(memory, "open the door", fits=True)
        assert [case.expected for case in workbench.library.cases()] == [("keys",)]
