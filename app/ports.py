"""What the engine needs of the outside, in a few lines each, and the errors that the outside may raise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, runtime_checkable

from app.domain.case import Case, Task
from app.domain.chance import Calibration
from app.domain.journal import Deed, Item, name_of
from app.domain.library import Memory, Power
from app.domain.rule import Rule
from app.library_ports import Catalogue, Differences, Journal, Past, RouteStore, Runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Arrays = Mapping[str, NDArray[np.generic]]
else:
    # Ports import no library; what vectors are is for the type checker to know.
    Vectors = Arrays = object


class KnownError(Exception):
    """Something that is expected to go wrong; the message is a sentence for the user, with what to do."""


class StoreError(KnownError):
    """The library cannot be opened or written: locked, read-only, damaged, newer than this program, disk full.

    `in_folder`: it can only be mended in the profile's folder; trying again by itself is no use.
    """

    in_folder = False


class FolderError(StoreError):
    """One of those that can only be mended in the profile's folder."""

    in_folder = True


class StoreGoneError(StoreError):
    """The library that is open is not the one that lies in its place any more: removed, or replaced by another."""


class StoreBusyError(StoreError):
    """Another program is writing to the library and did not let go in time; nothing was begun."""


class StaleError(KnownError):
    """An edit was made on an older version than the stored one: `present` is that, None if it is deleted by now.

    To write `mine` all the same, give it the version of `present`, or where that is None, restore it.
    """

    def __init__(self, mine: Item, present: Item | None) -> None:
        what = "deleted" if present is None else "changed"
        super().__init__(f"“{name_of(mine)}” has been {what} elsewhere since you opened it, so nothing was changed.")
        self.mine, self.present = mine, present


class EncoderError(KnownError):
    """The encoder cannot be loaded or cannot encode: missing, altered or failing."""


class CacheError(KnownError):
    """What could be worked out again cannot be kept: disk full, read-only folder."""


class FormatError(KnownError):
    """A file cannot be read as what it was taken for."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where vectors come from; vectors of different provenance are never compared (S2.15)."""

    encoder: str
    revision: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a cache kept: arrays that may be written to without changing it, each with room to grow behind its `rows`.

    `release` gives back the memory of what was only read; what was written by then is lost.
    """

    arrays: Arrays
    rows: Mapping[str, int]
    release: Callable[[], None]


class VectorCache(Protocol):
    """Keeps what an index worked out from vectors of one provenance. Every call may block; nothing here is a record."""

    def load(self, provenance: Provenance) -> Mapped | None: ...

    def is_sound(self, provenance: Provenance) -> bool:
        """Whether what is kept is what was saved; slower than `load`, which looks at its outside only."""
        ...

    def save(self, provenance: Provenance, arrays: Arrays) -> None:
        """Keep these arrays instead; CacheError."""
        ...

    def drop(self, provenance: Provenance) -> None: ...


class KeptCalibration(Protocol):
    """Keeps the scales that were fitted on what a profile teaches. Every call may block; nothing here is a record."""

    def load(self) -> Calibration | None: ...

    def save(self, calibration: Calibration) -> None:
        """Keep these instead; where that cannot be, they are fitted again at the next start."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did: keys of the rows that are new, changed, or were there already as they are."""

    added: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    unchanged: int = 0


Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Line(Generic[Content_co]):
    """A good line of a file: its number, from 1, what it says, and in a sentence what of it was left out, if any."""

    number: int
    value: Content_co
    note: str = ""


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


class TokenCounter(Protocol):
    """Counts the tokens of texts. May block."""

    @property
    def name(self) -> str:
        """What tokens it counts, as people are told."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]: ...


@runtime_checkable
class Closable(Protocol):
    """What holds something that can be let go, such as a connection; whoever waits for an answer gets an error."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """What is known of an encoder before it is loaded.

    `bytes_on_disk` is None where that is not known; `fault` a sentence why it cannot be loaded, with what to do, and
    `remedy` what the program can do about it: "install", "download" or nothing.
    """

    bytes_on_disk: int | None = None
    is_offline: bool = True
    fault: str = ""
    remedy: str = ""


class Library(Journal, Catalogue, Differences, Past, Runs, Protocol):
    """The store of everything taught. Every call may block and may raise StoreError; every write is one transaction.

    A write with a deed is a step of the journal; one without leaves none, and cannot be taken back.
    """

    @property
    def routes(self) -> RouteStore:
        """What the router keeps here."""
        ...

    def memories(self) -> list[Memory]: ...
    def powers(self) -> list[Power]: ...
    def rules(self) -> list[Rule]: ...
    def cases(self, task: Task | None = None) -> list[Case]: ...

    def add_memories(self, memories: Iterable[Memory], deed: Deed | None = None) -> Change:
        """Store new memories; one with the id, or without id the text and label, of a stored one replaces it."""
        ...

    def add_powers(self, powers: Iterable[Power], deed: Deed | None = None) -> Change:
        """Store powers; one with the name of a stored one replaces it (approval is kept only if the transport is)."""
        ...

    def put_memory(self, memory: Memory) -> Memory:
        """Store one memory under its key, or as a new one if it has none; the stored memory with its key."""
        ...

    def remove_memory(self, key: int) -> None: ...

    def put_rules(self, rules: Iterable[Rule], deed: Deed | None = None) -> Change:
        """Store rules by id; the others stay as they are."""
        ...

    def add_cases(self, cases: Iterable[Case], deed: Deed | None = None) -> Change:
        """Store cases; one with the task and text of a stored one replaces what that expected."""
        ...

    def remove_cases(self, cases: Iterable[Case]) -> None:
        """Forget the cases of these tasks and texts; others, and those that are not there, are let be."""
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

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The stored vectors of this provenance for those of the texts that have one."""
        ...

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors) -> None: ...

    def prune_embeddings(self, kept: Iterable[str], most: int) -> int:
        """Forget all vectors of at most so many of the texts that are not among these; how many vectors went."""
        ...

    def vector_counts(self) -> Mapping[Provenance, int]:
        """How many vectors are stored, by where they come from."""
        ...

    def setting_values(self) -> dict[str, str]:
        """Settings changed in the window: dotted key to value as text."""
        ...

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Keep several settings, or with None forget them: all or none."""
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
