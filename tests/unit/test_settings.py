"""Tests of settings: layers, origins, weights, routes, other programs' (S2.11, S4.14)."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from app.domain.intent import IntentType
from app.domain.library import NAMESPACES
from app.domain.route import DOCUMENTED, SHIPPED_ROUTES, Route
from app.scoring.combiners import COMBINERS
from app.settings.layers import (
    MOST,
    api_key,
    environment_name,
    foreign_settings,
    from_file,
    from_lines,
    from_pairs,
    from_subcog,
    is_config,
    is_portable,
    own_variables,
    sort_settings,
)
from app.settings.model import (
    PRESETS,
    UNASKED,
    Combination,
    Layered,
    Settings,
    SettingsError,
    SettingsSources,
    bearing,
    described,
    flat,
    keys,
    layer,
    value_of,
)
from app.settings.routes import DEFAULT_WEIGHTS, WEIGHTS, keys_of, named_in, route_key, weight_key
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


def weight(layered: Layered, type_: IntentType, namespace: str) -> float:
    return layered.values.namespaces.weight(type_, namespace)


def test_that_the_shipped_weights_are_those_of_the_document() -> None:
    found = layer()
    for type_ in IntentType:
        for namespace in (*NAMESPACES, "mine"):
            assert weight(found, type_, namespace) == DEFAULT_WEIGHTS[type_].get(namespace, 1.0)
    assert {(type_.value, name): value for type_, row in DEFAULT_WEIGHTS.items() for name, value in row.items()} == {
        ("howto", "patterns"): 1.5,
        ("howto", "learnings"): 1.3,
        ("troubleshoot", "blockers"): 1.5,
        ("troubleshoot", "learnings"): 1.3,
        ("location", "decisions"): 1.5,
        ("location", "context"): 1.3,
        ("explanation", "decisions"): 1.5,
        ("explanation", "context"): 1.3,
        ("comparison", "decisions"): 1.5,
        ("comparison", "patterns"): 1.3,
        ("general", "decisions"): 1.2,
        ("general", "patterns"): 1.2,
    }


def test_that_a_file_says_weights_in_tables(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[namespaces.weights.howto]\npatterns = 2\n"my.own notes" = 0.5\n', "utf-8")
    found = layer(SettingsSources(file=from_file(file)))
    assert weight(found, IntentType.HOWTO, "patterns") == 2
    assert weight(found, IntentType.HOWTO, "my.own notes") == 0.5
    assert weight(found, IntentType.HOWTO, "learnings") == 1.3
    assert found.origins[weight_key(IntentType.HOWTO, "patterns")] == "file"
    assert found.origins[WEIGHTS] == "file"


def test_that_each_weight_comes_from_the_last_that_says_it() -> None:
    environment = from_environment({"INTENTSCOPE_NAMESPACES_WEIGHTS": "howto.patterns=2, general.apis = 0"})
    pairs = from_pairs(["namespaces.weights.howto.patterns=3"])
    found = layer(SettingsSources(environment=environment, command_line=pairs))
    assert weight(found, IntentType.HOWTO, "patterns") == 3
    assert weight(found, IntentType.GENERAL, "apis") == 0
    assert found.origins[weight_key(IntentType.HOWTO, "patterns")] == "command line"
    assert found.origins[weight_key(IntentType.GENERAL, "apis")] == "environment"


@pytest.mark.parametrize("value", ["11", "-0.1", "nan", "inf", "much", "", True, [1]])
def test_that_a_weight_is_a_number_from_0_to_10(value: object) -> None:
    with pytest.raises(SettingsError, match="it must be a number from 0 to 10") as caught:
        layer(SettingsSources(file={"namespaces.weights.howto.apis": value}))
    assert (caught.value.key, caught.value.origin) == ("namespaces.weights.howto.apis", "file")


@pytest.mark.parametrize("key", ["namespaces.weights.howtoo.apis", "namespaces.weights.howto", WEIGHTS])
def test_that_there_are_weights_of_known_types_only(key: str) -> None:
    with pytest.raises(SettingsError, match="Unknown setting"):
        layer(SettingsSources(file={key: 3}))


def test_that_namespaces_of_one_s_own_are_parted_by_commas_and_told_once() -> None:
    found = layer(here={"namespaces.more": "  my   notes, recipes,,help, recipes"}).values.namespaces
    assert found.own == ("my notes", "recipes")
    assert found.all == (*NAMESPACES, "my notes", "recipes")
    with pytest.raises(SettingsError):
        layer(here={"namespaces.more": "a\nb"})


PERSONAL = {
    "llm.url": "http://192.0.2.1:11434",
    "llm.model": "evil",
    "encoder.name": "ollama",
    "encoder.url": "http://192.0.2.1:1",
    "encoder.model": "/tmp/model",
    "updates.url": "https://192.0.2.1/news",
    "team.score": "server",
    "route.postgresql": "postgresql://someone@192.0.2.1/x",
    "route.neo4j": "bolt://192.0.2.1:7687",
    "route.graphiti": "falkor://192.0.2.1:6379",
    "route.qdrant": "http://192.0.2.1:6333",
    "route.redis": "redis://192.0.2.1:6379",
    "route.candidate": "route.use_llm=true",
    "route.rollout": "100",
    "route.use_llm": "true",
    "route.llm_while_typing": "true",
    "search_intent.use_llm": "true",
    "serve.teach": "true",
    "serve.port": "80",
    "metrics.port": "9000",
    "files.folder": "/home/me/.ssh",
    "files.follow": "true",
    "history.privacy": "full",
    "log_breakdowns": "true",
}
HARMLESS = {"theme": "dark", "matches": "20"}


def test_that_addresses_permissions_and_privacy_are_a_persons_own() -> None:
    found = sort_settings({**PERSONAL, **HARMLESS})
    assert (found.portable, found.harmless, found.personal, found.refused) == ({}, HARMLESS, PERSONAL, ())


def test_that_every_portable_setting_is_one_that_answers_rest_on() -> None:
    portable = [key for key in keys() if is_portable(key)]
    assert {"tiers.high", "weights.fuzzy", "combination", "route.threshold"} <= set(portable)
    assert not [key for key in portable if key.startswith((*UNASKED, "encoder.", "team."))]
    assert not [key for key in portable if key.endswith((".url", "_llm", ".model"))]
    assert is_portable("routes.billing.stores")
    assert is_portable("namespaces.weights.howto.patterns")
    for key in ("routes", "tiers.nothing", "thresholds.url", "Combination", "combination ", "", "routes.."):
        assert is_portable(key) is (key == "routes"), key


@pytest.mark.parametrize(
    ("found", "portable", "refused"),
    [
        ({"tiers.high": "0.95", "no.such": "1"}, ["tiers.high"], ["no.such"]),
        ({"tiers.high": "high", "weights.fuzzy": "0.5"}, ["weights.fuzzy"], ["tiers.high"]),
        ({"preset": "x", "weights.fuzzy": "0.5"}, ["weights.fuzzy"], ["preset"]),
        ({"bands.high": "0.4", "bands.medium": "0.3", "x": "1"}, ["bands.high", "bands.medium"], ["x"]),
        ({"bands.high": "0.6", "bands.medium": "0.7", "preset": "x"}, [], ["bands.high", "bands.medium", "preset"]),
        ({f"routes.r{n}.about": "x" for n in range(MOST + 1)}, [], [f"routes.r{n}.about" for n in range(MOST + 1)]),
    ],
)  # fmt: skip
def test_that_what_is_unknown_invalid_or_contradictory_is_refused_and_the_rest_is_not(
    found: dict[str, str], portable: list[str], refused: list[str]
) -> None:
    told = sort_settings(found)
    assert list(told.portable) == portable
    assert sorted(told.refused) == sorted(refused)


BILLING = Route("billing", ("ledger", "qdrant"), "pink", "Billing", "asks about invoices")


def test_that_the_routes_are_001s_as_long_as_nobody_says_otherwise() -> None:
    settings = layer().values
    assert settings.all_routes == DOCUMENTED
    assert {row.name: row.stores for row in settings.all_routes.rows} == {
        "graph_traversal": ("neo4j",),
        "vector_similarity": ("qdrant",),
        "hybrid_search": ("postgresql",),
        "temporal_reasoning": ("neo4j", "graphiti"),
        "multi_database": ("neo4j", "qdrant", "postgresql"),
    }
    assert not [key for key in flat(settings) if named_in(key)]


def test_that_what_is_said_of_a_route_is_what_is_read_again() -> None:
    found = layer(here=keys_of(BILLING))
    assert found.values.all_routes.own == (BILLING,)
    assert found.values.all_routes.rows[:5] == SHIPPED_ROUTES
    assert (found.origins["routes"], found.origins[route_key("billing", "about")]) == ("here", "here")
    assert {key: value for key, value in flat(found.values).items() if named_in(key)} == keys_of(BILLING)


def test_that_a_file_the_environment_and_a_line_say_routes(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[routes."v1.2 notes"]\nstores = "qdrant"\n[routes.hybrid_search]\nenabled = false\n', "utf-8")
    line = from_environment({"INTENTSCOPE_ROUTES": "billing.stores=ledger, qdrant; hybrid_search.colour=pink"})
    routes = layer(SettingsSources(file=from_file(file), environment=line)).values.all_routes
    assert [row.name for row in routes.own] == ["billing", "v1.2 notes"]
    assert routes.stores_of("billing") == ("ledger", "qdrant")
    assert (hybrid := routes.find("hybrid_search")) is not None
    assert routes.is_off(hybrid.name)
    assert (hybrid.color, hybrid.stores, hybrid.title) == ("pink", ("postgresql",), "")


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("routes.billing.colour", "mauve", "it must be purple"),
        ("routes.billing.stores", " , ", "names of stores"),
        ("routes.billing.enabled", "perhaps", "true or false"),
        ("routes.graph.stores", "neo4j", "stands for something else"),
        ("routes.a;b.stores", "neo4j", "no semicolon"),
        ("routes.billing.shape", "round", "Unknown setting"),
        ("routes", "3", "Unknown setting"),
    ],
)
def test_that_what_cannot_be_is_refused_with_its_key(key: str, value: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as caught:
        layer(SettingsSources(file={key: value}))
    assert caught.value.key.startswith("routes")


def test_that_how_a_route_looks_bears_on_no_answer() -> None:
    one, other = (layer(here={**keys_of(BILLING), route_key("billing", "colour"): color}) for color in ("sky", "pink"))
    assert bearing(one.values, ()) == bearing(other.values, ())
    assert route_key("billing", "stores") in bearing(one.values, ())


SAID = """
data_dir = "/somewhere"
[llm]
provider = "ollama"
model = "qwen2.5:1.5b"
base_url = "http://127.0.0.1:11434"
[search_intent]
enabled = true           # Enable/disable intent detection entirely
use_llm = false
llm_timeout_ms = 250
min_confidence = 0.6
base_count = 5
max_tokens = 3000
[search_intent.weights.troubleshoot]
blockers = 2.0
tech-debt = 1.2
gossip = 3.0
"""


def test_that_what_is_a_setting_here_is_taken_and_the_rest_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(SAID)
    assert is_config(file)
    taken = from_subcog(file)
    assert set(taken.left_out) == {"data_dir", "search_intent.base_count", "search_intent.weights.troubleshoot.gossip"}
    values = layer(SettingsSources(command_line=dict(taken.found))).values
    wanted = values.search_intent
    assert (wanted.enabled, wanted.use_llm, wanted.llm_timeout_ms) == (True, False, 250)
    assert (wanted.min_confidence, wanted.surfacing_tokens) == (0.6, 3000)
    assert (values.llm.url, values.llm.model) == ("http://127.0.0.1:11434", "qwen2.5:1.5b")
    assert {k.value: dict(v) for k, v in values.namespaces.weights.items()} == {
        "troubleshoot": {"blockers": 2.0, "tech-debt": 1.2}
    }


def test_that_another_provider_is_not_asked_for_and_that_a_file_that_says_nothing_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(SAID.replace('"ollama"', '"anthropic"'))
    assert not [key for key in from_subcog(file).found if key.startswith("llm.")]
    file.write_text("[features]\nhooks = true\n")
    assert not is_config(file)
    with pytest.raises(SettingsError, match="no setting of Subcog"):
        from_subcog(file)
