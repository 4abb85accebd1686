"""Tests of the shipped labelled queries: complete, well formed, and about existing powers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.adapters.encoders.learned_files import FitFile
from app.adapters.encoders.minilm import MiniLm
from app.adapters.formats.records import case_of, record_of
from app.adapters.formats.toml_tables import read_packs
from app.bootstrap import LESSONS, shipped_examples
from app.detect.keywords import KeywordRules
from app.display.scope.guide import SAMPLES
from app.domain.case import NO_MATCH_WORDS, Task
from app.domain.intent import TYPE_NAMES
from app.domain.match import Tier
from app.scoring.examples.kept import digest_of, is_of, restored
from app.scoring.learned.library import Fit
from app.scoring.text import without_punctuation
from app.services.engine.embedding import QueryVector
from app.services.engine.example_voters import TYPE_TRAINING, TrainingSpec, TypeDetector, TypeVoter
from app.services.evaluation.learner import in_order, name_of
from app.services.routing.routes import ROUTE_TRAINING
from app.settings.sections import SearchIntentSettings
from tests.unit.detect.test_keywords import LABELLED

FloorOf = Callable[[Sequence[str]], dict[str, str | None]]

RESOURCES = Path(__file__).resolve().parents[2] / "resources"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RESOURCES / name).read_text(encoding="utf-8").splitlines()]


QUERIES = rows("datasets/tiers.jsonl")
HALVES = {half: rows(f"datasets/tiers-{half}.jsonl") for half in ("tune", "held-out")}
FRESH = rows("datasets/tiers-fresh.jsonl")
POWERS = {power["name"]: power for power in rows("seed/powers.jsonl")}
README = (RESOURCES / "datasets" / "README.md").read_text(encoding="utf-8")
TYPES = rows("datasets/types.jsonl")
BACKGROUND = (RESOURCES / "datasets" / "background.txt").read_text(encoding="utf-8").splitlines()


def test_that_there_are_as_many_of_each_tier_as_the_document_asks_for() -> None:
    assert Counter(query["tier"] for query in QUERIES) == {
        "activated": 20,
        "multiple_matches": 20,
        "weak_matches": 20,
        "not_found": 10,
    }
    assert f"| `tiers.jsonl` | {len(QUERIES)} |" in README
    assert "no evidence of quality" in README


def test_that_each_query_is_a_case_of_its_own() -> None:
    cases = [case_of(query, Task.POWER) for query in QUERIES]
    assert len({case.text.lower() for case in cases}) == len(cases)
    assert [case.tier for case in cases] == [Tier(query["tier"]) for query in QUERIES]
    assert [record_of(case)["tier"] for case in cases] == [query["tier"] for query in QUERIES]


@pytest.mark.parametrize("queries", [QUERIES, *HALVES.values(), FRESH])
def test_that_a_power_that_is_expected_is_in_the_seed_library(queries: list[dict[str, Any]]) -> None:
    for query in queries:
        assert set(query["expected"]) <= set(POWERS), query["text"]
        many = {"activated": len(query["expected"]) == 1, "multiple_matches": len(query["expected"]) > 1}
        assert many.get(query["tier"], bool(query["expected"]) == (query["tier"] == "weak_matches")), query["text"]


def test_that_each_power_is_meant_once_and_no_query_is_one_of_its_examples() -> None:
    meant = [query["expected"][0] for query in QUERIES if query["tier"] == "activated"]
    assert sorted(meant) == sorted(POWERS)
    examples = {example.lower() for power in POWERS.values() for example in power["examples"]}
    assert not examples & {query["text"].lower() for query in QUERIES}


def test_that_the_background_is_plain_lines_short_and_long_and_none_twice() -> None:
    assert len(BACKGROUND) >= 1500
    assert f"| `background.txt` | {len(BACKGROUND)} |" in README
    assert all(line == line.strip() and 2 <= len(line.split()) <= 25 for line in BACKGROUND)
    assert len({without_punctuation(line) for line in BACKGROUND}) == len(BACKGROUND)
    lengths = Counter(min(len(line.split()) // 5, 3) for line in BACKGROUND)
    assert min(lengths.values()) >= 75, "short and long ones"


def test_that_the_background_is_about_nothing_that_ships_with_a_label() -> None:
    labelled = [*rows("datasets/tiers.jsonl"), *rows("datasets/routes.jsonl"), *rows("seed/queries.jsonl")]
    texts = [row["text"] for row in labelled]
    texts += [trigger for memory in rows("seed/memories.jsonl") for trigger in memory["triggers"]]
    texts += [example for power in POWERS.values() for example in power["examples"]]
    assert not {without_punctuation(text) for text in texts} & {without_punctuation(line) for line in BACKGROUND}


def test_that_no_type_has_more_examples_than_another() -> None:
    counts = Counter(row["type"] for row in TYPES)
    assert counts == {**dict.fromkeys(TYPE_NAMES, 112), "none": 168}
    assert f"| `types.jsonl` | {len(TYPES)} |" in README


def test_that_each_example_of_a_type_is_a_case_of_its_own_and_stands_nowhere_else() -> None:
    cases = [case_of(row, Task.TYPE) for row in TYPES]
    assert [case.expected for case in cases] == [
        () if row["type"] in NO_MATCH_WORDS else (row["type"],) for row in TYPES
    ]
    texts = [without_punctuation(case.text) for case in cases]
    assert len(set(texts)) == len(texts)
    assert not set(texts) & {without_punctuation(line) for line in BACKGROUND}


@pytest.mark.parametrize("half", HALVES)
def test_that_each_half_of_the_queries_to_tune_with_holds_as_many_of_each_tier_and_each_power(half: str) -> None:
    queries = HALVES[half]
    assert Counter(query["tier"] for query in queries) == {
        "activated": 30,
        "multiple_matches": 25,
        "weak_matches": 20,
        "not_found": 25,
    }
    assert {query["expected"][0] for query in queries if query["tier"] == "activated"} == set(POWERS)
    assert f"| `tiers-{half}.jsonl` | {len(queries)} |" in README


def test_that_the_fresh_queries_are_of_every_tier_and_stand_nowhere_else() -> None:
    counts = Counter(query["tier"] for query in FRESH)
    assert counts == {"activated": 36, "multiple_matches": 21, "weak_matches": 12, "not_found": 30}
    assert f"| `tiers-fresh.jsonl` | {len(FRESH)} |" in README
    texts = {without_punctuation(query["text"]) for query in FRESH}
    assert len(texts) == len(FRESH)
    elsewhere = [*QUERIES, *(query for half in HALVES.values() for query in half), *TYPES, *rows("seed/queries.jsonl")]
    others = {without_punctuation(text) for text in [*(row["text"] for row in elsewhere), *BACKGROUND]}
    assert not texts & (others | {without_punctuation(e) for power in POWERS.values() for e in power["examples"]})


@pytest.mark.parametrize("queries", [*HALVES.values(), FRESH])
def test_that_a_trap_holds_a_keyword_of_a_power_that_is_not_meant(queries: list[dict[str, Any]]) -> None:
    traps = [query for query in queries if query.get("unwanted")]
    assert len(traps) >= 12
    for query in traps:
        assert not set(query["unwanted"]) & set(query["expected"]), query["text"]
        text = f" {without_punctuation(query['text'])}"
        for name in query["unwanted"]:
            assert any(f" {word}" in text for word in (name, *POWERS[name]["keywords"])), query["text"]


def test_that_no_query_of_a_half_stands_anywhere_else() -> None:
    texts = [without_punctuation(query["text"]) for half in HALVES.values() for query in half]
    assert len(set(texts)) == len(texts)
    routes = [*rows("datasets/routes.jsonl"), *rows("datasets/routes-held-out.jsonl")]
    elsewhere = [*QUERIES, *TYPES, *routes, *rows("seed/queries.jsonl")]
    others = {without_punctuation(text) for text in [*(row["text"] for row in elsewhere), *BACKGROUND]}
    assert not set(texts) & (others | {without_punctuation(e) for p in POWERS.values() for e in p["examples"]})


def test_that_the_vectors_of_the_texts_of_elsewhere_are_those_of_the_encoder_that_ships() -> None:
    """`python packaging/background.py` makes them again."""
    arrays, encoder = FitFile(RESOURCES / "encoders" / "intentscope-minilm" / "background.npz").load(), MiniLm.load()
    held = None if arrays is None else Fit.of_arrays(arrays)
    assert held is not None
    assert (held.encoder, held.models) == (name_of(encoder), {})
    assert held.background.texts == in_order(BACKGROUND)
    made = encoder.encode_layers(held.background.texts[::100])
    for own, shipped in zip(made, (held.background.cosine_vectors, held.background.vectors), strict=True):
        assert (own * shipped[::100]).sum(axis=1) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("lesson", [ROUTE_TRAINING, TYPE_TRAINING], ids=["routes", "types"])
def test_that_what_ships_as_learned_is_of_the_examples_that_ship(lesson: TrainingSpec) -> None:
    examples = lesson.select((), set(), shipped_examples(lesson.task))
    arrays = FitFile(RESOURCES / "datasets" / LESSONS[lesson.task][1]).load()
    assert arrays is not None
    sources = (MiniLm.load().provenance, MiniLm.layers)
    digest = digest_of(examples, sources, by_subject=lesson.by_subject)
    assert is_of(arrays, digest), "Run: python packaging/lessons.py"
    model = restored(arrays, examples, sources)
    assert model is not None
    assert model.trained.accuracy > 0.8


@pytest.fixture(scope="module")
def floor_of() -> FloorOf:
    """Return the types of texts by keywords and shipped examples, without an LLM."""
    examples = TYPE_TRAINING.select((), set(), shipped_examples(Task.TYPE))
    arrays, encoder, votes = FitFile(RESOURCES / "datasets" / "types.npz").load(), MiniLm.load(), TypeVoter()
    assert arrays is not None
    votes.model, votes.encoder = restored(arrays, examples, (encoder.provenance, encoder.layers)), encoder
    detector = TypeDetector(KeywordRules(read_packs(RESOURCES / "rules")), votes, encoder)

    def floor(texts: Sequence[str]) -> dict[str, str | None]:
        found = {}
        for text, *both in zip(texts, *encoder.encode_layers(texts), strict=True):
            own = detector.detect(text, QueryVector(*both), SearchIntentSettings()).floor
            found[text] = None if own is None else own.type.value
        return found

    return floor


def test_that_what_ships_as_learned_says_of_no_prompt_of_000_otherwise_than_its_document(floor_of: FloorOf) -> None:
    examples = TYPE_TRAINING.select((), set(), shipped_examples(Task.TYPE))
    prompts = [prompt for prompt, _ in LABELLED]
    assert not {without_punctuation(one.text) for one in examples} & set(map(without_punctuation, prompts))
    assert floor_of(prompts) == dict(LABELLED)


def test_that_the_sample_without_a_type_has_none_by_examples_either(floor_of: FloorOf) -> None:
    (sample,) = (one.text for one in SAMPLES if one.shows == "No type")
    assert floor_of([sample]) == {sample: None}
