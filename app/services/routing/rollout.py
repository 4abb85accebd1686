"""Route log, and the gradual rollout of candidate settings with rollback on alerts."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TypeVar

from app.domain.errors import StoreError
from app.domain.filters import WHOLE, SearchResult, View, search_result
from app.domain.inspection import Inspection, RouteDecision
from app.domain.journal import choosing
from app.domain.route import CachedRoute, LoggedRoute, RolloutStep, RouteFilter, RouteMethod, RouteOrder, RouteStage
from app.domain.route_alerts import RouteAlert, alerts
from app.evaluation.routing import RoutingMetrics, counts_of, is_right, metrics_of
from app.ports.store import Library, RouteStore
from app.scoring.text import without_punctuation
from app.services.core import Core
from app.services.engine.route_llm import month_start
from app.services.engine.typing_priority import REST_SECONDS
from app.services.events import Event
from app.settings.model import Settings, SettingsError
from app.settings.refusals import candidate_text, parse_candidate

MOST_KEPT = 10_000
"""Limit of stored LLM answers."""

AUDITED = 100
"""Sample size of an audit (001: weekly)."""

EVERYTHING = RouteFilter(limit=100_000)

DAY = 86_400.0

FAULT = "routes"
"""Part of the status for its faults."""


T = TypeVar("T")


class RouteLog:
    """`workbench.routing.log`: decisions of a profile's router, on the asyncio thread.

    `wall_seconds` gives seconds since 1970; `notify` is called after something was written or cleared.
    """

    def __init__(self, core: Core, wall_seconds: Callable[[], float], notify: Callable[[], None]) -> None:
        self.noted = Event[RouteDecision]()
        """Notified of final decisions, stored or not."""
        self.judged = Event[bool]()
        """Notified of stored decisions with a case: True if right."""
        self._core = core
        self._wall_seconds = wall_seconds
        self._notify = notify
        self._unwritten: list[LoggedRoute] = []
        self._unkept: list[CachedRoute] = []
        self._noted: tuple[str, str, str, float] | None = None
        self._resting: Inspection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    # ---- writing

    def note(self, text: str, decision: RouteDecision, source: str = "window") -> None:
        """Log a decision, as the history's privacy allows. Returns at once."""
        if not decision.is_final or not text.strip():
            return
        self.noted.notify(decision)
        if self._core.settings.history.privacy == "off":
            return
        self._unwritten.append(logged(text, decision, source, self._wall_seconds()))
        self._begin_writing()

    def note_inspected(self, inspection: Inspection) -> None:
        """Log the route of an inspected query, if it has one.

        The query on screen is inspected again after every change; an equal decision is logged once.
        """
        route = inspection.route
        if route is None or not route.is_final:
            return
        noted = (inspection.query.text, route.intent, route.method, route.confidence)
        if noted != self._noted:
            self._noted = noted
            self.note(inspection.query.text, route, "window")

    def note_rested(self, inspection: Inspection) -> None:
        """Note a final answer in the window: its route is logged if no key follows. Returns at once."""
        self.note_key()
        left = max(0.0, REST_SECONDS - self._core.typing_priority.quiet_seconds)
        self._resting = inspection
        self._timer = asyncio.get_running_loop().call_later(left, self._rested)

    def note_key(self) -> None:
        """Note a key in the window: the final answer before it is dropped. Returns at once."""
        self._resting = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rested(self) -> None:
        resting = self._resting
        self.note_key()
        if resting is not None:
            self.note_inspected(resting)

    def keep(self, answer: CachedRoute) -> None:
        """Store an LLM answer, if texts may be stored. Returns at once."""
        if self._core.settings.history.privacy == "full":
            self._unkept.append(answer)
            self._begin_writing()

    def _begin_writing(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = self._core.in_background(self._write())

    async def _write(self) -> None:
        while self._unwritten or self._unkept:
            lines, self._unwritten = self._unwritten, []
            answers, self._unkept = self._unkept, []
            hashed = self._core.settings.history.privacy == "hashed"
            judged = await self._in_store(partial(_write, lines=lines, answers=answers, hashed=hashed))
            for one in judged or ():
                self.judged.notify(one)
        self._notify()

    async def _in_store(self, call: Callable[[RouteStore], T]) -> T | None:
        """Run a call whose failure is only reported, since its data is not needed now."""
        try:
            found = await self._core.in_store(lambda library: call(library.routes))
        except StoreError as error:
            self._core.note_fault(FAULT, str(error))
            return None
        self._core.note_fault(FAULT, None)
        return found

    async def flushed(self) -> None:
        """Wait until pending decisions are written."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait({self._writing})

    async def close(self) -> None:
        """Write pending decisions."""
        self._rested()
        await self.flushed()

    # ---- reading

    async def decisions(self, wanted: RouteFilter = EVERYTHING) -> list[LoggedRoute]:
        """Return the newest matching decisions, newest first; raises StoreError."""
        await self.flushed()
        return await self._core.in_store(lambda library: library.routes.find(wanted))

    async def find(
        self, wanted: RouteFilter, order: RouteOrder, *, descending: bool, view: View = WHOLE
    ) -> SearchResult:
        """Return the keys of matching decisions in order, with the visible ones; raises StoreError."""
        await self.flushed()

        def look(library: Library) -> SearchResult:
            keys = library.routes.keys(wanted, order, descending=descending)
            return search_result(keys, library.routes.count(), view, lambda some: _page(library.routes, some))

        return await self._core.in_store(look)

    async def page(self, keys: Sequence[int]) -> dict[int, LoggedRoute]:
        """Return the existing decisions of these keys, by key; raises StoreError."""
        return await self._core.in_store(lambda library: _page(library.routes, keys))

    async def metrics(self, wanted: RouteFilter = EVERYTHING) -> RoutingMetrics:
        """Return the metrics of matching decisions, with 001's targets, and over time.

        Raises StoreError.
        """
        await self.flushed()
        # Decisions of all intents are read, since the others are listed, too.
        every = replace(wanted, intent=None)

        # On the store's thread: 100,000 decisions would delay a query.
        return await self._core.in_store(lambda library: metrics_of(library.routes.columns(every), wanted.intent))

    # ---- deletion

    async def prune(self) -> None:
        """Delete decisions older than the history's limit; raises StoreError.

        A clock far ahead of the newest decision before yesterday makes none old.
        """
        now = self._wall_seconds()
        earlier = replace(EVERYTHING, until=now - DAY, limit=1)
        for newest in await self._core.in_store(lambda library: library.routes.find(earlier)):
            now = min(now, newest.at + DAY)
        # The costs of the current month must remain known.
        before = min(now - self._core.settings.history.days * DAY, month_start(now))
        await self._core.in_store(lambda library: library.routes.prune(before))

    async def clear(self) -> int:
        """Delete all decisions except this month's costs; return their number; raises StoreError."""
        await self.flushed()
        month = month_start(self._wall_seconds())
        gone = await self._core.in_store(lambda library: _clear(library.routes, month))
        self._notify()
        return gone


def _page(routes: RouteStore, keys: Sequence[int]) -> dict[int, LoggedRoute]:
    return {row.key: row for row in routes.page(keys) if row.key is not None}


def _write(
    routes: RouteStore, lines: Sequence[LoggedRoute], answers: Sequence[CachedRoute], *, hashed: bool
) -> list[bool]:
    """Write lines and answers; return the correctness of lines whose text has a case."""
    routes.add(lines, hashed=hashed)
    for kept in answers:
        routes.keep(kept, MOST_KEPT)
    labels = routes.labels(one.text for one in lines)
    labelled = [replace(one, labels=labels[one.text]) for one in lines if one.text in labels]
    return [is_right(one) for one in labelled if one.labels]


def _clear(routes: RouteStore, month: float) -> int:
    whole = routes.count()
    spent = [one for one in routes.find(replace(EVERYTHING, since=month)) if one.cost]
    routes.prune(math.inf)
    # The budget counts them until the end of the month.
    routes.add([replace(one, text="", labels=()) for one in spent], hashed=True)
    return whole - len(spent)


def logged(text: str, decision: RouteDecision, source: str, at: float) -> LoggedRoute:
    """Return a decision as a log entry; `at` is in seconds since 1970."""
    asked = next((step for step in decision.steps if step.stage is RouteStage.LLM), None)
    return LoggedRoute(
        at=at,
        text=text,
        source=source,
        intent=decision.intent,
        databases=decision.databases,
        confidence=decision.confidence,
        method=RouteMethod(decision.method),
        rule_confidence=decision.rule_confidence,
        reasoning=decision.reasoning,
        ms=decision.ms,
        cost=decision.cost,
        llm=decision.llm_outcome,
        rule_intent=decision.rule_intent,
        llm_intent=decision.llm_intent if asked is not None else "",
        configuration=decision.configuration,
    )


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
