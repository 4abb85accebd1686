"""Jobs to the engine: steps, ends, cancelling, replacing, and a clean close in the middle of one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.display.system.measures import Measured
from app.gui.bridge.engine_jobs import CHECK, PULL
from app.gui.bridge.engine_thread import Worker
from app.ports.llm import LlmUnreachableError
from tests.gui.connected import ConnectedWorkbench, with_measures


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


def test_that_a_check_tells_every_step_and_its_end(qtbot: QtBot, worker: Worker) -> None:
    steps: list[object] = []
    worker.jobs.links_tried.connect(steps.append)
    with qtbot.waitSignal(worker.jobs.check_ended, raising=True) as ended:
        worker.jobs.check()
    assert ended.args == [""]
    assert len(steps) == 12


def test_that_a_cancelled_errand_stops_and_says_no_more(
    qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench
) -> None:
    bench.step = 30.0
    told: list[object] = []
    worker.jobs.links_tried.connect(told.append)
    worker.jobs.check_ended.connect(told.append)
    worker.jobs.check()
    qtbot.waitUntil(lambda: len(told) == 1, timeout=3000)
    worker.jobs.cancel(CHECK)
    qtbot.waitUntil(lambda: bench.under_way == 0, timeout=3000)
    qtbot.wait(30)
    assert len(told) == 1


def test_that_an_errand_cancelled_before_it_began_never_begins(
    qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench
) -> None:
    bench.step = 30.0
    for _ in range(20):
        worker.jobs.pull("small")
        worker.jobs.cancel(PULL)
    qtbot.wait(50)
    assert bench.under_way == 0


def test_that_a_new_errand_replaces_the_one_under_way(qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench) -> None:
    ends: list[object] = []
    worker.jobs.pull_ended.connect(lambda model, sentence: ends.append((model, sentence)))
    bench.step = 30.0
    worker.jobs.pull("first")
    qtbot.waitUntil(lambda: bench.under_way == 1, timeout=3000)
    bench.step = 0.0
    worker.jobs.pull("second")
    qtbot.waitUntil(lambda: bool(ends), timeout=3000)
    qtbot.wait(30)
    assert ends == [("second", "")]
    assert bench.models[-1] == "second"


def test_that_a_failing_pull_ends_with_a_sentence(qtbot: QtBot, worker: Worker) -> None:
    with qtbot.waitSignal(worker.jobs.pull_ended, raising=True) as ended:
        worker.jobs.pull("nowhere")
    assert ended.args == ["nowhere", "pull model manifest: file does not exist."]


def test_that_models_are_listed_or_a_sentence_says_why_not(
    qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench
) -> None:
    with qtbot.waitSignal(worker.jobs.models_listed, raising=True) as listed:
        worker.jobs.list_models()
    assert listed.args == [bench.models, "", bench.settings.llm.url]
    bench.model_fault = LlmUnreachableError("No answer.")
    with qtbot.waitSignal(worker.jobs.models_listed, raising=True) as listed:
        worker.jobs.list_models()
    assert listed.args == [[], "No answer.", bench.settings.llm.url]


def test_that_measures_come_as_a_copy(qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench) -> None:
    with_measures(bench)
    with qtbot.waitSignal(worker.jobs.measured, raising=True) as told:
        worker.jobs.measure()
    assert told.args is not None
    found = told.args[0]
    assert isinstance(found, Measured)
    bench.measures.llm_started += 1
    assert found.started == 240


@pytest.mark.parametrize("errand", [CHECK, PULL])
def test_that_closing_in_the_middle_leaves_no_thread_and_no_task(
    qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench, errand: str
) -> None:
    bench.step = 30.0
    if errand == CHECK:
        worker.jobs.check()
    else:
        worker.jobs.pull("small")
    qtbot.waitUntil(lambda: bench.under_way == 1, timeout=3000)
    worker.close()
    assert not worker.is_running
    assert bench.under_way == 0
    assert bench.closed
    worker.jobs.cancel(errand)
    worker.jobs.check()
