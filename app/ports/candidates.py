"""Candidate search on a team's server: memories that may answer a query, for scoring here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from app.ports.encoder import Vectors


@dataclass(frozen=True, slots=True)
class SearchStatus:
    """State of a search index on a server.

    `triggers` indexed triggers, complete up to change `seq` of the library's `head`; `encoder` of its vectors (""
    for none); `recall`, the share of the nearest ten that it finds, and the day of that measurement (UTC,
    "2026-11-24"), None before it.
    """

    triggers: int
    seq: int
    head: int
    encoder: str
    recall: float | None = None
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Memories that may answer a query, by key, with the vectors of their triggers by text.

    Vectors have shape (dimension,) and length 1. The local library may be older or newer than the index, as
    `status` shows. `touched` memories changed after the indexing and have no vectors. `by_meaning` and `by_words`
    count the memories found by each; `ms` is the search time.
    """

    vectors: Mapping[int, Mapping[str, Vectors]]
    status: SearchStatus
    touched: tuple[int, ...] = ()
    by_meaning: int = 0
    by_words: int = 0
    ms: float = 0.0


class CandidateSearch(Protocol):
    """Candidate search on a server. Every call may block; raises StoreError."""

    def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
        """Find at most `most` memories by meaning and by words.

        By meaning, if `vector` (shape (dimension,), length 1) is of the index's `encoder`; by words, those with the
        rarest words of the text or similar spellings.
        """
        ...

    def status(self) -> SearchStatus | None:
        """Return the state of the index; None without one."""
        ...

    def close(self) -> None: ...
