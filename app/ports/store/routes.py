"""What the router keeps: the LLM's answers, the log of decisions, and which cases do not teach it (S6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from app.domain.route import CachedRoute, LoggedRoute, RouteFilter, RouteOrder


class RouteAnswers(Protocol):
    """Cache: what the LLM has answered."""

    def cached(self, asked: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        """What is kept under this digest from these times, oldest first, and a sentence if something was damaged.
        Everything else that was kept is forgotten."""
        ...

    def keep(self, kept: CachedRoute, most: int) -> None: ...
    def forget_cached(self) -> int: ...


class RouteDecisions(Protocol):
    """Log: what was decided, and what it cost."""

    def note(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        """Add to the log; `hashed` without texts and reasons."""
        ...

    def find(self, wanted: RouteFilter) -> list[LoggedRoute]:
        """The newest first, each with the labels of the case of its text, if the library has one."""
        ...

    def keys(self, wanted: RouteFilter, order: RouteOrder, *, falling: bool) -> list[int]:
        """The keys of those that fit, as many as are asked for, in this order."""
        ...

    def page(self, keys: Sequence[int]) -> list[LoggedRoute]:
        """The decisions of these keys that there still are, in any order, with their labels."""
        ...

    def count(self) -> int: ...
    def spent(self, since: float) -> float: ...
    def prune(self, before: float) -> int: ...


class RouteLessons(Protocol):
    """Which cases do not teach the router."""

    def untaught(self, texts: Iterable[str]) -> set[str]: ...
    def let_teach(self, texts: Iterable[str], *, on: bool) -> None: ...


class RouteStore(RouteAnswers, RouteDecisions, RouteLessons, Protocol):
    """All that the router keeps. May block; StoreError. Times are seconds since 1970."""
