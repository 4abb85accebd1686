"""Jobs to the engine: steps, ends, cancelling, replacing, and a clean close in the middle of one."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from tests.gui.conftest import round_trip
from tests.gui.llm_workbench import ConnectedWorkbench


@pytest.fixture
def bench() -> ConnectedWorkbench:
    made = ConnectedWorkbench()
    made.values["llm.url"] = "http://127.0.0.1:11434"
    return made


class Told:
    """A job with its steps and its ends."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.job = Job(worker, worker)
        self.steps: list[object] = []
        self.ends: list[str] = []

    def check(self) -> None:
        self.job.follow(lambda bench: bench.check_llm(), self.steps.append, self.ends.append)

    def pull(self, model: str) -> None:
        self.job.follow(lambda bench: bench.pull_llm(model), self.steps.append, self.ends.append)


@pytest.fixture
def told(worker: Worker) -> Told:
    return Told(worker)


def test_that_a_check_tells_every_step_and_its_end(qtbot: QtBot, told: Told) -> None:
    told.check()
    qtbot.waitUntil(lambda: told.ends == [""])
    assert len(told.steps) == 12


def test_that_a_cancelled_job_stops_and_says_no_more(qtbot: QtBot, told: Told, bench: ConnectedWorkbench) -> None:
    bench.step = 30.0
    told.check()
    qtbot.waitUntil(lambda: len(told.steps) == 1)
    told.job.cancel()
    qtbot.waitUntil(lambda: bench.under_way == 0)
    round_trip(qtbot, told.worker)
    assert len(told.steps) == 1
    assert told.ends == []


def test_that_a_job_cancelled_before_it_began_never_begins(qtbot: QtBot, told: Told, bench: ConnectedWorkbench) -> None:
    bench.step = 30.0
    for _ in range(20):
        told.pull("small")
        told.job.cancel()
    round_trip(qtbot, told.worker)
    assert bench.under_way == 0


def test_that_a_new_job_replaces_the_one_under_way(qtbot: QtBot, told: Told, bench: ConnectedWorkbench) -> None:
    bench.step = 30.0
    told.pull("first")
    qtbot.waitUntil(lambda: bench.under_way == 1)
    bench.step = 0.0
    told.pull("second")
    qtbot.waitUntil(lambda: bool(told.ends))
    round_trip(qtbot, told.worker)
    assert told.ends == [""]
    assert bench.models[-1] == "second"


def test_that_a_failing_pull_ends_with_a_sentence(qtbot: QtBot, told: Told) -> None:
    told.pull("nowhere")
    qtbot.waitUntil(lambda: told.ends == ["pull model manifest: file does not exist."])


@pytest.mark.parametrize("kind", ["check", "pull"])
def test_that_closing_in_the_middle_leaves_no_thread_and_no_task(
    qtbot: QtBot, worker: Worker, told: Told, bench: ConnectedWorkbench, kind: str
) -> None:
    bench.step = 30.0
    if kind == "check":
        told.check()
    else:
        told.pull("small")
    qtbot.waitUntil(lambda: bench.under_way == 1)
    worker.close()
    assert not worker.is_running
    assert bench.under_way == 0
    assert bench.closed
    told.job.cancel()
    told.check()
