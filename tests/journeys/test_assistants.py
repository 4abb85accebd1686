"""Tests of the program with assistants: over stdio, over HTTP, and as a prompt hook (S8)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY, TextContent
from mcp_types.version import LATEST_MODERN_VERSION

from app.bootstrap import make_workbench
from app.settings.model import Choices
from tests.build import some
from tests.program import PROJECT, run, run_alone
from tests.waiting import PATIENCE

PARROT = {
    "name": "parrot",
    "description": "Repeats what it is told",
    "keywords": ["parrot"],
    "command": sys.executable,
    "args": [str(PROJECT / "tests" / "servers" / "powers.py"), "quiet"],
}
BROKEN = "Error: the build is broken, how do I fix the failing build on my mac? It fails with an exception."


def words(profile: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "app", "--profile", str(profile), *more]


@pytest.fixture(scope="module")
def stocked(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("parrot") / "powers.jsonl"
    file.write_text(json.dumps(PARROT) + "\n")
    done = run("import", file, "--kind", "powers", profile=seeded)
    assert done.returncode == 0, done.stderr

    async def approve() -> None:
        workbench = make_workbench(Choices(seeded))
        await workbench.open(encoder=False, llm=False, watch=False)
        await workbench.gateway.approve("parrot", await workbench.gateway.approval_text("parrot"))
        await workbench.close()

    asyncio.run(approve())
    return seeded


async def converse(client: Client) -> None:
    """Resolve a query, use the activated power, and stop it."""
    found = await client.call_tool("resolve_intent", {"query": "let the parrot repeat what it is told"})
    document = some(found.structured_content)
    assert document["started"], document["reason"]
    assert (document["status"], document["power"]["name"]) == ("activated", "parrot")
    assert "parrot__echo" in {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}
    said = await client.call_tool("parrot__echo", {"text": "hello"})
    assert not said.is_error
    assert [block.text for block in said.content if isinstance(block, TextContent)]
    stopped = await client.call_tool("deactivate_power", {"name": "parrot"})
    assert stopped.structured_content is not None
    assert stopped.structured_content["stopped"]


async def test_that_an_assistant_uses_a_power_over_standard_streams(stocked: Path) -> None:
    command, *arguments = words(stocked, "mcp")
    child = StdioServerParameters(command=command, args=arguments, cwd=PROJECT, env=dict(os.environ))
    async with Client(child, mode="legacy") as client:
        await converse(client)


HELLO = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
ENVELOPE = {
    PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
    CLIENT_INFO_META_KEY: HELLO["clientInfo"],
    CLIENT_CAPABILITIES_META_KEY: {},
}


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize(
    ("end", "method", "params"),
    [
        pytest.param("end of input", "initialize", HELLO, id="handshake, end of input"),
        pytest.param("SIGTERM", "server/discover", {"_meta": ENVELOPE}, id="present protocol, SIGTERM"),
    ],
)
def test_that_it_speaks_the_protocol_alone_and_ends_when_it_is_told_to(
    tmp_path: Path, end: str, method: str, params: dict[str, Any]
) -> None:
    child = subprocess.Popen(
        words(tmp_path / "p", "--verbose", "mcp"),
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(b"no JSON\n" + b"x" * 100_000 + b"\n")
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        child.stdin.write(json.dumps(asked).encode() + b"\n")
        child.stdin.flush()
        answer: dict[str, Any] = {}
        while answer.get("id") != 1:
            answer = json.loads(child.stdout.readline())
        if end == "end of input":
            child.stdin.close()
        else:
            child.send_signal(getattr(signal, end))
        rest = child.stdout.read()
        assert child.wait(PATIENCE) == 0
    finally:
        child.kill()
        child.stdin.close()
        child.stdout.close()
    told = {key: answer["result"].get(key) for key in ("protocolVersion", "supportedVersions")}
    if method == "initialize":
        assert told == {"protocolVersion": HELLO["protocolVersion"], "supportedVersions": None}
    else:
        assert told == {"protocolVersion": None, "supportedVersions": [LATEST_MODERN_VERSION]}
    assert answer["result"]["capabilities"]["tools"]["listChanged"]
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())


@contextmanager
def serving(profile: Path, log: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    with log.open("wb") as errors:
        child = subprocess.Popen(
            words(profile, *more, "--json", "serve", "--port", "0"), cwd=PROJECT, stdout=subprocess.PIPE, stderr=errors
        )
    assert child.stdout is not None
    try:
        yield json.loads(child.stdout.readline())["url"], child
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE) == 0
    finally:
        child.kill()
        child.wait()  # also if the test has failed, so that no later test meets an uncollected process
        child.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_that_an_assistant_with_the_token_uses_a_power_over_http(stocked: Path, tmp_path: Path) -> None:
    # In its own process, like the server: earlier tests may have changed this one's keyring.
    token = run_alone("serve", "--show-token", profile=stocked).stdout.strip()
    assert len(token) >= 43

    async def ask(url: str) -> None:
        async with (
            create_mcp_http_client({"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            await converse(client)

    with serving(stocked, tmp_path / "log", "--verbose") as (url, child):
        asyncio.run(ask(url))
        if (listed := Path(f"/proc/{child.pid}/cmdline")).exists():
            assert token.encode() not in listed.read_bytes()
            assert token.encode() not in Path(f"/proc/{child.pid}/environ").read_bytes()
        _, _, port = url.removesuffix("/mcp").rpartition(":")
        second = run("serve", "--port", port, profile=stocked)
        assert second.returncode == 2
        assert f"Port {port} of 127.0.0.1 is in use" in second.stderr
    assert token.encode() not in (tmp_path / "log").read_bytes()


def test_that_a_new_token_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    found = [
        run("--json", "serve", flag, profile=tmp_path / "p") for flag in ("--show-token", "--new-token", "--show-token")
    ]
    assert [done.returncode for done in found] == [0, 0, 0]
    first, second, third = (json.loads(done.stdout)["token"] for done in found)
    assert first != second == third
    assert not [done.stderr for done in found if first in done.stderr]


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org"])
def test_that_no_other_address_is_served(tmp_path: Path, host: str) -> None:
    done = run("serve", "--host", host, profile=tmp_path / "p")
    assert done.returncode == 2
    assert f"“{host}” is not a loopback address" in done.stderr


# ---- the prompt hook


def hook(profile: Path, given: bytes, *more: str) -> tuple[dict[str, Any], str]:
    """Return the hook's answer and its stderr; its exit code is always 0."""
    done = subprocess.run(
        words(profile, *more, "hook"), cwd=PROJECT, input=given, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    return answer["hookSpecificOutput"], done.stderr.decode()


def prompt(text: object) -> bytes:
    return json.dumps({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": text}).encode()


PATIENT = ("--set", "serve.hook_budget_ms=60000")


def test_that_the_hook_gives_intent_and_memories(stocked: Path) -> None:
    answer, told = hook(stocked, prompt(BROKEN), *PATIENT)
    assert answer["additionalContext"].startswith("Memories for this question (its type is troubleshoot, 0.9")
    assert "build fails on macos" in answer["additionalContext"]
    assert not told


def test_that_the_hook_lets_any_prompt_through(stocked: Path) -> None:
    answer, told = hook(stocked, prompt("\ud800 \0 " + "x" * 100_000), *PATIENT)
    assert (answer["additionalContext"], told) == ("", "")


def test_that_the_hook_ends_with_its_budget_even_if_nobody_gives_it_a_prompt(tmp_path: Path) -> None:
    child = subprocess.Popen(
        words(tmp_path / "p", "--set", "serve.hook_budget_ms=1000", "hook"),
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    try:
        assert json.loads(child.stdout.readline())["hookSpecificOutput"]["additionalContext"] == ""
        assert child.wait(PATIENCE) == 0
        (told,) = child.stderr.read().decode().splitlines()
        assert "the hook's time budget ran out (serve.hook_budget_ms)" in told
    finally:
        child.kill()
        child.stderr.close()
        child.stdin.close()
        child.stdout.close()
