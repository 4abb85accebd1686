"""YAML: a list of records, alone or under the name of their kind, as in JSON Lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.csv_columns import READ_AS
from app.adapters.formats.documents import Found, trees
from app.adapters.formats.records import Columns, FileKind, RefusedError, items_of, kind_of, one_kind, record_of
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.journal import Item
from app.domain.library import Problem

WORDS = frozenset({"usage", "right", "position", "success", "weight", "confidence", "paused", "enabled"})
"""Fields with numbers or booleans, as YAML values are read as text."""


def fits(root: Node) -> bool:
    """Return whether a tree holds a list of known records, alone or by kind."""
    return bool(_kinds(root))


def _kinds(root: Node) -> set[FileKind]:
    if named := _named(root):
        return set(named)
    return {kind for node in _records(root) if (kind := kind_of(node.fields())) is not None}


def _records(root: Node) -> Iterator[Node]:
    """Yield the records of a list; an object is a single record."""
    yield from (root,) if isinstance(root.value, dict) else root.items()


def _named(root: Node) -> dict[FileKind, Node]:
    lists = ((kind, root.get(kind.value)) for kind in FileKind)
    return {kind: node for kind, node in lists if node is not None and isinstance(node.value, list)}


def detect_kind(path: Path) -> FileKind:
    """Return the kind of its records; raises FormatError if unclear."""
    kinds = {kind for root in trees(path) for kind in _kinds(root)}
    several, none = "its records are of several kinds", "no record of it looks like any of them"
    return one_kind(kinds, path, several, none)


def read(source: Path | BinaryIO, kind: FileKind, task: Task | None = None, columns: Columns | None = None) -> Found:
    """Read the records as items of one kind, invalid ones as problems; raises FormatError."""
    records = ((node.line, _typed(node)) for node in _nodes(source, kind))
    yield from items_of(records, kind, task, "An object with fields was expected.", columns)


def _nodes(source: Path | BinaryIO, kind: FileKind) -> Iterator[Node]:
    for root in trees(source):
        named = _named(root)
        is_one = kind_of(root.fields()) is kind or (kind is FileKind.POWERS and root.get("name") is not None)
        if kind not in named and not isinstance(root.value, list) and not is_one:
            raise FormatError(f"A list of records, alone or under “{kind}”, was expected.")
        yield from _records(named.get(kind) or root)


def _typed(node: Node) -> Any:
    """Parse numbers and booleans of a record; a problem for an invalid one."""
    if not isinstance(node.value, dict):
        return None
    try:
        return {
            name: READ_AS[name](value, name) if name in WORDS and isinstance(value, str) else value
            for name, value in node.plain().items()
        }
    except RefusedError as refused:
        return Problem(node.line, str(refused))


def write(stream: BinaryIO, values: Iterable[Item]) -> int:
    """Write a list with a block per record; return their number."""
    from app.adapters.formats.syntax import yaml_documents  # imported only for YAML

    count = 0
    for value in values:
        record = {name: _plain(held) for name, held in record_of(value).items() if held is not None}
        stream.write(yaml_documents.written([record]).encode())
        count += 1
    if not count:
        stream.write(b"[]\n")
    return count


def _plain(value: Any) -> Any:
    """Convert tuples to lists, for YAML."""
    if isinstance(value, (list, tuple)):
        return [_plain(held) for held in value]
    return {name: _plain(held) for name, held in value.items()} if isinstance(value, dict) else value
