"""Answers of ranked names to labelled queries, and their confidences (S1.3, S2.8)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from app.domain.case import NO_MATCH_WORDS, Case, Delivered, Task
from app.domain.confidence import checked_confidence
from app.domain.inspection import RouteDecision
from app.domain.library import Memory, Power
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.scoring.columns.column import Floats, Lazily
from app.scoring.index.layout import Layout
from app.scoring.index.ranking import best
from app.scoring.index.scales import as_chances, combined, confidences, scale_for
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.shares import Shares
from app.settings.model import Settings

LISTED = 10
"""Number of candidates stored per case; recall and reciprocal rank are limited to them."""


def acceptable(expected: Iterable[str]) -> tuple[str, ...]:
    """Return the acceptable answers without duplicates; empty where no match is right (S8.5)."""
    return tuple(dict.fromkeys(name for name in expected if name not in NO_MATCH_WORDS))


@dataclass(frozen=True, slots=True)
class RankedName:
    """Name of a candidate, with its confidence in [0, 1]."""

    name: str
    confidence: float

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """Evidence for the best answer: its scores, the nearest trigger, and cues such as rules."""

    scores: Mapping[str, float] = field(default_factory=dict)
    trigger: str = ""
    cues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """Case with its outcome.

    `acceptable` holds the right answers as candidate names (none: no match is right); `candidates` the best LISTED,
    best first, without those of score 0; `rank` is the rank of the first acceptable among all candidates, from 1,
    or None; `rejected`: the top confidence is below the threshold of S8.5, or no power is offered; `tier` is set
    for powers, and `offered` is the number of powers in the resolution. `shared` is the probability that any answer
    is right, where confidences are shares of one whole.
    """

    case: Case
    acceptable: tuple[str, ...]
    candidates: tuple[RankedName, ...]
    rank: int | None
    rejected: bool
    tier: Tier | None = None
    offered: int = 0
    shared: float | None = None
    account: AnswerEvidence | None = field(default=None, compare=False)
    """Set on request."""
    delivered: Delivered | None = None
    """Memories and power delivered for the query; None if not computed."""
    decision: RouteDecision | None = None
    """Decision on a route; None for other tasks."""
    limits: tuple[float, ...] = ()
    """Confidences at which the outcome changes."""

    @property
    def answerable(self) -> float:
        """Probability that any answer is right, not only the top one."""
        return self.confidence if self.shared is None else self.shared

    @property
    def confidence(self) -> float:
        """Confidence of the top candidate; 0 without candidates."""
        return self.candidates[0].confidence if self.candidates else 0.0

    @property
    def predicted(self) -> str | None:
        """Given answer: the top candidate's name, None for "no match"."""
        return None if self.rejected or not self.candidates else self.candidates[0].name

    @property
    def unwanted(self) -> tuple[str, ...]:
        """Excluded answers, if the case states nothing else (S7.2); empty if it expects NOT_FOUND."""
        is_all = not self.acceptable and self.case.tier is not Tier.NOT_FOUND
        return self.case.unwanted if is_all else ()

    @property
    def top_is_right(self) -> bool:
        """True if the top candidate is acceptable or not excluded, at any confidence."""
        if self.unwanted:
            return not self.candidates or self.candidates[0].name not in self.unwanted
        return self.rank == 1

    @property
    def is_right(self) -> bool:
        """True if the given answer, or giving none, is right.

        If only excluded answers are known, any other answer is right.
        """
        if self.unwanted:
            return self.predicted not in self.unwanted
        return self.predicted in self.acceptable if self.acceptable else self.predicted is None

    @property
    def expected_name(self) -> str | None:
        """Acceptable answer to count this case under.

        It is the given one if right, else the first, or None.
        """
        if self.is_right:
            return self.predicted
        return self.acceptable[0] if self.acceptable else None


def labelled(answers: Sequence[Answered]) -> list[Answered]:
    """Return the cases with known right answers, not only excluded ones."""
    return [answer for answer in answers if not answer.unwanted]


