"""Plain lists of memories: one per line of text, or per item of a Markdown list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.documents import Found, numbered_texts, refuse_kind
from app.adapters.formats.records import ItemKind, RefusedError, memory_of
from app.domain.case import Task
from app.domain.library import Line, Problem

KINDS = (ItemKind.MEMORIES,)
POINT = re.compile(r"\s*(?:[-*+•·–]\s+|\d{1,4}[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\[\d{4}-\d\d(?:-\d\d)?\]\s*[.:–-]?\s*)?")
"""Prefix of an item: a bullet or number, a box, a date as in ChatGPT's lists."""

HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[#\s]*$")
RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
FENCE = re.compile(r"\s*(?:```|~~~)")


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read the lines as memories, lazily, tagged with their heading.

    Raises FormatError if unreadable. Headings, rules, code blocks and front matter are skipped.
    """
    refuse_kind("Lists of lines", KINDS, kind, task)
    heading, is_code, is_front = "", False, False
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif number == 1 and text == "---":
            is_front = True
        elif is_front:
            is_front = text not in ("---", "...")
        elif FENCE.match(text):
            is_code = not is_code
        elif found := HEADING.match(text):
            heading = found[1]
        elif text.strip() and not is_code and not RULE.match(text):
            try:
                words = POINT.sub("", text, count=1).strip()
                yield Line(number, memory_of({"text": words, "tags": [heading] if heading else []}))
            except RefusedError as refused:
                yield Problem(number, str(refused))


def detect_kind(path: Path) -> ItemKind:
    """Return the only kind."""
    return ItemKind.MEMORIES
