"""Explanation of an expected route that was not taken, and drafts of changes (S6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules
from app.detect.route import LlmResult, RulesFound, confidence_of
from app.domain.case import Case, Task
from app.domain.inspection import RouteDecision
from app.domain.intent import Rule, RulePurpose
from app.domain.llm import LlmOutcome
from app.domain.route import RouteMethod, RouteStage, RouteStep, StepOutcome, route_label
from app.domain.why_not import LostAt, Note, StoreRules, TeachRoute, WhyNot
from app.scoring.example_model import ExampleModel
from app.scoring.text import ScoredText
from app.services.engine.route_stages import Router
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot
from app.services.library.curate import nearest
from app.services.scope.why_not_question import (
    MOST_LEARNED,
    Draft,
    FoundAnswer,
    WhyNotQuestion,
    disabled_matching_rules,
    gaps,
    new_rules,
    round_down,
    round_up,
    settings_drafts,
)
from app.settings.model import Settings

NOT_ASKED = "The LLM is not asked here."

LEAST_ABSTAIN = 0.01
"""Minimum of a drafted `route.abstain`: 0 means the examples' own abstention."""

Decide = Callable[[Trial], RouteDecision]


def decided(
    router: Router,
    query: ScoredText,
    rules: KeywordRules,
    encoder: object,
    settings: Settings,
    *,
    left_out: bool = False,
) -> RouteDecision:
    """Decide with cached LLM answers only; `left_out` holds out examples of this text."""
    evidence = router.floor(query.text, rules, settings)
    evidence = router.with_vote(evidence, query.text, query.whole, encoder, settings, left_out=left_out)
    if not router.is_settled(evidence, settings):
        evidence = replace(evidence, llm=LlmResult(LlmOutcome.OFF, sentence=NOT_ASKED))
    return router.decision(evidence, settings)


def router_like(router: Router, model: ExampleModel | None = None) -> Router:
    """Return an independent router with the same examples, or with another model."""
    other = copy(router)
    other.model, other.kept = model or router.model, dict(router.kept)
    return other


@dataclass(frozen=True, slots=True)
class LostRoute:
    """A query with the expected route and the decision; `rules` are all stored rules."""

    text: str
    expected: str
    decision: RouteDecision
    found: RulesFound
    rules: Sequence[Rule]
    snapshot: TrialSnapshot
    decide: Decide
    has_llm: bool
    """True if an LLM may be asked, which only knows the routes of 001."""

    @property
    def settings(self) -> Settings:
        return self.snapshot.settings

    def trial(self, model: ExampleModel | None = None, *rules: Rule) -> Trial:
        """Return a trial with another model of the examples, and changed or added rules."""
        compiled = self.snapshot.core.engine.rules
        for rule in rules:
            compiled = compiled.with_rule(rule)
        router = router_like(self.snapshot.routing.router, model)
        return Trial(self.settings, rules=compiled if rules else None, router=router)

    def step(self, stage: RouteStage) -> RouteStep:
        return next(step for step in self.decision.steps if step.stage is stage)

    @property
    def stage(self) -> LostAt | None:
        """Stage that loses the route; None if it is the decided one."""
        if self.decision.intent == self.expected:
            return None
        method = RouteMethod(self.decision.method)
        if method is RouteMethod.RULE:
            return LostAt.RULES
        if method is RouteMethod.CACHE:
            return LostAt.CACHE
        if self.step(RouteStage.EXAMPLES).outcome is StepOutcome.DECIDED:
            return LostAt.EXAMPLES
        missed = (self.step(RouteStage.RULES), self.step(RouteStage.EXAMPLES))
        if any(step.outcome is StepOutcome.UNSURE and step.label == self.expected for step in missed):
            return LostAt.THRESHOLD
        return LostAt.LLM if self.has_llm else LostAt.FALLBACK

    @property
    def beside(self) -> str | None:
        """Route to compare with: the decided one, or the runner-up if the expected one was decided."""
        return self.decision.intent if self.stage is not None else self.runner_up

    @property
    def asks_llm(self) -> bool:
        """True if an LLM is set up and nothing before it decides."""
        return self.has_llm and _leaves_it_to_the_llm(self.decision)

    @property
    def runner_up(self) -> str | None:
        """Likeliest other route."""
        labels = [*(label for label, _ in self.found.intents), *(label for label, _ in self.decision.shares)]
        return next((label for label in labels if label != self.expected), None)

    def wins(self, trial: Trial) -> bool:
        """Check if the query takes the route under a trial; a pending LLM request counts as no."""
        decision = self.decide(trial)
        return decision.intent == self.expected and not (self.has_llm and _leaves_it_to_the_llm(decision))