# --------------------------------------------------------------------------------------------------------------------
# Cases reduced to their best answers, enough to try thresholds


@dataclass(frozen=True, slots=True)
class Top:
    """Case reduced to its best answer: confidence, lead over the next, and correctness.

    The lead is 1.0 without another answer. `expects_none`: right only if nothing is found. `is_labelled`: the right
    answer is known, not only excluded ones.
    """

    confidence: float
    is_right: bool
    expects_none: bool = False
    lead: float = 1.0
    is_labelled: bool = True


def top_of(answered: Answered) -> Top:
    """Reduce a case to its best answer."""
    best = [candidate.confidence for candidate in answered.candidates[:2]]
    lead = best[0] - best[1] if len(best) > 1 else 1.0
    return Top(answered.confidence, answered.top_is_right, not answered.acceptable, lead, not answered.unwanted)


@dataclass(frozen=True, slots=True)
class Tops:
    """Progress of answering, `done` of `total`, and at the end every case by task.

    `of_folds` holds held-out trigger phrases, by whether they are of powers, for fitting.
    """

    done: int
    total: int
    by_task: Mapping[Task, tuple[Top, ...]]
    of_folds: Mapping[bool, tuple[Top, ...]] = field(default_factory=dict)


class Delivery(StrEnum):
    """Verdict on what would be delivered for a case."""

    RIGHT = "right"
    """Exactly the expected answer would be delivered."""
    WRONG = "wrong"
    """Another answer is given."""
    MISSING = "missing"
    """No answer, or one that is found but neither injected nor started."""
    UNAPPROVED = "unapproved"
    """The right power is found, but not approved, so it would not start."""
    NO_COMMAND = "no_command"
    """The right power is found, but has neither a command nor an address, so nothing would start."""
    UNEXPECTED = "unexpected"
    """The answer is right and delivered, but something unexpected is as well."""

    @property
    def words(self) -> str:
        own = {Delivery.RIGHT: "delivered", Delivery.MISSING: "not delivered"}
        return own.get(self, self.value.replace("_", " "))


VERDICTS: Mapping[ActivationBlocker, Delivery] = {
    ActivationBlocker.APPROVAL: Delivery.UNAPPROVED,
    ActivationBlocker.COMMAND: Delivery.NO_COMMAND,
}
"""Verdicts on a right power that would not start."""

BLOCKER_WORDS: Mapping[ActivationBlocker, str] = {
    ActivationBlocker.APPROVAL: "not approved",
    ActivationBlocker.COMMAND: "no command",
}
"""Words after the name of a power that would not start."""

STARTED = (None, Tier.ACTIVATED)
"""Tiers stated by cases of a power that is expected to start."""

JUDGED = (Task.INTENT, Task.MEMORY, Task.POWER)
"""Tasks whose cases judge memories and powers."""


def delivery_of(answered: Answered) -> Delivery:
    """Return the verdict on everything that would be delivered."""
    if not answered.is_right and (answered.acceptable or not is_held_back(answered)):
        is_missing = answered.predicted is None or is_held_back(answered)
        return Delivery.MISSING if is_missing else Delivery.WRONG
    if is_withheld(answered):
        return Delivery.MISSING
    if unexpected(answered):
        return Delivery.UNEXPECTED
    blocker = blocker_of(answered)
    return Delivery.RIGHT if blocker is None else VERDICTS[blocker]


def is_held_back(answered: Answered) -> bool:
    """Return whether a wrong answer is found, but not delivered.

    Where no power is expected, one that is offered is wrong all the same.
    """
    found, case = answered.delivered, answered.case
    if found is None or answered.is_right or answered.unwanted or case.task not in JUDGED or found.memories:
        return False
    if case.task is Task.POWER:
        return found.is_offer and bool(answered.acceptable) and case.tier in STARTED
    return found.can_inject and not (found.power and answered.acceptable)


def passes(answered: Answered) -> bool:
    """Return whether exactly what the case expects would be delivered."""
    return delivery_of(answered) is Delivery.RIGHT


