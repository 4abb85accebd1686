"""Tests of documents of a query: the full one, the resolution, control characters."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.detect.resolve import resolve
from app.display.documents import (
    AVAILABLE_CHARACTERS,
    full_inspection_document,
    inspection_document,
    resolution_document,
)
from app.display.scope.text import as_text, match_lines
from app.display.scope.timing import scorers_text
from app.display.words import visible_lines
from app.domain.library import Memory, Power, Tool
from app.domain.match import Match, Query, Tier
from app.domain.scope.inspection import Resolution, Trace
from app.scoring.scorers import SCORERS
from app.services.engine.engine import BREAKDOWNS
from app.settings.model import Settings
from tests.golden import written
from tests.gui.inspections import design
from tests.unit.services.benches import desk


async def test_that_the_whole_document_has_what_is_answered_word_by_word_and_below_the_cut() -> None:
    async with desk(matches=1) as bench:
        taught = ("create a branch", "create a tag", "create a release")
        for text in taught:
            await bench.curator.teach(Memory((text,), response=f"Run {text}."))
        await bench.ready()
        found = await bench.settle("how do I create a branch")
    whole, short = full_inspection_document(found), inspection_document(found)
    assert {**short, "matches": None}.items() <= {**whole, "matches": None}.items()
    (first,) = whole["matches"]
    assert first["response"] == "Run create a branch."
    asked = first["words"]["token_overlap"]["rows"][0]["words"]
    assert [word["text"] for word in asked if word["is"] == "same"] == ["create", "a", "branch"]
    assert {match["name"] for match in whole["below"]} == set(taught[1:])
    assert set(whole["policies"]["merge"]) == {"by_type", "adr", "shipped"}
    assert set(whole["policies"]["selection"]["types"]) == {"priority", "evidence"}
    json.dumps(whole, allow_nan=False)


async def test_that_breakdowns_go_to_the_log_once_all_scores_are_there(caplog: pytest.LogCaptureFixture) -> None:
    async with desk(matches=1, log_breakdowns=True) as bench:
        await bench.curator.teach(Memory(("create a branch",)))
        await bench.ready()
        with caplog.at_level(logging.INFO, BREAKDOWNS.name):
            await bench.settle("create a branch")
    (line,) = [record.getMessage() for record in caplog.records if record.name == BREAKDOWNS.name]
    assert line.startswith("create a branch 1.000: exact 1.000")
    assert "semantic 1.000" in line


async def test_that_every_scorer_that_scored_says_how_long_it_took() -> None:
    async with desk() as bench:
        await bench.curator.teach(Memory(("create a branch",)))
        await bench.ready()
        found = await bench.settle("create a branch")
    scored = {name for match in found.matches for name, value in match.scores.items() if value is not None}
    assert scored <= set(found.trace.scorers) <= set(SCORERS)
    assert all(ms >= 0.0 for ms in found.trace.scorers.values())
    assert inspection_document(found)["trace"]["scorers"] == dict(found.trace.scorers)
    ordered = scorers_text(Trace(scorers={"exact": 0.1, "semantic": 2.0}))
    assert ordered == "Scorers, ms: Semantic 2.0, Exact 0.1"
    assert scorers_text(Trace()) == ""


SETTINGS = Settings()
HYBRID, SEMANTIC, KEYWORD = {"keyword": 0.6, "semantic": 0.6}, {"semantic": 0.6}, {"keyword": 0.6}

POSTGRES = Power(
    "postgres",
    "PostgreSQL database operations",
    ("database", "sql", "postgres", "query", "tables"),
    tools=(Tool("query_database", "..."), Tool("execute_sql", "...")),
    steering="Ask first.",
)
MYSQL = Power("mysql", "MySQL database management", ("database", "mysql", "sql", "query"))
MONGODB = Power("mongodb", "MongoDB NoSQL database", ("database", "mongo", "nosql"))


def found(*powers: tuple[Power, float, dict[str, float]]) -> list[Match]:
    return [Match(power, confidence, scores, (), power.name) for power, confidence, scores in powers]


@pytest.mark.parametrize(("count", "length"), [(40, 200), (199, 300), (1_000, 300)])
def test_that_a_long_list_of_available_powers_names_them_all_in_few_words(count: int, length: int) -> None:
    powers = [Power(f"p{place}", "wording " * (length // 8)) for place in range(count)]
    resolution = Resolution(Tier.NOT_FOUND, "q", available=tuple(powers))
    listed = resolution_document(resolution)["available_powers"]
    assert [row["name"] for row in listed] == [power.name for power in powers]
    descriptions = [row["description"] for row in listed]
    assert sum(map(len, descriptions)) <= AVAILABLE_CHARACTERS
    assert all(text == "" or text.endswith("wording…") for text in descriptions)


def test_that_a_short_description_stands_whole_in_a_long_list_and_a_long_word_is_cut() -> None:
    powers = (Power("short", "A few words"), *(Power(f"p{place}", "x" * 500) for place in range(20)))
    listed = resolution_document(Resolution(Tier.NOT_FOUND, "q", available=powers))["available_powers"]
    assert listed[0]["description"] == "A few words"
    assert listed[1]["description"] == "x" * (AVAILABLE_CHARACTERS // 21 - 1) + "…"


def test_that_a_text_keeps_its_own_line_ends() -> None:
    assert visible_lines("a\x1b\nb") == "a\u241b\nb"


def test_that_names_and_queries_with_control_characters_stay_on_their_line() -> None:
    inspection = design()
    evil = Memory(("trigger",), id="evil\x1b[2J\nname", key=1)
    first, *others = inspection.matches
    odd = replace(inspection, query=Query.of("x\x1b\ny"), matches=(replace(first, answer=evil), *others))
    told = as_text(odd)
    assert not set(told) & {"\x1b", "\x00"}
    assert "Query: x\u241b\u240ay\n" in told
    assert "evil\u241b[2J\u240aname" in told
    assert len(match_lines(odd, None)) == len(match_lines(inspection, None))
    assert all("\n" not in line for line in match_lines(odd, None))


GOLDEN = Path(__file__).with_name("documents.txt")
"""Reviewed documents, as in 003; `GOLDEN.write_text(read(), "utf-8")` writes them again."""


def resolutions() -> Iterator[tuple[str, Resolution]]:
    activated = resolve("run a postgres query", found((POSTGRES, 0.94, HYBRID)), [], SETTINGS)
    yield "activated", activated
    yield "activated, runs", replace(activated, started=True, reason=None)
    yield "activated, needs an approval", replace(activated, reason="Not approved.", needs_approval="npx a")
    several = found((POSTGRES, 0.67, HYBRID), (MYSQL, 0.64, SEMANTIC), (MONGODB, 0.59, KEYWORD))
    yield "several", resolve("check my database", several, [], SETTINGS)
    names = (("analytics", 0.42), ("postgres", 0.38), ("crm", 0.36))
    weak = found(*((Power(name, "..."), confidence, SEMANTIC) for name, confidence in names))
    yield "weak", resolve("analyze business performance", weak, [], SETTINGS)
    available = [Power("postgres", "PostgreSQL database"), Power("stripe", "Payment processing")]
    yield "not found", resolve("launch rocket to Mars", found((MYSQL, 0.1, SEMANTIC)), available, SETTINGS)


def read() -> str:
    return written({name: json.dumps(resolution_document(one), indent=1) for name, one in resolutions()})


def test_that_resolutions_read_as_in_003() -> None:
    assert read() == GOLDEN.read_text("utf-8")
