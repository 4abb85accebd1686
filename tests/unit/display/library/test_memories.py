"""Tests of a memory's input fields: accepted, or rejected with a sentence."""

from __future__ import annotations

import pytest

from app.display.library.memories import LONGEST_TRIGGER, edited_memory, with_triggers
from app.domain.errors import KnownError
from app.domain.library import Memory

MEMORY = Memory(
    ("one", "two"), "answer", "label", "context", ("a",), key=7, version=3, valid_from="2020-01-01 00:00:00"
)


@pytest.mark.parametrize(
    ("field", "text", "attribute", "value"),
    [
        ("label", " billing ", "intent", "billing"),
        ("label", "", "intent", None),
        ("namespace", "apis", "namespace", "apis"),
        ("tags", "b, a,, b", "tags", ("b", "a")),
        ("success", "0,75", "success", 0.75),
        ("paused", "Paused", "paused", True),
        ("success", "57 %", "success", 0.57),
        ("paused", "", "paused", False),
        ("response", "other", "response", "other"),
        ("valid_from", "2024-06-01", "valid_from", "2024-06-01 00:00:00"),
        ("valid_to", "2024-06-01T12:00:00.5+02:00", "valid_to", "2024-06-01 10:00:00"),
        ("valid_to", " ", "valid_to", ""),
        ("replaces", "b, a", "replaces", ("b", "a")),
    ],
)
def test_that_a_field_takes_what_fits_and_others_stay(field: str, text: str, attribute: str, value: object) -> None:
    changed = edited_memory(MEMORY, field, text)
    assert getattr(changed, attribute) == value
    assert (changed.key, changed.version, changed.triggers) == (7, 3, ("one", "two"))


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("success", "1.2", "from 0 to 100 %; “1.2”"),
        ("success", "nan", "from 0 to 100 %"),
        ("success", "much", "“much” is not"),
        ("namespace", " ", "always in a namespace"),
        ("paused", "perhaps", "neither"),
        ("label", "x" * 300, "200 characters"),
        ("tags", "x" * 300, "200 characters"),
        ("response", "x" * 100_001, "100,000 characters"),
        ("valid_from", "June", "“June” is neither"),
        ("valid_from", "0001-01-01T00:00+05:00", "neither"),
        ("valid_to", "2019", "neither"),
        ("valid_to", "2020-01-01", "end before it begins"),
    ],
)
def test_that_a_field_refuses_what_does_not_fit_in_a_sentence(field: str, text: str, said: str) -> None:
    with pytest.raises(KnownError, match=r"\.$") as refused:
        edited_memory(MEMORY, field, text)
    assert said in str(refused.value)


def test_that_triggers_keep_their_order() -> None:
    assert with_triggers(MEMORY, ["two", " one ", "three"]).triggers == ("two", "one", "three")


@pytest.mark.parametrize(
    ("triggers", "said"),
    [
        ([], "at least one"),
        (["one", " "], "cannot be empty"),
        (["one", "one"], "already"),
        (["x" * (LONGEST_TRIGGER + 1)], "2,000 characters"),
    ],
)
def test_that_triggers_are_some_and_none_twice(triggers: list[str], said: str) -> None:
    with pytest.raises(KnownError, match=said):
        with_triggers(MEMORY, triggers)
