"""JSON Lines: one object per line, read separately, so that a bad line costs only itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from app.adapters.formats.records import Columns, FileKind, items_of, kind_of, names_seen, one_kind, record_of
from app.adapters.formats.syntax.json_streams import no_constant
from app.adapters.formats.syntax.text import byte_lines, opened, text_of, too_long
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.journal import Item
from app.domain.library import Line, Problem

LOOKED_AT = 20
"""Number of valid lines read to detect the kind."""


def read(
    source: Path | BinaryIO, kind: FileKind, task: Task | None = None, columns: Columns | None = None
) -> Iterator[Line[Any] | Problem]:
    """Read the lines as items of one kind, and invalid lines as problems.

    Lazy: if the file cannot be read, FormatError comes with the first item. Blank lines are skipped but counted.
    `task` is for cases without their own.
    """
    yield from items_of(_records(source), kind, task, "The line is valid JSON, but no object in { }.", columns)


def detect_kind(path: Path) -> FileKind:
    """Return the kind of the first valid lines; raises FormatError if unclear."""
    seen: set[FileKind] = set()
    none = "no line of it holds an object"
    looked_at = 0
    for number, record in _records(path):
        if isinstance(record, Problem) and not looked_at:
            none = f"line {number:,} cannot be read: {record.sentence.rstrip('.')}"
        if not isinstance(record, dict):
            continue
        looked_at += 1
        if kind := kind_of(record):
            seen.add(kind)
        elif looked_at == 1:
            none = f"in line {number:,} {names_seen(record)}"
        if looked_at == LOOKED_AT:
            break
    return one_kind(seen, path, "its lines are of several kinds", none)


def write(stream: BinaryIO, values: Iterable[Item]) -> int:
    """Write one line per value, UTF-8 with line feeds; return their number."""
    count = 0
    for value in values:
        record = {name: held for name, held in record_of(value).items() if held is not None}
        stream.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        count += 1
    return count


def _records(source: Path | BinaryIO) -> Iterator[tuple[int, Any]]:
    """Yield every line that is not blank, without a comma after it: its value, or a problem."""
    with opened(source) as stream:
        for number, line in byte_lines(stream):
            if line is None:
                yield number, Problem(number, too_long())
            elif bare := line.strip().removesuffix(b","):
                yield number, _value(number, bare)


def _value(number: int, line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        value = _with_lone_surrogates(line)
        return Problem(number, _sentence(line, error)) if value is None else value


def _with_lone_surrogates(line: bytes) -> object:
    """Parse a line with lone surrogates, which orjson rejects; None for other faults."""
    if b"\\ud" not in line.lower():
        return None
    try:
        value: object = json.loads(line, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return None
    return value


def _sentence(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        text_of(line)
    except FormatError as fault:
        return str(fault)
    return f"The line is not valid JSON: {error.msg} (character {error.pos + 1})."
