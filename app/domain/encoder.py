"""Facts about encoders and the provenance of vectors, known before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where vectors come from; vectors of different provenance are never compared (S2.15)."""

    encoder: str
    revision: str
    dimension: int

    @property
    def name(self) -> str:
        """Encoder and revision in one text."""
        return f"{self.encoder} {self.revision}"


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """What is known of an encoder before it is loaded.

    `bytes_on_disk` is None where that is not known; `fault` a sentence why it cannot be loaded, with what to do, and
    `remedy` what the program can do about it: "install", "download" or nothing. `bytes_to_fetch` is what that takes.
    """

    bytes_on_disk: int | None = None
    is_offline: bool = True
    fault: str = ""
    remedy: str = ""
    bytes_to_fetch: int | None = None


@dataclass(frozen=True, slots=True)
class FetchStep:
    """Progress of a download: in words, and in steps (0 of 0 if unknown)."""

    words: str
    done: int = 0
    whole: int = 0
