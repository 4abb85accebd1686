"""The routing of a workbench that has no engine: nothing was decided, nothing is learned."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.filters import WHOLE, SearchResult, View
from app.domain.route import CircuitState, LoggedRoute, RouteFilter, RouteOrder
from app.evaluation.routing import RoutingMetrics, metrics_of
from app.services.events import Event
from app.services.routing.log import EVERYTHING, RouteLog
from app.services.routing.rollout import Rollout, RolloutMetrics, RolloutState
from app.services.routing.routes import Routing, RoutingState


class FakeRouteLog(RouteLog):
    """An empty one."""

    def __init__(self) -> None:
        pass

    async def flushed(self) -> None:
        return None

    async def find(self, wanted: RouteFilter, order: RouteOrder, *, falling: bool, view: View = WHOLE) -> SearchResult:
        return SearchResult([], 0)

    async def page(self, keys: Sequence[int]) -> dict[int, LoggedRoute]:
        return {}

    async def metrics(self, wanted: RouteFilter = EVERYTHING) -> RoutingMetrics:
        return metrics_of([])


class FakeRollout(Rollout):
    """Nothing was ever rolled out."""

    def __init__(self) -> None:
        self._state = RolloutState()

    async def metrics(self) -> RolloutMetrics | None:
        return None


class FakeRouting(Routing):
    """Knows nothing, and says so."""

    def __init__(self) -> None:
        self.changed = Event()
        self.log = FakeRouteLog()
        self.rollout = FakeRollout()

    def state(self) -> RoutingState:
        return RoutingState(None, "", 0, 0, (), CircuitState(), 0.0, 100.0, 0)
