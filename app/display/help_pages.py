"""CHAPTERS: the pages of the help in the order in which they are read, and which of them belongs to a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

START, ABOUT, LICENCES = "index", "about", "licences"

OF_PAGE: Mapping[str, str] = {"connection": "llm", "help": START}
"""The help of a page of the window, where it is not of the same name."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A page of the help: the name of its file without `.md`, and its title in the contents."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """Pages that belong together."""

    title: str
    topics: tuple[Topic, ...]


CHAPTERS: tuple[Chapter, ...] = (
    Chapter("Begin here", (Topic(START, "Five minutes with Intentscope"), Topic("keys", "Keys"))),
    Chapter(
        "Ask and read",
        (
            Topic("scope", "The scope"),
            Topic("why-not", "Why not"),
            Topic("side-by-side", "Side by side"),
            Topic("panes", "Panes"),
            Topic("inbox", "Inbox"),
            Topic("history", "History"),
            Topic("route", "Routes"),
            Topic("llm", "The LLM"),
        ),
    ),
    Chapter(
        "Teach and keep",
        (
            Topic("memories", "Memories"),
            Topic("powers", "Powers"),
            Topic("running", "Powers that run"),
            Topic("rules", "Rules"),
            Topic("cases", "Cases"),
            Topic("evaluate", "Evaluate"),
            Topic("duplicates", "Duplicates and conflicts"),
            Topic("health", "Health"),
            Topic("context", "Context"),
            Topic("namespaces", "Namespaces"),
        ),
    ),
    Chapter(
        "Files and surroundings",
        (
            Topic("import", "Import and export"),
            Topic("formats", "File formats"),
            Topic("files", "The library as a folder of texts"),
            Topic("assistants", "Assistants"),
            Topic("commands", "Commands"),
            Topic("desktop", "On the desktop"),
            Topic("faults", "When something goes wrong"),
            Topic("promises", "What is promised"),
        ),
    ),
    Chapter(
        "How it works",
        (
            Topic("scorers", "Scores and combinations"),
            Topic("tiers", "Tiers of powers"),
            Topic("metrics", "Metrics"),
            Topic("settings", "Settings"),
            Topic("architecture", "How it is built"),
        ),
    ),
    Chapter("About", (Topic(ABOUT, "About Intentscope"), Topic(LICENCES, "Licences"))),
)

MADE = (ABOUT, LICENCES)
"""Pages that are made when they are asked for, and have no file."""


def chapters(there: Collection[str]) -> list[Chapter]:
    """The contents, without what has no file; a file that no chapter names stands before the last, by its name."""
    known = {topic.key for chapter in CHAPTERS for topic in chapter.topics}
    kept = [
        Chapter(chapter.title, tuple(topic for topic in chapter.topics if topic.key in there or topic.key in MADE))
        for chapter in CHAPTERS
    ]
    more = tuple(Topic(key, key.replace("-", " ").capitalize()) for key in sorted(set(there) - known))
    if more:
        kept.insert(-1, Chapter("More", more))
    return [chapter for chapter in kept if chapter.topics]


def topic_of(page: str) -> str:
    """The key of the help page for a page of the window."""
    return OF_PAGE.get(page, page)
