"""Changes by a refit: cases and recent queries answered before and after, and their log."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.match import Query
from app.domain.review.history import HistoryFilter
from app.domain.scope.fits import Compared, Refit
from app.ports.encoder import RefitLog
from app.ports.store import Library
from app.services.core import Core
from app.services.evaluation.deliveries import Deliveries
from app.services.evaluation.trial_snapshot import ChangedMeanwhileError, TrialVectors
from app.services.evaluation.trials import RANKED, TaughtAnswers, TrialQuery
from app.services.events import Event

MOST_CASES, MOST_QUERIES = 500, 200
"""Number of cases and of recent queries that a refit is compared on."""

Texts = Mapping[tuple[Compared, int], str]


@dataclass(frozen=True, slots=True)
class ChangedText:
    """Case or query that a refit changed, by its text, with what was delivered before and after."""

    kind: Compared
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefitChanges:
    """Refit with the cases and queries that it changed."""

    refit: Refit
    changes: tuple[ChangedText, ...]


class Refits:
    """`workbench.refits`: compares what is delivered before and after a refit, and stores that.

    All methods run on the core's asyncio thread, and give way to typing.
    """

    def __init__(self, core: Core, log: RefitLog | None) -> None:
        self.changed = Event[Refit]()
        """Notified when a refit was stored."""
        self._core = core
        self._log = log
        self._vectors = TrialVectors(core)
        self.last: Refit | None = None
        """Last refit of this process; None before the first."""

    async def delivered(self) -> Mapping[tuple[Compared, int], tuple[str, ...]]:
        """Return what each case and recent query delivers now.

        That is the names of memories to inject and of the power to activate. Raises StoreError, EncoderError,
        ChangedMeanwhileError.
        """
        core, index = self._core, self._core.engine.index
        texts = {key: Query.of(text).scored for key, text in (await core.in_store(_compared)).items()}
        vectors = await self._vectors.of_queries(text for text in texts.values() if text.strip())
        changes, settings = index.changes, core.settings
        found: dict[str, tuple[str, ...]] = {}
        made = Deliveries(TaughtAnswers(index), core.engine.detector, core.engine.count_tokens)
        for text in dict.fromkeys(texts.values()):
            both = vectors.get(text)
            if both is None:
                continue
            await core.typing_priority.turn()
            if index.changes != changes or core.engine.index is not index:
                raise ChangedMeanwhileError("The library was changed meanwhile.")
            one = made.of_query(TrialQuery(made.taught, both.scored_text(text)), settings)
            found[text] = tuple(filter(None, (*(name for name, _ in one.memories), one.power)))
        return {key: found[text] for key, text in texts.items() if text in found}

    async def note(self, refit: Refit) -> None:
        self.last = refit
        if self._log is not None:
            await asyncio.to_thread(self._log.add, refit)
        self.changed.notify(refit)

    async def stored(self) -> list[Refit]:
        return [] if self._log is None else await asyncio.to_thread(self._log.load)

    async def latest(self) -> RefitChanges | None:
        """Return the last stored refit with its changes; None before the first. Raises StoreError."""
        found = next(iter(await self.stored()), None)
        return None if found is None else RefitChanges(found, tuple(await self.changes_of(found)))

    async def changes_of(self, refit: Refit) -> list[ChangedText]:
        """Return the existing cases and queries that a refit changed; raises StoreError."""
        texts = await self._core.in_store(lambda library: _texts_of(library, refit))
        return [
            ChangedText(one.kind, text, one.before, one.after)
            for one in refit.changed
            if (text := texts.get((one.kind, one.key)))
        ]


def _compared(library: Library) -> Texts:
    """Return labelled queries and the newest queries of the history, by kind and key."""
    cases = [case for case in library.cases() if case.task in RANKED and case.key is not None][:MOST_CASES]
    keys = library.find_queries(HistoryFilter(), descending=True)[:MOST_QUERIES]
    found = {(Compared.CASE, case.key): case.text for case in cases if case.key is not None}
    queries = library.queries_by_key(keys)
    return found | {(Compared.QUERY, one.key): one.text for one in queries if one.key is not None and one.text}


def _texts_of(library: Library, refit: Refit) -> Texts:
    keys = [one.key for one in refit.changed if one.kind is Compared.QUERY]
    found = {(Compared.CASE, case.key): case.text for case in library.cases() if case.key is not None}
    queries = library.queries_by_key(keys)
    return found | {(Compared.QUERY, one.key): one.text for one in queries if one.key is not None and one.text}
