"""Where the words of a query count: what each scorer, the first answer and the type would be without one of them."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.intent import IntentType
from app.domain.match import Breakdown


@dataclass(frozen=True, slots=True)
class AsAsked:
    """What a text came to: the answer that is given ("" for none), the type, and of the answer that is looked at its
    confidence and scores, None and empty where it is no longer near the first."""

    given: str
    type: IntentType | None
    type_confidence: float
    confidence: float | None
    scores: Breakdown


@dataclass(frozen=True, slots=True)
class WithoutWord:
    """One word, where it stands (code points, end exclusive), and what the query came to without it."""

    word: str
    span: tuple[int, int]
    found: AsAsked


@dataclass(frozen=True, slots=True)
class Flip:
    """The smallest set of words without which something else is given, and what; "" for nothing."""

    without: tuple[str, ...]
    becomes: str


@dataclass(frozen=True, slots=True)
class LlmNeeded:
    """The least confidence of the LLM at which another type decides, and at which its own answer for the same type
    has memories surfaced; None where none does, or where it is so already."""

    another: float | None
    surfaces: float | None


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Leave-one-word-out for one answer of one query; `name` is that answer, `left` how many words were too many."""

    query: str
    name: str
    whole: AsAsked
    words: tuple[WithoutWord, ...] = ()
    left: int = 0
    answer_flip: Flip | None = None
    type_flip: Flip | None = None
    llm: LlmNeeded = LlmNeeded(None, None)
