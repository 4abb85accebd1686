"""Tests that the search by bounds during typing equals a new index and a plain loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import Match
from app.scoring import reference
from app.scoring.columns import semantic as semantic_module
from app.scoring.columns.column import SLACK
from app.scoring.columns.regression import SHARE, as_share
from app.scoring.combiners import COMBINERS
from app.scoring.index import search as search_module
from app.scoring.index.layout import AnswerKey, key_of
from app.scoring.index.ranking import matches, rank
from app.scoring.index.scales import confidences
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import QueryVector, ScoredText
from app.settings.model import Settings
from tests.unit.scoring.vectors import DIMENSION, vector_of

COUNT = 3
LEXICAL, FLOAT32 = 1e-9, 1e-6

PIECES = (
    "open", "the", "my", "invoice", "Invoices", "database", "a", "zebra", "İstanbul", "ΣΑΣ", "\U0001d518\U0001f600",
    "日本", "check-in", "?", "  ", "\u3000", "o", "op",
)  # fmt: skip
LONG = "every monthly report of the central harbour station before the last holiday "
TRIGGERS = st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join) | st.sampled_from(
    ("", "?", LONG[:64], LONG[:65], LONG + LONG[:52], (LONG * 2)[:129], LONG * 4, "e" * 300)
)
LABELS = st.sampled_from((None, "billing", "travel"))
MEMORIES = st.builds(
    Memory, triggers=st.lists(TRIGGERS, min_size=1, max_size=3).map(tuple), intent=LABELS, key=st.integers(1, 8)
)
POWERS = st.builds(
    Power,
    name=st.sampled_from(("database", "mail", "open")),
    description=st.sampled_from(("", "open my mail", "open mail\n\nthe last invoice", "my\n\nthe\n\nlast database")),
    keywords=st.lists(st.sampled_from(("invoice", "the last", "mail")), max_size=2).map(tuple),
    key=st.integers(1, 3),
)
ANSWERS = st.lists(MEMORIES | POWERS, min_size=1, max_size=10)

EDITS = st.one_of(
    st.tuples(st.just("type"), st.sampled_from([*"aeiopt nvchek?", "\U0001f600", "İ", " "])),
    st.tuples(st.just("type"), st.sampled_from(PIECES)),
    st.tuples(st.just("delete"), st.integers(1, 9)),
    st.tuples(st.just("insert"), st.sampled_from([*"xaeo ", "日", "my "])),
    st.tuples(st.just("paste"), TRIGGERS),
    st.tuples(st.just("append"), st.sampled_from((LONG, LONG * 4))),
)
CHANGES = (
    st.none()
    | st.lists(MEMORIES | POWERS, min_size=1, max_size=2)
    | st.tuples(st.sampled_from(Kind), st.integers(1, 8))
)
BALANCED = Settings(combination="balanced")
SETTINGS = st.sampled_from(
    (
        *(Settings.model_validate({"combination": name}) for name in COMBINERS),
        Settings(combination="max", power_combination="keyword_or_semantic"),
        Settings(combination="weighted_average", power_combination="cascade"),
        Settings.model_validate({"combination": "cascade", "thresholds": {"fuzzy": 0.3, "token": 0.2}}),
        Settings(use_hybrid_retrieval=False),
    )
)


def _edited(text: str, edit: tuple[str, str | int]) -> str:
    how, what = edit
    match how, what:
        case "delete", int(count):
            return text[: max(0, len(text) - count)]
        case "insert", str(piece):
            return text[: len(text) // 2] + piece + text[len(text) // 2 :]
        case "paste", str(piece):
            return piece
        case _:
            return text + str(what)


def _vector(text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return the vector of a text; some texts have a vector of length 0."""
    return np.zeros(DIMENSION, np.float32) if len(text) % 7 == 1 else vector_of(text)


def _embed(index: TriggerIndex) -> None:
    index.embed({text: _vector(text) for text in index.unembedded() if len(text) % 5})


def _live(held: dict[AnswerKey, Answer]) -> TriggerIndex:
    fresh = TriggerIndex(DIMENSION)
    fresh.put(held.values())
    _embed(fresh)
    return fresh


def _shown(found: tuple[Match, ...]) -> list[tuple[str, Kind, int | None]]:
    return [(match.answer.name, match.kind, match.answer.key) for match in found]


def _is_of_the_best(index: TriggerIndex, scores: Scores, found: tuple[Match, ...], chosen: Settings) -> None:
    """Check that the matches are the best by exact confidences, and show exact scores."""
    every = dict(zip(map(int, scores.layout.slots), confidences(scores, chosen), strict=True))
    by_key = {key_of(index.candidate(slot).answer): value for slot, value in every.items()}
    for kind in Kind:
        ranked = sorted((value for (of, _), value in by_key.items() if of is kind), reverse=True)[:COUNT]
        own = [match for match in found if match.kind is kind]
        assert [match.confidence for match in own] == pytest.approx(ranked, abs=FLOAT32)
        for match in own:
            assert match.confidence == pytest.approx(by_key[key_of(match.answer)], abs=FLOAT32)
            _is_plain(scores, match)


