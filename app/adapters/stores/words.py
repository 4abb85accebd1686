"""What all stores have in common: the words that a full-text index is asked for, and what is said of failures."""

from __future__ import annotations

import re

from app.domain.language import say

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
MOST = 64
"""So many different words are looked for."""


def search_words(text: str) -> tuple[str, ...]:
    """Each word once, in lower case, without punctuation; "" has none."""
    return tuple(dict.fromkeys(found.group().lower() for found in _WORD.finditer(text)))[:MOST]


def clean(text: str) -> str:
    """The text without what no store takes: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode("utf-8")


def too_late(seconds: float) -> str:
    """What is said of a store that did not answer in time."""
    return say("The store did not answer within {seconds} s.", seconds=f"{seconds:g}")


def other_length(held: int, length: int) -> str:
    """What is said of vectors that are of another encoder than those that are there."""
    return say(
        "The store holds vectors of {held} numbers, these have {length}: fill it anew.", held=held, length=length
    )


def no_vector() -> str:
    """What is said where a search by meaning has nothing to go by."""
    return say("Without an encoder nothing can be found by meaning.")


def not_filled() -> str:
    """What is said of a server that nothing was ever brought to."""
    return say("The server holds nothing of this library yet: fill it first.")


def unreachable(error: str) -> str:
    """What is said of a server that does not answer at all."""
    return say("The server cannot be reached: {error}", error=error)


def refused(error: str) -> str:
    """What is said of a server that answers with a fault."""
    return say("The server refused: {error}", error=error)


def closed() -> str:
    """What is said where a store is asked after its end."""
    return say("The store has been closed.")


def first_line(error: Exception) -> str:
    """What an error says, in one line; which numbers a name stood for is said by no other."""
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return re.sub(r" \(resolved to .*\):?$", "", line)
