"""Routing as a person's verbs: route a query, look at the log and what it comes to, clear what is kept (S6)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from app.detect.prompts import ROUTES
from app.detect.route import Evidence, LlmHeard
from app.domain.inspection import Inspection
from app.domain.llm import LlmOutcome
from app.domain.query import Query
from app.domain.resolution import RouteDecision
from app.domain.route import CachedRoute, CircuitState, LoggedRoute, RouteFilter, RouteMethod, RouteStage
from app.evaluation.routing import Audit, RoutingMetrics, audit_of, metrics_of, sampled
from app.ports import EncoderError, KnownError, Library, StoreError, Vectors
from app.scoring.route_votes import Trained
from app.services.history_recording import REST_SECONDS
from app.services.outside import Outside
from app.services.routing_examples import Desk as LessonDesk
from app.services.routing_examples import RouteLessons
from app.services.routing_llm import RouteAsker, month_start
from app.services.routing_stages import NOTHING_ASKED, Router
from app.services.routing_trip import RouteDesk
from app.settings import Settings

MOST_KEPT = 10_000
"""So many answers of the LLM are kept."""

AUDITED = 100
"""001: so many queries are looked at a week, what rules, LLM and people say of each."""

EVERYTHING = RouteFilter(limit=100_000)

SWITCHED_OFF = "Routing is switched off (route.enabled)."
FAULT, DAMAGE = "routes", "route cache"
"""The parts of which the desk tells that they fail."""

Result = TypeVar("Result")


class Desk(LessonDesk, Protocol):
    """What routing needs of the desk."""

    @property
    def settings(self) -> Settings: ...

    async def encoded(self, texts: Sequence[str]) -> Vectors | None: ...
    async def foresee(self, texts: Sequence[str]) -> None: ...
    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]: ...


@dataclass(frozen=True, slots=True)
class RoutingState:
    """What routing rests on now: what was learned (None, and why), the circuit, money and answers kept."""

    trained: Trained | None
    missing: str
    examples: int
    shipped: int
    labels: tuple[str, ...]
    circuit: CircuitState
    spent: float
    budget: float
    kept: int
    has_llm: bool = True
    """Whether an LLM is set up that can be asked for routes."""


class Routing:
    """The router of one profile: `workbench.routing`. All methods run on the workbench's asyncio thread."""

    on_change: Callable[[], None] | None = None
    """Called after something was learned, noted or cleared."""

    on_learned: Callable[[], None] | None = None
    """Called when queries may go another way than before, because something else was learned."""

    def __init__(self, desk: Desk, outside: Outside, store: Any, encode: Callable[[], Any]) -> None:
        self._desk = desk
        self.router = Router(outside.clock, outside.wall_seconds)
        self.asker = RouteAsker(
            lambda: desk.engine.lane.client, outside.make_circuit(), outside.clock, outside.wall_seconds
        )
        self.lessons = RouteLessons(desk, self.router, outside.route_examples, store, encode)
        self._wall_seconds = outside.wall_seconds
        self._digest = ""
        self._stale = True
        self._seen_encoder: object = None
        self._catching_up: asyncio.Task[None] | None = None
        self._unwritten: list[LoggedRoute] = []
        self._noted: tuple[str, str, str, float] | None = None
        self._unkept: list[CachedRoute] = []
        self._resting: Inspection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        desk.engine.routes = RouteDesk(self.router, self.asker, self.heard)

    # ---- following the library, the encoder and the settings

    def library_changed(self) -> None:
        """Something was taught or taken back; what is learned follows. Returns at once."""
        self._stale = True
        self.look()

    def look(self) -> None:
        """Follow what has changed, in the background. Returns at once."""
        if self._stale or self._seen_encoder is not self._desk.engine.encoder or self._digest != self._asked():
            self._catch_up()
        client = self._desk.engine.lane.client
        if client is not None and client.state.is_ready and self.asker.is_cold(client):
            self._desk.in_background(self.asker.warm(self._desk.settings))

    def _catch_up(self) -> None:
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = self._desk.in_background(self._follow())

    async def _follow(self) -> None:
        engine, before = self._desk.engine, self.router.model
        try:
            while self._stale or self._seen_encoder is not engine.encoder or self._digest != self._asked():
                await self._desk.calm.turn()
                self._stale, self._seen_encoder = False, engine.encoder
                if self._digest != (asked := self._asked()):
                    self._digest = asked
                    await self._take_up_kept(asked)
                await self.lessons.learn()
        except StoreError as error:
            self.router.missing, self._stale = str(error), True
            return
        problems = self.router.rules(engine.rules).problems
        self._desk.note_fault("route rules", " ".join(problems) or None)
        self._tell()
        if self.router.model is not before and self.on_learned is not None:
            self.on_learned()

    async def _take_up_kept(self, asked: str) -> None:
        now = self._wall_seconds()
        since = now - self._desk.settings.route.cache_hours * 3600.0

        def read(library: Library) -> tuple[Any, str, float]:
            kept, damage = library.routes.cached(asked, since, now + 60.0)
            return kept, damage, library.routes.spent(month_start(now))

        kept, damage, spent = await self._desk.in_store(read)
        self.router.kept = {one.text: one for one in kept}
        self.asker.take_up(spent)
        self._desk.note_fault(DAMAGE, damage or None)

    def _asked(self) -> str:
        """What the LLM's answers depend on, in one word: rules, model and prompt."""
        llm = self._desk.settings.llm
        rules = [
            (r.id, r.label, r.pattern, r.unless, r.confidence, r.enabled) for r in self._desk.engine.rules.of_routes
        ]
        return sha256(
            repr((rules, llm.model, llm.mode, ROUTES.one_token_prefix)).encode("utf-8", "replace")
        ).hexdigest()

    async def ready(self) -> None:
        """Wait until what is taught has been learned, or cannot be."""
        self.look()
        while self._catching_up is not None and not self._catching_up.done():
            await asyncio.wait({self._catching_up})

    # ---- routing

    async def route(self, text: str, settings: Settings | None = None) -> RouteDecision:
        """The decision, with all that may be asked for it; always one. KnownError where routing is switched off."""
        settings = settings or self._desk.settings
        if not settings.route.enabled:
            raise KnownError(SWITCHED_OFF)
        query = Query.of(text)
        if query.is_empty:
            return NOTHING_ASKED
        evidence = await self._without_llm(query.scored, settings)
        if self.router.is_settled(evidence, settings):
            return self.router.decision(evidence, settings)
        why = self.asker.hindrance(settings, typing=False, is_foreign=self.router.is_foreign)
        heard = LlmHeard(LlmOutcome.OFF, sentence=why) if why else await self.asker.ask(query.scored, settings)
        decision = self.router.decision(replace(evidence, llm=heard), settings)
        self.heard(query.scored, heard, decision)
        return decision

    async def foresee(self, texts: Sequence[str]) -> None:
        """Have the vectors of queries made together that are about to be routed, of those that need one."""
        settings, rules = self._desk.settings, self._desk.engine.rules
        if settings.route.enabled and settings.route.examples:
            scored = {text: Query.of(text).scored for text in texts}
            await self._desk.foresee(
                [
                    text
                    for text, asked in scored.items()
                    if not self.router.is_settled(self.router.floor(asked, rules, settings), settings)
                ]
            )

    def rule_intent(self, text: str) -> str:
        """What the rules alone say of a query today; "" where none matches."""
        return self.router.rules(self._desk.engine.rules).find(Query.of(text).scored).intent

    async def ask_llm(self, text: str) -> LlmHeard:
        """What the LLM alone says of a query, asked within all its budgets; OFF with a sentence where it may not be."""
        settings = self._desk.settings
        why = self.asker.hindrance(settings, typing=False, is_foreign=self.router.is_foreign)
        return LlmHeard(LlmOutcome.OFF, sentence=why) if why else await self.asker.ask(Query.of(text).scored, settings)

    async def _without_llm(self, text: str, settings: Settings) -> Evidence:
        engine, router = self._desk.engine, self.router
        evidence = router.floor(text, engine.rules, settings)
        if router.is_settled(evidence, settings):
            return replace(evidence, vote=None)
        vector = engine.vectors.get(text)
        if vector is None and settings.route.examples:
            try:
                made = await self._desk.encoded([text])
            except EncoderError:
                made = None
            vector = None if made is None else made[0]
        return router.with_vote(evidence, text, vector, engine.encoder, settings)

    def heard(self, text: str, heard: LlmHeard, decision: RouteDecision) -> None:
        """Keep what the LLM said, if that decided; on disk only where texts may be kept."""
        if decision.method != RouteMethod.LLM_FALLBACK:
            return
        kept = self.router.keep(text, heard, self._digest)
        while len(self.router.kept) > MOST_KEPT:
            del self.router.kept[next(iter(self.router.kept))]
        if kept is not None and self._desk.settings.history.privacy == "full":
            self._unkept.append(kept)
            self._begin_writing()

    # ---- the log

    def note(self, text: str, decision: RouteDecision, source: str = "window") -> None:
        """Put a decision into the log, as the history's privacy allows. Returns at once."""
        if self._desk.settings.history.privacy == "off" or not decision.is_final or not text.strip():
            return
        self._unwritten.append(logged(text, decision, source, self._wall_seconds()))
        self._begin_writing()

    def note_inspected(self, inspection: Inspection, source: str = "window") -> None:
        """The same for the route of an inspected query, if it has one.

        What is on screen is inspected anew whenever something changes; decided as before it is no other decision.
        """
        route = inspection.route
        if route is None or not route.is_final:
            return
        noted = (inspection.query.text, route.intent, route.method, route.confidence)
        if noted != self._noted:
            self._noted = noted
            self.note(inspection.query.text, route, source)

    def note_rested(self, inspection: Inspection) -> None:
        """A settled answer in the window: its route goes into the log if no key comes for a while. Returns at once."""
        self.stirred()
        left = max(0.0, REST_SECONDS - self._desk.calm.quiet_seconds)
        self._resting = inspection
        self._timer = asyncio.get_running_loop().call_later(left, self._rested)

    def stirred(self) -> None:
        """A key came in the window: what was resting has not rested. Returns at once."""
        self._resting = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rested(self) -> None:
        resting = self._resting
        self.stirred()
        if resting is not None:
            self.note_inspected(resting)

    def _begin_writing(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = self._desk.in_background(self._write())

    async def _write(self) -> None:
        while self._unwritten or self._unkept:
            lines, self._unwritten = self._unwritten, []
            answers, self._unkept = self._unkept, []
            hashed = self._desk.settings.history.privacy == "hashed"
            await self._in_store(partial(_write, lines=lines, answers=answers, hashed=hashed))
        self._tell()

    async def _in_store(self, call: Callable[[Library], Any]) -> None:
        """What is only looked at later: a store that fails is told, and is no reason to stop."""
        try:
            await self._desk.in_store(call)
        except StoreError as error:
            self._desk.note_fault(FAULT, str(error))
        else:
            self._desk.note_fault(FAULT, None)

    async def decisions(self, wanted: RouteFilter = EVERYTHING) -> list[LoggedRoute]:
        """The newest decisions that fit, newest first; StoreError."""
        await self.flushed()
        return await self._desk.in_store(lambda library: library.routes.find(wanted))

    async def metrics(self, wanted: RouteFilter = EVERYTHING) -> RoutingMetrics:
        """What the decisions that fit come to, beside 001's targets; StoreError."""
        await self.flushed()
        # On the store's thread: a hundred thousand decisions would keep a query waiting.
        return await self._desk.in_store(lambda library: metrics_of(library.routes.find(wanted)))

    async def audit(self, seed: int = 0, most: int = AUDITED) -> Audit:
        """A sample of the log: what rules, LLM and cases say of each query (001: weekly, of 100); StoreError."""
        return audit_of(sampled(await self.decisions(EVERYTHING), most, seed))

    async def clear_cache(self) -> int:
        """Forget the LLM's answers; how many there were; StoreError."""
        self.router.kept = {}
        await self.flushed()
        gone = await self._desk.in_store(lambda library: library.routes.forget_cached())
        self._tell()
        return gone

    async def prune(self) -> None:
        """Forget decisions that have had their time, as long as queries are kept; StoreError."""
        before = self._wall_seconds() - self._desk.settings.history.days * 86_400.0
        # What the month has cost must be known for as long as it counts.
        before = min(before, month_start(self._wall_seconds()))
        await self._desk.in_store(lambda library: library.routes.prune(before))

    async def clear_log(self) -> int:
        """Forget all decisions; how many; StoreError. What this month has cost stays, without its texts."""
        await self.flushed()
        month = month_start(self._wall_seconds())
        gone = await self._desk.in_store(partial(_clear, month=month))
        self._tell()
        return gone

    def state(self) -> RoutingState:
        """What routing rests on now."""
        settings, model = self._desk.settings, self.router.model
        examples = [example for example in self.lessons.examples if example.labels]
        return RoutingState(
            trained=None if model is None else model.trained,
            missing=self.router.missing,
            examples=len(examples),
            shipped=sum(example.is_shipped for example in examples),
            labels=tuple(sorted({label for example in examples for label in example.labels})),
            circuit=self.asker.circuit(settings),
            spent=self.asker.spent,
            budget=settings.route.monthly_budget,
            kept=len(self.router.kept),
            has_llm=self.asker.is_set_up(settings),
        )

    async def let_teach(self, texts: Sequence[str], *, on: bool) -> None:
        """Let the cases of these texts teach the router, or only be there to be evaluated; StoreError."""
        await self._desk.in_store(lambda library: library.routes.let_teach(texts, on=on))
        self.library_changed()

    async def flushed(self) -> None:
        """Wait until every decision that was noted is in the log."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait({self._writing})

    async def close(self) -> None:
        """Write what was noted or rests, and stop learning."""
        self._rested()
        await self.flushed()
        if self._catching_up is not None:
            self._catching_up.cancel()
            await asyncio.gather(self._catching_up, return_exceptions=True)
        self.lessons.close()

    def _tell(self) -> None:
        if self.on_change is not None:
            self.on_change()


def _write(library: Library, lines: Sequence[LoggedRoute], answers: Sequence[CachedRoute], *, hashed: bool) -> None:
    library.routes.note(lines, hashed=hashed)
    for kept in answers:
        library.routes.keep(kept, MOST_KEPT)


def _clear(library: Library, month: float) -> int:
    whole = library.routes.count()
    spent = [one for one in library.routes.find(replace(EVERYTHING, since=month)) if one.cost]
    library.routes.prune(math.inf)
    # The budget counts them until the month is over.
    library.routes.note([replace(one, text="", labels=()) for one in spent], hashed=True)
    return whole - len(spent)


def logged(text: str, decision: RouteDecision, source: str, at: float) -> LoggedRoute:
    """A decision as a line of the log."""
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
    )
