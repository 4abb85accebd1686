"""Vote of the examples in words: each route's share, and the resulting confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.display import numbers
from app.domain.case import NearExample, says_none
from app.domain.route import RouteStage
from app.domain.scope.resolution import RouteDecision

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


def nearest_examples(route: RouteDecision) -> tuple[ExampleRow, ...]:
    return tuple(_near(one, route) for one in route.nearest)


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
