"""Tests of shipped data: the seed library, labelled queries, route examples, and training texts."""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.adapters.encoders.learned_files import FitFile
from app.adapters.encoders.minilm import MiniLm
from app.adapters.formats.records import case_of, record_of
from app.adapters.formats.toml_tables import read_packs
from app.bootstrap import LESSONS, RESOURCES, shipped_examples
from app.detect.keywords import KeywordRules
from app.display.scope.guide import SAMPLES
from app.domain.case import NO_MATCH_WORDS, Task
from app.domain.intent import TYPE_NAMES
from app.domain.library import NAMESPACES
from app.domain.match import Tier
from app.domain.route import ROUTE_NAMES
from app.scoring.example_storage import digest_of, is_of, restored
from app.scoring.learned.library import Fit
from app.scoring.text import QueryVector, without_punctuation
from app.services.engine.fit_maker import in_order, name_of
from app.services.engine.type_voter import TypeDetector, TypeVoter
from app.services.example_trainer import TrainingSpec
from app.services.routing.routes import ROUTE_TRAINING
from app.services.scope.types import TYPE_TRAINING
from app.settings.sections import SearchIntentSettings
from tests.apex_phrases import PHRASES
from tests.scripts import script
from tests.unit.detect.test_types import LABELLED

FloorOf = Callable[[Sequence[str]], dict[str, str | None]]


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
    arrays, encoder = (FitFile(RESOURCES / "encoders" / "intentscope-minilm" / "background.npz").load(), MiniLm.load())
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


EXAMPLES = shipped_examples(Task.ROUTE)
HELD_OUT = rows("datasets/routes-held-out.jsonl")


def test_that_each_intent_has_as_many_examples_as_any_other_and_strangers_stand_beside_them() -> None:
    counts = Counter(label for example in EXAMPLES for label in example.labels)
    assert set(counts) == ROUTE_NAMES
    assert min(counts.values()) >= 80
    assert max(counts.values()) - min(counts.values()) <= 1
    assert sum(not example.labels for example in EXAMPLES) >= 60
    assert (
        len(EXAMPLES) == len({without_punctuation(one.text) for one in EXAMPLES}) == len(rows("datasets/routes.jsonl"))
    )
    assert all(example.is_shipped for example in EXAMPLES)


def test_that_what_judges_the_router_is_balanced_and_teaches_nothing() -> None:
    counts = Counter(row["route"] for row in HELD_OUT)
    assert set(counts) == ROUTE_NAMES | {"none"}
    assert len({count for route, count in counts.items() if route != "none"}) == 1
    texts = {without_punctuation(row["text"]) for row in HELD_OUT}
    assert len(texts) == len(HELD_OUT)
    assert not texts & {without_punctuation(example.text) for example in EXAMPLES}


def test_that_none_of_001s_phrases_is_taught_not_even_within_another() -> None:
    phrases = [without_punctuation(text) for text, _ in PHRASES]
    taught = [without_punctuation(text) for text in (*(e.text for e in EXAMPLES), *(r["text"] for r in HELD_OUT))]
    assert not [(phrase, text) for phrase in phrases for text in taught if phrase in text or text in phrase]


texts = script("training/texts")
OURS = texts.lines(texts.OWN)


def written(file: Path, rows: Iterable[object]) -> Path:
    """Write a file with one record per line, compressed if its name ends in .gz."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
    file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    return file


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Make prepared data: 24 labels of six requests, 50 pairs of 45 powers, other texts."""
    folder = tmp_path / "data"
    requests = [{"set": "s", "label": f"l{at % 24}", "text": f"Please do thing {at}"} for at in range(144)]
    few = [{"set": "s", "label": "few", "text": f"Seldom said {at}"} for at in range(3)]
    pairs = [
        {"set": "p", "q": f"ask {at}", "d": f"Power {at % 45}", "did": f"power{at % 45}", "neg": [f"Other {at}"]}
        for at in range(50)
    ]
    written(folder / "intents.jsonl.gz", [*requests, *few])
    written(folder / "pairs.jsonl", pairs)
    (folder / "texts.txt").write_text("First text\n\nSecond text\n", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Play some Jazz!", "play   some jazz"),
        ("What's up?", "what s up"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER A}BC", "abc"),  # another form of the same letter
        ("Stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"),
    ],
)
def test_that_texts_are_compared_without_case_signs_and_spaces(one: str, other: str) -> None:
    assert texts.normalised(one) == texts.normalised(other)
    assert texts.normalised(f"{one} now") != texts.normalised(other)


