"""Safe reading of files: bounded, with sentences for errors."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_SET
from pathlib import Path
from typing import BinaryIO

from app.domain.errors import FormatError

MAX_LINE_BYTES = 16 * 2**20
"""Maximum size of a line in bytes, so that a file without line breaks stays bounded."""

MAX_WHOLE_BYTES = 64 * 2**20
"""Maximum size of a file that is read as a whole, in bytes."""

BOM = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
UTF_32 = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
UNMARKED = re.compile(rb"(?:[\t\r\n -~]\0){4}|(?:\0[\t\r\n -~]){4}")
"""Beginning of a file in UTF-16 without a mark."""

ZIP, ARCHIVE = b"PK\x03\x04", ".zip"
"""Signature and ending of archives."""

TABLE = "save its texts as CSV with “text” and “intent”, or as JSON Lines"
STRANGERS = (
    (ZIP, "a ZIP archive or an office document: unpack it, or save its table as CSV"),
    (b"\x1f\x8b", "compressed (gzip): unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database: export what it holds first"),
    (b"PAR1", "in Parquet: save its table as CSV or JSON Lines"),
    (b"ARROW1", "in Arrow: save its table as CSV or JSON Lines"),
    (b"%PDF-", "a PDF document: save its text first"),
    (b"\xd0\xcf\x11\xe0", "an old office document: save its table as CSV"),
    (b"\x89PNG", "a picture"),
    (b"\x7fELF", "a program"),
    (b"<!doctype html", f"a web page (HTML): download the file itself, or {TABLE}"),
    (b"<html", f"a web page (HTML): download the file itself, or {TABLE}"),
    (b"<?xml", f"in XML: {TABLE}"),
)
"""Signatures of files that cannot be read, those of markup in lower case, with a message."""

_BLOCK_BYTES = 2**16
"""Size of the blocks in which a file is searched for text."""

NOT_UTF_8 = "The line is not valid UTF-8 (byte {byte}): save the file as UTF-8 and try again."
NUL = "The line holds a NUL byte, which no text has."


@contextmanager
def opened(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    """Open a file; raises FormatError if it is unreadable, no text, or changes during reading."""
    if not isinstance(source, Path):
        if source.seekable():  # some readers look into it first
            source.seek(0)
        yield source
        return
    try:
        with os.fdopen(_descriptor(source), "rb") as stream:
            before = os.fstat(stream.fileno())
            _check_begin(source, stream)
            yield stream
            after = os.fstat(stream.fileno())
    except OSError as error:
        raise FormatError(f"The file {source} cannot be read: {error.strerror or error}.") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise FormatError(f"The file {source} changed while it was read, so nothing of it was used: try again.")


def refuse_empty(path: Path) -> None:
    """Raise FormatError for a blank file, and as `opened`."""
    with opened(path) as stream:
        is_blank = all(not block.removeprefix(BOM).strip() for block in iter(lambda: stream.read(_BLOCK_BYTES), b""))
    if is_blank:
        raise FormatError(f"The file {path} is empty.")


def _descriptor(path: Path) -> int:
    """Open a regular file; others, such as a pipe, are rejected without waiting."""
    if "\0" in str(path):
        raise FormatError("The name of the file holds a NUL character, which no name has.")
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise FormatError(f"{path} is a folder: choose a file in it.")
    if not stat.S_ISREG(kind):
        raise FormatError(f"{path} is a pipe or a device, not a file: save what it gives first.")
    return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))


def _check_begin(path: Path, stream: BinaryIO) -> None:
    if (begin := stream.read(64)) is None:
        raise FormatError(f"{path} gives nothing to read now: save what it gives first.")
    stream.seek(0, SEEK_SET)
    word = begin.removeprefix(BOM).lstrip().lower()
    for mark, what in STRANGERS:
        if (begin.startswith(mark) or word.startswith(mark)) and not (mark == ZIP and path.suffix.lower() == ARCHIVE):
            raise FormatError(f"The file {path} is {what}.")
    _refuse_utf_16(begin)


def _refuse_utf_16(begin: bytes) -> None:
    name = "UTF-32" if begin.startswith(UTF_32) else "UTF-16" if begin.startswith(UTF_16) else ""
    if name or UNMARKED.match(begin):
        raise FormatError(f"The file is in {name or 'UTF-16'}: save it as UTF-8 and try again.")


def byte_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield lines with numbers from 1 and line ends; None for a line above MAX_LINE_BYTES.

    Long lines are skipped in bounded memory. A UTF-8 mark is removed; raises FormatError for UTF-16.
    """
    number, begun = 0, False
    while line := stream.readline(MAX_LINE_BYTES + 1):
        if not begun:
            begun = True
            _refuse_utf_16(line)
            line = line.removeprefix(BOM)
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            number += 1
            yield number, None
        elif b"\r" in line.removesuffix(b"\r\n"):
            for piece in line.splitlines(keepends=True):
                number += 1
                yield number, piece
        else:
            number += 1
            yield number, line


def too_long() -> str:
    """Return the sentence for a line skipped for its length."""
    return f"The line is longer than {MAX_LINE_BYTES // 2**20} MB."


def text_of(line: bytes) -> str:
    """Decode a line; raises FormatError with a sentence if it is no text."""
    if b"\0" in line:
        raise FormatError(NUL)
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise FormatError(NOT_UTF_8.format(byte=error.start + 1)) from None


def whole_text(source: Path | BinaryIO) -> str:
    """Read a file as a whole; raises FormatError, with the line if known."""
    with opened(source) as stream:
        content = stream.read(MAX_WHOLE_BYTES + 1)
    if len(content) > MAX_WHOLE_BYTES:
        raise FormatError(
            f"The file is larger than {MAX_WHOLE_BYTES // 2**20} MB, the most that is read of "
            "this format; JSON Lines and CSV may be of any size, and so may a list in JSON: "
            "write it so, or in several files."
        )
    _refuse_utf_16(content)
    content = content.removeprefix(BOM)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line, byte = _place(content, error.start)
        raise FormatError(
            f"Line {line:,} is not valid UTF-8 (byte {byte}): save the file as UTF-8 and try again."
        ) from None
    if (nul := content.find(b"\0")) >= 0:
        line, _ = _place(content, nul)
        raise FormatError(f"Line {line:,} holds a NUL byte, which no text has.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _place(content: bytes, at: int) -> tuple[int, int]:
    """Return the line and the byte in it, both from 1."""
    before = content[:at].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
