"""Tests of settings: layers, origins, weights, routes, other programs' (S2.11, S4.14)."""

import json
from collections.abc import Callable
from functools import partial
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
from app.settings.routes import DEFAULT_WEIGHTS, keys_of, named_in, route_key, weight_key
from tests.golden import answered, line
from tests.profiles import from_environment


def test_that_a_choice_made_here_wins_over_the_file_only() -> None:
    here = {"theme": "dark"}
    assert layer(SettingsSources(file={"theme": "light"}), here=here).values.theme == "dark"
    assert layer(SettingsSources(environment={"theme": "light"}), here=here).values.theme == "light"


def test_that_a_preset_changes_defaults_and_nothing_that_was_said() -> None:
    layered = layer(SettingsSources(command_line={"preset": "as_documented", "search_intent.selection": "evidence"}))
    assert layered.values.combination == "max"
    assert layered.origins["combination"] == "preset"
    assert layered.values.search_intent.selection == "evidence"


def test_that_descriptions_need_no_knowledge_of_other_projects() -> None:
    told = " ".join(described().values())
    assert not [name for name in ("Subcog", "Lilith", "Grimoire") if name in told]


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
    assert all(value_of(Settings(), key) is not None for key in keys())


def test_that_presets_and_combinations_name_what_there_is() -> None:
    assert all(set(changes) <= set(keys()) for changes in PRESETS.values())
    assert set(get_args(Combination)) == set(COMBINERS)


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


def test_that_each_weight_comes_from_the_last_that_says_it() -> None:
    environment = from_environment({"INTENTSCOPE_NAMESPACES_WEIGHTS": "howto.patterns=2, general.apis = 0"})
    pairs = from_pairs(["namespaces.weights.howto.patterns=3"])
    found = layer(SettingsSources(environment=environment, command_line=pairs))
    assert weight(found, IntentType.HOWTO, "patterns") == 3
    assert weight(found, IntentType.GENERAL, "apis") == 0
    assert found.origins[weight_key(IntentType.HOWTO, "patterns")] == "command line"
    assert found.origins[weight_key(IntentType.GENERAL, "apis")] == "environment"


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


GOLDEN = Path(__file__).with_name("settings.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""


def layered(sources: SettingsSources) -> str:
    """Return the settings that differ from the defaults, or the refusal."""
    try:
        found = flat(layer(sources).values)
    except SettingsError as refused:
        return f"refused, {refused.key} from {refused.origin}: {refused}"
    return line({key: value for key, value in found.items() if value != flat(Settings()).get(key)})


def of_pairs(words: str) -> str:
    try:
        pairs = from_pairs(words.split(" "))
    except SettingsError as refused:
        return f"refused: {refused}"
    return layered(SettingsSources(command_line=pairs))


def foreign(name: str, text: str) -> str:
    """Return the settings of another program's variable and a valid one, then its refusal."""
    found = foreign_settings({name: text, "SUBCOG_SEARCH_INTENT_USE_LLM": '"False"'})
    values, told = flat(layer(SettingsSources(environment=dict(found.found))).values), " ".join(found.passed_over)
    assert "open-sesame" not in told
    return f"{line({key: values[key] for key in found.found})} {told}".rstrip()


def key_line(text: str) -> str:
    key, told = api_key({"OLLAMA_API_KEY": text}), foreign("OLLAMA_API_KEY", text)
    assert key or text not in told
    return f"{key or 'no key'}: {told}"


def variables(text: str) -> tuple[object, ...]:
    names = json.loads(text)
    return from_environment(names), foreign_settings(names, own_variables(names)).passed_over


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "command line": of_pairs,
    "address of the LLM": lambda url: layered(SettingsSources(environment={"llm.url": url})),
    "host of Ollama": partial(foreign, "OLLAMA_HOST"),
    "budget": partial(foreign, TIMEOUT),
    "confidence": partial(foreign, SURE),
    "switch": partial(foreign, "SUBCOG_SEARCH_INTENT_ENABLED"),
    "key of Ollama": key_line,
    "several variables": variables,
    "one setting of a file": lambda text: layered(SettingsSources(file=json.loads(text))),
    "settings that a file brings": lambda text: sort_settings(json.loads(text)),
}


def read() -> str:
    return answered(GOLDEN, FUNCTIONS)


def test_that_what_is_read_and_refused_reads_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_too_many_settings_of_routes_are_refused() -> None:
    many = {f"routes.r{n}.about": "x" for n in range(MOST + 1)}
    told = sort_settings(many)
    assert (told.portable, sorted(told.refused)) == ({}, sorted(many))
