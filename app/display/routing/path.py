"""Path of one decision: each stop with its outcome, and the decision's grounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.detect.rules.route_rules import confidence_of
from app.display import numbers
from app.display.scope.matches.resolution import ADVICE, is_safe_choice, method_word, route_card, safe_words
from app.domain.language import plural
from app.domain.route import (
    DOCUMENTED,
    RouteIntent,
    RouteMethod,
    Routes,
    RouteStage,
    RouteStep,
    StepOutcome,
    route_label,
)
from app.domain.scope.resolution import RouteDecision

if TYPE_CHECKING:
    from app.settings.model import Settings


from app.domain.case import NearExample, says_none

MOST_DIGITS = 17
"""Maximum digits that a product of two numbers in [0, 1] needs to match as displayed."""

LEAST_REST = 0.0005
"""Minimum share that is not displayed as 0."""

NO_STORE = "for no store"
"""Label of the votes for no route."""

MOST_BACKING = 3
"""Maximum number of the winner's examples shown if the nearest are for others."""


@dataclass(frozen=True, slots=True)
class Share:
    """A route's share of the vote, in [0, 1], and as text."""

    label: str
    value: float
    text: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """Example near the query; `is_first` marks the winning route."""

    text: str
    label: str
    value: float
    similarity: str
    origin: str
    is_first: bool = False


def shares(route: RouteDecision) -> tuple[Share, ...]:
    """Return each route's share; the rest to 1 is shown as "no store"."""
    none = says_none(route.shares)
    found = [
        Share(label, value, numbers.score(min(max(value, 0.0), 1.0)), place == 0 and not none)
        for place, (label, value) in enumerate(route.shares)
    ]
    # Computed from the displayed numbers, so that they add up.
    rest = round(1.0 - sum(round(share.value, numbers.SCORE_DIGITS) for share in found), numbers.SCORE_DIGITS)
    if found and 1.0 - sum(share.value for share in found) >= LEAST_REST and rest > 0.0:
        found.append(Share(NO_STORE, rest, numbers.score(rest), none))
    return tuple(found)


def vote_text(route: RouteDecision) -> str:
    """Format the two largest shares: "68 % of the votes say “no store”, 13 % vector_similarity".

    "" without a vote.
    """
    largest = sorted(shares(route), key=lambda share: -share.value)[:2]
    names = ["“no store”" if share.label == NO_STORE else share.label for share in largest]
    parts = [numbers.rough_chance(share.value) for share in largest]
    words = ("of the votes say ", "")
    return ", ".join(f"{part} {word}{name}" for part, word, name in zip(parts, words, names, strict=False))


def confidence_steps(route: RouteDecision, limits: Sequence[float] = ()) -> tuple[tuple[str, str], ...]:
    """Return the winner's confidence as two factors and their product, with values."""
    step = next((step for step in route.steps if step.stage is RouteStage.EXAMPLES), None)
    grounds = route.grounds
    if grounds is None or not route.shares or step is None or step.confidence is None:
        return ()
    result = numbers.score(step.confidence, limits)
    usual, known = _factors(grounds.usual, grounds.known, result)
    return (
        ("Such votes were right, each example left out", usual),
        ("× such queries are of the taught kind", known),
        (f"= confidence in {step.label}", result),
    )


def _factors(one: float, other: float, result: str) -> tuple[str, str]:
    """Format both factors with the fewest digits (at least three) that give the product."""
    shown, wanted = len(result.partition(".")[2]), result.lstrip("<>")
    for digits in range(numbers.SCORE_DIGITS, MOST_DIGITS):
        if result != wanted or round(round(one, digits) * round(other, digits), shown) == float(wanted):
            break
    return numbers.fixed(one, digits), numbers.fixed(other, digits)


def supporting_examples(route: RouteDecision) -> tuple[ExampleRow, ...]:
    """Return the nearest examples of the winner, if the nearest ones are for others."""
    if route.grounds is None or not route.nearest or says_none(route.shares):
        return ()
    own = route.grounds.backing
    if not own or own[0].text == route.nearest[0].text:
        return ()
    listed = {one.text for one in route.nearest}
    return tuple(_near(one, route) for one in own[:MOST_BACKING] if one.text not in listed)


