"""Tests of imports: preview, import during typing, cancellation, and undo."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.adapters.formats.csv_tables import ColumnMappings
from app.adapters.formats.table import FORMATS
from app.adapters.store.library import SqlLibrary
from app.bootstrap import read_file, read_table
from app.display.library.importing import ENDINGS
from app.domain.case import Case, Task
from app.domain.library import Line, Memory
from app.gui.kit.dialogs import SkippedLinesDialog
from app.gui.library.import_dialog import ImportDialog
from app.gui.shell.main_window import MainWindow
from app.services.status import EncoderState, Status
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary
from tests.waiting import PATIENCE


@pytest.fixture
def window(open_window: Opener, library: MemoryLibrary) -> MainWindow:
    return open_window(real_bench(library))


def a_file(folder: Path, count: int = 3, bad: int = 0) -> Path:
    path = folder / "faq.jsonl"
    lines = [json.dumps({"triggers": [f"phrase {n}"], "intent": f"label {n}"}) for n in range(count)]
    path.write_text("\n".join([*["no json"] * bad, *lines]), "utf-8")
    return path


def dialog_of(qtbot: QtBot, window: MainWindow, path: Path) -> ImportDialog:
    window.import_actions.preview(path)
    dialog = of_type(window.import_actions.dialog, ImportDialog)
    qtbot.waitUntil(lambda: dialog.preview is not None or not dialog.lead.text().startswith("Reading"))
    return dialog


def test_that_a_file_is_shown_as_it_would_be_stored_and_its_kind_can_be_told(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary, tmp_path: Path
) -> None:
    dialog = dialog_of(qtbot, window, a_file(tmp_path, 7, bad=2))
    assert dialog.lead.text() == "faq.jsonl holds 7 memories. 2 lines are skipped, each with a reason."
    assert dialog.verb.text() == "Import 7 memories"
    assert (dialog.kind.currentText(), dialog.rows.rowCount()) == ("Memories", 5)
    assert some(dialog.rows.item(1, 0)).text() == "phrase 1"
    assert not dialog.problems.isVisible()
    dialog.more.click()
    assert dialog.problems.toPlainText().startswith("line 1: The line is not valid JSON")
    room = dialog.screen().availableGeometry()
    dialog.move(dialog.x(), room.bottom() - dialog.height())
    dialog.resize(dialog.width(), dialog.height() + 60)  # both it and its frame became larger
    assert dialog.frameGeometry().bottom() <= room.bottom()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert window.import_actions.dialog is None
    assert library.memories() == []
    path = tmp_path / "faq.csv"
    path.write_text("triggers,response\na one | a two | a three,So.\n", "utf-8")
    dialog = dialog_of(qtbot, window, path)
    item = some(dialog.rows.item(0, 0))
    assert item.text().splitlines() == ["a one", "a two", "a three"]
    assert dialog.rows.rowHeight(0) >= 3 * dialog.rows.fontMetrics().height() + dialog.theme.px(10)
    dialog.reject()
    path = tmp_path / "words.jsonl"
    path.write_text('{"utterance": "stop it", "category": "ORDER", "intent": "stop", "flags": "B"}\n')
    dialog = dialog_of(qtbot, window, path)
    items = [dialog.rows.item(0, column) for column in range(2)]
    assert [item.text() for item in items if item is not None] == ["stop it", "intent stop"]
    assert dialog.fields.text() == "Read from the file: “utterance” as text. Not imported: “category”, “flags”."
    assert not dialog.fields.isHidden()
    dialog.reject()
    path = tmp_path / "odd.jsonl"
    path.write_text('{"text": "rotate the keys", "expected": "keys", "task": "intent"}\n{"odd": 1}\n', "utf-8")
    dialog = dialog_of(qtbot, window, path)
    dialog.kind.setCurrentIndex(dialog.kind.findData("memories"))
    dialog.kind_requested.emit("memories")
    qtbot.waitUntil(lambda: dialog.preview is not None and dialog.preview.kind == "memories")
    gone = tmp_path / "gone.jsonl"
    dialog.reject()
    refused = dialog_of(qtbot, window, gone)
    assert "cannot be read" in refused.lead.text()
    assert not refused.verb.isEnabled()
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Build\n- Run the tests\n", "utf-8")
    refused = dialog_of(qtbot, window, path)
    assert "import it as a note, begin it with" in refused.lead.text()
    assert all(word not in refused.lead.text() for word in ("--format", str(tmp_path)))
    assert not refused.rows.isVisible()
    library.add("cases", [Case("phrase 1", ("label 1",), Task.INTENT)])
    dialog = dialog_of(qtbot, window, a_file(tmp_path, 3))
    assert dialog.doubt.text().startswith("1 of the first 3 texts are cases already.")
    dialog.kind.setCurrentIndex(dialog.kind.findData("rules"))
    dialog.kind.activated.emit(dialog.kind.currentIndex())
    qtbot.waitUntil(lambda: not dialog.doubt.isVisible())


def test_that_an_import_can_be_undone(qtbot: QtBot, window: MainWindow, library: MemoryLibrary, tmp_path: Path) -> None:
    dialog_of(qtbot, window, a_file(tmp_path, 3, bad=1)).verb.click()
    qtbot.waitUntil(lambda: "Imported" in window.toast.sentence)
    assert window.toast.sentence.startswith("Imported memories from faq.jsonl: 3 added. 1 line was skipped. 3 memories")
    assert window.toast.offers_undo
    assert "Importing" not in window.status_line.accessibleName()
    window.act("import_left_out")
    of_type(window.import_actions.dialog, SkippedLinesDialog).accept()
    window.toast.undo.click()
    qtbot.waitUntil(lambda: window.toast.sentence.startswith("Undone: imported 3 memories"))
    assert library.memories() == []


def test_that_an_import_under_way_shows_and_can_be_cancelled(
    qtbot: QtBot, open_window: Opener, library: MemoryLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go_on, looks = threading.Event(), threading.Event(), []

    def slowly(path: Path, *wanted: Any) -> tuple[str, Iterator[Any]]:
        known, lines = read_file(path, *wanted)
        looks.append(path)

        def read() -> Iterator[Any]:
            for line in lines:
                yield line
                if len(looks) > 1:
                    reached.set()
                    go_on.wait(PATIENCE)

        return known, read()

    monkeypatch.setattr("tests.gui.real_bench.read_file", slowly)
    window = open_window(real_bench(library))
    line = window.status_line
    dialog_of(qtbot, window, a_file(tmp_path, 4)).verb.click()
    qtbot.waitUntil(lambda: reached.is_set() and line.stop.text() == "Cancel")
    assert line.accessibleName().startswith("Importing faq.jsonl: ")
    assert line.stop.isVisible()
    window.act("import")
    assert window.toast.sentence == "faq.jsonl is being imported. Cancel it, or wait."
    window.ask("typed meanwhile")
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    QTest.mouseClick(line.stop, Qt.MouseButton.LeftButton)
    window.worker.do(lambda bench: bench.settle("turn"), lambda _: go_on.set(), lambda _: None)
    qtbot.waitUntil(lambda: "cancelled" in window.toast.sentence)
    assert window.toast.sentence == "The import of faq.jsonl was cancelled; nothing was changed."
    assert not window.toast.offers_undo
    assert not line.stop.isVisible()


def test_that_a_dropped_file_is_looked_at_but_no_dropped_text(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    line, place = window.bar.box.line, QPointF(4, 4)
    plain = QMimeData()
    plain.setText("some text")
    entering = QDragEnterEvent(
        QPoint(4, 4), Qt.DropAction.CopyAction, plain, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    assert not window.import_actions.eventFilter(line, entering)
    held = QMimeData()
    held.setUrls([QUrl.fromLocalFile(str(path)) for path in (a_file(tmp_path), tmp_path / "gone.csv")])
    QApplication.sendEvent(
        line,
        QDragEnterEvent(
            QPoint(4, 4), Qt.DropAction.CopyAction, held, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        ),
    )
    dropped = QDropEvent(
        place, Qt.DropAction.CopyAction, held, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(line, dropped)
    assert dropped.isAccepted()
    qtbot.waitUntil(lambda: window.import_actions.dialog is not None)
    dialog = of_type(window.import_actions.dialog, ImportDialog)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    assert line.text() == ""
    dialog.reject()
    qtbot.waitUntil(lambda: "gone.csv is not there" in window.toast.sentence)
    held.setUrls([QUrl.fromLocalFile(str(tmp_path)), QUrl("https://example.org/a.csv")])
    mixed = QDropEvent(place, Qt.DropAction.CopyAction, held, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    assert not window.import_actions.eventFilter(line, mixed), "what lies elsewhere is not fetched"


def test_that_choosing_and_exporting_open_one_dialog_at_a_time_and_vectors_put_off_have_a_button(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary, tmp_path: Path
) -> None:
    library.add("memories", [Memory(("rotate the keys",))])
    window.act("export_memories")
    dialog = of_type(window.import_actions.dialog, QFileDialog)
    window.act("import")
    assert window.import_actions.dialog is dialog
    path = tmp_path / "kept.jsonl"
    dialog.fileSelected.emit(str(path))
    qtbot.waitUntil(lambda: window.toast.sentence == "Wrote 1 memory to kept.jsonl.")
    assert b"rotate the keys" in path.read_bytes()
    dialog.fileSelected.emit(str(tmp_path / "nowhere" / "kept.jsonl"))
    qtbot.waitUntil(lambda: "was not written" in window.toast.sentence)
    dialog.reject()
    endings = {ending for row in FORMATS.values() for ending in row.endings if ending.count(".") == 1}
    assert set(ENDINGS) == endings
    window.import_actions.choose_file()
    dialog = of_type(window.import_actions.dialog, QFileDialog)
    assert "*.jsonl" in dialog.nameFilters()[0]
    assert len(dialog.nameFilters()) == 2
    dialog.reject()
    line = window.status_line
    asked: list[str] = []
    line.remedy_requested.disconnect()
    line.remedy_requested.connect(asked.append)
    ready = Status("test", encoder_state=EncoderState.READY)
    line.show_status(Status("test", encoder_state=EncoderState.READY, embedded=40, to_embed=200))
    assert (line.stop.text(), line.stop.isVisible()) == ("Later", True)
    line.show_status(Status("test", encoder_state=EncoderState.READY, put_off=160))
    assert line.accessibleName().startswith("160 triggers have no vector yet")
    assert line.stop.text() == "Make them now"
    line.stop.click()
    assert asked == ["retry encoder"]
    line.show_status(ready)
    assert not line.stop.isVisible()


def test_that_closing_the_window_ends_an_import_and_nothing_of_it_is_kept(
    qtbot: QtBot, open_window: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(path: Path, kind: str, *_: object) -> tuple[str, Iterator[Any]]:
        numbers = range(10_000_000) if kind == "memories" else range(3)
        return "memories", (Line(n, Memory((f"phrase {n}",))) for n in numbers)

    monkeypatch.setattr("tests.gui.real_bench.read_file", endless)
    window = open_window(real_bench(SqlLibrary.open(tmp_path)))
    dialog_of(qtbot, window, tmp_path / "endless.jsonl").verb.click()
    qtbot.waitUntil(lambda: "Importing endless.jsonl: " in window.status_line.accessibleName())
    assert not window.close()
    asked = some(window.close_prompt.dialog)
    assert asked.question.text().startswith("An import is under way: ")
    assert asked.question.text().endswith(". Nothing of it is stored yet.")
    assert (asked.verb.text(), asked.cancel.text()) == ("Stop it and close", "Keep the window open")
    assert asked.cancel.isDefault()
    asked.cancel.click()
    assert window.isVisible()
    assert window.import_actions.name == "endless.jsonl"
    assert not window.close()
    asked = some(window.close_prompt.dialog)
    asked.verb.click()
    assert not window.isVisible()
    again = SqlLibrary.open(tmp_path)
    assert again.memories() == []
    again.close()


def test_that_the_columns_of_a_table_are_mapped_in_the_dialog_and_remembered(
    qtbot: QtBot, open_window: Opener, library: MemoryLibrary, tmp_path: Path
) -> None:
    bench = real_bench(library)
    mappings = ColumnMappings(tmp_path / "columns.json")
    bench.importer._adapters = replace(bench._adapters, read_table=read_table, mappings=mappings)
    window = open_window(bench)
    path = tmp_path / "Fragen & Antworten.csv"
    path.write_text("Q1;A1;Nr\nWie?;So.;1\nWo?;Da.;2\n", "utf-8")
    window.import_actions.preview(path)
    dialog = of_type(window.import_actions.dialog, ImportDialog)
    qtbot.waitUntil(lambda: "Choose below what each column contains." in dialog.lead.text())
    assert not dialog.verb.isEnabled()
    assert [dialog.columns.choice(row).currentText() for row in range(3)] == ["Leave out"] * 3
    for row, field in enumerate(("text", "response")):
        choice = dialog.columns.choice(row)
        assert choice.accessibleName() == f"Content of {('Q1', 'A1')[row]}"
        choice.setCurrentIndex(choice.findData(field))
        choice.activated.emit(choice.currentIndex())
    qtbot.waitUntil(lambda: dialog.preview is not None and dialog.verb.isEnabled())
    items = [dialog.rows.item(0, column) for column in range(2)]
    assert [item.text() for item in items if item is not None] == ["Wie?", "no intent · response So."]
    dialog.verb.click()
    qtbot.waitUntil(lambda: "Imported" in window.toast.sentence)
    stored = [(memory.triggers, memory.response) for memory in library.memories()]
    assert stored == [(("Wie?",), "So."), (("Wo?",), "Da.")]
    again = dialog_of(qtbot, window, path)
    assert [again.columns.choice(row).currentText() for row in range(3)] == ["Text", "Response", "Leave out"]
    assert again.verb.text() == "Import 2 memories"
    again.kind.setCurrentIndex(again.kind.findData("cases"))
    again.kind_requested.emit("cases")
    qtbot.waitUntil(lambda: "Choose below" in again.lead.text())
    assert again.columns.choice(0).findData("expected") > 0
    again.reject()


def test_that_what_may_be_a_test_is_not_taught_by_enter_alone(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary, tmp_path: Path
) -> None:
    path = a_file(tmp_path, 3).rename(tmp_path / "banking_queries.jsonl")
    dialog = dialog_of(qtbot, window, path)
    assert dialog.doubt.text().startswith("“queries” in the name suggests queries to test with.")
    assert dialog.doubt.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert library.memories() == []
    dialog.kind.setCurrentIndex(dialog.kind.findData("memories"))
    dialog.kind.activated.emit(dialog.kind.currentIndex())
    qtbot.waitUntil(lambda: dialog.preview is not None)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(library.memories()) == 3)


def test_that_whoever_maps_the_columns_of_what_may_be_a_test_goes_on_there(
    qtbot: QtBot, open_window: Opener, library: MemoryLibrary, tmp_path: Path
) -> None:
    bench = real_bench(library)
    bench.importer._adapters = replace(bench._adapters, read_table=read_table)
    window = open_window(bench)
    window.activateWindow()
    path = tmp_path / "queries.csv"
    path.write_text("Q1;A1;Nr\nWie?;So.;1\nWo?;Da.;2\n", "utf-8")
    window.import_actions.preview(path)
    dialog = of_type(window.import_actions.dialog, ImportDialog)
    qtbot.waitUntil(lambda: "Choose below what each column contains." in dialog.lead.text())
    choice = dialog.columns.choice(0)
    choice.setFocus()
    choice.setCurrentIndex(choice.findData("text"))
    choice.activated.emit(choice.currentIndex())
    qtbot.waitUntil(dialog.doubt.isVisible)
    assert dialog.focusWidget() is choice
    assert not dialog.verb.isDefault()
    dialog.reject()
