"""Tests of routes by settings: 001's five with changes, disabled ones, and others."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.route import DOCUMENTED, SHIPPED_ROUTES, Route
from app.settings.layers import from_file
from app.settings.model import SettingsError, SettingsSources, bearing, flat, layer
from app.settings.routes import keys_of, named_in, route_key
from tests.profiles import from_environment

BILLING = Route("billing", ("ledger", "qdrant"), "pink", "Billing", "asks about invoices")


def test_that_the_routes_are_001s_as_long_as_nobody_says_otherwise() -> None:
    settings = layer().values
    assert settings.all_routes == DOCUMENTED
    assert {row.name: row.stores for row in settings.all_routes.rows} == {
        "graph_traversal": ("neo4j",),
        "vector_similarity": ("qdrant",),
        "hybrid_search": ("postgresql",),
        "temporal_reasoning": ("neo4j", "graphiti"),
        "multi_database": ("neo4j", "qdrant", "postgresql"),
    }
    assert not [key for key in flat(settings) if named_in(key)]


def test_that_what_is_said_of_a_route_is_what_is_read_again() -> None:
    found = layer(here=keys_of(BILLING))
    assert found.values.all_routes.own == (BILLING,)
    assert found.values.all_routes.rows[:5] == SHIPPED_ROUTES
    assert (found.origins["routes"], found.origins[route_key("billing", "about")]) == ("here", "here")
    assert {key: value for key, value in flat(found.values).items() if named_in(key)} == keys_of(BILLING)


def test_that_a_file_the_environment_and_a_line_say_routes(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[routes."v1.2 notes"]\nstores = "qdrant"\n[routes.hybrid_search]\nenabled = false\n', "utf-8")
    line = from_environment({"INTENTSCOPE_ROUTES": "billing.stores=ledger, qdrant; hybrid_search.colour=pink"})
    routes = layer(SettingsSources(file=from_file(file), environment=line)).values.all_routes
    assert [row.name for row in routes.own] == ["billing", "v1.2 notes"]
    assert routes.stores_of("billing") == ("ledger", "qdrant")
    assert (hybrid := routes.find("hybrid_search")) is not None
    assert routes.is_off(hybrid.name)
    assert (hybrid.color, hybrid.stores, hybrid.title) == ("pink", ("postgresql",), "")


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("routes.billing.colour", "mauve", "it must be purple"),
        ("routes.billing.stores", " , ", "names of stores"),
        ("routes.billing.enabled", "perhaps", "true or false"),
        ("routes.graph.stores", "neo4j", "stands for something else"),
        ("routes.a;b.stores", "neo4j", "no semicolon"),
        ("routes.billing.shape", "round", "Unknown setting"),
        ("routes", "3", "Unknown setting"),
    ],
)
def test_that_what_cannot_be_is_refused_with_its_key(key: str, value: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as caught:
        layer(SettingsSources(file={key: value}))
    assert caught.value.key.startswith("routes")


def test_that_how_a_route_looks_bears_on_no_answer() -> None:
    one, other = (layer(here={**keys_of(BILLING), route_key("billing", "colour"): color}) for color in ("sky", "pink"))
    assert bearing(one.values, ()) == bearing(other.values, ())
    assert route_key("billing", "stores") in bearing(one.values, ())
