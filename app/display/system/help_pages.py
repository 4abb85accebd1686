"""CHAPTERS: help pages in reading order; search; and the pages about the program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

START, ABOUT, LICENCES = "index", "about", "licences"

OF_PAGE: Mapping[str, str] = {"help": START}
"""Help page of a window page with another name."""


CHAPTERS: Mapping[str, Mapping[str, str]] = {
    "Start": {START: "Five minutes with Intentscope", "keys": "Keys"},
    "Queries": {
        "scope": "The scope",
        "types": "Query types",
        "words": "Word by word",
        "why-not": "Why not",
        "why-not-terminal": "Why not in a terminal",
        "side-by-side": "Side by side",
        "panes": "Panes",
        "inbox": "Inbox",
        "history": "History",
        "history-stored": "Stored history",
        "route": "Routing",
        "llm": "The LLM",
        "llm-details": "The LLM in detail",
    },
    "Library": {
        "intents": "Intents",
        "memories": "Memories",
        "powers": "Powers",
        "running": "Running powers",
        "rules": "Rules",
        "cases": "Cases",
        "evaluate": "Evaluate",
        "evaluate-terminal": "Evaluate in a terminal",
        "findings": "Findings",
        "context": "Context",
    },
    "Files and integration": {
        "import": "Import and export",
        "formats": "File formats",
        "fields": "Fields and columns",
        "formats-of-programs": "Files of other programs",
        "files": "The library as a folder of texts",
        "team": "A team's library",
        "assistants": "Assistants",
        "assistant-tools": "Tools of assistants",
        "hook": "The prompt hook",
        "commands": "Commands",
        "stores": "Data stores",
        "desktop": "On the desktop",
        "faults": "Troubleshooting",
        "promises": "Guarantees",
    },
    "How it works": {
        "scorers": "Scores and combinations",
        "tiers": "Tiers of powers",
        "injection": "Injection rules compared",
        "routing": "How routes are decided",
        "routes-own": "Routes of your own",
        "routes-trials": "Trying other settings of routes",
        "metrics": "Latency",
        "settings": "Settings",
        "architecture": "How it is built",
    },
    "About": {ABOUT: "About Intentscope", LICENCES: "Licences"},
}
"""Titles of pages by file name without `.md`, by title of the chapter, in reading order."""

MADE = (ABOUT, LICENCES)
"""Generated pages, which have no file."""


def chapters(there: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the contents without missing pages; unlisted files come before the last chapter."""
    known = {key for topics in CHAPTERS.values() for key in topics}
    more = {key: key.replace("-", " ").capitalize() for key in sorted(set(there) - known)}
    *first, last = CHAPTERS.items()
    kept = (
        (title, {key: topics[key] for key in topics if key in {*there, *more, *MADE}})
        for title, topics in (*first, ("More", more), last)
    )
    return {title: topics for title, topics in kept if topics}


def topic_of(page: str) -> str:
    """Return the help page of a page of the window."""
    return OF_PAGE.get(page, page)


# --------------------------------------------------------------------------------------------------------------------
# Full-text search of the help: sections with all words of the search text, best first

MOST_FOUND = 60
_AROUND = 90
"""Characters of a section shown under its title."""


@dataclass(frozen=True, slots=True)
class Section:
    """Section of a page: plain text, and the anchor of its heading ("" at the top)."""

    page: str
    page_title: str
    title: str
    anchor: str
    text: str
    folded: tuple[str, str, str] = field(init=False, repr=False, compare=False)
    """Title, text, and the page's title and name, case-folded once."""

    def __post_init__(self) -> None:
        page = f"{self.page_title} {self.page}"
        object.__setattr__(self, "folded", (self.title.casefold(), self.text.casefold(), page.casefold()))


def slug(title: str) -> str:
    """Return the anchor of a heading: lower case, words joined by hyphens."""
    kept = re.sub(r"[^\w\s.-]", "", title.casefold())
    return re.sub(r"[\s.]+", "-", kept.strip())


def words_of(search: str) -> list[str]:
    return search.casefold().split()


def find(books: Mapping[str, Sequence[Section]], search: str) -> list[tuple[Section, str]]:
    """Return sections with every word, best first, and the words around; [] for an empty search."""
    words = words_of(search)
    if not words:
        return []
    worth = [
        (value, place, section)
        for place, (section, is_first) in enumerate(_in_order(books))
        if (value := _score(section, words, is_first=is_first)) > 0
    ]
    worth.sort(key=lambda row: (-row[0], row[1]))
    return [(section, _around(section.text, words)) for _, _, section in worth[:MOST_FOUND]]


