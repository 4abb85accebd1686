"""Two questions answered side by side: another text, other settings, or both; no LLM is asked for either."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Protocol

from app.domain.scope.inspection import Inspection


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """One side: a text, and what is changed of the settings for it, as pairs of dotted key and value."""

    text: str
    changes: tuple[tuple[str, str], ...] = ()


Answers = tuple[Inspection, Inspection]
"""What the left and the right side came to."""


class Settles(Protocol):
    """Answers a query under other settings; SettingsError if they are refused."""

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection: ...


async def settle_both(
    bench: Settles, left: ComparedQuestion, right: ComparedQuestion, known: Mapping[ComparedQuestion, Inspection]
) -> AsyncGenerator[Answers, None]:
    """Answer both sides, one after the other, but for those whose answer is known; SettingsError.

    A side that is known is not scored again: a pinned query would else push aside what the index keeps of the text
    that is being typed.
    """
    sides = [known.get(asked) or await bench.settle_as(asked.text, dict(asked.changes)) for asked in (left, right)]
    yield sides[0], sides[1]
