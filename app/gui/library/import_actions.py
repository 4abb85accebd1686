"""Import and export: files chosen or dropped, previewed and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.domain.journal import BY_PLURAL, counted
from app.gui.bridge.jobs import Job
from app.gui.kit.dialogs import SkippedLinesDialog

if TYPE_CHECKING:
    from app.display.library.importing import RemainingTime
    from app.domain.library import Problem
    from app.gui.kit.page import Shell
    from app.gui.library.import_dialog import ImportDialog
    from app.services.engine.adapters import ColumnMapping, TableHead
    from app.services.library.import_export import ImportFinished, ImportPreview, ImportProgress
    from app.services.workbench import Workbench

_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class ImportActions(QObject):
    """Import and export of one window; at most one dialog and one import at a time."""

    dropped = Signal(list)  # files and folders dropped into the window
    freed = Signal()  # a dialog was closed, or an import has ended
    progressed = Signal()  # the import goes on
    finished = Signal(Path, str)  # the file that was taken in, None if it was not; how it ended, in a sentence

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.window())
        self._shell, self._reading = shell, Job(shell.worker, self)
        self._job = Job(shell.worker, self, lambda sentence: shell.notify(sentence, bad=True))
        self.dialog: ImportDialog | SkippedLinesDialog | QFileDialog | None = None
        self.name = ""
        """File that is being imported; "" for none."""
        self.left_out: tuple[str, tuple[Problem, ...]] = ("", ())
        """Last file with skipped lines, and these lines."""
        self._path: Path | None = None
        self._pace: RemainingTime | None = None
        self.taking: ImportProgress | None = None
        """Progress of the import; None before the first report."""

    # ---- user actions

    def choose_file(self) -> None:
        if self._is_open():
            return
        dialog = QFileDialog(self._shell.window(), "Import a file", fileMode=QFileDialog.FileMode.ExistingFile)
        from app.display.library.importing import ENDINGS

        known = " ".join(f"*{ending}" for ending in ENDINGS)
        dialog.setNameFilters([f"What can be imported ({known})", "All files (*)"])
        dialog.fileSelected.connect(lambda chosen: self.preview(Path(chosen)))
        self._open(dialog)

    def preview(self, path: Path) -> None:
        """Preview a file, and import it after confirmation."""
        if self.refusal():
            self._shell.notify(self.refusal(), bad=True)
            return
        from app.gui.library.import_dialog import ImportDialog

        dialog = ImportDialog(self._shell.theme, path, self._shell.window())
        dialog.kind_requested.connect(lambda kind: self._preview_again(dialog, kind))
        dialog.mapped.connect(lambda mapped: self._map(dialog, mapped))
        dialog.taken.connect(self._import)
        self._open(dialog)

        async def read(bench: Workbench, tell: Callable[..., None]) -> ImportPreview:
            found = await bench.importer.table_head(path)
            if found is None:
                return await bench.importer.preview(path)
            tell(*found)
            return await bench.importer.preview(path, found[1].kind, found[1].columns)

        self._reading.run_with_progress(read, partial(self._on_headed, path), self._on_previewed, self._on_refused)

    def refusal(self) -> str:
        """Return why no import can start now; "" if one can."""
        return f"{self.name} is being imported. Cancel it, or wait." if self.name else ""

    def left_out_refusal(self) -> str:
        """Return why there are no skipped lines to show."""
        return "" if self.left_out[1] else "No import of this session skipped a line."

    def show_left_out(self) -> None:
        """List the lines that the last import skipped."""
        if not self._is_open():
            self._open(SkippedLinesDialog(self._shell.theme, *self.left_out, self._shell.window()))

    def cancel(self) -> None:
        """Cancel the import; items stored so far are kept and encoded later."""

        async def stop(bench: Workbench) -> None:
            bench.importer.stop()

        self._job.do(stop)

    def export(self, kind: str) -> None:
        """Choose a file, and export all items of a kind to it."""
        if self._is_open():
            return
        dialog = QFileDialog(self._shell.window(), f"Export {kind}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(["JSON Lines (*.jsonl)", "All files (*)"])
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(f"{kind}.jsonl")
        dialog.fileSelected.connect(lambda chosen: self._export(kind, Path(chosen)))
        self._open(dialog)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept drops of files and folders anywhere in the window; Qt handles dragged text."""
        if event.type() not in _DRAGS or not isinstance(event, QDropEvent | QDragMoveEvent | QDragEnterEvent):
            return False
        paths = _dropped(event)
        if not paths:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() is QEvent.Type.Drop:
            self.dropped.emit(paths)
        return True

    @property
    def is_busy(self) -> bool:
        """True if a dialog is open, or a file is being imported."""
        return bool(self.name) or self.dialog is not None

    @property
    def is_storing(self) -> bool:
        """True if an import has stored nothing yet."""
        from app.services.library.import_export import ImportStage

        return bool(self.name) and (self.taking is None or self.taking.stage is ImportStage.STORING)

    # ---- dialogs

    def _is_open(self) -> bool:
        if self.dialog is not None:
            self.dialog.activateWindow()
        return self.dialog is not None

    def _open(self, dialog: ImportDialog | SkippedLinesDialog | QFileDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _: self._closed(dialog))
        before = self._shown
        self.dialog = dialog
        if before is not None:
            before.reject()
        dialog.open()

    @property
    def _shown(self) -> ImportDialog | None:
        """Open dialog if it is a preview. Its module is loaded only on use."""
        from app.gui.library import import_dialog

        return self.dialog if isinstance(self.dialog, import_dialog.ImportDialog) else None

    def _closed(self, dialog: QObject) -> None:
        if self.dialog is dialog:
            self.dialog = None
            self.freed.emit()

    def _preview_again(self, dialog: ImportDialog, kind: str) -> None:
        dialog.wait()
        dialog.columns.show_kind(kind)
        self._read_again(dialog.path, kind, dialog.columns.columns())

    def _map(self, dialog: ImportDialog, mapped: ColumnMapping) -> None:
        dialog.wait()
        self._read_again(dialog.path, mapped.kind, mapped.columns)

    def _read_again(self, path: Path, kind: str, columns: Mapping[str, str] | None) -> None:
        self._job.do(lambda bench: bench.importer.preview(path, kind, columns), self._on_previewed, self._on_refused)

    def _export(self, kind: str, path: Path) -> None:
        self._job.do(
            lambda bench: bench.importer.export(kind, path),
            lambda count: self._shell.notify(f"Wrote {counted(BY_PLURAL[kind], count)} to {path.name}."),
        )

    # ---- results

    def _on_headed(self, path: Path, head: TableHead, mapped: ColumnMapping) -> None:
        if self._shown is not None and self._shown.path == path:
            self._shown.show_head(head, mapped)

    def _on_previewed(self, preview: ImportPreview) -> None:
        shown = self._shown
        if shown is None or shown.path != preview.path:
            return
        if preview.columns == shown.columns.columns():  # otherwise it was mapped again meanwhile
            shown.show_preview(preview)

    def _on_refused(self, sentence: str) -> None:
        if self._shown is not None:
            self._shown.refuse(sentence)

    def _import(self, preview: ImportPreview) -> None:
        from app.display.library.importing import RemainingTime

        self.name, self._path, self._pace, self.taking = preview.path.name, preview.path, RemainingTime(), None
        self._job.follow(
            lambda bench: bench.importer.import_file(preview), self._on_step, self._on_end, whole_steps=True
        )

    def _on_step(self, taking: ImportProgress | ImportFinished) -> None:
        from app.display.library.importing import progress_line
        from app.services.library.import_export import ImportFinished, ImportStage

        if isinstance(taking, ImportFinished):
            self._on_finished(taking)
            return
        if self._pace is not None:
            self.taking = taking
            self._pace.add(taking.done, monotonic())
            line = progress_line(self.name, taking, self._pace.text(taking.total))
            self._shell.show_job(line, can_stop=taking.stage is ImportStage.STORING)
            self.progressed.emit()

    def _on_finished(self, taken: ImportFinished) -> None:
        from app.display.library.importing import outcome_sentence

        sentence = outcome_sentence(self.name, taken)
        if taken.result is not None and taken.result.problems:
            self.left_out = (self.name, taken.result.problems)
        kept = taken.result is not None and bool(taken.result.change.added or taken.result.change.updated)
        self._finish()
        if kept:
            self._shell.note_stored()
        self._shell.notify(sentence, undo=kept)
        self.finished.emit(None if taken.result is None else self._path, sentence)

    def _on_end(self, sentence: str) -> None:
        if sentence:
            self._finish()
            self._shell.notify(sentence, bad=True)
            self.finished.emit(None, sentence)

    def _finish(self) -> None:
        self.name, self._pace = "", None
        self._shell.show_job("")
        self.freed.emit()


def _dropped(event: QDropEvent) -> list[Path]:
    """Return the files and folders of a drag; none if it has anything else."""
    urls = event.mimeData().urls()
    return [Path(url.toLocalFile()) for url in urls] if all(url.isLocalFile() for url in urls) else []
