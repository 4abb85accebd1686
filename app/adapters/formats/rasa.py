"""Reader of Rasa's files.

Training data (YAML and the older Markdown) becomes memories, test stories become cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.documents import (
    Found,
    NothingToTakeError,
    TreeReader,
    as_cases,
    first_of,
    is_json,
    memory_line,
    refuse_kind,
    said,
    text_in,
    trees,
    without_entities,
)
from app.adapters.formats.records import FileKind
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.library import Line, Problem

OTHERS = ("synonym", "regex", "lookup")
"""Entries of training data that are no examples."""

STORIES = ("stories", "rules")
DOMAIN = ("responses", "actions", "entities", "slots", "forms")
"""Keys of a domain beside its intents."""

DASH = "-"
SHOWN = 40

SECTION = re.compile(r"##\s*(intent|synonym|regex|lookup)\s*:\s*(.+)")
STORY = re.compile(r"##\s*(.*)")
ANY_SECTION = re.compile(SECTION.pattern.replace("##", "#{1,6}"), re.IGNORECASE)
ANY_HEADING = re.compile(r"#{1,6}\s")
"""Headings of any level, which count within a file of Rasa."""

ITEM = re.compile(r"[-*+]\s*(.*)")
STEP = re.compile(r"\*\s*([^:{}\s*]+)\s*:\s*(.+)")
ACTION = re.compile(r"-\s*[\w/-]+(?:\{.*\})?")
COMMENT = re.compile(r"<!--[\s\S]*?--!*>")
"""Patterns of Markdown lines without surrounding blanks."""


# ---- YAML


def _fits(root: Node) -> bool:
    data = root.get("nlu")
    return (data is not None and isinstance(data.value, list)) or _has_stories(root) or _is_domain(root)


def _has_stories(root: Node) -> bool:
    return any(story.get("steps") is not None for name in STORIES for story in _list(root.get(name)))


def _is_domain(root: Node) -> bool:
    """Return whether a document is a domain: intents by name only."""
    intents = root.get("intents")
    named = intents is not None and all(isinstance(one.value, str) or len(one.fields()) == 1 for one in intents.items())
    is_other = root.get("utterances") is not None or first_of(root, DOMAIN) is None
    return named and any(_list(intents)) and not is_other


def _items(root: Node, _: str) -> Found:
    if root.get("nlu") is not None:
        yield from _examples_of(root)
    elif _has_stories(root):
        yield from _stories(root)
    else:
        raise NothingToTakeError(
            "This is a Rasa domain: it names intents without examples. Import the training data, such as data/nlu.yml."
        )


def _examples_of(root: Node) -> Found:
    for entry in _list(root.get("nlu")):
        intent = text_in(entry.get("intent"))
        if intent is None:
            if not any(entry.get(name) for name in OTHERS):
                yield Problem(entry.line, "The entry has no “intent”.")
            continue
        examples = entry.get("examples")
        if examples is None or isinstance(examples.value, dict) or examples.value is None:
            yield Problem(entry.line, f"The intent “{intent[:60]}” has no “examples”.")
        elif isinstance(examples.value, str):
            yield from _block(examples, intent)
        else:
            for example in examples.items():
                text = said(example)
                yield memory_line(example.line, without_entities(text) if isinstance(text, str) else text, intent, {})


def _block(examples: Node, intent: str) -> Found:
    """Yield the examples of a block: lines with a dash; others are problems."""
    if examples.word and " - " in examples.value:
        yield Problem(examples.line, f"The examples of “{intent[:60]}” are folded to one text: write “|” for “>”.")
        return
    for number, line in enumerate(examples.value.splitlines(), examples.line):
        if line.startswith(DASH):
            yield memory_line(number, without_entities(line[1:]), intent, {})
        elif line.strip():
            shown = line.strip()[:SHOWN]
            yield Problem(
                number, f"An example of “{intent[:60]}” does not begin with a dash, as Rasa wants it: “{shown}”."
            )


def _stories(root: Node) -> Found:
    """Yield the texts of test stories, each with its expected intent."""
    found = False
    for name in STORIES:
        for story in _list(root.get(name)):
            for step in _steps(story):
                text, intent = text_in(step.get("user")), text_in(step.get("intent"))
                if text is None:
                    continue
                found = True
                yield _parsed_line(step.line, without_entities(text), intent)
    if not found:
        raise NothingToTakeError(
            "These are Rasa stories without what people say. Import the training data (data/nlu.yml) or test stories, "
            "whose steps have “user”."
        )


def _steps(story: Node) -> Iterator[Node]:
    for step in _list(story.get("steps")):
        yield step
        yield from _list(step.get("or"))


def _parsed_line(line: int, text: str, intent: str | None) -> Line[Any] | Problem:
    if intent is None:
        return Problem(line, f"The step “{text[:SHOWN]}” does not say its “intent”.")
    if text.startswith("/"):
        return Problem(line, f"The step “{text[:SHOWN]}” is a command of Rasa, not what people say.")
    return memory_line(line, text, intent, {})


def _list(node: Node | None) -> Iterator[Node]:
    yield from () if node is None else node.items()


_TREES = TreeReader(
    "Rasa's NLU data",
    FileKind.MEMORIES,
    "a list “nlu” of objects with “intent” and “examples”, test stories, or Markdown with “## intent:name”",
    _fits,
    _items,
)


# ---- Markdown


def fits_lines(lines: list[str]) -> bool:
    """Return whether the first lines of a file are training data or test stories in Markdown."""
    of_stories = (STORY.match, STEP.match, ACTION.fullmatch)
    return any(map(SECTION.match, lines)) or all(any(map(found, lines)) for found in of_stories)


def _markdown(text: str) -> Found:
    """Yield the examples under headings of intents, and the texts of test stories."""
    section = label = ""
    plain = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    for number, line in enumerate(map(str.strip, plain.splitlines()), 1):
        if heading := ANY_SECTION.match(line):
            section, label = heading[1].lower(), heading[2].strip()
        elif STORY.match(line) or ANY_HEADING.match(line):
            section = "story"
        elif section == "story":
            if step := STEP.match(line):
                yield _parsed_line(number, without_entities(step[2]), step[1])
        elif section == "intent" and (item := ITEM.match(line)):
            yield memory_line(number, without_entities(item[1]), label, {})
        elif section == "intent" and line:
            yield Problem(number, f"A line under “{label[:60]}” does not begin with a dash: “{line[:SHOWN]}”.")


# ---- Both


def read(source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
    """Read the examples as memories or cases, lazily; raises FormatError if unreadable or empty."""
    text = whole_text(source)
    if not _is_markdown(text):
        yield from _TREES.read(source, kind, task)
        return
    refuse_kind(_TREES.title, kinds, kind, task)
    yield from _markdown(text) if kind is FileKind.MEMORIES else as_cases(_markdown(text))


def _is_markdown(text: str) -> bool:
    return not is_json(text) and fits_lines([line.strip() for line in text.splitlines()])


def detect_kind(path: Path) -> FileKind:
    """Return cases for test stories, memories for anything else."""
    text = whole_text(path)
    if _is_markdown(text):
        is_taught = any(SECTION.match(line.strip()) for line in text.splitlines())
    else:
        is_taught = any(root.get("nlu") is not None or not _has_stories(root) for root in trees(path))
    return FileKind.MEMORIES if is_taught else FileKind.CASES


fits, kinds = _TREES.fits, _TREES.kinds
