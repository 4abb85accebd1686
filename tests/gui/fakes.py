"""Fakes of services for a workbench without an engine.

These are encoders, duplicates, history and routing.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from unittest.mock import Mock

from app.domain.case import Case, Task
from app.domain.encoder import EncoderFacts, FetchStep, Provenance
from app.domain.errors import KnownError
from app.domain.filters import WHOLE, SearchResult, View
from app.domain.health import NearDuplicate, SimilarityThresholds
from app.domain.history import HistoryCounts, HistoryEntry, HistoryFilter, HistoryOrder
from app.domain.route import CircuitState, LoggedRoute, RouteFilter, RouteOrder
from app.evaluation.answers import Answered, RankedName
from app.evaluation.comparison import compared
from app.evaluation.evaluation import judged
from app.evaluation.routing import RoutingMetrics, metrics_of
from app.services.core import Progress
from app.services.events import Event
from app.services.library.duplicates import Duplicates
from app.services.review.history import History
from app.services.review.recorder import Recorder
from app.services.routing.log import EVERYTHING, RouteLog
from app.services.routing.rollout import Rollout, RolloutMetrics, RolloutState
from app.services.routing.routes import Routing, RoutingState
from app.services.routing.stores import Stores, StoreState
from app.services.system.encoders import Encoders, Gain, Measured
from app.settings.model import Settings
from app.settings.sections import EncoderSettings

MISSING = EncoderFacts(fault="sentence-transformers is not installed.", remedy="install", bytes_to_fetch=1_200_000_000)


def _answered(case: Case, *, is_right: bool) -> Answered:
    names = (RankedName("rotate", 0.9), RankedName("split", 0.5))
    return Answered(case, ("rotate",), names if is_right else names[::-1], 1 if is_right else 2, rejected=False)


class FakeEncoders(Encoders):
    """Encoders with facts by name and model in `known`; all others are unavailable."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], EncoderFacts] = {
            ("intentscope-minilm", ""): EncoderFacts(23_500_000),
            ("sentence-transformers", ""): MISSING,
            ("ollama", ""): EncoderFacts(is_offline=False, fault="No address of an Ollama server is set."),
        }
        self.chosen: list[EncoderSettings] = []
        self.calls: list[str] = []
        self.under_way = 0
        self.step = 0.0
        self.fault = ""

    async def facts(self, chosen: EncoderSettings) -> EncoderFacts:
        gone = EncoderFacts(fault=f"Folder not found: {chosen.model}.")
        return self.known.get((chosen.name, chosen.model), gone)

    async def measure(self) -> Measured:
        return Measured(Provenance("intentscope-minilm", "8199be6f699a", 384), 3.84, 61_000_000)

    async def choose(self, chosen: EncoderSettings) -> None:
        if self.fault:
            raise KnownError(self.fault)
        self.chosen.append(chosen)

    async def gain(self, chosen: EncoderSettings, tell: Progress | None = None) -> Gain:
        self.calls.append(f"gain {chosen.name}")
        self.under_way += 1
        try:
            if tell is not None:
                tell(3, 8)
            await asyncio.sleep(self.step)
        finally:
            self.under_way -= 1
        if self.fault:
            raise KnownError(self.fault)
        cases = [Case(f"query {number}", ("rotate",), Task.INTENT) for number in range(8)]
        before = [_answered(case, is_right=place < 4) for place, case in enumerate(cases)]
        after = [_answered(case, is_right=True) for case in cases]
        settings = Settings()
        return Gain(Task.INTENT, compared(*(judged(Task.INTENT, "balanced", own, settings) for own in (before, after))))

    async def cancel(self) -> None:
        self.calls.append("cancel")

    async def load_again(self) -> None:
        self.calls.append("load again")

    async def install(self) -> AsyncGenerator[FetchStep, None]:
        self.calls.append("install")
        self.under_way += 1
        try:
            for number, line in enumerate(("Collecting torch==2.13.0", "Installing torch", "Successfully installed")):
                yield FetchStep(line, number, 3)
                await asyncio.sleep(self.step)
            if self.fault:
                raise KnownError(self.fault)
            self.known["sentence-transformers", ""] = EncoderFacts(91_600_000)
        finally:
            self.under_way -= 1

    async def download(self, model: str) -> AsyncGenerator[FetchStep, None]:
        self.calls.append(f"download {model}")
        yield FetchStep(f"Fetching {model}")


class FakeDuplicates(Duplicates):
    def __init__(self) -> None:
        pass

    async def near(
        self, trigger: str, label: str | None, least: SimilarityThresholds | None = None
    ) -> list[NearDuplicate]:
        return []


class FakeHistory(History):
    def __init__(self) -> None:
        self.changed = Event()
        self.recorder = Mock(Recorder)

    async def find(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, descending: bool = True
    ) -> list[int]:
        return []

    async def page(self, keys: Sequence[int]) -> list[HistoryEntry]:
        return []

    async def counts(self) -> HistoryCounts:
        return HistoryCounts()


class FakeRouteLog(RouteLog):
    def __init__(self) -> None:
        pass

    async def flushed(self) -> None:
        return None

    async def find(
        self, wanted: RouteFilter, order: RouteOrder, *, descending: bool, view: View = WHOLE
    ) -> SearchResult:
        return SearchResult([], 0)

    async def page(self, keys: Sequence[int]) -> dict[int, LoggedRoute]:
        return {}

    async def metrics(self, wanted: RouteFilter = EVERYTHING) -> RoutingMetrics:
        return metrics_of([])


class FakeRollout(Rollout):
    def __init__(self) -> None:
        self._state = RolloutState()

    async def metrics(self) -> RolloutMetrics | None:
        return None


class FakeRouting(Routing):
    """Router without decisions, which reports that."""

    def __init__(self) -> None:
        self.changed = Event()
        self.log = FakeRouteLog()
        self.rollout = FakeRollout()

    def state(self) -> RoutingState:
        return RoutingState(None, "", 0, 0, (), CircuitState(), 0.0, 100.0, 0)


class FakeStores(Stores):
    def __init__(self) -> None: ...

    async def states(self) -> tuple[StoreState, ...]:
        return ()
