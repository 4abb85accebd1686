"""Contribution of an LLM: quality of each way of answering, response times, repeatability."""

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
"""Columns beside those of the merge policies.

For types keywords alone and with the learned examples, for others the engine's answer; and the LLM alone.
"""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Agreement of several runs of each query.

    Of `cases` with at least two answers, `same` had the same answer each time; `runs` is the maximum number of
    runs, `spread` the largest difference between two confidences of one query, and `varied` has the counts of
    different answers. Missing answers are counted in the outcomes.
    """

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
    """Same cases answered in each way: `columns` by name, the last of which are merge policies.

    `adds` compares answers with the LLM, by the policy in force, and without; `flips` compares the two policies.
    `times_ms` has percentiles of the time to the first answer of each case, `within` is the share of cases answered
    within `budget_ms`, `outcomes` counts outcomes; `asked` counts new answers, the others were stored; `silent`
    counts cases without any.
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
    """Compute percentiles of the response times, in ms, by name; empty without answers."""
    every = [one.ms for one in answers]
    return {f"p{share}": float(np.percentile(every, share)) for share in PERCENTILES} if every else {}


def within(answers: Sequence[StoredLlmAnswer], budget_ms: float) -> float | None:
    """Compute the share of requests answered within the budget; None without requests."""
    in_time = [one.outcome is LlmOutcome.ANSWERED and one.ms <= budget_ms for one in answers]
    return sum(in_time) / len(in_time) if in_time else None


def repeats(runs: Sequence[Sequence[StoredLlmAnswer]]) -> Repeats | None:
    """Measure whether queries answered at least twice had the same answer; None without repeats."""
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
