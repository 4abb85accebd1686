"""Tests against a transcription of 002, and of properties of scorers and combinations."""

import string
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.library import Answer, Kind, Memory, Power, Tool
from app.domain.match import Breakdown
from app.scoring import reference
from app.scoring.arithmetic import OPERATIONS
from app.scoring.columns.column import Floats
from app.scoring.columns.exact import ExactColumn, TokenColumn
from app.scoring.columns.fuzzy import FuzzyColumn
from app.scoring.columns.semantic import SemanticColumn
from app.scoring.combiners import COMBINERS
from app.scoring.index import trigger_index as index_module
from app.scoring.index.layout import AnswerKey, key_of
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.scorers import SCORERS
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.scoring import transcription
from tests.unit.scoring.vectors import DIMENSION, index_of, vector_of, vectors_of

SCALES = 1e-9
FLOAT32 = 1e-6

WORDS = (
    "What",
    "what",
    "is",
    "PYTHON",
    "python",
    "the",
    "state-of-the-art",
    "don't",
    "C++",
    "a",
    "_x_",
    "2.0",
    "?",
    "",
)
GAPS = (" ", "  ", "\t", "\n", "\r\n", "\x0b", "\x1c", "\x1f", " ?", ", ", "-", "")
UNICODE_WORDS = (
    "Straße",
    "STRASSE",
    "İstanbul",
    "naïve",
    "Ǆ",
    "ﬁle",
    "“python”",
    "日本語",
    "…",
    "😀",
    "\U0001d518",
    "¿qué",
    "¡",
    "ΣΑΣ",
)
UNICODE_GAPS = ("\u00a0", "\u2003", "\u3000", "\u2028", "\u200b", "\u0085", "\u180e", "،")


