"""Routing service: route queries, teach by examples, audit the log, clear the cache (S6)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from app.detect.prompts import ONE_TOKEN_PREFIX
from app.detect.route import Evidence, LlmResult, is_foreign
from app.domain.case import NO_MATCH_WORDS, Case, Task, TaughtExample
from app.domain.errors import DataStoreError, EncoderError, KnownError, StoreError
from app.domain.inspection import RouteDecision
from app.domain.llm import LlmOutcome
from app.domain.match import Query
from app.domain.route import DOCUMENTED, CircuitState, LoggedRoute, RouteMethod, Routes, route_label
from app.evaluation.routing import Audit, audit_of, sampled
from app.ports.store import Library
from app.scoring.example_model import Trained, example_key
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.route_llm import RouteLlm, month_start
from app.services.engine.route_stages import NOTHING_ASKED, RouteCore, Router
from app.services.events import Event
from app.services.example_trainer import ExampleService, ExampleTrainer, TrainingSpec
from app.services.library.journal import WINDOW, Journal
from app.services.routing.guarded_server import SharedCache
from app.services.routing.log import MOST_KEPT, RouteLog
from app.services.routing.rollout import Rollout, RolloutState
from app.settings.model import Settings

AUDITED = 100
"""Sample size of an audit (001: weekly)."""

SWITCHED_OFF = "Routing is switched off (route.enabled)."


@dataclass(frozen=True, slots=True)
class RoutingState:
    """State of routing: trained model (or why it is `missing`), circuit, budget, cached answers."""

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
    """True if an LLM is configured for routing."""
    rollout: RolloutState = field(default_factory=RolloutState)


class Routing(ExampleService):
    """The router of one profile: `workbench.routing`. All methods run on the asyncio thread."""

    def __init__(self, core: Core, journal: Journal, adapters: Adapters, store: Any, encode: Callable[[], Any]) -> None:
        self.changed = Event[RoutingState]()
        """Notified when a model was trained, a decision logged or a cache cleared."""
        self.router = Router(adapters.now_ms, adapters.wall_seconds)
        self.route_llm = RouteLlm(lambda: core.engine.llm.client, adapters.now_ms, adapters.wall_seconds)
        kept = adapters.stored_models.get(Task.ROUTE, ())
        training = replace(ROUTE_TRAINING, select=self.route_examples)
        trainer = ExampleTrainer(core, self.router, training, adapters.route_examples, kept, store=store, encode=encode)
        super().__init__(core, journal, trainer)
        self.log = RouteLog(core, adapters.wall_seconds, self._notify)
        self.rollout = Rollout(core, self.log, adapters.wall_seconds)
        self.rollout.changed.subscribe(lambda _: self._notify())
        self._wall_seconds = adapters.wall_seconds
        self.shared = SharedCache(core, adapters, self.router)
        core.engine.routes = RouteCore(
            self.router, self.route_llm, self.cache_llm_answer, self.shared.shared_answer, self.rollout.split
        )

    # ---- following the library, the encoder and the settings

    def follow_changes(self) -> None:
        self.shared.begin()
        self.rollout.follow_changes()
        super().follow_changes()
        client = self._core.engine.llm.client
        if client is not None and client.state.is_ready and self.route_llm.warmed is not client:
            self._core.in_background(self.route_llm.warm(self._core.settings))

    @property
    def _is_behind(self) -> bool:
        return super()._is_behind or self.router.digest != self._cache_key()

    async def _train(self) -> None:
        if self.router.digest != (asked := self._cache_key()):
            self.router.digest = asked
            await self._load_cache(asked)
        await super()._train()

    def _on_trained(self) -> None:
        problems = self.router.rules(self._core.engine.rules, self._core.settings).problems
        self._core.note_fault("route rules", " ".join(problems) or None)
        self._notify()

    def route_examples(
        self, cases: Iterable[Case], excluded: set[str], shipped: Iterable[TaughtExample]
    ) -> tuple[TaughtExample, ...]:
        return route_examples(cases, excluded, shipped, self._core.settings.all_routes)

    async def _load_cache(self, asked: str) -> None:
        now = self._wall_seconds()
        since = now - self._core.settings.route.cache_hours * 3600.0

        def read(library: Library) -> tuple[Any, str, float]:
            kept, damage = library.routes.find_answers(asked, since, now + 60.0)
            return kept, damage, library.routes.cost_since(month_start(now))

        kept, damage, spent = await self._core.in_store(read)
        self.router.kept = {one.text: one for one in kept}
        self.route_llm.set_spent(spent)
        self._core.note_fault("route cache", damage or None)

    def _cache_key(self) -> str:
        """Return the cache key of everything that LLM answers depend on: rules, model and prompt."""
        llm = self._core.settings.llm
        rules = [
            (r.id, r.label, r.pattern, r.unless, r.confidence, r.enabled) for r in self._core.engine.rules.of_routes
        ]
        routes = self._core.settings.all_routes
        among = (llm.choose_routes and sorted(self.router.labels), [(row.name, row.about) for row in routes.on])
        asked = repr((rules, llm.model, llm.mode, ONE_TOKEN_PREFIX, *among))
        return sha256(asked.encode("utf-8", "replace")).hexdigest()

    async def ready(self) -> None:
        """Wait until training, the shared cache and the rollout are ready, or have failed."""
        await super().ready()
        await self.shared.ready()
        await self.rollout.ready()

    # ---- routing

    async def route(self, text: str, settings: Settings | None = None) -> RouteDecision:
        """Route a query; always returns a decision. Raises KnownError if routing is switched off."""
        settings = settings or self._core.settings
        if not settings.route.enabled:
            raise KnownError(SWITCHED_OFF)
        query = Query.of(text)
        if query.is_empty:
            return NOTHING_ASKED
        settings, configuration = self.rollout.split(query.scored, settings)
        decision = await self._routed(query, settings)
        return replace(decision, configuration=configuration) if configuration else decision

    async def _routed(self, query: Query, settings: Settings) -> RouteDecision:
        evidence = await self._without_llm(query.scored, settings)
        if self.router.is_settled(evidence, settings):
            return self.router.decision(evidence, settings)
        result = await self.ask_llm(query.scored, settings, evidence)
        decision = self.router.decision(replace(evidence, llm=result), settings)
        self.cache_llm_answer(query.scored, result, decision)
        return decision

    async def prefetch(self, texts: Sequence[str]) -> None:
        """Encode these queries in one batch before they are routed, as far as they need vectors."""
        settings, rules = self._core.settings, self._core.engine.rules
        if settings.route.enabled and settings.route.examples:
            scored = {text: Query.of(text).scored for text in texts}
            await self._core.prefetch(
                [
                    text
                    for text, asked in scored.items()
                    if self.router.wants_vote(self.router.floor(asked, rules, settings), settings)
                ]
            )

    def rule_intent(self, text: str) -> str:
        """Return the intent by rules alone; "" if no rule matches."""
        return self.router.rules(self._core.engine.rules, self._core.settings).find(Query.of(text).scored).intent

    async def ask_llm(self, text: str, settings: Settings | None = None, evidence: Evidence | None = None) -> LlmResult:
        """Ask the LLM for a route, within all budgets; OFF with the reason if it may not be used."""
        settings, evidence = settings or self._core.settings, evidence or Evidence()
        is_foreign = self.router.is_without_choice(evidence, settings)
        if why := self.route_llm.hindrance(settings, typing=False, is_foreign=is_foreign):
            return LlmResult(LlmOutcome.OFF, sentence=why)
        return await self.route_llm.ask(text, settings, among=self.router.llm_options(evidence, settings))

    async def _without_llm(self, text: str, settings: Settings) -> Evidence:
        engine, router = self._core.engine, self.router
        evidence = router.floor(text, engine.rules, settings)
        if evidence.cache is not None:
            evidence = replace(evidence, cache=await self.shared.shared_answer(text, evidence.cache))
        if not router.wants_vote(evidence, settings):
            return replace(evidence, vote=None)
        vectors = engine.vectors.both(text)
        if vectors is None and settings.route.examples:
            try:
                made = await self._core.query_vectors([text])
            except EncoderError:
                made = None
            vectors = made[0] if made else None
        return router.with_vote(evidence, text, vectors, engine.encoder, settings)

    def cache_llm_answer(self, text: str, result: LlmResult, decision: RouteDecision) -> None:
        """Cache the LLM's answer if it decided; on disk only if texts may be stored."""
        if decision.method != RouteMethod.LLM_FALLBACK:
            return
        kept = self.router.keep(text, result)
        while len(self.router.kept) > MOST_KEPT:
            del self.router.kept[next(iter(self.router.kept))]
        if kept is not None:
            self.log.keep(kept)
            self.shared.keep(kept)

    # ---- caches, state and teaching

    async def forget(self, texts: Sequence[str] | None) -> None:
        """Delete the cached LLM answers on these queries, or on all, outside the library.

        Answers on an unreachable shared server expire there.
        """
        keys = None
        if texts is not None:
            keys = await asyncio.to_thread(lambda: [self.router.key_of(Query.of(text).scored) for text in texts])
        for key in list(self.router.kept) if keys is None else keys:
            self.router.kept.pop(key, None)
        with suppress(DataStoreError, StoreError):
            await self.shared.clear(keys)

    async def clear_cache(self) -> int:
        """Clear the cached LLM answers; return their number. Raises StoreError."""
        self.router.kept = {}
        await self.log.flushed()
        await self.shared.clear()
        gone = await self._core.in_store(lambda library: library.routes.clear_answers())
        self._notify()
        return gone

    def state(self) -> RoutingState:
        settings, model = self._core.settings, self.router.model
        examples = [example for example in self.trainer.examples if example.labels]
        return RoutingState(
            trained=None if model is None else model.trained,
            missing=self.router.missing,
            examples=len(examples),
            shipped=sum(example.is_shipped for example in examples),
            labels=tuple(sorted({label for example in examples for label in example.labels})),
            circuit=self.route_llm.circuit(settings),
            spent=self.route_llm.spent,
            budget=settings.route.monthly_budget,
            kept=len(self.router.kept),
            has_llm=self.route_llm.is_set_up(settings),
            rollout=self.rollout.state,
        )

    @property
    def known(self) -> list[str]:
        """Every route that a case may expect: configured routes and those that examples name."""
        named = {label for example in self.trainer.examples for label in example.labels}
        return sorted({row.name for row in self._core.settings.all_routes.rows} | named)

    async def teach(self, text: str, label: str, *, source: str = WINDOW) -> bool:
        """Save a query as a case of exactly this route, in one step, and retrain on it.

        Returns whether the query had no case before. Raises StoreError.
        """
        label = self._core.settings.all_routes.named(label)
        is_new = await self._store_case(text, (label,), source)
        await self.let_teach([text], on=True)
        return is_new

    async def let_teach(self, texts: Sequence[str], *, on: bool) -> None:
        """Set whether the cases of these texts train the router or only evaluate it.

        Raises StoreError.
        """
        await self._core.in_store(lambda library: library.routes.set_teaching(texts, on=on))
        self.library_changed()

    async def close(self) -> None:
        """Write pending decisions and stop training."""
        await self.log.close()
        await self.rollout.close()
        await super().close()
        self.shared.release()

    def _notify(self) -> None:
        if self.changed.has_listeners:
            self.changed.notify(self.state())


