"""Tests of stored evaluations, refits, and the replacement of `learned` if it is worse on cases."""

import io
import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from app.display.evaluation.runs import (
    cause_words,
    change_line,
    changes_since_document,
    changes_since_lines,
    changes_since_view,
    refit_document,
    run_lines,
)
from app.display.evaluation.sweep import sweep_view
from app.display.scope.verdict import verdict, verdict_document
from app.domain.case import Case, CaseOutcome, Delivered, Task
from app.domain.errors import KnownError
from app.domain.fits import (
    SHIPPED_MEMORIES,
    SHIPPED_POWERS,
    ChangedDelivery,
    Compared,
    Contest,
    FitPolicy,
    FitSource,
    FitState,
    FitStatus,
    Learned,
    Refit,
)
from app.domain.inspection import Decision
from app.domain.journal import Edit
from app.domain.library import Line, Memory, Power
from app.evaluation.answers import Delivery, deliveries
from app.evaluation.comparison import CaseChange, CauseKind, compared
from app.evaluation.evaluation import judged
from app.scoring.combiners import COMBINERS, STAND_IN, chosen_for, combiner_for
from app.scoring.learned.library import Fit
from app.scoring.learned.taught import OutOfScopeTexts
from app.services.engine.learner import refit_of, wants_fit
from app.services.evaluation.contest import (
    LEAST_CASES,
    contest_of,
    contest_sentence,
    evidence_sentence,
    joined_sentence,
    replacement_sentence,
)
from app.services.evaluation.refits import fit_sentence, fit_words
from app.services.evaluation.runs import SinceRun
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.surfaces.cli.evaluate import print_fit
from app.surfaces.cli.output import Printer
from tests.build import library_of, some
from tests.memory_library import MemoryLibrary
from tests.unit.evaluation.made import answer
from tests.unit.services.benches import desk, unopened
from tests.unit.services.engine.test_calibrating import LINES

CASES = (
    Case("will it rain", ("weather",), Task.INTENT),
    Case("will it rain today", ("weather",), Task.INTENT),
    Case("feed the cat", ("cat",), Task.INTENT),
    Case("zzz qqq", (), Task.INTENT),
)
MEMORIES = (Memory(("will it rain",), intent="weather"), Memory(("feed the cat",), intent="cat"))


def library() -> MemoryLibrary:
    return library_of(*MEMORIES)


@asynccontextmanager
async def on_desk(**settings: Any) -> AsyncGenerator[Workbench, None]:
    async with desk(library, combination="fuzzy", **settings) as bench:
        await bench.ready()
        yield bench


async def kept(bench: Workbench, task: Task = Task.INTENT, cases: tuple[Case, ...] = CASES) -> int:
    return some(await bench.runs.keep(await bench.evaluations.today(cases, task, accounts=True), "cases.jsonl"))


def kinds(found: SinceRun) -> list[CauseKind]:
    return [cause.kind for cause in found.causes.values()]


async def test_that_nothing_turns_where_nothing_changed_and_runs_are_listed() -> None:
    async with on_desk() as bench:
        first, second = await kept(bench), await kept(bench)
        found = await bench.runs.against(first, CASES, Task.INTENT)
        assert (found.comparison.turned, found.causes, found.settings, found.others) == ((), {}, {}, 0)
        before, after = found.comparison.before, found.comparison.after
        assert before.metrics["top1"] == after.metrics["top1"]
        assert before.metrics["recall10"] is None
        assert (await bench.runs.against(None, CASES, Task.INTENT)).run.key == second
        runs = await bench.runs.kept()
        assert [run.key for run in runs] == [second, first]
        assert (runs[0].cases, runs[0].source, runs[0].settings["combination"]) == (4, "cases.jsonl", "fuzzy")
        assert "cases.jsonl" in run_lines(runs)[1]
        assert run_lines([])
        assert "every case is answered as then" in changes_since_lines(found)[0]


async def test_that_the_setting_that_moved_an_answer_is_named() -> None:
    async with on_desk() as bench:
        key = await kept(bench)
        await bench.choose_all({"fallback_threshold": "0.99", "bands.high": "0.995", "matches": "5"})
        found = await bench.runs.against(key, CASES, Task.INTENT)
        assert set(found.settings) == {"fallback_threshold", "bands.high"}
        assert kinds(found) == [CauseKind.SETTING]
        (turned,) = found.comparison.turned
        assert turned.before.case.text == "will it rain today"
        told = changes_since_document(found)
        assert told["turned"]["broken"][0]["cause"]["name"] == "fallback_threshold"
        assert told["causes"] == [{"cause": "setting fallback_threshold (0.3, now 0.99)", "cases": 1}]
        assert any("fallback_threshold" in line for line in changes_since_lines(found))
        shown = changes_since_view(found)
        (line,) = shown.lists["broken"]
        assert (line.before.predicted, line.after and line.after.predicted) == (None, "weather")
        assert "fallback_threshold" in line.cause
        assert shown.tables[0].heads == ("then", "current", "change")


