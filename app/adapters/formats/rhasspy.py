"""Sentences of Rhasspy (sentences.ini): expanded templates by intent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.documents import Found, as_cases, numbered_texts, refuse_kind
from app.adapters.formats.records import ItemKind
from app.adapters.formats.sentence_templates import written_out
from app.adapters.formats.utterances import memory_line
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.library import Problem

KINDS = (ItemKind.MEMORIES, ItemKind.CASES)

SECTION = re.compile(r"\[\s*([^\[\]|]+?)\s*\]\s*")
RULE = re.compile(r"\s*([\w.-]+)\s*=\s*(.+)")
MARKS = re.compile(r"\{[^{}]*\}|(?<=[^\s:]):[^\s(){}\[\]|]*|:\(|![a-z]+\b")
"""Tags, substitutions and converters, which are not spoken."""


def read(source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read the sentences as memories or cases.

    Raises FormatError if unreadable, empty or another kind.
    """
    refuse_kind("Sentences of Rhasspy", KINDS, kind, task)
    found = _memories(source)
    yield from found if kind is ItemKind.MEMORIES else as_cases(found)


def _memories(source: Path | BinaryIO) -> Found:
    section, sentences = "", []
    rules: dict[str, str] = {}
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif not text.strip() or text.lstrip().startswith(("#", ";")):
            continue
        elif heading := SECTION.fullmatch(text):
            section = heading[1]
        elif rule := RULE.fullmatch(text):
            rules[f"{section}.{rule[1]}"] = rule[2]
        elif section:
            sentences.append((number, section, text.strip().removeprefix("\\")))
    if not sentences:
        raise FormatError("Sentences of Rhasspy were expected: the name of an intent in [ ], and lines below it.")
    for number, label, text in sentences:
        yield memory_line(number, written_out(text, _known(rules, label), _spoken), label, {})


def _known(rules: Mapping[str, str], section: str) -> Mapping[str, str]:
    """Return the rules as a section names them: its own without prefix."""
    own = {name.removeprefix(f"{section}."): rule for name, rule in rules.items() if name.startswith(f"{section}.")}
    return {**rules, **own}


def _spoken(sentence: str) -> str:
    return MARKS.sub("", sentence)


def detect_kind(path: Path) -> ItemKind:
    """Return memories: training sentences."""
    return ItemKind.MEMORIES
