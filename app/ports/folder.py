"""A library as a folder of text files: items with their places, lines that cannot be read, and the sync state."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from app.domain.journal import Item
from app.domain.library import Problem

if TYPE_CHECKING:
    from pathlib import Path

ReportProgress = Callable[[int, int], object]
"""Progress callback: how much is done, of how much in all (0 where that is not known); it may raise to cancel."""


@dataclass(frozen=True, slots=True)
class LocatedItem:
    """An item with the file of the folder that holds it, and the line in which it begins."""

    item: Item
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.line:,}"


@dataclass(frozen=True, slots=True)
class FileFault:
    """A line of a file that cannot be read."""

    file: str
    problem: Problem

    @property
    def sentence(self) -> str:
        return f"{self.file}, line {self.problem.line:,}: {self.problem.sentence}"


@dataclass(frozen=True, slots=True)
class FolderContent:
    """The content of a folder when it was read; `fingerprints` are the digests of its files, by path."""

    items: tuple[LocatedItem, ...] = ()
    faults: tuple[FileFault, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyncState:
    """The last common state of a library and its folder: digests of the items by identity, and of the files by path.

    An item without a digest differed between both sides then, or was on neither.
    """

    digests: Mapping[str, str] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)


class LibraryFolders(Protocol):
    """Libraries in folders. Every call may block, and raises KnownError where a folder cannot be read or written."""

    def read(self, folder: Path, report: ReportProgress) -> FolderContent: ...
    def fingerprints(self, folder: Path) -> dict[str, str]:
        """The digest of each file, by path; none where there is no library."""
        ...

    def recover(self, folder: Path) -> None:
        """Roll forward a save of this profile that broke off half-way; saves of others are left alone."""
        ...

    def write(
        self, folder: Path, items: Iterable[Item], expected: Mapping[str, str] | None, report: ReportProgress
    ) -> int:
        """Make the folder hold exactly these items, all or nothing; how many files changed."""
        ...

    def watch(self, folder: Path) -> AsyncGenerator[bool, None]:
        """True each time that files have changed, False as a heartbeat; ends when the folder cannot be watched."""
        ...


class SyncStates(Protocol):
    """The sync states that a profile keeps of its folders. Every call may block; an unreadable state counts as none."""

    def get(self, folder: Path) -> SyncState: ...
    def put(self, folder: Path, synced: SyncState) -> None: ...
