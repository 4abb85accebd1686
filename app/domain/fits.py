"""Weights of `learned`: contributions of scores, in log-odds; and the fit that they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum

BRIEF, BRIEF_NONE = 0.1, 0.7
"""Share that the first missing word takes from the weights of powers; what each adds to z(none).

A query with fewer than four content words lacks the others. The second takes twice as much, the third three times: one
rare word of a fragment, as while somebody types, matches a power as well as a whole sentence does, but two words such
as "schedule a meeting" may be a whole request. Fitted with FEWER_PHRASES (app/scoring/learned/defaults.py).
"""

FLOOR = -12.0
"""Minimum log-probability of a label, so that one scorer cannot rule it out."""


SCORERS = ("semantic", "centroid", "description", "bm25", "fuzzy", "keyword", "regression")
"""Scorers of a candidate that may have a weight."""


@dataclass(frozen=True, slots=True)
class Logit:
    """Weights of a conditional logit over candidates and *none of these* (McFadden 1974).

        z(candidate) = regression * ln p + semantic * s + centroid * c + description * d
                       + bm25 * b + fuzzy * f + keyword * k
        z(none)      = none + energy * e + background * g

    p is the regression's probability of the candidate's label, at least exp(FLOOR), and f the part of the fuzzy
    score above chance (app.scoring.columns.fuzzy). Weights of a candidate are at least 0, as a higher score may not
    lower it. `phrases` is the number of trigger phrases fitted on; 0 for shipped weights. `case_digests` identify
    the labelled queries used, `cross_fitted` holds weights fitted without one part of them each. `outcomes` has,
    per held-out phrase, the probability of the best answer and whether it was right (None: no answer). `evidence`
    counts the queries that justify a move away from the shipped weights.
    """

    none: float
    semantic: float = 0.0
    centroid: float = 0.0
    description: float = 0.0
    bm25: float = 0.0
    fuzzy: float = 0.0
    keyword: float = 0.0
    regression: float = 0.0
    energy: float = 0.0
    background: float = 0.0
    phrases: int = 0
    evidence: int = 0
    case_digests: frozenset[int] = field(default=frozenset(), compare=False, repr=False)
    cross_fitted: tuple[Logit, ...] = field(default=(), compare=False, repr=False)
    outcomes: tuple[tuple[float, bool | None], ...] = field(default=(), compare=False, repr=False)
    weighed: tuple[tuple[str, float], ...] = field(init=False, compare=False, repr=False)
    """Scorers with a weight above 0, and their weights."""
    total: float = field(init=False, compare=False, repr=False)
    """Sum of a candidate's weights, as the range of z.

    The regression's weight is multiplied by the range of its logarithm.
    """

    def __post_init__(self) -> None:
        given = tuple((name, getattr(self, name)) for name in SCORERS)
        if min(weight for _, weight in given) < 0.0 or not math.isfinite(self.none + self.energy + self.background):
            raise ValueError(f"weights of scores are at least 0, and all are finite, unlike {self}")
        object.__setattr__(self, "weighed", tuple((name, weight) for name, weight in given if weight > 0.0))
        object.__setattr__(self, "total", sum(span(name, weight) for name, weight in self.weighed))

    @property
    def is_shipped(self) -> bool:
        return self.phrases == 0

    @property
    def cases(self) -> int:
        """Number of labelled queries fitted on."""
        return len(self.case_digests)

    def without_case(self, digest: int) -> Logit:
        """Return the weights fitted without the labelled query of this digest."""
        return (
            self.cross_fitted[digest % len(self.cross_fitted)]
            if digest in self.case_digests and self.cross_fitted
            else self
        )

    def of_brief(self, lacking: float) -> Logit:
        """Return the weights for a query that lacks this number of content words."""
        if not lacking:
            return self
        scale = 1.0 - BRIEF * lacking * (lacking + 1.0) / 2.0
        weights = {name: getattr(self, name) * scale for name in (*SCORERS, "energy", "background")}
        return replace(self, none=self.none * scale, **weights)

    def z(self, combined: float) -> float:
        """Return z of a candidate from its weighted mean in [0, 1], as ranked by `learned`."""
        return combined * self.total + FLOOR * self.regression


def span(name: str, weight: float) -> float:
    """Return how far a score with this weight can move z."""
    return weight * -FLOOR if name == "regression" else weight


SHIPPED_MEMORIES = Logit(none=8.3, semantic=5.5, centroid=11.0, bm25=4.0)
"""Shipped weights of memories without a regression.

