"""Evaluation: all answered cases of a task, and METRICS by name; None: not applicable (S8.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.case import Task
from app.domain.confidence import Chance
from app.domain.match import Band, Tier
from app.evaluation.answers import LISTED, Answered, labelled, passes
from app.evaluation.distribution import (
    Confusion,
    SearchTimes,
    TierQuality,
    TokenCost,
    bands,
    confusion,
    tier_quality,
    tiers,
)
from app.scoring.combiners import COMBINERS
from app.settings.model import Settings

CALIBRATION_BINS = 15
"""Number of equal-width confidence bins of `ece`."""


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _expecting(answers: Sequence[Answered]) -> list[Answered]:
    return [answer for answer in answers if answer.acceptable]


def top(places: int) -> Callable[[Sequence[Answered]], float | None]:
    """Make the metric: the share of cases with an acceptable answer in the first `places`."""

    def measure(answers: Sequence[Answered]) -> float | None:
        return _mean([answer.rank is not None and answer.rank <= places for answer in _expecting(answers)])

    return measure


def recall10(answers: Sequence[Answered]) -> float | None:
    """Compute the share of acceptable answers in the first ten, as the mean over cases."""
    shares: list[float] = []
    for answer in _expecting(answers):
        listed = {candidate.name for candidate in answer.candidates[:LISTED]}
        shares.append(len(listed.intersection(answer.acceptable)) / len(answer.acceptable))
    return _mean(shares)


def mrr10(answers: Sequence[Answered]) -> float | None:
    """Compute the mean reciprocal rank: 1 / rank of the first acceptable answer, 0 beyond ten."""
    ranks = [answer.rank for answer in _expecting(answers)]
    return _mean([1.0 / rank if rank is not None and rank <= LISTED else 0.0 for rank in ranks])


def delivered(answers: Sequence[Answered]) -> float | None:
    """Compute the share of all cases delivered exactly as expected."""
    return _mean([passes(answer) for answer in answers])


def accuracy(answers: Sequence[Answered]) -> float | None:
    """Compute the share of cases with the right answer, or correctly none (S8.5)."""
    return _mean([answer.is_right for answer in answers])


def label_counts(answers: Sequence[Answered]) -> dict[str | None, tuple[int, int, int]]:
    """Count the cases of each label: expected, given, right.

    "No match" is a label only where a case expects it; giving none elsewhere only lowers recall.
    """
    pairs = [(answer.expected_name, answer.predicted) for answer in labelled(answers)]
    right = Counter(expected for expected, given in pairs if expected == given)
    expected_of = Counter(expected for expected, _ in pairs)
    given_of = Counter(given for _, given in pairs)
    labels = [label for label in expected_of | given_of if label is not None or expected_of[label]]
    return {label: (expected_of[label], given_of[label], right[label]) for label in labels}


def macro_f1(answers: Sequence[Answered]) -> float | None:
    """Compute the unweighted mean F1 over the labels of `label_counts`."""
    return _mean([2.0 * right / (expected + given) for expected, given, right in label_counts(answers).values()])


def auroc(answers: Sequence[Answered]) -> float | None:
    """Compute the AUROC of detecting cases with an answer; None without both kinds of cases.

    The score is the top confidence, or the probability of any answer where those are shares. Ties count half.
    """
    answers = labelled(answers)
    confidences = np.array([answer.answerable for answer in answers])
    positive = np.array([bool(answer.acceptable) for answer in answers], np.bool_)
    positives = int(positive.sum())
    negatives = len(answers) - positives
    if positives == 0 or negatives == 0:
        return None
    rank_sum = float(_mean_ranks(confidences)[positive].sum())
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def _mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank values from 1; ties get the mean rank; same shape."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: NDArray[np.float64] = (last - (counts - 1) / 2.0)[which]
    return ranks


@dataclass(frozen=True, slots=True)
class Bin:
    """Bin of the labelled cases with top confidence from `low` to `high`.

    `count` cases, their mean confidence, and the share with a right top answer.
    """

    low: float
    high: float
    count: int
    confidence: float
    right: float


def reliability(answers: Sequence[Answered]) -> tuple[Bin, ...]:
    """Compute expected and observed accuracy per non-empty bin of CALIBRATION_BINS.

    Where no match is expected, no top answer is right.
    """
    answers = labelled(answers)
    confidences = np.array([answer.confidence for answer in answers], np.float64)
    right = np.array([answer.top_is_right for answer in answers], np.float64)
    bins = np.minimum((confidences * CALIBRATION_BINS).astype(np.intp), CALIBRATION_BINS - 1)
    counts = np.bincount(bins, minlength=CALIBRATION_BINS)
    sums = [np.bincount(bins, values, CALIBRATION_BINS) for values in (confidences, right)]
    return tuple(
        Bin(place / CALIBRATION_BINS, (place + 1) / CALIBRATION_BINS, count, *(float(of[place]) / count for of in sums))
        for place, count in enumerate(counts.tolist())
        if count
    )


_LEAST_IN_GROUP, _MOST_GROUPS = 8, 10


def reliability_groups(answers: Sequence[Answered]) -> tuple[Bin, ...]:
    """Compute expected and observed accuracy per group of equally many cases, by confidence.

    Unlike `reliability`, no point rests on a case or two: of few cases there are few groups.
    """
    ranked = sorted((answer.confidence, float(answer.top_is_right)) for answer in labelled(answers))
    groups = np.array_split(np.array(ranked), max(1, min(_MOST_GROUPS, len(ranked) // _LEAST_IN_GROUP)))
    return tuple(
        Bin(float(of[0, 0]), float(of[-1, 0]), len(of), float(of[:, 0].mean()), float(of[:, 1].mean()))
        for of in groups
        if len(of)
    )


def ece(answers: Sequence[Answered]) -> float | None:
    """Compute the expected calibration error over all labelled cases.

    Mean over bins, weighted by size, of |mean confidence - share of right top answers|; where no match is expected,
    no top answer is right.
    """
    bins = reliability(answers)
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.confidence - one.right) for one in bins) / total if total else None


def tier_accuracy(answers: Sequence[Answered]) -> float | None:
    """Compute the share of cases with an expected tier that end in it (003)."""
    return _mean([answer.tier is answer.case.tier for answer in answers if answer.case.tier is not None])


def no_match_right(answers: Sequence[Answered]) -> float | None:
    """Compute the share of cases without an expected match that got none (S8.5)."""
    return _mean([answer.is_right for answer in labelled(answers) if not answer.acceptable])


METRICS: Mapping[str, Callable[[Sequence[Answered]], float | None]] = {
    "delivered": delivered,
    "top1": top(1),
    "top3": top(3),
    "top5": top(5),
    "recall10": recall10,
    "mrr10": mrr10,
    "accuracy": accuracy,
    "macro_f1": macro_f1,
    "auroc": auroc,
    "ece": ece,
    "tier_accuracy": tier_accuracy,
}
"""All metrics by name, in report order."""

FURTHER = ("no_match_right", "served", "activated", "wrongly_activated", "friction")
"""Names of the figures that are reported beside the metrics; gates test both."""


def measured(answers: Sequence[Answered]) -> dict[str, float | None]:
    return {name: measure(answers) for name, measure in METRICS.items()}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Answered cases, metrics (None where one does not apply), and distributions.

    `combination` names the combiner or, for types, the selection policy; `bands` is empty for powers, `tiers` for
    everything else, both for types. `threshold` is the rejection of S8.5. `tier_quality` is for powers only, as are
    `times` and `tokens`, on request.
    """

    task: Task
    combination: str
    threshold: float
    answered: tuple[Answered, ...]
    metrics: Mapping[str, float | None]
    bands: Mapping[Band, int]
    tiers: Mapping[Tier, int]
    confusion: Confusion
    tier_quality: TierQuality | None = None
    times: SearchTimes | None = None
    tokens: TokenCost | None = None
    chance: Chance | None = None
    """Calibration of the confidences, if calibrated."""

    @property
    def further(self) -> dict[str, float | None]:
        """FURTHER figures; those of powers count ones that could not be started, and turns at most."""
        found, quality = {"no_match_right": no_match_right(self.answered)}, self.tier_quality
        if quality is None or not self.answered:
            return found
        confident, wrongly = self.tiers[Tier.ACTIVATED], quality.wrongly_activated + quality.wrongly_blocked
        return {
            **found,
            "served": quality.served,
            "activated": confident / len(self.answered),
            "wrongly_activated": wrongly / confident if confident else None,
            "friction": None if quality.friction is None else quality.friction[1],
        }

    @property
    def is_by_any(self) -> bool:
        """True if the chance that any power fits decides about no match."""
        return self.task is Task.POWER and any(one.shared is not None for one in self.answered)


