"""Tests of `learned`: exact shares with and without a regression, with explanations."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.fits import BRIEF, BRIEF_NONE, FLOOR, Learned, Logit
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import Match
from app.scoring import arithmetic
from app.scoring.columns.bm25 import CONTENT, lacking_words
from app.scoring.columns.column import Floats, Singles
from app.scoring.columns.fuzzy import ALIKE
from app.scoring.columns.regression import UNLIKELY
from app.scoring.index import search as search_module
from app.scoring.index.layout import group_of, key_of
from app.scoring.index.ranking import matches, rank
from app.scoring.index.scales import confidences
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.shares import SHARED, Shares
from app.scoring.text import QueryVector, ScoredText
from app.settings.model import Settings
from tests.unit.scoring.index.test_while_typing import ANSWERS, TRIGGERS, _live, _vector
from tests.unit.scoring.vectors import DIMENSION, index_of, vector_of

WEIGHT = st.just(0.0) | st.floats(1e-3, 9.0)
"""Weights; bounds are single floats, which cannot distinguish a tiny weight from 0."""
LOGITS = st.builds(
    Logit,
    none=st.floats(-5.0, 9.0),
    semantic=WEIGHT,
    centroid=WEIGHT,
    description=WEIGHT,
    bm25=WEIGHT,
    fuzzy=WEIGHT,
    keyword=WEIGHT,
    regression=WEIGHT,
    energy=st.floats(-3.0, 0.0),
    background=st.floats(0.0, 2.0),
).filter(lambda logit: logit.semantic + logit.bm25 > 0.1)
PLAIN, BY_SHARES = Settings(combination="balanced"), Settings(combination="learned")


class Read(NamedTuple):
    log_probabilities: Floats
    energy: float
    background: float


@dataclass(frozen=True)
class Fitted:
    """Regression of some labels, with numbers generated from their names."""

    labels: tuple[Hashable, ...]

    def read(self, vector: Singles, words: Sequence[str]) -> Read:
        told = float(vector.sum()) * 3.0 + len(words)
        logits = np.array([math.sin(len(str(label)) * 7.0 + told) * 9.0 for label in self.labels])
        whole = float(np.log(np.exp(logits).sum()))
        return Read(np.maximum(logits - whole, FLOOR), whole, -whole)


def _asked(text: str) -> ScoredText:
    """Make a query with one vector for comparison and one for the regression."""
    return ScoredText(text, _vector(text), _vector(text))


def _regressions(index: TriggerIndex) -> dict[bool, Fitted]:
    """Make regressions of every other group, as after an edit; for powers only with several."""
    names: dict[bool, dict[Hashable, None]] = {False: {}, True: {}}
    for answer in index.answers().values():
        names[answer.kind is Kind.POWER][group_of(answer)] = None
    return {power: Fitted(tuple(own)[::2]) for power, own in names.items() if len(own) > power}


def _fitted(index: TriggerIndex, both: tuple[Logit, Logit]) -> Settings:
    """Let the index use regressions; weights of a missing regression are 0."""
    regressions = _regressions(index)
    index.learn(regressions)
    own = [logit if power in regressions else replace(logit, regression=0.0) for power, logit in enumerate(both)]
    return _under(*own)


def _under(memories: Logit, powers: Logit) -> Settings:
    return BY_SHARES.with_learned(Learned(memories, powers))


def _z(scores: Scores, chosen: Settings, place: int, *, power: bool) -> float:
    """Compute z by the plain sum."""
    logit = chosen.learned.of(power=power, has_regression="regression" in scores.by_slot)
    total = 0.0
    for name in ("semantic", "centroid", "description", "bm25", "keyword"):
        value = float(scores.by_slot[name][place]) if name in scores.by_slot else math.nan
        total += getattr(logit, name) * (0.0 if math.isnan(value) else value)
    total += logit.fuzzy * max(0.0, (float(scores.by_slot["fuzzy"][place]) - ALIKE) / (1.0 - ALIKE))
    if logit.regression:
        chance = float(scores.by_slot["regression"][place])
        total += logit.regression * (FLOOR if math.isnan(chance) else max(FLOOR, math.log(max(chance, 1e-9))))
    return total


def _found(index: TriggerIndex, scores: Scores, chosen: Settings, count: int = 3) -> tuple[Match, ...]:
    return matches(index, scores, rank(scores, chosen, count), chosen)


@given(answers=ANSWERS, text=TRIGGERS, both=st.tuples(LOGITS, LOGITS), fitted=st.booleans())
def test_that_shares_are_those_of_the_plain_sums_over_all_rows(
    answers: list[Answer], text: str, both: tuple[Logit, Logit], fitted: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "FIRST", 1)
        patch.setattr(search_module, "TIMES", 2)
        index = _live({key_of(answer): answer for answer in answers})
        index.embed({one: _vector(one) for one in index.unembedded()})
        chosen = _fitted(index, both) if fitted else _under(*both)
        floor = index.score(ScoredText(text), name_counts=True)
        scores = index.with_meaning(floor, QueryVector(_vector(text), _vector(text)))
        found = {(one.kind, one.answer.key): one for one in _found(index, scores, chosen, 50)}
        every = confidences(scores, chosen)
    for power in (False, True):
        _is_plain(
            index, scores, chosen, power, {key: one for key, one in found.items() if (key[0] == "power") is power}
        )
    for place, slot in enumerate(scores.layout.slots.tolist()):
        key = key_of(index.candidate(slot).answer)
        assert found[key].confidence == pytest.approx(float(every[place]), abs=1e-5)


def _is_plain(
    index: TriggerIndex, scores: Scores, chosen: Settings, power: bool, found: dict[tuple[Kind, int | None], Match]
) -> None:
    layout, best, own = scores.layout, dict[int, float](), dict[tuple[Kind, int], float]()
    logit = chosen.learned.of(power=power, has_regression="regression" in scores.by_slot)
    for place in (layout.power_places if power else layout.memory_places).tolist():
        z = own[key_of(index.candidate(int(layout.slots[place])).answer)] = _z(scores, chosen, place, power=power)
        group = int(layout.groups[place])
        if z > FLOOR * logit.regression:
            best[group] = max(best.get(group, -math.inf), z)
    none, reading = logit.none, scores.readings.get(power)
    if reading is not None and logit.regression:
        none += logit.energy * reading.energy + logit.background * reading.background
    lacking = lacking_words(scores.query.words) if power else 0
    scale = 1.0 - BRIEF * lacking * (lacking + 1.0) / 2.0
    none = none * scale + BRIEF_NONE * lacking
    shared = [scale * z for z in sorted(best.values(), reverse=True)[:SHARED]]
    whole = math.log(math.fsum(map(math.exp, (none, *shared))))
    for key, z in own.items():
        expected = min(1.0, math.exp(scale * z - whole)) if z > FLOOR * logit.regression else 0.0
        assert found[key].confidence == pytest.approx(expected, abs=1e-5)
    ranked = [one.confidence for one in found.values()]
    assert ranked == pytest.approx(sorted(ranked, reverse=True), abs=1e-12)


@given(answers=ANSWERS, text=TRIGGERS, both=st.tuples(LOGITS, LOGITS))
def test_that_the_account_adds_up_to_the_share(answers: list[Answer], text: str, both: tuple[Logit, Logit]) -> None:
    index = _live({key_of(answer): answer for answer in answers})
    chosen = _fitted(index, both)
    scores = index.score(_asked(text))
    for match in _found(index, scores, chosen):
        assert (match.steps[-1].result if match.steps else 0.0) == match.confidence
        for step in match.steps:
            assert arithmetic.OPERATIONS[step.operation](step.operands) == step.result
        if match.steps:
            by_name = {step.name: step.result for step in match.steps}
            assert math.exp(by_name["evidence"] - by_name["all"]) == pytest.approx(match.confidence, abs=1e-9)


@given(LOGITS, st.lists(st.floats(0.01, 1.0), min_size=1, max_size=30), st.integers(0, CONTENT - 2))
def test_that_each_further_content_word_lets_the_best_power_that_leads_none_grow_and_keeps_the_order(
    logit: Logit, combined: list[float], lacking: int
) -> None:
    combined.sort(reverse=True)
    fuller, briefer = (Shares.of(logit, combined[:SHARED], None, lacking + more) for more in (0, 1))
    if fuller.best[0] >= fuller.none.result:
        assert briefer(combined[0]) <= fuller(combined[0]) + 1e-12
    for shares in (fuller, briefer):
        assert [shares(one) for one in combined] == sorted(map(shares, combined), reverse=True)


def test_that_memories_of_one_label_do_not_take_from_each_other() -> None:
    alone = _live({(Kind.MEMORY, 1): Memory(("open the red door",), intent="doors", key=1)})
    both = _live(
        {
            (Kind.MEMORY, 1): Memory(("open the red door",), intent="doors", key=1),
            (Kind.MEMORY, 2): Memory(("open the door red",), intent="doors", key=2),
        }
    )
    chosen = _under(Logit(none=3.0, semantic=8.0), Logit(none=3.0, semantic=8.0))
    told = []
    for index in (alone, both):
        scores = index.score(_asked("open the red door"))
        told.append(_found(index, scores, chosen)[0].confidence)
    assert told[0] == pytest.approx(told[1], abs=1e-9)
    assert told[0] == pytest.approx(1.0 / (1.0 + math.exp(3.0 - 8.0)), abs=1e-6)


def test_that_without_the_vector_of_the_query_it_is_told_as_balanced() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open the door",), key=1), (Kind.POWER, 1): Power("mail", key=1)})
    floor = index.score(ScoredText("open a door"))
    plain, told = _found(index, floor, PLAIN), _found(index, floor, BY_SHARES)
    assert [(one.confidence, one.steps) for one in told] == [(one.confidence, one.steps) for one in plain]


def test_that_its_scorers_are_shown_under_it_alone() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open the door",), key=1)})
    scores = index.score(_asked("open a door"))
    (plain,), (told,) = _found(index, scores, PLAIN), _found(index, scores, BY_SHARES)
    assert set(told.scores) - set(plain.scores) == {"bm25", "regression"}
    assert {name: told.scores[name] for name in plain.scores} == plain.scores


def test_that_descriptions_as_a_whole_are_shown_where_they_have_a_weight() -> None:
    index = _live({(Kind.POWER, 1): Power("doors", "open the door\n\nclose it", key=1)})
    scores = index.score(_asked("open a door"))
    weighed = _under(Logit(none=1.0, semantic=1.0), Logit(none=1.0, description=2.0))
    (plain,), (told,) = _found(index, scores, BY_SHARES), _found(index, scores, weighed)
    assert set(told.scores) - set(plain.scores) == {"description"}


def test_that_a_label_taught_after_the_fit_stands_where_the_best_other_does() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open it",), intent="doors", key=1)})
    index.learn({False: Fitted(("doors", "gone"))})
    index.put([Memory(("close the zebra",), intent="new", key=2)])
    index.embed({text: _vector(text) for text in index.unembedded()})
    told = index.score(_asked("close")).by_slot["regression"]
    best = math.exp(Fitted(("doors", "gone")).read(_vector("close"), ("close",)).log_probabilities.max())
    assert told[1] == pytest.approx(best, abs=1e-12)
    assert told[1] >= told[0]


def test_that_weights_that_count_on_a_regression_wait_for_it() -> None:
    own = Logit(none=1.0, semantic=2.0, regression=3.0)
    learned = Learned(memories=own)
    assert learned.of(power=False, has_regression=True) is own
    assert learned.of(power=False, has_regression=False) is Learned().memories
    with pytest.raises(ValueError, match="at least 0"):
        Logit(none=0.0, semantic=-1.0)


def test_that_a_label_is_certain_of_what_it_is_taught_word_for_word() -> None:
    index = _live(
        {(Kind.MEMORY, n): Memory((f"{one} it",), intent=one, key=n) for n, one in enumerate(("open", "shut"))}
    )
    index.embed({text: _vector(text) for text in index.unembedded()})
    index.learn({False: Fitted(("open", "shut"))})
    told = index.score(_asked("Shut it!")).by_slot["regression"]
    assert told[1] == 1.0
    assert told[0] == pytest.approx(
        math.exp(Fitted(("open", "shut")).read(_vector("Shut it!"), ("shut", "it")).log_probabilities[0])
    )


POWERS = {"postgres": "show the tables", "charts": "draw a chart"}


def _orders(*triggers: str) -> TriggerIndex:
    index = index_of([Memory((trigger,), intent=trigger, key=key) for key, trigger in enumerate(triggers, 1)])
    index.learn({False: Fitted(tuple(map(group_of, index.answers().values())))})
    return index


@pytest.mark.parametrize("text", ["Don’t cancel my order!", "we no longer want to cancel my order."])
def test_that_an_answer_whose_trigger_is_negated_is_lowered_and_told(text: str) -> None:
    index = _orders("cancel my order", "order two pizzas")
    query = ScoredText(text, vector_of(text), vector_of(text))
    assert index.score(query).by_slot["regression"][0] == UNLIKELY
    assert index.negated(query.bare) == [("cancel my order", False)]


def test_that_no_other_memory_answers_where_all_that_is_asked_for_is_negated() -> None:
    index = _orders("cancel my order", "order two pizzas")
    for text, lowered in (("do not cancel my order", True), ("do not cancel my order, order two pizzas", False)):
        query = ScoredText(text, vector_of("order two pizzas"), vector_of("order two pizzas"))
        assert (index.score(query).by_slot["regression"] == UNLIKELY).tolist() == [True, lowered]


@pytest.mark.parametrize("is_fitted", [False, True])
def test_that_no_power_starts_instead_of_a_negated_one(is_fitted: bool) -> None:
    index, shown = TriggerIndex(DIMENSION), "show the tables"
    powers = [Power(name, examples=(text,), key=key) for key, (name, text) in enumerate(POWERS.items(), 1)]
    index.put(powers)
    index.embed({trigger: vector_of(shown) for trigger in index.unembedded()})
    if is_fitted:
        index.learn({True: Fitted(tuple(map(group_of, index.answers().values())))})
    logit = Logit(none=1.0, semantic=9.0, fuzzy=2.0, regression=0.1 if is_fitted else 0.0)
    found = {}
    for query in (shown, f"do not {shown}", f"do not {shown}, draw a chart"):
        scores = index.score(ScoredText(query, vector_of(shown), vector_of(shown)))
        matched = _found(index, scores, _under(logit, logit))
        found[query] = {one.answer.name for one in matched if one.confidence > 0.0}
    assert list(found.values()) == [{"postgres", "charts"}, set(), {"charts"}]


def test_that_a_negation_that_is_taught_is_certain() -> None:
    index = _orders("send it", "do not send it")
    query = ScoredText("do not send it", vector_of("x"), vector_of("x"))
    assert index.score(query).by_slot["regression"].tolist() == [UNLIKELY, 1.0]


def test_that_a_trigger_with_stop_finds_its_own_answer_where_there_is_no_regression() -> None:
    index = TriggerIndex(DIMENSION)
    stop, send = "stop sending me emails", "send me weekly emails"
    index.put(
        [Memory((stop, send), intent="emails", key=1), Memory(("quit smoking",), key=2), Memory(("smoking",), key=3)]
    )
    for text in (stop, "quit smoking"):
        assert "regression" not in index.score(ScoredText(text, vector_of(text))).by_slot


SERVERS = (
    Power("postgres", "Ask a PostgreSQL database", ("database", "tables"), key=1),
    Power("rollback", "Roll back a release", ("roll back",), key=2),
    Power("deployer", "Deploy the shop", ("deploy",), key=3),
    Power("focus", "Mute everything", examples=("don't send me messages",), key=4),
    Power("mail", "Write messages", ("email",), examples=("send messages to Ann",), key=5),
)
REFUSALS = list(map(json.loads, Path(__file__).with_name("refusals.jsonl").read_text("utf-8").splitlines()))
"""Queries, each with the keys of the servers that it refuses."""


@pytest.mark.parametrize(("text", "lowered"), REFUSALS)
def test_that_powers_are_lowered_where_a_query_only_refuses(text: str, lowered: list[int]) -> None:
    index = index_of(SERVERS)
    scores = index.score(ScoredText(text, vector_of(text)))
    unlikely = scores.by_slot.get("regression")
    marked = set() if unlikely is None else {n for n, one in enumerate(unlikely, 1) if one == UNLIKELY}
    assert sorted(marked) == lowered


@pytest.mark.parametrize("text", ["you", "The", "that?", "please"])
def test_that_a_function_word_alone_makes_no_answer_likely_that_is_not_it(text: str) -> None:
    index = _orders("did you sleep", "the order that came", text)
    chances = index.score(ScoredText(text, vector_of(text), vector_of(text))).by_slot["regression"]
    assert (chances[:2] <= UNLIKELY).all()
    assert chances[2] == 1.0
