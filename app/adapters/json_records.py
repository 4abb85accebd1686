"""One JSON object and the memory, power, rule or case that it stands for (S8.4, S8.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.intent import intent_type
from app.domain.library import NEW_SUCCESS, Memory, Power, Tool, Transport
from app.domain.match import Tier
from app.domain.query import without_lone_surrogates
from app.domain.rule import Rule, RulePurpose

MAX_CHARACTERS = 100_000
"""No text of a file may be longer."""

IMPORTED_PACK = "imported"
"""The pack of rules that name none."""

TASKS = frozenset(task.value for task in Task)
PURPOSES = frozenset(purpose.value for purpose in RulePurpose)
TIERS = frozenset(tier.value for tier in Tier)

Item = Memory | Power | Rule | Case
JsonObject = Mapping[str, Any]


class ItemKind(StrEnum):
    """The four kinds of things that a file can hold, in the words of `--kind`."""

    MEMORIES = "memories"
    POWERS = "powers"
    RULES = "rules"
    CASES = "cases"


EXPECTED_FIELDS: Mapping[Task, tuple[str, ...]] = {
    Task.INTENT: ("expected", "intent"),
    Task.MEMORY: ("expected", "duplicates"),
    Task.POWER: ("expected", "acceptable", "tools"),
    Task.ROUTE: ("expected", "route", "best", "intent"),
    Task.TYPE: ("expected", "type"),
}
"""Where a case says what is right, in the order of precedence (S8.5)."""

TELLING_FIELDS: Mapping[str, Task] = {
    "duplicates": Task.MEMORY,
    "acceptable": Task.POWER,
    "tools": Task.POWER,
    "type": Task.TYPE,
    "route": Task.ROUTE,
    "intent": Task.INTENT,
}
"""The field that tells the task where nobody says it; the first that a line has."""


class RefusedError(ValueError):
    """A record is not what it should be; the message is a sentence for the user."""


def kind_of(record: JsonObject) -> ItemKind | None:
    """What the record looks like; None if it looks like nothing we know."""
    if "pattern" in record and "label" in record:
        return ItemKind.RULES
    if "text" in record or "triggers" in record:
        # An intent beside a text is what memories have, so a case must say more than that.
        tells = ("expected", "unwanted", "duplicates", "acceptable", "tools", "route", "type")
        return ItemKind.CASES if any(name in record for name in tells) else ItemKind.MEMORIES
    return ItemKind.POWERS if "name" in record else None


def memory_of(record: JsonObject) -> Memory:
    """`text` or `triggers`, and optionally intent, response, namespace, tags, id, success, usage, paused."""
    triggers = _texts(record, "triggers")
    if record.get("text") is not None:
        first = _required(record, "text")
        triggers = (first, *(trigger for trigger in triggers if trigger != first))
    if not triggers:
        raise RefusedError("The memory has no text: give it “text”, or “triggers” as a list.")
    if any(not trigger.strip() for trigger in triggers):
        raise RefusedError("A trigger of the memory is empty.")
    success = _number(record, "success", NEW_SUCCESS)
    if not 0.0 <= success <= 1.0:
        raise RefusedError(f"“success” lies between 0 and 1, not at {success:g}.")
    usage = record.get("usage")
    if usage is not None and (type(usage) is not int or not 0 <= usage < 2**63):
        raise RefusedError("“usage” is a whole number of 0 or more.")
    return Memory(
        triggers=triggers,
        response=_text(record, "response") or "",
        intent=_text(record, "intent") or None,
        namespace=_text(record, "namespace") or "context",
        tags=_texts(record, "tags"),
        id=_name(record, "id"),
        success=success,
        usage=usage or 0,
        paused=_flag(record, "paused", False),
    )


def power_of(record: JsonObject) -> Power:
    """`name`, and optionally the rest of a power; never its approval, which is a person's act."""
    return Power(
        name=_required(record, "name"),
        description=_text(record, "description") or "",
        keywords=_texts(record, "keywords"),
        steering=_text(record, "steering") or "",
        tools=tuple(_tool(tool) for tool in _list(record, "tools")),
        examples=_texts(record, "examples"),
        transport=Transport(
            command=_text(record, "command") or None,
            args=_texts(record, "args"),
            env=_environment(record),
            url=_text(record, "url") or None,
        ),
        paused=_flag(record, "paused", False),
    )


