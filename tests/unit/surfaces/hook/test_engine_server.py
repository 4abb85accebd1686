"""Tests of an engine that answers prompt hooks like the hook itself, without delays."""

import asyncio
import contextlib
import gc
import io
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from types import SimpleNamespace

import pytest
from hypothesis import given as each
from hypothesis import strategies as st

from app.detect.surfacing import Surfaced
from app.domain.errors import StoreError
from app.domain.history import HistoryFilter, Source, UsageCounter
from app.domain.inspection import Inspection
from app.domain.library import Line, Memory, Power
from app.services.system.start_requests import default_profile
from app.services.workbench import Workbench
from app.surfaces import local_socket
from app.surfaces.cli import query_commands
from app.surfaces.cli.output import Printer
from app.surfaces.cli.parser import parser
from app.surfaces.cli.terminal import answer
from app.surfaces.hook import engine_client, engine_server, entry
from app.surfaces.hook.budget import EMPTY, Answer, Budget
from app.surfaces.hook.context import contexts
from app.surfaces.hook.engine_client import HOOK, NAME, setting_variables, version_stamp
from app.surfaces.hook.engine_server import (
    HOOK_MARGIN_MS,
    LEAST_HOOK_MS,
    MOST_PARALLEL,
    MOST_UNDER_WAY,
    EngineServer,
    PromptQueue,
    serve_until_idle,
)
from app.surfaces.hook.entry import is_answered
from app.surfaces.hook.prompt_hook import start_engine
from app.surfaces.local_socket import (
    InstanceLock,
    SocketClient,
    acquire_patiently,
    address_of,
    default_profile_folder,
    encode_message,
    is_unlocked,
)
from tests.build import library_of, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk, unopened
from tests.waiting import PATIENCE, until

run_query_command = partial(query_commands.run_query_command, parser().parse_args)

QUERY = "how do I sign the build"
PROJECT = Path(__file__).parents[4]


def library() -> MemoryLibrary:
    return library_of(Memory((QUERY,), "By hand.", id="sign"), Memory(("make coffee",), "Never.", id="coffee"))


@asynccontextmanager
async def answering(folder: Path) -> AsyncGenerator[Workbench, None]:
    """Open a workbench whose engine can be queried in this folder."""
    async with desk(library, LetterEncoder) as workbench:
        instance_lock = InstanceLock(folder, NAME)
        assert instance_lock.acquire()
        task = asyncio.create_task(EngineServer(workbench, folder, run_query_command).listen(instance_lock))
        await until((folder / f"{NAME}.address").exists)
        try:
            yield workbench
        finally:
            task.cancel()
            await asyncio.wait([task])


def seat_in(folder: Path) -> InstanceLock:
    instance_lock = InstanceLock(folder, NAME)
    assert instance_lock.acquire()
    assert instance_lock.handle is not None
    return instance_lock


def given(text: str) -> bytes:
    return json.dumps({"prompt": text}).encode()


def publish(folder: Path, address: str) -> None:
    (folder / f"{NAME}.address").write_text(address)
    (folder / f"{NAME}.address").chmod(0o600)


def listen_in(folder: Path, server: socket.socket) -> None:
    place = folder / f"{NAME}.sock"
    server.bind(str(place))
    place.chmod(0o600)
    server.listen()
    publish(folder, f"{place}\nt\n")


def asked(folder: Path, content: bytes) -> tuple[bool, bytes]:
    """Return whether an engine answered the hook, and the rest of the standard input."""
    sys.stdin = io.TextIOWrapper(io.BytesIO(content))
    budget = Budget(Answer(), monotonic())
    budget.last(60_000)
    try:
        found = is_answered(["--profile", str(folder), "hook"], lambda: str(folder), budget)
    finally:
        budget.stop()
    return found, sys.stdin.buffer.read()


def commanded(folder: Path, *words: str) -> int | None:
    """Return the exit code of an engine's answer to a command; None without one."""
    return engine_client.ask_engine([*words, "--profile", str(folder)], lambda: str(folder))


