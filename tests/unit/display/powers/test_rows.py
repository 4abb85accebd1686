"""Tests of powers as rows: cells, order, effects of keywords and edits, and invalid input."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display.powers.rows import (
    POWER_COLUMNS,
    PowerRow,
    draft_fault,
    effect_words,
    keyword_score_text,
    matches_search,
    rank_text,
    sorted_rows,
    stripped,
)
from app.display.words import LACKS
from app.domain.library import Power, Tool, Transport
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.services.scope.edit_previews import PowerEffect, PowerRank

FIRST = PowerRank(0.952, 1, 20, Tier.ACTIVATED)
SECOND = PowerRank(0.733, 2, 20, Tier.MULTIPLE_MATCHES)
POWER = Power("postgres", "Ask", ("sql",), tools=(Tool("query", "run it"),), transport=Transport("npx"), key=1)


def test_that_cells_say_what_a_power_has_and_does() -> None:
    said = [column.cell(PowerRow(POWER, FIRST, is_edited=True)) for column in POWER_COLUMNS]
    assert said == ["postgres  (unsaved)", "Ask", "1", "1", "Command", "", "", "95 % not approved", "○ Stopped"]
    assert [column.cell(PowerRow(POWER)) for column in POWER_COLUMNS[-2:]] == ["–", "○ Stopped"]


def test_that_what_does_not_answer_comes_last_both_ways() -> None:
    rows = [PowerRow(POWER), PowerRow(POWER, SECOND), PowerRow(POWER, FIRST)]
    assert [row.standing for row in sorted_rows(rows, "tier", descending=False)] == [SECOND, FIRST, None]
    assert [row.standing for row in sorted_rows(rows, "tier", descending=True)] == [FIRST, SECOND, None]
    assert sorted_rows(rows, "", descending=True) == rows


def test_that_every_column_can_be_sorted_by() -> None:
    rows = [PowerRow(Power("b", key=1)), PowerRow(POWER, FIRST)]
    assert all(len(sorted_rows(rows, column.order, descending=False)) == 2 for column in POWER_COLUMNS)


@pytest.mark.parametrize(("holders", "said"), [(1, "90 %"), (2, "70 %, in 2 powers"), (3, "63 %, in 3 powers")])
def test_that_a_keyword_is_worth_less_where_more_share_it(holders: int, said: str) -> None:
    assert keyword_score_text(holders) == said


def test_that_an_edit_is_told_as_before_and_after() -> None:
    effect = PowerEffect("q", FIRST, SECOND, knows_meaning=True)
    assert effect_words(effect) == ("95 %, rank 1 of 20, activates → 73 %, rank 2 of 20, offered")
    same = PowerEffect("q", FIRST, replace(FIRST, confidence=FIRST.confidence + 1e-9), knows_meaning=True)
    assert effect_words(same) == "95 %, rank 1 of 20, activates"
    gone = PowerEffect("q", FIRST, None, knows_meaning=True)
    assert effect_words(gone).endswith(" → does not answer")


def test_that_where_a_power_stands_says_what_it_lacks_as_the_verdict_does() -> None:
    said = [rank_text(replace(FIRST, lack=lack)).partition("of 20, ")[2] for lack in ActivationBlocker]
    assert said == [LACKS[lack] for lack in ActivationBlocker]
    assert rank_text(replace(FIRST, confidence=0.0, tier=Tier.NOT_FOUND)) == "0 %, not offered"


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (Power(" "), "needs a name"),
        (Power("postgres"), "Another power is called “postgres”"),
        (Power("x", transport=Transport(url="example.org")), "http"),
        (Power("x", tools=(Tool("", "does"),)), "no name"),
        (POWER, ""),
    ],
)
def test_that_what_cannot_be_saved_is_said_in_words(draft: Power, said: str) -> None:
    assert said in draft_fault(draft, [POWER])
    assert bool(draft_fault(draft, [POWER])) is bool(said)


def test_that_words_are_sought_everywhere_and_blanks_around_texts_are_no_edit() -> None:
    assert matches_search(POWER, "RUN sql")
    assert not matches_search(POWER, "run nowhere")
    assert stripped(Power(" a ", "b \n", examples=(" ", "c "))) == Power("a", "b", examples=("c",))
