"""JSON document that is a list of records like lines of JSON Lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from app.adapters.formats.documents import Found
from app.adapters.formats.parts import Part, split
from app.adapters.formats.records import Item, ItemKind, items_of, kind_of, one_kind, record_of
from app.adapters.formats.syntax import json_documents, json_streams
from app.adapters.formats.syntax.json_streams import DECODER
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.library import Problem

BLANK = re.compile(r"[ \t\n]*+")
END = re.compile(r"[ \t\n]*+\][ \t\n]*+\Z")
LOOKED_AT = 5_000
"""Number of tokens read to detect the kind."""

RECORDS = 500
"""Number of records read of a large file to detect the kind."""

NAMES = frozenset(kind.value for kind in ItemKind)


def fits(root: Node) -> bool:
    """Return whether a tree holds known records."""
    return bool(_kinds(root))


def _records(root: Node, kind: ItemKind) -> list[Node | Problem]:
    """Return the records of one kind, and a problem for each list left out."""
    lists = labelled_lists(root)
    if not lists:
        return [root] if isinstance(root.value, dict) else list(root.items())
    parts, left_out = split(lists, kind)
    return [*(record for _, held in parts for record in held.items()), *left_out]


def labelled_lists(root: Node, deep: int = 2) -> list[Part]:
    """Return the lists of labelled texts in an object or its members, as in {"data": [...]}."""
    if kind_of(root.fields()) not in (None, ItemKind.POWERS):
        return []
    found: list[Part] = []
    for name, node in root.members():
        if any(kind_of(record.fields()) in (ItemKind.MEMORIES, ItemKind.CASES) for record in islice(node.items(), 1)):
            found.append((name, node))
        elif deep > 1:
            found += [(f"{name}.{within}", held) for within, held in labelled_lists(node, deep - 1)]
    return found


def _kinds(root: Node) -> set[ItemKind]:
    if named := _named(root):
        return set(named)
    found = (kind_of(record.fields()) for record in _records(root, ItemKind.MEMORIES) if isinstance(record, Node))
    return {kind for kind in found if kind is not None}


def _named(root: Node) -> dict[ItemKind, Node]:
    """Return the lists of an object by kind, if named after kinds; empty for a record."""
    if kind_of(root.fields()) is not None:
        return {}
    lists = ((kind, root.get(kind.value)) for kind in ItemKind)
    return {kind: node for kind, node in lists if node is not None and isinstance(node.value, list)}


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read the records as items of one kind, invalid ones as problems; raises FormatError."""
    if isinstance(source, Path) and json_streams.is_large(source):
        found = _streamed(source, kind)
    else:
        found = _records_of(whole_text(source), kind)
    yield from items_of(found, kind, task, "An object in { } was expected.")


def _streamed(path: Path, kind: ItemKind) -> Iterator[tuple[int, Any]]:
    """Yield lines and records of a file of any size: its only list, or the one named by kind."""
    for line, name, record in json_streams.records(path, NAMES, kind.value):
        if name in (None, kind.value):
            yield line, record


def _records_of(text: str, kind: ItemKind) -> Iterator[tuple[int, Any]]:
    """Yield lines and records, with the fast parser until it fails, then the precise one."""
    try:
        yield from _quickly(text)
    except _OddError as odd:
        root = json_documents.parse(text)
        if not isinstance(root.value, (list, dict)):
            raise FormatError("A list of objects in [ ] was expected.") from None
        named = _named(root)
        if named and kind not in named:
            raise FormatError(f"A list of objects in [ ], alone or under “{kind}”, was expected.") from None
        nodes = list(named[kind].items()) if named else _records(root, kind)
        for node in nodes[odd.done :]:
            yield node.line, node if isinstance(node, Problem) else node.plain()


class _OddError(Exception):
    """The fast parser failed after this number of records."""

    def __init__(self, done: int) -> None:
        super().__init__()
        self.done = done


def _quickly(text: str) -> Iterator[tuple[int, Any]]:
    at = BLANK.match(text, 0).end()  # type: ignore[union-attr]  # it matches nothing as well
    line, counted, done = 1, 0, 0
    if not text.startswith("[", at):
        raise _OddError(0)
    at += 1
    while True:
        at = BLANK.match(text, at).end()  # type: ignore[union-attr]
        line, counted = line + text.count("\n", counted, at), at
        try:
            record, at = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise _OddError(done) from None
        if not isinstance(record, dict):
            raise _OddError(done)
        mark = BLANK.match(text, at).end()  # type: ignore[union-attr]
        if text.startswith(",", mark):
            at = mark + 1
        elif not END.match(text, mark):
            raise _OddError(done)
        done += 1
        yield line, record
        if at <= mark:
            return


def detect_kind(path: Path) -> ItemKind:
    """Return the kind of the first records; raises FormatError if unclear."""
    kinds = _kinds_of_large(path) if json_streams.is_large(path) else _kinds_of(path)
    several, none = "its records are of several kinds", "no record of it looks like any of them"
    return one_kind(kinds, path, several, none)


def _kinds_of(path: Path) -> set[ItemKind]:
    return _kinds(json_documents.parse(whole_text(path), LOOKED_AT))


def _kinds_of_large(path: Path) -> set[ItemKind]:
    """Return the kinds of the first records of a large file."""
    kinds: set[ItemKind] = set()
    for _, name, record in islice(json_streams.records(path, NAMES), RECORDS):
        kind = ItemKind(name) if name else kind_of(record) if isinstance(record, dict) else None
        kinds |= {kind} if kind else set()
    return kinds


def write(stream: BinaryIO, values: Iterable[Item]) -> int:
    """Write a list with one record per line; return their number."""
    count = 0
    for value in values:
        record = {name: held for name, held in record_of(value).items() if held is not None}
        stream.write(b",\n" if count else b"[\n")
        stream.write(orjson.dumps(record))
        count += 1
    stream.write(b"\n]\n" if count else b"[]\n")
    return count
