"""Tests of desktop integration: files, later starts, profiles, notices, versions."""

import json
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.adapters.store import opening
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.domain.errors import StoreError
from app.domain.library import MoveProgress, Moving
from app.gui.library.import_dialog import ImportDialog
from app.gui.review.history_page import HistoryPage
from app.gui.shell import application, desktop, file_opener, profiles
from app.gui.shell.application import LaunchReceiver, make_window
from app.gui.shell.file_opener import MOST
from app.gui.shell.main_window import MainWindow
from app.gui.shell.profiles import ProfilesDialog
from app.gui.shell.remedy_actions import Places
from app.gui.shell.report_box import LOG, BlackBox
from app.gui.system.settings_page import SettingsPage
from app.services.status import Status
from app.services.system.start_requests import StartRequest
from app.services.workbench import Workbench
from tests.build import of_type, some
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import FakeWorkbench
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    made = tmp_path / "profiles" / "mine"
    made.mkdir(parents=True)
    (made / "library.db").touch()
    return made


Keeper = Callable[[Workbench], MainWindow]


@pytest.fixture
def keeper(qtbot: QtBot, profile: Path, tmp_path: Path) -> Keeper:
    """Return a function that opens a window that stores data in a profile."""

    def open_(bench: Workbench) -> MainWindow:
        window = make_window(lambda: bench, Places(profile, None, tmp_path / "data" / "profiles.json"))
        qtbot.addWidget(window, before_close_func=lambda made: made.worker.close())
        window.show()
        window.worker.start()
        qtbot.waitUntil(lambda: window.core_state is not None)
        return window

    return open_


def a_file(folder: Path, name: str = "faq.jsonl") -> Path:
    path = folder / name
    path.write_text(json.dumps({"triggers": [f"phrase of {name}"], "intent": name}) + "\n", "utf-8")
    return path


def shown(qtbot: QtBot, window: MainWindow, path: Path) -> ImportDialog:
    """Return the dialog of this file, once it has been read."""

    def is_there() -> bool:
        dialog = window.import_actions.dialog
        return isinstance(dialog, ImportDialog) and dialog.path == path and dialog.preview is not None

    qtbot.waitUntil(is_there)
    return of_type(window.import_actions.dialog, ImportDialog)


# ---- files that are given