def _near(one: NearExample, route: RouteDecision) -> ExampleRow:
    origin = "ships with the program" if one.is_shipped else "taught here"
    first = route.shares[0][0] if route.shares and not says_none(route.shares) else ""
    return ExampleRow(one.text, one.label, one.similarity, numbers.score(one.similarity), origin, one.label == first)


def no_vote(route: RouteDecision) -> str:
    """Return why the examples did not vote; "" if they did."""
    if route.shares:
        return ""
    step = next((step for step in route.steps if step.stage is RouteStage.EXAMPLES), None)
    return step.sentence if step is not None else "The taught examples were not asked."


STAGES: dict[RouteStage, str] = {
    RouteStage.RULES: "Rules",
    RouteStage.CACHE: "Cache",
    RouteStage.EXAMPLES: "Examples",
    RouteStage.LLM: "LLM",
    RouteStage.FALLBACK: "Default",
}


OUTCOMES: dict[StepOutcome, str] = {
    StepOutcome.DECIDED: "decided",
    StepOutcome.UNSURE: "unsure",
    StepOutcome.NOTHING: "nothing",
    StepOutcome.FAILED: "failed",
    StepOutcome.SKIPPED: "skipped",
    StepOutcome.WAITING: "waiting",
}

DECIDERS: Mapping[RouteMethod, str] = {
    RouteMethod.RULE: "decided by a rule",
    RouteMethod.CACHE: "decided by an answer that the LLM gave before",
    RouteMethod.EXAMPLES: "decided by the taught examples",
    RouteMethod.LLM_FALLBACK: "decided by the LLM",
    RouteMethod.BEST_RULE: "decided by the best rule, as nothing was more confident",
    RouteMethod.DEGRADED: "nothing could decide",
}

_LONGEST = 400
"""Maximum displayed characters of a query with its marks."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop of the path. `is_passed`: the query came here; `decides`: it went no further."""

    stage: RouteStage
    outcome: StepOutcome
    name: str
    word: str
    label: str
    confidence: str
    ms: str
    why: str
    is_passed: bool
    decides: bool


@dataclass(frozen=True, slots=True)
class QuerySpan:
    """Span of the query: plain, or a rule's match, which may be held back."""

    text: str
    is_hit: bool = False
    is_held_back: bool = False


@dataclass(frozen=True, slots=True)
class HitLine:
    """Matched rule: words, intent, confidence, place, and rule ID."""

    text: str
    label: str
    confidence: str
    where: str
    rule: str
    is_held_back: bool


@dataclass(frozen=True, slots=True)
class RouteView:
    """View model of one route decision."""

    stops: tuple[Stop, ...]
    intent: str
    stores: str
    confidence: str
    by: str
    reasoning: str
    sentences: tuple[str, ...]
    """Sentences on the decision, other evidence, and the stores to query."""
    facts: tuple[tuple[str, str], ...]
    pieces: tuple[QuerySpan, ...]
    hits: tuple[HitLine, ...]
    no_hits: str
    shares: tuple[Share, ...]
    sums: tuple[tuple[str, str], ...]
    near: tuple[ExampleRow, ...]
    supporting: tuple[ExampleRow, ...]
    no_vote: str
    is_final: bool
    colors: Mapping[str, str]
    """Colour of each named route."""

    @property
    def summary(self) -> str:
        """Grounds in a line: how many rules matched, and the nearest example."""
        said = [self.no_hits or plural(len(self.hits), "{n} rule matched.", "{n} rules matched.")]
        said += [f"Nearest example: “{self.near[0].text}” ({self.near[0].label})."] if self.near else []
        return " ".join(said)


