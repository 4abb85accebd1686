"""TOML as plain values, or as nodes with their lines; and the lines of a table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

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


# ---- Writing

INDENT = "  "

CONTROLS = {code: f"\\u{code:04x}" for code in (*range(32), 127) if code != 10} | {ord("\\"): "\\\\", 9: "\\t"}
"""Escapes in multi-line texts; tabs are escaped to distinguish them from blanks."""

BLANK_END = re.compile(r"[ ]+$", re.MULTILINE)
MARKERS = re.compile(r"^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)", re.MULTILINE)
"""Git's conflict markers, which no text may begin a line with."""

QUOTES = re.compile(r'"(?="")|"\Z')
"""Quotes that would end a multi-line text early."""

LITERAL = re.compile(r"[^'\x00-\x1f\x7f]*")


def escaped(text: str) -> str:
    """Quote a text as in JSON, whose escapes are those of TOML, plus one character."""
    return orjson.dumps(text).decode().replace("\x7f", "\\u007f")


def quoted(text: str) -> str:
    """Quote a text on one line, in apostrophes if that leaves patterns unchanged."""
    if ("\\" in text or '"' in text) and LITERAL.fullmatch(text):
        return f"'{text}'"
    return escaped(text)


def text_lines(name: str, text: str) -> str:
    """Format a text under its name, on one line or several."""
    if "\n" not in text:
        return f"{name} = {quoted(text)}\n"
    body = QUOTES.sub(r'\\"', text.translate(CONTROLS))
    body = BLANK_END.sub(lambda blanks: f"{blanks[0][:-1]}\\u0020", body)
    body = MARKERS.sub(lambda mark: f"\\u{ord(mark[0][0]):04x}{mark[0][1:]}", body)
    return f'{name} = """\n{body}"""\n'


def short_list(name: str, texts: Iterable[str]) -> str:
    """Format a list under its name, on one line."""
    return f"{name} = [{', '.join(map(quoted, texts))}]\n"


def lines_of(record: Mapping[str, Any]) -> str:
    """Format the values under their names, without () and None."""
    return "".join(_value_lines(record))


def _value_lines(record: Mapping[str, Any]) -> Iterator[str]:
    for name, value in record.items():
        match value:
            case None | ():
                continue
            case bool():
                yield f"{name} = {'true' if value else 'false'}\n"
            case str():
                yield text_lines(name, value)
            case tuple():
                yield "\n".join([f"{name} = [", *(f"{INDENT}{quoted(text)}," for text in value), "]\n"])
            case frozenset():  # names in a fixed order
                yield short_list(name, sorted(value))
            case list():
                yield short_list(name, value)
            case _:
                yield f"{name} = {value!r}\n"
