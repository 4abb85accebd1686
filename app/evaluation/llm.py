"""What an LLM adds to the answers: each way of answering judged beside the others, its time, and whether it repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.llm import LlmOutcome, StoredLlmAnswer
from app.evaluation.comparison import Comparison
from app.evaluation.evaluation import Evaluation

PERCENTILES = (50, 90, 95, 99)

KEYWORD, LEARNED, ENGINE, LLM = "keyword", "learned", "engine", "llm"
"""The columns beside those of the merge policies: of types keywords alone and with what is learned, of other answers
the engine's own, and the LLM alone."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Several runs of each query: of `cases` that were answered at least twice, `same` named one and the same answer
    each time; `runs` says how often each was asked, `spread` is the largest difference between two confidences of one
    query, and `varied` tells what the others named, with how often. Silence is no answer, and is counted among the
    outcomes."""

    runs: int
    cases: int
    same: int
    spread: float
    varied: tuple[tuple[str, Mapping[str, int]], ...]

    @property
    def share(self) -> float | None:
        return self.same / self.cases if self.cases else None


@dataclass(frozen=True, slots=True)
class LlmEvaluation:
    """The same cases answered in each way: `columns` by name, of which the last are the merge policies.

    `adds` sets the answers with the LLM, by the policy in force, against those without; `flips` one policy against the
    other. `times_ms` has the percentiles of the time to the first answer of each case, `within` the share of the cases
    answered within the budget of `budget_ms`, `outcomes` what became of each; `asked` of the answers are new, the
    others were kept; `silent` cases have none.
    """

    model: str
    mode: str
    budget_ms: float
    columns: Mapping[str, Evaluation]
    adds: Comparison
    flips: Comparison
    policies: tuple[str, str]
    times_ms: Mapping[str, float]
    within: float | None
    outcomes: Mapping[str, int]
    asked: int
    silent: int
    repeats: Repeats | None


def times(answers: Sequence[StoredLlmAnswer]) -> dict[str, float]:
    """Percentiles of the times to these answers, in ms, by name; empty without any."""
    every = [one.ms for one in answers]
    return {f"p{share}": float(np.percentile(every, share)) for share in PERCENTILES} if every else {}


def within(answers: Sequence[StoredLlmAnswer], budget_ms: float) -> float | None:
    """The share of the questions that were answered within the budget; None where none was asked."""
    in_time = [one.outcome is LlmOutcome.ANSWERED and one.ms <= budget_ms for one in answers]
    return sum(in_time) / len(in_time) if in_time else None


def repeats(runs: Sequence[Sequence[StoredLlmAnswer]]) -> Repeats | None:
    """Whether the same was answered each time, of queries that were answered at least twice; None where none was asked
    twice."""
    most = max(map(len, runs), default=0)
    if most < 2:
        return None
    heard = [[one for one in answers if one.outcome is LlmOutcome.ANSWERED] for answers in runs]
    often = [answers for answers in heard if len(answers) > 1]
    varied: list[tuple[str, Mapping[str, int]]] = []
    spread = 0.0
    for answers in often:
        named = Counter(one.name for one in answers)
        if len(named) > 1:
            varied.append((answers[0].text, dict(named.most_common())))
        sure = [one.confidence for one in answers]
        spread = max(spread, max(sure) - min(sure))
    return Repeats(most, len(often), len(often) - len(varied), spread, tuple(varied))
