"""Word importance by leave-one-word-out: scores, first answer and type of a query without each of its words."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.intent import IntentType
from app.domain.match import Breakdown


@dataclass(frozen=True, slots=True)
class AblationResult:
    """The result of one text: the given answer ("" for none), the type, and the confidence and scores of the explained
    answer, None and empty where it is no longer near the first."""

    given: str
    type: IntentType | None
    type_confidence: float
    confidence: float | None
    scores: Breakdown


@dataclass(frozen=True, slots=True)
class AblatedWord:
    """One word, its span (code points, end exclusive), and the result of the query without it."""

    word: str
    span: tuple[int, int]
    found: AblationResult


@dataclass(frozen=True, slots=True)
class AnswerFlip:
    """The smallest set of words without which the outcome changes, and the new outcome; "" for none."""

    without: tuple[str, ...]
    becomes: str


@dataclass(frozen=True, slots=True)
class LlmNeeded:
    """The least confidence of the LLM at which another type decides, and at which its own answer for the same type
    has memories surfaced; None where none does, or where it is so already."""

    another: float | None
    surfaces: float | None


@dataclass(frozen=True, slots=True)
class WordImportance:
    """Leave-one-word-out for the answer `name` of one query; `left` counts the words beyond the limit."""

    query: str
    name: str
    whole: AblationResult
    words: tuple[AblatedWord, ...] = ()
    left: int = 0
    answer_flip: AnswerFlip | None = None
    type_flip: AnswerFlip | None = None
    llm: LlmNeeded = LlmNeeded(None, None)
