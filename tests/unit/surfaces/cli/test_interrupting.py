"""Tests of Ctrl+C: a command ends with its own exit code at any moment."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.waiting import PATIENCE

IN_EXEC = """
import sys
from app.surfaces.cli.program import interruptible

try:
    with interruptible():
        exec("import signal; signal.raise_signal(signal.SIGINT)")
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_that_ctrl_c_while_a_class_is_being_made_ends_with_the_exit_code_and_not_by_the_signal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_EXEC], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_that_words_that_are_interrupted_while_they_are_read_are_told_as_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app import __main__
    from app.surfaces.cli.program import Interrupted

    def parsed(_: object) -> None:
        raise Interrupted

    monkeypatch.setattr(__main__, "_parsed", parsed)
    assert __main__.main(["steps"]) == 130
    assert capsys.readouterr().err == "intentscope: stopped.\n"


IN_HOOK = """
import signal, sys
from app.__main__ import main
from app.surfaces.hook import entry

entry.is_answered = lambda *_: signal.raise_signal(signal.SIGINT)
sys.exit(main(["hook", "--set", "serve.hook_budget_ms=20000"]))
"""


def test_that_an_interrupted_hook_ends_in_silence_and_without_an_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_HOOK], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
