"""Injection of memories into an assistant's context: number, order and limits (S4.12)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Self

from app.domain.history import Access
from app.domain.intent import SearchIntent
from app.domain.library import Memory
from app.domain.match import Match

if TYPE_CHECKING:
    from app.domain.inspection import Inspection
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class SurfacingRow:
    """Row of the injection table: from confidence `least` on, at most `count` memories."""

    least: float
    count: int


SURFACING: tuple[SurfacingRow, ...] = (SurfacingRow(0.8, 15), SurfacingRow(0.5, 10), SurfacingRow(0.3, 5))
"""Table of 000, highest row first; below its last row nothing is injected."""


def surfacing_row(confidence: float, threshold: float) -> SurfacingRow | None:
    """Return the row of an intent's confidence; None if nothing is injected."""
    if confidence < threshold:
        return None
    return next((row for row in SURFACING if confidence >= row.least), None)


def most_surfaced(row: SurfacingRow | None) -> int:
    """Return the number of memories that a row allows; without a row the smallest number."""
    return (row or SURFACING[-1]).count


def is_dead(row: SurfacingRow, threshold: float) -> bool:
    """Return whether the threshold makes the row unreachable."""
    return surfacing_row(max(row.least, threshold), threshold) is not row


class Cut(StrEnum):
    """Reason that a memory is not injected, the first that applies."""

    PAUSED = "paused"
    SUCCESS = "success"
    SILENT = "silent"
    """It has no response, so there is nothing to inject."""
    THRESHOLD = "threshold"
    CONFIDENCE = "confidence"
    LABEL = "label"
    """It is below the threshold of its label."""
    COVERED = "covered"
    """Better memories reach the wanted coverage, or one of them has the same response."""
    COUNT = "count"
    BUDGET = "budget"
    NAMESPACE = "namespace"
    """Only memories of another namespace were requested."""
    EXPIRED = "expired"
    REPLACED = "replaced"
    NOT_YET = "not_yet"
    """Kinds of `Lapse`: it is not valid now."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """Memory with its unchanged confidence, and its namespace's weight for the intent's type."""

    memory: Memory
    confidence: float
    weight: float
    threshold: float = 0.0
    """Threshold of its label, where such are in force."""
    label_chance: float | None = None
    """Chance of its label; None where confidences are no shares of one whole."""

    @property
    def product(self) -> float:
        """Sort key."""
        return self.confidence * self.weight

    @property
    def chance(self) -> float:
        """Chance of its label, or its confidence; it is compared with thresholds."""
        return self.confidence if self.label_chance is None else self.label_chance

    @property
    def label(self) -> Hashable:
        """Identity of its label; of the memory itself without one."""
        own = self.memory.answer_label
        return (self.memory.name, self.memory.key) if own is None else own


@dataclass(frozen=True, slots=True)
class Entry:
    """Memory of the list, with its rank, text and tokens.

    `rank` starts at 1, `plain_rank` is by confidence alone; `text` is the text to inject and `tokens` its length,
    `total` the tokens up to and including it; `cut` is None if it is injected.
    """

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
    """Limits of the list: minimum confidence of an intent, tokens, and minimum success score.

    `confidence` is the minimum for a memory, `certain` the one from which on it needs no intent (0: never).
    """

    threshold: float
    tokens: int
    success: float = 0.0
    confidence: float = 0.0
    certain: float = 0.0
    coverage: float = 0.0
    """Sufficient sum of the chances of injected memories; 0: table and confidence decide."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        wanted = settings.search_intent
        return cls(
            wanted.surfacing_threshold,
            wanted.surfacing_tokens,
            settings.min_score,
            wanted.surfacing_confidence,
            wanted.certain_confidence,
            wanted.surfacing_coverage,
        )

    def row(self, intent: SearchIntent | None) -> SurfacingRow | None:
        """Return the table row of an intent; None if it injects nothing."""
        return None if intent is None else surfacing_row(intent.confidence, self.threshold)

    def least(self, row: SurfacingRow | None) -> float:
        """Return the minimum confidence of a memory in this row; above 1 if none suffices."""
        return self.confidence if row is not None else self.certain or _TOO_MUCH

    def covers(self, weighed: Sequence[Weighed]) -> bool:
        """Return whether coverage decides; not where confidences are no shares, which do not add up."""
        return self.coverage > 0.0 and bool(weighed) and all(one.label_chance is not None for one in weighed)


_TOO_MUCH = 2.0
"""Value above every confidence."""


