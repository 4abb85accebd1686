"""What the engine needs of the outside, in a few lines each, and the errors that the outside may raise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from app.domain.case import Case, Task
from app.domain.library import Memory, Power
from app.domain.rule import Rule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
else:
    # Ports import no library; what vectors are is for the type checker to know.
    Vectors = object


class KnownError(Exception):
    """Something that is expected to go wrong; the message is a sentence for the user, with what to do."""


class StoreError(KnownError):
    """The library cannot be opened or written: locked, read-only, damaged, newer than this program, disk full."""


class EncoderError(KnownError):
    """The encoder cannot be loaded or cannot encode: missing, altered or failing."""


class FormatError(KnownError):
    """A file cannot be read as what it was taken for."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where vectors come from; vectors of different provenance are never compared (S2.15)."""

    encoder: str
    revision: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did: keys of the rows that are new, changed, or were there already as they are."""

    added: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    unchanged: int = 0


Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Line(Generic[Content_co]):
    """A good line of a file: its number, from 1, and what it says."""

    number: int
    value: Content_co


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of a file that was left out: its number, from 1, and why, in a sentence."""

    line: int
    sentence: str


class Clock(Protocol):
    """Time that only moves forward, in milliseconds."""

    def now_ms(self) -> float: ...


class Embedder(Protocol):
    """Texts to unit vectors. May block; raises EncoderError."""

    @property
    def provenance(self) -> Provenance: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), dimension), float32, of length 1 (or 0 for a text without content)."""
        ...


class Library(Protocol):
    """The store of everything taught. Every call may block and may raise StoreError; every write is one transaction."""

    def memories(self) -> list[Memory]: ...
    def powers(self) -> list[Power]: ...
    def rules(self) -> list[Rule]: ...
    def cases(self, task: Task | None = None) -> list[Case]: ...

    def add_memories(self, memories: Iterable[Memory]) -> Change:
        """Store new memories; one with the id, or without id the text and label, of a stored one replaces it."""
        ...

    def add_powers(self, powers: Iterable[Power]) -> Change:
        """Store powers; one with the name of a stored one replaces it (approval is kept only if the transport is)."""
        ...

    def put_memory(self, memory: Memory) -> Memory:
        """Store one memory under its key, or as a new one if it has none; the stored memory with its key."""
        ...

    def remove_memory(self, key: int) -> None: ...

    def put_rules(self, rules: Iterable[Rule]) -> Change:
        """Store rules by id; the others stay as they are."""
        ...

    def add_cases(self, cases: Iterable[Case]) -> Change: ...

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The stored vectors of this provenance for those of the texts that have one."""
        ...

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors) -> None: ...

    def setting_values(self) -> dict[str, str]:
        """Settings changed in the window: dotted key to value as text."""
        ...

    def put_setting(self, key: str, value: str | None) -> None:
        """Keep a setting, or with None forget it."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Rows by table word: memories, powers, triggers, rules, cases, embeddings."""
        ...

    def data_version(self) -> int:
        """A number that changes when another connection has written."""
        ...

    def close(self) -> None: ...
