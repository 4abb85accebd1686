"""Tests of the token cost of answers, with numbers computed by hand (S5.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.case import Task
from app.domain.match import Tier
from app.evaluation.distribution import (
    DOCUMENTED,
    DOCUMENTED_ANSWER,
    DOCUMENTED_EVERYTHING,
    DOCUMENTED_SAVING,
    AnswerTokens,
    TokenCost,
    search_times,
    token_cost,
)
from app.evaluation.documents import document
from app.evaluation.evaluation import judged
from app.settings.model import Settings
from tests.unit.evaluation.made import answer, page_of


def cost(*answers: AnswerTokens, everything: int = 10_000) -> TokenCost:
    return token_cost(answers, counter="words", powers=2, tools=5, everything=everything)


FOUR = (
    AnswerTokens(Tier.ACTIVATED, 100),
    AnswerTokens(Tier.ACTIVATED, 300),
    AnswerTokens(Tier.MULTIPLE_MATCHES, 200, 400),
    AnswerTokens(Tier.NOT_FOUND, 1_000),
)


def test_that_tiers_weigh_by_how_often_they_occur() -> None:
    found = cost(*FOUR)
    assert {tier: (row.n, row.answer, row.tools, row.both) for tier, row in found.by_tier.items()} == {
        Tier.ACTIVATED: (2, 200.0, 0.0, 200.0),
        Tier.MULTIPLE_MATCHES: (1, 200.0, 400.0, 600.0),
        Tier.NOT_FOUND: (1, 1_000.0, 0.0, 1_000.0),
    }
    assert (found.answer, found.both) == (400.0, 500.0)
    assert found.saving == pytest.approx(0.95)


def test_that_the_documents_own_figures_add_up() -> None:
    answers = [
        AnswerTokens(tier, tokens) for tier, (share, tokens) in DOCUMENTED.items() for _ in range(round(share * 100))
    ]
    found = cost(*answers, everything=DOCUMENTED_EVERYTHING)
    assert found.both == pytest.approx(DOCUMENTED_ANSWER)
    assert found.saving == pytest.approx(DOCUMENTED_SAVING, abs=0.005)


def test_that_without_any_tool_nothing_can_be_saved() -> None:
    assert cost(*FOUR, everything=0).saving is None
    assert cost(AnswerTokens(Tier.NOT_FOUND, 20), everything=10).saving == -1.0
    with pytest.raises(ValueError, match="nothing to count"):
        cost()


def test_that_they_are_told_beside_those_of_the_document() -> None:
    plain = judged(Task.POWER, "balanced", [answer("a", "a:0.9", tier=Tier.ACTIVATED, offered=1)], Settings())
    found = replace(plain, tokens=cost(*FOUR), times=search_times([(Tier.ACTIVATED, 8.0)]))
    told = document(found)["tokens"]
    assert told["by_tier"]["multiple_matches"] == {"n": 1, "answer": 200.0, "tools": 400.0, "together": 600.0}
    assert (told["together"], told["everything"], told["saving"]) == (500.0, 10_000, pytest.approx(0.95))
    assert told["documented"]["by_tier"]["activated"] == {"share": 0.7, "together": 1_000}
    assert document(found)["times"]["by_tier_ms"] == {"activated": 8.0}
    page = page_of(found)
    assert "Tokens, counted by the tokenizer words" in page
    assert "All 5 tools of all 2 powers: 10,000 (003: 40,000). Saved: 95.0 % (003: 97 %)." in page
    assert "Mean 8.0 ms, p50 8.0 ms, p95 8.0 ms of 1 queries.\nThe target of 30 to 50 ms at most is met." in page
    assert "Saved" not in page_of(replace(found, tokens=cost(*FOUR, everything=0)))
    slow = search_times([(Tier.ACTIVATED, 80.0)])
    assert "ms at most is not met." in page_of(replace(found, times=slow))
