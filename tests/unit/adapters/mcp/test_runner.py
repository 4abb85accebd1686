"""Tests of misbehaving servers as real processes: each is contained and explained."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.adapters.mcp.answers import MOST_TOOLS, RESULT_CHARACTERS
from app.adapters.mcp.child import found_command, launch_of, resolved_transport
from app.adapters.mcp.runner import MOST_PAGES, McpRunner, McpServer
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.domain.running import Launch, approval_text
from app.ports.power import ServerStart
from tests.build import some
from tests.waiting import until

SERVER = Path(__file__).parents[3] / "servers" / "powers.py"
LONG = 30_000


def order(mode: str, env: dict[str, str] | None = None, start_ms: float = LONG, call_ms: float = LONG) -> ServerStart:
    transport = Transport(sys.executable, ("-I", "-S", str(SERVER), mode), env or {})
    return ServerStart(mode, transport, start_ms, call_ms)


@asynccontextmanager
async def served(started: ServerStart) -> AsyncGenerator[McpServer, None]:
    server = await McpRunner().start(started)
    try:
        yield server
    finally:
        await server.stop()
    assert not processes_of(started.power), "Something outlived the power."


def refused(started: ServerStart) -> str:
    with pytest.raises(PowerError) as error:
        asyncio.run(McpRunner().start(started))
    assert not processes_of(started.power), "Something outlived the start."
    return str(error.value)


def processes_of(mode: str) -> list[psutil.Process]:
    found = []
    for each in psutil.Process().children(recursive=True):
        try:
            words = each.cmdline()
        except psutil.Error:
            continue
        if str(SERVER) in words and words[-1] == mode:
            found.append(each)
    return found


async def said(server: McpServer, tool: str, arguments: dict[str, Any] | None = None) -> str:
    answer = await server.call(tool, arguments or {})
    return "\n".join(str(block.get("text", block)) for block in answer.content)


async def test_that_garbage_before_the_first_message_is_passed_over_and_told() -> None:
    async with served(order("garbage")) as server:
        assert await said(server, "echo", {"text": "hello"}) == "hello"
        assert "“Welcome to my server!”" in server.warnings


@pytest.mark.parametrize(
    ("mode", "parts"),
    [
        ("garbage-only", ["was stopped", "no MCP message", "“not a message”"]),
        ("printed-error", ["ended with exit code 1", "It said: “Error: API_KEY is required”."]),
        ("exit-at-once", ["ended with exit code 3", "It said: “Error: no API key”"]),
    ],
)
def test_that_a_server_that_is_none_is_told_by_what_it_said(mode: str, parts: list[str]) -> None:
    sentence = refused(order(mode))
    assert all(part in sentence for part in parts), sentence


@pytest.mark.parametrize("mode", ["hang-at-start", "endless-line"])
def test_that_a_start_that_hangs_is_given_up(mode: str) -> None:
    sentence = refused(order(mode, {"KEY": "key-of-the-power"}, start_ms=1_000))
    assert f"“{mode}” did not list its tools within 1 s, so it was stopped." in sentence
    assert "powers.start_timeout_ms" in sentence
    assert "key-of-the-power" not in sentence


def test_that_a_command_that_is_not_there_is_named() -> None:
    started = ServerStart("x", Transport("no-such-command-here", ("a",)))
    with pytest.raises(PowerError, match="“no-such-command-here” was not found on the PATH"):
        asyncio.run(McpRunner().start(started))


@pytest.mark.parametrize("path", ["{here}", ".", "..{sep}{name}", ""])
@pytest.mark.parametrize("command", ["./server", "server", "{name}/server", "../{name}/server"])
def test_that_no_command_is_looked_for_where_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, command: str
) -> None:
    file = tmp_path / "server"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    names = {"name": tmp_path.name, "here": tmp_path, "sep": os.sep}
    env = {"PATH": path.format(**names)}
    if command == "server" and path == "{here}":
        assert found_command(command, env) == str(file)
    else:
        with pytest.raises(PowerError, match="its full path in the power"):
            found_command(command.format(**names), env)


async def test_that_what_a_server_refuses_with_tells_no_value_of_its_environment() -> None:
    async with served(order("blab", {"KEY": "key-of-the-power"})) as server:
        with pytest.raises(PowerError) as error:
            await server.call("blab", {})
        assert "no entry with •••" in str(error.value)


def test_that_a_file_that_is_no_program_is_told(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("#!/no/such/interpreter\n")
    file.chmod(0o700)
    with pytest.raises(PowerError, match="“x” could not be started: No such file"):
        asyncio.run(McpRunner().start(ServerStart("x", Transport(str(file)))))


def test_that_a_power_without_a_transport_is_told() -> None:
    with pytest.raises(PowerError, match="neither a command nor an address"):
        asyncio.run(McpRunner().start(ServerStart("x", Transport())))


@pytest.mark.parametrize("mode", ["flood-stderr", "flood-stdout", "flood-empty", "flood-cut"])
async def test_that_a_flood_keeps_nobody_from_his_turn(mode: str) -> None:
    async with served(order(mode)) as server:
        longest, before = 0.0, time.monotonic()

        async def beat() -> None:
            nonlocal longest, before
            while True:
                await asyncio.sleep(0.001)
                longest, before = max(longest, time.monotonic() - before), time.monotonic()

        beating = asyncio.create_task(beat())
        for _ in range(3):
            assert await said(server, "echo", {"text": "hello"}) == "hello"
        beating.cancel()
        assert longest < 5.0
        assert len(server.stderr()) <= 64_000
        assert len(server.exchanges()) <= 200


async def test_that_a_server_that_reads_nothing_can_be_given_up() -> None:
    async with served(order("deaf", call_ms=1_000)) as server:
        deaf = asyncio.create_task(server.call("deaf", {"text": "x" * 500_000}))
        await until(lambda: any("tools/call" in each.text for each in server.exchanges()))
        with pytest.raises(PowerError, match="gave no answer within"):
            await server.call("echo", {"text": "y" * 500_000})
        with pytest.raises(PowerError):
            await deaf


async def test_that_any_text_can_be_an_argument_and_what_is_no_json_is_refused() -> None:
    async with served(order("good")) as server:
        assert await said(server, "echo", {"text": "a\ud800\0\u202e👩‍👩‍👧\n"}) == "a\ufffd\0\u202e👩‍👩‍👧\n"
        for wrong in (float("nan"), object(), {1, 2}):
            with pytest.raises(PowerError, match="its arguments are not JSON"):
                await server.call("echo", {"text": wrong})
        assert await said(server, "echo", {"text": "on"}) == "on"


async def test_that_cancelling_a_call_tells_the_server() -> None:
    async with served(order("hang")) as server:
        call = asyncio.create_task(server.call("hang", {}))
        await until(lambda: any("tools/call" in each.text for each in server.exchanges()))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: any("notifications/cancelled" in each.text for each in server.exchanges()))
        assert await said(server, "echo", {"text": "on"}) == "on"


@pytest.mark.parametrize("mode", ["fork", "stubborn"])
async def test_that_all_that_a_server_started_goes_with_it(mode: str) -> None:
    left: list[int] = []

    async with served(order(mode)) as server:
        left.extend(json.loads(await said(server, mode)))
        assert all(map(psutil.pid_exists, left))
        assert some(server.load()).memory_bytes > 1_000_000
    assert len(left) == 3
    assert not any(map(psutil.pid_exists, left))


async def test_that_asking_for_more_than_was_offered_is_declined() -> None:
    async with served(order("ask")) as server:
        assert await said(server, "ask") == "asked"
        await until(lambda: server.stderr().count("declined") == 3)
        assert server.warnings.count("which was declined") == 3
        assert await said(server, "echo", {"text": "on"}) == "on"


ANSWER = b'{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"%s"}]}}'

WRITTEN: dict[bytes, str] = {
    ANSWER % rb"cut \ud83d" + b"\n": "cut \N{REPLACEMENT CHARACTER}",
    ANSWER % b"a\tb" + b"\n": "a\tb",
    ANSWER % b"one\ntwo" + b"\n": "one\ntwo",
    ANSWER % b"caf\xe9" + b"\n": "caf\N{REPLACEMENT CHARACTER}",
    b"\xef\xbb\xbf" + ANSWER % b"marked" + b"\r\n": "marked",
    b"[INFO] calling... " + ANSWER % b"after a log line" + b"\n": "after a log line",
    b"[" + ANSWER % b"in a batch" + b"]\n": "in a batch",
    (ANSWER % b"over lines").replace(b",", b",\n  ") + b"\n": "over lines",
    ANSWER % b"if (a) {\n  b();\n}\n\nend" + b"\n": "if (a) {\n  b();\n}\n\nend",
    (ANSWER % b"indented").replace(b"}]}}", b"}]\n\t}\n}"): "indented",
    ANSWER % b"without an end of line": "without an end of line",
    ANSWER.replace(b"ID", b"true") % b"another id" + b"\n": "another id",
    (ANSWER % b"repr").replace(b'"', b"'") + b"\n": "no valid JSON",
    b'{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"rate limited"}}\n': "gave no answer: rate limited",
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}\n': "gave no answer: what?",
    b'{"jsonrpc":"2.0","id":ID,"error":{"code":"E_AUTH","message":"sign in"}}\n': "gave no answer: sign in (E_AUTH)",
    b'{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"cut\n': "no valid JSON: its end is missing",
    b'{"jsonrpc":"2.0","id":ID,"result":{"content":[],}}\n': "no valid JSON",
    b'{"jsonrpc":"2.0","id":ID,"result":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001 + b"\n": "nested too deeply",
}
"""Output of a server for one call, and the expected result."""


async def test_that_what_a_strict_parser_refuses_reaches_the_call_at_once() -> None:
    async with served(order("raw", call_ms=10_000)) as server:
        for written, told in WRITTEN.items():
            try:
                answer = await said(server, "raw", {"bytes": written.decode("latin-1")})
            except PowerError as error:
                answer = str(error)
            assert told in answer, written[:80]
            assert await said(server, "echo", {"text": "on"}) == "on"


async def test_that_a_byte_order_mark_before_the_first_message_is_passed_over() -> None:
    async with served(order("mark-first")) as server:
        assert await said(server, "echo", {"text": "on"}) == "on"
        assert not server.warnings


async def test_that_a_huge_message_is_left_out_and_the_server_goes_on() -> None:
    async with served(order("huge")) as server:
        with pytest.raises(PowerError, match=r"it answered with 50,000,\d+ bytes; 4,000,000 bytes are the most"):
            await server.call("huge", {})
        assert await said(server, "echo", {"text": "on"}) == "on"
        answer = await server.call("huge", {"size": 1_000_000})
        assert answer.cut
        (block,) = answer.content
        assert len(block["text"]) < RESULT_CHARACTERS + 100
        assert block["text"].endswith("more characters are left out.]")


async def test_that_thousands_of_tools_are_cut() -> None:
    async with served(order("many-tools")) as server:
        assert len(server.tools) == MOST_TOOLS
        assert "longer than 1,000" in server.warnings


async def test_that_all_pages_are_read_up_to_a_bound() -> None:
    async with served(order("pages")) as server:
        assert [tool.name for tool in server.tools] == ["page-0", "page-1", "page-2"]
        assert not server.warnings
    async with served(order("endless-pages")) as server:
        assert len(server.tools) == MOST_PAGES
        assert "50 pages" in server.warnings


async def test_that_wrong_tools_go_and_the_others_stay() -> None:
    async with served(order("wrong-tools")) as server:
        assert [tool.name for tool in server.tools] == ["bare", "odd", "esc\x1b[2J", "echo"]
        assert all(tool.input_schema["type"] == "object" for tool in server.tools)
        assert server.tools[2].description == "\u202ereverse"


async def test_that_no_tools_are_asked_of_a_server_that_offers_none() -> None:
    async with served(order("no-tools")) as server:
        assert server.tools == ()
        assert "offers no tools" in server.warnings


async def test_that_odd_content_is_left_out_with_a_note() -> None:
    async with served(order("odd")) as server:
        answer = await server.call("odd", {})
        kinds = [block["type"] for block in answer.content]
        assert kinds == ["text", "text", "text", "image", "text"]
        assert answer.content[0]["text"] == "7"
        assert "hologram" in answer.content[1]["text"]
        assert answer.structured is None
        assert answer.cut


async def test_that_an_error_of_the_protocol_is_told_without_signs_that_steer() -> None:
    async with served(order("refuse")) as server:
        with pytest.raises(PowerError, match=r"wrong \[31marguments") as error:
            await server.call("refuse", {})
        assert "\x1b" not in str(error.value)


async def test_that_a_server_gets_what_it_is_meant_to_get_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_PROGRAM", "not for you")
    monkeypatch.setenv("NAMED", "passed on")

    async with served(order("good", {"NAMED": "", "GIVEN": "a value", "ABSENT": ""})) as server:
        told = some((await server.call("where", {})).structured)
        got = told["environment"]
        # The server's interpreter sets its own language variable.
        assert set(got) - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "NAMED", "GIVEN"}
        assert (got["NAMED"], got["GIVEN"]) == ("passed on", "a value")
        assert told["cwd"] == os.environ.get("HOME", told["cwd"])


async def test_that_references_are_resolved_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_USER", "of-the-user")
    env = {
        "GIVEN": "pre-${env:OF_THE_USER}",
        "LIST": "{env:OF_THE_USER}",
        "NOT": "${NOT_SET}",
        "OR": "${NOT_SET:-else}",
    }

    async with served(order("good", env)) as server:
        told = some((await server.call("where", {})).structured)
        got = told["environment"]
        assert (got["GIVEN"], got["LIST"], got["OR"]) == ("pre-of-the-user", "of-the-user", "else")
        assert "NOT" not in got
        assert "of-the-user" not in str(server.exchanges()), "what it stands for is masked as a secret is"


OWN = {"KEY": "k3y", "HOST": "h", "HOME": "/home/me"}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (Transport("x", ("--key=${env:KEY}", "{env:KEY}")), Transport("x", ("--key=k3y", "k3y"))),
        (Transport("x", ("$KEY", "%KEY%", "${KEY}")), Transport("x", ("k3y", "k3y", "k3y"))),
        (Transport("x", ("$NOWHERE", "{{json .}}")), Transport("x", ("$NOWHERE", "{{json .}}"))),
        (Transport("x", ("A: ${KEY}",), {"KEY": "s"}), Transport("x", ("A: ${KEY}",), {"KEY": "s"})),
        (Transport("sh", ("-c", "run $KEY")), Transport("sh", ("-c", "run $KEY"), {"KEY": ""})),
        (Transport("${HOME}/bin/x", ("${userHome}/d",)), Transport("/home/me/bin/x", ("/home/me/d",))),
        (
            Transport(url="https://${HOST}/mcp", env={"A": "Bearer ${KEY}", "B": "${NOWHERE}"}),
            Transport(url="https://h/mcp", env={"A": "Bearer k3y", "B": ""}),
        ),
    ],
)
def test_that_texts_name_variables_in_many_ways(given: Transport, meant: Transport) -> None:
    assert resolved_transport(given, OWN) == meant


async def test_that_a_start_that_is_given_up_leaves_nothing() -> None:
    start = asyncio.create_task(McpRunner().start(order("hang-at-start")))
    await until(lambda: bool(processes_of("hang-at-start")))
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert not processes_of("hang-at-start")


def test_that_a_changed_script_is_another_launch_and_changed_data_is_not(tmp_path: Path) -> None:
    transport = Transport(sys.executable, ("-u", "run.py", "notes.db"), {"HOME": str(tmp_path)})
    found = []
    for name, content in (("notes.db", "1"), ("run.py", "1"), ("notes.db", "2"), ("run.py", "2")):
        (tmp_path / name).write_text(content)
        found.append(launch_of(transport))
    assert [found[1] == other for other in found] == [False, True, True, False]
    assert f"runs the script {tmp_path / 'run.py'}" in approval_text(transport, found[1])


@pytest.mark.skipif(os.name != "posix", reason="a shell script is planted")
def test_that_a_planted_program_is_seen_before_a_yes_and_never_run_by_an_older_one(tmp_path: Path) -> None:
    good, evil, ran = tmp_path / "good", tmp_path / "evil", tmp_path / "ran"
    for folder in (good, evil):
        folder.mkdir()
        (folder / "npx").write_text(f"#!/bin/sh\ntouch {ran}\n")
        (folder / "npx").chmod(0o700)
    own = {"PATH": str(good)}
    assert launch_of(Transport("npx"), own) == Launch(str(good / "npx"), str(good / "npx"))
    steered = Transport("npx", env={"PATH": str(evil), "NODE_OPTIONS": "-r x", "TOKEN": "hush"})
    found = launch_of(steered, own)
    assert (found.program, dict(found.steering)) == (str(evil / "npx"), {"PATH": str(evil), "NODE_OPTIONS": "-r x"})
    assert "was not found" in launch_of(Transport("no-such-program"), own).fault
    link = good / "linked"
    link.symlink_to(evil / "npx")
    assert launch_of(Transport("linked"), own).real == str(evil / "npx")
    sentence = refused(ServerStart("npx", steered, LONG, LONG, Launch(str(good / "npx"), str(good / "npx"))))
    assert "would now run another program, so it was not started" in sentence
    assert not ran.exists()