def _is_plain(scores: Scores, match: Match) -> None:
    query, vector = scores.query, scores.query.vector
    for name, within in (("exact", LEXICAL), ("fuzzy", LEXICAL), ("token_overlap", LEXICAL), ("semantic", FLOAT32)):
        texts = match.answer.triggers or (match.answer.name,)
        if name != "semantic":
            plain = [
                getattr(reference, name)(query.text, " ".join(text.split()) if name == "fuzzy" else text)
                for text in texts
            ]
        elif vector is None or any(len(text) % 5 == 0 for text in texts):
            continue
        else:
            plain = [reference.semantic(vector, _vector(text)) for text in texts]
        assert match.scores[name] == pytest.approx(max(plain), abs=within), (name, query.text, texts)


def _typed(edits: list[tuple[str, str | int]]) -> Iterator[str]:
    text = ""
    for edit in edits:
        text = _edited(text, edit)
        yield text


@pytest.mark.parametrize("helped", [True, False], ids=["int8", "float32"])
@given(
    answers=ANSWERS,
    edits=st.lists(EDITS, min_size=1, max_size=12),
    changes=st.lists(CHANGES, min_size=12, max_size=12),
    chosen=SETTINGS,
)
def test_that_what_is_found_while_typing_is_what_a_fresh_index_finds(
    helped: bool,
    answers: list[Answer],
    edits: list[tuple[str, str | int]],
    changes: list[list[Answer] | AnswerKey | None],
    chosen: Settings,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "FIRST", 1)
        patch.setattr(search_module, "TIMES", 2)
        if not helped:
            patch.setattr(semantic_module, "int8_products", lambda: None)
        index, held = TriggerIndex(DIMENSION), {key_of(answer): answer for answer in answers}
        index.put(answers)
        _embed(index)
        text: str = ""
        found: tuple[Match, ...] = ()
        for text, change in zip(_typed(edits), changes, strict=False):
            _change(index, held, change)
            _embed(index)
            floor = index.score(ScoredText(text), name_counts=True)
            found = matches(index, floor, rank(floor, chosen, COUNT), chosen)
            _is_of_the_best(index, floor, found, chosen)
            scores = index.with_meaning(floor, QueryVector(_vector(text), _vector(text)))
            found = matches(index, scores, rank(scores, chosen, COUNT), chosen)
            _is_of_the_best(index, scores, found, chosen)
            _bounds_hold(scores)
    fresh = _live(held)
    again = fresh.score(ScoredText(text, _vector(text)), name_counts=True)
    expected = matches(fresh, again, rank(again, chosen, COUNT), chosen)
    assert [match.confidence for match in found] == pytest.approx([one.confidence for one in expected], abs=FLOAT32)


def _change(index: TriggerIndex, held: dict[AnswerKey, Answer], change: list[Answer] | AnswerKey | None) -> None:
    if isinstance(change, tuple):
        index.remove(change)
        held.pop(change, None)
    elif change:
        index.put(change)
        held |= {key_of(answer): answer for answer in change}


def _bounds_hold(scores: Scores) -> None:
    assert scores.quick is not None
    assert set(scores.by_slot) - set(scores.quick.above) <= {"keyword"}
    for name, above in scores.quick.above.items():
        column = as_share(scores.by_slot["regression"]) if name == SHARE else scores.by_slot[name]
        assert np.array_equal(np.isnan(above), np.isnan(column)), name
        assert (np.nan_to_num(above) + SLACK >= np.nan_to_num(column)).all(), name


@given(answers=ANSWERS, text=TRIGGERS)
def test_that_both_estimates_end_in_the_same_matches(answers: list[Answer], text: str) -> None:
    found = []
    for helped in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not helped:
                patch.setattr(semantic_module, "int8_products", lambda: None)
            index = _live({key_of(answer): answer for answer in answers})
        scores = index.score(ScoredText(text, _vector(text)))
        found.append(matches(index, scores, rank(scores, Settings(), COUNT), Settings()))
    assert found[0] == found[1]


def test_that_equal_candidates_keep_the_order_in_which_they_were_taught() -> None:
    same = Memory(("open the door",), key=1)
    index = TriggerIndex(DIMENSION)
    index.put(replace(same, key=key) for key in range(1, 400))
    index.embed({"open the door": vector_of("open the door")})
    for text in ("zzz", "open", "open the door"):
        for vector in (None, vector_of(text)):
            scores = index.score(ScoredText(text, vector))
            found = matches(index, scores, rank(scores, Settings(), 5), Settings())
            assert [match.answer.key for match in found] == [1, 2, 3, 4, 5]


def test_that_scores_of_an_index_that_has_changed_take_no_vector() -> None:
    index = TriggerIndex(DIMENSION)
    index.put([Memory(("open",), key=1)])
    scores = index.score(ScoredText("open"))
    index.put([Memory(("close",), key=2)])
    with pytest.raises(LookupError, match="has changed"):
        index.with_meaning(scores, QueryVector(vector_of("open"), vector_of("open")))


def test_that_nothing_is_found_where_nothing_was_taught() -> None:
    index = TriggerIndex(DIMENSION)
    scores = index.score(ScoredText("open", vector_of("open")))
    assert matches(index, scores, rank(scores, Settings(), 5), Settings()) == ()


def test_that_forgotten_vectors_are_absent() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open it",), key=1)})
    index.forget_vectors()
    scores = index.score(ScoredText("open it", vector_of("open it")))
    match = matches(index, scores, rank(scores, BALANCED, 5), BALANCED)[0]
    assert match.scores["semantic"] is None
    assert match.scores["centroid"] is None
    assert match.confidence == 1.0
