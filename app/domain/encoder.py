"""Facts about encoders and the provenance of vectors, known before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of vectors; vectors of different provenance are never compared (S2.15)."""

    encoder: str
    revision: str
    dimension: int

    @property
    def name(self) -> str:
        """Encoder and revision, separated by a space."""
        return f"{self.encoder} {self.revision}"


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """Facts known about an encoder before it is loaded.

    `bytes_on_disk` is None if unknown. `fault` is a sentence on why it cannot be loaded and what to do; `remedy` is
    what the program can do about it: "install", "download" or "". `bytes_to_fetch` is the size of that download.
    """

    bytes_on_disk: int | None = None
    is_offline: bool = True
    fault: str = ""
    remedy: str = ""
    bytes_to_fetch: int | None = None


@dataclass(frozen=True, slots=True)
class FetchStep:
    """Progress of a download: a description, and steps done of a total (0 of 0 if unknown)."""

    words: str
    done: int = 0
    whole: int = 0
