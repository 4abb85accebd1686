"""Log lines and traces without texts that a person typed.

Messages of this program contain no such texts; messages of libraries and exceptions may, such as the request that
failed. Of the latter only the place in the code is logged.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import re
import traceback
from collections.abc import Iterable
from urllib.parse import quote

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

OWN = ("app", "db", "qt")
"""Loggers whose messages contain no typed texts."""

NAMES_ONLY = (AttributeError, ImportError, NameError)
"""Exceptions whose messages consist of names in the code."""

HIDDEN = "(hidden)"
LEAST_TEXT = 3
"""Minimum length of a text to be hidden; a shorter one occurs in every sentence."""


class PrivateFormatter(logging.Formatter):
    """Formats a record without the messages of libraries and exceptions."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """Format a copy of the record; other handlers get the record unchanged."""
        private = copy.copy(record)
        private.exc_text = None  # another formatter may have set it
        if record.name.partition(".")[0] not in OWN:
            private.msg, private.args = f"line {record.lineno} of {record.module}", ()
        return super().format(private)

    def formatException(self, ei: object) -> str:  # noqa: N802 - the name in logging
        """Format the trace of an exception, without its message."""
        return private_trace(ei[1]) if isinstance(ei, tuple) and isinstance(ei[1], BaseException) else ""


def private_trace(error: BaseException) -> str:
    """Format the trace of an exception and its causes: type and place, without messages."""
    parts: list[str] = []
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        parts.insert(0, "".join(_lines(current)).rstrip())
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n\nThen:\n\n".join(parts)


def _lines(error: BaseException) -> Iterable[str]:
    if error.__traceback__ is not None:
        yield "Traceback (most recent call last):\n"
        yield from traceback.format_tb(error.__traceback__)
    yield f"{type(error).__qualname__}{_known_words(error)}\n"
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield private_trace(inner) + "\n"


def _known_words(error: BaseException) -> str:
    if isinstance(error, NAMES_ONLY):
        return f": {error}"
    if isinstance(error, OSError) and error.errno is not None:
        return f": {os.strerror(error.errno)}"
    return ""


def keep_private() -> None:
    """Make stderr without a logging handler private: type and place only, no Python warnings.

    The stderr of a program that others start is their log.
    """
    logging.captureWarnings(capture=True)
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PrivateFormatter())


_sent: set[str] = set()
"""Secrets that this program has sent to a server."""


def remember_sent(secret: str | None) -> str | None:
    """Mask this secret from now on in whatever `without_sent` returns; return it."""
    if secret:
        _sent.add(secret)
    return secret


def without_sent(text: str) -> str:
    """Mask the secrets that were sent, which a server may repeat in its answer."""
    return without(text, tuple(_sent))


def without(text: str, typed: Iterable[str], mark: str = HIDDEN) -> str:
    """Replace each typed text by a mark, also where it is escaped, in any case."""
    for each in sorted({each.strip() for each in typed}, key=len, reverse=True):
        if len(each) >= LEAST_TEXT:
            forms = {each, repr(each)[1:-1], ascii(each)[1:-1], json.dumps(each)[1:-1], quote(each, errors="replace")}
            forms |= {json.dumps(each, ensure_ascii=False)[1:-1], " ".join(each.split())}
            found = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
            text = re.sub(found, lambda _: mark, text, flags=re.IGNORECASE)
    return text
