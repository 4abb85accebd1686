"""Tests of the workbench: adding, undo, choices, imports, and its status."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import EncoderError, KnownError, StoreError
from app.domain.intent import IntentType
from app.domain.journal import Edit
from app.domain.library import Line, Memory, Problem
from app.domain.scope.inspection import PAINT_STAGE, Phase, Stage
from app.ports.encoder import Embedder, Vectors
from app.ports.store import Library
from app.services.core import EncoderState, Status
from tests.build import some
from tests.unit.services.benches import LetterEncoder, desk, names
from tests.waiting import PATIENCE


async def test_that_what_is_taught_answers_at_once_and_undo_takes_it_back() -> None:
    async with desk() as workbench:
        told: list[int] = []
        workbench.status_changed.subscribe(lambda status: told.append(status.counts["memories"]))
        stored = await workbench.teach(Memory(("rotate the keys",), response="monthly", intent="keys"))
        assert stored.key is not None
        first = (await workbench.settle("rotate the keys")).matches[0]
        assert (first.answer, first.confidence) == (stored, 1.0)
        assert told[-1] == 1
        undone = some(await workbench.undo())
        assert "rotate the keys" in undone.sentence
        assert await names(workbench, "rotate the keys") == []
        assert workbench.library.memories() == []
        assert await workbench.undo() is None


async def test_that_it_is_told_that_answers_differ_before_anything_is_counted() -> None:
    async with desk() as workbench:
        told: list[tuple[bool, bool]] = []
        memory = Memory(("rotate the keys",), response="monthly", intent="keys")

        def hear(status: Status) -> None:
            told.append((bool(status.counts["memories"]), status.is_counted_anew))
            assert workbench.engine.index.candidates == 1

        deafen = workbench.status_changed.subscribe(hear)
        await workbench.teach(memory)
        assert told[:2] == [(False, False), (True, True)]
        deafen()


async def test_that_teaching_the_typed_query_needs_no_second_encoding() -> None:
    encoder = LetterEncoder()
    async with desk(encoder=lambda: encoder) as workbench:
        await workbench.settle("rotate the keys")
        before = len(encoder.encoded)
        await workbench.teach(Memory(("rotate the keys",)))
        match = (await workbench.settle("rotate the keys")).matches[0]
        assert match.scores["semantic"] == pytest.approx(1.0, abs=1e-6)
        assert len(encoder.encoded) == before


async def test_that_conflicts_are_the_same_trigger_under_another_answer() -> None:
    async with desk() as workbench:
        await workbench.teach(Memory(("Reset the database!",), intent="reset"))
        assert workbench.conflicts("reset the  database", "reset") == []
        assert [m.intent for m in workbench.conflicts("reset the  database", "other")] == ["reset"]
        assert workbench.conflicts("???", "other") == []


async def test_that_the_seed_library_is_added_once() -> None:
    async with desk() as workbench:
        assert await workbench.add_seed_library() == 3
        assert await workbench.add_seed_library() == 0
        assert workbench.status().counts["powers"] == 1
        assert "db" in await names(workbench, "check my database")


async def test_that_the_seed_library_leaves_a_case_of_the_user_as_it_is() -> None:
    own = Case("check my database", ("mine",), Task.MEMORY)
    async with desk() as workbench:
        await workbench.journal.do(Edit("added"), [own])
        assert await workbench.add_seed_library() == 2
        cases = await workbench.in_store(lambda library: library.cases())
        assert [case.expected for case in cases] == [("mine",)]


async def test_that_a_failing_encoder_leaves_the_lexical_answer_and_a_sentence() -> None:
    def fails() -> Embedder:
        raise EncoderError("The encoder is missing.")

    async with desk(encoder=fails) as workbench:
        await workbench.teach(Memory(("rotate the keys",)))
        status = workbench.status()
        assert status.encoder_state is EncoderState.FAILED
        told = "The encoder is missing. For now the lexical scorers decide."
        assert status.faults["encoder"] == told
        inspection = await workbench.settle("rotate the key")
        assert inspection.phase is Phase.FLOOR
        assert inspection.absent["semantic"] == told
        match = inspection.matches[0]
        assert match.scores["semantic"] is None
        assert match.confidence == max(match.scores[name] or 0 for name in ("exact", "fuzzy", "token_overlap"))


async def test_that_an_encoder_which_fails_on_a_query_says_so_in_the_trace() -> None:
    class Fragile(LetterEncoder):
        def encode(self, texts: Sequence[str]) -> Vectors:
            if "boom" in texts:
                raise EncoderError("It broke.")
            return super().encode(texts)

    async with desk(encoder=Fragile) as workbench:
        inspection = await workbench.settle("boom")
        assert {stage.name: stage.outcome for stage in inspection.trace.stages}["embed query"] == "failed"
        assert inspection.absent["semantic"] == "It broke."


async def test_that_a_library_that_cannot_be_opened_is_a_fault_and_not_a_crash() -> None:
    def broken() -> Library:
        raise StoreError("The library is locked.")

    async with desk(library=broken) as workbench:
        assert workbench.status().faults["store"] == "The library is locked."
        intent = some((await workbench.settle("how to start")).intent)
        assert intent.type is IntentType.HOWTO
        with pytest.raises(StoreError, match="locked"):
            await workbench.teach(Memory(("x",)))


async def test_that_an_import_tells_its_bad_lines_and_answers_with_the_good_ones() -> None:
    async with desk() as workbench:
        lines: list[Line[Memory] | Problem] = [
            Line(1, Memory(("one fine day",))),
            Problem(2, "It is not JSON."),
            Line(3, Memory(("two",))),
        ]
        intake = await workbench.import_lines("memories", lines)
        await workbench.ready()
        assert (len(intake.change.added), [p.line for p in intake.problems]) == (2, [2])
        assert await names(workbench, "one fine day") == ["one fine day", "two"]
        assert workbench.engine.index.embedded() == 2


async def test_that_what_another_program_stores_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.services.profile_core.WATCH_SECONDS", 0.02)
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        workbench._background.start(workbench._watch())
        noticed = asyncio.Event()
        workbench.status_changed.subscribe(lambda status: noticed.set() if status.counts["memories"] else None)
        other = SqlLibrary.open(tmp_path)
        other.add("memories", [Memory(("from elsewhere",))])
        other.close()
        await asyncio.wait_for(noticed.wait(), PATIENCE)
        assert await names(workbench, "from elsewhere") == ["from elsewhere"]


async def test_that_one_more_trigger_counts_at_once_and_undo_restores_the_memory() -> None:
    async with desk() as workbench:
        memory = await workbench.teach(Memory(("rotate the keys",), id="keys"))
        changed = await workbench.curator.add_trigger(memory, "turn all the keys")
        assert changed.triggers == ("rotate the keys", "turn all the keys")
        first = (await workbench.settle("turn all the keys")).matches[0]
        assert (first.answer.name, first.confidence) == ("keys", 1.0)
        with pytest.raises(KnownError, match="already"):
            await workbench.curator.add_trigger(changed, "turn all the keys")
        await workbench.undo()
        assert workbench.library.memories() == [memory]


async def test_that_one_more_trigger_of_a_power_is_an_example() -> None:
    async with desk() as workbench:
        await workbench.add_seed_library()
        (power,) = workbench.library.powers()
        await workbench.curator.add_trigger(power, "look into the tables")
        assert workbench.library.powers()[0].examples == ("look into the tables",)
        await workbench.undo()
        assert workbench.library.powers()[0].examples == ()


async def test_that_marks_move_the_success_score_and_become_cases() -> None:
    async with desk() as workbench:
        memory = await workbench.teach(Memory(("rotate the keys",), intent="keys", success=0.5))
        fits = await workbench.curator.mark(memory, "turn the keys", fits=True)
        assert isinstance(fits, Memory)
        assert fits.success == pytest.approx(0.55)
        assert (fits.right, fits.usage) == (1, 0)
        assert [(c.text, c.expected, c.task) for c in workbench.library.cases()] == [
            ("turn the keys", ("keys",), Task.INTENT)
        ]
        fails = await workbench.curator.mark(fits, "open the door", fits=False)
        assert isinstance(fails, Memory)
        assert fails.success == pytest.approx(0.495)
        assert workbench.library.cases()[1].unwanted == ("keys",)
        await workbench.undo()
        await workbench.undo()
        assert workbench.library.memories() == [memory]
        assert workbench.library.cases() == []


async def test_that_undoing_a_mark_restores_the_case_that_it_replaced() -> None:
    async with desk() as workbench:
        memory = await workbench.teach(Memory(("rotate the keys",), intent="keys"))
        workbench.library.add("cases", [Case("turn", ("doors",), Task.INTENT)])
        await workbench.curator.mark(memory, "turn", fits=True)
        assert workbench.library.cases()[0].expected == ("keys",)
        await workbench.undo()
        assert workbench.library.cases()[0].expected == ("doors",)


async def test_that_an_encoder_that_breaks_unforeseen_keeps_nobody_waiting() -> None:
    def breaks() -> Embedder:
        raise ZeroDivisionError("oops")

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with desk(encoder=breaks) as workbench:
        assert workbench.status().encoder_state is EncoderState.FAILED
        assert "lexical" in workbench.status().faults["encoder"]


async def test_that_two_hasty_undos_take_back_two_steps() -> None:
    async with desk() as workbench:
        await workbench.teach(Memory(("one",)))
        await workbench.teach(Memory(("two",)))
        await asyncio.gather(workbench.undo(), workbench.undo())
        assert workbench.library.memories() == []


async def test_that_a_second_trigger_from_an_old_row_keeps_the_first() -> None:
    async with desk() as workbench:
        shown = await workbench.teach(Memory(("one",)))
        await workbench.curator.add_trigger(shown, "two")
        await workbench.curator.add_trigger(shown, "three")
        assert workbench.library.memories()[0].triggers == ("one", "two", "three")
        await workbench.undo()
        assert workbench.library.memories()[0].triggers == ("one", "two")


async def test_that_teaching_while_another_programs_writes_are_read_loses_neither(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        other = SqlLibrary.open(tmp_path)
        other.add("memories", [Memory((f"from elsewhere {number}",)) for number in range(500)])
        other.close()
        await asyncio.gather(workbench.import_lines("memories", []), workbench.teach(Memory(("taught now",))))
        await workbench.ready()
        assert "taught now" in await names(workbench, "taught now")
        assert "from elsewhere 7" in await names(workbench, "from elsewhere 7")


async def test_that_ready_waits_for_every_import() -> None:
    async with desk() as workbench:
        for number in range(3):
            lines = [Line(row, Memory((f"memory {number} {row}",))) for row in range(20)]
            await workbench.import_lines("memories", lines)
        await workbench.ready()
        assert workbench.engine.index.embedded() == 60


async def test_that_the_time_in_which_a_window_paints_the_floor_is_a_stage_and_only_there() -> None:
    async with desk() as workbench:
        stages: list[Stage] = []
        async for inspection in workbench.inspect("the build fails", typing=True):
            if inspection.phase is Phase.FLOOR:
                await asyncio.sleep(0.02)
            stages = list(inspection.trace.stages)
        painted = next(stage for stage in stages if stage.name == PAINT_STAGE)
        assert painted.ms >= 19.0
        assert all(stage.start_ms >= painted.start_ms + painted.ms for stage in stages if stage.name == "embed query")
        settled = await workbench.settle("another question")
        assert PAINT_STAGE not in [stage.name for stage in settled.trace.stages]
