"""What a query can be taught as: a trigger of an answer, chosen by a digit, and what it is nearly the same as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.display import numbers
from app.domain.duplicates import Near
from app.domain.inspection import Inspection
from app.domain.language import say, say_n
from app.domain.library import Answer, Memory
from app.domain.match import Match

MOST_CHOICES = 9
"""So many answers can be chosen by a digit."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that the query can become a trigger of: its digit, its name, what it is, its confidence of today."""

    digit: int
    name: str
    what: str
    confidence: str
    match: Match

    @property
    def line(self) -> tuple[str, str]:
        """What a list says of it, and more quietly at the right."""
        return f"{self.digit}   {self.name}", f"{self.what}   {self.confidence}"


def choices(today: Inspection | None) -> tuple[Choice, ...]:
    """The answers of today that the query can become a trigger of, best first."""
    matches = today.matches[:MOST_CHOICES] if today is not None else ()
    return tuple(
        Choice(place, match.answer.name, _what(match), numbers.score(match.confidence), match)
        for place, match in enumerate(matches, start=1)
    )


def _what(match: Match) -> str:
    answer = match.answer
    if isinstance(answer, Memory):
        return say("memory, label {label}", label=answer.intent) if answer.intent else say("memory")
    return say("power")


def called(answer: Answer) -> str:
    """What a person knows the answer by: its label, else its name."""
    return answer.answer_label or answer.name


def near_line(found: Sequence[Near]) -> str:
    """What a typed trigger is nearly the same as, in a sentence; "" if it is not."""
    near = [each for each in found if not each.is_same]
    if not near:
        return ""
    best = near[0]
    scores = say("spelling {score}", score=numbers.score(best.spelling))
    if best.meaning is not None:
        scores += ", " + say("meaning {score}", score=numbers.score(best.meaning))
    return say_n(
        len(near),
        "Nearly the same under another answer: “{trigger}” ({name}; {scores}).",
        "Nearly the same under other answers, {n} times: “{trigger}” ({name}; {scores}).",
        trigger=best.trigger[:120],
        name=called(best.answer)[:80],
        scores=scores,
    )