RIGHT = 2
"""Grade of a case that passes."""


def grade(answered: Answered) -> int:
    """Return the grade for comparisons: RIGHT, 1 if the right power is found but would not start, else 0."""
    verdict = delivery_of(answered)
    return RIGHT if verdict is Delivery.RIGHT else int(verdict in VERDICTS.values())


def unexpected(answered: Answered) -> tuple[str, ...]:
    """Return the names that would be injected or started but are not expected."""
    found, case = answered.delivered, answered.case
    if found is None or case.task not in JUDGED:
        return ()
    if answered.unwanted:
        names = (*(name for memory in found.memories for name in memory), found.power)
        return tuple(dict.fromkeys(name for name in names if name in answered.unwanted))
    wanted, powers = set(answered.acceptable), [found.power] if found.power else []
    if case.task is Task.POWER:
        memories = [name for name, _ in found.memories]
        return (*memories, *(name for name in powers if name not in wanted))
    powers = [name for name in powers if name not in wanted]
    if case.task is Task.INTENT:
        return (*dict.fromkeys(label for _, label in found.memories if label not in wanted), *powers)
    # Memories of one label compete: others beside the right one are expected.
    labels = {label for name, label in found.memories if name in wanted}
    return (*(name for name, label in found.memories if name not in wanted and label not in labels), *powers)


def is_withheld(answered: Answered) -> bool:
    """Return whether the right answer is found, but neither injected nor started.

    A memory without a response is never withheld, and a case that states another tier than a start wants an offer.
    """
    found, case = answered.delivered, answered.case
    if found is None or not answered.acceptable or case.task not in JUDGED:
        return False
    if not _given(found).isdisjoint(answered.acceptable):
        return False
    return found.is_offer and case.tier in STARTED if _is_power(answered, found) else found.can_inject


def blocker_of(answered: Answered) -> ActivationBlocker | None:
    """Return why the right answer, a power that is found, would not start; None if nothing prevents it."""
    found = answered.delivered
    if found is None or answered.case.task not in JUDGED or answered.predicted not in answered.acceptable:
        return None
    is_meant = _is_power(answered, found) and _given(found).isdisjoint(answered.acceptable)
    return found.blocker if is_meant else None


def top_blocker(answered: Answered) -> ActivationBlocker | None:
    """Return why the best power of a case could not be started; None if it could, or if unknown."""
    found = answered.delivered
    is_top = found is not None and bool(answered.candidates) and answered.candidates[0].name == found.found_power
    return found.blocker if found is not None and is_top else None


def _is_power(answered: Answered, found: Delivered) -> bool:
    """Return whether the given answer is a power."""
    return answered.case.task is Task.POWER or answered.predicted in {found.power, found.found_power} - {""}


def _given(found: Delivered) -> set[str]:
    """Return the names and labels of the injected memories."""
    return {name for memory in found.memories for name in memory}


def deliveries(answers: Sequence[Answered]) -> Mapping[Delivery, int]:
    """Count the cases of each verdict."""
    counts = Counter(map(delivery_of, answers))
    return {one: counts[one] for one in Delivery}


def why_not_delivered(answered: Answered) -> str:
    """Explain why a case with a right answer fails; "" if it passes or the answer is wrong."""
    if not answered.is_right and (answered.acceptable or not is_held_back(answered)):
        return ""
    why = []
    if blocker := blocker_of(answered):
        has = "has " if blocker is ActivationBlocker.COMMAND else ""
        why.append(f"The right power is found, but {has}{BLOCKER_WORDS[blocker]}: it would not start.")
    elif is_withheld(answered):
        is_offer = _is_offer(answered)
        found = (
            "power is only offered: it would not start" if is_offer else "memory is found, but would not be injected"
        )
        why.append(f"The right {found}.")
    if names := unexpected(answered):
        why.append(f"Unexpected beside it: {', '.join(f'“{name}”' for name in names)}.")
    return " ".join(why)


