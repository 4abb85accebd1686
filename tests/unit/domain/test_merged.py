"""Tests of three-way merges of a memory: a merged version, or None on a conflict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.library import Memory, merged

BASE = Memory(("a", "b"), "said", "label", tags=("x",), key=1, version=1)


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ({"intent": "i"}, {"response": "r"}, {"intent": "i", "response": "r"}),
        ({"intent": "i"}, {"intent": "i"}, {"intent": "i"}),
        ({"intent": "i"}, {"intent": "j"}, None),
        ({"tags": ("x", "m")}, {"tags": ("t",)}, {"tags": ("t", "m")}),
        ({"triggers": ("b",)}, {"triggers": ("a", "b", "c")}, {"triggers": ("b", "c")}),
        ({"triggers": ("a",)}, {"triggers": ("b",)}, None),
    ],
)
def test_that_both_are_in_it_unless_they_contradict(
    mine: dict[str, Any], theirs: dict[str, Any], both: dict[str, Any] | None
) -> None:
    found = merged(BASE, replace(BASE, **mine), replace(BASE, **theirs, version=2))
    assert found == (None if both is None else replace(BASE, **both))
    assert found is None or found.version == 2


texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(tuple)
memories = st.builds(Memory, texts, st.sampled_from(["", "r"]), tags=texts)


@given(base=memories, other=memories)
def test_that_who_changed_nothing_takes_nothing_away(base: Memory, other: Memory) -> None:
    assert merged(base, base, other) == other
    assert merged(base, other, base) == other
