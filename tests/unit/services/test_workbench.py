"""Tests of the workbench: adding, undo, imports, settings, events and progress."""

import asyncio
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event as ThreadEvent

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import EncoderError, KnownError, StoreError
from app.domain.inspection import PAINT_STAGE, Phase, Stage
from app.domain.intent import IntentType
from app.domain.journal import Edit
from app.domain.library import Line, Memory, Problem
from app.domain.why_not import Change, ChangeSettings
from app.ports.encoder import Embedder, Vectors
from app.ports.store import Library
from app.scoring.leaving_out import Between, LeftOut
from app.services.events import Event
from app.services.status import EncoderState, Status
from app.services.workbench import Workbench
from app.settings.model import SettingsError
from app.surfaces.cli.terminal import wait_until_ready
from tests.build import of_type, some
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk, names
from tests.unit.services.engine.test_calibrating import LINES, TAUGHT, Desk
from tests.waiting import PATIENCE


async def test_that_it_is_told_that_answers_differ_before_anything_is_counted() -> None:
    async with desk() as workbench:
        told: list[tuple[bool, bool]] = []
        memory = Memory(("rotate the keys",), response="monthly", intent="keys")

        def hear(status: Status) -> None:
            told.append((bool(status.counts["memories"]), status.is_counted_anew))
            assert workbench.engine.index.candidates == 1

        deafen = workbench.status_changed.subscribe(hear)
        await workbench.curator.teach(memory)
        assert told[:2] == [(False, False), (True, True)]
        deafen()


async def test_that_teaching_the_typed_query_needs_no_second_encoding() -> None:
    encoder = LetterEncoder()
    async with desk(encoder=lambda: encoder) as workbench:
        await workbench.settle("rotate the keys")
        before = len(encoder.encoded)
        await workbench.curator.teach(Memory(("rotate the keys",)))
        match = (await workbench.settle("rotate the keys")).matches[0]
        assert match.scores["semantic"] == pytest.approx(1.0, abs=1e-6)
        assert len(encoder.encoded) == before


async def test_that_conflicts_are_the_same_trigger_under_another_answer() -> None:
    async with desk() as workbench:
        await workbench.curator.teach(Memory(("Reset the database!",), intent="reset"))
        assert workbench.catalogue.conflicts("reset the  database", "reset") == []
        assert [m.intent for m in workbench.catalogue.conflicts("reset the  database", "other")] == ["reset"]
        assert workbench.catalogue.conflicts("???", "other") == []


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
        await workbench.curator.teach(Memory(("rotate the keys",)))
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
            await workbench.curator.teach(Memory(("x",)))


async def test_that_an_import_tells_its_bad_lines_and_answers_with_the_good_ones() -> None:
    async with desk() as workbench:
        lines: list[Line[Memory] | Problem] = [
            Line(1, Memory(("one fine day",))),
            Problem(2, "It is not JSON."),
            Line(3, Memory(("two",))),
        ]
        (intake,) = await workbench.import_sources([("memories", lines)])
        await workbench.ready()
        assert (len(intake.change.added), [p.line for p in intake.problems]) == (2, [2])
        assert await names(workbench, "one fine day") == ["one fine day", "two"]
        assert workbench.engine.index.embedded() == 2


async def test_that_what_another_program_stores_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.services.core.WATCH_SECONDS", 0.02)
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
        memory = await workbench.curator.teach(Memory(("rotate the keys",), id="keys"))
        changed = await workbench.curator.add_trigger(memory, "turn all the keys")
        assert changed.triggers == ("rotate the keys", "turn all the keys")
        first = (await workbench.settle("turn all the keys")).matches[0]
        assert (first.answer.name, first.confidence) == ("keys", 1.0)
        with pytest.raises(KnownError, match="already"):
            await workbench.curator.add_trigger(changed, "turn all the keys")
        await workbench.curator.undo()
        assert workbench.library.memories() == [memory]


async def test_that_one_more_trigger_of_a_power_is_an_example() -> None:
    async with desk() as workbench:
        await workbench.add_seed_library()
        (power,) = workbench.library.powers()
        await workbench.curator.add_trigger(power, "look into the tables")
        assert workbench.library.powers()[0].examples == ("look into the tables",)
        with pytest.raises(KnownError, match="teach a whole request"):
            await workbench.curator.add_trigger(power, power.keywords[0])
        await workbench.curator.undo()
        assert workbench.library.powers()[0].examples == ()


