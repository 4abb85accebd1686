"""Tests of staleness: only changes of answers count, and the sentence names them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from app.display.staleness import changes_sentence, evaluation_inputs
from app.domain.case import Case, Task
from app.domain.journal import Edit
from app.domain.library import Memory, Power
from app.services.evaluation.contest import LEAST_CASES
from app.services.status import EncoderState
from app.services.workbench import Workbench
from tests.unit.services.benches import desk
from tests.unit.services.engine.test_calibrating import LINES, TAUGHT

Change = Callable[[Workbench], Awaitable[object]]


async def after(*changes: Change) -> str:
    """Return the changes since a look at the library."""
    async with desk() as bench:
        await bench.curator.teach(Memory(("will it rain",), intent="weather"))
        await bench.ready()
        before = evaluation_inputs(bench.status(), bench.settings)
        for change in changes:
            await change(bench)
        await bench.ready()
        return changes_sentence(before, evaluation_inputs(bench.status(), bench.settings))


async def edit(bench: Workbench) -> None:
    (memory,) = [one for one in bench.engine.index.answers().values() if isinstance(one, Memory)]
    await bench.journal.edit(replace(memory, triggers=("will it snow",)))


async def reword(bench: Workbench) -> None:
    (memory,) = [one for one in bench.engine.index.answers().values() if isinstance(one, Memory)]
    await bench.journal.edit(replace(memory, response="It will."))


async def add_power(bench: Workbench) -> None:
    await bench.journal.do(Edit("added", "mysql"), (Power("mysql", "Ask MySQL", ("mysql",)),))


async def switch_off_a_rule(bench: Workbench) -> None:
    await bench.journal.edit(replace((await bench.rule_edits.rules())[0], enabled=False))


async def label_type(bench: Workbench) -> None:
    await bench.catalogue.add_case(Case("where is it", ("location",), Task.TYPE))


def choose(key: str, value: str) -> Change:
    return lambda bench: bench.choose(key, value)


QUIET: tuple[tuple[Change, ...], ...] = (
    (choose("theme", "dark"),),
    (choose("reduced_motion", "on"), choose("text_scale", "1.5"), choose("rail", "icons"), choose("log_axes", "")),
    (choose("group_matches", "label"), choose("matches", "3")),
    (choose("llm.model", "any"), choose("notify.when_done", "false")),
    (choose("search_intent.surfacing_threshold", "0.9"),),
    (reword,),
    (edit, lambda bench: bench.curator.undo()),
    (choose("tiers.high", "0.95"), lambda bench: bench.choose("tiers.high", None)),
)


@pytest.mark.parametrize("changes", QUIET)
async def test_that_what_changes_no_answer_makes_nothing_stale(changes: tuple[Change, ...]) -> None:
    assert await after(*changes) == ""


LOUD: tuple[tuple[tuple[Change, ...], str], ...] = (
    ((choose("tiers.high", "0.95"),), "Out of date: tiers.high (0.9, now 0.95)."),
    ((choose("preset", "as_documented"),), "Out of date: preset (recommended, now as_documented)."),
    ((edit,), "Out of date: the library was edited."),
    ((lambda bench: bench.curator.teach(Memory(("snow",))),), "Out of date: 1 memory more."),
    ((lambda bench: bench.curator.undo(),), "Out of date: 1 memory less."),
    ((add_power, choose("tiers.weak", "0.2")), "Out of date: tiers.weak (0.3, now 0.2); 1 power more."),
    ((switch_off_a_rule,), "Out of date: the rules were changed."),
    ((label_type,), "Out of date: the type examples were changed."),
)


@pytest.mark.parametrize(("changes", "told"), LOUD)
async def test_that_what_changes_answers_is_named(changes: tuple[Change, ...], told: str) -> None:
    assert await after(*changes) == told


async def test_that_an_encoder_that_comes_or_goes_is_named() -> None:
    async with desk() as bench:
        ready = bench.status()
        gone = replace(ready, encoder_state=EncoderState.FAILED)
        now = evaluation_inputs(ready, bench.settings)
        assert changes_sentence(evaluation_inputs(gone, bench.settings), now) == "Out of date: meaning counts now."
        assert (
            changes_sentence(now, evaluation_inputs(gone, bench.settings)) == "Out of date: meaning no longer counts."
        )
        other = evaluation_inputs(replace(ready, encoder="ollama x"), bench.settings)
        assert changes_sentence(now, other) == "Out of date: the encoder was changed."


async def test_that_nothing_moves_by_itself_once_all_is_settled_and_that_what_cases_say_of_a_fit_is_no_change() -> None:
    async with desk(combination="learned") as bench:
        await bench.import_sources([("memories", LINES)], "a test")
        label = str(TAUGHT[0].answer_label)
        for n in range(LEAST_CASES):
            await bench.catalogue.add_case(Case(f"open {n}", (label,), Task.INTENT))
        await bench.at_rest()
        settings = bench.settings
        before = evaluation_inputs(bench.status(), settings)
        assert settings.learned.memories.phrases == len(TAUGHT)
        assert settings.learned.of_memories is not None
        await bench.contests.settle()
        await bench.ready()
        assert changes_sentence(before, evaluation_inputs(bench.status(), bench.settings)) == ""
        untold = replace(settings.learned, of_memories=None)
        assert changes_sentence(before, evaluation_inputs(bench.status(), settings.with_learned(untold))) == ""