def test_that_what_is_of_late_keeps_no_answer_waiting_for_the_disk(
    qtbot: QtBot, profile: Path, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []
    monkeypatch.setattr("os.fsync", lambda _: waited.append(threading.current_thread().name))
    window = keeper(FakeWorkbench())
    window.desktop.recent_files.note(profile / "a.jsonl")
    qtbot.waitUntil(lambda: file_opener.read(profile / file_opener.FILE) == [profile / "a.jsonl"])
    assert "intentscope-engine" not in waited


def test_that_given_files_open_one_after_another_and_wait_for_the_library(qtbot: QtBot, tmp_path: Path) -> None:
    files = [a_file(tmp_path, f"{n}.jsonl") for n in range(3)]
    window = make_window(lambda: real_bench(MemoryLibrary()))
    qtbot.addWidget(window, before_close_func=lambda made: made.worker.close())
    window.desktop.file_opener.add(files)
    window.show()
    assert window.import_actions.dialog is None
    window.worker.start()
    shown(qtbot, window, files[0]).reject()
    second = shown(qtbot, window, files[1])
    QTest.mouseClick(second.verb, Qt.MouseButton.LeftButton)
    shown(qtbot, window, files[2]).reject()
    assert window.desktop.file_opener.waiting == ()
    assert window.desktop.recent_files.paths == [files[1]], "what was only looked at is not of late"


def test_that_empty_folders_and_lost_files_are_told(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    window.desktop.file_opener.add([tmp_path])
    qtbot.waitUntil(lambda: "no library.toml" in window.toast.sentence)
    file = a_file(tmp_path)
    window.desktop.file_opener.add([tmp_path / "gone.csv", file])
    shown(qtbot, window, file).reject()
    window.desktop.file_opener.add([tmp_path / "gone.csv"])
    qtbot.waitUntil(lambda: "gone.csv is not there any more" in window.toast.sentence)


def test_that_a_library_folder_opens_its_sheet(
    qtbot: QtBot, open_window: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "library.toml").write_text("")
    window = open_window(real_bench(MemoryLibrary()))
    compared: list[Path | None] = []
    monkeypatch.setattr(window.folder_actions, "compare", compared.append)
    window.desktop.file_opener.add([tmp_path, tmp_path / "library.toml"])
    qtbot.waitUntil(lambda: compared == [tmp_path])
    window.folder_actions.freed.emit()
    qtbot.waitUntil(lambda: compared == [tmp_path, tmp_path])


# ---- recent files


def test_that_recent_imports_are_offered_again(qtbot: QtBot, keeper: Keeper, profile: Path, tmp_path: Path) -> None:
    window = keeper(real_bench(MemoryLibrary()))
    file = a_file(tmp_path)
    window.import_actions.preview(file)
    QTest.mouseClick(shown(qtbot, window, file).verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: file_opener.read(profile / file_opener.FILE) == [file])
    window.close()
    again = keeper(real_bench(MemoryLibrary()))
    qtbot.waitUntil(lambda: again.desktop.recent_files.paths == [file])
    again.open_palette()
    (row,) = (row for row in again.palette_box.model.rows if "faq.jsonl" in row.text)
    again.palette_box.leave()
    again.do(row)
    shown(qtbot, again, file).reject()
    again.act("clear_recent")
    qtbot.waitUntil(lambda: file_opener.read(profile / file_opener.FILE) == [])
    again.act("clear_recent")
    assert "No recent files" in again.toast.sentence


def test_that_only_so_many_are_remembered_each_once(tmp_path: Path) -> None:
    paths: list[Path] = []
    for n in [*range(12), 7]:
        paths = file_opener.with_latest(tmp_path / str(n), paths)
    assert [path.name for path in paths] == ["7", "11", "10", "9", "8", "6", "5", "4"]
    assert len(paths) == MOST


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 2, "paths": ["/a"]}', '{"format": 1, "paths": [3, "", "a\\u0000"]}', "[" * 60_000],
    ids=range(6),
)
def test_that_a_damaged_list_is_an_empty_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "recent.json").write_text(text)
    assert file_opener.read(tmp_path / "recent.json") == []


# ---- later starts


def taken(called: LaunchReceiver, start: StartRequest) -> tuple[threading.Thread, list[bool]]:
    """Hand a start over from another thread, like other processes; the result goes into a list."""
    results: list[bool] = []
    thread = threading.Thread(target=lambda: results.append(called.take(start)))
    thread.start()
    return thread, results


