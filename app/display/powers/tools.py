"""Tools of a server in words: list lines, arguments as rows, and results of a call."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers
from app.display.library.tables import Column
from app.display.powers.running import escaped_text
from app.domain.language import quantity
from app.domain.running import ToolResult, ToolSchema, WireMessage, shown

MOST_CHOICES = 200
"""Maximum number of choices; a larger enumeration is a text field."""

MOST_ABOUT = 8_000
"""Maximum characters of a description, as accepted from a server."""

_MOST_REFERENCES = 5
_SCALARS = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A tool in the list; `is_changed`: new, or changed since the user saw it."""

    tool: ToolSchema
    is_changed: bool = False


def _about(line: ToolLine) -> str:
    tool = line.tool
    title = shown(tool.title, 80)
    said = shown(tool.description, 160)
    return " \N{MIDDLE DOT} ".join(part for part in (title, said) if part)


TOOL_COLUMNS: tuple[Column[ToolLine], ...] = (
    Column("name", "Tool", lambda line: shown(line.tool.name, 120), 150),
    Column("about", "Title and description", _about, 200, is_quiet=True),
    Column("mark", "Changes", lambda line: "\N{BLACK DIAMOND} Changed" if line.is_changed else "", 96),
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool. `kind` is string, number, integer, boolean, choice or json.

    `default` is JSON text, "" for none; `choices` are JSON values.
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
    Column("required", "Required", lambda row: "Required" if row.is_required else "", 70),
    Column("default", "Default", lambda row: shown(row.default, 80), 70),
    Column("about", "Description", lambda row: shown(row.about, 280), 160, is_quiet=True),
)


def arguments(schema: Mapping[str, Any]) -> tuple[Argument, ...] | None:
    """Return the arguments of a schema, in order; None if it has no properties of an object."""
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
    """Resolve references, and unions with null."""
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
    """Yield the only alternative besides null, if there is one."""
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
    """Return the type of an argument in words: "list of strings", "one of 3"."""
    if kind == "choice":
        return f"one of {len(choices)}"
    if kind != "json":
        return {"string": "text", "boolean": "yes or no"}.get(kind, kind)
    if asked.get("type") == "array":
        items = asked.get("items")
        inner = items.get("type") if isinstance(items, Mapping) else None
        return f"list of {shown(inner, 20)}" if isinstance(inner, str) else "list"
    return "object" if asked.get("type") == "object" else "any JSON"


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number else None


def tool_about(tool: ToolSchema) -> str:
    """Return title and description in full, escaped."""
    return "\n".join(escaped_text(part, MOST_ABOUT) for part in (tool.title, tool.description) if part.strip())


def arguments_word(rows: Sequence[Argument] | None) -> str:
    """Return the heading of the table of arguments."""
    if rows is None:
        return "Its schema has a form of its own: the arguments are written as JSON."
    return quantity(len(rows), "argument") if rows else "It takes no arguments."


def tool_lines(tool: ToolSchema) -> Iterator[str]:
    """Format a tool for the terminal: name and purpose, then each argument with type and text."""
    yield "  ".join(filter(None, (shown(tool.name, 120), _about(ToolLine(tool)))))
    rows = arguments(tool.input_schema)
    for row in fields(None) if rows is None else rows:
        named = f"{shown(row.name, 120)}=…" if row.name else "{…}"
        parts = (row.word, "Required" if row.is_required else "", shown(row.about, 280))
        yield f"    {named}  {', '.join(filter(None, parts))}"


# ---- Call of a tool in words: parsing of arguments, their faults, and the result.


MOST_FIELDS = 30
"""Maximum number of form fields; a tool with more arguments takes JSON."""

WHOLE = ""
"""Key of the single field for all arguments as JSON."""

MOST_SHOWN = 20_000
"""Maximum characters of a displayed result; copying takes all."""

_LINE = 400
"""Maximum length of a displayed line, since layout of longer ones blocks the window."""


class BadArgumentError(ValueError):
    """An argument is invalid; the message is a sentence for its field."""


def fields(rows: Sequence[Argument] | None) -> tuple[Argument, ...]:
    """Return the form's fields: one per argument, or one for all as JSON."""
    if rows is None or len(rows) > MOST_FIELDS:
        about = "All arguments, as a JSON object."
        return (Argument(WHOLE, "json", "object", True, "{}", about),)
    return tuple(rows)


def default_text(row: Argument) -> str:
    """Return the initial text of a field: the default as a user would type it."""
    if row.kind == "string" and row.default:
        value = json.loads(row.default)
        return value if isinstance(value, str) else ""
    return "" if row.default == "null" else row.default


