"""Duplicates and conflicts: found in the background, resolved one by one as steps of the journal (S7.3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from app.domain.duplicates import Alikeness, Finding, Holding, Likeness, Near
from app.domain.errors import KnownError
from app.domain.journal import Deed, Item, ItemKey, Written, kind_of
from app.domain.library import Answer, Memory
from app.scoring.index.trigger_index import key_of
from app.scoring.library.duplicate_findings import Findings, differences_of, freshened, is_told_apart, own_triggers
from app.scoring.text import ScoredText, without_punctuation
from app.services.core import Core
from app.services.library import duplicate_search
from app.services.library.journal import WINDOW, Journal

AT_ONCE = 500
"""So many findings are looked at before a waiting keystroke gets its turn."""

MOST_NEAR = 8
"""So many near triggers are told of one that is typed."""


class Duplicates:
    """The verbs of one person about alike triggers. Resolutions raise KnownError for what has changed meanwhile."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal

    # ---- finding

    def search(self, least: Alikeness) -> AsyncGenerator[float | Findings, None]:
        """How far the search is, 0 to 1, and at the end what it found; closing it breaks off; StoreError."""
        return duplicate_search.search(self._core, least)

    async def fresh(self, found: Sequence[Finding]) -> tuple[Finding, ...]:
        """Those of the findings that still hold, with their answers as they are now; StoreError."""
        different = await self._core.in_store(lambda library: library.different())
        index, kept = self._core.engine.index, []
        for start in range(0, len(found), AT_ONCE):
            for finding in found[start : start + AT_ONCE]:
                current = [index.answer(key_of(holding.answer)) for holding in finding.holdings]
                is_as_found = all(now is holding.answer for now, holding in zip(current, finding.holdings, strict=True))
                renewed = finding if is_as_found else freshened(finding, current)
                if renewed is not None and not (different and is_told_apart(renewed, different)):
                    kept.append(renewed)
            await asyncio.sleep(0)
        return tuple(kept)

    async def near(self, trigger: str, label: str | None, least: Alikeness | None = None) -> list[Near]:
        """The triggers under other answers that this one is the same as, or nearly, the most alike first.

        Other is what has another label than `label`; with None, every answer. Asks the encoder once, if there is one.
        """
        least, text = least or Alikeness(), trigger.strip()
        if not text:
            return []
        vectors = await self._core.encoded([text])
        return self._near(ScoredText(text, None if vectors is None else vectors[0]), label, least)

    def _near(self, query: ScoredText, label: str | None, least: Alikeness) -> list[Near]:
        index = self._core.engine.index
        if not len(index):
            return []
        fuzzy, semantic = index.fuzzy.ask(query), index.semantic.ask(query)
        with np.errstate(invalid="ignore"):
            may = (fuzzy.above() >= least.spelling - 1e-5) | (semantic.above() >= least.meaning - 1e-5)
        rows = np.flatnonzero(may)
        meaning = semantic.at(rows) if len(rows) else np.zeros(0)
        scores = zip(rows.tolist(), fuzzy.at(rows).tolist(), meaning.tolist(), strict=True)
        likely = [each for each in scores if each[1] >= least.spelling or each[2] >= least.meaning]
        holders = index.holders([row for row, *_ in likely])
        found = [
            Near(answer, text, spelling, None if isnan(meant) else meant, _is_same(query, text))
            for answer, (row, spelling, meant) in zip(holders, likely, strict=True)
            if answer is not None and (label is None or answer.answer_label != label)
            if (text := index.text(row)) in own_triggers(answer)
        ]
        found.sort(key=lambda near: (near.is_same, max(near.spelling, near.meaning or 0.0)), reverse=True)
        return found[:MOST_NEAR]

    # ---- resolving

    async def keep(self, finding: Finding, place: int, *, source: str = WINDOW) -> Written | None:
        """Let one of the answers have the trigger alone.

        The others lose theirs; where that is another wording under another answer, it goes to the one that is kept.
        An answer that loses its last trigger is deleted.
        """
        kept = self._current(finding.holdings[place])
        others = [holding for spot, holding in enumerate(finding.holdings) if spot != place]
        changed: dict[ItemKey, Answer | None] = {_item_key(kept): kept}
        for holding in others:
            key = _item_key(holding.answer)
            now = changed[key] if key in changed else self._current(holding)
            changed[key] = None if now is None else _without(now, holding.trigger)
        if finding.likeness is Likeness.NEAR_CONFLICT:
            for holding in others:
                changed[_item_key(kept)] = _with(changed[_item_key(kept)] or kept, holding.trigger)
        deed = Deed("kept", f"“{finding.holdings[place].trigger}” for {_called(kept)} alone", source)
        return await self._do(deed, changed)

    async def merge(self, finding: Finding, place: int, *, source: str = WINDOW) -> Written | None:
        """Make one memory of all: their triggers and tags together, the response of the one that is chosen.

        Its uses are theirs together; KnownError where one is a power, or all are one memory.
        """
        kept = self._current(finding.holdings[place])
        answers = {_item_key(holding.answer): self._current(holding) for holding in finding.holdings}
        others = [answer for key, answer in answers.items() if key != _item_key(kept)]
        if not others:
            raise KnownError("Both triggers are of one memory already. Keep one of them, or delete one.")
        triggers: list[str] = []
        tags: list[str] = []
        usage = 0
        for answer in (kept, *others):
            if not isinstance(answer, Memory):
                raise KnownError(f"{answer.name} is a power, which cannot be merged. Keep one of them, or delete one.")
            triggers += answer.triggers
            tags += answer.tags
            usage += answer.usage
        assert isinstance(kept, Memory), "powers were refused"
        merged = replace(kept, triggers=_distinct(triggers), tags=tuple(dict.fromkeys(tags)), usage=usage)
        changed: dict[ItemKey, Answer | None] = {_item_key(answer): None for answer in others}
        deed = Deed("merged", f"{len(answers)} memories into {_called(kept)}", source)
        return await self._do(deed, changed | {_item_key(kept): merged})

    async def drop(self, finding: Finding, place: int, *, source: str = WINDOW) -> Written | None:
        """Delete one of the triggers; the answer that loses its last one is deleted, too."""
        holding = finding.holdings[place]
        now = self._current(holding)
        deed = Deed("deleted", f"the trigger “{holding.trigger}” of {_called(now)}", source)
        return await self._do(deed, {_item_key(now): _without(now, holding.trigger)})

    async def tell_apart(self, finding: Finding, *, source: str = WINDOW) -> Written | None:
        """Never show these together again."""
        texts = list(dict.fromkeys(f"“{holding.trigger}”" for holding in finding.holdings))
        deed = Deed("told apart", " and ".join(texts[:2]), source)
        pairs = differences_of(finding)
        async with self._core.writing:
            written = await self._core.in_store(lambda library: library.put_different(deed, pairs))
            return await self._journal.follow(written)

    async def _do(self, deed: Deed, changed: dict[ItemKey, Answer | None]) -> Written | None:
        items: list[Item] = [item for item in changed.values() if item is not None]
        return await self._journal.do(deed, items, [key for key, item in changed.items() if item is None])

    def _current(self, holding: Holding) -> Answer:
        now = self._core.engine.index.answer(key_of(holding.answer))
        if now is None or holding.trigger not in own_triggers(now):
            raise KnownError(f"“{holding.trigger}” of {_called(holding.answer)} has been changed meanwhile.")
        return now


