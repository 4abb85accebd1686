"""What never changes, and what never comes first: a detector that stands still, and memories that are passed over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.llm import NO_PENALTY, LlmOutcome
from app.domain.review.history import HistoryEntry

ENOUGH = 20
"""From so many queries on it says something that they are all alike."""

RECENT = 100
"""So many of the newest tell: a detector that has been stuck for an hour must not hide behind what it did before."""

OFTEN = 5
"""A memory that came near so often and never first is passed over."""


class Still(StrEnum):
    """What is the same in every query."""

    TYPE = "type"
    CONFIDENCE = "confidence"
    ANSWER = "answer"
    ANSWER_CONFIDENCE = "answer_confidence"


@dataclass(frozen=True, slots=True)
class Flat:
    """One thing that never changes in the last `count` queries, and its value; None where there never is any."""

    what: Still
    count: int
    value: str | float | None


def flat_lines(queries: Sequence[HistoryEntry], *, detects: bool = True) -> list[Flat]:
    """What stands still in past queries, the newest first; without `detects` no type is looked for."""
    recent = queries[:RECENT]
    if len(recent) < ENOUGH:
        return []
    found: list[Flat] = []
    if detects and len(types := {one.type for one in recent}) == 1:
        found.append(Flat(Still.TYPE, len(recent), types.pop()))
    typed = [one.confidence for one in recent if one.type is not None]
    if detects and len(typed) >= ENOUGH and len(set(typed)) == 1:
        found.append(Flat(Still.CONFIDENCE, len(typed), typed[0]))
    if len(answers := {(one.kind, one.answer) for one in recent}) == 1:
        found.append(Flat(Still.ANSWER, len(recent), answers.pop()[1]))
    sure = [one.answer_confidence for one in recent if one.answer is not None]
    if len(sure) >= ENOUGH and len(set(sure)) == 1:
        found.append(Flat(Still.ANSWER_CONFIDENCE, len(sure), sure[0]))
    return found


@dataclass(frozen=True, slots=True)
class Silence:
    """An LLM that never gave an answer that counted: how often it was asked, and what came of it most often."""

    asked: int
    outcome: str
    times: int


def silence(outcomes: Sequence[str]) -> Silence | None:
    """Whether an LLM was always asked in vain, by the outcomes of past queries, the newest first (S4.5)."""
    waived = {outcome.value for outcome in NO_PENALTY} | {LlmOutcome.SUPERSEDED.value}
    asked = [outcome for outcome in outcomes if outcome not in waived][:RECENT]
    heard = {LlmOutcome.ANSWERED.value, LlmOutcome.LOW_CONFIDENCE.value}
    if len(asked) < ENOUGH or not heard.isdisjoint(asked):
        return None
    ((outcome, times),) = Counter(asked).most_common(1)
    return Silence(len(asked), outcome, times)


@dataclass(frozen=True, slots=True)
class Listed:
    """A memory in the list of one query: its name, the label that it is one phrase of, if any, and its confidence."""

    name: str
    label: str | None
    confidence: float

    @property
    def answer(self) -> str:
        """What it stands for: memories of one label are one answer."""
        return self.name if self.label is None else self.label


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An answer that came near `times` times and never first; `rival` came first most often then."""

    name: str
    times: int
    best: float
    rival: str


def passed_over(lists: Iterable[Sequence[Listed]], least: float, own: Mapping[str, float] = {}) -> list[PassedOver]:
    """The answers that were listed OFTEN with at least this confidence, or that which is their own, and never led, most
    often listed first."""
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