# ---- Audit of the log, weekly by S6: rules, LLM and users on a sample of queries.


@dataclass(frozen=True, slots=True)
class AuditProgress:
    """Progress of an audit: counts, result so far, and why the LLM was not asked, if so.

    Each sampled decision has today's result of the rules and the LLM's answer, logged or new.
    """

    done: int
    whole: int
    audit: Audit
    silence: str = ""


async def audit_steps(routing: Routing, *, ask: bool) -> AsyncGenerator[AuditProgress, None]:
    """Audit a sample of the log one by one; `ask` fills in missing LLM answers.

    LLM answers count towards the budget; they end when it is used up. Raises StoreError.
    """
    sample = sampled([one for one in await routing.log.decisions() if one.text], AUDITED, 0)
    seen: list[LoggedRoute] = []
    silence = ""
    yield AuditProgress(0, len(sample), audit_of(seen))
    for one in sample:
        looked = replace(one, rule_intent=routing.rule_intent(one.text))
        if ask and not one.llm_intent:
            looked, silence = await _with_llm_answer(routing, looked)
        seen.append(looked)
        yield AuditProgress(len(seen), len(sample), audit_of(seen), silence)


async def _with_llm_answer(routing: Routing, one: LoggedRoute) -> tuple[LoggedRoute, str]:
    """Return a logged route with the LLM's answer, and the reason if there is none."""
    result = await routing.ask_llm(Query.of(one.text).scored)
    if result.answer is None:
        return one, result.sentence
    return replace(one, llm=result.outcome, llm_intent=result.answer.name), ""


