"""Tests of the command line: files, commands, and messages on typing errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.surfaces.cli.parser import files_of, with_command
from tests.waiting import PATIENCE

COMMANDS = ("gui", "import", "detect")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("some.csv", "gui some.csv"),
        ("here", "gui here"),
        ("a/b", "gui a/b"),
        ("one.csv two.csv", "gui one.csv two.csv"),
        ("--profile p some.csv", "--profile p gui some.csv"),
        ("--prof p some.csv", "--prof p some.csv"),
        ("--profile=p some.csv", "--profile=p gui some.csv"),
        ("--json --set a=b.c some.csv", "--json --set a=b.c gui some.csv"),
        ("--exit-after 1.5 some.csv", "--exit-after 1.5 gui some.csv"),
        ("--query some.csv", "--query some.csv"),
        ("--verbose some.csv", "--verbose gui some.csv"),
        ("imprt some.csv", "imprt some.csv"),
        ("import some.csv", "import some.csv"),
        ("detect ./x", "detect ./x"),
        ("gui some.csv", "gui some.csv"),
        ("--version", "--version"),
        ("--profile", "--profile"),
        ("-- some.csv", "-- some.csv"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_that_files_open_in_the_window_and_commands_stay(
    words: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    (tmp_path / "detect").touch()
    assert with_command(words.split(), COMMANDS) == meant.split()


def test_that_files_that_are_not_there_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").touch()
    assert files_of(["a.csv", "b.csv"]) == ([tmp_path / "a.csv"], [tmp_path / "b.csv"])


JOINED = """
import sys
import app.bootstrap

LATE = ("alembic", "httpx", "mcp", "ollama", "prometheus_client", "torch", "uvicorn", "yaml")
print([name for name in LATE if name in sys.modules])
"""


def test_that_the_program_is_joined_without_what_only_some_commands_need() -> None:
    done = subprocess.run([sys.executable, "-c", JOINED], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.strip() == "[]", done.stderr
