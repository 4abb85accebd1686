"""Golden texts: named results one below the other, which a person reviews as text."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TypeGuard


def written(results: Mapping[str, object]) -> str:
    """Return each result below its name: a line for each item, entry or field that is not its default."""
    return "\n\n".join(f"# {name}\n" + "\n".join(lines(value)) for name, value in results.items()) + "\n"


def answered(file: Path, functions: Mapping[str, Callable[[str], object]]) -> str:
    """Return a text with the results of its inputs made anew.

    A section is named like a function. An input begins with `> `, in JSON if with a quote, and its results follow.
    """
    made, names = list[str](), set[str]()
    for section in file.read_text("utf-8").removesuffix("\n").split("\n\n"):
        name, *rest = section.split("\n")
        made.append(name)
        names.add(name.removeprefix("# "))
        for text in (one.removeprefix("> ") for one in rest if one.startswith("> ")):
            result = functions[name.removeprefix("# ")](json.loads(text) if text.startswith('"') else text)
            made += [f"> {text}", *lines(result)]
        made.append("")
    assert names == set(functions)
    return "\n".join(made)


def lines(value: object) -> Iterable[str]:
    """Yield the lines of a result."""
    if isinstance(value, Mapping):
        return [f"{line(key)}: {line(one)}" for key, one in value.items()]
    if is_dataclass(value):
        told = [(field.name, getattr(value, field.name), field.default) for field in fields(value)]
        return [f"{name}: {line(one)}" for name, one, usual in told if usual is MISSING or one != usual]
    return map(line, value) if is_list(value) else [line(value)]


def line(value: object) -> str:
    """Return a value in one line, with brackets around what has several parts."""
    if isinstance(value, Mapping) or is_dataclass(value):
        return f"({', '.join(lines(value))})"
    if is_list(value):
        return " | ".join(f"[{line(one)}]" if is_list(one) else line(one) for one in value) or "nothing"
    if isinstance(value, float):
        return f"{value:.9g}"
    return str(value.value if isinstance(value, Enum) else value) or '""'


def is_list(value: object) -> TypeGuard[Iterable[object]]:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | Enum)
