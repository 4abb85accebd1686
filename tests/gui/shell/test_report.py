"""Tests of error reports: stored, shown, sent by the user only, without secrets."""

import asyncio
import gc
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.domain.library import Memory
from app.domain.llm import LlmOutcome
from app.gui.kit import pane_parts
from app.gui.kit.page import CoreState
from app.gui.shell import report_box
from app.gui.shell.main_window import MainWindow
from app.gui.shell.remedy_actions import ReportContext, ReportDialog, report_text
from app.gui.shell.report_box import BlackBox, BugTrace, catch_bugs, log_qt
from app.ports.llm import LlmConnection
from app.services.engine.engine import BREAKDOWNS
from app.services.status import Status
from app.services.workbench import Workbench
from app.settings.model import SettingsSources, layer
from tests.build import some
from tests.fakes import ScriptedLlm
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT, FakeWorkbench
from tests.gui.llm_states import bench as llm_bench
from tests.gui.llm_states import inspection_in
from tests.unit.services.benches import asking_desk
from tests.waiting import PATIENCE

BUG = "a value that nobody expected"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[BlackBox]:
    made = BlackBox(tmp_path / "profile")
    yield made
    made.close()


def core_state(**said: str) -> CoreState:
    layered = layer(SettingsSources(command_line={key.replace("__", "."): value for key, value in said.items()}))
    status = Status("default", counts={"memories": 3}, faults={"store": "The library is locked."})
    return CoreState(status, layered.values, layered.origins)


def raised(message: str = BUG) -> ValueError:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


# ---- the black box


@pytest.mark.logs("not good")
def test_that_the_log_is_written_and_stays_small(box: BlackBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_box, "MOST_BYTES", 4_000)
    box.open()
    for number in range(500):
        logging.getLogger("app.some").info("line %d of many", number)
    logging.getLogger("app.some").warning("not good")
    box.close()
    files = list(some(box.folder).iterdir())
    assert {file.name for file in files} == {"intentscope.log", "intentscope.log.1", "intentscope.log.2"}
    assert all(file.stat().st_size <= 4_000 for file in files)
    assert (some(box.folder) / "intentscope.log").read_text().rstrip().endswith("WARNING app.some: not good")
    assert len(box.tail.lines) == report_box.TAIL_LINES


def test_that_a_profile_that_cannot_be_written_keeps_the_tail_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    box = BlackBox(tmp_path / "file")
    box.open()
    logging.getLogger("app.some").info("said anyway")
    assert "said anyway" in box.tail.lines[-1]
    box.close()
    assert not logging.getLogger("app.some").handlers


CRASH = """
import ctypes, sys
from pathlib import Path
from typing import cast
from app.gui.shell.report_box import BlackBox
box = BlackBox(Path(sys.argv[1]))
box.open()
ctypes.string_at(0)
"""


def test_that_a_native_crash_is_offered_once_at_a_start(tmp_path: Path, qtbot: QtBot, open_window: Opener) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CRASH, str(tmp_path)], capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode != 0
    window = open_window(FakeWorkbench())
    window.remedies.box = BlackBox(tmp_path)
    window.remedies.box.open()
    window.remedies.report_last_crash()
    assert "did not close in good order" in window.status_line.fault
    assert window.status_line.remedy == pane_parts.REPORT
    assert not dialogs()
    window.status_line.act.click()
    (dialog,) = dialogs()
    assert "Segmentation fault" in dialog.text or "access violation" in dialog.text
    dialog.close()
    window.remedies.box.close()
    after = BlackBox(tmp_path)
    after.open()
    assert after.last_crash == ""
    after.close()


def test_that_a_run_in_good_order_leaves_no_crash_behind(box: BlackBox) -> None:
    box.open()
    assert list(some(box.folder).glob("crash-*.txt"))
    box.close()
    assert not list(some(box.folder).glob("crash-*.txt"))


# ---- where bugs appear


@pytest.mark.logs("A bug in Intentscope")
def test_that_every_way_out_of_a_bug_is_told(qtbot: QtBot) -> None:
    told: list[BaseException] = []
    restore = catch_bugs(told.append)
    error = raised("hook")
    sys.excepthook(ValueError, error, error.__traceback__)
    thread = threading.Thread(target=lambda: int(BUG))
    thread.start()
    thread.join()

    class Sour:
        def __del__(self) -> None:
            raise ValueError("unraisable")

    Sour()
    gc.collect()
    restore()
    assert [type(each).__name__ for each in told] == ["ValueError", "ValueError", "ValueError"]


