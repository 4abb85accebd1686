"""Files of a library in a folder: their items, faults with lines, and exact content."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2s
from typing import Any, TypeVar

import orjson

from app.adapters.formats.records import RefusedError, case_of, memory_of, power_of, record_of, rule_of
from app.adapters.formats.syntax.toml_documents import lines_of
from app.domain.case import Case
from app.domain.documents import fields_of
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Item
from app.domain.library import NEW_SUCCESS, Line, Memory, Power, Problem
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
        yield from _read_cases(text)
    else:
        yield from _read_tables(kind, text)


def _read_cases(text: str) -> Found:
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


def _read_tables(kind: str, text: str) -> Found:
    if long := LONG_KEY.search(text):
        yield Problem(text.count("\n", 0, long.start()) + 1, "A name of more than 64 parts is not read.")
        return
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        yield _refusal(text, str(error))
        return
    except (RecursionError, ValueError):
        yield Problem(1, "The file is not readable TOML: it is nested too deep, or contains an impossible number.")
        return
    if kind == "powers":
        yield _checked(1, document, kind, _read_power)
        return
    name = "memory" if kind == "memories" else "rule"
    rows = document.pop(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        yield Problem(1, f"Tables under [[{name}]] were expected.")
        return
    lines = [text.count("\n", 0, match.start()) + 1 for match in HEADING.finditer(text) if match[1] == name]
    if kind == "rules":
        yield from _read_rules(document, rows, lines)
        return
    for place, row in enumerate(rows):
        line, record = lines[place] if place < len(lines) else 1, {**document, **row}
        yield _checked(line, record, kind, lambda held: memory_of({**held, "intent": held.get("label")}))


def _read_rules(head: Mapping[str, Any], rows: list[dict[str, Any]], lines: list[int]) -> Found:
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


def _read_power(record: Mapping[str, Any]) -> Item:
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


# ---- Content of a library's files, reproducible to the byte

LIBRARY_FILE = "library.toml"
FORMAT = 1
"""Version of the files' format; later versions are not read."""

HEAD = f"""# A library of Intentscope: its memories, powers, rules and cases as texts.
format = {FORMAT}
"""

FOLDERS: Mapping[str, str] = {"memories": ".toml", "powers": ".toml", "rules": ".toml", "cases": ".jsonl"}
"""Folders of a library, with the ending of their files."""


def files_of(items: Iterable[Item], report: Callable[[int], object] = lambda _: None) -> dict[str, bytes]:
    """Return the content of a library's files by path; `report` gets the number of items."""
    by_kind: defaultdict[type, list[Any]] = defaultdict(list)
    for item in items:
        by_kind[type(item)].append(item)
    files = {LIBRARY_FILE: HEAD.encode()}
    done = 0
    for place, memories in memory_files(by_kind[Memory]).items():
        files[place] = _memories(memories).encode()
        report(done := done + len(memories))
    called = names_of(power.name for power in by_kind[Power])
    files |= {f"powers/{called[power.name]}.toml": _power(power).encode() for power in by_kind[Power]}
    for pack, rules in _together(by_kind[Rule], lambda rule: rule.pack, "rules").items():
        files[f"{pack}.toml"] = _rules(rules).encode()
    for task, cases in _together(by_kind[Case], lambda case: case.task.value, "cases").items():
        files[f"{task}.jsonl"] = _cases(cases)
    return files


def _together(things: Iterable[Any], by: Callable[[Any], str], folder: str) -> dict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for thing in things:
        found[by(thing)].append(thing)
    called = names_of(found)
    return {f"{folder}/{called[name]}": held for name, held in found.items()}


def _memories(memories: Sequence[Memory]) -> str:
    namespaces, labels = {memory.namespace for memory in memories}, {memory.intent for memory in memories}
    head: dict[str, Any] = {}
    if len(namespaces) == 1:
        head["namespace"] = namespaces.pop()
    if len(labels) == 1:
        head["label"] = labels.pop()
    blocks = sorted(((memory.name.casefold(), memory.name), _memory(memory, head)) for memory in memories)
    return "\n".join([lines_of(head), *(block for _, block in blocks)]).removeprefix("\n")


def _memory(memory: Memory, head: Mapping[str, Any]) -> str:
    fieldsed = {"namespace": memory.namespace, "label": memory.intent}
    return "[[memory]]\n" + lines_of({
        **{name: value for name, value in fieldsed.items() if name not in head},
        "id": memory.id,
        "triggers": memory.triggers,
        "response": memory.response or None,
        "tags": list(memory.tags) or None,
        "success": None if memory.success == NEW_SUCCESS else memory.success,
        "usage": memory.usage or None,
        "right": memory.right or None,
        "paused": memory.paused or None,
        "valid_from": memory.valid_from or None,
        "valid_to": memory.valid_to or None,
        "replaces": list(memory.replaces) or None,
    })  # fmt: skip


