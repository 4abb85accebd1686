"""What the clients of data stores share: full-text terms, bounded listings, and failures as sentences."""

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
"""What is raised of answers that are not what their server sends, beside a client's own errors and ValueError."""

PAGE = 5_000
"""So many documents are asked for at a time."""

MOST_HELD = 100_000_000
"""Characters of all that a store may tell of what it holds: some 800,000 documents."""

LONGEST_SAID = 300
"""Characters of what a server says of an error that are told."""

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
MAX_SEARCH_WORDS = 64
"""A full-text query looks for at most so many different words."""


def search_words(text: str) -> tuple[str, ...]:
    """The distinct words of a text, in lower case, without punctuation; none for ""."""
    return tuple(dict.fromkeys(found.group().lower() for found in _WORD.finditer(text)))[:MAX_SEARCH_WORDS]


def clean(text: str) -> str:
    """The text with NUL and lone surrogates replaced, which no store accepts."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode("utf-8")


def gathered(page: Callable[[Place | None], tuple[Mapping[str, str], Place | None]]) -> dict[str, str]:
    """All that a store holds. Each page is asked for from a place on, and tells the next, None at the end.

    DataStoreError where it is more than a store can hold."""
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
    """The sentence for an answer that is not what such a server sends."""
    return "The store's answer is not what such a server sends."


def too_long(most: int, who: str = "The store") -> str:
    """The sentence for a store that was left because it told too much."""
    return f"{who} was left: {LONGER.format(most=most)}."


def timed_out(seconds: float, who: str = "The store") -> str:
    """The sentence for a store that did not answer in time."""
    return f"{who} did not answer within {seconds:g} s."


def wrong_length(held: int, length: int) -> str:
    """The sentence for vectors of another length than the stored ones: another encoder made them."""
    return f"The store holds vectors of {held} numbers, these have {length}: fill it again."


def no_vector() -> str:
    """The sentence for a semantic search without a query vector."""
    return "Without an encoder nothing can be found by meaning."


def not_filled() -> str:
    """The sentence for a server that was never filled."""
    return "The server holds nothing of this library yet: fill it first."


def unreachable(error: str) -> str:
    """The sentence for a server that does not answer at all."""
    return f"The server cannot be reached: {error}"


def refused(error: str) -> str:
    """The sentence for a server that answers with an error."""
    return f"The server refused: {error}"


def closed() -> str:
    """The sentence for a call on a store that has been closed."""
    return "The store has been closed."


def first_line(error: object) -> str:
    """The first line of an error's message, without the addresses that a host name was resolved to."""
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return shown(re.sub(r" \(resolved to .*\):?$", "", line), LONGEST_SAID)
