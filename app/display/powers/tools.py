"""The tools of a server, in words: a line for each, and what its input schema asks for as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import words
from app.display.library.catalogue import Column
from app.display.powers.running import visible
from app.domain.running import ToolSchema, shown

MOST_CHOICES = 200
"""An enumeration of more values is written as text."""

MOST_ABOUT = 8_000
"""So many characters of a description are shown: as many as are taken from a server."""

_MOST_REFERENCES = 5
_SCALARS = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A tool as a row of the list; `is_changed`: new, or another than a person saw last."""

    tool: ToolSchema
    is_changed: bool = False


def _mark(line: ToolLine) -> str:
    return "\N{BLACK DIAMOND} " + words.say("Changed") if line.is_changed else ""


def _about(line: ToolLine) -> str:
    tool = line.tool
    title = shown(tool.title, 80)
    said = shown(tool.description, 160)
    return " \N{MIDDLE DOT} ".join(part for part in (title, said) if part)


TOOL_COLUMNS: tuple[Column[ToolLine], ...] = (
    Column("name", "Tool", lambda line: shown(line.tool.name, 120), 150),
    Column("about", "Title and description", _about, 200, is_quiet=True),
    Column("mark", "Changes", _mark, 96),
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool. `kind` is string, number, integer, boolean, choice or json.

    `default` is JSON text, "" for none; `choices` are what a choice may be, as they are in JSON.
    """

    name: str
    kind: str
    word: str
    is_required: bool
    default: str = ""
    about: str = ""
    choices: tuple[Any, ...] = ()
    least: float | None = None
    most: float | None = None


ARGUMENT_COLUMNS: tuple[Column[Argument], ...] = (
    Column("name", "Argument", lambda row: shown(row.name, 120), 110),
    Column("type", "Type", lambda row: row.word, 84),
    Column("required", "Required", lambda row: words.say("Required") if row.is_required else "", 70),
    Column("default", "Default", lambda row: shown(row.default, 80), 70),
    Column("about", "Description", lambda row: shown(row.about, 280), 160, is_quiet=True),
)


def arguments(schema: Mapping[str, Any]) -> tuple[Argument, ...] | None:
    """What a schema asks for, in its order; None where it does not say so as properties of an object."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return None if set(schema) - {"type", "additionalProperties", "title", "$schema", "description"} else ()
    names = schema.get("required")
    required = {name for name in names if isinstance(name, str)} if isinstance(names, Sequence) else set()
    return tuple(_argument(name, asked, schema, name in required) for name, asked in properties.items())


def _argument(name: str, asked: Any, schema: Mapping[str, Any], is_required: bool) -> Argument:
    whole = asked if isinstance(asked, Mapping) else {}
    one = _resolved(whole, schema)
    choices = _choices(one)
    kind = "choice" if choices else _kind(one)
    default = json.dumps(whole["default"], ensure_ascii=False) if "default" in whole else ""
    about = whole.get("description", one.get("description", whole.get("title", "")))
    return Argument(
        name,
        kind,
        _word(kind, one, choices),
        is_required,
        default,
        about if isinstance(about, str) else "",
        choices,
        _number(one.get("minimum")),
        _number(one.get("maximum")),
    )


def _resolved(asked: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is asked for, where it is written elsewhere in the schema or may also be null."""
    for _ in range(_MOST_REFERENCES):
        reference = asked.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            found = _found(schema, reference)
        else:
            found = next(_alternatives(asked), None)
        if found is None:
            return asked
        asked = found
    return {}


def _found(schema: Mapping[str, Any], reference: str) -> Mapping[str, Any] | None:
    place: Any = schema
    for part in reference[2:].split("/"):
        place = place.get(part) if isinstance(place, Mapping) else None
    return place if isinstance(place, Mapping) else None


def _alternatives(asked: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The one form that it may have beside null, if there is one."""
    for key in ("anyOf", "oneOf", "allOf"):
        forms = asked.get(key)
        if isinstance(forms, list):
            real = [form for form in forms if isinstance(form, Mapping) and form.get("type") != "null"]
            if len(real) == 1:
                yield real[0]


def _choices(asked: Mapping[str, Any]) -> tuple[Any, ...]:
    values = [asked["const"]] if "const" in asked else asked.get("enum")
    if not isinstance(values, list) or len(values) > MOST_CHOICES:
        return ()
    kept = tuple(value for value in values if isinstance(value, _SCALARS))
    return kept if len(kept) == len([value for value in values if value is not None]) else ()


def _kind(asked: Mapping[str, Any]) -> str:
    types = asked.get("type")
    kinds = [kind for kind in (types if isinstance(types, list) else [types]) if kind != "null"]
    only = kinds[0] if len(kinds) == 1 and isinstance(kinds[0], str) else ""
    return only if only in ("string", "number", "integer", "boolean") else "json"


def _word(kind: str, asked: Mapping[str, Any], choices: Sequence[Any]) -> str:
    """What it is called: the schema's word, "list of strings", "one of 3"."""
    if kind == "choice":
        return words.say("one of {n}", n=len(choices))
    if kind != "json":
        return words.say({"string": "text", "boolean": "yes or no"}.get(kind, kind))
    if asked.get("type") == "array":
        items = asked.get("items")
        inner = items.get("type") if isinstance(items, Mapping) else None
        return words.say("list of {kind}", kind=shown(inner, 20)) if isinstance(inner, str) else words.say("list")
    return words.say("object") if asked.get("type") == "object" else words.say("any JSON")


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number else None


def tool_about(tool: ToolSchema) -> str:
    """Title and description in full, plain, every sign to be seen."""
    return "\n".join(visible(part, MOST_ABOUT) for part in (tool.title, tool.description) if part.strip())


def arguments_word(rows: Sequence[Argument] | None) -> str:
    """What stands above the table of arguments."""
    if rows is None:
        return words.say("Its schema has a form of its own: the arguments are written as JSON.")
    return words.say_n(len(rows), "{n} argument", "{n} arguments") if rows else words.say("It takes no arguments.")
