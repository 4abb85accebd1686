"""Tests of settings from outside: a library's are applied, a user's only after consent."""

from __future__ import annotations

import pytest

from app.settings.model import UNASKED, keys
from app.settings.outside import MOST, is_portable, sort_settings

PERSONAL = {
    "llm.url": "http://192.0.2.1:11434",
    "llm.model": "evil",
    "encoder.name": "ollama",
    "encoder.url": "http://192.0.2.1:1",
    "encoder.model": "/tmp/model",
    "updates.url": "https://192.0.2.1/news",
    "team.score": "server",
    "route.postgresql": "postgresql://someone@192.0.2.1/x",
    "route.neo4j": "bolt://192.0.2.1:7687",
    "route.graphiti": "falkor://192.0.2.1:6379",
    "route.qdrant": "http://192.0.2.1:6333",
    "route.redis": "redis://192.0.2.1:6379",
    "route.candidate": "route.use_llm=true",
    "route.rollout": "100",
    "route.use_llm": "true",
    "route.llm_while_typing": "true",
    "search_intent.use_llm": "true",
    "serve.teach": "true",
    "serve.port": "80",
    "metrics.port": "9000",
    "files.folder": "/home/me/.ssh",
    "files.follow": "true",
    "history.privacy": "full",
    "log_breakdowns": "true",
}
HARMLESS = {"theme": "dark", "matches": "20"}


def test_that_addresses_permissions_and_privacy_are_a_persons_own() -> None:
    found = sort_settings({**PERSONAL, **HARMLESS})
    assert (found.portable, found.harmless, found.personal, found.refused) == ({}, HARMLESS, PERSONAL, ())


def test_that_every_portable_setting_is_one_that_answers_rest_on() -> None:
    portable = [key for key in keys() if is_portable(key)]
    assert {"tiers.high", "weights.fuzzy", "combination", "route.threshold"} <= set(portable)
    assert not [key for key in portable if key.startswith((*UNASKED, "encoder.", "team."))]
    assert not [key for key in portable if key.endswith((".url", "_llm", ".model"))]
    assert is_portable("routes.billing.stores")
    assert is_portable("namespaces.weights.howto.patterns")
    for key in ("routes", "tiers.nothing", "thresholds.url", "Combination", "combination ", "", "routes.."):
        assert is_portable(key) is (key == "routes"), key


@pytest.mark.parametrize(
    ("found", "portable", "refused"),
    [
        ({"tiers.high": "0.95", "no.such": "1"}, ["tiers.high"], ["no.such"]),
        ({"tiers.high": "high", "weights.fuzzy": "0.5"}, ["weights.fuzzy"], ["tiers.high"]),
        ({"preset": "x", "weights.fuzzy": "0.5"}, ["weights.fuzzy"], ["preset"]),
        ({"bands.high": "0.4", "bands.medium": "0.3", "x": "1"}, ["bands.high", "bands.medium"], ["x"]),
        ({"bands.high": "0.6", "bands.medium": "0.7", "preset": "x"}, [], ["bands.high", "bands.medium", "preset"]),
        ({f"routes.r{n}.about": "x" for n in range(MOST + 1)}, [], [f"routes.r{n}.about" for n in range(MOST + 1)]),
    ],
)  # fmt: skip
def test_that_what_is_unknown_invalid_or_contradictory_is_refused_and_the_rest_is_not(
    found: dict[str, str], portable: list[str], refused: list[str]
) -> None:
    told = sort_settings(found)
    assert list(told.portable) == portable
    assert sorted(told.refused) == sorted(refused)
