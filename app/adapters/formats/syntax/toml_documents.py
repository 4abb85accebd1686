"""TOML as plain values, or as nodes with the line of their table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from app.adapters.formats.syntax.trees import Node
from app.domain.errors import FormatError
from app.settings.layers import LONG_KEY

MAX_DOTTED = 200_000
"""Maximum sum of the squared numbers of dots in names: parsing takes about 20 µs for each."""

HEADING = re.compile(r"^[ \t]*\[{1,2}([^\[\]\n]+)\]{1,2}[ \t]*(?:#.*)?$", re.MULTILINE)


def document_of(text: str) -> dict[str, Any]:
    """Parse TOML; raises FormatError if invalid or too complex."""
    left = MAX_DOTTED
    for before in text.split("="):
        left -= min(64, before.rpartition("\n")[2].count(".")) ** 2
        if left < 0:
            raise FormatError("The file has too many names with dots: write tables in [ ], or JSON.")
    if long := LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise FormatError(f"Line {line:,}: a name of more than 64 parts is not read.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        quotes = (
            " It has curly quotes: replace them all by straight ones." if re.search("= *[\u201c\u201d]", text) else ""
        )
        raise FormatError(f"The file is not valid TOML: {error}.{quotes}") from None
    except RecursionError:
        raise FormatError("The file is not read: its lists and tables are nested too deep.") from None
    except ValueError:  # an integer of thousands of digits, or an invalid date
        raise FormatError("The file is not valid TOML: it holds a number or a date that cannot be.") from None


def parse(text: str) -> Node:
    """Parse the document; each value has the line of its table, from 1. Raises FormatError."""
    return _node(document_of(text), (), _lines(text), 1)


def _node(value: Any, path: tuple[str, ...], lines: Mapping[tuple[str, ...], int], line: int) -> Node:
    line = lines.get(path, line)
    if isinstance(value, dict):
        return Node({name: _node(held, (*path, name), lines, line) for name, held in value.items()}, line)
    if isinstance(value, list):
        return Node([_node(held, path, lines, line) for held in value], line)
    return Node(value if isinstance(value, (bool, int, float)) else str(value), line)


def _lines(text: str) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    line, before, seen = 1, 0, set()
    for heading in HEADING.finditer(text):
        if heading[1] in seen:
            continue
        seen.add(heading[1])
        line, before = line + text.count("\n", before, heading.start()), heading.start()
        try:
            held = tomllib.loads(f"[{heading[1]}]")
        except ValueError:  # a line within a text
            continue
        path: tuple[str, ...] = ()
        while held:
            ((name, held),) = held.items()
            path = (*path, name)
        found.setdefault(path, line)
    return found
