"""Tests of the LLM in an evaluation: one stored request per query, compared with other ways."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from app.display.evaluation.llm import llm_document, llm_lines, llm_view
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StoreError
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, StoredLlmAnswer
from app.evaluation.comparison import CaseChange
from app.evaluation.llm import repeats, times, within
from app.ports.llm import LlmConnection, LlmDisconnectedError, LlmUnreachableError, LlmUnreadableError
from app.services.evaluation.llm_answers import NOT_SET_UP, OFF, LlmAskOptions
from app.services.workbench import Workbench
from tests.build import some
from tests.fakes import MemoryLibrary, ScriptedLlm
from tests.unit.services.benches import asking_desk

LLM = {"llm.url": "http://127.0.0.1:9", "llm.model": "scripted"}
SURE = LlmAnswer(
    IntentType.TROUBLESHOOT, 0.9, "one_token", distribution={"troubleshoot": 0.9, "howto": 0.06, "general": 0.04}
)
CASES = [
    Case("fix the build", ("Troubleshoot",), Task.TYPE),
    Case("upload is odd today", ("troubleshoot",), Task.TYPE),
    Case("how do I add a user", ("howto",), Task.TYPE),
    Case("hello there", (), Task.TYPE),
]


class Model(ScriptedLlm):
    """Model that answers each query as scripted, by default with SURE, and counts connections."""

    def __init__(self, said: dict[str, LlmAnswer | Exception] | None = None, **how: Any) -> None:
        super().__init__(SURE, **how)
        self.said = said or {}
        self.made = 0

    def __call__(self, settings: object) -> LlmConnection:
        self.made += 1
        return cast("LlmConnection", self)

    async def classify(self, query: str) -> LlmAnswer:
        found = self.said.get(query, SURE)
        self.asked.append(query)
        await asyncio.sleep(self.seconds)
        if isinstance(found, Exception):
            raise found
        return found


@asynccontextmanager
async def on_desk(
    model: Model, library: Callable[[], MemoryLibrary] = MemoryLibrary, chosen: Mapping[str, Any] | None = None
) -> AsyncGenerator[Workbench, None]:
    settings = {**LLM, "search_intent.llm_timeout_ms": 60_000, **(chosen or {})}
    async with asking_desk(model, settings, library) as bench:
        model.asked.clear()
        yield bench


async def test_that_each_way_of_answering_is_judged_beside_the_others() -> None:
    model = Model()
    async with on_desk(model) as bench:
        told: list[tuple[int, int]] = []
        ask_llm = bench.llm_answers.asker(LlmAskOptions(), lambda done, total: told.append((done, total)))
        found = await bench.evaluations.with_llm(CASES, ask_llm)
        assert list(found.columns) == ["keyword", "learned", "llm", "by_type", "adr", "shipped"]
        right = {
            name: [one.is_right for one in column.answered]
            for name, column in found.columns.items()
            if name != "learned"
        }
        assert right["keyword"] == [True, False, True, True]
        assert right["llm"] == [True, True, False, False]
        assert right["adr"] == right["shipped"] == [True, True, False, False]
        assert (found.asked, found.within, found.outcomes) == (4, 1.0, {"answered": 4})
        assert told[-1] == (4, 4)
        # The LLM alone has the confidence it gave, which its calibration is judged by.
        assert [one.confidence for one in found.columns["llm"].answered] == [0.9] * 4
        assert found.columns["llm"].metrics["ece"] == pytest.approx(0.4)
        assert {one.before.case.text for one in found.adds.of(CaseChange.FIXED)} == {"upload is odd today"}
        assert model.asked == [case.text for case in CASES]
        document, lines = llm_document(found), "\n".join(llm_lines(found))
        assert document["columns"]["llm"]["right"] == 2
        assert document["cases"][1]["llm"] == {"predicted": "troubleshoot", "confidence": 0.9, "right": True}
        assert "LLM alone" in lines
        assert "  Within 60,000 ms" in lines

        shown = llm_view(found)
        assert shown.verdict == "2 of 4 cases delivered as expected (50.0 %); 2 wrong."
        counts = {name: len(lines) for name, lines in shown.lists.items()}
        assert counts == {"wrong": 2, "right": 2, "llm_right": 1, "llm_wrong": 2, "other_policy": 0}
        # The present answer is listed beside the one without the LLM.
        (mended,) = shown.lists["llm_right"]
        assert (mended.before.is_right, mended.after and mended.after.is_right) == (True, False)
        ways = {row.what: row.cells[0] for row in shown.tables[0].rows}
        assert ways["LLM alone"] == "2"
        assert shown.chart is not None


@pytest.mark.parametrize("policy", ["adr", "shipped"])
async def test_that_the_other_policy_stands_after_the_one_in_force(policy: str) -> None:
    unread = LlmUnreadableError("Odd.")
    chosen = {"search_intent.merge": policy, "fallback_threshold": "0.5"}
    async with on_desk(Model({case.text: unread for case in CASES}), chosen=chosen) as bench:
        found = await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions(seconds=5.0)))
        lines = llm_view(found).lists["other_policy"]
        # Keywords minus the penalty for no answer are below the threshold only under adr.
        assert [line.before.predicted is None for line in lines] == [policy == "adr"] * len(lines)
        assert len(lines) == len(found.flips.turned) == 1


async def test_that_nothing_is_asked_twice_and_settings_of_the_llm_are_swept_over_what_was_said() -> None:
    model = Model()
    async with on_desk(model) as bench:
        trials, answers = bench.evaluations, bench.llm_answers
        first = await trials.with_llm(CASES, answers.asker(LlmAskOptions()))
        again = await trials.with_llm(CASES, answers.asker(LlmAskOptions(ask=False)))
        assert (first.asked, again.asked) == (4, 0)
        assert {name: one.metrics for name, one in first.columns.items()} == {
            name: one.metrics for name, one in again.columns.items()
        }
        off = await trials.compare(
            CASES, Task.TYPE, {"search_intent.use_llm": "false"}, ask_llm=answers.asker(LlmAskOptions(ask=False))
        )
        assert (off.fixed, off.broken) == (2, 1)
        swept = await trials.sweep(
            CASES,
            Task.TYPE,
            "search_intent.min_confidence",
            ["0.5", "0.95"],
            ask_llm=answers.asker(LlmAskOptions(ask=False)),
        )
        # An answer below the minimum decides nothing, even where no keyword matches.
        assert [row.comparison.fixed for row in swept.rows] == [0, 2]
        assert len(model.asked) == 4
        await trials.with_llm(CASES, answers.asker(LlmAskOptions(ask_again=True)))
        assert len(model.asked) == 8
        # No answers of another model are stored.
        ask_llm = answers.asker(LlmAskOptions(ask=False))
        with pytest.raises(KnownError, match="No answer of other"):
            await trials.compare(CASES, Task.TYPE, {"llm.model": "other"}, ask_llm=ask_llm)


async def test_that_a_budget_is_judged_by_the_time_that_an_answer_took() -> None:
    kept = [
        StoredLlmAnswer(case.text, 0, LlmOutcome.ANSWERED, ms, 1.0, "troubleshoot", 0.9)
        for case, ms in zip(CASES, (50, 150, 250, 350), strict=True)
    ]
    assert within(kept, 200.0) == 0.5
    assert within([], 200.0) is None
    assert times(kept)["p50"] == 200.0

    model = Model(seconds=0.005)
    async with on_desk(model) as bench:
        await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions()))
        swept = await bench.evaluations.sweep(
            CASES,
            Task.TYPE,
            "search_intent.llm_timeout_ms",
            ["1", "60000"],
            ask_llm=bench.llm_answers.asker(LlmAskOptions()),
        )
        # A late answer changes nothing except the keywords' confidence, which has the penalty.
        assert [row.comparison.fixed for row in swept.rows] == [2, 0]
        assert len(model.asked) == len(CASES)


async def test_that_one_query_asked_several_times_tells_how_often_it_comes_out_the_same() -> None:
    class Fickle(Model):
        async def classify(self, query: str) -> LlmAnswer:
            answer = await super().classify(query)
            is_odd = query == "hello there" and self.asked.count(query) % 2 == 0
            return replace(answer, name=IntentType.HOWTO, confidence=0.6, distribution=None) if is_odd else answer

    model = Fickle()
    async with on_desk(model) as bench:
        found = await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions(runs=3)))
        assert found.repeats is not None
        assert (found.repeats.runs, found.repeats.cases, found.repeats.share) == (3, 4, 0.75)
        assert found.repeats.spread == pytest.approx(0.3)
        assert found.repeats.varied == (("hello there", {"troubleshoot": 2, "howto": 1}),)
        assert found.asked == len(model.asked) == 12
        more = await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions(runs=4)))
        assert more.asked == 4
        assert "75.0 %" in "\n".join(llm_lines(found))
    assert repeats([[]]) is None
    # Unanswered requests do not count for repeatability.
    silent, said = (
        StoredLlmAnswer("q", n, outcome, 1.0, 1.0)
        for n, outcome in enumerate((LlmOutcome.TIMED_OUT, LlmOutcome.ANSWERED))
    )
    counted = some(repeats([[silent, said], [said, said]]))
    assert (counted.cases, counted.same) == (1, 1)


async def test_that_silence_has_its_reasons() -> None:
    async def refused(bench: Workbench, why: str, *, ask: bool = True) -> None:
        with pytest.raises(KnownError, match=re.escape(why)):
            await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions(ask=ask)))

    model = Model()
    async with on_desk(model, chosen={"llm.model": ""}) as bench:
        await refused(bench, NOT_SET_UP)
    async with on_desk(model, chosen={"search_intent.use_llm": "false"}) as bench:
        await refused(bench, OFF)
    async with on_desk(model) as bench:
        await refused(bench, "No answer of scripted", ask=False)
        model.next_state = replace(model.next_state, outcome=LlmOutcome.UNREACHABLE, sentence="No answer from there.")
        await refused(bench, "No answer from there")
        assert model.closed


async def test_that_what_goes_wrong_once_is_an_outcome_and_asked_again_and_a_lost_server_ends_it() -> None:
    model = Model({"hello there": LlmUnreadableError("Odd."), "how do I add a user": LlmDisconnectedError("Gone.")})
    async with on_desk(model) as bench:
        ask_llm = bench.llm_answers.asker
        found = await bench.evaluations.with_llm(CASES, ask_llm(LlmAskOptions(seconds=0.5)))
        assert found.outcomes == {"answered": 2, "unreadable": 1, "failed": 1}
        model.said = {"fix the build": LlmUnreachableError("Nobody there.")}
        again = await bench.evaluations.with_llm(CASES, ask_llm(LlmAskOptions()))
        assert (again.asked, again.outcomes) == (1, {"answered": 3, "unreadable": 1})
        with pytest.raises(KnownError, match="Nobody there"):
            await bench.evaluations.with_llm(CASES[::-1], ask_llm(LlmAskOptions(ask_again=True)))


async def test_that_a_case_is_given_up_after_its_own_budget_and_waited_for_under_a_larger_one() -> None:
    model = Model()
    async with on_desk(model) as bench:
        model.seconds = 5.0
        found = await bench.evaluations.with_llm(CASES[:1], bench.llm_answers.asker(LlmAskOptions(seconds=0.01)))
        assert found.outcomes == {"timed_out": 1}
        kept = await bench.evaluations.with_llm(CASES[:1], bench.llm_answers.asker(LlmAskOptions(seconds=0.01)))
        assert kept.asked == 0
        model.seconds = 0.0
        found = await bench.evaluations.with_llm(CASES[:1], bench.llm_answers.asker(LlmAskOptions(seconds=5.0)))
        assert found.outcomes == {"answered": 1}


async def test_that_what_was_said_before_it_was_stopped_is_kept() -> None:
    class Held(Model):
        def __init__(self) -> None:
            super().__init__()
            self.held = asyncio.Event()

        async def classify(self, query: str) -> LlmAnswer:
            answer = await super().classify(query)
            if len(self.asked) == 3:
                self.held.set()
                await asyncio.Event().wait()
            return answer

    model = Held()
    async with on_desk(model) as bench:
        task = asyncio.create_task(bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions())))
        await model.held.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        found = await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions()))
        assert found.asked == 2


async def test_that_a_library_that_cannot_be_written_spoils_no_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("The disk is full.")

    library = MemoryLibrary()
    monkeypatch.setattr(library.llm_answers, "keep", refuse)
    async with on_desk(Model(), lambda: library) as bench:
        found = await bench.evaluations.with_llm(CASES, bench.llm_answers.asker(LlmAskOptions()))
        assert found.asked == 4
        assert "The disk is full." in bench.status().faults.values()
