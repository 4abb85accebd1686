"""Tests of other programs' variables: read as in those programs, and never fatal."""

from __future__ import annotations

import pytest

from app.settings.layers import api_key, foreign_settings
from app.settings.model import SettingsSources, layer
from tests.profiles import from_environment

TIMEOUT, SURE = "SUBCOG_SEARCH_INTENT_LLM_TIMEOUT_MS", "SUBCOG_SEARCH_INTENT_MIN_CONFIDENCE"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ('"127.0.0.1:11434"', "127.0.0.1:11434"),
        ("'http://gpu.lan:1' ", "http://gpu.lan:1"),
        (' "gpu-box" ', "http://gpu-box:11434"),
        ("“localhost”", "http://localhost:11434"),
        ('"127.0.0.1:11434', "127.0.0.1:11434"),
        ("'\"h:1\"'", "h:1"),
        ("HTTP://GPU.lan", "http://GPU.lan"),
        ("\ufeff[::1]:11434\u200b", "[::1]:11434"),
        ('"https://gpu.lan/ollama/"', "https://gpu.lan/ollama/"),
    ],
)
def test_that_quotes_and_blanks_around_a_host_are_taken_off(host: str, url: str) -> None:
    found = foreign_settings({"OLLAMA_HOST": host})
    assert (dict(found.found), found.passed_over) == ({"llm.url": url}, ())


@pytest.mark.parametrize("host", ["''", '" "', "“”", "   "])
def test_that_nothing_between_quotes_counts_as_unset(host: str) -> None:
    assert foreign_settings({"OLLAMA_HOST": host}) == foreign_settings({})


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        (TIMEOUT, "200ms", "search_intent.llm_timeout_ms", 200),
        (TIMEOUT, '"200 ms"', "search_intent.llm_timeout_ms", 200),
        (TIMEOUT, "0.2s", "search_intent.llm_timeout_ms", 200),
        (TIMEOUT, "1,5 sec", "search_intent.llm_timeout_ms", 1_500),
        (TIMEOUT, "250.0", "search_intent.llm_timeout_ms", 250),
        (TIMEOUT, "1m", "search_intent.llm_timeout_ms", 60_000),
        (TIMEOUT, "300 Milliseconds", "search_intent.llm_timeout_ms", 300),
        (SURE, "50%", "search_intent.min_confidence", 0.5),
        (SURE, "'0,5'", "search_intent.min_confidence", 0.5),
        (SURE, ".7", "search_intent.min_confidence", 0.7),
        (SURE, "62.5 %", "search_intent.min_confidence", 0.625),
        ("SUBCOG_SEARCH_INTENT_USE_LLM", '"False"', "search_intent.use_llm", False),
    ],
)
def test_that_units_of_the_other_program_are_understood(name: str, text: str, key: str, value: object) -> None:
    section, _, field = key.partition(".")
    values = layer(SettingsSources(environment=from_environment({name: text}))).values
    assert getattr(getattr(values, section), field) == value
    assert foreign_settings({name: text}).passed_over == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("OLLAMA_HOST", "tcp://127.0.0.1:11434"),
        ("OLLAMA_HOST", "127.0.0.1:port"),
        ("OLLAMA_HOST", "two words"),
        ("OLLAMA_HOST", "http://me:open-sesame@gpu.lan"),
        (TIMEOUT, "fast"),
        (TIMEOUT, "-1"),
        (TIMEOUT, "200 parsecs"),
        (TIMEOUT, "3 hours"),
        (TIMEOUT, "1e999"),
        (SURE, "150%"),
        (SURE, "50"),
        (SURE, "nan"),
        ("SUBCOG_SEARCH_INTENT_ENABLED", "perhaps"),
    ],
)
def test_that_what_cannot_be_used_is_passed_over_and_named(name: str, text: str) -> None:
    other = {"SUBCOG_SEARCH_INTENT_USE_LLM": "false"}
    found = foreign_settings({name: text, **other})
    assert dict(found.found) == {"search_intent.use_llm": "false"}
    (sentence,) = found.passed_over
    assert sentence.startswith(f"The variable {name} = ")
    assert sentence.endswith(".")
    assert "open-sesame" not in sentence


def test_that_a_variable_that_ours_replaces_is_not_looked_at() -> None:
    both = {"OLLAMA_HOST": "tcp://x", "INTENTSCOPE_LLM_URL": "gpu.lan:1"}
    assert from_environment(both) == {"llm.url": "gpu.lan:1"}
    assert foreign_settings(both, {"llm.url": "gpu.lan:1"}).passed_over == ()


@pytest.mark.parametrize("text", ["k-1", '"k-1"', " k-1\n", "'Bearer k-1'"])
def test_that_a_key_is_what_stands_between_quotes_and_blanks(text: str) -> None:
    assert api_key({"OLLAMA_API_KEY": text}) == "k-1"


@pytest.mark.parametrize("text", ["k 1", "k\n1", "schlüssel", "k\x001"])
def test_that_what_can_be_no_key_is_passed_over_without_being_shown(text: str) -> None:
    assert api_key({"OLLAMA_API_KEY": text}) == ""
    (sentence,) = foreign_settings({"OLLAMA_API_KEY": text}).passed_over
    assert "OLLAMA_API_KEY" in sentence
    assert text not in sentence
