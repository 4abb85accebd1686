"""The store of one profile: Protocols of a few methods, each for who needs them, and Library, their sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.filters import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.intent import Rule
from app.domain.journal import Binned, Edit, Item, ItemKey, Revision, Step, ThingKind, Written
from app.domain.library import Dated, Membership, Memory, Power
from app.domain.llm import StoredLlmAnswer
from app.domain.review.evaluation_run import CaseOutcome, EvaluationRun
from app.domain.review.history import (
    Decision,
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    HistoryOrder,
    LoggedAccess,
)
from app.domain.review.use import UsageCount
from app.domain.route import CachedRoute, LoggedRoute, RolloutStep, RouteColumns, RouteFilter, RouteOrder
from app.domain.running import RunRecord, ToolSchema
from app.ports.encoder import Halves, Vectors

# ---- What is taught and stored: memories, powers with their secrets, rules and cases.


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did: keys of the rows that are new, changed, or were there already as they are."""

    added: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    unchanged: int = 0


class Memories(Protocol):
    """The memories: all, found in order and then a page of them, added and taken out."""

    def memories(self) -> list[Memory]: ...
    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, falling: bool = False
    ) -> list[int]: ...
    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]: ...
    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """By namespace, label, tag and source: the values that memories have, and how many have each."""
        ...

    def add_memories(self, memories: Iterable[Memory], edit: Edit | None = None) -> Change:
        """Store new memories; one with the id, or without id the text and label, of a stored one replaces it."""
        ...

    def put_memory(self, memory: Memory) -> Memory:
        """Store one memory under its key, or as a new one if it has none; the stored memory with its key."""
        ...

    def remove_memory(self, key: int) -> None: ...


class Powers(Protocol):
    """The powers, and the values of their environments, which are kept apart from them."""

    def powers(self) -> list[Power]: ...
    def add_powers(self, powers: Iterable[Power], edit: Edit | None = None) -> Change:
        """Store powers; one with the name of a stored one replaces it (approval is kept only if the transport is)."""
        ...

    def environment(self, power: Power) -> dict[str, str]:
        """The environment of a stored power with its values, which `powers` leaves empty."""
        ...

    def secrets_place(self) -> str:
        """Where the values of environments are kept from now on, in a sentence."""
        ...

    def secrets_fault(self) -> str | None:
        """Where the values of environments are, in a sentence, if that is not where they should be."""
        ...


class Rules(Protocol):
    """The keyword rules."""

    def rules(self) -> list[Rule]: ...
    def put_rules(self, rules: Iterable[Rule], edit: Edit | None = None) -> Change:
        """Store rules by id; the others stay as they are."""
        ...


class Cases(Protocol):
    """The labelled queries: all, found in order and then a page of them, added and taken out."""

    def cases(self, task: Task | None = None) -> list[Case]: ...
    def find_cases(
        self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, falling: bool = False
    ) -> list[int]: ...
    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]: ...
    def cases_among(self, texts: Iterable[str]) -> frozenset[str]:
        """Those of the texts that are the query of a case, of whatever task."""
        ...

    def add_cases(self, cases: Iterable[Case], edit: Edit | None = None) -> Change:
        """Store cases; one with the task and text of a stored one replaces what that expected."""
        ...


class Taught(Memories, Powers, Rules, Cases, Protocol):
    """All four kinds of what is taught."""


class Secrets(Protocol):
    """Where the values of powers' environments are kept, apart from the library. May block; raises StoreError."""

    @property
    def place(self) -> str:
        """Where that is, in a sentence."""
        ...

    @property
    def is_fallback(self) -> bool:
        """Whether that is not where it should be."""
        ...

    def get(self, name: str) -> str | None: ...
    def put(self, name: str, value: str) -> None: ...
    def forget(self, name: str) -> None: ...
    def change(self, values: Mapping[str, str | None]) -> None:
        """Put many values and forget others, which are None: on the disk when it returns."""
        ...

    def strays(self, prefix: str) -> Sequence[str]:
        """The names that begin so, as far as they can be listed."""
        ...


# ---- What a person does is a step that can be taken back and done again, also after a restart (S7.2, S7.3).


