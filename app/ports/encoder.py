"""What the engine needs of an encoder: vectors, what is known of them, and where they are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from app.domain.confidence import Calibration
from app.domain.encoder import Provenance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Arrays = Mapping[str, NDArray[np.generic]]
else:
    # Ports import no library; what vectors are is for the type checker to know.
    Vectors = Halves = Arrays = object


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


class KeptFit(Protocol):
    """Keeps what was learned of what a profile teaches, as arrays. Every call may block; nothing here is a record."""

    def load(self) -> Arrays | None: ...

    def save(self, arrays: Arrays) -> None:
        """Keep these instead; where that cannot be, they are fitted again at the next start."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors. May block; raises EncoderError."""

    @property
    def provenance(self) -> Provenance: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), dimension), float32, of length 1 (or 0 for a text without content)."""
        ...


@runtime_checkable
class LayeredEncoder(Protocol):
    """An encoder that has more to tell of a text than the vector that is compared, from the same pass over it.

    What learns from labels reads that: earlier layers still know the words, which the last one gives up for meaning.
    """

    @property
    def layers(self) -> Provenance:
        """Where the second vectors come from; they are never compared with the first."""
        ...

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """What `encode` makes, and unit vectors of shape (len(texts), layers.dimension), float32. EncoderError."""
        ...


@runtime_checkable
class LengthAware(Protocol):
    """An encoder that takes the less time for texts the nearer their lengths in tokens are."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens it reads of each text. May block."""
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
