"""Tests of parts of the index: bounds that are never too low, and forms of texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from app.domain.library import Memory
from app.domain.match import Breakdown
from app.scoring.columns.column import Few, Floats, Lazily, Places
from app.scoring.columns.fuzzy import FuzzyColumn
from app.scoring.combiners import COMBINERS
from app.scoring.index import search as search_module
from app.scoring.index.best import rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.scorers import SCORERS
from app.scoring.text import ScoredText, singular, sorted_tokens, words
from app.settings.model import Settings
from tests.unit.scoring.index.test_while_typing import EDITS, TRIGGERS, _typed

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


@pytest.mark.parametrize(
    ("fuzzy", "semantic", "least"),
    [
        (0.9, 0.2, 0.9),  # it may decide
        (0.9, 0.95, 0.95),  # it may also be below its threshold, and then semantic decides
        (0.75 - 1e-6, 0.1, 0.75 - 1e-6),  # a bound may lie below its value by SLACK
        (0.7, 0.1, 0.1),  # it cannot reach its threshold
    ],
)
def test_that_the_bound_of_cascade_is_the_larger_of_both_ways(fuzzy: float, semantic: float, least: float) -> None:
    row: Breakdown = dict.fromkeys(SCORERS, 0.0) | {"fuzzy": fuzzy, "semantic": semantic, "keyword": None}
    above = COMBINERS["cascade"].above(_columns([row], np.float32), Settings())
    assert above[0] == pytest.approx(least, abs=1e-6)


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
        above = asked.above()
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
