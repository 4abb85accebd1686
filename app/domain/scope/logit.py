"""What `learned` decides by: how much each score counts in log-odds, for a candidate and for none of these."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

FLOOR = -12.0
"""No label is held less likely than exp(FLOOR): one view may not rule out what the others see."""


@dataclass(frozen=True, slots=True)
class Logit:
    """The weights of a conditional logit over candidates and *none of these* (McFadden 1974).

        z(candidate) = regression * ln p + semantic * s + centroid * c + description * d + bm25 * b + fuzzy * f
                       + keyword * k
        z(none)      = none + energy * e + background * g

    where p is the regression's probability of the candidate's label, at least exp(FLOOR), and f what of
    the fuzzy score is not chance (app.scoring.columns.fuzzy). Weights of a candidate are at
    least 0, as a higher score may not harm it. `phrases` is on how many taught phrases they were fitted; none for
    weights that ship with the program. `case_digests` are those of the labelled queries that took part, `cross_fitted`
    the weights that were fitted without one part of these each. `outcomes` tells of each phrase that was held out the
    chance of the best answer and whether that was right; None where none was. `evidence` counts the questions that
    earned a move away from the weights that ship.
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
    """The scorers that count, each with its weight."""

    total: float = field(init=False, compare=False, repr=False)
    """All weights of a candidate, the regression's by the range of its logarithm: what lies between the least and the
    largest z."""

    def __post_init__(self) -> None:
        names = ("semantic", "centroid", "description", "bm25", "fuzzy", "keyword", "regression")
        given = tuple((name, getattr(self, name)) for name in names)
        if min(weight for _, weight in given) < 0.0 or not math.isfinite(self.none + self.energy + self.background):
            raise ValueError(f"weights of scores are at least 0, and all are finite, unlike {self}")
        object.__setattr__(self, "weighed", tuple((name, weight) for name, weight in given if weight > 0.0))
        object.__setattr__(self, "total", sum(span(name, weight) for name, weight in self.weighed))

    @property
    def is_shipped(self) -> bool:
        return self.phrases == 0

    @property
    def cases(self) -> int:
        """On how many labelled queries they were fitted."""
        return len(self.case_digests)

    def without_case(self, digest: int) -> Logit:
        """Those that a labelled query of this digest had no say in."""
        return (
            self.cross_fitted[digest % len(self.cross_fitted)]
            if digest in self.case_digests and self.cross_fitted
            else self
        )

    def z(self, combined: float) -> float:
        """z of a candidate from the mean that `learned` ranks by, in [0, 1]."""
        return combined * self.total + FLOOR * self.regression


def span(name: str, weight: float) -> float:
    """How far a score with this weight can move z."""
    return weight * -FLOOR if name == "regression" else weight


SHIPPED_MEMORIES = Logit(none=8.3, semantic=5.5, centroid=11.0, bm25=4.0)
"""Where there is no regression. Fitted on the patterns of CLINC150 (Larson et al., EMNLP-IJCNLP 2019, CC BY 3.0) and
BANKING77 (Casanueva et al., NLP for ConvAI 2020, CC BY 4.0): 10 to 110 intents drawn from them, 1 to 20 patterns of
each taught, others asked, those of other intents as strangers; only these numbers are taken from them."""

SHIPPED_POWERS = Logit(none=7.5, semantic=11.0, centroid=5.5, bm25=9.0, keyword=0.5)
"""The same on half of the queries of MetaTool (Huang et al., ICLR 2024, MIT, Copyright (c) 2023 Yue Huang), of powers
by name and description; it declares no keywords. On the queries with traps that ship to tune tiers on, a keyword told
hardly more than BM25 does of the same word, and strangers who used one were taken for users: so its weight is small,
that of none larger and the others a little smaller than MetaTool alone has them."""


@dataclass(frozen=True, slots=True)
class Contest:
    """How `learned` did on labelled cases against what decides without it: of so many `cases` which each had right, and
    McNemar's p of that difference. `is_outdone`: it did worse, by more than chance.

    The difference of the shares of right cases is `difference`, from `low` to `high` with 95 %. `about` tells the cases
    and what was taught.
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
    """The weights of memories and of powers in force, and how they did on the labelled cases of each, where that is
    known."""

    memories: Logit = SHIPPED_MEMORIES
    powers: Logit = SHIPPED_POWERS
    of_memories: Contest | None = None
    of_powers: Contest | None = None

    def contest(self, *, power: bool) -> Contest | None:
        return self.of_powers if power else self.of_memories

    def is_outdone(self, *, power: bool) -> bool:
        """Whether labelled cases say that something else decides better here."""
        contest = self.contest(power=power)
        return contest is not None and contest.is_outdone

    def without_case(self, digest: int) -> Learned:
        """The same, of weights that a labelled query of this digest had no say in."""
        memories, powers = self.memories.without_case(digest), self.powers.without_case(digest)
        if memories is self.memories and powers is self.powers:
            return self
        return replace(self, memories=memories, powers=powers)

    def of(self, *, power: bool, has_regression: bool) -> Logit:
        """The weights of this kind; those that ship where they count on a regression that is not there."""
        own = self.powers if power else self.memories
        if own.regression and not has_regression:
            return SHIPPED_POWERS if power else SHIPPED_MEMORIES
        return own
