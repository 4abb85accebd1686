"""Tests of intents: case results, and renaming or merging with cases in one step."""

from __future__ import annotations

import pytest

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.library import Memory
from app.evaluation.answers import Answered, RankedName
from app.services.library.intents import Confusion, IntentFigures, checked_label, figures_of, renamed_case
from app.services.workbench import Workbench
from tests.build import some
from tests.unit.services.benches import desk

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


def taught(bench: Workbench) -> dict[str, str | None]:
    return {memory.triggers[0]: memory.intent for memory in bench.library.memories()}


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


async def test_that_intents_are_listed_without_the_six_types() -> None:
    async with desk() as bench:
        await fill(bench)
        found = await bench.intents.stored()
        assert [(one.label, one.memories, one.triggers, one.cases) for one in found.intents] == [
            ("block", 2, 2, 2),
            ("freeze", 1, 2, 2),
        ]


async def test_that_a_rename_takes_the_cases_along_in_one_step() -> None:
    async with desk() as bench:
        await fill(bench)
        before = taught(bench), cases(bench)
        renamed = some(await bench.intents.rename("freeze", " lock-card "))
        assert (renamed.memories, renamed.cases) == (1, 3)
        assert renamed.written.step.sentence == "renamed the intent “freeze” to “lock-card”"
        assert taught(bench)["freeze my card"] == "lock-card"
        assert cases(bench) == {
            "freeze this card": (("lock-card",), ()),
            "freeze or block it": (("block", "lock-card"), ()),
            "never freeze it": (("block",), ("lock-card",)),
        }
        assert cases(bench, Task.POWER) == {"freeze": (("freeze",), ())}
        assert bench.engine.index.answers()
        assert "lock-card" in {getattr(one, "intent", None) for one in bench.engine.index.answers().values()}
        assert await bench.curator.undo() is not None
        assert (taught(bench), cases(bench)) == before


async def test_that_renaming_to_another_intent_merges_the_two() -> None:
    async with desk() as bench:
        await fill(bench)
        merged = some(await bench.intents.rename("block", "freeze"))
        assert merged.written.step.sentence == "merged the intent “block” into “freeze”"
        assert [one.label for one in (await bench.intents.stored()).intents] == ["freeze"]
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
    assert found["loose"] == IntentFigures(found["loose"].score)
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
