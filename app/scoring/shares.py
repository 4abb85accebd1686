"""Probabilities of a query's candidates under `learned`, as shares of a sum."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from app.domain.fits import BRIEF_NONE, FLOOR, Logit
from app.scoring.arithmetic import (
    ALL,
    COMPETING,
    EVIDENCE,
    EXACT,
    LABEL,
    LOG_SUM,
    NONE,
    OWN_MEAN,
    PHRASES,
    PREFERENCE,
    PRODUCT,
    SEMANTIC,
    SHARE,
    WITHIN,
    Explanation,
    Reckoned,
    reckoned,
)
from app.scoring.columns.column import Floats, Places
from app.scoring.columns.regression import Reading

SHARED = 20
"""Number of best answers in the sum; a label counts once, by its best answer."""

RIVAL, LACKING = "rival", "lacking words"
"""Names of operands: a best answer in the sum, from RIVAL 1 on; missing words in `none`."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of candidates of one kind; `best` are the z of the SHARED best answers, descending.

    A probability is exp(z - all), where exp(all) sums exp(z) of these answers and of none: a larger z has a larger
    probability, and equal memories of one label do not reduce each other's.
    """

    logit: Logit
    best: tuple[float, ...]
    reading: Reading | None = None
    lacking: float = 0.0
    none: Reckoned = field(init=False)
    all: Reckoned = field(init=False)

    def __post_init__(self) -> None:
        own, reading = self.logit, self.reading
        names, values, weights = [NONE], [own.none], [1.0]
        if reading is not None:
            names += ["energy", "background"]
            values += [reading.energy, reading.background]
            weights += [own.energy, own.background]
        if self.lacking:
            names.append(LACKING)
            values.append(self.lacking)
            weights.append(BRIEF_NONE)
        none = reckoned(NONE, "sum", names, values, weights)
        names = [NONE, *(f"{RIVAL} {place}" for place in range(1, len(self.best) + 1))]
        values = [none.result, *self.best]
        object.__setattr__(self, "none", none)
        object.__setattr__(self, "all", reckoned(ALL, LOG_SUM, names, values))

    @classmethod
    def of(cls, logit: Logit, combined: Sequence[float], reading: Reading | None, lacking: float = 0.0) -> Shares:
        """Make the shares from the means of the best answers (`Logit.z`); a mean of 0 is left out.

        `lacking` is the number of content words that the query lacks.
        """
        own = logit.of_brief(lacking)
        return cls(
            own, tuple(own.z(one) for one in combined if one > 0.0), reading if own.regression else None, lacking
        )

    @property
    def any(self) -> float:
        """Probability that any of the answers is right, in [0, 1]."""
        return max(0.0, 1.0 - math.exp(self.none.result - self.all.result)) if self.best else 0.0

    def beside(self, combined: float) -> Shares:
        """Return the shares in which one more answer, of this mean above 0, takes part."""
        return replace(self, best=(*self.best, self.logit.z(combined))) if combined > 0.0 else self

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
        # the number that the weight multiplies; of the regression, its log probability
        values = [(1.0 - scores[name]) * FLOOR if name == "regression" else scores[name] for name in names]
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


# ---- The chance of a memory within its label

WITHIN_WEIGHTS: Mapping[str, float] = {SEMANTIC: 4.9, OWN_MEAN: 10.9, PHRASES: -0.9, EXACT: 8.0}
"""Weights where memories of one label compete.