@pytest.mark.parametrize("name", ["sets/deep/queries.jsonl", "sets/queries.jsonl.gz"])
def test_that_texts_are_found_in_every_field_of_an_evaluation_set(tmp_path: Path, name: str) -> None:
    written(tmp_path / name, [{"text": "One, two", "tools": [{"description": "Three"}], "rank": 4}, ["Five"]])
    assert texts.measured([tmp_path / "sets"]) == {"one two", "three", "five"}
    assert texts.measured([tmp_path / name]) == {"one two", "three", "five"}


def test_that_a_path_without_texts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"")
    for path in (tmp_path, tmp_path / "picture.png"):
        with pytest.raises(SystemExit, match="Give a folder or a file"):
            texts.measured([path])


def test_that_what_is_measured_on_is_dropped_and_counted(data: Path) -> None:
    forbidden = {"please do thing 7", "ask 3", "power 4", "other 5", "second text"}
    found = texts.read(data, forbidden, seed=1)
    told = {
        *(text for labels in found.requests.values() for of in labels.values() for text in of),
        *(text for pair in found.pairs["p"] for text in (pair.request, pair.description, *pair.others)),
        *found.others,
    }
    assert not forbidden & set(map(texts.normalised, told))
    assert {"Please do thing 8", "ask 5", "Power 5", "First text"} <= told
    # "power 4" is in two pairs
    assert +found.dropped == {"intents": 1, "pairs": 3, "negatives": 1, "texts": 1}


def test_that_a_label_with_few_requests_is_left_out_and_one_with_many_is_cut(data: Path) -> None:
    rows = [{"set": "thing", "label": "many", "text": f"Often said {at}"} for at in range(60)]
    written(
        data / "intents.jsonl.gz", [*rows, *rows[:3], *({"set": "s", "label": "few", "text": str(at)} for at in "ab")]
    )
    found = texts.read(data, set(), seed=1)
    assert {name: {label: len(of) for label, of in labels.items()} for name, labels in found.requests.items()} == {
        "thing": {"many": 40},
        "s": {},
    }


def test_that_missing_data_are_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no intents\.jsonl"):
        texts.read(tmp_path, set(), seed=1)


def test_that_batches_repeat_by_their_seed(data: Path) -> None:
    def drawn(seed: str) -> list[object]:
        draws = texts.Draws(texts.read(data, set(), seed=1), seed)
        return [drawn for _ in range(3) for drawn in (draws.requests(), draws.pairs())]

    assert drawn("1 A") == drawn("1 A")
    assert drawn("1 A") != drawn("1 B")


def test_that_a_batch_has_two_requests_a_label_and_each_power_once(data: Path) -> None:
    draws = texts.Draws(texts.read(data, set(), seed=1), "1")
    for _ in range(4):
        asked, labels = draws.requests()
        assert len(set(asked)) == len(asked) == 48
        assert all(labels.count(label) == 2 for label in range(24))
        pairs, wrong = draws.pairs()
        assert len({pair.power for pair in pairs}) == len(pairs) == texts.PAIRS
        assert 0 < len(wrong) <= texts.PAIRS // 2
        assert not set(wrong) & {pair.description for pair in pairs}