@dataclass(frozen=True, slots=True)
class Surfaced:
    """Memories that one query would inject into an assistant's context.

    `entries` are in order, including those left out; `set_aside` would be among the first if they were not paused,
    without a response or below the minimum success score. `pool` is the number of the scored `memories` that were
    weighed to make the order exact; `counted_by` names the tokenizer, and `count_fault` says why the count is an
    estimate.
    """

    intent: SearchIntent | None
    row: SurfacingRow | None
    limits: Limits
    """Limits in force; without a `row`, only certain memories are injected."""
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
        """Injected memories in order."""
        return tuple(entry for entry in self.entries if entry.cut is None)

    @property
    def covered(self) -> float | None:
        """Sum of the chances of the injected memories; None where coverage does not decide."""
        weighed = [entry.weighed for entry in self.entries]
        if not self.limits.covers(weighed):
            return None
        return min(1.0, sum(entry.weighed.confidence for entry in self.inside))

    @property
    def text(self) -> str:
        """Text to inject; "" for none."""
        inside = self.inside
        return "".join((self.head, *(entry.text for entry in inside))) if inside else ""

    @property
    def tokens(self) -> int:
        """Number of tokens of the text."""
        inside = self.inside
        return inside[-1].total if inside else 0


def weigh(found: Iterable[tuple[Memory, float]], weight: Callable[[str], float], success: float = 0.0) -> list[Weighed]:
    """Sort memories by confidence times weight, then confidence, stably.

    `success` in [0, 1] is the influence of each memory's success score on its weight.
    """
    weighed = [
        Weighed(memory, confidence, weight(memory.namespace) * success_factor(memory.success, success))
        for memory, confidence in found
    ]
    return sorted(weighed, key=lambda one: (-one.product, -one.confidence))


def success_factor(score: float, counts: float) -> float:
    """Return the factor of a success score: 1 at 0.5 (new), 1 - counts at 0, 1 + counts at 1."""
    return 1.0 + counts * (2.0 * score - 1.0)


def is_silent(memory: Memory) -> bool:
    """Return whether the memory has no response, so that there is nothing to inject."""
    return not memory.response.strip()


def is_complete(weighed: Sequence[Weighed], count: int, last: float, most_weight: float) -> bool:
    """Return whether the first `count` of these are the first of all memories.

    All others have a confidence of at most `last` and a weight of at most `most_weight`.
    """
    return len(weighed) >= count and weighed[count - 1].product > last * most_weight


@dataclass(frozen=True, slots=True)
class Parts:
    """Text to inject in parts, each with its tokens: the heading, then one per memory."""

    head: str
    head_tokens: int
    texts: Sequence[str]
    tokens: Sequence[int]

    @property
    def totals(self) -> list[int]:
        """Tokens up to and including each memory."""
        return [self.head_tokens + total for total in accumulate(self.tokens)]


def parts_of(
    intent: SearchIntent | None, listed: Sequence[Weighed], count_tokens: Callable[[Sequence[str]], list[int]]
) -> Parts:
    """Format memories as injected; numbers are counted apart, so that the tokens of a memory stay known."""
    numbers = [number_text(rank) for rank in range(1, len(listed) + 1)]
    head, memories = head_text(intent), [memory_text(one.memory) for one in listed]
    head_tokens, *tokens = count_tokens([head, *numbers, *memories])
    texts = [number + memory for number, memory in zip(numbers, memories, strict=True)]
    of_numbers, of_memories = tokens[: len(listed)], tokens[len(listed) :]
    return Parts(head, head_tokens, texts, [a + b for a, b in zip(of_numbers, of_memories, strict=True)])


def cut_of(
    confidence: float, threshold: float, rank: int, row: SurfacingRow | None, limits: Limits, tokens: int = 0
) -> Cut | None:
    """Return why a valid memory with a response is not injected; None if it is.

    `threshold` is that of its label, `rank` starts at 1, and `tokens` counts everything up to and including it.
    """
    if confidence < limits.least(row):
        return Cut.THRESHOLD if row is None else Cut.CONFIDENCE
    if confidence < threshold:
        return Cut.LABEL
    if rank > most_surfaced(row):
        return Cut.COUNT
    return Cut.BUDGET if tokens > limits.tokens else None


TOGETHER = 0.01
"""Maximum doubt left by two labels together, as a share of that by the minimum confidence.

With a minimum of 0.75 they need 0.9975. With larger shares some off-topic queries brought memories that did not before.
"""

SIMILAR = 0.8
"""Share of an injected memory's chance from which on another of its label is injected, too."""

LEAST_ADDED = 0.05
"""Minimum chance of a memory that is injected only for the sake of coverage."""


