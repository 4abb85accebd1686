"""SAMPLES, HINTS and NEXT_STEPS: queries that show what the scope can show, and what is said once, when it helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from app.display import numbers
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.llm import LlmOutcome
from app.domain.match import Match
from app.domain.scope.inspection import Inspection

if TYPE_CHECKING:
    from app.services.core import Status


STEPS_FROM = 5
"""After so many queries the next steps are offered."""


class GuideEvent(StrEnum):
    """What a person has just seen come of what they did."""

    FOUND = "found"
    NOT_FOUND = "not found"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence that helps at a moment; `act` is the action of the window it is about, whose key stands for {key}.
    `word` is on the button that does it; without one the sentence is enough."""

    key: str
    moment: GuideEvent
    text: str
    act: str
    word: str = ""


HINTS: tuple[Hint, ...] = (
    Hint(
        "wrong",
        GuideEvent.FOUND,
        "Wrong? {key} says why another answer did not come, and what would make it win.",
        "why_not",
        "Why not…",
    ),
    Hint(
        "missing",
        GuideEvent.NOT_FOUND,
        "Missing? Teach it with {key}, and it is found from then on.",
        "teach",
        "Teach",
    ),
    Hint("undo", GuideEvent.STORED, "Undo: {key} undoes the last step, also after a restart.", "undo"),
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
class GuideState:
    """What a profile remembers of its guide: the hints that were told, the steps that were taken, how many queries
    there were, and whether the steps were sent away."""

    told: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()
    queries: int = 0
    is_over: bool = False

    def with_query(self) -> GuideState:
        """With one query more; no further than it takes."""
        return replace(self, queries=min(STEPS_FROM, self.queries + 1))

    def with_hint(self, hint: Hint) -> GuideState:
        """With a hint that is reported now."""
        return replace(self, told=self.told | {hint.key})

    def with_step(self, step: NextStep) -> GuideState:
        """With a step that is taken now; one that shows by itself when it is done stays until then."""
        return self if step.is_done is not None else replace(self, taken=self.taken | {step.key})

    def hint(self, moment: GuideEvent) -> Hint | None:
        """The hint for a moment, if it was not told yet."""
        return next((hint for hint in HINTS if hint.moment is moment and hint.key not in self.told), None)

    def steps(self, status: Status | None) -> tuple[NextStep, ...]:
        """The steps that are still to be taken, once they are offered at all."""
        if status is None or self.is_over or self.queries < STEPS_FROM:
            return ()
        left = (step for step in NEXT_STEPS if step.key not in self.taken)
        return tuple(step for step in left if step.is_done is None or not step.is_done(status))


# ---- SAMPLES: queries that show what the scope can show, for a library that holds what ships with the program.


@dataclass(frozen=True, slots=True)
class Sample:
    """A query and, in a few words, what it shows; `with_llm` are those words where an LLM is set up, if others.

    `needs` are answers by name, each with a trigger of its own, without which the query shows something else.
    """

    shows: str
    text: str
    needs: tuple[tuple[str, str], ...]
    with_llm: str = ""

    def title(self, *, has_llm: bool) -> str:
        return self.with_llm if has_llm and self.with_llm else self.shows


_POSTGRES, _MYSQL, _MONGODB = ("postgres", "postgres"), ("mysql", "mysql"), ("mongodb", "mongodb")

SAMPLES: tuple[Sample, ...] = (
    Sample(
        "A clear type",
        "why does the build keep failing on my mac",
        (("build-fails-locally", "build fails on macos"),),
    ),
    Sample("One clear power", "run a postgres query", (_POSTGRES,)),
    Sample("Multiple matches", "check my database", (_POSTGRES, _MYSQL, _MONGODB)),
    Sample("Weak matches", "anything from the bank", (("payments", "payments"),)),
    Sample("Not found", "how tall is mount everest", (_POSTGRES,)),
    Sample(
        "A memory before powers",
        "postgres or mysql, which is better for reports?",
        (_POSTGRES, _MYSQL, ("why-postgres", "postgres or mysql for the shop")),
    ),
    Sample(
        "A conflict",
        "how do I reset the database",
        (
            ("reset-shared-data", "how do i reset the database"),
            ("reset-local-data", "how do i reset the database"),
        ),
    ),
    Sample(
        "An absent scorer",
        "what does held mean on an order",
        (("order-states", "what does held mean on an order"),),
    ),
    Sample(
        "No type",
        "i am on the vpn from the train",
        (("vpn", "cant connect to the vpn"),),
        with_llm="Left to the LLM",
    ),
)
"""One for each tier, each source, and what else is worth seeing once."""


def samples_for(holds: Callable[[str, str], bool], samples: Iterable[Sample] = SAMPLES) -> tuple[Sample, ...]:
    """The samples all of whose answers a library holds; `holds` takes an answer's name and one of its triggers."""
    return tuple(sample for sample in samples if all(holds(name, trigger) for name, trigger in sample.needs))


# --------------------------------------------------------------------------------------------------------------------
# What a step of teaching has brought about, in a sentence

_LONGEST_NAME = 60


def taught_message(memory: Memory) -> str:
    """The message that a memory was taught."""
    return f"Taught as “{_short(memory.name)}”."


def trigger_added_message(answer: Answer) -> str:
    """The message that an answer has a new trigger; a power's triggers are its examples."""
    if isinstance(answer, Power):
        return f"Taught as an example of {_short(answer.name)}."
    return f"Taught as a trigger of {_short(answer.name)}."


def marked_message(before: Answer, after: Answer, *, fits: bool) -> str:
    """How a mark moved the success score, and if the query is a case now."""
    kept = "Kept as a case."
    name = _short(before.name)
    word = f"{name} marked right" if fits else f"{name} marked wrong"
    if not isinstance(before, Memory) or not isinstance(after, Memory):
        return f"{word}. {kept}".strip()
    old, new = numbers.score(before.success), numbers.score(after.success)
    if old == new:
        return f"{word}: success stays {new}. {kept}".strip()
    return f"{word}: success {old} → {new}. {kept}".strip()


def not_found_message(answer: Answer) -> str:
    """What marking an answer right does not do where it was not near enough: it does not make it the answer."""
    return f"{_short(answer.name)} is still not found: teach it this query, too."


def marked_none_message(query: str) -> str:
    """The message that no answer is right for a query, and the case that was made of it."""
    return f"No answer is right for “{_short(query)}”. Kept as a case that expects nothing."


def rank_message(inspection: Inspection, answer: Answer, taught: str) -> str:
    """Where an answer stands among the matches with a trigger it was taught; "" if it is not shown, or yet without."""
    matches = inspection.powers if answer.kind is Kind.POWER else inspection.memories
    place = next((n for n, match in enumerate(matches) if _is(match, answer)), None)
    if place is None or taught not in matches[place].answer.triggers:
        return ""
    if place:
        behind = numbers.signed(matches[0].confidence - matches[place].confidence)[1:]
        name = _short(matches[0].answer.name)
        if not behind:
            return f"It is now level with {name}."
        return f"It is now number {place + 1}, {behind} behind {name}."
    lead = matches[0].lead
    if lead is None:
        return "It is now the only match."
    if lead == 0.0:
        return f"It is now level with {_short(matches[1].answer.name)}."
    return f"It now leads by {numbers.signed(lead)[1:]}."


def _is(match: Match, answer: Answer) -> bool:
    same = (match.kind, match.answer.key) == (answer.kind, answer.key)
    return same and (answer.key is not None or match.answer.name == answer.name)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
