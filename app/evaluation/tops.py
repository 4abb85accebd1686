"""Cases by their best answers alone: all that it takes to try thresholds on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.case import Task


@dataclass(frozen=True, slots=True)
class Top:
    """One case by its best answer: confidence, the lead over the next power (1.0 without one), and if it is right.

    `expects_none` says that no answer would have been right: then the case is right where nothing is found.
    """

    confidence: float
    is_right: bool
    expects_none: bool = False
    lead: float = 1.0


@dataclass(frozen=True, slots=True)
class Tops:
    """How far the cases are answered: `done` of `total`, and once all are, every case by its task."""

    done: int
    total: int
    by_task: Mapping[Task, tuple[Top, ...]]
