"""Encoders in words: what each is, what it costs, and how far a change has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.domain.encoder import EncoderFacts
    from app.services.core import Status
    from app.services.system.encoders import Measured

KINDS = {
    "minilm": ("minilm", "all-MiniLM-L6-v2 with weights of 8 bits. It ships with the program."),
    "accurate": (
        "accurate",
        "all-mpnet-base-v2 with weights of 8 bits: tells meanings apart better, and takes two to four times as long.",
    ),
    "sentence-transformers": ("sentence-transformers", "Any model of that library, in a folder or under its name."),
    "ollama": ("ollama", "A model of an Ollama server, by its embedding endpoint."),
}
"""Title and sentence of each encoder, in the order in which they are offered."""

FRAME_MS = 16.0
"""What encodes a query in less keeps up with a screen that is drawn sixty times a second."""

LOOKING = "Looking"
UNITS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Change:
    """How far a change of encoder has come: in words, what answers until then, and in texts (0 of 0 while it loads)."""

    words: str
    until_then: str
    done: int
    whole: int

    @property
    def sentence(self) -> str:
        return f"{self.words}; {self.until_then} answers until then." if self.until_then else f"{self.words}."


def size(count: int) -> str:
    """A number of bytes with a unit: 23,026,053 is 23 MB."""
    value, place = float(count), 0
    while value >= 999.5 and place < len(UNITS) - 1:
        value, place = value / 1000, place + 1
    return f"{value:.1f} {UNITS[place]}" if place and value < 9.95 else f"{value:,.0f} {UNITS[place]}"


def speed(query_ms: float) -> str:
    """What one query takes, and whether it can be seen while typing."""
    words = f"{query_ms:.1f} ms a query"
    return words if query_ms <= FRAME_MS else f"{words} (more than the {FRAME_MS:.0f} ms of a frame)"


def costs(facts: EncoderFacts | None, measured: Measured | None) -> str:
    """What an encoder costs, as far as that is known."""
    if facts is None:
        return LOOKING
    if facts.fault:
        return facts.fault
    parts = [f"{size(facts.bytes_on_disk)} on disk"] if facts.bytes_on_disk is not None else []
    parts.append("offline" if facts.is_offline else "every text goes to the server")
    if measured is not None:
        parts.append(f"{measured.provenance.dimension} numbers a vector")
        parts.append(speed(measured.query_ms))
        if measured.memory_bytes is not None and facts.is_offline:
            parts.append(f"{size(measured.memory_bytes)} of memory")
    elif facts.query_ms is not None:
        parts.append(f"at least {speed(facts.query_ms)} when it was installed")
    else:
        parts.append("speed and memory are measured once it answers")
    return ", ".join(parts)


def change(status: Status) -> Change | None:
    """The change of encoder that is under way, or the vectors that are being made; None while nothing is."""
    if status.next_encoder and not status.to_embed:
        return Change(f"Loading {status.next_encoder}", status.encoder, 0, 0)
    done, whole = f"{status.embedded:,}", f"{status.to_embed:,}"
    if status.next_encoder:
        progress = f"Re-embedding {whole} triggers with {status.next_encoder}, {done} done"
        return Change(progress, status.encoder, status.embedded, status.to_embed)
    if status.embedded < status.to_embed:
        progress = f"Embedding {whole} triggers with {status.encoder}, {done} done"
        return Change(progress, "", status.embedded, status.to_embed)
    return None