def rule_of(record: JsonObject, line: int = 0) -> Rule:
    """`id`, `label` and `pattern`, and optionally the rest of a rule; the line number is its position by default."""
    purpose = _text(record, "purpose") or RulePurpose.SEARCH_INTENT.value
    if purpose not in PURPOSES:
        raise RefusedError(f"“purpose” is one of {', '.join(RulePurpose)}, not “{purpose}”.")
    position = record.get("position")
    if position is not None and (type(position) is not int or not -(2**63) <= position < 2**63):
        raise RefusedError("“position” is a whole number.")
    confidence = None if record.get("confidence") is None else _number(record, "confidence", 0.0)
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        raise RefusedError(f"“confidence” lies between 0 and 1, not at {confidence:g}.")
    return Rule(
        id=_required(record, "id"),
        label=_required(record, "label"),
        pattern=_required(record, "pattern"),
        pack=_text(record, "pack") or IMPORTED_PACK,
        position=line if position is None else position,
        weight=_number(record, "weight", 1.0),
        confidence=confidence,
        unless=_text(record, "unless") or None,
        purpose=RulePurpose(purpose),
        enabled=_flag(record, "enabled", True),
    )


def case_of(record: JsonObject, task: Task | None = None) -> Case:
    """`text`, and what is expected of it or unwanted; a `task` of its own, as an export has it, comes first."""
    own = record.get("task")
    if isinstance(own, str) and own in TASKS:
        task = Task(own)
    if task is None:
        task = next((TELLING_FIELDS[name] for name in TELLING_FIELDS if record.get(name) is not None), None)
    if task is None:
        raise RefusedError(f"The case does not say what it is for: give it a “task”, one of {', '.join(Task)}.")
    text = _required(record, "text")
    field = next((name for name in EXPECTED_FIELDS[task] if record.get(name) is not None), None)
    unwanted = _answers(record, "unwanted", task)
    if field is None and unwanted:
        return Case(text, (), task, unwanted=unwanted)
    if field is None:
        wanted = " or ".join(f"“{name}”" for name in EXPECTED_FIELDS[task])
        raise RefusedError(f"The case does not say what is expected: give it {wanted}.")
    return Case(text, _answers(record, field, task), task, unwanted=unwanted, tier=_tier(record, task))


def _tier(record: JsonObject, task: Task) -> Tier | None:
    """The status that the resolution should have; only powers are resolved."""
    named = _text(record, "tier")
    if named is None or task is not Task.POWER:
        return None
    if named not in TIERS:
        raise RefusedError(f"“tier” is one of {', '.join(Tier)}, not “{named}”.")
    return Tier(named)


def _answers(record: JsonObject, field: str, task: Task) -> tuple[str, ...]:
    """The distinct answers that a field names, alone or in a list; none where it is missing or says "no match"."""
    named = (_required(record, field),) if isinstance(record.get(field), str) else _texts(record, field)
    if any(not answer.strip() for answer in named):
        raise RefusedError(f"“{field}” holds an empty answer; where nothing should match, it is an empty list.")
    answers = tuple(dict.fromkeys(answer for answer in named if answer not in NO_MATCH_WORDS))
    return tuple(map(_type_name, answers)) if task is Task.TYPE else answers


READERS: Mapping[ItemKind, Callable[[JsonObject, int, Task | None], Item]] = {
    ItemKind.MEMORIES: lambda record, _line, _task: memory_of(record),
    ItemKind.POWERS: lambda record, _line, _task: power_of(record),
    ItemKind.RULES: lambda record, line, _task: rule_of(record, line),
    ItemKind.CASES: lambda record, _line, task: case_of(record, task),
}
"""What makes the item of each kind from a record, its line number and the task that was asked for."""


