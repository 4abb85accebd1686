"""Tests of other people's servers, where installed: started, called, and ended."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.adapters.process.child import environment
from app.bootstrap import make_workbench
from app.domain.journal import Edit
from app.domain.library import Power, Transport
from app.settings.model import Choices
from tests.build import some

PROJECT = Path(__file__).resolve().parents[2]
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

    choices = Choices(profile=tmp_path, pairs=("powers.start_timeout_ms=60000",))
    workbench = make_workbench(choices)
    await workbench.open(encoder=False, llm=False, watch=False)
    try:
        power = Power(name, steering="Be brief.", transport=Transport(program))
        await workbench.journal.do(Edit("added"), [power])
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
