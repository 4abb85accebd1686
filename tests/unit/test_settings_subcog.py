"""Tests of settings from Subcog's configuration file, as 000's project documents it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings.model import SettingsError, SettingsSources, layer
from app.settings.outside import from_subcog, is_config

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