Fitted on the patterns of CLINC150 (Larson et al., EMNLP-IJCNLP 2019, CC BY 3.0) and BANKING77 (Casanueva et al.,
NLP for ConvAI 2020, CC BY 4.0): samples of 10 to 110 intents, 1 to 20 patterns of each as triggers, the others as
queries, patterns of other intents as out-of-scope queries. Only these numbers come from them.
"""

SHIPPED_POWERS = Logit(none=7.5, semantic=11.0, centroid=5.5, bm25=9.0, keyword=0.5)
"""Shipped weights of powers.

Fitted on half of the queries of MetaTool (Huang et al., ICLR 2024, MIT, Copyright (c) 2023 Yue Huang), with powers
by name and description and without keywords. On the shipped queries with traps, a keyword adds little to BM25 for
the same word, and out-of-scope queries with a keyword were accepted: so its weight is small, that of none larger,
and the others slightly smaller than MetaTool alone gives.
"""


@dataclass(frozen=True, slots=True)
class Contest:
    """Comparison of `learned` with the other combination on labelled cases.

    Of `cases`, each had `learned` and `other` right; `p` is McNemar's. `is_outdone`: significantly worse. `low` and
    `high` are the 95 % interval of `difference`, the difference of the shares of right cases. `about` is a digest
    of the cases and the library.
    """

    cases: int
    learned: int
    other: int
    p: float
    low: float
    high: float
    is_outdone: bool
    about: int = 0

    @property
    def difference(self) -> float:
        return (self.learned - self.other) / self.cases


@dataclass(frozen=True, slots=True)
class Learned:
    """Weights of memories and powers in force, and their comparison on labelled cases, if any."""

    memories: Logit = SHIPPED_MEMORIES
    powers: Logit = SHIPPED_POWERS
    of_memories: Contest | None = None
    of_powers: Contest | None = None

    def contest(self, *, power: bool) -> Contest | None:
        return self.of_powers if power else self.of_memories

    def is_outdone(self, *, power: bool) -> bool:
        """Return whether another combination is significantly better on labelled cases."""
        contest = self.contest(power=power)
        return contest is not None and contest.is_outdone

    def without_case(self, digest: int) -> Learned:
        """Return the weights fitted without the labelled query of this digest."""
        memories, powers = self.memories.without_case(digest), self.powers.without_case(digest)
        if memories is self.memories and powers is self.powers:
            return self
        return replace(self, memories=memories, powers=powers)

    def of(self, *, power: bool, has_regression: bool) -> Logit:
        """Return the weights of a kind; the shipped ones if they need a regression that is missing."""
        own = self.powers if power else self.memories
        if own.regression and not has_regression:
            return SHIPPED_POWERS if power else SHIPPED_MEMORIES
        return own


# ---- Stored fit of `learned`: its training data and time, and the effect of a refit.


@dataclass(frozen=True, slots=True)
class FitSource:
    """Training data of a fit: counts, and its time in seconds since 1970; 0 if unknown."""

    memories: int = 0
    powers: int = 0
    cases: int = 0
    made: float = 0.0


class FitPolicy(StrEnum):
    """Permission of a process to fit when the stored fit is missing or outdated."""

    REFIT = "refit"
    """Fit again and store it: windows, engines, servers, imports, and commands with the option."""
    FIRST = "first"
    """Use the stored fit as it is; fit and store only if none is stored: commands."""
    NEVER = "never"
    """Use the stored fit as it is, or the shipped weights: hooks."""


class FitState(StrEnum):
    """State of the fit that a process uses."""

    UNWANTED = "unwanted"
    """The settings use no fit."""
    MISSING = "missing"
    """No fit is stored; the shipped weights are used."""
    FITTING = "fitting"
    CURRENT = "current"
    STALE = "stale"
    """Memories, powers or cases have changed since the fit."""


@dataclass(frozen=True, slots=True)
class FitStatus:
    """State of the fit, its training data, and whether this process made the profile's first."""

    state: FitState = FitState.UNWANTED
    source: FitSource = field(default_factory=FitSource)
    is_first: bool = False


class Compared(StrEnum):
    """Kind of text on which a refit is compared."""

    CASE = "case"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class ChangedDelivery:
    """Case or recent query, by key, with names delivered before and after a refit."""

    kind: Compared
    key: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refit:
    """Refit, or change of `settings`, with numbers of cases and queries compared and changed."""

    source: FitSource
    cases: int
    queries: int
    changed_cases: int
    changed_queries: int
    changed: tuple[ChangedDelivery, ...] = ()
    settings: tuple[str, ...] = ()
