"""Tests of the seed library: complete, well formed, with the examples of the help pages."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.display.scope.guide import SAMPLES

SEED = Path(__file__).resolve().parents[2] / "resources" / "seed"
NAMESPACES = {
    "decisions",
    "patterns",
    "learnings",
    "context",
    "tech-debt",
    "blockers",
    "progress",
    "apis",
    "config",
    "security",
    "performance",
    "testing",
    "help",
    "prompts",
}
DESIGN_IDS = {"build-fails-locally", "slow-build", "signing", "ci-red", "flaky-tests", "new-laptop", "arch-build"}
MEMORY_FIELDS = {"id", "triggers", "intent", "response", "namespace", "tags", "success", "usage"}
POWER_FIELDS = {"name", "description", "keywords", "examples", "tools", "steering", "command", "args", "env", "url"}
LONGEST_TRIGGER = 200

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    lines = (SEED / name).read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert all(isinstance(row, dict) for row in found)
    return found


MEMORIES = rows("memories.jsonl")
POWERS = rows("powers.jsonl")
QUERIES = rows("queries.jsonl")


def normalised(text: str) -> str:
    """Normalise a text by S2.2: no punctuation, single spaces, lower case."""
    kept = "".join(letter for letter in text if letter.isalnum() or letter.isspace())
    return " ".join(kept.split()).lower()


def holders(keyword: str) -> set[str]:
    """Return the powers with a keyword, in the singular or the plain plural."""
    forms = {keyword, keyword + "s"}
    return {power["name"] for power in POWERS if forms & {held.lower() for held in power["keywords"]}}


def triggers_of(power: Row) -> list[str]:
    """Return a power's triggers by S1.2."""
    tools = [f"{tool['name']}: {tool['description']}" for tool in power["tools"]]
    return [power["name"], power["description"], *power["keywords"], *tools, *power["examples"]]


def test_that_there_are_60_memories_and_20_powers() -> None:
    assert (len(MEMORIES), len(POWERS)) == (60, 20)


def test_that_ids_and_names_are_unique() -> None:
    assert len({memory["id"] for memory in MEMORIES}) == len(MEMORIES)
    assert len({power["name"] for power in POWERS}) == len(POWERS)
    assert len({query["text"] for query in QUERIES}) == len(QUERIES)


def test_that_every_namespace_has_at_least_three_memories_and_no_other_is_used() -> None:
    used = [memory["namespace"] for memory in MEMORIES]
    assert set(used) == NAMESPACES
    assert {name for name in NAMESPACES if used.count(name) < 3} == set()


def test_that_the_ids_of_the_design_are_there() -> None:
    assert {memory["id"] for memory in MEMORIES} >= DESIGN_IDS


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


def test_that_some_memories_share_a_label_and_some_have_none() -> None:
    labels = [memory["intent"] for memory in MEMORIES if "intent" in memory]
    assert any(labels.count(label) >= 3 for label in labels)
    assert len(labels) < len(MEMORIES)


def test_that_powers_have_known_fields_of_the_right_shape() -> None:
    for power in POWERS:
        assert set(power) <= POWER_FIELDS, power["name"]
        assert 3 <= len(power["keywords"]) <= 6, power["name"]
        assert len(set(power["keywords"])) == len(power["keywords"]), power["name"]
        assert 2 <= len(power["tools"]) <= 6, power["name"]
        assert all(set(tool) == {"name", "description"} for tool in power["tools"]), power["name"]
        assert 1 <= len(power["examples"]) <= 3, power["name"]
        assert power["description"].strip(), power["name"]
        assert power["steering"].strip(), power["name"]


def test_that_a_power_has_either_a_command_or_an_address_or_says_that_it_is_an_example() -> None:
    for power in POWERS:
        ways = ("command" in power) + ("url" in power) + ("An example without a server:" in power["steering"])
        assert ways == 1, power["name"]
        assert ({"command", "args", "env"} <= set(power)) == ("command" in power), power["name"]


def test_that_no_power_reaches_a_made_up_place() -> None:
    for power in POWERS:
        assert set(power.get("env", {}).values()) <= {None}, f"{power['name']}: whose values are they?"
        place = urlsplit(power.get("url", "https://"))
        assert place.scheme == "https", power["name"]
        assert place.hostname not in ("localhost", "127.0.0.1", "example.com"), power["name"]


def test_that_exactly_three_powers_hold_the_keyword_database() -> None:
    assert holders("database") == {"postgres", "mysql", "mongodb"}
    assert holders("check") == holders("my") == set()


def test_that_each_of_the_three_holds_its_own_name_alone() -> None:
    assert holders("postgres") == {"postgres"}
    assert holders("mysql") == {"mysql"}
    assert holders("mongodb") == holders("mongo") == {"mongodb"}


def test_that_no_other_word_of_the_postgres_query_is_a_keyword() -> None:
    assert holders("run") == holders("a") == holders("query") == set()


def test_that_no_trigger_is_over_200_characters() -> None:
    taught = [trigger for memory in MEMORIES for trigger in memory["triggers"]]
    triggers = taught + [trigger for power in POWERS for trigger in triggers_of(power)]
    assert max(len(trigger) for trigger in triggers) <= LONGEST_TRIGGER


def test_that_two_memories_hold_the_same_trigger_with_different_answers() -> None:
    answers: dict[str, set[str]] = {}
    for memory in MEMORIES:
        for trigger in memory["triggers"]:
            answers.setdefault(normalised(trigger), set()).add(memory["response"])
    conflicts = {trigger for trigger, responses in answers.items() if len(responses) > 1}
    assert conflicts == {"how do i reset the database", "when is the code freeze"}


def test_that_sample_queries_say_what_they_show() -> None:
    assert len(QUERIES) >= 16
    for query in QUERIES:
        assert set(query) == {"text", "shows"}
        assert query["text"].strip()
        assert query["shows"].strip()
    assert {"check my database", "run a postgres query"} <= {query["text"] for query in QUERIES}


def test_that_the_window_offers_only_queries_that_are_listed_here() -> None:
    assert {sample.text for sample in SAMPLES} <= {query["text"] for query in QUERIES}


def test_that_the_readme_states_the_number_of_rows_and_the_licence() -> None:
    readme = (SEED / "README.md").read_text(encoding="utf-8")
    for name, found in (("memories", MEMORIES), ("powers", POWERS), ("queries", QUERIES)):
        assert f"| `{name}.jsonl` | {len(found)} |" in readme
    assert "Apache License 2.0" in readme


def test_that_the_labelled_queries_are_not_taught_and_expect_labels_that_are() -> None:
    labels = {memory.get("intent") for memory in MEMORIES}
    taught = {normalised(trigger) for memory in MEMORIES for trigger in memory["triggers"]}
    cases = rows("cases.jsonl")
    assert {case["task"] for case in cases} == {"intent"}
    assert {label for case in cases for label in case["expected"]} <= labels
    assert not {normalised(case["text"]) for case in cases} & taught
    assert any(not case["expected"] for case in cases)
