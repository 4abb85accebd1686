"""The one Job: the newest run wins, what an older one says is dropped, and all is heard on the window's thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.domain.errors import KnownError
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Progress
from app.services.workbench import Workbench
from tests.gui.connected import ConnectedWorkbench


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[Worker]:
    bench = ConnectedWorkbench()
    made = Worker(lambda: bench)
    with qtbot.waitSignal(made.opened, timeout=3000, raising=True):
        made.start()
    yield made
    made.close()


async def answer(number: int, _: Workbench) -> int:
    return number


def test_that_only_the_newest_of_many_runs_is_heard(qtbot: QtBot, worker: Worker) -> None:
    job, heard = Job(worker, worker), list[int]()
    for number in range(20):
        job.run(partial(answer, number), heard.append)
    qtbot.waitUntil(lambda: bool(heard), timeout=3000)
    let_pass(qtbot, worker)
    assert heard == [19]


def test_that_a_newer_run_cancels_the_work_under_way(qtbot: QtBot, worker: Worker) -> None:
    job, heard, begun, cancelled = Job(worker, worker), list[int](), list[int](), list[int]()

    async def wait(_: Workbench) -> None:
        begun.append(1)
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(1)

    job.run(wait, lambda _: heard.append(0))
    qtbot.waitUntil(lambda: bool(begun), timeout=3000)
    job.run(partial(answer, 2), heard.append)
    qtbot.waitUntil(lambda: bool(heard), timeout=3000)
    assert heard == [2]
    assert cancelled == [1]


def test_that_everything_is_heard_on_the_thread_of_the_window(qtbot: QtBot, worker: Worker) -> None:
    threads, ends = list[threading.Thread](), list[str]()

    def note(*_: object) -> None:
        threads.append(threading.current_thread())

    async def with_progress(_: Workbench, progress: Progress) -> None:
        progress(1, 2)

    async def steps(_: Workbench) -> AsyncGenerator[int, None]:
        yield 1

    async def refuse(_: Workbench) -> None:
        raise KnownError("No.")

    one, other, third = (Job(worker, worker) for _ in range(3))
    one.run_with_progress(with_progress, note, note)
    other.follow(steps, note, ends.append)
    third.run(refuse, note, ends.append)
    one.do(partial(answer, 1), note)
    qtbot.waitUntil(lambda: len(threads) == 4 and len(ends) == 2, timeout=3000)
    assert set(threads) == {threading.main_thread()}
    assert sorted(ends) == ["", "No."]


def test_that_what_is_done_is_heard_of_though_a_run_is_cancelled(qtbot: QtBot, worker: Worker) -> None:
    job, heard = Job(worker, worker), list[int]()
    for number in range(3):
        job.do(partial(answer, number), heard.append)
        job.cancel()
    qtbot.waitUntil(lambda: len(heard) == 3, timeout=3000)
    assert heard == [0, 1, 2]


@pytest.mark.parametrize("whole_steps", [False, True])
def test_that_a_cancelled_run_says_no_more_and_whole_steps_are_made_whole(
    qtbot: QtBot, worker: Worker, whole_steps: bool
) -> None:
    job, heard, made, gate = Job(worker, worker), list[object](), list[str](), list[asyncio.Event]()

    async def steps(_: Workbench) -> AsyncGenerator[str, None]:
        yield "first"
        gate.append(asyncio.Event())
        try:
            await gate[0].wait()
            made.append("whole")
            yield "second"
        finally:
            made.append("closed")

    job.follow(steps, heard.append, heard.append, whole_steps=whole_steps)
    qtbot.waitUntil(lambda: heard == ["first"] and bool(gate), timeout=3000)
    job.cancel()
    worker.call(gate[0].set)
    qtbot.waitUntil(lambda: "closed" in made, timeout=3000)
    let_pass(qtbot, worker)
    assert heard == ["first"]
    assert made == (["whole", "closed"] if whole_steps else ["closed"])


def test_that_nothing_is_heard_for_a_parent_that_is_gone(qtbot: QtBot, worker: Worker) -> None:
    parent, heard, gate, crashes = QObject(), list[int](), list[asyncio.Event](), list[object]()
    worker.crashed.connect(crashes.append)

    async def act(_: Workbench) -> int:
        gate.append(asyncio.Event())
        await gate[0].wait()
        return 1

    Job(worker, parent).do(act, heard.append)
    qtbot.waitUntil(lambda: bool(gate), timeout=3000)
    with qtbot.waitSignal(parent.destroyed, timeout=3000):
        parent.deleteLater()
    worker.call(gate[0].set)
    let_pass(qtbot, worker)
    let_pass(qtbot, worker)
    assert (heard, crashes) == ([], [])


def let_pass(qtbot: QtBot, worker: Worker) -> None:
    """Wait until the engine and the window have had their turn."""
    turn: Callable[[Workbench], Awaitable[int]] = partial(answer, 0)
    with qtbot.waitCallback(timeout=3000) as had:
        Job(worker, worker).run(turn, had)