def _in_order(books: Mapping[str, Sequence[Section]]) -> Iterator[tuple[Section, bool]]:
    """Yield all sections, with a flag for the first of a page, which also matches its title."""
    for page in books.values():
        for place, section in enumerate(page):
            yield section, place == 0


def _score(section: Section, words: Sequence[str], *, is_first: bool) -> float:
    """Score a section, higher for titles and word starts; 0 without a match of its own."""
    title, text, page = section.folded
    if is_first:
        title = f"{title} {page}"
    total, is_own = 0.0, False
    for word in words:
        in_title, in_text = word in title, word in text
        if not (in_title or in_text or word in page):
            return 0.0
        is_own = is_own or in_title or in_text
        if in_title:
            total += 8.0 if _begins(word, title) else 4.0
        else:
            total += 2.0 if in_text and _begins(word, text) else 1.0
    return total if is_own else 0.0


def _begins(word: str, text: str) -> bool:
    """Check if a word of the text starts with this."""
    return re.search(rf"(?<!\w){re.escape(word)}", text) is not None


def _around(text: str, words: Sequence[str]) -> str:
    """Return the part of the text around the first match."""
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    if not places or min(places) <= _AROUND // 3:
        begin = 0
    else:
        begin = text.rfind(" ", 0, min(places) - _AROUND // 3) + 1
    piece = text[begin : begin + _AROUND]
    if begin + _AROUND < len(text):
        piece = piece.rpartition(" ")[0] or piece
        piece += " …"
    return f"… {piece}" if begin else piece


# ---- About pages: version, profile, encoder and licences, as Markdown.


ENCODER_LICENCES: Mapping[str, str] = {
    "intentscope-minilm": (
        "trained by this project from all-MiniLM-L6-v2, Apache-2.0; what it was trained on, and under which licences, "
        "stands in resources/encoders/intentscope-minilm/README.md"
    ),
    "sentence-transformers": "a model of your own choice, under the licence that its publisher names",
    "ollama": "a model of your own choice, under the licence that its publisher names",
}
"""Licence of each encoder's model."""


@dataclass(frozen=True, slots=True)
class Package:
    """Package that the program is built with, and its licence."""

    name: str
    version: str
    licence: str


def about_markdown(
    version: str, runs_on: str, profile: str, encoder: str, counts: Mapping[str, int], report: str
) -> str:
    """Return the page About, "" for what is unknown; `report` is the link to a report of this system."""
    rows = [
        ("Version", version),
        ("Profile", f"`{profile}`" if profile else ""),
        ("Library", ", ".join(f"{count:,} {what}" for what, count in counts.items())),
        ("Encoder", f"`{encoder}`" if encoder else ""),
        ("Its licence", ENCODER_LICENCES.get(encoder, "")),
        ("Runs on", runs_on),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows if value)
    return _ABOUT.format(table=table, report=report)


def licences_markdown(packages: Sequence[Package], link: str) -> str:
    """Return the page of licences: a table with links; `link` is the prefix of each name."""
    rows = (f"| [{one.name}]({link}{one.name}) | {one.version} | {_cell(one.licence)} |" for one in packages)
    return _LICENCES.format(table="\n".join(rows))


def licence_markdown(name: str, texts: Sequence[str]) -> str:
    if not texts:
        return f"# {name}\n\nIts package brings no text of its licence.\n"
    fenced = "\n\n---\n\n".join(f"```\n{text.replace('```', chr(39) * 3)}\n```" for text in texts)
    return f"# {name}\n\n{fenced}\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_ABOUT = (
    "# About Intentscope\n\nType a query and see, live, what a hybrid intent detector "
    "makes of it, and why.\n\n| | |\n| --- | --- |\n{table}\n\n[A report of this "
    "system]({report}) gathers versions, state and settings as a text to read and copy. "
    "Nothing is sent,\nand what you typed is left out unless you add it.\n\n## Licence\n\n"
    "Intentscope is free software under the [Apache licence 2.0](licence:Intentscope). "
    "[What it is built with](licences.md)\nstands under licences of its own.\n\n## What "
    "it connects to\n\nNothing that you have not set up: a local LLM, powers that you "
    "approved, assistants that you let in. What you type and\nteach stays in the profile. "
    "The Internet is reached only when you ask for it: to fetch the parts of another "
    "encoder, to\nlook for a newer version where `updates.url` says, or to open a link in "
    "the browser.\n"
)

_LICENCES = (
    "# Licences\n\nWhat Intentscope is built with. A name leads to the texts that its "
    "package brings. Qt 6 (PySide6) is used under the\nLGPL 3; in an installed program "
    "its libraries are files of their own and may be replaced. The fonts, Inter and "
    "JetBrains\nMono, are used under the SIL Open Font License.\n\n| package | version "
    "| licence |\n| --- | --- | --- |\n{table}\n"
)
