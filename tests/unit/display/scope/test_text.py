"""Tests of an inspection as Markdown: complete, and not affected by markup in its texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display import words
from app.display.scope.matches.rows import match_rows, scorer_keys
from app.display.scope.text import as_markdown, intent_lines, match_lines
from app.domain.library import Memory
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.match import Query
from app.settings.model import Settings
from tests.gui.inspections import TEXT, design, undetected


def test_that_query_intent_matches_and_times_are_all_there() -> None:
    inspection = design()
    told = as_markdown(inspection, Settings())
    assert told.startswith(f"## {TEXT}\n")
    assert "- Type: Troubleshoot " in told
    rows = [line for line in told.splitlines() if line.startswith("| ")]
    columns = len(scorer_keys(inspection)) + 4
    table = rows[: len(inspection.matches) + 2]
    assert {line.count(" | ") + 1 for line in table} == {columns}
    for row, line in zip(match_rows(inspection, Settings()), table[2:], strict=True):
        assert f"**{row.confidence}**" in line
        assert all(cell.text in line for cell in row.cells)
    assert "**0.838**" in table[2], "a deciding score is bold"
    assert "- Embed query       7.6 ms\n" in told


def test_that_the_columns_of_the_terminal_end_below_their_letters() -> None:
    inspection = design()
    heading, *lines = match_lines(inspection, Settings())
    rows = match_rows(inspection, Settings())
    for row, line in zip(rows, lines, strict=False):
        for key, cell in zip(scorer_keys(inspection), row.cells, strict=True):
            end = heading.index(f" {words.scorer(key).initial} ", len(row.name) + 4) + 2
            assert line[:end].endswith(cell.text), f"{key}: {line}"


def test_that_texts_of_people_are_not_markup() -> None:
    inspection = design()
    evil = Memory(("trigger",), id="a|b *c* <i> [x](y)\n# `z`", key=1)
    first, *others = inspection.matches
    odd = replace(inspection, query=Query.of("# <b>\nx"), matches=(replace(first, answer=evil), *others))
    told = as_markdown(odd)
    assert told.startswith("## \\# \\<b\\>␊x\n")
    assert r"a\|b \*c\* \<i\> \[x\](y)␊\# \`z\`" in told
    assert not [line for line in told.splitlines() if line.startswith("# ")]


def test_that_nothing_found_is_said() -> None:
    told = as_markdown(replace(undetected("hello"), matches=(), resolution=None))
    assert "No matches." in told
    assert "- Type: No type\n" in told


@pytest.mark.parametrize(
    ("outcome", "remedy"),
    [
        (LlmOutcome.UNREACHABLE, "  Gone. Start the server (“ollama serve”), or correct llm.url."),
        (LlmOutcome.MODEL_MISSING, "  Gone. Choose a model that the server lists, or pull it."),
        (LlmOutcome.TIMED_OUT, None),
    ],
)
def test_that_a_terminal_says_what_to_do_about_an_absent_llm(outcome: LlmOutcome, remedy: str | None) -> None:
    inspection = design()
    report = LlmReport(outcome, "Gone.", "m", budget_ms=200.0)
    lines = intent_lines(replace(inspection, trace=replace(inspection.trace, llm=report)))
    assert [line for line in lines if line.startswith("  Gone.")] == ([] if remedy is None else [remedy])


def test_that_the_threshold_of_a_label_is_named_where_it_rejects() -> None:
    found = design()
    first, *others = found.matches
    strict, kind = (replace(first, threshold=first.confidence + by) for by in (0.001, -0.001))
    said = " is below its own threshold "
    assert not any(said in line for line in match_lines(replace(found, matches=(kind, *others)), Settings()))
    lines = match_lines(replace(found, matches=(strict, *others)), Settings())
    assert [line.split(":")[0] for line in lines if said in line] == [first.answer.name]