async def test_that_a_trigger_that_was_taught_since_is_named_and_one_that_is_gone() -> None:
    async with on_desk() as bench:
        key = await kept(bench)
        new = Memory(("will it rain today",), intent="forecast")
        await bench.curator.teach(new)
        found = await bench.runs.against(key, CASES, Task.INTENT)
        (cause,) = found.causes.values()
        assert (cause.kind, cause.name, cause.of) == (CauseKind.TRIGGER, "will it rain today", "forecast")
        assert cause_words(cause) == "“will it rain today” of forecast, taught or changed since"
        newest = await kept(bench)
        await bench.curator.undo()
        back = await bench.runs.against(newest, CASES, Task.INTENT)
        (cause,) = back.causes.values()
        assert (cause.kind, cause.name) == (CauseKind.GONE, "forecast")


async def test_that_what_cannot_be_compared_is_said_and_none_is_kept_where_none_is_wanted() -> None:
    async with on_desk() as bench:
        key = await kept(bench)
        for wanted, cases, task in (
            (key + 1, CASES, Task.INTENT),
            (key, CASES, Task.MEMORY),
            (None, CASES, Task.POWER),
            (key, (Case("new", ("weather",), Task.INTENT),), Task.INTENT),
        ):
            with pytest.raises(KnownError):
                await bench.runs.against(wanted, cases, task)
        more = await bench.runs.against(key, (*CASES, Case("new", ("weather",), Task.INTENT)), Task.INTENT)
        assert more.others == 1
        await bench.choose_all({"history.evaluations": "0"})
        assert await bench.runs.kept()
        assert await bench.runs.keep(await bench.evaluations.today(CASES, Task.INTENT)) is None
        assert await bench.runs.kept() == []


SPEAKING = Memory(("will it rain",), intent="weather", response="Look out of the window.")


def speaking_library() -> MemoryLibrary:
    return library_of(SPEAKING, Memory(("will it rain today",), intent="weather"))


async def test_that_what_is_delivered_then_is_set_beside_what_is_today_and_named_by_its_setting() -> None:
    async with desk(speaking_library, combination="fuzzy") as bench:
        await bench.ready()
        key = await kept(bench, cases=CASES[:1])
        assert (await bench.runs.kept())[0].right == 1
        await bench.choose("search_intent.certain_confidence", "0")
        found = await bench.runs.against(key, CASES[:1], Task.INTENT)
        (turned,) = found.comparison.of(CaseChange.BROKEN)
        assert turned.before.predicted == turned.after.predicted == "weather"
        (cause,) = found.causes.values()
        assert (cause.kind, cause.name) == (CauseKind.SETTING, "search_intent.certain_confidence")
        before, after = found.comparison.before.metrics["delivered"], found.comparison.after.metrics["delivered"]
        assert (before, after) == (1.0, 0.0)
        assert "weather, not injected" in "".join(changes_since_lines(found))


async def test_that_a_sweep_of_injection_counts_as_an_evaluation_with_each_value() -> None:
    async with desk(speaking_library, combination="fuzzy") as bench:
        await bench.ready()
        key, cases = (
            "search_intent.certain_confidence",
            [Case("will it rain on", ("weather",), Task.INTENT), *CASES[:2]],
        )
        for line in sweep_view(await bench.evaluations.sweep(cases, Task.INTENT, key, ["0.5", "0.95"])).lines:
            await bench.choose(key, line.value)
            then = deliveries((await bench.evaluations.today(cases, Task.INTENT)).answered)
            assert then[Delivery.MISSING] == (line.value == "0.95")
            assert [line.figures[one.value] for one in (Delivery.WRONG, Delivery.MISSING)] == [*then.values()][1:3]
            assert line.figures["delivered"] == then[Delivery.RIGHT] / len(cases)


