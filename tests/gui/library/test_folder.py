"""Tests of the library in a folder: saved, linked, compared and imported, with undo."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.adapters.library_folder import SyncStateFiles, TomlFolders
from app.domain.library import Memory, Power
from app.gui.library.folder_dialog import FolderDialog
from app.gui.shell.main_window import MainWindow
from app.services.library.folder_sync import FolderWatch, LibraryFiles
from tests.build import of_type, put, rewrite
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

RESET = Memory(("reset my password",), "Account.", "reset", "help", id="m-1")
KEYS = Memory(("rotate the keys",), "monthly", "keys", "security", id="m-2")
RESET_FILE, KEYS_FILE = "memories/help/reset.toml", "memories/security/keys.toml"


@pytest.fixture
def window(open_window: Opener, library: MemoryLibrary, tmp_path: Path) -> MainWindow:
    bench = real_bench(library, [RESET, KEYS, Power("postgres")])
    bench.files = LibraryFiles(bench, bench.journal, TomlFolders(), SyncStateFiles(tmp_path / "profile"))
    bench.folder_watch = FolderWatch(bench, bench.files, bench._changed)
    return open_window(bench)


def saved(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    window.folder_actions.save_in(folder)
    qtbot.waitUntil(lambda: "Saved" in window.toast.sentence)


def linked(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    window.folder_actions.link_to(folder)
    qtbot.waitUntil(lambda: window.folder_actions.linked == folder)


def sheet(qtbot: QtBot, window: MainWindow) -> FolderDialog:
    qtbot.waitUntil(lambda: isinstance(window.folder_actions.dialog, FolderDialog))
    dialog = of_type(window.folder_actions.dialog, FolderDialog)
    qtbot.waitUntil(lambda: dialog.seen is not None)
    return dialog


def test_that_the_library_is_saved_to_a_folder_that_is_chosen(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "größe und mehr"
    folder.mkdir()
    window.act("save_library")
    dialog = of_type(window.folder_actions.dialog, QFileDialog)
    assert dialog.fileMode() is QFileDialog.FileMode.Directory
    dialog.fileSelected.emit(str(folder))
    dialog.reject()
    qtbot.waitUntil(lambda: "Saved" in window.toast.sentence)
    assert window.toast.sentence.startswith("Saved ")
    assert "things to größe und mehr: " in window.toast.sentence
    assert (folder / RESET_FILE).is_file()
    assert "Saving" not in window.status_line.accessibleName()
    window.folder_actions.save_in(folder)
    qtbot.waitUntil(lambda: "No change: " in window.toast.sentence)
    (folder / "powers/postgres.toml").write_text("name = 1\n")
    window.folder_actions.save_in(folder)
    qtbot.waitUntil(lambda: "cannot be read, so nothing was changed" in window.toast.sentence)


def test_that_what_needs_a_linked_folder_says_so(window: MainWindow) -> None:
    for key in ("compare_folder", "save_linked", "unlink_folder"):
        window.act(key)
        assert window.toast.sentence == "Link a folder first: “Link the library to a folder…”."
    assert window.folder_actions.strip.isHidden()


def test_that_both_sides_are_offered(qtbot: QtBot, window: MainWindow, library: MemoryLibrary, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    saved(qtbot, window, folder)
    linked(qtbot, window, folder)
    first = sheet(qtbot, window)
    assert first.lead.text().startswith("Library and folder hold the same ")
    first.reject()
    rewrite(folder / RESET_FILE, "Account.", "Your account.")
    rewrite(folder / KEYS_FILE, "monthly", "weekly")
    put(library, replace(next(one for one in library.memories() if one.id == "m-2"), response="daily"))
    window.act("compare_folder")
    dialog = sheet(qtbot, window)
    assert dialog.lead.text().startswith("folder: 1 changed in the folder, 1 changed on both sides; ")
    rows = [[str(dialog.table.paged.index(row, column).data()) for column in range(4)] for row in range(2)]
    assert rows == [
        ["Memory", "m-2", "Changed on both sides", "Undecided"],
        ["Memory", "m-1", "Changed in the folder", "Becomes as in the folder"],
    ]
    assert dialog.sheet.accessibleDescription() == "Response: gone: dailynew: weekly"
    assert dialog.sheet.read == "Response\ndailyweekly"
    dialog.theirs.click()
    assert dialog.table.paged.index(0, 3).data() == "Becomes as in the folder"
    dialog.all_mine.click()
    assert dialog.table.paged.index(0, 3).data() == "Stays as it is here"
    dialog.verb.click()
    qtbot.waitUntil(lambda: "Imported" in window.toast.sentence)
    assert window.toast.sentence == "Imported 1 memory from folder."
    assert window.toast.offers_undo
    assert {one.id: one.response for one in library.memories()} == {"m-1": "Your account.", "m-2": "daily"}
    window.toast.undo.click()
    qtbot.waitUntil(lambda: "Undone" in window.toast.sentence)
    assert {one.response for one in library.memories()} == {"Account.", "daily"}


def test_that_a_change_in_the_linked_folder_is_offered_on_a_strip(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    linked(qtbot, window, folder)
    strip = window.folder_actions.strip
    assert strip.sentence.text() == "The folder folder holds no library yet."
    strip.save.click()
    qtbot.waitUntil(strip.isHidden)
    rewrite(folder / RESET_FILE, "Account.", "Your account.")
    window.worker.do(lambda bench: bench.folder_watch.check(), lambda _: None, lambda _: None)
    qtbot.waitUntil(strip.isVisible)
    assert strip.accessibleName() == "1 thing changed in the folder folder."
    strip.later.click()
    assert strip.isHidden()
    strip.setVisible(True)
    strip.take.click()
    qtbot.waitUntil(lambda: "Imported 1 memory" in window.toast.sentence)
    assert "Your account." in [one.response for one in library.memories()]
    qtbot.waitUntil(strip.isHidden)
    window.act("unlink_folder")
    qtbot.waitUntil(lambda: window.folder_actions.linked is None)
    qtbot.waitUntil(lambda: "Its files stay." in window.toast.sentence)


def test_that_faults_are_listed_by_file_and_line(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    saved(qtbot, window, folder)
    (folder / KEYS_FILE).write_text('label = "keys"\n<<<<<<< HEAD\n')
    window.folder_actions.compare(folder)
    dialog = sheet(qtbot, window)
    assert dialog.lead.text().startswith("1 line of folder cannot be read, so nothing can be imported.")
    assert dialog.faults.toPlainText().startswith(f"{KEYS_FILE}, line 2: A conflict that git could not settle")
    assert not dialog.verb.isEnabled()
    assert not dialog.save.isEnabled()
    (folder / KEYS_FILE).unlink()
    dialog.again.click()
    qtbot.waitUntil(lambda: dialog.seen is not None)
    assert dialog.table.paged.index(0, 2).data() == "Deleted in the folder"
    assert dialog.table.paged.index(0, 3).data() == "Goes to the bin"
    assert dialog.size().expandedTo(QSize(1, 1)).height() <= window.height()
    dialog.reject()
    assert window.folder_actions.dialog is None
