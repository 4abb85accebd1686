"""ScopeState, the frozen content of the scope; counts of late answers and paint times."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.display.scope.timing import ON_SCREEN
from app.domain.inspection import Inspection, Phase
from app.domain.library import Kind
from app.domain.llm import LlmOutcome
from app.domain.match import Match

if TYPE_CHECKING:
    from app.services.status import Status
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class ScopeState:
    """Answer on screen, selected match, filter by kind, and state of the workbench.

    Nothing is animated while `is_typing`. `has_query`: the query line is not empty. `lines`: number of
    pasted lines that are not asked as one query.
    """

    inspection: Inspection | None = None
    selected: Match | None = None
    kind: Kind | None = None
    status: Status | None = None
    settings: Settings | None = None
    is_typing: bool = False
    has_query: bool = False
    lines: int = 0
    open_error: str = ""
    """Reason why the library could not be opened; "" otherwise."""

    @property
    def idle(self) -> tuple[str, str]:
        """Headline and sentence while there is no answer."""
        if self.has_query:
            return "Working", ""
        if self.lines:
            return f"{self.lines:,} lines pasted", "“Ask all” answers each of them."
        return "No query yet", "Type a query above: the answer and the reason appear here."

    @property
    def awaits_vector(self) -> bool:
        """True if the query's vector is due in a few milliseconds; not once encoding it has failed."""
        if self.inspection is None or self.inspection.phase is not Phase.FLOOR:
            return False
        has_failed = any(stage.outcome == "failed" for stage in self.inspection.trace.stages)
        return self.status is not None and self.status.encoder_state == "ready" and not has_failed

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


# ---- Session counts of LLM requests, and of late answers

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


PAUSE_MS = 400
"""Pause in ms before times are reported: drawing them would delay the next answer."""

MOST_KEPT = 1_000
"""Limit of measurements waiting for a pause."""


class PaintClock(QObject):
    """Emits once per query: its stages, and the time when its answer is painted."""

    noted = Signal(Sequence)  # list[dict[str, float]]: ms by stage, and until the answer was on screen

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._noted = -1
        self.expected: dict[str, float] | None = None
        self._kept: deque[dict[str, float]] = deque(maxlen=MOST_KEPT)
        self._pause = QTimer(self, singleShot=True)
        self._pause.setTimerType(Qt.TimerType.CoarseTimer)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._hand_on)

    def typing(self) -> None:
        """Note a key: pending measurements are reported later."""
        if self._kept:
            self._pause.start()

    def skip(self, generation: int) -> None:
        """Ignore a query that was not typed."""
        self._noted = generation

    def expect(self, generation: int, stages: dict[str, float]) -> bool:
        """Note that an answer is about to be painted; False if it is already measured."""
        if generation <= self._noted:
            return False
        self._noted = generation
        self.expected = stages
        return True

    def painted(self, keyed_at: float) -> None:
        """Note a finished painting, and the time of its key by perf_counter()."""
        expected, self.expected = self.expected, None
        if expected is not None:
            expected[ON_SCREEN] = (perf_counter() - keyed_at) * 1000.0
            self._kept.append(expected)
            self._pause.start()

    def _hand_on(self) -> None:
        kept = list(self._kept)
        self._kept.clear()
        self.noted.emit(kept)