def cuts(
    weighed: Sequence[Weighed], row: SurfacingRow | None, limits: Limits, totals: Sequence[int] = ()
) -> tuple[Cut | None, ...]:
    """Return for each memory, in the order of `ordered`, why it is not injected; None if it is.

    `totals` counts the tokens of everything up to and including each. Coverage applies if the best label reaches the
    minimum confidence, or the best two together leave almost no doubt. Then the smallest set is injected whose chances
    sum to the coverage, and further memories of its labels with similar chances.
    """
    totals = totals or [0] * len(weighed)
    if not limits.covers(weighed):
        ranked = enumerate(zip(weighed, totals, strict=True), 1)
        return tuple(cut_of(one.confidence, one.threshold, n, row, limits, total) for n, (one, total) in ranked)
    able = [one for one in weighed if one.chance >= one.threshold]
    if not _fits(able, limits.least(row)):
        return (Cut.THRESHOLD if row is None else Cut.CONFIDENCE,) * len(weighed)
    repeated = _repeated(weighed)
    count = _covering([one for one in able if id(one) not in repeated], limits.coverage)
    found: list[Cut | None] = []
    for rank, (one, total) in enumerate(zip(weighed, totals, strict=True), 1):
        if one.chance < one.threshold:
            found.append(Cut.LABEL)
        elif rank > count:
            found.append(Cut.COVERED)
        elif rank > most_surfaced(row):
            found.append(Cut.COUNT)
        else:
            found.append(Cut.BUDGET if total > limits.tokens else None)
    return tuple(found)


def ordered(weighed: Sequence[Weighed], row: SurfacingRow | None, limits: Limits) -> list[Weighed]:
    """Sort last the memories that are never injected: low confidences, repeated responses."""
    if not limits.covers(weighed):
        least = limits.least(row)
        return sorted(weighed, key=lambda one: one.confidence < max(least, one.threshold))
    repeated = _repeated(weighed)
    return sorted(weighed, key=lambda one: 2 * (one.chance < one.threshold) + (id(one) in repeated))


def _repeated(weighed: Sequence[Weighed]) -> set[int]:
    """Return the ids of the memories whose label has a better one with the same response."""
    known, found = set[tuple[Hashable, str]](), set[int]()
    for one in weighed:
        own = one.label, one.memory.response.strip()
        if own in known:
            found.add(id(one))
        known.add(own)
    return found


def _fits(weighed: Sequence[Weighed], least: float) -> bool:
    """Return whether the best label, or the best two together, are likely enough to inject."""
    chances: dict[Hashable, float] = {}
    for one in weighed:
        chances[one.label] = max(one.chance, chances.get(one.label, 0.0))
    first, second = [*sorted(chances.values(), reverse=True), 0.0, 0.0][:2]
    return bool(chances) and (first >= least or first + second >= 1.0 - TOGETHER * (1.0 - least))


def _covering(weighed: Sequence[Weighed], coverage: float) -> int:
    """Return the number of first memories whose chances sum to the coverage."""
    covered, count, least = 0.0, 0, dict[Hashable, float]()
    for place, one in enumerate(weighed):
        rivals = one.label in least and one.confidence >= SIMILAR * least[one.label]
        is_wanted = covered < coverage - _ROUNDING and one.confidence >= LEAST_ADDED
        if not (rivals or (place == count and (is_wanted or not count))):
            continue
        for other in weighed[count : place + 1]:
            covered += other.confidence
            least[other.label] = min(other.confidence, least.get(other.label, 1.0))
        count = place + 1
    return count


_ROUNDING = 1e-9


def entries(
    weighed: Sequence[Weighed], row: SurfacingRow | None, parts: Parts, limits: Limits, among: Sequence[Weighed] = ()
) -> tuple[Entry, ...]:
    """Build the list with the reason for each memory left out; low confidences come last.

    After the first memory over the budget all others stay out, however small. Ranks by confidence alone are `among`
    all weighed memories, if given.
    """
    by_confidence = ordered(sorted(among or weighed, key=lambda one: -one.confidence), row, limits)
    plain = {id(one): rank for rank, one in enumerate(by_confidence, 1)}
    totals = parts.totals
    rows = zip(weighed, parts.texts, parts.tokens, totals, cuts(weighed, row, limits, totals), strict=True)
    return tuple(
        Entry(one, rank, plain[id(one)], text, tokens, total, cut)
        for rank, (one, text, tokens, total, cut) in enumerate(rows, 1)
    )


@dataclass(frozen=True, slots=True)
class Injected:
    """Listed memories that would be injected, in order, and reasons against the others.

    `cuts` are by the identity of the memory; `covered` is the sum of the chances, None where coverage does not decide.
    """

    matches: tuple[Match, ...] = ()
    cuts: Mapping[int, Cut] = field(default_factory=dict)
    covered: float | None = None


