"""Training data of fastText: lines with labels, as __label__name, and a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.documents import Found, numbered_texts, refuse_kind
from app.adapters.formats.records import ItemKind, RefusedError, memory_of
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.library import Line, Problem

KINDS = (ItemKind.MEMORIES, ItemKind.CASES)
LABEL = re.compile(r"__label__(\S+)\s*")
LOOKED_AT = 100


def fits_lines(lines: list[str]) -> bool:
    """Return whether most of the first lines begin with a label."""
    labelled = sum(LABEL.match(line) is not None for line in lines)
    return bool(lines) and 2 * labelled > len(lines)


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read the lines as memories or cases, lazily.

    Raises FormatError if unreadable or another kind.
    """
    refuse_kind("Data of fastText", KINDS, kind, task)
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif text.strip():
            yield _item(number, text.strip(), kind)


def _item(number: int, line: str, kind: ItemKind) -> Line[Any] | Problem:
    labels = LABEL.findall(line)
    text = LABEL.sub("", line).strip()
    if not labels:
        return Problem(number, "The line has no label, such as __label__greet.")
    try:
        memory = memory_of(
            {"text": text, "intent": labels[0] if len(labels) == 1 or kind is ItemKind.CASES else labels}
        )
    except RefusedError as refused:
        return Problem(number, str(refused))
    if kind is ItemKind.MEMORIES:
        return Line(number, memory)
    expected = tuple(dict.fromkeys(label for label in labels if label not in NO_MATCH_WORDS))
    return Line(number, Case(memory.triggers[0], expected, Task.INTENT))


def detect_kind(path: Path) -> ItemKind:
    """Return memories, or cases if a text has several labels, as a memory has one."""
    return ItemKind.CASES if any(len(LABEL.findall(line)) > 1 for line in _first(path)) else ItemKind.MEMORIES


def _first(path: Path) -> Iterator[str]:
    yield from (text for _, text in islice(numbered_texts(path), LOOKED_AT) if isinstance(text, str))
