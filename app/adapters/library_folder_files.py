"""The files of a library that is kept in a folder: what stands in each, the same for the same library to the byte."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from app.adapters.json_records import Item, record_of
from app.adapters.library_folder_names import memory_files, names_of
from app.adapters.library_folder_words import lines_of
from app.domain.case import Case
from app.domain.intent import Rule, RulePurpose
from app.domain.library import NEW_SUCCESS, Memory, Power

LIBRARY_FILE = "library.toml"
FORMAT = 1
"""The form of the files; a folder of a later one is not read."""

HEAD = f"""# A library of Intentscope: its memories, powers, rules and cases as texts.
format = {FORMAT}
"""

FOLDERS: Mapping[str, str] = {"memories": ".toml", "powers": ".toml", "rules": ".toml", "cases": ".jsonl"}
"""The folders of a library, each with the ending of its files."""


def files_of(items: Iterable[Item], tell: Callable[[int], object] = lambda _: None) -> dict[str, bytes]:
    """What the folder of a library holds, by the path in it. `tell` is called with how many things are written."""
    by_kind: defaultdict[type, list[Any]] = defaultdict(list)
    for item in items:
        by_kind[type(item)].append(item)
    files = {LIBRARY_FILE: HEAD.encode()}
    done = 0
    for place, memories in memory_files(by_kind[Memory]).items():
        files[place] = _memories(memories).encode()
        tell(done := done + len(memories))
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
    blocks = sorted((_memory_order(memory), _memory(memory, head)) for memory in memories)
    return "\n".join([lines_of(head), *(block for _, block in blocks)]).removeprefix("\n")


def _memory_order(memory: Memory) -> tuple[str, str]:
    return memory.name.casefold(), memory.name


def _memory(memory: Memory, head: Mapping[str, Any]) -> str:
    told = {"namespace": memory.namespace, "label": memory.intent}
    return "[[memory]]\n" + lines_of({
        **{name: value for name, value in told.items() if name not in head},
        "id": memory.id,
        "triggers": memory.triggers,
        "response": memory.response or None,
        "tags": list(memory.tags) or None,
        "success": None if memory.success == NEW_SUCCESS else memory.success,
        "usage": memory.usage or None,
        "paused": memory.paused or None,
    })  # fmt: skip


def _power(power: Power) -> str:
    reached = power.transport
    head = lines_of({
        "name": power.name,
        "description": power.description or None,
        "keywords": power.keywords,
        "examples": power.examples,
        "steering": power.steering or None,
        "command": reached.command,
        "args": reached.args,
        "env": (frozenset(reached.env) or None) if reached.command or not reached.url else None,
        "url": reached.url,
        "headers": (frozenset(reached.env) or None) if reached.url and not reached.command else None,
        "paused": power.paused or None,
    })  # fmt: skip
    tools = (lines_of({"name": tool.name, "description": tool.description or None}) for tool in power.tools)
    return "\n".join([head, *(f"[[tool]]\n{lines}" for lines in tools)])


def _rules(rules: Sequence[Rule]) -> str:
    """The rules in their order; a place is only told where it does not follow from the one before."""
    purposes = {rule.purpose for rule in rules}
    shared = purposes.pop() if len(purposes) == 1 else RulePurpose.SEARCH_INTENT
    blocks = [lines_of({"pack": rules[0].pack, "purpose": shared.value})]
    following = 0
    for rule in sorted(rules, key=lambda rule: (rule.position, rule.id)):
        told = {
            "id": rule.id,
            "label": rule.label,
            "pattern": rule.pattern,
            "unless": rule.unless,
            "weight": None if rule.weight == 1.0 else rule.weight,
            "confidence": rule.confidence,
            "enabled": None if rule.enabled else False,
            "purpose": None if rule.purpose is shared else rule.purpose.value,
            "position": None if rule.position == following else rule.position,
        }
        blocks.append(f"[[rule]]\n{lines_of(told)}")
        following = rule.position + 1
    return "\n".join(blocks)


def _cases(cases: Sequence[Case]) -> bytes:
    ordered = sorted(cases, key=lambda case: (case.text.casefold(), case.text))
    return b"".join(orjson.dumps(record_of(case), option=orjson.OPT_APPEND_NEWLINE) for case in ordered)
