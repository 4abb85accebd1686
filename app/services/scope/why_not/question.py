"""Why-not question: the query, and the expected name resolved to a scored or unscored item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.filters import MemoryFilter
from app.domain.intent import TYPE_NAMES, IntentType, intent_type
from app.domain.journal import Binned
from app.domain.library import Answer, Memory, Power
from app.domain.scope.why_not import Expectation, LostAt, Note, Outcome, ScorerGap, Standing, WhyNot
from app.ports.store import Library
from app.scoring.text import without_punctuation
from app.services.evaluation.trial_snapshot import TrialSnapshot
from app.services.evaluation.trials import TaughtAnswers
from app.services.scope.why_not.drafts import Draft

Wins = Callable[[Draft], bool]


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The explanation before any change is tried.

    `wins` tells if a draft, once its edit is prepared, gives the query the expected answer.
    """

    answer: WhyNot
    drafts: Sequence[Draft]
    wins: Wins


def never_wins(draft: Draft) -> bool:
    """Null predicate `wins` for unknown names: no draft wins."""
    return False


@dataclass(frozen=True, slots=True)
class WhyNotQuestion:
    """A query and its expected answer, with the snapshot for the explanation."""

    snapshot: TrialSnapshot
    text: str
    expected: Expectation

    def why_not(
        self,
        stage: LostAt | None,
        standing: Standing,
        *,
        winner_name: str | None = None,
        gaps: tuple[ScorerGap, ...] = (),
        expected_confidence: float | None = None,
        winner_confidence: float | None = None,
        expected_rank: int | None = None,
        nearest: tuple[str, ...] = (),
        notes: tuple[Note, ...] = (),
    ) -> WhyNot:
        """Make the explanation without its changes, which are not tried yet."""
        outcome = Outcome.WON if stage is None else Outcome.LOST
        return WhyNot(
            self.text,
            self.expected,
            outcome,
            stage,
            standing,
            winner_name,
            gaps,
            expected_confidence,
            winner_confidence,
            expected_rank,
            nearest=nearest,
            notes=notes,
        )


# ---- Resolution of an expected name: scored, unscored, deleted, or similar to others.


MOST_UNSCORED = 2_000
"""Limit of unscored memories that are read."""

TASKS = {"intent": Task.INTENT, "memory": Task.MEMORY, "power": Task.POWER}


@dataclass(frozen=True, slots=True)
class UnscoredItems:
    """Stored answers that are not scored: paused or below min_score, and those in the bin."""

    answers: tuple[Answer, ...] = ()
    binned: tuple[Binned, ...] = ()

    def of(self, name: str, task: Task) -> list[Answer]:
        return [answer for answer in self.answers if name in names_of(answer, task)]

    def deleted(self, name: str, task: Task) -> list[Binned]:
        return [one for one in self.binned if isinstance(one.item, Memory | Power) and name in names_of(one.item, task)]


def unscored_items(library: Library, least: float) -> UnscoredItems:
    """Read the unscored answers, among them memories below the success score `least`."""
    keys = library.find_memories(MemoryFilter(paused=True))
    if least > 0.0:
        keys += library.find_memories(MemoryFilter(success=(0.0, least), paused=False))
    memories = [dated.item for dated in library.memories_by_key(sorted(keys)[:MOST_UNSCORED])]
    memories = [memory for memory in memories if memory.paused or memory.success < least]
    powers = [power for power in library.powers() if power.paused]
    return UnscoredItems((*memories, *powers), tuple(library.binned()))


def names_of(answer: Answer, task: Task) -> tuple[str, ...]:
    """Return every name of an answer in a task; () if it is of another kind."""
    if isinstance(answer, Power):
        return (answer.name,) if task is Task.POWER else ()
    if task is Task.MEMORY:
        return (answer.name, *answer.triggers)
    return (answer.intent,) if task is Task.INTENT and answer.intent is not None else ()


def expected_type(expected: Expectation, labels: Iterable[str]) -> IntentType | None:
    """Return the expected search-intent type (one of six names, or an alias) unless a label."""
    if expected.kind != "intent" or expected.name in labels:
        return IntentType(expected.name.lower()) if _is_type(expected) else None
    return intent_type(expected.name)


def _is_type(expected: Expectation) -> bool:
    return expected.kind == "intent" and expected.name.lower() in TYPE_NAMES


def labels_of(taught: TaughtAnswers) -> set[str]:
    """Return every intent label of the scored memories."""
    return {one.intent for one in taught.answers.values() if isinstance(one, Memory) and one.intent is not None}


def resolved_name(taught: TaughtAnswers, name: str, task: Task) -> str | None:
    """Resolve a name to one the task ranks; None if unknown.

    Matches exactly, case-insensitively, or by a trigger of a memory.
    """
    names = taught.candidates[task].names if task is not Task.INTENT else sorted(labels_of(taught))
    if name in names:
        return name
    folded = [one for one in names if one.casefold() == name.casefold()]
    if len(folded) == 1:
        return folded[0]
    if task is Task.MEMORY:
        same = taught.index.same_but_punctuation(without_punctuation(name))
        return next((one.name for one in same if isinstance(one, Memory)), None)
    return None
