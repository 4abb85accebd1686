"""Data of the router in lists; lost with the process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from app.domain.case import Case
from app.domain.match import without_lone_surrogates as clean
from app.domain.route import CachedRoute, LoggedRoute, RolloutStep, RouteColumns, RouteFilter, RouteMethod, RouteOrder


class MemoryRoutes:
    """RouteStore, simple enough to be evidently correct."""

    def __init__(self, cases: Callable[[], list[Case]] = list) -> None:
        self._cases = cases
        self._kept: dict[str, CachedRoute] = {}
        self._log: list[LoggedRoute] = []
        self._rollouts: list[RolloutStep] = []
        self._quiet: set[str] = set()
        self.damage = ""

    def find_answers(self, question_digest: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        self._kept = {
            text: kept
            for text, kept in self._kept.items()
            if kept.digest == question_digest and since <= kept.at <= until
        }
        damage, self.damage = self.damage, ""
        return sorted(self._kept.values(), key=lambda kept: kept.at), damage

    def keep(self, kept: CachedRoute, most: int) -> None:
        answer = replace(kept.answer, distribution=None, prompt="", reply="")
        self._kept[clean(kept.text)] = replace(kept, text=clean(kept.text), answer=answer)
        newest = sorted(self._kept.values(), key=lambda one: -one.at)[:most]
        self._kept = {one.text: one for one in newest}

    def clear_answers(self) -> int:
        gone = len(self._kept)
        self._kept = {}
        return gone

    def add(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        for decision in decisions:
            kept = replace(decision, text=clean(decision.text), labels=(), key=len(self._log) + 1)
            self._log.append(kept if not hashed else replace(kept, text="", reasoning=""))

    def find(self, wanted: RouteFilter) -> list[LoggedRoute]:
        labels = {case.text: case.expected for case in self._cases()}
        found = [replace(one, labels=labels.get(one.text, ())) for one in self._log if _fits(one, wanted)]
        return sorted(found, key=lambda one: (-one.at, -(one.key or 0)))[: wanted.limit]

    def columns(self, wanted: RouteFilter) -> RouteColumns:
        return RouteColumns.of(self.find(wanted), labelled_at=time.time())

    def keys(self, wanted: RouteFilter, order: RouteOrder, *, descending: bool) -> list[int]:
        newest = self.find(replace(wanted, limit=len(self._log)))
        found = sorted(newest, key=lambda one: getattr(one, order.value), reverse=descending)
        if order is RouteOrder.TEXT:
            found.sort(key=lambda one: not one.text)
        return [one.key or 0 for one in found][: wanted.limit]

    def page(self, keys: Sequence[int]) -> list[LoggedRoute]:
        return [one for one in self.find(RouteFilter(limit=len(self._log))) if one.key in set(keys)]

    def count(self) -> int:
        return len(self._log)

    def cost_since(self, since: float) -> float:
        return sum(one.cost for one in self._log if one.at >= since)

    def prune(self, before: float) -> int:
        kept = [one for one in self._log if one.at >= before]
        gone = len(self._log) - len(kept)
        self._log = kept
        return gone

    def labels(self, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
        expected = {case.text: case.expected for case in self._cases()}
        return {text: expected[clean(text)] for text in texts if clean(text) in expected}

    def add_rollout(self, step: RolloutStep) -> None:
        self._rollouts.insert(0, step)

    def rollouts(self, most: int) -> list[RolloutStep]:
        return self._rollouts[:most]

    def non_teaching(self, texts: Iterable[str]) -> set[str]:
        return {text for text in texts if clean(text) in self._quiet}

    def set_teaching(self, texts: Iterable[str], *, on: bool) -> None:
        found = {clean(text) for text in texts}
        self._quiet = self._quiet - found if on else self._quiet | found


def _fits(one: LoggedRoute, wanted: RouteFilter) -> bool:
    return (
        wanted.text.lower() in one.text.lower()
        and wanted.intent in (None, one.intent)
        and wanted.method in (None, one.method)
        and not (wanted.is_decided and one.method is RouteMethod.DEGRADED)
        and wanted.source in (None, one.source)
        and (wanted.since is None or one.at >= wanted.since)
        and (wanted.until is None or one.at < wanted.until)
        and wanted.configuration in (None, one.configuration)
        and wanted.least <= one.confidence <= wanted.most
    )
