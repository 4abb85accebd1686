"""Tests of columns of the index: BM25, descriptions, upper bounds, forms of texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from app.domain.fits import Learned, Logit
from app.domain.library import Answer, Memory, Power
from app.domain.match import Breakdown
from app.scoring.columns import column
from app.scoring.columns.bm25 import CONTENT, K1, OF_A_WORD, B, Bm25Column, is_void, lacking_words, terms
from app.scoring.columns.column import Few, Floats, Growing, Lazily, Places, Singles
from app.scoring.columns.fuzzy import FuzzyColumn
from app.scoring.columns.semantic import SemanticColumn, exact_products
from app.scoring.combiners import COMBINERS
from app.scoring.index import search as search_module
from app.scoring.index.ranking import rank
from app.scoring.index.ranking import rank as rank_all
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.learned.defaults import described
from app.scoring.learned.fit import LabelledBatch, View
from app.scoring.learned.library import taught_of
from app.scoring.learned.logit import fitted
from app.scoring.learned.regression import letters_of_each
from app.scoring.learned.taught import NONE
from app.scoring.scorers import SCORERS
from app.scoring.text import ScoredText, singular, sorted_tokens, words
from app.settings.model import Settings
from tests.build import some
from tests.unit.scoring.index.test_while_typing import EDITS, TRIGGERS, _typed
from tests.unit.scoring.learned.test_model import USUAL, questions
from tests.unit.scoring.vectors import DIMENSION, index_of, vector_of, vectors_of


def _plain(query: str, triggers: list[str]) -> list[float]:
    """Compute the scores by the formula, word by word."""
    every = [Counter(terms(trigger)) for trigger in triggers]
    mean = max(sum(one.total() for one in every) / max(len(every), 1), 1.0)

    def rarity(word: str) -> float:
        held = sum(word in one for one in every)
        return math.log(1.0 + (len(every) - held + 0.5) / (held + 0.5))

    def score(row: Counter[str], asked: Counter[str]) -> float:
        norm = K1 * (1.0 - B + B * row.total() / mean)
        return sum(rarity(word) * row[word] * (K1 + 1.0) / (row[word] + norm) for word in asked if word in row)

    asked = Counter(terms(query))
    perfect = score(asked, asked)
    if is_void(asked):
        every = [one if one.keys() <= asked.keys() else Counter() for one in every]
    return [min(1.0, score(one, asked) / perfect) if perfect else 0.0 for one in every]


@given(
    triggers=st.lists(TRIGGERS, min_size=1, max_size=8),
    gone=st.sets(st.integers(0, 7)),
    typed=st.lists(TRIGGERS, max_size=4),
)
@example(triggers=["did you sleep well", "you"], gone=set(), typed=["You", "you sleep"])
def test_that_it_is_the_formula_whatever_came_and_went(triggers: list[str], gone: set[int], typed: list[str]) -> None:
    column = Bm25Column()
    column.append(triggers[:2])
    for text in typed:
        column.score(ScoredText(text))
    column.append(triggers[2:])
    for row in gone & set(range(len(triggers))):
        column.blank(row, triggers[row])
    left = [trigger for row, trigger in enumerate(triggers) if row not in gone]
    rows = np.array([row for row in range(len(triggers)) if row not in gone], np.intp)
    for text in typed:
        asked = column.ask(ScoredText(text))
        expected = _plain(text, left)
        assert asked.every[rows].tolist() == pytest.approx(expected, abs=1e-9)
        assert asked.at(rows).tolist() == pytest.approx(expected, abs=1e-9)
        assert not asked.every[list(gone & set(range(len(triggers))))].any()


def test_that_a_rare_word_counts_above_a_common_one() -> None:
    column = Bm25Column()
    column.append(["open the door", "open the zebra", "open the window", "open the gate"])
    scores, other = (column.score(ScoredText(text)) for text in ("open the zebra", "zebra open"))
    assert (scores[1], other[1] > 3 * other[0]) == (pytest.approx(1.0), True)


def test_that_words_are_as_rare_as_an_edit_would_make_them() -> None:
    column, after = Bm25Column(), Bm25Column()
    column.append(["open the door", "close the door"])
    after.append(["open the door", "close it now"])
    among = column.among(column.frequencies.edited(["close it now"], ["close the door"]))
    query = ScoredText("open the door now")
    assert among.score(query)[0] == pytest.approx(after.score(query)[0], abs=1e-12)
    assert column.score(query)[0] != among.score(query)[0]


@given(st.lists(st.text(max_size=6), max_size=6), st.text(max_size=6))
def test_that_a_further_word_never_raises_the_number_of_lacking_ones(asked: list[str], word: str) -> None:
    assert (longer := lacking_words([*asked, word])) == OF_A_WORD or 0 <= longer <= lacking_words(asked) < CONTENT


UNIT = st.floats(0.0, 1.0, allow_subnormal=False) | st.sampled_from((0.0, 0.3, 0.7, 0.75, 0.85, 0.95, 1.0))
THRESHOLDS = st.fixed_dictionaries({}, optional=dict.fromkeys(("exact", "fuzzy", "token", "keyword"), UNIT))
ABSENT = st.none() | UNIT


def _columns(rows: list[Breakdown], dtype: type) -> dict[str, np.ndarray[tuple[int], np.dtype[np.floating]]]:
    return {name: np.array([np.nan if row[name] is None else row[name] for row in rows], dtype) for name in SCORERS}


@given(
    rows=st.lists(st.fixed_dictionaries(dict.fromkeys(SCORERS, ABSENT)), min_size=1, max_size=6),
    lifts=st.lists(UNIT, min_size=len(SCORERS), max_size=len(SCORERS)),
    thresholds=THRESHOLDS,
)
def test_that_a_combination_of_bounds_bounds_the_combination(
    rows: list[Breakdown], lifts: list[float], thresholds: dict[str, float]
) -> None:
    """This includes bounds far above the scores, as during typing."""
    chosen = Settings.model_validate({"thresholds": thresholds})
    raised: list[Breakdown] = [
        {
            scorer: None if score is None else score + lift * (1.0 - score)
            for (scorer, score), lift in zip(row.items(), lifts, strict=True)
        }
        for row in rows
    ]
    scores, bounds = _columns(rows, np.float64), _columns(raised, np.float32)
    for name, combiner in COMBINERS.items():
        exact, above = (
            np.nan_to_num(found) for found in (combiner.combine(scores, chosen), combiner.above(bounds, chosen))
        )
        assert (above >= exact - 1e-6).all(), name


def test_that_cascade_is_not_monotone() -> None:
    """A higher fuzzy score can overrule a higher semantic one.

    `cascade` therefore has its own `bound`.
    """
    low: Breakdown = dict.fromkeys(SCORERS, 0.0) | {"fuzzy": 0.74, "semantic": 0.95, "keyword": None}
    high: Breakdown = {**low, "fuzzy": 0.76}
    combined = COMBINERS["cascade"].combine(_columns([low, high], np.float64), Settings())
    assert combined[0] > combined[1]


@given(triggers=st.lists(TRIGGERS, min_size=1, max_size=8), edits=st.lists(EDITS, min_size=1, max_size=25))
def test_that_no_shared_length_is_underestimated(triggers: list[str], edits: list[tuple[str, str | int]]) -> None:
    column = FuzzyColumn()
    column.append(triggers)
    for number, text in enumerate(_typed(edits)):
        query = ScoredText(text)
        asked = column.ask(query)
        above = asked.above
        ordered = [sorted_tokens(trigger) for trigger in triggers]
        whole = [len(query.sorted) + len(trigger) for trigger in ordered]
        exact = [
            2 * LCSseq.similarity(query.sorted, trigger) / max(total, 1) if total else 1.0
            for trigger, total in zip(ordered, whole, strict=True)
        ]
        assert (above >= np.array(exact) - 1e-6).all()
        if number % 2:
            rows = np.arange(0, len(triggers), 2)
            assert asked.at(rows) == pytest.approx(np.array(exact)[rows], abs=1e-9)


def test_that_where_to_look_first_changes_no_answer() -> None:
    """Leaders of another query, and far too few promising candidates, only cost another round."""
    index = TriggerIndex(8)
    index.put(Memory((f"open door number {key}",), key=key) for key in range(1, 3_000))
    expected = {}
    for text in ("open door number 17", "zzz", "number 2999"):
        index.layout()
        index._leaders.clear()
        expected[text] = rank(index.score(ScoredText(text)), Settings(combination="max"), 5).memories.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "FIRST", 1)
        for text in reversed(list(expected)):
            found = rank(index.score(ScoredText(text)), Settings(combination="max"), 5).memories.tolist()
            assert found == expected[text]


def test_that_single_rows_are_worked_out_once() -> None:
    asked: list[list[int]] = []

    def scores(rows: Places) -> Floats:
        asked.append(rows.tolist())
        return rows / 10.0

    few = Few(scores)
    assert few.at(np.array([1, 2, 3])).tolist() == [0.1, 0.2, 0.3]
    assert few.at(np.array([3, 1])).tolist() == [0.3, 0.1]
    assert few.at(np.array([3, 4])).tolist() == [0.3, 0.4]
    assert asked == [[1, 2, 3], [3, 4]]
    assert len(few.at(np.arange(100))) == 100


def test_that_a_lazy_mapping_makes_only_what_is_looked_at() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    lazy = Lazily(("a", "b"), make, {"b": "known"})
    assert (lazy["a"], lazy["a"], lazy["b"]) == ("A", "A", "known")
    assert made == ["a"]
    assert (list(lazy), len(lazy), "a" in lazy, "c" in lazy) == (["a", "b"], 2, True, False)
    with pytest.raises(KeyError):
        lazy["c"]


@given(st.text(max_size=30))
@example("C++ and c#_x don't ÄÖ ²½ 日本_語")
def test_that_words_are_runs_of_letters_digits_plus_and_sharp(text: str) -> None:
    parted = "".join(c if c.isalnum() or c in "+#" else " " for c in text.lower())
    assert words(text) == tuple(singular(word) for word in parted.split())


PARTS = ("open my mail", "the last invoice")
POWERS = [
    Power("mail", description="\n\n".join(PARTS), keywords=("letters",), key=1),
    Power("post", description=PARTS[0], keywords=("the last invoice",), key=2),
    Power("bare", key=3),
    Power("taught", description=PARTS[0], keywords=(PARTS[1], "the letters"), examples=(PARTS[1],), key=4),
]
ASKED = "the last letters"


def _index() -> TriggerIndex:
    return index_of([Memory(PARTS, key=1), *POWERS])


def _expected() -> list[float]:
    cosines = {text: float(vector_of(text) @ vector_of(ASKED)) for power in POWERS for text in power.triggers}
    whole = sum(cosines[part] for part in PARTS) / len(PARTS)
    found = [whole, *(max(cosines[text] for text in power.triggers) for power in POWERS[1:])]
    return [min(max(one, 0.0), 1.0) for one in found]


def test_that_paragraphs_score_by_their_mean_and_a_power_of_one_as_its_nearest_trigger() -> None:
    index = _index()
    scores = index.score(ScoredText(ASKED, vector_of(ASKED))).by_slot["description"]
    assert np.isnan(scores[0]), "a memory has no description"
    assert scores[1:].tolist() == pytest.approx(_expected(), abs=1e-6)


@pytest.mark.parametrize(
    ("query", "share"),
    [
        ("the last invoice", 1.0),
        ("check my last invoice", 0.0),
        ("check my invoice", 0.5),
        ("what does invoice mean", 0.0),
    ],
)
def test_that_names_and_keywords_count_in_short_queries(query: str, share: float) -> None:
    asked = vector_of(query)
    scores = _index().score(ScoredText(query, asked)).by_slot["description"]
    does, named = (float(vector_of(text) @ asked) for text in POWERS[1].triggers[1:])
    assert scores[2] == pytest.approx(max(does, share * named, 0.0), abs=1e-6)
    bare = float(vector_of("bare") @ asked)
    assert scores[3] == pytest.approx(max(bare, 0.0), abs=1e-6), "a power that has only a name"


def test_that_a_power_that_is_changed_scores_by_its_new_description() -> None:
    index = _index()
    index.score(ScoredText(ASKED, vector_of(ASKED)))
    index.put([Power("mail", description=ASKED, key=1)])
    index.embed({text: vector_of(text) for text in index.unembedded()})
    assert np.nanmax(index.score(ScoredText(ASKED, vector_of(ASKED))).by_slot["description"]) == pytest.approx(1.0)


def test_that_a_power_scores_by_its_nearest_trigger_until_enough_paragraphs_have_their_vectors_again() -> None:
    index = _index()
    asked = ScoredText(ASKED, vector_of(ASKED))
    whole = index.score(asked).by_slot["description"][1]
    index.forget_vectors()
    index.embed({PARTS[0]: vector_of(PARTS[0])})
    part = index.score(asked).by_slot
    assert part["description"][1] == part["semantic"][1]
    assert np.isnan(part["description"][3])
    index.embed({PARTS[1]: vector_of(PARTS[1])})
    assert index.score(asked).by_slot["description"][1] == pytest.approx(whole)
    index.put([replace(POWERS[0], description=PARTS[0])])
    index.embed({PARTS[0]: vector_of(PARTS[0])})
    lone = index.score(asked)
    assert np.array_equal(lone.by_slot["description"][1:], lone.by_slot["semantic"][1:], equal_nan=True)


def test_that_keys_and_edits_work_out_no_mean_but_those_of_powers_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded, multiplied = list[int](), list[int]()
    embed = SemanticColumn.embed

    def counted_embed(column: SemanticColumn, rows: Sequence[int], vectors: Singles) -> None:
        embedded.append(len(rows))
        embed(column, rows, vectors)

    def counted_products(vectors: Singles, rows: Places, vector: Singles) -> Floats:
        multiplied.append(len(rows))
        return exact_products(vectors, rows, vector)

    many, memories, nothing = 400, 100, list[Answer]()
    weights = Learned(powers=Logit(none=6.1, semantic=7.6, description=8.0, bm25=9.6))
    settings = Settings(combination="learned").with_learned(weights)
    index = TriggerIndex(DIMENSION)
    powers = [Power(f"p{at}", description=f"opens letter {at}\n\nsends letter {at}", key=at) for at in range(1, many)]
    index.put([*powers, *(Memory((f"memory {at}",), key=at) for at in range(memories))])
    other = replace(powers[0], description="opens doors\n\ncloses doors")
    for changed in (nothing, [Memory(("another",), key=1)], [other]):
        index.put(changed)
        texts = index.unembedded()
        index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
        index.score(ScoredText(ASKED, vector_of(ASKED)))
        monkeypatch.setattr(SemanticColumn, "embed", counted_embed)
    assert embedded == [1, 3, 1], "a memory's one vector; a power's three, and its mean"
    monkeypatch.setattr("app.scoring.columns.semantic.exact_products", counted_products)
    for length in range(1, len(ASKED)):
        query = ScoredText(ASKED[:length], vector_of(ASKED[:length]))
        scores = index.score(query)
        multiplied.clear()
        rank_all(scores, settings, 10)
        assert sum(multiplied) < many, "who only types has the exact products of the few that may lead"
    assert len(embedded) == 3


def test_that_a_fit_reads_the_scores_that_an_answer_has() -> None:
    index = _index()
    taught = some(taught_of(index, index.layout(), power=True, between=lambda: None))
    view = View(taught, np.arange(len(taught.texts)), None, np.zeros(DIMENSION, np.float32), lambda: None)
    vectors = vector_of(ASKED)[None]
    asked = LabelledBatch(np.array([NONE]), [ASKED], vectors, vectors, letters_of_each([ASKED]))
    found = view.questions(asked, described(2, has_paragraphs=True), lambda: None).candidates[0, :, 2]
    assert sorted(found.tolist()) == pytest.approx(sorted(_expected()), abs=1e-6)


def test_that_a_fit_gives_no_weight_to_what_ships_with_none() -> None:
    moved = fitted(questions(50), USUAL)
    assert moved.description != USUAL.description
    without = replace(USUAL, description=0.0)
    assert fitted(questions(50), without).description == 0.0


WIDTH = 3
DECISION_VERBS = st.lists(
    st.tuples(st.sampled_from(("lengthen", "extend", "put", "widen", "step", "leave")), st.integers(1, 40)), max_size=60
)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "MOVED_AT_ONCE", 4 * WIDTH * 7)
    monkeypatch.setattr(column, "LEAST_ROOM", 2)


@given(edits=DECISION_VERBS, fill=st.sampled_from((0, 5)))
def test_that_rows_are_the_same_however_the_room_grows(edits: list[tuple[str, int]], fill: int) -> None:
    array: Growing[np.int32] = Growing(np.int32, width=WIDTH, fill=fill)
    wanted = np.zeros((0, WIDTH), np.int32)
    steps: list[Iterator[None]] = []
    for number, (edit, count) in enumerate(edits):
        values = np.full((count, WIDTH), 100 + number, np.int32)
        if edit == "lengthen":
            assert array.lengthen(count) == len(wanted)
            wanted = np.concatenate((wanted, np.full((count, WIDTH), fill, np.int32)))
        elif edit == "extend":
            array.extend(values)
            wanted = np.concatenate((wanted, values))
        elif edit == "put":
            rows = np.arange(0, len(wanted), count)
            array.put(rows, values[:1].repeat(len(rows), axis=0))
            wanted[rows] = 100 + number
        elif edit == "widen":
            steps.append(array.widening(count))
        elif edit == "leave":
            steps.clear()
        for step in steps[-2:]:
            next(step, None)
        np.testing.assert_array_equal(array.view, wanted)


def test_that_no_room_is_made_where_there_is_some() -> None:
    array: Growing[np.float32] = Growing(np.float32, width=WIDTH)
    array.lengthen(100)
    assert list(array.widening(20)) == []


def test_that_what_was_widened_is_not_copied_when_it_grows() -> None:
    array: Growing[np.float32] = Growing(np.float32, width=WIDTH)
    array.lengthen(100)
    assert len(list(array.widening(1_000))) > 10
    room = array.view.base
    array.lengthen(1_000)
    assert array.view.base is room
