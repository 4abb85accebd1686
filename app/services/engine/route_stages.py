"""Stages of routing: rules, cache, votes, LLM answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules
from app.detect.route import (
    CacheResult,
    Evidence,
    LlmResult,
    RoutePolicy,
    RouteRules,
    RulesResult,
    VoteResult,
    decide,
    is_foreign,
    is_settled,
)
from app.domain.case import TaughtExample
from app.domain.inspection import RouteDecision
from app.domain.intent import Rule
from app.domain.llm import LlmOutcome, Option
from app.domain.route import CachedRoute, CacheLookup, RouteIntent, Routes
from app.scoring.text import QueryVector, without_punctuation
from app.services.engine.route_llm import RouteLlm
from app.services.engine.type_voter import LEARNING, NO_ENCODER, ExampleVoter
from app.settings.model import Settings

AHEAD_SECONDS = 60.0
"""Tolerance of cache times in the future, in seconds; later ones are ignored."""

ABOUT_ROUTE = 120
"""Maximum characters of a route's description in the LLM's prompt."""


class Router(ExampleVoter):
    """Stages of routing, and the voter on the route of a query.

    `labels` are the routes of the library's cases; if all are custom routes, rules for other routes are not applied.
    """

    def __init__(self, now_ms: Callable[[], float], wall_seconds: Callable[[], float]) -> None:
        super().__init__()
        self.now_ms = now_ms
        self.wall_seconds = wall_seconds
        self.labels: frozenset[str] = frozenset()
        self.kept: dict[str, CachedRoute] = {}
        """Cached LLM answers by normalised query."""
        self.digest = ""
        """Digest of rules, model and prompt, which the cached answers depend on."""
        self._rules = RouteRules(())
        self._made_of: tuple[Sequence[Rule], frozenset[str], Routes] | None = None

    def set_examples(self, examples: tuple[TaughtExample, ...]) -> None:
        """Set the training examples, whose labels show if the routes are custom ones."""
        self.labels = frozenset(label for example in examples if not example.is_shipped for label in example.labels)

    def is_foreign(self, settings: Settings) -> bool:
        """Check if all routes of the cases are custom ones, and none of 001's."""
        return is_foreign(self.labels, settings.all_routes)

    def knows(self, label: str, settings: Settings) -> bool:
        """Check if a query may take a route: it is enabled, and built in or a label of a case.

        Custom labels replace the built-in routes.
        """
        routes = settings.all_routes
        is_there = routes.find(label) is not None and not self.is_foreign(settings)
        return not routes.is_off(label) and (is_there or label in self.labels)

    def rules(self, rules: KeywordRules, settings: Settings) -> RouteRules:
        """Return the route rules, recompiled only if rules, labels or routes have changed."""
        wanted = (rules.of_routes, self.labels, settings.all_routes)
        if self._made_of is None or self._made_of[0] is not wanted[0] or self._made_of[1:] != wanted[1:]:
            labels = self.labels if self.is_foreign(settings) else None
            self._rules = RouteRules(rules.of_routes, labels, settings.all_routes)
            self._made_of = wanted
        return self._rules

    # ---- evidence

    def floor(self, text: str, rules: KeywordRules, settings: Settings) -> Evidence:
        """Collect the evidence of rules and cache."""
        begun = self.now_ms()
        looked = RulesResult(are_off=True)
        if settings.route.rules:
            found = self.rules(rules, settings).find(text)
            looked = RulesResult(found, self.now_ms() - begun)
        evidence = Evidence(looked, vote=VoteResult(missing="The query’s vector is being made.", is_coming=True))
        if is_settled(evidence, policy(settings)) or not settings.route.use_llm:
            return evidence
        return replace(evidence, cache=self._read_cache(text, settings))

    def key_of(self, text: str) -> str:
        """Return the normalised query as cache key; "" if nothing is left of it."""
        return without_punctuation(text)

    def _read_cache(self, text: str, settings: Settings) -> CacheResult:
        begun = self.now_ms()
        if not settings.route.cache_hours:
            return CacheResult(missing="No answers of the LLM are kept (route.cache_hours).")
        kept = self.kept.get(self.key_of(text))
        age = 0.0 if kept is None else self.wall_seconds() - kept.at
        if kept is not None and not -AHEAD_SECONDS <= age < settings.route.cache_hours * 3600.0:
            # Too old, or from the future: never used.
            del self.kept[kept.text]
            kept = None
        took = self.now_ms() - begun
        if kept is None:
            return CacheResult(ms=took, looks=(CacheLookup.TABLE_MISS,))
        return CacheResult(kept.answer, max(0.0, age), ms=took, looks=(CacheLookup.TABLE_HIT,))

    def with_vote(
        self,
        evidence: Evidence,
        text: str,
        vectors: QueryVector | None,
        encoder: object,
        settings: Settings,
        *,
        left_out: bool = False,
        absent: str = NO_ENCODER,
    ) -> Evidence:
        """Add the examples' vote on these vectors; `absent` is why they are missing."""
        if not self.wants_vote(evidence, settings):
            return replace(evidence, vote=None)
        if vectors is None or encoder is None:
            return replace(evidence, vote=VoteResult(missing=absent))
        if self.model is None or self.encoder is not encoder:
            return replace(evidence, vote=VoteResult(missing=self.missing or LEARNING))
        begun = self.now_ms()
        vote = self.model.vote(text, vectors.scored, vectors.learned, left_out=left_out)
        return replace(evidence, vote=VoteResult(vote, ms=self.now_ms() - begun))

    # ---- decision

    def decision(self, evidence: Evidence, settings: Settings) -> RouteDecision:
        return decide(evidence, policy(settings))

    def llm_options(self, evidence: Evidence, settings: Settings) -> tuple[Option, ...]:
        """Return the options for the LLM; none if it is asked for one of the five routes.

        All enabled routes, or with `llm.choose_routes` the best labels of the cases.
        """
        routes = settings.all_routes
        if not settings.llm.choose_routes:
            return () if routes.are_known_to_llms else self._options([row.name for row in routes.on], routes)
        vote = None if evidence.vote is None else evidence.vote.vote
        ranked = [label for label, _ in vote.shares] if vote is not None else sorted(self.labels)
        own = self.labels if self.is_foreign(settings) else ranked
        return self._options([label for label in ranked if label in own][: settings.llm.choose_most], routes)

    def _options(self, labels: Sequence[str], routes: Routes) -> tuple[Option, ...]:
        known = [label for label in labels if not routes.is_off(label)]
        about = {row.name: row.about for row in routes.rows}
        return tuple(Option(label, about.get(label, ""), ABOUT_ROUTE) for label in known) if len(known) > 1 else ()

    def is_without_choice(self, evidence: Evidence, settings: Settings) -> bool:
        """Check if there is nothing to ask the LLM."""
        are_five = settings.all_routes.are_known_to_llms and not self.is_foreign(settings)
        return not are_five and not self.llm_options(evidence, settings)

    def is_settled(self, evidence: Evidence, settings: Settings) -> bool:
        return is_settled(evidence, policy(settings))

    def wants_vote(self, evidence: Evidence, settings: Settings) -> bool:
        """Check if the examples vote: nothing else decides, or a rule that they may overrule."""
        chosen = settings.route
        by_rule = evidence.cache is None or evidence.cache.answer is None
        return chosen.examples and ((chosen.overrule and by_rule) or not is_settled(evidence, policy(settings)))

    def keep(self, text: str, result: LlmResult) -> CachedRoute | None:
        """Cache the LLM's answer for this query; None without an answer or a key."""
        key = self.key_of(text)
        if result.answer is None or not key:
            return None
        kept = CachedRoute(key, self.digest, replace(result.answer, prompt="", reply=""), self.wall_seconds())
        self.kept[key] = kept
        return kept


