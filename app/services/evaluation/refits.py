"""State of the stored fit in words; changes by a refit, in cases and recent queries, and their log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from app.domain.case import Case, Delivered
from app.domain.errors import KnownError
from app.domain.fits import Compared, FitSource, FitState, FitStatus, Refit
from app.domain.history import HistoryFilter
from app.domain.language import quantity
from app.domain.match import Query
from app.evaluation.answers import BLOCKER_WORDS
from app.ports.encoder import RefitLog
from app.ports.store import Library
from app.scoring.learned.library import settings_without_case
from app.services.core import Core
from app.services.engine.learner import refit_of
from app.services.evaluation.deliveries import Deliveries
from app.services.evaluation.evaluate import ranked_answer
from app.services.evaluation.trial_snapshot import ChangedMeanwhileError, TrialVectors
from app.services.evaluation.trials import RANKED, TaughtAnswers, TrialQuery
from app.services.events import Event
from app.settings.layers import HARMLESS
from app.settings.model import Settings

MOST_CASES, MOST_QUERIES = 500, 200
"""Number of cases and of recent queries that a refit is compared on."""

SETTLED_SECONDS = 3.0
"""Time in s in which several changes of settings count as one."""

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
        self._changed: dict[str, None] = {}
        self._comparing: asyncio.Task[None] | None = None
        self._earlier: Mapping[tuple[Compared, int], tuple[str, ...]] | None = None
        """Answers of the encoder that is being replaced, {} until they are taken; else None."""
        self.last: Refit | None = None
        """Last refit of this process; None before the first."""

    def follow_settings(self, before: Settings, changed: Iterable[str]) -> None:
        """Log which answers changed settings change, a while after the first of them. Returns at once."""
        self._changed |= dict.fromkeys(key for key in changed if key not in HARMLESS)
        if self._earlier is None and any(key.startswith("encoder.") for key in self._changed):
            self._earlier = {}
            self._core.in_background(self._answer_before(before))
        if self._changed and (self._comparing is None or self._comparing.done()):
            self._comparing = self._core.in_background(self._compare_settings(before))

    async def _answer_before(self, before: Settings) -> None:
        with suppress(KnownError):
            self._earlier = await self.delivered(before)

    async def _compare_settings(self, before: Settings) -> None:
        """Log the changed answers; without them what a process changes that ends before they are compared."""
        keys = tuple[str, ...]()
        try:
            while self._changed:
                await asyncio.sleep(SETTLED_SECONDS)
                if self._earlier is not None:
                    await self._core.ready()  # with the vectors and the fit of the other encoder
                now, keys, self._changed = self._core.settings, tuple(self._changed), {}
                earlier, self._earlier = self._earlier, None
                is_taken = earlier != {}
                earlier = await self.delivered(before) if earlier is None else earlier
                found = refit_of(FitSource(made=datetime.now(UTC).timestamp()), earlier, await self.delivered(now))
                if found.changed:
                    await self.note(replace(found, settings=keys))
                before, keys = now, () if found.changed or is_taken else keys
        except KnownError:
            pass
        finally:
            if self._log is not None and (lost := (*keys, *self._changed)):
                self._log.add(Refit(FitSource(made=datetime.now(UTC).timestamp()), 0, 0, 0, 0, settings=lost))

    async def delivered(self, under: Settings | None = None) -> Mapping[tuple[Compared, int], tuple[str, ...]]:
        """Return what each case and recent query delivers now, or `under` other settings.

        That is the names of memories to inject and of the power to activate or to offer, and the answer to a case that
        is found but not delivered. As in an evaluation, a case is answered by weights without its say. Raises
        StoreError, EncoderError, ChangedMeanwhileError.
        """
        core, index, encoder = self._core, self._core.engine.index, self._core.engine.encoder
        cases, compared = await core.in_store(_compared)
        texts = {key: Query.of(text).scored for key, text in compared.items()}
        vectors = await self._vectors.of_queries(text for text in texts.values() if text.strip())
        changes, found = index.changes, dict[tuple[Compared, int], tuple[str, ...]]()
        made = Deliveries(TaughtAnswers(index), core.engine.detector, core.engine.count_tokens)
        for key, text in texts.items():
            if (both := vectors.get(text)) is None:
                continue
            await core.typing_priority.turn()
            if index.changes != changes or core.engine.encoder is not encoder:
                raise ChangedMeanwhileError("The library was changed meanwhile.")
            case, chosen = cases.get(key), under or core.settings
            settings = chosen if case is None else settings_without_case(chosen, case.text)
            query = TrialQuery(made.taught, index.read(text, both))
            one, answer = made.of_query(query, settings), None
            if case is not None:
                ranking, candidates = query.ranking(case.task, settings), made.taught.candidates[case.task]
                answer = ranked_answer(case, ranking, candidates, case.task, settings).predicted
            found[key] = _told(one, answer)
        return found

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


def _told(delivered: Delivered, answer: str | None) -> tuple[str, ...]:
    """Return the names of what is delivered or offered, and an answer that is found but not delivered."""
    power = delivered.power or delivered.found_power
    how = "offered" if delivered.blocker is None else BLOCKER_WORDS[delivered.blocker]
    names = [name for name, _ in delivered.memories] + [power if delivered.power else f"{power} ({how})"] * bool(power)
    is_told = answer is None or answer == power or any(answer in memory for memory in delivered.memories)
    return (*names, *([] if is_told else [f"{answer} (found)"]))


def _compared(library: Library) -> tuple[Mapping[tuple[Compared, int], Case], Texts]:
    """Return labelled queries, and their and the newest history's texts, by kind and key."""
    cases = {
        (Compared.CASE, case.key): case for case in library.cases() if case.task in RANKED and case.key is not None
    }
    keys = library.find_queries(HistoryFilter(), descending=True)[:MOST_QUERIES]
    first = dict(islice(cases.items(), MOST_CASES))
    queries = {(Compared.QUERY, one.key): one.text for one in library.queries_by_key(keys) if one.key and one.text}
    return first, {key: case.text for key, case in first.items()} | queries


