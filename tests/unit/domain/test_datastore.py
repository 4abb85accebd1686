"""Tests of documents of data stores, and of fused rankings."""

from __future__ import annotations

import pytest

from app.domain.datastore import Document, Hit, fused

ONE = Document("memory:a", "a", ("text",), {"kind": ("memory",), "tag": ("x", "y")}, "body", "2025", "2026")


def test_that_each_value_but_the_kind_is_a_link() -> None:
    assert ONE.links == (("tag", "tag:x"), ("tag", "tag:y"))


def test_that_what_several_rankings_have_high_comes_first() -> None:
    assert [each for each, _ in fused([["a", "b", "c"], ["b", "d"]])] == ["b", "a", "d", "c"]
    assert fused([["a"], ["a", "a"]]) == [("a", 1.0)]
    assert fused([["a"], []]) == [("a", 0.5)]
    assert fused([]) == []
    assert all(0.0 < score <= 1.0 for _, score in fused([["a", "b"], ["c"], ["b", "a"]]))


def test_that_a_hit_is_no_nearer_than_near() -> None:
    with pytest.raises(ValueError, match="confidence"):
        Hit("a", "a", 1.5)
