"""Tests of the kind of a command line, determined before parsing."""

from __future__ import annotations

import pytest

from app.surfaces.cli.arguments.command_line import is_for_programs
from app.surfaces.cli.arguments.parser import parser


@pytest.mark.parametrize(
    ("line", "is_so"),
    [
        ("hook", True),
        ("--profile p mcp", True),
        ("serve --port 0", True),
        ("inspect --json what", True),
        ("inspect hook", False),
        ("--query mcp", False),
        ("--set language=de gui", False),
        ("", False),
    ],
)
def test_that_programs_are_told_from_people(line: str, is_so: bool) -> None:
    assert is_for_programs(line.split()) is is_so


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        (["--set", "a=1", "detect", "x", "--set", "b=2"], ["a=1", "b=2"]),
        (["--set", "a=1", "detect", "x"], ["a=1"]),
        (["detect", "x", "--set", "b=2", "--set", "c=3"], ["b=2", "c=3"]),
        (["detect", "x"], None),
    ],
)
def test_that_settings_before_a_command_stand_beside_those_after_it(words: list[str], pairs: list[str] | None) -> None:
    assert getattr(parser().parse_args(words), "pairs", None) == pairs
