"""Tests of the reasons that a memory is not injected: the first one of the assistant's list."""

from __future__ import annotations

import pytest

from app.display.scope.why_not import why_not_document, why_not_lines
from app.display.scope.why_not_sentences import injection_words
from app.domain.library import Memory
from app.domain.scope.why_not import Expectation, Injection
from tests.unit.services.benches import desk

UNSURE = {"search_intent.surfacing_threshold": "0.99", "search_intent.certain_confidence": "0"}

QUERY = "how do I create a branch"


@pytest.mark.parametrize(
    ("expect", "settings", "said"),
    [
        ("memory:branch", {}, "as number 1"),
        ("intent:git", {}, "as number 1"),
        ("memory:branch", {"search_intent.surfacing_tokens": "1"}, "1 are allowed"),
        (
            "memory:branch",
            {"search_intent.surfacing_threshold": "0.99", "search_intent.certain_confidence": "0"},
            "below 99 %",
        ),
        ("memory:coffee", {}, "its confidence is too low"),
        ("memory:silent", {}, "it has no response"),
        ("memory:paused", {}, "it is paused"),
        ("intent:howto", {}, ""),
        ("power:none", {}, ""),
        ("memory:misspelt", {}, ""),
        ("intent:misspelt", {}, ""),
    ],
)
async def test_that_the_first_reason_is_told_in_both_places(expect: str, settings: dict[str, str], said: str) -> None:
    async with desk() as bench:
        for memory in (
            Memory(("create a branch",), "Run it.", "git", id="branch"),
            Memory(("zzz",), "Brew it.", id="coffee"),
            Memory(("how do I create a branch?",), id="silent"),
            Memory(("how do I create a branch!",), "No.", id="paused", paused=True),
        ):
            await bench.curator.teach(memory)
        await bench.ready()
        if settings:
            await bench.choose_all(settings)
        found = await bench.why_nots.explain(QUERY, Expectation.of(expect))
        words = injection_words(found.injection)
        assert said in words
        assert bool(said) is bool(words)
        assert any(words and words in line for line in why_not_lines(found)) is bool(said)
        document = why_not_document(found)["injection"]
        assert (document is None) is not bool(said)
        if document is not None:
            assert document["injected"] is ("as number" in said)


def test_that_a_heavy_namespace_is_named_and_what_is_far_is_said_to_be() -> None:
    counted = Injection(12, "count", weight=1.5, most=10)
    assert injection_words(counted) == (
        "It would not be injected: number 12, where 10 are allowed. Its namespace counts 1.5-fold."
    )
    assert "its confidence is too low" in injection_words(Injection(None, None))
    assert "min_score" in injection_words(Injection(None, "success"))
