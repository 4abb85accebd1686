"""Tests of logs on the command line: answered line by line, and stored on request (S8.1)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.review.history import HistoryFilter, Source
from tests.journeys.test_command_line import documents
from tests.program import PROJECT, run

LOG = b'{"query": "how do I deploy"}\n{"no": 1}\n{"messages": [{"role": "user", "content": "where is it"}]}\noops\n'


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


def kept(profile: Path) -> list[tuple[str | None, Source, int]]:
    library = SqlLibrary.open(profile)
    found = library.queries_by_key(library.find_queries(HistoryFilter()))
    library.close()
    return sorted((query.text, query.source, query.times) for query in found if query.text is not None)


def test_that_a_log_is_answered_and_kept_and_bad_lines_are_told(profile: Path) -> None:
    done = run("inspect", "--stdin", "--log", "auto", "--keep", "--json", "--no-llm", stdin=LOG, profile=profile)
    assert done.returncode == 0
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == ["how do I deploy", "where is it"]
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["line 2", "line 4"]
    assert kept(profile) == [("how do I deploy", Source.LOG, 1), ("where is it", Source.LOG, 1)]


def test_that_nothing_is_kept_unless_it_is_asked_for(profile: Path) -> None:
    (answer,) = documents("detect", "--stdin", "--log", "text", stdin=b"\nhow do I\n", profile=profile)
    assert answer["intent"]["type"] == "howto"
    (blank, _) = documents("inspect", "--stdin", stdin=b"\nhow do I\n", profile=profile)
    assert blank["query"] == ""
    assert kept(profile) == []


def test_that_a_file_is_read_ahead_and_answers_are_the_same(profile: Path, tmp_path: Path) -> None:
    texts = [f"how do I deploy {n}" for n in range(40)]
    file = tmp_path / "queries.txt"
    file.write_text("".join(f"{text}\n" for text in texts))
    with file.open("rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "app", *"inspect --stdin --keep --json --no-llm --profile".split(), str(profile)],
            cwd=PROJECT,
            stdin=stream,
            capture_output=True,
            check=True,
            timeout=120,
        )
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == texts
    assert len(kept(profile)) == 40


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["inspect", "text", "--log", "auto"], "--stdin"),
        (["inspect", "text", "--keep", "--set", "history.privacy=off"], "privacy"),
        (["inspect", "--stdin", "--log", "chat"], "JSON"),
    ],
)
def test_that_what_cannot_be_done_is_bad_usage(words: list[str], sentence: str, profile: Path) -> None:
    done = run(*words, "--no-llm", stdin=b"[1", profile=profile)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
