"""TOML: one table per item under the name of its kind, and rule packs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.documents import Found
from app.adapters.formats.records import FileKind, RefusedError, items_of, record_of, rule_of
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.toml_documents import document_of, escaped, lines_of
from app.domain.case import Task
from app.domain.documents import fields_of
from app.domain.errors import FormatError
from app.domain.intent import Rule
from app.domain.journal import KINDS, Item

HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?(\w+)[\"']?[ \t]*\]\]", re.MULTILINE)


def read(source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
    """Read the tables of one kind as items, invalid ones as problems by heading line.

    Raises FormatError if the file is no TOML or holds nothing of that kind.
    """
    text = whole_text(source)
    rows, name = _rows(document_of(text), kind)
    numbered = zip(_lines(text, name, len(rows)), rows, strict=True)
    yield from items_of(numbered, kind, task, f"A table under [[{name}]] was expected.")


def detect_kind(path: Path) -> FileKind:
    """Return the kind of the file's tables; raises FormatError if unknown or several."""
    text = whole_text(path)
    headed = {match[1] for match in HEADER.finditer(text)}
    if len(headed) == 1 and (kind := next((kind for kind in FileKind if kind.value in headed), None)):
        return kind
    document = document_of(text)
    kinds = [kind for kind in FileKind if kind.value in document]
    if not kinds and "pack" in document:
        return FileKind.RULES
    if len(kinds) == 1:
        return kinds[0]
    if "search_intent" in document and not kinds:
        raise FormatError(
            f"{path} is the configuration of Subcog, which holds settings: “intentscope import {path.name}” at the "
            "terminal takes them, and asks before an address is set."
        )
    why = "it has tables of several" if kinds else "it has none of the tables"
    names = ", ".join(f"[[{kind}]]" for kind in FileKind)
    raise FormatError(f"The content of {path} is unclear ({why} {names}): name it with --kind.")


def _rows(document: dict[str, Any], kind: FileKind) -> tuple[list[Any], str]:
    if kind is FileKind.RULES and "pack" in document and "rule" in document:
        return _pack(document), "rule"
    rows = document.get(kind.value) if document else []  # an empty library has no table
    if not isinstance(rows, list):
        raise FormatError(f"Tables under [[{kind}]] were expected, but the file has none.")
    return rows, kind.value


def _pack(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rules of a pack, each with the pack's common fields."""
    pack, rules = document.get("pack"), document.get("rule")
    if not isinstance(pack, dict) or not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise FormatError("A rule pack was expected: a table [pack], and its rules under [[rule]].")
    shared = {"pack": pack.get("name"), "purpose": pack.get("purpose")}
    return [{**shared, "position": place, **rule} for place, rule in enumerate(rules)]


def _lines(text: str, name: str, count: int) -> Iterator[int]:
    """Yield the first line of each table; 1 for headings in another notation."""
    starts = [match.start() for match in HEADER.finditer(text) if match[1] == name]
    if len(starts) != count:
        yield from [1] * count
        return
    line, before = 1, 0
    for start in starts:
        line += text.count("\n", before, start)
        before = start
        yield line


def write(stream: BinaryIO, values: Iterable[Item]) -> int:
    """Write a table per value; return their number."""
    count = 0
    for value in values:
        record = {name: held for name, held in record_of(value).items() if held is not None}
        lines = "".join(f"{name} = {_value(held)}\n" for name, held in record.items())
        apart = "\n" if count else ""
        stream.write(f"{apart}[[{KINDS[type(value)].plural}]]\n{lines}".encode())
        count += 1
    return count


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return escaped(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            # Without null, an empty value also leaves a stored secret unchanged.
            pairs = (f"{_value(name)} = {_value('' if held is None else held)}" for name, held in value.items())
            return f"{{{', '.join(pairs)}}}"
    return repr(value)


# ---- Rule packs, shipped and exported: one TOML file per pack.


def read_pack(path: Path) -> list[Rule]:
    """Read the rules of one pack, in order; raises FormatError with a sentence if invalid."""
    try:
        return [rule_of(row) for row in _pack(document_of(whole_text(path)))]
    except (FormatError, RefusedError) as error:
        raise FormatError(f"The rule pack {path} cannot be read. {error}") from error


def read_packs(folder: Path) -> list[Rule]:
    """Read the rules of every pack in a folder, by file name."""
    return [rule for path in sorted(folder.glob("*.toml")) for rule in read_pack(path)]


def pack_text(name: str, title: str, rules: Iterable[Rule]) -> str:
    """Format a pack as text that reads back as the same rules in order.

    Raises FormatError for rules of several purposes, or none.
    """
    rules = list(rules)
    purposes = {rule.purpose for rule in rules}
    if len(purposes) != 1:
        what = "has no rules" if not purposes else "has rules of several purposes"
        raise FormatError(f"The pack “{name}” {what}, so it cannot be written as one file.")
    blocks = ["[pack]\n" + lines_of({"name": name, "title": title, "purpose": purposes.pop().value})]
    for rule in rules:
        fields = fields_of(rule, "id", "label", "pattern", "unless", "weight", "confidence")
        blocks.append("[[rule]]\n" + lines_of({**fields, "enabled": None if rule.enabled else False}))
    return "\n".join(blocks)


class TomlPacks:
    """Reader and writer of packs as TOML files."""

    read = staticmethod(read_pack)
    text = staticmethod(pack_text)
