"""Conversion between JSON objects and memories, powers, rules and cases (S8.4, S8.5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.adapters.formats import record_names
from app.adapters.formats.record_names import HELD_OUT, LABELS, SEVERAL_LABELS, JsonObject, is_case, normalized_case
from app.detect.store_query import utc
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import FormatError
from app.domain.intent import IntentType, Rule, RulePurpose, intent_type
from app.domain.journal import Item
from app.domain.library import NEW_SUCCESS, Line, Memory, Power, Problem, Tool, Transport
from app.domain.match import Tier, without_lone_surrogates

MAX_CHARACTERS = 100_000
"""Maximum number of characters of a text in a file."""

INVISIBLE = re.compile(r"\s*[\u00ad\u200b-\u200d\u2060\ufeff][\s\u00ad\u200b-\u200d\u2060\ufeff]*")
"""A text without width, as spreadsheets and web pages leave in a cell; it counts as empty."""


class RefusedError(ValueError):
    """Invalid record; the message is a sentence for the user."""


def item_at(line: int, make: Callable[[], Item], said: str = "", note: str = "") -> Line[Any] | Problem:
    """Return the item that `make` returns, or if it refuses a problem that begins with `said`."""
    try:
        return Line(line, make(), note)
    except RefusedError as refused:
        return Problem(line, f"{said}{refused}")


def text_of(record: JsonObject, field: str) -> str | None:
    """Return the text of an optional field; None if missing or null."""
    value = record.get(field)
    return None if value is None else checked(value, field)


def required(record: JsonObject, field: str) -> str:
    """Return the text of a field; raises RefusedError if missing or blank."""
    text = text_of(record, field)
    if text is None or not text.strip():
        raise RefusedError(f"“{field}” is missing.")
    return text


def name_of(record: JsonObject, field: str) -> str | None:
    """Return a name, also from an integer; None if missing or empty."""
    value = record.get(field)
    return str(value) if type(value) is int else text_of(record, field) or None


def list_of(record: JsonObject, field: str) -> list[Any]:
    """Return a list; empty if missing or null."""
    value = record.get(field)
    if value is not None and not isinstance(value, list):
        raise RefusedError(f'“{field}” is a list, as in ["a", "b"].')
    return value or []


def texts_of(record: JsonObject, field: str) -> tuple[str, ...]:
    """Return a list of texts; empty if missing or null."""
    return tuple(checked(value, field) for value in list_of(record, field))


def checked(value: object, field: str) -> str:
    """Return a valid text; raises RefusedError, with the name of the field, for anything else."""
    if not isinstance(value, str):
        raise RefusedError(f"“{field}” contains something that is not text.")
    if len(value) > MAX_CHARACTERS:
        raise RefusedError(f"“{field}” holds a text of {len(value):,} characters; {MAX_CHARACTERS:,} are allowed.")
    if "\0" in value:
        raise RefusedError(f"“{field}” holds a NUL character, which no text has.")
    return without_lone_surrogates(value) if INVISIBLE.fullmatch(value) is None else ""


def number_of(record: JsonObject, field: str, default: float) -> float:
    """Return a finite number; the default if missing or null."""
    value = record.get(field)
    if value is None:
        return default
    if type(value) not in (int, float) or not abs(value) <= 1e300:  # excludes NaN, too
        raise RefusedError(f"“{field}” is a number.")
    return float(value)


def flag_of(record: JsonObject, field: str, default: bool) -> bool:
    """Return a boolean; the default if missing or null."""
    value = record.get(field)
    if value is not None and not isinstance(value, bool):
        raise RefusedError(f"“{field}” is true or false.")
    return default if value is None else value


# ---- Conversion between JSON objects and memories, powers, rules and cases (S8.4, S8.5)

TASKS = frozenset(task.value for task in Task)
PURPOSES = frozenset(purpose.value for purpose in RulePurpose)
TYPE_NAMES = frozenset(type_.value for type_ in IntentType)
TIERS = frozenset(tier.value for tier in Tier)


class FileKind(StrEnum):
    """Kinds of items in files; the value is the word in `--kind`."""

    MEMORIES = "memories"
    POWERS = "powers"
    RULES = "rules"
    CASES = "cases"


COLUMNS: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.MEMORIES: (
        "text", "triggers", "intent", "response", "namespace", "tags", "id", "success", "usage", "right", "paused",
        "valid_from", "valid_to", "replaces",
    ),
    FileKind.POWERS: (
        "name", "description", "keywords", "examples", "steering", "tools", "command", "args", "env", "url", "paused",
    ),
    FileKind.RULES: (
        "id", "label", "pattern", "unless", "pack", "position", "weight", "confidence", "purpose", "enabled",
    ),
    FileKind.CASES: ("text", "expected", "unwanted", "task"),
}  # fmt: skip
"""Fields of each kind, in the order of written columns; all are read."""

PARTS = ("dataset", "split", "partition", "subset", "set", "ml_use", "training", "is_train", "is_training")
"""Fields with the part of a data set that a text belongs to, or whether it is for training."""

TESTING = frozenset(("test", "testing", "dev", "eval", "val", "valid", "validation", "holdout", "false"))
TEACHING = frozenset(("train", "training", "true"))
"""Parts with texts to test with and to teach, and the last fields' values."""