def _leaves_it_to_the_llm(decision: RouteDecision) -> bool:
    return any(step.stage is RouteStage.LLM and step.sentence == NOT_ASKED for step in decision.steps)


def confidences(lost: LostRoute) -> tuple[float | None, float | None]:
    """Return the confidences of both routes in the measure of the deciding stage."""
    method, shares = RouteMethod(lost.decision.method), dict(lost.decision.shares)
    if method in (RouteMethod.RULE, RouteMethod.BEST_RULE):
        return _by_rules(lost, lost.expected), _by_rules(lost, lost.beside)
    if method is RouteMethod.CACHE:
        own = lost.decision.confidence
        return (own, None) if lost.stage is None else (None, own)
    return shares.get(lost.expected), shares.get(lost.beside or "")


def _by_rules(lost: LostRoute, label: str | None) -> float | None:
    """Return the rules' confidence in a route; None if several intents match."""
    whole = lost.found.confidence if label == lost.found.intent else None
    return dict(lost.found.intents).get(label or "", whole)


def _reasoning(lost: LostRoute) -> str:
    """Return the sentences on why the expected route lost."""
    decision = lost.decision
    match lost.stage:
        case None | LostAt.RULES | LostAt.EXAMPLES | LostAt.CACHE:
            return decision.reasoning
        case LostAt.THRESHOLD:
            steps = (lost.step(RouteStage.RULES), lost.step(RouteStage.EXAMPLES))
            return next(step.sentence for step in steps if step.label == lost.expected)
    left = [step for step in decision.steps if step.outcome is not StepOutcome.DECIDED]
    return " ".join(step.sentence for step in left if step.sentence != NOT_ASKED)


async def explain_route(question: WhyNotQuestion) -> FoundAnswer:
    """Explain the loss of a route, without an LLM; raises StoreError, EncoderError."""
    snapshot, core, settings = question.snapshot, question.snapshot.core, question.snapshot.settings
    expected, engine, router = route_label(question.expected.name), core.engine, snapshot.routing.router
    rules = await core.in_store(lambda library: library.rules())
    ruled = {route_label(rule.label) for rule in rules if rule.purpose is RulePurpose.ROUTE}
    known = sorted({*snapshot.routing.known} | ruled)
    if expected not in known:
        like = nearest(expected, known)
        return FoundAnswer(WhyNot(question.text, question.expected, Task.ROUTE, LostAt.NOT_TAUGHT, nearest=like))
    query = (await snapshot.trial_query(question.text)).query

    def decide(trial: Trial) -> RouteDecision:
        own, compiled = trial.router or router, trial.rules or engine.rules
        return decided(own, query, compiled, engine.encoder, trial.settings)

    lost = LostRoute(
        text=question.text.strip(),
        expected=expected,
        decision=decide(Trial(settings)),
        found=router.rules(engine.rules, settings).find(query.text),
        rules=rules,
        snapshot=snapshot,
        decide=decide,
        has_llm=snapshot.routing.state().has_llm and not router.is_foreign(settings),
    )
    own, other = confidences(lost)
    shares, beside = dict(lost.decision.shares), lost.beside
    order = [label for label, share in lost.decision.shares if share > 0.0]
    answer = WhyNot(
        question.text,
        question.expected,
        Task.ROUTE,
        lost.stage,
        expected,
        winner_name=beside,
        gaps=gaps(
            {"rules": _by_rules(lost, expected), "examples": shares.get(expected)},
            {"rules": _by_rules(lost, beside), "examples": shares.get(beside or "")},
            ("rules", "examples"),
        ),
        expected_confidence=own,
        winner_confidence=other,
        expected_rank=order.index(expected) + 1 if expected in order else None,
        notes=(Note.LLM_MAY_DIFFER,) if lost.asks_llm else (),
        reasoning=_reasoning(lost),
    )
    if lost.stage is None:
        return FoundAnswer(answer)
    case = next((one for one in snapshot.cases[Task.ROUTE] if one.text == lost.text), Case(lost.text, (), Task.ROUTE))
    case = replace(case, expected=(expected,), unwanted=(), tier=None)
    taught = await _learned(snapshot, case)
    snapshot.check()
    return FoundAnswer(answer, drafts(lost, taught, case), lambda draft: lost.wins(draft.trial))


