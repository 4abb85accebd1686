"""Log lines and traces without anything that a person typed.

Messages of this program are written so that they hold none; those of libraries, and of exceptions, may hold anything,
such as the request that failed. Of these only the place is kept.
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
"""The loggers whose messages hold nothing that a person typed."""

NAMES_ONLY = (AttributeError, ImportError, NameError)
"""The exceptions whose messages are made of names in the code."""

HIDDEN = "(hidden)"
LEAST_TEXT = 3
"""A text shorter than this is in every sentence; nothing is hidden for it."""


class PrivateFormatter(logging.Formatter):
    """Formats a record without the messages of libraries and exceptions."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """The record as lines; it stays as it is for other handlers."""
        private = copy.copy(record)
        private.exc_text = None  # may be there, as another formatter wrote it
        if record.name.partition(".")[0] not in OWN:
            private.msg, private.args = f"line {record.lineno} of {record.module}", ()
        return super().format(private)

    def formatException(self, ei: object) -> str:  # noqa: N802 - the name in logging
        """The trace of an exception, without its message."""
        return private_trace(ei[1]) if isinstance(ei, tuple) and isinstance(ei[1], BaseException) else ""


def private_trace(error: BaseException) -> str:
    """The trace of an exception and of those that led to it: by kind and place, without messages."""
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
    """Let what is logged where nothing else handles it go to stderr by kind and place only, and Python's warnings not
    at all: the stderr of a program that others start is their log."""
    logging.captureWarnings(capture=True)
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PrivateFormatter())


def without(text: str, typed: Iterable[str], mark: str = HIDDEN) -> str:
    """The text with a mark in the place of each typed text, also where it is escaped, in any case."""
    for each in sorted({each.strip() for each in typed}, key=len, reverse=True):
        if len(each) >= LEAST_TEXT:
            forms = {each, repr(each)[1:-1], ascii(each)[1:-1], json.dumps(each)[1:-1], quote(each, errors="replace")}
            forms |= {json.dumps(each, ensure_ascii=False)[1:-1], " ".join(each.split())}
            found = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
            text = re.sub(found, lambda _: mark, text, flags=re.IGNORECASE)
    return text