def fault_words(answered: Answered) -> str:
    """Return why the given answer is not delivered, and unexpected ones, to follow its name.

    "" if it is delivered alone. If none is given, the expected one that comes first but is rejected, by its name.
    """
    if answered.predicted is None and not answered.is_right:
        return f"{answered.candidates[0].name}, rejected" if answered.rank == 1 else ""
    if not answered.is_right and not is_held_back(answered):
        return ""
    names = unexpected(answered)
    lost = "no match" if names and answered.predicted is None else (loss_words if names else _loss_reason)(answered)
    return ", ".join(filter(None, (lost, f"and {', '.join(names)}" if names else "")))


def loss_words(answered: Answered) -> str:
    """Return why the answer is neither injected nor started; "" if it is."""
    if blocker := blocker_of(answered):
        return BLOCKER_WORDS[blocker]
    is_lost = is_withheld(answered) or is_held_back(answered)
    return ("not started" if _is_offer(answered) else "not injected") if is_lost else ""


def found_but_lost(answers: Iterable[Answered]) -> list[tuple[Answered, str]]:
    """Return the failed cases whose expected answer comes first, each with the reason in words."""
    found = (one for one in answers if one.rank == 1 and not passes(one))
    return [(one, "rejected" if one.predicted is None else loss_words(one) or "with others") for one in found]


def withheld_by(answers: Iterable[Answered]) -> tuple[Task, str]:
    """Return the task and threshold that withhold most expected first answers; "" for none."""
    missing = (one for one in answers if one.rank == 1 and delivery_of(one) is Delivery.MISSING)
    found = Counter((one.case.task, _withholding(one)) for one in missing)
    return max(found, key=found.__getitem__, default=(Task.INTENT, ""))


def _withholding(answered: Answered) -> str:
    """Return the highest threshold that the first answer is below; "" for none."""
    found = answered.delivered
    if answered.case.task is Task.POWER:
        return "tiers.high"
    if found is None or found.needs <= answered.confidence:
        return "fallback_threshold" if answered.rejected else ""
    return "search_intent.surfacing_confidence" if found.has_type else "search_intent.certain_confidence"


def _loss_reason(answered: Answered) -> str:
    """Return the same, with the confidence that is needed."""
    lost, found = loss_words(answered), answered.delivered
    needs = found.needs if lost == "not injected" and found is not None else 0.0
    if found is None or needs <= answered.confidence:
        return lost
    return f"{lost} ({100 * needs:.4g} % needed{'' if found.has_type else ', no type'})"


def _is_offer(answered: Answered) -> bool:
    found = answered.delivered
    return found is not None and found.is_offer and _is_power(answered, found)


