"""Tests of small files of many programs: what is read from each, as reviewed beside it.

A section of a file in `examples` has a title, the name of a file with options as in a terminal, its lines, and
what is read: kind, items by line without their usual values, problems, and the fields that its names became. A line
begins with `|`, with `:` where it has no line end, or with `~` where it is JSON, for characters that are not seen.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from app.bootstrap import read_file
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.library import Line, Memory

TEXTS = (("a table for two", "book"), ("book a table", "book"), ("good bye", "leave"))
EXAMPLES = Path(__file__).with_name("examples")
"""Sections; write the results again with `write()`, and review the difference."""


def sections(file: Path) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Yield title, name with options, lines and results of each section."""
    for section in file.read_text("utf-8").removesuffix("\n").split("\n\n"):
        title, name, *lines = section.split("\n")
        own = [line for line in lines if line[0] in "|:~"]
        yield title, name, own, lines[len(own) :]


EVERY = {
    f"{file.stem}: {title[2:]}": (name, lines, results)
    for file in EXAMPLES.glob("*.txt")
    for title, name, lines, results in sections(file)
}


def put(folder: Path, name: str, lines: list[str]) -> tuple[Path, dict[str, str]]:
    file, *options = name.split(" --")
    texts = (json.loads(line[2:]) if line[0] == "~" else line[2:] + "\n" * (line[0] == "|") for line in lines)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes("".join(texts).encode())
    return folder / file, dict(option.split("=", 1) for option in options)


def plain(value: Any) -> Any:
    """Return a value as JSON has it; a dataclass without fields that have their usual value."""
    if is_dataclass(value):
        own = {field.name: (getattr(value, field.name), field.default) for field in fields(value)}
        return {name: plain(one) for name, (one, usual) in own.items() if one != usual or usual is MISSING}
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def told(file: Path, options: dict[str, str]) -> Iterator[str]:
    became: dict[str, str] = {}
    columns = json.loads(options["columns"]) if "columns" in options else None
    try:
        kind, lines = read_file(
            file, options.get("kind", "auto"), options.get("task"), options.get("format", "auto"), columns
        )
        yield f"= {kind}"
        for line in lines:
            if isinstance(line, Line):
                became |= dict(line.fields)
                yield f"{line.number}: {json.dumps(plain(line.value), ensure_ascii=False)}"
                yield from [f"   {line.note}"] if line.note else []
            else:
                yield f"{line.line}! {line.sentence}"
    except FormatError as refused:
        yield f"! {refused}".replace(f"{file.parent}{os.sep}", "")
    yield from [f"   {json.dumps(became, ensure_ascii=False)}"] if became else []


def write() -> None:
    """Write what is read now into the files of examples."""
    for file in EXAMPLES.glob("*.txt"):
        made = []
        for title, name, lines, _ in sections(file):
            with TemporaryDirectory() as folder:
                made.append("\n".join((title, name, *lines, *told(*put(Path(folder), name, lines)))))
        file.write_text("\n\n".join(made) + "\n", "utf-8")


@pytest.mark.parametrize("title", EVERY)
def test_that_what_is_read_is_as_reviewed(tmp_path: Path, title: str) -> None:
    name, lines, results = EVERY[title]
    assert list(told(*put(tmp_path, name, lines))) == results


@pytest.mark.parametrize("title", [title for title in EVERY if title.startswith("alike: ")])
def test_that_the_texts_of_each_platform_are_cases_as_well(tmp_path: Path, title: str) -> None:
    file, _ = put(tmp_path, *EVERY[title][:2])
    memories, cases = (
        [line.value for line in read_file(file, kind, task)[1] if isinstance(line, Line)]
        for kind, task in (("auto", None), ("cases", "intent"))
    )
    assert memories == [Memory((text,), intent=label) for text, label in TEXTS]
    assert cases == [Case(text, (label,), Task.INTENT) for text, label in TEXTS]
