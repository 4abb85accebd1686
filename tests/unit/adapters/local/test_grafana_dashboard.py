"""The dashboard that ships asks only for what is exported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from app.adapters.local.metrics import MeasuresCollector
from app.services.engine.measures import Measures

DASHBOARD = Path(__file__).parents[4] / "resources" / "grafana" / "intentscope.json"
NAME = re.compile(r"search_intent_\w+")
LABELS = re.compile(r"(\w+)\s*(?:=~|!=|=)\s*\"")
GROUPS = re.compile(r"by \(([^)]*)\)")
OF_PROMETHEUS = {"instance", "le"}


@pytest.fixture(scope="module")
def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def exported() -> str:
    measures = Measures()
    measures.detected("keyword", 0.004)
    registry = CollectorRegistry()
    registry.register(MeasuresCollector(measures))
    return generate_latest(registry).decode()


def expressions(dashboard: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_that_every_family_it_names_is_exported(dashboard: dict[str, Any], exported: str) -> None:
    samples = {line.split("{")[0].split(" ")[0] for line in exported.splitlines() if not line.startswith("#")}
    named = {name for text in expressions(dashboard) for name in NAME.findall(text)}
    assert named - samples == set()
    families = {"started_total", "completed_total", "timeout_total", "orphaned"}
    assert {f"search_intent_llm_{name}" for name in families} <= named
    assert "search_intent_detection_duration_seconds_bucket" in named


def test_that_every_label_it_asks_for_is_exported(dashboard: dict[str, Any], exported: str) -> None:
    known = set(LABELS.findall(exported)) | OF_PROMETHEUS
    for text in expressions(dashboard):
        grouped = {label.strip() for group in GROUPS.findall(text) for label in group.split(",")}
        assert set(LABELS.findall(text)) | grouped <= known, text


def test_that_its_panels_lie_side_by_side_and_say_what_they_show(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        assert panel["title"]
        assert panel["description"].endswith(".")
        taken |= cells
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)