def threshold_of(task: Task, settings: Settings, own: float | None = None) -> float:
    """Return the minimum top confidence of a match (S8.5); 0 for routes, always answered (S6.3).

    `own` is the threshold of the best answer's label.
    """
    if task is Task.ROUTE:
        return 0.0
    if task is Task.POWER:
        return settings.tiers.weak
    return settings.fallback_threshold if own is None or not settings.label_thresholds else own


def limits_of(task: Task, settings: Settings, own: float | None = None) -> tuple[float, ...]:
    """Return the confidences at which the outcome of an answer changes, the threshold first."""
    least = threshold_of(task, settings, own)
    if task is Task.POWER:
        return least, settings.tiers.medium, settings.tiers.high
    return settings.memory_limits(least) if task in (Task.INTENT, Task.MEMORY) else (least,)


def judged(task: Task, combination: str, answers: Sequence[Answered], settings: Settings) -> Evaluation:
    """Compute everything that is reported about these answers."""
    return Evaluation(
        task=task,
        combination=combination,
        threshold=threshold_of(task, settings),
        answered=tuple(answers),
        metrics=measured(answers),
        bands=bands(answers, settings) if task in (Task.INTENT, Task.MEMORY) else {},
        tiers=tiers(answers) if task is Task.POWER else {},
        confusion=confusion(answers, task),
        tier_quality=tier_quality(answers, settings) if task is Task.POWER else None,
        chance=_chance(task, combination, settings),
    )


def _chance(task: Task, combination: str, settings: Settings) -> Chance | None:
    if combination not in COMBINERS or not COMBINERS[combination].is_calibrated:
        return None
    return settings.calibration.powers if task is Task.POWER else settings.calibration.memories