ALSO_READ: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.MEMORIES: PARTS,
    FileKind.CASES: ("intent", "duplicates", "acceptable", "tools", "type", "route", *PARTS),
}
"""Further fields that are read (S8.5)."""

EXPECTED_FIELDS: Mapping[Task, tuple[str, ...]] = {
    Task.INTENT: ("expected", "intent"),
    Task.MEMORY: ("expected", "duplicates"),
    Task.POWER: ("expected", "acceptable", "tools"),
    Task.ROUTE: ("expected", "route", "best", "intent"),
    Task.TYPE: ("expected", "type"),
}
"""Fields with a case's right answer, in order of precedence (S8.5)."""

TELLING_FIELDS: Mapping[str, Task] = {
    "duplicates": Task.MEMORY,
    "acceptable": Task.POWER,
    "tools": Task.POWER,
    "type": Task.TYPE,
    "route": Task.ROUTE,
    **dict.fromkeys(("intent", *HELD_OUT, *LABELS, *SEVERAL_LABELS), Task.INTENT),
}
"""Task by field, for cases without a stated task; the first present one."""


def one_kind(kinds: set[FileKind], path: Path, several: str, none: str) -> FileKind:
    """Return the single kind of a file's first records; raises FormatError otherwise."""
    if len(kinds) == 1:
        return next(iter(kinds))
    raise FormatError(
        f"Whether {path} holds {', '.join(FileKind)} is unclear ({several if kinds else none}): name it with --kind."
    )


def kind_of(record: JsonObject) -> FileKind | None:
    """Return the kind of a record by its fields; None if unknown."""
    record = record_names.plain_names(record)
    if "pattern" in record and "label" in record:
        return FileKind.RULES
    if "text" in record or "triggers" in record or ("name" not in record and record_names.is_labelled_text(record)):
        return FileKind.CASES if is_case(record) else FileKind.MEMORIES
    if record_names.is_spoken(record):
        return FileKind.MEMORIES
    if record_names.is_power(record):
        return FileKind.POWERS
    is_named = "name" in record and not any(name in record for name in ("memory", "fact"))
    if is_named or record_names.fact_in(record) is None:
        return None
    return None if is_case({name: record[name] for name in record if name != "type"}) else FileKind.MEMORIES


SEEN = 6
"""Number of names shown of an unknown record."""