class Changes(Protocol):
    """Units of work: each call changes items as one step of the journal."""

    def change(
        self, edit: Edit, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store items exactly as they are and delete others, as one step; None if that changes nothing.

        What is deleted makes room for an item of its name; what is to be stored is not deleted.

        StaleError if a stored item is not of the version that its edit was made on, and StoreError if a new one has
        the name of a stored one, unless `anyway`; that revives no approval (S5.5).
        """
        ...

    def edit_memories(self, edit: Edit, keys: Iterable[int], change: MemoryEdit) -> Written | None:
        """Make one change to many memories as one step, whose items are those that it changed; None if it is none."""
        ...

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int:
        """How many memories that edit would change."""
        ...


class Steps(Protocol):
    """The journal: what was done, newest first, taken back and done again."""

    def undo(self, step: int | None = None) -> Written | None:
        """Take back a step, or the last that stands; None if there is none.

        KnownError if its items or settings have changed since.
        """
        ...

    def redo(self) -> Written | None:
        """Do again what was taken back last; None if nothing was, or something else was done since."""
        ...

    def steps(self, most: int = 200, by: str | None = None) -> list[Step]:
        """The newest steps, newest first; those of one author where one is named, "" for one's own."""
        ...

    def history(self, kind: ThingKind, key: int) -> list[Revision]: ...
    def prune(self, days: int) -> None:
        """Forget what was done more than so many days ago."""
        ...


class Bin(Protocol):
    """What is deleted and can be put back."""

    def binned(self) -> list[Binned]: ...
    def put_back(self, edit: Edit, keys: Iterable[ItemKey]) -> Written | None: ...
    def empty_bin(self) -> None: ...


class SettingValues(Protocol):
    """The settings that were chosen in this profile; a choice may be a step of the journal."""

    def setting_values(self) -> dict[str, str]:
        """Settings changed in the window: dotted key to value as text."""
        ...

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Keep several settings, or with None forget them: all or none."""
        ...

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> bool:
        """Keep several settings, or with None forget them, as one step; False, and no step, if they are so already."""
        ...

    def settings_held(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        """The settings that `undo` of this step, or `redo`, would choose (None: forget); none for most steps."""
        ...


Difference = tuple[bytes, bytes]
"""Two things that a person has told apart: digests of 32 bytes, the lesser first; both may be the same."""


class Differences(Protocol):
    """What a person has told apart is never shown to be alike again; telling it is a step that can be undone."""

    def different(self) -> set[Difference]: ...
    def put_different(self, edit: Edit, pairs: Iterable[Difference]) -> Written | None:
        """Tell pairs apart as one step; None if they are already."""
        ...


# ---- Queries that were asked: one row for each source and text, with its latest answer (S7.4).


class PastQueries(Protocol):
    """The queries: kept, found in order, and read with or without their traces."""

    def note_queries(self, queries: Iterable[HistoryEntry]) -> list[int]:
        """Keep queries, whose keys are given here; their keys, in order.

        One with the source and text of a kept one takes its place: `times` are added up, and a decision stands unless
        the type or the first answer is another now. What comes without a text is known by its digest. Accesses join
        the log, and those that were told are counted for good.
        """
        ...

    def find_queries(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, falling: bool = False
    ) -> list[int]: ...
    def queries_by_key(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """The queries of these keys in their order, those that are there, without their traces."""
        ...

    def query(self, key: int) -> HistoryEntry | None:
        """One query with its trace and accesses."""
        ...

    def accesses_of(self, memory: int, most: int) -> list[LoggedAccess]:
        """The newest accesses of a memory, newest first."""
        ...

    def traced_queries(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """Several with their traces, in their order, those that are there."""
        ...

    def queries_of(self, texts: Iterable[str]) -> list[int]:
        """The keys of all queries with one of these texts, of any source."""
        ...

    def count_queries(self) -> HistoryCounts: ...


class Decisions(Protocol):
    """What a person, or the program, holds of a query."""

    def decide(self, edit: Edit | int, keys: Iterable[int], decision: Decision) -> Written | None:
        """Decide queries as a step of its own, or as part of a step (its number); None if none of them is there.

        Of the decisions whose step is not undone the one of the latest step is in force, for good once that step is
        forgotten; all of them go when another answer is in doubt. None, too, if the step of this number does not stand.
        """
        ...

    def doubt_also(self, key: int, doubts: Iterable[Doubt]) -> None:
        """Add doubts to a query's."""
        ...


class PastUpkeep(Protocol):
    """Queries forgotten, and their traces made smaller."""

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        """Forget queries for good, or all of them; how many went."""
        ...

    def prune_queries(self, days: int, most: int, accesses: int) -> int:
        """Forget what was asked longer ago, and the oldest beyond so many queries and so many accesses, some at a time;
        how many went: call again until none does."""
        ...

    def press_traces(self, after: int = 0) -> int | None:
        """Make kept traces smaller that an older program wrote, some at a time; the query to go on after, None at the
        end. They tell the same afterwards."""
        ...


class Runs(Protocol):
    """What is kept of powers' runs, by the key of the power. No part of the journal: nothing but a person approves."""

    def run_records(self) -> Mapping[int, RunRecord]: ...
    def note_run(
        self,
        key: int,
        *,
        approved: str | None = None,
        tools: Sequence[ToolSchema] | None = None,
        seen: Mapping[str, str] | None = None,
        activations: int = 0,
        calls: int = 0,
    ) -> None:
        """Change what is not None, and count on; a use makes now the time of the last.

        `approved` is emptied by whatever writes the power as not approved.
        """
        ...


class VectorStore(Protocol):
    """The vectors of texts, by where they come from."""

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, Vectors]:
        """The stored vectors of this provenance for those of the texts that have one, float32."""
        ...

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
        """Store vectors as they are, of 32 bits a number or 16."""
        ...

    def prune_embeddings(self, kept: Iterable[str], most: int) -> int:
        """Forget all vectors of at most so many of the texts that are not among these; how many vectors went."""
        ...

    def vector_counts(self) -> Mapping[Provenance, int]:
        """How many vectors are stored, by where they come from."""
        ...


