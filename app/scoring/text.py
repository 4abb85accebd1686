"""Forms of a text that scorers compare: lower-cased, split, sorted, unpunctuated (S2.1)."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_ASCII_PUNCTUATION = frozenset(string.punctuation)
_ASCII_TABLE = str.maketrans("", "", string.punctuation)
_WORDS = re.compile(r"(?:[^\W_]|[+#])+")
TELLING_SIGNS = re.compile(r"(?<!\w)-(?=\.?\d)|(?<=\d)%|(?<=\d )%|(?<=\b[A-Za-z])[+#]+")
_NAME_BREAK = re.compile(r"[\W_]+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD_OF_NAME = re.compile(r"[^\W\d_]{3}")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n+")
LEAST_LETTERS = 8


@lru_cache(maxsize=4096)
def _is_punctuation(character: str) -> bool:
    return character in _ASCII_PUNCTUATION or unicodedata.category(character).startswith("P")


def tokens(text: str) -> list[str]:
    """Split into lower-case tokens at white space."""
    return text.lower().split()


def sorted_tokens(text: str) -> str:
    """Sort the tokens by code point and join them, as `token_sort_ratio` does (S2.3)."""
    return " ".join(sorted(tokens(text)))


def without_punctuation(text: str) -> str:
    """Drop punctuation (ASCII, Unicode category P), fold white space, lower-case (S2.2)."""
    if text.isascii():
        bare = text.translate(_ASCII_TABLE)
    else:
        bare = "".join(c for c in text if not _is_punctuation(c))
    return " ".join(bare.split()).lower()


def without_plain_signs(text: str) -> str:
    """Like `without_punctuation`, with the signs that make another meaning: of -5, 50 %, C++ and C#."""
    return " ".join([without_punctuation(text), *TELLING_SIGNS.findall(text)]).strip()


@lru_cache(1 << 15)  # the keywords of all powers are split with each selection of one
def words(text: str) -> tuple[str, ...]:
    """Split into lower-case singular words of letters, digits, + and #; for keywords (S2.7)."""
    return tuple(map(singular, _WORDS.findall(text.lower())))


def name_in_words(name: str) -> str:
    """Return the words of a name, "cancel order" for `cancel_order` or `CancelOrder`.

    It is "" where no three letters follow each other.
    """
    found = " ".join(filter(None, _NAME_BREAK.split(name))).lower()
    return found if _WORD_OF_NAME.search(found) else ""


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of at least LEAST_LETTERS characters."""
    parts = (part.strip(" \t-*#>|`") for part in _SENTENCE_END.split(text))
    return [part for part in parts if len(part) >= LEAST_LETTERS]


def singular(word: str) -> str:
    """Remove the ending of a plain English plural; other words are unchanged."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or word == "news":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


_ENDINGS = re.compile(r"(?:ation|ing|ed|e)$")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Remove a verb's ending: "cancelling", "cancelled" and "cancellation" become "cancel"."""
    found = _ENDINGS.sub("", singular(word))
    if len(found) < 3:
        return word
    return found[:-1] if len(found) > 3 and found[-1] == found[-2] else found


Form = TypeVar("Form")


class _once(Generic[Form]):  # noqa: N801 - it decorates
    """Lazy property; cached_property takes a lock each time."""

    def __init__(self, make: Callable[[Any], Form]) -> None:
        self._make = make

    def __get__(self, owner: Any, kind: type) -> Form:
        made = self._make(owner)
        owner.__dict__[self._make.__name__] = made
        return made


@dataclass(frozen=True, slots=True)
class QueryVector:
    """Both vectors of a query, each of shape (dimension,): for cosines, and for the learner.

    `sentences` are those of its sentences by text, if they are not the query itself.
    """

    scored: NDArray[np.float32]
    learned: NDArray[np.float32]
    sentences: Mapping[str, QueryVector] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoredText:
    """Query in all forms that scorers need, each computed once.

    `vector` is its unit vector and `learned` the one for the regression; None while absent. They are those of
    `sentence` if that is not empty, else of the whole query; `vectors` are all.
    """

    text: str
    vector: NDArray[np.float32] | None = None
    learned: NDArray[np.float32] | None = None
    vectors: QueryVector | None = None
    sentence: str = ""

    @property
    def whole(self) -> QueryVector | None:
        """Vectors of the whole query; None while absent."""
        if self.vectors is not None or self.vector is None:
            return self.vectors
        return QueryVector(self.vector, self.vector if self.learned is None else self.learned)

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