def wish(folder: Path, **more: object) -> dict[str, object]:
    """Return the request of a hook or command to the engine of a profile."""
    return {
        "token": address_of(folder, NAME)["token"],
        "stamp": version_stamp(),
        "variables": setting_variables(),
        **more,
    }


def raw(folder: Path, content: bytes) -> tuple[str, str]:
    """Return the outcome and output of an engine's answer to this line."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address_of(folder, NAME)["place"])
        connection.sendall(content + b"\n")
        client = SocketClient(connection, "")
        while (words := client.words(60.0))[0] == engine_client.WAIT:
            pass
        return words[0], client.text(int(words[2]), 10.0) if words[0] == engine_client.ANSWERED else ""


@pytest.fixture(autouse=True)
def own_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", sys.stdin)


def test_that_an_input_beyond_the_limit_is_told_to_be_too_long(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found, rest = asked(tmp_path, b'{"prompt": "' + b"x" * 2 * entry.MOST_INPUT_BYTES)
    out, err = capfd.readouterr()
    assert (found, out) == (True, EMPTY)
    assert "the prompt is too long to read" in err
    assert len(rest) >= entry.MOST_INPUT_BYTES


def context_in(out: str) -> str:
    found: str = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    return found


async def test_that_an_engine_answers_what_the_hook_itself_would(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with answering(tmp_path) as workbench:
        ask_engine, _ = await asyncio.to_thread(asked, tmp_path, given(QUERY))
        counted = workbench.metrics.use
        assert (counted[UsageCounter.HOOKS, "injected"], counted[UsageCounter.MEMORIES, "injected"]) == (1, 1)
        own = [context.text async for context in contexts(workbench, QUERY)][-1]
        assert ask_engine
        assert "By hand." in own
        assert context_in(capfd.readouterr().out) == own
    assert not (tmp_path / f"{NAME}.address").exists()
    assert not (tmp_path / f"{NAME}.sock").exists()


@pytest.mark.parametrize("kind", ["port", "socket"])
async def test_that_an_engine_answers_where_the_system_does_not_tell_whose_process_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    monkeypatch.setattr(local_socket, "TELLS_PEERS", False)

    if kind == "port":  # not before: an event loop has such sockets of its own
        monkeypatch.delattr(socket, "AF_UNIX")
    async with answering(tmp_path):
        assert await asyncio.to_thread(asked, tmp_path, given(QUERY)) == (True, b"")
        assert await asyncio.to_thread(commanded, tmp_path, "detect", QUERY) == 0
        assert not await asyncio.to_thread(engine_server.request_shutdown, tmp_path), "it has a window"
    assert "By hand." in capfd.readouterr().out


@pytest.mark.parametrize(("privacy", "kept"), [("full", [QUERY]), ("hashed", [None]), ("off", [])])
async def test_that_what_joins_a_prompt_is_kept_once_it_is_answered_and_as_privacy_allows(
    tmp_path: Path, privacy: str, kept: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    say = engine_server._send

    async def saying(writer: asyncio.StreamWriter, message: dict[str, object]) -> None:
        await say(writer, message)
        order.append(str(message["outcome"]))

    monkeypatch.setattr(engine_server, "_send", saying)
    async with answering(tmp_path) as workbench:
        note = workbench.history.note_prompt
        await workbench.choose("history.privacy", privacy)

        def noting(inspection: Inspection, surfaced: Surfaced) -> None:
            order.append("kept")
            note(inspection, surfaced)

        monkeypatch.setattr(workbench.history, "note_prompt", noting)
        for text in (QUERY, "zzzzzzzz"):
            await asyncio.to_thread(asked, tmp_path, given(text))
        assert order == ["answered", "kept"] * 2
        await workbench.history.recorder.flush()
        past = await workbench.history.page(await workbench.history.find(HistoryFilter()))
        assert [(one.text, one.source, one.doubts) for one in past] == [(text, Source.HOOK, ()) for text in kept]
        (row,) = (await workbench.catalogue.memories([1])).values()
        assert row.used == len(kept)
        for one in past:
            whole = some(await workbench.history.one(one.key or 0))
            found = [(access.name, access.rank, access.cut) for access in whole.accesses]
            assert found == [("sign", 1, None), ("coffee", 2, "confidence")]


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe", b'{"prompt": 3}', b"[" * 100_000])
async def test_that_what_is_no_prompt_is_answered_without_a_word_and_told(
    tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    async with answering(tmp_path):
        ask_engine, _ = await asyncio.to_thread(asked, tmp_path, content)
        said = capfd.readouterr()
        assert ask_engine
        assert context_in(said.out) == ""
        assert "The hook" in said.err
        assert re.fullmatch(r"[^.]+\.\n", said.err)


async def test_that_a_hundred_hooks_at_once_that_have_the_time_are_all_answered(tmp_path: Path) -> None:
    def ask(_: int) -> str:
        message = wish(tmp_path, spent_ms=0, budget_ms=300_000, input=given(QUERY).decode())
        return context_in(raw(tmp_path, json.dumps(message).encode())[1])

    async with answering(tmp_path):
        loop = asyncio.get_running_loop()
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(100) as threads:
            found = await asyncio.gather(*(loop.run_in_executor(threads, ask, place) for place in range(100)))
        assert len(set(found)) == 1
        assert "By hand." in found[0]


async def test_that_a_prompt_that_would_wait_too_long_is_turned_away_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine_server, "MOST_UNDER_WAY", 0)
    async with answering(tmp_path) as workbench:
        assert await asyncio.to_thread(asked, tmp_path, given(QUERY)) == (True, b"")
        said = capfd.readouterr()
        assert context_in(said.out) == ""
        assert said.err == "intentscope: the running engine has more prompts than it can answer in time.\n"
        assert workbench.metrics.use[UsageCounter.HOOKS, "late"] == 1
        assert await asyncio.to_thread(commanded, tmp_path, "detect", QUERY) == 0, "a command is no prompt"


async def test_that_a_queue_has_room_for_what_it_can_answer_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(engine_server, "monotonic", lambda: now[0])

    queue = PromptQueue()
    for _ in range(50):
        async with queue.place():
            now[0] += 0.5
    with contextlib.ExitStack() as waiting:
        rooms = []
        for _ in range(MOST_UNDER_WAY + 1):
            rooms.append((queue.has_room(1_700.0), queue.has_room(1e9)))
            waiting.enter_context(queue.waiting())
    assert [sum(column) for column in zip(*rooms, strict=True)] == [4 * MOST_PARALLEL, MOST_UNDER_WAY]
    assert queue.has_room(1_700.0)


async def test_that_the_time_on_the_way_to_an_engine_counts_and_a_strange_one_does_not(tmp_path: Path) -> None:
    def wait_for(**more: object) -> float:
        with contextlib.closing(SocketClient.to(tmp_path, NAME, 10.0)) as client:
            client.send(wish(tmp_path, input=given(QUERY).decode(), spent_ms=100, **more))
            return float(client.words(10.0)[1])

    async with answering(tmp_path):
        for sent, waits in ((-500, 1_300), (10**9, 1_800), (-(10**9), 1_800)):
            found = await asyncio.to_thread(wait_for, sent_ms=monotonic() * 1000 + sent)
            assert waits - 1_000 < found <= waits
        assert await asyncio.to_thread(wait_for, budget_ms=60_000) == 59_800
        assert await asyncio.to_thread(wait_for, budget_ms="nan") == LEAST_HOOK_MS + HOOK_MARGIN_MS / 2


# ---- Hooks that wait for an engine instead of loading one


async def answered_late(folder: Path, begin: Callable[[], object]) -> bool:
    """Return whether a hook without an engine waits for one that starts later.

    `begin` announces its start.
    """
    waiting = asyncio.create_task(asyncio.to_thread(asked, folder, given(QUERY)))
    await until(lambda: len(waits) > 3)
    assert not waiting.done()
    begin()
    async with answering(folder):
        return (await waiting)[0]


waits: list[float] = []


@pytest.fixture
def noted_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record every wait of a hook, and shorten it."""
    waits.clear()

    def note(seconds: float) -> None:
        waits.append(seconds)
        threading.Event().wait(0.001)

    monkeypatch.setattr(entry, "sleep", note)


