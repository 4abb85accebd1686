"""ScopeState: content of the scope as a frozen snapshot that every panel draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.library import Kind
from app.domain.llm import LlmOutcome
from app.domain.match import Match
from app.domain.scope.inspection import Inspection, Phase

if TYPE_CHECKING:
    from app.domain.scope.inspection import Inspection
    from app.services.core import Status
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class ScopeState:
    """Answer on screen, selected match, filter by kind, and state of the workbench.

    Nothing is animated while `is_typing`. `has_query`: the query line is not empty.
    """

    inspection: Inspection | None = None
    selected: Match | None = None
    kind: Kind | None = None
    status: Status | None = None
    settings: Settings | None = None
    is_typing: bool = False
    has_query: bool = False
    open_error: str = ""
    """Reason why the library could not be opened; "" otherwise."""

    @property
    def awaits_vector(self) -> bool:
        """True if the query's vector is due in a few milliseconds."""
        ready = self.status is not None and self.status.encoder_state == "ready"
        return ready and self.inspection is not None and self.inspection.phase is Phase.FLOOR

    def is_new_query(self, before: ScopeState) -> bool:
        """Check if the query is not just a longer or shorter form of the one before."""
        if self.inspection is None or before.inspection is None:
            return False
        now, then = self.inspection.query.text, before.inspection.query.text
        return not (now.startswith(then) or then.startswith(now))

    @property
    def faults(self) -> dict[str, str]:
        return dict(self.status.faults) if self.status else {}

    @property
    def has_empty_library(self) -> bool:
        """True if the library is open and has no memories and powers."""
        if self.status is None or not self.status.counts:
            return False
        counts = self.status.counts
        return not counts.get("memories", 0) and not counts.get("powers", 0)


# --------------------------------------------------------------------------------------------------------------------
# Session counts of LLM requests, and of late answers

_LATE = (LlmOutcome.TIMED_OUT, LlmOutcome.LATE)
_ANSWERED = (LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE, LlmOutcome.UNREADABLE, LlmOutcome.FAILED)


class LateCount:
    """Counts this session's LLM requests, and those answered too late."""

    def __init__(self) -> None:
        self._of: dict[int, bool] = {}

    def note(self, generation: int, inspection: Inspection) -> bool:
        """Count the outcome of a query; return True if a count has changed."""
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
