"""Path of one decision: each stop with its outcome, and the decision's grounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from app.detect.route import confidence_of
from app.display import numbers, words
from app.display.scope.match_rows import ADVICE, is_safe_choice, method_word, route_card, safe_words
from app.display.system.metrics import Row, Table, table_lines
from app.domain.case import NearExample, is_none_first
from app.domain.inspection import RouteDecision
from app.domain.language import quantity
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

if TYPE_CHECKING:
    from app.settings.model import Settings

MOST_DIGITS = 17
"""Maximum digits that a product of two numbers in [0, 1] needs to match as displayed."""

LEAST_REST = 0.0005
"""Minimum share that is not displayed as 0."""

NO_STORE = "for no store"
"""Label of the votes for no route."""

MOST_BACKING = 3
"""Maximum number of the winner's examples shown if the nearest are for others."""


def shares(route: RouteDecision) -> tuple[tuple[str, float], ...]:
    """Return each route's share of the vote in [0, 1]; the rest to 1 is for no store."""
    found = [(label, min(max(value, 0.0), 1.0)) for label, value in route.shares]
    # Computed from the displayed numbers, so that they add up.
    rest = round(1.0 - sum(round(value, numbers.SCORE_DIGITS) for _, value in found), numbers.SCORE_DIGITS)
    if found and 1.0 - sum(value for _, value in found) >= LEAST_REST and rest > 0.0:
        found.append((NO_STORE, rest))
    return tuple(found)


def vote_text(route: RouteDecision) -> str:
    """Format the two largest shares: "68 % of the votes say “no store”, 13 % vector_similarity".

    "" without a vote.
    """
    largest = sorted(shares(route), key=lambda share: -share[1])[:2]
    said = [(numbers.rough_chance(value), "“no store”" if label == NO_STORE else label) for label, value in largest]
    return ", ".join(f"{part} {'' if place else 'of the votes say '}{name}" for place, (part, name) in enumerate(said))


def confidence_steps(route: RouteDecision, limits: Sequence[float] = ()) -> tuple[Row, ...]:
    """Return the winner's confidence as two factors and their product."""
    step = next((step for step in route.steps if step.stage is RouteStage.EXAMPLES), None)
    grounds = route.grounds
    if grounds is None or not route.shares or step is None or step.confidence is None:
        return ()
    result = numbers.score(step.confidence, limits)
    usual, known = _factors(grounds.usual, grounds.known, result)
    return (
        Row("Such votes were right, each example left out", (usual,), is_quiet=True),
        Row("× such queries are of the taught kind", (known,), is_quiet=True),
        Row(f"= confidence in {step.label}", (result,)),
    )


def _factors(one: float, other: float, result: str) -> tuple[str, str]:
    """Format both factors with the fewest digits (at least three) that give the product."""
    shown, wanted = len(result.partition(".")[2]), result.lstrip("<>")
    for digits in range(numbers.SCORE_DIGITS, MOST_DIGITS):
        if result != wanted or round(round(one, digits) * round(other, digits), shown) == float(wanted):
            break
    return numbers.fixed(one, digits), numbers.fixed(other, digits)


def supporting_examples(route: RouteDecision) -> tuple[NearExample, ...]:
    """Return the nearest examples of the winner, if the nearest ones are for others."""
    if route.grounds is None or not route.nearest or is_none_first(route.shares):
        return ()
    own = route.grounds.backing
    if not own or own[0].text == route.nearest[0].text:
        return ()
    listed = {one.text for one in route.nearest}
    return tuple(one for one in own[:MOST_BACKING] if one.text not in listed)


def no_vote(route: RouteDecision) -> str:
    """Return why the examples did not vote; "" if they did."""
    if route.shares:
        return ""
    step = next((step for step in route.steps if step.stage is RouteStage.EXAMPLES), None)
    return step.sentence if step is not None else "The examples were not asked."


STAGES: dict[RouteStage, str] = {
    RouteStage.RULES: "Rules",
    RouteStage.CACHE: "Cache",
    RouteStage.EXAMPLES: "Examples",
    RouteStage.LLM: "LLM",
    RouteStage.FALLBACK: "Fallback",
}


