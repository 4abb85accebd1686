"""Flat lines in the history: constant signals, a silent LLM, memories that never rank first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.history import HistoryEntry
from app.domain.llm import NO_PENALTY, LlmOutcome

ENOUGH = 20
"""Minimum number of queries for a flat line."""

RECENT = 100
"""Number of newest queries checked, so that older ones do not hide a stuck detector."""

OFTEN = 5
"""Number of listings without a first rank after which an answer counts as passed over."""


class FlatSignal(StrEnum):
    TYPE = "type"
    CONFIDENCE = "confidence"
    ANSWER = "answer"
    ANSWER_CONFIDENCE = "answer_confidence"


@dataclass(frozen=True, slots=True)
class FlatLine:
    """Signal with one value in the last `count` queries; None stands for no value."""

    what: FlatSignal
    count: int
    value: str | float | None


def flat_lines(queries: Sequence[HistoryEntry], *, detects: bool = True) -> list[FlatLine]:
    """Find the flat lines of past queries, newest first.

    Without `detects` types are not checked.
    """
    recent = queries[:RECENT]
    if len(recent) < ENOUGH:
        return []
    found: list[FlatLine] = []
    if detects and len(types := {one.type for one in recent}) == 1:
        found.append(FlatLine(FlatSignal.TYPE, len(recent), types.pop()))
    typed = [one.confidence for one in recent if one.type is not None]
    if detects and len(typed) >= ENOUGH and len(set(typed)) == 1:
        found.append(FlatLine(FlatSignal.CONFIDENCE, len(typed), typed[0]))
    if len(answers := {(one.kind, one.answer) for one in recent}) == 1:
        found.append(FlatLine(FlatSignal.ANSWER, len(recent), answers.pop()[1]))
    sure = [one.answer_confidence for one in recent if one.answer is not None]
    if len(sure) >= ENOUGH and len(set(sure)) == 1:
        found.append(FlatLine(FlatSignal.ANSWER_CONFIDENCE, len(sure), sure[0]))
    return found


@dataclass(frozen=True, slots=True)
class SilentLlm:
    """LLM without a single answer: the number of requests, and the most frequent outcome."""

    asked: int
    outcome: str
    times: int


def silent_llm(outcomes: Sequence[str]) -> SilentLlm | None:
    """Detect that all LLM requests failed, by outcomes, newest first (S4.5); else None."""
    waived = {outcome.value for outcome in NO_PENALTY} | {LlmOutcome.SUPERSEDED.value}
    asked = [outcome for outcome in outcomes if outcome not in waived][:RECENT]
    heard = {LlmOutcome.ANSWERED.value, LlmOutcome.LOW_CONFIDENCE.value}
    if len(asked) < ENOUGH or not heard.isdisjoint(asked):
        return None
    ((outcome, times),) = Counter(asked).most_common(1)
    return SilentLlm(len(asked), outcome, times)


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """Listed match of one query: name, label if any, and confidence."""

    name: str
    label: str | None
    confidence: float

    @property
    def answer(self) -> str:
        """Identity of the answer: the label, or the name without one."""
        return self.name if self.label is None else self.label


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Answer listed `times` times but never first; `rival` was first most often."""

    name: str
    times: int
    best: float
    rival: str


def passed_over(
    lists: Iterable[Sequence[ListedMatch]], least: float, own: Mapping[str, float] = {}
) -> list[PassedOver]:
    """Find answers listed OFTEN above the threshold that never ranked first, most listed first.

    The threshold is `least`, or the answer's own one.
    """
    first: set[str] = set()
    rivals: dict[str, Counter[str]] = {}
    best: dict[str, float] = {}
    for listed in lists:
        if not listed:
            continue
        leader = listed[0].answer
        first.add(leader)
        near = {one.answer: one.confidence for one in reversed(listed) if one.confidence >= own.get(one.answer, least)}
        for answer, confidence in near.items():
            if answer != leader:
                rivals.setdefault(answer, Counter())[leader] += 1
                best[answer] = max(best.get(answer, 0.0), confidence)
    return _passed(first, rivals, best)


def _passed(first: set[str], rivals: Mapping[str, Counter[str]], best: Mapping[str, float]) -> list[PassedOver]:
    found = [
        PassedOver(name, led.total(), best[name], led.most_common(1)[0][0])
        for name, led in rivals.items()
        if name not in first and led.total() >= OFTEN
    ]
    return sorted(found, key=lambda one: (-one.times, one.name))
