"""Comparison of evaluations of the same cases: significance, causes of changes, sweeps (S7.5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.evaluation.answers import Answered, AnswerEvidence, Delivery, deliveries, delivery_of, grade, passes
from app.evaluation.evaluation import Evaluation

CHANCE = 0.05
"""Significance level."""


NORMAL_95 = 1.959963984540054
"""Standard deviations on both sides that hold 95 % of a normal distribution."""


class CaseChange(StrEnum):
    """Change of a case by what is delivered; otherwise: it fails in another way."""

    FIXED = "fixed"
    BROKEN = "broken"
    OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """Case with another answer; `place` is its position among the cases."""

    place: int
    turn: CaseChange
    before: Answered
    after: Answered


@dataclass(frozen=True, slots=True)
class Comparison:
    """Same cases answered before and after a change of settings.

    `turned` holds the changed cases in order. `p` is McNemar's exact two-sided p: the probability of a difference
    at least as uneven if each turned case became right or wrong with equal odds.
    """

    before: Evaluation
    after: Evaluation
    turned: tuple[ChangedCase, ...]
    p: float

    def of(self, turn: CaseChange) -> tuple[ChangedCase, ...]:
        return tuple(one for one in self.turned if one.turn is turn)

    @property
    def fixed(self) -> int:
        return sum(one.turn is CaseChange.FIXED for one in self.turned)

    @property
    def broken(self) -> int:
        return sum(one.turn is CaseChange.BROKEN for one in self.turned)

    @property
    def net(self) -> int:
        """Number of cases fixed minus cases broken."""
        return self.fixed - self.broken

    def is_more_than_chance(self, tried: int = 1) -> bool:
        """Return whether the difference is significant after `tried` changes (Bonferroni)."""
        return self.p * max(1, tried) < CHANCE


def compared(before: Evaluation, after: Evaluation) -> Comparison:
    """Compare two evaluations of the same cases; raises ValueError if the cases differ."""
    pairs = list(zip(before.answered, after.answered, strict=True))
    if any(one.case != other.case for one, other in pairs):
        raise ValueError("these evaluations are of other cases")
    turned = [(place, turn_of(one, other), one, other) for place, (one, other) in enumerate(pairs)]
    kept = tuple(ChangedCase(place, turn, one, other) for place, turn, one, other in turned if turn is not None)
    fixed, broken = (sum(one.turn is turn for one in kept) for turn in (CaseChange.FIXED, CaseChange.BROKEN))
    return Comparison(before, after, kept, mcnemar(fixed, broken))


def turn_of(before: Answered, after: Answered) -> CaseChange | None:
    """Return how a case has changed; None if it has not.

    A right power without a command starts neither if it is sure nor if it is only offered.
    """
    was, now = grade(before), grade(after)
    starts_nothing = {delivery_of(before), delivery_of(after)} == {Delivery.NO_COMMAND, Delivery.MISSING}
    if was != now and not (starts_nothing and before.is_right and after.is_right):
        return CaseChange.FIXED if now > was else CaseChange.BROKEN
    is_otherwise = not passes(after) and outcome_of(before) != outcome_of(after)
    return CaseChange.OTHERWISE if is_otherwise else None


def outcome_of(answered: Answered) -> tuple[str | None, Delivery]:
    """Return the answer given and its delivery, to tell equal outcomes."""
    return answered.predicted, delivery_of(answered)


def by_answers(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation without deliveries, so that comparisons go by answers alone."""
    bare = tuple(replace(one, delivered=None) for one in evaluation.answered)
    return replace(evaluation, answered=bare, metrics={**evaluation.metrics, "delivered": None})


