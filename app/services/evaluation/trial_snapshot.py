"""Snapshot for trials: library, settings, vectors on demand, and every stored case."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from app.detect.keywords import KeywordRules
from app.domain.case import Case, Delivered, Task
from app.domain.encoder import Provenance
from app.domain.errors import KnownError
from app.domain.library import Kind
from app.domain.match import Query
from app.ports.encoder import Halves, Vectors
from app.ports.store import Library as StoredLibrary
from app.scoring.shares import SHARED
from app.scoring.text import QueryVector, ScoredText
from app.services.core import Core
from app.services.engine.route_stages import Router
from app.services.engine.type_voter import TypeDetector, TypeVoter
from app.services.engine.typing_priority import chunks
from app.services.evaluation.deliveries import TASKS as DELIVERED
from app.services.evaluation.deliveries import Deliveries
from app.services.evaluation.llm_answers import NOT_ASKED, LlmAnswerSet
from app.services.evaluation.trials import (
    RANKED,
    NameRanking,
    Overlay,
    TaughtAnswers,
    TrialEdit,
    TrialQuery,
    ranking_settings,
    texts_of,
)
from app.services.routing.routes import Routing
from app.settings.model import Settings

MOST_VECTORS = 20_000
"""Limit of cached vectors of cases and tried texts, two per text: 60 MB."""

MOST_RANKINGS = 10_000
"""Limit of cached rankings, of 2 KB each."""

ENCODED_AT_ONCE = 16
"""Batch size of encoding; a waiting query goes first after each batch."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings to try, and an edit, rules, router, voter or LLM answers; None: those in force."""

    settings: Settings
    edit: TrialEdit | None = None
    rules: KeywordRules | None = None
    router: Router | None = None
    voter: TypeVoter | None = None
    answer_set: LlmAnswerSet = NOT_ASKED

    def detector(self, now: TypeDetector) -> TypeDetector:
        """Return the type detector under the trial; `now` is the one in force."""
        return replace(now, rules=self.rules or now.rules, votes=self.voter or now.votes)


class ChangedMeanwhileError(KnownError):
    """The library or the settings were changed during a trial."""


class TrialVectors:
    """Cache of the current encoder's vectors: of stored texts, recent queries, or made here."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._encoder: object = None
        self._made: dict[str, QueryVector] = {}

    async def of(self, texts: Iterable[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return each text's vector, shape (dimension,), {} without encoder; raises EncoderError."""
        wanted = list(dict.fromkeys(texts))
        found: dict[str, NDArray[np.float32]] = {}
        if self._core.engine.encoder is not None:
            found = {text: vector for text in wanted if (vector := self._taught(text)) is not None}
        made = await self.of_queries(text for text in wanted if text not in found)
        return found | {text: both.scored for text, both in made.items()}

    async def of_queries(self, texts: Iterable[str]) -> Mapping[str, QueryVector]:
        """Return vectors of queries, with the learner's, which the index does not hold."""
        engine, wanted = self._core.engine, [text for text in dict.fromkeys(texts) if text.strip()]
        if engine.encoder is not self._encoder:
            self._encoder, self._made = engine.encoder, {}
        if engine.encoder is None:
            return {}
        known = {text: self._made.get(engine.corrected(text)) or engine.vectors.both(text) for text in wanted}
        found = {text: both for text, both in known.items() if both is not None}
        missing = [text for text in wanted if text not in found]
        for some in chunks(missing, ENCODED_AT_ONCE):
            made = await self._core.query_vectors(some)
            if made is None or engine.encoder is not self._encoder:
                raise ChangedMeanwhileError("The encoder was changed meanwhile. Ask again.")
            fresh = dict(zip(some, made, strict=True))
            found |= fresh
            if len(self._made) > MOST_VECTORS:
                self._made = {}
            self._made |= {engine.corrected(text): both for text, both in fresh.items()}
            await self._core.typing_priority.turn()
        return found

    def _taught(self, text: str) -> NDArray[np.float32] | None:
        column = self._core.engine.index.semantic
        row = next((row for row in self._core.engine.index.exact.rows(text) if column.known[row]), None)
        return None if row is None else column.vectors[row].copy()