DECIDERS: Mapping[RouteMethod, str] = {
    RouteMethod.RULE: "decided by a rule",
    RouteMethod.CACHE: "decided by an answer that the LLM gave before",
    RouteMethod.EXAMPLES: "decided by the examples",
    RouteMethod.LLM_FALLBACK: "decided by the LLM",
    RouteMethod.BEST_RULE: "decided by the best rule, as nothing was more confident",
    RouteMethod.DEGRADED: "undecided",
}

NO_RULE = "No rule matched."

_LONGEST = 400
"""Maximum displayed characters of a query with its marks."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop of the path. `is_passed`: the query came here; `decides`: it went no further."""

    outcome: StepOutcome
    name: str
    word: str
    label: str
    confidence: str
    ms: str
    why: str
    """Reason of the outcome; "" for the stop that decides, as a sentence above has it, and for later ones."""
    is_passed: bool
    decides: bool


@dataclass(frozen=True, slots=True)
class RouteView:
    """View model of one route decision."""

    stops: tuple[Stop, ...]
    intent: str
    stores: str
    confidence: str
    by: str
    sentences: tuple[str, ...]
    """Sentences on the decision, and the stores to query."""
    spans: tuple[tuple[str, bool | None], ...]
    """Query in pieces, as in `query_spans`."""
    grounds: tuple[Table, ...]
    summary: str
    """Grounds in a line: how many rules matched, and the nearest example."""
    is_final: bool
    color: str
    """Colour of the route; "" for none."""


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
    nearest = f" Nearest example: “{route.nearest[0].text}” ({route.nearest[0].label})." if route.nearest else ""
    held = sum(hit.held_back for hit in route.hits)
    matched = f"{quantity(len(route.hits) - held, 'rule')} matched" if route.hits else NO_RULE[:-1]
    overruled = f", {held:,} overruled" if held else ""
    return RouteView(
        stops=path(route, limits),
        intent=words.with_titles(route.intent),
        stores=", ".join(route.databases) if has_stores else "",
        confidence="" if is_safe_choice(route) else numbers.chance(route.confidence, limits),
        by="fallback" if is_safe_choice(route) else DECIDERS[RouteMethod(route.method)],
        sentences=tuple(map(words.with_titles, sentences(route, limits, has_stores=has_stores))),
        spans=query_spans(query, route),
        grounds=grounds(route, limits, routes),
        summary=words.with_titles(f"{matched}{overruled}.{nearest}"),
        is_final=route.is_final,
        color=routes.color_of(route.intent),
    )


def grounds(route: RouteDecision, limits: Sequence[float] = (), routes: Routes = DOCUMENTED) -> tuple[Table, ...]:
    """Return the evidence: matches of rules, vote and nearest examples, and other properties."""
    hits = []
    for hit in route.hits:
        label, characters = route_label(hit.rule.label), f"{hit.span[0] + 1} to {hit.span[1]}"
        confidence = "overruled" if hit.held_back else numbers.score(confidence_of(label, hit.rule))
        cells = (hit.rule.id, characters, confidence)
        hits.append(Row(f"“{hit.text}” → {label}", cells, hit.held_back, routes.color_of(label)))
    votes = (
        Row(name, (numbers.score(value),), color=routes.color_of(name), bar=value) for name, value in shares(route)
    )
    return (
        Table("Rules that matched", ("Rule", "Characters", "Confidence"), tuple(hits), "" if hits else NO_RULE),
        Table("Vote of the examples", ("Share",), (*votes, *confidence_steps(route, limits)), no_vote(route)),
        *_examples(route, routes),
        Table("Decision", ("",), tuple(Row(name, (value,)) for name, value in facts(route, limits)), route.reasoning),
    )


def _examples(route: RouteDecision, routes: Routes) -> Iterator[Table]:
    """Yield the nearest examples, and those of the winner if the nearest are for others."""
    own = supporting_examples(route)
    titled = (("Nearest examples", route.nearest), (f"Nearest of those for {own[0].label}" if own else "", own))
    for title, some in titled:
        rows = (
            Row(
                one.text,
                ("ships" if one.is_shipped else "taught here", one.label, numbers.score(one.similarity)),
                color=routes.color_of(one.label),
            )
            for one in some
        )
        if some:
            yield Table(title, ("From", "Route", "Similarity"), tuple(rows))


