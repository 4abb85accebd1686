"""LLM connection and encoders in words: state, cost, and changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.llm import LlmOutcome
from app.ports.llm import LlmState
from app.services.engine.connection import Link, LinkState

if TYPE_CHECKING:
    from app.domain.encoder import EncoderFacts
    from app.services.status import Status
    from app.services.system.encoders import Measured


USUAL_ADDRESS = "http://127.0.0.1:11434"
"""Default address of Ollama; offered, never contacted unasked."""

MARKS: Mapping[LinkState, tuple[str, str, str]] = {
    LinkState.WAITING: ("Not checked", "ring", "text_2"),
    LinkState.RUNNING: ("Checking", "loading", "accent"),
    LinkState.FINE: ("Fine", "check", "success"),
    LinkState.DOUBTFUL: ("Wrong", "warning", "warning"),
    LinkState.FAILED: ("Failed", "cross", "danger"),
}
"""Word, icon and colour of each state of a link."""

STATES: Mapping[LlmOutcome, tuple[str, str, str]] = {
    LlmOutcome.OFF: ("Off", "off", "text_2"),
    LlmOutcome.COLD: ("Loading", "loading", "warning"),
    LlmOutcome.ANSWERED: ("Ready", "check", "success"),
    LlmOutcome.UNREACHABLE: ("Unreachable", "warning", "danger"),
    LlmOutcome.MODEL_MISSING: ("Model missing", "warning", "danger"),
}
_BROKEN = ("Failed", "warning", "danger")
_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One link as shown; links after a failure are marked as untried."""

    name: str
    word: str
    icon: str
    token: str
    sentence: str
    remedy: str
    is_untried: bool = False


@dataclass(frozen=True, slots=True)
class StateLine:
    """State of the LLM: a pill (word, icon, colour) and a sentence."""

    word: str
    icon: str
    token: str
    sentence: str


def link_rows(links: Sequence[Link]) -> tuple[LinkRow, ...]:
    """Make the rows of all links, from address to latency."""
    failed = next((link.name for link in links if link.state is LinkState.FAILED), None)
    rows = []
    for link in links:
        word, icon, token = MARKS[link.state]
        sentence = link.sentence
        if failed is not None and link.state is LinkState.WAITING:
            sentence = f"Not reached: {failed} failed."
        untried = link.state is LinkState.WAITING
        rows.append(LinkRow(link.name, word, icon, token, sentence, link.remedy, untried))
    return tuple(rows)


def verdict(links: Sequence[Link]) -> str:
    """Return the result of a finished check, in a sentence."""
    failed = next((link for link in links if link.state is LinkState.FAILED), None)
    if failed is not None:
        return f"Stopped at {failed.name}."
    doubtful = next((link for link in links if link.state is LinkState.DOUBTFUL), None)
    if doubtful is not None:
        return f"Connected, but the test of {doubtful.name} is wrong."
    if all(link.state is LinkState.FINE for link in links):
        return "All steps passed."
    return ""


def state_line(state: LlmState, *, wanted: bool) -> StateLine:
    """Return the state of the LLM for queries; `wanted` is False if the settings disable it."""
    word, icon, token = STATES.get(state.outcome, _BROKEN)
    sentence = state.sentence
    if state.outcome is LlmOutcome.OFF and wanted:
        word, sentence = "Not set up", "Set an address and a model. Until then keywords and examples decide alone."
    elif state.outcome is LlmOutcome.OFF:
        sentence = "Queries are not put to it (search_intent.use_llm is off)."
    elif state.outcome is LlmOutcome.ANSWERED and state.mode:
        version = f", Ollama {state.version}" if state.version else ""
        sentence = f"{state.sentence} {state.model}, {state.mode.replace('_', ' ')}{version}."
    return StateLine(word, icon, token, sentence)


def progress(status: str, done: int, total: int) -> tuple[str, float | None]:
    """Return the progress of a pull and its share, if known: "pulling 4a1b: 12.0 of 105.5 MB"."""
    if total <= 0:
        return status, None
    of = f"{done / _MEGA:,.1f} of {total / _MEGA:,.1f} MB"
    return f"{status}: {of}", min(1.0, done / total)


# ---- Encoders in words: description, cost, and progress of a change.


KINDS = {
    "intentscope-minilm": (
        "intentscope-minilm",
        "all-MiniLM-L6-v2, trained further for requests, tools and questions. It ships with the program.",
    ),
    "sentence-transformers": ("sentence-transformers", "Any model of that library, in a folder or under its name."),
    "ollama": ("ollama", "A model of an Ollama server, by its embedding endpoint."),
}
"""Title and sentence of each encoder, in display order."""

FRAME_MS = 16.0
"""Longest query encoding in ms that keeps up with 60 frames per second."""

LOOKING = "Looking"
UNITS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class EncoderChange:
    """Progress of an encoder change: a sentence, the encoder until then, and numbers of texts.

    0 of 0 while it loads.
    """

    words: str
    until_then: str
    done: int
    whole: int

    @property
    def sentence(self) -> str:
        return f"{self.words}; {self.until_then} answers until then." if self.until_then else f"{self.words}."


def size(count: int) -> str:
    """Format bytes with a unit: 23,026,053 is 23 MB."""
    value, place = float(count), 0
    while value >= 999.5 and place < len(UNITS) - 1:
        value, place = value / 1000, place + 1
    return f"{value:.1f} {UNITS[place]}" if place and value < 9.95 else f"{value:,.0f} {UNITS[place]}"


def speed(query_ms: float) -> str:
    """Return the time per query, and if it delays typing."""
    words = f"{query_ms:.1f} ms a query"
    return words if query_ms <= FRAME_MS else f"{words} (more than the {FRAME_MS:.0f} ms of a frame)"


def costs(facts: EncoderFacts | None, measured: Measured | None) -> str:
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
    else:
        parts.append("speed and memory are measured once it answers")
    return ", ".join(parts)


def encoder_change(status: Status) -> EncoderChange | None:
    """Return the progress of an encoder change or of embedding; None without either."""
    if status.next_encoder and not status.to_embed:
        return EncoderChange(f"Loading {status.next_encoder}", status.encoder, 0, 0)
    done, whole = f"{status.embedded:,}", f"{status.to_embed:,}"
    if status.next_encoder:
        progress = f"Re-embedding {whole} triggers with {status.next_encoder}, {done} done"
        return EncoderChange(progress, status.encoder, status.embedded, status.to_embed)
    if status.embedded < status.to_embed:
        progress = f"Embedding {whole} triggers with {status.encoder}, {done} done"
        return EncoderChange(progress, "", status.embedded, status.to_embed)
    return None
