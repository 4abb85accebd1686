"""A labelled query: what was asked, and which answers would be right."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.match import Tier


class Task(StrEnum):
    """What a case labels: an intent label, a single memory, a power, a route, or one of the six types."""

    INTENT = "intent"
    MEMORY = "memory"
    POWER = "power"
    ROUTE = "route"
    TYPE = "type"


NO_MATCH_WORDS = frozenset({"oos", "none", "None"})
"""Labels that mean "nothing should match" (S8.5), as does an empty list."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query and its acceptable answers, and those that must not come first.

    Without either, no match is right; with `unwanted` alone, whatever else is answered is right (S7.2). `version` is
    the number of the step that made the case what it is, and takes no part in comparisons. `tier` is the status that a
    power's resolution should have (S5.1), where a file says so; a library does not keep it.
    """

    text: str
    expected: tuple[str, ...]
    task: Task
    key: int | None = None
    version: int = field(default=0, compare=False)
    unwanted: tuple[str, ...] = ()
    tier: Tier | None = field(default=None, compare=False)
