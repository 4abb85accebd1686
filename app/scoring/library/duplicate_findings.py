"""Findings on similar triggers: conflicts of different answers, duplicates of one answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations

import numpy as np

from app.domain.library import Answer, Memory
from app.domain.review.health import DuplicateFinding, DuplicateKind, SimilarityThresholds, TriggerUse
from app.scoring.library.duplicates import Pairs
from app.scoring.text import without_punctuation

MOST_FINDINGS = 20_000
"""Maximum number of near findings reported per kind; further ones are counted."""

MOST_HOLDINGS = 100
"""Maximum number of holdings reported per text."""

_AT_ONCE = 1_024
_ORDER = {likeness: place for place, likeness in enumerate(DuplicateKind)}


def answer_identity(answer: Answer) -> str:
    """Return an answer's identity: its label, or its response, or its own key (S2.6)."""
    if answer.answer_label is not None:
        return f"label {answer.answer_label}"
    if isinstance(answer, Memory) and answer.response.strip():
        return f"response {answer.response.strip()}"
    return f"{answer.kind} {answer.key}"


def own_triggers(answer: Answer) -> tuple[str, ...]:
    """Return the sentences of an answer; names, keywords and tools of powers are no duplicates."""
    return tuple(dict.fromkeys(answer.triggers if isinstance(answer, Memory) else answer.examples))


def differences_of(finding: DuplicateFinding) -> list[tuple[bytes, bytes]]:
    """Return the digests that mark a finding as no duplicate: pairs of texts and answers."""
    digests = sorted({_digest(holding) for holding in finding.holdings})
    return list(combinations(digests, 2)) or [(digests[0], digests[0])]


