from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from app.services.evaluation.bench import COMBINATIONS, exponent, lines_of, svg

SVG = "{http://www.w3.org/2000/svg}"


def _document(*sizes: int) -> dict[str, Any]:
    """Make a document with times that grow with the root of the size.

    Memory grows with the size.
    """
    rows = {
        str(size): {
            "combinations": {name: {"p50_ms": 0.01 * size**0.5} for name in COMBINATIONS},
            "limit_ms": 0.001 * size,
            "memory": 0.002 * size,
            "resident": 0.004 * size,
        }
        for size in sizes
    }
    return {"machine": {"platform": "A & B", "python": "3.11", "cpus": 2}, "seed": 0, "sizes": rows}


def test_that_the_exponent_is_the_power_by_which_a_value_grows() -> None:
    assert exponent([(size, 3.0 * size**0.7) for size in (10, 1_000, 100_000)]) == pytest.approx(0.7)
    assert exponent([(10.0, 2.0)]) is None


def test_that_the_picture_has_a_line_for_each_combination_with_its_exponent() -> None:
    page = ElementTree.fromstring(svg(_document(1_000, 10_000, 100_000)))
    said = [element.text or "" for element in page.iter(f"{SVG}text")]
    assert {f"{name}: n^0.50" for name in COMBINATIONS} <= set(said)
    assert {"cdist + product: n^1.00", "arrays of the index: n^1.00", "with the answers: n^1.00"} <= set(said)
    assert any("A & B" in text for text in said)
    times, memory = lines_of(_document(1_000, 10_000))
    assert len(list(page.iter(f"{SVG}polyline"))) == len(times) + len(memory) == len(COMBINATIONS) + 3


def test_that_memory_that_nobody_told_is_not_drawn() -> None:
    found = _document(1_000, 10_000)
    found["sizes"]["1000"]["resident"] = 0.0
    assert [line.name for line in lines_of(found)[1]] == ["arrays of the index"]


def test_that_points_lie_in_their_pane_and_larger_values_above() -> None:
    page = ElementTree.fromstring(svg(_document(1, 1_000, 1_000_000)))
    for line in page.iter(f"{SVG}polyline"):
        points = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
        assert points == sorted(points)
        assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
        assert all(60 <= y <= 340 for _, y in points)


def test_that_one_size_is_drawn_without_an_exponent() -> None:
    page = ElementTree.fromstring(svg(_document(1_000)))
    assert "balanced" in [element.text for element in page.iter(f"{SVG}text")]
