"""Duplicate and conflicting triggers: found in the background, resolved as steps (S7.3)."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from math import isnan

import numpy as np

from app.domain.errors import KnownError
from app.domain.health import DuplicateFinding, DuplicateKind, NearDuplicate, SimilarityThresholds, TriggerUse
from app.domain.journal import Edit, Item, ItemKey, Written, kind_of
from app.domain.library import Answer, Memory
from app.scoring.duplicates import (
    AlikeSearch,
    Findings,
    Sorting,
    answer_identity,
    differences_of,
    freshened,
    is_marked_different,
    own_triggers,
)
from app.scoring.index.layout import key_of
from app.scoring.text import ScoredText, without_plain_signs, without_punctuation
from app.services.core import Core
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import chunks
from app.services.library.journal import WINDOW, Journal

AT_ONCE = 500
"""Batch size of checking findings; yields to typing after each."""

MOST_NEAR = 8
"""Maximum number of near duplicates of a typed trigger."""


class Duplicates:
    """`workbench.duplicates`. Resolutions raise KnownError after concurrent changes."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal

    # ---- search

    @property
    def thresholds(self) -> SimilarityThresholds:
        curate = self._core.settings.curate
        return SimilarityThresholds(curate.duplicate_spelling, curate.duplicate_meaning)

    def search(self, least: SimilarityThresholds | None = None) -> AsyncGenerator[float | Findings, None]:
        """Yield the progress, 0 to 1, and the findings last; closing cancels; raises StoreError."""
        return search_in_background(self._core, least or self.thresholds)

    async def fresh(self, found: Sequence[DuplicateFinding]) -> tuple[DuplicateFinding, ...]:
        """Return the findings that still hold, with current versions; raises StoreError."""
        different = await self._core.in_store(lambda library: library.distinct_pairs())
        index, kept = self._core.engine.index, []
        for some in chunks(found, AT_ONCE):
            for finding in some:
                current = [index.answer(key_of(holding.answer)) for holding in finding.holdings]
                is_as_found = all(now is holding.answer for now, holding in zip(current, finding.holdings, strict=True))
                renewed = finding if is_as_found else freshened(finding, current)
                if renewed is not None and not (different and is_marked_different(renewed, different)):
                    kept.append(renewed)
            await asyncio.sleep(0)
        return tuple(kept)

    async def near(
        self, trigger: str, label: str | None, least: SimilarityThresholds | None = None
    ) -> list[NearDuplicate]:
        """Return equal or near triggers of other answers, most similar first.

        Others have another label than `label`; with None, every answer counts. Encodes the trigger once, if an encoder
        is loaded.
        """
        least, text = least or self.thresholds, trigger.strip()
        if not text:
            return []
        vectors = await self._core.encoded([text])
        return self._near(ScoredText(text, None if vectors is None else vectors[0]), label, least)

    def _near(self, query: ScoredText, label: str | None, least: SimilarityThresholds) -> list[NearDuplicate]:
        index = self._core.engine.index
        if not len(index):
            return []
        fuzzy, semantic = index.fuzzy.ask(query), index.semantic.ask(query)
        with np.errstate(invalid="ignore"):
            may = (fuzzy.above >= least.spelling - 1e-5) | (semantic.above >= least.meaning - 1e-5)
        rows = np.flatnonzero(may)
        meaning = semantic.at(rows) if len(rows) else np.zeros(0)
        scores = zip(rows.tolist(), fuzzy.at(rows).tolist(), meaning.tolist(), strict=True)
        likely = [each for each in scores if each[1] >= least.spelling or each[2] >= least.meaning]
        holders = index.holders([row for row, *_ in likely])
        found = [
            NearDuplicate(answer, text, spelling, None if isnan(meant) else meant, bare == query.bare != "")
            for answer, (row, spelling, meant) in zip(holders, likely, strict=True)
            if answer is not None and (label is None or answer.answer_label != label)
            if (text := index.text(row)) in own_triggers(answer)
            for bare in [without_punctuation(text)]
        ]
        found.sort(key=lambda near: (near.is_same, max(near.spelling, near.meaning or 0.0)), reverse=True)
        return found[:MOST_NEAR]

    # ---- resolution

    async def keep(self, finding: DuplicateFinding, place: int, *, source: str = WINDOW) -> Written | None:
        """Keep the trigger in one of the answers only, as one step.

        The others lose theirs; a different wording under another answer moves to the kept one. An answer without
        triggers is deleted.
        """
        kept = self._current(finding.holdings[place])
        others = [holding for spot, holding in enumerate(finding.holdings) if spot != place]
        changed: dict[ItemKey, Answer | None] = {_item_key(kept): kept}
        for holding in others:
            key = _item_key(holding.answer)
            now = changed[key] if key in changed else self._current(holding)
            changed[key] = None if now is None else _without(now, holding.trigger)
        if finding.likeness is DuplicateKind.NEAR_CONFLICT:
            for holding in others:
                changed[_item_key(kept)] = _with(changed[_item_key(kept)] or kept, holding.trigger)
        subject = f"“{finding.holdings[place].trigger}” for {_called(kept)} alone"
        return await self._do(Edit("kept", subject, source), changed)

    async def merge(self, finding: DuplicateFinding, place: int, *, source: str = WINDOW) -> Written | None:
        """Merge the memories: all triggers and tags, the response of the chosen one.

        Use counts are added; raises KnownError if one is a power, or all are one memory.
        """
        kept = self._current(finding.holdings[place])
        answers = {_item_key(holding.answer): self._current(holding) for holding in finding.holdings}
        others = [answer for key, answer in answers.items() if key != _item_key(kept)]
        if not others:
            raise KnownError("Both triggers are of one memory already. Keep one of them, or delete one.")
        triggers: list[str] = []
        tags: list[str] = []
        usage, right = 0, 0
        for answer in (kept, *others):
            if not isinstance(answer, Memory):
                raise KnownError(f"{answer.name} is a power, which cannot be merged. Keep one of them, or delete one.")
            triggers += answer.triggers
            tags += answer.tags
            usage += answer.usage if answer is kept else await self._used(answer)
            right += answer.right
        assert isinstance(kept, Memory), "powers were refused"
        counted = replace(kept, usage=usage, right=right)  # the remaining memory's logged uses are added separately
        merged = replace(counted, triggers=_distinct(triggers), tags=tuple(dict.fromkeys(tags)))
        changed: dict[ItemKey, Answer | None] = {_item_key(answer): None for answer in others}
        edit = Edit("merged", f"{len(answers)} memories into {_called(kept)}", source)
        return await self._do(edit, changed | {_item_key(kept): merged})

    async def _used(self, memory: Memory) -> int:
        """Return the total use of the answer."""
        found = await self._core.in_store(lambda library: library.memories_by_key([memory.key or 0]))
        return found[0].used if found else memory.usage

    async def drop(self, finding: DuplicateFinding, place: int, *, source: str = WINDOW) -> Written | None:
        """Delete one of the triggers; an answer without triggers is deleted, too."""
        holding = finding.holdings[place]
        now = self._current(holding)
        edit = Edit("deleted", f"the trigger “{holding.trigger}” of {_called(now)}", source)
        return await self._do(edit, {_item_key(now): _without(now, holding.trigger)})

    async def mark_different(self, finding: DuplicateFinding, *, source: str = WINDOW) -> Written | None:
        """Mark the triggers as distinct, so that they are not reported again."""
        texts = list(dict.fromkeys(f"“{holding.trigger}”" for holding in finding.holdings))
        edit = Edit("told apart", " and ".join(texts[:2]), source)
        pairs = differences_of(finding)
        async with self._core.writing:
            written = await self._core.in_store(lambda library: library.put_distinct_pairs(edit, pairs))
            return await self._journal.follow(written)

    async def _do(self, edit: Edit, changed: dict[ItemKey, Answer | None]) -> Written | None:
        items: list[Item] = [item for item in changed.values() if item is not None]
        return await self._journal.do(edit, items, [key for key, item in changed.items() if item is None])

    def _current(self, holding: TriggerUse) -> Answer:
        now = self._core.engine.index.answer(key_of(holding.answer))
        if now is None or holding.trigger not in own_triggers(now):
            raise KnownError(f"“{holding.trigger}” of {_called(holding.answer)} has been changed meanwhile.")
        return now


