"""Tests that the help for assistants names every tool and every limit correctly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.services.system.clients import CLIENTS
from app.settings.model import Settings
from app.surfaces.http.guard import BODY_SECONDS, HEALTH_PATH, MCP_PATH, MOST_BYTES, MOST_DEPTH, MOST_HEADERS
from app.surfaces.http.server import IDLE_SECONDS, MOST_SESSIONS
from app.surfaces.mcp.power_tools import LONGEST
from app.surfaces.mcp.schemas import NoArguments
from app.surfaces.mcp.tools import LOOKED_THROUGH, OWN_TOOLS

HELP = Path(__file__).parents[4] / "resources" / "help"
PAGE = "\n".join((HELP / f"{name}.md").read_text("utf-8") for name in ("assistants", "assistant-tools", "hook"))
FLOWING = " ".join(PAGE.split())


@pytest.mark.parametrize("name", OWN_TOOLS)
def test_that_the_page_names_each_tool_with_what_it_takes(name: str) -> None:
    arguments = OWN_TOOLS[name].arguments
    given = "" if arguments is NoArguments else ", ".join(arguments.model_fields)
    assert f"| `{name}({given})` |" in PAGE


def test_that_the_page_names_no_tool_that_is_not_there() -> None:
    assert set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)) == set(OWN_TOOLS)


@pytest.mark.parametrize(
    "told",
    [
        f"http://127.0.0.1:{Settings().serve.port}{MCP_PATH}",
        f"`serve.hook_budget_ms` ({Settings().serve.hook_budget_ms:,})",
        f"{MOST_BYTES // 2**20} MB",
        f"{MOST_DEPTH} levels",
        f"{MOST_HEADERS} headers",
        f"{BODY_SECONDS:.0f} seconds",
        f"{MOST_SESSIONS} sessions",
        f"{IDLE_SECONDS / 60:.0f} minutes",
        f"best {LOOKED_THROUGH:,}",
        f"{LONGEST} characters",
        f"`{HEALTH_PATH}`",
    ],
)
def test_that_the_page_tells_the_limits_as_they_are(told: str) -> None:
    assert told in FLOWING


def test_that_every_snippet_can_be_pasted() -> None:
    snippets = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 3
    assert all(json.loads(snippet) for snippet in snippets)


def test_that_the_page_names_each_assistant_that_can_be_connected() -> None:
    assert re.findall(r"\| `connect ([\w-]+)` \|", PAGE) == [client.key for client in CLIENTS]


def test_that_an_assistant_is_told_that_an_activated_power_may_not_run() -> None:
    told = OWN_TOOLS["resolve_intent"].description
    assert "It runs only if `started` is true" in told
    assert "`reason` says what a person has to do" in told
