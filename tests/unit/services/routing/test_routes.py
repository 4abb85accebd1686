"""Tests of routes: a decision within the budget, whatever fails (S6.3, S6.5), why-not."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.store.library import SqlLibrary
from app.display.scope.why_not_sentences import sentence
from app.domain.case import Case, Task, TaughtExample
from app.domain.errors import DataStoreError, DataStoreGoneError, EncoderError, KnownError, StoreError
from app.domain.inspection import Inspection, Phase
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import CircuitName, RouteFilter, RouteIntent, RouteMethod, RouteStage, StepOutcome
from app.domain.why_not import Expectation, LostAt, Note, WhyNot
from app.ports.encoder import Embedder
from app.ports.llm import LlmError, LlmState, LlmUnreadableError
from app.ports.store import Library, SharedAnswerCache
from app.services.engine.adapters import Encoder
from app.services.engine.query import ROUTE_WAIT_SECONDS
from app.services.evaluation.evaluate import decisions_of, flips, route_metrics
from app.services.routing.guarded_server import GuardedServer
from app.services.routing.routes import AuditProgress, audit_steps, route_examples
from app.services.system.checkup import check_up
from app.services.workbench import Workbench
from tests.build import library_of, some
from tests.fakes import Clock, ScriptedLlm
from tests.memory_library import MemoryLibrary
from tests.program import PROJECT
from tests.unit.services.benches import LetterEncoder, opened, workbench_of
from tests.waiting import PATIENCE

LLM = {"llm.url": "http://127.0.0.1:9", "llm.model": "scripted"}
VAGUE = "zzz qqq"
"""Query that neither rules nor letters decide."""

TAUGHT = [Case(f"aaa {'a' * n}", ("orders",), Task.ROUTE) for n in range(1, 9)]
TAUGHT += [Case(f"bbb {'b' * n}", ("stock",), Task.ROUTE) for n in range(1, 9)]


def no_encoder() -> Embedder:
    raise EncoderError("The encoder is broken.")


@asynccontextmanager
async def desk(
    llm: ScriptedLlm | None = None,
    library: Library | None = None,
    encoder: Callable[[], Embedder] = LetterEncoder,
    wall: Clock | None = None,
    shared: SharedAnswerCache | None = None,
    **chosen: object,
) -> AsyncGenerator[Workbench, None]:
    held, now = library or MemoryLibrary(), wall or Clock()
    pairs = {"search_intent.debounce_ms": 0, "search_intent.llm_timeout_ms": 60_000, **(LLM if llm else {})}
    dotted = {key.replace("__", "."): value for key, value in chosen.items()}
    made = workbench_of(
        {**pairs, **dotted},
        open_library=lambda: held,
        encoders={"intentscope-minilm": Encoder(lambda _: encoder())},
        make_llm=lambda _: llm,
        wall_seconds=now,
        shared_answers=lambda *_: shared,
    )
    async with opened(made) as workbench:
        yield workbench


def step(decision: Any, stage: RouteStage) -> Any:
    return next(one for one in decision.steps if one.stage is stage)


async def test_that_without_an_llm_a_vague_query_goes_to_the_safe_store() -> None:
    async with desk() as bench:
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.databases) == (RouteMethod.DEGRADED, ("qdrant",))
        assert "No LLM is set up" in step(found, RouteStage.LLM).sentence
        await bench.choose("llm.url", "http://127.0.0.1:9")
        found = await bench.routing.route(VAGUE)
        assert step(found, RouteStage.LLM).sentence == "No LLM is set up: it has an address, but no model."
        assert "No LLM is set up: it has an address, but no model." in (await bench.settle(VAGUE)).notes
        assert "it has an address, but no model" in str(check_up(bench))
        with pytest.raises(ValueError, match="Every query has a route"):
            Expectation.of("route:none")
        assert "too few examples" in step(found, RouteStage.EXAMPLES).sentence
        assert (await bench.routing.route("  ")).method == RouteMethod.DEGRADED
        assert (await bench.routing.route("similar texts")).method == RouteMethod.RULE


async def test_that_the_llm_is_asked_last_its_answer_kept_and_its_cost_counted() -> None:
    llm, wall = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json")), Clock()
    async with desk(llm=llm, wall=wall, route__cost_per_query=0.5) as bench:
        first = await bench.routing.route(VAGUE)
        assert (first.method, first.intent, first.cost) == (RouteMethod.LLM_FALLBACK, "graph_traversal", 0.5)
        wall.now += 3_600.0
        again = await bench.routing.route("Zzz, QQQ?")
        assert (again.method, again.intent) == (RouteMethod.CACHE, "graph_traversal")
        assert "60 min ago" in again.reasoning
        assert llm.asked == [VAGUE]
        assert bench.routing.route_llm.spent == 0.5
        assert bench.routing.state().kept == 1
        assert await bench.routing.clear_cache() == 1
        assert (await bench.routing.route(VAGUE)).method == RouteMethod.LLM_FALLBACK


@pytest.mark.parametrize("jump", [86_400.0, -86_400.0, 2 * 86_400.0, -2 * 86_400.0, 400 * 86_400.0])
async def test_that_a_clock_that_jumps_keeps_no_answer_for_ever(jump: float) -> None:
    llm, wall, library = ScriptedLlm(LlmError("")), Clock(), MemoryLibrary()
    async with desk(llm=llm, wall=wall, library=library) as bench:
        await bench.routing.route(VAGUE)
        wall.now += jump
        assert (await bench.routing.route(VAGUE)).method == RouteMethod.LLM_FALLBACK
    async with desk(llm=llm, wall=wall, library=library) as bench:
        assert bench.routing.state().kept <= 1
        wall.now -= jump
        assert (await bench.routing.route(VAGUE)).method == RouteMethod.LLM_FALLBACK


async def test_that_answers_outlive_a_restart_but_not_another_model() -> None:
    llm, library = ScriptedLlm(LlmError("")), MemoryLibrary()

    async def ask(bench: Workbench) -> None:
        asked.append((await bench.routing.route(VAGUE)).method)

    asked: list[str] = []
    async with desk(llm=llm, library=library) as bench:
        await ask(bench)
    async with desk(llm=llm, library=library) as bench:
        await ask(bench)
    async with desk(llm=llm, library=library, llm__model="another") as bench:
        await ask(bench)
    assert asked == [RouteMethod.LLM_FALLBACK, RouteMethod.CACHE, RouteMethod.LLM_FALLBACK]


@pytest.mark.parametrize(
    ("answer", "seconds", "outcome"),
    [
        (LlmAnswer("graph_traversal", 0.9, "json"), 5.0, LlmOutcome.TIMED_OUT),
        (LlmUnreadableError("Nonsense."), 0.0, LlmOutcome.UNREADABLE),
        (LlmAnswer("graph_traversal", 0.1, "json"), 0.0, LlmOutcome.LOW_CONFIDENCE),
    ],
)
async def test_that_a_slow_wrong_or_unsure_llm_leaves_the_best_rule(
    answer: LlmAnswer | Exception, seconds: float, outcome: LlmOutcome
) -> None:
    llm = ScriptedLlm(LlmError(""), seconds=seconds)
    llm.route_answer = answer
    async with desk(llm=llm, search_intent__llm_timeout_ms=50 if seconds else 60_000) as bench:
        found = await bench.routing.route("evolution of the guild")
        assert (found.method, found.intent) == (RouteMethod.BEST_RULE, "temporal_reasoning")
        assert found.llm_outcome is outcome
        assert bench.routing.state().kept == 0
    assert llm.cancelled == (["evolution of the guild"] if seconds else [])


@pytest.mark.logs("asking the LLM failed")
async def test_that_what_nobody_foresaw_of_the_llm_is_no_reason_to_stop() -> None:
    llm = ScriptedLlm(LlmError(""))
    llm.route_answer = ZeroDivisionError()
    async with desk(llm=llm) as bench:
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.llm_outcome) == (RouteMethod.DEGRADED, LlmOutcome.FAILED)


async def test_that_a_failing_llm_opens_the_circuit_and_that_is_said() -> None:
    llm = ScriptedLlm(LlmError(""))
    llm.route_answer = LlmError("The server answered 500.")
    async with desk(llm=llm) as bench:
        found = await bench.routing.route(VAGUE)
        for number in range(5):
            found = await bench.routing.route(f"{VAGUE} {number}")
            assert found.method == RouteMethod.DEGRADED
        assert len(llm.asked) == 5
        assert "left alone" in step(found, RouteStage.LLM).sentence
        assert bench.routing.state().circuit.name is CircuitName.OPEN


async def test_that_typing_asks_the_llm_only_if_wanted_and_logs_what_rests() -> None:
    async def last(bench: Workbench, text: str) -> Inspection:
        return [found async for found in bench.inspect(text)][-1]

    library = MemoryLibrary()
    async with desk(library=library) as bench:
        for text in ("s", "simi", "similar"):
            await last(bench, text)
    async with desk(library=library) as bench:
        (rested,) = await bench.routing.log.decisions(RouteFilter())
        assert (rested.text, rested.method, rested.source) == ("similar", RouteMethod.RULE, "window")
    async with desk(llm=ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))) as bench:
        found = some((await last(bench, VAGUE)).route)
        assert found.method == RouteMethod.DEGRADED
        assert "while you type" in step(found, RouteStage.LLM).sentence
    async with desk(llm=ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json")), route__llm_while_typing=True) as bench:
        stages = [[one.route.is_final] async for one in bench.inspect(VAGUE) if one.route is not None]
        assert stages[0] == [False]
        assert stages[-1] == [True]
        assert await bench.routing.log.decisions(RouteFilter()) == []
        settled = await bench.settle(f"{VAGUE} again")
        assert some(settled.route).method == RouteMethod.LLM_FALLBACK
        assert "route llm" in [stage.name for stage in settled.trace.stages]


async def test_that_the_route_waits_for_the_vector_while_one_types_and_replay_asks_nobody() -> None:
    llm = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))
    async with desk(llm=llm) as bench:
        seen = [found async for found in bench.inspect("similar texts")]
        assert seen[0].phase is Phase.FLOOR
        assert seen[0].route is None, "the lexical answer does not wait for it"
        assert some(seen[-1].route).method == RouteMethod.RULE
        other = await bench.settle_as(VAGUE, {})
        assert other.route is not None
        assert step(other.route, RouteStage.LLM).sentence == "The LLM is not asked for this answer."
    assert VAGUE not in llm.asked[1:]


class SlowEncoder(LetterEncoder):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if "similar texts" in texts:
            sleep(10 * ROUTE_WAIT_SECONDS)
        return super().encode(texts)


async def test_that_a_route_by_rule_does_not_wait_for_a_slow_encoder() -> None:
    async with desk(encoder=SlowEncoder) as bench:
        seen = [found async for found in bench.inspect("similar texts")]
        early = next(found for found in seen if found.route is not None)
        assert early.phase is Phase.FLOOR
        assert some(early.route).method == RouteMethod.RULE
        assert seen[-1].phase is Phase.EMBEDDED


class FailingEncoder(LetterEncoder):
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if "similar texts" in texts:
            raise EncoderError("The encoder is broken.")
        return super().encode(texts)


async def test_that_the_answer_without_the_vector_that_failed_has_its_route() -> None:
    slow = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"), seconds=0.1)
    async with desk(llm=slow, encoder=FailingEncoder, search_intent__llm_timeout_ms=50) as bench:
        await bench.ready()
        seen = [found async for found in bench.inspect("similar texts")]
        failed = next(found for found in seen if "The encoder is broken." in found.absent.values())
        assert some(failed.route).is_final


async def test_that_a_broken_encoder_leaves_rules_and_llm() -> None:
    async with desk(encoder=no_encoder) as bench:
        found = await bench.routing.route(VAGUE)
        assert found.method == RouteMethod.DEGRADED
        assert "encoder" in step(found, RouteStage.EXAMPLES).sentence


async def test_that_imported_cases_teach_the_router_any_route_unless_they_are_kept_quiet() -> None:
    library = library_of(*TAUGHT, Case("nothing is right", ("none",), Task.ROUTE))
    async with desk(library=library) as bench:
        assert bench.routing.state().labels == ("orders", "stock")
        found = await bench.routing.route("aaaa aa")
        assert (found.method, found.intent, found.databases) == (RouteMethod.EXAMPLES, "orders", ("orders",))
        assert (await bench.routing.route("similar aaa")).intent == "orders"
        await bench.routing.let_teach([case.text for case in TAUGHT], on=False)
        await bench.ready()
        assert bench.routing.state().examples == 0


async def test_that_an_evaluation_leaves_each_case_out_and_compares_settings() -> None:
    library = library_of(*TAUGHT)
    async with desk(library=library) as bench:
        cases = [*TAUGHT, Case(" ", ("orders",), Task.ROUTE), Case("  ", (), Task.ROUTE)]
        both = await bench.evaluations.compare(cases, Task.ROUTE, {"route.examples": "false"})
        found, without = decisions_of(both.before), decisions_of(both.after)
        assert both.before.metrics["accuracy"] == pytest.approx(17 / 18), "the fallback is right where no route is"
        assert sum(one.right for one in route_metrics(both.before).by_method.values()) == 17
        assert both.before.answered[0].rank == 1
        assert all(decision.confidence < 1.0 for decision in found)
        changed = flips(cases, found, without)
        assert len(changed) == 16
        assert all(one.was_right and not one.is_right for one in changed)
        untaught = await bench.evaluations.today(cases, Task.ROUTE, taught=False)
        assert untaught.metrics["accuracy"] == pytest.approx(1 / 18)


@pytest.mark.parametrize(
    ("privacy", "kept"),
    [("full", [("similar texts", "vector_similarity")]), ("hashed", [("", "vector_similarity")]), ("off", [])],
)
async def test_that_privacy_decides_what_the_log_keeps(privacy: str, kept: list[tuple[str, str]]) -> None:
    async with desk(history__privacy=privacy) as bench:
        found = await bench.routing.route("similar texts")
        bench.routing.log.note("similar texts", found, "route")
        bench.routing.log.note("  ", found, "route")
        assert [(one.text, one.intent) for one in await bench.routing.log.decisions()] == kept
        assert (await bench.routing.log.metrics()).count == len(kept)
        assert (await steps_of(bench, ask=False))[-1].whole == (1 if privacy == "full" else 0)


async def test_that_old_decisions_are_forgotten_but_not_the_months_money() -> None:
    wall = Clock()
    async with desk(wall=wall, history__days=1) as bench:
        bench.routing.log.note("similar", await bench.routing.route("similar"), "route")
        assert len(await bench.routing.log.decisions()) == 1
        await bench.routing.log.prune()
        assert len(await bench.routing.log.decisions()) == 1
        wall.now += 60 * 86_400.0
        await bench.routing.log.prune()
        assert len(await bench.routing.log.decisions()) == 1  # nobody used it meanwhile: the clock may be wrong
        bench.routing.log.note("other", await bench.routing.route("other"), "route")
        await bench.routing.log.prune()
        assert len(await bench.routing.log.decisions()) == 2
        wall.now += 2 * 86_400.0
        await bench.routing.log.prune()
        assert [one.text for one in await bench.routing.log.decisions()] == ["other"]


async def test_that_a_damaged_cache_is_told_and_a_failing_store_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    library = MemoryLibrary()
    monkeypatch.setattr(library.routes, "find_answers", lambda *_: ([], "It was damaged."))
    async with desk(library=library) as bench:
        assert bench.status().faults["route cache"] == "It was damaged."

        def refuse(*_: object, **__: object) -> None:
            raise StoreError("The disk is full.")

        monkeypatch.setattr(library.routes, "add", refuse)
        bench.routing.log.note("similar", await bench.routing.route("similar"), "route")
        await bench.routing.log.flushed()
        assert bench.status().faults["routes"] == "The disk is full."


async def test_that_routing_can_be_switched_off() -> None:
    async with desk(route__enabled=False) as bench:
        with pytest.raises(KnownError, match="switched off"):
            await bench.routing.route("similar")
        assert (await bench.settle("similar")).route is None


async def test_that_each_stage_can_be_switched_off() -> None:
    llm = ScriptedLlm(LlmError(""))
    async with desk(llm=llm, route__examples=False, route__use_llm=False) as bench:
        found = await bench.routing.route(VAGUE)
        assert [one.outcome for one in found.steps[1:4]] == [StepOutcome.SKIPPED] * 3
        assert found.intent == RouteIntent.VECTOR
    assert llm.asked == []


async def test_that_no_more_questions_run_at_once_than_are_allowed() -> None:
    llm = ScriptedLlm(LlmError(""), seconds=0.02)
    async with desk(llm=llm, search_intent__llm_max_in_flight=1, route__examples=False) as bench:
        found = await asyncio.gather(*(bench.routing.route(f"{VAGUE} {n}") for n in range(3)))
        assert [one.method for one in found] == [RouteMethod.DEGRADED, RouteMethod.DEGRADED, RouteMethod.LLM_FALLBACK]
        assert [one.llm_outcome for one in found[:2]] == [LlmOutcome.SUPERSEDED] * 2
    assert llm.asked == [f"{VAGUE} 2"]


async def test_that_an_answer_is_told_late_to_nobody_and_a_cancelled_question_ends_on_the_wire() -> None:
    llm = ScriptedLlm(LlmError(""), seconds=5.0)
    async with desk(llm=llm, route__examples=False) as bench:
        task = asyncio.create_task(bench.routing.route(VAGUE))
        for _ in range(20):
            await asyncio.sleep(0)
        assert llm.asked == [VAGUE]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert bench.routing.route_llm.outcomes[LlmOutcome.SUPERSEDED] == 1
    assert llm.cancelled == [VAGUE]


async def test_that_a_model_that_is_not_ready_is_not_asked() -> None:
    llm = ScriptedLlm(LlmError(""))
    async with desk(llm=llm) as bench:
        llm.state = LlmState(LlmOutcome.COLD, "The model is loading. This is not a time-out.", "scripted")
        found = await bench.routing.route(VAGUE)
        assert "loading" in step(found, RouteStage.LLM).sentence
        assert bench.routing.state().circuit.name is CircuitName.CLOSED
    assert llm.asked == []


async def test_that_clearing_the_log_keeps_what_the_month_has_cost() -> None:
    wall = Clock()
    async with desk(wall=wall) as bench:
        routing = bench.routing
        decision = await routing.route("similar texts")
        for cost in (0.0, 0.25):
            routing.log.note("similar texts", replace(decision, cost=cost))
        assert len(await routing.log.decisions()) == 2
        assert await routing.log.clear() == 1
        (left,) = await routing.log.decisions()
        assert (left.text, left.reasoning, left.cost) == ("", "", 0.25)


async def steps_of(bench: Workbench, *, ask: bool) -> list[AuditProgress]:
    return [step async for step in audit_steps(bench.routing, ask=ask)]


async def test_that_an_audit_goes_one_by_one_and_asks_the_llm_where_it_was_not() -> None:
    llm = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))
    async with desk(llm=llm) as bench:
        for text in ("similar texts", "texts that resemble mine"):
            bench.routing.log.note(text, await bench.routing.route(text))
        quiet = await steps_of(bench, ask=False)
        assert [(step.done, step.whole) for step in quiet] == [(0, 2), (1, 2), (2, 2)]
        assert quiet[-1].audit.rule_against_llm == (0, 0)
        asked = await steps_of(bench, ask=True)
        assert asked[-1].audit.rule_against_llm == (0, 2)
        assert asked[-1].silence == ""


async def test_that_a_dead_llm_raises_an_alarm_before_its_circuit_opens() -> None:
    llm = ScriptedLlm(LlmError("dead"))
    llm.route_answer = LlmError("dead")
    async with desk(llm=llm) as bench:
        for number in range(4):
            text = f"{VAGUE} {number}"
            bench.routing.log.note(text, await bench.routing.route(text))
        found = [alert.sentence for alert in (await bench.routing.log.metrics()).alerts]
        assert found == ["The last 4 questions to the LLM failed."]


async def test_that_an_audit_says_why_the_llm_keeps_silent() -> None:
    async with desk() as bench:
        bench.routing.log.note("similar texts", await bench.routing.route("similar texts"))
        asked = await steps_of(bench, ask=True)
        assert "No LLM is set up" in asked[-1].silence
        assert asked[-1].audit.sample[0].rule_intent == "vector_similarity"


async def test_that_learning_is_told_so_that_what_is_on_screen_can_be_asked_again() -> None:
    async with desk() as bench:
        told: list[int] = []
        bench.routing.learned.subscribe(lambda _: told.append(1))
        await bench.in_store(lambda library: library.add("cases", TAUGHT))
        bench.routing.library_changed()
        await bench.routing.ready()
        assert told == [1]
        bench.routing.library_changed()
        await bench.routing.ready()
        assert told == [1], "nothing else was learned"


async def test_that_what_is_asked_again_and_decided_as_before_is_one_decision() -> None:
    async with desk() as bench:
        for text in ("similar texts", "similar texts", VAGUE, "similar texts"):
            bench.routing.log.note_inspected(await bench.settle(text))
        assert [one.text for one in await bench.routing.log.decisions()] == ["similar texts", VAGUE, "similar texts"]


# ---- Training of the router: cases, out-of-scope ones without a route, and only suitable shipped examples.


SHIPPED = [
    TaughtExample("who knows whom", ("graph_traversal",), True),
    TaughtExample("sing to me", (), True),
    TaughtExample("tell a joke", ("none",), True),
]
STRANGERS = [TaughtExample("sing to me", (), True), TaughtExample("tell a joke", (), True)]


def case(text: str, *expected: str) -> Case:
    return Case(text, expected, Task.ROUTE)


def test_that_what_ships_teaches_unless_a_case_says_otherwise() -> None:
    assert route_examples((), set(), SHIPPED) == (SHIPPED[0], *STRANGERS)
    found = route_examples([case("Who knows whom?", "vector", "graph"), case("Sing to me!", "hybrid")], set(), SHIPPED)
    assert [(one.text, one.labels) for one in found] == [
        ("Who knows whom?", ("vector_similarity", "graph_traversal")),
        ("Sing to me!", ("hybrid_search",)),
        ("tell a joke", ()),
    ]


@pytest.mark.parametrize("names", [("none",), ("oos",), ()])
def test_that_a_case_for_nothing_teaches_a_stranger(names: tuple[str, ...]) -> None:
    assert route_examples([case("who knows whom", *names)], set(), SHIPPED[:1]) == (
        TaughtExample("who knows whom", ()),
    )


async def test_that_the_llm_chooses_among_routes_of_ones_own_where_that_is_wanted() -> None:
    library, llm = MemoryLibrary(), ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))
    library.add("cases", TAUGHT)
    llm.choice = LlmAnswer(
        "stock", 0.8, "one_token", distribution={"stock": 0.8, "orders": 0.2}, prompt="Which?", reply="B"
    )
    async with desk(llm=llm, library=library) as bench:
        assert "choose_routes" in next(
            step.sentence for step in (await bench.routing.route(VAGUE)).steps if step.stage is RouteStage.LLM
        )
        assert llm.offered == []
    async with desk(llm=llm, library=library, llm__choose_routes="true") as bench:
        found = some((await bench.settle(VAGUE)).route)
        assert (found.method, found.intent, found.confidence) == (RouteMethod.LLM_FALLBACK, "stock", 0.8)
        assert sorted(llm.offered[0]) == ["orders", "stock"]
        assert (some(found.llm).prompt, some(found.llm).reply) == ("Which?", "B")
        assert (await bench.routing.route("zzz qqq rrr")).intent == "stock"


class Slow:
    """Client whose calls end on request."""

    def __init__(self) -> None:
        self.may_end, self.is_closed = Event(), Event()

    def ask(self) -> str:
        self.may_end.wait(PATIENCE)
        return "answer"

    def close(self) -> None:
        self.is_closed.set()


def guarded(server: Slow) -> GuardedServer[Slow]:
    return GuardedServer("one", "somewhere", lambda: server, lambda: 0.0)


async def test_that_a_call_ends_in_time_and_the_server_is_closed_after_it() -> None:
    server = Slow()
    held = guarded(server)
    with pytest.raises(DataStoreGoneError, match=r"within 0\.01 s"):
        await held.call(Slow.ask, 0.01)
    done = held.close()
    assert not server.is_closed.is_set()
    server.may_end.set()
    await asyncio.wrap_future(done)
    assert server.is_closed.is_set()
    with pytest.raises(RuntimeError, match="shut down"):
        await held.call(Slow.ask, 0.01)


async def test_that_errors_of_a_call_are_told_to_who_asks() -> None:
    server = Slow()
    held = guarded(server)

    def refuse(_: Slow) -> None:
        raise DataStoreError("no")

    with pytest.raises(DataStoreError, match="no"):
        await held.call(refuse, PATIENCE)
    server.may_end.set()
    assert await held.call(Slow.ask, PATIENCE) == "answer"
    await asyncio.wrap_future(held.close())


ABANDONED = """
import asyncio, time
from app.domain.errors import DataStoreGoneError
from app.services.routing.guarded_server import GuardedServer

