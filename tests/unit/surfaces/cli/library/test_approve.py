"""Tests of `approve` on the terminal: the program is shown first, then approved."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.domain.errors import KnownError
from app.domain.library import Transport
from app.surfaces.cli.library.approve import approve, call
from app.surfaces.cli.output import Printer
from tests.fake_runner import MemoryRunner
from tests.unit.services.powers.test_gateway import at_work, stored


class Terminal(io.StringIO):
    """Standard input of an interactive user."""

    def isatty(self) -> bool:
        return True


Word = str | None


def done(name: str, yes: Sequence[Word], *, as_json: bool = False) -> tuple[list[bool], str, str]:
    """Return each call's outcome, all output, and the newest step."""

    async def work() -> tuple[list[bool], str, str]:
        out, outcomes = io.StringIO(), []
        async with at_work(MemoryRunner()) as workbench:
            for word in yes:
                digest = (await workbench.gateway.consent(name)).digest if word == "its digest" else word
                options = argparse.Namespace(name=name, yes=digest)
                outcomes.append(await approve(workbench, options, Printer(out, as_json=as_json)))
            return outcomes, out.getvalue(), (await workbench.journal.steps())[0].sentence

    return asyncio.run(work())


def at_terminal(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))


@pytest.mark.parametrize("typed", ["y\n", "YES\n"])
def test_that_a_yes_approves_what_was_shown(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_terminal(monkeypatch, typed)
    outcomes, said, step = done("time", [None, None])
    asked = capsys.readouterr().err
    assert "    time-server change\n    with ZONE\n" in asked
    assert "ZONE: no value stored" in asked
    assert asked.count("[y/N]") == 1
    assert (outcomes, step) == ([True, True], "approved “time”")
    assert said.splitlines()[1] == "No change: “time” is approved."


@pytest.mark.parametrize("typed", ["\n", "n\n", "yesterday\n", ""])
def test_that_anything_else_approves_nothing(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_terminal(monkeypatch, typed)
    outcomes, said, step = done("git", [None])
    assert (outcomes, said) == ([False], "Nothing was approved.\n")
    assert "approved" not in step


def test_that_where_nobody_sits_only_the_exact_digest_is_a_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(KnownError, match="No terminal to confirm in"):
        done("git", [None])
    for wrong in ("", "y", "0" * 64):
        with pytest.raises(KnownError, match="digest of something else"):
            done("git", [wrong])
    assert done("git", ["its digest"])[0] == [True]


async def test_that_a_digest_holds_for_one_command_only() -> None:
    async with at_work(MemoryRunner()) as workbench:
        before = await workbench.gateway.consent("git")
        power = await stored(workbench, "git")
        await workbench.journal.edit(replace(power, transport=Transport("git-server", ("--stdio", "bad"))))
        options = argparse.Namespace(name="git", yes=before.digest)
        with pytest.raises(KnownError, match="something else"):
            await approve(workbench, options, Printer(io.StringIO()))
        assert not await workbench.gateway.is_approved("git")


def test_that_programs_read_what_there_is_and_are_never_asked() -> None:
    outcomes, said, _ = done("git", [None, "its digest"], as_json=True)
    before, after = map(json.loads, said.splitlines())
    assert outcomes == [False, True]
    assert (before["approved"], after["approved"]) == (False, True)
    assert before["text"] == "git-server --stdio good"
    assert before["digest"] == after["digest"]


def test_that_what_has_no_command_and_what_is_unknown_is_said() -> None:
    for name, why in (("bare", "nothing to approve"), ("tme", "Near it: “time”")):
        with pytest.raises(KnownError, match=why):
            done(name, [None])


async def test_that_a_call_needs_approval_first_and_fails_where_the_tool_says_so() -> None:
    async with at_work(MemoryRunner()) as workbench:
        options = argparse.Namespace(name="git", tool="where", arguments=[], refresh=False)
        with pytest.raises(KnownError, match="“intentscope approve git” asks for that"):
            await call(workbench, options, Printer(io.StringIO()))
        await workbench.gateway.approve("git", (await workbench.gateway.consent("git")).text)
        assert not await call(workbench, options, Printer(out := io.StringIO()))
        assert out.getvalue() == "It answered without content.\n"


async def test_that_refreshing_replaces_tools_that_a_person_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    async with at_work(MemoryRunner()) as workbench:
        gateway = workbench.gateway
        await gateway.approve("time", (await gateway.consent("time")).text)
        told = []
        for refresh in (False, True, True):
            options = argparse.Namespace(name="time", tool=None, arguments=[], refresh=refresh)
            assert await call(workbench, options, Printer(io.StringIO()))
            power = next(one for one in await workbench.catalogue.powers() if one.name == "time")
            told.append(" ".join(tool.name for tool in power.tools))
        before, *after = told
    assert before != "echo where change"
    assert after == ["echo where change"] * 2
    changed, unchanged = capsys.readouterr().err.splitlines()
    assert "as listed now" in changed
    assert unchanged.startswith("No change")