def _item_key(answer: Answer) -> ItemKey:
    assert answer.key is not None, "what is found was stored"
    return kind_of(answer), answer.key


def _called(answer: Answer) -> str:
    """Return the display name of the answer: its label, otherwise its name."""
    return answer.answer_label or answer.name


def _without(answer: Answer, trigger: str) -> Answer | None:
    """Return the answer without a trigger; None if a memory has no other."""
    left = tuple(text for text in own_triggers(answer) if text != trigger)
    if not isinstance(answer, Memory):
        return replace(answer, examples=left)
    return replace(answer, triggers=left) if left else None


def _with(answer: Answer, trigger: str) -> Answer:
    own, bare = own_triggers(answer), without_plain_signs(trigger)
    triggers = own if bare in map(without_plain_signs, own) else (*own, trigger)
    return replace(answer, triggers=triggers) if isinstance(answer, Memory) else replace(answer, examples=triggers)


def _distinct(triggers: Sequence[str]) -> tuple[str, ...]:
    """Drop triggers that differ only in case, spaces and punctuation; the first one stays."""
    kept: dict[str, str] = {}
    for text in triggers:
        kept.setdefault(without_plain_signs(text) or text, text)
    return tuple(kept.values())


# ---- Background search for similar triggers, on a separate thread in time slices.


