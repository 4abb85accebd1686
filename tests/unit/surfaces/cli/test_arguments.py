"""Tests of settings on a command line."""

from __future__ import annotations

import pytest

from app.surfaces.cli.parser import parser


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
