"""Parts of a data set, such as train and test, which are never mixed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.trees import Node
from app.domain.library import Problem

Part = tuple[str, Node]
"""Name of a list, "" for the document itself, and the list."""

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
TEST = re.compile(
    r"(?:test(?:s|ing)?|eval(?:s|uate|uation)?|val(?:id|idation)?|dev(?:elopment)?|h[oe]ldout)(?:set|data)?"
)
"""Word in the name of a test part."""


def is_test(name: str) -> bool:
    """Return whether the name of a part marks it as test data."""
    words = [word.lower() for word in WORD.findall(name)]
    pairs = [first + second for first, second in pairwise(words)]
    return any(TEST.fullmatch(word) for word in (*words, *pairs))


def split(parts: Sequence[Part], kind: ItemKind) -> tuple[list[Part], list[Problem]]:
    """Return the parts for items of one kind, and a problem for each one left out.

    Cases are read from test parts, other kinds from the others; parts of one sort are all read.
    """
    tests = [part for part in parts if is_test(part[0])]
    others = [part for part in parts if part not in tests]
    if not tests or not others:
        return list(parts), []
    if kind is ItemKind.CASES:
        return tests, [_left_out(part, "teach", "--kind memories reads it.") for part in others]
    way = "anything taught can't be used as a test. --kind cases --task intent reads it."
    return others, [_left_out(part, "test with", way) for part in tests]


def _left_out(part: Part, use: str, way: str) -> Problem:
    name, held = part
    count = sum(1 for _ in held.items())
    texts = "1 text" if count == 1 else f"{count:,} texts"
    return Problem(held.line, f"“{name[:40]}” with {texts} to {use} is left out: {way}")
