"""Tests of weights as settings: one key each, in files, command line and environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.intent import IntentType
from app.domain.library import NAMESPACES
from app.settings.layers import from_file, from_pairs
from app.settings.model import Layered, SettingsError, SettingsSources, layer
from app.settings.namespaces import DEFAULT_WEIGHTS, WEIGHTS, weight_key
from tests.profiles import from_environment


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