def test_that_whole_libraries_are_drawn_with_two_texts_of_each_item() -> None:
    rows = [row for row in map(json.loads, OURS) if row["kind"] == "powers"]
    forbidden = {texts.normalised(rows[0]["items"][0]["requests"][0])}
    found = [texts.library(row, lambda _, text: texts.normalised(text) not in forbidden) for row in rows]
    draws = texts.Draws(texts.Prepared(libraries=found), "1")
    drawn = [draws.libraries() for _ in range(len(found))]
    told = {text for one in found for item in one.items for of in item for text in of}
    requests = {text for one in found for _, asked in one.items for text in asked}
    for first, second, unserved in drawn:
        assert len(first) == len(second) >= texts.PAIRS
        assert not any(map(str.__eq__, first, second))
        assert {*first} <= told
        assert {*second} <= requests
        assert unserved
    assert not [text for text in requests if texts.normalised(text) in forbidden]


def test_that_no_library_to_measure_with_asks_what_the_encoder_was_trained_on() -> None:
    ours = [texts.library(json.loads(line), lambda *_: True) for line in OURS]
    trained = {texts.normalised(text) for own in ours for items in own.items for of in items for text in of}
    trained |= {texts.normalised(text) for own in ours for text in own.unserved}
    for line in texts.lines(RESOURCES.parent / "tests" / "benchmarks" / "libraries.jsonl"):
        row = json.loads(line)
        asked = [*row["unserved"], *row["elsewhere"], *(text for item in row["items"] for text in item["requests"])]
        assert asked
        assert not [text for text in asked if texts.normalised(text) in trained]


DESIGN_IDS = {"build-fails-locally", "slow-build", "signing", "ci-red", "flaky-tests", "new-laptop", "arch-build"}
MEMORY_FIELDS = {"id", "triggers", "intent", "response", "namespace", "tags", "success", "usage"}
POWER_FIELDS = {"name", "description", "keywords", "examples", "tools", "steering", "command", "args", "env", "url"}
LONGEST_TRIGGER = 200

MEMORIES = rows("seed/memories.jsonl")
SEED_QUERIES = rows("seed/queries.jsonl")


def holders(keyword: str) -> set[str]:
    """Return the powers with a keyword, in the singular or the plain plural."""
    forms = {keyword, keyword + "s"}
    return {power["name"] for power in POWERS.values() if forms & {held.lower() for held in power["keywords"]}}


def triggers_of(power: dict[str, Any]) -> list[str]:
    """Return a power's triggers by S1.2."""
    tools = [f"{tool['name']}: {tool['description']}" for tool in power["tools"]]
    return [power["name"], power["description"], *power["keywords"], *tools, *power["examples"]]


def test_that_there_are_60_memories_and_20_powers_in_every_namespace_and_no_other() -> None:
    assert len({memory["id"] for memory in MEMORIES}) == len(MEMORIES) == 60
    assert len(POWERS) == len(rows("seed/powers.jsonl")) == 20
    assert {memory["id"] for memory in MEMORIES} >= DESIGN_IDS
    used = Counter(memory["namespace"] for memory in MEMORIES)
    assert set(used) == set(NAMESPACES)
    assert min(used.values()) >= 3
    labels = [memory["intent"] for memory in MEMORIES if "intent" in memory]
    assert max(Counter(labels).values()) >= 3
    assert len(labels) < len(MEMORIES)


def test_that_memories_have_known_fields_of_the_right_shape() -> None:
    for memory in MEMORIES:
        assert set(memory) | {"intent"} == MEMORY_FIELDS, memory["id"]
        assert 2 <= len(memory["triggers"]) <= 4, memory["id"]
        assert all(trigger == trigger.strip() and trigger for trigger in memory["triggers"]), memory["id"]
        assert memory["response"].strip(), memory["id"]
        assert memory["tags"], memory["id"]
        assert 0.5 <= memory["success"] <= 0.95, memory["id"]
        assert isinstance(memory["usage"], int), memory["id"]
        assert 0 <= memory["usage"] <= 40, memory["id"]


