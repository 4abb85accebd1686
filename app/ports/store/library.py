"""The library of one profile: what the smaller Protocols of the store add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from app.domain.encoder import Provenance
from app.domain.running import RunRecord, ToolSchema
from app.ports.encoder import Halves, Vectors
from app.ports.store.journal import Bin, Changes, Differences, SettingValues, Steps
from app.ports.store.past import Decisions, PastQueries, PastUpkeep
from app.ports.store.routes import RouteStore
from app.ports.store.taught import Taught


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

    Every call may block and may raise StoreError; every write is one transaction. A write with a deed is a step of the
    journal; one without leaves none, and cannot be taken back.
    """

    @property
    def routes(self) -> RouteStore:
        """What the router keeps here."""
        ...
