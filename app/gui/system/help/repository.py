"""Where the pages of the help stand: each is fetched when it is asked for, beside the window's own thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from app.display.system.help_pages import Section, sections

FOLDER = Path(__file__).resolve().parents[4] / "resources" / "help"
_PICTURE = re.compile(r"^!\[[^\]]*\]\(([\w-]+\.(?:svg|png))\)", re.MULTILINE)

Drawing = QImage | bytes
"""A picture, or the text of an SVG, which is drawn in the colours in force."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page as it was fetched: its Markdown, and the pictures that it names."""

    markdown: str
    pictures: Mapping[str, Drawing] = field(default_factory=dict)


class HelpRepository(QObject):
    """Every method returns at once; what comes of it is emitted as a signal. Nothing is fetched unasked."""

    listed = Signal(frozenset)  # frozenset[str]: the keys of all pages that have a file
    fetched = Signal(str, Leaf)  # key, Leaf
    all_read = Signal(Mapping)  # dict[str, list[Section]]
    failed = Signal(str, str)  # key, what the system says

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__()
        self.folder = folder

    def list_pages(self) -> None:
        """Find out which pages there are."""
        self._begin(lambda: self.listed.emit(frozenset(path.stem for path in self.folder.glob("*.md"))), "")

    def fetch(self, key: str, width: int) -> None:
        """Read a page and its pictures, which will be so many pixels of the screen wide."""
        self._begin(lambda: self.fetched.emit(key, read_leaf(self.folder, key, width)), key)

    def make(self, key: str, compose: Callable[[], str]) -> None:
        """Put a page together that has no file."""
        self._begin(lambda: self.fetched.emit(key, Leaf(compose())), key)

    def read_all(self) -> None:
        """Read every page, for a search."""
        self._begin(lambda: self.all_read.emit(read_sections(self.folder)), "")

    def _begin(self, act: Callable[[], None], key: str) -> None:
        def run() -> None:
            try:
                act()
            except OSError as error:
                self.failed.emit(key, error.strerror or str(error))

        Thread(target=run, name="intentscope-help", daemon=True).start()


def read_leaf(folder: Path, key: str, width: int) -> Leaf:
    """A page with its pictures as wide as this, those that are there; OSError if the page cannot be read."""
    markdown = (folder / f"{key}.md").read_text("utf-8")
    names = [name for name in _PICTURE.findall(markdown) if (folder / name).is_file()]
    return Leaf(markdown, {name: _drawing(folder / name, width) for name in names})


def _drawing(path: Path, width: int) -> Drawing:
    if path.suffix == ".svg":
        return path.read_bytes()
    return QImage.fromData(path.read_bytes()).scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)


def read_sections(folder: Path) -> dict[str, list[Section]]:
    """The sections of every page, by its key; OSError if one cannot be read."""
    return {path.stem: sections(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.md"))}
