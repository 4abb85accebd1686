"""Searching a library for alike triggers in the background: on a thread of its own, a moment at a time."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import numpy as np

from app.domain.duplicates import Alikeness, Holding
from app.domain.library import Answer
from app.scoring.library.duplicate_findings import Findings, Sorting, meant_by, own_triggers
from app.scoring.library.duplicates import AlikeSearch
from app.services.core import Core
from app.services.engine.engine import Engine

AT_ONCE = 500
"""So many answers are noted down before a waiting keystroke gets its turn."""

SLICE_SECONDS = 0.1
"""How long the thread works before it tells how far it is; it is left at such a moment, too."""

NICE = 10

Taught = list[tuple[Answer, range]]


async def search(core: Core, least: Alikeness) -> AsyncGenerator[float | Findings, None]:
    """How far the search is, 0 to 1, time and again, and at the end what it found; closing it breaks off."""
    different = await core.in_store(lambda library: library.different())
    taught = await noted(core.engine)
    work = _Search(core, taught, least, different)
    steps = work.steps()
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, "duplicates", initializer=stand_back)
    try:
        while (done := await loop.run_in_executor(thread, one_slice, steps)) is not None:
            yield done
        yield work.findings
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


async def noted(engine: Engine) -> Taught:
    """Every live answer and its rows, which hold until the next await; noted down anew if that changes meanwhile."""
    index = engine.index
    while True:
        layout, taught = index.layout(), []
        slots: list[int] = layout.slots.tolist()
        for start in range(0, len(slots), AT_ONCE):
            if index.layout() is not layout:
                break
            for slot in slots[start : start + AT_ONCE]:
                candidate = index.candidate(slot)
                taught.append((candidate.answer, candidate.rows))
            await asyncio.sleep(0)
        if index.layout() is layout:
            return taught


class _Search:
    """The steps of one search, in order. Of the index it only reads arrays, rows that it has noted.

    A row that has its vector keeps it, also when it goes blank, and a new lay-out has arrays of its own.
    """

    def __init__(self, core: Core, taught: Taught, least: Alikeness, different: set[tuple[bytes, bytes]]) -> None:
        semantic = core.engine.index.semantic
        self._vectors, self._known = semantic.vectors, semantic.known.copy()
        self._taught, self._least, self._different = taught, least, different
        self.findings = Findings()

    def steps(self) -> Iterator[float]:
        """Do the work; how much of it is done, 0 to 1."""
        rows: dict[str, int] = {}
        holdings: list[Holding] = []
        for place, (answer, own_rows) in enumerate(self._taught):
            meant = meant_by(answer)
            holdings += [Holding(answer, text, meant) for text in own_triggers(answer)]
            for text, row in zip(answer.triggers, own_rows, strict=False):
                if self._known[row]:
                    rows.setdefault(text, row)
            if place % AT_ONCE == 0:
                yield 0.0
        sorting = Sorting(holdings)
        for _ in sorting.exact():
            yield 0.0
        places = np.array([rows.get(text, -1) for text in sorting.texts], np.intp)
        alike = AlikeSearch(sorting.texts, self._vectors, places, self._least)
        yield from alike.steps()
        assert alike.found is not None, "all its steps were taken"
        for _ in sorting.near(alike.found, self._least):
            yield 1.0
        for _ in sorting.sorted(self._different):
            yield 1.0
        self.findings = replace(
            sorting.findings,
            searched=len(places),
            unembedded=int((places < 0).sum()),
            is_cut=alike.found.is_cut,
        )


def one_slice(steps: Iterator[float]) -> float | None:
    """Take steps for a moment; how much is done, None if all is."""
    until = time.monotonic() + SLICE_SECONDS
    for done in steps:
        if time.monotonic() >= until:
            return done
    return None


def stand_back() -> None:
    """Let everything else go first: on Linux a thread has a niceness of its own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
