"""Tests of confidence ranges: all confidences are inside, and the ends are reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.reach import ANY, EXACT, NOTHING, Span, confidence_spans, holders_of, keyword_span
from app.domain.confidence import Chance
from app.domain.library import Power
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from tests.build import some
from tests.unit.detect.test_reach import under

SHARED = (
    Power("postgres", "", ("database", "postgres"), key=1),
    Power("mysql", "", ("databases", "sql"), key=2),
    Power("mongo", "", ("Database",), key=3),
)


def test_that_a_keyword_counts_its_holders_whatever_its_case_and_number() -> None:
    held = holders_of(SHARED)
    (singular,) = (phrase for phrase, powers in held.items() if powers[0][1] == "postgres")
    assert {phrase: len(powers) for phrase, powers in held.items()} == {("database",): 3, singular: 1, ("sql",): 1}


def test_that_keywords_score_as_the_formula_says() -> None:
    alone, shared = keyword_span(SHARED[:1], name_counts=False), keyword_span(SHARED, name_counts=False)
    assert (some(alone).least, some(alone).most) == pytest.approx((0.9, 0.92))
    assert (some(shared).least, some(shared).most) == pytest.approx((0.5 + 0.4 / 3, 0.92))
    assert keyword_span((Power("one", "", ()),), name_counts=True) == Span(0.95, 0.95)
    assert keyword_span((Power("one", "", ()),), name_counts=False) is None


@pytest.mark.parametrize(
    ("name", "power", "meaning", "spans"),
    [
        ("semantic", False, True, ANY),
        ("centroid", True, False, (NOTHING,)),
        ("exact", False, False, EXACT),
        ("keyword", False, True, (NOTHING,)),
        ("keyword_or_semantic", True, False, (NOTHING, Span(0.9, 0.92))),
        ("keyword_or_semantic", True, True, ANY),
        ("balanced", True, False, ANY),
        ("cascade", True, True, ANY),
        ("calibrated", False, False, ANY),
    ],
)
def test_that_each_combination_has_its_range(name: str, power: bool, meaning: bool, spans: tuple[Span, ...]) -> None:
    keyword = Span(0.9, 0.92) if power else None
    assert confidence_spans(under(combination=name), power=power, has_meaning=meaning, keyword=keyword) == spans


def test_that_weights_are_shared_out_over_what_is_there() -> None:
    weighted = under(combination="weighted_average")
    (of_memories,) = confidence_spans(weighted, power=False, has_meaning=True)
    assert of_memories.most == pytest.approx(1.0)
    (without,) = confidence_spans(weighted, power=True, has_meaning=True)
    assert without.most == pytest.approx(1.0 / 1.3)
    (with_keyword,) = confidence_spans(weighted, power=True, has_meaning=True, keyword=Span(0.9, 0.9))
    assert with_keyword.most == pytest.approx((1.0 + 0.3 * 0.9) / 1.3)


def test_that_a_weight_alone_has_the_range_of_its_scorer() -> None:
    none = dict.fromkeys(("weights.fuzzy", "weights.token_overlap", "weights.semantic", "weights.keyword"), 0.0)
    only_exact = under(combination="weighted_average", **none)
    assert confidence_spans(only_exact, power=False, has_meaning=True) == EXACT
    only_keyword = under(combination="weighted_average", **{**none, "weights.exact": 0.0, "weights.keyword": 1.0})
    assert confidence_spans(only_keyword, power=True, has_meaning=True, keyword=Span(0.7, 0.9))[1] == Span(0.7, 0.9)
    assert confidence_spans(only_keyword, power=False, has_meaning=True) == (NOTHING,)


def test_that_a_scale_leaves_a_gap_above_nothing() -> None:
    chance = Chance(5.0, -1.0)
    spans = confidence_spans(under(combination="calibrated"), power=False, has_meaning=True, chance=chance)
    assert spans[0] == NOTHING
    assert spans[1].least == pytest.approx(chance(1e-9))
    assert spans[1].most == 1.0


@given(
    st.sampled_from(["balanced", "max", "weighted_average", "cascade", "exact", "fuzzy", "token_overlap", "keyword"]),
    st.lists(st.sampled_from(["database", "postgres", "sql", "check my database", "list", "a"]), max_size=3),
)
def test_that_no_confidence_lies_outside(name: str, query: list[str]) -> None:
    settings = under(combination=name)
    index = TriggerIndex(2)
    index.put(SHARED)
    spans = confidence_spans(
        settings, power=True, has_meaning=False, keyword=keyword_span(SHARED, name_counts=settings.name_counts)
    )
    for told in confidences(index.score(ScoredText(" ".join(query))), settings).tolist():
        assert any(span.least - 1e-9 <= told <= span.most + 1e-9 for span in spans)