def _phrases(words: tuple[str, ...], gaps: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Generate texts that share words, so that they are similar more often than random ones."""
    pairs = st.lists(st.tuples(st.sampled_from(words), st.sampled_from(gaps)), max_size=6)
    return pairs.map(lambda parts: "".join(word + gap for word, gap in parts))


ASCII = _phrases(WORDS, GAPS) | st.text(st.characters(max_codepoint=127), max_size=30)
ANY = (
    ASCII
    | _phrases(WORDS + UNICODE_WORDS, GAPS + UNICODE_GAPS)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
)
LONG = "Lorem ipsum, dolor! " * 500


def _columns(triggers: list[str], query: str) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for name, column in (("exact", ExactColumn()), ("fuzzy", FuzzyColumn()), ("token_overlap", TokenColumn())):
        half = len(triggers) // 2
        column.append(triggers[:half])
        column.append(triggers[half:])
        found[name] = column.score(ScoredText(query))
    return found


def _assert_transcribed(triggers: list[str], query: str, spaced: Callable[[str], str] = str) -> None:
    """Assert equal scores; `spaced` prepares texts for rapidfuzz."""
    found = _columns(triggers, query)
    expected = {
        "exact": [transcription.exact(query, trigger) for trigger in triggers],
        "fuzzy": [transcription.fuzzy(spaced(query), spaced(trigger)) for trigger in triggers],
        "token_overlap": [transcription.token_overlap(query, trigger) for trigger in triggers],
    }
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=SCALES, rel=0), name


@given(st.lists(ASCII, max_size=6), ASCII)
@example(["", " ", "?", "?!", "a", "A", "a.", "\x00", "\x1c\x1d", "\x7f"], "")
@example(["", " ", "?", "?!", "a", "A", "a.", "\x00", "\x1c\x1d", "\x7f"], "?")
@example(["", " ", "?", "?!", "a", "A", "a.", "\x00", "\x1c\x1d", "\x7f"], "A")
@example(["What is Python?", "what is python", "WHAT IS PYTHON?", "python is what"], "What is Python?")
@example([string.punctuation, string.printable, LONG, LONG.lower(), LONG[:-1], ""], LONG)
@example([LONG, "ipsum"], "ipsum")
def test_that_ascii_scores_are_the_documents(triggers: list[str], query: str) -> None:
    _assert_transcribed([*triggers, query, query.upper(), query + "!"], query)


@given(st.lists(ANY, max_size=6), ANY)
@example(
    ["STRASSE", "straße", "Straße?", "İ", "i̇", "I", "ΣΑΣ", "σας", "😀", "😀😀", "\U0001d518", "“a”", "a", "…"], "Straße"
)
@example(["\u3000", "\u00a0", "\u2028", "\u200b", "\ufeff", "\u0085", "…", "。", "\U0010ffff"], "\u3000")
@example(["a\u3000b", "b\u00a0a", "a b", "a\u200bb", "A\u2028B", "«a» b"], "a b")
@example(["日本語 " * 3_334, "日本語", "語"], "日本語 " * 3_334)
def test_that_other_scores_differ_by_punctuation_and_white_space_alone(triggers: list[str], query: str) -> None:
    # White space is Python's (S2.1); rapidfuzz does not include U+0085 and U+00A0 in texts below U+0100.
    _assert_transcribed([*triggers, query, query.upper(), query + "。"], query, lambda text: " ".join(text.split()))


@given(st.lists(ANY, min_size=1, max_size=5), ANY)
def test_that_semantic_scores_are_the_documents(triggers: list[str], query: str) -> None:
    column = SemanticColumn(DIMENSION)
    column.append(triggers)
    column.embed(range(len(triggers)), vectors_of(triggers))
    asked = vector_of(query)
    expected = [
        transcription.semantic(asked.astype(np.float64), vector_of(trigger).astype(np.float64)) for trigger in triggers
    ]
    assert column.score(ScoredText(query, asked)) == pytest.approx(expected, abs=FLOAT32, rel=0)


@given(ANY, ANY)
def test_that_the_yardstick_of_the_bench_is_the_documents_too(query: str, trigger: str) -> None:
    vectors = vector_of(query), vector_of(trigger)
    found = reference.scores(query, vectors[0], trigger, vectors[1])
    doubles = [vector.astype(np.float64) for vector in vectors]
    expected = {name: getattr(transcription, name)(query, trigger) for name in ("exact", "fuzzy", "token_overlap")}
    assert found == pytest.approx({**expected, "semantic": transcription.semantic(*doubles)}, abs=FLOAT32, rel=0)
    assert reference.maximum(found) == transcription.maximum(found)


# ---- properties of SCORERS


def _scores(index: TriggerIndex, text: str) -> dict[AnswerKey, dict[str, float | None]]:
    """Return every live answer's scores; None where a score is absent."""
    scores = index.score(ScoredText(text, vector_of(text)))
    found: dict[AnswerKey, dict[str, float | None]] = {}
    for place, slot in enumerate(scores.layout.slots):
        key = key_of(index.candidate(int(slot)).answer)
        values = ((name, float(column[place])) for name, column in scores.by_slot.items())
        found[key] = {name: None if np.isnan(value) else value for name, value in values}
    return found


@pytest.mark.parametrize("name", [name for name in SCORERS if name != "regression"])
@given(text=ANY, query=ANY)
def test_that_scores_lie_in_0_to_1_and_the_identical_text_is_the_maximum(name: str, text: str, query: str) -> None:
    for kind in SCORERS[name].kinds:
        answer = Memory((text,), key=1) if kind is Kind.MEMORY else Power(text, keywords=(text,), key=1)
        index = index_of([answer])
        same = _scores(index, text)[key_of(answer)][name]
        other = _scores(index, query)[key_of(answer)][name]
        assert same is not None
        assert other is not None
        assert 0.0 <= other <= same + FLOAT32 <= 1.0 + FLOAT32
        assert same <= 1.0
        if SCORERS[name].per_trigger and text.split() and name != "semantic":
            assert same == pytest.approx(1.0, abs=SCALES)


@given(text=ANY)
def test_that_a_memory_has_no_keyword_score(text: str) -> None:
    assert _scores(index_of([Memory((text,), key=1)]), text)[Kind.MEMORY, 1]["keyword"] is None


# ---- edits of the index

TEXTS = st.sampled_from(
    ("check my database", "Check my database!", "my", "database", "run it", "run", "?", "", "Straße")
)
LABELS = st.sampled_from((None, "weather", "billing", "howto"))
KEYS = st.integers(1, 4)
MEMORIES = st.builds(
    Memory, triggers=st.lists(TEXTS, min_size=1, max_size=3).map(tuple), intent=LABELS, paused=st.booleans(), key=KEYS
)
POWERS = st.builds(
    Power,
    name=TEXTS,
    description=TEXTS,
    keywords=st.lists(TEXTS, max_size=2).map(tuple),
    tools=st.lists(st.builds(Tool, name=TEXTS), max_size=1).map(tuple),
    paused=st.booleans(),
    key=KEYS,
)
STEPS = st.lists(
    st.lists(MEMORIES | POWERS, min_size=1, max_size=4) | st.tuples(st.sampled_from(Kind), KEYS), min_size=1, max_size=8
)


def _absent_as_nan(found: Mapping[AnswerKey, Mapping[str, float | None]]) -> dict[tuple[AnswerKey, str], float]:
    return {
        (key, name): np.nan if value is None else value for key, row in found.items() for name, value in row.items()
    }


@pytest.mark.parametrize("few_rows", [index_module.FEW_ROWS, 0], ids=["blanking", "laying out anew"])
@given(steps=STEPS, query=TEXTS, pieces=st.randoms(use_true_random=False))
def test_that_a_changed_index_scores_as_a_fresh_one(
    few_rows: int, steps: list[list[Answer] | AnswerKey], query: str, pieces: Random
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "FEW_ROWS", few_rows)
        index = TriggerIndex(DIMENSION)
        held: dict[AnswerKey, Answer] = {}
        for step in steps:
            if isinstance(step, tuple):
                index.remove(step)
                held.pop(step, None)
            else:
                index.put(step)
                held |= {key_of(answer): answer for answer in step}
            if pieces.random() < 0.5:
                texts = index.unembedded()
                index.embed({text: vector_of(text) for text in texts})
                _scores(index, query)
        texts = index.unembedded()
        index.embed({text: vector_of(text) for text in texts})
    live = [answer for answer in held.values() if not answer.paused]
    fresh = index_of(live)
    assert len(index) == len(fresh) == index.embedded()
    assert index.candidates == len(live)
    expected, found = _absent_as_nan(_scores(fresh, query)), _absent_as_nan(_scores(index, query))
    assert found == pytest.approx(expected, abs=FLOAT32, rel=0, nan_ok=True)


def test_that_an_answer_put_twice_at_once_counts_as_put_last() -> None:
    first, second = Memory(("run",), key=1), Memory(("run it",), key=1)
    index = index_of([first, second])
    assert index.candidates == 1
    expected = _scores(index_of([second]), "run it")
    assert _absent_as_nan(_scores(index, "run it")) == pytest.approx(_absent_as_nan(expected), abs=FLOAT32, nan_ok=True)
    index.remove(key_of(second))
    assert index.candidates == len(index) == 0


# ---- properties of COMBINERS

UNIT = st.floats(0.0, 1.0, allow_subnormal=False) | st.sampled_from((0.0, 0.3, 0.7, 0.75, 0.85, 0.95, 0.98, 1.0))
WEIGHT = st.floats(0.0, 10.0, allow_subnormal=False)
SETTINGS = st.builds(
    lambda weights, thresholds: Settings.model_validate({"weights": weights, "thresholds": thresholds}),
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("exact", "fuzzy", "token_overlap", "semantic", "keyword"), WEIGHT)
    ).filter(lambda weights: len(weights) < 5 or any(weights.values())),
    st.fixed_dictionaries({}, optional=dict.fromkeys(("exact", "fuzzy", "token", "keyword"), UNIT)),
)


