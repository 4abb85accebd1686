"""Cache of an index's arrays in a memory-mapped file; it can always be rebuilt.

A file has a line with the format, a line of JSON (provenance, and the position of each array), a line with its
checksum, and the arrays, aligned to pages. An array is followed by spare capacity, a hole in the file, because a
mapped array cannot grow. Mapped pages are private: writes never reach the file. A new file replaces the old one;
processes that have mapped the old one keep it.
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
"""Relative spare capacity of each array; a hole in the file, without disk or memory use."""

READ_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class _Section:
    """Position of an array: rows in use, then spare capacity; `sum` is the CRC-32 of the former."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    room: int
    offset: int
    sum: int

    @property
    def nbytes(self) -> int:
        """Size of the rows in use, in bytes."""
        return int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize

    @property
    def end(self) -> int:
        return self.offset + (int(np.prod(self.shape[1:])) * np.dtype(self.dtype).itemsize) * self.room


class VectorCache:
    """Cache with one file per provenance in a folder, which processes may share. May block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, provenance: Provenance) -> MappedArrays | None:
        """Map the saved arrays; None if missing, of another version, or truncated."""
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
        """Verify the checksum of every array; reads the whole file."""
        try:
            with self._file(provenance).open("rb") as stream:
                header = _header(stream, provenance)
                return header is not None and all(_sum(stream, section) for section in _sections(header))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def save(self, provenance: Provenance, arrays: Arrays) -> None:
        """Replace the saved arrays; on CacheError nothing has changed."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with files.replacing(self._file(provenance).absolute(), mode=files.PRIVATE, waits=False) as stream:
                _write(stream, provenance, arrays)
        except OSError as error:
            raise CacheError(f"The cache of vectors could not be written: {files.why_unwritten(error)}.") from error

    def drop(self, provenance: Provenance) -> None:
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
    line = json.dumps({"provenance": _named(provenance), "sections": places}).encode()
    if len(FORMAT) + len(line) + 16 > LONGEST_HEADER:
        raise ValueError("the header of a cache file is too long")
    stream.seek(0)
    stream.write(FORMAT + line + b"\n%08x\n" % zlib.crc32(line))


def _header(stream: BinaryIO, provenance: Provenance) -> Mapping[str, Any] | None:
    """Return the file's header, if complete and of this provenance."""
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
    """Map the array with its spare capacity; writes only affect this process's copy."""
    shape = (section.room, *section.shape[1:])
    return np.frombuffer(room, section.dtype, int(np.prod(shape)), section.offset).reshape(shape)


def _release(room: mmap.mmap) -> None:
    if hasattr(mmap, "MADV_DONTNEED"):
        room.madvise(mmap.MADV_DONTNEED)


def _sum(stream: BinaryIO, section: _Section) -> bool:
    stream.seek(section.offset)
    left, total = section.nbytes, 0
    while left and (part := stream.read(min(left, READ_AT_ONCE))):
        total, left = zlib.crc32(part, total), left - len(part)
    return left == 0 and total == section.sum
