"""JSON document of configuration files: comments and trailing commas are allowed."""

from __future__ import annotations

import json
import math
import re

from app.adapters.formats.syntax.trees import MAX_NODES, Builder, Node, too_many
from app.domain.errors import FormatError

BLANKS = "\u00a0\u2000-\u200d\u202f\u2060\u3000\ufeff"
"""Blanks and invisible characters that a web page puts between signs."""

# All alternatives are possessive, to avoid backtracking.
TOKEN = re.compile(
    rf"""(?P<blank>[ \t\n{BLANKS}]++|//[^\n]*+|/\*.*?(?:\*/|\Z))
      | (?P<text>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")
      | (?P<mark>[{{}}\[\],:])
      | (?P<word>[^\s{{}}\[\],:"/{BLANKS}]++)
      | (?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
TEXT_OR_COMMENT = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|//[^\n]*+|/\*.*?(?:\*/|\Z)', re.DOTALL)
EMPTY = re.compile(r"[{\[,]\s*+[}\]]")
"""Empty lists and objects, and trailing commas: marks without a value."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
WORDS = {"true": True, "false": False, "null": None}
CURLY = re.compile("[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2018\u2019\u201a]")
"""Curly quotes made by web pages and word processors."""

ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')


def parse(text: str, most: int | None = None) -> Node:
    """Parse the document; raises FormatError with the line of the fault.

    With `most`, only about that many tokens, as if all that is open ended there.
    """
    if most is None and len(text) > 2 * MAX_NODES:  # building the tree takes 20 times as long
        marks = TEXT_OR_COMMENT.sub('"', text)
        if marks.count(",") + marks.count("[") + marks.count("{") - len(EMPTY.findall(marks)) > MAX_NODES:
            raise too_many("The file")
    parser = _Parser()
    line = 1
    for count, match in enumerate(TOKEN.finditer(text)):
        if most is not None and count >= most and parser.may_be_cut:
            return parser.builder.cut()
        token = match.group()
        if match.lastgroup == "blank":
            line += token.count("\n")
        else:
            parser.take(match.lastgroup or "", token, line)
    return parser.end(line)


class CutError(FormatError):
    """The text ends within the value, as far as can be known."""


def parse_first(text: str, at: int, line: int) -> tuple[Node, int]:
    """Parse the value at a position; return it and its end; raises FormatError, CutError."""
    parser = _Parser()
    for match in TOKEN.finditer(text, at):
        kind, token = match.lastgroup or "", match.group()
        if kind == "blank":
            line += token.count("\n")
            continue
        try:
            parser.take(kind, token, line)
        except FormatError as fault:
            is_open = token == '"' and text.find("\n", match.end()) < 0
            raise CutError(str(fault)) if is_open or match.end() == len(text) else fault from None
        if parser.is_done:
            return parser.end(line), match.end()
    try:
        return parser.end(line), len(text)
    except FormatError as fault:
        raise CutError(str(fault)) from None


class _Parser:
    """Parser state: expected token, and the tree so far."""

    def __init__(self) -> None:
        self.builder = Builder()
        self._wants = "a value"

    def take(self, kind: str, token: str, line: int) -> None:
        if kind == "mark":
            self._mark(token, line)
        elif self._wants == "a name":
            self.builder.name(self._text(kind, token, line), line)
            self._wants = "a colon"
        elif self._wants == "a value":
            self.builder.add(self._value(kind, token, line), line)
            self._after_value()
        else:
            raise self._wrong(token, line)

    @property
    def may_be_cut(self) -> bool:
        """True if no name waits for its value."""
        return self._wants in ("a comma", "a name")

    @property
    def is_done(self) -> bool:
        return self._wants == "the end"

    def end(self, line: int) -> Node:
        """Return the document; raises FormatError if incomplete."""
        opened = self.builder.inside
        if opened is not None:
            what = "list" if isinstance(opened.value, list) else "object"
            raise FormatError(f"Line {line:,}: the {what} that begins in line {opened.line:,} is not closed.")
        if self.builder.root is None:
            raise FormatError("The file is empty.")
        return self.builder.root

    def _mark(self, token: str, line: int) -> None:
        inside = self.builder.inside
        names = inside is not None and isinstance(inside.value, dict)
        # A comma may precede the end, a colon may not.
        may_end = inside is not None and self._wants in (("a name", "a comma") if names else ("a value", "a comma"))
        if may_end and token == ("}" if names else "]"):
            self.builder.close()
            self._after_value()
        elif token in "[{" and self._wants == "a value":
            self.builder.open([] if token == "[" else {}, line)
            self._wants = "a value" if token == "[" else "a name"
        elif token == ":" and self._wants == "a colon":
            self._wants = "a value"
        elif token == "," and self._wants == "a comma":
            self._wants = "a name" if names else "a value"
        else:
            raise self._wrong(token, line)

    def _after_value(self) -> None:
        self._wants = "the end" if self.builder.inside is None else "a comma"

    def _text(self, kind: str, token: str, line: int) -> str:
        if kind != "text":
            raise self._wrong(token, line)
        if "\\" not in token and token.isprintable():
            return token[1:-1]
        try:
            return str(json.loads(token))
        except ValueError:
            why = "a text holds what must be escaped"
            if ESCAPE.search(token):
                why = 'a backslash in a text is written twice, as in "C:\\\\Users"'
            raise FormatError(f"Line {line:,} is not valid JSON: {why}.") from None

    def _value(self, kind: str, token: str, line: int) -> object:
        if kind == "text":
            return self._text(kind, token, line)
        if token in WORDS:
            return WORDS[token]
        number = NUMBER.fullmatch(token) if len(token) <= 400 else None
        if number is None:
            raise self._wrong(token, line)
        if not any(number.groups()):
            return int(token)
        value = float(token)
        if math.isinf(value):
            raise self._wrong(token, line)
        return value

    def _wrong(self, token: str, line: int) -> FormatError:
        shown = token if len(token) <= 30 else f"{token[:30]}…"
        if CURLY.search(token):
            return FormatError(
                f"Line {line:,} is not valid JSON: {shown} has curly quotes, as web pages and word processors "
                'make them: replace them all by straight ones (").'
            )
        if token.startswith("'") or (self._wants == "a name" and token[0].isalpha()):
            return FormatError(
                f'Line {line:,} is not valid JSON: names and texts stand between double quotes ("), unlike {shown}.'
            )
        return FormatError(f"Line {line:,} is not valid JSON: {self._wants} was expected, not “{shown}”.")
