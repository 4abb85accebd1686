"""Tests of an inspection on a terminal: texts from outside cannot control it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display.scope.text import as_markdown, as_text, match_lines, resolution_lines
from app.display.words import visible, visible_lines
from app.domain.library import Memory
from app.domain.match import Query
from tests.gui.inspections import design


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a\x1b[2Jb", "a\u241b[2Jb"),
        ("a\x00b\nc\rd\x7f", "a\u2400b\u240ac\u240dd\u2421"),
        ("a\x9bb\u202ec\u2028", "a\\u009bb\\u202ec\\u2028"),
        ("a\u200fb\u061cc", "a\\u200fb\\u061cc"),
        ("plain 你好 שלום", "plain 你好 שלום"),
    ],
)
def test_that_signs_that_steer_a_terminal_are_shown(line: str, shown: str) -> None:
    assert visible(line) == shown


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


def test_that_notes_on_a_query_are_written_wherever_it_is_shown_as_text() -> None:
    noted = replace(design(), notes=("The query negates the trigger “deploy”.",))
    for told in (as_text(noted), as_markdown(noted), "\n".join(resolution_lines(noted, None))):
        assert told.count("The query negates the trigger “deploy”.") == 1
