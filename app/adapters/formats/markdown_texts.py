"""Markdown with front matter: notes as in Basic Memory and Obsidian, and assistants' skills."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.documents import Found, refuse_kind, text_in
from app.adapters.formats.record_names import GONE, HELD_BACK, is_off, state_of
from app.adapters.formats.records import FileKind, item_at, memory_of, power_of
from app.adapters.formats.syntax import toml_documents
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.library import Line, Problem

MARKDOWN = (".md", ".mdc", ".markdown")
FRONT = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)(?:^|\n)(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
"""Front matter: YAML between dashes, TOML between plus signs."""

DEPTH, MOST = 5, 2_000
"""Maximum depth of a folder, and number of files."""


@dataclass(frozen=True, slots=True)
class MarkdownText:
    """Markdown file: fields, text, and the line where the text begins, from 1."""

    head: Node
    body: str
    line: int = 1
    path: Path | None = None
    place: str = ""
    """Path in the folder it was found in; "" for a single file."""

    @property
    def heading(self) -> str:
        """First heading of the text; "" if none."""
        found = re.search(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", self.body, re.MULTILINE)
        return found[1] if found else ""


def markdown_text(source: Path | BinaryIO, place: str = "") -> MarkdownText:
    """Read the fields and text of a file; raises FormatError if unreadable."""
    text = whole_text(source)
    path = source if isinstance(source, Path) else None
    front = FRONT.match(text)
    if front is None:
        return MarkdownText(Node({}, 1), text, 1, path, place)
    line = text.count("\n", 0, front.end()) + 1
    return MarkdownText(_head(front), text[front.end() :], line, path, place)


def _head(front: re.Match[str]) -> Node:
    """Return the fields with their lines in the file; empty if it is no object."""
    if front[1] != "---":
        return toml_documents.parse(front[2])
    from app.adapters.formats.syntax import yaml_documents  # imported only for YAML

    try:
        found = next(yaml_documents.parse_all(f"\n{front[2]}\n"), None)
    except FormatError:
        found = Node(dict(_loosely(front[2])), 2)
    return found if found is not None and isinstance(found.value, dict) else Node({}, 1)


def _loosely(text: str) -> Iterator[tuple[str, Node]]:
    """Yield the fields of front matter that is invalid YAML, as in `description: Use it so: …`."""
    for number, line in enumerate(text.split("\n"), 2):
        name, colon, value = line.partition(":")
        if colon and name.strip() and not name[0].isspace():
            yield name.strip(), Node(value.strip().strip("\"'"), number)


def markdown_files(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files in a folder and below, sorted, without links and hidden ones."""
    for place, folders, names in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not _is_passed_over(Path(place, name))) if depth < DEPTH else []
        files = (Path(place, name) for name in sorted(names) if name.lower().endswith(MARKDOWN))
        yield from (file for file in files if not _is_passed_over(file))


def _is_passed_over(path: Path) -> bool:
    return path.name.startswith(".") or path.name == "node_modules" or path.is_symlink()


