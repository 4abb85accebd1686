"""Tests of Job and of events: the newest run wins, all on the window's thread, until widgets die."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.errors import KnownError, StaleError
from app.domain.history import HistoryCounts
from app.domain.inspection import Phase
from app.domain.journal import name_of
from app.domain.library import Memory
from app.gui.bridge import jobs as jobs_module
from app.gui.bridge import scope_state
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Chunks, Job, Progress, Subscription, history_watch
from app.gui.bridge.scope_state import PaintClock, ScopeState
from app.gui.kit.canvas import LINE, Canvas, hatched
from app.gui.kit.theme import Theme
from app.gui.scope.panels.registry import PANELS, UPDATE_ORDER
from app.gui.scope.panels.selected import SelectedPanel
from app.services.workbench import Workbench
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT, FakeWorkbench


@pytest.fixture
def bench() -> FakeWorkbench:
    return FakeWorkbench()


async def answer(number: int, _: Workbench) -> int:
    return number


def test_that_only_the_newest_of_many_runs_is_heard(qtbot: QtBot, worker: Worker) -> None:
    job, received = Job(worker, worker), list[int]()
    for number in range(20):
        job.run(partial(answer, number), received.append)
    qtbot.waitUntil(lambda: bool(received))
    let_pass(qtbot, worker)
    assert received == [19]


def test_that_a_newer_run_cancels_the_work_under_way(qtbot: QtBot, worker: Worker) -> None:
    job, received, started, cancelled = Job(worker, worker), list[int](), list[int](), list[int]()

    async def wait(_: Workbench) -> None:
        started.append(1)
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(1)

    job.run(wait, lambda _: received.append(0))
    qtbot.waitUntil(lambda: bool(started))
    job.run(partial(answer, 2), received.append)
    qtbot.waitUntil(lambda: bool(received))
    assert received == [2]
    assert cancelled == [1]


def test_that_everything_is_heard_on_the_thread_of_the_window(qtbot: QtBot, worker: Worker) -> None:
    threads, ends = list[threading.Thread](), list[str]()

    def note(*_: object) -> None:
        threads.append(threading.current_thread())

    async def with_progress(_: Workbench, progress: Progress) -> None:
        progress(1, 2)

    async def steps(_: Workbench) -> AsyncGenerator[int, None]:
        yield 1

    async def steps_and_refuse(_: Workbench) -> AsyncGenerator[int, None]:
        yield 1
        raise KnownError("No more.")

    async def refuse(_: Workbench) -> None:
        raise KnownError("No.")

    one, other, third, last = (Job(worker, worker) for _ in range(4))
    last.follow(steps_and_refuse, note, ends.append)
    one.run_with_progress(with_progress, note, note)
    other.follow(steps, note, ends.append)
    third.run(refuse, note, ends.append)
    one.do(partial(answer, 1), note)
    qtbot.waitUntil(lambda: len(threads) == 5 and len(ends) == 3)
    assert set(threads) == {threading.main_thread()}
    assert sorted(ends) == ["", "No more.", "No."]


def test_that_what_is_done_is_heard_of_though_a_run_is_cancelled(qtbot: QtBot, worker: Worker) -> None:
    job, received = Job(worker, worker), list[int]()
    for number in range(3):
        job.do(partial(answer, number), received.append)
        job.cancel()
    qtbot.waitUntil(lambda: len(received) == 3)
    assert received == [0, 1, 2]


def test_that_queued_changes_are_made_one_after_the_other_though_one_is_refused(qtbot: QtBot, worker: Worker) -> None:
    job, made, received = Job(worker, worker), list[str](), list[str]()

    async def change(name: str, _: Workbench) -> str:
        made.append(f"{name} begins")
        await asyncio.sleep(0)
        if name == "b":
            raise KnownError("No.")
        made.append(f"{name} ends")
        return name

    for name in "abc":
        job.queue(partial(change, name), received.append, received.append)
    qtbot.waitUntil(lambda: len(received) == 3)
    assert made == ["a begins", "a ends", "b begins", "c begins", "c ends"]
    assert received == ["a", "No.", "c"]


def test_that_a_job_calls_its_own_refusal_and_conflict_where_a_run_names_none(qtbot: QtBot, worker: Worker) -> None:
    own, named = list[str](), list[str]()
    job = Job(worker, worker, own.append, lambda error: own.append(f"conflict on {name_of(error.mine)}"))

    async def fail(error: KnownError, _: Workbench) -> None:
        raise error

    job.run(partial(fail, KnownError("run")), own.append)
    job.do(partial(fail, KnownError("do")))
    job.do(partial(fail, StaleError(Memory(("vpn",)), None)))
    job.do(partial(fail, KnownError("other")), refused=named.append)
    qtbot.waitUntil(lambda: len(own) == 3 and len(named) == 1)
    assert sorted(own) == ["conflict on vpn", "do", "run"]
    assert named == ["other"]


@pytest.mark.parametrize("whole_steps", [False, True])
def test_that_a_cancelled_run_says_no_more_and_whole_steps_are_made_whole(
    qtbot: QtBot, worker: Worker, whole_steps: bool
) -> None:
    job, received, made, gate = Job(worker, worker), list[object](), list[str](), list[asyncio.Event]()

    async def steps(_: Workbench) -> AsyncGenerator[str, None]:
        yield "first"
        gate.append(asyncio.Event())
        try:
            await gate[0].wait()
            made.append("whole")
            yield "second"
        finally:
            made.append("closed")

    job.follow(steps, received.append, received.append, whole_steps=whole_steps)
    qtbot.waitUntil(lambda: received == ["first"] and bool(gate))
    job.cancel()
    worker.call(gate[0].set)
    qtbot.waitUntil(lambda: "closed" in made)
    let_pass(qtbot, worker)
    assert received == ["first"]
    assert made == (["whole", "closed"] if whole_steps else ["closed"])


def test_that_nothing_is_heard_for_a_parent_that_is_gone(qtbot: QtBot, worker: Worker) -> None:
    parent, received, gate, crashes = QObject(), list[int](), list[asyncio.Event](), list[object]()
    worker.crashed.connect(crashes.append)

    async def act(_: Workbench) -> int:
        gate.append(asyncio.Event())
        await gate[0].wait()
        return 1

    Job(worker, parent).do(act, received.append)
    qtbot.waitUntil(lambda: bool(gate))
    with qtbot.waitSignal(parent.destroyed):
        parent.deleteLater()
    worker.call(gate[0].set)
    let_pass(qtbot, worker)
    let_pass(qtbot, worker)
    assert (received, crashes) == ([], [])


def test_that_jobs_cancelled_at_once_leave_nothing_under_way(qtbot: QtBot, worker: Worker) -> None:
    job, under_way = Job(worker, worker), list[object]()

    async def steps(_: Workbench) -> AsyncGenerator[int, None]:
        under_way.append(1)
        try:
            await asyncio.Event().wait()
            yield 1
        finally:
            under_way.pop()

    for _ in range(20):
        job.follow(steps, pytest.fail, pytest.fail)
        job.cancel()
    let_pass(qtbot, worker)
    qtbot.waitUntil(lambda: under_way == [])


def test_that_closing_ends_the_job_under_way(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
    job, begun, ended = Job(worker, worker), list[object](), list[object]()

    async def steps(_: Workbench) -> AsyncGenerator[int, None]:
        begun.append(1)
        try:
            await asyncio.Event().wait()
            yield 1
        finally:
            ended.append(1)

    job.follow(steps, begun.append, begun.append)
    qtbot.waitUntil(lambda: bool(begun))
    worker.close()
    assert not worker.is_running
    assert (ended, bench.closed) == ([1], True)
    job.cancel()
    job.follow(steps, begun.append, begun.append)


def let_pass(qtbot: QtBot, worker: Worker) -> None:
    turn: Callable[[Workbench], Awaitable[int]] = partial(answer, 0)
    with qtbot.waitCallback() as had:
        Job(worker, worker).run(turn, had)


# ---- Cost of an answer in the window: matches first, the rest in turns, and nothing drawn unseen.


Show = Callable[[ScopeState], None]


def test_that_the_matches_lead_and_every_other_panel_has_its_turn_once() -> None:
    leading = [row.key for row in PANELS if row.leads]
    assert leading == ["matches"]
    assert sorted([*leading, *(row.key for turn in UPDATE_ORDER for row in turn)]) == sorted(row.key for row in PANELS)


def test_that_an_answer_is_shown_by_the_matches_before_the_panels_that_explain_it(
    qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(FakeWorkbench())
    shown: list[str] = []
    for key, panel in window.scope.panels.items():

        def note(scope_state: ScopeState, key: str = key, show: Show = panel.show_state) -> None:
            shown.append(key)
            show(scope_state)

        monkeypatch.setattr(panel, "show_state", note)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: "this_query" in shown and window.scope.is_shown)
    last = len(shown) - 1 - shown[::-1].index("matches")
    explaining = [row.key for row in PANELS if row.explains]
    told = [key for key in shown[last:] if key in explaining]
    assert told in (explaining, ["selected", *explaining]), "another selected answer is shown with the matches, too"


def test_that_the_window_tells_of_an_answer_that_looks_as_the_one_before(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.is_shown and window.scope.state.inspection is not None)
    qtbot.wait(50)  # everything is painted
    shown = some(window.scope.state.inspection)
    floor = replace(shown, phase=Phase.FLOOR)
    window.scope.show_inspection(window.worker.generation, floor)
    qtbot.wait(50)
    with qtbot.waitSignal(window.painted):
        window.scope.show_inspection(window.worker.generation, replace(floor))


def test_that_a_query_is_not_asked_anew_where_only_counts_differ(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.is_shown and bench.answered == [TEXT])
    counted = {**bench.state.counts, "memories": 7}
    bench.tell(replace(bench.state, counts=counted, is_counted_anew=True))
    qtbot.waitUntil(lambda: window.scope.state.status is not None and window.scope.state.status.counts == counted)
    assert bench.asked == [TEXT]
    bench.tell(replace(bench.state, counts=counted, is_counted_anew=False))
    qtbot.waitUntil(lambda: bench.asked == [TEXT, TEXT])


def test_that_what_is_drawn_in_part_is_read_whole(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.act("selected_triggers")
    window.ask(TEXT)
    panel = of_type(window.scope.panels["selected"], SelectedPanel)
    qtbot.waitUntil(lambda: window.scope.is_shown and "Taught triggers" in panel.sheet.read)
    panel.sheet.repaint()  # in the space beside a scroll bar
    whole = panel.sheet.read
    panel.sheet.repaint(QRect(0, 0, 20, 20))
    assert panel.sheet.read == whole


@pytest.mark.parametrize("corner", [QPointF(4, 6), QPointF(4.4, 6.3)])
def test_that_a_hatching_looks_the_same_as_a_picture_and_as_a_shape(qapp: object, corner: QPointF) -> None:
    theme = Theme()
    rect = QRectF(corner, corner + QPointF(38, 7))

    def drawn(*, plainly: bool) -> QImage:
        image = QImage(60, 20, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        canvas = Canvas(painter, theme, 60)
        if plainly:
            painter.setPen(QPen(theme.color("border_strong"), LINE))
            painter.translate(rect.topLeft())
            painter.drawPath(hatched(rect.width(), rect.height(), 2.0))
        else:
            canvas.hatch(rect)
        painter.end()
        return image

    def darkness(image: QImage) -> list[int]:
        return [image.pixelColor(x, y).lightness() for y in range(20) for x in range(60)]

    pairs = zip(darkness(drawn(plainly=True)), darkness(drawn(plainly=False)), strict=True)
    assert max(abs(one - other) for one, other in pairs) <= 3


# ---- Slow content is made in turns: a part immediately, the rest by the event loop or on demand.


@pytest.fixture
def turns(qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chunks]:
    monkeypatch.setattr(jobs_module, "CHUNK_SECONDS", 0.0)  # each step is a chunk
    owner = QObject()
    yield Chunks(owner)
    owner.deleteLater()


def steps(made: list[int], many: int) -> Iterator[None]:
    for step in range(many):
        made.append(step)
        yield


def test_that_the_first_step_is_taken_at_once_and_the_others_in_turns(qtbot: QtBot, turns: Chunks) -> None:
    made: list[int] = []
    turns.begin(steps(made, 5))
    assert made == [0]
    assert not turns.are_done
    qtbot.waitUntil(lambda: turns.are_done)
    assert made == [0, 1, 2, 3, 4]


def test_that_what_is_needed_whole_is_finished_at_once(turns: Chunks) -> None:
    made: list[int] = []
    turns.begin(steps(made, 5))
    turns.finish()
    assert made == [0, 1, 2, 3, 4]
    assert turns.are_done


def test_that_another_thing_begins_when_the_first_is_done(turns: Chunks) -> None:
    made: list[int] = []
    turns.begin(steps(made, 3))
    turns.begin(steps(made, 2))
    assert made == [0, 1, 2, 0]
    turns.finish()
    assert made == [0, 1, 2, 0, 1]


async def now(bench: Workbench) -> HistoryCounts:
    return await bench.history.counts()


def test_that_each_of_several_listeners_hears_how_things_stand_and_every_change_on_the_window_s_thread(
    qtbot: QtBot, worker: Worker, bench: FakeWorkbench
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


def test_that_the_listener_of_a_dead_widget_is_removed(qtbot: QtBot, worker: Worker, bench: FakeWorkbench) -> None:
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


def test_that_who_never_pauses_fills_no_memory_with_times(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope_state, "MOST_KEPT", 3)
    monkeypatch.setattr(scope_state, "PAUSE_MS", 0)
    parent = QObject()
    clock = PaintClock(parent)
    for generation in range(5):
        assert clock.expect(generation, {"lexical": float(generation)})
        clock.painted(0.0)
    with qtbot.waitSignal(clock.noted) as noted:
        clock.typing()
    (times,) = noted.args
    assert [time["lexical"] for time in times] == [2.0, 3.0, 4.0]
    assert all(ON_SCREEN in time for time in times)
