"""Probabilities of a query's candidates under `learned`, as shares of a sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.domain.scope.logit import FLOOR, Logit
from app.scoring.arithmetic import ALL, EVIDENCE, LOG_SUM, NONE, SHARE, Explanation, Reckoned, reckoned
from app.scoring.columns.regression import Reading

SHARED = 20
"""Number of best answers in the sum; a label counts once, by its best answer."""

RIVAL = "rival"
"""Operand names of the sum, beside NONE: the best answers, starting with RIVAL 1."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of candidates of one kind; `best` are the z of the SHARED best answers, descending.

    A probability is exp(z - all), where exp(all) sums exp(z) of these answers and of none: a larger z has a larger
    probability, and equal memories of one label do not reduce each other's.
    """

    logit: Logit
    best: tuple[float, ...]
    reading: Reading | None = None
    none: Reckoned = field(init=False)
    all: Reckoned = field(init=False)

    def __post_init__(self) -> None:
        own, reading = self.logit, self.reading
        names, values, weights = [NONE], [own.none], [1.0]
        if reading is not None:
            names += ["energy", "background"]
            values += [reading.energy, reading.background]
            weights += [own.energy, own.background]
        none = reckoned(NONE, "sum", names, values, weights)
        names = [NONE, *(f"{RIVAL} {place}" for place in range(1, len(self.best) + 1))]
        values = [none.result, *self.best]
        object.__setattr__(self, "none", none)
        object.__setattr__(self, "all", reckoned(ALL, LOG_SUM, names, values))

    @classmethod
    def of(cls, logit: Logit, combined: Sequence[float], reading: Reading | None) -> Shares:
        """Make the shares from the means of the best answers (`Logit.z`); a mean of 0 is left out."""
        return cls(logit, tuple(logit.z(one) for one in combined if one > 0.0), reading if logit.regression else None)

    @property
    def any(self) -> float:
        """Probability that any of the answers is right, in [0, 1]."""
        return max(0.0, 1.0 - math.exp(self.none.result - self.all.result)) if self.best else 0.0

    def __call__(self, combined: float) -> float:
        """Return the probability of a candidate with this mean, in [0, 1]; 0 for a mean of 0."""
        return min(1.0, math.exp(self.logit.z(combined) - self.all.result)) if combined > 0.0 else 0.0

    def as_share(self, explanation: Explanation) -> Explanation:
        """Convert the explanation of a candidate's mean into one of its probability, in log-odds."""
        if not explanation.confidence > 0.0:
            return Explanation((), ())
        mean = explanation.reckoning[-1]
        if mean.operation != "weighted_mean":
            return self._share_by_text(explanation)
        scores = dict(zip(mean.names, mean.values, strict=True))
        names = [name for name, _ in self.logit.weighed if name in scores]
        values = [_as_counted(name, scores[name]) for name in names]
        evidence = reckoned(EVIDENCE, "sum", names, values, [dict(self.logit.weighed)[name] for name in names])
        ending = reckoned("confidence", SHARE, (EVIDENCE, ALL), (evidence.result, self.all.result))
        return Explanation((self.none, self.all, evidence, ending), explanation.winners)

    def _share_by_text(self, explanation: Explanation) -> Explanation:
        """Explain a candidate without a vector: its best lexical score is its evidence."""
        *before, last = explanation.reckoning
        least = FLOOR * self.logit.regression
        names, values, weights = ("best", "least"), (last.result, least), (self.logit.total, 1.0)
        evidence = reckoned(EVIDENCE, "sum", names, values, weights)
        ending = reckoned("confidence", SHARE, (EVIDENCE, ALL), (evidence.result, self.all.result))
        steps = (*before, last._replace(name="best"), self.none, self.all, evidence, ending)
        return Explanation(steps, explanation.winners)


def _as_counted(name: str, scaled: float) -> float:
    """Return the number that the weight multiplies; of the regression, its log probability."""
    return (1.0 - scaled) * FLOOR if name == "regression" else scaled
