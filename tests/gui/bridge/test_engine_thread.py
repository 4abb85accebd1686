"""Tests of the engine thread: generations, cancellation, commands and a clean end."""

import asyncio
import threading
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.domain.errors import StoreError
from app.domain.inspection import Inspection, Phase
from app.domain.library import Memory
from app.gui.bridge.engine_thread import Worker
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.shell.application import make_window
from app.services.status import Status
from app.services.workbench import Workbench
from tests.build import of_type, some
from tests.gui.conftest import round_trip
from tests.gui.inspections import FakeWorkbench
from tests.waiting import PATIENCE, wait_for


@pytest.fixture
def bench() -> FakeWorkbench:
    return FakeWorkbench()


def test_that_an_older_generation_is_dropped(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    seen: list[tuple[int, str]] = []
    worker.inspected.connect(lambda generation, inspection: seen.append((generation, inspection.query.text)))
    bench.pause = 30.0
    worker.ask("one")
    worker.ask("two")
    wait_for(lambda: bench.asked[-1:] == ["two"])  # its answers wait in the window's queue meanwhile
    bench.pause = 0.02
    with qtbot.waitSignal(worker.settled, raising=True):
        last = worker.ask("three")
    round_trip(qtbot, worker)
    assert set(seen) == {(last, "three")}
    assert bench.answered == ["three"]


def test_that_a_pending_answer_is_cancelled_by_the_next(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    bench.pause = 30.0
    worker.ask("slow")
    qtbot.waitUntil(lambda: bench.asked == ["slow"])
    bench.pause = 0.0
    worker.ask("quick")
    qtbot.waitUntil(lambda: bench.answered == ["quick"])
    qtbot.waitUntil(lambda: bench.closed_streams == 2)


def test_that_the_engine_rests_after_the_first_answer_until_it_is_painted(
    qtbot: QtBot, worker: Worker, bench: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.gui.bridge.engine_thread.PAINT_SECONDS", 60.0)
    seen: list[Phase] = []
    worker.inspected.connect(lambda _, inspection: seen.append(inspection.phase))
    worker.ask("one")
    qtbot.waitUntil(lambda: seen == [Phase.FLOOR])
    round_trip(qtbot, worker)
    assert seen == [Phase.FLOOR]
    worker.painted()
    qtbot.waitUntil(lambda: seen[1:] == [Phase.EMBEDDED])


def test_that_dropping_cancels_and_nothing_comes(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    seen: list[Inspection] = []
    worker.inspected.connect(lambda _, inspection: seen.append(inspection))
    bench.pause = 30.0
    worker.ask("slow")
    worker.drop()
    round_trip(qtbot, worker)
    assert seen == []
    assert bench.cleared == 1, "what was deleted is not recorded"


def test_that_a_question_asked_before_the_engine_is_there_is_answered_once_it_is(qtbot: QtBot) -> None:
    gate, bench = threading.Event(), FakeWorkbench()

    def slow() -> Workbench:
        gate.wait(PATIENCE)
        return bench

    worker = Worker(slow)
    seen: list[str] = []
    worker.inspected.connect(lambda _, inspection: seen.append(inspection.query.text))
    worker.start()
    worker.ask("early")
    worker.ask("later")
    gate.set()
    qtbot.waitUntil(lambda: "later" in seen)
    assert "early" not in bench.asked
    worker.close()


def test_that_verbs_come_back_as_signals(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    memory = Memory(("build fails on macos",))
    with qtbot.waitSignal(worker.taught, raising=True) as taught:
        worker.teach(memory)
    assert taught.args == [memory]
    with qtbot.waitSignal(worker.undone, raising=True):
        worker.undo()
    with qtbot.waitSignal(worker.changed, raising=True):
        worker.choose("preset", "as_documented")
    with qtbot.waitSignal(worker.seeded, raising=True) as seeded:
        worker.add_seed_library()
    assert seeded.args == [80]


def test_that_a_known_error_is_a_sentence(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    bench.refuse = StoreError("The store is locked by another program.")
    with qtbot.waitSignal(worker.failed, raising=True) as failed:
        worker.teach(Memory(("x",)))
    assert failed.args == ["teach", "The store is locked by another program."]
    with qtbot.waitSignal(worker.failed, raising=True) as failed:
        worker.ask("anything")
    assert some(failed.args)[0] == "inspect"


def test_that_a_refused_setting_is_a_sentence(qtbot: QtBot, worker: Worker) -> None:
    with qtbot.waitSignal(worker.choice_refused, raising=True) as refused:
        worker.choose("preset", "of_tomorrow")
    assert some(refused.args)[0] == "preset"
    assert "of_tomorrow" in str(some(refused.args)[1])


def test_that_a_bug_is_told_apart_from_a_known_error(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    bench.refuse = ZeroDivisionError("a bug")
    with qtbot.waitSignal(worker.crashed, raising=True) as crashed:
        worker.ask("anything")
    assert isinstance(some(crashed.args)[0], ZeroDivisionError)


def test_that_closing_closes_the_workbench_and_ends_the_thread(qtbot: QtBot, bench: FakeWorkbench) -> None:
    worker = Worker(lambda: bench)
    with qtbot.waitSignal(worker.opened, raising=True):
        worker.start()
    bench.pause = 30.0
    worker.ask("slow")
    worker.close()
    assert bench.closed
    assert not worker.is_running
    worker.ask("after the end")
    worker.close()


def test_that_closing_before_the_start_is_quiet(qtbot: QtBot) -> None:
    Worker(FakeWorkbench).close()


class OpeningBench(FakeWorkbench):
    """Workbench that reports its library while it still loads."""

    def __init__(self) -> None:
        super().__init__()
        self.loads = threading.Event()

    def status(self) -> Status:
        return replace(super().status(), is_open=True)

    async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
        self.loads.set()
        await asyncio.Event().wait()


def test_that_pages_may_ask_as_soon_as_the_library_is_said_to_be_there(qtbot: QtBot) -> None:
    bench = OpeningBench()
    worker = Worker(lambda: bench)
    told: list[object] = []

    async def act(_: Workbench) -> str:
        return "answered"

    worker.start()
    try:
        assert bench.loads.wait(PATIENCE)
        worker.do(act, told.append, told.append)
        qtbot.waitUntil(lambda: told == ["answered"])
    finally:
        worker.close()


class BrokenBench(FakeWorkbench):
    async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
        raise ZeroDivisionError("a bug")


def test_that_an_opening_that_fails_ends_with_a_sentence_and_so_does_what_is_asked_then(qtbot: QtBot) -> None:
    worker = Worker(BrokenBench)
    crashed: list[Exception] = []
    refused: list[str] = []
    worker.crashed.connect(crashed.append)
    with qtbot.waitSignal(worker.failed, raising=True) as failed:
        worker.start()

    async def act(_: Workbench) -> None:
        raise AssertionError("nothing is done on what is not open")

    worker.do(act, lambda _: None, refused.append)
    qtbot.waitUntil(lambda: bool(refused and crashed))
    assert failed.args == ["open", refused[0]]
    assert refused[0].startswith("The library could not be opened")
    assert isinstance(crashed[0], ZeroDivisionError)
    worker.close()


def test_that_a_window_whose_library_cannot_be_opened_says_so_and_waits_no_longer(qtbot: QtBot) -> None:
    class Refusing(FakeWorkbench):
        async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
            raise StoreError("The library is damaged.")

    window = make_window(Refusing)
    window.resize(1280, 800)
    window.show()
    window.worker.start()
    qtbot.waitUntil(lambda: bool(window.scope.state.open_error))
    window.ask("anything")
    matches = of_type(window.scope.panels["matches"], MatchesPanel)
    assert matches.empty.isVisible()
    assert [label.text() for label in matches.empty.findChildren(QLabel)][1:] == [
        "The library is not open",
        "The library is damaged.",
    ]
    assert window.status_line.first()[2] == "The library is not open"
    assert window.status_line.fault == "The library is damaged."
    window.close()
    window.deleteLater()
    qtbot.wait(1)
