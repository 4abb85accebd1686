"""Tests of tiers with the shipped encoder: 003's main example, quality and cost (S5)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.encoders.minilm import DIMENSION, MiniLm
from app.adapters.formats.records import power_of
from app.detect.resolve import resolve
from app.domain.match import Tier
from app.domain.scope.resolution import Resolution
from app.scoring.columns.bm25 import VOID
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import words
from app.settings.model import PRESETS, layer
from tests.program import PROJECT, run

SEED = PROJECT / "resources" / "seed" / "powers.jsonl"
CASES = PROJECT / "resources" / "datasets" / "tiers.jsonl"


@pytest.fixture(scope="module")
def encoder() -> MiniLm:
    return MiniLm.load()


@pytest.fixture(scope="module")
def index(encoder: MiniLm) -> TriggerIndex:
    lines = SEED.read_text(encoding="utf-8").splitlines()
    made = TriggerIndex(DIMENSION)
    made.put(replace(power_of(json.loads(line)), key=key) for key, line in enumerate(lines, 1))
    texts = made.unembedded()
    made.embed(dict(zip(texts, encoder.encode(texts), strict=True)))
    return made


def _resolved(index: TriggerIndex, encoder: MiniLm, query: str, preset: str) -> Resolution:
    settings = layer(here={"preset": preset}).values
    scores = index.score(ScoredText(query, encoder.encode([query])[0]), name_counts=settings.name_counts)
    ranking = rank(scores, settings, 10)
    found = matches(index, scores, ranking, settings)
    powers, best_scores = index.layout().powers, ranking.best_scores
    return resolve(query, found, powers, settings, shared=ranking.any_power, best_scores=best_scores)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "query", ["check my database", "Check my database", "check my databases", "CHECK MY DATABASE!"]
)
def test_that_checking_the_database_offers_all_three(
    index: TriggerIndex, encoder: MiniLm, preset: str, query: str
) -> None:
    found = _resolved(index, encoder, query, preset)
    assert found.status is Tier.MULTIPLE_MATCHES
    assert {match.power.name for match in found.matches} == {"postgres", "mysql", "mongodb"}
    assert found.message == "Multiple database tools found. Use activate_power(name) to select one."


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("query", ["run a postgres query", "Run a Postgres query.", "run a POSTGRES query"])
def test_that_naming_postgres_activates_it(index: TriggerIndex, encoder: MiniLm, preset: str, query: str) -> None:
    found = _resolved(index, encoder, query, preset)
    assert found.status is Tier.ACTIVATED
    assert [match.power.name for match in found.matches] == ["postgres"]
    assert found.matches[0].match_type == "hybrid"


def _run(*words: str, profile: Path) -> str:
    done = run(*words, profile=profile)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_that_tiers_and_tokens_are_judged_on_the_command_line(seeded: Path) -> None:
    found: dict[str, Any] = json.loads(
        _run("evaluate", str(CASES), "--task", "power", "--tokens", "--json", profile=seeded)
    )
    assert sum(found["tiers"].values()) == found["n"] == found["tier_quality"]["expecting"] == 70
    assert found["tier_quality"]["accuracy"] == found["metrics"]["tier_accuracy"]
    assert found["tier_quality"]["accuracy"] >= 0.62
    meant = {tier: sum(row.values()) for tier, row in found["tier_quality"]["confusion"].items()}
    assert meant == {"activated": 20, "multiple_matches": 20, "weak_matches": 20, "not_found": 10}
    assert found["times"]["n"] == 70
    assert found["times"]["by_tier_ms"].keys() == {tier for tier, count in found["tiers"].items() if count}
    tokens = found["tokens"]
    assert {tier: row["n"] for tier, row in tokens["by_tier"].items()} == found["tiers"]
    weighed = sum(row["n"] * row["together"] for row in tokens["by_tier"].values()) / 70
    assert tokens["together"] == pytest.approx(weighed)
    assert 0 < tokens["together"] < tokens["everything"]
    assert tokens["counter"] == "WordPiece of all-MiniLM-L6-v2"
    assert (tokens["powers"], tokens["tools"]) == (20, 79)
    page = _run("evaluate", str(CASES), "--task", "power", profile=seeded)
    assert "Tiers meant (rows) and got (columns)" in page
    assert "Tokens" not in page


@pytest.mark.parametrize("is_one_line", [False, True])
def test_that_one_word_that_names_no_power_starts_none(seeded: Path, tmp_path: Path, *, is_one_line: bool) -> None:
    powers = [power_of(json.loads(line)) for line in SEED.read_text(encoding="utf-8").splitlines()]
    profile = seeded
    if is_one_line:
        lines = [json.dumps({"name": power.name, "description": power.description}) for power in powers]
        (tmp_path / "powers.jsonl").write_text("\n".join(lines), encoding="utf-8")
        profile = tmp_path / "profile"
        _run("import", str(tmp_path / "powers.jsonl"), "--kind", "powers", profile=profile)
    names = {word for power in powers for name in (power.name, *power.keywords) for word in words(name)}
    names |= {word for power in powers for tool in power.tools for word in words(tool.name.replace("_", " "))}
    texts = [text for power in powers for text in (power.description, *power.examples)]
    texts += [tool.description for power in powers for tool in power.tools]
    said = {word for text in texts for word in words(text)} - names - VOID
    cases = [json.dumps({"text": f"the {word}", "expected": []}) for word in sorted(said)]
    (tmp_path / "cases.jsonl").write_text("\n".join(cases), encoding="utf-8")
    found = json.loads(_run("evaluate", str(tmp_path / "cases.jsonl"), "--task", "power", "--json", profile=profile))
    assert found["n"] > 100
    assert [case["text"] for case in found["cases"] if case["tier"] == "activated"] == []


def test_that_tokens_are_for_powers(seeded: Path) -> None:
    done = run("evaluate", CASES, "--task", "intent", "--tokens", profile=seeded)
    assert done.returncode == 2
    assert "--tokens goes with --task power" in done.stderr
