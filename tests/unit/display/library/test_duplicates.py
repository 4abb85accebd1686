"""Tests of findings in words: marked differences, plurals, and absent scores."""

from __future__ import annotations

from app.display.library import duplicates
from app.display.library.teaching import near_duplicate_line
from app.domain.library import Memory, Power
from app.domain.review.duplicates import (
    DuplicateFinding,
    DuplicateKind,
    NearDuplicate,
    SimilarityThresholds,
    TriggerUse,
)
from app.scoring.library.duplicate_findings import Findings, answer_identity

BORN = Memory(("when were you born",), intent="age", usage=1, tags=("a", "b"), key=1)
PLACE = Memory(("Where were you, born?", "your home"), "Here.", intent="place", usage=4, success=0.7, key=2)
BANK = Power("bank", "Accounts", examples=("when were you born",), key=3)


def held(*answers: Memory | Power) -> tuple[TriggerUse, ...]:
    first = (answer.examples if isinstance(answer, Power) else answer.triggers for answer in answers)
    return tuple(TriggerUse(a, own[0], answer_identity(a)) for a, own in zip(answers, first, strict=True))


NEAR = DuplicateFinding(DuplicateKind.NEAR_CONFLICT, held(BORN, PLACE), 0.9512, None)
SAME = DuplicateFinding(DuplicateKind.CONFLICT, held(BORN, BANK))


def test_that_a_row_names_trigger_answers_and_scores() -> None:
    row = duplicates.finding_row(NEAR)
    assert (row.word, row.trigger, row.answers) == ("Near conflict", "when were you born", "age · place")
    assert (row.spelling, row.meaning) == ("95 %", "–")
    assert duplicates.finding_row(SAME).spelling == ""
    twice = DuplicateFinding(DuplicateKind.DUPLICATE, held(BORN, BORN, BORN))
    assert duplicates.finding_row(twice).answers == "age, 3 times"
    many = tuple(TriggerUse(BORN, "x", str(n)) for n in range(1)) + tuple(
        TriggerUse(Memory(("x",), intent=f"l{n}", key=n), "x", f"label l{n}") for n in range(5)
    )
    assert duplicates.finding_row(DuplicateFinding(DuplicateKind.CONFLICT, many)).answers == "age · l0 · l1 · 3 more"


def test_that_only_the_words_that_differ_are_marked() -> None:
    marked = duplicates.differing_words(["when were you born", "Where were you, born?"])
    assert [[word for word, differs in own if differs] for own in marked] == [["when"], ["Where"]]
    again = duplicates.differing_words(["the bill of the bank", "the bill of bank"])
    assert [[word for word, differs in own if differs] for own in again] == [["the"], []]
    assert duplicates.differing_words(["Same!", "same"]) == ((("Same!", False),), (("same", False),))


def test_that_cards_say_how_an_answer_does() -> None:
    one, other = duplicates.holding_cards(NEAR)
    assert (one.name, one.others, one.tags) == ("age", "its only trigger", "a, b")
    assert one.use == "success 50 %, never marked right"
    assert (other.use, other.others, other.response) == ("success 70 %, never marked right", "1 more trigger", "Here.")
    power = duplicates.holding_cards(SAME)[1]
    assert (power.name, power.response) == ("bank", "Accounts")
    assert "no success score" in power.use


def test_that_each_likeness_is_explained_and_counted() -> None:
    assert "2 answers" in duplicates.explanation(SAME)
    assert len(
        {duplicates.explanation(DuplicateFinding(likeness, SAME.holdings)) for likeness in DuplicateKind}
    ) == len(DuplicateKind)
    counts = duplicates.counts([NEAR, SAME, SAME], {DuplicateKind.NEAR_CONFLICT: 1_200})
    assert duplicates.counts_line(counts) == "2 conflicts · 1,201 near conflicts"
    assert duplicates.counts_line(duplicates.counts([SAME], {})) == "1 conflict"
    assert duplicates.counts_line({}) == "nothing found"


def test_that_the_line_of_a_search_says_what_was_not_compared() -> None:
    line = duplicates.searched_line(Findings(searched=2_000, unembedded=1), SimilarityThresholds(0.9, 0.95))
    assert line.startswith("All 2,000 triggers were compared, from 0.90 by spelling and 0.95")
    assert "1 trigger has no vector yet" in line
    assert "too many" in duplicates.searched_line(Findings(searched=2, is_cut=True), SimilarityThresholds(0.9, 0.95))
    assert "too many" not in duplicates.searched_line(Findings(searched=2), SimilarityThresholds(0.9, 0.95))


def test_that_the_line_under_a_typed_trigger_names_the_nearest_and_leaves_out_the_same() -> None:
    same = NearDuplicate(PLACE, "a", 1.0, None, is_same=True)
    near = NearDuplicate(BORN, "when were you born", 0.9512, 0.97, is_same=False)
    assert near_duplicate_line([]) == near_duplicate_line([same]) == ""
    assert near_duplicate_line([same, near]) == (
        "Nearly the same under another answer: “when were you born” (age; spelling 95 %, meaning 97 %)."
    )
    assert "2 times" in near_duplicate_line([near, NearDuplicate(PLACE, "b", 0.9, None, is_same=False)])
