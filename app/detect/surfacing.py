"""Surfacing: which memories an intent brings into the context, their number, order and cut-offs (S4.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from app.domain.intent import SearchIntent
from app.domain.library import Memory
from app.domain.review.history import Access

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class SurfacingRow:
    """From confidence `least` up to, but without, the row above: at most `count` memories. 1 belongs to the first."""

    least: float
    count: int


SURFACING: tuple[SurfacingRow, ...] = (SurfacingRow(0.8, 15), SurfacingRow(0.5, 10), SurfacingRow(0.3, 5))
"""000's table, the highest row first; under its last row nothing is surfaced."""


def surfacing_row(confidence: float, threshold: float) -> SurfacingRow | None:
    """The row that an intent's confidence falls into; None where nothing is surfaced."""
    if confidence < threshold:
        return None
    return next((row for row in SURFACING if confidence >= row.least), None)


def most_surfaced(row: SurfacingRow | None) -> int:
    """The number of memories that a row allows; without a row the smallest number."""
    return (row or SURFACING[-1]).count


def is_dead(row: SurfacingRow, threshold: float) -> bool:
    """Whether no confidence from the threshold on falls into the row."""
    return surfacing_row(max(row.least, threshold), threshold) is not row


class Cut(StrEnum):
    """Why a memory is not injected, the first reason that applies."""

    PAUSED = "paused"
    SUCCESS = "success"
    SILENT = "silent"
    """It has no response, so there is nothing to inject."""
    THRESHOLD = "threshold"
    CONFIDENCE = "confidence"
    LABEL = "label"
    """It is below the threshold that its label carries."""
    COUNT = "count"
    BUDGET = "budget"
    NAMESPACE = "namespace"
    """Only memories of another namespace were asked for."""
    EXPIRED = "expired"
    REPLACED = "replaced"
    NOT_YET = "not_yet"
    """The kinds of `Lapse`: it does not hold now."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A memory with its confidence, unchanged, and the weight of its namespace for the intent's type."""

    memory: Memory
    confidence: float
    weight: float
    threshold: float = 0.0
    """The threshold of its label, where such are in force."""

    @property
    def product(self) -> float:
        """The sort key."""
        return self.confidence * self.weight


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory of the list: its rank from 1 and the rank that its confidence alone would give it, its text as it
    would be injected, that text's tokens, and the tokens of everything down to it; `cut` is None if it is surfaced."""

    weighed: Weighed
    rank: int
    plain_rank: int
    text: str
    tokens: int
    total: int
    cut: Cut | None

    @property
    def memory(self) -> Memory:
        return self.weighed.memory


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds the list: the least confidence of an intent, the most tokens, the least success score, the least
    confidence of a memory, and the one from which on a memory needs no intent (0: none does)."""

    threshold: float
    tokens: int
    success: float = 0.0
    confidence: float = 0.0
    certain: float = 0.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The limits by the settings."""
        wanted = settings.search_intent
        return cls(
            wanted.surfacing_threshold,
            wanted.surfacing_tokens,
            settings.min_score,
            wanted.surfacing_confidence,
            wanted.certain_confidence,
        )

    def row(self, intent: SearchIntent | None) -> SurfacingRow | None:
        """The row of the table that this intent falls into; None where it brings up nothing."""
        return None if intent is None else surfacing_row(intent.confidence, self.threshold)

    def least(self, row: SurfacingRow | None) -> float:
        """The confidence that a memory needs in this row, or without one; above 1 where nothing is enough."""
        return self.confidence if row is not None else self.certain or _TOO_MUCH


_TOO_MUCH = 2.0
"""No confidence is so large."""


@dataclass(frozen=True, slots=True)
class Surfaced:
    """What one query would bring into an assistant's context.

    `entries` are in order, those that stay out among them; `set_aside` would be among the first if they were not
    paused, without a response or below the least success score. `pool` says how many of the `memories` that are scored
    were looked at to know that the order is exact; `counted_by` names the tokenizer, and `count_fault` says why it is
    only an estimate.
    """

    intent: SearchIntent | None
    row: SurfacingRow | None
    limits: Limits
    """`row` is None where the intent brings up nothing; what is certain comes all the same."""
    entries: tuple[Entry, ...] = ()
    set_aside: tuple[tuple[Weighed, Cut], ...] = ()
    head: str = ""
    head_tokens: int = 0
    pool: int = 0
    memories: int = 0
    counted_by: str = ""
    count_fault: str = ""

    @property
    def inside(self) -> tuple[Entry, ...]:
        """The surfaced memories in order."""
        return tuple(entry for entry in self.entries if entry.cut is None)

    @property
    def text(self) -> str:
        """The text that would be injected; "" for none."""
        inside = self.inside
        return "".join((self.head, *(entry.text for entry in inside))) if inside else ""

    @property
    def tokens(self) -> int:
        """The number of tokens of the text."""
        inside = self.inside
        return inside[-1].total if inside else 0