async def _learned(snapshot: TrialSnapshot, case: Case) -> ExampleModel | None:
    """Train the router with one more case; None without an encoder or with too many examples."""
    core = snapshot.core
    encoder, others = core.engine.encoder, [one for one in snapshot.cases[Task.ROUTE] if one.text != case.text]
    if encoder is None or not core.settings.route.examples:
        return None
    non_teaching = await core.in_store(lambda library: library.routes.non_teaching([one.text for one in others]))
    shipped = [one for one in snapshot.routing.trainer.shipped() if one.is_shipped]
    examples = snapshot.routing.route_examples((*others, case), non_teaching, shipped)
    if len(examples) > MOST_LEARNED:
        return None
    vectors = await snapshot.routing.trainer.vectors(examples, encoder)
    return await snapshot.routing.trainer.fit(examples, *vectors, encoder)


# ---- changes


def drafts(lost: LostRoute, taught: ExampleModel | None, case: Case) -> list[Draft]:
    """Return every change worth trying; `taught` is the model trained with the case."""
    drafts = [draft for pairs in _lines(lost) for draft in settings_drafts(lost.snapshot, pairs, size=1, family="line")]
    if taught is not None:
        drafts.append(Draft("route.teach", TeachRoute(case), lost.trial(taught), 2))
        drafts += _unruled(lost, taught, case)
    return [*drafts, *_of_rules(lost)]


def _unruled(lost: LostRoute, taught: ExampleModel, case: Case) -> Iterator[Draft]:
    """Draft teaching the case and disabling the rule that decides."""
    misled = [hit for hit in lost.found.counting if route_label(hit.rule.label) != lost.expected]
    if lost.stage is not LostAt.RULES or not misled:
        return
    off = tuple(replace(hit.rule, enabled=False) for hit in misled)
    yield Draft("route.teach.rule", TeachRoute(case, off), lost.trial(taught, *off), 3 + len(off))


def _lines(lost: LostRoute) -> Iterator[dict[str, str]]:
    """Yield thresholds moved just enough for the right stage to decide, or the wrong one not to."""
    if not lost.settings.route.examples:
        yield {"route.examples": "true"}
    if lost.stage is LostAt.CACHE:
        yield {"route.cache_hours": "0"}
    found = lost.found
    if found.intent == lost.expected and round_down(found.confidence) < lost.settings.route.threshold:
        yield {"route.threshold": f"{round_down(found.confidence):.2f}"}
    if lost.stage is LostAt.RULES:
        higher = round_up(found.confidence)
        higher += 0.01 * (higher <= found.confidence)
        if higher <= 1.0:
            yield {"route.threshold": f"{higher:.2f}"}
    if lost.stage is LostAt.EXAMPLES and found.intent == lost.expected and lost.settings.route.overrule:
        yield {"route.overrule": "false"}
    vote = lost.step(RouteStage.EXAMPLES)
    if vote.label == lost.expected and vote.confidence:
        yield {"route.abstain": f"{max(LEAST_ABSTAIN, round_down(vote.confidence)):.2f}"}
    if lost.stage is LostAt.EXAMPLES and vote.confidence and round_up(vote.confidence + 0.001) <= 1.0:
        yield {"route.abstain": f"{round_up(vote.confidence + 0.001):.2f}"}


def _of_rules(lost: LostRoute) -> Iterator[Draft]:
    labels = frozenset({lost.expected.lower()})
    for rule in disabled_matching_rules(lost.rules, lost.text, labels, RulePurpose.ROUTE):
        yield _rule(lost, "rule.enable", replace(rule, enabled=True), 1)
    for hit in lost.found.counting:
        if route_label(hit.rule.label) != lost.expected:
            yield _rule(lost, "rule.disable", replace(hit.rule, enabled=False), 3, hit.text)
    for cue, rule in new_rules(lost.rules, lost.text, lost.expected, RulePurpose.ROUTE, weights=(1.0,)):
        draft = _rule(lost, "rule.add", rule, 3, cue)
        yield replace(draft, sure=confidence_of(lost.expected, rule))


def _rule(lost: LostRoute, key: str, rule: Rule, size: int, text: str = "") -> Draft:
    return Draft(key, StoreRules((rule,)), lost.trial(None, rule), size, family=key, text=text)
