"""Answers of the LLM to one query, and outcomes without an answer (S4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app.domain.confidence import checked_confidence
from app.domain.intent import IntentType

if TYPE_CHECKING:
    from app.domain.match import Step


class LlmOutcome(StrEnum):
    """Outcome of a request to the LLM; `asking` while it runs."""

    OFF = "off"
    UNREACHABLE = "unreachable"
    MODEL_MISSING = "model_missing"
    COLD = "cold"
    ASKING = "asking"
    ANSWERED = "answered"
    LOW_CONFIDENCE = "low_confidence"
    TIMED_OUT = "timed_out"
    LATE = "late"
    SUPERSEDED = "superseded"
    FAILED = "failed"
    UNREADABLE = "unreadable"


NO_PENALTY = frozenset(
    {
        LlmOutcome.OFF,
        LlmOutcome.UNREACHABLE,
        LlmOutcome.MODEL_MISSING,
        LlmOutcome.COLD,
        LlmOutcome.ASKING,
        LlmOutcome.SUPERSEDED,
    }
)
"""Outcomes that leave the keyword result unchanged (S4.10 rule 1)."""


def same_model(one: str, other: str) -> bool:
    """Return whether two names denote one model; a name without a tag means `latest`."""
    return _tagged(one) == _tagged(other)


def _tagged(name: str) -> str:
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


@dataclass(frozen=True, slots=True)
class LlmAnswer:
    """Answer of the LLM: a name, its confidence in [0, 1], request mode, topics and reasoning.

    `distribution` holds the probability of each name where the mode gives one; `prompt` and `reply` are raw.
    """

    name: str
    confidence: float
    mode: str
    topics: tuple[str, ...] = ()
    reasoning: str = ""
    distribution: Mapping[str, float] | None = None
    prompt: str = ""
    reply: str = ""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)

    @property
    def type(self) -> IntentType:
        """Type of the query, where that was asked for."""
        return IntentType(self.name)


@dataclass(frozen=True, slots=True)
class Option:
    """Option for the LLM to choose: its name, its description, and the characters sent of both.

    At 32 characters, five options add about sixty tokens to each query.
    """

    name: str
    about: str = ""
    room: int = 32


@dataclass(frozen=True, slots=True)
class LlmChoice:
    """Result of asking the LLM to choose among the engine's best answers; see LlmReport.

    `of` is the kind of options, "label" or "power"; `options` are their names, best first. `steps` lead from the
    engine's confidence to `confidence` of the answer `name`, which is the engine's own if the LLM's is not used.
    """

    of: str
    options: tuple[str, ...]
    outcome: LlmOutcome
    sentence: str = ""
    mode: str | None = None
    ms: float | None = None
    budget_ms: float = 0.0
    answer: LlmAnswer | None = None
    name: str = ""
    confidence: float = 0.0
    steps: tuple[Step, ...] = ()
    prompt: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class LlmReport:
    """The LLM's part in one query: the outcome, and a sentence where one helps.

    `ms` is the time from dispatch to the answer or to giving up; `budget_ms` the time-out; `pause_ms` the typing
    pause before, which counts for neither. `answer` may be late, which changes nothing (S4.6); `would_be` is the
    confidence it would have given. `detail` is the later, slower answer with topics and reasoning (S4.2).
    """

    outcome: LlmOutcome
    sentence: str = ""
    model: str = ""
    mode: str | None = None
    ms: float | None = None
    budget_ms: float = 0.0
    pause_ms: float = 0.0
    answer: LlmAnswer | None = None
    would_be: float | None = None
    detail: LlmAnswer | None = None
    prompt: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class StoredLlmAnswer:
    """Stored answer of the LLM to an evaluation text: a name with confidence, or an outcome.

    `run` counts earlier requests of the same text, `ms` is the time from dispatch to the end, `at` the time in
    seconds since 1970. Prompt, reply and topics are not stored, as they hold words of the text.
    """

    text: str
    run: int
    outcome: LlmOutcome
    ms: float
    at: float
    name: str = ""
    confidence: float = 0.0
    mode: str = ""
    distribution: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)

    @property
    def answer(self) -> LlmAnswer | None:
        """Answer of the LLM; None if there is none."""
        if self.outcome is not LlmOutcome.ANSWERED:
            return None
        return LlmAnswer(self.name, self.confidence, self.mode, distribution=self.distribution)
