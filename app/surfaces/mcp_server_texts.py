"""Texts that others wrote, as far as they are passed on to an assistant: bounded, and without what cannot be seen."""

from __future__ import annotations

import unicodedata

NAME, DESCRIPTION, RESPONSE, STEERING = 200, 1_000, 4_000, 8_000
"""So many characters of a name, a description, a response and a steering text are passed on."""

LEFT_OUT = " … (cut)"
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
KEPT = frozenset("\n\t\u200c\u200d")
"""Breaks, and the joiners without which some scripts and emoji are misspelt."""


def bounded(text: str, most: int) -> str:
    """The text without characters that nobody can see, which hide words from people but not from a model; at most so
    many characters of it, and then a sign that there were more."""
    start = text[: 4 * most]
    seen = start if start.isascii() and start.isprintable() else "".join(filter(_is_seen, start))
    if len(seen) <= most and len(start) == len(text):
        return seen
    return seen[: most - len(LEFT_OUT)] + LEFT_OUT


def _is_seen(character: str) -> bool:
    return character in KEPT or unicodedata.category(character) not in UNSEEN
