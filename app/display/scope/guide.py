"""SAMPLES, HINTS and NEXT_STEPS: example queries, and tips that are shown once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from app.display import numbers
from app.domain.inspection import Inspection
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.llm import LlmOutcome
from app.domain.match import Match

if TYPE_CHECKING:
    from app.services.status import Status


STEPS_FROM = 5
"""Number of queries after which the next steps are offered."""


class GuideEvent(StrEnum):
    """Outcome of a user's action that may trigger a hint."""

    FOUND = "found"
    NOT_FOUND = "not found"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class Hint:
    """Tip for a moment; `act` is the window's action it refers to; its shortcut replaces {key}.

    `word` is the label of a button for the action, "" for none.
    """

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
        "Expected something else?",
    ),
    Hint(
        "missing", GuideEvent.NOT_FOUND, "Missing? Teach it with {key}, and it is found from then on.", "teach", "Teach"
    ),
    Hint("undo", GuideEvent.STORED, "Undo: {key} undoes the last step, also after a restart.", "undo"),
)


@dataclass(frozen=True, slots=True)
class NextStep:
    """Next step: its title, page and place; `is_done` checks completion.

    Without `is_done` the step is done once it was opened.
    """

    key: str
    title: str
    page: str
    place: str = ""
    is_done: Callable[[Status], bool] | None = None


NEXT_STEPS: tuple[NextStep, ...] = (
    NextStep(
        "llm", "Connect an LLM", "settings", "llm", is_done=lambda status: status.llm.outcome is not LlmOutcome.OFF
    ),
    NextStep("cases", "Add labelled queries", "cases", is_done=lambda status: status.counts.get("cases", 0) > 0),
    NextStep("assistant", "Connect an assistant", "assistants"),
)


@dataclass(frozen=True, slots=True)
class GuideState:
    """Guide state of a profile: shown hints, opened steps, number of queries, dismissal."""

    told: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()
    queries: int = 0
    is_over: bool = False

    def with_query(self) -> GuideState:
        """Count one more query, up to the number that matters."""
        return replace(self, queries=min(STEPS_FROM, self.queries + 1))

    def hint(self, moment: GuideEvent) -> Hint | None:
        """Return the hint for a moment, if it was not shown yet."""
        return next((hint for hint in HINTS if hint.moment is moment and hint.key not in self.told), None)

    def steps(self, status: Status | None) -> tuple[NextStep, ...]:
        """Return the remaining steps, once steps are offered."""
        if status is None or self.is_over or self.queries < STEPS_FROM:
            return ()
        left = (step for step in NEXT_STEPS if step.key not in self.taken)
        return tuple(step for step in left if step.is_done is None or not step.is_done(status))


# ---- SAMPLES: example queries for a library with the shipped content.


@dataclass(frozen=True, slots=True)
class Sample:
    """Example query with a short description, and another one if an LLM is set up.

    `needs` are answers by name, each with one of its triggers, that the example depends on.
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
        "A clear type", "why does the build keep failing on my mac", (("build-fails-locally", "build fails on macos"),)
    ),
    Sample("One clear power", "run a postgres query", (_POSTGRES,)),
    Sample("Several powers", "check my database", (_POSTGRES, _MYSQL, _MONGODB)),
    Sample("A weak match", "anything from the bank", (("payments", "payments"),)),
    Sample("No answer", "how tall is mount everest", (_POSTGRES,)),
    Sample(
        "A memory before powers",
        "postgres or mysql, which is better for reports?",
        (_POSTGRES, _MYSQL, ("why-postgres", "postgres or mysql for the shop")),
    ),
    Sample(
        "A conflict",
        "how do I reset the database",
        (("reset-shared-data", "how do i reset the database"), ("reset-local-data", "how do i reset the database")),
    ),
    Sample(
        "An absent score", "what does held mean on an order", (("order-states", "what does held mean on an order"),)
    ),
    Sample(
        "No type", "i am on the vpn from the train", (("vpn", "cant connect to the vpn"),), with_llm="Left to the LLM"
    ),
)
"""Examples of each tier, each source, and further features."""


def samples_for(holds: Callable[[str, str], bool]) -> tuple[Sample, ...]:
    """Return the samples that fit the library; `holds` checks an answer's name and trigger."""
    return tuple(sample for sample in SAMPLES if all(holds(name, trigger) for name, trigger in sample.needs))


# --------------------------------------------------------------------------------------------------------------------
# Result of a teaching step, in a sentence

_LONGEST_NAME = 60
SILENT = "Nothing is injected without a response."


def taught_message(memory: Memory) -> str:
    return f"Taught as “{_short(memory.name)}”." + f" {SILENT}" * (not memory.response.strip())


def trigger_added_message(answer: Answer) -> str:
    """Return the message that an answer has a new trigger; a power's triggers are its examples."""
    if isinstance(answer, Power):
        return f"Taught as an example of {_short(answer.name)}."
    return f"Taught as a trigger of {_short(answer.name)}." + f" {SILENT}" * (not answer.response.strip())


def marked_message(before: Answer, after: Answer, *, fits: bool) -> str:
    """Return how a mark changed the success score, and if the query became a case."""
    kept = "Kept as a case."
    name = _short(before.name)
    word = f"{name} marked right" if fits else f"{name} marked wrong"
    if not isinstance(before, Memory) or not isinstance(after, Memory):
        return f"{word}. {kept}".strip()
    old, new = numbers.chance(before.success), numbers.chance(after.success)
    if old == new:
        return f"{word}: success stays {new}. {kept}".strip()
    return f"{word}: success {old} → {new}. {kept}".strip()


def not_found_message(answer: Answer) -> str:
    """Return the message that marking right does not make a distant answer the answer."""
    return f"{_short(answer.name)} is still not found: teach it this query, too."


def marked_none_message(query: str) -> str:
    """Return the message that no answer is right, and that a case was made."""
    return f"No answer is right for “{_short(query)}”. Kept as a case that expects nothing."


def rank_message(inspection: Inspection, answer: Answer, taught: str) -> str:
    """Return the rank of an answer after teaching; "" if not shown, or not updated yet."""
    matches = inspection.powers if answer.kind is Kind.POWER else inspection.memories
    place = next((n for n, match in enumerate(matches) if _is(match, answer)), None)
    if place is None or taught not in matches[place].answer.triggers:
        return ""
    if place:
        ahead, own = matches[0].confidence, matches[place].confidence
        name = _short(matches[0].answer.name)
        if ahead == own:
            return f"It is now level with {name}."
        return f"It is now number {place + 1}, {numbers.points_apart(ahead, own)} behind {name}."
    lead = matches[0].lead
    if lead is None:
        return "It is now the only match."
    if lead == 0.0:
        return f"It is now level with {_short(matches[1].answer.name)}."
    return f"It now leads by {numbers.points(lead)}."


def _is(match: Match, answer: Answer) -> bool:
    same = (match.kind, match.answer.key) == (answer.kind, answer.key)
    return same and (answer.key is not None or match.answer.name == answer.name)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
