"""The forms of a text that scorers compare: lower-cased, split, sorted, without punctuation (S2.1)."""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class ScoredText:
    """A query in every form that a scorer needs, each made once; `vector` is its unit vector, None while absent."""

    text: str
    vector: NDArray[np.float32] | None = None

    @cached_property
    def lower(self) -> str:
        return self.text.lower()

    @cached_property
    def sorted(self) -> str:
        return sorted_tokens(self.text)

    @cached_property
    def tokens(self) -> list[str]:
        return list(dict.fromkeys(tokens(self.text)))

    @cached_property
    def bare(self) -> str:
        return without_punctuation(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words(self.text)