class Stuck:
    def ask(self): time.sleep(600)
    def close(self): pass

async def ask():
    held = GuardedServer("one", "", Stuck, lambda: 0.0)
    try:
        await held.call(Stuck.ask, 0.01)
    except DataStoreGoneError as error:
        print(error)
    held.close()

asyncio.run(ask())
"""


def test_that_an_abandoned_call_does_not_keep_the_program_alive() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ABANDONED], cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "The store did not answer within 0.01 s.\n"), done.stderr


DEAD = LlmError("No answer from 127.0.0.1:9.")


async def ask(bench: Workbench, text: str) -> Any:
    """Route a query and log it, as every surface does."""
    found = await bench.routing.route(text)
    bench.routing.log.note(text, found, "route")
    return found


async def test_that_an_llm_that_is_down_for_an_hour_costs_two_questions_a_minute_and_is_found_again() -> None:
    llm, wall = ScriptedLlm(LlmError("")), Clock()
    async with desk(llm=llm, wall=wall, route__examples=False) as bench:
        llm.route_answer, seen = DEAD, set()
        for number in range(720):
            found = await ask(bench, f"{VAGUE} {number}")
            assert (found.method, found.databases) == (RouteMethod.DEGRADED, ("qdrant",))
            seen.add(bench.routing.state().circuit.name)
            wall.now += 5.0
        assert CircuitName.OPEN in seen
        assert 60 <= len(llm.asked) <= 5 + 120
        metrics = await bench.routing.log.metrics()
        assert {alert.name for alert in metrics.alerts} >= {"llm_errors", "flatline"}
        llm.route_answer = LlmAnswer("graph_traversal", 0.8, "json")
        methods = []
        for number in range(8):
            methods.append((await ask(bench, f"{VAGUE} back {number}")).method)
            wall.now += 5.0
        first = methods.index(RouteMethod.LLM_FALLBACK)
        assert first <= 6
        assert set(methods[first:]) == {RouteMethod.LLM_FALLBACK}
        assert bench.routing.state().circuit.name is CircuitName.CLOSED


async def test_that_an_llm_that_is_slow_for_a_minute_is_waited_for_a_few_times_only() -> None:
    llm, wall = ScriptedLlm(LlmError(""), seconds=60.0), Clock()
    async with desk(llm=llm, wall=wall, route__examples=False, search_intent__llm_timeout_ms=50) as bench:
        outcomes = []
        for number in range(60):
            found = await ask(bench, f"{VAGUE} {number}")
            assert found.method == RouteMethod.DEGRADED
            outcomes.append(found.llm_outcome)
            wall.now += 1.0
        assert outcomes[:5] == [LlmOutcome.TIMED_OUT] * 5
        assert outcomes.count(LlmOutcome.TIMED_OUT) == len(llm.cancelled) == 6
        llm.seconds, wall.now = 0.0, wall.now + 30.0
        assert (await ask(bench, f"{VAGUE} well")).method == RouteMethod.LLM_FALLBACK
        assert bench.routing.state().circuit.name is CircuitName.CLOSED


async def test_that_the_budget_ends_with_the_last_second_of_the_month() -> None:
    llm, wall, library = ScriptedLlm(LlmError("")), Clock(), MemoryLibrary()
    end = datetime(2028, 2, 29, 23, 59, 57, tzinfo=UTC).timestamp()
    wall.now = end

    how: dict[str, Any] = {"wall": wall, "library": library, "route__monthly_budget": 0.5}
    async with desk(llm=llm, route__cost_per_query=0.5, **how) as bench:
        methods = []
        for number in range(5):
            methods.append((await ask(bench, f"{VAGUE} {number}")).method)
            wall.now += 1.0
        llm_, none = RouteMethod.LLM_FALLBACK, RouteMethod.DEGRADED
        assert methods == [llm_, none, none, llm_, none]
        assert bench.routing.route_llm.spent == 0.5
        assert "$0.50" in bench.routing.state().circuit.sentence
    async with desk(llm=llm, route__cost_per_query=0.5, **how) as bench:
        assert bench.routing.route_llm.spent == 0.5
        assert (await ask(bench, f"{VAGUE} again")).method == RouteMethod.DEGRADED


async def test_that_a_cache_that_is_damaged_on_disk_is_told_and_begins_anew(tmp_path: Path) -> None:
    llm, wall = ScriptedLlm(LlmError("")), Clock()

    async def fill(bench: Workbench) -> None:
        assert (await ask(bench, VAGUE)).method == RouteMethod.LLM_FALLBACK
        await bench.routing.log.flushed()
        connection = sqlite3.connect(file)
        connection.execute("UPDATE route_cache SET confidence = 'much'")
        connection.commit()
        connection.close()
        assert (await ask(bench, VAGUE)).method == RouteMethod.CACHE

    async def look(bench: Workbench) -> None:
        assert "damaged" in bench.status().faults["route cache"]
        assert (await ask(bench, VAGUE)).method == RouteMethod.LLM_FALLBACK
        assert (await ask(bench, VAGUE)).method == RouteMethod.CACHE
        await bench.routing.log.flushed()

    async def after(bench: Workbench) -> None:
        assert "route cache" not in bench.status().faults
        assert (await ask(bench, VAGUE)).method == RouteMethod.CACHE
        assert len(await bench.routing.log.decisions()) == 5

    for work in (fill, look, after):
        library = SqlLibrary.open(tmp_path / "profile")
        file = library.file
        async with desk(llm=llm, wall=wall, library=library) as bench:
            await work(bench)


async def test_that_a_try_that_was_superseded_closes_nothing_and_lets_the_next_question_try() -> None:
    llm, wall = ScriptedLlm(LlmError("")), Clock()
    async with desk(llm=llm, wall=wall, route__examples=False, search_intent__llm_timeout_ms=60_000) as bench:
        llm.route_answer = DEAD
        for number in range(5):
            await ask(bench, f"{VAGUE} {number}")
        assert bench.routing.state().circuit.name is CircuitName.OPEN
        wall.now += 31.0
        llm.seconds = 60.0
        trying = asyncio.create_task(bench.routing.route(f"{VAGUE} try"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert llm.asked[-1] == f"{VAGUE} try"
        assert bench.routing.state().circuit.name is CircuitName.HALF_OPEN
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        assert bench.routing.state().circuit.name is CircuitName.HALF_OPEN
        llm.seconds, llm.route_answer = 0.0, LlmAnswer("graph_traversal", 0.8, "json")
        assert (await ask(bench, f"{VAGUE} next")).method == RouteMethod.LLM_FALLBACK
        assert bench.routing.state().circuit.name is CircuitName.CLOSED


@dataclass(frozen=True, slots=True)
class Loss:
    """Query with its expected route; `asked`: the LLM has chosen its route before."""

    text: str
    expected: str
    stage: LostAt
    winner: str
    asked: bool = False
    taught: Sequence[Case] = ()
    has_llm: bool = True


KNOWN = [Case(f"aaa {'a' * n}", ("vector_similarity",), Task.ROUTE) for n in range(1, 9)]
KNOWN += [Case(f"bbb {'b' * n}", ("temporal_reasoning",), Task.ROUTE) for n in range(1, 9)]

LOSSES = {
    "examples": Loss("aaa aa", "stock", LostAt.EXAMPLES, "orders", taught=TAUGHT),
    "cache": Loss(VAGUE, "vector_similarity", LostAt.CACHE, "graph_traversal", asked=True),
    "llm": Loss(VAGUE, "graph_traversal", LostAt.LLM, "vector_similarity"),
    "llm beside examples": Loss("aab", "temporal_reasoning", LostAt.LLM, "vector_similarity", taught=KNOWN),
    "routes of one's own": Loss(f"{VAGUE} a", "stock", LostAt.FALLBACK, "orders", taught=TAUGHT),
    "fallback": Loss(VAGUE, "graph_traversal", LostAt.FALLBACK, "vector_similarity", has_llm=False),
}


def scripted() -> ScriptedLlm:
    llm = ScriptedLlm(LlmError("It classifies nothing."))
    llm.route_answer = LlmAnswer("graph_traversal", 0.8, "json", reasoning="It says so.")
    return llm


@asynccontextmanager
async def on(loss: Loss, llm: ScriptedLlm | None = None) -> AsyncGenerator[Workbench, None]:
    library = library_of(*loss.taught)
    async with desk((llm or scripted()) if loss.has_llm else None, library) as bench:
        if loss.asked:
            assert (await bench.routing.route(loss.text)).intent == "graph_traversal"
        yield bench


async def explained(bench: Workbench, loss: Loss) -> WhyNot:
    return await bench.why_nots.explain(loss.text, Expectation("route", loss.expected))


@pytest.mark.parametrize("name", LOSSES)
async def test_that_the_stage_is_found_that_lost_it_and_no_llm_is_asked(name: str) -> None:
    loss, llm = LOSSES[name], scripted()
    async with on(loss, llm) as bench:
        kept, before = dict(bench.routing.router.kept), list(llm.asked)
        told = await explained(bench, loss)
        assert (told.stage, told.winner_name) == (loss.stage, loss.winner)
        assert llm.asked == before
        assert bench.routing.router.kept == kept
        own, other = told.expected_confidence, told.winner_confidence
        assert own is None or other is None or own <= other, "who lost is not ahead"
        for gap in told.gaps:
            assert gap.winner is None or gap.expected is None or gap.winner >= gap.expected


@pytest.mark.parametrize("name", LOSSES)
async def test_that_the_llm_is_spoken_of_only_where_it_would_be_asked_and_once(name: str) -> None:
    loss = LOSSES[name]
    async with on(loss) as bench:
        told = await explained(bench, loss)
        assert (Note.LLM_MAY_DIFFER in told.notes) == (loss.stage is LostAt.LLM)
        assert "not asked here" not in sentence(told)


@pytest.mark.parametrize("name", LOSSES)
async def test_that_every_change_that_is_told_to_win_does(name: str) -> None:
    loss = LOSSES[name]
    async with on(loss) as bench:
        count = len((await explained(bench, loss)).changes)
    assert count, "there is something that would help"
    for place in range(count):
        async with on(loss) as bench:
            change = (await explained(bench, loss)).changes[place]
            await bench.why_nots.apply(change)
            await bench.ready()
            if change.wins:
                assert (await explained(bench, loss)).has_won, change.key
                assert (await bench.routing.route(loss.text)).intent == loss.expected, change.key


async def test_that_what_won_stands_beside_the_next_and_not_beside_itself() -> None:
    async with on(LOSSES["examples"]) as bench:
        told = await bench.why_nots.explain("aaa aa", Expectation("route", "orders"))
        assert (told.stage, told.winner_name, told.notes) == (None, "stock", ())
        (gap,) = told.gaps
        assert gap.expected is not None
        assert gap.winner is not None
        assert gap.expected > gap.winner
        assert (told.expected_confidence, told.winner_confidence) == (gap.expected, gap.winner)


async def test_that_a_kept_answer_that_wins_is_as_sure_as_the_llm_was() -> None:
    async with on(LOSSES["cache"]) as bench:
        told = await bench.why_nots.explain(VAGUE, Expectation("route", "graph"))
        assert (told.stage, told.expected_confidence, told.winner_confidence) == (None, 0.8, None)


async def test_that_the_cache_may_give_way_to_examples_that_know_better() -> None:
    loss = Loss("aaa aa", "vector_similarity", LostAt.CACHE, "graph_traversal", taught=KNOWN)
    async with on(loss) as bench:
        await bench.choose("route.examples", "false")
        assert (await bench.routing.route(loss.text)).intent == "graph_traversal"
        await bench.choose("route.examples", "true")
        told = await explained(bench, loss)
        assert told.stage is LostAt.CACHE
        change = next(one for one in told.changes if one.key == "setting.route.cache_hours")
        assert change.wins
        await bench.why_nots.apply(change)
        assert (await bench.routing.route(loss.text)).intent == loss.expected