@pytest.mark.usefixtures("noted_waits")
def test_that_a_hook_waits_for_an_engine_while_another_hook_loads_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    turn = InstanceLock(tmp_path, HOOK)
    assert turn.acquire()
    assert asyncio.run(answered_late(tmp_path, lambda: None))
    assert "By hand." in capfd.readouterr().out
    turn.release()


@pytest.mark.usefixtures("noted_waits")
def test_that_a_hook_waits_for_an_engine_that_is_starting(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    instance_lock = seat_in(tmp_path)
    instance_lock.note_start()
    assert asyncio.run(answered_late(tmp_path, instance_lock.release))
    assert "By hand." in capfd.readouterr().out
    turn = InstanceLock(tmp_path, HOOK)
    assert turn.acquire(), "nobody has it"
    turn.release()


def test_that_a_hook_answers_itself_once_it_has_its_turn_and_no_engine_starts(tmp_path: Path) -> None:
    seat_in(tmp_path).release()  # an engine that ended is not starting
    assert asked(tmp_path, given(QUERY)) == (False, given(QUERY))
    instance_lock = seat_in(tmp_path)
    instance_lock.note_start()
    os.utime(tmp_path / f"{NAME}.lock", (0, 0))  # it has been hanging for a long time
    assert asked(tmp_path, given(QUERY)) == (False, given(QUERY))
    instance_lock.release()


def test_that_a_hook_goes_on_waiting_for_a_silent_engine_while_it_is_not_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine_client, "ACKNOWLEDGE_SECONDS", 0.01)
    turn = InstanceLock(tmp_path, HOOK)
    assert turn.acquire()
    with socket.socket(socket.AF_UNIX) as server:
        listen_in(tmp_path, server)

        def hear() -> None:
            connection, _ = server.accept()
            with connection:
                threading.Event().wait(0.1)
                connection.sendall(b"wait 50000\nanswered 0 5 0\nlate\n")

        thread = threading.Thread(target=hear)
        thread.start()
        assert asked(tmp_path, given(QUERY))[0]
        thread.join()
    assert capfd.readouterr().out == "late\n"
    turn.release()


