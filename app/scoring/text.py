"""The forms of a text that scorers compare: lower-cased, split, sorted, without punctuation (S2.1)."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_ASCII_PUNCTUATION = frozenset(string.punctuation)
_ASCII_TABLE = str.maketrans("", "", string.punctuation)
_WORDS = re.compile(r"(?:[^\W_]|[+#])+")


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


_NEGATION = re.compile(
    r"\b(?:(?:i|we) (?:do not|dont|no longer|never) (?:want|need|wish|mean)(?: (?:you|me|us))? to"
    r"|(?:do not|dont|does not|doesnt|did not|didnt|never|not|no longer)(?: (?:ever|just|please))?)\b"
)


@lru_cache(maxsize=64)
def without_negation(bare: str) -> str:
    """A text without punctuation (`without_punctuation`) and without its negation; "" if it has none."""
    positive, count = _NEGATION.subn(" ", bare, count=1)
    return " ".join(positive.split()).removeprefix("please ").removesuffix(" please") if count else ""


def words(text: str) -> tuple[str, ...]:
    """Lower-cased words in the singular, parted by anything that is no letter, digit, + or #; for keywords (S2.7)."""
    return tuple(map(singular, _WORDS.findall(text.lower())))


def singular(word: str) -> str:
    """A plain English plural without its ending; any other word as it is."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


Form = TypeVar("Form")


class _once(Generic[Form]):  # noqa: N801 - it decorates
    """A property worked out when it is first looked at; a plain one of its kind takes a lock each time."""

    def __init__(self, make: Callable[[Any], Form]) -> None:
        self._make = make

    def __get__(self, owner: Any, kind: type) -> Form:
        made = self._make(owner)
        owner.__dict__[self._make.__name__] = made
        return made


@dataclass(frozen=True)
class ScoredText:
    """A query in every form that a scorer needs, each made once; `vector` is its unit vector and `learned` the one that
    a regression reads, both None while absent."""

    text: str
    vector: NDArray[np.float32] | None = None
    learned: NDArray[np.float32] | None = None

    @_once
    def lower(self) -> str:
        return self.text.lower()

    @_once
    def _parts(self) -> list[str]:
        return self.lower.split()

    @_once
    def sorted(self) -> str:
        return " ".join(sorted(self._parts))

    @_once
    def tokens(self) -> list[str]:
        return list(dict.fromkeys(self._parts))

    @_once
    def bare(self) -> str:
        return without_punctuation(self.text)

    @_once
    def words(self) -> tuple[str, ...]:
        return words(self.text)