class Maintenance(Protocol):
    """The library as a file: what is in it, whether it can be changed, who else writes to it, what it takes."""

    @property
    def refusal(self) -> str:
        """Why nothing can be changed here, and what to do; "" where it can."""
        ...

    def team(self) -> Membership | None:
        """The team's library that this one is a copy of; None where it is nobody else's."""
        ...

    def damaged(self) -> Mapping[str, Sequence[int | str]]:
        """By kind in words, the keys of rows that were passed over when they were read last, because they hold what
        they cannot."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Rows by table word: memories, powers, triggers, rules, cases, embeddings."""
        ...

    def data_version(self) -> int:
        """A number that changes when another connection has written."""
        ...

    def touched_memories(self) -> Sequence[int] | None:
        """The keys of the memories that others have changed or removed since this was asked last; None where nobody
        knows, so that it may be any."""
        ...

    def bytes_held(self) -> int:
        """How large the library is on the disk."""
        ...

    def give_back(self) -> None:
        """Give the disk back what is free in the library; all or nothing."""
        ...

    def close(self) -> None: ...


class Library(
    Taught,
    Changes,
    Steps,
    Bin,
    SettingValues,
    Differences,
    PastQueries,
    Decisions,
    PastUpkeep,
    Runs,
    VectorStore,
    Maintenance,
    Protocol,
):
    """The store of everything taught: the sum of what its users ask for, for who opens it and for the contract suite.

    Every call may block and may raise StoreError; every write is one transaction. A write with an edit is a step of the
    journal; one without leaves none, and cannot be taken back.
    """

    @property
    def routes(self) -> RouteStore:
        """What the router keeps here."""
        ...

    @property
    def llm_answers(self) -> LlmAnswerCache:
        """What the LLM said when evaluations asked it."""
        ...

    @property
    def evaluation_runs(self) -> EvaluationRuns:
        """The evaluations that were kept."""
        ...

    @property
    def use_counts(self) -> UseCounts:
        """What assistants did, by day."""
        ...


# ---- What the router keeps: the LLM's answers, the log of decisions, and which cases do not teach it (S6).