def names_seen(record: JsonObject) -> str:
    """Explain, as a clause, why a record has no known kind: its names, and what is missing."""
    shown = ", ".join(f"“{str(name)[:30]}”" for name in list(record)[:SEEN])
    more = " and more" if len(record) > SEEN else ""
    chat = "which holds no memories; “intentscope inspect --stdin --log chat” answers what was asked in one"
    if "sessionId" in record or "leafUuid" in record:
        return f"it is of a session of Claude Code, {chat}"
    if record.keys() & {"mapping", "chat_messages", "messages"} or record.keys() >= {"role", "content"}:
        return f"it has {shown}{more} as a chat has, {chat}"
    if "name" not in record:
        return f"it has {shown}{more}" if shown else "it has no names"
    if sign := record_names.package_sign(record):
        return f"it has {shown}{more}; by its “{sign}” it is the manifest of a package, no power"
    telling = ", ".join(f"“{name}”" for name in record_names.POWER_FIELDS[:-1])
    return f"it has {shown}{more}; a power has {telling} or “{record_names.POWER_FIELDS[-1]}” beside its name"


def memory_of(record: JsonObject) -> Memory:
    """Convert a record to a memory.

    `text` or `triggers`, and optionally intent, response, namespace, tags, id, success, usage, right, paused,
    valid_from, valid_to and replaces. Raises RefusedError.
    """
    triggers = texts_of(record, "triggers")
    if isinstance(record.get("text"), list):
        raise RefusedError("“text” holds a list: name it “triggers”, which may have several texts.")
    if record.get("text") is not None:
        first = required(record, "text")
        triggers = (first, *(trigger for trigger in triggers if trigger != first))
    if not triggers:
        raise RefusedError("The memory has no text: give it “text”, or “triggers” as a list.")
    if any(not trigger.strip() for trigger in triggers):
        raise RefusedError("A trigger of the memory is empty.")
    if isinstance(record.get("intent"), list):
        raise RefusedError(
            f"The text has {len(record['intent'])} labels, and a memory has one: write a line for each, or import them "
            "as cases with --kind cases --task intent."
        )
    success = number_of(record, "success", NEW_SUCCESS)
    if not 0.0 <= success <= 1.0:
        raise RefusedError(f"“success” lies between 0 and 1, not at {success:g}.")
    since, until = moment_of(record, "valid_from"), moment_of(record, "valid_to")
    if since and until and until <= since:
        raise RefusedError("“valid_to” is not after “valid_from”.")
    replaces = record.get("replaces")
    return Memory(
        triggers=triggers,
        response=text_of(record, "response") or "",
        intent=text_of(record, "intent") or None,
        namespace=text_of(record, "namespace") or "context",
        tags=texts_of(record, "tags"),
        id=name_of(record, "id"),
        success=success,
        usage=_count_of(record, "usage"),
        paused=flag_of(record, "paused", False),
        right=_count_of(record, "right"),
        valid_from=since,
        valid_to=until,
        replaces=texts_of({"replaces": [replaces]} if isinstance(replaces, str) else record, "replaces"),
    )


def moment_of(record: JsonObject, field: str) -> str:
    """Return a date or time in the format of Memory; "" if missing or null."""
    value = record.get(field)
    try:
        return utc(value.isoformat() if isinstance(value, date) else checked(value or "", field))
    except ValueError as error:
        if isinstance(error, RefusedError):
            raise
        raise RefusedError(f"“{field}” is a date or a time, such as 2026-11-22 or 2026-11-22T04:26:21Z.") from None


def _count_of(record: JsonObject, name: str) -> int:
    count = record.get(name)
    if count is not None and (type(count) is not int or not 0 <= count < 2**63):
        raise RefusedError(f"“{name}” is a whole number of 0 or more.")
    return count or 0


def power_of(record: JsonObject) -> Power:
    """Convert a record with `name` to a power; never its approval, which only the user gives."""
    line = texts_of(record, "command") if isinstance(record.get("command"), list) else (text_of(record, "command"),)
    return Power(
        name=required(record, "name"),
        description=text_of(record, "description") or "",
        keywords=texts_of(record, "keywords"),
        steering=text_of(record, "steering") or "",
        tools=tuple(_tool(tool) for tool in list_of(record, "tools")),
        examples=texts_of(record, "examples"),
        transport=Transport(
            command=next(iter(line), None) or None,
            args=(*line[1:], *texts_of(record, "args")),
            env=_environment(record),
            url=text_of(record, "url") or None,
        ),
        paused=flag_of(record, "paused", False),
    )


