"""Library as a folder of text files: located items, unreadable lines, and sync state."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from app.domain.journal import Item
from app.domain.library import Problem

if TYPE_CHECKING:
    from pathlib import Path

ReportProgress = Callable[[int, int], object]
"""Progress callback (done, total; 0 if unknown); it may raise to cancel."""


@dataclass(frozen=True, slots=True)
class LocatedItem:
    """Item with the file of the folder that holds it, and its first line."""

    item: Item
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.line:,}"


@dataclass(frozen=True, slots=True)
class FileFault:
    """Line of a file that cannot be read."""

    file: str
    problem: Problem

    @property
    def sentence(self) -> str:
        return f"{self.file}, line {self.problem.line:,}: {self.problem.sentence}"


@dataclass(frozen=True, slots=True)
class FolderContent:
    """Content of a folder at one time; `fingerprints` are digests of its files, by path."""

    items: tuple[LocatedItem, ...] = ()
    faults: tuple[FileFault, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyncState:
    """Last common state of library and folder: digests of items by identity and files by path.

    An item without a digest differed then, or was on neither side.
    """

    digests: Mapping[str, str] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)


class LibraryFolders(Protocol):
    """Libraries in folders. Every call may block.

    Raises KnownError if a folder cannot be accessed.
    """

    def read(self, folder: Path, report: ReportProgress) -> FolderContent: ...
    def fingerprints(self, folder: Path) -> dict[str, str]:
        """Return the digest of each file by path; empty without a library."""

    def recover(self, folder: Path) -> None:
        """Complete an interrupted save of this profile; saves of other profiles are left alone."""

    def write(
        self, folder: Path, items: Iterable[Item], expected: Mapping[str, str] | None, report: ReportProgress
    ) -> int:
        """Make the folder hold exactly these items; return the number of changed files.

        All files are changed, or none.
        """

    def watch(self, folder: Path) -> AsyncGenerator[bool, None]:
        """Yield True after each change of files, False as a heartbeat; ends if watching fails."""


class SyncStates(Protocol):
    """Sync states of a profile's folders. Every call may block; an unreadable state is empty."""

    def get(self, folder: Path) -> SyncState: ...
    def put(self, folder: Path, synced: SyncState) -> None: ...
