"""JSON Lines: one object per line, read separately, so that a bad line costs only itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from app.adapters.formats.records import Columns, FileKind, items_of, kind_of, names_seen, one_kind, record_of
from app.adapters.formats.syntax.json_streams import DECODER
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
    none, looked_at = "", 0
    for number, record in _records(path):
        if isinstance(record, Problem) and not none:
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
    return one_kind(seen, path, "its lines are of several kinds", none or "no line of it holds an object")


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


_NAME = re.compile(rb'"\s*:')


def _value(number: int, line: bytes) -> object:
    why = ""
    try:
        value = orjson.loads(line)
        if not isinstance(value, dict) or len(_NAME.findall(line)) <= len(value):
            return value
    except orjson.JSONDecodeError as error:
        why = _sentence(line, error)
    try:
        return DECODER.decode(line.decode())  # it takes lone surrogates, and no name twice
    except RecursionError:
        return Problem(number, why or "The line is nested too deep.")
    except ValueError as error:
        return Problem(number, why or str(error))


def _sentence(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        text_of(line)
    except FormatError as fault:
        return str(fault)
    if line in (b"{", b"["):
        return f"It is only “{line.decode()}”: write each object on one line, or all of them in [ ] in a .json file."
    return f"The line is not valid JSON: {error.msg} (character {error.pos + 1})."
