"""Keyword result and LLM answer become one intent; for now the keyword result stands alone (S4.10)."""

from __future__ import annotations

from app.domain.inspection import Detection
from app.domain.intent import SearchIntent
from app.domain.match import Operand, Step
from app.settings import Settings


def floor_alone(detection: Detection, settings: Settings) -> tuple[SearchIntent | None, tuple[Step, ...]]:
    """S4.10 rule 1, then rule 6: the keyword result as it is, unless topics are required and there are none."""
    intent = detection.intent
    if intent is None:
        return None, ()
    if settings.search_intent.require_topics and not intent.topics:
        nothing = Step("no topics", "take", (Operand("required topics", 0.0), *detection.steps[-1].operands), 0.0)
        return None, (*detection.steps, nothing)
    return intent, detection.steps
