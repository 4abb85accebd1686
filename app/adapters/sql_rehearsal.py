"""A copy of a library to try things on, which leaves no trace in the profile and none among its secrets."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from app.adapters.sql_faults import known_faults
from app.adapters.sql_library import SqlLibrary
from app.adapters.sql_opening import FILE
from app.library_ports import Secrets


@contextmanager
def rehearsed(folder: Path, secrets: Secrets) -> Iterator[SqlLibrary]:
    """The library of this profile folder as a copy, or an empty one where there is none; StoreError."""
    with TemporaryDirectory(prefix="intentscope-") as place:
        file = folder / FILE
        if file.is_file():
            with known_faults(file):
                _copy(file, Path(place) / FILE)
        library = SqlLibrary.open(Path(place), _Borrowed(secrets))
        try:
            yield library
        finally:
            library.close()


def _copy(file: Path, target: Path) -> None:
    if not file.with_name(f"{FILE}-wal").exists():
        shutil.copyfile(file, target)  # nobody has it open, and looking at it as a reader would leave files beside it
        return
    with (
        closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)


class _Borrowed:
    """Secrets that can be read; what is put or forgotten is so only here."""

    is_fallback = False

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._changed: dict[str, str | None] = {}

    @property
    def place(self) -> str:
        return self._secrets.place

    def get(self, name: str) -> str | None:
        return self._changed[name] if name in self._changed else self._secrets.get(name)

    def put(self, name: str, value: str) -> None:
        self._changed[name] = value

    def forget(self, name: str) -> None:
        self._changed[name] = None
