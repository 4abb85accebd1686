"""Tests of redo: every undone step can be redone until a new one is made."""

from __future__ import annotations

import asyncio

import pytest

from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.journal import Edit, Written
from app.domain.library import Memory, Power
from app.services.workbench import Workbench
from tests.build import some
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import desk, names


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


async def test_that_a_new_step_ends_what_could_be_done_again() -> None:
    async with desk() as workbench:
        await workbench.curator.teach(Memory(("one",)))
        await workbench.curator.undo()
        await workbench.curator.teach(Memory(("two",)))
        assert await workbench.curator.redo() is None
        assert [memory.name for memory in workbench.library.memories()] == ["two"]


async def test_that_an_example_of_a_power_is_done_again() -> None:
    async with desk() as workbench:
        await workbench.add_seed_library()
        (power,) = workbench.library.powers()
        await workbench.curator.add_trigger(power, "look into the tables")
        await workbench.curator.undo()
        await workbench.curator.redo()
        assert workbench.library.powers()[0].examples == ("look into the tables",)


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
    """Library that stores nothing while the disk is full."""

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
