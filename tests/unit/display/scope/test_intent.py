"""Tests of the examples' vote on a type: shares, words, nearest examples, reasons."""

from __future__ import annotations

from app.display.scope.intent import MOST_NEAR, MOST_SHARES, learned_card, learned_lines, taught_message, type_choice
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.intent import IntentType
from app.domain.scope.inspection import Detection, LearnedType
from tests.build import some

NEAR = tuple(NearExample(f"near {n}", "location", 0.9 - 0.1 * n, n < 2) for n in range(5))
BACKING = (NearExample("it dies at night", "troubleshoot", 0.31),)


def detection(vote: Vote | None, missing: str = "") -> Detection:
    return Detection(None, "evidence", learned=LearnedType(vote, missing))


def vote(**shares: float) -> Vote:
    ranked = tuple(sorted(shares.items(), key=lambda one: -one[1]))
    return Vote(ranked[0][0], 0.75, 0.5, ranked, NEAR, VoteBasis(backing=BACKING, words=("dies", "at")))


def test_that_nothing_is_told_where_examples_are_not_asked_and_a_reason_where_they_cannot() -> None:
    assert learned_card(Detection(None, "evidence")) is None
    assert learned_lines(None) == []
    card = learned_card(detection(None, "The examples are being learned."))
    assert learned_lines(card) == ["From examples", "The examples are being learned."]


def test_that_the_chance_the_largest_shares_the_words_and_an_example_that_agrees_are_told() -> None:
    card = some(learned_card(detection(vote(troubleshoot=0.7, location=0.2, general=0.05))))
    assert len(card.shares) == MOST_SHARES
    assert len(card.near) == MOST_NEAR
    assert learned_lines(card) == [
        "From examples: Troubleshoot, 75 % likely",
        "Votes: Troubleshoot 70 %, Location 20 %, nothing is asked 5 %",
        "The likelihood is how often such votes are right. Words that indicate Troubleshoot: “dies”.",
        "“near 0”: Location 0.900, ships with the program",
        "“near 1”: Location 0.800, ships with the program",
        "“it dies at night”: Troubleshoot 0.310, taught here",
    ]


def test_that_a_vote_for_none_says_that_nothing_is_asked() -> None:
    card = some(learned_card(detection(vote(troubleshoot=0.1))))
    assert card.title == "From examples: asks for nothing"
    assert [(share.type, share.is_first) for share in card.shares] == [
        ("nothing is asked", True),
        ("Troubleshoot", False),
    ]
    assert not any(one.is_first for one in card.near)
    assert card.sentence == ""


def test_that_what_was_taught_is_said() -> None:
    assert type_choice(None) == "Asks for nothing"
    assert taught_message(IntentType.HOWTO, is_new=True) == "Taught: the type of this query is How-to."
    assert taught_message(None, is_new=False) == "Changed: the type of this query is none from now on."
