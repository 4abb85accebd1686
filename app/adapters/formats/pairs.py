"""Lists of (text, label) pairs, alone or by part (train, test), as in CLINC150."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.adapters.formats.documents import Found, TreeReader
from app.adapters.formats.parts import Part, split
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.utterances import memory_line
from app.domain.library import Line, Problem

LOOKED_AT = 50


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
    pairs = [pair for _, held in parts for pair in [*held.items()][:LOOKED_AT] if _is_pair(pair)]
    columns = [[str(pair.value[place].value) for pair in pairs] for place in (0, 1)]
    spaced = [any(" " in text.strip() for text in column) for column in columns]
    if pairs and spaced[0] != spaced[1]:
        return spaced.index(False)
    return None


def _fits(root: Node) -> bool:
    parts = [*_parts(root)]
    rows = [row for _, held in parts for row in held.items()]
    are_lists = any(map(_is_pair, rows)) and all(isinstance(row.value, list) for row in rows)
    return are_lists and _label_place(parts) is not None


def _items(root: Node, kind: ItemKind) -> Found:
    lists = [*_parts(root)]
    place = _label_place(lists) or 0
    parts, left_out = split(lists, kind)
    for _, held in parts:
        yield from (_memory(pair, place) for pair in held.items())
    yield from left_out


def _memory(pair: Node, place: int) -> Line[Any] | Problem:
    if not _is_pair(pair):
        return Problem(pair.line, "A text and its label in [ ] were expected.")
    cells = [cell.plain() for cell in pair.items()]
    return memory_line(pair.line, cells[1 - place], cells[place], {})


PAIRS = TreeReader(
    "Pairs",
    ItemKind.MEMORIES,
    "a list of a text and its label in [ ], alone or by name",
    _fits,
    lambda root, _: _items(root, ItemKind.MEMORIES),
    lambda root, _: _items(root, ItemKind.CASES),
)
