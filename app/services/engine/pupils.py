"""Who votes by what was learned of taught examples, and what is said while nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from app.domain.case import Case, Task, TaughtExample
from app.domain.language import say
from app.scoring.examples.model import ExampleModel

LEARNING = say("The examples are being learned.")
NO_ENCODER = say("There is no encoder, so taught examples cannot be compared.")
ENCODER_COMING = say("The encoder is loading; taught examples are compared once it is there.")


Examples = tuple[TaughtExample, ...]
Gather = Callable[[Iterable[Case], set[str], Iterable[TaughtExample]], Examples]
"""What teaches: of cases, the texts among them that do not, and what ships."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned of the cases of one task; `by_subject`: labels go with what is spoken of."""

    task: Task
    gathered: Gather
    by_subject: bool


class Pupil(Protocol):
    """Votes by a model that was learned from vectors of `encoder`; `missing` says why there is none."""

    model: ExampleModel | None
    encoder: object
    missing: str

    def take_note(self, examples: Examples) -> None:
        """Hear of what teaches, whether or not it can be learned."""
        ...
