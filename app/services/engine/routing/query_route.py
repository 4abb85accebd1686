"""Routing of one query: decided again with each new piece of evidence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules
from app.detect.route import CacheResult, Evidence, LlmResult
from app.domain.llm import LlmOutcome, Option
from app.domain.scope.resolution import RouteDecision
from app.services.engine.embedding import QueryVector
from app.services.engine.routing.route_llm import RouteLlmLane
from app.services.engine.routing.route_stages import NOTHING_ASKED, Router
from app.settings.model import Settings

NOT_HERE = "The LLM is not asked for this answer."

Heard = Callable[[str, LlmResult, RouteDecision], None]


def undivided(text: str, settings: Settings) -> tuple[Settings, str]:
    """Null split: all queries use the settings in force."""
    return settings, ""


@dataclass(frozen=True, slots=True)
class RouteCore:
    """Routing parts of an engine; `heard` is called with the LLM's answer and the decision."""

    router: Router
    asker: RouteLlmLane | None
    heard: Heard
    look: Callable[[str, CacheResult], Awaitable[CacheResult]]
    """Looks up a cached answer in a shared cache, and returns the local one otherwise."""
    split: Callable[[str, Settings], tuple[Settings, str]] = undivided
    """Returns the settings that decide a query, and the name of their rollout candidate, if any."""


class RouteTrip:
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
        self._heard: LlmResult | None = None
        self.decision = NOTHING_ASKED

    @property
    def is_asking(self) -> bool:
        heard = self._evidence.llm
        return heard is not None and heard.outcome is LlmOutcome.ASKING

    @property
    def among(self) -> tuple[Option, ...]:
        """Options for the LLM; none if it is asked for one of the five routes."""
        return self._core.router.among(self._evidence, self._settings)

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
                evidence = replace(evidence, llm=self._heard or self._to_hear(evidence))
        self._evidence = evidence
        self.decision = self._decided(evidence)

    def _decided(self, evidence: Evidence) -> RouteDecision:
        found = self._core.router.decision(evidence, self._settings)
        return replace(found, configuration=self._configuration) if self._configuration else found

    def _to_hear(self, evidence: Evidence) -> LlmResult:
        asker, router = self._core.asker, self._core.router
        is_foreign = router.is_without_choice(evidence, self._settings)
        why = asker.hindrance(self._settings, typing=self._typing, is_foreign=is_foreign) if asker else NOT_HERE
        return LlmResult(LlmOutcome.OFF, sentence=why) if why else LlmResult(LlmOutcome.ASKING)

    async def look(self) -> bool:
        """Look for an answer in the shared cache; return True if it decides."""
        assert self._floor is not None, "it was decided before"
        here = self._floor.cache
        if here is None or (looked := await self._core.look(self._text, here)) is here:
            return False
        self._floor = replace(self._floor, cache=looked)
        return looked.answer is not None

    async def ask(self, *, has_paused: bool) -> str:
        """Ask the LLM within its budget, after the typing pause if not over; return the outcome.

        Cancelling the task cancels the request on the wire.
        """
        assert self._core.asker is not None, "only an asker can be waited for"
        pause_ms = 0.0 if has_paused else self._pause_ms
        heard = await self._core.asker.ask(self._text, self._settings, pause_ms, self.among)
        self._heard = heard
        self._core.heard(self._text, heard, self._decided(replace(self._evidence, llm=heard)))
        return heard.outcome.value
