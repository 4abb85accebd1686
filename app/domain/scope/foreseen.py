"""What an edit would do, told before it is made."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.case import Task
from app.domain.scope.why_not import Effect


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A query of late that would be answered otherwise: by whom today and then, "" for nobody."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EditPreview:
    """What answers, or a rule, as they would be stored do to the labelled cases, and to the queries asked of late:
    those with another answer (at most MOST_CHANGED are named) and how many have another tier. `asked` is how many
    were looked at."""

    effect: Effect
    turned: tuple[ChangedAnswer, ...] = ()
    turns: int = 0
    tiers: int = 0
    asked: int = 0
    task: Task | None = None
    """Of a rule what it decides, a type or a route: the answers of the turned queries are such then."""


MOST_CHANGED = 20
