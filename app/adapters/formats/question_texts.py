"""Questions and answers as text: each “Q:” with its “A:” becomes a memory, as in Lilith."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.documents import Found, numbered_texts
from app.adapters.formats.records import MAX_CHARACTERS, ItemKind, RefusedError, memory_of
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.library import Line, Problem

BEGIN = r"\s*(?:[-*+]\s+|>\s*)?(?:\*\*|__)?"
QUESTION = re.compile(BEGIN + r"(?:Q|Question)(?:\s*[0-9]+)?\s*:(?:\*\*|__)?\s*(.*)", re.IGNORECASE)
ANSWER = re.compile(BEGIN + r"(?:A|Answer)(?:\s*[0-9]+)?\s*:(?:\*\*|__)?\s*(.*)", re.IGNORECASE)
ALONE = "The answer has no question: a line that begins with “Q:” was expected before it."
APART = re.compile(r"#{1,6}\s|(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$")
"""Heading or rule between questions."""


@dataclass(slots=True)
class _Pair:
    """Questions and the answer being read."""

    line: int
    questions: list[str] = field(default_factory=list)
    answer: list[str] | None = None
    size: int = 0
    done: bool = False

    def more(self, text: str) -> None:
        """Add a line to the question or answer; beyond the maximum length it is dropped."""
        self.size += len(text) + 1
        self.done = self.done or APART.match(text) is not None
        if self.size > 4 * MAX_CHARACTERS or self.done:
            return
        if self.answer is not None:
            self.answer.append(text)
        elif text.strip():
            self.questions[-1] = f"{self.questions[-1]} {_bare(text)}".strip()

    @property
    def is_answered(self) -> bool:
        return self.answer is not None

    def items(self) -> Found:
        """Yield the memory, or the problem; nothing without a question."""
        if not self.questions:
            return
        if self.answer is None:
            yield Problem(self.line, "The question has no answer: a line that begins with “A:” was expected.")
            return
        try:
            texts = list(dict.fromkeys(self.questions))
            yield Line(self.line, memory_of({"triggers": texts, "response": "\n".join(self.answer).strip()}))
        except RefusedError as refused:
            yield Problem(self.line, str(refused))


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read questions with answers as memories, lazily; consecutive questions share an answer.

    Headings and rules end an answer. Raises FormatError if unreadable or for another kind.
    """
    if kind is not ItemKind.MEMORIES:
        raise FormatError(f"Questions and answers are memories, no {kind}.")
    pair = _Pair(0, done=True)
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif question := QUESTION.match(text):
            if pair.is_answered or not pair.questions:
                yield from pair.items()
                pair = _Pair(number)
            pair.questions.append(_bare(question[1]))
        elif answer := ANSWER.match(text):
            if pair.is_answered or not pair.questions:
                yield Problem(number, ALONE)
            else:
                pair.answer = [answer[1]]
        else:
            pair.more(text)
    yield from pair.items()


def _bare(text: str) -> str:
    """Remove the marks of bold text."""
    return text.strip().removesuffix("**").removesuffix("__").strip()


def detect_kind(path: Path) -> ItemKind:
    """Return the only kind."""
    return ItemKind.MEMORIES


def fits(lines: list[str]) -> bool:
    """Return whether the first lines of a file hold a question."""
    return any(map(QUESTION.match, lines))
