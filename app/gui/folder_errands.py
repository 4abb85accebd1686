"""What the window sends the engine for when the library is kept in a folder of texts, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import KnownError
from app.gui.errands import Act, Refuse, Tell

if TYPE_CHECKING:
    from app.services.library.folder import Seen
    from app.services.library.folder_plan import Choice
    from app.services.workbench import Workbench


class FolderErrands(QObject):
    """Every method returns at once; what comes of it is told by a signal on this side."""

    seen = Signal(object)  # Seen
    loaded = Signal(object)  # Loaded
    saved = Signal(object)  # Saved
    linked = Signal(str)  # the folder; "" for none
    moved = Signal(str, int, int)  # what is done, how much of how much
    refused = Signal(str)  # a sentence for the user; "" if it was stopped

    def __init__(self, do: Callable[[Act, Tell, Refuse], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._do = do

    def look(self, folder: Path) -> None:
        """Find out what differs."""
        self._errand(lambda bench: bench.files.look(folder, partial(self.moved.emit, "look")), self.seen.emit)

    def load(self, seen: Seen, choices: Mapping[str, Choice]) -> None:
        """Take in what was seen, conflicts as they were chosen."""

        async def act(bench: Workbench) -> object:
            loaded = await bench.files.load(seen, choices)
            await bench.folder_watch.check()
            return loaded

        self._errand(act, self.loaded.emit)

    def save(self, folder: Path) -> None:
        """Make a folder hold the library."""

        async def act(bench: Workbench) -> object:
            saved = await bench.files.save(folder, partial(self.moved.emit, "save"))
            await bench.folder_watch.check()
            return saved

        self._errand(act, self.saved.emit)

    def link(self, folder: Path | None) -> None:
        """Link the library to a folder from now on, or to none."""

        async def act(bench: Workbench) -> None:
            await bench.choose("files.folder", None if folder is None else str(folder))
            await bench.folder_watch.check()

        self._errand(act, lambda _: self.linked.emit("" if folder is None else str(folder)))

    def stop(self) -> None:
        """Break off what is read or written, before it changes anything."""

        async def act(bench: Workbench) -> None:
            bench.files.stop()

        self._do(act, lambda _: None, lambda _: None)

    def _errand(self, act: Act, tell: Callable[[Any], object]) -> None:
        async def attempt(bench: Workbench) -> object:
            from app.services.library.transfer import StoppedError

            try:
                return await act(bench)
            except StoppedError:
                raise KnownError from None

        self._do(attempt, tell, self.refused.emit)
