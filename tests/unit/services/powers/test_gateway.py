"""Tests of running powers: only approved ones, on demand, for a limited time (S5.5); and of drafts."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.adapters.machine import now_ms
from app.adapters.store.library import SqlLibrary
from app.domain.errors import KnownError, PowerError
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power, Tool, Transport
from app.domain.match import Tier
from app.domain.running import ActivationBlocker, Launch, PowerRun, RunState, ToolSchema, ValueFrom
from app.ports.store import Library
from app.services.powers import approvals
from app.services.powers import run as gateway_run
from app.services.powers.approvals import approval_digest, fingerprints
from app.services.powers.gateway import NO_RUNNER, Gateway
from app.services.scope.edit_previews import UNSTORED, PowerTrial, holders_by_keyword
from app.services.workbench import Workbench
from tests.build import library_of, some
from tests.fake_runner import ECHO, MemoryRunner
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import desk, workbench_of
from tests.waiting import PATIENCE, until

GIT = Power(
    "git", "Looks at repositories.", steering="Be gentle.", transport=Transport("git-server", ("--stdio", "good"))
)
TIME = Power("time", tools=(Tool("now", "The time."),), transport=Transport("time-server", ("change",), {"ZONE": ""}))
WEB = Power("web", transport=Transport(url="http://127.0.0.1:9/mcp"))
BARE = Power("bare")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_run, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(approvals, "MEASURE_SECONDS", 0.01)


@asynccontextmanager
async def at_work(
    runner: MemoryRunner,
    library: Callable[[], Library] = MemoryLibrary,
    chosen: Mapping[str, object] = {},
    approve: Sequence[str] = (),
) -> AsyncGenerator[Workbench, None]:
    workbench = workbench_of(
        chosen, open_library=library, encoders={}, shipped_rules=list, make_power_runner=lambda: runner
    )
    await workbench.open(encoder=False, llm=False, watch=False)
    if not await workbench.in_store(lambda store: store.powers()):
        await workbench.journal.do(Edit("added"), [GIT, TIME, WEB, BARE])
    await approved(workbench.gateway, *approve)
    try:
        yield workbench
    finally:
        await workbench.close()


async def approved(powers: Gateway, *names: str) -> None:
    for name in names:
        await powers.approve(name, await powers.approval_text(name))


async def stored(workbench: Workbench, name: str) -> Power:
    return next(power for power in await workbench.in_store(lambda store: store.powers()) if power.name == name)


class TestApproval:
    async def test_that_nothing_is_started_before_a_person_said_yes(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner) as workbench:
            told = await workbench.gateway.activate("time")
            assert (told.started, told.needs_approval) == (False, "time-server change\nwith ZONE")
            assert told.reason is not None
            assert "not approved" in told.reason
            assert told.tools == (ToolSchema("now", "The time."),)
            assert not runner.orders
            assert workbench.gateway.runs() == {}

    async def test_that_a_yes_to_something_else_is_none(self) -> None:
        async with at_work(MemoryRunner()) as workbench:
            with pytest.raises(KnownError, match="has changed: review it again"):
                await workbench.gateway.approve("git", "git-server --stdio goods")
            with pytest.raises(KnownError, match="has changed: review it again"):
                await workbench.gateway.approve("bare", "")
            assert not (await workbench.gateway.activate("git")).started

    async def test_that_after_a_yes_it_is_started_with_its_environment(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner) as workbench:
            power = await stored(workbench, "time")
            given = replace(power, transport=replace(power.transport, env={"ZONE": "Europe/Berlin"}))
            await workbench.journal.edit(given)
            await approved(workbench.gateway, "time")
            told = await workbench.gateway.activate("time")
            assert told.started
            assert told.reason is None
            assert told.tools[0] == ECHO
            assert runner.orders[0].transport.env == {"ZONE": "Europe/Berlin"}

    async def test_that_it_is_told_where_each_variable_gets_its_value_from(self) -> None:
        named = {"KEPT": "", "MINE": "", "ABSENT": ""}
        async with at_work(MemoryRunner("MINE", "KEPT")) as workbench:
            made = Power("new", transport=Transport("git-server", env={**named, "KEPT": "hidden"}))
            await workbench.journal.do(Edit("added"), [made])
            power = await stored(workbench, "new")
            assert await workbench.gateway.values_from(power) == {
                "KEPT": ValueFrom.STORED,
                "MINE": ValueFrom.OWN,
                "ABSENT": ValueFrom.NOWHERE,
            }
            web = replace(power, transport=Transport(url="http://127.0.0.1:9/mcp", env=named))
            assert await workbench.gateway.values_from(web) == {
                "KEPT": ValueFrom.STORED,
                "MINE": ValueFrom.NOWHERE,
                "ABSENT": ValueFrom.NOWHERE,
            }

    async def test_that_a_power_without_a_server_gives_its_text_and_starts_nothing(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner) as workbench:
            await workbench.journal.do(Edit("added"), [Power("skill", steering="Start with A.")])
            told = await workbench.gateway.activate("skill")
            assert (told.started, told.gives_text, told.needs_approval) == (False, True, "")
            assert "follow its text" in str(told.reason)
            await workbench.journal.edit(replace(await stored(workbench, "skill"), paused=True))
            assert not (await workbench.gateway.activate("skill")).gives_text
            assert runner.orders == []

    async def test_that_variables_that_are_referred_to_are_told_by_whether_they_are_set(self) -> None:
        async with at_work(MemoryRunner("MINE")) as workbench:
            env = {"A": "${MINE}", "B": "${MINE}-${ABSENT}", "C": "kept"}
            made = Power("new", transport=Transport("git-server", ("--t=${env:MINE}", "$C", "{env:ABSENT}"), env))
            await workbench.journal.do(Edit("added"), [made])
            assert await workbench.gateway.values_from(await stored(workbench, "new")) == {
                "A": ValueFrom.OWN,
                "B": ValueFrom.NOWHERE,
                "C": ValueFrom.STORED,
                "MINE": ValueFrom.OWN,
                "ABSENT": ValueFrom.NOWHERE,
            }
            headers = {"Authorization": "Bearer ${MINE}", "X-Key": ""}
            web = Power("site", transport=Transport(url="https://${HOST}/mcp", env=headers))
            await workbench.journal.do(Edit("added"), [web])
            assert await workbench.gateway.values_from(await stored(workbench, "site")) == {
                "Authorization": ValueFrom.OWN,
                "X-Key": ValueFrom.NOWHERE,
                "HOST": ValueFrom.NOWHERE,
            }

    async def test_that_an_approval_is_a_step_and_undoing_it_withdraws_it_and_stops_the_power(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, chosen={"powers.score_listed_tools": False}, approve=("git",)) as workbench:
            assert (await workbench.journal.steps())[0].sentence == "approved “git”"
            assert await workbench.gateway.is_approved("git")
            await workbench.gateway.activate("git")
            await workbench.journal.undo()
            assert not await workbench.gateway.is_approved("git")
            await until(lambda: "not approved any more" in workbench.gateway.runs()["git"].sentence)
            assert not runner.running
            await workbench.journal.redo()
            assert not await workbench.gateway.is_approved("git")

    @pytest.mark.parametrize(
        "changed",
        [Transport("other"), Transport("git-server"), Transport("git-server", ("--stdio", "good"), {"X": ""})],
        ids=["command", "arguments", "environment"],
    )
    @pytest.mark.parametrize("kind", ["sql", "memory"])
    async def test_that_a_changed_power_asks_again(self, kind: str, changed: Transport, tmp_path: Path) -> None:
        runner = MemoryRunner()
        opened = MemoryLibrary if kind == "memory" else lambda: SqlLibrary.open(tmp_path / "profile")
        async with at_work(runner, opened, approve=("git",)) as workbench:
            await workbench.gateway.activate("git")
            before = await stored(workbench, "git")
            await workbench.journal.edit(replace(before, transport=changed))
            assert not await workbench.gateway.is_approved("git")
            await until(lambda: not runner.running)
            await workbench.journal.undo()  # the approved transport is restored, but needs a new approval
            assert not await workbench.gateway.is_approved("git")

    @pytest.mark.parametrize("kind", ["sql", "memory"])
    async def test_that_no_import_brings_an_approval(self, kind: str, tmp_path: Path) -> None:
        opened = MemoryLibrary if kind == "memory" else lambda: SqlLibrary.open(tmp_path / "profile")
        async with at_work(MemoryRunner(), opened) as workbench:
            await workbench.in_store(lambda store: store.add("powers", [replace(GIT, approved=True)]))
            assert (await stored(workbench, "git")).approved
            assert not await workbench.gateway.is_approved("git")
            await approved(workbench.gateway, "git")
            assert await workbench.gateway.is_approved("git")
            await workbench.journal.edit(replace(await stored(workbench, "git"), approved=False))
            await workbench.in_store(lambda store: store.add("powers", [replace(GIT, approved=True)]))
            assert not await workbench.gateway.is_approved("git")


class TestProgram:
    """An approval covers a program, not only its name."""

    @pytest.mark.parametrize(
        "other",
        [
            Launch("/evil/git-server", "/evil/git-server"),
            Launch("/bin/git-server", "/evil/git-server"),
            Launch("/bin/git-server", "/bin/git-server", {"LD_PRELOAD": "/evil.so"}),
            Launch("/bin/git-server", "/bin/git-server", scripts={"/home/me/run.sh": "digest"}),
        ],
        ids=["name", "link", "value", "script"],
    )
    async def test_that_a_name_that_comes_to_another_program_asks_again(self, other: Launch) -> None:
        runner = MemoryRunner()
        runner.launches["git-server"] = fine = Launch("/bin/git-server", "/bin/git-server")
        async with at_work(runner, approve=("git",)) as workbench:
            powers = workbench.gateway
            assert (await powers.activate("git")).started
            assert runner.orders[-1].launch == fine
            await powers.deactivate("git")
            runner.launches["git-server"] = other
            told = await powers.activate("git")
            assert not told.started
            assert "it runs another program or script now" in str(told.reason)
            assert told.needs_approval.startswith(f"runs {other.program}")
            assert len(runner.orders) == 1
            assert await powers.approvals() == frozenset()
            assert await powers.needs_new_approval("git")
            with pytest.raises(KnownError, match="has changed: review it again"):
                await powers.approve("git", "runs /bin/git-server\ngit-server --stdio good")
            await powers.approve("git", told.needs_approval)
            assert (await powers.activate("git")).started
            assert not await powers.needs_new_approval("git")

    @pytest.mark.parametrize("steering", [{}, {"PATH": "/evil"}])
    async def test_that_an_old_yes_holds_without_steering_and_is_pinned_next(self, steering: dict[str, str]) -> None:
        runner = MemoryRunner()
        runner.launches["git-server"] = Launch("/bin/git-server", "/bin/git-server", steering)
        async with at_work(runner) as workbench:
            power = await stored(workbench, "git")
            await workbench.journal.edit(replace(power, approved=True))
            old = approval_digest(power.transport)
            await workbench.in_store(lambda store: store.record_run(power.key or 0, approved=old))
            told = await workbench.gateway.activate("git")
            assert told.started is not bool(steering)
            if not steering:
                await workbench.gateway.deactivate("git")
                runner.launches["git-server"] = Launch("/evil/git-server", "/evil/git-server")
                assert not (await workbench.gateway.activate("git")).started


class TestActivation:
    async def test_that_an_unknown_name_is_refused_with_the_near_ones(self) -> None:
        async with at_work(MemoryRunner()) as workbench:
            for verb in (workbench.gateway.activate, workbench.gateway.deactivate, workbench.gateway.steering):
                with pytest.raises(KnownError, match=r"named “tiem”\. Near it: “time”"):
                    await verb("tiem")
            with pytest.raises(KnownError, match=r"No power is named “zzzzzz”\.$"):
                await workbench.gateway.activate("zzzzzz")

    @pytest.mark.parametrize(("name", "words"), [("bare", "neither a command"), ("git", "is paused")])
    async def test_that_what_cannot_run_says_why(self, name: str, words: str) -> None:
        async with at_work(MemoryRunner(), approve=("git",)) as workbench:
            await workbench.journal.edit(replace(await stored(workbench, "git"), paused=True))
            told = await workbench.gateway.activate(name)
            assert (told.started, told.needs_approval) == (False, "")
            assert words in str(told.reason)

    async def test_that_two_who_ask_at_once_get_one_server(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, approve=("git",)) as workbench:
            told = await asyncio.gather(*(workbench.gateway.activate("git") for _ in range(5)))
            assert all(each.started for each in told)
            assert len(runner.orders) == 1
            assert (await workbench.gateway.records())["git"].activations == 1
            assert await workbench.gateway.steering("git") == "Be gentle."

    async def test_that_every_change_of_state_is_told(self) -> None:
        async with at_work(MemoryRunner()) as workbench:
            heard: list[PowerRun] = []
            workbench.gateway.run_changed.subscribe(heard.append)
            await approved(workbench.gateway, "git")
            await workbench.gateway.activate("git")
            await until(lambda: heard[-1].memory_bytes == 1_000_000)
            await workbench.gateway.deactivate("git")
            await workbench.gateway.deactivate("git")
            states = list(dict.fromkeys(each.state for each in heard))
            assert states == [RunState.STARTING, RunState.RUNNING, RunState.STOPPED]


class TestRunning:
    async def test_that_calls_are_answered_and_counted(self) -> None:
        async with at_work(MemoryRunner()) as workbench:
            powers = workbench.gateway
            with pytest.raises(PowerError, match="activate it first"):
                await powers.call("git", "echo", {})
            with pytest.raises(KnownError, match="No power"):
                await powers.call("nobody", "echo", {})
            await approved(powers, "git")
            await powers.activate("git")
            answer = await powers.call("git", "echo", {"text": "hello"})
            assert answer.content[0]["text"] == "hello"
            with pytest.raises(PowerError, match=r"has no tool “ehco”\. It has “echo”"):
                await powers.call("git", "ehco", {})
            kept = (await powers.records())["git"]
            assert (kept.calls, kept.activations, powers.runs()["git"].calls) == (1, 1, 1)
            assert kept.last_used is not None
            assert len(powers.exchanges("git")) == 2
            assert (powers.exchanges("time"), powers.stderr("git"), powers.stderr("time")) == ((), "", "")
            await powers.deactivate("git")
            with pytest.raises(PowerError, match="does not run"):
                await powers.call("git", "echo", {})

    async def test_that_a_server_that_ends_is_started_again_and_given_up_at_last(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, approve=("git",)) as workbench:
            powers = workbench.gateway
            await powers.activate("git")
            for number in (1, 2, 3):
                await until(partial(runner.has_started, number))
                runner.servers[-1].end("It ended.")
            await until(lambda: powers.runs()["git"].state is RunState.FAILED)
            assert "It ended 3 times" in powers.runs()["git"].sentence
            assert powers.runs()["git"].restarts == 2
            assert not runner.running
            assert (await powers.activate("git")).started

    async def test_that_an_idle_power_is_stopped_after_so_many_queries(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, chosen={"powers.idle_turns": 2}, approve=("git",)) as workbench:
            powers = workbench.gateway
            await powers.activate("git")
            powers.begin_turn()
            await powers.call("git", "echo", {})
            powers.begin_turn()
            assert powers.runs()["git"].idle_turns == 1
            powers.begin_turn()
            await until(lambda: "after 2 queries without use" in powers.runs()["git"].sentence)
            assert not runner.running

    async def test_that_the_same_query_asked_anew_is_no_other_turn(self) -> None:
        async with at_work(MemoryRunner(), approve=("git",)) as workbench:
            powers = workbench.gateway
            await powers.activate("git")
            for text in ("one", "one", "one", "two"):
                async for _ in workbench.inspect(text):
                    pass
            assert powers.runs()["git"].idle_turns == 2

    async def test_that_with_zero_an_idle_power_goes_on(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, chosen={"powers.idle_turns": 0}, approve=("git",)) as workbench:
            await workbench.gateway.activate("git")
            for _ in range(50):
                workbench.gateway.begin_turn()
            await asyncio.sleep(0)
            assert runner.running

    async def test_that_the_one_that_was_idle_for_longest_makes_room(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, chosen={"powers.most_running": 2}, approve=("git", "time", "web")) as workbench:
            powers = workbench.gateway
            await powers.activate("git")
            powers.begin_turn()
            await powers.activate("time")
            assert (await powers.activate("web")).started
            assert powers.runs()["git"].state is RunState.STOPPED
            assert "make room for “web”" in powers.runs()["git"].sentence
            assert len(runner.running) == 2

    async def test_that_a_power_at_work_makes_no_room(self) -> None:
        async with at_work(MemoryRunner(), chosen={"powers.most_running": 1}) as workbench:
            powers = workbench.gateway
            power = await stored(workbench, "git")
            await workbench.journal.edit(replace(power, transport=Transport("x", ("hang",))))
            await approved(powers, "git", "web")
            await powers.activate("git")
            call = asyncio.create_task(powers.call("git", "hang", {}))
            await asyncio.sleep(0)
            told = await powers.activate("web")
            assert not told.started
            assert "powers.most_running" in str(told.reason)
            call.cancel()

    async def test_that_a_power_that_is_deleted_or_paused_is_stopped(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, approve=("git", "time")) as workbench:
            powers = workbench.gateway
            await powers.activate("git")
            await powers.activate("time")
            git = await stored(workbench, "git")
            await workbench.journal.do(Edit("deleted"), gone=[(ItemKind.POWER, git.key or 0)])
            await until(lambda: "not in the library any more" in powers.runs()["git"].sentence)
            assert len(runner.running) == 1
            await workbench.journal.edit(replace(await stored(workbench, "time"), paused=True))
            await until(lambda: "it is paused" in powers.runs()["time"].sentence)
            assert not runner.running

    async def test_that_closing_stops_all_and_starts_none(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, approve=("git", "time")) as workbench:
            await workbench.gateway.activate("git")
            await workbench.gateway.activate("time")
            await workbench.gateway.call("git", "echo", {})
            await workbench.gateway.close()
            assert not runner.running
            assert not (await workbench.gateway.activate("git")).started
            assert (await workbench.gateway.records())["git"].calls == 1


class TestTools:
    async def test_that_tools_that_say_something_else_are_named_until_a_person_saw_them(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner, approve=("time",)) as workbench:
            powers = workbench.gateway
            await powers.activate("time")
            await until(lambda: powers.runs()["time"].state is RunState.RUNNING)
            assert powers.runs()["time"].changed == ()
            runner.servers[0].change((replace(ECHO, description="Sends it elsewhere."), ToolSchema("fresh")))
            await until(lambda: powers.runs()["time"].changed == ("echo", "fresh"))
            await powers.deactivate("time")
            await powers.activate("time")
            await until(lambda: powers.runs()["time"].state is RunState.RUNNING)
            runner.servers[1].change((replace(ECHO, description="Sends it elsewhere."), ToolSchema("fresh")))
            await until(lambda: powers.runs()["time"].changed == ("echo", "fresh"))
            await powers.saw_tools("time")
            assert powers.runs()["time"].changed == ()
            runner.servers[1].change((replace(ECHO, description="Sends it elsewhere."),))
            await asyncio.wait(set(powers._background._tasks), timeout=0)
            async with powers._watch.keeping:
                assert powers.runs()["time"].changed == ()
            assert len((await powers.records())["time"].tools) == 1

    async def test_that_what_a_server_tells_meanwhile_is_told_as_changed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fresh = replace(ECHO, description="Sends it elsewhere.")

        runner = MemoryRunner()
        async with at_work(runner, approve=("time",)) as workbench:
            powers = workbench.gateway
            await powers.activate("time")
            await until(lambda: powers.runs()["time"].state is RunState.RUNNING)
            loop, threads = asyncio.get_running_loop(), list[int]()
            at_loop = threading.get_ident()

            def slow(tools: Sequence[ToolSchema]) -> dict[str, str]:
                threads.append(threading.get_ident())
                if len(threads) == 1:
                    told = asyncio.run_coroutine_threadsafe(change(), loop)
                    told.result(PATIENCE)
                return fingerprints(tools)

            async def change() -> None:
                runner.servers[0].change((fresh,))
                for _ in range(20):  # as far as the queue goes
                    await asyncio.sleep(0)

            monkeypatch.setattr(approvals, "fingerprints", slow)
            await powers.saw_tools("time")
            await until(lambda: powers.runs()["time"].changed == ("echo",))
            assert (await powers.records())["time"].tools == (fresh,)
            assert at_loop not in threads

    async def test_that_tools_are_taken_only_when_a_person_wants_them(self) -> None:
        async with at_work(MemoryRunner()) as workbench:
            powers = workbench.gateway
            with pytest.raises(KnownError, match="listed no tools yet"):
                await powers.take_tools("time")
            await approved(powers, "time")
            await powers.activate("time")
            assert (await stored(workbench, "time")).tools == TIME.tools
            assert await powers.take_tools("time")
            assert [tool.name for tool in (await stored(workbench, "time")).tools] == ["echo", "where", "change"]
            assert not await powers.take_tools("time")
            assert await powers.is_approved("time")
            await workbench.journal.undo()
            assert (await stored(workbench, "time")).tools == TIME.tools

    @pytest.mark.parametrize("is_wanted", [True, False])
    async def test_that_listed_tools_are_scored_at_once_where_that_is_wanted(self, *, is_wanted: bool) -> None:
        chosen = {"powers.score_listed_tools": is_wanted}
        async with at_work(MemoryRunner(), chosen=chosen) as workbench:
            powers = workbench.gateway
            await workbench.journal.do(Edit("edited"), [replace(await stored(workbench, "time"), tools=())])
            await approved(powers, "time")
            assert (await powers.activate("time")).started
            names = [tool.name for tool in (await stored(workbench, "time")).tools]
            assert names == (["echo", "where", "change"] if is_wanted else [])

    async def test_that_an_undone_list_stays_undone_until_the_server_lists_other_tools(self) -> None:
        runner = MemoryRunner()
        async with at_work(runner) as workbench:
            powers = workbench.gateway
            await workbench.journal.do(Edit("edited"), [replace(await stored(workbench, "time"), tools=())])
            await approved(powers, "time")
            await powers.activate("time")
            await workbench.journal.undo()
            assert (await stored(workbench, "time")).tools == ()
            await powers.deactivate("time")
            await powers.activate("time")
            assert (await stored(workbench, "time")).tools == ()
            runner.servers[-1].change((ToolSchema("echo", "Says it again."),))
            await until(lambda: "echo" in powers.runs()["time"].changed)
            assert [tool.description for tool in (await stored(workbench, "time")).tools] == ["Says it again."]


async def test_that_without_a_runner_nothing_is_started() -> None:
    async with at_work(MemoryRunner()) as workbench:
        alone = Gateway(workbench, workbench.journal, None, now_ms)
        await approved(alone, "git")
        assert (await alone.activate("git")).reason == NO_RUNNER


async def test_that_typing_and_asking_start_nothing() -> None:
    runner = MemoryRunner()
    async with at_work(runner, approve=("git",)) as workbench:
        async for _ in workbench.inspect("git: look at repositories"):
            pass
        await workbench.settle("git")
        assert not runner.orders


POWERS = [
    Power("postgres", "Ask PostgreSQL", ("postgres", "database")),
    Power("mysql", "Ask MySQL", ("mysql", "database")),
    Power("mongodb", "Ask MongoDB", ("database",), paused=True),
]


def library() -> MemoryLibrary:
    return library_of(*POWERS, Memory(("run a postgres query",), id="memory"))


async def test_that_standings_are_those_of_the_whole_index() -> None:
    async with desk(library) as bench:
        await bench.ready()
        trial = PowerTrial(bench)
        for text in ("run a postgres query", "check my database", "something else"):
            inspection = await bench.settle(text)
            found = {m.answer.key: m.confidence for m in inspection.matches if isinstance(m.answer, Power)}
            standings = await trial.standings(text)
            assert len(standings) == 2
            for key, confidence in found.items():
                assert key is not None
                assert standings[key].confidence == pytest.approx(confidence, abs=1e-6)
                is_sure = standings[key].tier is Tier.ACTIVATED
                assert standings[key].lack is (ActivationBlocker.COMMAND if is_sure else None)


async def test_that_taking_a_keyword_away_is_seen_before_it_is_stored() -> None:
    async with desk(library) as bench:
        await bench.ready()
        postgres = bench.library.powers()[0]
        trial = PowerTrial(bench)
        effect = await trial.effect("run a postgres query", replace(postgres, keywords=("database",)))
        assert effect.before is not None
        assert (effect.before.rank, effect.before.among, effect.before.tier) == (1, 2, Tier.ACTIVATED)
        assert effect.before.confidence >= 0.9 > some(effect.after).confidence
        again = await trial.effect("run a postgres query", postgres)
        assert again.before == again.after == effect.before
        assert bench.library.powers()[0] == postgres
        assert bench.engine.index.answers()[postgres.kind, postgres.key or 0] == postgres


async def test_that_a_new_power_is_tried_and_a_paused_one_does_not_answer() -> None:
    async with desk(library) as bench:
        await bench.ready()
        trial = PowerTrial(bench)
        new = await trial.effect("look at the weather", Power("weather", keywords=("weather",)))
        assert new.before is None
        assert (some(new.after).rank, some(new.after).among) == (1, 3)
        assert UNSTORED not in await trial.standings("look at the weather")
        paused = bench.library.powers()[2]
        assert (await trial.effect("database", paused)).after is None
        woken = await trial.effect("database", replace(paused, paused=False))
        assert woken.before is None
        assert woken.after is not None


async def test_that_what_was_stored_meanwhile_counts() -> None:
    async with desk(library) as bench:
        await bench.ready()
        trial = PowerTrial(bench)
        await trial.standings("database")
        mysql = bench.library.powers()[1]
        await bench.journal.edit(replace(mysql, keywords=("mysql",)))
        await bench.ready()
        shared = await trial.effect("look into the database now", bench.library.powers()[0])
        assert some(shared.before).confidence == pytest.approx(0.9)


async def test_that_no_query_has_no_standings() -> None:
    async with desk(library) as bench:
        await bench.ready()
        assert await PowerTrial(bench).standings("  ") == {}


def test_that_holders_are_counted_as_keywords_are_matched_and_paused_powers_hold_nothing() -> None:
    stored = [replace(power, key=number) for number, power in enumerate(POWERS, 1)]
    draft = replace(stored[0], keywords=("Databases", "postgres", "query"))
    assert holders_by_keyword(stored, draft) == {"Databases": 2, "postgres": 1, "query": 1}


async def test_that_each_power_has_the_tier_of_the_answer() -> None:
    async with desk() as bench:
        powers = [Power(name, f"Reads {name} tables.", (name, "database")) for name in ("mysql", "postgres", "mongodb")]
        await bench.journal.do(Edit("added"), powers)
        answer, ranks = await bench.settle("mysql database"), await PowerTrial(bench).standings("mysql database")
        tiers = {match.answer.key: match.tier for match in answer.powers}
        assert {key: rank.tier for key, rank in ranks.items()} == tiers
