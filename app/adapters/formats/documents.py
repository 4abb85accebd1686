"""Common code of readers of whole files: trees, items of one kind, labelled utterances."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from app.adapters.formats.records import FileKind, item_at, memory_of
from app.adapters.formats.syntax import json_documents, toml_documents
from app.adapters.formats.syntax.text import byte_lines, opened, text_of, too_long, whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import FormatError
from app.domain.journal import Item
from app.domain.library import Line, Memory, Problem

CX_PHRASES = "trainingPhrases"
"""Folder of an intent's phrases in exports of Dialogflow CX."""


class NothingToTakeError(FormatError):
    """Known format, but a part of it without items."""


Found = Iterator[Line[Item] | Problem]


@dataclass(frozen=True, slots=True)
class TreeReader:
    """Reader of a whole JSON or YAML file with items of one kind.

    `items` gets the tree and the file's name, for unnamed items. `fits` returns whether a tree has this format.
    `tests` replaces `items` for cases; None for the same.
    """

    title: str
    kind: FileKind
    expected: str
    fits: Callable[[Node], bool]
    items: Callable[[Node, str], Found]
    tests: Callable[[Node, str], Found] | None = None

    def read(self, source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
        """Read the items, lazily; raises FormatError for an unreadable file, another form or kind.

        As cases, each text under an intent expects that intent.
        """
        refuse_kind(self.title, self.kinds, kind, task)
        name, is_empty = name_of(source), self.kind is FileKind.MEMORIES
        for root in trees(source):
            if not self.fits(root):
                raise FormatError(
                    f"{self.title} were expected ({self.expected}), but line {root.line:,} begins something else."
                )
            found = self.items(root, name) if kind is self.kind else as_cases((self.tests or self.items)(root, name))
            for item in found:
                is_empty = False
                yield item
        if is_empty:
            raise NothingToTakeError("The file names intents, but nothing that people say for them.")

    @property
    def kinds(self) -> tuple[FileKind, ...]:
        """Kinds of items that the file can be read as."""
        return (self.kind, FileKind.CASES) if self.kind is FileKind.MEMORIES else (self.kind,)

    def detect_kind(self, path: Path) -> FileKind:
        return self.kind


@dataclass(frozen=True, slots=True)
class TextReader:
    """Reader of a text file with memories; `items` gets the file."""

    title: str
    items: Callable[[Path | BinaryIO], Found]
    kinds: tuple[FileKind, ...] = (FileKind.MEMORIES, FileKind.CASES)

    def read(self, source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
        """Read the memories, or cases of them, lazily; raises FormatError if unreadable or another kind."""
        refuse_kind(self.title, self.kinds, kind, task)
        found = self.items(source)
        yield from found if kind is FileKind.MEMORIES else as_cases(found)

    def detect_kind(self, path: Path) -> FileKind:
        return FileKind.MEMORIES


def refuse_kind(title: str, kinds: Sequence[FileKind], kind: FileKind, task: Task | None) -> None:
    """Raise FormatError if another kind or task is requested than the file holds."""
    if kind not in kinds:
        raise FormatError(f"{title} hold {kinds[0]}, no {kind}.")
    if kind is not kinds[0] and task not in (None, Task.INTENT):
        raise FormatError(f"{title} tell intents: as cases they are for the task {Task.INTENT}, not {task}.")


def as_cases(found: Found) -> Found:
    """Convert memories to cases, each of whose texts expects its intent."""
    for line in found:
        if isinstance(line, Line) and isinstance(line.value, Memory):
            memory = line.value
            expected = () if memory.intent in (None, *NO_MATCH_WORDS) else (str(memory.intent),)
            yield from (Line(line.number, Case(text, expected, Task.INTENT)) for text in memory.triggers)
        else:
            yield line


def name_of(source: Path | BinaryIO) -> str:
    """Return the file name without its ending; names of intents may contain dots.

    Dialogflow CX names the files of phrases by language, in a folder of the intent.
    """
    name = source if isinstance(source, Path) else getattr(source, "name", "")
    if isinstance(name, str | Path) and PurePath(name).parent.name == CX_PHRASES:
        return PurePath(name).parent.parent.name or "imported"
    return PurePath(name).stem.removesuffix(".tools") if isinstance(name, str | Path) and str(name) else "imported"


MEMBER = re.compile(r'\s*"[^"\n]+"\s*:\s*[{\[]')
"""Beginning of a part of a JSON object, copied without its braces."""


def trees(source: Path | BinaryIO, most: int | None = None) -> Iterator[Node]:
    """Yield the trees of a file, for YAML one per document.

    Raises FormatError. TOML by its ending. With `most`, only the beginning of a JSON or YAML file, about that many
    tokens.
    """
    text = whole_text(source)
    if isinstance(source, Path) and source.suffix.lower() == ".toml":
        yield toml_documents.parse(text)
    elif is_json(text):
        yield json_documents.parse(text, most)
    elif isinstance(source, Path) and source.suffix.lower() == ".json" and MEMBER.match(text):
        yield json_documents.parse(f"{{{text}}}", most)
    else:
        from app.adapters.formats.syntax import yaml_documents  # imported only for YAML

        yield from yaml_documents.parse_all(text, most)


def numbered_texts(source: Path | BinaryIO) -> Iterator[tuple[int, str | Problem]]:
    """Yield the lines of a text file of any size with numbers, invalid ones as problems."""
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
    """Return whether a text is JSON; YAML rarely begins like it."""
    begin = text.lstrip().lstrip("\u200b\u200c\u200d\u2060\ufeff").lstrip()
    return begin.startswith(("{", "[", "//", "/*")) or not begin


def text_in(node: Node | None) -> str | None:
    """Return a text that is not blank; None for anything else."""
    return node.value if node is not None and isinstance(node.value, str) and node.value.strip() else None


# ---- Common code of intent formats: labelled utterances in various forms.


TEXT_NAMES = ("text", "utterance", "sentence", "phrase")
"""Names of an object's text."""

PART_NAMES = ("data", "parts", "segments")
"""Names of an object's pieces of text, words and entities in order."""

ENTITY = re.compile(r"\[([^\[\]]+)\](?:\([^()\n]+\)|\{[^{}\n]+\}|\[\s*\{[^\[\]\n]*\}\s*\])")
"""Marked entity: [words](entity), [words](entity:value), or [words] with JSON after it.

The JSON is {"entity": "name"}, or a list of such objects.
"""

NESTED = 4
"""Maximum depth of nested entities."""


def first_of(node: Node, names: Iterable[str]) -> Node | None:
    """Return the first of these members that an object has."""
    return next((found for name in names if (found := node.get(name)) is not None), None)


def without_entities(text: str, entity: re.Pattern[str] = ENTITY) -> str:
    """Remove the markup of entities, keeping their words."""
    for _ in range(NESTED):
        bare = entity.sub(r"\1", text)
        if bare == text:
            break
        text = bare
    return text.strip()


LABELLED = ("intent", "label", "intentName", "intent_name", "taskName", "topIntent", "category")
"""Names of a label within an utterance."""


def is_utterance(node: Node) -> bool:
    """Return whether a node is a text, or an object with a text and no label."""
    return isinstance(said(node), str) and not any(node.get(name) for name in LABELLED)


def said(node: Node) -> Any:
    """Return the text of a node, plain, in an object or in pieces; other values unchanged."""
    if node.value is None and node.word:
        return node.word
    if not isinstance(node.value, dict):
        return node.plain()
    if (parts := first_of(node, PART_NAMES)) is not None and isinstance(parts.value, list):
        pieces = [text_in_part(part) for part in parts.items()]
        return None if None in pieces else "".join(map(str, pieces))
    return next((text for name in TEXT_NAMES if (text := text_in(node.get(name))) is not None), None)


def text_in_part(part: Node) -> str | None:
    """Return the words of one piece, including blanks."""
    text = part if isinstance(part.value, str) else part.get("text")
    return text.value if text is not None and isinstance(text.value, str) else None


def in_one_language(node: Node | None, wanted: str | None = None) -> tuple[Node | None, list[str]]:
    """Return the list in one language, the wanted or the first, and the names of the others."""
    if node is None or not isinstance(node.value, dict):
        return node, []
    lists = {name: held for name, held in node.members() if isinstance(held.value, list) and held.value}
    chosen = wanted or next(iter(lists), "")
    return lists.get(chosen), [name for name in lists if name != chosen]


def memories_of(
    label: str, utterances: Iterable[Node], more: Mapping[str, Any], bare: Callable[[str], str] = str
) -> Found:
    """Yield a memory per utterance; `more` are further fields, `bare` removes markup."""
    for utterance in utterances:
        text = said(utterance)
        yield memory_line(utterance.line, bare(text) if isinstance(text, str) else text, label, more)


def memory_line(line: int, text: Any, label: str, more: Mapping[str, Any]) -> Line[Any] | Problem:
    """Return a memory or a problem; a tuple of texts are alternatives of one memory."""
    texts = {"triggers": list(text)} if isinstance(text, tuple) else {"text": text}
    said = f"An example of “{label[:60]}”: "
    return item_at(line, lambda: memory_of({**texts, "intent": label, **more}), said)


def left_out_languages(line: int, languages: Iterable[str]) -> Iterator[Problem]:
    if named := ", ".join(f"“{language[:20]}”" for language in languages):
        sentence = f"What is said in {named} is left out: of several languages the first is taken."
        yield Problem(line, f"{sentence} Import the others from files of their own.")
