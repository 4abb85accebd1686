"""What readers of whole files have in common: a text made into a tree, and a tree into items of one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.records import Item, ItemKind
from app.adapters.formats.syntax import json_documents, toml_documents
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem

Found = Iterator[Line[Item] | Problem]


@dataclass(frozen=True, slots=True)
class TreeReader:
    """Reads a whole file, JSON or YAML, and has `items` find what it holds: things of one kind alone.

    `items` is given the tree and a name for what has none: the file's. `fits` tells whether a tree is of this form.
    """

    title: str
    kind: ItemKind
    expected: str
    fits: Callable[[Node], bool]
    items: Callable[[Node, str], Found]

    def read(self, source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
        """The items, lazily; FormatError if the file cannot be read, is of another form, or holds another kind.

        Where cases are asked for, a text under an intent is one: the intent is what it expects.
        """
        if kind not in self.kinds:
            raise FormatError(f"{self.title} hold {self.kind}, no {kind}.")
        if kind is not self.kind and task not in (None, Task.INTENT):
            raise FormatError(f"{self.title} tell intents: as cases they are for the task {Task.INTENT}, not {task}.")
        name = name_of(source)
        for root in trees(source):
            if not self.fits(root):
                raise FormatError(
                    f"{self.title} were expected ({self.expected}), but line {root.line:,} begins something else."
                )
            yield from self.items(root, name) if kind is self.kind else _as_cases(self.items(root, name))

    @property
    def kinds(self) -> tuple[ItemKind, ...]:
        """The kinds of items that the file can be read as."""
        return (self.kind, ItemKind.CASES) if self.kind is ItemKind.MEMORIES else (self.kind,)

    def detect_kind(self, path: Path) -> ItemKind:
        """The one kind that there is."""
        return self.kind


def _as_cases(found: Found) -> Found:
    for line in found:
        if isinstance(line, Line) and isinstance(line.value, Memory):
            memory = line.value
            expected = () if memory.intent in (None, *NO_MATCH_WORDS) else (str(memory.intent),)
            yield from (Line(line.number, Case(text, expected, Task.INTENT)) for text in memory.triggers)
        else:
            yield line


def name_of(source: Path | BinaryIO) -> str:
    """What a file is called without its endings."""
    return (source.name.split(".")[0] if isinstance(source, Path) else "") or "imported"


def trees(source: Path | BinaryIO, most: int | None = None) -> Iterator[Node]:
    """What a file holds: one tree, or where it is YAML, one for each document; FormatError. TOML is told by its ending.

    With `most`, only the beginning of what is JSON, of about so many tokens.
    """
    text = whole_text(source)
    if isinstance(source, Path) and source.suffix.lower() == ".toml":
        yield toml_documents.parse(text)
    elif is_json(text):
        yield json_documents.parse(text, most)
    else:
        from app.adapters.formats.syntax import yaml_documents  # only who reads YAML pays for it

        yield from yaml_documents.parse_all(text)


def is_json(text: str) -> bool:
    """Whether a text is meant as JSON: YAML may begin like that too, but hardly ever does."""
    begin = text.lstrip()
    return begin.startswith(("{", "[", "//", "/*")) or not begin


def text_in(node: Node | None) -> str | None:
    """A text that is not blank; None for anything else."""
    return node.value if node is not None and isinstance(node.value, str) and node.value.strip() else None
