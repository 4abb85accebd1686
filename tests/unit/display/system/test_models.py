"""Tests of the connection check in words."""

from __future__ import annotations

import pytest

from app.display.system.models import MARKS, link_rows, progress, state_line, verdict
from app.domain.llm import LlmOutcome
from app.ports.llm import LlmState
from app.services.system.connection import REMEDIES, Link, LinkState, without_address


def test_that_every_state_of_a_link_has_a_word_and_an_icon_of_its_own() -> None:
    assert set(MARKS) == set(LinkState)
    assert len({mark[0] for mark in MARKS.values()}) == len({mark[1] for mark in MARKS.values()}) == len(MARKS)


def test_that_what_lies_behind_a_failed_link_says_so() -> None:
    rows = link_rows(without_address())
    assert [row.name for row in rows] == list(REMEDIES)
    assert (rows[0].word, rows[0].remedy) == ("Failed", REMEDIES["Address"])
    assert {row.sentence for row in rows[1:]} == {"Not reached: Address failed."}
    assert verdict(without_address()) == "Stopped at Address."


def test_that_a_check_in_which_all_is_fine_says_so() -> None:
    assert verdict([Link(name, LinkState.FINE) for name in REMEDIES]) == "All steps passed."
    wrong = [Link(name, LinkState.DOUBTFUL if name == "Answer" else LinkState.FINE) for name in REMEDIES]
    assert verdict(wrong) == "Connected, but the test of Answer is wrong."
    assert verdict([Link(name, LinkState.WAITING) for name in REMEDIES]) == ""


@pytest.mark.parametrize("outcome", list(LlmOutcome))
def test_that_every_state_of_the_llm_has_a_pill_and_a_sentence(outcome: LlmOutcome) -> None:
    line = state_line(LlmState(outcome, "It is so.", "small", "json"), wanted=True)
    assert line.word
    assert line.icon
    assert line.sentence


def test_that_off_says_what_to_do() -> None:
    off = LlmState(LlmOutcome.OFF)
    assert "Set an address" in state_line(off, wanted=True).sentence
    assert "search_intent.use_llm" in state_line(off, wanted=False).sentence


def test_that_a_share_is_only_told_where_the_whole_is_known() -> None:
    assert progress("pulling manifest", 0, 0) == ("pulling manifest", None)
    assert progress("pulling 4a1b", 12_000_000, 48_000_000) == ("pulling 4a1b: 12.0 of 48.0 MB", 0.25)