def read_form(rows: Sequence[Argument], typed: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Parse the texts into arguments; return them and a sentence per fault, both by name."""
    found: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for row in rows:
        text = typed.get(row.name, "")
        if not text.strip() and not (row.kind == "string" and text):
            if row.is_required:
                wrong[row.name] = "This is required."
            continue
        try:
            value = _value(row, text)
        except BadArgumentError as error:
            wrong[row.name] = str(error)
        else:
            found[row.name] = value
    if [row.name for row in rows] == [WHOLE] and WHOLE in found:
        whole = found[WHOLE]
        return (whole, {}) if isinstance(whole, dict) else ({}, {WHOLE: "Write an object: {…}."})
    return found, wrong


def read_words(rows: Sequence[Argument] | None, words: Sequence[str]) -> dict[str, Any]:
    """Parse words into arguments: NAME=VALUE each, or one JSON object; raises BadArgumentError."""
    asked = fields(rows)
    typed = {row.name: default_text(row) for row in asked}
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        asked, typed = fields(None), {WHOLE: words[0]}
    else:
        by_name = {row.name: row for row in asked if row.name != WHOLE}
        for word in words:
            name, equals, value = word.partition("=")
            if not equals or name not in by_name:
                takes = ", ".join(f"{shown(one, 120)}=…" for one in by_name) or "a JSON object is wanted"
                raise BadArgumentError(f"“{word}” is none of its arguments: {takes}")
            typed[name] = _chosen(by_name[name], value)
    found, wrong = read_form(asked, typed)
    if wrong:
        raise BadArgumentError(" ".join(f"{name}: {said}" if name else said for name, said in wrong.items()))
    return found


def _chosen(row: Argument, value: str) -> str:
    """Return the form's value of a word: the JSON of the named choice."""
    choices = (True, False) if row.kind == "boolean" else row.choices
    spelt = {str(one) if isinstance(one, str) else json.dumps(one): json.dumps(one) for one in choices}
    if spelt and value not in spelt:
        raise BadArgumentError(f"{row.name} is one of: {', '.join(spelt)}")
    return spelt.get(value, value)


def _value(row: Argument, text: str) -> Any:
    if row.kind == "string":
        return text
    if row.kind == "integer":
        try:
            whole = int(text.strip())
        except ValueError as error:
            raise BadArgumentError("Write a whole number.") from error
        return _within(row, whole)
    if row.kind == "number":
        try:
            value = float(text.strip())
        except ValueError as error:
            raise BadArgumentError("Write a number.") from error
        if not math.isfinite(value):
            raise BadArgumentError("Write a number.")
        return _within(row, int(value) if value.is_integer() and abs(value) < 2**53 else value)
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        said = "This is not JSON: texts stand in double quotes, lists in […], objects in {…}."
        raise BadArgumentError(said) from error


def _within(row: Argument, value: float) -> float:
    if row.least is not None and value < row.least:
        raise BadArgumentError(f"At least {row.least:g}.")
    if row.most is not None and value > row.most:
        raise BadArgumentError(f"At most {row.most:g}.")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


# ---- result


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """Result of a call: a heading, if it is an error, and texts to show and to copy."""

    head: str
    is_bad: bool
    text: str
    whole: str


def call_outcome(tool: ToolSchema, result: ToolResult) -> CallOutcome:
    parts = [f"answered in {numbers.milliseconds(result.ms)} ms"]
    if result.is_error:
        parts = [f"the tool reports an error, after {numbers.milliseconds(result.ms)} ms"]
    if result.cut:
        parts.append("some of it was left out")
    head = f"{shown(tool.name, 60)}: {', '.join(parts)}"
    whole = "\n".join(part for part in _parts(result) if part) or "It answered without content."
    return CallOutcome(head, result.is_error, field_text(whole), whole)


def _parts(result: ToolResult) -> list[str]:
    said = [_block(block) for block in result.content]
    if result.structured is None:
        return said
    pretty = json.dumps(result.structured, ensure_ascii=False, indent=2)
    if len(said) == 1 and _same(result.content[0], result.structured):
        return [pretty]  # sent twice: MCP asks servers to do so for older clients
    return [*said, ("Structured:" + "\n" if said else "") + pretty]


def _same(block: Mapping[str, Any], structured: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(str(block.get("text", ""))) == structured)
    except (ValueError, RecursionError):
        return False


def _block(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind in ("image", "audio"):
        size = len(str(block.get("data", ""))) * 3 // 4
        name = "Picture" if kind == "image" else "Sound"
        mime = shown(str(block.get("mimeType", "")), 60)
        return f"[{name}, {mime}, {numbers.count(size)} bytes]"
    return json.dumps(block, ensure_ascii=False, indent=2)


def field_text(text: str) -> str:
    """Escape and cut untrusted text for a field, and break long lines."""
    lines = []
    for line in escaped_text(text, MOST_SHOWN).split("\n"):
        lines += [line[at : at + _LINE] for at in range(0, len(line), _LINE)] or [""]
    return "\n".join(lines)


def progress_words(done: float, total: float | None, said: str) -> str:
    """Return the progress of a call: "1 of 2, step 1"."""
    share = f"{done:g}" if total is None else f"{done:g} of {total:g}"
    return ", ".join(part for part in (share, shown(said, 120)) if part)


# ---- wire messages


def _direction(exchange: WireMessage) -> str:
    return "\N{RIGHTWARDS ARROW} " + "sent" if exchange.sent else "\N{LEFTWARDS ARROW} " + "got"


EXCHANGE_COLUMNS: tuple[Column[WireMessage], ...] = (
    Column("direction", "Direction", _direction, 86),
    Column("ms", "After ms", lambda row: f"{row.ms:,.0f}", 76, is_number=True),
    Column("text", "Message, secrets masked", lambda row: shown(row.text, 280), 220, is_quiet=True),
)


def exchange_text(exchange: WireMessage) -> str:
    """Format a message as indented JSON; a cut one as it is."""
    try:
        return json.dumps(json.loads(exchange.text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return exchange.text


def exchange_line(exchange: WireMessage) -> str:
    """Format a message for the clipboard."""
    return f"{_direction(exchange)} {exchange.ms:.0f} ms {exchange.text}"