def _breakdowns() -> st.SearchStrategy[Breakdown]:
    """Generate scores, any of which may be absent, or all."""
    return st.fixed_dictionaries(dict.fromkeys(SCORERS, st.none() | UNIT))


def _as_columns(rows: list[Breakdown]) -> dict[str, Floats]:
    return {name: np.array([np.nan if row[name] is None else row[name] for row in rows], float) for name in SCORERS}


@given(rows=st.lists(_breakdowns(), min_size=1, max_size=6), chosen=SETTINGS)
def test_that_arrays_and_steps_give_one_confidence(rows: list[Breakdown], chosen: Settings) -> None:
    columns = _as_columns(rows)
    for name, combiner in COMBINERS.items():
        combined = np.nan_to_num(combiner.combine(columns, chosen))
        explained = [combiner.explain(row, chosen).confidence for row in rows]
        assert combined == pytest.approx(explained, abs=1e-12, rel=0), name


@given(row=_breakdowns(), chosen=SETTINGS)
def test_that_every_step_adds_up_again_and_winners_were_asked(row: Breakdown, chosen: Settings) -> None:
    for name, combiner in COMBINERS.items():
        explanation = combiner.explain(row, chosen)
        for step in explanation.steps:
            assert OPERATIONS[step.operation](step.operands) == step.result, name
            assert 0.0 <= step.result <= 1.0 + SCALES, name
        named = {operand.name for step in explanation.steps for operand in step.operands}
        assert set(explanation.winners) <= named & set(SCORERS), name
        assert explanation.winners or explanation.confidence <= 0, name


@given(row=_breakdowns())
def test_that_the_combinations_of_a_memory_are_the_documents(row: Breakdown) -> None:
    scores = {name: row[name] or 0.0 for name in ("exact", "fuzzy", "token_overlap", "semantic")}
    columns = _as_columns([{**row, **scores, "keyword": None}])
    for name, written in (
        ("max", transcription.maximum),
        ("weighted_average", transcription.weighted),
        ("cascade", transcription.cascade),
    ):
        assert COMBINERS[name].combine(columns, Settings())[0] == pytest.approx(written(scores), abs=1e-12)


def test_that_a_memory_put_again_under_another_label_leaves_the_old_centroid() -> None:
    memory = Memory(("run", "run it"), intent="weather", key=1)
    other = Memory(("rain",), intent="weather", key=2)
    index = index_of([memory, other])
    index.put([replace(memory, intent="billing")])
    index.embed({text: vector_of(text) for text in index.unembedded()})
    fresh = index_of([other, replace(memory, intent="billing")])
    assert _scores(index, "rain")[Kind.MEMORY, 2] == pytest.approx(_scores(fresh, "rain")[Kind.MEMORY, 2], abs=FLOAT32)
