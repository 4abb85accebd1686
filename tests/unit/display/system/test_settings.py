"""Tests of settings as rows: all of them, editors, bounds, origins, and search."""

from __future__ import annotations

import pytest

from app.display.system.settings import Editor, SettingRow, matching, setting_sections, stepped
from app.settings.model import Settings, SettingsSources, described, keys, layer


def rows(sources: SettingsSources | None = None, **here: object) -> dict[str, SettingRow]:
    dotted = {key.replace("__", "."): value for key, value in here.items()}
    layered = layer(sources or SettingsSources(), here=dotted)
    found = setting_sections(layered.values, layered.origins)
    return {row.key: row for section in found for row in section.rows}


def test_that_every_setting_has_a_row_with_its_sentence_and_its_variable() -> None:
    found = rows()
    assert sorted(found) == sorted(keys())
    for key, sentence in described().items():
        assert found[key].sentence.replace("“", "`").replace("”", "`") == sentence
        assert found[key].sentence
        assert found[key].variables[0].startswith("INTENTSCOPE_")
    assert found["llm.url"].variables == ("INTENTSCOPE_LLM_URL", "OLLAMA_HOST")


def test_that_each_type_has_its_editor() -> None:
    found = rows()
    assert found["search_intent.enabled"].editor is Editor.SWITCH
    assert found["llm.url"].editor is Editor.TEXT
    assert found["tiers.high"].editor is Editor.THRESHOLD
    assert found["thresholds.fuzzy"].editor is Editor.NUMBER
    assert found["combination"].editor is Editor.CHOICE
    assert ("same", "Same") in found["power_combination"].choices
    assert ("max", "Max") in found["power_combination"].choices


def test_that_bounds_are_told_where_there_are_any() -> None:
    found = rows()
    assert found["search_intent.llm_timeout_ms"].bounds == "1 to 60,000"
    assert found["tiers.high"].bounds == "0 to 1"
    assert found["weights.exact"].bounds == "from 0 on"
    assert found["llm.url"].bounds == ""


def test_that_the_raw_value_is_taken_again_as_it_is() -> None:
    for key, row in rows().items():
        values = layer(here={key: row.raw}).values
        assert values == Settings(), key


def test_that_a_row_says_where_its_value_comes_from() -> None:
    sources = SettingsSources(
        file={"matches": 7}, environment={"llm.url": "http://one"}, command_line={"llm.model": "small"}
    )
    found = rows(sources, preset="as_documented", tiers__weak="0.2")
    assert found["combination"].origin == "Preset “As documented”"
    assert found["combination"].value == found["combination"].default == "Max"
    assert (found["tiers.weak"].origin, found["tiers.weak"].is_set_here) == ("Set here", True)
    assert found["tiers.weak"].default == "0.3"
    assert (found["matches"].origin, found["matches"].fixed) == ("Settings file", "")
    assert found["theme"].origin == "Default"
    assert "INTENTSCOPE_LLM_URL or OLLAMA_HOST" in found["llm.url"].fixed
    assert "--set" in found["llm.model"].fixed


@pytest.mark.parametrize(
    ("sought", "key"),
    [
        ("time-out", "search_intent.llm_timeout_ms"),
        ("SUBCOG use_llm", "search_intent.use_llm"),
        ("retrieval_fuzzy_threshold", "thresholds.fuzzy"),
        ("second power close", "tiers.ambiguity_margin"),
        ("tiers powers high", "tiers.high"),
        ("night", "theme"),
        ("dark", "theme"),
        ("font", "text_scale"),
        ("zoom", "text_scale"),
        ("accessibility", "high_contrast"),
    ],
)
def test_that_a_setting_is_found_by_any_of_its_words(sought: str, key: str) -> None:
    layered = layer()
    found = [
        row.key
        for section in setting_sections(layered.values, layered.origins)
        for row in section.rows
        if matching(row, section, sought)
    ]
    assert key in found
    assert len(found) < len(keys()) / 4


def test_that_letters_within_a_word_find_no_setting() -> None:
    layered = layer()
    every = [(row, section) for section in setting_sections(layered.values, layered.origins) for row in section.rows]
    assert [row.key for row, section in every if matching(row, section, "bin")] == ["curate.bin_days"]
    near = {row.key: section.key for row, section in every if matching(row, section, "near duplicates")}
    assert near == dict.fromkeys(("curate.duplicate_spelling", "curate.duplicate_meaning"), "thresholds")


def test_that_a_step_stays_within_the_bounds() -> None:
    found = rows()
    assert stepped(found["tiers.high"], "0.85", 1) == "0.9"
    assert stepped(found["tiers.high"], "0.98", 1) == "1"
    assert stepped(found["tiers.high"], "0.3", -1) == "0.25"
    assert stepped(found["search_intent.llm_timeout_ms"], "1", -1) == "1"
    assert stepped(found["search_intent.llm_timeout_ms"], "200", 10) == "210"
    assert stepped(found["tiers.high"], "much", 1) == "much"