async def test_that_a_run_of_an_older_version_is_compared_by_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    library = speaking_library()
    outcomes = library.evaluation_runs.outcomes

    def without_delivery(key: int, texts: Iterable[str]) -> list[CaseOutcome]:
        return [replace(one, delivered=None) for one in outcomes(key, texts)]

    monkeypatch.setattr(library.evaluation_runs, "outcomes", without_delivery)
    async with desk(lambda: library, combination="fuzzy") as bench:
        await bench.ready()
        key = await kept(bench, cases=CASES[:1])
        await bench.choose("search_intent.certain_confidence", "0")
        found = await bench.runs.against(key, CASES[:1], Task.INTENT)
        assert found.comparison.turned == ()
        assert found.comparison.before.metrics["delivered"] is None
        assert found.comparison.after.metrics["delivered"] is not None  # a gate of today has its figure
        assert "delivered is not compared" in "".join(changes_since_lines(found))


SOURCE = FitSource(14, 0, 43, datetime(2026, 11, 26, 12, 56, tzinfo=UTC).timestamp())


async def test_that_an_answer_before_the_first_fit_is_provisional_and_one_after_it_is_not() -> None:
    workbench = unopened(combination="learned")
    workbench.learning.policy = FitPolicy.NEVER
    await workbench.open(watch=False)
    await workbench.ready()
    for is_fitted in (False, True):
        found = await workbench.settle("open a kitchen")
        document = verdict_document(found, workbench.settings)
        assert (document["memory"]["provisional"], document["power"]["provisional"]) == (not is_fitted,) * 2
        assert verdict(found, workbench.settings).headline.startswith("Provisional: ") != is_fitted
        await workbench.import_sources([("memories", LINES)], "a test")
        workbench.learning.policy = FitPolicy.FIRST
        await workbench.ready()
    found = await workbench.settle_as("open a kitchen", {"combination": "balanced"})
    assert not found.provisional
    await workbench.close()


async def test_that_what_is_delivered_is_told_by_case_and_by_query_and_changes_keep_their_texts() -> None:
    async with desk() as workbench:
        await workbench.import_sources([("memories", LINES)], "a test")
        case = Case(LINES[0].value.triggers[0], (str(LINES[0].value.intent),), Task.INTENT)
        types = Case("how do I do it", ("howto",), Task.TYPE)
        await workbench.import_sources([("cases", [Line(1, case), Line(2, types)])], "a test")
        await workbench.ready()
        before = await workbench.refits.delivered()
        assert list(before) == [(Compared.CASE, 1)], "a type is decided by no fit"
        after = dict.fromkeys(before, ("something else",))
        refit = refit_of(SOURCE, before, after)
        assert (refit.cases, refit.changed_cases, refit.queries) == (1, 1, 0)
        (changed,) = await workbench.refits.changes_of(refit)
        assert changed.text == case.text
        assert change_line(changed).endswith("→ something else")
        assert refit_document(refit, [changed])["changes"][0]["text"] == case.text
        gone = Refit(SOURCE, 1, 1, 0, 1, (ChangedDelivery(Compared.QUERY, 99, (), ("a",)),))
        assert await workbench.refits.changes_of(gone) == [], "forgotten meanwhile"


async def test_that_a_power_that_is_only_offered_is_part_of_what_a_case_delivers() -> None:
    async with desk(lambda: library_of(Power("paint", "colour the walls of a house"))) as workbench:
        await workbench.catalogue.add_case(Case("colour the walls", (), Task.POWER))
        await workbench.ready()
        assert list((await workbench.refits.delivered()).values()) == [("paint (offered)",)]
        await workbench.choose_all({"tiers.high": "1", "tiers.medium": "1", "tiers.weak": "1"})
        assert list((await workbench.refits.delivered()).values()) == [()]


def test_that_the_state_of_a_fit_names_what_it_was_fitted_on() -> None:
    at = datetime.fromtimestamp(SOURCE.made, UTC).astimezone()
    words = fit_words(FitStatus(FitState.CURRENT, SOURCE), at)
    assert words == f"Learned from 14 memories and 43 cases, {at:%H:%M}"
    later = fit_words(FitStatus(FitState.STALE, SOURCE), at.replace(day=28))
    assert later == f"Learned from 14 memories and 43 cases, {at:%Y-%m-%d %H:%M}; out of date"
    assert fit_words(FitStatus(FitState.FITTING, SOURCE)) == "Learning from the library…"
    assert fit_words(FitStatus()) == ""
    too_few = FitStatus(FitState.CURRENT, replace(SOURCE, memories=0, powers=0, cases=0), is_first=True)
    assert fit_words(too_few) == "Too few triggers to learn from; shipped weights"
    assert fit_sentence(too_few) == ""