def test_that_a_command_gives_up_on_an_engine_that_only_announces_more(monkeypatch: pytest.MonkeyPatch) -> None:
    announced = iter([[engine_client.WAIT, "5000"]] * 9)
    fake = SimpleNamespace(send=lambda _: None, words=lambda _: next(announced), close=lambda: None)
    monkeypatch.setattr(SocketClient, "to", lambda *_: fake)
    monkeypatch.setattr(engine_client, "LONGEST_SECONDS", 0.0)
    assert engine_client.request("", {})[0] == "no answer in time"


async def test_that_only_its_owner_reaches_an_engine_and_nothing_is_taken_on_trust(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    async with answering(folder):

        async def told(message: object) -> object:
            content = message if isinstance(message, bytes) else json.dumps(message).encode()
            return (await asyncio.to_thread(raw, folder, content))[0]

        rights = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert rights == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        good = wish(folder, spent_ms=0, input="{}")
        bad: list[object] = [b"", b"\xff", b"[" * 100_000, {}, {**good, "token": "x"}]
        bad += [{**good, "spent_ms": "soon"}, {"token": good["token"]}, {**good, "words": 3}]
        bad += [{**good, "words": ["import", "x"]}, {**good, "input": '{"prompt":"\ud800"}'}]
        for content in bad:
            assert await told(content) == "refused"
        assert await told({**good, "variables": {"OLLAMA_HOST": "elsewhere"}}) == engine_client.OTHER_SETTINGS
        assert await told({"token": good["token"], "leave": True}) == "stays"
        assert await told(good) == "answered"
        assert await told({**good, "stamp": ["elsewhere", 1, 2, 3]}) == engine_client.OTHER_VERSION


async def test_that_a_command_is_answered_as_it_would_answer_itself(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with answering(tmp_path) as workbench:
        for words, code in (
            (["detect", QUERY], 0),
            (["--json", "resolve", "--no-start", QUERY], 0),
            (["route", QUERY, "--json"], 0),
            (["why-not", QUERY, "--expect", "memory:sign"], 0),
            (["why-not", QUERY, "--expect", "memory:coffee"], 1),
            (["why-not", QUERY, "--expect", "nonsense"], 2),
        ):
            assert await asyncio.to_thread(commanded, tmp_path, *words) == code
            said, own = capfd.readouterr(), io.StringIO()
            found = some(await run_query_command(workbench, words))
            assert timeless(said.out) == timeless(found["out"])
            assert (said.err, code) == (found["err"], found["code"])
            if words[0] == "detect":
                await answer(workbench, "detect", [QUERY], Printer(own))
                assert said.out == own.getvalue()


def timeless(text: str) -> str:
    return re.sub(r'("\w*ms": )[\d.e-]+', r"\1", text)


async def test_that_what_an_engine_would_answer_otherwise_is_left_to_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async with answering(tmp_path) as workbench:
        for name in ("INTENTSCOPE_COMBINATION", "OLLAMA_HOST", "SUBCOG_SEARCH_INTENT_ENABLED"):
            monkeypatch.setattr(engine_client, "setting_variables", lambda name=name: {name: "x"})
            assert await asyncio.to_thread(commanded, tmp_path, "detect", QUERY) is None
        monkeypatch.undo()
        await workbench.import_sources([("powers", [Line(1, Power("signer", keywords=("sign",), examples=(QUERY,)))])])
        await workbench.ready()
        assert await asyncio.to_thread(commanded, tmp_path, "resolve", QUERY, "--no-start") == 0
        told = await run_query_command(workbench, ["resolve", QUERY, "--no-start", "--json"]) or {}
        assert '"activated"' in told["out"]
        assert await asyncio.to_thread(commanded, tmp_path, "resolve", QUERY) is None, "it may start the power"
    assert capfd.readouterr().err == "", "nobody need be told"


async def test_that_a_command_whose_person_has_gone_is_not_answered_to_the_end(tmp_path: Path) -> None:
    ended: list[bool] = []

    async def slow(workbench: Workbench, words: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async with desk(library, LetterEncoder) as workbench:
        task = asyncio.create_task(EngineServer(workbench, tmp_path, slow).listen(seat_in(tmp_path)))
        await until((tmp_path / f"{NAME}.address").exists)
        address = address_of(tmp_path, NAME)
        reader, writer = await asyncio.open_unix_connection(address["place"])
        writer.write(json.dumps(wish(tmp_path, words=["detect", QUERY])).encode() + b"\n")
        assert (await reader.readline()).startswith(b"wait "), "it is heard at once"
        writer.close()
        await until(lambda: bool(ended))
        task.cancel()
        await asyncio.wait([task])


async def test_that_a_second_window_answers_once_the_first_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_server, "RETAKE_SECONDS", 0.001)
    async with desk(library, LetterEncoder) as second:
        async with answering(tmp_path):
            first = address_of(tmp_path, NAME)
            EngineServer(second, tmp_path).follow()
            second.status_changed.notify(second.status())
            assert await asyncio.to_thread(raw, tmp_path, json.dumps({"token": first["token"], "leave": 1}).encode())
        await until(lambda: (tmp_path / f"{NAME}.address").exists() and address_of(tmp_path, NAME) != first)


@pytest.mark.parametrize("turns", range(6))
def test_that_a_connection_under_way_is_closed_when_its_engine_ends(tmp_path: Path, turns: int) -> None:
    async def ends_with_a_client(client: socket.socket) -> None:
        async with answering(tmp_path):
            await asyncio.get_running_loop().sock_connect(client, address_of(tmp_path, NAME)["place"])
            for _ in range(turns):
                await asyncio.sleep(0)

    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        asyncio.run(ends_with_a_client(client))
        gc.collect()  # a socket that was left open is reported now
        with contextlib.suppress(ConnectionResetError):  # not accepted yet
            assert client.recv(1) == b""


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (None, ""),
        ("", ""),
        ("[]", ""),
        ("/nowhere/at.all\nt\n", ""),
        ("/nowhere\n", ""),
        ("99999\nt\n", ""),
        ("9" * 400 + "\nt\n", ""),
        ("mute", "no answer in time"),
        ("dead", ""),
    ],
)
def test_that_without_an_engine_that_answers_the_prompt_is_left_for_the_hook_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], address: str | None, told: str
) -> None:
    monkeypatch.setattr(engine_client, "ACKNOWLEDGE_SECONDS", 0.05)
    with socket.socket(socket.AF_UNIX) as server:
        if address in ("mute", "dead"):
            listen_in(tmp_path, server)
            if address == "dead":
                server.close()
        elif address is not None:
            publish(tmp_path, address)
        assert asked(tmp_path, given(QUERY)) == (False, given(QUERY))
    said = capfd.readouterr()
    assert said.out == ""
    assert told in said.err