NEAREST = ("semantic", "token_overlap", "fuzzy", "exact")
"""Scorers that determine the nearest trigger: the first available one."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Distinct names ranked by a task, in storage order.

    `numbers` maps a name to its position. The live slots at `places` are sorted by name; those of the n-th name
    start at `starts[n]`. Each slot is combined by itself, and a name takes the best confidence of its slots. With
    `as_one`, the slots of one name are one answer: its chance if confidences are shares, otherwise the combination of
    each scorer's best over all its triggers.
    """

    names: tuple[str, ...]
    numbers: Mapping[str, int]
    places: NDArray[np.intp]
    starts: NDArray[np.intp]
    as_one: bool
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Own thresholds of names that have one."""

    def confidences(self, scores: Scores, settings: Settings) -> Floats:
        """Compute one confidence in [0, 1] per name; shape (names,)."""
        if not self.names:
            return np.zeros(0)
        if not self.as_one:
            return self.best(confidences(scores, settings))
        scale = scale_for(scores, settings, power=False)
        if isinstance(scale, Shares):
            return as_chances(scale, self.combined(scores, settings))
        return confidences(self._joined(scores), settings)

    def combined(self, scores: Scores, settings: Settings) -> Floats:
        """Compute the ranking value of each name where confidences are shares; shape (names,)."""
        return self.best(combined(scores, settings))

    def best(self, values: Floats) -> Floats:
        """Return the best of the live slots' values per name; shape (names,)."""
        found: Floats = np.fmax.reduceat(values[self.places], self.starts) if self.names else np.zeros(0)
        return found

    def ranked(self, values: Floats) -> tuple[RankedName, ...]:
        """Return the LISTED best names by confidences, shape (names,), without those of score 0.

        Ties are in the order of the names.
        """
        places = best(values, LISTED)
        return tuple(RankedName(self.names[place], float(values[place])) for place in places if values[place] > 0.0)

    def account(self, index: TriggerIndex, scores: Scores, name: str, scorers: Sequence[str]) -> AnswerEvidence:
        """Return the scores and nearest trigger of one name; empty for an unknown name."""
        place = self.numbers.get(name)
        if place is None:
            return AnswerEvidence()
        end = int(self.starts[place + 1]) if place + 1 < len(self.starts) else len(self.places)
        own = self.places[int(self.starts[place]) : end]
        values = {one: float(np.fmax.reduce(scores.by_slot[one][own])) for one in scorers if one in scores.by_slot}
        known = {one: value for one, value in values.items() if not math.isnan(value)}
        rows = [row for slot in scores.layout.slots[own] for row in index.candidate(int(slot)).rows]
        telling = next((one for one in NEAREST if one in scores.by_row), None)
        if telling is None or not rows:
            return AnswerEvidence(known)
        nearest = rows[int(np.argmax(np.nan_to_num(scores.by_row[telling][rows])))]
        return AnswerEvidence(known, index.text(nearest))

    def rank(self, right: Sequence[str], values: Floats) -> int | None:
        """Return the rank, from 1, of the first right name among scores above 0; None without one."""
        numbers = [self.numbers[name] for name in right if name in self.numbers]
        numbers = [number for number in numbers if values[number] > 0.0]
        if not numbers:
            return None
        first = max(numbers, key=lambda number: (values[number], -number))
        level = np.count_nonzero(values[:first] == values[first])
        return 1 + int(np.count_nonzero(values > values[first])) + int(level)

    def _joined(self, scores: Scores) -> Scores:
        """Reduce the scores to one slot per name."""
        numbers, is_power = np.arange(len(self.names)), scores.layout.is_power[self.places[self.starts]]
        layout = Layout(slots=numbers, order=self.places, starts=self.starts, groups=numbers, is_power=is_power)
        by_slot = Lazily(tuple(scores.by_slot), lambda name: self.best(scores.by_slot[name]))
        return Scores(scores.query, layout, scores.by_row, by_slot, scores.hits, readings=scores.readings)


def candidates_of(index: TriggerIndex, task: Task) -> Candidates:
    """Return the candidates of a task: labels, single memories, or powers.

    For labels, a memory without one has its own name.
    """
    numbers: dict[str, int] = {}
    owners: list[int] = []
    places: list[int] = []
    thresholds: dict[str, float] = {}
    for place, slot in enumerate(index.layout().slots):
        answer = index.candidate(int(slot)).answer
        name = _name(answer, task)
        if name is not None:
            if (own := index.thresholds.of(answer)) is not None:
                thresholds[name] = max(own, thresholds.get(name, 0.0))
            owners.append(numbers.setdefault(name, len(numbers)))
            places.append(place)
    order = np.argsort(np.array(owners, np.intp), kind="stable")
    starts = np.searchsorted(np.array(owners, np.intp)[order], np.arange(len(numbers)))
    places_by_name = np.array(places, np.intp)[order]
    return Candidates(tuple(numbers), numbers, places_by_name, starts, task is Task.INTENT, thresholds)


def _name(answer: Memory | Power, task: Task) -> str | None:
    if isinstance(answer, Power):
        return answer.name if task is Task.POWER else None
    if task is Task.POWER:
        return None
    return (answer.intent or answer.name) if task is Task.INTENT else answer.name
