"""Which format is a file in?  Its ending says so, or what is in it where several formats share an ending."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import orjson

from app.adapters import csv_tables, json_arrays, json_documents, json_streams, question_texts
from app.adapters.documents import trees
from app.adapters.file_text import byte_lines, opened
from app.adapters.formats import FORMATS, Format
from app.adapters.json_records import kind_of
from app.domain.errors import FormatError

LOOKED_AT = 50
"""So many lines are looked at where the ending says nothing."""

TOKENS = 20_000
"""So much of a JSON document is looked at."""

YAML = (".yaml", ".yml")
MARKUP = (".json", *YAML)

BEGINNINGS = ("{", "[", "//", "/*", "---", "version:", "nlu:", "routes:")
"""How a document begins whose name does not say that it is JSON or YAML."""


def format_of(path: Path, name: str = "auto") -> Format:
    """The format of this name, or for "auto" the one that the file's ending and what it holds stand for.

    FormatError if the file cannot be read, or is in none of them.
    """
    if name != "auto":
        return FORMATS[name]
    ending = path.suffix.lower()
    named = [row for row in FORMATS.values() if ending in row.endings]
    if len(named) == 1 and named[0].fits is None and ending not in MARKUP and named[0] is not FORMATS["qa"]:
        return named[0]
    for row in FORMATS.values():
        if any(long.count(".") > 1 and path.name.lower().endswith(long) for long in row.endings):
            return row
    lines = _first_lines(path)
    if _is_json_lines(lines):
        return FORMATS["jsonl"]
    if json_streams.is_large(path) and json_streams.begins_as_json(path):
        return FORMATS["json"]
    if ending not in MARKUP and (found := _told_by_lines(lines)):
        return found
    return _told_by_tree(path, lines)


def _first_lines(path: Path) -> list[str]:
    """The first lines that are not blank, as far as they are text."""
    with opened(path) as stream:
        lines = (line.decode("utf-8", "replace") for _, line in byte_lines(stream) if line is not None)
        return list(islice((line.strip() for line in lines if line.strip()), LOOKED_AT))


def _is_json_lines(lines: list[str]) -> bool:
    """Whether most lines are objects by themselves; of a single one, whether it is a record and no other document."""
    objects = [line for line in lines if line.startswith("{") and _is_object(line)]
    if lines and lines[0].startswith("["):
        return False
    if len(lines) > 1 or not objects:
        return bool(objects) and 2 * len(objects) >= len(lines)
    try:
        root = json_documents.parse(lines[0])
    except FormatError:
        return True  # it says itself what is wrong with its lines
    if json_arrays.under_another_name(root) is not None:
        return False
    shaped = (row for row in FORMATS.values() if row.fits is not None and row is not FORMATS["json"])
    return kind_of(root.fields()) is not None and not any(row.fits(root) for row in shaped if row.fits)


def _is_object(line: str) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _told_by_lines(lines: list[str]) -> Format | None:
    if question_texts.fits(lines):
        return FORMATS["qa"]
    if lines and not lines[0].startswith(("{", "[")) and len(names := csv_tables.first_row(lines[0])) > 1:
        return FORMATS["csv"] if csv_tables.told_kind(names) is not None else None
    return None


def _told_by_tree(path: Path, lines: list[str]) -> Format:
    # A file of one long line has none that is looked at.
    if not lines and not json_streams.begins_as_json(path):
        raise FormatError(f"The file {path} is empty.")
    if path.suffix.lower() not in MARKUP and lines and not lines[0].startswith(BEGINNINGS):
        raise _unknown(path)
    for root in trees(path, TOKENS):
        for row in FORMATS.values():
            may_be = row is not FORMATS["json"] or path.suffix.lower() not in YAML
            if may_be and row.fits is not None and row.fits(root):
                return row
        break
    raise _unknown(path)


def _unknown(path: Path) -> FormatError:
    ending = path.suffix.lower()
    shared = [row.title for row in FORMATS.values() if ending in row.endings]
    expected = shared or [row.title for row in FORMATS.values()]
    named = f"{', '.join(expected[:-1])} or {expected[-1]}" if len(expected) > 1 else expected[0]
    return FormatError(
        f"What {path} holds cannot be told: {named} was expected. If it is one of them, say so with --format."
    )
