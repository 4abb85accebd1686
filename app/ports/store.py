"""Store of one profile: small Protocols, each for its consumers, and Library, their sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.domain.case import Case, CaseOutcome, EvaluationRun, Task
from app.domain.encoder import Provenance
from app.domain.filters import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.history import (
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    HistoryOrder,
    Judgement,
    LoggedAccess,
    UsageCount,
)
from app.domain.intent import Rule
from app.domain.journal import Binned, Edit, Item, ItemKey, ItemKind, Revision, Step, Written
from app.domain.library import Dated, Membership, Memory, Power, StoredIntents
from app.domain.llm import StoredLlmAnswer
from app.domain.route import CachedRoute, LoggedRoute, RolloutStep, RouteColumns, RouteFilter, RouteOrder
from app.domain.running import RunRecord, ToolSchema
from app.ports.encoder import Halves, Vectors

# ---- Stored items: memories, powers with their secrets, rules and cases.


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Result of a write: keys of added and updated rows, and the number of unchanged ones."""

    added: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    unchanged: int = 0


class Memories(Protocol):
    """Repository of memories: list, find sorted keys, fetch a page by key."""

    def memories(self) -> list[Memory]: ...
    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, descending: bool = False
    ) -> list[int]: ...
    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]: ...
    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Count the memories of each namespace, label, tag and source in use, most frequent first."""


class Powers(Protocol):
    """Repository of powers, and their environments' values, which are stored as secrets."""

    def powers(self) -> list[Power]: ...
    def environment(self, power: Power) -> dict[str, str]:
        """Return the environment of a stored power with its values, which `powers` leaves empty."""

    def secrets_place(self) -> str:
        """Describe in a sentence where the values of environments will be stored."""

    def secrets_fault(self) -> str | None:
        """Describe where the values of environments are stored, if not in the keyring; else None."""


class Rules(Protocol):
    """Repository of keyword rules."""

    def rules(self) -> list[Rule]: ...


