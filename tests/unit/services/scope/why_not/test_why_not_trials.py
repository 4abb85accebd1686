"""Tests of a partial index over the rest: the same result as an edited complete index."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from app.domain.case import Task
from app.domain.library import Answer, Memory, Power
from app.evaluation.candidates import candidates_of
from app.scoring.columns.exact import ScoredText
from app.scoring.index.layout import key_of
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.services.evaluation.trials import RANKED, NameRanking, Overlay, TaughtAnswers, TrialEdit, TrialQuery, texts_of
from app.settings.model import Settings
from tests.unit.services.benches import LetterEncoder

WORDS = "pay bill rain order parcel cancel garage cat database query weather open where settle".split()
LABELS = (None, "billing", "weather", "howto", "billing", "cancel")
COMBINATIONS = ("balanced", "max", "weighted_average", "cascade", "calibrated", "learned")


def phrase(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))


def answer(chance: random.Random, key: int) -> Answer:
    texts = tuple(dict.fromkeys(phrase(chance) for _ in range(chance.randint(1, 3))))
    if key % 4 == 0:
        return Power(f"power {key}", texts[0], keywords=tuple(chance.choices(WORDS, k=2)), examples=texts, key=key)
    return Memory(texts, intent=chance.choice(LABELS), id=chance.choice((None, f"m{key}", "shared")), key=key)


def index_of(answers: list[Answer]) -> TriggerIndex:
    encoder = LetterEncoder()
    texts = texts_of(answers)
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    index = TriggerIndex(encoder.provenance.dimension)
    index.put(answers)
    index.embed(vectors)
    return index


@pytest.mark.parametrize("seed", range(20))
def test_that_an_edit_laid_over_is_as_the_edit_made(seed: int) -> None:
    chance = random.Random(seed)
    answers = [answer(chance, key) for key in range(1, 25)]
    chosen = chance.sample(answers, 2)
    come = [replace(answer(chance, one.key or 0), key=one.key) for one in chosen]
    come[0] = replace(come[0], paused=chance.random() < 0.3)
    edit = TrialEdit(tuple(come))
    changed = [one for one in answers if key_of(one) not in edit.keys] + list(edit.scored)
    library, whole = TaughtAnswers(index_of(answers)), index_of(changed)
    encoder, text = LetterEncoder(), phrase(chance)
    query = ScoredText(text, encoder.encode([text])[0])
    for task in RANKED:
        beside = texts_of(library.affected_by(edit, task).values())
        vectors = dict(zip(beside, encoder.encode(beside), strict=True)) if beside else {}
        overlay = Overlay(library, edit, task, vectors)
        for name in COMBINATIONS:
            settings = Settings.model_validate({"combination": name})
            told = TrialQuery(library, query).ranking(task, settings, overlay)
            candidates = candidates_of(whole, task)
            values = candidates.confidences(whole.score(query), settings)
            expected = {one: float(value) for one, value in zip(candidates.names, values, strict=True) if value > 0}
            found = {one: float(value) for one, value in zip(told.names, told.values, strict=True) if value > 0}
            assert found == pytest.approx(expected, abs=1e-6), (task, name)


@pytest.mark.parametrize("seed", range(8))
def test_that_an_intent_has_the_chance_that_is_shown_with_its_memories(seed: int) -> None:
    chance = random.Random(seed)
    index, text, settings = index_of([answer(chance, key) for key in range(1, 25)]), phrase(chance), Settings()
    scores = index.score(ScoredText(text, LetterEncoder().encode([text])[0]))
    candidates = candidates_of(index, Task.INTENT)
    values = dict(zip(candidates.names, candidates.confidences(scores, settings).tolist(), strict=True))
    found = matches(index, scores, rank(scores, settings, 50), settings)
    shown: dict[str, float] = {}
    for one in found:
        if isinstance(one.answer, Memory):
            name = one.answer.intent or one.answer.name
            shown[name] = max(one.label_chance or 0.0, shown.get(name, 0.0))
    assert shown == pytest.approx({name: values[name] for name in shown}, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_that_labels_are_divided_after_an_edit_as_once_it_is_made(seed: int) -> None:
    chance = random.Random(seed)
    said = ("", "Pay it.", "Wait.", "Call.")
    drawn = [answer(chance, key) for key in range(1, 25)]
    answers = [
        replace(one, id=f"m{one.key}", response=chance.choice(said)) if isinstance(one, Memory) else one
        for one in drawn
    ]
    memories = [one for one in answers if isinstance(one, Memory)]
    come = [
        replace(one, triggers=(phrase(chance),), response=chance.choice(said)) for one in chance.sample(memories, 3)
    ]
    edit = TrialEdit((*come, Memory((phrase(chance),), "Ask.", "billing", id="new", key=99)))
    changed = [one for one in answers if key_of(one) not in edit.keys] + list(edit.scored)
    library, whole = TaughtAnswers(index_of(answers)), index_of(changed)
    encoder, text, settings = LetterEncoder(), phrase(chance), Settings()
    query = ScoredText(text, encoder.encode([text])[0])
    beside = texts_of(library.affected_by(edit, Task.MEMORY).values())
    overlay = Overlay(library, edit, Task.MEMORY, dict(zip(beside, encoder.encode(beside), strict=True)))
    told = TrialQuery(library, query).ranking(Task.MEMORY, settings, overlay)
    made = TrialQuery(TaughtAnswers(whole), query).ranking(Task.MEMORY, settings)
    found = {one: float(value) for one, value in zip(told.names, told.values, strict=True) if value > 0}
    assert made.label_chances
    expected = {one: float(value) for one, value in zip(made.names, made.values, strict=True) if value > 0}
    assert found == pytest.approx(expected, abs=1e-6)
    assert told.label_chances == pytest.approx({one: made.label_chances[one] for one in told.label_chances}, abs=1e-6)


def test_that_of_level_names_the_edited_stand_last() -> None:
    standing = NameRanking(("a", "b", "c", "d"), np.array([0.5, 0.7, 0.7, 0.0]), frozenset({1}))
    assert standing.best(10) == [2, 1, 0]
    assert (standing.top, standing.rank(1), standing.rank(0), standing.rank(3)) == (2, 2, 3, None)
    assert NameRanking((), np.zeros(0)).top is None


def test_that_an_edit_of_a_memory_touches_no_power() -> None:
    memory, power = Memory(("pay bill",), key=1), Power("postgres", key=2)
    library = TaughtAnswers(index_of([memory, power]))
    edit = TrialEdit((replace(memory, triggers=("pay", "bill")),))
    assert library.affected_by(edit, Task.MEMORY) == {key_of(memory): edit.come[0]}