def mcnemar(fixed: int, broken: int) -> float:
    """Compute McNemar's exact two-sided p in [0, 1]; 1 if no case turned.

    Twice the binomial probability of at most min(fixed, broken) of their sum at even odds, at most 1. Raises
    ValueError below 0.
    """
    if fixed < 0 or broken < 0:
        raise ValueError("no fewer than 0 cases can turn")
    few, whole = min(fixed, broken), fixed + broken
    if few * 2 >= whole:
        return 1.0
    # For many cases the coefficients have thousands of digits, so each term is computed from the next.
    ways = math.lgamma(whole + 1) - math.lgamma(few + 1) - math.lgamma(whole - few + 1)
    term = total = 1.0
    for k in range(few, 0, -1):
        term *= k / (whole - k + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, 2.0 * math.exp(ways - whole * math.log(2.0)) * total)


def interval(right: float, whole: float) -> tuple[float, float]:
    """Compute the 95 % interval of a share, also of weighted cases (Wilson 1927); (0, 1) without cases."""
    if not whole:
        return 0.0, 1.0
    share, square = right / whole, NORMAL_95**2
    middle = share + square / (2 * whole)
    half = NORMAL_95 * math.sqrt(share * (1.0 - share) / whole + square / (4 * whole * whole))
    low, high = ((middle + sign * half) / (1.0 + square / whole) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def slim(answered: Answered) -> Answered:
    """Drop the candidates that no metric uses: keep the first and the acceptable ones."""
    others = answered.candidates[1:]
    kept = tuple(one for one in others if one.name in answered.acceptable)
    if len(kept) == len(others):
        return answered if answered.account is None else replace(answered, account=None)
    return replace(answered, candidates=(answered.candidates[0], *kept), account=None)


LEAST_MOVE = 0.005
"""Minimum change of a score that counts."""


class CauseKind(StrEnum):
    """Kind of cause: undoing it restores the former answer, or it is the only difference."""

    SETTING = "setting"
    SETTINGS = "settings"
    TRIGGER = "trigger"
    GONE = "gone"
    RULE = "rule"
    SCORER = "scorer"
    ENCODER = "encoder"
    FIT = "fit"
    PROGRAM = "program"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """Cause of a different answer: a setting, answer, rule or scorer, with both values."""

    kind: CauseKind
    name: str = ""
    of: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a compared case: the first answer, and the evidence for it."""

    top: str | None
    account: AnswerEvidence


@dataclass(frozen=True, slots=True)
class Since:
    """Differences between two runs other than settings.

    `edited` are answers added or changed, `names` the present answers (None: always the same), `others` those of
    encoder, fit and program that differ.
    """

    edited: Collection[str]
    names: Collection[str] | None
    others: Sequence[CauseKind] = ()


def by_settings(given: object, under: Mapping[str, object], changed: Mapping[str, tuple[str, str]]) -> Cause:
    """Find the setting whose former value restores the former outcome; `under` has each outcome.

    The key "" in `under` stands for all settings together.
    """
    for key, (before, after) in changed.items():
        if key in under and under[key] == given:
            return Cause(CauseKind.SETTING, key, before=before, after=after)
    if "" in under and under[""] == given:
        return Cause(CauseKind.SETTINGS, ", ".join(changed))
    return Cause(CauseKind.UNKNOWN)


def by_library(before: Side, after: Side, then_now: AnswerEvidence | None, since: Since) -> Cause:
    """Find the cause under equal settings; `then_now` has the former answer's present scores.

    Rules come first, then edited answers, then scores, which change with either; if no score changed, the encoder,
    the fit or the program, if one differs.
    """
    if fired := [cue for cue in after.account.cues if cue not in before.account.cues]:
        return Cause(CauseKind.RULE, fired[0], after.top or "", "", "fires")
    if silent := [cue for cue in before.account.cues if cue not in after.account.cues]:
        return Cause(CauseKind.RULE, silent[0], before.top or "", "fires", "")
    if before.top is not None and since.names is not None and before.top not in since.names:
        return Cause(CauseKind.GONE, before.top)
    if after.top is not None and after.top in since.edited:
        return Cause(CauseKind.TRIGGER, after.account.trigger, after.top)
    if before.top is not None and before.top in since.edited:
        return Cause(CauseKind.TRIGGER, "" if then_now is None else then_now.trigger, before.top)
    if since.others:
        return Cause(since.others[0])
    same = after.account if before.top == after.top else then_now
    moved = _furthest(before.account.scores, {} if same is None else same.scores)
    if moved is None:
        return Cause(CauseKind.UNKNOWN)
    name, one, other = moved
    return Cause(CauseKind.SCORER, name, before.top or "", one, other)


def _furthest(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[str, str, str] | None:
    """Return the scorer with the largest change and both values; None if none changed."""
    both = {name: (before[name], after[name]) for name in before if name in after}
    if not both:
        return None
    name = max(both, key=lambda one: abs(both[one][1] - both[one][0]))
    one, other = both[name]
    return (name, f"{one:.3f}", f"{other:.3f}") if abs(other - one) >= LEAST_MOVE else None


LOW_IS_GOOD = frozenset({"ece"})
"""Metrics for which lower is better."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """Value of a setting, and its comparison with today's; `is_today` if it is today's value."""

    value: str
    comparison: Comparison
    is_today: bool = False

    @property
    def right(self) -> int:
        """Number of cases delivered exactly as expected, or once their power is approved."""
        return sum(grade(answered) > 0 for answered in self.comparison.after.answered)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Values of one setting, in order, each compared with `today` on the same cases.

    `refused` values conflict with other settings and were not tried.
    """

    key: str
    today: Evaluation
    rows: tuple[SweepRow, ...]
    refused: tuple[str, ...] = ()

    @property
    def tried(self) -> int:
        """Number of values tried other than today's, for the significance test."""
        return sum(not row.is_today for row in self.rows)

    @property
    def best(self) -> SweepRow | None:
        """Value with the most right answers; None if nothing was tried.

        Ties: fewest broken cases, fewest with a wrong or unexpected answer, today's, the first (of numbers the middle).
        """

        def cost(row: SweepRow) -> tuple[int, int, int]:
            found = deliveries(row.comparison.after.answered)
            return -row.right, row.comparison.broken, found[Delivery.WRONG] + found[Delivery.UNEXPECTED]

        least = min(map(cost, self.rows), default=None)
        level = [row for row in self.rows if cost(row) == least]
        middle = level[(len(level) - 1) // 2 if numeric([row.value for row in level]) else 0] if level else None
        return next((row for row in level if row.is_today), middle)

    @property
    def is_better(self) -> bool:
        """True if the best value is significantly better than today's, given the number tried."""
        best = self.best
        return best is not None and best.comparison.net > 0 and best.comparison.is_more_than_chance(self.tried)

    def best_of(self, metric: str) -> frozenset[str]:
        """Return the values at which a metric is best; empty if undefined or equal for all.

        Values without a single right answer do not count.
        """
        some = [row for row in self.rows if row.right]
        known = [(row.value, value) for row in some if (value := row.comparison.after.metrics[metric]) is not None]
        if len({value for _, value in known}) < 2:
            return frozenset()
        top = (min if metric in LOW_IS_GOOD else max)(value for _, value in known)
        return frozenset(name for name, value in known if value == top)


def steps(start: float, stop: float, step: float) -> tuple[float, ...]:
    """Return the numbers from `start` to `stop`, inclusive, without rounding noise.

    Raises ValueError if the step is 0 or has the wrong sign.
    """
    if not all(map(math.isfinite, (start, stop, step))) or step == 0 or (stop - start) / step < 0:
        raise ValueError("the step leads away from the end")
    count = math.floor((stop - start) / step + 1e-9) + 1
    digits = 12 - math.ceil(math.log10(max(abs(start), abs(stop), abs(step))))
    return tuple(round(start + place * step, digits) + 0.0 for place in range(count))  # + 0.0 avoids -0.0


def numeric(values: Sequence[str]) -> tuple[float, ...] | None:
    """Convert the values to numbers; None if one is not a finite number."""
    try:
        found = tuple(float(value) for value in values)
    except ValueError:
        return None
    return found if all(map(math.isfinite, found)) else None
