"""Tests of progress on stderr: updated in place on a terminal, else printed once if slow."""

from __future__ import annotations

import sys
import time

import pytest

from app.surfaces.cli import terminal
from app.surfaces.cli.terminal import Progress


def test_that_without_a_terminal_what_takes_long_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [10.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress("embedding", "Vectors are made for {n} texts.")
    progress(0, 0)
    progress(0, 2_152)
    assert capsys.readouterr().err == "", "it may be over in a moment"
    now[0] += terminal.PROGRESS_AFTER_SECONDS
    progress(256, 2_152)
    progress(512, 2_152)
    progress.done()
    assert capsys.readouterr().err == "Vectors are made for 2,152 texts.\n"


def test_that_a_terminal_counts_up_in_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress("embedding", "Vectors are made for {n} texts.")
    progress(0, 2_152)
    progress(256, 2_152)
    progress.done()
    assert capsys.readouterr().err == "\rembedding 0 of 2,152 \rembedding 256 of 2,152 \n"