def rule_of(record: JsonObject, line: int = 0) -> Rule:
    """Convert a record with `id`, `label` and `pattern` to a rule.

    `line` is the default position.
    """
    purpose = text_of(record, "purpose") or RulePurpose.SEARCH_INTENT.value
    if purpose not in PURPOSES:
        raise RefusedError(f"“purpose” is one of {', '.join(RulePurpose)}, not “{purpose}”.")
    position = record.get("position")
    if position is not None and (type(position) is not int or not -(2**63) <= position < 2**63):
        raise RefusedError("“position” is a whole number.")
    confidence = None if record.get("confidence") is None else number_of(record, "confidence", 0.0)
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        raise RefusedError(f"“confidence” lies between 0 and 1, not at {confidence:g}.")
    return Rule(
        id=required(record, "id"),
        label=required(record, "label"),
        pattern=required(record, "pattern"),
        pack=text_of(record, "pack") or "imported",
        position=line if position is None else position,
        weight=number_of(record, "weight", 1.0),
        confidence=confidence,
        unless=text_of(record, "unless") or None,
        purpose=RulePurpose(purpose),
        enabled=flag_of(record, "enabled", True),
    )


def case_of(record: JsonObject, task: Task | None = None) -> Case:
    """Convert a record with `text` and an expectation to a case.

    The record's own `task` takes precedence.
    """
    own = record.get("task")
    if isinstance(own, str) and own in TASKS:
        task = Task(own)
    if task is None:
        task = next((TELLING_FIELDS[name] for name in TELLING_FIELDS if record.get(name) is not None), None)
    is_assumed = task is None and record.get("expected") is not None
    if is_assumed:
        expected = record["expected"]
        named = expected if isinstance(expected, (list, tuple)) else (expected,)
        are_types = named and all(isinstance(one, str) and one in TYPE_NAMES for one in named)
        task = Task.TYPE if are_types else Task.INTENT
    says_none = any(name in record for name in (*HELD_OUT, "expected"))  # where all of these are null
    task = Task.INTENT if task is None and says_none else task
    if task is None:
        raise RefusedError(f"The case does not say what it is for: give it a “task”, one of {', '.join(Task)}.")
    record = normalized_case(record, EXPECTED_FIELDS[task])
    text = required(record, "text")
    field = next((name for name in EXPECTED_FIELDS[task] if record.get(name) is not None), None)
    unwanted = _answers(record, "unwanted", task)
    if field is None and (unwanted or says_none):
        return Case(text, (), task, unwanted=unwanted)
    if field is None:
        wanted = " or ".join(f"“{name}”" for name in EXPECTED_FIELDS[task])
        raise RefusedError(f"The case does not say what is expected: give it {wanted}.")
    answers, is_assumed = _answers(record, field, task), is_assumed and task is Task.TYPE
    return Case(text, answers, task, unwanted=unwanted, tier=_tier(record, task), is_assumed=is_assumed)


def _tier(record: JsonObject, task: Task) -> Tier | None:
    """Return the expected status of the resolution; only for powers."""
    named = text_of(record, "tier")
    if named is None or task is not Task.POWER:
        return None
    if named not in TIERS:
        raise RefusedError(f"“tier” is one of {', '.join(Tier)}, not “{named}”.")
    return Tier(named)


def _answers(record: JsonObject, field: str, task: Task) -> tuple[str, ...]:
    """Return the distinct answers of a field, one or a list; empty if missing or "no match"."""
    value = record.get(field)
    if any(isinstance(one, Mapping | list) for one in (value if isinstance(value, list) else [value])):
        raise RefusedError(f"“{field}” is an answer, or a list of answers, as texts; their “task” stands beside it.")
    named = (required(record, field),) if isinstance(value, str) else texts_of(record, field)
    if any(not answer.strip() for answer in named):
        raise RefusedError(f"“{field}” holds an empty answer; where nothing should match, it is an empty list.")
    answers = tuple(dict.fromkeys(answer for answer in named if answer not in NO_MATCH_WORDS))
    return tuple(map(_type_name, answers)) if task is Task.TYPE else answers


