"""Tests of memories and powers as resources, and of prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from app.domain.library import Memory, Power, Transport
from app.surfaces.mcp import resources
from app.surfaces.mcp.resources import PROMPTS
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk
from tests.unit.surfaces.mcp.test_server import client_of

ODD = "a/b ?#%ü"


def library() -> MemoryLibrary:
    made = library_of(
        *(Memory((f"trigger {n}",), f"Answer {n}.", id=f"m{n}") for n in range(5)),
        Memory(("odd",), "Odd.", id=ODD),
        Memory(("off",), "Off.", id="off", paused=True),
    )
    server = Transport("psql", ("--secret",), {"PASSWORD": "secret"})
    made.add("powers", [Power("postgres", "Tables", transport=server), Power("off", paused=True)])
    return made


async def test_that_what_is_in_use_is_listed_by_pages_and_all_of_it_can_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resources, "PER_PAGE", 3)
    async with desk(library) as workbench:
        found: list[Any] = []
        cursor: str | None = None
        while True:
            page = await resources.listed(workbench, cursor)
            assert len(page.resources) <= 3
            found += page.resources
            cursor = page.next_cursor
            if cursor is None:
                break
        assert [one.name for one in found] == ["postgres", "m0", "m1", "m2", "m3", "m4", ODD]
        documents = []
        for one in found:
            (content,) = (await resources.read(workbench, str(one.uri))).contents
            assert isinstance(content, TextResourceContents)
            documents.append(json.loads(content.text))
            assert documents[-1]["name"] == one.name
        assert documents[-1]["response"] == "Odd."
        assert "secret" not in json.dumps(documents)
        for address in ("intentscope://memory/off", "intentscope://power/m1", "intentscope://rule/a", "file:///x"):
            with pytest.raises(MCPError):
                await resources.read(workbench, address)
        for odd in ("x", "-1", "9" * 20):
            with pytest.raises(MCPError):
                await resources.listed(workbench, odd)


@pytest.mark.parametrize("row", PROMPTS, ids=lambda row: row.name)
def test_that_each_prompt_is_filled_and_lacks_nothing(row: resources.Question) -> None:
    given = {name: f'my "{name}"' for name in row.takes}
    (message,) = resources.prompt(row.name, given).messages
    assert isinstance(message.content, TextContent)
    assert all(json.dumps(value) in message.content.text for value in given.values())
    for name in given:
        with pytest.raises(MCPError, match=name):
            resources.prompt(row.name, {**given, name: " "})


def test_that_no_prompt_of_another_name_is_there() -> None:
    with pytest.raises(MCPError):
        resources.prompt("nobody", {})


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_that_a_client_reads_them(seeded: Path, mode: str) -> None:
    async with client_of(seeded, mode=mode) as client:
        resources = (await client.list_resources()).resources
        assert len(resources) == 80
        (content,) = (await client.read_resource(resources[-1].uri)).contents
        assert isinstance(content, TextResourceContents)
        assert json.loads(content.text)["response"]
        templates = (await client.list_resource_templates()).resource_templates
        assert {one.name for one in templates} == {"memory", "power"}
        assert [one.name for one in (await client.list_prompts()).prompts] == [row.name for row in PROMPTS]
        told = await client.get_prompt("how_good", {"task": "power"})
        assert told.messages[0].role == "user"
