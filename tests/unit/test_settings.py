"""Tests of settings: layers, validation, and the origin of each value (S2.11, S2.12, S4.14)."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from app.scoring.combiners import COMBINERS
from app.settings.layers import environment_name, from_file, from_lines, from_pairs, own_variables
from app.settings.model import (
    PRESETS,
    Combination,
    Settings,
    SettingsError,
    SettingsSources,
    described,
    keys,
    layer,
    value_of,
)
from tests.profiles import from_environment


def test_that_a_later_origin_wins_and_is_named() -> None:
    sources = SettingsSources({"tiers.high": 0.8}, {"tiers.high": "0.7"}, {"tiers.high": "0.6"})
    for given, origin, value in (
        (SettingsSources(), "default", 0.9),
        (SettingsSources(file=sources.file), "file", 0.8),
        (SettingsSources(sources.file, sources.environment), "environment", 0.7),
        (sources, "command line", 0.6),
    ):
        layered = layer(given)
        assert (layered.origins["tiers.high"], layered.values.tiers.high) == (origin, value)


def test_that_a_choice_made_here_wins_over_the_file_only() -> None:
    here = {"theme": "dark"}
    assert layer(SettingsSources(file={"theme": "light"}), here=here).values.theme == "dark"
    assert layer(SettingsSources(environment={"theme": "light"}), here=here).values.theme == "light"


def test_that_a_preset_changes_defaults_and_nothing_that_was_said() -> None:
    layered = layer(SettingsSources(command_line={"preset": "as_documented", "search_intent.selection": "evidence"}))
    assert layered.values.combination == "max"
    assert layered.origins["combination"] == "preset"
    assert layered.values.search_intent.selection == "evidence"


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        (["tiers.high=2"], "tiers.high"),
        (["combination=best"], "combination"),
        (["no.such=1"], "no.such"),
        (["preset=mine"], "mine"),
        (["novalue"], "KEY=VALUE"),
        (["search_intent.enabled=perhaps"], "search_intent.enabled"),
    ],
)
def test_that_a_refused_value_is_named_in_a_sentence(pairs: list[str], word: str) -> None:
    with pytest.raises(SettingsError, match=word):
        layer(SettingsSources(command_line=from_pairs(pairs)))


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["tiers.high=0.4"], r"tiers.*tiers\.high from the command line.*must not rise"),
        (["tiers.weak=0.6"], "must not rise"),
        (["bands.medium=0.9"], "high .0.75. must not be below medium .0.9."),
        ([f"weights.{name}=0" for name in ("exact", "fuzzy", "token_overlap", "semantic", "keyword")], "above 0"),
        (["weights.exact=inf"], "weights.exact = 'inf'"),
        (["weights.exact=1e308", "weights.fuzzy=1e308"], "too large"),
        (["weights.exact=nan"], "weights.exact"),
        (["tiers.high=nan"], "tiers.high"),
    ],
)
def test_that_numbers_that_contradict_each_other_are_refused(pairs: list[str], words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        layer(SettingsSources(command_line=from_pairs(pairs)))
    assert "Value error" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "127.0.0.1",
        "localhost",
        "gpu.lan",
        "box:1",
        "localhost:11434",
        ":11434",
        "http://[::1]:11434",
        "https://llm.example/ollama",
        "[::1]:1",
    ],
)
def test_that_addresses_are_taken(url: str) -> None:
    assert layer(SettingsSources(environment={"llm.url": url})).values.llm.url == url.strip()


@pytest.mark.parametrize(
    "url",
    [
        "http://[bad",
        "http://localhost:99999999",
        "localhost:x",
        "ftp://localhost",
        "http://",
        "a b",
        "a\nb",
        "h:0",
        "blah",
    ],
)
def test_that_what_is_no_address_is_refused_by_its_key(url: str) -> None:
    with pytest.raises(
        SettingsError, match=r"llm\.url = .* \(from the environment\) is refused: it is not a server address"
    ):
        layer(SettingsSources(environment={"llm.url": url}))


def test_that_an_empty_variable_counts_as_unset() -> None:
    assert from_environment({"OLLAMA_HOST": "", "INTENTSCOPE_MATCHES": "", "INTENTSCOPE_THEME": "dark"}) == {
        "theme": "dark"
    }
    assert from_environment({"OLLAMA_HOST": "h:1", "INTENTSCOPE_LLM_URL": ""}) == {"llm.url": "h:1"}


@pytest.mark.parametrize(
    ("host", "url"), [("gpu-box", "http://gpu-box:11434"), ("gpu.lan", "gpu.lan"), ("0.0.0.0:1", "0.0.0.0:1")]
)
def test_that_a_bare_host_of_ollama_gets_its_port(host: str, url: str) -> None:
    found = from_environment({"OLLAMA_HOST": host})
    assert layer(SettingsSources(environment=found)).values.llm.url == url


def test_that_descriptions_need_no_knowledge_of_other_projects() -> None:
    told = " ".join(described().values())
    assert not [name for name in ("Subcog", "Lilith", "Grimoire") if name in told]


def test_that_both_prefixes_of_the_environment_are_read_and_ours_wins() -> None:
    assert environment_name("search_intent.use_llm") == "INTENTSCOPE_SEARCH_INTENT_USE_LLM"
    theirs = {"SUBCOG_SEARCH_INTENT_LLM_TIMEOUT_MS": "300", "SUBCOG_SEARCH_INTENT_ENABLED": "false"}
    ours = {"INTENTSCOPE_SEARCH_INTENT_LLM_TIMEOUT_MS": "400"}
    values = layer(SettingsSources(environment=from_environment({**theirs, **ours}))).values
    assert values.search_intent.llm_timeout_ms == 400
    assert not values.search_intent.enabled


def test_that_names_of_002_are_accepted() -> None:
    pairs = from_pairs(["retrieval_fuzzy_threshold=0.8", "retrieval_scoring_method=cascade"])
    values = layer(SettingsSources(command_line=pairs)).values
    assert (values.thresholds.fuzzy, values.combination) == (0.8, "cascade")


def test_that_a_file_is_read_by_sections(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('combination = "max"\n[search_intent]\nllm_timeout_ms = 500\n[tiers]\nhigh = 0.9\n')
    values = layer(SettingsSources(file=from_file(file))).values
    assert (values.combination, values.search_intent.llm_timeout_ms, values.tiers.high) == ("max", 500, 0.9)
    file.write_text("combination = ")
    with pytest.raises(SettingsError, match="has an error in line"):
        from_file(file)
    with pytest.raises(SettingsError, match="cannot be read"):
        from_file(tmp_path / "missing.toml")


@pytest.mark.parametrize(("text", "why"), [(f"matches = {'1' * 5000}", "cannot be"), (f"a = {'[' * 3000}", "deep")])
def test_that_a_file_that_no_parser_takes_is_refused_in_words(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=why):
        from_file(file)


def test_that_a_file_that_goes_while_it_is_refused_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("combination = ")

    def gone(_path: Path, _encoding: str) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", gone)
    with pytest.raises(SettingsError, match="has an error in line 1"):
        from_file(file)
    refused = SettingsError("matches is refused.", "matches", "file")
    assert from_lines(file, refused) is refused


def test_that_every_setting_is_described() -> None:
    assert set(described()) == set(keys())
    assert all(text.endswith(".") for text in described().values())


def test_that_every_preset_names_known_settings() -> None:
    for changes in PRESETS.values():
        assert set(changes) <= set(keys())


def test_that_the_combinations_that_can_be_set_are_the_rows_of_combiners() -> None:
    assert set(get_args(Combination)) == set(COMBINERS)


def test_that_every_key_leads_to_a_value() -> None:
    assert all(value_of(Settings(), key) is not None for key in keys())


@pytest.mark.parametrize("former", ["minilm", "accurate"])
def test_that_an_encoder_of_earlier_versions_is_read_as_the_one_that_ships(former: str) -> None:
    of_file, of_profile = SettingsSources(file={"encoder.name": former}), SettingsSources()
    for found in (layer(of_file), layer(of_profile, here={"encoder.name": former})):
        assert found.values.encoder.name == "intentscope-minilm"
        assert f"encoder.name = {former}" in found.note
        assert "sentence-transformers" in found.note
    assert layer(of_file, here={"encoder.name": "ollama"}).note == "", "the file's word does not count then"
    assert layer().note == ""
    with pytest.raises(SettingsError, match="it must be intentscope-minilm"):
        layer(SettingsSources(file={"encoder.name": "minilms"}))


SERVERS = {"team.servers": "postgresql://anna@one/part postgresql://anna@two/part"}


@pytest.mark.parametrize(
    "sources",
    [
        SettingsSources(file=SERVERS),
        SettingsSources(environment=own_variables({"INTENTSCOPE_TEAM_SERVERS": "http://anna:secret@one"})),
        SettingsSources(command_line=SERVERS),
        None,
    ],
)
def test_that_a_setting_of_earlier_versions_is_ignored_with_a_note(sources: SettingsSources | None) -> None:
    found = layer(here=SERVERS) if sources is None else layer(sources)
    assert (found.values, set(found.origins.values())) == (Settings(), {"default"})
    assert found.note.startswith("team.servers is ignored")
    assert "postgresql://" not in found.note


def test_that_notes_on_settings_of_earlier_versions_are_joined_and_silent_where_nothing_was_set() -> None:
    assert layer(SettingsSources(file={"language": "de", "team.servers": ""})).note == ""
    both = layer(SettingsSources(file=SERVERS), here={"encoder.name": "minilm"}).note
    assert "team.servers is ignored" in both
    assert "encoder.name = minilm" in both
