"""Evaluation of labelled routing queries as typed ones, without an LLM (S7.5, S8.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.domain.case import Case
from app.domain.route import RouteStage, StepOutcome, route_label
from app.domain.scope.resolution import RouteDecision
from app.evaluation.answers import LISTED, Answered, AnswerEvidence, RankedName, acceptable
from app.evaluation.evaluation import Evaluation
from app.evaluation.routing import RoutingMetrics, metrics_of
from app.services.core import Core
from app.services.engine.embedding import QueryVector
from app.services.engine.engine import Engine
from app.services.engine.route_stages import NOTHING_ASKED, Router
from app.services.routing.log import logged
from app.services.routing.routes import Routing
from app.settings.model import Settings

COMBINATION = "rules + examples"


@dataclass(frozen=True, slots=True)
class Flip:
    """Case with another decision under other settings; None: it has no label."""

    case: Case
    before: RouteDecision
    after: RouteDecision
    was_right: bool | None
    is_right: bool | None


def decisions_of(evaluation: Evaluation) -> list[RouteDecision]:
    """Return the decisions on the cases of an evaluation of routes."""
    return [one.decision for one in evaluation.answered if one.decision is not None]


def route_metrics(evaluation: Evaluation) -> RoutingMetrics:
    """Compute the metrics of an evaluation of routes, as those of a log."""
    pairs = zip(evaluation.answered, decisions_of(evaluation), strict=True)
    log = (replace(logged(one.case.text, made, "evaluate", 0.0), labels=one.case.expected) for one, made in pairs)
    return metrics_of(list(log))


def abstained(evaluation: Evaluation) -> int:
    """Count the cases in which the examples were unsure."""
    unsure = RouteStage.EXAMPLES, StepOutcome.UNSURE
    return sum(
        any((step.stage, step.outcome) == unsure for step in decision.steps) for decision in decisions_of(evaluation)
    )


def without_llm(settings: Settings) -> Settings:
    """Return the settings with the LLM of routing switched off."""
    return settings.model_copy(update={"route": settings.route.model_copy(update={"use_llm": False})})


def flips(cases: Iterable[Case], before: Sequence[RouteDecision], after: Sequence[RouteDecision]) -> list[Flip]:
    """Return the cases whose intent or method differs in the second decisions."""
    return [
        Flip(case, one, other, _is_right(case, one), _is_right(case, other))
        for case, one, other in zip(cases, before, after, strict=True)
        if (one.intent, one.method) != (other.intent, other.method)
    ]


def _is_right(case: Case, decision: RouteDecision) -> bool | None:
    return route_answer(case, decision).is_right if case.expected else None


async def untaught_router(bench: Core, routing: Routing) -> Router:
    """Return a router that is trained on shipped examples only."""
    router = Router(routing.router.clock, routing.router.wall_seconds)
    examples = routing.route_examples((), set(), [one for one in routing.trainer.shipped() if one.is_shipped])
    encoder = bench.engine.encoder
    both = await bench.encoded_both([example.text for example in examples])
    if both is not None and encoder is not None:
        router.model = await routing.trainer.fit(examples, *both, encoder)
        router.encoder = encoder
    return router


def decision_on(
    text: str, vectors: QueryVector | None, router: Router, engine: Engine, settings: Settings
) -> RouteDecision:
    """Route a query, which is left out of its own vote; without `vectors` no examples take part."""
    if not text.strip():
        return NOTHING_ASKED
    evidence = router.floor(text, engine.rules, settings)
    evidence = router.with_vote(evidence, text, vectors, engine.encoder, settings, left_out=True)
    return router.decision(evidence, settings)


def route_answer(case: Case, decision: RouteDecision) -> Answered:
    right = tuple(dict.fromkeys(route_label(name) for name in acceptable(case.expected)))
    ranked = [RankedName(decision.intent, decision.confidence)]
    for label, share in decision.shares:
        if label != decision.intent:
            ranked.append(RankedName(label, min(max(0.0, share), 1.0, ranked[-1].confidence)))
    rank = next((place for place, one in enumerate(ranked, 1) if one.name in right), None)
    evidence = AnswerEvidence(cues=(decision.method,))
    return Answered(case, right, tuple(ranked[:LISTED]), rank, rejected=False, account=evidence, decision=decision)
