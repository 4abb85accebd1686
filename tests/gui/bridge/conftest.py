"""Engine thread on the workbench of a file, `bench`."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.gui.bridge.engine_thread import Worker
from app.services.workbench import Workbench


@pytest.fixture
def worker(qtbot: QtBot, bench: Workbench) -> Iterator[Worker]:
    made = Worker(lambda: bench)
    with qtbot.waitSignal(made.opened, raising=True):
        made.start()
    yield made
    made.close()