def _texts_of(library: Library, refit: Refit) -> Texts:
    found = {(Compared.CASE, case.key): case.text for case in library.cases() if case.key is not None}
    queries = library.queries_by_key([one.key for one in refit.changed if one.kind is Compared.QUERY])
    return found | {(Compared.QUERY, one.key): one.text for one in queries if one.key is not None and one.text}


# ---- State of the stored fit in words, in local time.


def source_words(source: FitSource, now: datetime | None = None) -> str:
    """Format the data and time of a fit, "14 memories and 43 cases, 12:56"; "" without data."""
    counted = [
        *([quantity(source.memories, "memory", "memories")] if source.memories else []),
        *([quantity(source.powers, "power")] if source.powers else []),
        *([quantity(source.cases, "case")] if source.cases else []),
    ]
    if not counted:
        return ""
    told = " and ".join(filter(None, (", ".join(counted[:-1]), counted[-1])))
    if not source.made:
        return told
    at, today = datetime.fromtimestamp(source.made, UTC).astimezone(), (now or datetime.now(UTC)).astimezone()
    return f"{told}, {at:%H:%M}" if at.date() == today.date() else f"{told}, {at:%Y-%m-%d %H:%M}"


def fit_words(fit: FitStatus, now: datetime | None = None) -> str:
    """Format the state of the fit for a status line; "" if no fit decides."""
    if fit.state is FitState.UNWANTED:
        return ""
    if fit.state is FitState.FITTING:
        return "Learning from the library…"
    if fit.state is FitState.MISSING:
        return "Not fitted yet"
    if not fit.source.made:
        return "Learned"
    told = source_words(fit.source, now)
    said = f"Learned from {told}" if told else "Too few triggers to learn from; shipped weights"
    return f"{said}{'; out of date' if fit.state is FitState.STALE else ''}"


def fit_sentence(fit: FitStatus) -> str:
    """Format a command's note on a stale or first fit; "" for any other."""
    told = source_words(fit.source) if fit.source.made else ""
    of = f"on {told}" if told else "before"
    if fit.state is FitState.STALE:
        refit = "an open window or “intentscope evaluate --refit” fits it again"
        return f"The learned score was fitted {of}, and the library has changed since; {refit}."
    return f"The learned weights were fitted {of} and stored; this version had none." if fit.is_first and told else ""