Meaning tells them apart: they have the label's mean and the regression in common, and words and spelling added nothing.
The number of triggers counts against a memory, as the best and the mean of more of them are nearer to any query. Fitted
by packaging/coverage.py on groups of related intents of CLINC150, BANKING77 and MetaTool. That of EXACT is not, as no
query there is a trigger: it exceeds what many unlike triggers cost a memory beside one with a single similar trigger.
"""


def preference_of(tells: Sequence[float]) -> float:
    """Return the log-odds within the label, as the explanation has them."""
    return math.fsum(map(operator.mul, WITHIN_WEIGHTS.values(), tells))


class WithinFeatures(NamedTuple):
    """Features of a memory within its label, in the order of WITHIN_WEIGHTS."""

    semantic: float
    own_mean: float
    phrases: float
    exact: float

    @property
    def preference(self) -> Reckoned:
        """Log-odds within the label, with the exact wording only where there is one."""
        count = len(self) if self.exact else len(self) - 1
        weights = tuple(WITHIN_WEIGHTS.values())[:count]
        return reckoned(PREFERENCE, "sum", tuple(WITHIN_WEIGHTS)[:count], self[:count], weights)


LEAST_LABEL = 0.001
"""Minimum chance of a label that is divided among its memories; below, their chances stay."""

BEST, RESPONSE, REST = "best of the label", "response", "other responses"
"""Operands: log-odds of the label's best memory and of each response, log of the rest's sum."""


@dataclass(frozen=True, slots=True)
class LabelShares:
    """Division of the chance of one label among its different responses.

    `best` are the log-odds of its best memory, `responses` the best preference of each response, largest first. A
    memory's chance is that of the label times that of the memory within it; memories with the same response do not take
    from each other.
    """

    shares: Shares
    best: float
    responses: tuple[float, ...]
    label: Reckoned = field(init=False)
    competing: Reckoned = field(init=False)

    def __post_init__(self) -> None:
        label = reckoned(LABEL, SHARE, (BEST, ALL), (self.best, self.shares.all.result))
        listed, rest = list(self.responses[:SHARED]), self.responses[SHARED:]
        names = [f"{RESPONSE} {place}" for place in range(1, len(listed) + 1)]
        if rest:
            names.append(REST)
            listed.append(reckoned(REST, LOG_SUM, names[:1] * len(rest), rest).result)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "competing", reckoned(COMPETING, LOG_SUM, names, listed))

    @property
    def chance(self) -> float:
        return self.label.result

    def __call__(self, preference: float) -> float:
        """Return the chance of a memory of the label from its preference, as the explanation ends."""
        return self.label.result * min(1.0, math.exp(preference - self.competing.result))

    def as_share(self, explanation: Explanation, tells: WithinFeatures) -> Explanation:
        """Extend the explanation of a memory's share of all by the division within its label."""
        if not explanation.confidence > 0.0:
            return explanation
        within = reckoned(WITHIN, SHARE, (PREFERENCE, COMPETING), (tells.preference.result, self.competing.result))
        ending = reckoned("confidence", PRODUCT, (LABEL, WITHIN), (self.label.result, within.result))
        ends = self.label, tells.preference, self.competing, within, ending
        return Explanation((*explanation.reckoning[:-1], *ends), explanation.winners)


@dataclass(frozen=True, slots=True)
class Within:
    """Labels with competing memories, by group; ascending slots, chances and tells of the memories."""

    by_group: Mapping[int, LabelShares]
    places: Places
    chances: Floats
    tells: Floats

    def of(self, place: int) -> WithinFeatures:
        """Return the features of the memory at a place."""
        return WithinFeatures(*self.tells[np.searchsorted(self.places, place)].tolist())


def divided(
    chances: Mapping[int, float], preferences: Mapping[int, float], responses: Mapping[int, str]
) -> dict[int, float]:
    """Divide the largest of the chances that memories of one label have by themselves.

    A memory without a response takes nothing from the others.
    """
    label, best = max(chances.values()), dict[str, float]()
    for memory in chances:
        if own := responses[memory]:
            best[own] = max(best.get(own, -math.inf), preferences[memory])
    whole = reckoned(COMPETING, LOG_SUM, (COMPETING,) * len(best), list(best.values())).result
    return {memory: label * min(1.0, math.exp(preferences[memory] - whole)) for memory in chances}
