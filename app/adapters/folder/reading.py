"""Reading of a library's files: items and faults with their lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from app.adapters.formats.records import RefusedError, case_of, memory_of, power_of, rule_of
from app.domain.journal import Item
from app.domain.library import Line, Problem
from app.domain.references import is_reference
from app.settings.layers import LONG_KEY

CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
"""Git's markers around the sides of a conflict."""

HEADING = re.compile(r"^[ \t]*\[\[[ \t]*(\w+)[ \t]*\]\]", re.MULTILINE)
KNOWN = {
    "memories": {
        "namespace", "label", "id", "triggers", "response", "tags", "success", "usage", "right", "paused",
        "valid_from", "valid_to", "replaces",
    },
    "rules": {
        "pack", "purpose", "id", "label", "pattern", "unless", "weight", "confidence", "enabled", "position",
    },
    "powers": {
        "name", "description", "keywords", "examples", "steering", "command", "args", "env", "url", "headers", "paused",
        "tool",
    },
}  # fmt: skip
"""Allowed names in the tables of each kind; others are reported as mistakes."""

Found = Iterator[Line[Item] | Problem]


def read_text(kind: str, text: str) -> Found:
    """Read the items of one file in the folder `kind`; one fault may hide later ones."""
    if marker := CONFLICT.search(text):
        yield Problem(
            text.count("\n", 0, marker.start()) + 1,
            (
                "A conflict that git could not settle begins here: choose what stays, take out its "
                "markers, and try again."
            ),
        )
    elif kind == "cases":
        yield from _cases(text)
    else:
        yield from _tables(kind, text)


def _cases(text: str) -> Found:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
            if not isinstance(record, dict):
                raise RefusedError("An object in { } was expected.")
            yield Line(number, case_of(record))
        except orjson.JSONDecodeError as error:
            yield Problem(number, f"The line is not valid JSON: {error.msg} (character {error.pos + 1}).")
        except RefusedError as refused:
            yield Problem(number, str(refused))


def _tables(kind: str, text: str) -> Found:
    if long := LONG_KEY.search(text):
        yield Problem(text.count("\n", 0, long.start()) + 1, "A name of more than 64 parts is not read.")
        return
    try:
        document = quickly(text) or tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        yield _refusal(text, str(error))
        return
    except (RecursionError, ValueError):
        yield Problem(1, "The file is not readable TOML: it is nested too deep, or contains an impossible number.")
        return
    if kind == "powers":
        yield _checked(1, document, kind, _power)
        return
    name = "memory" if kind == "memories" else "rule"
    rows = document.pop(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        yield Problem(1, f"Tables under [[{name}]] were expected.")
        return
    lines = [text.count("\n", 0, match.start()) + 1 for match in HEADING.finditer(text) if match[1] == name]
    if kind == "rules":
        yield from _rules(document, rows, lines)
        return
    for place, row in enumerate(rows):
        yield _checked(lines[place] if place < len(lines) else 1, {**document, **row}, kind, _memory)


def _rules(head: Mapping[str, Any], rows: list[dict[str, Any]], lines: list[int]) -> Found:
    following = 0
    for place, row in enumerate(rows):
        record = {"position": following, **head, **row}
        yield _checked(lines[place] if place < len(lines) else 1, record, "rules", rule_of)
        position = record["position"]
        following = position + 1 if type(position) is int else following + 1


def _checked(line: int, record: Mapping[str, Any], kind: str, make: Any) -> Line[Item] | Problem:
    if strange := sorted(record.keys() - KNOWN[kind]):
        return Problem(line, f"“{strange[0][:60]}” is none of {', '.join(sorted(KNOWN[kind]))}.")
    try:
        return Line(line, make(record))
    except RefusedError as refused:
        return Problem(line, str(refused))


def _memory(record: Mapping[str, Any]) -> Item:
    return memory_of({**record, "intent": record.get("label")})


def _power(record: Mapping[str, Any]) -> Item:
    field = "headers" if "headers" in record and not record.get("command") else "env"
    names = record.get(field, [])
    if not isinstance(names, list) or not all(map(_is_variable, names)):
        raise RefusedError(
            f"“{field}” is a list of names. Their values are secrets, which stay out of these "
            "files: set them on the page of the powers."
        )
    given = (name.partition("=") for name in names)
    env = {name: reference or None for name, _, reference in given}
    return power_of({**record, field: env, "tools": record.get("tool")})


def _is_variable(line: object) -> bool:
    """Return whether an entry is a name, or a name with a reference: `TOKEN=${MY_TOKEN}`."""
    if not isinstance(line, str):
        return False
    name, equals, value = line.partition("=")
    return not equals or is_reference(value, name)


def _refusal(text: str, why: str) -> Problem:
    """Convert the parser's message to a problem with its line."""
    said = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", why, re.DOTALL)
    if said is None:
        return Problem(1, f"Not valid TOML: {why}.")
    return Problem(int(said[2] or text.rstrip().count("\n") + 1), f"Not valid TOML: {said[1]}.")


# ---- Fast line-by-line parser of files as this program writes them

PAIR = re.compile(r"([a-z]+) = (.+)")
PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
WORDS = {"true": True, "false": False}


class _OddError(Exception):
    """A line is not as this program writes it, though it may be valid TOML."""


def quickly(text: str) -> dict[str, Any] | None:
    """Parse a file as this program writes it; None for any other."""
    document: dict[str, Any] = {}
    table = document
    lines = iter(text.split("\n"))
    try:
        for line in lines:
            if not line:
                continue
            if pair := PAIR.fullmatch(line):
                name, said = pair.groups()
                if name in table:
                    return None
                table[name] = _value(said, lines)
            elif line in ("[[memory]]", "[[rule]]", "[[tool]]"):
                table = {}
                document.setdefault(line[2:-2], []).append(table)
            else:
                return None
    except (_OddError, ValueError, StopIteration, AttributeError):
        return None
    return document


def _value(said: str, lines: Iterator[str]) -> Any:
    if said == "[":
        return _list(lines)
    if said == '"""':
        return _text(lines)
    first = said[0]
    if first == '"':
        value = orjson.loads(said) if "\\/" not in said and not said.startswith('"""') else None
        if not isinstance(value, str):
            raise _OddError
        return value
    if first == "[" and "\\/" not in said:
        return orjson.loads(said)
    if first == "'" and said.find("'", 1) == len(said) - 1 and "\t" not in said:
        return said[1:-1]
    if said in WORDS:
        return WORDS[said]
    if PLAIN.fullmatch(said) and len(said) < 40:
        return float(said) if any(sign in said for sign in ".e") else int(said)
    raise _OddError


def _list(lines: Iterator[str]) -> list[str]:
    found = []
    while (line := next(lines)) != "]":
        bare = line.strip(" ")
        if not bare.endswith(","):
            raise _OddError
        value = _value(bare[:-1], iter(()))
        if not isinstance(value, str):
            raise _OddError
        found.append(value)
    return found


def _text(lines: Iterator[str]) -> str:
    held = []
    while not (line := next(lines)).endswith('"""'):
        held.append(line)
    body = "\n".join([*held, line])
    if "\\" not in body and body.find('"""') == len(body) - 3:
        return body[:-3]
    return str(tomllib.loads(f'x = """\n{body}')["x"])
