"""Tests of real servers: started when the program resolves, and only then (S5.5), called, and ended."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.adapters.mcp.child import environment
from app.bootstrap import make_workbench
from app.domain.journal import Edit
from app.domain.library import Power, Transport
from app.domain.running import Activation
from app.settings.model import Choices
from tests.build import some
from tests.program import Done, run, run_alone

PROJECT = Path(__file__).parents[2]
SERVER = PROJECT / "tests" / "servers" / "powers.py"
POWER = {
    "name": "carillon",
    "description": "Rings the bells",
    "keywords": ["carillon"],
    "tools": [{"name": "stored", "description": "as it was imported"}],
    "steering": "Not before eight.",
    "command": sys.executable,
    "args": [str(SERVER), "carillon"],
}


def _printed(done: Done) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def _processes() -> list[str]:
    """Return the command lines of running servers of POWER."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in listed if line.endswith(f"{SERVER} carillon")]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "powers.jsonl").write_text(json.dumps(POWER), encoding="utf-8")
    _printed(run("import", folder / "powers.jsonl", "--kind", "powers", profile=folder / "approving"))
    return folder / "approving"


async def _approve(profile: Path) -> None:
    workbench = make_workbench(Choices(profile))
    await workbench.open(encoder=False, watch=False)
    try:
        asked = await workbench.gateway.activate("carillon")
        assert isinstance(asked, Activation)
        assert not asked.started
        await workbench.gateway.approve("carillon", asked.needs_approval)
    finally:
        await workbench.close()


@pytest.fixture(scope="module")
def approved(profile: Path) -> Path:
    found = json.loads(_printed(run("resolve", "ring the carillon", "--json", profile=profile)))
    assert (found["status"], found["started"]) == ("activated", False)
    assert str(SERVER) in found["needs_approval"]
    assert [tool["name"] for tool in found["tools"]] == ["stored"]
    asyncio.run(_approve(profile))
    return profile


@pytest.mark.skipif(os.name != "posix", reason="ps lists processes here")
def test_that_an_approved_power_is_started_and_stopped_again(approved: Path) -> None:
    found: dict[str, Any] = json.loads(_printed(run_alone("resolve", "ring the carillon", "--json", profile=approved)))
    assert (found["status"], found["started"], found["reason"]) == ("activated", True, None)
    assert [tool["name"] for tool in found["tools"]] == ["echo", "where", "carillon"]
    assert found["steering"] == "Not before eight."
    assert _processes() == []
    page = _printed(run("resolve", "ring the carillon", profile=approved))
    assert "Started; it is stopped when this command ends." in page
    assert "  echo: Returns its arguments.\n" in page


def test_that_a_line_after_another_finds_it_running(approved: Path) -> None:
    lines = b"ring the carillon\nthe carillon\n"
    answers = _printed(run("resolve", "--stdin", "--json", profile=approved, stdin=lines))
    assert [json.loads(line)["started"] for line in answers.splitlines()] == [True, True]


@pytest.mark.parametrize("words", [("resolve", "--no-start"), ("inspect",)])
def test_that_nothing_is_started_where_nothing_may_be(approved: Path, words: tuple[str, ...]) -> None:
    found = json.loads(_printed(run(*words, "ring the carillon", "--json", profile=approved)))
    resolution = found.get("resolution", found)
    assert (resolution["status"], resolution["started"]) == ("activated", False)
    assert resolution["reason"] == "Nothing is started by inspecting a query."
    assert [tool["name"] for tool in resolution["tools"]] == ["stored"]


def test_that_a_tool_is_called_and_its_answer_printed(approved: Path) -> None:
    assert _printed(run("call", "carillon", profile=approved)).startswith("echo  Returns its arguments.\n")
    done = run("call", "carillon", "echo", '{"text": "ding"}', profile=approved)
    assert (done.returncode, done.stdout, done.stderr[:18]) == (0, "ding\n", "echo: answered in ")
    found = json.loads(_printed(run("call", "carillon", "where", "--json", profile=approved)))
    assert (found["tool"], found["is_error"]) == ("where", False)
    for words, why in (
        (("carillon", "eco"), "It has “echo”"),
        (("carillon", "echo", "ding"), "none of its arguments"),
        (("carilon",), "Near it: “carillon”"),
    ):
        done = run("call", *words, profile=approved)
        assert (done.returncode, done.stdout) == (2, "")
        assert why in done.stderr
    assert _processes() == []


PLACES = os.environ.get("INTENTSCOPE_TEST_POWERS", "")
"""Folders with programs, separated as in PATH.

These are targets of `pip install mcp-server-time mcp-server-git` in a separate environment, or of `npm install
@modelcontextprotocol/server-everything`.
"""

SERVERS: Mapping[str, tuple[str, str, Mapping[str, Any], str]] = {
    "time": ("mcp-server-time", "get_current_time", {"timezone": "Europe/Berlin"}, "Europe/Berlin"),
    "git": ("mcp-server-git", "git_log", {"repo_path": str(PROJECT), "max_count": 1}, "Author"),
    "everything": ("mcp-server-everything", "echo", {"message": "hello"}, "Echo: hello"),
}


@pytest.mark.parametrize("name", SERVERS)
async def test_that_a_real_server_is_started_asked_and_stopped(name: str, tmp_path: Path) -> None:
    command, tool, arguments, part = SERVERS[name]
    program = shutil.which(command, path=os.pathsep.join((PLACES, environment({}).get("PATH", ""))))
    if program is None:
        pytest.skip(f"{command} is not installed: INTENTSCOPE_TEST_POWERS names the folders that are looked in.")

    workbench = make_workbench(Choices(profile=tmp_path, pairs=("powers.start_timeout_ms=60000",)))
    await workbench.open(encoder=False, llm=False, watch=False)
    try:
        await workbench.journal.do(Edit("added"), [Power(name, steering="Be brief.", transport=Transport(program))])
        asked = await workbench.gateway.activate(name)
        assert (asked.started, asked.needs_approval) == (False, program)
        await workbench.gateway.approve(name, asked.needs_approval)
        told = await workbench.gateway.activate(name)
        assert told.started, told.reason
        assert tool in [each.name for each in told.tools]
        assert all(each.input_schema["type"] == "object" for each in told.tools)
        answer = await workbench.gateway.call(name, tool, arguments)
        assert not answer.is_error
        assert part in str(answer.content)
        (stored,) = await workbench.catalogue.powers()
        assert tool in [each.name for each in stored.tools]
        assert (await workbench.gateway.records())[name].calls == 1
        pid = some(workbench.gateway.runs()[name].pid)
        below = [pid, *(each.pid for each in psutil.Process(pid).children(recursive=True))]
        await workbench.gateway.deactivate(name)
        assert not any(map(psutil.pid_exists, below))
    finally:
        await workbench.close()