def test_that_qt_speaks_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    restore = log_qt()
    with caplog.at_level(logging.WARNING, "qt"):
        qWarning("of Qt itself")
    restore()
    assert any("of Qt itself" in record.message for record in caplog.records)


def dialogs() -> list[ReportDialog]:
    return [shown for shown in QApplication.topLevelWidgets() if isinstance(shown, ReportDialog) and shown.isVisible()]


def test_that_a_bug_of_the_engine_is_one_line_and_typing_goes_on(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.remedies.report_bug(raised())
    assert "went wrong inside Intentscope: ValueError" in window.status_line.fault
    assert not [shown for shown in QApplication.topLevelWidgets() if isinstance(shown, QDialog) and shown.isVisible()]
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    assert window.status_line.act.text() == "Report…", "typing does not take the offer back"
    window.status_line.act.click()
    (dialog,) = dialogs()
    assert "ValueError" in dialog.text
    assert "in raised" in dialog.text
    assert BUG not in dialog.text
    dialog.with_queries.click()
    assert BUG in dialog.text
    assert window.status_line.fault == ""
    dialog.close()


def test_that_a_task_that_fails_unheard_is_told_as_a_bug(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    errors: list[object] = []
    window.worker.crashed.disconnect()
    window.worker.crashed.connect(errors.append)

    async def fail() -> None:
        raise raised("in a task")

    async def begin(bench: Workbench) -> None:
        asyncio.create_task(fail())  # noqa: RUF006 - nobody hears of it

    window.worker.do(begin, errors.append, errors.append)
    qtbot.waitUntil(lambda: "in a task" in [str(error) for error in errors])


# ---- the report


def test_that_the_report_tells_versions_state_settings_and_traces() -> None:
    happening = ReportContext(
        "It broke.", (BugTrace("Traceback: here", ""),), "", ("one", "two"), "xcb, 1280 x 800 at 1"
    )
    text = report_text(happening, core_state(matches="5", theme="dark"), [], with_queries=False)
    for part in ("It broke.", "Traceback: here", "PySide6", "xcb, 1280", "matches = 5 (command line)", "one\ntwo"):
        assert part in text
    assert "surfacing_threshold" not in text
    assert "The library is locked." in text


def test_that_the_report_holds_no_secret_and_no_home() -> None:
    home = str(Path.home())
    happening = ReportContext(log=(f"opened {home}/library.db", "GET http://ann:pa55@host:11434/api"))
    text = report_text(happening, core_state(llm__url="http://host:11434"), [], with_queries=False)
    assert "pa55" not in text
    assert "ann:" not in text
    assert "host:11434" in text
    assert "~/library.db" in text


@pytest.mark.parametrize("form", ["my secret plan", "MY SECRET PLAN"])
def test_that_queries_go_along_only_when_ticked(form: str) -> None:
    happening = ReportContext(bugs=(BugTrace("ValueError", f"ValueError: cannot take {form!r}"),), log=(f"got {form}",))
    assert "secret plan" not in report_text(happening, None, ["my secret plan"], with_queries=False).lower()
    told = report_text(happening, None, ["my secret plan"], with_queries=True)
    assert form in told
    assert "My queries" in told


def filled(qtbot: QtBot, open_window: Opener) -> tuple[MainWindow, ReportDialog]:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    window.remedies.report()
    assert window.remedies.dialog is not None
    return window, window.remedies.dialog


def test_that_the_dialog_copies_and_saves_what_it_shows(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    _, dialog = filled(qtbot, open_window)
    assert TEXT not in dialog.text
    dialog.with_queries.click()
    assert TEXT in dialog.text
    next(made for made in dialog.findChildren(QPushButton) if made.text() == "Copy").click()
    assert QGuiApplication.clipboard().text() == dialog.text
    dialog.save(tmp_path / "report.txt")
    assert (tmp_path / "report.txt").read_text("utf-8") == dialog.text
    dialog.save(tmp_path / "missing" / "report.txt")
    assert "cannot be written" in dialog.fault.sentence
    dialog.close()


def test_that_saving_a_report_has_no_window_wait_for_the_disk(
    qtbot: QtBot, open_window: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, dialog = filled(qtbot, open_window)
    waited: list[int] = []
    monkeypatch.setattr("os.fsync", waited.append)
    dialog.save(tmp_path / "report.txt")
    assert (tmp_path / "report.txt").exists()
    assert waited == []
    dialog.close()


def test_that_there_is_one_report_at_a_time(qtbot: QtBot, open_window: Opener) -> None:
    window, dialog = filled(qtbot, open_window)
    window.remedies.report()
    assert dialogs() == [dialog]
    dialog.close()
    qtbot.waitUntil(lambda: window.remedies.dialog is None)


def test_that_a_typed_query_is_remembered_once(qtbot: QtBot, open_window: Opener) -> None:
    window, dialog = filled(qtbot, open_window)
    for text in ("a", "another", "another one"):
        window.ask(text)
        qtbot.waitUntil(lambda text=text: window.scope.state.inspection.query.text == text)  # type: ignore[misc, union-attr]
    assert list(window.remedies.queries) == [TEXT, "another one"]
    dialog.close()


def test_that_the_status_line_repeats_a_fault_of_the_parts(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.state = replace(bench.state, faults={"store": "Locked."}, in_folder=frozenset({"store"}))
    window = open_window(bench)
    assert (window.status_line.fault, window.status_line.act.text()) == ("Locked.", "Open folder")
    bench.tell(replace(bench.state, faults={}, in_folder=frozenset()))
    qtbot.waitUntil(lambda: window.status_line.fault == "")
    assert not window.status_line.act.isVisible()
    window.status_line.show_status(llm_bench().status())
    window.status_line.note(1, inspection_in(LlmOutcome.LATE))
    window.status_line.act.click()
    qtbot.waitUntil(lambda: window.page.accessibleName() == "Settings")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps open files from being taken away")
def test_that_a_log_is_silent_until_it_can_be_written_again(box: BlackBox, capsys: pytest.CaptureFixture[str]) -> None:
    box.open()
    assert box.folder is not None
    log = logging.getLogger("app.tests")
    (box.folder / report_box.LOG).mkdir()
    log.info("while it cannot be written")
    assert "Logging error" not in capsys.readouterr().err
    (box.folder / report_box.LOG).rmdir()
    log.info("once it can be")
    assert "once it can be" in (box.folder / report_box.LOG).read_text()
    assert any("while it cannot" in line for line in box.tail.lines)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot be asked who runs without ending them")
def test_that_a_run_that_was_killed_leaves_no_empty_trace_for_ever(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    finished = subprocess.Popen([sys.executable, "-c", ""])
    finished.wait()
    (folder / f"crash-{finished.pid}.txt").touch()
    (folder / f"crash-{os.getppid()}.txt").touch()
    box = BlackBox(tmp_path)
    box.open()
    assert sorted(path.name for path in folder.glob("crash-*.txt")) == sorted(
        [f"crash-{os.getppid()}.txt", f"crash-{os.getpid()}.txt"]
    )
    assert not box.last_crash
    box.close()


def test_that_breakdowns_are_in_the_log_and_in_no_report(box: BlackBox) -> None:
    box.open()
    BREAKDOWNS.info("a secret memory 0.912")
    assert box.folder is not None
    assert "a secret memory" in (box.folder / report_box.LOG).read_text("utf-8")
    assert not [line for line in box.tail.lines if "secret" in line]


@pytest.mark.logs("asking the LLM failed")
@pytest.mark.parametrize(
    ("chosen", "is_logged"),
    [
        ({}, False),
        ({"history.privacy": "off"}, False),
        ({"log_breakdowns": True, "history.privacy": "off"}, False),
        ({"log_breakdowns": True, "history.privacy": "hashed"}, False),
        ({"log_breakdowns": True}, True),
    ],
)
def test_that_no_query_enters_the_log_unless_wanted(box: BlackBox, chosen: dict[str, object], is_logged: bool) -> None:
    """Sources are the query, a memory named by it, a failing LLM, and a failing library."""
    query = "my salary is 90000"
    box.open()

    async def work() -> None:
        llm = ScriptedLlm(ValueError(f"cannot read {query!r}"))
        settings = {"llm.url": "http://127.0.0.1:1", "llm.model": "m", **chosen}
        async with asking_desk(lambda _: cast("LlmConnection", llm), settings) as bench:
            await bench.curator.teach(Memory((query,), f"the answer to {query}"))
            await bench.ready()
            await bench.settle(query)
            logging.getLogger("urllib3").warning("Failed to validate %s", query)

    asyncio.run(work())
    assert box.folder is not None
    said = (box.folder / report_box.LOG).read_text("utf-8")
    assert "asking the LLM failed" in said
    assert "urllib3" in said
    assert ("salary" in said) == is_logged
    assert "salary" not in "\n".join(box.tail.lines)
