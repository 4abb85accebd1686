"""Encoders: texts to vectors, where the vectors come from, and the caches of what was computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from app.domain.confidence import Calibration
from app.domain.encoder import Provenance
from app.domain.scope.fits import Refit

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
class MappedArrays:
    """Memory-mapped arrays of a cache, copy-on-write, each with room to grow behind its `rows`.

    `release` frees the pages that were only read; what was written by then is lost.
    """

    arrays: Arrays
    rows: Mapping[str, int]
    release: Callable[[], None]


class VectorCache(Protocol):
    """Cache of what an index computed from the vectors of one provenance. Every call may block."""

    def load(self, provenance: Provenance) -> MappedArrays | None: ...

    def is_sound(self, provenance: Provenance) -> bool:
        """Whether the cached content is what was saved, byte by byte: slower than `load`, which does not read it."""
        ...

    def save(self, provenance: Provenance, arrays: Arrays) -> None:
        """Replace the cached arrays; CacheError."""
        ...

    def drop(self, provenance: Provenance) -> None: ...


class CalibrationStore(Protocol):
    """Cache of the confidence scales that were fitted on a profile's library. Every call may block."""

    def load(self) -> Calibration | None: ...

    def save(self, calibration: Calibration) -> None:
        """Replace the cached values; where that fails, they are fitted again at the next start."""
        ...


class FitStore(Protocol):
    """Cache of the weights that were learned from a profile's library, as arrays. Every call may block."""

    def load(self) -> Arrays | None: ...

    def save(self, arrays: Arrays) -> None:
        """Replace the cached values; where that fails, they are fitted again at the next start."""
        ...


class SharedFitStore(FitStore, Protocol):
    """Fit store of a profile, which several processes share."""

    def stamp(self) -> object:
        """Identity of the stored values, another after each save; None where nothing is stored."""
        ...

    def claim(self) -> Callable[[], None] | None:
        """Claim the right to fit, for this process alone; the function that releases it, None while another has it."""
        ...


class RefitLog(Protocol):
    """The refits of a profile. Every call may block."""

    def load(self) -> list[Refit]:
        """The stored refits, newest first."""
        ...

    def add(self, refit: Refit) -> None:
        """Store one more; the oldest are dropped."""
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
    """An encoder that gives a second vector of a text, made of its earlier layers, in the same forward pass.

    What learns from labels reads it: earlier layers still know the words, which the last one gives up for meaning.
    """

    @property
    def layers(self) -> Provenance:
        """The provenance of the second vectors, which are never compared with the first."""
        ...

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """The vectors of `encode`, and unit vectors of shape (len(texts), layers.dimension), float32. EncoderError."""
        ...


@runtime_checkable
class LengthAware(Protocol):
    """An encoder that is faster on batches of texts of like length in tokens."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, as far as the encoder reads it. May block."""
        ...


class TokenCounter(Protocol):
    """Counts the tokens of texts. May block."""

    @property
    def name(self) -> str:
        """The name of the tokenizer, for people."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]: ...


@runtime_checkable
class Closable(Protocol):
    """Holder of a resource such as a connection; after `close`, pending calls fail."""

    def close(self) -> None: ...
