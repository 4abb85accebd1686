"""Cases (labelled queries), training examples, a model's vote, and stored evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from app.domain.confidence import checked_confidence
from app.domain.match import Tier
from app.domain.running import ActivationBlocker


class Task(StrEnum):
    """Task of a case: predict an intent, a memory, a power, a route or one of the six types."""

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
"""Display names of tasks; files and options use the enum values."""


NO_MATCH_WORDS = frozenset({"oos", "none", "None"})
"""Labels that mean "no match" (S8.5), like an empty list."""


@dataclass(frozen=True, slots=True)
class Case:
    """Labelled query: the acceptable answers, and the answers that must not come first.

    Without either, the right result is no match; with `unwanted` alone, any other answer is right (S7.2). `version`
    is the number of the step that last changed the case. `tier` is the expected status of a power's resolution
    (S5.1) where a file states one; the library does not store it. `is_assumed`: a file without a task
    expects only names of types.
    """

    text: str
    expected: tuple[str, ...]
    task: Task
    key: int | None = None
    version: int = field(default=0, compare=False)
    unwanted: tuple[str, ...] = ()
    tier: Tier | None = field(default=None, compare=False)
    is_assumed: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Delivered:
    """Memories that would be injected, best first, and the power that would be started.

    Each memory is (name, label), with the name in place of a missing label; `power` is "" for none. `can_inject`:
    the best memory has a response. `found_power` is the best power that is found, at any tier; with a `blocker` it
    would be activated, but could not start.
    """

    memories: tuple[tuple[str, str], ...] = ()
    power: str = ""
    can_inject: bool = False
    found_power: str = ""
    blocker: ActivationBlocker | None = None
    needs: float = field(default=0.0, compare=False)
    """Minimum confidence of the best memory; it depends on whether the query has a type."""
    has_type: bool = field(default=False, compare=False)

    @property
    def is_silent(self) -> bool:
        """True if nothing can be delivered but the intent, as the best memory has no response."""
        return not (self.memories or self.can_inject or self.power)

    @property
    def is_offer(self) -> bool:
        """True if a power is found, but none is confident enough to be activated."""
        return bool(self.found_power) and not self.power and self.blocker is None


# ---- Training examples, and the vote of the model trained on them.


@dataclass(frozen=True, slots=True)
class TaughtExample:
    """Training example: each of its labels is right; without labels it is out of scope."""

    text: str
    labels: tuple[str, ...]
    is_shipped: bool = False

    def with_labels(self, labels: tuple[str, ...]) -> TaughtExample:
        """Return the example with these labels; itself if they are its own."""
        return self if labels == self.labels else replace(self, labels=labels)


@dataclass(frozen=True, slots=True)
class NearExample:
    """Training example near a query: its label, and their cosine similarity, clamped to [0, 1]."""

    text: str
    label: str
    similarity: float
    is_shipped: bool = False


@dataclass(frozen=True, slots=True)
class VoteBasis:
    """Factors of a vote's confidence, `usual * known`, both in [0, 1].

    `usual`: share of right answers among such votes in leave-one-out validation; `known`: how well the query
    matches the training examples. `is_backed`: one of the nearest examples has the label; `backing`: the nearest
    examples with the label; `words`: words of the query that count for the label.
    """

    usual: float = 1.0
    known: float = 1.0
    is_backed: bool = True
    backing: tuple[NearExample, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vote:
    """Vote of the training examples: the most likely label, its confidence and its threshold.

    `shares` holds (label, share), largest first; 1 minus their sum is the share of out-of-scope. `confidence` is
    the share of right answers among examples with a similar vote in leave-one-out validation.
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
        """Share of the vote for out-of-scope, in [0, 1]."""
        return share_of_none(self.shares)

    @property
    def is_none_first(self) -> bool:
        """True if out-of-scope has the largest share of the vote."""
        return is_none_first(self.shares)


def share_of_none(shares: Sequence[tuple[str, float]]) -> float:
    """Compute the share of out-of-scope: 1 minus the sum of the labels' shares, at least 0."""
    return max(0.0, 1.0 - sum(share for _, share in shares))


def is_none_first(shares: Sequence[tuple[str, float]]) -> bool:
    """Return whether out-of-scope has the largest share; `shares` are sorted, largest first."""
    return bool(shares) and share_of_none(shares) > shares[0][1]


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """Stored evaluation: its time, source, counts, metrics and conditions.

    `at` is in seconds since 1970; `source` is the file of its cases, "" for the profile. `settings` holds the
    dotted keys that affect answers, `digests` identify the library, `step` is the newest step of the journal,
    `versions` those of program and encoder. `key` is None until it is stored.
    """

    at: float
    task: Task
    source: str
    cases: int
    right: int
    combination: str
    threshold: float
    metrics: Mapping[str, float | None]
    settings: Mapping[str, str]
    digests: Mapping[str, int]
    versions: Mapping[str, str]
    step: int
    key: int | None = None


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """Outcome of one case: best answer, confidence in [0, 1], rank of the first right one.

    `shared` is the probability that any answer is right, where confidences are shares. `scores` are those of the
    best answer by scorer; `cues` is other evidence: rules that matched, or how a route was found.
    """

    text: str
    top: str | None
    confidence: float
    rejected: bool
    rank: int | None
    shared: float | None = None
    tier: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    cues: tuple[str, ...] = ()
    delivered: Delivered | None = None
    """Delivery of the query; None for tasks without one, and in older runs."""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)
