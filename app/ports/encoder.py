"""Encoders from texts to vectors, provenance of vectors, and caches of derived data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from app.domain.confidence import Calibration
from app.domain.encoder import Provenance
from app.domain.fits import Refit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Arrays = Mapping[str, NDArray[np.generic]]
else:
    # Ports import no library at run time.
    Vectors = Halves = Arrays = object


@dataclass(frozen=True, slots=True)
class MappedArrays:
    """Memory-mapped arrays of a cache, copy-on-write, with spare capacity after `rows`.

    `release` frees the pages in memory; unsaved writes are lost.
    """

    arrays: Arrays
    rows: Mapping[str, int]
    release: Callable[[], None]


class VectorCache(Protocol):
    """Cache of data computed from the vectors of one provenance. Every call may block."""

    def load(self, provenance: Provenance) -> MappedArrays | None: ...

    def is_sound(self, provenance: Provenance) -> bool:
        """Verify the cached bytes; slower than `load`, which does not read them."""

    def save(self, provenance: Provenance, arrays: Arrays) -> None:
        """Replace the cached arrays; raises CacheError."""

    def drop(self, provenance: Provenance) -> None: ...


class CalibrationStore(Protocol):
    """Cache of the calibration fitted on a profile's library. Every call may block."""

    def load(self) -> Calibration | None: ...

    def save(self, calibration: Calibration) -> None:
        """Replace the cached values; after a failure they are fitted again at the next start."""


class FitStore(Protocol):
    """Cache of the weights fitted on a profile's library, as arrays. Every call may block."""

    def load(self) -> Arrays | None: ...

    def save(self, arrays: Arrays) -> None:
        """Replace the cached values; after a failure they are fitted again at the next start."""


class SharedFitStore(FitStore, Protocol):
    """Fit store of a profile, shared by several processes."""

    def stamp(self) -> object:
        """Return an identity of the stored values that each save changes; None if nothing is stored."""

    def claim(self) -> Callable[[], None] | None:
        """Claim the exclusive right to fit; a function that releases it, None if another has it."""


class RefitLog(Protocol):
    """Log of a profile's refits. Every call may block."""

    def load(self) -> list[Refit]:
        """Return the stored refits, newest first."""

    def add(self, refit: Refit) -> None:
        """Store a refit; the oldest are dropped."""


class Embedder(Protocol):
    """Encoder from texts to unit vectors. May block; raises EncoderError."""

    @property
    def provenance(self) -> Provenance: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts: shape (len(texts), dimension), float32, length 1 (0 for an empty text)."""


@runtime_checkable
class LayeredEncoder(Protocol):
    """Encoder with a second vector of a text, from its earlier layers, in the same pass.

    Classifiers use it: earlier layers keep more of the words than the last one.
    """

    @property
    def layers(self) -> Provenance:
        """Provenance of the second vectors, which are never compared with the first."""

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the vectors of `encode`, and unit vectors (len(texts), layers.dimension), float32.

        Raises EncoderError.
        """


@runtime_checkable
class LengthAware(Protocol):
    """Encoder that is faster on batches of texts with similar token counts."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, up to the encoder's limit. May block."""


class TokenCounter(Protocol):
    """Counts the tokens of texts. May block."""

    @property
    def name(self) -> str:
        """Display name of the tokenizer."""

    def count(self, texts: Sequence[str]) -> list[int]: ...


@runtime_checkable
class Closable(Protocol):
    """Object that holds a resource such as a connection; after `close`, pending calls fail."""

    def close(self) -> None: ...
