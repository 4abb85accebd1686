"""Candidate search on a team's server: which memories may answer a query, to be scored here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from app.ports.encoder import Vectors


@dataclass(frozen=True, slots=True)
class SearchStatus:
    """The state of a search index: how many triggers it holds, the change of the library up to which it is whole
    (`seq`) of how many there are (`head`), the encoder of its vectors ("" for none), and the share of
    the nearest ten that it finds, with the day that was measured (UTC, "2026-11-24"), None before it was."""

    triggers: int
    seq: int
    head: int
    encoder: str
    recall: float | None = None
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Memories that may answer a query, by their keys, each with the vectors of its triggers by their texts, shape
    (dimension,), of length 1: the library here may be older or newer than what was searched, as `status` tells.

    `touched` are memories that were changed since the server's index was made, without vectors: they may answer too.
    `by_meaning` and `by_words` count how many were found either way. `ms` is how long it took.
    """

    vectors: Mapping[int, Mapping[str, Vectors]]
    status: SearchStatus
    touched: tuple[int, ...] = ()
    by_meaning: int = 0
    by_words: int = 0
    ms: float = 0.0


class CandidateSearch(Protocol):
    """Finds candidates on a server. Every call may block; StoreError."""

    def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
        """At most `most` memories: the nearest in meaning, where there is a `vector` (shape (dimension,), of length
        1) of the `encoder` that the index has, and those with the rarest words of the text, or words spelled like
        them."""
        ...

    def status(self) -> SearchStatus | None:
        """The state of the index; None where there is none."""
        ...

    def close(self) -> None: ...
