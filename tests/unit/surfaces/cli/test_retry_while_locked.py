"""Tests of an import that waits for another writer: one notice, and no lost line."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters.store import connections
from app.adapters.store.library import SqlLibrary
from app.domain.errors import StoreBusyError
from app.domain.library import Memory
from app.surfaces.cli.output import WAITING, Unread, retry_while_locked


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqlLibrary]:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 50)
    library = SqlLibrary.open(tmp_path)
    yield library
    library.close()


def test_that_an_import_waits_for_the_other_program_and_takes_every_line(library: SqlLibrary) -> None:
    told: list[str] = []
    other = sqlite3.connect(library.file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")

    def tell(sentence: str) -> None:
        told.append(sentence)
        threading.Timer(0.2, other.execute, ("COMMIT",)).start()

    lines = Unread([Memory((f"m{number}",)) for number in range(3)])

    async def take() -> int:
        return len((await asyncio.to_thread(library.add, "memories", lines)).added)

    assert asyncio.run(retry_while_locked(take, again=lambda: not lines.is_begun, tell=tell)) == 3
    assert told == [WAITING]
    other.close()


def test_that_it_waits_no_longer_than_it_was_told_and_not_once_lines_were_read(library: SqlLibrary) -> None:
    other = sqlite3.connect(library.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    told: list[str] = []

    async def take() -> object:
        return await asyncio.to_thread(library.add, "memories", [Memory(("m",))])

    with pytest.raises(StoreBusyError, match="in use by another program"):
        asyncio.run(retry_while_locked(take, longest=0.12, tell=told.append))
    assert told == [WAITING]
    with pytest.raises(StoreBusyError):
        asyncio.run(retry_while_locked(take, again=lambda: False, tell=told.append))
    assert told == [WAITING]
    other.execute("ROLLBACK")
    other.close()
