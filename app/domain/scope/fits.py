"""Stored fit of `learned`: its training data and time, and the effect of a refit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class FitSource:
    """Training data of a fit: counts, and its time in seconds since 1970; 0 if unknown."""

    memories: int = 0
    powers: int = 0
    cases: int = 0
    made: float = 0.0


class FitPolicy(StrEnum):
    """Permission of a process to fit when the stored fit is missing or outdated."""

    REFIT = "refit"
    """Fit again and store it: windows, engines, servers, and commands with the option."""
    FIRST = "first"
    """Use the stored fit as it is; fit and store only if none is stored: commands."""
    NEVER = "never"
    """Use the stored fit as it is, or the shipped weights: hooks."""


class FitState(StrEnum):
    """State of the fit that a process uses."""

    UNWANTED = "unwanted"
    """The settings use no fit."""
    MISSING = "missing"
    """No fit is stored; the shipped weights are used."""
    FITTING = "fitting"
    CURRENT = "current"
    STALE = "stale"
    """Memories, powers or cases have changed since the fit."""


@dataclass(frozen=True, slots=True)
class FitStatus:
    """State of the fit, its training data, and whether this process made the profile's first."""

    state: FitState = FitState.UNWANTED
    source: FitSource = field(default_factory=FitSource)
    is_first: bool = False


class Compared(StrEnum):
    """Kind of text on which a refit is compared."""

    CASE = "case"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class ChangedDelivery:
    """Case or recent query, by key, with names delivered before and after a refit."""

    kind: Compared
    key: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refit:
    """Refit: its training data, numbers of cases and queries compared and changed, and examples."""

    source: FitSource
    cases: int
    queries: int
    changed_cases: int
    changed_queries: int
    changed: tuple[ChangedDelivery, ...] = ()
