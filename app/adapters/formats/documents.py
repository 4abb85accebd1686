"""What readers of whole files have in common: a text made into a tree, and a tree into items of one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from app.adapters.formats.records import Item, ItemKind
from app.adapters.formats.syntax import json_documents, toml_documents
from app.adapters.formats.syntax.text import byte_lines, opened, text_of, too_long, whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem


class NothingToTakeError(FormatError):
    """A file is of a format that we know, but of a part of it that holds nothing to take in."""


Found = Iterator[Line[Item] | Problem]


@dataclass(frozen=True, slots=True)
class TreeReader:
    """Reads a whole file, JSON or YAML, and has `items` find what it holds: things of one kind alone.

    `items` is given the tree and a name for what has none: the file's. `fits` tells whether a tree is of this form.
    `tests` finds what is read where cases are asked for; None where that is all of it.
    """

    title: str
    kind: ItemKind
    expected: str
    fits: Callable[[Node], bool]
    items: Callable[[Node, str], Found]
    tests: Callable[[Node, str], Found] | None = None

    def read(self, source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
        """The items, lazily; FormatError if the file cannot be read, is of another form, or holds another kind.

        Where cases are asked for, a text under an intent is one: the intent is what it expects.
        """
        refuse_kind(self.title, self.kinds, kind, task)
        name = name_of(source)
        for root in trees(source):
            if not self.fits(root):
                raise FormatError(
                    f"{self.title} were expected ({self.expected}), but line {root.line:,} begins something else."
                )
            if kind is self.kind:
                yield from self.items(root, name)
            else:
                yield from as_cases((self.tests or self.items)(root, name))

    @property
    def kinds(self) -> tuple[ItemKind, ...]:
        """The kinds of items that the file can be read as."""
        return (self.kind, ItemKind.CASES) if self.kind is ItemKind.MEMORIES else (self.kind,)

    def detect_kind(self, path: Path) -> ItemKind:
        """The one kind that there is."""
        return self.kind


def refuse_kind(title: str, kinds: Sequence[ItemKind], kind: ItemKind, task: Task | None) -> None:
    """FormatError where a file that holds the first of these kinds is asked for another, or for cases of a task."""
    if kind not in kinds:
        raise FormatError(f"{title} hold {kinds[0]}, no {kind}.")
    if kind is not kinds[0] and task not in (None, Task.INTENT):
        raise FormatError(f"{title} tell intents: as cases they are for the task {Task.INTENT}, not {task}.")


def as_cases(found: Found) -> Found:
    """Memories as cases, each of whose texts expects its intent."""
    for line in found:
        if isinstance(line, Line) and isinstance(line.value, Memory):
            memory = line.value
            expected = () if memory.intent in (None, *NO_MATCH_WORDS) else (str(memory.intent),)
            yield from (Line(line.number, Case(text, expected, Task.INTENT)) for text in memory.triggers)
        else:
            yield line


def name_of(source: Path | BinaryIO) -> str:
    """What a file is called without its ending; names of intents may hold dots."""
    name = source if isinstance(source, Path) else getattr(source, "name", "")
    return PurePath(name).stem.removesuffix(".tools") if isinstance(name, str | Path) and str(name) else "imported"


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


def numbered_texts(source: Path | BinaryIO) -> Iterator[tuple[int, str | Problem]]:
    """The lines of a text file of any size with their numbers, those that are no text as problems."""
    with opened(source) as stream:
        for number, line in byte_lines(stream):
            if line is None:
                yield number, Problem(number, too_long())
                continue
            try:
                yield number, text_of(line).rstrip()
            except FormatError as error:
                yield number, Problem(number, str(error))


def is_json(text: str) -> bool:
    """Whether a text is meant as JSON: YAML may begin like that too, but hardly ever does."""
    begin = text.lstrip()
    return begin.startswith(("{", "[", "//", "/*")) or not begin


def text_in(node: Node | None) -> str | None:
    """A text that is not blank; None for anything else."""
    return node.value if node is not None and isinstance(node.value, str) and node.value.strip() else None
