"""What a command line is, told before it is parsed."""

from __future__ import annotations

import pytest

from app.surfaces.cli.arguments import is_for_programs


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
