"""Tests of the window's subscriptions to engine events, until their widgets die."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.domain.review.history import HistoryCounts
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import Subscription, history_watch
from app.services.workbench import Workbench
from tests.gui.llm_workbench import ConnectedWorkbench


@pytest.fixture
def bench() -> ConnectedWorkbench:
    return ConnectedWorkbench()


async def now(bench: Workbench) -> HistoryCounts:
    return await bench.history.counts()


def test_that_each_of_several_listeners_hears_how_things_stand_and_every_change_on_the_window_s_thread(
    qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench
) -> None:
    received: list[tuple[int, HistoryCounts, threading.Thread]] = []
    for number in range(2):
        made = Subscription(worker, lambda bench: bench.history.changed, now, worker)
        made.received.connect(
            lambda counts, number=number: received.append((number, counts, threading.current_thread()))
        )
        made.begin()
    qtbot.waitUntil(lambda: len(received) == 2)
    news = HistoryCounts(kept=7)
    worker.call(bench.history.changed.notify, news)
    qtbot.waitUntil(lambda: len(received) == 4)
    assert [(number, counts) for number, counts, _ in received[2:]] == [(0, news), (1, news)]
    assert {thread for *_, thread in received} == {threading.main_thread()}


def test_that_the_listener_of_a_dead_widget_is_removed(qtbot: QtBot, worker: Worker, bench: ConnectedWorkbench) -> None:
    parent, received = QObject(), list[HistoryCounts]()
    made = Subscription(worker, lambda bench: bench.history.changed, now, parent)
    made.received.connect(received.append)
    made.begin()
    qtbot.waitUntil(lambda: bool(received) and bench.history.changed.has_listeners)
    with qtbot.waitSignal(parent.destroyed):
        parent.deleteLater()
    qtbot.waitUntil(lambda: not bench.history.changed.has_listeners)
    worker.call(bench.history.changed.notify, HistoryCounts(kept=7))
    assert len(received) == 1


def test_that_a_worker_has_one_watch_of_the_history(worker: Worker) -> None:
    assert history_watch(worker) is history_watch(worker)