def route_view(
    query: str,
    route: RouteDecision,
    limits: Sequence[float] = (),
    *,
    has_stores: bool = False,
    routes: Routes = DOCUMENTED,
) -> RouteView:
    """Make the view of a decision; rounded numbers do not cross the `limits`.

    `stores` is "" without stores: the route is advice then.
    """
    return RouteView(
        stops=path(route, limits),
        intent=route.intent,
        stores=", ".join(route.databases) if has_stores else "",
        confidence="" if is_safe_choice(route) else numbers.chance(route.confidence, limits),
        by=safe_words(route) if is_safe_choice(route) else DECIDERS[RouteMethod(route.method)],
        reasoning=route.reasoning,
        sentences=sentences(route, limits, has_stores=has_stores),
        facts=facts(route, limits),
        pieces=query_spans(query, route),
        hits=tuple(_hit_lines(route)),
        no_hits="No rule matched." if not route.hits else "",
        shares=shares(route),
        sums=confidence_steps(route, limits),
        near=tuple(_near(one, route) for one in route.nearest),
        supporting=supporting_examples(route),
        no_vote=no_vote(route),
        is_final=route.is_final,
        colors={row.name: row.color for row in routes.rows},
    )


def path(route: RouteDecision, limits: Sequence[float] = ()) -> tuple[Stop, ...]:
    """Return every stop in order; those after the deciding one are not passed."""
    found: list[Stop] = []
    is_decided = False
    for step in route.steps:
        decides = step.outcome is StepOutcome.DECIDED and not is_decided
        passed = not is_decided and step.outcome is not StepOutcome.SKIPPED
        found.append(_stop(step, route, limits, passed=passed, decides=decides))
        is_decided = is_decided or decides
    return tuple(found)


def _stop(step: RouteStep, route: RouteDecision, limits: Sequence[float], *, passed: bool, decides: bool) -> Stop:
    is_fallback = step.stage is RouteStage.FALLBACK
    word = method_word(route) if is_fallback and decides else OUTCOMES[step.outcome]
    if is_fallback and decides and not route.is_final:
        word = "for now"
    is_safe = is_fallback and is_safe_choice(route)
    return Stop(
        stage=step.stage,
        outcome=step.outcome,
        name=STAGES[step.stage],
        word=word,
        label=step.label,
        confidence="" if is_safe or step.confidence is None else numbers.chance(step.confidence, limits),
        ms=numbers.milliseconds(step.ms) if passed and not is_fallback else "",
        why=f"{safe_words(route)}." if is_safe else step.sentence,
        is_passed=passed,
        decides=decides,
    )


def sentences(route: RouteDecision, limits: Sequence[float] = (), *, has_stores: bool = False) -> tuple[str, ...]:
    """Format the decision, other evidence, and the stores to query; `limits` as in `route_view`."""
    votes, named = vote_text(route), f"{route.intent}, {numbers.chance(route.confidence)}"
    needed = f" where {numbers.chance(limits[0])} is needed" if limits else ""
    sure = f"{numbers.chance(route.confidence, limits)} sure{needed}"
    texts = dict.fromkeys(hit.text for hit in route.hits if not hit.held_back)
    cues = [f"“{text}”" for text in texts if not any(text in other for other in texts if other != text)]
    cue = plural(
        len(cues), "{words} points to {name}", "{words} point to {name}", words=" and ".join(cues), name=route.intent
    )
    is_voted = not route.rule_intent and bool(votes)
    decided = {
        RouteMethod.RULE: f"A rule decided: {cue}, {sure}.",
        RouteMethod.CACHE: f"An earlier answer of the LLM decided: {named} sure.",
        RouteMethod.EXAMPLES: f"The taught examples decided: {votes}.",
        RouteMethod.LLM_FALLBACK: f"The LLM decided: {named} sure.",
        RouteMethod.BEST_RULE: f"Nothing was sure enough, so the examples decide: {votes}."
        if is_voted
        else f"Nothing was sure enough, so the best rule decides: {cue}, {sure}.",
        RouteMethod.DEGRADED: f"Nothing is sure; the likeliest is {named}.",
    }[RouteMethod(route.method)]
    others = f"Taught examples: {votes}." if votes else no_vote(route)
    if votes and votes in decided:
        rules = f"The rules alone say {route.rule_intent}, {numbers.chance(route.rule_confidence, limits)} sure."
        others = rules if route.rule_intent else "No rule matched."
    stores = why_stores(route) if has_stores else ADVICE
    return (others, f"{safe_words(route)}.", stores) if is_safe_choice(route) else (decided, others, stores)