async def test_that_a_type_is_provisional_until_its_examples_are_learned() -> None:
    workbench = unopened()
    workbench.types.learns = False
    await workbench.open(watch=False)
    await workbench.fitted()
    for is_learned in (False, True):
        found = await workbench.settle("how do I open a kitchen")
        assert (Decision.TYPE in found.provisional) != is_learned
        workbench.types.learns = True
        workbench.types.library_changed()
        await workbench.types.ready()
    await workbench.close()


async def test_that_a_command_says_which_fit_decides_and_what_its_refit_changed() -> None:
    async with desk(combination="learned") as workbench:
        await workbench.import_sources([("memories", LINES)], "a test")
        await workbench.ready()
        plain, document = io.StringIO(), io.StringIO()
        await print_fit(workbench, Printer(plain))
        assert plain.getvalue().startswith(f"Learned from {len(LINES)} memories, ")
        await workbench.refits.note(Refit(SOURCE, 43, 24, 3, 2))
        await print_fit(workbench, Printer(document, as_json=True))
        told = json.loads(document.getvalue())
        assert (told["fit"]["state"], told["fit"]["memories"]) == ("current", len(LINES))
        assert (told["refit"]["changed_cases"], told["refit"]["changed_queries"]) == (3, 2)
    async with desk() as workbench:
        await print_fit(workbench, Printer((unwanted := io.StringIO()), as_json=True))
        assert json.loads(unwanted.getvalue())["fit"]["state"] == "unwanted"


BOTH = {"combination": "learned", "keep_better": "false"}, {"combination": STAND_IN}
LOST = Contest(40, 10, 30, 0.001, -0.7, -0.3, True)
TEXTS = [f"{one} {verb} {other}" for one in ("", "please") for verb in ascii_lowercase for other in ("", "door", "x y")]


def _known(workbench: Workbench) -> Contest | None:
    return workbench.settings.learned.contest(power=False)


def test_that_what_was_chosen_decides_unless_cases_of_its_kind_say_otherwise() -> None:
    plain = Settings(combination="learned")
    lost = plain.with_learned(Learned(of_memories=LOST))
    assert combiner_for(plain, power=False) is COMBINERS["learned"]
    assert combiner_for(lost, power=False) is COMBINERS[STAND_IN]
    assert combiner_for(lost, power=True) is chosen_for(lost, power=True)
    assert wants_fit(lost), "or it could never win again"
    kept = Settings(combination="learned", keep_better=False).with_learned(lost.learned)
    assert combiner_for(kept, power=False) is COMBINERS["learned"]
    other = Settings(combination="balanced").with_learned(lost.learned)
    assert combiner_for(other, power=False) is COMBINERS["balanced"]
    won = plain.with_learned(Learned(of_memories=replace(LOST, is_outdone=False)))
    assert combiner_for(won, power=False) is COMBINERS["learned"]


def test_that_it_is_said_who_decides_instead_and_only_then() -> None:
    lost = Settings(combination="learned").with_learned(Learned(of_memories=LOST))
    assert "calibrated decides on memories" in replacement_sentence(lost)
    assert "10 right and calibrated 30" in replacement_sentence(lost)
    assert "decides on powers" in replacement_sentence(Settings().with_learned(Learned(of_powers=LOST)))
    assert replacement_sentence(Settings(keep_better=False).with_learned(lost.learned)) == ""
    assert replacement_sentence(Settings()) == ""
    assert "-50.0 points (-70.0 to -30.0" in contest_sentence(LOST, power=False)


def test_that_it_is_told_how_many_cases_take_part() -> None:
    joined = Learned(powers=replace(SHIPPED_POWERS, case_digests=frozenset(range(1200))))
    assert joined_sentence(joined, power=True).startswith("Powers: 1,200 labelled cases take part")
    assert joined_sentence(joined, power=False) == ""


def test_that_it_is_told_how_much_the_weights_are_fitted_on() -> None:
    def said(evidence: int, phrases: int = 30) -> str:
        return evidence_sentence(Learned(memories=replace(SHIPPED_MEMORIES, phrases=phrases, evidence=evidence)))

    assert said(1).startswith("Memories: the weights of the learned score are fitted on 1 question, fewer than 150")
    assert said(400) == "Memories: the weights of learned are fitted here, on 400 questions"
    assert said(0, phrases=0) == "", "nothing was fitted"
    assert "those that ship" in said(0)


