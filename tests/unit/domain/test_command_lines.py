"""Tests of pasted command lines, split as a shell does."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.running import CommandLine, parse_command_line

TOLD = (
    ("npx -y @scope/server", CommandLine("npx", ("-y", "@scope/server"))),
    ("$ uvx it --flag", CommandLine("uvx", ("it", "--flag"))),
    ("A=1 B= docker run -e A img", CommandLine("docker", ("run", "-e", "A", "img"), {"A": "1", "B": ""})),
    ("python -c 'print(1); #x'", CommandLine("python", ("-c", "print(1); #x"))),
    (r"node C:\tools\x.js a", CommandLine("node", (r"C:\tools\x.js", "a"))),
    (r"C:\Program Files\nodejs\npx.cmd -y x", CommandLine(r"C:\Program Files\nodejs\npx.cmd", ("-y", "x"))),
    (r'"C:\Program Files\x.exe" -y', CommandLine(r"C:\Program Files\x.exe", ("-y",))),
    ("run a=1", CommandLine("run", ("a=1",))),
)


@pytest.mark.parametrize(("text", "found"), TOLD)
def test_that_a_line_is_taken_apart(text: str, found: CommandLine) -> None:
    assert parse_command_line(text) == found


@pytest.mark.parametrize("text", ["", "  ", "npx", " npx ", r"C:\Program Files\x.exe", "npx 'half", "A=1"])
def test_that_a_command_alone_or_half_a_line_stays(text: str) -> None:
    assert parse_command_line(text) is None


words = st.text(st.characters(codec="utf-8", exclude_characters="\\'\"", exclude_categories=("Z", "C")), min_size=1)


@given(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.lists(words, min_size=1, max_size=5))
def test_that_whatever_a_shell_was_given_comes_back(command: str, args: list[str]) -> None:
    assert parse_command_line(shlex.join([command, *args])) == CommandLine(command, tuple(args))


def test_the_summary_counts_arguments_and_variables() -> None:
    assert CommandLine("npx", ("-y",)).summary == "Taken apart: the command and 1 argument."
    assert CommandLine("npx", (), {"A": "1", "B": "2"}).summary.endswith("and 0 arguments, 2 variables.")
