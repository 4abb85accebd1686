"""A search-intent type or a route that was expected: looked up, judged, and given changes to try."""

from __future__ import annotations

from app.domain.case import Case, Task
from app.domain.intent import IntentType, RulePurpose
from app.domain.resolution import RouteDecision
from app.domain.route import RouteIntent, route_label
from app.domain.why_not import LostAt, Note, Unknown
from app.scoring.examples.model import ExampleModel
from app.services.evaluation.ground import Ground
from app.services.routing.routes import gathered
from app.services.scope.why_not.drafts import Trial
from app.services.scope.why_not.question import FoundAnswer, WhyNotQuestion, nearest, never
from app.services.scope.why_not.routes import LostRoute, decided
from app.services.scope.why_not.routes import confidences as route_confidences
from app.services.scope.why_not.routes import drafts as route_drafts
from app.services.scope.why_not.routes import gaps as route_gaps
from app.services.scope.why_not.routes import rank as route_rank
from app.services.scope.why_not.routes import standing as route_standing
from app.services.scope.why_not.types import LostType, type_confidence, typed
from app.services.scope.why_not.types import drafts as type_drafts
from app.services.scope.why_not.types import gaps as type_gaps
from app.services.scope.why_not.types import standing as type_standing

MOST_LEARNED = 4_000
"""Of more examples the router is not taught anew to try one more: that takes long."""


async def of_type(asking: WhyNotQuestion, type_: IntentType) -> FoundAnswer:
    """Where a search-intent type was lost, without asking an LLM; StoreError, EncoderError."""
    ground, engine = asking.ground, asking.ground.core.engine
    rules = await ground.core.in_store(lambda library: library.rules())
    ground.check()
    asked = await ground.asked(asking.text)
    found = typed(engine.detector, asked.query, ground.settings)
    lost = LostType(asked.query, type_, found, rules, engine.detector, ground.settings, ground.under)
    winner, order = lost.spoken or lost.winner, [one.type for one in found.detection.ranking]
    asks = ground.settings.search_intent.use_llm and engine.lane.client is not None
    answer = asking.said(
        lost.stage,
        type_standing(lost),
        winner_name=winner.type.value if winner else None,
        gaps=type_gaps(lost),
        expected_confidence=type_confidence(lost, type_),
        winner_confidence=type_confidence(lost, winner.type) if winner else None,
        expected_rank=order.index(type_) + 1 if type_ in order else None,
        notes=(Note.LLM_MAY_DIFFER,) if asks else (),
    )
    return FoundAnswer(answer, type_drafts(lost) if lost.stage else (), lambda draft: lost.wins(draft.trial))


async def of_route(asking: WhyNotQuestion) -> FoundAnswer:
    """Where a route was lost, without asking an LLM; StoreError, EncoderError."""
    ground, core, settings = asking.ground, asking.ground.core, asking.ground.settings
    expected, engine, router = route_label(asking.expected.name), core.engine, ground.routing.router
    rules = await core.in_store(lambda library: library.rules())
    known = {*(intent.value for intent in RouteIntent), *ground.routing.state().labels}
    known |= {route_label(rule.label) for rule in rules if rule.purpose is RulePurpose.ROUTE}
    if expected not in known:
        like = nearest(expected, sorted(known))
        return FoundAnswer(asking.said(LostAt.NOT_TAUGHT, Unknown(), nearest=like), (), never)
    asked = await ground.asked(asking.text)

    def decide(trial: Trial) -> RouteDecision:
        own, compiled = trial.router or router, trial.rules or engine.rules
        return decided(own, asked.query, compiled, engine.encoder, trial.settings)

    lost = LostRoute(
        text=asking.text.strip(),
        expected=expected,
        decision=decide(Trial(settings)),
        found=router.rules(engine.rules).find(asked.query.text),
        rules=rules,
        compiled=engine.rules,
        router=router,
        settings=settings,
        under=ground.under,
        decide=decide,
        has_llm=ground.routing.state().has_llm and not router.is_foreign,
    )
    return await _routed(asking, lost)


async def _routed(asking: WhyNotQuestion, lost: LostRoute) -> FoundAnswer:
    own, other = route_confidences(lost)
    answer = asking.said(
        lost.stage,
        route_standing(lost),
        winner_name=lost.beside,
        gaps=route_gaps(lost),
        expected_confidence=own,
        winner_confidence=other,
        expected_rank=route_rank(lost),
        notes=(Note.LLM_MAY_DIFFER,) if lost.asks_llm else (),
    )
    if lost.stage is None:
        return FoundAnswer(answer, (), never)
    case = next((one for one in asking.ground.cases[Task.ROUTE] if one.text == lost.text), None)
    case = Case(lost.text, (lost.expected,), Task.ROUTE, case.key if case else None, case.version if case else 0)
    taught = await _learned(asking.ground, case)
    asking.ground.check()
    return FoundAnswer(answer, route_drafts(lost, taught, case), lambda draft: lost.wins(draft.trial))


async def _learned(ground: Ground, case: Case) -> ExampleModel | None:
    """What the router would know with one case more; None without an encoder, or where there is too much to learn."""
    core = ground.core
    encoder, others = core.engine.encoder, [one for one in ground.cases[Task.ROUTE] if one.text != case.text]
    if encoder is None or not core.settings.route.examples:
        return None
    quiet = await core.in_store(lambda library: library.routes.untaught([one.text for one in others]))
    shipped = [one for one in ground.routing.lessons.shipped() if one.is_shipped]
    examples = gathered((*others, case), quiet, shipped)
    if len(examples) > MOST_LEARNED:
        return None
    vectors = await ground.routing.lessons.vectors(examples, encoder)
    return await ground.routing.lessons.fit(examples, *vectors)
