"""Tests of the resolution in JSON, field by field as in document 003, for all four statuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.detect.resolve import resolve
from app.display.documents import AVAILABLE_CHARACTERS, resolution_document
from app.domain.library import Power, Tool
from app.domain.match import Match, Tier
from app.domain.scope.resolution import Resolution
from app.settings.model import Settings

SETTINGS = Settings()
HYBRID, SEMANTIC, KEYWORD = {"keyword": 0.6, "semantic": 0.6}, {"semantic": 0.6}, {"keyword": 0.6}

POSTGRES = Power(
    "postgres",
    "PostgreSQL database operations",
    ("database", "sql", "postgres", "query", "tables"),
    tools=(Tool("query_database", "..."), Tool("execute_sql", "...")),
    steering="Ask first.",
)
MYSQL = Power("mysql", "MySQL database management", ("database", "mysql", "sql", "query"))
MONGODB = Power("mongodb", "MongoDB NoSQL database", ("database", "mongo", "nosql"))


def found(*powers: tuple[Power, float, dict[str, float]]) -> list[Match]:
    return [Match(power, confidence, scores, (), power.name) for power, confidence, scores in powers]


def told(resolution: Resolution, *, beyond: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the document without our additional fields."""
    document = resolution_document(resolution)
    assert set(beyond) <= set(document)
    return {name: value for name, value in document.items() if name not in beyond}


def test_that_an_activation_is_told_as_in_003() -> None:
    resolution = resolve("run a postgres query", found((POSTGRES, 0.94, HYBRID)), [], SETTINGS)
    assert told(resolution, beyond=("started", "reason")) == {
        "status": "activated",
        "power": {"name": "postgres", "confidence": 0.94, "match_type": "hybrid"},
        "tools": [{"name": "query_database", "description": "..."}, {"name": "execute_sql", "description": "..."}],
    }


def test_that_multiple_matches_are_told_as_in_003() -> None:
    matches = found((POSTGRES, 0.67, HYBRID), (MYSQL, 0.64, SEMANTIC), (MONGODB, 0.59, KEYWORD))
    assert told(resolve("check my database", matches, [], SETTINGS)) == {
        "status": "multiple_matches",
        "query": "check my database",
        "matches": [
            {
                "name": "postgres",
                "confidence": 0.67,
                "match_type": "hybrid",
                "description": "PostgreSQL database operations",
                "keywords": ["database", "sql", "postgres", "query", "tables"],
            },
            {
                "name": "mysql",
                "confidence": 0.64,
                "match_type": "semantic",
                "description": "MySQL database management",
                "keywords": ["database", "mysql", "sql", "query"],
            },
            {
                "name": "mongodb",
                "confidence": 0.59,
                "match_type": "keyword",
                "description": "MongoDB NoSQL database",
                "keywords": ["database", "mongo", "nosql"],
            },
        ],
        "message": "Multiple database tools found. Use activate_power(name) to select one.",
    }


def test_that_weak_matches_are_told_as_in_003() -> None:
    three = [(Power(name, "..."), confidence) for name, confidence in (("analytics", 0.42), ("postgres", 0.38))]
    matches = found(*((power, confidence, SEMANTIC) for power, confidence in (*three, (Power("crm", "..."), 0.36))))
    document = told(resolve("analyze business performance", matches, [], SETTINGS))
    assert list(document) == ["status", "query", "matches", "message"]
    assert (document["status"], document["query"]) == ("weak_matches", "analyze business performance")
    assert document["message"] == "Found weak matches. Please clarify or rephrase."
    # The document prints these three fields; ours are those of multiple matches.
    shown = [{name: match[name] for name in ("name", "confidence", "description")} for match in document["matches"]]
    assert shown == [
        {"name": "analytics", "confidence": 0.42, "description": "..."},
        {"name": "postgres", "confidence": 0.38, "description": "..."},
        {"name": "crm", "confidence": 0.36, "description": "..."},
    ]


def test_that_nothing_found_is_told_as_in_003() -> None:
    available = [Power("postgres", "PostgreSQL database"), Power("stripe", "Payment processing")]
    assert told(resolve("launch rocket to Mars", found((MYSQL, 0.1, SEMANTIC)), available, SETTINGS)) == {
        "status": "not_found",
        "query": "launch rocket to Mars",
        "available_powers": [
            {"name": "postgres", "description": "PostgreSQL database"},
            {"name": "stripe", "description": "Payment processing"},
        ],
        "message": "No relevant tools found. Available tools listed above.",
    }


def test_that_what_runs_comes_with_its_steering_text_and_what_does_not_with_a_reason() -> None:
    resolution = resolve("q", found((POSTGRES, 0.94, HYBRID)), [], SETTINGS)
    assert resolution_document(resolution)["started"] is False
    assert resolution_document(resolution)["reason"]
    assert "steering" not in resolution_document(resolution)
    running = resolution_document(replace(resolution, started=True, reason=None))
    assert (running["started"], running["reason"], running["steering"]) == (True, None, "Ask first.")
    refused = resolution_document(replace(resolution, reason="Not approved.", needs_approval="npx a"))
    assert (refused["reason"], refused["needs_approval"]) == ("Not approved.", "npx a")


@pytest.mark.parametrize(("count", "length"), [(40, 200), (199, 300), (1_000, 300)])
def test_that_a_long_list_of_available_powers_names_them_all_in_few_words(count: int, length: int) -> None:
    powers = [Power(f"p{place}", "wording " * (length // 8)) for place in range(count)]
    resolution = Resolution(Tier.NOT_FOUND, "q", available=tuple(powers))
    listed = resolution_document(resolution)["available_powers"]
    assert [row["name"] for row in listed] == [power.name for power in powers]
    descriptions = [row["description"] for row in listed]
    assert sum(map(len, descriptions)) <= AVAILABLE_CHARACTERS
    assert all(text == "" or text.endswith("wording…") for text in descriptions)


def test_that_a_short_description_stands_whole_in_a_long_list_and_a_long_word_is_cut() -> None:
    powers = (Power("short", "A few words"), *(Power(f"p{place}", "x" * 500) for place in range(20)))
    listed = resolution_document(Resolution(Tier.NOT_FOUND, "q", available=powers))["available_powers"]
    assert listed[0]["description"] == "A few words"
    assert listed[1]["description"] == "x" * (AVAILABLE_CHARACTERS // 21 - 1) + "…"
