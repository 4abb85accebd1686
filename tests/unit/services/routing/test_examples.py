"""What teaches the router: cases, those for no route as strangers, and of what ships only what fits them."""

from __future__ import annotations

import pytest

from app.domain.case import Case, Task, TaughtExample
from app.services.routing.routes import gathered

SHIPPED = [
    TaughtExample("who knows whom", ("graph_traversal",), True),
    TaughtExample("sing to me", (), True),
    TaughtExample("tell a joke", ("none",), True),
]
STRANGERS = [TaughtExample("sing to me", (), True), TaughtExample("tell a joke", (), True)]


def case(text: str, *expected: str) -> Case:
    return Case(text, expected, Task.ROUTE)


def test_that_what_ships_teaches_unless_a_case_says_otherwise() -> None:
    assert gathered((), set(), SHIPPED) == (SHIPPED[0], *STRANGERS)
    found = gathered([case("Who knows whom?", "vector", "graph"), case("Sing to me!", "hybrid")], set(), SHIPPED)
    assert [(one.text, one.labels) for one in found] == [
        ("Who knows whom?", ("vector_similarity", "graph_traversal")),
        ("Sing to me!", ("hybrid_search",)),
        ("tell a joke", ()),
    ]


@pytest.mark.parametrize("names", [("none",), ("oos",), ()])
def test_that_a_case_for_nothing_teaches_a_stranger(names: tuple[str, ...]) -> None:
    assert gathered([case("who knows whom", *names)], set(), SHIPPED[:1]) == (TaughtExample("who knows whom", ()),)


def test_that_beside_routes_of_your_own_only_the_strangers_that_ship_stay() -> None:
    own = TaughtExample("late parcel", ("logistics",))
    assert gathered([case("late parcel", "logistics")], set(), SHIPPED) == (own, *STRANGERS)
    assert gathered([case("late parcel", "logistics")], {"late parcel"}, SHIPPED) == (SHIPPED[0], *STRANGERS)