KINDS: Mapping[type, ItemKind] = {
    Memory: ItemKind.MEMORIES,
    Power: ItemKind.POWERS,
    Rule: ItemKind.RULES,
    Case: ItemKind.CASES,
}
"""The kind that an item is of, by its class."""


def record_of(item: Item) -> dict[str, Any]:
    """The object that reads back as the same item, but for keys and approval."""
    match item:
        case Memory():
            texts: dict[str, Any] = {"triggers": item.triggers}
            if len(item.triggers) == 1:
                texts = {"text": item.triggers[0]}
            named = {"intent": item.intent, "response": item.response, "namespace": item.namespace, "tags": item.tags}
            return texts | named | {"id": item.id, "success": item.success, "usage": item.usage, "paused": item.paused}
        case Power():
            words = {"name": item.name, "description": item.description, "keywords": item.keywords}
            taught = {"examples": item.examples, "steering": item.steering}
            tools = [{"name": tool.name, "description": tool.description} for tool in item.tools]
            reached: dict[str, Any] = {"command": item.transport.command, "args": item.transport.args}
            # Values are secrets: what is exported names them, and what names them leaves the kept ones alone.
            reached |= {"env": dict.fromkeys(item.transport.env), "url": item.transport.url}
            return words | taught | {"tools": tools} | reached | {"paused": item.paused}
        case Rule():
            names = ("id", "label", "pattern", "unless", "pack", "position", "weight", "confidence")
            flags = {"purpose": item.purpose.value, "enabled": item.enabled}
            return {name: getattr(item, name) for name in names} | flags
        case Case():
            unwanted = {"unwanted": item.unwanted} if item.unwanted else {}
            tier = {} if item.tier is None else {"tier": item.tier.value}
            return {"text": item.text, "expected": item.expected, **unwanted, "task": item.task.value, **tier}


def _text(record: JsonObject, field: str) -> str | None:
    """The text of an optional field; None where it is missing or null."""
    value = record.get(field)
    return None if value is None else _checked(value, field)


def _required(record: JsonObject, field: str) -> str:
    text = _text(record, field)
    if text is None or not text.strip():
        raise RefusedError(f"There is no “{field}”.")
    return text


def _name(record: JsonObject, field: str) -> str | None:
    value = record.get(field)
    return str(value) if type(value) is int else _text(record, field) or None


def _list(record: JsonObject, field: str) -> list[Any]:
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RefusedError(f"“{field}” is a list.")
    return value


def _texts(record: JsonObject, field: str) -> tuple[str, ...]:
    return tuple(_checked(value, field) for value in _list(record, field))


def _checked(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise RefusedError(f"“{field}” holds something that is no text.")
    if len(value) > MAX_CHARACTERS:
        raise RefusedError(f"“{field}” holds a text of {len(value):,} characters; {MAX_CHARACTERS:,} are allowed.")
    if "\0" in value:
        raise RefusedError(f"“{field}” holds a NUL character, which no text has.")
    return without_lone_surrogates(value)


def _number(record: JsonObject, field: str, default: float) -> float:
    value = record.get(field)
    if value is None:
        return default
    if type(value) not in (int, float) or not abs(value) <= 1e300:  # nor is NaN
        raise RefusedError(f"“{field}” is a number.")
    return float(value)


def _flag(record: JsonObject, field: str, default: bool) -> bool:
    value = record.get(field)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise RefusedError(f"“{field}” is true or false.")
    return value


def _tool(value: object) -> Tool:
    if isinstance(value, str):
        return Tool(_required({"tools": value}, "tools"))
    if not isinstance(value, Mapping):
        raise RefusedError("“tools” is a list of names, or of objects with “name” and “description”.")
    return Tool(_required(value, "name"), _text(value, "description") or "")


def _environment(record: JsonObject) -> dict[str, str]:
    value = record.get("env")
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise RefusedError("“env” is an object of names and values.")
    return {_checked(name, "env"): "" if held is None else _checked(held, "env") for name, held in value.items()}


def _type_name(word: str) -> str:
    known = intent_type(word)
    if known is None:
        raise RefusedError(f"“{word}” is none of the six types.")
    return known.value