def why_stores(route: RouteDecision) -> str:
    """Return why these stores were chosen, in a sentence."""
    stores = ", ".join(route.databases)
    if route.method == RouteMethod.DEGRADED:
        return f"Searching {stores} goes least wrong where nothing is known."
    if route.intent != RouteIntent.MULTI:
        return f"{route.intent} is answered by {stores}."
    labels = dict.fromkeys(route_label(hit.rule.label) for hit in route.hits if not hit.held_back)
    several = [label for label in labels if label != RouteIntent.MULTI]
    if len(several) > 1 and route.rule_intent == RouteIntent.MULTI:
        return f"The stores of the routes that matched: {', '.join(several)}."
    return "Several stores, and nothing says which: all of them."


def facts(route: RouteDecision, limits: Sequence[float] = ()) -> tuple[tuple[str, str], ...]:
    """Return further properties of the decision, with their values."""
    ms = numbers.milliseconds(route.ms)
    found = [
        ("Rule confidence", numbers.score(route.rule_confidence, limits)),
        ("Deciding took", f"{ms} ms"),
        ("Cost", dollars(route.cost)),
    ]
    if route.rule_intent and route.rule_intent != route.intent:
        found.insert(1, ("The rules alone say", route.rule_intent))
    if route.llm_intent and route.llm_intent != route.intent:
        found.insert(1, ("The LLM says", route.llm_intent))
    return tuple(found)


def dollars(value: float) -> str:
    """Format an amount in dollars: cents, or more digits for small amounts."""
    if value == 0.0:
        return "$0"
    if value >= 1.0:
        return f"${value:,.2f}"
    if value < 0.000001:
        return "<$0.000001"
    return f"${value:.4f}" if value >= 0.001 else f"${value:.6f}".rstrip("0")


def query_spans(query: str, route: RouteDecision) -> tuple[QuerySpan, ...]:
    """Split the query at the rules' matches; overlapping matches are merged."""
    text = query[:_LONGEST]
    marks = [0] * len(text)
    for hit in route.hits:
        level = 1 if hit.held_back else 2
        for place in range(max(0, hit.span[0]), min(len(text), hit.span[1])):
            marks[place] = max(marks[place], level)
    found: list[QuerySpan] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or marks[place] != marks[start]:
            found.append(QuerySpan(text[start:place], marks[start] > 0, marks[start] == 1))
            start = place
    if len(query) > _LONGEST:
        found.append(QuerySpan("…"))
    return tuple(found)


def _hit_lines(route: RouteDecision) -> list[HitLine]:
    return [
        HitLine(
            hit.text,
            label := route_label(hit.rule.label),
            "overruled" if hit.held_back else numbers.score(confidence_of(label, hit.rule)),
            f"characters {hit.span[0] + 1} to {hit.span[1]}",
            hit.rule.id,
            hit.held_back,
        )
        for hit in route.hits
    ]


def route_lines(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> list[str]:
    """Format the decision, its reason, its stages, and the nearest examples."""
    card = route_card(route, settings, is_run=is_run)
    lines = [f"Route: {card.name}{card.rest} ({card.badge})", f"  {card.sentence}"]
    if route.configuration:
        lines.append("  " + f"By the candidate of a roll-out: {route.configuration}")
    for step in route.steps:
        name, outcome = STAGES[step.stage], OUTCOMES[step.outcome]
        lines.append(f"  {name:9} {outcome:8} {numbers.fixed(step.ms):>8} ms  {step.sentence}")
    if route.nearest:
        lines.append("  " + "Nearest examples:")
        lines += [f"    {numbers.fixed(one.similarity)}  {one.label:20}  {one.text}" for one in route.nearest]
    if own := supporting_examples(route):
        lines.append("  " + f"Nearest of those for {own[0].label}:")
        lines += [f"    {one.similarity}  {one.label:20}  {one.text}" for one in own]
    return lines
