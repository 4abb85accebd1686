"""Tables in JSON: rows of the Hugging Face viewer, columns of lists, and pandas' formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.documents import Found, trees
from app.adapters.formats.json_arrays import named_label
from app.adapters.formats.record_names import LABELS
from app.adapters.formats.records import FileKind, items_of, kind_of, one_kind
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError

Records = Iterator[tuple[int, dict[str, Any]]]


def _records(root: Node) -> Records:
    """Yield the rows of a table with their lines; nothing for other documents."""
    rows, columns, data = root.get("rows"), root.get("columns"), root.get("data")
    if rows is not None and any(row.get("row") for row in rows.items()):
        names = _class_names(root)
        for row in rows.items():
            held = row.get("row")
            record = {} if held is None or not isinstance(held.value, dict) else held.plain()
            yield row.line, {name: named_label(value, names.get(name)) for name, value in record.items()}
    elif columns is not None and data is not None:
        headings = [str(heading.plain()) for heading in columns.items()]
        for row in data.items():
            yield row.line, dict(zip(headings, (cell.plain() for cell in row.items()), strict=False))
    else:
        yield from _columns(root)


def _columns(root: Node) -> Records:
    """Yield rows of columns (lists, or objects of numbered cells).

    Raises FormatError if unequal.
    """
    named = {name: _cells(held) for name, held in root.members()}
    if not all(named.values()):
        return
    if len({len(cells) for cells in named.values()}) > 1:
        counts = ", ".join(f"“{name[:30]}” {len(cells):,}" for name, cells in named.items())
        raise FormatError(f"The columns of the table are not of one length: {counts}.")
    for row in zip(*named.values(), strict=True):
        yield row[0].line, {name: cell.plain() for name, cell in zip(named, row, strict=True)}


def _cells(held: Node) -> list[Node]:
    return [*held.items()] or [cell for name, cell in held.members() if name.isdigit()]


def _class_names(root: Node) -> Mapping[str, list[str]]:
    """Return the names of numbered labels by column."""
    features = root.get("features")
    found: dict[str, list[str]] = {}
    for feature in () if features is None else features.items():
        kind = feature.plain()
        names = kind["type"].get("names") if isinstance(kind, dict) and isinstance(kind.get("type"), dict) else None
        if isinstance(names, list):
            found[str(kind.get("name"))] = [str(name) for name in names]
    return found


def _kinds(root: Node) -> set[FileKind]:
    """Return the kind of the first row; a single column needs texts of several words."""
    if root.get("rows") is not None or root.get("columns") is not None:
        _, first = next(_records(root), (0, {}))
    else:  # in a partial document the last column may be incomplete
        columns = {name: _cells(held) for name, held in root.members()}
        first = {name: cells[0].plain() for name, cells in columns.items()} if all(columns.values()) else {}
        if any(name in cell for cell in first.values() if isinstance(cell, dict) for name in ("intent", *LABELS)):
            first = {}  # lists of records
    is_table = len(first) > 1 or any(isinstance(value, str) and " " in value.strip() for value in first.values())
    kind = kind_of(first) if is_table else None
    return set() if kind is None else {kind}


def fits(root: Node) -> bool:
    """Return whether the document is a table with known columns."""
    return isinstance(root.value, dict) and bool(_kinds(root))


def detect_kind(path: Path) -> FileKind:
    """Return the kind of the first row; raises FormatError if unclear."""
    kinds = {kind for root in trees(path) for kind in _kinds(root)}
    return one_kind(kinds, path, "its rows are of several kinds", "no row of it looks like any of them")


def read(source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
    """Read the rows as items of one kind; raises FormatError for other documents."""
    for root in trees(source):
        if not fits(root):
            raise FormatError("A table in JSON was expected: “rows”, “columns” and “data”, or a list for each column.")
        yield from items_of(_records(root), kind, task, "A row with names was expected.")
