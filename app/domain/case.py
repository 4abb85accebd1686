"""Cases (labelled queries), training examples, and the vote of a model trained on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.confidence import checked_confidence
from app.domain.match import Tier


class Task(StrEnum):
    """What a case labels: an intent label, a single memory, a power, a route, or one of the six types."""

    INTENT = "intent"
    MEMORY = "memory"
    POWER = "power"
    ROUTE = "route"
    TYPE = "type"


TASK_WORDS: Mapping[Task, str] = {
    Task.INTENT: "Intent",
    Task.MEMORY: "Memory",
    Task.POWER: "Power",
    Task.ROUTE: "Route",
    Task.TYPE: "Type",
}
"""The display names of tasks; files and options use the values."""


NO_MATCH_WORDS = frozenset({"oos", "none", "None"})
"""Labels that mean "nothing should match" (S8.5), as does an empty list."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query and its acceptable answers, and those that must not come first.

    Without either, no match is right; with `unwanted` alone, whatever else is answered is right (S7.2). `version` is
    the number of the step that made the case what it is, and takes no part in comparisons. `tier` is the status that a
    power's resolution should have (S5.1), where a file says so; a library does not keep it.
    """

    text: str
    expected: tuple[str, ...]
    task: Task
    key: int | None = None
    version: int = field(default=0, compare=False)
    unwanted: tuple[str, ...] = ()
    tier: Tier | None = field(default=None, compare=False)


# ---- Queries that teach by example, and the vote that what was learned of them takes on another query.


@dataclass(frozen=True, slots=True)
class TaughtExample:
    """A training example: each of its labels is right; without any it is out of scope."""

    text: str
    labels: tuple[str, ...]
    is_shipped: bool = False


@dataclass(frozen=True, slots=True)
class NearExample:
    """A training example near a query: its label, and the cosine of both, clamped at 0."""

    text: str
    label: str
    similarity: float
    is_shipped: bool = False


@dataclass(frozen=True, slots=True)
class VoteBasis:
    """The basis of a vote. `usual * known` is its confidence, both in [0, 1].

    `usual`: the share of right answers among votes of this kind when each example was left out itself; `known`: how far
    the query is of the kind that is taught. `is_backed`: one of the nearest examples has the label; `backing`: the
    nearest that have it; `words`: those of the query that speak for it.
    """

    usual: float = 1.0
    known: float = 1.0
    is_backed: bool = True
    backing: tuple[NearExample, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vote:
    """The vote of the training examples: the likeliest label, its confidence, and the threshold to count.

    `shares` gives each label its share, the largest first; what they lack to 1 says that none is meant. `confidence` is
    the share of right answers among examples that were as sure when each was left out itself.
    """

    label: str
    confidence: float
    threshold: float
    shares: tuple[tuple[str, float], ...]
    nearest: tuple[NearExample, ...] = ()
    grounds: VoteBasis = VoteBasis()

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)

    @property
    def for_none(self) -> float:
        """The share of the vote for out-of-scope."""
        return share_of_none(self.shares)

    @property
    def says_none(self) -> bool:
        """Whether out-of-scope has the largest share of the vote."""
        return says_none(self.shares)


def share_of_none(shares: Sequence[tuple[str, float]]) -> float:
    """The share for out-of-scope: what the labels' shares lack to 1."""
    return max(0.0, 1.0 - sum(share for _, share in shares))


def says_none(shares: Sequence[tuple[str, float]]) -> bool:
    """Whether out-of-scope has the largest share, by the labels' shares, the largest first."""
    return bool(shares) and share_of_none(shares) > shares[0][1]
