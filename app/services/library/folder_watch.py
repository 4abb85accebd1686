"""The folder that a library is linked to, watched for changes: told, or taken in at once where that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from app.domain.errors import KnownError
from app.ports.folder import LibraryFolders, SyncedStates
from app.services.core import Core, FolderNews
from app.services.library.folder import LibraryFiles, Seen
from app.services.library.folder_plan import Side
from app.services.library.transfer import StoppedError

IDLE_SECONDS = 1.0
"""How soon a folder that is linked is watched."""


class FolderWatch:
    """Runs beside everything else; `news` is None while no folder is linked."""

    def __init__(
        self,
        core: Core,
        files: LibraryFiles,
        outside: tuple[LibraryFolders | None, SyncedStates | None],
        changed: Callable[[], object],
    ) -> None:
        self._core = core
        self._files = files
        self._folders, self._states = outside
        self._changed = changed
        self.news: FolderNews | None = None

    @property
    def folder(self) -> Path | None:
        """The folder that is linked."""
        named = self._core.settings.files.folder
        return Path(named).expanduser() if named else None

    async def run(self) -> None:
        """Watch whatever folder is linked, until the end."""
        while self._folders is not None and self._states is not None:
            folder = self.folder
            if folder is None:
                self._tell(None)
                await asyncio.sleep(IDLE_SECONDS)
                continue
            await self.check()
            try:
                await self._follow(self._folders, folder)
            except KnownError as error:  # it cannot be watched now; it is tried again
                self._tell(FolderNews(folder, fault=str(error)))
            await asyncio.sleep(IDLE_SECONDS)

    async def _follow(self, folders: LibraryFolders, folder: Path) -> None:
        """Check whenever something changes, until another folder is linked or this one is gone; KnownError."""
        async with aclosing(folders.changes(folder)) as changes:
            async for is_other in changes:
                if self.folder != folder:
                    return
                if is_other:
                    await self.check()

    async def check(self) -> None:
        """Find out what differs now, and take in what the folder alone has changed where that is wanted."""
        folder = self.folder
        if folder is None:
            self._tell(None)
            return
        try:
            self._tell(await self._found(folder))
        except StoppedError:
            return
        except KnownError as error:
            self._tell(FolderNews(folder, fault=str(error)))

    async def _found(self, folder: Path) -> FolderNews:
        assert self._folders is not None
        assert self._states is not None
        prints = await asyncio.to_thread(self._folders.prints, folder)
        if not prints:
            return FolderNews(folder, is_new=True)
        if prints == (await asyncio.to_thread(self._states.get, folder)).prints and not self._is_open:
            return FolderNews(folder)
        seen = await self._files.look(folder)
        if self._core.settings.files.follow and not seen.faults and not seen.plan.of(Side.BOTH):
            await self._files.load(seen, {})
            return FolderNews(folder, here=len(seen.plan.of(Side.HERE)))
        return news_of(seen)

    @property
    def _is_open(self) -> bool:
        """Whether something was found to differ that nobody has decided."""
        return self.news is not None and bool(self.news.there or self.news.conflicts)

    def _tell(self, news: FolderNews | None) -> None:
        if news != self.news:
            self.news = news
            self._changed()


def news_of(seen: Seen) -> FolderNews:
    """What was seen, counted."""
    there, both, here = (len(seen.plan.of(side)) for side in (Side.THERE, Side.BOTH, Side.HERE))
    return FolderNews(seen.folder, there, both, here, len(seen.faults))