def decided(
    weighed: Sequence[Weighed],
    intent: SearchIntent | None,
    limits: Limits,
    count_tokens: Callable[[Sequence[str]], list[int]],
) -> list[tuple[Weighed, Cut | None]]:
    """Return the memories in order of injection, each with its reason not to be, or None."""
    row = limits.row(intent)
    in_order = ordered(weighed, row, limits)
    reasons = cuts(in_order, row, limits)
    inside = [memory_text(one.memory) for one, cut in zip(in_order, reasons, strict=True) if cut is None]
    numbers = [number_text(rank) for rank in range(1, len(in_order) + 1)]
    named = None if row is None else intent
    if len("".join((head_text(named), *numbers, *inside)).encode()) > limits.tokens:  # a token has a byte at least
        reasons = cuts(in_order, row, limits, parts_of(named, in_order, count_tokens).totals)
    return list(zip(in_order, reasons, strict=True))


def texts_to_count(inspection: Inspection, settings: Settings) -> list[str]:
    """Return the texts whose tokens `injected` needs; none if they fit with any tokenizer."""
    asked: list[str] = []

    def note(texts: Sequence[str]) -> list[int]:
        asked.extend(texts)
        return [0] * len(texts)

    injected(inspection, settings, note)
    return asked


def injected(
    inspection: Inspection, settings: Settings, count_tokens: Callable[[Sequence[str]], list[int]] | None = None
) -> Injected:
    """Apply the rule of injection to the best memories of a query (S4.12)."""
    intent, matches = inspection.intent, (*inspection.memories, *inspection.below)
    limits, weight = Limits.of(settings), namespace_weight(settings, intent)
    by_memory = {id(one.answer): one for one in matches if _is_injectable(one)}
    pairs = [(one.answer, one.confidence) for one in by_memory.values() if isinstance(one.answer, Memory)]
    weighed = [
        _as_matched(one, by_memory[id(one.memory)])
        for one in weigh(pairs, weight, settings.search_intent.surfacing_success)
        if one.product > 0.0
    ]
    if not limits.covers(weighed):
        weighed = [one for one in weighed if by_memory[id(one.memory)].is_found]
    found = decided(weighed, intent, limits, count_tokens or inspection.tokens_of)
    inside = [one for one, cut in found if cut is None]
    covered = min(1.0, sum(one.confidence for one in inside)) if limits.covers(weighed) else None
    out = {id(one.memory): cut for one, cut in found if cut is not None}
    return Injected(tuple(by_memory[id(one.memory)] for one in inside), out, covered)


def _as_matched(one: Weighed, match: Match) -> Weighed:
    return replace(one, threshold=match.threshold or 0.0, label_chance=match.label_chance)


def _is_injectable(match: Match) -> bool:
    return isinstance(match.answer, Memory) and match.lapse is None and not is_silent(match.answer)


def namespace_weight(settings: Settings, intent: SearchIntent | None) -> Callable[[str], float]:
    """Return the weight of each namespace for the intent's type; 1 without one."""
    if intent is None:
        return lambda namespace: 1.0
    type_ = intent.type
    known: dict[str, float] = {}

    def weight(namespace: str) -> float:
        if namespace not in known:
            known[namespace] = settings.namespaces.weight(type_, namespace)
        return known[namespace]

    return weight


_INDENT = "   "


def head_text(intent: SearchIntent | None) -> str:
    """Return the line above the memories; it names the type if an intent is given."""
    if intent is None:
        return "Memories for this question:\n"
    return f"Memories for this question (its type is {intent.type.value}, {intent.confidence:.3f}), best first:\n"


def number_text(rank: int) -> str:
    """Return the number before a memory."""
    return f"\n{rank}. "


def memory_text(memory: Memory) -> str:
    """Format a memory without its number, so that its tokens do not depend on the rank.

    Namespace and first trigger, then the response, indented so that no line can pass for another memory.
    """
    first = f"[{_one_line(memory.namespace)}] {_one_line(memory.triggers[0])}\n"
    return first + "".join(f"{_INDENT}{line}".rstrip() + "\n" for line in memory.response.strip().splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())


MOST_CUT = 5
"""Maximum number of memories left out that the log of a prompt records."""


def accesses_of(surfaced: Surfaced, least: float) -> tuple[Access, ...]:
    """Return the injected memories, and the first of those left out above the threshold.

    The threshold is `least`, or the one of the memory's label.
    """
    injected = [Access(entry.memory.key or 0, entry.rank, entry.weighed.confidence) for entry in surfaced.inside]
    cut = [(entry.weighed, entry.rank, entry.cut) for entry in surfaced.entries if entry.cut is not None]
    aside = [(one, None, reason) for one, reason in surfaced.set_aside]
    out = [
        Access(one.memory.key or 0, rank, one.confidence, reason.value)
        for one, rank, reason in (*cut, *aside)
        if one.chance >= (one.threshold or least)
    ]
    return (*injected, *out[:MOST_CUT])
