"""Tests of outside faults in the window: one line with one action, while typing continues."""

import asyncio
import hashlib
import shutil
import sqlite3
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.adapters.encoders import minilm
from app.adapters.store import connections, faults, opening
from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_forgiving_workbench
from app.domain.errors import StoreError
from app.domain.library import Memory
from app.gui.kit import pane_parts
from app.gui.kit.pane_parts import FaultLine
from app.gui.shell.application import make_window
from app.gui.shell.main_window import MainWindow
from app.gui.shell.remedy_actions import Places
from app.services import core
from app.services.status import Status
from app.services.workbench import Workbench
from app.settings.model import Choices
from tests.build import some

LOST = "a long sentence that nobody taught"
Opener = Callable[[], MainWindow]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "profile"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def opened(qtbot: QtBot, profile: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    """Return a function that opens the real window on the profile; it is closed at the end."""
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 100)
    windows: list[MainWindow] = []

    def open_() -> MainWindow:
        places = Places(profile, profile / "settings.toml")
        window = make_window(lambda: make_forgiving_workbench(Choices(profile=profile)), places)
        windows.append(window)
        window.resize(1280, 800)
        window.show()
        window.worker.start()
        qtbot.waitUntil(lambda: window.scope.state.status is not None)
        return window

    yield open_
    for window in windows:
        window.close()
        window.deleteLater()
    qtbot.wait(1)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    paths: list[Path] = []

    def take(url: QUrl) -> bool:
        paths.append(Path(url.toLocalFile()))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", take)
    return paths


def line_with(window: MainWindow, words: str) -> FaultLine | None:
    lines = window.page.findChildren(FaultLine)
    return next((line for line in lines if line.isVisible() and words in line.sentence), None)


def seen(qtbot: QtBot, window: MainWindow, words: str) -> FaultLine:
    """Return the line in its pane, which the status line repeats without a dialog.

    Typing is still answered.
    """
    qtbot.waitUntil(lambda: line_with(window, words) is not None)
    line = some(line_with(window, words))
    assert words in window.status_line.fault
    assert window.status_line.act.isVisible() is line.act.isVisible()
    assert not [dialog for dialog in QApplication.topLevelWidgets() if isinstance(dialog, QDialog)]
    window.ask(LOST)
    qtbot.waitUntil(
        lambda: window.scope.state.inspection is not None and window.scope.state.inspection.query.text == LOST
    )
    return line


def gone(qtbot: QtBot, window: MainWindow, words: str) -> None:
    qtbot.waitUntil(lambda: line_with(window, words) is None and words not in window.status_line.fault)


def made(profile: Path) -> Path:
    with closing(make_library(profile)):
        return profile / "library.db"


def make_library(profile: Path) -> sqlite3.Connection:
    from app.adapters.store.library import SqlLibrary

    SqlLibrary.open(profile).close()
    return sqlite3.connect(profile / "library.db", isolation_level=None)


