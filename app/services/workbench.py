"""Workbench: facade of one profile for window and surfaces: engine, status, all services."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from app.detect.surfacing import Surfaced
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.fits import FitPolicy
from app.domain.history import UsageCounter
from app.domain.inspection import Inspection, RouteDecision, WordImportance
from app.domain.journal import choosing
from app.domain.library import Line, Problem
from app.domain.match import Match
from app.evaluation.evaluation import Evaluation
from app.services.core import Core, Progress
from app.services.engine.adapters import Adapters, SettingsRead
from app.services.engine.typing_priority import chunks
from app.services.evaluation.contest import Contests, replacement_sentence
from app.services.evaluation.evaluations import Evaluations
from app.services.evaluation.llm_answers import LlmAnswers
from app.services.evaluation.llm_choices import LlmChoices
from app.services.evaluation.refits import Refits, fit_sentence
from app.services.evaluation.runs import Runs
from app.services.evaluation.simulator import Simulator
from app.services.evaluation.trial_snapshot import InMemoryVectors
from app.services.library.curate import Catalogue, Curator
from app.services.library.duplicates import Duplicates
from app.services.library.folder_sync import FolderWatch, LibraryFiles
from app.services.library.import_export import Importer, ImportFinished, ImportResult
from app.services.library.intents import Intents
from app.services.library.journal import Journal
from app.services.library.rules import RuleEdits, RulePacks, RuleTrial
from app.services.powers.gateway import Gateway
from app.services.review.history import History
from app.services.review.recorder import UsageLog
from app.services.routing.custom_routes import CustomRoutes
from app.services.routing.routes import Routing
from app.services.routing.stores import Stores
from app.services.scope.edit_previews import EditPreviews
from app.services.scope.surfacing import Surfacer
from app.services.scope.types import Types
from app.services.scope.why_not import WhyNots
from app.services.scope.word_importance import ablate_words
from app.services.status import FIT, Status
from app.services.system.encoders import Encoders
from app.settings.model import LOOKS

ASKED_AT_ONCE = 32
"""Number of queries of a batch that are encoded together."""

SEARCHED = (
    "Memories are scored as the team's server finds them: what looks through all of them sees those that were found "
    "lately."
)

CASES = "cases"
"""Kind of the labelled queries that ship with the sample library."""

Result = TypeVar("Result")


class Workbench(Core):
    """Facade of one open profile, with events on the same asyncio thread.

    Store calls and the encoder run on separate threads, so that neither delays a lexical answer.
    """

    def __init__(self, adapters: Adapters, given: SettingsRead) -> None:
        super().__init__(adapters, given)
        self.journal = Journal(self)
        self.duplicates = Duplicates(self, self.journal)
        self.curator = Curator(self, self.journal)
        self.catalogue = Catalogue(self, self.journal)
        self.rule_edits = RuleEdits(self, self.journal, adapters.shipped_rules)
        self.rule_packs = RulePacks(self, self.journal, adapters.shipped_rules, adapters.packs)
        self.rule_trial = RuleTrial(self)
        self.importer = Importer(self, adapters, self._index_loader, self._encoder)
        self.gateway = Gateway(self, self.journal, adapters.make_power_runner, adapters.now_ms)
        self.files = LibraryFiles(self, self.journal, adapters.folders, adapters.synced)
        self.folder_watch = FolderWatch(self, self.files, self._changed)
        self.history = History(self, self.curator, adapters)
        self.routing = Routing(self, self.journal, adapters, self._index_loader.thread, lambda: self._encoder.thread)
        self.routing.learned.subscribe(lambda _: self._changed())
        self.routes = CustomRoutes(self, self.journal, self.routing)
        self.routing.log.noted.subscribe(self.metrics.note_route)
        self.routing.log.judged.subscribe(self.metrics.record_labelled_route)
        self.usage = UsageLog(self, self.metrics, adapters.wall_seconds)
        self.routing.log.noted.subscribe(self._count_cache_lookups)
        self.history.forgetting = self._deleting_queries
        self.stores = Stores(self, self.routing, adapters)
        self.types = Types(self, self.journal, adapters, self._index_loader.thread, lambda: self._encoder.thread)
        self.types.learned.subscribe(lambda _: self._changed())
        self.why_nots = WhyNots(self, self.journal, self.curator, self.routing, self.types, self.injected)
        self.edit_previews = EditPreviews(self, self.routing)
        self.evaluations = Evaluations(
            self, self.routing, self.calibrating, self.learning, adapters.read_file, self._evaluate_under
        )
        self.intents = Intents(self, self.journal, self.evaluations.today)
        self.llm_answers = LlmAnswers(self, adapters.make_llm, adapters.wall_seconds)
        self.runs = Runs(self, self.evaluations, adapters.wall_seconds)
        self.simulator = Simulator(self, self.routing, self.llm_answers, adapters)
        self.llm_choices = LlmChoices(self, self.llm_answers)
        self.contests = Contests(self, self.evaluations, self.learning)
        self.status_changed.subscribe(self.contests.on_status_changed)
        self.refits = self.learning.trial = Refits(self, adapters.refit_log)
        self.settings_chosen.subscribe(lambda chosen: self.refits.follow_settings(*chosen))
        self.encoders = Encoders(adapters, self, self._encoder, self.evaluations)
        self._index_loader.more_texts = lambda: self.routing.trainer.texts | self.types.trainer.texts
        self._surfacer = Surfacer(self, adapters.make_token_counter)
        self._last_text = ""

    def make_no_vectors(self) -> None:
        super().make_no_vectors()
        self.routing.learns = self.types.learns = False

    async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
        """Open the profile; `watch` also watches the linked folder."""
        await super().open(encoder=encoder, llm=llm, watch=watch)
        self.routing.rollout.open()
        if watch:
            self._background.start(self.folder_watch.run())
            self._background.start(self.contests.keep_up(self._encoder.ready))

    def status(self) -> Status:
        status = super().status()
        lessons = {"routes": self.routing.trainer.digest, "types": self.types.trainer.digest}
        read = {what: digest for what, digest in lessons.items() if digest}  # unread content has not changed
        return replace(status, digests={**status.digests, **read}, folder=self.folder_watch.news)

    # ---- actions

    def inspect(self, text: str, *, typing: bool = True, route: bool = True) -> AsyncGenerator[Inspection, None]:
        """Yield the lexical answer, then better ones; closing the iterator cancels pending work.

        While `typing` the LLM is asked after the pause of the settings. Without `route`, if not typing, no route is
        decided.
        """
        if not typing:
            return self._query_runner.inspect(text, typing=False, route=route)
        self._index_loader.typing_priority.note_key()
        self.history.recorder.note_key()
        self.routing.log.note_key()
        return self._resting(self._query_runner.inspect(text, typing=True))

    def note_cleared(self) -> None:
        """Note that the query was deleted: it is recorded only if it was looked at."""
        self.history.recorder.note_cleared()
        self.routing.log.note_key()

    async def _resting(self, stream: AsyncGenerator[Inspection, None]) -> AsyncGenerator[Inspection, None]:
        """Pass answers on; the last one is noted in the history, unless it is superseded."""
        last: Inspection | None = None
        async with aclosing(stream) as answers:
            async for last in answers:
                yield last
        if last is not None:
            self.history.recorder.note_settled(last)
            if last.query.text != self._last_text:  # repeating the same query is no new turn
                self._last_text = last.query.text
                self.gateway.begin_turn()
            self.routing.log.note_rested(last)

    async def settle(self, text: str, *, late: bool = False, route: bool = True) -> Inspection:
        """Return the best answer in time; `late` also waits for late LLM answers.

        Without `route` no route is decided or asked for.
        """
        return await self._query_runner.settle(text, late=late, route=route)

    async def answer_each(
        self, queries: Iterable[str], *, ahead: bool, late: bool = False, route: bool = True
    ) -> AsyncGenerator[Inspection, None]:
        """Yield the answer to each query; `ahead` reads and encodes some at a time.

        `late` and `route` as for `settle`.
        """
        for some in chunks(queries, ASKED_AT_ONCE if ahead else 1):
            if ahead:
                await self.prefetch(some)
            for query in some:
                yield await self.settle(query, late=late, route=route)

    async def ablate_words(self, inspection: Inspection, match: Match | None = None) -> WordImportance:
        """Return the importance of each word of a query, for the first answer or for `match`."""
        return await ablate_words(self, inspection, match)

    async def surface(self, inspection: Inspection, changes: Mapping[str, str] = {}) -> Surfaced:
        """Return the surfaced memories of an inspected query, also under changed settings.

        Raises SettingsError.
        """
        return await self._surfacer.surface(inspection, self._settings.under(changes) if changes else self.settings)

    async def injected(self, text: str) -> Surfaced:
        """Return the surfaced memories of a query, without an LLM."""
        return await self.surface(await self.settle_under(text, self.settings))

    async def import_sources(
        self, sources: Iterable[tuple[str, Iterable[Line[Any] | Problem]]], name: str = "a file"
    ) -> list[ImportResult]:
        """Store the valid lines of several kinds in one transaction, then answer with them.

        Each kind is a key of EXPORTERS. Vectors follow in the background; raises KnownError if file or store refuse.
        """
        steps = self.importer.import_sources(sources, name)
        ended = [step async for step in steps if isinstance(step, ImportFinished)][-1]
        assert ended.result is not None, "nobody stops what only this waits for"
        return [ended.result, *ended.others]

    async def add_seed_library(self, *, only_cases: bool = False) -> int:
        """Add the library that ships with the program, and its cases; return the number of new rows."""
        own = {case.text for case in await self.in_store(lambda library: library.cases())}

        def is_new(line: Line[Any] | Problem) -> bool:
            return not (isinstance(line, Line) and isinstance(line.value, Case) and line.value.text in own)

        sources = [
            (kind, filter(is_new, self._adapters.seed[kind]()))
            for kind in ([CASES] if only_cases else self._adapters.seed)
        ]
        return sum(len(result.change.added) for result in await self.import_sources(sources, "seed"))

    async def choose(self, key: str, value: str | None) -> None:
        """Change a setting of this profile (None: remove), at once and persistently.

        An undoable step, except for appearance. Raises SettingsError with a sentence if refused.
        """
        await self.choose_all({key: value}, None if key in LOOKS else choosing({key: value}))

    async def _evaluate_under(
        self, changes: Mapping[str, str], cases: Sequence[Case], task: Task, progress: Progress | None, taught: bool
    ) -> Evaluation:
        """Evaluate cases on a second workbench on the same library under changed settings.

        No LLM is used and nothing is stored. Raises SettingsError, KnownError.
        """
        open_library = self._adapters.open_library
        adapters = replace(
            self._adapters,
            open_library=lambda: InMemoryVectors.of(open_library()),
            kept_calibration=None,
            stored_fit=None,
            refit_log=None,
            vector_cache=None,
            settings_file=None,
        )
        other = Workbench(adapters, SettingsRead(self._settings.sources_under(changes)))
        other.routing.learns, other.types.learns = task is Task.ROUTE, task is Task.TYPE
        await other.open(llm=False, watch=False)
        try:
            await other.ready(progress, progress)
            if fault := other.engine.encoder_fault or other.status().faults.get("encoder"):
                raise KnownError(fault)
            return await other.evaluations.today(cases, task, progress, taught=taught)
        finally:
            await other.close()

    # ---- internals

    async def close(self) -> None:
        """Stop all work; stored and noted data stays."""
        await self.gateway.close()
        await self.history.close()
        await self.usage.flush()
        await self.stores.close()
        await self.routing.close()
        await self.types.close()
        await super().close()

    def _status_notes(self) -> dict[str, str]:
        notes = super()._status_notes() | ({"search": SEARCHED} if self.engine.candidates is not None else {})
        notes |= {"learned": sentence} if (sentence := replacement_sentence(self.settings)) else {}
        is_owner = self.learning.policy is FitPolicy.REFIT
        return notes | ({FIT: sentence} if not is_owner and (sentence := fit_sentence(self.learning.status())) else {})

    def _follow_changes(self) -> None:
        self.history.library_changed()
        self.routing.library_changed()
        self.types.library_changed()
        self.gateway.library_changed()

    async def _prune_queries(self) -> None:
        await self.history.prune()
        await self.routing.log.prune()

    async def ready(self, progress: Progress | None = None, calibrating: Progress | None = None) -> None:
        """Wait until vectors are computed, routes and types are learned, and the LLM is probed."""
        await super().ready(progress, calibrating)
        await self.routing.ready()
        await self.types.ready()

    async def at_rest(self, progress: Progress | None = None) -> None:
        """Wait until everything that answers to labelled cases depend on is stable.

        Vectors, fits, trained examples, and the comparison of a fit on the cases; `progress` reports the first two.
        Does not wait for the LLM.
        """
        await self.fitted(progress)
        await self.routing.ready()
        await self.types.ready()
        if self._encoder.makes:
            await self.contests.settle()
            await self.fitted(progress)  # the scales, if they decide now

    async def examples_trained(self) -> None:
        """Wait until the voters are trained, if an encoder is loaded; not for the LLM."""
        await self.routing.ready()
        await self.types.ready()
        if self._encoder.makes:
            await self.learning.settle()

    @asynccontextmanager
    async def _deleting_queries(self, texts: Sequence[str] | None) -> AsyncGenerator[None, None]:
        await self.usage.flush()
        await self.routing.log.flushed()
        yield
        await self.routing.forget(texts)

    def _count_cache_lookups(self, decision: RouteDecision) -> None:
        for look in decision.looks:
            self.usage.count(UsageCounter.ROUTE_CACHES, look.value)

    def _changed(self) -> None:
        if self.learning.policy is FitPolicy.REFIT:
            self.history.follow_changes()
        self.routing.follow_changes()
        self.types.follow_changes()
        super()._changed()
