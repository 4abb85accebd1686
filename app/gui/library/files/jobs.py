"""Jobs of import, export and the synchronised folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import KnownError
from app.gui.bridge.engine_thread import Operation, Worker
from app.gui.bridge.jobs import Job

if TYPE_CHECKING:
    from app.services.library.folder_diff import Choice
    from app.services.library.folder_sync import FolderComparison
    from app.services.library.import_export import ImportFinished, ImportPreview
    from app.services.workbench import Workbench


class FileJobs(QObject):
    """Import and export of files."""

    with_header = Signal(Path, object, object)  # TableHead, Mapped
    previewed = Signal(object)  # ImportPreview
    look_refused = Signal(str)  # a sentence for the user
    progressed = Signal(object)  # ImportProgress
    finished = Signal(object)  # ImportFinished
    refused = Signal(str)  # a sentence: nothing was imported
    given = Signal(str, str, int)  # kind, file name, number of items
    give_refused = Signal(str)

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._do = Job(worker, self).do

    def begin(self, path: Path) -> None:
        """Preview a file without storing; of a table first its headings, mapped as before."""

        async def act(bench: Workbench) -> ImportPreview:
            found = await bench.importer.table_head(path)
            if found is None:
                return await bench.importer.preview(path)
            self.with_header.emit(path, *found)
            return await bench.importer.preview(path, found[1].kind, found[1].columns)

        self._do(act, self.previewed.emit, self.look_refused.emit)

    def preview(self, path: Path, kind: str = "auto", columns: Mapping[str, str] | None = None) -> None:
        """Preview the file again with another kind or mapping."""
        self._do(lambda bench: bench.importer.preview(path, kind, columns), self.previewed.emit, self.look_refused.emit)

    def take_in(self, preview: ImportPreview) -> None:
        """Import a previewed file."""

        async def act(bench: Workbench) -> ImportFinished | None:
            from app.services.library.import_export import ImportFinished

            result = None
            async with contextlib.aclosing(bench.importer.import_file(preview)) as steps:
                async for step in steps:
                    if isinstance(step, ImportFinished):
                        result = step
                    else:
                        self.progressed.emit(step)
            return result

        self._do(act, self.finished.emit, self.refused.emit)

    def stop(self) -> None:
        """Skip what is not stored yet, or postpone the vectors."""

        async def act(bench: Workbench) -> None:
            bench.importer.stop()

        self._do(act)

    def give_out(self, kind: str, path: Path) -> None:
        """Export all items of a kind to a file."""
        self._do(
            lambda bench: bench.importer.export(kind, path),
            lambda count: self.given.emit(kind, path.name, count),
            self.give_refused.emit,
        )


# ---- Folder of texts


class FolderJobs(QObject):
    """Comparison, loading and saving of the folder."""

    seen = Signal(object)  # FolderComparison
    loaded = Signal(object)  # LoadResult
    saved = Signal(object)  # SaveResult
    linked = Signal(str)  # the folder; "" for none
    progressed = Signal(str, int, int)  # action, items done, in total
    refused = Signal(str)  # a sentence for the user; "" if it was cancelled

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._do = Job(worker, self).do

    def compare(self, folder: Path) -> None:
        """Compare library and folder."""
        self._attempt(lambda bench: bench.files.compare(folder, partial(self.progressed.emit, "look")), self.seen.emit)

    def load(self, seen: FolderComparison, choices: Mapping[str, Choice]) -> None:
        """Load a comparison, with conflicts as chosen."""

        async def act(bench: Workbench) -> object:
            loaded = await bench.files.load(seen, choices)
            await bench.folder_watch.check()
            return loaded

        self._attempt(act, self.loaded.emit)

    def save(self, folder: Path) -> None:
        """Save the library to a folder."""

        async def act(bench: Workbench) -> object:
            saved = await bench.files.save(folder, partial(self.progressed.emit, "save"))
            await bench.folder_watch.check()
            return saved

        self._attempt(act, self.saved.emit)

    def link(self, folder: Path | None) -> None:
        """Link the library to a folder, or to none."""

        async def act(bench: Workbench) -> None:
            await bench.choose("files.folder", None if folder is None else str(folder))
            await bench.folder_watch.check()

        self._attempt(act, lambda _: self.linked.emit("" if folder is None else str(folder)))

    def stop(self) -> None:
        """Cancel reading or writing, before it changes anything."""

        async def act(bench: Workbench) -> None:
            bench.files.stop()

        self._do(act)

    def _attempt(self, act: Operation, tell: Callable[[Any], object]) -> None:
        async def attempt(bench: Workbench) -> object:
            from app.services.library.import_export import ImportCancelledError

            try:
                return await act(bench)
            except ImportCancelledError:
                raise KnownError from None

        self._do(attempt, tell, self.refused.emit)