def test_that_variables_that_change_answers_are_told_and_others_are_not() -> None:
    told = {"INTENTSCOPE_LLM_URL": "x", "OLLAMA_HOST": "y", "SUBCOG_SEARCH_INTENT_ENABLED": "z"}
    assert setting_variables({**told, "INTENTSCOPE_SERVE_KEEP_ENGINE": "no", "PATH": "x"}) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"wait 20\n", "no answer in time"),
        (b"wait\n", "its answer is damaged"),
        (b"wait inf\n", "its answer is damaged"),
        (b"wait 600000\n", "its answer is damaged"),
        (b'{"ms": 20}\n', "of no use"),
        (b"answered 0 5\n", "its answer is damaged"),
    ],
)
def test_that_a_hung_or_strange_engine_is_told_apart_after_it_heard(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], said: bytes, told: str
) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        listen_in(tmp_path, server)

        def hear() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(said)
                connection.recv(1)
                ended.wait()

        ended, thread = threading.Event(), threading.Thread(target=hear)
        thread.start()
        assert commanded(tmp_path, "detect", QUERY) is None
        ended.set()
        thread.join()
    assert told in capfd.readouterr().err


def test_that_an_open_socket_is_told_by_its_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        listen_in(tmp_path, server)
        (tmp_path / f"{NAME}.sock").chmod(0o666)
        assert commanded(tmp_path, "detect", QUERY) is None
    assert f"{NAME}.sock is open to others" in capfd.readouterr().err


