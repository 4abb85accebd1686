"""What the clients of data stores share: full-text terms, an event loop with time-outs, and failures as sentences."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from typing import Any, TypeVar

from app.domain.errors import DataStoreError, DataStoreGoneError

Result = TypeVar("Result")

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
MAX_SEARCH_WORDS = 64
"""A full-text query looks for at most so many different words."""


def search_words(text: str) -> tuple[str, ...]:
    """The distinct words of a text, in lower case, without punctuation; none for ""."""
    return tuple(dict.fromkeys(found.group().lower() for found in _WORD.finditer(text)))[:MAX_SEARCH_WORDS]


def clean(text: str) -> str:
    """The text with NUL and lone surrogates replaced, which no store accepts."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode("utf-8")


class DeadlineLoop:
    """Runs asynchronous clients from the one thread of a store, each call with a time-out. What takes too long is
    cancelled, which closes its connection: a blocking client would hold the thread for as long as the server hangs."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._is_closed = False

    def run(self, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """The result of the coroutine; DataStoreGoneError where there is none within so many seconds."""
        if self._is_closed:
            work.close()
            raise DataStoreError(closed())
        try:
            return self._runner.run(asyncio.wait_for(work, seconds))
        except TimeoutError as error:
            raise DataStoreGoneError(timed_out(seconds)) from error

    def close(self) -> None:
        self._is_closed = True
        self._runner.close()


def timed_out(seconds: float) -> str:
    """The sentence for a store that did not answer in time."""
    return f"The store did not answer within {seconds:g} s."


def wrong_length(held: int, length: int) -> str:
    """The sentence for vectors of another length than the stored ones: another encoder made them."""
    return f"The store holds vectors of {held} numbers, these have {length}: fill it anew."


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


def first_line(error: Exception) -> str:
    """The first line of an error's message, without the addresses that a host name was resolved to."""
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return re.sub(r" \(resolved to .*\):?$", "", line)