def test_that_powers_have_known_fields_of_the_right_shape() -> None:
    for power in POWERS.values():
        assert set(power) <= POWER_FIELDS, power["name"]
        assert 3 <= len(power["keywords"]) <= 6, power["name"]
        assert len(set(power["keywords"])) == len(power["keywords"]), power["name"]
        assert 2 <= len(power["tools"]) <= 6, power["name"]
        assert all(set(tool) == {"name", "description"} for tool in power["tools"]), power["name"]
        assert 1 <= len(power["examples"]) <= 3, power["name"]
        assert power["description"].strip(), power["name"]
        assert power["steering"].strip(), power["name"]


def test_that_a_power_has_either_a_command_or_an_address_or_says_that_it_is_an_example() -> None:
    for power in POWERS.values():
        ways = ("command" in power) + ("url" in power) + ("An example without a server:" in power["steering"])
        assert ways == 1, power["name"]
        assert ({"command", "args", "env"} <= set(power)) == ("command" in power), power["name"]


def test_that_no_power_reaches_a_made_up_place() -> None:
    for power in POWERS.values():
        assert set(power.get("env", {}).values()) <= {None}, f"{power['name']}: whose values are they?"
        place = urlsplit(power.get("url", "https://"))
        assert place.scheme == "https", power["name"]
        assert place.hostname not in ("localhost", "127.0.0.1", "example.com"), power["name"]


def test_that_three_powers_hold_the_keyword_database_and_each_its_own_name_alone() -> None:
    assert holders("database") == {"postgres", "mysql", "mongodb"}
    for keyword, power in {"postgres": "postgres", "mysql": "mysql", "mongodb": "mongodb", "mongo": "mongodb"}.items():
        assert holders(keyword) == {power}
    assert set().union(*map(holders, ("check", "my", "run", "a", "query"))) == set()


def test_that_no_trigger_is_over_200_characters() -> None:
    taught = [trigger for memory in MEMORIES for trigger in memory["triggers"]]
    triggers = taught + [trigger for power in POWERS.values() for trigger in triggers_of(power)]
    assert max(len(trigger) for trigger in triggers) <= LONGEST_TRIGGER


def test_that_two_memories_hold_the_same_trigger_with_different_answers() -> None:
    answers: dict[str, set[str]] = {}
    for memory in MEMORIES:
        for trigger in memory["triggers"]:
            answers.setdefault(without_punctuation(trigger), set()).add(memory["response"])
    conflicts = {trigger for trigger, responses in answers.items() if len(responses) > 1}
    assert conflicts == {"how do i reset the database", "when is the code freeze"}


def test_that_sample_queries_say_what_they_show() -> None:
    assert len(SEED_QUERIES) >= 16
    for query in SEED_QUERIES:
        assert set(query) == {"text", "shows"}
        assert query["text"].strip()
        assert query["shows"].strip()
    texts = {query["text"] for query in SEED_QUERIES}
    assert len(texts) == len(SEED_QUERIES)
    assert texts >= {"check my database", "run a postgres query", *(sample.text for sample in SAMPLES)}


def test_that_the_readme_states_the_number_of_rows_and_the_licence() -> None:
    readme = (RESOURCES / "seed" / "README.md").read_text(encoding="utf-8")
    for name, found in (("memories", MEMORIES), ("powers", POWERS.values()), ("queries", SEED_QUERIES)):
        assert f"| `{name}.jsonl` | {len(found)} |" in readme
    assert "Apache License 2.0" in readme


def test_that_the_labelled_queries_are_not_taught_and_expect_labels_that_are() -> None:
    labels = {memory.get("intent") for memory in MEMORIES}
    taught = {without_punctuation(trigger) for memory in MEMORIES for trigger in memory["triggers"]}
    cases = rows("seed/cases.jsonl")
    assert {case["task"] for case in cases} == {"intent"}
    assert {label for case in cases for label in case["expected"]} <= labels
    assert not {without_punctuation(case["text"]) for case in cases} & taught
    assert any(not case["expected"] for case in cases)
