"""The forms of a text that scorers compare: lower-cased, split, sorted, without punctuation (S2.1)."""

from __future__ import annotations

import string
import unicodedata
from functools import lru_cache

_ASCII_PUNCTUATION = frozenset(string.punctuation)
_ASCII_TABLE = str.maketrans("", "", string.punctuation)
_WORD_SYMBOLS = frozenset("+#")


@lru_cache(maxsize=4096)
def _is_punctuation(character: str) -> bool:
    return character in _ASCII_PUNCTUATION or unicodedata.category(character).startswith("P")


def tokens(text: str) -> list[str]:
    """Lower-cased white-space tokens, in order."""
    return text.lower().split()


def sorted_tokens(text: str) -> str:
    """The tokens in code-point order, joined by one space: what `token_sort_ratio` compares (S2.3)."""
    return " ".join(sorted(tokens(text)))


def without_punctuation(text: str) -> str:
    """Punctuation dropped (ASCII's, and Unicode category P), white space folded, lower-cased (S2.2)."""
    if text.isascii():
        bare = text.translate(_ASCII_TABLE)
    else:
        bare = "".join(c for c in text if not _is_punctuation(c))
    return " ".join(bare.split()).lower()


def words(text: str) -> tuple[str, ...]:
    """Lower-cased words in the singular, parted by anything that is no letter, digit, + or #; for keywords (S2.7)."""
    parted = "".join(c if c.isalnum() or c in _WORD_SYMBOLS else " " for c in text.lower())
    return tuple(singular(word) for word in parted.split())


def singular(word: str) -> str:
    """A plain English plural without its ending; any other word as it is."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]