def test_that_a_locked_library_opens_once_it_is_let_go(qtbot: QtBot, profile: Path, opened: Opener) -> None:
    with closing(make_library(profile)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("CREATE TABLE held (x)")
        window = opened()
        line = seen(qtbot, window, "in use by another program")
        assert line.act.text() == "Try again"
        line.act.click()
        seen(qtbot, window, "in use by another program")
        other.execute("DROP TABLE held")
    line.act.click()
    gone(qtbot, window, "in use by another program")
    assert window.scope.state.status is not None
    assert window.scope.state.status.is_open


def test_that_a_newer_library_is_left_alone_and_its_folder_is_shown(
    qtbot: QtBot, profile: Path, opened: Opener, shown: list[Path]
) -> None:
    with closing(make_library(profile)) as connection:
        before = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        connection.execute("UPDATE alembic_version SET version_num = 'of tomorrow'")
    window = opened()
    line = seen(qtbot, window, "newer version of this program")
    assert line.act.text() == "Open folder"
    line.act.click()
    assert shown == [profile]
    with closing(sqlite3.connect(profile / "library.db", isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", before)
    window.worker.retry("store")
    gone(qtbot, window, "newer version of this program")


def test_that_what_helps_is_not_forgotten_while_the_fault_lasts(profile: Path) -> None:
    (profile / "library.db").write_text("not a library")
    bench = make_forgiving_workbench(Choices(profile=profile))

    async def open_and_ask_again() -> frozenset[str]:
        await bench.open(encoder=False, llm=False, watch=False)
        with pytest.raises(StoreError) as refused:
            _ = bench.library
        bench._faults.note_store(refused.value)
        found = bench.status().in_folder
        await bench.close()
        return found

    assert asyncio.run(open_and_ask_again()) == {"store"}


@pytest.mark.parametrize(
    ("pairs", "variable", "place"), [(("llm.modle=x",), "", "on the command line"), ((), "much", "in the environment")]
)
def test_that_a_fault_of_the_start_is_not_told_as_the_files(
    profile: Path, monkeypatch: pytest.MonkeyPatch, pairs: tuple[str, ...], variable: str, place: str
) -> None:
    (profile / "settings.toml").write_text("[search_intent]\nsurfacing_threshold = 0.7\n")
    if variable:
        monkeypatch.setenv("INTENTSCOPE_MATCHES", variable)
    bench = make_forgiving_workbench(Choices(profile=profile, pairs=pairs))

    async def opened_status() -> Status:
        await bench.open(encoder=False, llm=False, watch=False)
        found = bench.status()
        await bench.close()
        return found

    status = asyncio.run(opened_status())
    assert f"It stands {place}" in status.faults["settings"]
    assert "no query is kept" in status.faults["settings"]
    assert pane_parts.remedy_for("settings", status) == ""
    assert (bench.settings.search_intent.surfacing_threshold, bench.settings.history.privacy) == (0.7, "off")


def test_that_settings_that_are_refused_keep_no_query(profile: Path) -> None:
    (profile / "settings.toml").write_text('[history]\nprivacy = "off"\n\n[llm]\nmodle = "x"\n')
    bench = make_forgiving_workbench(Choices(profile=profile))

    async def ask() -> int:
        await bench.open(encoder=False, llm=False, watch=False)
        bench.history.recorder.note(await bench.settle("what I asked"))
        await bench.history.recorder.flush()
        assert "no query is kept" in bench.status().faults["settings"]
        found = (await bench.history.counts()).kept
        await bench.close()
        return found

    assert asyncio.run(ask()) == 0


def test_that_a_folder_that_cannot_be_used_is_told_and_taken_once_it_can(
    qtbot: QtBot, profile: Path, opened: Opener
) -> None:
    profile.rmdir()
    profile.write_text("a file where a folder is needed")
    window = opened()
    line = seen(qtbot, window, "expected a folder, found a file")
    profile.unlink()
    line.act.click()
    gone(qtbot, window, "expected a folder, found a file")
    assert (profile / "library.db").is_file()


def test_that_a_broken_settings_file_is_named_with_its_line_and_shown(
    qtbot: QtBot, profile: Path, opened: Opener, shown: list[Path]
) -> None:
    file = profile / "settings.toml"
    file.write_text("matches = 5\n\n[tiers]\nhigh = 2\n")
    window = opened()
    line = seen(qtbot, window, f"The settings file {file} has an error in line 4")
    assert "it must be a number from 0 to 1" in line.sentence
    assert line.act.text() == "Show settings file…"
    window.status_line.act.click()
    assert shown == [file]


def test_that_an_altered_encoder_is_told_and_taken_once_it_is_whole(
    qtbot: QtBot, tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, sha256 = minilm.MODEL
    whole = minilm.checked_content(name, sha256)
    copied = Path(shutil.copytree(minilm.FOLDER, tmp_path / "copied"))
    (copied / name).unlink()
    monkeypatch.setattr(minilm, "FOLDER", copied)
    window = opened()
    line = seen(qtbot, window, f"The encoder's file {name} cannot be read")
    (copied / name).write_bytes(whole[:-1])
    assert hashlib.sha256((copied / name).read_bytes()).hexdigest() != sha256
    line.act.click()
    line = seen(qtbot, window, "is not the one that was shipped")
    assert line.act.text() == "Try again"
    assert "failed" in window.status_line.encoder()[2]
    (copied / name).write_bytes(whole)
    line.act.click()
    gone(qtbot, window, "is not the one that was shipped")
    qtbot.waitUntil(lambda: "ready" in window.status_line.encoder()[2])


def test_that_a_full_disk_is_told_where_vectors_are_kept_and_typing_goes_on(
    qtbot: QtBot, profile: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A limit on pages fails with the same code, at the same place, as a full disk.
    made(profile)
    with closing(sqlite3.connect(profile / "library.db")) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    writing = connections.WRITING
    monkeypatch.setattr(connections, "WRITING", (*writing, f"PRAGMA max_page_count={pages + 12}"))
    window = opened()
    qtbot.waitUntil(lambda: "ready" in window.status_line.encoder()[2])
    window.worker.add_seed_library()
    qtbot.waitUntil(lambda: "is full" in window.toast.sentence or line_with(window, "is full") is not None)
    assert "free some space" in (window.toast.accessibleName() + window.status_line.fault)
    window.ask(LOST)
    qtbot.waitUntil(
        lambda: window.scope.state.inspection is not None and window.scope.state.inspection.query.text == LOST
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps open files from being taken away")
def test_that_a_library_replaced_while_it_is_open_is_told_and_the_new_one_opened(
    qtbot: QtBot, profile: Path, opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "WATCH_SECONDS", 0.05)
    made(profile)
    with closing(SqlLibrary.open(tmp_path / "other")) as other:
        other.add("memories", (Memory((f"order tea {number}",), "Tea it is.") for number in range(17)))
    window = opened()
    (tmp_path / "other" / "library.db").replace(profile / "library.db")
    line = seen(qtbot, window, "was removed or replaced while it was open")
    line.act.click()
    gone(qtbot, window, "was removed or replaced")

    def memories() -> int | None:
        return None if window.scope.state.status is None else window.scope.state.status.counts["memories"]

    qtbot.waitUntil(lambda: memories() == 17)


def test_that_a_library_that_cannot_be_written_is_shown_and_each_change_refused_with_the_reason(
    qtbot: QtBot, profile: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SqlLibrary.open(profile)
    library.add("memories", [Memory(("order tea",), "Tea it is.")])
    library.close()
    before = (profile / "library.db").read_bytes()
    real = opening._check_access

    def refuse(folder: Path, file: Path) -> None:  # the user who runs the tests may write everywhere
        if folder == profile:
            raise faults.read_only(folder)
        real(folder, file)

    with monkeypatch.context() as patched:
        patched.setattr(opening, "_check_access", refuse)
        window = opened()
        line = seen(qtbot, window, "is read-only: make it writable")
        assert "nothing can be changed or kept" in window.status_line.fault
        assert window.scope.state.status is not None
        assert window.scope.state.status.counts["memories"] == 1
        window.ask("order tea")
        qtbot.waitUntil(lambda: bool(window.scope.state.inspection and window.scope.state.inspection.matches))
        changes: tuple[Callable[[Workbench], Coroutine[Any, Any, object]], ...] = (
            lambda bench: bench.curator.teach(Memory(("pour milk",))),
            lambda bench: bench.curator.undo(),
            lambda bench: bench.choose("preset", "as_documented"),
            lambda bench: bench.add_seed_library(),
            lambda bench: bench.journal.empty_bin(),
            lambda bench: bench.routing.clear_cache(),
            lambda bench: bench.history.forget(),
        )
        refused: list[str] = []
        for act in changes:
            refused.clear()
            window.worker.do(act, lambda _: None, refused.append)
            qtbot.waitUntil(lambda: bool(refused))
            assert "is read-only: make it writable" in refused[0]
        assert (profile / "library.db").read_bytes() == before
    line.act.click()
    gone(qtbot, window, "is read-only")
