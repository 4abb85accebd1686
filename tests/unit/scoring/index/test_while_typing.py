"""Tests that the search by bounds during typing equals a new index and a plain loop."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.library import Answer, Kind, Memory, Power, Transport
from app.domain.match import Match
from app.scoring import reference
from app.scoring.columns import semantic as semantic_module
from app.scoring.columns.column import SLACK
from app.scoring.columns.regression import SHARE, as_share
from app.scoring.combiners import COMBINERS
from app.scoring.index import search as search_module
from app.scoring.index import trigger_index as index_module
from app.scoring.index.layout import AnswerKey, key_of
from app.scoring.index.ranking import matches, rank
from app.scoring.index.scales import confidences
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import QueryVector, ScoredText
from app.settings.model import Settings
from tests.unit.scoring.vectors import DIMENSION, index_of, vector_of

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


DOOR = Memory(("open the door", "let me in"), "Turn the key.", "door", key=1)
WINDOW = Memory(("open the window",), "Push.", key=2)
LAMP = Power("lamp", "switches lights", ("light",), transport=Transport("lamp"), key=1)


def told(index: TriggerIndex, query: str) -> list[tuple[Answer, float]]:
    scores = index.score(ScoredText(query, vector_of(query)))
    found = matches(index, scores, rank(scores, Settings(), 10), Settings())
    return [(match.answer, match.confidence) for match in found]


def test_that_what_scores_as_before_takes_its_place_with_its_vectors() -> None:
    index = index_of([DOOR, WINDOW, LAMP])
    changes = index.changes
    newer = replace(DOOR, response="Pull.", tags=("home",), success=0.9, usage=3, namespace="help", version=7)
    brighter = replace(LAMP, steering="Gently.", approved=True, version=7)
    assert index.restate([newer, brighter]) == []
    assert index.changes == changes, "the kept vectors are those of this index still"
    assert index.changes_of_taught == changes + 1, "a fit uses responses"
    assert (len(index), index.embedded()) == (6, 6)
    assert index.answer((DOOR.kind, 1)) is newer
    assert index.layout().powers == (brighter,)
    assert told(index, "open the door") == told(index_of([newer, WINDOW, brighter]), "open the door")


@pytest.mark.parametrize(
    "other",
    [
        replace(DOOR, triggers=("open the door",)),
        replace(DOOR, triggers=("let me in", "open the door")),
        replace(DOOR, intent="gate"),
        replace(DOOR, intent=None),
        replace(DOOR, paused=True),
        replace(DOOR, key=9),
        replace(LAMP, name="lantern", description="lamp", keywords=("switches lights", "light")),
        replace(LAMP, keywords=(), examples=("light",)),
        replace(LAMP, paused=True),
    ],
)
def test_that_what_scores_otherwise_is_left_to_be_put(other: Answer) -> None:
    index = index_of([DOOR, WINDOW, LAMP])
    before = index.answers()
    assert index.restate([other]) == [other]
    assert index.answers() == before


def test_that_room_is_made_for_what_is_put_and_none_for_what_takes_its_place() -> None:
    index = index_of(taught := many(600))
    room = index.semantic.vectors.base
    newer = [replace(memory, namespace="help") for memory in taught]
    for _ in index.widening(newer):
        pass
    assert index.semantic.vectors.base is room
    assert index.restate(newer) == []
    others = [replace(memory, key=(memory.key or 0) + 600) for memory in taught]
    for _ in index.widening(others):
        pass
    assert index.semantic.vectors.base is not room
    room = index.semantic.vectors.base
    index.put(others)
    assert index.semantic.vectors.base is room


def test_that_a_layout_stays_unless_somebody_may_have_sorted_by_what_changed() -> None:
    index = index_of([DOOR, WINDOW])
    layout = index.layout()
    index.restate([replace(DOOR, success=0.9)])
    assert index.layout() is layout
    index.restate([replace(DOOR, namespace="help")])
    assert index.layout() is not layout


def many(count: int) -> list[Memory]:
    return [Memory((f"phrase {n} of many", f"{n} in short"), intent=f"label {n % 7}", key=n) for n in range(1, count)]


def halved(monkeypatch: pytest.MonkeyPatch) -> tuple[TriggerIndex, list[Memory]]:
    """Make an index with half of its rows blank, too large for a rebuild in one step."""
    monkeypatch.setattr(index_module, "FEW_ROWS", 10)
    monkeypatch.setattr(index_module, "MANY_ROWS", 20)
    monkeypatch.setattr(index_module, "LAID_OUT_AT_ONCE", 16)
    held = many(200)
    index = index_of(held)
    for memory in held[::2]:
        index.remove((memory.kind, memory.key or 0))
    assert index.is_sparse
    return index, held[1::2]


def test_that_blank_rows_go_in_steps_while_the_index_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    index, left = halved(monkeypatch)
    expected = told(index, "phrase 8 of many")
    steps = 0
    for _ in index.laying_out():
        steps += 1
        assert told(index, "phrase 8 of many") == expected
    assert steps > 10
    assert not index.is_sparse
    assert len(index.texts()) == len(index) == index.embedded() == 2 * len(left)
    assert list(index.answers().values()) == left
    assert [answer for answer, _ in told(index, "phrase 8 of many")] == [answer for answer, _ in expected]


def test_that_vectors_that_come_meanwhile_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    index, left = halved(monkeypatch)
    index.forget_vectors()
    for _ in index.laying_out():
        if index.unembedded():
            index.embed({text: vector_of(text) for text in index.unembedded()})
    assert (index.embedded(), index.is_sparse) == (2 * len(left), False)
    assert np.array_equal(index.semantic.vectors[0], vector_of(index.text(0)))


def test_that_vectors_of_another_encoder_never_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    index, _ = halved(monkeypatch)
    for step, _ in enumerate(index.laying_out()):
        if step == 9:
            index.forget_vectors(3)
    assert (index.embedded(), index.semantic.vectors.shape[1], index.is_sparse) == (0, 3, False)


def test_that_an_answer_that_comes_meanwhile_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    index, left = halved(monkeypatch)
    for step, _ in enumerate(index.laying_out()):
        if step == 3:
            index.put([Memory(("quite new",), key=999)])
    assert len(index.answers()) == len(left) + 1
    assert index.is_sparse, "the next filling tries again"
