"""The file formats that can be imported and exported, one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from app.adapters import csv_tables, json_arrays, json_lines, question_texts, toml_tables
from app.adapters.documents import TreeReader
from app.adapters.json_records import Item, ItemKind
from app.adapters.rasa_files import RASA
from app.adapters.route_files import ROUTES
from app.adapters.server_files import SERVERS
from app.adapters.spell_files import SPELLS
from app.adapters.tool_lists import TOOLS
from app.adapters.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.ports.store import Line, Problem


class Reader(Protocol):
    """The lines of a file as items of one kind, and the lines that are none as problems."""

    def __call__(
        self, source: Path | BinaryIO, kind: ItemKind, task: Task | None = None
    ) -> Iterator[Line[Item] | Problem]: ...


class ColumnReader(Protocol):
    """A reader that can be told under which headings things stand."""

    def __call__(
        self,
        source: Path | BinaryIO,
        kind: ItemKind,
        task: Task | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Iterator[Line[Item] | Problem]: ...


Writer = Callable[[BinaryIO, Iterable[Item]], int]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name for people, the endings of its files, and what reads, tells and writes it.

    `write` is None where a file could not say all that the library knows. `fits` tells the format from others that
    share an ending, by what a structured file says. `read_columns` is for tables.
    """

    title: str
    endings: tuple[str, ...]
    read: Reader
    detect_kind: Callable[[Path], ItemKind]
    write: Writer | None = None
    fits: Callable[[Node], bool] | None = None
    read_columns: ColumnReader | None = None
    kinds: tuple[ItemKind, ...] = tuple(ItemKind)


def _tree(title: str, reader: TreeReader, *endings: str) -> Format:
    return Format(title, endings, reader.read, reader.detect_kind, fits=reader.fits, kinds=reader.kinds)


FORMATS: dict[str, Format] = {
    "jsonl": Format("JSON Lines", (".jsonl", ".ndjson"), json_lines.read, json_lines.detect_kind, json_lines.write),
    "csv": Format(
        "CSV", (".csv",), csv_tables.read, csv_tables.detect_kind, csv_tables.write, read_columns=csv_tables.read,
    ),
    "tsv": Format(
        "TSV", (".tsv",), csv_tables.read, csv_tables.detect_kind, partial(csv_tables.write, mark="\t"),
        read_columns=csv_tables.read,
    ),
    "toml": Format("TOML", (".toml",), toml_tables.read, toml_tables.detect_kind, toml_tables.write),
    "mcp": _tree("MCP servers", SERVERS, ".json"),
    "routes": _tree("semantic-router routes", ROUTES, ".json", ".yaml", ".yml"),
    "tools": _tree("a list of tools", TOOLS, ".json"),
    "rasa": _tree("Rasa NLU data", RASA, ".yaml", ".yml"),
    "spell": _tree("Grimoire spells", SPELLS, ".spell.yaml", ".spell.yml", ".yaml", ".yml"),
    "json": Format("JSON", (".json",), json_arrays.read, json_arrays.detect_kind, json_arrays.write, json_arrays.fits),
    "qa": Format(
        "questions and answers", (".txt", ".md"), question_texts.read, question_texts.detect_kind,
        kinds=(ItemKind.MEMORIES,),
    ),
}  # fmt: skip
"""Of formats that share an ending, the first that fits what a file says is taken."""

WRITTEN = tuple(name for name, row in FORMATS.items() if row.write is not None)


def format_to_write(path: Path, name: str | None = None) -> Format:
    """The format of this name, else the one that the file's ending stands for; JSON Lines where it stands for none.

    FormatError where such files can be read, but not written.
    """
    ending = path.suffix.lower()
    found = [row for key, row in FORMATS.items() if (key == name if name else ending in row.endings)]
    writable = next((row for row in found if row.write is not None), None)
    if writable is not None:
        return writable
    if found:
        can = ", ".join(ending for key in WRITTEN for ending in FORMATS[key].endings)
        raise FormatError(f"{found[0].title} cannot be written, only read; {can} can.")
    return FORMATS["jsonl"]
