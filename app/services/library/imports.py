"""A file on its way into the library: looked at, stored as one step, answered with, and given its vectors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.domain.errors import KnownError
from app.domain.library import Line, Memory, Problem
from app.services.core import Core
from app.services.engine.adapters import Adapters, Mapped, TableHead
from app.services.engine.encoder_lane import EncoderLane
from app.services.engine.index_loader import IndexLoader
from app.services.engine.typing_priority import making_many
from app.services.library.tables import LOOKED_AT, Suspicion, suspicion
from app.services.library.transfer import GIVERS, Intake, Sieve, StoppedError, take_in

SHOWN = 5
"""So many good lines of a file are shown before it is stored."""

PROGRESS_SECONDS = 0.1


class Stage(StrEnum):
    """What is done with a file, in this order."""

    STORING = "storing"
    ANSWERING = "answering"


@dataclass(frozen=True, slots=True)
class Taking:
    """How far an import is: lines stored, then answers that are scored; `total` is 0 where it is not known."""

    stage: Stage
    done: int
    total: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """How an import ended: what it did, or None if it was stopped before anything was kept."""

    intake: Intake | None


@dataclass(frozen=True, slots=True)
class Looked:
    """What a file holds: a kind in the words of `--kind`, how many good lines, the first, and what others lack."""

    path: Path
    kind: str
    count: int
    first: tuple[Any, ...]
    problems: tuple[Problem, ...]
    columns: Mapping[str, str] | None = None
    """The field of each heading of a table ("" for none), where that was said; it is remembered on import."""
    suspicion: Suspicion = field(default_factory=Suspicion)
    """Why memories among them may be queries to judge by."""


class Importer:
    """The verbs of one person; one import runs at a time, the next waits for it."""

    def __init__(self, core: Core, adapters: Adapters, index_loader: IndexLoader, lane: EncoderLane) -> None:
        self._core = core
        self._adapters = adapters
        self._index_loader = index_loader
        self._lane = lane
        self._sieve: Sieve | None = None
        self._vectors_later = False

    async def head(self, path: Path) -> tuple[TableHead, Mapped] | None:
        """Headings and first rows of a table, and how its columns are mapped: as before, or by their names.

        None for a file that is no table; KnownError where it cannot be read.
        """
        return await asyncio.to_thread(self._head, path)

    def _head(self, path: Path) -> tuple[TableHead, Mapped] | None:
        head = self._adapters.read_table(path)
        if head is None:
            return None
        kept = None if self._adapters.mappings is None else self._adapters.mappings.get(head.headings)
        kind = head.kind or "memories"
        return head, kept or Mapped(kind, dict(zip(head.headings, head.meant[kind], strict=True)))

    async def look(self, path: Path, kind: str = "auto", columns: Mapping[str, str] | None = None) -> Looked:
        """Read a file without storing anything; KnownError where it cannot be read."""
        looked, texts = await asyncio.to_thread(self._look, path, kind, columns)
        if not texts:
            return looked
        cases = await self._core.in_store(lambda library: library.cases_among(texts))
        return replace(looked, suspicion=suspicion(path.name, texts, cases))

    def _read(
        self, path: Path, kind: str, columns: Mapping[str, str] | None
    ) -> tuple[str, Iterable[Line[Any] | Problem]]:
        if columns is None:
            return self._adapters.read_file(path, kind, None)
        return self._adapters.read_file(path, kind, None, "auto", columns)

    def _look(self, path: Path, kind: str, columns: Mapping[str, str] | None) -> tuple[Looked, list[str]]:
        """What the file holds, and the first texts of the memories among it."""
        known, lines = self._read(path, kind, columns)
        first: list[Any] = []
        texts: list[str] = []
        count = 0
        sieve = Sieve(lines, yield_to_typing=self._index_loader.typing_priority.yield_to_typing)
        for value in sieve:
            count += 1
            if count <= SHOWN:
                first.append(value)
            if isinstance(value, Memory) and len(texts) < LOOKED_AT:
                texts.append(value.triggers[0])
        return Looked(path, known, count, tuple(first), tuple(sieve.problems), columns), texts

    async def take_in_file(self, looked: Looked) -> AsyncGenerator[Taking | Taken, None]:
        """Import what a file holds, as `take_in`; KnownError if it cannot be read any more."""
        if looked.columns is not None and self._adapters.mappings is not None:
            said = Mapped(looked.kind, looked.columns)
            await asyncio.to_thread(self._adapters.mappings.put, tuple(looked.columns), said)
        kind, lines = await asyncio.to_thread(self._read, looked.path, looked.kind, looked.columns)
        total = looked.count + len(looked.problems)
        async with aclosing(self.take_in(kind, lines, looked.path.name, total)) as steps:
            async for step in steps:
                yield step

    async def take_in(
        self, kind: str, lines: Iterable[Line[Any] | Problem], source: str, total: int = 0
    ) -> AsyncGenerator[Taking | Taken, None]:
        """Store the good lines as one step, then answer with them; how far that is, again and again, last what it did.

        KnownError if the file or the store refuses; then nothing is changed. Only the end of the program closes it
        early.
        """
        self._vectors_later = False
        async with self._core.writing:
            sieve = self._sieve = Sieve(lines, yield_to_typing=self._index_loader.typing_priority.yield_to_typing)
            storing = asyncio.ensure_future(self._core.in_store(lambda library: take_in(library, kind, sieve, source)))
            try:
                with making_many(total):
                    while not storing.done():
                        yield Taking(Stage.STORING, sieve.read, total)
                        await asyncio.wait({storing}, timeout=PROGRESS_SECONDS)
            finally:
                sieve.stopped, self._sieve = True, None
                await asyncio.wait({storing})
                stopped = isinstance(storing.exception(), StoppedError)
            if stopped:
                yield Taken(None)
                return
            intake = storing.result()
            async for taking in self._answer_with(intake):
                yield taking
            if await self._index_loader.is_behind():  # another program wrote meanwhile
                await self._index_loader.load()
        if self._vectors_later:
            self._lane.rest()
        await self._core.library_changed()
        yield Taken(intake)

    async def _answer_with(self, intake: Intake) -> AsyncGenerator[Taking, None]:
        """Score with what was stored; the steps are told as they come."""
        keys = (*intake.change.added, *intake.change.updated)
        news: asyncio.Queue[Taking] = asyncio.Queue()
        following = asyncio.ensure_future(
            self._index_loader.follow(intake.kind, keys, lambda *far: news.put_nowait(Taking(Stage.ANSWERING, *far)))
        )
        try:
            while not following.done():
                await asyncio.wait({following}, timeout=PROGRESS_SECONDS)
                while not news.empty():
                    yield news.get_nowait()
        finally:
            await asyncio.wait({following})
        following.result()

    def stop(self) -> None:
        """Leave out an import that is not stored yet; of one that is, and where vectors are made, put those off."""
        if self._sieve is not None:
            self._sieve.stopped = True
        else:
            self._vectors_later = True
            self._lane.rest()

    async def give_out(self, kind: str, path: Path) -> int:
        """Write all things of a kind to a file; how many. KnownError where it cannot be written."""
        things = await self._core.in_store(GIVERS[kind])
        try:
            return await asyncio.to_thread(self._adapters.write_file, path, things)
        except OSError as error:
            why = error.strerror or error
            raise KnownError(f"{path.name} was not written: {why}. Choose another place.") from error
