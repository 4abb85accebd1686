"""How often was the LLM asked in this session, and how often was it too late?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.llm import LlmOutcome

if TYPE_CHECKING:
    from app.domain.inspection import Inspection

_LATE = (LlmOutcome.TIMED_OUT, LlmOutcome.LATE)
_ANSWERED = (LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE, LlmOutcome.UNREADABLE, LlmOutcome.FAILED)


class LateCount:
    """How many of this session's queries the LLM was asked, and to how many it came too late."""

    def __init__(self) -> None:
        self._of: dict[int, bool] = {}

    def note(self, generation: int, inspection: Inspection) -> bool:
        """Take up what became of a query; if that changes a count."""
        report = inspection.trace.llm
        if report is None or report.outcome not in (*_LATE, *_ANSWERED):
            return False
        late = report.outcome in _LATE
        changed = self._of.get(generation) is not late
        self._of[generation] = late
        return changed

    @property
    def late(self) -> int:
        return sum(self._of.values())

    @property
    def asked(self) -> int:
        return len(self._of)