def weigh(found: Iterable[tuple[Memory, float]], weight: Callable[[str], float], success: float = 0.0) -> list[Weighed]:
    """Memories with their confidences, the largest product first; equal ones by confidence, then as they came.

    `success` in [0, 1] says how much the success of each counts beside the weight of its namespace.
    """
    weighed = [
        Weighed(memory, confidence, weight(memory.namespace) * success_factor(memory.success, success))
        for memory, confidence in found
    ]
    return sorted(weighed, key=lambda one: (-one.product, -one.confidence))


def success_factor(score: float, counts: float) -> float:
    """What a weight is multiplied with: 1 for what is new (a score of 0.5), 1 - counts at 0, and 1 + counts at 1."""
    return 1.0 + counts * (2.0 * score - 1.0)


def is_silent(memory: Memory) -> bool:
    """Whether the memory has no response, so that only an empty line would be injected."""
    return not memory.response.strip()


def is_complete(weighed: Sequence[Weighed], count: int, last: float, most_weight: float) -> bool:
    """Whether the first `count` of these are the first of all memories: none outside has a confidence above `last` and
    a weight above `most_weight`, so none can reach the product of the last of them."""
    return len(weighed) >= count and weighed[count - 1].product > last * most_weight


@dataclass(frozen=True, slots=True)
class Parts:
    """The text to be injected in parts, each with its tokens: what stands above, then one for each memory."""

    head: str
    head_tokens: int
    texts: Sequence[str]
    tokens: Sequence[int]


def cut_of(
    confidence: float, threshold: float, rank: int, row: SurfacingRow | None, limits: Limits, tokens: int = 0
) -> Cut | None:
    """The rule of injection: why a memory that holds and has a response stays out; None if it is injected.

    `threshold` is that of its label, `rank` its place from 1, and `tokens` those of everything down to it.
    """
    if confidence < limits.least(row):
        return Cut.THRESHOLD if row is None else Cut.CONFIDENCE
    if confidence < threshold:
        return Cut.LABEL
    if rank > most_surfaced(row):
        return Cut.COUNT
    return Cut.BUDGET if tokens > limits.tokens else None


def entries(
    weighed: Sequence[Weighed],
    row: SurfacingRow | None,
    parts: Parts,
    limits: Limits,
    among: Sequence[Weighed] = (),
) -> tuple[Entry, ...]:
    """Put a list together: each memory in or out, and why; those without the least confidence come last.

    What comes after the first that the budget refuses stays out too, small as it may be. Ranks by confidence alone are
    those `among` all that were looked at, if they are given.
    """
    by_confidence = sorted(among or weighed, key=lambda one: -one.confidence)
    plain = {id(one): rank for rank, one in enumerate(by_confidence, 1)}
    total = parts.head_tokens
    made: list[Entry] = []
    for rank, (one, text, tokens) in enumerate(zip(weighed, parts.texts, parts.tokens, strict=True), 1):
        total += tokens
        cut = cut_of(one.confidence, one.threshold, rank, row, limits, total)
        made.append(Entry(one, rank, plain[id(one)], text, tokens, total, cut))
    return tuple(made)


_INDENT = "   "


def head_text(intent: SearchIntent | None) -> str:
    """The line above the memories."""
    if intent is None:
        return "Memories for this question:\n"
    return f"Memories for this question (type {intent.type.value}, confidence {intent.confidence:.3f}), best first:\n"


def number_text(rank: int) -> str:
    """What stands before a memory."""
    return f"\n{rank}. "


def memory_text(memory: Memory) -> str:
    """A memory but for its number, so that its tokens are the same at every rank: namespace and first trigger, and its
    response below, set in so that no line of it can pass for another memory."""
    first = f"[{_one_line(memory.namespace)}] {_one_line(memory.triggers[0])}\n"
    return first + "".join(f"{_INDENT}{line}".rstrip() + "\n" for line in memory.response.strip().splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())


MOST_CUT = 5
"""So many of the memories that stayed out are in the log of a prompt: what came nearest."""


def accesses_of(surfaced: Surfaced, least: float) -> tuple[Access, ...]:
    """The memories that joined a context, and the first of those of this confidence or more, or of the threshold that
    their label carries, that did not."""
    told = [Access(entry.memory.key or 0, entry.rank, entry.weighed.confidence) for entry in surfaced.inside]
    cut = [(entry.weighed, entry.rank, entry.cut) for entry in surfaced.entries if entry.cut is not None]
    aside = [(one, None, reason) for one, reason in surfaced.set_aside]
    out = [
        Access(one.memory.key or 0, rank, one.confidence, reason.value)
        for one, rank, reason in (*cut, *aside)
        if one.confidence >= (one.threshold or least)
    ]
    return (*told, *out[:MOST_CUT])
