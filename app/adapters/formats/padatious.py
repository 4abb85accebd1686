"""Intents of Padatious and Mycroft (*.intent): one sentence per line, labelled by file name."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.documents import Found, as_cases, name_of, numbered_texts, refuse_kind
from app.adapters.formats.records import ItemKind
from app.adapters.formats.sentence_templates import written_out
from app.adapters.formats.utterances import memory_line
from app.domain.case import Task
from app.domain.library import Problem

KINDS = (ItemKind.MEMORIES, ItemKind.CASES)


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read the sentences as memories or cases, lazily; raises FormatError."""
    refuse_kind("Intents of Padatious", KINDS, kind, task)
    found = _memories(source)
    yield from found if kind is ItemKind.MEMORIES else as_cases(found)


def _memories(source: Path | BinaryIO) -> Found:
    label = name_of(source)
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif text.strip() and not text.startswith("#"):
            yield memory_line(number, written_out(text), label, {})


def detect_kind(path: Path) -> ItemKind:
    """Return memories: training sentences."""
    return ItemKind.MEMORIES