def _memory_of_record(record: JsonObject) -> Memory:
    """Convert a record with any names to a memory; raises RefusedError if deleted at its origin."""
    if record_names.state_of(record) in record_names.GONE and record.get("text") is None:
        raise RefusedError("It is deleted in the program that it comes from, so it is left out.")
    if (decision := record_names.decision_of(record)) in record_names.REJECTED:
        raise RefusedError(f"Its annotator chose “{decision}”, so it is left out.")
    ours = record_names.normalized_memory(record)
    if ours.get("intent") and (part := _part_in(record, TESTING)):
        way = "anything taught can't be used as a test. --kind cases --task intent reads it."
        raise RefusedError(f"It is a text to test with (“{part}”), so it is left out: {way}")
    return memory_of(ours)


def _held_out_case(record: JsonObject, task: Task | None) -> Case:
    """Convert a record to a case; raises RefusedError if it is for training."""
    if part := _part_in(record, TEACHING):
        raise RefusedError(f"It is a text to teach (“{part}”), so it is left out: --kind memories reads it.")
    return case_of(record, task)


def says_part(name: str, values: Iterable[object]) -> bool:
    """Return whether a field may be read: one named as in PARTS must name a part of a data set."""
    return name not in PARTS or any(str(value).strip().lower() in TEACHING | TESTING for value in values)


def _part_in(record: JsonObject, parts: frozenset[str]) -> str | None:
    """Return the field that puts a record into one of these parts of a data set."""
    return next((name for name in PARTS if str(record.get(name)).strip().lower() in parts), None)


READERS: Mapping[FileKind, Callable[[JsonObject, int, Task | None], Item]] = {
    FileKind.MEMORIES: lambda record, _line, _task: _memory_of_record(record),
    FileKind.POWERS: lambda record, _line, _task: power_of(record_names.normalized_power(record)),
    FileKind.RULES: lambda record, line, _task: rule_of(record, line),
    FileKind.CASES: lambda record, _line, task: _held_out_case(record, task),
}
"""Converters of records by kind, given line number and requested task."""

READ_IN_OBJECTS = ("headers", "tier")
"""Fields that are no columns."""

FIELDS_TOLD = 5
"""Number of first records for which the mapping of names is reported."""


Columns = Mapping[str, str]
"""Fields by the headings of a table, or by the names in records; "" for none."""


def asked_columns(kind: FileKind, columns: Columns) -> Columns:
    """Return the fields by heading in lower case; raises FormatError for an unknown field."""
    for column in filter(None, columns.values()):
        if column not in (*COLUMNS[kind], *ALSO_READ.get(kind, ())):
            raise FormatError(
                f"“{column}” is not a column of {kind}; choose one of {', '.join(COLUMNS[kind])} (--columns)."
            )
    return {heading.strip().lower(): column for heading, column in columns.items()}


def _mapped(record: JsonObject, asked: Columns) -> dict[str, Any]:
    """Return a record by the requested fields, in its order; a field's first name wins."""
    wanted = {name: asked.get(str(name).strip().lower()) for name in record}
    taken, named = {*filter(None, wanted.values())}, dict[str, Any]()
    for name, value in record.items():
        field = wanted[name] if wanted[name] is not None or name in taken else name
        named[field if field and field not in named else f"not {name}"] = value
    return named


def items_of(
    found: Iterable[tuple[int, Any]], kind: FileKind, task: Task | None, expected: str, columns: Columns | None = None
) -> Iterator[Line[Any] | Problem]:
    """Convert records to items of one kind, invalid ones to problems; problems pass through.

    `expected` is the message for other values than objects.
    """
    make, listed, asked = READERS[kind], 0, asked_columns(kind, columns or {})
    for number, record in found:
        if isinstance(record, Problem):
            yield record
            continue
        if not isinstance(record, Mapping):
            yield Problem(number, expected)
            continue
        plain = record_names.plain_names(_mapped(record, asked) if asked else record)
        try:
            item = make(plain, number, task)
        except RefusedError as refused:
            yield Problem(number, str(refused))
            continue
        told = _fields(plain, kind, task) if listed < FIELDS_TOLD else ()
        yield Line(number, item, fields=tuple((name, field) for name, (_, field) in zip(record, told, strict=False)))
        listed += 1


