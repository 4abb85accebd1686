"""Why a query did not go the route that was expected, and what would send it there (S6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules
from app.detect.route import LlmHeard
from app.detect.route_rules import RulesFound, confidence_of
from app.domain.case import Case
from app.domain.llm import LlmOutcome
from app.domain.resolution import RouteDecision
from app.domain.route import RouteMethod, RouteStage, RouteStep, StepOutcome, route_label
from app.domain.rule import Rule, RulePurpose
from app.domain.why_not import LostAt, ScorerGap, StoreRules, TeachRoute
from app.ports import Clock
from app.scoring.columns import ScoredText
from app.scoring.route_votes import RouteModel
from app.services.routing_stages import Router
from app.services.why_not.drafts import Draft, SettingsUnder, Trial, down, settings_draft, up
from app.services.why_not.rules import asleep, new_rules
from app.settings import Settings

NOT_ASKED = "The LLM is not asked here."

LEAST_ABSTAIN = 0.01
"""`route.abstain` 0 has another meaning: as the examples themselves say."""

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
    """The decision without asking the LLM; what it said before may be in the cache. With `left_out` a query that is
    taught word for word has no part in its own vote."""
    evidence = router.floor(query.text, rules, settings)
    evidence = router.with_vote(evidence, query.text, query.vector, encoder, settings, left_out=left_out)
    if not router.is_settled(evidence, settings):
        evidence = replace(evidence, llm=LlmHeard(LlmOutcome.OFF, sentence=NOT_ASKED))
    return router.decision(evidence, settings)


def router_like(router: Router, model: RouteModel | None = None) -> Router:
    """A router of its own that decides alike, or by another model."""
    clock: Clock = router.clock
    other = Router(clock, router.wall_seconds)
    other.model, other.encoder, other.missing = model or router.model, router.encoder, router.missing
    other.labels, other.kept = router.labels, dict(router.kept)
    return other


@dataclass(frozen=True, slots=True)
class LostRoute:
    """A query with the route that was expected and the decision; `rules` are all that are stored."""

    text: str
    expected: str
    decision: RouteDecision
    found: RulesFound
    rules: Sequence[Rule]
    compiled: KeywordRules
    router: Router
    settings: Settings
    under: SettingsUnder
    decide: Decide
    has_llm: bool

    def step(self, stage: RouteStage) -> RouteStep:
        return next(step for step in self.decision.steps if step.stage is stage)

    @property
    def stage(self) -> LostAt | None:
        """The stage that loses the route; None where it is the one decided."""
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
    def runner_up(self) -> str | None:
        """The likeliest other route."""
        labels = [*(label for label, _ in self.found.intents), *(label for label, _ in self.decision.shares)]
        return next((label for label in labels if label != self.expected), None)

    def wins(self, trial: Trial) -> bool:
        return self.decide(trial).intent == self.expected


def gaps(lost: LostRoute) -> tuple[ScorerGap, ...]:
    """What rules and examples give the expected route and the one that was decided."""
    sure, shares, winner = dict(lost.found.intents), dict(lost.decision.shares), lost.decision.intent
    rows = [ScorerGap("rules", sure.get(lost.expected), sure.get(winner, lost.found.confidence or None))]
    rows.append(ScorerGap("examples", shares.get(lost.expected), shares.get(winner)))
    return tuple(gap for gap in rows if gap.expected is not None or gap.winner is not None)


def rank(lost: LostRoute) -> int | None:
    """The expected route's place in the vote of the examples."""
    order = [label for label, share in lost.decision.shares if share > 0.0]
    return order.index(lost.expected) + 1 if lost.expected in order else None


def sentence(lost: LostRoute) -> str:
    """Where the route was lost, in the words of the decision's own steps."""
    decision, expected = lost.decision, f"“{lost.expected}”"
    if lost.stage is None:
        return f"{expected} is the route. {decision.reasoning}"
    went = f"The query goes to “{decision.intent}”"
    match lost.stage:
        case LostAt.RULES | LostAt.EXAMPLES | LostAt.CACHE:
            return f"{went}: {_small(decision.reasoning)}"
        case LostAt.THRESHOLD:
            steps = (lost.step(RouteStage.RULES), lost.step(RouteStage.EXAMPLES))
            near = next(step for step in steps if step.label == lost.expected)
            return f"{near.sentence} So nothing was sure, and the query goes to “{decision.intent}”."
        case _:
            told = " ".join(step.sentence for step in decision.steps if step.outcome is not StepOutcome.DECIDED)
            return f"{told} So the query goes to “{decision.intent}”."


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if text[:2] in ("Th", "No", "Se") else text


