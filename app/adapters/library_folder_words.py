"""Values as TOML that differs by a line where they differ by a word: lists and long texts take a line for each line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

INDENT = "  "

CONTROLS = {code: f"\\u{code:04x}" for code in (*range(32), 127) if code != 10} | {ord("\\"): "\\\\", 9: "\\t"}
"""What a text of several lines cannot hold as it is; a tab is told from blanks."""

BLANK_END = re.compile(r"[ ]+$", re.MULTILINE)
MARKERS = re.compile(r"^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)", re.MULTILINE)
"""How lines begin in which git tells of a conflict; no text begins a line so."""

QUOTES = re.compile(r'"(?="")|"\Z')
"""What would end a text of several lines before its end."""

LITERAL = re.compile(r"[^'\x00-\x1f\x7f]*")


def quoted(text: str) -> str:
    """A text on one line; between apostrophes where that keeps patterns as they are."""
    if ("\\" in text or '"' in text) and LITERAL.fullmatch(text):
        return f"'{text}'"
    return orjson.dumps(text).decode().replace("\x7f", "\\u007f")


def text_lines(name: str, text: str) -> str:
    """A text under its name: on one line, or as it is where it has several."""
    if "\n" not in text:
        return f"{name} = {quoted(text)}\n"
    body = QUOTES.sub(r'\\"', text.translate(CONTROLS))
    body = BLANK_END.sub(lambda blanks: f"{blanks[0][:-1]}\\u0020", body)
    body = MARKERS.sub(lambda mark: f"\\u{ord(mark[0][0]):04x}{mark[0][1:]}", body)
    return f'{name} = """\n{body}"""\n'


def list_lines(name: str, texts: Iterable[str]) -> str:
    """A list under its name, each text on a line of its own."""
    return "\n".join([f"{name} = [", *(f"{INDENT}{quoted(text)}," for text in texts), "]\n"])


def short_list(name: str, texts: Iterable[str]) -> str:
    """A list under its name, on one line."""
    return f"{name} = [{', '.join(map(quoted, texts))}]\n"


def lines_of(record: Mapping[str, Any]) -> str:
    """The values that say something, each under its name; () and None say nothing."""
    return "".join(_lines(record))


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    for name, value in record.items():
        match value:
            case None | ():
                continue
            case bool():
                yield f"{name} = {'true' if value else 'false'}\n"
            case str():
                yield text_lines(name, value)
            case tuple():
                yield list_lines(name, value)
            case frozenset():  # names in an order of their own
                yield short_list(name, sorted(value))
            case list():
                yield short_list(name, value)
            case _:
                yield f"{name} = {value!r}\n"
