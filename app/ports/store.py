"""The store of one profile: Protocols of a few methods, each for who needs them, and Library, their sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.filters import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.intent import Rule
from app.domain.journal import Binned, Edit, Item, ItemKey, Revision, Step, ThingKind, Written
from app.domain.library import Dated, Membership, Memory, Power, StoredIntents
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
from app.domain.review.usage import UsageCount
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
    """Repository of memories: list, find sorted keys, then fetch a page by key; add and remove."""

    def memories(self) -> list[Memory]: ...
    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, descending: bool = False
    ) -> list[int]: ...
    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]: ...
    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """By namespace, label, tag and source: the values in use, and how many memories have each."""
        ...

    def add_memories(self, memories: Iterable[Memory], edit: Edit | None = None) -> Change:
        """Store new memories; one with the id, or without id the text and label, of a stored one replaces it."""
        ...

    def put_memory(self, memory: Memory) -> Memory:
        """Store one memory under its key, or as a new one if it has none; the stored memory with its key."""
        ...

    def remove_memory(self, key: int) -> None: ...


class Powers(Protocol):
    """Repository of powers, and the values of their environments, which are stored as secrets."""

    def powers(self) -> list[Power]: ...
    def add_powers(self, powers: Iterable[Power], edit: Edit | None = None) -> Change:
        """Store powers; one with the name of a stored one replaces it (approval is kept only if the transport is)."""
        ...

    def environment(self, power: Power) -> dict[str, str]:
        """The environment of a stored power with its values, which `powers` leaves empty."""
        ...

    def secrets_place(self) -> str:
        """Where the values of environments are stored from now on, in a sentence."""
        ...

    def secrets_fault(self) -> str | None:
        """A sentence on where the values of environments are stored, if that is not the keyring; else None."""
        ...


class Rules(Protocol):
    """Repository of keyword rules."""

    def rules(self) -> list[Rule]: ...
    def put_rules(self, rules: Iterable[Rule], edit: Edit | None = None) -> Change:
        """Store rules by id; the others stay as they are."""
        ...


class Cases(Protocol):
    """Repository of labelled queries: list, find sorted keys, then fetch a page by key; add."""

    def cases(self, task: Task | None = None) -> list[Case]: ...
    def find_cases(
        self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, descending: bool = False
    ) -> list[int]: ...
    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]: ...
    def cases_among(self, texts: Iterable[str]) -> frozenset[str]:
        """The texts that are the query of a case, of any task."""
        ...

    def add_cases(self, cases: Iterable[Case], edit: Edit | None = None) -> Change:
        """Store cases; one with the task and text of a stored one replaces what that expected."""
        ...


class Intents(Protocol):
    """Counts of memories, triggers, cases and past queries by intent."""

    def intents(self, least: float) -> StoredIntents:
        """Every label that a memory has or a case of intents expects; a query counts as answered by the label of its
        first answer from a confidence of `least` on."""
        ...


class TaughtItems(Memories, Powers, Rules, Cases, Protocol):
    """The repositories of all four kinds of taught items."""

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[Change]:
        """Store items of several kinds ("memories", "powers", "rules", "cases") as one step, each as its own method
        does: all of them or none."""
        ...


class Secrets(Protocol):
    """Secret storage for the values of powers' environments, outside the library. May block; raises StoreError."""

    @property
    def place(self) -> str:
        """Where the secrets are stored, in a sentence."""
        ...

    @property
    def is_fallback(self) -> bool:
        """Whether this is a fallback for a keyring that is missing."""
        ...

    def get(self, name: str) -> str | None: ...
    def put(self, name: str, value: str) -> None: ...
    def forget(self, name: str) -> None: ...
    def change(self, values: Mapping[str, str | None]) -> None:
        """Put many values and delete those that are None: on the disk when it returns."""
        ...

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        """The stored names with this prefix, as far as the storage can list them."""
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
        """Make one change to many memories as one step of those that it changed; None if it changed none."""
        ...

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int:
        """How many memories the edit would change."""
        ...


