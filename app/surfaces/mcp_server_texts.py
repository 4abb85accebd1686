"""Texts that others wrote, as far as they are passed on to an assistant: bounded, and without what cannot be seen."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

NAME, DESCRIPTION, RESPONSE, STEERING = 200, 1_000, 4_000, 8_000
"""So many characters of a name, a description, a response and a steering text are passed on."""

LEFT_OUT = " … (cut)"
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
KEPT = frozenset("\n\t\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Breaks, the joiners without which some scripts and emoji are misspelt, and the signs of Arabic and Syriac that can be
seen although they count as formats."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters by their kind, but nothing is drawn for them."""
NEWER_EMOJI = range(0x1F000, 0x1FB00)
"""What Python's tables may not know yet."""
RUNS = re.compile(
    "(?<=[\u200c\u200d])[\u200c\u200d]+|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""Joiners and variants of a sign make sense one at a time: in a row they spell what nobody sees."""


def bounded(text: str, most: int) -> str:
    """The text without characters that nobody can see, which hide words from people but not from a model; at most so
    many characters of it, and then a sign that there were more."""
    start = text[: 4 * most]
    seen = seen_of(start)
    if len(seen) <= most and len(start) == len(text):
        return seen
    return seen[: most - len(LEFT_OUT)] + LEFT_OUT


def seen_of(text: str) -> str:
    """The text without characters that nobody can see, that steer a terminal or that turn the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    gone = {ord(character): None for character in set(text) if not _is_seen(character)}
    return RUNS.sub("", text.translate(gone))


def all_seen(document: Any) -> Any:
    """A JSON document with every text in it so, names of fields too; RecursionError if it is too deep."""
    if isinstance(document, str):
        return seen_of(document)
    if isinstance(document, dict):
        return {seen_of(str(name)): all_seen(value) for name, value in document.items()}
    if isinstance(document, list | tuple):
        return [all_seen(value) for value in document]
    return document


def _is_seen(character: str) -> bool:
    if character in KEPT or ord(character) in NEWER_EMOJI:
        return True
    return character not in BLANK and unicodedata.category(character) not in UNSEEN
