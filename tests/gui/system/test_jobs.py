"""Tests of jobs: steps, ends, cancellation, replacement, and closing during one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.display.system.metrics import MetricsSnapshot
from app.gui.bridge.engine_thread import Worker
from app.gui.system.jobs import SystemJobs, system_jobs
from app.ports.llm import LlmUnreachableError
from tests.gui.llm_workbench import ConnectedWorkbench, with_measures


@pytest.fixture
def bench() -> ConnectedWorkbench:
    made = ConnectedWorkbench()
    made.values["llm.url"] = "http://127.0.0.1:11434"
    return made


@pytest.fixture
def worker(qtbot: QtBot, bench: ConnectedWorkbench) -> Iterator[Worker]:
    made = Worker(lambda: bench)
    with qtbot.waitSignal(made.opened, timeout=3000, raising=True):
        made.start()
    yield made
    made.close()


@pytest.fixture
def jobs(worker: Worker) -> SystemJobs:
    return system_jobs(worker)


def test_that_a_check_tells_every_step_and_its_end(qtbot: QtBot, jobs: SystemJobs) -> None:
    steps: list[object] = []
    jobs.links_tried.connect(steps.append)
    with qtbot.waitSignal(jobs.check_finished, raising=True) as ended:
        jobs.check()
    assert ended.args == [""]
    assert len(steps) == 12


def test_that_a_cancelled_job_stops_and_says_no_more(qtbot: QtBot, jobs: SystemJobs, bench: ConnectedWorkbench) -> None:
    bench.step = 30.0
    told: list[object] = []
    jobs.links_tried.connect(told.append)
    jobs.check_finished.connect(told.append)
    jobs.check()
    qtbot.waitUntil(lambda: len(told) == 1, timeout=3000)
    jobs.checking.cancel()
    qtbot.waitUntil(lambda: bench.under_way == 0, timeout=3000)
    qtbot.wait(30)
    assert len(told) == 1


def test_that_an_job_cancelled_before_it_began_never_begins(
    qtbot: QtBot, jobs: SystemJobs, bench: ConnectedWorkbench
) -> None:
    bench.step = 30.0
    for _ in range(20):
        jobs.pull("small")
        jobs.pulling.cancel()
    qtbot.wait(50)
    assert bench.under_way == 0


def test_that_a_new_job_replaces_the_one_under_way(qtbot: QtBot, jobs: SystemJobs, bench: ConnectedWorkbench) -> None:
    ends: list[object] = []
    jobs.pull_finished.connect(lambda model, sentence: ends.append((model, sentence)))
    bench.step = 30.0
    jobs.pull("first")
    qtbot.waitUntil(lambda: bench.under_way == 1, timeout=3000)
    bench.step = 0.0
    jobs.pull("second")
    qtbot.waitUntil(lambda: bool(ends), timeout=3000)
    qtbot.wait(30)
    assert ends == [("second", "")]
    assert bench.models[-1] == "second"


def test_that_a_failing_pull_ends_with_a_sentence(qtbot: QtBot, jobs: SystemJobs) -> None:
    with qtbot.waitSignal(jobs.pull_finished, raising=True) as ended:
        jobs.pull("nowhere")
    assert ended.args == ["nowhere", "pull model manifest: file does not exist."]


def test_that_models_are_listed_or_a_sentence_says_why_not(
    qtbot: QtBot, jobs: SystemJobs, bench: ConnectedWorkbench
) -> None:
    with qtbot.waitSignal(jobs.models_listed, raising=True) as listed:
        jobs.list_models()
    assert listed.args == [bench.models, "", bench.settings.llm.url]
    bench.model_fault = LlmUnreachableError("No answer.")
    with qtbot.waitSignal(jobs.models_listed, raising=True) as listed:
        jobs.list_models()
    assert listed.args == [[], "No answer.", bench.settings.llm.url]


def test_that_measures_come_as_a_copy(qtbot: QtBot, jobs: SystemJobs, bench: ConnectedWorkbench) -> None:
    with_measures(bench)
    with qtbot.waitSignal(jobs.measured, raising=True) as told:
        jobs.measure()
    assert told.args is not None
    found = told.args[0]
    assert isinstance(found, MetricsSnapshot)
    bench.metrics.llm_started += 1
    assert found.started == 240


@pytest.mark.parametrize("kind", ["check", "pull"])
def test_that_closing_in_the_middle_leaves_no_thread_and_no_task(
    qtbot: QtBot, worker: Worker, jobs: SystemJobs, bench: ConnectedWorkbench, kind: str
) -> None:
    bench.step = 30.0
    if kind == "check":
        jobs.check()
    else:
        jobs.pull("small")
    qtbot.waitUntil(lambda: bench.under_way == 1, timeout=3000)
    worker.close()
    assert not worker.is_running
    assert bench.under_way == 0
    assert bench.closed
    jobs.checking.cancel()
    jobs.check()
