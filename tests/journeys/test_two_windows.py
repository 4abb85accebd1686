"""Tests of two processes on one profile; a killed one locks nobody out."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, wait_for

PROJECT = Path(__file__).parents[2]
LINE = "The window of this profile is open already"

Start = Callable[..., subprocess.Popen[str]]


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
        wait_for(lambda: (profile / "window.address").exists() or made.poll() is not None)
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
        words(profile, *more),
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_that_a_second_start_goes_to_the_window_of_its_profile_until_that_is_gone(start: Start, tmp_path: Path) -> None:
    one, file = tmp_path / "one", tmp_path / "faq.jsonl"
    file.write_text(json.dumps({"triggers": ["reset my password"], "intent": "reset"}), "utf-8")
    first = start(one)
    done = second(one, "gui", "--query", "why does it fail", str(file))
    assert (done.returncode, LINE in done.stderr, done.stdout) == (0, True, "")
    told = second(one, str(file), "--set", "matches=3")
    assert (told.returncode, LINE in told.stderr) == (0, True), "a file needs no command"
    assert "left out" in told.stderr
    assert first.poll() is None
    logged = "".join(path.read_text("utf-8") for path in (one / "log").iterdir())
    assert "why does it fail" not in logged
    assert "reset my password" not in logged

    first.kill()
    first.wait()
    assert (one / "window.sock").exists()
    again = second(one, "--exit-after", "0.5")
    assert (again.returncode, LINE in again.stderr) == (0, False), "a killed window makes room"
    assert not (one / "window.sock").exists()
    assert not (one / "window.address").exists(), "a closed window makes room"


def test_that_a_file_that_is_not_there_and_a_slip_of_the_pen_are_told(tmp_path: Path) -> None:
    gone = second(tmp_path / "p", str(tmp_path / "gone.csv"))
    assert (gone.returncode, "File not found" in gone.stderr) == (2, True)
    slip = second(tmp_path / "p", "imprt")
    assert (slip.returncode, "invalid choice: 'imprt'" in slip.stderr) == (2, True)
    assert not (tmp_path / "p").exists()
