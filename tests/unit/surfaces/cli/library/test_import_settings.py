"""Tests of `import` of other programs' configurations, with consent for addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import run
from tests.unit.surfaces.cli.library.test_approve import at_terminal
from tests.unit.surfaces.cli.library.test_restore import settings_of

ADDRESS = "http://127.0.0.1:9"
CONFIG = f"""
[llm]
provider = "ollama"
model = "qwen2.5:1.5b"
base_url = "{ADDRESS}"
[search_intent]
use_llm = true
llm_timeout_ms = 9000
min_confidence = 0.6
max_tokens = 3000
[search_intent.weights.troubleshoot]
blockers = 2.0
"""
TAKEN = {
    "search_intent.min_confidence": "0.6",
    "search_intent.surfacing_tokens": "3000",
    "namespaces.weights.troubleshoot.blockers": "2.0",
}
PERSONAL = {
    "llm.model": "qwen2.5:1.5b",
    "llm.url": ADDRESS,
    "search_intent.use_llm": "true",
    "search_intent.llm_timeout_ms": "9000",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(CONFIG)
    return file


def test_that_addresses_and_permissions_are_named_and_left_out(config: Path, tmp_path: Path) -> None:
    done = run("import", config, profile=tmp_path / "p")
    assert done.returncode == 0
    assert "Left out: 4 settings with an address, a permission or another choice of a person" in done.stdout
    assert f"llm.url={ADDRESS}" in done.stdout
    assert "“import --accept-settings” takes them as well." in done.stdout
    assert settings_of(tmp_path / "p") == TAKEN


@pytest.mark.parametrize("accept", [True, False])
def test_that_a_dry_run_and_json_say_the_same(config: Path, tmp_path: Path, accept: bool) -> None:
    option = ["--accept-settings"] if accept else []
    tried, done = (
        json.loads(run("import", config, "--json", *option, *more, profile=tmp_path / "p").stdout)
        for more in (["--dry-run"], [])
    )
    assert tried == done
    assert done["settings"] == (TAKEN | PERSONAL if accept else TAKEN)
    assert done["not_accepted"] == ({} if accept else PERSONAL)
    assert settings_of(tmp_path / "p") == done["settings"]


@pytest.mark.parametrize(("typed", "is_taken"), [("y\n", True), ("\n", False), ("", False)])
def test_that_a_person_at_the_terminal_is_asked(
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    is_taken: bool,
) -> None:
    from app.__main__ import main

    at_terminal(monkeypatch, typed)
    assert main(["import", str(config), "--profile", str(tmp_path / "p")]) == 0
    asked = capsys.readouterr().err
    assert f"\n    llm.url={ADDRESS}\n" in asked
    assert asked.count("[y/N]") == 1
    assert settings_of(tmp_path / "p") == (TAKEN | PERSONAL if is_taken else TAKEN)


def test_that_a_file_with_an_address_alone_sets_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[llm]\nprovider = "ollama"\nbase_url = "http://127.0.0.1:9"\n')
    done = run("import", file, "--kind", "settings", profile=tmp_path / "p")
    assert (done.returncode, settings_of(tmp_path / "p")) == (0, {})
    assert "http://127.0.0.1:9" in done.stdout
