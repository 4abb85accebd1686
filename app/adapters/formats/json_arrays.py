"""Lists in JSON: records like lines of JSON Lines, or pairs of text and label, in parts."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from app.adapters.formats.documents import Found, TreeReader, first_of, memory_line
from app.adapters.formats.record_names import LABELS
from app.adapters.formats.records import Columns, FileKind, items_of, kind_of, one_kind, record_of
from app.adapters.formats.syntax import json_documents, json_streams
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.journal import Item
from app.domain.language import plural
from app.domain.library import Line, Problem

Part = tuple[str, Node]
"""Name of a list, "" for the document itself, and the list."""

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
TEST = re.compile(
    r"(?:test(?:s|ing)?|eval(?:s|uate|uation)?|val(?:id|idation)?|dev(?:elopment)?|h[oe]ldout)(?:set|data)?"
)
"""Word in the name of a test part."""


def is_test(name: str) -> bool:
    """Return whether the name of a part marks it as test data."""
    words = [word.lower() for word in WORD.findall(name)]
    return any(TEST.fullmatch(word) for word in (*words, *[first + second for first, second in pairwise(words)]))


def split(parts: Sequence[Part], kind: FileKind) -> tuple[list[Part], list[Problem]]:
    """Return the parts for items of one kind, and a problem for each one left out.

    Cases are read from test parts, other kinds from the others; parts of one sort are all read.
    """
    tests = [part for part in parts if is_test(part[0])]
    others = [part for part in parts if part not in tests]
    if not tests or not others:
        return list(parts), []
    if kind is FileKind.CASES:
        return tests, [_left_out(part, "teach", "--kind memories reads it.") for part in others]
    way = "anything taught can't be used as a test. --kind cases --task intent reads it."
    return others, [_left_out(part, "test with", way) for part in tests]


def _left_out(part: Part, use: str, way: str) -> Problem:
    name, held = part
    count = sum(1 for _ in held.items())
    texts = "1 text" if count == 1 else f"{count:,} texts"
    return Problem(held.line, f"“{name[:40]}” with {texts} to {use} is left out: {way}")


PAIRS_LOOKED_AT = 50
CONVERSATIONS = frozenset(("conversations", "dialogs", "dialogues", "faq", "qa"))
"""Names of lists whose pairs are a text and its response."""


def _parts(root: Node) -> Iterator[Part]:
    """Yield the lists of pairs by name; "" for the document itself."""
    if isinstance(root.value, list):
        yield "", root
    for name, held in root.members():
        if isinstance(held.value, list) and any(map(_is_pair, held.items())):
            yield name, held


def _is_pair(node: Node) -> bool:
    cells = [*node.items()]
    return len(cells) == 2 and all(isinstance(cell.value, str) for cell in cells)


def _label_place(parts: list[Part]) -> int | None:
    """Return the position of labels in pairs, the side of single words; None if unclear."""
    columns = _columns(parts)
    spaced = [any(" " in text.strip() for text in column) for column in columns]
    if spaced[0] != spaced[1]:
        return spaced.index(False)
    return None


def _columns(parts: list[Part]) -> list[list[str]]:
    """Return the first and the second texts of the first pairs."""
    pairs = [pair for _, held in parts for pair in islice(held.items(), PAIRS_LOOKED_AT) if _is_pair(pair)]
    return [[str(pair.value[place].value) for pair in pairs] for place in (0, 1)]


def _are_pairs(root: Node) -> bool:
    parts = [*_parts(root)]
    rows = [row for _, held in parts for row in held.items()]
    are_lists = any(map(_is_pair, rows)) and all(isinstance(row.value, list) for row in rows)
    return are_lists and (all(name in CONVERSATIONS for name, _ in parts) or _label_place(parts) is not None)


def _pairs(root: Node, kind: FileKind) -> Found:
    lists = [*_parts(root)]
    found = _label_place(lists)
    words, place = ([], 0) if found is None else (_columns(lists)[found], found)
    are_labelled = len(set(words)) < len(words)  # single words come again, as labels do and responses rarely
    parts, left_out = split(lists, kind)
    for name, held in parts:
        yield from (_memory(pair, place, name in CONVERSATIONS and not are_labelled) for pair in held.items())
    yield from left_out


def _memory(pair: Node, place: int, is_spoken: bool) -> Line[Any] | Problem:
    if not _is_pair(pair) and is_spoken:
        texts = plural(sum(1 for _ in pair.items()), "{n} text", "{n} texts")
        sentence = f"A conversation of {texts} is left out: a memory takes 2, a text and its response in [ ]."
        return Problem(pair.line, sentence)
    if not _is_pair(pair):
        return Problem(pair.line, "A text and its label in [ ] were expected.")
    cells = [cell.plain() for cell in pair.items()]
    if is_spoken:
        return memory_line(pair.line, cells[0], "", {"response": cells[1]})
    return memory_line(pair.line, cells[1 - place], cells[place], {})


PAIRS = TreeReader(
    "Pairs",
    FileKind.MEMORIES,
    "a list of a text and its label in [ ], alone or by name",
    _are_pairs,
    lambda root, _: _pairs(root, FileKind.MEMORIES),
    lambda root, _: _pairs(root, FileKind.CASES),
)


LOOKED_AT = 5_000
"""Number of tokens read to detect the kind."""

RECORDS = 500
"""Number of records that tell the kind of a large list; one with a name is read to its end."""

LABEL_LISTS = ("id2label", "label_names", "class_names", "labels", "classes", "names", "intents")
"""Names of the list of names of numbered labels."""

NAMES = frozenset(kind.value for kind in FileKind)


def fits(root: Node) -> bool:
    """Return whether a tree holds known records."""
    return bool(_kinds(root))


def _records(root: Node, kind: FileKind) -> list[Node | Problem]:
    """Return the records of one kind, and a problem for each list left out."""
    lists = labelled_lists(root)
    if not lists:
        rows = [node for name, node in root.members() if name.isdigit()]  # as pandas writes them by their index
        return [*(rows or ([root] if isinstance(root.value, dict) else root.items()))]
    parts, left_out = split(lists, kind)
    return [*(record for _, held in parts for record in held.items()), *left_out]


def labelled_lists(root: Node, deep: int = 2) -> list[Part]:
    """Return the lists of labelled texts in an object or its members, as in {"data": [...]}."""
    if kind_of(root.fields()) not in (None, FileKind.POWERS):
        return []
    found: list[Part] = []
    for name, node in root.members():
        if any(kind_of(record.fields()) in (FileKind.MEMORIES, FileKind.CASES) for record in islice(node.items(), 1)):
            found.append((name, node))
        elif deep > 1:
            found += [(f"{name}.{within}", held) for within, held in labelled_lists(node, deep - 1)]
    return found


def _kinds(root: Node) -> set[FileKind]:
    if named := _named(root):
        return set(named)
    found = (kind_of(record.fields()) for record in _records(root, FileKind.MEMORIES) if isinstance(record, Node))
    return {kind for kind in found if kind is not None}


def _named(root: Node) -> dict[FileKind, Node]:
    """Return the lists of an object by kind, if named after kinds; empty for a record."""
    if kind_of(root.fields()) is not None:
        return {}
    lists = ((kind, root.get(kind.value)) for kind in FileKind)
    return {kind: node for kind, node in lists if node is not None and isinstance(node.value, list)}


def read(source: Path | BinaryIO, kind: FileKind, task: Task | None = None, columns: Columns | None = None) -> Found:
    """Read the records as items of one kind, invalid ones as problems; raises FormatError."""
    if isinstance(source, Path) and json_streams.is_large(source):
        found = _streamed(source, kind)
    else:
        found = _records_of(whole_text(source), kind)
    yield from items_of(found, kind, task, "An object in { } was expected.", columns)


def _streamed(path: Path, kind: FileKind) -> Iterator[tuple[int, Any]]:
    """Yield lines and records of a file of any size: its only list, or the one named by kind."""
    for line, name, record in json_streams.records(path, NAMES, kind.value):
        if name in (None, kind.value):
            yield line, record


def _records_of(text: str, kind: FileKind) -> Iterator[tuple[int, Any]]:
    """Yield lines and records: of a list one by one, of an object from its tree."""
    if text.lstrip().startswith("["):
        yield from ((line, record) for line, _, record in json_streams.records_in(io.BytesIO(text.encode()), ()))
        return
    root = json_documents.parse(text)
    if not isinstance(root.value, (list, dict)):
        raise FormatError("A list of objects in [ ] was expected.")
    named = _named(root)
    if named and kind not in named:
        raise FormatError(f"A list of objects in [ ], alone or under “{kind}”, was expected.")
    labels = None if named else _label_names(root)
    for node in named[kind].items() if named else _records(root, kind):
        yield node.line, node if isinstance(node, Problem) else _plain(node, labels)


def _label_names(root: Node) -> list[str] | None:
    """Return the names of numbered labels beside the records of an object; None without any."""
    held = first_of(root, LABEL_LISTS)
    names = [] if held is None else [name.plain() for _, name in held.members()] or held.plain()
    return names if names and isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def _plain(node: Node, labels: list[str] | None) -> Any:
    record = node.plain()
    for name in ("intent", *LABELS) if labels and isinstance(record, dict) else ():
        record |= {name: named_label(record[name], labels)} if name in record else {}
    return record


def named_label(value: Any, names: list[str] | None) -> Any:
    """Return the name of a numbered label; other values unchanged."""
    return names[value] if names and type(value) is int and 0 <= value < len(names) else value


def detect_kind(path: Path) -> FileKind:
    """Return the kind of the first records; raises FormatError if unclear."""
    if json_streams.is_large(path):
        kinds = _kinds_of_large(path)
    else:
        root = json_documents.parse(text := whole_text(path), LOOKED_AT)
        # A list of another kind may follow a long one.
        kinds = _kinds(json_documents.parse(text) if _named(root) else root)
    several, none = "its records are of several kinds", "no record of it looks like any of them"
    return one_kind(kinds, path, several, none)


def _kinds_of_large(path: Path) -> set[FileKind]:
    """Return the kinds of the records of a large file."""
    kinds: set[FileKind] = set()
    for number, (_, name, record) in enumerate(json_streams.records(path, NAMES)):
        if number >= RECORDS and not name:
            break
        kind = FileKind(name) if name else kind_of(record) if isinstance(record, dict) else None
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
