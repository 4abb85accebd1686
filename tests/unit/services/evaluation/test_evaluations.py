"""Tests of cases under other settings: as if set, encoded once, with nothing changed (S7.5)."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.display.evaluation.comparison import sweep_chance_sentence
from app.display.evaluation.runs import refit_sentence
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.fits import Refit
from app.domain.library import Line, Memory, Problem
from app.evaluation.comparison import CaseChange
from app.services.evaluation import evaluate as evaluate_module
from app.services.evaluation import refits, trial_snapshot
from app.services.evaluation.evaluations import MOST_ANSWERS, Evaluations
from app.services.evaluation.trial_snapshot import ChangedMeanwhileError
from app.services.evaluation.trials import Overlay
from app.services.workbench import Workbench
from app.settings.model import SettingsError
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk
from tests.unit.services.engine.test_calibrating import TAUGHT, THINGS
from tests.unit.services.why_nots import CASES, MEMORIES, POWERS
from tests.waiting import PATIENCE


def library() -> MemoryLibrary:
    return library_of(
        *MEMORIES,
        Memory(("will it snow",), id="snow", success=0.4),
        *POWERS,
        *CASES,
        Case("will it snow", ("snow",), Task.MEMORY),
        Case("feed the cat", ("cat",), Task.MEMORY),
    )


@asynccontextmanager
async def on_desk(**settings: Any) -> AsyncGenerator[Workbench, None]:
    async with desk(library, **settings) as bench:
        await bench.ready()
        yield bench


def cases_of(bench: Workbench, task: Task) -> list[Case]:
    return [case for case in bench.library.cases() if case.task is task]


CHANGES: dict[Task, list[dict[str, str]]] = {
    Task.INTENT: [{"combination": "fuzzy"}, {"min_score": "0.3"}, {"preset": "as_documented"}],
    Task.MEMORY: [{"combination": "max", "fallback_threshold": "0.9"}, {"min_score": "0.3"}, {"min_score": "0.9"}],
    Task.POWER: [{"tiers.ambiguity_margin": "0"}, {"power_combination": "semantic"}, {"preset": "as_documented"}],
    Task.TYPE: [{"search_intent.selection": "priority"}, {"fallback_threshold": "0.99"}],
}


@pytest.mark.parametrize("task", CHANGES)
async def test_that_it_comes_out_as_if_the_settings_were_set(task: Task) -> None:
    async with on_desk() as bench:
        cases = cases_of(bench, task)
        for changes in CHANGES[task]:
            tried = await bench.evaluations.compare(cases, task, changes)
            before = bench.settings
            await bench.choose_all(dict(changes))
            await bench.ready()
            then = await bench.evaluations.today(cases, task)
            assert tried.after.metrics == pytest.approx(then.metrics, nan_ok=True), changes
            for one, other in zip(tried.after.answered, then.answered, strict=True):
                first, second = ((each.predicted, each.rank, each.is_right, each.tier) for each in (one, other))
                assert first == second, (changes, one.case)
                assert one.confidence == pytest.approx(other.confidence, abs=1e-6)
            await bench.choose_all(dict.fromkeys(changes))
            await bench.ready()
            assert bench.settings == before


async def test_that_settings_that_change_answers_are_logged_with_these(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refits, "SETTLED_SECONDS", 0.0)
    async with on_desk() as bench:
        logged = asyncio.Queue[Refit]()
        bench.refits.changed.subscribe(logged.put_nowait)
        await bench.choose_all({"theme": "dark", "tiers.high": "1.0", "fallback_threshold": "1.0"})
        found = await asyncio.wait_for(logged.get(), PATIENCE)
        assert (found.settings, found.queries) == (("tiers.high", "fallback_threshold"), 0)
        assert 0 < found.changed_cases <= found.cases
        assert refit_sentence(found).startswith("Settings changed (tiers.high, fallback_threshold): ")


async def test_that_confidences_are_told_by_the_scale_that_there_would_be_and_not_by_the_shipped_one() -> None:
    def taught() -> MemoryLibrary:
        return library_of(*(one for one in TAUGHT if isinstance(one, Memory)))

    cases = [Case(f"{verb} a {thing}", (thing,), Task.INTENT) for verb in ("open", "hide") for thing in THINGS]
    async with desk(taught) as bench:
        await bench.ready()
        tried = await bench.evaluations.compare(cases, Task.INTENT, {"combination": "calibrated"})
        swept = await bench.evaluations.sweep(cases, Task.INTENT, "combination", ["calibrated"])
        assert bench.settings.combination == "balanced"
        await bench.choose("combination", "calibrated")
        await bench.ready()
        assert not bench.settings.calibration.memories.is_shipped
        then = await bench.evaluations.today(cases, Task.INTENT)
        assert tried.after.metrics == then.metrics == swept.rows[0].comparison.after.metrics
        assert tried.after.chance == then.chance


async def test_that_lowering_min_score_lets_memories_in() -> None:
    async with on_desk(min_score=0.5) as bench:
        cases = cases_of(bench, Task.MEMORY)
        found = await bench.evaluations.compare(cases, Task.MEMORY, {"min_score": "0"})
        assert [one.before.case.text for one in found.of(CaseChange.FIXED)] == ["will it snow", "feed the cat"]
        found = await bench.evaluations.compare(cases, Task.MEMORY, {"min_score": "0.5"})
        assert found.turned == ()


async def test_that_routes_come_out_as_if_the_settings_were_set_with_and_without_what_is_taught() -> None:
    async with on_desk() as bench:
        cases = cases_of(bench, Task.ROUTE)
        changes = {"route.examples": "false"}
        for taught in (True, False):
            tried = await bench.evaluations.compare(cases, Task.ROUTE, changes, taught=taught)
            await bench.choose_all(changes)
            then = await bench.evaluations.today(cases, Task.ROUTE, taught=taught)
            await bench.choose_all(dict.fromkeys(changes))
            now = await bench.evaluations.today(cases, Task.ROUTE, taught=taught)
            for one, other in ((tried.before, now), (tried.after, then)):
                assert one.metrics == other.metrics
                assert [each.candidates for each in one.answered] == [each.candidates for each in other.answered]


async def test_that_numbers_are_left_out_that_the_other_settings_do_not_go_with() -> None:
    async with on_desk() as bench:
        cases, trials = cases_of(bench, Task.POWER), bench.evaluations
        found = await trials.sweep(cases, Task.POWER, "tiers.weak", ["0.3", "0.5", "0.9", "1"])
        assert ([row.value for row in found.rows], found.refused) == (["0.3", "0.5"], ("0.9", "1"))
        assert "Not tried, since the other settings do not go with it: 0.9 1." in sweep_chance_sentence(found)
        for values in (["0.9", "1"], ["max", "sum"]):
            with pytest.raises(SettingsError):
                await trials.sweep(cases, Task.POWER, "tiers.weak" if "1" in values else "combination", values)


async def test_that_without_an_encoder_the_lexical_scores_decide() -> None:
    async with on_desk() as bench:
        bench.engine.encoder = None
        bench.engine.index.forget_vectors()
        found = await bench.evaluations.compare(
            cases_of(bench, Task.INTENT), Task.INTENT, {"combination": "calibrated"}
        )
        assert found.after.chance is None
        assert found.after.answered[0].is_right


@pytest.mark.parametrize(
    ("changes", "error", "why"),
    [({"combination": "sum"}, SettingsError, "combination"), ({"nonsense": "1"}, SettingsError, "Unknown setting")],
)
async def test_that_what_cannot_be_tried_is_refused(changes: dict[str, str], error: type[Exception], why: str) -> None:
    async with on_desk() as bench:
        cases = cases_of(bench, Task.POWER)
        with pytest.raises(error, match=why):
            await bench.evaluations.compare(cases, Task.POWER, changes)
        with pytest.raises(KnownError, match="every vector"):
            await bench.evaluations.sweep(cases, Task.POWER, "encoder.name", ["intentscope-minilm", "ollama"])
        with pytest.raises(KnownError, match="At most"):
            await bench.evaluations.sweep(cases, Task.POWER, "tiers.high", ["0.5"] * 201)
        many = [Case("check my database", ("mysql",), Task.POWER)] * (MOST_ANSWERS // 200 + 1)
        with pytest.raises(KnownError, match="20,001 cases can be answered under 199 values"):
            await bench.evaluations.sweep(many, Task.POWER, "tiers.high", ["0.9"] * 200)


async def test_that_it_stops_between_cases_and_where_the_library_is_changed() -> None:
    async with on_desk() as bench:
        cases = [Case("check my database", ("mysql",), Task.POWER)] * 500
        begun, last = asyncio.Event(), 0

        def tell(done: int, _: int) -> None:
            nonlocal last
            last = done
            begun.set()

        run = asyncio.ensure_future(bench.evaluations.today(cases, Task.POWER, tell))
        await begun.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert last < len(cases)
        begun.clear()

        async def change() -> None:
            await begun.wait()
            await bench.curator.teach(Memory(("good evening",)))

        changing = asyncio.ensure_future(change())
        with pytest.raises(ChangedMeanwhileError):
            await bench.evaluations.today(cases, Task.POWER, tell)
        await changing


async def test_that_it_begins_anew_where_only_what_is_learned_was_fitted_meanwhile() -> None:
    async with on_desk() as bench:
        cases, seen = [Case("check my database", ("mysql",), Task.POWER)] * 500, bench.settings

        def tell(done: int, total: int) -> None:
            if bench.settings is seen and done < total:
                bench._on_learned(seen.learned)

        found = await bench.evaluations.today(cases, Task.POWER, tell)
        assert bench.settings is not seen
        assert len(found.answered) == len(cases)


async def test_that_a_file_of_cases_is_read_and_its_lost_lines_counted() -> None:
    def read_file(path: Path, kind: str, task: str) -> Any:
        assert (kind, task) == ("cases", "power")
        return kind, [Line(1, CASES[4]), Problem(2, "This is not a case."), Line(3, replace(CASES[0]))]

    async with on_desk() as bench:
        cases, lost = await Evaluations(
            bench, bench.routing, bench.calibrating, bench.learning, read_file, bench._evaluate_under
        ).read(Path("some.jsonl"), Task.POWER)
        assert (cases, lost) == ([CASES[4]], 1)
        with pytest.raises(KnownError, match=r"some\.jsonl holds no case"):
            await Evaluations(
                bench, bench.routing, bench.calibrating, bench.learning, lambda *_: ("cases", []), bench._evaluate_under
            ).read(Path("some.jsonl"), Task.POWER)


async def test_that_names_after_an_edit_are_made_once_for_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Counted(Overlay):
        def __init__(self, *of: Any) -> None:
            super().__init__(*of)
            made.append(len(self.named.names))

    monkeypatch.setattr(trial_snapshot, "Overlay", Counted)
    async with on_desk(min_score=0.5) as bench:
        cases = cases_of(bench, Task.MEMORY)
        assert len(cases) > 1
        await bench.evaluations.compare(cases, Task.MEMORY, {"min_score": "0"})
        assert len(made) == 1


async def test_that_a_key_has_its_turn_between_the_values_of_one_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_module, "LONGEST_SECONDS", 0.0)
    async with on_desk() as bench:
        turns: list[None] = []
        turn = bench.typing_priority.turn

        async def counted() -> None:
            turns.append(None)
            await turn()

        monkeypatch.setattr(bench.typing_priority, "turn", counted)
        case = cases_of(bench, Task.INTENT)[:1]
        await bench.evaluations.sweep(case, Task.INTENT, "fallback_threshold", ["0.1", "0.2", "0.3", "0.4"])
        assert len(turns) >= 5, "today and each of four values"


UNREAD = {"weights.fuzzy": "weighted_average", "thresholds.fuzzy": "cascade"}


@pytest.mark.parametrize("key", UNREAD)
async def test_that_a_setting_that_nothing_reads_is_not_tried(key: str) -> None:
    async with on_desk() as bench:
        cases, trials = cases_of(bench, Task.POWER), bench.evaluations
        said = f"{key} does not count here: balanced decides, and only {UNREAD[key]} reads it. Choose that first."
        with pytest.raises(KnownError, match=re.escape(said)):
            await trials.sweep(cases, Task.POWER, key, ["0.2", "0.9"])
        with pytest.raises(KnownError, match=re.escape(said)):
            await trials.compare(cases, Task.POWER, {key: "0.2"})
        await trials.compare(cases, Task.POWER, {key: "0.2", "combination": UNREAD[key]})
        await bench.choose("power_combination", UNREAD[key])
        await trials.sweep(cases, Task.POWER, key, ["0.2", "0.9"])