async def test_that_marks_move_the_success_score_and_become_cases() -> None:
    async with desk() as workbench:
        memory = await workbench.curator.teach(Memory(("rotate the keys",), intent="keys", success=0.5))
        fits = of_type(await workbench.curator.mark(memory, "turn the keys", fits=True), Memory)
        assert fits.success == pytest.approx(0.55)
        assert (fits.right, fits.usage) == (1, 0)
        (case,) = workbench.library.cases()
        assert (case.text, case.expected, case.task) == ("turn the keys", ("keys",), Task.INTENT)
        fails = await workbench.curator.mark(fits, "open the door", fits=False)
        assert of_type(fails, Memory).success == pytest.approx(0.495)
        assert workbench.library.cases()[1].unwanted == ("keys",)
        await workbench.curator.undo()
        await workbench.curator.undo()
        assert workbench.library.memories() == [memory]
        assert workbench.library.cases() == []


async def test_that_an_encoder_that_breaks_unforeseen_keeps_nobody_waiting() -> None:
    def breaks() -> Embedder:
        raise ZeroDivisionError("oops")

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with desk(encoder=breaks) as workbench:
        assert workbench.status().encoder_state is EncoderState.FAILED
        assert "lexical" in workbench.status().faults["encoder"]


async def test_that_a_second_trigger_from_an_old_row_keeps_the_first() -> None:
    async with desk() as workbench:
        shown = await workbench.curator.teach(Memory(("one",)))
        await workbench.curator.add_trigger(shown, "two")
        await workbench.curator.add_trigger(shown, "three")
        assert workbench.library.memories()[0].triggers == ("one", "two", "three")
        await workbench.curator.undo()
        assert workbench.library.memories()[0].triggers == ("one", "two")


