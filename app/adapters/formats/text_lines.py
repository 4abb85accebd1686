"""Plain text: a memory per line or list item, questions with answers, or labelled lines of fastText."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.documents import Found, TextReader, memory_line, numbered_texts, refuse_kind, without_entities
from app.adapters.formats.records import MAX_CHARACTERS, READERS, FileKind, item_at, memory_of
from app.domain.case import Task
from app.domain.library import Problem

POINT = re.compile(r"\s*(?:[-*+•·–]\s+|\d{1,4}[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\[\d{4}-\d\d(?:-\d\d)?\]\s*[.:–-]?\s*)?")
"""Prefix of an item: a bullet or number, a box, a date as in ChatGPT's lists."""

HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[#\s]*$")
RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
FENCE = re.compile(r"\s*(?:```|~~~)")


def _lines(source: Path | BinaryIO) -> Found:
    """Yield the lines tagged with their heading, without headings, rules, code blocks and front matter."""
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
            record = {"text": POINT.sub("", text, count=1).strip(), "tags": [heading] if heading else []}
            yield item_at(number, partial(memory_of, record))


LINES = TextReader("Lists of lines", _lines, (FileKind.MEMORIES,))


LU_ITEM = re.compile(r"\s*[-*+]\s+(.*)")
LU_ENTITY = re.compile(r"\{@?[^{}=]*=\s*((?:[^\s{}][^{}]*)?)\}")


def _lu(source: Path | BinaryIO) -> Found:
    """Yield the utterances below the headings of intents; entities keep their words."""
    label = ""
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif heading := HEADING.match(text):
            if not (label := "" if heading[1].startswith("?") else heading[1]):
                yield Problem(number, "A question with its answer is left out: of a .lu file the intents are read.")
        elif text.startswith(("@", "$")):  # entities
            label = ""
        elif label and (item := LU_ITEM.match(text)):
            yield memory_line(number, without_entities(item[1], LU_ENTITY), label, {})


LU = TextReader("Intents of the Bot Framework", _lu)


BEGIN = r"\s*(?:[-*+]\s+|>\s*|#{1,6}\s+)?(?:\*\*|__)?"
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

    def items(self) -> Found:
        """Yield the memory, or the problem; nothing without a question."""
        if not self.questions:
            return
        if self.answer is None:
            yield Problem(self.line, "The question has no answer: a line that begins with “A:” was expected.")
            return
        response = "\n".join(self.answer).strip()
        record = {"triggers": list(dict.fromkeys(self.questions)), "response": response}
        yield item_at(self.line, lambda: memory_of(record))


def _answers(source: Path | BinaryIO) -> Found:
    """Yield questions with answers; consecutive questions share one, and headings and rules end it."""
    pair = _Pair(0, done=True)
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif question := QUESTION.match(text):
            if pair.answer is not None or not pair.questions:
                yield from pair.items()
                pair = _Pair(number)
            pair.questions.append(_bare(question[1]))
        elif answer := ANSWER.match(text):
            if pair.answer is not None or not pair.questions:
                yield Problem(number, ALONE)
            else:
                pair.answer = [answer[1]]
        else:
            pair.more(text)
    yield from pair.items()


def _bare(text: str) -> str:
    """Remove the marks of bold text."""
    return text.strip().removesuffix("**").removesuffix("__").strip()


QUESTIONS = TextReader("Questions and answers", _answers, (FileKind.MEMORIES,))


def has_questions(lines: list[str]) -> bool:
    """Return whether the first lines of a file hold a question."""
    return any(map(QUESTION.match, lines))


FASTTEXT_KINDS = (FileKind.MEMORIES, FileKind.CASES)
LABEL = re.compile(r"__label__(\S+)\s*")
LOOKED_AT = 100


def is_fasttext(lines: list[str]) -> bool:
    """Return whether most of the first lines have a label."""
    found = LABEL.search if lines and LABEL.search(lines[0]) else LABEL.match  # not the column of a table
    return 2 * sum(found(line) is not None for line in lines) > len(lines)


def read_fasttext(source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
    """Read the lines as memories or cases, lazily.

    Raises FormatError if unreadable or another kind.
    """
    refuse_kind("Data of fastText", FASTTEXT_KINDS, kind, task)
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif text.strip():
            record = {"text": LABEL.sub("", text).strip(), "intent": LABEL.findall(text)}
            if record["intent"]:
                yield item_at(number, partial(READERS[kind], record, number, Task.INTENT))
            else:
                yield Problem(number, "The line has no label, such as __label__greet.")


def fasttext_kind(path: Path) -> FileKind:
    """Return memories, or cases if a text has several labels, as a memory has one."""
    first = (text for _, text in islice(numbered_texts(path), LOOKED_AT) if isinstance(text, str))
    return FileKind.CASES if any(len(LABEL.findall(text)) > 1 for text in first) else FileKind.MEMORIES