def _power(power: Power) -> str:
    reached = power.transport
    given = frozenset(reached.env_lines) or None
    head = lines_of({
        "name": power.name,
        "description": power.description or None,
        "keywords": power.keywords,
        "examples": power.examples,
        "steering": power.steering or None,
        "command": reached.command,
        "args": reached.args,
        "env": given if reached.command or not reached.url else None,
        "url": reached.url,
        "headers": given if reached.url and not reached.command else None,
        "paused": power.paused or None,
    })  # fmt: skip
    tools = (lines_of({"name": tool.name, "description": tool.description or None}) for tool in power.tools)
    return "\n".join([head, *(f"[[tool]]\n{lines}" for lines in tools)])


def _rules(rules: Sequence[Rule]) -> str:
    """Format the rules in order; a position is only written if it does not follow."""
    purposes = {rule.purpose for rule in rules}
    shared = purposes.pop() if len(purposes) == 1 else RulePurpose.SEARCH_INTENT
    blocks = [lines_of({"pack": rules[0].pack, "purpose": shared.value})]
    following = 0
    for rule in sorted(rules, key=lambda rule: (rule.position, rule.id)):
        fields = {
            **fields_of(rule, "id", "label", "pattern", "unless"),
            "weight": None if rule.weight == 1.0 else rule.weight,
            "confidence": rule.confidence,
            "enabled": None if rule.enabled else False,
            "purpose": None if rule.purpose is shared else rule.purpose.value,
            "position": None if rule.position == following else rule.position,
        }
        blocks.append(f"[[rule]]\n{lines_of(fields)}")
        following = rule.position + 1
    return "\n".join(blocks)


def _cases(cases: Sequence[Case]) -> bytes:
    ordered = sorted(cases, key=lambda case: (case.text.casefold(), case.text))
    return b"".join(orjson.dumps(record_of(case), option=orjson.OPT_APPEND_NEWLINE) for case in ordered)


# ---- Distribution of items to files with portable names.


MOST_TOGETHER = 2_000
"""Maximum number of memories per file."""

MOST_NAMES = 500
"""Maximum number of namespaces, or labels in one, with their own files."""

MOST_BYTES = 64
"""Maximum length of a name in bytes, without its distinguishing mark."""

RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")
"""Names of Windows devices, with any ending."""

MIXED = "_"
"""Names that no namespace or label gets."""

T = TypeVar("T")


def plain_name(text: str) -> str:
    """Return a file name: lower-case letters, digits and hyphens; "" for punctuation only."""
    lower = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower())
    letters = (one if one.isalnum() or unicodedata.category(one) == "Mn" else "-" for one in lower)
    name = re.sub("-+", "-", "".join(letters)).strip("-")
    while len(name.encode()) > MOST_BYTES:
        name = name[:-1]
    name = name.strip("-")
    return f"{name}-" if RESERVED.fullmatch(name) else name


def names_of(texts: Iterable[str]) -> dict[str, str]:
    """Return a name per distinct text; equal ones get a mark.

    Names are compared without case. A text that equals its name keeps it.
    """
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    plain = {text: plain_name(text) for text in texts}
    for text, name in plain.items():
        by_name[unicodedata.normalize("NFC", name.casefold())].append(text)
    found = {}
    for shared in by_name.values():
        for text in shared:
            alone = plain[text] and (len(shared) == 1 or plain[text] == text)
            found[text] = plain[text] if alone else f"{plain[text]}~{_mark(text)}"
    return found


def _mark(text: str, digits: int = 6) -> str:
    return blake2s(text.encode("utf-8", "replace")).hexdigest()[:digits]


def memory_files(memories: Sequence[Memory]) -> dict[str, list[Memory]]:
    """Return the memories by file: one per label of a namespace, or more if there are many."""
    namespaces = _grouped(memories, lambda memory: memory.namespace)
    if len(namespaces) > MOST_NAMES:
        return _spread(f"memories/{MIXED}", memories, lambda memory: memory.namespace)
    files: dict[str, list[Memory]] = {}
    names = names_of(namespaces)
    for namespace, inside in namespaces.items():
        place = f"memories/{names[namespace]}"
        labels = _grouped(inside, lambda memory: memory.intent or "")
        if len(labels) > MOST_NAMES:
            files |= _spread(f"{place}/{MIXED}", inside, lambda memory: memory.intent or memory.name)
            continue
        called: Mapping[str, str] = {**names_of(label for label in labels if label), "": "_unlabelled"}
        for label, held in labels.items():
            files |= _spread(f"{place}/{called[label]}", held, lambda memory: memory.name)
    return files


def _grouped(things: Iterable[T], by: Callable[[T], str]) -> dict[str, list[T]]:
    found: defaultdict[str, list[T]] = defaultdict(list)
    for thing in things:
        found[by(thing)].append(thing)
    return found


def _spread(place: str, things: Sequence[T], by: Callable[[T], str]) -> dict[str, list[T]]:
    """Distribute items over one file, or 16, 256 … in a folder, stably."""
    if len(things) <= MOST_TOGETHER:
        return {f"{place}.toml": list(things)}
    digits = 1
    while len(things) > MOST_TOGETHER * 16**digits:
        digits += 1
    spread = _grouped(things, lambda thing: _mark(by(thing), digits))
    return {f"{place}/{mark}.toml": held for mark, held in spread.items()}
