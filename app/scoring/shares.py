"""How likely the candidates of one query are under `learned`: shares of one whole, which the best and none make up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.domain.scope.logit import FLOOR, Logit
from app.scoring.arithmetic import ALL, EVIDENCE, LOG_SUM, NONE, SHARE, Explanation, Reckoned, reckoned
from app.scoring.columns.regression import Reading

SHARED = 20
"""So many answers, the best, share the whole with none of these: those of one label are one, by the best of them."""

RIVAL = "rival"
"""Operands of the whole, beside NONE: each of the best answers, the first of them RIVAL 1."""


@dataclass(frozen=True, slots=True)
class Shares:
    """What the candidates of one kind share: `best` are z of the SHARED best answers, largest first.

    A chance is exp(z - all), where exp(all) sums exp(z) of these and of none; so a larger z is a larger chance, and
    memories of one label that say the same do not take from each other.
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
        """From the means of the best answers (`Logit.z`), of which those that scored nothing are none."""
        return cls(logit, tuple(logit.z(one) for one in combined if one > 0.0), reading if logit.regression else None)

    @property
    def any(self) -> float:
        """The chance that any of them is right."""
        return max(0.0, 1.0 - math.exp(self.none.result - self.all.result)) if self.best else 0.0

    def __call__(self, combined: float) -> float:
        """The chance of a candidate whose mean this is; 0 where it scored nothing."""
        return min(1.0, math.exp(self.logit.z(combined) - self.all.result)) if combined > 0.0 else 0.0

    def as_share(self, explanation: Explanation) -> Explanation:
        """The account of a candidate's mean as that of its chance: what speaks for it in log-odds, and against whom."""
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
        """Of a candidate without a vector: its best lexical score counts as the share of the most that can be said."""
        *before, last = explanation.reckoning
        least = FLOOR * self.logit.regression
        names, values, weights = ("best", "least"), (last.result, least), (self.logit.total, 1.0)
        evidence = reckoned(EVIDENCE, "sum", names, values, weights)
        ending = reckoned("confidence", SHARE, (EVIDENCE, ALL), (evidence.result, self.all.result))
        steps = (*before, last._replace(name="best"), self.none, self.all, evidence, ending)
        return Explanation(steps, explanation.winners)


def _as_counted(name: str, scaled: float) -> float:
    """The number that the weight multiplies: for the regression the logarithm of its probability."""
    return (1.0 - scaled) * FLOOR if name == "regression" else scaled
