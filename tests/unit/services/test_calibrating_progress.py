"""Tests of the progress of a fit of `calibrated`, also on the command line."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from threading import Event

import pytest

from app.domain.library import Line, Memory
from app.scoring.library.leaving_out import Between, LeftOut
from app.surfaces.cli.terminal import wait_until_ready
from tests.unit.services.benches import desk
from tests.unit.services.evaluation.test_calibrating import TAUGHT, Desk
from tests.waiting import PATIENCE


def test_that_a_fit_says_how_many_questions_are_asked_of_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("app.services.evaluation.calibrator", "app.scoring.library.leaving_out"):
        monkeypatch.setattr(f"{module}.AT_ONCE", 100)
    workplace, seen = Desk(), list[tuple[int, int]]()
    monkeypatch.setattr(
        workplace.calibrating._typing_priority,
        "yield_to_typing",
        lambda: seen.append(workplace.calibrating.progress),
        raising=True,
    )
    workplace.settle()
    fitting = [one for one in seen if one[1]]
    total = sum(len(answer.triggers) for answer in TAUGHT)
    assert len(set(fitting)) > 5
    assert fitting == sorted(fitting)
    assert {of for _, of in fitting} == {total}
    assert fitting[-1][0] > total / 2
    assert workplace.calibrating.progress == (0, 0)
    seen.clear()
    workplace.settle()
    assert not [one for one in seen if one[1]], "nothing is fitted anew"


class Terminal(io.StringIO):
    """Terminal that signals when it shows the progress of a fit."""

    def __init__(self) -> None:
        super().__init__()
        self.tells = Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if "calibrating" in text:
            self.tells.set()
        return super().write(text)


async def test_that_a_command_shows_how_far_a_fit_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)

    def slow(*_: object, power: bool, between: Between) -> LeftOut | None:
        between()
        assert power or screen.tells.wait(PATIENCE), "nothing was told of the fit"
        return None

    monkeypatch.setattr("app.services.evaluation.calibrator.left_out", slow)
    async with desk() as workbench:
        lines = (Line(n, replace(one, key=None)) for n, one in enumerate(TAUGHT, 1) if isinstance(one, Memory))
        await workbench.import_lines("memories", lines, "a test")
        await workbench.choose("combination", "calibrated")
        await wait_until_ready(workbench)
    last = screen.getvalue().splitlines()[-1]
    assert last.strip().startswith("calibrating ")
    assert screen.getvalue().endswith("\n")