def _fields(record: JsonObject, kind: FileKind, task: Task | None) -> tuple[tuple[str, str], ...]:
    """Return the field that each name of a record became."""
    read = (*COLUMNS[kind], *ALSO_READ.get(kind, ()), *READ_IN_OBJECTS)
    known = [name for name in read if says_part(name, [record.get(name)])]
    if kind is FileKind.CASES:
        ours = normalized_case(record, EXPECTED_FIELDS[task or case_of(record).task])
        return record_names.fields_of(record, ours, known)
    normal = {FileKind.MEMORIES: record_names.normalized_memory, FileKind.POWERS: record_names.normalized_power}
    return record_names.fields_of(record, normal[kind](record) if kind in normal else record, known)


def record_of(item: Item) -> dict[str, Any]:
    """Convert an item to an object that reads back as the same, without key and approval."""
    match item:
        case Memory():
            texts: dict[str, Any] = {"triggers": item.triggers}
            if len(item.triggers) == 1:
                texts = {"text": item.triggers[0]}
            named = {"intent": item.intent, "response": item.response, "namespace": item.namespace, "tags": item.tags}
            counted = {"success": item.success, "usage": item.usage, "right": item.right}
            lasting = {"valid_from": item.valid_from, "valid_to": item.valid_to, "replaces": item.replaces}
            said = {name: value for name, value in lasting.items() if value}
            return texts | named | {"id": item.id} | counted | {"paused": item.paused} | said
        case Power():
            words = {"name": item.name, "description": item.description, "keywords": item.keywords}
            taught = {"examples": item.examples, "steering": item.steering}
            tools = [{"name": tool.name, "description": tool.description} for tool in item.tools]
            reached: dict[str, Any] = {"command": item.transport.command, "args": item.transport.args}
            # Values are secrets: an export only names them, which leaves stored ones unchanged on import.
            given = {name: reference or None for name, reference in item.transport.named.items()}
            if item.transport.url and not item.transport.command:
                reached |= {"url": item.transport.url, **({"headers": given} if given else {})}
            else:
                reached |= {"env": given, "url": item.transport.url}
            return words | taught | {"tools": tools} | reached | {"paused": item.paused}
        case Rule():
            names = ("id", "label", "pattern", "unless", "pack", "position", "weight", "confidence")
            flags = {"purpose": item.purpose.value, "enabled": item.enabled}
            return {name: getattr(item, name) for name in names} | flags
        case Case():
            unwanted = {"unwanted": item.unwanted} if item.unwanted else {}
            tier = {} if item.tier is None else {"tier": item.tier.value}
            return {"text": item.text, "expected": item.expected, **unwanted, "task": item.task.value, **tier}


def _tool(value: object) -> Tool:
    if isinstance(value, str):
        return Tool(required({"tools": value}, "tools"))
    if not isinstance(value, Mapping):
        raise RefusedError("“tools” is a list of names, or of objects with “name” and “description”.")
    return Tool(required(value, "name"), text_of(value, "description") or "")


def _environment(record: JsonObject) -> dict[str, str]:
    """Return the variables of a command or headers of an address, under either name."""
    name = "headers" if record.get("headers") is not None and not record.get("command") else "env"
    value = record.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise RefusedError(f"“{name}” is an object of names and values.")
    if impossible := [key for key in value if not key or "=" in key]:
        raise RefusedError(f"“{name}”: “{impossible[0][:60]}” is not a valid name: it is empty or contains “=”.")
    return {checked(key, name): "" if held is None else checked(held, name) for key, held in value.items()}


def _type_name(word: str) -> str:
    known = intent_type(word)
    if known is None:
        raise RefusedError(f"“{word}” is none of the six types.")
    return known.value
