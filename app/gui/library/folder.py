"""Synchronised folder: choose, link, compare, load and save it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout

from app.domain.errors import KnownError
from app.gui.bridge.jobs import Job, Progress
from app.gui.kit.controls import button
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme

if TYPE_CHECKING:
    from app.gui.kit.page import Shell
    from app.gui.library.folder_dialog import FolderDialog
    from app.services.library.folder_sync import FolderComparison, LoadResult, SaveResult, Winner
    from app.services.status import FolderNews
    from app.services.workbench import Workbench


class FolderStrip(Ruled):
    """Strip reporting that library and folder differ; hidden if not, or after “Not now”."""

    ground = "accent_soft"
    mark = "accent"

    show_requested = Signal()
    take_requested = Signal()
    save_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.news: FolderNews | None = None
        self._put_off: FolderNews | None = None
        self.sentence = WrappedLabel()
        self.take = button("Import", press=self.take_requested.emit)
        self.show_ = button("Show differences", press=self.show_requested.emit)
        self.save = button("Save the library there", press=self.save_requested.emit)
        self.later = button("Not now", link=True, press=self._later)
        row = spaced(QHBoxLayout(self), theme.px(8), theme.px(16), theme.px(6), theme.px(12), theme.px(6))
        fill(row, (self.sentence, 1), self.take, self.show_, self.save, self.later)
        self.setVisible(False)

    def show_news(self, news: FolderNews | None) -> None:
        """Show the news, unless postponed."""
        if news == self.news:
            return
        from app.display.library.folder import strip_sentence as said

        self.news = news
        sentence = said(news)
        self.sentence.show_text(sentence)
        self.setAccessibleName(sentence)
        readable = news is not None and not (news.fault or news.is_new)
        can_take = news is not None and readable and bool(news.there) and not (news.conflicts or news.faults)
        self.take.setVisible(can_take)
        self.show_.setVisible(readable)
        self.save.setVisible(news is not None and news.is_new)
        self.setVisible(bool(sentence) and news != self._put_off)

    def _later(self) -> None:
        self._put_off = self.news
        self.setVisible(False)


# ---- Actions: choose, save to, link and compare a folder of texts


class FolderActions(QObject):
    """Actions on the folder of one window; at most one dialog and one job at a time."""

    freed = Signal()  # a dialog was closed, or a job has ended
    used = Signal(Path)  # the folder that was loaded, saved to or linked
    finished = Signal(str)  # result of loading or saving, in a sentence

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.window())
        self._shell, self._job = shell, Job(shell.worker, self, self._on_refused)
        self.strip = FolderStrip(shell.theme)
        self.dialog: FolderDialog | QFileDialog | None = None
        self.is_busy = False
        self._folder: Path | None = None
        self._takes_all = False
        self.strip.show_requested.connect(self.compare)
        self.strip.take_requested.connect(self._take_all)
        self.strip.save_requested.connect(self.save_to_linked)

    # ---- user actions

    @property
    def linked(self) -> Path | None:
        """Folder that the library is linked to."""
        core_state = self._shell.core_state
        return (
            core_state.status.folder.folder if core_state is not None and core_state.status.folder is not None else None
        )

    def refusal(self) -> str:
        """Return why folders cannot be used now; "" if they can."""
        return "The folder is being read or written. Cancel it, or wait." if self.is_busy else ""

    def linked_refusal(self) -> str:
        """Return why the linked folder cannot be used now; "" if it can."""
        if self.linked is None:
            return "Link a folder first: “Link the library to a folder…”."
        return self.refusal()

    def save_to(self) -> None:
        self._choose("Save the library to a folder", self.save_in)

    def save_to_linked(self) -> None:
        if self.linked is not None:
            self.save_in(self.linked)

    def link(self) -> None:
        """Choose the folder that the library is linked to."""
        self._choose("Link the library to a folder", self.link_to)

    def unlink(self) -> None:
        """Link the library to no folder any more; its files stay."""
        self.link_to(None)

    def compare(self, folder: Path | None = None) -> None:
        """Show differences between the library and a folder, by default the linked one."""
        folder = folder or self.linked
        if folder is None or self.is_busy:
            return
        if self.dialog is not None:
            self.dialog.reject()
        from app.gui.library.folder_dialog import FolderDialog

        dialog = FolderDialog(self._shell.theme, folder, self._shell.window())
        dialog.load_requested.connect(self._load)
        dialog.save_requested.connect(lambda: self.save_in(folder))
        dialog.look_requested.connect(lambda: self._compare(folder))
        self._open(dialog)
        self._compare(folder)

    def cancel(self) -> None:
        """Cancel the running job, before it changes anything."""

        async def stop(bench: Workbench) -> None:
            bench.files.stop()

        self._job.do(stop)

    # ---- jobs

    def _choose(self, title: str, then: Callable[[Path], object]) -> None:
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        dialog = QFileDialog(self._shell.window(), title, fileMode=QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        self._open(dialog)

    def _open(self, dialog: FolderDialog | QFileDialog) -> None:
        self.dialog = dialog
        dialog.finished.connect(lambda _: self._closed(dialog))
        dialog.open()

    def _closed(self, dialog: QDialog) -> None:
        if self.dialog is dialog:
            self.dialog = None
        if self.is_busy and not isinstance(dialog, QFileDialog):
            self.cancel()
        dialog.deleteLater()
        self.freed.emit()

    def _compare(self, folder: Path) -> None:
        self._begin(folder)
        self._attempt("look", lambda bench, tell: bench.files.compare(folder, tell), self._on_seen)

    def save_in(self, folder: Path) -> None:
        self._begin(folder)

        async def save(bench: Workbench, tell: Progress) -> SaveResult:
            saved = await bench.files.save(folder, tell)
            await bench.folder_watch.check()
            return saved

        self._attempt("save", save, self._on_saved)

    def _load(self, seen: FolderComparison, choices: Mapping[str, Winner]) -> None:
        self._begin(seen.folder)

        async def load(bench: Workbench, _: Progress) -> LoadResult:
            loaded = await bench.files.load(seen, choices)
            await bench.folder_watch.check()
            return loaded

        self._attempt("load", load, self._on_loaded)

    def link_to(self, folder: Path | None) -> None:
        """Link the library to a folder from now on; None for no folder."""

        async def link(bench: Workbench, _: Progress) -> None:
            await bench.choose("files.folder", None if folder is None else str(folder))
            await bench.folder_watch.check()

        self._attempt("link", link, lambda _: self._on_linked(folder))

    def _attempt(
        self, verb: str, act: Callable[[Workbench, Progress], Awaitable[object]], tell: Callable[[Any], object]
    ) -> None:
        async def attempt(bench: Workbench, progress: Progress) -> object:
            from app.services.library.import_export import ImportCancelledError

            try:
                return await act(bench, progress)
            except ImportCancelledError:
                raise KnownError from None

        self._job.run_with_progress(attempt, partial(self._on_progress, verb), tell)

    def _take_all(self) -> None:
        if self.linked is not None and not self.is_busy:
            self._takes_all = True
            self._compare(self.linked)

    def _begin(self, folder: Path) -> None:
        self.is_busy, self._folder = True, folder

    def _end(self) -> None:
        self.is_busy = False
        self._shell.show_job("")
        self.freed.emit()

    @property
    def _sheet(self) -> FolderDialog | None:
        """Open dialog if it shows differences."""
        return None if isinstance(self.dialog, QFileDialog) else self.dialog

    def _report_end(self, folder: Path, sentence: str, *, undo: bool) -> None:
        self._shell.notify(sentence, undo=undo)
        self.used.emit(folder)
        self.finished.emit(sentence)

    # ---- results

    def _on_progress(self, verb: str, done: int, total: int) -> None:
        from app.display.library.folder import folder_name, progress_line

        if self.is_busy and self._folder is not None:
            self._shell.show_job(progress_line(verb, folder_name(self._folder), done, total), can_stop=True)

    def _on_seen(self, seen: FolderComparison) -> None:
        self._end()
        if self._takes_all:
            self._takes_all = False
            if seen.faults or any(one.side == "both" for one in seen.diff.differences):
                self.compare(seen.folder)  # it changed again since the strip was shown
            else:
                self._load(seen, {})
        elif self._sheet is not None:
            self._sheet.show_comparison(seen)

    def _on_loaded(self, came: LoadResult) -> None:
        from app.display.library.folder import loaded_sentence

        self._end()
        assert self._folder is not None, "it was begun"
        if self._sheet is not None:
            self._sheet.accept()
        kept = came.written is not None
        if kept:
            self._shell.note_stored()
        self._report_end(self._folder, loaded_sentence(self._folder, came), undo=kept)

    def _on_saved(self, came: SaveResult) -> None:
        from app.display.library.folder import saved_sentence

        self._end()
        if self._sheet is not None:
            self._sheet.accept()
        self._report_end(came.folder, saved_sentence(came), undo=False)

    def _on_linked(self, folder: Path | None) -> None:
        self._end()
        if folder is not None:
            self.used.emit(folder)
        if folder is None:
            self._shell.notify("The library is linked to no folder any more. Its files stay.")
        elif (news := self.strip.news) is not None and not news.is_new and not news.fault:
            self.compare(folder)

    def _on_refused(self, sentence: str) -> None:
        self._end()
        self._takes_all = False
        if not sentence:
            self._shell.notify("Cancelled; nothing was changed.")
        elif self._sheet is not None:
            self._sheet.refuse(sentence)
        else:
            self._shell.notify(sentence, bad=True)
