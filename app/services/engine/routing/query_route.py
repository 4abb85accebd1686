"""Routing of one query in the engine: decided again with each new piece of evidence."""

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
    """What an engine routes with; `heard` is told what the LLM said and what that decided."""

    router: Router
    asker: RouteLlmLane | None
    heard: Heard
    look: Callable[[str, CacheResult], Awaitable[CacheResult]]
    """Looks for a kept answer where several programs keep theirs, and takes what is kept here else."""
    split: Callable[[str, Settings], tuple[Settings, str]] = undivided
    """By which settings a query is decided, and the candidate where it is by those."""


class RouteTrip:
    """One query under way. `decision` is the latest, `is_asking` says whether the LLM is to be asked for a better.
    `left_out`: a query that is taught has no part in its own vote."""

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
        """What the LLM is to choose among; none where it is asked for one of the five routes."""
        return self._core.router.among(self._evidence, self._settings)

    def decide(
        self, rules: KeywordRules, vectors: QueryVector | None, encoder: object, *, is_coming: bool, absent: str
    ) -> None:
        """Decide with what is known; while the vectors are coming (`is_coming`) the examples are waited for. `absent`
        says why there are none."""
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
        """Look for an answer where others may have kept it; whether that decides."""
        assert self._floor is not None, "it was decided before"
        here = self._floor.cache
        if here is None or (looked := await self._core.look(self._text, here)) is here:
            return False
        self._floor = replace(self._floor, cache=looked)
        return looked.answer is not None

    async def ask(self, *, has_paused: bool) -> str:
        """Ask the LLM within its budget, after the typing pause unless that is over; how that ended, in a word.
        Cancelling this ends the request on the wire."""
        assert self._core.asker is not None, "only an asker can be waited for"
        pause_ms = 0.0 if has_paused else self._pause_ms
        heard = await self._core.asker.ask(self._text, self._settings, pause_ms, self.among)
        self._heard = heard
        self._core.heard(self._text, heard, self._decided(replace(self._evidence, llm=heard)))
        return heard.outcome.value
