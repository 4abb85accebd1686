"""The ceiling: the LLM's answer to one query, or the outcome that says why there is none (S4.5)."""

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
    """The outcomes of a request to the LLM, and `asking` while it runs."""

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
"""S4.10 rule 1: outcomes that leave the keyword result as it is, for good or until an answer comes. A superseded query
is no longer shown; nothing was held against it."""


def same_model(one: str, other: str) -> bool:
    """Whether two names mean one model: a name without a tag means its `latest`."""
    return _tagged(one) == _tagged(other)


def _tagged(name: str) -> str:
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


@dataclass(frozen=True, slots=True)
class LlmAnswer:
    """What the LLM said: a type, a confidence in [0, 1], topics, reasoning, and how it was asked.

    `distribution` gives each of the six types its probability, where the mode has one; `prompt` and `reply` are raw.
    """

    type: IntentType
    confidence: float
    mode: str
    topics: tuple[str, ...] = ()
    reasoning: str = ""
    distribution: Mapping[str, float] | None = None
    prompt: str = ""
    reply: str = ""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers that the LLM may choose from: its name, what there is to say of it, and how many characters of
    both are sent: five options are some sixty tokens to read behind the query, for every query anew."""

    name: str
    about: str = ""
    room: int = 32


@dataclass(frozen=True, slots=True)
class ChoiceAnswer:
    """Which of some options the LLM chose, with a confidence in [0, 1]; `distribution` by name, where there is one."""

    name: str
    confidence: float
    mode: str
    distribution: Mapping[str, float] | None = None
    prompt: str = ""
    reply: str = ""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


@dataclass(frozen=True, slots=True)
class Choice:
    """What became of asking the LLM to choose among the best answers of the engine, in the words of LlmReport.

    `of` says of what they are: "label" or "power"; `options` are their names, best first. `steps` lead from what the
    engine said to `confidence`, that of the answer `name`, which is the engine's own where the LLM's does not count.
    """

    of: str
    options: tuple[str, ...]
    outcome: LlmOutcome
    sentence: str = ""
    mode: str | None = None
    ms: float | None = None
    budget_ms: float = 0.0
    answer: ChoiceAnswer | None = None
    name: str = ""
    confidence: float = 0.0
    steps: tuple[Step, ...] = ()
    prompt: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class LlmReport:
    """The ceiling of one query: its outcome, and a sentence where one helps.

    `ms` is the time from dispatch to the answer or to giving up; `budget_ms` the time-out in force; `pause_ms` the
    typing pause that came before, which counts for neither. `answer` is the answer in time, or the late one, which
    changes nothing (S4.6); `would_be` what it would have made of the confidence. `detail` is the later, slower answer
    with topics and reasoning (S4.2).
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
    """What the LLM said of a text when an evaluation asked it: a name with its confidence, or the outcome alone.

    `run` counts how often the same had been asked before, `ms` is the time from dispatch to the end, `at` when that was
    in seconds since 1970. Prompt, reply and topics are not kept: they hold words of the text.
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
        """The answer to the question for a type; None where there is none."""
        if self.outcome is not LlmOutcome.ANSWERED:
            return None
        return LlmAnswer(IntentType(self.name), self.confidence, self.mode, distribution=self.distribution)

    @property
    def choice(self) -> ChoiceAnswer | None:
        """The answer to the question which of some options is right; None where there is none."""
        if self.outcome is not LlmOutcome.ANSWERED:
            return None
        return ChoiceAnswer(self.name, self.confidence, self.mode, self.distribution)
