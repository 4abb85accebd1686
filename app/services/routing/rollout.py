"""Gradual rollout of candidate settings, with rollback on alerts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from app.domain.errors import StoreError
from app.domain.inspection import RouteDecision
from app.domain.journal import choosing
from app.domain.route import LoggedRoute, RolloutStep, RouteFilter
from app.domain.route_alerts import RouteAlert, alerts
from app.evaluation.routing import RoutingMetrics, counts_of, metrics_of
from app.ports.store import Library
from app.scoring.text import without_punctuation
from app.services.core import Core
from app.services.events import Event
from app.services.routing.log import RouteLog
from app.settings.model import Settings, SettingsError
from app.settings.refusals import candidate_text, parse_candidate

LEAST = 50
"""Minimum number of decisions of a side for its alerts."""

EACH = 10
"""Number of candidate decisions between evaluations of alerts."""

MOST = 1_000
"""Number of newest decisions of a side for its alerts."""

STEPS = 100
"""Limit of changes that are read to find the start of a rollout."""

NO_LOG = "A roll-out needs the log of decisions, which history.privacy has switched off."
NO_CANDIDATE = (
    "No candidate to roll out: set its settings with --against KEY=VALUE in the terminal, stored as route.candidate."
)
SOURCE = "rollout"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RolloutState:
    """State of a rollout: percentage of queries on the candidate's settings, and since when.

    `back` is the newest change if the router rolled back by itself; `hindrance` is why no query uses the candidate.
    """

    share: int = 0
    candidate: str = ""
    since: float | None = None
    back: RolloutStep | None = None
    hindrance: str = ""


@dataclass(frozen=True, slots=True)
class RolloutMetrics:
    """Metrics of both sides since the current or last rollout began."""

    candidate: str
    today: RoutingMetrics
    then: RoutingMetrics


class Rollout:
    """`workbench.routing.rollout`. All methods run on the core's asyncio thread.

    The settings hold the wanted share; the library holds the start and rollbacks, so that they survive a restart and
    are shared by all programs.
    """

    def __init__(self, core: Core, route_log: RouteLog, wall_seconds: Callable[[], float]) -> None:
        self.changed = Event[RolloutState]()
        """Notified when a rollout began, changed or was rolled back."""
        self._core, self._log, self._wall_seconds = core, route_log, wall_seconds
        self._seen: Settings | None = None
        self._wanted: tuple[int, str] | None = None
        self._settings: Settings | None = None
        self._state = RolloutState()
        self._is_open = False
        self._unjudged = EACH  # decisions of other programs are not known here
        self._work: asyncio.Task[None] | None = None
        route_log.noted.subscribe(self._on_noted)

    @property
    def state(self) -> RolloutState:
        return self._state

    # ---- choice of the side

    def split(self, text: str, settings: Settings) -> tuple[Settings, str]:
        """Return the settings that decide a query, and the candidate if they are its settings.

        Trials under other than the present settings do not take part.
        """
        if self._settings is None or settings is not self._seen or not self._state.share:
            return settings, ""
        candidate = self._state.candidate
        return (self._settings, candidate) if bucket_of(text, candidate) < self._state.share else (settings, "")

    # ---- following the settings

    def open(self) -> None:
        """Start to follow the settings, once the library is open. Returns at once."""
        self._is_open = True
        self.follow_changes()

    def follow_changes(self) -> None:
        """Note that the settings may have changed. Returns at once."""
        settings = self._core.settings
        if settings is self._seen or not self._is_open:
            return
        before, self._seen = self._wanted, settings
        self._wanted = wanted = (settings.route.rollout, settings.route.candidate)
        hindrance = self._take(settings)
        # Another program may have seen the rollback.
        may_be_seen = self._state.back is not None and not wanted[0]
        if wanted != before or hindrance != self._state.hindrance or may_be_seen:
            self._begin(lambda: self._follow(wanted, hindrance, is_first=before is None))

    def _take(self, settings: Settings) -> str:
        """Build the candidate's settings; return why no query can use them, or ""."""
        self._settings = None
        share, candidate = settings.route.rollout, settings.route.candidate
        if not share:
            return ""
        if settings.history.privacy == "off":
            return NO_LOG
        try:
            changes = parse_candidate(candidate)
            self._settings = self._core.settings_under(changes)
        except ValueError as error:  # includes SettingsError
            return str(error)
        return "" if changes else NO_CANDIDATE

    def _begin(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run changes one after the other."""
        before = self._work

        async def act() -> None:
            if before is not None:
                await asyncio.wait({before})
            await work()

        self._work = self._core.in_background(act())

    async def ready(self) -> None:
        """Wait until the state is known and no alert is being evaluated."""
        self.follow_changes()
        await self.close()

    async def close(self) -> None:
        """Wait for the evaluation of alerts."""
        while self._work is not None and not self._work.done():
            await asyncio.wait({self._work})

    async def _follow(self, wanted: tuple[int, str], hindrance: str, *, is_first: bool) -> None:
        share, candidate = (0, wanted[1]) if hindrance else wanted
        try:
            steps = await self._core.in_store(lambda library: library.routes.rollouts(STEPS))
            last = steps[0] if steps else None
            has_gone_back = last is not None and bool(last.why) and last.candidate == candidate
            if share and has_gone_back and is_first:
                share = 0  # set by an overriding source: it stays rolled back until it is set again
            elif share and (last is None or (last.share, last.candidate) != (share, candidate)):
                steps.insert(0, await self._note(share, candidate))
            elif not wanted[0] and last is not None and last.share and not is_first:
                steps.insert(0, await self._note(0, last.candidate))
        except StoreError as error:
            share, steps, hindrance = 0, [], str(error)
        back = steps[0] if steps and steps[0].why and not share else None
        self._set_state(RolloutState(share, candidate, _began(steps) if share else None, back, hindrance))

    async def _note(self, share: int, candidate: str, why: str = "") -> RolloutStep:
        step = RolloutStep(self._wall_seconds(), share, candidate, why)
        await self._core.in_store(lambda library: library.routes.add_rollout(step))
        return step

    def _set_state(self, state: RolloutState) -> None:
        if state != self._state:
            self._state = state
            self.changed.notify(state)

    # ---- manual control

    async def roll_out(self, share: int, changes: Mapping[str, str] | None = None) -> RolloutState:
        """Set the share in percent of these settings, or of the present candidate; 0: none.

        Raises SettingsError, StoreError.
        """
        chosen = {"route.rollout": str(share)}
        if changes:
            self._core.settings_under(changes)
            chosen["route.candidate"] = candidate_text(changes)
        candidate = chosen.get("route.candidate", self._core.settings.route.candidate)
        if share and not candidate:
            raise SettingsError(NO_CANDIDATE)
        if share and self._core.settings.history.privacy == "off":
            raise SettingsError(NO_LOG)
        await self.ready()
        seen = self._state.back is not None
        if not (seen or share or changes or self._core.settings.route.rollout):
            return self._state  # nothing is rolled out, so that there is nothing to end, nor a step to undo
        await self._core.choose_all(chosen, choosing(chosen, SOURCE))
        await self.ready()
        if seen and self._state.back is not None:  # the settings already had this value
            await self._note(share, candidate)
            await self._follow((share, candidate), "", is_first=False)
        return self._state

    async def metrics(self) -> RolloutMetrics | None:
        """Return both sides' metrics since the rollout began, or None; raises StoreError."""
        await self._log.flushed()
        steps = await self._core.in_store(lambda library: library.routes.rollouts(STEPS))
        if not steps:
            return None
        candidate, since = steps[0].candidate, _began(steps)
        today, then = await self._core.in_store(lambda library: _sides(library, candidate, since))
        return RolloutMetrics(candidate, metrics_of(today), metrics_of(then))

    # ---- automatic rollback

    def _on_noted(self, decision: RouteDecision) -> None:
        if decision.configuration and decision.configuration == self._state.candidate and self._state.share:
            self._unjudged += 1
            if self._unjudged >= EACH:
                self._unjudged = 0
                self._begin(self._judge)

    async def _judge(self) -> None:
        """Roll back if an alert fires for the candidate but not for the present settings."""
        state = self._state
        if not state.share:
            return
        await self._log.flushed()
        try:
            today, then = await self._core.in_store(lambda library: _sides(library, state.candidate, state.since))
            if (fired := firing_alerts(today, then)) and self._state is state:
                await self._go_back(state, " ".join(one.sentence for one in fired))
        except StoreError as error:
            self._core.note_fault(SOURCE, str(error))
        else:
            self._core.note_fault(SOURCE, None)

    async def _go_back(self, state: RolloutState, why: str) -> None:
        step = await self._note(0, state.candidate, why)
        log.info("the roll-out of %s went back: %s", state.candidate, why)
        self._wanted = (0, state.candidate)
        self._settings = None
        self._set_state(RolloutState(0, state.candidate, None, step))
        chosen = {"route.rollout": "0"}
        try:
            await self._core.choose_all(chosen, choosing(chosen, SOURCE))
        except SettingsError:
            log.info("route.rollout is set outside of the profile; what is kept of the roll-out holds it back")
        finally:
            route = self._core.settings.route
            self._wanted = (route.rollout, route.candidate)  # without a choice, that is no change


def bucket_of(text: str, candidate: str) -> float:
    """Return the stable bucket in [0, 100) of a query, ignoring case and punctuation.

    The candidate is the hash key: another candidate gets other queries, and a larger share includes a smaller one's.
    """
    key = blake2b(candidate.encode("utf-8", "replace"), digest_size=16).digest()
    said = (without_punctuation(text) or text).encode("utf-8", "replace")
    return int.from_bytes(blake2b(said, digest_size=8, key=key).digest()) * 100.0 / 2.0**64


def firing_alerts(today: Sequence[LoggedRoute], then: Sequence[LoggedRoute]) -> tuple[RouteAlert, ...]:
    """Return the alerts that fire for the candidate only, once it has `LEAST` decisions."""
    if len(then) < LEAST:
        return ()
    also = {one.name for one in alerts(counts_of(today))} if len(today) >= LEAST else set()
    counts = replace(counts_of(then), llm_silent=0)  # an unreachable LLM is not the candidate's fault
    return tuple(one for one in alerts(counts) if one.name not in also)


def _began(steps: Sequence[RolloutStep]) -> float | None:
    """Return when the last rollout began; `steps` are newest first."""
    own = steps[1:] if steps and not steps[0].share else steps
    began = None
    for step in own:
        if not step.share or step.candidate != own[0].candidate:
            break
        began = step.at
    return began


def _sides(library: Library, candidate: str, since: float | None) -> tuple[list[LoggedRoute], list[LoggedRoute]]:
    today, then = (
        library.routes.find(RouteFilter(since=since, limit=MOST, configuration=side)) for side in ("", candidate)
    )
    return today, then
