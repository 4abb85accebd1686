"""Small files of a profile: read by their owner alone, and replaced whole or not at all."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp


def write_private(file: Path, content: bytes) -> None:
    """Put content in the place of a file, with mode 0600; the old one stays until the new one is on the disk. OSError,
    after which nothing is left beside it."""
    handle, name = mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        with suppress(OSError):  # it took the other's place, or cannot be tidied either
            draft.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the disk know what the files of a folder are called by now, where a system can say so; OSError."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