async def test_that_teaching_while_another_programs_writes_are_read_loses_neither(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        other = SqlLibrary.open(tmp_path)
        other.add("memories", [Memory((f"from elsewhere {number}",)) for number in range(500)])
        other.close()
        await asyncio.gather(
            workbench.import_sources([("memories", [])]), workbench.curator.teach(Memory(("taught now",)))
        )
        await workbench.ready()
        assert "taught now" in await names(workbench, "taught now")
        assert "from elsewhere 7" in await names(workbench, "from elsewhere 7")


async def test_that_ready_waits_for_every_import() -> None:
    async with desk() as workbench:
        for number in range(3):
            lines = [Line(row, Memory((f"memory {number} {row}",))) for row in range(20)]
            await workbench.import_sources([("memories", lines)])
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


async def test_that_a_choice_is_live_kept_and_refused_where_something_else_wins() -> None:
    async with desk(theme="dark") as workbench:
        await workbench.choose("preset", "as_documented")
        assert workbench.settings.power_combination == "keyword_or_semantic"
        assert workbench.library.setting_values() == {"preset": "as_documented"}
        assert workbench.origins["power_combination"] == "preset"
        with pytest.raises(SettingsError, match="command line"):
            await workbench.choose("theme", "light")
        with pytest.raises(SettingsError, match=r"tiers\.high"):
            await workbench.choose("tiers.high", "7")
        assert workbench.library.setting_values() == {"preset": "as_documented"}


async def test_that_a_query_can_be_answered_under_other_settings_without_choosing_them() -> None:
    async with desk() as workbench:
        await workbench.curator.teach(Memory(("rotate the keys",)))
        other = await workbench.settle_as("rotate the key", {"combination": "fuzzy"})
        assert other.combination["memory"] == "fuzzy"
        assert other.matches[0].confidence == other.matches[0].scores["fuzzy"]
        assert (await workbench.settle("rotate the key")).combination["memory"] == "balanced"
        documented = await workbench.settle_as("rotate the key", {"preset": "as_documented"})
        assert documented.detection.policy == "priority"
        with pytest.raises(SettingsError, match="best"):
            await workbench.settle_as("x", {"combination": "best"})


async def test_that_a_choice_made_here_can_be_forgotten() -> None:
    async with desk() as workbench:
        await workbench.choose("theme", "dark")
        await workbench.choose("theme", None)
        assert workbench.settings.theme == "system"
        assert workbench.library.setting_values() == {}


async def test_that_the_least_success_score_counts_from_the_start(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.add("memories", [Memory(("low",), success=0.3), Memory(("fine",), success=0.8)])
    library.close()
    async with desk(library=lambda: SqlLibrary.open(tmp_path), min_score=0.5) as workbench:
        assert await names(workbench, "low") == ["fine"]
        low = await workbench.curator.teach(Memory(("lower",), success=0.1))
        assert await names(workbench, low.name) == ["fine"]


async def test_that_two_choices_at_once_both_hold() -> None:
    async with desk() as workbench:
        await asyncio.gather(workbench.choose("theme", "dark"), workbench.choose("matches", "7"))
        assert (workbench.settings.theme, workbench.settings.matches) == ("dark", 7)
        assert workbench.library.setting_values() == {"theme": "dark", "matches": "7"}


LINE = {"fallback_threshold": "0.11"}
SET = Edit("set", "fallback_threshold to 0.11")


async def sentence(bench: Workbench, *, redo: bool = False) -> str | None:
    done = await (bench.curator.redo() if redo else bench.curator.undo())
    return None if done is None else done.sentence


async def test_that_steps_of_settings_and_of_the_library_are_taken_back_in_turn() -> None:
    async with desk(MemoryLibrary) as bench:
        before = bench.settings.fallback_threshold
        await bench.curator.teach(Memory(("x",), id="x"))
        await bench.choose_all(dict(LINE), SET)
        await bench.curator.teach(Memory(("y",), id="y"))
        assert await sentence(bench) == "Undone: taught “y”."
        assert await sentence(bench) == "Undone: set fallback_threshold to 0.11."
        assert (bench.settings.fallback_threshold, bench.origins["fallback_threshold"]) == (before, "default")
        assert await sentence(bench) == "Undone: taught “x”."
        for said in ("taught “x”", "set fallback_threshold to 0.11", "taught “y”"):
            assert await sentence(bench, redo=True) == f"Redone: {said}."
        assert bench.settings.fallback_threshold == 0.11
        assert [memory.name for memory in bench.library.memories()] == ["x", "y"]


async def test_that_what_is_chosen_in_the_window_is_taken_back_first_unless_it_is_only_a_look() -> None:
    async with desk() as bench:
        await bench.curator.teach(Memory(("x",)))
        await bench.choose("llm.url", "http://127.0.0.1:1")
        await bench.choose("theme", "dark")
        assert next(step.sentence for step in await bench.journal.steps()) == "set llm.url to http://127.0.0.1:1"
        assert await bench.curator.undo() is not None
        assert (bench.settings.llm.url, bench.settings.theme) == ("", "dark")
        assert [memory.name for memory in bench.library.memories()] == ["x"]
        for key, address in (("llm.url", "http://me:s3cret@h:1"), ("route.qdrant", "http://h?api_key=s3cret")):
            with pytest.raises(SettingsError, match="does not belong here") as told:
                await bench.choose(key, address)
            assert "s3cret" not in f"{told.value} {await bench.journal.steps()} {bench.library.setting_values()}"
        await bench.choose("matches", "7")
        await bench.choose("matches", None)
        assert next(step.sentence for step in await bench.journal.steps()) == "reset matches"


async def test_that_what_why_not_sets_is_a_step_with_its_source() -> None:
    async with desk(MemoryLibrary) as bench:
        act = ChangeSettings((("tiers.high", "0.6"), ("tiers.medium", "0.5")))
        await bench.why_nots.apply(Change("setting.tiers.high", True, None, act), source="command line")
        (step,) = bench.library.steps()
        assert step.sentence == "set tiers.high to 0.6 and tiers.medium to 0.5"
        assert (step.count, step.source) == (2, "command line")


async def test_that_a_step_whose_settings_are_refused_by_now_stays() -> None:
    async with desk(MemoryLibrary) as bench:
        await bench.choose_all({"tiers.high": "0.5", "tiers.medium": "0.4"})
        await bench.choose_all({"tiers.medium": "0.3"}, Edit("set", "tiers.medium to 0.3"))
        await bench.choose_all({"tiers.high": "0.35"})
        await bench.choose_all({"theme": "dark"})
        assert bench.settings.tiers.high == 0.35, "what was chosen together stays so"
        for _ in range(2):
            with pytest.raises(SettingsError):
                await bench.curator.undo()
            assert bench.library.setting_values()["tiers.medium"] == "0.3"
        await bench.choose_all({"tiers.high": "0.5"})
        assert await sentence(bench) == "Undone: set tiers.medium to 0.3."
        assert bench.settings.tiers.medium == 0.4


async def test_that_what_was_chosen_anew_stays_and_so_does_the_step() -> None:
    async with desk(MemoryLibrary) as bench:
        await bench.choose_all(dict(LINE), SET)
        await bench.choose_all({"fallback_threshold": "0.6"})
        with pytest.raises(KnownError):
            await bench.curator.undo()
        assert bench.settings.fallback_threshold == 0.6
        await bench.choose_all({"fallback_threshold": "0.11"})
        assert await sentence(bench) == "Undone: set fallback_threshold to 0.11."


def test_that_they_are_taken_back_after_a_restart(tmp_path: Path) -> None:
    async def chosen() -> None:
        async with desk(lambda: SqlLibrary.open(tmp_path)) as bench:
            await bench.choose_all(dict(LINE), SET)

    async def undone() -> None:
        async with desk(lambda: SqlLibrary.open(tmp_path)) as bench:
            assert bench.settings.fallback_threshold == 0.11
            assert await sentence(bench) == "Undone: set fallback_threshold to 0.11."
            assert bench.settings.fallback_threshold != 0.11

    asyncio.run(chosen())
    asyncio.run(undone())


def test_that_who_unsubscribes_hears_no_more_and_the_others_still_do() -> None:
    event, one, other = Event[int](), list[int](), list[int]()
    unsubscribe = event.subscribe(one.append)
    event.subscribe(other.append)
    unsubscribe()
    unsubscribe()
    event.notify(2)
    assert (one, other) == ([], [2])
    assert event.has_listeners


def test_that_a_listener_may_unsubscribe_while_it_is_told() -> None:
    event, heard = Event[int](), list[str]()

    def once(_: int) -> None:
        heard.append("once")
        unsubscribe()

    unsubscribe = event.subscribe(once)
    event.subscribe(lambda _: heard.append("always"))
    event.notify(1)
    event.notify(2)
    assert heard == ["once", "always", "always"]


def test_that_a_fit_says_how_many_questions_are_asked_of_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("app.services.engine.calibrator", "app.scoring.leaving_out"):
        monkeypatch.setattr(f"{module}.AT_ONCE", 100)
    workplace, seen = Desk(), list[tuple[int, int]]()
    monkeypatch.setattr(
        workplace.calibrating._typing_priority,
        "yield_to_typing",
        lambda: seen.append(workplace.calibrating.progress),
        raising=True,
    )
    workplace.settle()
    fitting = [one for one in seen if one[1]]
    total = sum(len(answer.triggers) for answer in TAUGHT)
    assert len(set(fitting)) > 5
    assert fitting == sorted(fitting)
    assert {of for _, of in fitting} == {total}
    assert fitting[-1][0] > total / 2
    assert workplace.calibrating.progress == (0, 0)
    seen.clear()
    workplace.settle()
    assert not [one for one in seen if one[1]], "nothing is fitted anew"


class Terminal(io.StringIO):
    """Terminal that signals when it shows the progress of a fit."""

    def __init__(self) -> None:
        super().__init__()
        self.tells = ThreadEvent()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if "calibrating" in text:
            self.tells.set()
        return super().write(text)


async def test_that_a_command_shows_how_far_a_fit_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)

    def slow(*_: object, power: bool, between: Between) -> LeftOut | None:
        between()
        assert power or screen.tells.wait(PATIENCE), "nothing was told of the fit"
        return None

    monkeypatch.setattr("app.services.engine.calibrator.left_out", slow)
    async with desk() as workbench:
        await workbench.import_sources([("memories", LINES)], "a test")
        await workbench.choose("combination", "calibrated")
        await wait_until_ready(workbench)
    last = screen.getvalue().splitlines()[-1]
    assert last.strip().startswith("calibrating ")
    assert screen.getvalue().endswith("\n")
