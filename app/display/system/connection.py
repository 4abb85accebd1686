"""The way to the LLM in words: how each link stands, and what the server is doing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.display import words
from app.domain.llm import LlmOutcome
from app.ports.llm import LlmState
from app.services.system.connection import Link, LinkState

USUAL_ADDRESS = "http://127.0.0.1:11434"
"""Where Ollama listens unless it is reported otherwise; only ever offered, never tried."""

MARKS: Mapping[LinkState, tuple[str, str, str]] = {
    LinkState.WAITING: ("Not checked", "ring", "text_2"),
    LinkState.RUNNING: ("Checking", "loading", "accent"),
    LinkState.FINE: ("Fine", "check", "success"),
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
    """One link as it is shown; what is not reached behind a failure says so."""

    name: str
    word: str
    icon: str
    token: str
    sentence: str
    remedy: str
    is_untried: bool = False


@dataclass(frozen=True, slots=True)
class StateLine:
    """How the LLM stands now: a pill (word, icon, colour) and a sentence."""

    word: str
    icon: str
    token: str
    sentence: str


def link_rows(links: Sequence[Link]) -> tuple[LinkRow, ...]:
    """The links from the address to the latency."""
    failed = next((link.name for link in links if link.state is LinkState.FAILED), None)
    rows = []
    for link in links:
        word, icon, token = MARKS[link.state]
        sentence = link.sentence
        if failed is not None and link.state is LinkState.WAITING:
            sentence = words.say("Not reached: {name} failed.", name=words.say(failed))
        untried = link.state is LinkState.WAITING
        rows.append(LinkRow(words.say(link.name), words.say(word), icon, token, sentence, link.remedy, untried))
    return tuple(rows)


def verdict(links: Sequence[Link]) -> str:
    """What a finished check comes to, in a sentence."""
    failed = next((link for link in links if link.state is LinkState.FAILED), None)
    if failed is not None:
        return words.say("Stopped at {name}.", name=words.say(failed.name))
    if all(link.state is LinkState.FINE for link in links):
        return words.say("Every link is fine.")
    return ""


def state_line(state: LlmState, *, wanted: bool) -> StateLine:
    """The state of the LLM that queries are put to; `wanted` is false where the settings leave it out."""
    word, icon, token = STATES.get(state.outcome, _BROKEN)
    sentence = state.sentence
    if state.outcome is LlmOutcome.OFF:
        sentence = (
            words.say("Set an address and a model. Until then keywords decide alone.")
            if wanted
            else words.say("Queries are not put to it (search_intent.use_llm is off).")
        )
    elif state.outcome is LlmOutcome.ANSWERED and state.mode:
        version = f", Ollama {state.version}" if state.version else ""
        sentence = f"{state.sentence} {state.model}, {state.mode.replace('_', ' ')}{version}."
    return StateLine(words.say(word), icon, token, sentence)


def progress(status: str, done: int, total: int) -> tuple[str, float | None]:
    """What a pull is doing, and its share where one is known: "pulling 4a1b: 12.0 of 105.5 MB"."""
    if total <= 0:
        return status, None
    of = words.say("{done} of {total} MB", done=f"{done / _MEGA:,.1f}", total=f"{total / _MEGA:,.1f}")
    return f"{status}: {of}", min(1.0, done / total)
