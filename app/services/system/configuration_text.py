"""Text edit of one value in a configuration file that leaves every other character as it is.

Assistants read JSON with comments and trailing commas (VS Code, Gemini CLI), or TOML (Codex).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app.domain.errors import KnownError

Path = Sequence[str | int]
"""Member names and item indices, from the outside in; the last one may not exist yet."""

DEEPEST, MOST_TOKENS = 100, 2_000_000
INDENT = "  "


class UnreadableConfigurationError(KnownError):
    """The text is not of its format, or has another kind of value at the path."""


@dataclass(slots=True)
class Node:
    """Value of the text with its place and members; of duplicate names the last one counts."""

    start: int
    end: int
    value: Any = None
    members: dict[str | int, Node] = field(default_factory=dict)
    has_last_comma: bool = False


_TOKEN = re.compile(
    r"""[\s\ufeff]+ | //[^\n]* | /\*.*?\*/ | (?P<string>"(?:[^"\\\x00-\x1f]|\\.)*") | (?P<mark>[{}\[\],:])
    | (?P<scalar>[^\s{}\[\],:"/]+)""",
    re.VERBOSE | re.DOTALL,
)

_NOTE = re.compile(r"(?:[ \t]*/\*.*?\*/)*(?:[ \t]*//[^\r\n]*)?", re.DOTALL)
"""Comments after a value on its line: they belong to it."""


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.place = 0

    def _tokens(self) -> Sequence[tuple[str, int, int]]:
        found, at = [], 0
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise self._fault(at)
            if token.lastgroup:
                found.append((token.lastgroup, token.start(), token.end()))
                if len(found) > MOST_TOKENS:
                    raise UnreadableConfigurationError("it has more entries than an assistant's configuration")
            at = token.end()
        return found

    def whole(self) -> Node:
        node = self.node(0)
        if self.place != len(self.tokens):
            raise self._fault(self.tokens[self.place][1])
        return node

    def node(self, depth: int) -> Node:
        kind, start, end = self._next()
        mark = self.text[start:end]
        if depth > DEEPEST or (kind == "mark" and mark not in "{["):
            raise self._fault(start)
        if kind == "mark":
            return self._container(start, "}" if mark == "{" else "]", depth)
        try:
            return Node(start, end, _read(mark))
        except ValueError:
            raise self._fault(start) from None

    def _container(self, start: int, closing: str, depth: int) -> Node:
        made = Node(start, start, {} if closing == "}" else [])
        while not self._takes(closing):
            if made.members and not made.has_last_comma:
                raise self._fault(self._next()[1])
            name: str | int = len(made.members)
            if closing == "}":
                kind, begins, ends = self._next()
                if kind != "string" or not self._takes(":"):
                    raise self._fault(begins)
                name = str(_read(self.text[begins:ends]))
            made.members.pop(name, None)  # the last member of a name counts
            made.members[name] = self.node(depth + 1)
            made.has_last_comma = self._takes(",")
        made.end = self.tokens[self.place - 1][2]
        inner = {name: node.value for name, node in made.members.items()}
        made.value = inner if closing == "}" else list(inner.values())
        return made

    def _takes(self, mark: str) -> bool:
        if self.place < len(self.tokens) and self.text[slice(*self.tokens[self.place][1:])] == mark:
            self.place += 1
            return True
        return False

    def _next(self) -> tuple[str, int, int]:
        if self.place >= len(self.tokens):
            raise self._fault(len(self.text))
        self.place += 1
        return self.tokens[self.place - 1]

    def _fault(self, at: int) -> UnreadableConfigurationError:
        return UnreadableConfigurationError(
            "line {line} cannot be read as JSON".format(line=self.text.count("\n", 0, at) + 1)
        )


def _read(token: str) -> Any:
    """Return the value of a string or another scalar; raises ValueError."""
    return token[1:-1] if token[0] == '"' and "\\" not in token else json.loads(token)


@lru_cache(maxsize=1)
def json_tree(text: str) -> Node:
    """Parse a JSON text with comments into nodes; an empty text is an empty object.

    Raises UnreadableConfigurationError. The cached result must not be changed.
    """
    reader = _Reader(text)
    return reader.whole() if reader.tokens else Node(len(text), len(text), {})


def with_json_value(text: str, path: Path, value: Any) -> str:
    """Set a value at a path, adding missing objects; raises UnreadableConfigurationError."""
    node = json_tree(text)
    if node.start == node.end:
        return text + json.dumps(_nested(path, value), indent=INDENT, ensure_ascii=False) + "\n"
    for depth, name in enumerate(path):
        wanted = list if isinstance(name, int) else dict
        if not isinstance(node.value, wanted):
            raise UnreadableConfigurationError(
                "line {line} holds something else than expected".format(line=text.count("\n", 0, node.start) + 1)
            )
        if name not in node.members:
            return _with_member(text, node, name, _nested(path[depth + 1 :], value))
        node = node.members[name]
    if node.members and "\n" not in text[node.start : node.end]:
        shown = json.dumps(value, ensure_ascii=False)
    else:
        shown = _rendered(text, value, _indent_at(text, node.start))
    return text[: node.start] + shown + text[node.end :]


def _nested(path: Path, value: Any) -> Any:
    for name in reversed(path):
        value = [value] if isinstance(name, int) else {name: value}
    return value


def _with_member(text: str, node: Node, name: str | int, value: Any) -> str:
    """Add a member at the end of an object or array."""
    outer = _indent_at(text, node.start)
    last = list(node.members.values())[-1] if node.members else None
    spread = last is None or "\n" in text[node.start : last.start]
    inner = _indent_at(text, last.start) if last is not None and spread else outer + _unit(text)
    key = "" if isinstance(name, int) else json.dumps(name, ensure_ascii=False) + ": "
    newline = "\r\n" if "\r\n" in text else "\n"
    shown = _rendered(text, value, inner) if spread else json.dumps(value, ensure_ascii=False)
    made = (newline + inner if spread else " ") + key + shown
    if last is None:
        at = node.start + 1
        rest = text[at:]
        return text[:at] + made + (rest if rest.lstrip(" \t").startswith(("\n", "\r")) else newline + outer + rest)
    at = last.end + (_after_comma(text[last.end : node.end]) if node.has_last_comma else 0)
    noted = _NOTE.match(text, at) if spread else None
    behind = noted.end() if noted else at
    before, after = ("", ",") if node.has_last_comma else (",", "")
    return text[:at] + before + text[at:behind] + made + after + text[behind:]


def _after_comma(rest: str) -> int:
    """Return the end of the next comma after spaces and comments."""
    at = 0
    while True:
        token = _TOKEN.match(rest, at)
        assert token is not None, "the text was read before"
        at = token.end()
        if token.lastgroup:
            return at


def _rendered(text: str, value: Any, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    newline = "\r\n" if "\r\n" in text else "\n"
    return (newline + indent).join(lines)


def _unit(text: str) -> str:
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else INDENT


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


# ---- TOML: the keys of one table


def with_toml_table(text: str, table: Sequence[str], values: Mapping[str, Any]) -> str:
    """Set values in a table, leaving its other keys; raises UnreadableConfigurationError.

    The error is also raised for a table that is not written under its own heading.
    """
    before = _toml(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    heading = next((place for place, line in enumerate(lines) if _heading(line) == list(table)), None)
    made = {key: f"{key} = {json.dumps(value, ensure_ascii=False)}{newline}" for key, value in values.items()}
    if heading is None:
        start = text if not text or text.endswith("\n") else text + newline
        found = start + (newline if start else "") + f"[{'.'.join(table)}]{newline}" + "".join(made.values())
    else:
        end = next((place for place in range(heading + 1, len(lines)) if _heading(lines[place])), len(lines))
        if not lines[heading].endswith("\n"):
            lines[heading] += newline
        inside = _replaced(lines[heading + 1 : end], made)
        found = "".join([*lines[: heading + 1], *inside, *lines[end:]])
    if _toml(found) != _with(before, table, values):
        raise UnreadableConfigurationError(f"its table {'.'.join(table)} is written in an unsupported way")
    return found


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableConfigurationError(f"it cannot be read as TOML: {error}") from None


def _heading(line: str) -> list[str]:
    """Return the names in a heading such as `[one."two"]`; [] for any other line."""
    if not line.lstrip().startswith("["):
        return []
    try:
        found: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return []
    names: list[str] = []
    while isinstance(found, dict) and found:
        (name, found), *_ = found.items()
        names.append(name)
    return names


def _replaced(lines: Sequence[str], made: Mapping[str, str]) -> list[str]:
    """Replace the lines of these keys in a table's lines; new keys come first."""
    kept: list[str] = []
    missing, place = dict(made), 0
    while place < len(lines):
        key = lines[place].partition("=")[0].strip()
        if key not in missing:
            kept.append(lines[place])
            place += 1
            continue
        ends = place + 1
        while ends < len(lines) and not _is_whole("".join(lines[place:ends])):
            ends += 1
        line = missing.pop(key)
        value = line.rstrip("\r\n")
        kept.append(value + _note("".join(lines[place:ends])) + line[len(value) :])
        place = ends
    return [*missing.values(), *kept]


def _note(assignment: str) -> str:
    """Return the comment after a key's value, with the space before it."""
    for mark in re.finditer("#", assignment):
        if _is_whole(assignment[: mark.start()]):
            return assignment[len(assignment[: mark.start()].rstrip()) :].rstrip()
    return ""


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _with(document: dict[str, Any], table: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    inner = document
    for name in table:
        found = inner.setdefault(name, {})
        if not isinstance(found, dict):
            return {}
        inner = found
    inner.update(values)
    return document
