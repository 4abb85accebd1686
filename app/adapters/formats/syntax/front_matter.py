"""Markdown with front matter: fields between two lines of `---` at the top, then text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.syntax import toml_documents
from app.adapters.formats.syntax.text import whole_text
from app.adapters.formats.syntax.trees import Node
from app.domain.errors import FormatError

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
    """Yield the Markdown files in a folder and its subfolders, sorted.

    Links and hidden files are left out.
    """
    count = 0
    for place, folders, names in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not _is_passed_over(Path(place, name))) if depth < DEPTH else []
        for name in sorted(names):
            file = Path(place, name)
            if file.suffix.lower() in MARKDOWN and not _is_passed_over(file):
                count += 1
                if count > MOST:
                    return
                yield file


def _is_passed_over(path: Path) -> bool:
    return path.name.startswith(".") or path.name == "node_modules" or path.is_symlink()
