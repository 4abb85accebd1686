"""JSON list of any size, read record by record in bounded memory."""

from __future__ import annotations

import io
import json
import re
from codecs import getincrementaldecoder
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.syntax import json_documents
from app.adapters.formats.syntax import text as file_text
from app.adapters.formats.syntax.text import opened
from app.domain.errors import FormatError

BLOCK = 2**20
"""Number of bytes per read, at least the size of the current record."""

BLANK = re.compile(rf"[ \t\n{json_documents.BLANKS}]*")
COMMENT = re.compile(r"//[^\n]*\n|/\*.*?\*/", re.DOTALL)

Record = tuple[int, str | None, Any]
"""First line, from 1; name of the list, None for the document; plain value."""


def is_large(path: Path) -> bool:
    """Return whether a file is too large to be read as a whole; False for other paths."""
    return path.is_file() and path.stat().st_size > file_text.MAX_WHOLE_BYTES


def begins_as_json(path: Path) -> bool:
    """Return whether a file begins with a list or an object; raises FormatError if unreadable."""
    with opened(path) as stream:
        return stream.read(4_096).removeprefix(file_text.BOM).lstrip().startswith((b"[", b"{"))


def records(path: Path, names: Collection[str], needed: str | None = None) -> Iterator[Record]:
    """Yield the records of the document's list, or of the named lists in its object.

    Comments and trailing commas are allowed; other members are skipped. Raises FormatError, with its line, for
    invalid JSON, a file that ends too soon, and a record of more than MAX_LINE_BYTES; also if the object lacks the
    needed list.
    """
    with opened(path) as stream:
        yield from records_in(stream, names, needed)


def records_in(stream: BinaryIO, names: Collection[str], needed: str | None = None) -> Iterator[Record]:
    """Yield the records of a stream, as `records`."""
    text = _Text(stream)
    begin, line = text.ahead(), text.line
    if begin == "[":
        yield from ((at, None, value) for at, value in _list_of(text))
    elif begin == "{":
        yield from _object_of(text, names, needed)
    else:
        raise FormatError(f"Line {line:,}: a list of objects in [ ] was expected.")
    if text.ahead():
        raise text.wrong("the end")


def _list_of(text: _Text) -> Iterator[tuple[int, Any]]:
    """Yield the values of the list that begins here, up to its end."""
    opened_in = text.line
    text.step()
    while (ahead := text.ahead()) != "]":
        if not ahead:
            raise FormatError(f"Line {text.line:,}: the list that begins in line {opened_in:,} is not closed.")
        line = text.line
        yield line, text.value()
        _pass_comma(text, "]")
    text.step()


def _object_of(text: _Text, names: Collection[str], needed: str | None) -> Iterator[Record]:
    opened_in = text.line
    seen: set[str] = set()
    lists: set[str | None] = {None}
    text.step()
    while (ahead := text.ahead()) != "}":
        if not ahead:
            raise FormatError(f"Line {text.line:,}: the object that begins in line {opened_in:,} is not closed.")
        if ahead != '"':
            raise text.wrong("a name")
        line = text.line
        name = text.value()
        if name in seen:
            raise FormatError(f"Line {line:,}: “{name[:60]}” stands there twice; give it once.")
        seen.add(name)
        if text.ahead() != ":":
            raise text.wrong("a colon")
        text.step()
        if text.ahead() == "[" and name in names:
            lists.add(name)
            yield from ((at, name, value) for at, value in _list_of(text))
        else:
            text.value()
        _pass_comma(text, "}")
    text.step()
    if needed not in lists:
        raise FormatError(f"A list of objects in [ ], alone or under “{needed}”, was expected.")


def _pass_comma(text: _Text, end: str) -> None:
    ahead = text.ahead()
    if ahead == ",":
        text.step()
    elif ahead and ahead != end:
        raise text.wrong("a comma")


class _Text:
    """Window on a stream of text, with the number of the next line."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = io.IncrementalNewlineDecoder(getincrementaldecoder("utf-8")(), translate=True)
        self._text = ""
        self._at = 0
        self._is_over = False
        self._read_lines = 0
        self._counted = 0
        self._line = 1
        self._begun = False

    @property
    def line(self) -> int:
        """Line, from 1, of the next character."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def ahead(self) -> str:
        """Advance to the next character that is neither blank nor comment; "" at the end."""
        while True:
            self._at = BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches nothing as well
            if self._at == len(self._text):
                if not self._more():
                    return ""
            elif self._text[self._at] != "/":
                return self._text[self._at]
            elif (comment := COMMENT.match(self._text, self._at)) is not None:
                self._at = comment.end()
            elif not self._grow():
                return "" if self._text.startswith(("//", "/*"), self._at) else "/"

    def step(self) -> None:
        self._at += 1

    def value(self) -> Any:
        """Parse the value that begins here, and advance. Raises FormatError."""
        while True:
            try:
                value, end = self._first()
            except json_documents.CutError:
                if self._grow():
                    continue
                raise
            if end < len(self._text) or not self._grow():
                self._at = end
                return value

    def wrong(self, expected: str) -> FormatError:
        shown = self._text[self._at : self._at + 30].split("\n")[0]
        return FormatError(f"Line {self.line:,} is not valid JSON: {expected} was expected, not “{shown}”.")

    def _first(self) -> tuple[Any, int]:
        """Parse with the fast parser, or on failure with the precise one."""
        try:
            found: tuple[Any, int] = DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):
            node, end = json_documents.parse_first(self._text, self._at, self.line)
            return node.plain(), end
        return found

    def _grow(self) -> bool:
        """Read on until the current record fits; False at the end. Raises FormatError if too long."""
        if self._is_over:
            return False
        if len(self._text) - self._at > file_text.MAX_LINE_BYTES:
            most = file_text.MAX_LINE_BYTES // 2**20
            raise FormatError(
                f"Line {self.line:,}: what begins there is longer than {most} MB, or never ends; no record may be."
            )
        return self._more()

    def _more(self) -> bool:
        """Read on; False at the end."""
        _ = self.line  # counts the lines in the dropped part
        rest = self._text[self._at :]
        block = self._stream.read(max(BLOCK, len(rest)))
        self._is_over = not block
        more = self._decoded(block)
        if "\0" in more:
            line = self._read_lines + more.count("\n", 0, more.index("\0")) + 1
            raise FormatError(f"Line {line:,} holds a NUL byte, which no text has.")
        if more and not self._begun:
            self._begun, more = True, more.removeprefix("\ufeff")
        self._read_lines += more.count("\n")
        self._text, self._at, self._counted = rest + more, 0, 0
        return bool(more) or not self._is_over

    def _decoded(self, block: bytes) -> str:
        try:
            return self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            before = bytes(error.object[: error.start]).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            line = self._read_lines + before.count(b"\n") + 1
            raise FormatError(f"Line {line:,} is not valid UTF-8: save the file as UTF-8 and try again.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"“{twice[:60]}” stands there twice; give it once.")
    return found


def no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=no_constant)
"""Fast decoder that rejects duplicate names."""
