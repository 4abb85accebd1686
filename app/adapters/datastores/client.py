"""Common code of data stores: full-text terms, bounded listings, messages, refused writes."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from time import perf_counter
from typing import NoReturn, TypeVar

from app.adapters.local.bounded_http import LONGER
from app.detect.store_query import utc
from app.domain.datastore import Document, StoreMapping
from app.domain.errors import DataStoreError
from app.domain.running import shown
from app.ports.encoder import Vectors

Item = TypeVar("Item")
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


INVALID = "The store's answer is not what such a server sends."
NO_VECTOR = "Without an encoder nothing can be found by meaning."
NOT_FILLED = "The server holds nothing of this library yet: fill it first."
CLOSED = "The store has been closed."


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def elapsed_ms(begun: float, seconds: float) -> float:
    """Return the time since `begun` in ms; raises DataStoreError if it is beyond these seconds."""
    ms = (perf_counter() - begun) * 1000.0
    if ms > seconds * 1000.0:
        raise DataStoreError(timed_out(seconds))
    return ms


def too_long(most: int, who: str = "The store") -> str:
    """Return the sentence for a store whose answer was too long."""
    return f"{who} was left: {LONGER.format(most=most)}."


def timed_out(seconds: float, who: str = "The store") -> str:
    """Return the sentence for a store that did not answer in time."""
    return f"{who} did not answer within {seconds:g} s."


def wrong_length(held: int, length: int) -> str:
    """Return the sentence for vectors of another length, from another encoder."""
    return f"The store holds vectors of {held} numbers, these have {length}: fill it again."


def unreachable(error: str) -> str:
    """Return the sentence for a server that does not answer."""
    return f"The server cannot be reached: {error}"


def refused(error: str) -> str:
    """Return the sentence for a server that answers with an error."""
    return f"The server refused: {error}"


def first_line(error: object) -> str:
    """Return the first line of an error's message, without resolved addresses."""
    line = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return shown(re.sub(r" \(resolved to .*\):?$", "", line), LONGEST_SAID)


MAX_VALUES = 1_000
"""Maximum number of known values of a field."""

MAX_NAMED = 20
"""Maximum number of names in a sentence."""


class ReadOnlyStore:
    """Base class of a MappedStore without own documents, which refuses writes."""

    mapping: StoreMapping

    def setup(self) -> str:
        self._refuse()

    def prepare(self) -> None:
        self._refuse()

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        self._refuse()

    def drop(self, ids: Sequence[str]) -> None:
        self._refuse()

    def stored_states(self) -> Mapping[str, str]:
        return {}

    def _refuse(self) -> NoReturn:
        told = (
            f"“{self.mapping.source}” is only read, nothing is written there. Empty the mapping "
            "in the settings to fill a place of its own on this server."
        )
        raise DataStoreError(told)

    def check(self, columns: Mapping[str, str], sources: Iterable[str]) -> None:
        """Raise DataStoreError for missing mapped names; `sources` are suggested instead."""
        source = self.mapping.source
        if not columns:
            others = ", ".join(list(sources)[:MAX_NAMED]) or "nothing that can be read"
            raise DataStoreError(f"The server has no “{source}”; it has {others}.")
        if lacking := [name for name in self.mapping.columns if name not in columns]:
            told = (
                f"“{source}” has no “{lacking[0]}”: it has {', '.join(list(columns)[:MAX_NAMED])}. Correct the mapping."
            )
            raise DataStoreError(told)


def wrong_encoder(column: str, held: int, length: int) -> str:
    """Return the sentence for vectors of another encoder."""
    return (
        f"The vectors in “{column}” have {held} numbers, those of this encoder {length}: "
        "choose the encoder that made them (encoder.name), or leave them out of the mapping."
    )


def time_of(value: object) -> str:
    """Convert a server's time to the documents' format; "" if invalid."""
    with suppress(ValueError):
        return utc(str(value or ""))
    return ""