class Cases(Protocol):
    """Repository of labelled queries: list, find sorted keys, fetch a page by key."""

    def cases(self, task: Task | None = None) -> list[Case]: ...
    def find_cases(
        self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, descending: bool = False
    ) -> list[int]: ...
    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]: ...
    def cases_among(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the texts that are the query of a case, of any task."""


class Intents(Protocol):
    """Counts of memories, triggers, cases and past queries by intent."""

    def intents(self, least: float) -> StoredIntents:
        """Return every label of a memory or of an intent case.

        A query counts as answered by the label of its first answer at a confidence of at least `least`.
        """


class TaughtItems(Memories, Powers, Rules, Cases, Protocol):
    """Repositories of all four kinds of items."""

    def add(self, kind: str, items: Iterable[Any], edit: Edit | None = None) -> WriteResult:
        """Store "memories", "powers", "rules" or "cases"; one of equal identity replaces the stored item.

        Identity is a memory's id, or without id its text and label; a power's name, whose approval remains only for
        an equal transport; a rule's id; a case's task and text.
        """

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[WriteResult]:
        """Store items of several kinds in one step, like `add`; all or nothing."""


class Secrets(Protocol):
    """Secret storage for environments of powers, outside the library. May block.

    Raises StoreError.
    """

    @property
    def place(self) -> str:
        """Place of the secrets, in a sentence."""

    @property
    def is_fallback(self) -> bool:
        """True if this replaces a missing keyring."""

    def get(self, name: str) -> str | None: ...
    def put(self, name: str, value: str) -> None: ...
    def forget(self, name: str) -> None: ...
    def change(self, values: Mapping[str, str | None]) -> None:
        """Store several values and delete those that are None; on disk on return."""

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        """Return the stored names with this prefix, where the storage can list them."""


# ---- Edits are steps that can be undone and redone, also after a restart (S7.2, S7.3).


DistinctPair = tuple[bytes, bytes]
"""Triggers marked as no duplicates: digests of 32 bytes, the smaller first, possibly equal."""


class Changes(Protocol):
    """Units of work: each call changes items as one step of the journal."""

    def change(
        self, edit: Edit, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store items exactly as given and delete others, in one step; None if nothing changes.

        A deleted item's name is free for a stored one; an item to be stored is not deleted.

        Raises StaleError if a stored item has another version than its edit, and StoreError if a new one has the
        name of a stored one, unless `anyway`, which restores no approval (S5.5).
        """

    def edit_memories(self, edit: Edit, keys: Iterable[int], change: MemoryEdit) -> Written | None:
        """Apply an edit to many memories of any version in one step; None if nothing changes."""

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int: ...
    def distinct_pairs(self) -> set[DistinctPair]: ...
    def put_distinct_pairs(self, edit: Edit, pairs: Iterable[DistinctPair]) -> Written | None:
        """Mark pairs as no duplicates in one step; None if all are marked already."""


class Steps(Protocol):
    """Journal of steps: list, undo, redo; and the bin of deleted items."""

    def undo(self, step: int | None = None) -> Written | None:
        """Undo a step, or the last one in force; None if there is none.

        Raises KnownError if its items or settings have changed since.
        """

    def redo(self) -> Written | None:
        """Redo the last undone step; None without one, or after another step."""

    def steps(self, most: int = 200, by: str | None = None) -> list[Step]:
        """Return the newest steps, newest first, optionally of one author; "" for the user."""

    def history(self, kind: ItemKind, key: int) -> list[Revision]: ...
    def prune(self, days: int) -> None:
        """Delete the steps older than this many days."""

    def binned(self) -> list[Binned]: ...
    def put_back(self, edit: Edit, keys: Iterable[ItemKey]) -> Written | None: ...
    def empty_bin(self) -> None: ...


class SettingValues(Protocol):
    """Settings stored in this profile; a change may be a step of the journal."""

    def setting_values(self) -> dict[str, str]:
        """Return the stored settings, without damaged ones: dotted key to value as text."""

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Store several settings, or delete them with None; all or nothing."""

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> int | None:
        """Store or delete (None) several settings as one step; return its number, None if unchanged."""

    def settings_of_step(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        """Return the settings that undo or redo of a step would store (None: delete); mostly empty."""


# ---- Past queries: one row for each source and text, with its latest answer (S7.4).


class QueryHistory(Protocol):
    """Repository of past queries: add, find sorted keys, fetch with or without traces."""

    def add_queries(self, queries: Iterable[HistoryEntry]) -> list[int]:
        """Store queries under new keys; return the keys, in order.

        A query with the source and text of a stored one replaces it: `times` are added up, and a decision is kept
        unless the type or the first answer has changed. A query without text is identified by its digest. Accesses
        are added to the log, and injections are counted permanently.
        """

    def find_queries(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, descending: bool = False
    ) -> list[int]: ...
    def queries_by_key(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """Return the undamaged queries of these keys, in their order, without traces."""

    def query(self, key: int) -> HistoryEntry | None:
        """Return a query with its trace and accesses; None if it is not stored."""

    def accesses_of(self, memory: int, most: int) -> list[LoggedAccess]:
        """Return the newest accesses of a memory, newest first."""

    def traced_queries(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """Return the stored queries of these keys, in their order, with traces."""

    def queries_of(self, texts: Iterable[str]) -> list[int]:
        """Return the keys of all queries with one of these texts, from any source."""

    def count_queries(self) -> HistoryCounts: ...


class Decisions(Protocol):
    """Decisions about past queries, and the reasons that they wait for one."""

    def decide(self, edit: Edit | int, keys: Iterable[int], decision: Judgement) -> Written | None:
        """Decide queries in their own step or as part of a step, by number; None if none is stored.

        The decision of the latest step in force applies, permanently once that step is pruned; a new answer in
        doubt drops all decisions. Also None if the step of this number is undone or missing.
        """

    def add_doubts(self, key: int, doubts: Iterable[Doubt]) -> None:
        """Add reasons for doubt to a stored query."""


class HistoryMaintenance(Protocol):
    """Deletion of past queries, and compression of their traces."""

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        """Delete queries permanently, or all with the stored evaluations; return the number deleted."""

    def prune_queries(self, days: int, most: int, accesses: int) -> int:
        """Delete a batch of queries beyond the limits of days, queries and accesses.

        Return the number deleted; call again until it is 0.
        """

    def compress_traces(self, after: int = 0) -> int | None:
        """Recompress a batch of old traces without loss.

        Returns the key to continue after, None at the end.
        """


class PowerRuns(Protocol):
    """Run records of powers, by the power's key. Not in the journal: only the user approves."""

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
        """Store the values that are not None, and add the counts.

        An activation or call sets `last_used`. Any write of the power as not approved clears `approved`.
        """


class VectorStore(Protocol):
    """Stored vectors of texts, by provenance."""

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the stored vectors of this provenance by text, float32; missing texts are left out."""

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
        """Store vectors unchanged, float32 or float16."""

    def prune_embeddings(self, kept: Iterable[str], most: int) -> int:
        """Delete the vectors of at most `most` texts not in `kept`; return the number deleted."""

    def vector_counts(self) -> Mapping[Provenance, int]: ...


class Maintenance(Protocol):
    """The library as a file: row counts, write access, other writers, size on disk."""

    @property
    def refusal(self) -> str:
        """Reason that nothing can be changed, and what to do; "" if writable."""

    def team(self) -> Membership | None:
        """Return the team library that this is a copy of; None for an own library."""

    def damaged(self) -> Mapping[str, Sequence[int | str]]:
        """Return the keys of damaged rows skipped at the last read, by kind."""

    def counts(self) -> Mapping[str, int]:
        """Return the number of rows: memories, powers, triggers, rules, cases, embeddings."""

    def data_version(self) -> int:
        """Return a number that changes whenever another connection has written."""

    def changed_memories(self) -> Sequence[int] | None:
        """Return the keys of memories changed by others since the last call; None if unknown."""

    def size_bytes(self) -> int:
        """Return the size of the library on disk with its log, in bytes."""

    def reclaim_space(self) -> None:
        """Return free pages of the library to the disk; all or nothing."""

    def close(self) -> None: ...


class Library(
    TaughtItems,
    Intents,
    Changes,
    Steps,
    SettingValues,
    QueryHistory,
    Decisions,
    HistoryMaintenance,
    PowerRuns,
    VectorStore,
    Maintenance,
    Protocol,
):
    """Store of a whole library, for its opener and the contract tests.

    Every call may block and may raise StoreError; every write is one transaction. A write with an edit is a step of
    the journal; one without cannot be undone.
    """

    @property
    def routes(self) -> RouteStore:
        """Answer cache, decision log and examples of the router."""

    @property
    def llm_answers(self) -> LlmAnswerCache:
        """Answers of the LLM to labelled queries."""

    @property
    def evaluation_runs(self) -> EvaluationRuns:
        """Stored evaluations."""

    @property
    def usage_counts(self) -> UsageCounts:
        """Counts of assistants' usage, by day."""


# ---- Router: the cache of LLM answers, the log of decisions, and the cases that train it (S6).


class SharedAnswerCache(Protocol):
    """Cache of LLM answers shared by several programs, by digest and normalised query.

    Each call may block; raises DataStoreError if the server does not answer.
    """

    def ping(self) -> None:
        """Check that the server answers."""

    def get(self, digest: str, text: str) -> CachedRoute | None:
        """Return the cached answer; None if missing or unreadable."""

    def put(self, kept: CachedRoute, seconds: float) -> None:
        """Store an answer with this time to live."""

    def count(self, digest: str) -> int: ...
    def forget(self, digest: str, texts: Sequence[str] | None = None) -> int:
        """Delete the answers of a digest, or to these queries under any digest; return their number."""

    def close(self) -> None: ...


class RouteStore(Protocol):
    """The router's whole store. May block; raises StoreError. Times are seconds since 1970."""

    # ---- cached answers of the LLM

    def find_answers(self, question_digest: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        """Return the answers of this digest and period, oldest first, and a sentence on damage.

        All other answers are deleted.
        """

    def keep(self, kept: CachedRoute, most: int) -> None: ...
    def clear_answers(self) -> int: ...

    # ---- log of decisions

    def add(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        """Append to the log; with `hashed` as digests, without texts and reasons."""

    def find(self, wanted: RouteFilter) -> list[LoggedRoute]:
        """Return the matching decisions, newest first, with the labels of their texts' cases."""

    def columns(self, wanted: RouteFilter) -> RouteColumns:
        """Return the measured columns of the matching decisions, newest first."""

    def keys(self, wanted: RouteFilter, order: RouteOrder, *, descending: bool) -> list[int]:
        """Return the keys of the matching decisions in this order, up to the filter's limit."""

    def page(self, keys: Sequence[int]) -> list[LoggedRoute]:
        """Return the logged decisions of these keys, in any order, with their labels."""

    def count(self) -> int: ...
    def cost_since(self, since: float) -> float: ...
    def prune(self, before: float) -> int: ...

    # ---- expectations of cases, and cases excluded from training

    def labels(self, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the routes that cases expect, by text; texts without a case are left out."""

    def non_teaching(self, texts: Iterable[str]) -> set[str]: ...
    def set_teaching(self, texts: Iterable[str], *, on: bool) -> None: ...

    # ---- log of roll-outs: candidates, their share of queries, and start times

    def add_rollout(self, step: RolloutStep) -> None: ...
    def rollouts(self, most: int) -> list[RolloutStep]:
        """Return the newest entries first."""


class LlmAnswerCache(Protocol):
    """Cache of LLM answers to labelled queries, by a digest of request, model and options.

    May block; raises StoreError. Damaged answers count as missing.
    """

    def answers(self, question_digest: str, texts: Iterable[str]) -> list[StoredLlmAnswer]:
        """Return the answers to these texts under this digest, in any order."""

    def keep(self, question_digest: str, answers: Iterable[StoredLlmAnswer], most: int) -> None:
        """Store answers, replacing equal texts and runs; at most `most` remain, the newest."""


class EvaluationRuns(Protocol):
    """Stored evaluations, without the texts of their cases.

    May block; raises StoreError. Damaged ones are skipped.
    """

    def keep(self, run: EvaluationRun, outcomes: Iterable[CaseOutcome], most: int) -> int:
        """Store a run and return its key; at most `most` remain, the newest."""

    def runs(self) -> list[EvaluationRun]:
        """Return all stored runs, newest first; damaged rows are skipped."""

    def outcomes(self, key: int, texts: Iterable[str]) -> list[CaseOutcome]:
        """Return the outcomes of a run for these texts, in any order; empty for an unknown run."""

    def forget(self, key: int | None = None) -> int:
        """Delete one run, or all without a key; return the number deleted."""


class UsageCounts(Protocol):
    """Counts of assistants' usage, by day and outcome. May block; raises StoreError."""

    def add(self, counts: Iterable[UsageCount]) -> None:
        """Add to the counts of the same day and outcome."""

    def since(self, day: int) -> list[UsageCount]:
        """Return all counts of this day and later ones, in any order."""

    def forget(self) -> None:
        """Delete all counts."""
