"""Library of a test: the real one, in a file of its own."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from app.adapters.store import opening
from app.adapters.store.library import SqlLibrary

OPENED: list[MemoryLibrary] = []


@cache
def _empty() -> Path:
    """Return the folder of an empty library, made once."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    opening.prepare_file(folder)
    return folder


class MemoryLibrary(SqlLibrary):
    """Empty library that stays open until its test ends, also after a workbench closed it."""

    def __init__(self) -> None:
        folder = Path(shutil.copytree(_empty(), Path(tempfile.mkdtemp()) / "library"))
        super().__init__(folder / opening.FILE)
        OPENED.append(self)

    def close(self) -> None:
        pass

    def end(self) -> None:
        OPENED.remove(self)
        super().close()
        shutil.rmtree(self.file.parents[1])