# ---- changes


def drafts(lost: LostRoute, taught: RouteModel | None, case: Case) -> list[Draft]:
    """Every change that is worth trying; `taught` is what would be learned with the case."""
    found = [settings_draft(lost.under, lost.settings, pairs, size=1, family="line") for pairs in _lines(lost)]
    drafts = [draft for draft in found if draft is not None]
    if taught is not None:
        trial = Trial(lost.settings, router=router_like(lost.router, taught))
        what = f"Teach “{lost.text}” as a query for “{lost.expected}”"
        drafts.append(Draft("route.teach", what, TeachRoute(case), trial, 2))
        drafts += _unruled(lost, taught, case, what)
    return [*drafts, *_of_rules(lost)]


def _unruled(lost: LostRoute, taught: RouteModel, case: Case, what: str) -> Iterator[Draft]:
    """Where a rule decides before the examples are asked: what was taught, and that rule switched off."""
    misled = [hit for hit in lost.found.counting if route_label(hit.rule.label) != lost.expected]
    if lost.stage is not LostAt.RULES or not misled:
        return
    rules, off = lost.compiled, tuple(replace(hit.rule, enabled=False) for hit in misled)
    for rule in off:
        rules = rules.with_rule(rule)
    named = ", ".join(f"“{rule.id}”" for rule in off)
    trial = Trial(lost.settings, rules=rules, router=router_like(lost.router, taught))
    both = f"{what}, and switch off the rule{'s' if len(off) > 1 else ''} {named}"
    yield Draft("route.teach.rule", both, TeachRoute(case, off), trial, 3 + len(off))


def _lines(lost: LostRoute) -> Iterator[dict[str, str]]:
    """Thresholds moved just so far that the right stage decides, or the wrong one no longer does."""
    if not lost.settings.route.examples:
        yield {"route.examples": "true"}
    found = lost.found
    if found.intent == lost.expected and down(found.confidence) < lost.settings.route.threshold:
        yield {"route.threshold": f"{down(found.confidence):.2f}"}
    if lost.stage is LostAt.RULES:
        higher = up(found.confidence) if up(found.confidence) > found.confidence else up(found.confidence) + 0.01
        if higher <= 1.0:
            yield {"route.threshold": f"{higher:.2f}"}
    vote = lost.step(RouteStage.EXAMPLES)
    if vote.label == lost.expected and vote.confidence:
        yield {"route.abstain": f"{max(LEAST_ABSTAIN, down(vote.confidence)):.2f}"}
    if lost.stage is LostAt.EXAMPLES and vote.confidence and up(vote.confidence + 0.001) <= 1.0:
        yield {"route.abstain": f"{up(vote.confidence + 0.001):.2f}"}


def _of_rules(lost: LostRoute) -> Iterator[Draft]:
    labels = frozenset({lost.expected.lower()})
    for rule in asleep(lost.rules, lost.text, labels, RulePurpose.ROUTE):
        yield _rule(lost, "rule.enable", f"Switch on the rule “{rule.id}”", replace(rule, enabled=True), 1)
    for hit in lost.found.counting:
        if route_label(hit.rule.label) != lost.expected:
            what = f"Switch off the rule “{hit.rule.id}”, which found “{hit.text}”"
            yield _rule(lost, "rule.disable", what, replace(hit.rule, enabled=False), 3)
    for cue, rule in new_rules(lost.rules, lost.text, lost.expected, RulePurpose.ROUTE, weights=(1.0,)):
        sure = confidence_of(lost.expected, rule)
        what = f"Add a rule for “{lost.expected}” that finds “{cue}”, as sure as its others ({sure:.2f})"
        yield _rule(lost, "rule.add", what, rule, 3)


def _rule(lost: LostRoute, key: str, what: str, rule: Rule, size: int) -> Draft:
    trial = Trial(lost.settings, rules=lost.compiled.with_rule(rule), router=router_like(lost.router))
    return Draft(key, what, StoreRules((rule,)), trial, size, family=key)