class RouteAnswers(Protocol):
    """Cache: what the LLM has answered."""

    def cached(self, asked: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        """What is kept under this digest from these times, oldest first, and a sentence if something was damaged.
        Everything else that was kept is forgotten."""
        ...

    def keep(self, kept: CachedRoute, most: int) -> None: ...
    def forget_cached(self) -> int: ...


class SharedAnswers(Protocol):
    """Cache: answers of the LLM that several programs share, under the same digest and normalised query. Each call may
    block; DataStoreError where nobody answers."""

    def reach(self) -> None:
        """Nothing, where it answers."""
        ...

    def get(self, digest: str, text: str) -> CachedRoute | None:
        """None also for what is no answer."""
        ...

    def put(self, kept: CachedRoute, seconds: float) -> None:
        """Keep an answer for so long."""
        ...

    def count(self, digest: str) -> int: ...
    def forget(self, digest: str, texts: Sequence[str] | None = None) -> int:
        """Forget the answers under a digest, or those of these queries under whatever digest; how many there were."""
        ...

    def close(self) -> None: ...


class RouteDecisions(Protocol):
    """Log: what was decided, and what it cost."""

    def note(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        """Add to the log; `hashed` without texts and reasons."""
        ...

    def find(self, wanted: RouteFilter) -> list[LoggedRoute]:
        """The newest first, each with the labels of the case of its text, if the library has one."""
        ...

    def columns(self, wanted: RouteFilter) -> RouteColumns:
        """What is measured of those that fit, the newest first."""
        ...

    def keys(self, wanted: RouteFilter, order: RouteOrder, *, falling: bool) -> list[int]:
        """The keys of those that fit, as many as are asked for, in this order."""
        ...

    def page(self, keys: Sequence[int]) -> list[LoggedRoute]:
        """The decisions of these keys that there still are, in any order, with their labels."""
        ...

    def count(self) -> int: ...
    def spent(self, since: float) -> float: ...
    def prune(self, before: float) -> int: ...


class RouteLessons(Protocol):
    """What cases expect of routes, and which of them do not teach the router."""

    def labels(self, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What cases expect of the routes of these texts, of those that have one."""
        ...

    def untaught(self, texts: Iterable[str]) -> set[str]: ...
    def let_teach(self, texts: Iterable[str], *, on: bool) -> None: ...


class Rollouts(Protocol):
    """Log: how many queries went by which candidate since when."""

    def note_rollout(self, step: RolloutStep) -> None: ...
    def rollouts(self, most: int) -> list[RolloutStep]:
        """The newest first."""
        ...


class RouteStore(RouteAnswers, RouteDecisions, RouteLessons, Rollouts, Protocol):
    """All that the router keeps. May block; StoreError. Times are seconds since 1970."""


class LlmAnswerCache(Protocol):
    """Cache: what the LLM said of labelled queries, under a digest of question, model and options. May block;
    StoreError. What is damaged in it counts as not kept."""

    def answers(self, asked: str, texts: Iterable[str]) -> list[StoredLlmAnswer]:
        """What is kept of these texts under this digest, in any order."""
        ...

    def keep(self, asked: str, answers: Iterable[StoredLlmAnswer], most: int) -> None:
        """Keep answers, each in place of the one of its text and run, and no more than so many, the newest."""
        ...


class EvaluationRuns(Protocol):
    """Evaluations that were kept, without the texts of their cases. May block; StoreError. What is damaged is passed
    over."""

    def keep(self, run: EvaluationRun, outcomes: Iterable[CaseOutcome], most: int) -> int:
        """Keep a run, and no more than so many in all, the newest; its key."""
        ...

    def runs(self) -> list[EvaluationRun]:
        """All that are kept, the newest first."""
        ...

    def outcomes(self, key: int, texts: Iterable[str]) -> list[CaseOutcome]:
        """What the cases with these texts came to in a run; none of a run that is not kept."""
        ...

    def forget(self, key: int | None = None) -> int:
        """Forget one, or without a key all; how many."""
        ...


class UseCounts(Protocol):
    """How often assistants came to what outcome, by day. May block; StoreError."""

    def add(self, counts: Iterable[UsageCount]) -> None:
        """Add to what was counted of the same day and outcome."""
        ...

    def since(self, day: int) -> list[UsageCount]:
        """All of this day and later ones, in any order."""
        ...

    def forget(self) -> None:
        """Forget all."""
        ...