def test_that_a_later_start_types_its_query_and_opens_files(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    window.open_page("help")
    file = a_file(tmp_path)
    thread, results = taken(LaunchReceiver(window), StartRequest("why does it fail", (file,)))
    shown(qtbot, window, file).reject()
    thread.join()
    assert results == [True]
    assert window.is_scope_open
    assert window.bar.box.line.text() == "why does it fail"


def test_that_a_later_start_without_a_query_leaves_the_typed_one(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.ask("half a sen")
    window.showMinimized()
    thread, results = taken(LaunchReceiver(window), StartRequest())
    qtbot.waitUntil(lambda: not thread.is_alive())
    assert results == [True]
    assert window.bar.box.line.text() == "half a sen"
    assert not window.isMinimized()


def test_that_a_busy_window_leaves_the_start_and_does_not_take_it_later(
    qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(FakeWorkbench())
    monkeypatch.setattr(application, "TAKE_SECONDS", 0.02)
    thread, results = taken(LaunchReceiver(window), StartRequest("late"))
    thread.join()  # the window's thread is here and accepts nothing meanwhile
    assert results == [False]
    round_trip(qtbot, window.worker)
    assert window.bar.box.line.text() == ""


# ---- other profiles


def launched(window: MainWindow) -> list[list[str]]:
    programs: list[list[str]] = []

    def launch(program: str, words: list[str]) -> bool:
        programs.append([program, *words])
        return True

    window.desktop.profiles.launch = launch
    return programs


def dialog_of(qtbot: QtBot, window: MainWindow) -> ProfilesDialog:
    qtbot.waitUntil(
        lambda: window.desktop.profiles.dialog is not None and window.desktop.profiles.dialog.rows.rowCount() > 0
    )
    return some(window.desktop.profiles.dialog)


def test_that_profiles_open_from_the_status_line(qtbot: QtBot, keeper: Keeper, profile: Path, tmp_path: Path) -> None:
    other = profile.parent / "other"
    other.mkdir()
    (other / "settings.toml").touch()
    (profile.parent / "no profile").mkdir()
    window = keeper(FakeWorkbench())
    programs = launched(window)
    who = window.status_line.who
    assert not who.isVisible(), "the default needs no word"
    window.status_line.show_status(Status("mine", is_open=True))
    assert (who.text(), who.isVisible()) == ("Profile: mine", True)
    QTest.mouseClick(who, Qt.MouseButton.LeftButton)
    dialog = dialog_of(qtbot, window)
    assert [some(dialog.rows.item(n, 0)).text() for n in range(2)] == ["mine (this window)", "other"]
    assert dialog.chosen is not None
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert [program[-3:] for program in programs] == [["--profile", str(other), "gui"]]
    assert "opens in a new window" in window.toast.sentence
    list_file = tmp_path / "data" / "profiles.json"
    qtbot.waitUntil(lambda: file_opener.read(list_file) == [other, profile])


def test_that_a_profile_is_made_by_its_name_and_a_bad_name_is_told(qtbot: QtBot, keeper: Keeper, profile: Path) -> None:
    window = keeper(FakeWorkbench())
    programs = launched(window)
    window.act("profiles")
    dialog = dialog_of(qtbot, window)
    dialog.name.setFocus()
    QTest.keyClicks(dialog.name, "../elsewhere")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "has no /" in dialog.fault.sentence)
    assert programs == []
    dialog.name.setText("work")
    QTest.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(programs))
    assert programs[0][-3:] == ["--profile", str(profile.parent / "work"), "gui"]


def test_that_a_profile_with_a_teams_library_is_joined_first(qtbot: QtBot, keeper: Keeper, profile: Path) -> None:
    asked: list[tuple[Path, str, str]] = []
    heard = threading.Event()

    def join(folder: Path, address: str, password: str, tell: MoveProgress) -> None:
        asked.append((folder, address, password))
        if not password:
            raise StoreError("The team's library cannot be reached.")
        tell(Moving.SENDING, 5_000, 20_000)
        while password == "slow":
            tell(Moving.COMPARING, 20_000, 20_000)
            heard.wait(0.01)
        tell(Moving.KEEPING, 20_000, 20_000)

    window = keeper(FakeWorkbench())
    programs = launched(window)
    window.desktop.profiles.places = replace(window.desktop.profiles.places, join=join)
    window.act("profiles")
    dialog = dialog_of(qtbot, window)
    dialog.name.setText("team")
    assert dialog.make.text() == "Make and open"
    dialog.address.setText("postgresql://anna@host/intents")
    assert dialog.make.text() == "Join and open"
    QTest.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "cannot be reached" in dialog.fault.sentence)
    assert (programs, dialog.make.isEnabled(), dialog.progress.isVisible()) == ([], True, False)
    dialog.password.setText("slow")
    QTest.keyClick(dialog.password, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.progress.text() == "Comparing both sides: 20,000 of 20,000 rows")
    assert not dialog.make.isEnabled()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: "nothing is changed" in dialog.fault.sentence)
    assert (programs, dialog.isVisible(), dialog.progress.isVisible()) == ([], True, False)
    dialog.password.setText("sesame")
    QTest.keyClick(dialog.password, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(programs))
    folder = profile.parent / "team"
    assert asked == [(folder, "postgresql://anna@host/intents", word) for word in ("", "slow", "sesame")]
    assert programs[0][-3:] == ["--profile", str(folder), "gui"]


@pytest.mark.parametrize("name", ["", " ", "a/b", "..", ".hidden", "a\nb", "a ", "a.", "NUL", "com1.txt", "x" * 65])
def test_that_no_profile_is_called_so(profile: Path, name: str) -> None:
    assert profiles.name_refusal(name, profile)


