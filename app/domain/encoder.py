"""Encoders as people choose them, and the vectors that come from one: what is known before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where vectors come from; vectors of different provenance are never compared (S2.15)."""

    encoder: str
    revision: str
    dimension: int


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
