"""The file formats that can be imported and exported, one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from app.adapters import json_lines
from app.adapters.json_records import Item, ItemKind
from app.domain.case import Task
from app.ports import FormatError, Line, Problem


class Reader(Protocol):
    """The lines of a file as items of one kind, and the lines that are none as problems."""

    def __call__(
        self, source: Path | BinaryIO, kind: ItemKind, task: Task | None = None
    ) -> Iterator[Line[Item] | Problem]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name for people, the endings of its files, and what reads, tells and writes it."""

    title: str
    endings: tuple[str, ...]
    read: Reader
    detect_kind: Callable[[Path], ItemKind]
    write: Callable[[BinaryIO, Iterable[Item]], int]


FORMATS: dict[str, Format] = {
    "jsonl": Format("JSON Lines", (".jsonl", ".ndjson"), json_lines.read, json_lines.detect_kind, json_lines.write),
}


def format_of(path: Path) -> Format:
    """The format that the file's ending stands for; JSON Lines where it says nothing; FormatError for another one."""
    ending = path.suffix.lower()
    for row in FORMATS.values():
        if ending in row.endings:
            return row
    if ending in ("", ".json", ".txt"):
        return FORMATS["jsonl"]
    known = ", ".join(ending for row in FORMATS.values() for ending in row.endings)
    raise FormatError(f"Files that end in “{ending}” cannot be read; {known} can.")
