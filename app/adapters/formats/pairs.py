"""Lists of texts with their labels in pairs, alone or by part (train, test), as CLINC150 and others have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.adapters.formats.documents import Found, TreeReader
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.utterances import memory_line
from app.domain.library import Line, Problem

LOOKED_AT = 50
TEST = re.compile(r"(?:^|[^a-z])(?:test|val|valid|validation|dev|eval)(?:$|[^a-z])", re.IGNORECASE)
"""The name of a part that is to test with."""


def _parts(root: Node) -> Iterator[tuple[str, Node]]:
    """The lists of pairs by name; "" for the document itself."""
    if isinstance(root.value, list):
        yield "", root
    for name, held in root.members():
        if isinstance(held.value, list) and any(map(_is_pair, held.items())):
            yield name, held


def _is_pair(node: Node) -> bool:
    cells = [*node.items()]
    return len(cells) == 2 and all(isinstance(cell.value, str) for cell in cells)


def _label_place(parts: list[tuple[str, Node]]) -> int | None:
    """Which of two holds the labels: the one whose texts are single words, or come again; None where neither does."""
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


def _items(root: Node, _: str) -> Found:
    parts = [*_parts(root)]
    place = _label_place(parts) or 0
    for name, held in parts:
        is_test = len(parts) > 1 and TEST.search(name) is not None
        note = f"“{name[:40]}” is a part to test with, and what is taught cannot test any more." if is_test else ""
        for pair in held.items():
            line = _memory(pair, place)
            yield replace(line, note=note) if note and isinstance(line, Line) else line
            note = "" if isinstance(line, Line) else note


def _memory(pair: Node, place: int) -> Line[Any] | Problem:
    if not _is_pair(pair):
        return Problem(pair.line, "A text and its label in [ ] were expected.")
    cells = [cell.plain() for cell in pair.items()]
    return memory_line(pair.line, cells[1 - place], cells[place], {})


PAIRS = TreeReader("Pairs", ItemKind.MEMORIES, "a list of a text and its label in [ ], alone or by name", _fits, _items)
