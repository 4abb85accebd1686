"""Plain lists of things to remember: each line of a text, or point of a list in Markdown, is a memory."""

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
"""What stands before the words of a point: a bullet or number, a box, a date as ChatGPT writes it."""

HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[#\s]*$")
RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
FENCE = re.compile(r"\s*(?:```|~~~)")


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """The lines as memories, lazily, each tagged with the heading over it; FormatError if the file cannot be read.

    Headings, rules, blocks of code and what stands between two lines of `---` at the top are passed over.
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
    """The one kind that there is."""
    return ItemKind.MEMORIES