def test_that_a_name_that_is_taken_by_something_else_is_refused(profile: Path) -> None:
    (profile.parent / "taken").touch()
    assert "already in use" in profiles.name_refusal("taken", profile)
    assert profiles.name_refusal("mine", profile) == "", "a profile of that name is opened"
    assert profiles.name_refusal("Arbeit 2 (neu)", profile) == ""


def test_that_a_program_is_started_and_its_absence_told(qtbot: QtBot, keeper: Keeper, tmp_path: Path) -> None:
    window = keeper(FakeWorkbench())
    flag = tmp_path / "flag"
    window.desktop.profiles.launch(sys.executable, ["-c", f"open({str(flag)!r}, 'w').close()"])
    qtbot.waitUntil(flag.exists)
    assert not window.desktop.profiles.launch(str(tmp_path / "no program"), [])
    window.desktop.profiles.launch = lambda program, words: False
    window.desktop.profiles.open(tmp_path / "x")
    assert "could not be started" in window.toast.sentence


def test_that_a_bundle_starts_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, words = profiles.command_for(tmp_path)
    assert words == ["-m", "app", "--profile", str(tmp_path), "gui"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert profiles.command_for(tmp_path) == (program, ["--profile", str(tmp_path), "gui"])


def test_that_profiles_of_late_are_listed_while_they_are_there(profile: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "library.db").touch()
    file_opener.write([away, tmp_path / "gone"], tmp_path / "profiles.json")
    found = profiles.profiles_of(profile, tmp_path / "profiles.json")
    assert [(one.folder, one.is_open) for one in found] == [(profile, True), (away, False)]


# ---- folder and log


def test_that_folder_and_log_are_shown_or_told_why_not(
    qtbot: QtBot, profile: Path, open_window: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(FakeWorkbench())
    for key in ("log", "profile_folder", "profiles"):
        window.act(key)
        assert window.toast.sentence
    assert "has no profile" in window.toast.sentence
    kept = make_window(FakeWorkbench, Places(profile, None), BlackBox(profile))
    qtbot.addWidget(kept)
    shown_paths: list[Path] = []
    monkeypatch.setattr(kept.remedies, "_open", shown_paths.append)
    assert kept.remedies.log_refusal()
    (profile / "log").mkdir()
    (profile / "log" / LOG).touch()
    kept.act("log")
    kept.act("profile_folder")
    assert shown_paths == [profile / "log" / LOG, profile]


# ---- notices


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationInactive)


def told_by(window: MainWindow, *, shows: bool = True) -> list[str]:
    told: list[str] = []

    def say(sentence: str) -> bool:
        told.append(sentence)
        return shows

    window.desktop.notices.say = say
    return told


@pytest.mark.usefixtures("away")
def test_that_an_import_that_ends_unseen_is_told_once(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    told = told_by(window)
    file = a_file(tmp_path)
    window.import_actions.preview(file)
    shown(qtbot, window, file).verb.click()
    qtbot.waitUntil(lambda: bool(told))
    round_trip(qtbot, window.worker)
    assert told == [window.toast.sentence]


def test_that_nothing_is_told_to_who_looks(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    told = told_by(window)
    state = Qt.ApplicationState.ApplicationActive
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: state)
    window.desktop.notices.task_finished("Done.")
    state = Qt.ApplicationState.ApplicationInactive
    bench.values["notify.when_done"] = False
    bench.tell(replace(bench.state, put_off=1))
    qtbot.waitUntil(lambda: window.core_state is not None and not window.core_state.settings.notify.when_done)
    window.desktop.notices.task_finished("Done.")
    assert told == []


@pytest.mark.usefixtures("away")
def test_that_the_entry_flashes_on_a_silent_desktop(open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(FakeWorkbench())
    told = told_by(window, shows=False)
    alerted: list[object] = []
    monkeypatch.setattr(QApplication, "alert", alerted.append)
    window.desktop.notices.task_finished("Imported <a href='x'>a.csv</a>.")
    assert (alerted, told) == ([window], ["Imported ‹a href='x'›a.csv‹/a›."])


@pytest.mark.usefixtures("away")
def test_that_only_slow_vectors_are_told_of(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    told = told_by(window)
    now = 0.0
    monkeypatch.setattr(desktop, "monotonic", lambda: now)
    for took, count in ((1.0, 0), (5.0, 1), (1.0, 1)):
        bench.tell(replace(bench.state, embedded=1, to_embed=9))
        qtbot.waitUntil(lambda: "1 of 9" in window.status_line.accessibleName())
        now += took
        bench.tell(replace(bench.state, embedded=9, to_embed=9))
        qtbot.waitUntil(lambda: "1 of 9" not in window.status_line.accessibleName())
        assert len(told) == count


@pytest.mark.usefixtures("away")
def test_that_a_replay_and_downloads_that_end_unseen_are_told(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    told = told_by(window)
    page = opened_page(window, "history", HistoryPage)
    page.end_replay("")
    page.end_replay("The library is locked.")
    window.open_page("settings")
    assert isinstance(window.page, SettingsPage)
    window.page.llm.pulling.finished.emit("qwen", "")
    window.page.encoder.end_fetching("The disk is full.")
    assert told == ["The replay has ended.", "The library is locked.", "qwen is there.", "The disk is full."]


# ---- newer versions


def test_that_a_newer_version_is_a_quiet_line_and_asked_for_once(qtbot: QtBot, keeper: Keeper, profile: Path) -> None:
    asked: list[str] = []

    async def ask(url: str) -> str:
        asked.append(url)
        return "999.1"

    bench = FakeWorkbench()
    window = keeper(bench)
    window.desktop.updates.ask = ask
    assert asked == [], "off unless an address is named"
    bench.values["updates.url"] = "http://127.0.0.1:9/version.json"
    bench.tell(bench.state)
    qtbot.waitUntil(lambda: "Version 999.1 is available" in window.status_line.accessibleName())
    window.desktop.updates.ask_version()
    bench.tell(replace(bench.state, put_off=1))
    qtbot.waitUntil(lambda: "no vector yet" in window.status_line.accessibleName())
    assert asked == ["http://127.0.0.1:9/version.json"]
    bench.tell(replace(bench.state, faults={"store": "The library is locked."}))
    qtbot.waitUntil(lambda: "locked" in window.status_line.accessibleName())
    assert "999.1" not in window.status_line.accessibleName(), "a fault matters more"
    bench.values["updates.url"] = ""
    bench.tell(replace(bench.state, faults={}))
    qtbot.waitUntil(lambda: "locked" not in window.status_line.accessibleName())
    assert "999.1" not in window.status_line.accessibleName()


SENTENCE = "Check <b>llm.url</b>: it may have come from the team's server."


@pytest.fixture
def library(tmp_path: Path) -> Path:
    SqlLibrary.open(tmp_path).close()
    return tmp_path / FILE


def opened(qtbot: QtBot, library: Path) -> MainWindow:
    asked: list[None] = []

    def take() -> list[str]:
        found = opening.take_notices(library)
        asked.append(None)
        return found

    window = make_window(FakeWorkbench, Places(library.parent, None, take_notices=take))
    qtbot.addWidget(window, before_close_func=lambda made: made.worker.close())
    window.show()
    window.worker.start()
    qtbot.waitUntil(lambda: bool(asked))
    return window


def test_that_a_notice_is_shown_until_it_is_read_and_only_once(qtbot: QtBot, library: Path) -> None:
    with closing(sqlite3.connect(library)) as connection, connection:
        opening.add_notice(connection, SENTENCE)
        opening.add_notice(connection, "A second one.")
    window = opened(qtbot, library)
    strip = window.announcement_strip
    qtbot.waitUntil(strip.isVisible)
    assert strip.text.text() == f"{SENTENCE}\nA second one."
    assert strip.text.textFormat() is Qt.TextFormat.PlainText
    assert strip.accessibleName() == strip.text.text()
    strip.read.click()
    assert strip.isHidden()
    again = opened(qtbot, library)
    qtbot.waitUntil(lambda: again.core_state is not None)
    assert again.announcement_strip.isHidden()