def test_that_only_a_difference_of_more_than_chance_is_a_loss_and_lies_in_its_interval() -> None:
    right, wrong = answer("a", "a:0.9"), answer("a", "b:0.9")

    def contest(broken: int, fixed: int, same: int = 10) -> Contest:
        before = [right] * broken + [wrong] * fixed + [right] * same
        after = [wrong] * broken + [right] * fixed + [right] * same
        pair = (judged(Task.INTENT, "learned", answers, Settings()) for answers in (before, after))
        return contest_of(compared(*pair))

    no_match = answer("oos", "a:0.1")
    false_start = replace(no_match, delivered=Delivered(power="p", found_power="p"))
    pair = (judged(Task.INTENT, "learned", [one] * 20, Settings()) for one in (false_start, no_match))
    started = contest_of(compared(*pair))
    assert (started.learned, started.other, started.is_outdone) == (0, 20, True), "what is delivered beside is wrong"
    assert contest(2, 20).is_outdone
    assert not contest(20, 2).is_outdone
    assert not contest(3, 5).is_outdone
    for one in (contest(2, 20), contest(20, 2), contest(3, 5), contest(0, 0)):
        assert -1.0 <= one.low <= one.difference <= one.high <= 1.0
        assert (one.high < 0.0) is one.is_outdone


def test_that_a_contest_is_kept_with_its_fit_and_a_damaged_one_is_none() -> None:
    none = np.zeros((0, 3), np.float32)
    fit = Fit("x", 1, OutOfScopeTexts((), none), contests={False: LOST, True: replace(LOST, is_outdone=False, about=7)})
    again = some(Fit.of_arrays(fit.arrays()))
    assert again.contests == fit.contests
    assert again.learned.is_outdone(power=False)
    assert not again.learned.is_outdone(power=True)
    for odd in (replace(LOST, cases=0), replace(LOST, p=float("nan"))):
        assert Fit.of_arrays(replace(fit, contests={False: odd}).arrays()) is None


@pytest.mark.parametrize("is_worse", [True, False])
async def test_that_kept_cases_decide_who_decides(is_worse: bool) -> None:
    async with desk(combination="learned") as workbench:
        await workbench.import_sources([("memories", LINES)], "a test")
        await workbench.ready()
        asked = [Case(text, ("oos",), Task.INTENT) for text in dict.fromkeys(TEXTS)]
        pair = await workbench.evaluations.between(asked, Task.INTENT, *BOTH)
        assert all(one.delivered is not None for one in pair.before.answered)
        told = zip(asked, pair.before.answered, pair.after.answered, strict=True)
        cases = [
            replace(case, expected=((other if is_worse else one).predicted or "oos",))
            for case, one, other in told
            if one.predicted != other.predicted
        ]
        assert len(cases) >= LEAST_CASES
        await workbench.contests.settle()
        assert _known(workbench) is None, "no case is kept yet"
        await workbench.import_sources([("cases", (Line(n, case) for n, case in enumerate(cases, 1)))], "a test")
        await workbench.contests.settle()
        contest = some(_known(workbench))
        assert (contest.cases, contest.is_outdone) == (len(cases), is_worse)
        assert (contest.learned, contest.other)[is_worse] == len(cases)
        decides = (await workbench.settle(cases[0].text)).combination["memory"]
        assert decides == (STAND_IN if is_worse else "learned")
        assert ("learned" in workbench.status().notes) is is_worse
        if not is_worse:
            return
        wants = {case.text: case.expected for case in cases}
        kept = await workbench.in_store(lambda library: library.cases())
        edited = [replace(case, expected=("another",)) for case in kept]
        await workbench.journal.do(Edit("edited", "cases"), edited)
        await workbench.contests.settle()
        contest = some(_known(workbench))
        assert (contest.learned, contest.other) == (0, 0), "as many cases, that want something else"
        kept = await workbench.in_store(lambda library: library.cases())
        await workbench.journal.do(Edit("edited", "cases"), [replace(one, expected=wants[one.text]) for one in kept])
        await workbench.contests.settle()
        assert (await workbench.settle(cases[0].text)).combination["memory"] == STAND_IN
        assert not workbench.settings.calibration.memories.is_shipped, "it tells by scales of what is taught"
        judged_at_first = _known(workbench)
        await workbench.choose("fallback_threshold", "1")
        await workbench.contests.settle()
        contest = some(_known(workbench))
        assert contest.learned == contest.other, "nothing is found under this threshold, by either"
        await workbench.choose("fallback_threshold", "0.3")
        await workbench.contests.settle()
        assert _known(workbench) == judged_at_first
        await workbench.choose("keep_better", "false")
        assert (await workbench.settle(cases[0].text)).combination["memory"] == "learned"
        assert "learned" not in workbench.status().notes