@dataclass
class TrialSnapshot:
    """Library, settings and cases at the start of a trial; `check` raises if they change."""

    core: Core
    routing: Routing
    trial_vectors: TrialVectors
    taught: TaughtAnswers
    settings: Settings
    cases: Mapping[Task, Sequence[Case]]
    tasks: set[Task]
    """Ranked tasks: those of the cases, of deliveries and of the current query."""
    rankings: dict[object, NameRanking] = field(default_factory=dict)
    """Cached rankings without an edit, by text, task and ranking settings; the best names only."""
    _deliveries: Deliveries | None = None
    _overlays: dict[tuple[int, Task], Overlay] = field(default_factory=dict)
    _edits: list[TrialEdit] = field(default_factory=list)

    @classmethod
    async def take(
        cls, core: Core, routing: Routing, trial_vectors: TrialVectors, taught: TaughtAnswers | None = None
    ) -> TrialSnapshot:
        """Take a snapshot; `taught` is reused if the index has not changed. Raises StoreError."""
        cases = await core.in_store(lambda library: library.cases())
        await core.gather([case.text for case in cases if case.task is not Task.ROUTE])
        await core.typing_priority.turn()
        by_task = {task: [case for case in cases if case.task is task] for task in Task}
        if taught is None or taught.layout is not core.engine.index.layout():
            taught = TaughtAnswers(core.engine.index)
        tasks = {task for task in RANKED if by_task[task]}
        tasks |= set(DELIVERED) if tasks else set()
        snapshot = cls(core, routing, trial_vectors, taught, core.settings, by_task, tasks)
        for task in snapshot.tasks:
            await core.typing_priority.turn()
            snapshot.check()
            _ = taught.candidates[task]
        return snapshot

    def under(self, changes: Mapping[str, str]) -> Settings:
        """Return the settings with changes and the same fits; raises SettingsError."""
        return self.core.settings_under(changes).with_fits_of(self.settings)

    def __post_init__(self) -> None:
        engine = self.core.engine
        self._seen = (self.taught.layout, engine.settings, engine.encoder, engine.rules)

    def check(self) -> None:
        """Raise ChangedMeanwhileError if library, settings, encoder or rules have changed."""
        engine = self.core.engine
        now = (engine.index.layout(), engine.settings, engine.encoder, engine.rules)
        if any(one is not other for one, other in zip(now, self._seen, strict=True)):
            raise ChangedMeanwhileError("The library or the settings were changed meanwhile. Ask again.")

    @property
    def is_only_refitted(self) -> bool:
        """True if only fits have changed, so that the trial can be repeated without asking."""
        engine, (layout, settings, encoder, rules) = self.core.engine, self._seen
        is_same = engine.index.layout() is layout and engine.encoder is encoder and engine.rules is rules
        return is_same and engine.settings.with_fits_of(settings) == settings

    async def trial_query(self, text: str) -> TrialQuery:
        """Make a trial query for a text; raises EncoderError."""
        scored = Query.of(text).scored
        vectors = await self.trial_vectors.of_queries([scored])
        self.check()
        return self.ask(scored, vectors)

    async def queries(self, items: Sequence[T], text_of: Callable[[T], str]) -> AsyncIterator[tuple[T, TrialQuery]]:
        """Yield each item with its trial query, and yield to typing after each.

        Raises EncoderError, ChangedMeanwhileError.
        """
        for some in chunks(items, ENCODED_AT_ONCE):
            block = [(item, Query.of(text_of(item)).scored) for item in some]
            vectors = await self.trial_vectors.of_queries(scored for _, scored in block)
            for item, scored in block:
                self.check()
                yield item, self.ask(scored, vectors)
                await self.core.typing_priority.turn()

    def ask(self, scored: str, vectors: Mapping[str, QueryVector]) -> TrialQuery:
        both = vectors.get(scored)
        return TrialQuery(self.taught, ScoredText(scored) if both is None else self.taught.index.read(scored, both))

    def ranking(self, trial_query: TrialQuery, task: Task, settings: Settings, edit: TrialEdit | None) -> NameRanking:
        """Rank the best names of a task; cached by relevant settings if there is no edit."""
        overlay = self.overlay(edit, task)
        if overlay is not None:
            return trial_query.ranking(task, settings, overlay)
        for other in filter(None, (self.overlay(edit, one) for one in self.tasks)):
            trial_query = other.read(trial_query)
        known = (trial_query.query.text, trial_query.query.sentence, task, *ranking_settings(settings))
        if known not in self.rankings:
            if len(self.rankings) >= MOST_RANKINGS:
                self.rankings.clear()
            self.rankings[known] = trial_query.ranking(task, settings).shortened(SHARED)
        return self.rankings[known]

    def delivered(
        self, trial_query: TrialQuery, settings: Settings, edit: TrialEdit | None, detector: TypeDetector | None = None
    ) -> Delivered:
        """Return the delivery of a query under these settings, after an edit, with this detector."""
        detector = detector or self.core.engine.detector
        if self._deliveries is None:
            self._deliveries = Deliveries(self.taught, detector, self.core.engine.count_tokens)
        self._deliveries.detector = detector
        memories, powers = (self.ranking(trial_query, task, settings, edit) for task in (Task.MEMORY, Task.POWER))
        come = () if edit is None else edit.scored
        return self._deliveries.of_rankings(trial_query.query, memories, powers, settings, come)

    async def prepare(self, edit: TrialEdit) -> None:
        """Build the overlays of an edit, for every task that it affects; raises EncoderError."""
        kinds = {kind for kind, _ in edit.keys}
        for task in self.tasks:
            is_touched = (Kind.POWER if task is Task.POWER else Kind.MEMORY) in kinds
            if is_touched and (id(edit), task) not in self._overlays:
                vectors = await self.trial_vectors.of(texts_of(self.taught.affected_by(edit, task).values()))
                self.check()
                self._overlays[id(edit), task] = Overlay(self.taught, edit, task, vectors)
                self._edits.append(edit)  # kept, so that its id is not reused
                await self.core.typing_priority.turn()

    def overlay(self, edit: TrialEdit | None, task: Task) -> Overlay | None:
        """Return the overlay of a prepared edit; None if it affects nothing of the task."""
        return None if edit is None else self._overlays.get((id(edit), task))


class InMemoryVectors:
    """Library decorator that keeps new vectors in memory: trying an encoder stores nothing.

    Each stored batch of vectors would make the running engine reload its library.
    """

    def __init__(self, library: StoredLibrary) -> None:
        self._library = library
        self._made: dict[Provenance, dict[str, Vectors]] = {}

    @classmethod
    def of(cls, library: StoredLibrary) -> StoredLibrary:
        """Return the decorated library, typed as one."""
        return cast("StoredLibrary", cls(library))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, Vectors]:
        made = self._made.get(provenance, {})
        found = {text: made[text] for text in texts if text in made}
        return found | self._library.embeddings(provenance, [text for text in texts if text not in found])

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
        rows = np.asarray(vectors, np.float32)
        self._made.setdefault(provenance, {}).update(zip(texts, rows, strict=True))

    def vector_counts(self) -> Mapping[Provenance, int]:
        counts = dict(self._library.vector_counts())
        return counts | {source: counts.get(source, 0) + len(made) for source, made in self._made.items()}
