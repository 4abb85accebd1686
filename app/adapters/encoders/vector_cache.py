"""Arrays of an index in one file that is mapped, not read: a cache, never the record.

A file is a first line that names the format, a line of JSON (whose vectors it holds, and where each array lies), a line
with the checksum of that, and the arrays, each at a multiple of a page. An array is followed by room to grow, a hole in
the file, because a mapped array cannot be lengthened. Mapped pages are private: what is written to them never reaches
the file. A new file is written beside the old one and takes its place; whoever has mapped the old one keeps that.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from app import files
from app.domain.encoder import Provenance
from app.domain.errors import CacheError
from app.ports.encoder import Arrays, MappedArrays

FORMAT = b"intentscope cache 1\n"
LONGEST_HEADER = 65_536
HEADROOM = 0.25
"""Room to grow behind each array, relative to its rows; a hole in the file, which costs neither disk nor memory."""

READ_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class _Section:
    """Where an array lies: its rows in use come first, then the room; `sum` is the CRC-32 of the rows in use."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    room: int
    offset: int
    sum: int

    @property
    def nbytes(self) -> int:
        """The bytes of the rows in use."""
        return int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize

    @property
    def end(self) -> int:
        a_row = int(np.prod(self.shape[1:])) * np.dtype(self.dtype).itemsize
        return self.offset + a_row * self.room


class VectorCache:
    """One file for each provenance, in one folder. Every call may block; two programs may share the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, provenance: Provenance) -> MappedArrays | None:
        """What was saved last; None if there is nothing, or nothing that can be used: another version, cut short."""
        file = self._file(provenance)
        try:
            with file.open("rb") as stream:
                header = _header(stream, provenance)
                if header is None:
                    return None
                sections, size = _sections(header), os.fstat(stream.fileno()).st_size
                if any(section.end > size for section in sections):
                    return None
                room = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        arrays = {section.name: _array(room, section) for section in sections}
        rows = {section.name: section.shape[0] for section in sections}
        return MappedArrays(arrays, rows, lambda: _release(room))

    def is_sound(self, provenance: Provenance) -> bool:
        """Whether every array of the file has the checksum that it was saved with; reads the whole file."""
        try:
            with self._file(provenance).open("rb") as stream:
                header = _header(stream, provenance)
                return header is not None and all(_sum(stream, section) for section in _sections(header))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def save(self, provenance: Provenance, arrays: Arrays) -> None:
        """Keep these arrays instead of what was kept; CacheError if they cannot be, and then nothing has changed."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with files.replacing(self._file(provenance).absolute(), mode=files.PRIVATE, waits=False) as stream:
                _write(stream, provenance, arrays)
        except OSError as error:
            raise CacheError(f"The cache of vectors could not be written: {error.strerror or error}.") from error

    def drop(self, provenance: Provenance) -> None:
        """Forget what was kept, as when it is not sound."""
        with suppress(OSError):
            self._file(provenance).unlink(missing_ok=True)

    def _file(self, provenance: Provenance) -> Path:
        name = blake2b(repr(_named(provenance)).encode(), digest_size=8).hexdigest()
        return self._folder / f"vectors-{name}.cache"


def _named(provenance: Provenance) -> list[Any]:
    return [provenance.encoder, provenance.revision, provenance.dimension]


def _write(stream: BinaryIO, provenance: Provenance, arrays: Arrays) -> None:
    sections, offset = [], LONGEST_HEADER
    for name, array in arrays.items():
        room = len(array) + int(HEADROOM * len(array)) + 64
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        section = _Section(name, little.dtype.str, array.shape, room, offset, zlib.crc32(little.data))
        stream.seek(offset)
        stream.write(little.data)
        sections.append(section)
        offset = -(-section.end // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
    stream.truncate(max(offset, LONGEST_HEADER))
    places = [[s.name, s.dtype, list(s.shape), s.room, s.offset, s.sum] for s in sections]
    header = {"provenance": _named(provenance), "sections": places}
    line = json.dumps(header).encode()
    if len(FORMAT) + len(line) + 16 > LONGEST_HEADER:
        raise ValueError("the header of a cache file is too long")
    stream.seek(0)
    stream.write(FORMAT + line + b"\n%08x\n" % zlib.crc32(line))


def _header(stream: BinaryIO, provenance: Provenance) -> Mapping[str, Any] | None:
    """What the file says of itself, if it is whole and about this provenance."""
    if stream.readline(len(FORMAT)) != FORMAT:
        return None
    line, checksum = stream.readline(LONGEST_HEADER).rstrip(b"\n"), stream.readline(16)
    if checksum != b"%08x\n" % zlib.crc32(line):
        return None
    header: Mapping[str, Any] = json.loads(line)
    return header if header["provenance"] == _named(provenance) else None


def _sections(header: Mapping[str, Any]) -> list[_Section]:
    return [
        _Section(name, dtype, tuple(shape), room, offset, checksum)
        for name, dtype, shape, room, offset, checksum in header["sections"]
    ]


def _array(room: mmap.mmap, section: _Section) -> NDArray[Any]:
    """The array with its room to grow; writing to it changes this process's copy alone."""
    shape = (section.room, *section.shape[1:])
    count = int(np.prod(shape))
    return np.frombuffer(room, section.dtype, count, section.offset).reshape(shape)


def _release(room: mmap.mmap) -> None:
    if hasattr(mmap, "MADV_DONTNEED"):
        room.madvise(mmap.MADV_DONTNEED)


def _sum(stream: BinaryIO, section: _Section) -> bool:
    stream.seek(section.offset)
    left, total = section.nbytes, 0
    while left and (part := stream.read(min(left, READ_AT_ONCE))):
        total, left = zlib.crc32(part, total), left - len(part)
    return left == 0 and total == section.sum