def _digest(holding: TriggerUse) -> bytes:
    key = f"{without_punctuation(holding.trigger)}\n{holding.meant}"
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings of a search, most urgent first; `left_out` counts more near ones by kind.

    `searched` texts were compared, `unembedded` of them by spelling only; `is_cut`: more pairs were found than
    kept.
    """

    found: tuple[DuplicateFinding, ...] = ()
    left_out: Mapping[DuplicateKind, int] = field(default_factory=dict)
    searched: int = 0
    unembedded: int = 0
    is_cut: bool = False


class Sorting:
    """Holdings by text, and their findings, computed in steps."""

    def __init__(self, holdings: Iterable[TriggerUse]) -> None:
        self._by_text: defaultdict[str, list[TriggerUse]] = defaultdict(list)
        for holding in holdings:
            self._by_text[holding.trigger].append(holding)
        self.texts = list(self._by_text)
        self._bare: list[str] = []
        self._unsorted: list[tuple[tuple[float, ...], DuplicateFinding]] = []
        self.findings = Findings()

    def exact(self) -> Iterator[None]:
        """Find texts equal up to case, space and punctuation."""
        by_bare: defaultdict[str, list[str]] = defaultdict(list)
        for place, text in enumerate(self.texts):
            self._bare.append(bare := without_punctuation(text))
            if bare:
                by_bare[bare].append(text)
            if place % _AT_ONCE == 0:
                yield
        for place, texts in enumerate(by_bare.values()):
            holdings = [holding for text in texts for holding in self._by_text[text]]
            if len(holdings) > 1:
                self._take(_same(holdings))
            if place % _AT_ONCE == 0:
                yield

    def near(self, pairs: Pairs, least: SimilarityThresholds) -> Iterator[None]:
        """Classify pairs of different texts; the result is in `findings` at the end."""
        rows = zip(*(column.tolist() for column in (pairs.first, pairs.second)), strict=True)
        spelling, meaning = pairs.spelling.tolist(), np.where(np.isnan(pairs.meaning), -1.0, pairs.meaning).tolist()
        best: dict[tuple[str, str], tuple[float, int, int, int]] = {}
        for place, (first, second) in enumerate(rows):
            one, other = self._bare[first], self._bare[second]
            if one != other and one and other:
                key = (one, other) if one < other else (other, one)
                excess = _excess(spelling[place], meaning[place], least)
                best[key] = max(best.get(key, (-1.0, 0, 0, 0)), (excess, place, first, second))
            if place % _AT_ONCE == 0:
                yield
        for number, (excess, place, first, second) in enumerate(best.values()):
            meant = None if meaning[place] < 0 else meaning[place]
            self._take(self._pair(first, second, spelling[place], meant), excess)
            if number % _AT_ONCE == 0:
                yield

    def sorted(self, different: set[tuple[bytes, bytes]]) -> Iterator[None]:
        """Sort by urgency, without pairs marked as no duplicates."""
        self._unsorted.sort(key=lambda each: each[0])
        yield
        kept: list[DuplicateFinding] = []
        counted, left_out = Counter[DuplicateKind](), Counter[DuplicateKind]()
        for place, (_, finding) in enumerate(self._unsorted):
            if different and is_marked_different(finding, different):
                continue
            if finding.likeness.is_near and counted[finding.likeness] >= MOST_FINDINGS:
                left_out[finding.likeness] += 1
            else:
                counted[finding.likeness] += 1
                kept.append(finding)
            if place % _AT_ONCE == 0:
                yield
        self.findings = Findings(tuple(kept), left_out)

    def _take(self, finding: DuplicateFinding, excess: float = 0.0) -> None:
        used = sum(
            holding.answer.usage + holding.answer.right
            for holding in finding.holdings
            if isinstance(holding.answer, Memory)
        )
        rank = (_ORDER[finding.likeness], -excess, -used, -len(finding.holdings))
        self._unsorted.append((rank, finding))

    def _pair(self, first: int, second: int, spelling: float, meaning: float | None) -> DuplicateFinding:
        left = min(self._by_text[self.texts[first]], key=_least_used)
        others = sorted(self._by_text[self.texts[second]], key=_least_used)
        right = next((holding for holding in others if holding.meant != left.meant), others[0])
        likeness = DuplicateKind.NEAR_DUPLICATE if left.meant == right.meant else DuplicateKind.NEAR_CONFLICT
        return DuplicateFinding(likeness, tuple(sorted((left, right), key=_least_used)), spelling, meaning)


def is_marked_different(finding: DuplicateFinding, different: set[tuple[bytes, bytes]]) -> bool:
    """Return whether all pairs of a finding are marked as no duplicates."""
    return all(pair in different for pair in differences_of(finding))


def freshened(finding: DuplicateFinding, current: Sequence[Answer | None]) -> DuplicateFinding | None:
    """Update a finding to the present answers (None: deleted); None if it no longer applies."""
    holdings = tuple(
        TriggerUse(now, holding.trigger, answer_identity(now))
        for holding, now in zip(finding.holdings, current, strict=True)
        if now is not None and holding.trigger in own_triggers(now)
    )
    if len(holdings) < 2:
        return None
    if not finding.likeness.is_near:
        return _same(list(holdings))
    one, other = holdings
    likeness = DuplicateKind.NEAR_DUPLICATE if one.meant == other.meant else DuplicateKind.NEAR_CONFLICT
    return DuplicateFinding(likeness, holdings, finding.spelling, finding.meaning)


def _same(holdings: list[TriggerUse]) -> DuplicateFinding:
    is_conflict = len({holding.meant for holding in holdings}) > 1
    likeness = DuplicateKind.CONFLICT if is_conflict else DuplicateKind.DUPLICATE
    return DuplicateFinding(likeness, tuple(sorted(holdings, key=_least_used)[:MOST_HOLDINGS]))


def _least_used(holding: TriggerUse) -> tuple[float, ...]:
    """Sort key of holdings: most used and successful first, then oldest."""
    answer = holding.answer
    use = (-answer.usage - answer.right, -answer.success) if isinstance(answer, Memory) else (0.0, 0.0)
    return (*use, answer.key or 0)


def _excess(spelling: float, meaning: float, least: SimilarityThresholds) -> float:
    """Return how far the better score exceeds its threshold, as a share of the range above."""
    shares = (
        (value - bound) / (1.0 - bound) if bound < 1.0 else float(value >= bound)
        for value, bound in ((spelling, least.spelling), (meaning, least.meaning))
    )
    return max(shares)
