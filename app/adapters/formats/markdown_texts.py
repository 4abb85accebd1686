"""Common code of readers of Markdown with front matter: a file or folder to items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters.formats.documents import Found, refuse_kind
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.front_matter import MarkdownText, markdown_files, markdown_text
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.library import Line, Problem


@dataclass(frozen=True, slots=True)
class MarkdownReader:
    """Reader of Markdown files with items of one kind; in a folder, of the files that `fits`."""

    title: str
    kind: ItemKind
    fits: Callable[[MarkdownText], bool]
    items: Callable[[MarkdownText], Found]

    def read(self, source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
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

    def detect_kind(self, path: Path) -> ItemKind:
        """Return the only kind."""
        return self.kind


def _placed(found: Line[Any] | Problem, place: str) -> Line[Any] | Problem:
    """Prefix the problem or note with its file."""
    if isinstance(found, Problem):
        return Problem(found.line, f"{place}: {found.sentence}")
    return replace(found, note=f"{place}: {found.note}") if found.note else found


def folder_texts(folder: Path) -> Iterator[MarkdownText | Problem]:
    """Yield the Markdown files of a folder, unreadable ones as problems."""
    for file in markdown_files(folder):
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