# ---- Training examples of routes


def route_examples(
    cases: Iterable[Case], excluded: set[str], shipped: Iterable[TaughtExample], routes: Routes = DOCUMENTED
) -> tuple[TaughtExample, ...]:
    """Return the training examples of routes: cases, then shipped examples.

    Excluded cases are left out, and so are examples of disabled routes only. Cases without an expected route are
    out-of-scope examples. A shipped example is dropped if a case has the same text; if the cases name custom routes
    only, just the out-of-scope ones of the shipped examples are used.
    """
    taught: dict[str, TaughtExample] = {}
    for case in cases:
        if case.text not in excluded:
            taught[example_key(case.text)] = TaughtExample(case.text, _labels(case.expected))
    named = {label for example in taught.values() for label in example.labels}
    are_own = is_foreign(named, routes)
    for example in shipped:
        labels = _labels(example.labels)
        if not (labels and are_own):
            taught.setdefault(example_key(example.text), example.with_labels(labels))
    on = {text: tuple(label for label in one.labels if not routes.is_off(label)) for text, one in taught.items()}
    return tuple(one.with_labels(on[text]) for text, one in taught.items() if on[text] or not one.labels)


@lru_cache(1_024)
def _labels(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(route_label(name) for name in names if name not in NO_MATCH_WORDS))


ROUTE_TRAINING = TrainingSpec(Task.ROUTE, route_examples, by_subject=True)
"""Training of routes; a route depends on the subject of a query."""
