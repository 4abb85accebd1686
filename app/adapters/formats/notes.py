"""Markdown notes with front matter, as in Basic Memory and Obsidian: each note is a memory."""

from __future__ import annotations

import re

from app.adapters.formats.documents import Found, text_in
from app.adapters.formats.markdown_texts import MarkdownReader, words_in
from app.adapters.formats.record_names import GONE, HELD_BACK, state_of
from app.adapters.formats.records import ItemKind, RefusedError, memory_of
from app.adapters.formats.syntax.front_matter import MarkdownText
from app.domain.library import Line, Problem

OBSERVATION = re.compile(r"^\s*[-*+]\s+\[[^\[\]\n]{2,60}\][ \t]+(.+)$", re.MULTILINE)
"""Observation of Basic Memory, such as `- [method] Pour over tastes clean #brewing`.

A box with a single character is a task.
"""

TAG = re.compile(r"(?:^|\s)#([\w/-]+)")
CONTEXT = re.compile(r"\s*\([^()\n]*\)\s*$")


def fits(text: MarkdownText) -> bool:
    """Return whether a file has front matter."""
    return bool(text.head.value)


def items(text: MarkdownText) -> Found:
    """Yield the note as a memory: title, aliases and observations as triggers, text as response."""
    head = text.head
    title = text_in(head.get("title")) or text.heading or (text.path.stem if text.path is not None else "")
    state = state_of({name: node.value for name, node in head.members()})
    if state in GONE:
        yield Problem(1, f"The note “{title[:60]}” is deleted where it comes from, so it is left out.")
        return
    observed = OBSERVATION.findall(text.body)
    record = {
        "triggers": list(dict.fromkeys(filter(None, (title, *words_in(head.get("aliases")), *map(_bare, observed))))),
        "response": text.body.strip(),
        "tags": list(
            dict.fromkeys((*words_in(head.get("tags")), *(tag for one in observed for tag in TAG.findall(one))))
        ),
        "id": text_in(head.get("permalink")) or text_in(head.get("id")),
        "paused": state in HELD_BACK or None,
    }
    try:
        yield Line(1, memory_of(record))
    except RefusedError as refused:
        yield Problem(1, f"The note “{title[:60]}”: {refused}")


def _bare(observation: str) -> str:
    """Remove tags and bracketed context from an observation."""
    return " ".join(TAG.sub(" ", CONTEXT.sub("", observation)).split())


NOTES = MarkdownReader("Notes", ItemKind.MEMORIES, fits, items)