def policy(settings: Settings) -> RoutePolicy:
    """Return the minimum confidence of each stage under these settings."""
    chosen = settings.route
    least = settings.search_intent.min_confidence
    return RoutePolicy(
        chosen.threshold, chosen.abstain or None, least, settings.all_routes, chosen.overrule and chosen.examples
    )


NOTHING_ASKED = RouteDecision(RouteIntent.VECTOR.value, ("qdrant",), 0.0, "degraded", 0.0, "Nothing was asked.")
"""Decision on an empty query."""


OnAnswer = Callable[[str, LlmResult, RouteDecision], None]


@dataclass(frozen=True, slots=True)
class RouteCore:
    """Routing parts of an engine; `on_answer` is called with the LLM's answer and the decision."""

    router: Router
    route_llm: RouteLlm | None
    on_answer: OnAnswer
    look_up: Callable[[str, CacheResult], Awaitable[CacheResult]]
    """Looks up a cached answer in a shared cache, and returns the local one otherwise."""
    split: Callable[[str, Settings], tuple[Settings, str]] = lambda _, settings: (settings, "")
    """Returns the settings that decide a query, and the name of their rollout candidate, if any."""


class RouteRun:
    """Routing of one query. `decision` is the latest; `is_asking`: ask the LLM for a better one.

    `left_out` holds an example with the same text out of the vote.
    """

    def __init__(
        self, core: RouteCore, text: str, settings: Settings, pause_ms: float, *, typing: bool, left_out: bool = False
    ) -> None:
        self._core = core
        self._text = text
        self._settings, self._configuration = core.split(text, settings)
        self._pause_ms = pause_ms
        self._typing = typing
        self._left_out = left_out
        self._floor: Evidence | None = None
        self._evidence = Evidence()
        self._llm_result: LlmResult | None = None
        self.decision = NOTHING_ASKED

    @property
    def is_asking(self) -> bool:
        result = self._evidence.llm
        return result is not None and result.outcome is LlmOutcome.ASKING

    @property
    def llm_options(self) -> tuple[Option, ...]:
        """Options for the LLM; none if it is asked for one of the five routes."""
        return self._core.router.llm_options(self._evidence, self._settings)

    def decide(
        self, rules: KeywordRules, vectors: QueryVector | None, encoder: object, *, is_coming: bool, absent: str
    ) -> None:
        """Decide with what is known; while vectors are coming (`is_coming`) the vote is postponed.

        `absent` is the reason for missing vectors.
        """
        router, settings = self._core.router, self._settings
        if self._floor is None:
            self._floor = router.floor(self._text, rules, settings)
        evidence = self._floor
        if not is_coming:
            evidence = router.with_vote(
                evidence, self._text, vectors, encoder, settings, left_out=self._left_out, absent=absent
            )
            if not router.is_settled(evidence, settings):
                evidence = replace(evidence, llm=self._llm_result or self._result_before_asking(evidence))
        self._evidence = evidence
        self.decision = self._decided(evidence)

    def _decided(self, evidence: Evidence) -> RouteDecision:
        found = self._core.router.decision(evidence, self._settings)
        return replace(found, configuration=self._configuration) if self._configuration else found

    def _result_before_asking(self, evidence: Evidence) -> LlmResult:
        route_llm, router = self._core.route_llm, self._core.router
        is_foreign = router.is_without_choice(evidence, self._settings)
        why = (
            route_llm.hindrance(self._settings, typing=self._typing, is_foreign=is_foreign)
            if route_llm
            else "The LLM is not asked for this answer."
        )
        return LlmResult(LlmOutcome.OFF, sentence=why) if why else LlmResult(LlmOutcome.ASKING)

    async def look_up(self) -> bool:
        """Look for an answer in the shared cache; return True if it decides."""
        assert self._floor is not None, "it was decided before"
        here = self._floor.cache
        if here is None or (looked := await self._core.look_up(self._text, here)) is here:
            return False
        self._floor = replace(self._floor, cache=looked)
        return looked.answer is not None

    async def ask(self, *, has_paused: bool) -> str:
        """Ask the LLM within its budget, after the typing pause if not over; return the outcome.

        Cancelling the task cancels the request on the wire.
        """
        assert self._core.route_llm is not None, "an LLM is being asked"
        pause_ms = 0.0 if has_paused else self._pause_ms
        result = await self._core.route_llm.ask(self._text, self._settings, pause_ms, self.llm_options)
        self._llm_result = result
        self._core.on_answer(self._text, result, self._decided(replace(self._evidence, llm=result)))
        return result.outcome.value
