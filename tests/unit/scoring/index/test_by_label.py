"""Tests of ranking by label: each label appears once, with its best memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import Match
from app.scoring.combiners import COMBINERS
from app.scoring.index import search as search_module
from app.scoring.index.best import rank
from app.scoring.index.layout import group_of
from app.scoring.index.ranking import confidences, matches
from app.scoring.index.trigger_index import Scores, TriggerIndex
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.scoring.vectors import DIMENSION, vector_of

COUNT = 3
WORDS = ("open", "the", "my", "invoice", "invoices", "database", "a", "zebra", "?", "")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
LABELS = st.sampled_from((None, "billing", "travel", "money", "howto"))
MEMORIES = st.builds(Memory, triggers=st.lists(TEXTS, min_size=1, max_size=2).map(tuple), intent=LABELS)
POWERS = st.builds(Power, name=st.sampled_from(("database", "mail")))


def _index(answers: list[Answer]) -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put(replace(answer, key=key) for key, answer in enumerate(answers, 1))
    index.embed({text: vector_of(text) for text in index.unembedded()})
    return index


def _found(index: TriggerIndex, scores: Scores, chosen: Settings, count: int = COUNT) -> list[Match]:
    ranking = rank(scores, chosen, count, by_label=True)
    return [one for one in matches(index, scores, ranking, chosen) if one.kind is Kind.MEMORY]


@given(
    answers=st.lists(MEMORIES | POWERS, min_size=1, max_size=14),
    typed=st.lists(TEXTS, min_size=1, max_size=3),
    combination=st.sampled_from(list(COMBINERS)),
)
def test_that_the_best_labels_are_found_each_by_its_best_memory(
    answers: list[Answer], typed: list[str], combination: str
) -> None:
    chosen = Settings.model_validate({"combination": combination})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "FIRST", 1)
        patch.setattr(search_module, "TIMES", 2)
        index = _index(answers)
        for text in typed:
            floor = index.score(ScoredText(text))
            for scores in (floor, index.with_meaning(floor, vector_of(text))):
                _are_the_best(index, scores, chosen)


def _are_the_best(index: TriggerIndex, scores: Scores, chosen: Settings) -> None:
    held: dict[object, list[float]] = {}
    for slot, value in zip(scores.layout.slots.tolist(), confidences(scores, chosen).tolist(), strict=True):
        answer = index.candidate(slot).answer
        if isinstance(answer, Memory):
            held.setdefault(group_of(answer), []).append(value)
    found = _found(index, scores, chosen)
    best = sorted((max(values) for values in held.values()), reverse=True)[:COUNT]
    assert [match.confidence for match in found] == pytest.approx(best, abs=1e-6)
    assert len({group_of(match.answer) for match in found}) == len(found)
    for match in found:
        values = held[group_of(match.answer)]
        assert match.confidence == pytest.approx(max(values), abs=1e-6)
        assert match.others == len(values) - 1


def test_that_a_label_of_many_memories_leaves_room_for_the_others() -> None:
    many = [Memory((f"open the invoice {n}",), intent="billing") for n in range(500)]
    index = _index([*many, Memory(("open the door",), intent="doors"), Memory(("open a zebra",))])
    for text in ("open the invoice 7", "zzz"):
        scores = index.score(ScoredText(text, vector_of(text)))
        found = _found(index, scores, Settings(combination="max"))
        assert {match.answer.name for match in found} >= {"open the door", "open a zebra"}
        assert sorted(match.others or 0 for match in found) == [0, 0, 499]


def test_that_of_equal_memories_of_a_label_the_first_that_was_taught_stands_for_it() -> None:
    index = _index([Memory(("open the door",), intent=("one", "two")[n % 2]) for n in range(300)])
    for text in ("zzz", "open", "open the door"):
        for vector in (None, vector_of(text)):
            found = _found(index, index.score(ScoredText(text, vector)), Settings())
            assert [match.answer.key for match in found] == [1, 2]


def test_that_the_lead_is_over_the_next_label_and_the_confidence_the_memorys_own() -> None:
    taught = ["open the invoice", "open the invoice now", "close it"]
    index = _index([Memory((text,), intent=text.split()[0]) for text in taught])
    scores = index.score(ScoredText("open the invoice"))
    chosen = Settings(combination="max")
    alone = matches(index, scores, rank(scores, chosen, COUNT), chosen)
    grouped = _found(index, scores, chosen)
    assert [match.answer.name for match in grouped] == ["open the invoice", "close it"]
    assert grouped[0].confidence == alone[0].confidence == 1.0
    assert grouped[0].lead == pytest.approx(1.0 - grouped[1].confidence)
    assert [match.others for match in alone] == [None] * 3


def test_that_labels_that_are_search_intents_leave_their_memories_apart() -> None:
    index = _index([Memory((f"open {n}",), intent="howto") for n in range(3)])
    found = _found(index, index.score(ScoredText("open 1")), Settings())
    assert [match.others for match in found] == [0, 0, 0]
    assert np.array_equal(index.layout().groups, np.arange(3))
