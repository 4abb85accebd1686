"""Tests of `why-not` with the shipped library, rules, examples and encoder (S7.6, S8.7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.__main__ import main
from app.bootstrap import make_workbench
from app.domain.scope.why_not import AddTrigger, Expectation, LostAt, WhyNot
from app.settings.model import Choices
from app.surfaces.cli.terminal import opened

CASES = (
    '{"text": "why does the build keep failing on my mac", "expected": ["build-fails-locally"]}\n'
    '{"text": "how do i list orders over the api", "expected": ["orders-api"]}\n'
)


@pytest.fixture(scope="module")
def profile(seeded: Path) -> Path:
    cases = seeded / "cases.jsonl"
    cases.write_text(CASES, "utf-8")
    assert main(["import", str(cases), "--profile", str(seeded), "--kind", "cases", "--task", "memory"]) == 0
    return seeded


def test_that_an_answer_that_came_ends_with_0(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["why-not", "why does the build keep failing on my mac", "--expect", "memory:build-fails-locally"]
    assert main([*asked, "--profile", str(profile)]) == 0
    assert capsys.readouterr().out.startswith("memory:build-fails-locally: it is the first memory\n")


def test_that_a_power_that_is_not_approved_ends_with_1(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["why-not", "run a postgres query", "--expect", "power:postgres", "--profile", str(profile)]
    assert main(asked) == 1
    assert capsys.readouterr().out.startswith("power:postgres: found, but not approved\n")
    assert main([*asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["outcome"], told["needs_approval"], told["delivered"]) == ("won", True, False)


def test_that_a_lost_answer_ends_with_1_and_a_document(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "why does the build keep failing on my mac"
    assert main(["why-not", text, "--expect", "memory:signing", "--json", "--profile", str(profile)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["expected"], told["outcome"], told["stage"]) == ("memory:signing", "lost", "scoring")
    assert told["by"]["winner"] == "build-fails-locally"
    assert told["by"]["scores"]["semantic"]["difference"] < 0
    change = next(one for one in told["changes"] if one["key"] == "trigger.add")
    assert {"what", "fixes", "breaks"} <= change.keys()
    assert (change["wins"], change["fixes"], change["breaks"]) == (True, 0, 1)
    assert change["broken"] == [text], "a case expects the other memory"
    assert change["act"] == {"teach": text, "to": "signing"}


def test_that_people_read_a_few_lines(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why-not", "check my database", "--expect", "power:mongodb", "--profile", str(profile)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "power:mongodb: outscored"
    assert "What would make it win:" in lines
    assert len(lines) < 25


async def test_that_the_reason_is_what_decides(profile: Path) -> None:
    async with opened(make_workbench(Choices(profile)), wait=True) as workbench:

        async def explained(text: str, expected: str) -> WhyNot:
            return await workbench.why_nots.explain(text, Expectation.of(expected), lambda *_: None)

        for text, expected in (("customer orders", "order-states"), ("vpn", "vpn-from-hotel")):
            inspection = await workbench.settle(text)
            match = next(one for one in inspection.matches if one.answer.name == expected)
            best = inspection.memories[0]
            told = max(best.account.contributions_over(match.scores), key=lambda one: one.value)
            assert (await explained(text, f"memory:{expected}")).ahead[0][0] == told.name
        assert (await explained("don't run the workflow", "power:github-actions")).is_negated
        taught = [
            any(isinstance(one.act, AddTrigger) for one in (await explained(text, "power:github-actions")).changes)
            for text in ("don't run the workflow", "customer orders")
        ]
        assert taught == [False, True], "a refusal is not offered as an example of what it refuses"
        assert not (await explained("the", "memory:vpn")).is_negated


def test_that_a_name_that_is_not_taught_is_told_with_the_nearest(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why-not", "anything", "--expect", "power:postgress", "--profile", str(profile)]) == 1
    assert "Nearest names: postgres" in capsys.readouterr().out


@pytest.mark.parametrize("expected", ["postgres", "thing:postgres", "power:"])
def test_that_what_is_no_expectation_is_bad_usage(
    profile: Path, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why-not", "anything", "--expect", expected, "--profile", str(profile)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("intentscope: “")


async def test_that_a_route_lost_to_a_rule_is_won_by_teaching_it(profile: Path) -> None:
    text, expected = "similar documents about cats", Expectation("route", "graph")

    async with opened(make_workbench(Choices(profile)), wait=True) as bench:
        told = await bench.why_nots.explain(text, expected)
        assert told.stage is LostAt.RULES
        change = next(one for one in told.changes if one.key == "route.teach.rule")
        assert change.wins
        before = bench.library.cases()
        await bench.why_nots.apply(change)
        await bench.ready()
        assert (await bench.why_nots.explain(text, expected)).has_won
        assert (await bench.routing.route(text)).intent == "graph_traversal"
        assert await bench.undo() is not None
        assert bench.library.cases() == before