class Steps(Protocol):
    """The journal of steps: list, undo, redo."""

    def undo(self, step: int | None = None) -> Written | None:
        """Undo a step, or the last one that is not undone; None if there is none.

        KnownError if its items or settings have changed since.
        """
        ...

    def redo(self) -> Written | None:
        """Redo the step that was undone last; None if there is none, or another step was done since."""
        ...

    def steps(self, most: int = 200, by: str | None = None) -> list[Step]:
        """The newest steps, newest first; those of one author where one is named, "" for one's own."""
        ...

    def history(self, kind: ThingKind, key: int) -> list[Revision]: ...
    def prune(self, days: int) -> None:
        """Delete the steps of more than so many days ago."""
        ...


class Bin(Protocol):
    """The bin: deleted items that can be restored."""

    def binned(self) -> list[Binned]: ...
    def put_back(self, edit: Edit, keys: Iterable[ItemKey]) -> Written | None: ...
    def empty_bin(self) -> None: ...


class SettingValues(Protocol):
    """The settings stored in this profile; a change may be a step of the journal."""

    def setting_values(self) -> dict[str, str]:
        """Settings changed in the window: dotted key to value as text."""
        ...

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Store several settings, or with None delete them: all or nothing."""
        ...

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> bool:
        """Store several settings, or with None delete them, as one step; False, and no step, if nothing changes."""
        ...

    def settings_of_step(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        """The settings that `undo` of this step, or `redo`, would store (None: delete); none for most steps."""
        ...


DistinctPair = tuple[bytes, bytes]
"""Two triggers that a person marked as no duplicates: digests of 32 bytes, the lesser first; both may be the same."""


class DistinctPairs(Protocol):
    """Pairs that a person marked as no duplicates, so that they are not reported again; marking is an undoable step."""

    def distinct_pairs(self) -> set[DistinctPair]: ...
    def put_distinct_pairs(self, edit: Edit, pairs: Iterable[DistinctPair]) -> Written | None:
        """Mark pairs as no duplicates in one step; None if all of them are marked already."""
        ...


# ---- Queries that were asked: one row for each source and text, with its latest answer (S7.4).


class QueryHistory(Protocol):
    """Repository of past queries: add, find sorted keys, and fetch with or without traces."""

    def add_queries(self, queries: Iterable[HistoryEntry]) -> list[int]:
        """Store queries under new keys; the keys, in order.

        A query with the source and text of a stored one replaces it: `times` are added up, and a decision stands unless
        the type or the first answer has changed. A query without text is known by its digest. Accesses join the log,
        and those that reached an assistant are counted for good.
        """
        ...

    def find_queries(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, descending: bool = False
    ) -> list[int]: ...
    def queries_by_key(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """The stored queries of these keys, in their order, without traces."""
        ...

    def query(self, key: int) -> HistoryEntry | None:
        """One query with its trace and accesses."""
        ...

    def accesses_of(self, memory: int, most: int) -> list[LoggedAccess]:
        """The newest accesses of a memory, newest first."""
        ...

    def traced_queries(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """The stored queries of these keys, in their order, with traces."""
        ...

    def queries_of(self, texts: Iterable[str]) -> list[int]:
        """The keys of all queries with one of these texts, from any source."""
        ...

    def count_queries(self) -> HistoryCounts: ...


class Decisions(Protocol):
    """Decisions about past queries, and the reasons why they wait for one."""

    def decide(self, edit: Edit | int, keys: Iterable[int], decision: Decision) -> Written | None:
        """Decide queries in a step of its own, or as part of a step (its number); None if none of them is stored.

        The decision of the latest step that is not undone is in force, for good once that step is pruned; all of them
        are dropped when another answer is in doubt. None, too, if the step of this number is undone or gone.
        """
        ...

    def add_doubts(self, key: int, doubts: Iterable[Doubt]) -> None:
        """Add reasons for doubt to a stored query."""
        ...


class HistoryMaintenance(Protocol):
    """Deletion of past queries, and compression of their traces."""

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        """Delete queries for good, or all of them; how many were deleted."""
        ...

    def prune_queries(self, days: int, most: int, accesses: int) -> int:
        """Delete queries older than so many days, and the oldest beyond so many queries and accesses, in batches; how
        many were deleted: call again until none is."""
        ...

    def compress_traces(self, after: int = 0) -> int | None:
        """Recompress, without loss, a batch of the traces that an older program wrote; the key to go on after, None at
        the end."""
        ...


class PowerRuns(Protocol):
    """Run records of powers, by the key of the power. No part of the journal: only a person approves."""

    def run_records(self) -> Mapping[int, RunRecord]: ...
    def record_run(
        self,
        key: int,
        *,
        approved: str | None = None,
        tools: Sequence[ToolSchema] | None = None,
        seen: Mapping[str, str] | None = None,
        activations: int = 0,
        calls: int = 0,
    ) -> None:
        """Store what is not None, and add the counts; an activation or call sets the time of the last use.

        `approved` is emptied by whatever writes the power as not approved.
        """
        ...


class VectorStore(Protocol):
    """The stored vectors of texts, by provenance."""

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, Vectors]:
        """By text, the stored vectors of this provenance, float32; texts without one are left out."""
        ...

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
        """Store vectors as they are, float32 or float16."""
        ...

    def prune_embeddings(self, kept: Iterable[str], most: int) -> int:
        """Delete the vectors of at most `most` texts that are not among `kept`; how many vectors were deleted."""
        ...

    def vector_counts(self) -> Mapping[Provenance, int]:
        """How many vectors are stored, by provenance."""
        ...


class Maintenance(Protocol):
    """The library as a file: row counts, write access, other writers, size on disk."""

    @property
    def refusal(self) -> str:
        """Why nothing can be changed here, and what to do; "" where it can."""
        ...

    def team(self) -> Membership | None:
        """The team's library that this one is a copy of; None for a library of one's own."""
        ...

    def damaged(self) -> Mapping[str, Sequence[int | str]]:
        """By kind in words, the keys of damaged rows that were skipped when they were read last."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Rows by table word: memories, powers, triggers, rules, cases, embeddings."""
        ...

    def data_version(self) -> int:
        """A number that changes whenever another connection has written."""
        ...

    def changed_memories(self) -> Sequence[int] | None:
        """The keys of the memories that others have changed or removed since the last call; None where that is unknown,
        so that it may be any."""
        ...

    def size_bytes(self) -> int:
        """The size of the library on the disk, in bytes."""
        ...

    def reclaim_space(self) -> None:
        """Return free pages of the library to the disk; all or nothing."""
        ...

    def close(self) -> None: ...