async def test_that_an_engine_without_a_window_gives_way_to_one_and_ends(tmp_path: Path) -> None:
    waiting = asyncio.create_task(serve_until_idle(lambda: unopened(library), seat_in(tmp_path)))
    await until((tmp_path / f"{NAME}.address").exists)
    first = address_of(tmp_path, NAME)
    assert not is_unlocked(tmp_path, NAME)  # no other engine needs to be started
    async with desk(library, LetterEncoder) as window:
        engine = EngineServer(window, tmp_path)
        engine.follow()
        window.status_changed.notify(window.status())
        await asyncio.wait_for(waiting, PATIENCE)
        await until(lambda: (tmp_path / f"{NAME}.address").exists() and address_of(tmp_path, NAME) != first)
    assert not (tmp_path / f"{NAME}.address").exists()


@pytest.mark.parametrize("gone", ["setting", "folder"])
async def test_that_an_engine_ends_soon_once_it_is_not_wanted_or_its_profile_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    monkeypatch.setattr(engine_server, "IDLE_CHECK_SECONDS", 0.01)
    folder = tmp_path / "profile"
    made = unopened(library)

    waiting = asyncio.create_task(serve_until_idle(lambda: made, seat_in(folder)))
    await until((folder / f"{NAME}.address").exists)
    if gone == "folder":
        shutil.rmtree(folder)
    else:
        await made.choose("serve.keep_engine", "false")
    await asyncio.wait_for(waiting, PATIENCE)


