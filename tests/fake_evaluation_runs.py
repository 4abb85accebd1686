"""Stored evaluations in a list; lost with the process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.domain.case import CaseOutcome, EvaluationRun
from app.domain.match import without_lone_surrogates as clean


class MemoryEvaluationRuns:
    """EvaluationRuns, simple enough to be evidently correct."""

    def __init__(self) -> None:
        self._kept: list[tuple[EvaluationRun, dict[str, CaseOutcome]]] = []
        self._last = 0

    def keep(self, run: EvaluationRun, outcomes: Iterable[CaseOutcome], most: int) -> int:
        self._last += 1
        self._kept.append((replace(run, key=self._last), {clean(one.text): one for one in outcomes}))
        self._kept = self._kept[max(0, len(self._kept) - most) :]
        return self._last

    def runs(self) -> list[EvaluationRun]:
        return [run for run, _ in reversed(self._kept)]

    def outcomes(self, key: int, texts: Iterable[str]) -> list[CaseOutcome]:
        held = next((outcomes for run, outcomes in self._kept if run.key == key), {})
        return [replace(held[clean(text)], text=text) for text in texts if clean(text) in held]

    def forget(self, key: int | None = None) -> int:
        left = [] if key is None else [one for one in self._kept if one[0].key != key]
        gone, self._kept = len(self._kept) - len(left), left
        return gone
