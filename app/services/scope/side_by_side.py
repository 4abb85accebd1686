"""Two queries answered side by side: another text, other settings, or both; without an LLM."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Protocol

from app.domain.scope.inspection import Inspection


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """One side of a comparison: a text, and changed settings as pairs of dotted key and value."""

    text: str
    changes: tuple[tuple[str, str], ...] = ()


Answers = tuple[Inspection, Inspection]
"""Inspections of the left and the right side."""


class Settles(Protocol):
    """Answers a query under other settings; raises SettingsError if they are refused."""

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection: ...


async def settle_both(
    bench: Settles, left: ComparedQuestion, right: ComparedQuestion, known: Mapping[ComparedQuestion, Inspection]
) -> AsyncGenerator[Answers, None]:
    """Answer both sides, one after the other; known answers are reused. Raises SettingsError.

    Scoring a pinned query again would evict what the index caches for the text being typed.
    """
    sides = [known.get(asked) or await bench.settle_as(asked.text, dict(asked.changes)) for asked in (left, right)]
    yield sides[0], sides[1]
