"""The stored fit of `learned`: what it was fitted on and when, and what a refit changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class FitSource:
    """What a fit was fitted on: the number of memories, powers and labelled cases, and when, in seconds since 1970; 0
    where that is not known."""

    memories: int = 0
    powers: int = 0
    cases: int = 0
    made: float = 0.0


class FitPolicy(StrEnum):
    """What a process may do where no stored fit is of what is taught now."""

    REFIT = "refit"
    """Fit again and store that: windows, engines and servers, and a command that is told to."""
    FIRST = "first"
    """Use the stored fit as it is; fit and store one only where none is stored: commands."""
    NEVER = "never"
    """Use the stored fit as it is, or the weights that ship: hooks."""


class FitState(StrEnum):
    """The state of the fit that a process decides by."""

    UNWANTED = "unwanted"
    """Nothing is decided by a fit."""
    MISSING = "missing"
    """None is stored; the weights that ship decide."""
    FITTING = "fitting"
    CURRENT = "current"
    STALE = "stale"
    """Memories, powers or cases have changed since it was fitted."""


@dataclass(frozen=True, slots=True)
class FitStatus:
    """State of the fit, what it was fitted on, and whether this process made the profile's first one."""

    state: FitState = FitState.UNWANTED
    source: FitSource = field(default_factory=FitSource)
    is_first: bool = False


class Compared(StrEnum):
    """What a refit is compared on."""

    CASE = "case"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class ChangedDelivery:
    """A case or recent query, by its key, for which something else is delivered after a refit: names before and
    after."""

    kind: Compared
    key: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refit:
    """A refit: what the fit was made on, how many cases and recent queries were compared and how many changed, and the
    first of those."""

    source: FitSource
    cases: int
    queries: int
    changed_cases: int
    changed_queries: int
    changed: tuple[ChangedDelivery, ...] = ()