def test_that_no_engine_is_kept_for_a_library_that_cannot_be_opened(tmp_path: Path) -> None:
    def fails() -> MemoryLibrary:
        raise StoreError("This is not a library.")

    asyncio.run(asyncio.wait_for(serve_until_idle(lambda: unopened(fails), seat_in(tmp_path)), PATIENCE))
    instance_lock = seat_in(tmp_path)
    assert not (tmp_path / f"{NAME}.address").exists()
    instance_lock.release(was_bound=False)


def test_that_who_leaves_a_removed_profile_leaves_its_successor_alone(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    old, new = InstanceLock(folder, NAME), InstanceLock(folder, NAME)
    assert old.acquire()
    with old.bind("old"):
        shutil.rmtree(folder)
        assert not old.is_held()
        assert new.acquire()
        with new.bind("new"):
            old.release(was_bound=True)
            assert address_of(folder, NAME)["token"] == "new"
            new.release(was_bound=True)
    assert not (folder / f"{NAME}.address").exists()


def test_that_an_engine_that_says_it_otherwise_is_not_asked_and_keeps_none_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: begun.append(words))
    before = InstanceLock(tmp_path, "engine-1")
    assert before.acquire()
    with before.bind("token"):
        assert asked(tmp_path, given(QUERY)) == (False, given(QUERY))
        start_engine(tmp_path)
        assert len(begun) == 1
        before.release(was_bound=True)


async def test_that_a_version_installed_while_nobody_asked_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_server, "_STAMP", [])
    async with answering(tmp_path):
        newer = ["installed", 1, 2, 3]
        monkeypatch.setattr(engine_server, "version_stamp", lambda: newer)
        monkeypatch.setattr(engine_client, "version_stamp", lambda: newer)
        ask_engine, _ = await asyncio.to_thread(asked, tmp_path, given(QUERY))
        assert not ask_engine
        await until(lambda: is_unlocked(tmp_path, NAME))  # an engine of the newer version may start
        assert not (tmp_path / f"{NAME}.address").exists()


def test_that_who_asks_an_engine_imports_next_to_nothing() -> None:
    program = (
        "import io, os, sys, time\nbefore = set(sys.modules)\n"
        "import app.__main__, app.surfaces.hook.budget, app.surfaces.hook.entry\n"
        "print(*{name for name in set(sys.modules) - before if name.partition('.')[0] != 'app'})"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["__future__"]


@pytest.mark.parametrize("home", ["", " ", "/some/where", "else/where"])
def test_that_the_usual_profile_is_found_where_the_program_keeps_it(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", home)
    assert default_profile_folder() == str(default_profile())


@each(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters()),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
        max_leaves=6,
    )
)
def test_that_a_message_is_json_as_the_standard_library_reads_it(value: object) -> None:
    client = encode_message(value)
    assert client.index(b"\n") == len(client) - 1
    assert json.loads(client) == value


def test_that_only_one_of_many_cold_hooks_starts_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: begun.append(words))
    for _ in range(3):
        start_engine(tmp_path)
    assert len(begun) == 1, "the engine has not taken its lock yet"
    assert begun[0][-1] == "engine"
    instance_lock = seat_in(tmp_path)  # as the engine does before anything else
    os.utime(tmp_path / f"{NAME}.lock", (0, 0))
    start_engine(tmp_path)
    assert len(begun) == 1
    instance_lock.release()
    start_engine(tmp_path)
    assert len(begun) == 2
    assert is_unlocked(tmp_path, NAME)


def test_that_an_engine_is_not_kept_from_starting_by_who_looks_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = seat_in(tmp_path)
    monkeypatch.setattr(local_socket, "sleep", lambda _: looking.release())
    mine = InstanceLock(tmp_path, NAME)
    assert acquire_patiently(mine)
    other = InstanceLock(tmp_path, NAME)
    assert not acquire_patiently(other)
    mine.release()
