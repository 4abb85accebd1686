"""Tests of the exact output of store commands: states, filling after consent, and passwords."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from app.domain.errors import KnownError
from app.services.workbench import Workbench
from app.surfaces.cli.commands.routing import run_stores
from app.surfaces.cli.output import MisuseError, Printer
from app.surfaces.cli.parser import parser
from app.surfaces.cli.routes import fill, keep_password, print_states
from tests.unit.services.routing.test_stores import on_server

HEAD = [
    "neo4j       not connected; the embedded store answers in its place",
    "graphiti    not connected; the embedded store answers in its place",
    "qdrant      not connected; the embedded store answers in its place",
]


class Typed(io.StringIO):
    """Standard input of an interactive user."""

    def isatty(self) -> bool:
        return True


async def lines(bench: Workbench) -> list[str]:
    """Return a line per store, without the shared cache and the notes below."""
    out = io.StringIO()
    await print_states(bench, Printer(out))
    return [line for line in out.getvalue().splitlines() if not line.startswith((" ", "redis"))]


async def test_that_a_store_is_filled_after_a_yes_to_the_very_statements(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with on_server() as (bench, server, _):
        assert await lines(bench) == [*HEAD, "postgresql  holds 0 documents; 3 differ from the library"]
        monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
        with pytest.raises(KnownError, match="No terminal to confirm in"):
            await fill(bench, "postgresql", agreed=False)
        monkeypatch.setattr("sys.stdin", Typed("n\n"))
        assert not await fill(bench, "postgresql", agreed=False)
        assert server.was_put == []
        assert "is deleted there. These statements are run first:\n\nCREATE TABLE\n" in capsys.readouterr().err
        monkeypatch.setattr("sys.stdin", Typed("yes\n"))
        assert await fill(bench, "postgresql", agreed=False)
        assert await lines(bench) == [*HEAD, "postgresql  holds 3 documents, up to date"]
        assert await fill(bench, "postgresql", agreed=True)
        server.is_gone = True
        out = io.StringIO()
        await print_states(bench, Printer(out, as_json=True))
        last = json.loads(out.getvalue())["stores"][-2]
        told = {"store": "postgresql", "by": "postgresql", "held": 0, "late": 0, "fault": "Nobody answers."}
        assert told.items() <= last.items()


async def test_that_a_password_comes_by_stdin_or_is_typed_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_server() as (bench, _, told):
        monkeypatch.setattr("sys.stdin", io.StringIO("pa ss\r\n"))
        await keep_password(bench, "postgresql")
        assert told[0] == {"store:postgresql": "pa ss"}
        monkeypatch.setattr("sys.stdin", Typed())
        monkeypatch.setattr("getpass.getpass", lambda prompt: "typed" if prompt == "Password of postgresql: " else "")
        await keep_password(bench, "postgresql")
        assert told[0] == {"store:postgresql": "typed"}


def test_that_yes_is_said_to_filling_alone() -> None:
    def root() -> Any:
        raise AssertionError("nothing is opened")

    with pytest.raises(MisuseError, match="--yes goes with --fill"):
        run_stores(parser().parse_args(["stores", "--yes"]), root)