class Library(
    TaughtItems,
    Intents,
    Changes,
    Steps,
    Bin,
    SettingValues,
    DistinctPairs,
    QueryHistory,
    Decisions,
    HistoryMaintenance,
    PowerRuns,
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
        """The router's answer cache, decision log and examples."""
        ...

    @property
    def llm_answers(self) -> LlmAnswerCache:
        """The LLM's answers to labelled queries."""
        ...

    @property
    def evaluation_runs(self) -> EvaluationRuns:
        """The stored evaluations."""
        ...

    @property
    def usage_counts(self) -> UsageCounts:
        """What assistants did, by day."""
        ...


# ---- The router: the cache of LLM answers, the log of decisions, and the cases that teach it (S6).


class RouteAnswerCache(Protocol):
    """Cache of the LLM's answers to route questions."""

    def find_answers(self, question_digest: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        """The answers stored under this digest between these times, oldest first, and a sentence if some were damaged.
        All other answers are deleted."""
        ...

    def keep(self, kept: CachedRoute, most: int) -> None: ...
    def clear_answers(self) -> int: ...


class SharedAnswerCache(Protocol):
    """Cache of the LLM's answers that several programs share, by digest and normalised query. Each call may block;
    DataStoreError where the server does not answer."""

    def ping(self) -> None:
        """Check that the server answers."""
        ...

    def get(self, digest: str, text: str) -> CachedRoute | None:
        """The cached answer; None for none, and for an unreadable one."""
        ...

    def put(self, kept: CachedRoute, seconds: float) -> None:
        """Store an answer with this time to live."""
        ...

    def count(self, digest: str) -> int: ...
    def forget(self, digest: str, texts: Sequence[str] | None = None) -> int:
        """Delete the answers under a digest, or those to these queries under any digest; how many there were."""
        ...

    def close(self) -> None: ...


class RouteDecisionLog(Protocol):
    """Log of route decisions, with what they cost."""

    def add(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        """Append to the log; with `hashed` as digests, without texts and reasons."""
        ...

    def find(self, wanted: RouteFilter) -> list[LoggedRoute]:
        """The matching decisions, newest first, each with the labels of the case of its text, if there is one."""
        ...

    def columns(self, wanted: RouteFilter) -> RouteColumns:
        """The measured columns of the matching decisions, newest first."""
        ...

    def keys(self, wanted: RouteFilter, order: RouteOrder, *, descending: bool) -> list[int]:
        """The keys of the matching decisions, in this order, as many as the filter asks for."""
        ...

    def page(self, keys: Sequence[int]) -> list[LoggedRoute]:
        """The logged decisions of these keys, in any order, with their labels."""
        ...

    def count(self) -> int: ...
    def cost_since(self, since: float) -> float: ...
    def prune(self, before: float) -> int: ...


class RouteExamples(Protocol):
    """The cases for routes: what they expect, and which of them do not teach the router."""

    def labels(self, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """By text, the routes that a case expects; texts without a case are left out."""
        ...

    def non_teaching(self, texts: Iterable[str]) -> set[str]: ...
    def set_teaching(self, texts: Iterable[str], *, on: bool) -> None: ...


class RolloutLog(Protocol):
    """Log of roll-outs: which candidate got how many queries since when."""

    def add_rollout(self, step: RolloutStep) -> None: ...
    def rollouts(self, most: int) -> list[RolloutStep]:
        """The newest entries first."""
        ...


class RouteStore(RouteAnswerCache, RouteDecisionLog, RouteExamples, RolloutLog, Protocol):
    """The router's whole store. May block; StoreError. Times are seconds since 1970."""


class LlmAnswerCache(Protocol):
    """Cache of the LLM's answers to labelled queries, by a digest of question, model and options. May block;
    StoreError. Damaged answers count as missing."""

    def answers(self, question_digest: str, texts: Iterable[str]) -> list[StoredLlmAnswer]:
        """The answers to these texts under this digest, in any order."""
        ...

    def keep(self, question_digest: str, answers: Iterable[StoredLlmAnswer], most: int) -> None:
        """Store answers, each in place of the one of its text and run; at most `most` stay, the newest."""
        ...


class EvaluationRuns(Protocol):
    """Stored evaluations, without the texts of their cases. May block; StoreError. Damaged ones are skipped."""

    def keep(self, run: EvaluationRun, outcomes: Iterable[CaseOutcome], most: int) -> int:
        """Store a run; at most `most` stay, the newest. Its key."""
        ...

    def runs(self) -> list[EvaluationRun]:
        """All stored runs, newest first."""
        ...

    def outcomes(self, key: int, texts: Iterable[str]) -> list[CaseOutcome]:
        """The outcomes of the cases with these texts in a run; none for a run that is not stored."""
        ...

    def forget(self, key: int | None = None) -> int:
        """Delete one run, or without a key all; how many."""
        ...


class UsageCounts(Protocol):
    """Counts of what assistants did, by day and outcome. May block; StoreError."""

    def add(self, counts: Iterable[UsageCount]) -> None:
        """Add to the counts of the same day and outcome."""
        ...

    def since(self, day: int) -> list[UsageCount]:
        """All counts of this day and later ones, in any order."""
        ...

    def forget(self) -> None:
        """Delete all counts."""
        ...
