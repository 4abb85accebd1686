"""Tests of a label's chance divided among different responses: exact, and explained."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.scope.arithmetic import line
from app.domain.fits import Logit
from app.domain.library import Answer, Kind, Memory
from app.domain.match import Band, Match
from app.scoring import arithmetic
from app.scoring.columns.column import Singles
from app.scoring.index import search as search_module
from app.scoring.index.layout import group_of, key_of
from app.scoring.index.ranking import matches, rank
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.shares import LEAST_LABEL, WITHIN_WEIGHTS
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.build import some
from tests.unit.scoring.index.test_learned import LOGITS, Fitted, Read, _asked, _fitted, _under
from tests.unit.scoring.index.test_while_typing import ANSWERS, TRIGGERS, _embed, _live

RESPONSES = st.lists(st.sampled_from(("", "Yes.", "No. ", "No.", "Later.")), min_size=16, max_size=16)
SURE = _under(Logit(none=3.0, semantic=3.0, bm25=6.0), Logit(none=3.0, semantic=9.0))


def _index(answers: list[Answer], responses: list[str]) -> TriggerIndex:
    own = [
        replace(one, response=responses[n % len(responses)]) if isinstance(one, Memory) else one
        for n, one in enumerate(answers)
    ]
    return _live({key_of(one): one for one in own})


def _found(index: TriggerIndex, text: str, chosen: Settings, *, by_label: bool = False) -> list[Match]:
    scores = index.score(_asked(text))
    ranking = rank(scores, chosen, 50, by_label=by_label)
    return [one for one in matches(index, scores, ranking, chosen) if one.kind is Kind.MEMORY]


def _plain(match: Match) -> float:
    """Return the log-odds of a memory alone; -inf for score 0."""
    return next((step.result for step in match.steps if step.name == "evidence"), -math.inf)


@given(answers=ANSWERS, responses=RESPONSES, text=TRIGGERS, both=st.tuples(LOGITS, LOGITS), count=st.integers(1, 50))
def test_that_chances_are_those_of_the_label_times_those_within_it(
    answers: list[Answer], responses: list[str], text: str, both: tuple[Logit, Logit], count: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "FIRST", 1)
        patch.setattr(search_module, "TIMES", 2)
        index = _index(answers, responses)
        chosen = _fitted(index, both)
        found = _found(index, text, chosen)
        scores = index.score(_asked(text))
        few = rank(scores, chosen, count)
        every = confidences(scores, chosen)
    labels = {one.answer.answer_label: one.confidence for one in _found(index, text, chosen, by_label=True)}
    for match in found:
        label = match.answer.answer_label
        own = [one for one in found if one is match or (label is not None and one.answer.answer_label == label)]
        best: dict[str, float] = {}
        for one in own:
            assert isinstance(one.answer, Memory)
            if one.answer.response.strip() and one.confidence > 0.0:
                response = one.answer.response.strip()
                best[response] = max(best.get(response, -math.inf), _preference(index, one, text))
        chance = max((math.exp(_plain(one) - _whole(one)) for one in own if one.confidence > 0.0), default=0.0)
        if label is not None:
            assert labels[label] == pytest.approx(min(1.0, chance), abs=1e-5)
        if match.confidence <= 0.0:
            continue
        responses_of_label = {one.answer.response.strip() for one in own if isinstance(one.answer, Memory)} - {""}
        if len(responses_of_label) < 2 or not best or any(one.scores["semantic"] is None for one in own):
            expected = math.exp(_plain(match) - _whole(match))
        elif chance < LEAST_LABEL:
            continue
        else:
            whole = math.log(math.fsum(map(math.exp, best.values())))
            expected = chance * min(1.0, math.exp(_preference(index, match, text) - whole))
        assert match.confidence == pytest.approx(min(1.0, expected), abs=1e-5)
    told = [one.confidence for one in found]
    assert told == pytest.approx(sorted(told, reverse=True), abs=1e-9)
    values = sorted((float(every[place]) for place in scores.layout.memory_places), reverse=True)
    assert [one.confidence for one in found] == pytest.approx(values, abs=1e-5)
    assert [few.confidences[place] for place in few.memories.tolist()] == pytest.approx(values[:count], abs=1e-5)


def _preference(index: TriggerIndex, match: Match, text: str) -> float:
    """Compute the log-odds within a label from the vectors of all triggers."""
    assert isinstance(match.answer, Memory)
    rows = [index.exact.rows(one)[0] for one in match.answer.triggers]
    query = some(_asked(text).vector).astype(float)
    vectors = np.reshape([index.semantic.vectors[row] for row in rows if index.semantic.known[row]], (-1, len(query)))
    whole = vectors.astype(float).sum(axis=0)
    mean = float(whole @ query) / (float(np.linalg.norm(whole)) or 1.0)
    nearest = max([0.0, *(vectors @ query).tolist()])
    tells = nearest, min(1.0, max(0.0, mean)), math.log(max(1, len(vectors))), match.scores["exact"] or 0.0
    return math.fsum(weight * value for weight, value in zip(WITHIN_WEIGHTS.values(), tells, strict=True))


def _whole(match: Match) -> float:
    return next(step.result for step in match.steps if step.name == "all")


@given(answers=ANSWERS, responses=RESPONSES, text=TRIGGERS, both=st.tuples(LOGITS, LOGITS))
def test_that_every_step_adds_up_again_and_is_shown(
    answers: list[Answer], responses: list[str], text: str, both: tuple[Logit, Logit]
) -> None:
    index = _index(answers, responses)
    chosen = _fitted(index, both)
    for match in _found(index, text, chosen):
        assert (match.steps[-1].result if match.steps else 0.0) == match.confidence
        for step in match.steps:
            assert arithmetic.OPERATIONS[step.operation](step.operands) == step.result
            assert line(step).text
        if match.confidence > 0.0:
            alone = math.exp(_plain(match) - _whole(match))
            assert math.log(match.confidence) == pytest.approx(math.log(alone) + match.label_log_odds, abs=1e-5)


def _doors(*responses: str, **of_first: Any) -> list[Answer]:
    texts = ("open the red door", "open the door red", "open one red door")
    found = [
        Memory((text,), said, "doors", key=n) for n, (text, said) in enumerate(zip(texts, responses, strict=False), 1)
    ]
    return [replace(found[0], **of_first), *found[1:], Memory(("close the window",), "Shut.", "windows", key=9)]


def test_that_equal_evidence_divides_a_label_evenly_and_all_are_found() -> None:
    answers = [Memory(("open the red door",), said, "doors", key=n) for n, said in enumerate("abcd", 1)]
    found = _found(_live({key_of(one): one for one in answers}), "open the red door", SURE)
    alone = _found(_live({key_of(answers[0]): answers[0]}), "open the red door", SURE)
    assert [one.confidence for one in found] == pytest.approx([alone[0].confidence / 4] * 4, abs=1e-5)
    assert {one.band for one in found} == {Band.LOW}
    assert {one.label_chance for one in found} == {alone[0].confidence}


def test_that_memories_that_say_the_same_count_as_one() -> None:
    found = _found(
        _index(_doors("Push.", "Push. ", "Pull."), ["Push.", "Push. ", "Pull.", "Shut."]), "open the red door", SURE
    )
    chances = {one.answer.key: one.confidence for one in found}
    label = some(next(one.label_chance for one in found if one.answer.key == 1))
    assert chances[1] + chances[3] == pytest.approx(label, abs=1e-5)


@pytest.mark.parametrize("of_first", [{"valid_to": "2020-01-01 00:00:00"}, {"response": ""}])
def test_that_what_cannot_be_injected_takes_nothing_from_the_others(of_first: dict[str, str]) -> None:
    index = _live({key_of(one): one for one in _doors("Push.", "Pull.", "Turn.", **of_first)})
    without = _live({key_of(one): one for one in _doors("Push.", "Pull.", "Turn.", **of_first)[1:]})
    text = "open the door red"
    chances = {one.answer.key: one.confidence for one in _found(index, text, SURE)}
    assert chances[2] + chances[3] == pytest.approx(
        next(one.label_chance or 0.0 for one in _found(index, text, SURE) if one.answer.key == 2), abs=1e-9
    )
    assert chances[2] / chances[3] == pytest.approx(_of_key(without, text, 2) / _of_key(without, text, 3), rel=1e-6)


def _of_key(index: TriggerIndex, text: str, key: int) -> float:
    return next(one.confidence for one in _found(index, text, SURE) if one.answer.key == key)


def test_that_an_edited_response_is_told_apart_at_once() -> None:
    first, second = (Memory((text,), "Push.", "doors", key=n) for n, text in enumerate(("open the door",) * 2, 1))
    index = _live({key_of(first): first, key_of(second): second})
    before = _found(index, "open the door", SURE)[0].confidence
    assert index.restate([replace(second, response="Pull.")]) == []
    assert _found(index, "open the door", SURE)[0].confidence < before


def _heard(triggers: dict[int, tuple[str, ...]], vectors: Mapping[str, tuple[float, ...]]) -> dict[int | None, Match]:
    """Return the memories of one label, by key, that a query "asked" finds with these vectors."""
    index = TriggerIndex(len(vectors["asked"]))
    index.put(Memory(own, f"Say {key}.", "doors", key=key) for key, own in triggers.items())
    both = {text: np.array(one, np.float32) / np.linalg.norm(one).astype(np.float32) for text, one in vectors.items()}
    index.embed({text: both[text] for text in index.unembedded()})
    scores = index.score(ScoredText("asked", both["asked"], both["asked"]))
    found = matches(index, scores, rank(scores, SURE, 50), SURE)
    return {one.answer.key: one for one in found}


def test_that_all_triggers_of_a_memory_speak_for_it() -> None:
    near, far = (1.0, 0.3, 0.0), (1.0, -0.3, 1.5)
    vectors = {"asked": (1.0, 0.0, 0.0), "a": near, "b": (1.0, 0.0, 0.3), "c": (1.0, 0.29, 0.0), "d": far}
    found = _heard({1: ("a", "b"), 2: ("c", "d")}, vectors)
    assert found[2].scores["semantic"] == pytest.approx(found[1].scores["semantic"], abs=0.01)
    assert found[1].confidence > 2.0 * found[2].confidence


def test_that_a_memory_gains_nothing_by_many_triggers_alone() -> None:
    vectors = {"asked": (1.0, 0.0, 0.0), "a": (1.0, 1.0, 0.0), "b": (1.0, 0.0, 1.0)}
    found = _heard(
        {1: ("a",), 2: ("b", "b again", "b once more")},
        {**vectors, **dict.fromkeys(("b again", "b once more"), vectors["b"])},
    )
    assert found[2].confidence < found[1].confidence


def test_that_a_memory_with_exactly_these_words_comes_before_one_with_similar_ones() -> None:
    vectors = {"asked": (1.0, 0.0, 0.0), "near": (1.0, 0.1, 0.0), "b": (1.0, 3.0, 0.0), "c": (1.0, 0.0, 3.0)}
    found = _heard({1: ("near",), 2: ("asked", "b", "c")}, vectors)
    assert found[2].confidence > 0.75 > found[1].confidence


def test_that_a_changed_trigger_is_told_apart_at_once() -> None:
    first, second = (
        Memory((text, "open it"), said, "doors", key=n)
        for n, (text, said) in enumerate((("open the door", "Push."), ("open the red door", "Pull.")), 1)
    )
    index = _live({key_of(first): first, key_of(second): second})
    before = _found(index, "open the red door", SURE)
    index.put([replace(second, triggers=("close the window", "open it"))])
    _embed(index)
    after = {one.answer.key: one.confidence for one in _found(index, "open the red door", SURE)}
    fresh = _live({key_of(one): one for one in (first, replace(second, triggers=("close the window", "open it")))})
    expected = {one.answer.key: one.confidence for one in _found(fresh, "open the red door", SURE)}
    assert after == pytest.approx(expected, abs=1e-9)
    assert after[2] < next(one.confidence for one in before if one.answer.key == 2)


# ---- Memories that are not valid, whose label has no valid memory


class Softmax(Fitted):
    """Regression without a least probability, so that leaving out a label leaves the ratios of the others."""

    def read(self, vector: Singles, words: Sequence[str]) -> Read:
        logits = np.array([math.sin(len(str(label)) * 7.0 + float(vector.sum())) * 2.0 for label in self.labels])
        return Read(logits - float(np.logaddexp.reduce(logits)), 1.0, -1.0)


WITHOUT_WORDS = LOGITS.map(lambda logit: replace(logit, bm25=0.0, semantic=logit.semantic + 0.5))
"""Weights that read no word frequencies, which lapsed triggers are part of."""

LAPSES: list[dict[str, Any]] = [{"valid_to": "2001-01-01"}, {"valid_from": "2999-01-01"}, {"id": "old"}]


@given(
    answers=ANSWERS.filter(lambda answers: any(one.kind is Kind.MEMORY for one in answers)),
    responses=RESPONSES,
    text=TRIGGERS,
    lapse=st.sampled_from(LAPSES),
    label=st.sampled_from((None, "past")),
    triggers=st.lists(TRIGGERS, min_size=1, max_size=3).map(tuple),
    both=st.tuples(WITHOUT_WORDS, WITHOUT_WORDS),
    by_label=st.booleans(),
)
def test_that_a_memory_that_is_not_valid_takes_nothing_from_the_others(
    answers: list[Answer],
    responses: list[str],
    text: str,
    lapse: dict[str, Any],
    label: str | None,
    triggers: tuple[str, ...],
    both: tuple[Logit, Logit],
    by_label: bool,
) -> None:
    replacing = ("old",) if "id" in lapse else ()
    own = list({key_of(one): one for one in answers}.values())
    own = [replace(one, replaces=replacing) if isinstance(one, Memory) else one for one in own]
    old = Memory(triggers, "It was.", label, key=77, **lapse)
    found = []
    for answers_of in (own, [*own, old]):
        index = _index(answers_of, responses)
        groups = dict.fromkeys(group_of(one) for one in answers_of if one.kind is Kind.MEMORY)
        index.learn({False: Softmax(tuple(groups))})
        chosen = _under(both[0], replace(both[1], regression=0.0))
        found.append({one.answer.key: one for one in _found(index, text, chosen, by_label=by_label)})
        scores = index.score(_asked(text))
        every = dict(zip(scores.layout.slots.tolist(), confidences(scores, chosen).tolist(), strict=True))
        single = {one.answer.key: one.confidence for one in _found(index, text, chosen)}
        for slot, value in every.items():
            answer = index.candidate(slot).answer
            if answer.kind is Kind.MEMORY:
                assert value == (0.0 if answer.key == 77 else pytest.approx(single[answer.key], abs=1e-5))
    before, after = found
    past = after.pop(77)
    assert {key: one.confidence for key, one in after.items()} == pytest.approx(
        {key: one.confidence for key, one in before.items()}, abs=1e-5
    )
    assert past.lapse is not None
    assert not past.is_found
    assert (past.steps[-1].result if past.steps else 0.0) == past.confidence