SLICE_SECONDS = 0.1
"""Time slice between progress reports in seconds; cancelling takes effect between slices."""

NICE = 10

Taught = list[tuple[Answer, range]]


async def search_in_background(core: Core, least: SimilarityThresholds) -> AsyncGenerator[float | Findings, None]:
    """Yield the progress, 0 to 1, and the findings last; closing cancels."""
    different = await core.in_store(lambda library: library.distinct_pairs())
    taught = await snapshot_answers(core.engine)
    work = _Search(core, taught, least, different)
    steps = work.steps()
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, "duplicates", initializer=lower_priority)
    try:
        while (done := await loop.run_in_executor(thread, run_slice, steps)) is not None:
            yield done
        yield work.findings
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


async def snapshot_answers(engine: Engine) -> Taught:
    """Return every scored answer with its rows, valid until the next await.

    Repeated if the index changes meanwhile.
    """
    index = engine.index
    while True:
        layout, taught = index.layout(), []
        slots: list[int] = layout.slots.tolist()
        for some in chunks(slots, AT_ONCE):
            if index.layout() is not layout:
                break
            for slot in some:
                candidate = index.candidate(slot)
                taught.append((candidate.answer, candidate.rows))
            await asyncio.sleep(0)
        if index.layout() is layout:
            return taught


class _Search:
    """Steps of one search. Reads only arrays of the index, at the rows of the snapshot.

    A row's vector stays in place, even if the row is deleted, and a new layout has new arrays.
    """

    def __init__(
        self, core: Core, taught: Taught, least: SimilarityThresholds, different: set[tuple[bytes, bytes]]
    ) -> None:
        semantic = core.engine.index.semantic
        self._vectors, self._known = semantic.vectors, semantic.known.copy()
        self._taught, self._least, self._different = taught, least, different
        self.findings = Findings()

    def steps(self) -> Iterator[float]:
        """Run the search, yielding the progress, 0 to 1."""
        rows: dict[str, int] = {}
        holdings: list[TriggerUse] = []
        for place, (answer, own_rows) in enumerate(self._taught):
            meant = answer_identity(answer)
            holdings += [TriggerUse(answer, text, meant) for text in own_triggers(answer)]
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
            sorting.findings, searched=len(places), unembedded=int((places < 0).sum()), is_cut=alike.found.is_cut
        )


def run_slice(steps: Iterator[float]) -> float | None:
    """Run steps for one time slice; return the progress, None at the end."""
    until = time.monotonic() + SLICE_SECONDS
    for done in steps:
        if time.monotonic() >= until:
            return done
    return None


def lower_priority() -> None:
    """Lower the priority of this thread, on systems with thread priorities (Linux)."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