def path(route: RouteDecision, limits: Sequence[float] = ()) -> tuple[Stop, ...]:
    """Return every stop in order; those after the deciding one are not passed."""
    found: list[Stop] = []
    is_decided = False
    for step in route.steps:
        decides = step.outcome is StepOutcome.DECIDED and not is_decided
        passed = not is_decided and step.outcome is not StepOutcome.SKIPPED
        found.append(_stop(step, route, limits, passed=passed, decides=decides, is_decided=is_decided))
        is_decided = is_decided or decides
    return tuple(found)


def _stop(
    step: RouteStep, route: RouteDecision, limits: Sequence[float], *, passed: bool, decides: bool, is_decided: bool
) -> Stop:
    is_fallback = step.stage is RouteStage.FALLBACK
    is_safe = is_fallback and is_safe_choice(route)
    word = step.outcome.value
    if is_fallback and decides:
        word = "for now" if not route.is_final else "used" if is_safe else method_word(route)
    return Stop(
        outcome=StepOutcome.NOTHING if is_safe else step.outcome,
        name=STAGES[step.stage],
        word=word,
        label=words.with_titles(step.label),
        confidence="" if is_safe or step.confidence is None else numbers.chance(step.confidence, limits),
        ms=numbers.milliseconds(step.ms) if passed and not is_fallback else "",
        why="" if decides or is_decided else words.with_titles(step.sentence),
        is_passed=passed,
        decides=decides,
    )


def sentences(route: RouteDecision, limits: Sequence[float] = (), *, has_stores: bool = False) -> tuple[str, ...]:
    """Format the decision, and the stores to query; `limits` as in `route_view`."""
    votes, named = vote_text(route), f"{route.intent}, {numbers.chance(route.confidence)}"
    needed = f" where {numbers.chance(limits[0])} is needed" if limits else ""
    sure = f"{numbers.chance(route.confidence, limits)} sure{needed}"
    texts = dict.fromkeys(hit.text for hit in route.hits if not hit.held_back)
    cues = [f"“{text}”" for text in texts if not any(text in other for other in texts if other != text)]
    cue = f"{' and '.join(cues)} point{'s' * (len(cues) == 1)} to {route.intent}"
    is_voted = not route.rule_intent and bool(votes)
    decided = {
        RouteMethod.RULE: f"A rule decided: {cue}, {sure}.",
        RouteMethod.CACHE: f"An earlier answer of the LLM decided: {named} sure.",
        RouteMethod.EXAMPLES: f"The examples decided: {votes}.",
        RouteMethod.LLM_FALLBACK: f"The LLM decided: {named} sure.",
        RouteMethod.BEST_RULE: f"Nothing was sure enough, so the examples decide: {votes}."
        if is_voted
        else f"Nothing was sure enough, so the best rule decides: {cue}, {sure}.",
        RouteMethod.DEGRADED: f"Nothing is sure; the likeliest is {named}.",
    }[RouteMethod(route.method)]
    stores = why_stores(route) if has_stores else ADVICE
    return (f"{safe_words(route)}." if is_safe_choice(route) else decided, stores)


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


def query_spans(query: str, route: RouteDecision) -> tuple[tuple[str, bool | None], ...]:
    """Split the query at rules' matches: True if one counts, False if overruled, else None."""
    text = query[:_LONGEST]
    marks: list[bool | None] = [None] * len(text)
    for hit in sorted(route.hits, key=lambda hit: not hit.held_back):
        first, end = max(0, hit.span[0]), min(len(text), hit.span[1])
        marks[first:end] = [not hit.held_back] * (end - first)
    pieces = groupby(zip(text, marks, strict=True), itemgetter(1))
    spans = tuple(("".join(letter for letter, _ in some), mark) for mark, some in pieces)
    return (*spans, ("…", None)) if len(query) > _LONGEST else spans


def route_lines(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> list[str]:
    """Format the decision, its reason, its stages, and the nearest examples."""
    card = route_card(route, settings, is_run=is_run)
    lines = [f"Route: {card.name}{card.rest} ({card.badge})", f"  {card.sentence}"]
    if route.configuration:
        lines.append(f"  By the candidate of a roll-out: {route.configuration}")
    for step in route.steps:
        name, outcome = STAGES[step.stage], step.outcome.value
        lines.append(f"  {name:9} {outcome:8} {numbers.fixed(step.ms):>8} ms  {step.sentence}")
    return [*lines, *(f"  {line}" for line in table_lines(_examples(route, DOCUMENTED)))]
