"""Ollama's download of a model, here from a local file, with progress and verification."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.servers.shelf import RefusedError, Shelf, full_name

BLOCK = 2 << 20

Line = dict[str, object]


@dataclass(frozen=True, slots=True)
class Pullable:
    """File that can be downloaded, its target, and the minimum duration in seconds."""

    source: Path
    target: Path
    seconds: float = 0.5


def pull(shelf: Shelf, pullable: Mapping[str, Pullable], name: object) -> Iterator[Line]:
    """Yield the lines of progress; an interrupted download continues where it ended."""
    yield {"status": "pulling manifest"}
    wanted = pullable.get(full_name(name))
    if wanted is None:
        raise RefusedError(500, "pull model manifest: file does not exist")
    yield from copy(wanted)
    yield {"status": "verifying sha256 digest"}
    if digest(wanted.source) != digest(wanted.target):
        wanted.target.unlink()
        raise RefusedError(500, "digest mismatch, file must be downloaded again")
    shelf.put(full_name(name), wanted.target)
    yield {"status": "writing manifest"}
    yield {"status": "success"}


def copy(wanted: Pullable) -> Iterator[Line]:
    """Copy the missing part of the file, block by block."""
    name, total = digest(wanted.source), wanted.source.stat().st_size
    done = wanted.target.stat().st_size if wanted.target.exists() else 0
    wanted.target.parent.mkdir(parents=True, exist_ok=True)
    with wanted.source.open("rb") as source, wanted.target.open("ab") as target:
        source.seek(done)
        yield layer(name, total, done)
        while block := source.read(BLOCK):
            target.write(block)
            done += len(block)
            time.sleep(wanted.seconds * len(block) / total)
            yield layer(name, total, done)


def layer(name: str, total: int, completed: int) -> Line:
    """Return a line of progress on one file."""
    line: Line = {"status": f"pulling {name[:12]}", "digest": f"sha256:{name}", "total": total}
    return {**line, "completed": completed} if completed else line


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
