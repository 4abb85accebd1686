"""Tests of two processes on one or two profiles; a killed one locks nobody out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

PROJECT = Path(__file__).parents[2]
PATIENCE = 60.0
LINE = "The window of this profile is open already"

Start = Callable[..., subprocess.Popen[str]]


def until(is_so: Callable[[], bool]) -> None:
    """Wait for a condition, and fail if it is not met."""
    ends = monotonic() + PATIENCE
    while not is_so():
        assert monotonic() < ends, "it did not come"
        sleep(0.02)


def words(profile: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "app", "--profile", str(profile), *more]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return a function that starts the window offscreen and waits for it; all are ended."""
    running: list[subprocess.Popen[str]] = []

    def start_(profile: Path, *more: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        made = subprocess.Popen(
            words(profile, *more), cwd=PROJECT, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        running.append(made)
        until(lambda: (profile / "window.address").exists() or made.poll() is not None)
        return made

    yield start_
    for made in running:
        made.kill()
        made.wait()
        if made.stderr is not None:
            made.stderr.close()


def second(profile: Path, *more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        words(profile, *more), cwd=PROJECT, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_that_the_second_start_hands_its_query_and_file_to_the_first(start: Start, tmp_path: Path) -> None:
    profile, file = tmp_path / "mine", tmp_path / "faq.jsonl"
    file.write_text(json.dumps({"triggers": ["reset my password"], "intent": "reset"}), "utf-8")
    first = start(profile)
    done = second(profile, "gui", "--query", "why does it fail", str(file))
    assert done.returncode == 0
    assert LINE in done.stderr
    assert done.stdout == ""
    assert first.poll() is None
    assert second(profile, str(file)).returncode == 0, "a file needs no command"
    assert "left out" in second(profile, "--set", "matches=3").stderr
    logged = "".join(path.read_text("utf-8") for path in (profile / "log").iterdir())
    assert "why does it fail" not in logged
    assert "reset my password" not in logged


def test_that_two_profiles_run_side_by_side(start: Start, tmp_path: Path) -> None:
    one, two = start(tmp_path / "one"), start(tmp_path / "two")
    assert LINE in second(tmp_path / "one").stderr
    assert LINE in second(tmp_path / "two").stderr
    assert (one.poll(), two.poll()) == (None, None)


def test_that_a_killed_window_and_one_that_closed_make_room(start: Start, tmp_path: Path) -> None:
    profile = tmp_path / "mine"
    first = start(profile)
    first.kill()
    first.wait()
    assert (profile / "window.sock").exists()
    again = second(profile, "--exit-after", "0.5")
    assert (again.returncode, LINE in again.stderr) == (0, False)
    assert not (profile / "window.sock").exists()
    assert not (profile / "window.address").exists()
    third = start(profile)
    assert third.poll() is None


def test_that_a_file_that_is_not_there_and_a_slip_of_the_pen_are_told(tmp_path: Path) -> None:
    gone = second(tmp_path / "p", str(tmp_path / "gone.csv"))
    assert (gone.returncode, "File not found" in gone.stderr) == (2, True)
    slip = second(tmp_path / "p", "imprt")
    assert (slip.returncode, "invalid choice: 'imprt'" in slip.stderr) == (2, True)
    assert not (tmp_path / "p").exists()
