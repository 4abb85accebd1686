"""What a library in a folder of texts is to the engine: its things with their places, and what is wrong with which."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from app.domain.journal import Item
from app.domain.language import say, thousands
from app.domain.library import Problem

if TYPE_CHECKING:
    from pathlib import Path

Tell = Callable[[int, int], object]
"""Called with how much of how much is done (0 where that is not known); it may raise to break off."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A thing, the file of the folder that holds it, and the line in which it begins."""

    item: Item
    file: str
    line: int

    @property
    def place(self) -> str:
        return say("{file}, line {line}", file=self.file, line=thousands(self.line))


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of a file that cannot be read."""

    file: str
    problem: Problem

    @property
    def sentence(self) -> str:
        return say(
            "{file}, line {line}: {sentence}",
            file=self.file,
            line=thousands(self.problem.line),
            sentence=self.problem.sentence,
        )


@dataclass(frozen=True, slots=True)
class FolderContent:
    """What a folder held when it was read; `prints` tells each of its files from any other, by its path."""

    things: tuple[Placed, ...] = ()
    faults: tuple[Fault, ...] = ()
    prints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Synced:
    """How library and folder were when they were last the same: digests by identity, and prints by file.

    A thing of which it holds nothing was not the same on both sides then, or on neither.
    """

    digests: Mapping[str, str] = field(default_factory=dict)
    prints: Mapping[str, str] = field(default_factory=dict)


class LibraryFolders(Protocol):
    """Libraries in folders; every call may block, and raises KnownError where a folder cannot be read or written."""

    def read(self, folder: Path, tell: Tell) -> FolderContent: ...
    def prints(self, folder: Path) -> dict[str, str]:
        """What tells each file from any other; none where there is no library."""
        ...

    def finish(self, folder: Path) -> None:
        """Put in place what this profile left half-way when a save of its own broke off; nothing of anybody else's."""
        ...

    def write(self, folder: Path, items: Iterable[Item], expected: Mapping[str, str] | None, tell: Tell) -> int:
        """Make the folder hold exactly these things, whole or not at all; how many files changed."""
        ...

    def changes(self, folder: Path) -> AsyncGenerator[bool, None]:
        """True each time that its files have changed, False now and then; ends when it cannot be watched any more."""
        ...


class SyncedStates(Protocol):
    """What a profile remembers of folders; every call may block. What cannot be read is as if it were forgotten."""

    def get(self, folder: Path) -> Synced: ...
    def put(self, folder: Path, synced: Synced) -> None: ...
