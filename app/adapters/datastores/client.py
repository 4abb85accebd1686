"""Common code of data store clients: full-text terms, bounded listings, error messages."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from typing import TypeVar

from app.adapters.local.bounded_http import LONGER
from app.domain.errors import DataStoreError
from app.domain.running import shown

Place = TypeVar("Place")

UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, struct.error)
"""Exceptions raised for invalid answers, beside a client's own and ValueError."""

PAGE = 5_000
"""Number of documents per page."""

MOST_HELD = 100_000_000
"""Maximum number of characters of a store's listing: some 800,000 documents."""

LONGEST_SAID = 300
"""Maximum number of characters shown of a server's error message."""

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
MAX_SEARCH_WORDS = 64
"""Maximum number of distinct words in a full-text query."""


def search_words(text: str) -> tuple[str, ...]:
    """Return the distinct lower-case words of a text, without punctuation."""
    return tuple(dict.fromkeys(found.group().lower() for found in _WORD.finditer(text)))[:MAX_SEARCH_WORDS]


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which no store accepts."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode("utf-8")


def gathered(page: Callable[[Place | None], tuple[Mapping[str, str], Place | None]]) -> dict[str, str]:
    """Collect all pages of a listing; `page` returns one and the next position, None at the end.

    Raises DataStoreError if it is larger than a store can be.
    """
    found: dict[str, str] = {}
    at, size = None, 0
    while True:
        some, at = page(at)
        size += sum(len(key) + len(value) for key, value in some.items())
        if size > MOST_HELD:
            raise DataStoreError(f"The store tells of more than {MOST_HELD:,} characters: the rest was not read.")
        found |= some
        if at is None:
            return found


def unreadable() -> str:
    """Return the sentence for an invalid answer."""
    return "The store's answer is not what such a server sends."


def too_long(most: int, who: str = "The store") -> str:
    """Return the sentence for a store whose answer was too long."""
    return f"{who} was left: {LONGER.format(most=most)}."


def timed_out(seconds: float, who: str = "The store") -> str:
    """Return the sentence for a store that did not answer in time."""
    return f"{who} did not answer within {seconds:g} s."


def wrong_length(held: int, length: int) -> str:
    """Return the sentence for vectors of another length, from another encoder."""
    return f"The store holds vectors of {held} numbers, these have {length}: fill it again."


def no_vector() -> str:
    """Return the sentence for a semantic search without a query vector."""
    return "Without an encoder nothing can be found by meaning."


def not_filled() -> str:
    """Return the sentence for a server that was never filled."""
    return "The server holds nothing of this library yet: fill it first."


def unreachable(error: str) -> str:
    """Return the sentence for a server that does not answer."""
    return f"The server cannot be reached: {error}"


def refused(error: str) -> str:
    """Return the sentence for a server that answers with an error."""
    return f"The server refused: {error}"


def closed() -> str:
    """Return the sentence for a call on a closed store."""
    return "The store has been closed."


def first_line(error: object) -> str:
    """Return the first line of an error's message, without resolved addresses."""
    line = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return shown(re.sub(r" \(resolved to .*\):?$", "", line), LONGEST_SAID)
