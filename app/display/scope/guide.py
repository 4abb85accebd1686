"""HINTS and NEXT_STEPS: what a person is reported once, when it helps, and where to go on after the first queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from app.domain.llm import LlmOutcome

if TYPE_CHECKING:
    from app.services.core import Status

STEPS_FROM = 5
"""After so many queries the next steps are offered."""


class Moment(StrEnum):
    """What a person has just seen come of what they did."""

    FOUND = "found"
    NOT_FOUND = "not found"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence that helps at a moment; `act` is the action of the window it is about, whose key stands for {key}.
    `word` is on the button that does it; without one the sentence is enough."""

    key: str
    moment: Moment
    text: str
    act: str
    word: str = ""


HINTS: tuple[Hint, ...] = (
    Hint(
        "wrong",
        Moment.FOUND,
        "Wrong? {key} says why another answer did not come, and what would make it win.",
        "why_not",
        "Why not…",
    ),
    Hint(
        "missing",
        Moment.NOT_FOUND,
        "Missing? Teach it with {key}, and it is found from then on.",
        "teach",
        "Teach",
    ),
    Hint("undo", Moment.STORED, "Undo: {key} takes back what was done last, also after a restart.", "undo"),
)


@dataclass(frozen=True, slots=True)
class NextStep:
    """A way on: its title, the page it is done on and the place there, and how one sees that it is done; without that
    it is done once it was taken."""

    key: str
    title: str
    page: str
    place: str = ""
    is_done: Callable[[Status], bool] | None = None


NEXT_STEPS: tuple[NextStep, ...] = (
    NextStep("llm", "Connect an LLM", "connection", is_done=lambda status: status.llm.outcome is not LlmOutcome.OFF),
    NextStep("cases", "Add labelled queries", "cases", is_done=lambda status: status.counts.get("cases", 0) > 0),
    NextStep("assistant", "Connect an assistant", "assistants"),
)


@dataclass(frozen=True, slots=True)
class Guided:
    """What a profile remembers of its guide: the hints that were told, the steps that were taken, how many queries
    there were, and whether the steps were sent away."""

    told: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()
    queries: int = 0
    is_over: bool = False

    def counting(self) -> Guided:
        """With one query more; no further than it takes."""
        return replace(self, queries=min(STEPS_FROM, self.queries + 1))

    def telling(self, hint: Hint) -> Guided:
        """With a hint that is reported now."""
        return replace(self, told=self.told | {hint.key})

    def taking(self, step: NextStep) -> Guided:
        """With a step that is taken now; one that shows by itself when it is done stays until then."""
        return self if step.is_done is not None else replace(self, taken=self.taken | {step.key})

    def hint(self, moment: Moment) -> Hint | None:
        """The hint for a moment, if it was not told yet."""
        return next((hint for hint in HINTS if hint.moment is moment and hint.key not in self.told), None)

    def steps(self, status: Status | None) -> tuple[NextStep, ...]:
        """The steps that are still to be taken, once they are offered at all."""
        if status is None or self.is_over or self.queries < STEPS_FROM:
            return ()
        left = (step for step in NEXT_STEPS if step.key not in self.taken)
        return tuple(step for step in left if step.is_done is None or not step.is_done(status))
