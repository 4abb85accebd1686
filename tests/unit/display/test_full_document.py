"""Tests of a query's full document: the fields that the shorter one leaves out."""

from __future__ import annotations

import json
import logging

import pytest

from app.display.documents import full_inspection_document, inspection_document
from app.display.scope.timing import scorers_text
from app.domain.library import Memory
from app.domain.scope.inspection import Trace
from app.scoring.scorers import SCORERS
from app.services.engine.engine import BREAKDOWNS
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