def _is_same(query: ScoredText, text: str) -> bool:
    return bool(query.bare) and without_punctuation(text) == query.bare


def _item_key(answer: Answer) -> ItemKey:
    assert answer.key is not None, "what is found was stored"
    return kind_of(answer), answer.key


def _called(answer: Answer) -> str:
    """What a person knows the answer by: its label, else its name."""
    return answer.answer_label or answer.name


def _without(answer: Answer, trigger: str) -> Answer | None:
    """The answer without a trigger; None if a memory has no other."""
    left = tuple(text for text in own_triggers(answer) if text != trigger)
    if not isinstance(answer, Memory):
        return replace(answer, examples=left)
    return replace(answer, triggers=left) if left else None


def _with(answer: Answer, trigger: str) -> Answer:
    own, bare = own_triggers(answer), without_punctuation(trigger)
    triggers = own if bare in map(without_punctuation, own) else (*own, trigger)
    return replace(answer, triggers=triggers) if isinstance(answer, Memory) else replace(answer, examples=triggers)


def _distinct(triggers: Sequence[str]) -> tuple[str, ...]:
    """The triggers without those that are the same but for case, space and punctuation; the first of them stays."""
    kept: dict[str, str] = {}
    for text in triggers:
        kept.setdefault(without_punctuation(text) or text, text)
    return tuple(kept.values())