@dataclass(frozen=True, slots=True)
class MarkdownReader:
    """Reader of Markdown files with items of one kind; in a folder, of the files that `fits`."""

    title: str
    kind: FileKind
    fits: Callable[[MarkdownText], bool]
    items: Callable[[MarkdownText], Found]

    def read(self, source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
        """Read the items, lazily; raises FormatError if unreadable or for another kind."""
        refuse_kind(self.title, (self.kind,), kind, task)
        if not isinstance(source, Path) or not source.is_dir():
            yield from self.items(markdown_text(source))
            return
        is_empty = True
        for text in folder_texts(source):
            if isinstance(text, Problem):
                yield text
            elif self.fits(text):
                is_empty = False
                for found in self.items(text):
                    yield _placed(found, text.place)
        if is_empty:
            raise FormatError(f"{source} is a folder without {self.title.lower()} in it: choose a file in it.")

    def detect_kind(self, path: Path) -> FileKind:
        return self.kind


def _placed(found: Line[Any] | Problem, place: str) -> Line[Any] | Problem:
    if isinstance(found, Problem):
        return Problem(found.line, f"{place}: {found.sentence}")
    return replace(found, note=f"{place}: {found.note}") if found.note else found


def folder_texts(folder: Path) -> Iterator[MarkdownText | Problem]:
    """Yield the Markdown files of a folder, unreadable ones as problems."""
    for file in islice(markdown_files(folder), MOST):
        place = file.relative_to(folder).as_posix()
        try:
            yield markdown_text(file, place)
        except FormatError as error:
            yield Problem(1, f"{place}: {error}")


def words_in(node: Node | None) -> list[str]:
    """Return the words of a list, or of a text separated by commas or number signs."""
    if node is None:
        return []
    if isinstance(node.value, list):
        words = [one.value for one in node.items() if isinstance(one.value, str)]
    else:
        words = node.value.replace("#", ",").split(",") if isinstance(node.value, str) else []
    return list(dict.fromkeys(word.strip().lstrip("#") for word in words if word.strip(" #")))


OBSERVATION = re.compile(r"^\s*[-*+]\s+\[[^\[\]\n]{2,60}\][ \t]+(.+)$", re.MULTILINE)
"""Observation of Basic Memory, such as `- [method] Pour over tastes clean #brewing`.

A box with a single character is a task.
"""

TAG = re.compile(r"(?:^|\s)#([\w/-]+)")
CONTEXT = re.compile(r"\s*\([^()\n]*\)\s*$")


def _note(text: MarkdownText) -> Found:
    """Yield the note as a memory: title, aliases and observations as triggers, text as response."""
    head = text.head
    title = text_in(head.get("title")) or text.heading or (text.path.stem if text.path is not None else "")
    state = state_of({name: node.value for name, node in head.members()})
    if state in GONE:
        yield Problem(1, f"The note “{title[:60]}” is deleted where it comes from, so it is left out.")
        return
    observed = OBSERVATION.findall(text.body)
    bare = (" ".join(TAG.sub(" ", CONTEXT.sub("", one)).split()) for one in observed)
    record = {
        "triggers": list(dict.fromkeys(filter(None, (title, *words_in(head.get("aliases")), *bare)))),
        "response": text.body.strip(),
        "tags": list(
            dict.fromkeys((*words_in(head.get("tags")), *(tag for one in observed for tag in TAG.findall(one))))
        ),
        "id": text_in(head.get("permalink")) or text_in(head.get("id")),
        "paused": state in HELD_BACK or None,
    }
    yield item_at(1, lambda: memory_of(record), f"The note “{title[:60]}”: ")


NOTES = MarkdownReader(
    "Notes", FileKind.MEMORIES, lambda text: bool(text.head.value or text.body.strip()) and not _is_skill(text), _note
)


FILE = "skill.md"
RULES = ".mdc"
GRANTED = ("allowed-tools", "allowedTools", "permissionMode", "hooks")
"""Fields that grant permissions; imported items get none."""

BESIDE = 1_000


def _is_skill(text: MarkdownText) -> bool:
    """Return whether a file is a skill by its name, or by name and description."""
    if text.path is not None and is_skill_file(text.path):
        return True
    return text_in(text.head.get("description")) is not None and text_in(text.head.get("name")) is not None


def is_skill_file(path: Path) -> bool:
    """Return whether a file is a skill by file name: SKILL.md, or a rule of Cursor."""
    return path.name.lower() == FILE or path.suffix.lower() == RULES


def _skill(text: MarkdownText) -> Found:
    """Yield the skill as a power, without approval or permissions."""
    head, name = text.head, text_in(text.head.get("name")) or _name_of(text.path)
    steering = text.body.strip()
    if not steering:
        yield Problem(text.line, f"The skill “{name[:60]}” has no text below its front matter.")
        return
    record = {
        "name": name,
        "description": text_in(head.get("description")) or text.heading,
        "keywords": words_in(head.get("keywords")) or words_in(head.get("tags")),
        "examples": words_in(head.get("examples")),
        "steering": steering,
        "paused": is_off({field: node.plain() for field, node in head.members()}) or None,
    }
    yield item_at(1, lambda: power_of(record), f"The skill “{name[:60]}”: ", _omission_note(text, name))


def _name_of(path: Path | None) -> str:
    """Return the name of the file or its folder, for a skill without a name."""
    if path is None:
        return "skill"
    return path.resolve().parent.name if path.name.lower() == FILE else path.stem


def _omission_note(text: MarkdownText, name: str) -> str:
    granted = [field for field in GRANTED if text.head.get(field) is not None]
    notes = [f"its permissions ({', '.join(granted)}) are not taken over"] if granted else []
    if text.path is not None and text.path.name.lower() == FILE and (count := _beside(text.path)):
        are = "file beside it is" if count == 1 else "files beside it are"
        notes.append(f"{count} {are} not taken over, though its text may name them")
    return f"{name[:60]}: {'; '.join(notes)}." if notes else ""


def _beside(path: Path) -> int:
    """Count the other files in the skill's folder, without hidden ones and other skills."""
    try:
        names = [one.name for one in path.parent.iterdir() if not (one / "SKILL.md").is_file()]
    except OSError:
        return 0
    return sum(not name.startswith(".") and name != path.name for name in names[:BESIDE])


SKILLS = MarkdownReader("Skills", FileKind.POWERS, _is_skill, _skill)
