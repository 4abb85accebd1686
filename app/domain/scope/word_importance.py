"""Word importance by leave-one-word-out: the result of a query without each of its words."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.intent import IntentType
from app.domain.match import Breakdown


@dataclass(frozen=True, slots=True)
class AblationResult:
    """Result of one text: first answer ("" for none), type, and the explained answer's scores.

    `confidence` is None and `scores` empty where that answer is not among the first.
    """

    given: str
    type: IntentType | None
    type_confidence: float
    confidence: float | None
    scores: Breakdown


@dataclass(frozen=True, slots=True)
class AblatedWord:
    """Word, its span (code points, end exclusive), and the result of the query without it."""

    word: str
    span: tuple[int, int]
    found: AblationResult


@dataclass(frozen=True, slots=True)
class AnswerFlip:
    """Smallest set of words without which the outcome changes, and the new outcome, "" for none."""

    without: tuple[str, ...]
    becomes: str


@dataclass(frozen=True, slots=True)
class LlmNeeded:
    """Minimum LLM confidences that change the result; None if none does, or it is so already.

    `another`: another type decides; `surfaces`: memories are injected with the same type.
    """

    another: float | None
    surfaces: float | None


@dataclass(frozen=True, slots=True)
class WordImportance:
    """Leave-one-word-out result for the answer `name`; `left` counts words beyond the limit."""

    query: str
    name: str
    whole: AblationResult
    words: tuple[AblatedWord, ...] = ()
    left: int = 0
    answer_flip: AnswerFlip | None = None
    type_flip: AnswerFlip | None = None
    llm: LlmNeeded = LlmNeeded(None, None)
