"""Probabilities of a query's candidates under `learned`, as shares of a sum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.scope.logit import FLOOR, Logit
from app.scoring.arithmetic import (
    ALL,
    COMPETING,
    EVIDENCE,
    LABEL,
    LOG_SUM,
    NONE,
    PREFERENCE,
    PRODUCT,
    SHARE,
    WITHIN,
    Explanation,
    Reckoned,
    reckoned,
)
from app.scoring.columns.column_answer import Floats, Places
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


# ---- The chance of a memory within its label

WITHIN_SEMANTIC = 17.0
"""Weight of the semantic score within a label; other scores keep their ratios to it.

More than between labels, because what the memories have in common (the mean of the label's phrases, the regression)
does not distinguish them. Fitted by packaging/coverage.py on groups of related intents of CLINC150 and BANKING77.
"""

SHARPEST = 5.0
"""Maximum factor of a memory's log-odds within its label."""


def sharpness(logit: Logit) -> float:
    """Return the factor of log-odds within a label, at least 1."""
    least = WITHIN_SEMANTIC / SHARPEST
    return max(1.0, WITHIN_SEMANTIC / max(logit.semantic, least))


LEAST_LABEL = 0.001
"""Minimum chance of a label that is divided among its memories; below, their chances stay."""

BEST, RESPONSE, REST = "best of the label", "response", "other responses"
"""Operands: log-odds of the label's best memory and of each response, log of the rest's sum."""


@dataclass(frozen=True, slots=True)
class LabelShares:
    """Division of the chance of one label among its different responses.

    `best` are the log-odds of its best memory, `responses` those of the best memory of each response, largest first. A
    memory's chance is that of the label times that of the memory within it; memories with the same response do not take
    from each other.
    """

    shares: Shares
    best: float
    responses: tuple[float, ...]
    factor: float = field(init=False)
    competing: Reckoned = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", sharpness(self.shares.logit))
        sharpened = [self.factor * one for one in self.responses]
        listed, rest = sharpened[:SHARED], sharpened[SHARED:]
        names = [f"{RESPONSE} {place}" for place in range(1, len(listed) + 1)]
        if rest:
            names.append(REST)
            listed.append(reckoned(REST, LOG_SUM, names[:1] * len(rest), rest).result)
        object.__setattr__(self, "competing", reckoned(COMPETING, LOG_SUM, names, listed))

    @property
    def label(self) -> Reckoned:
        """Step that gives the chance of the label."""
        return reckoned(LABEL, SHARE, (BEST, ALL), (self.best, self.shares.all.result))

    def __call__(self, combined: float) -> float:
        """Return the chance of a memory of the label from its combined value; 0 for a value of 0."""
        if not combined > 0.0:
            return 0.0
        return self._ending(self.shares.logit.z(combined))[-1].result

    def _ending(self, evidence: float) -> tuple[Reckoned, ...]:
        label = self.label
        preference = reckoned(PREFERENCE, "sum", (EVIDENCE,), (evidence,), (self.factor,))
        within = reckoned(WITHIN, SHARE, (PREFERENCE, COMPETING), (preference.result, self.competing.result))
        ending = reckoned("confidence", PRODUCT, (LABEL, WITHIN), (label.result, within.result))
        return label, preference, self.competing, within, ending

    def as_share(self, explanation: Explanation) -> Explanation:
        """Extend the explanation of a memory's share of all by the division within its label."""
        evidence = next((one for one in explanation.reckoning if one.name == EVIDENCE), None)
        if evidence is None:
            return explanation
        return Explanation((*explanation.reckoning[:-1], *self._ending(evidence.result)), explanation.winners)


@dataclass(frozen=True, slots=True)
class Within:
    """Labels with competing memories, by group; slots, values and chances of the memories."""

    by_group: Mapping[int, LabelShares]
    places: Places
    combined: Floats
    chances: Floats


def divided(chances: Mapping[int, float], responses: Mapping[int, str], logit: Logit) -> tuple[float, dict[int, float]]:
    """Divide the largest of the separate chances of one label's memories.

    Returns the chance of the label and that of each memory; a memory without a response takes none from the others.
    """
    label, best, factor = max(chances.values()), dict[str, float](), sharpness(logit)
    for memory, chance in chances.items():
        if own := responses[memory]:
            best[own] = max(best.get(own, 0.0), chance**factor)
    whole = math.fsum(best.values())
    return label, {one: label * min(1.0, chance**factor / whole) if whole else 0.0 for one, chance in chances.items()}
