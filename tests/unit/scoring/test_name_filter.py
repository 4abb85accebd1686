"""Tests of the search for a name by a few of its letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.name_filter import fuzzy_filter

NAMES = (
    "Go to the query",
    "Teach the query as a memory",
    "Mark the selected answer right",
    "Mark the selected answer wrong",
    "Copy the inspection as Markdown",
    "Setting: Ambiguity margin",
    "Preset: As documented",
)


@pytest.mark.parametrize(
    ("sought", "first"),
    [
        ("mark", "Mark the selected answer right"),
        ("MARK WR", "Mark the selected answer wrong"),
        ("msar", "Mark the selected answer right"),
        ("margin", "Setting: Ambiguity margin"),
        ("asdoc", "Preset: As documented"),
        ("tq", "Teach the query as a memory"),
        ("copmd", "Copy the inspection as Markdown"),
        ("markdown", "Copy the inspection as Markdown"),
    ],
)
def test_that_a_few_letters_find_the_name_that_was_meant(sought: str, first: str) -> None:
    assert fuzzy_filter(sought, NAMES, str)[0] == first


def test_that_letters_here_and_there_never_come_before_a_word_that_begins_so() -> None:
    names = ("List the matches by intent, or each memory again", "Setting: Theme", "Theme: dark")
    assert fuzzy_filter("theme", names, str)[:2] == ["Theme: dark", "Setting: Theme"]
    assert fuzzy_filter("the m", names, str)[0] == names[0]


@pytest.mark.parametrize("sought", ["xyz", "aeee"])
def test_that_letters_strewn_over_a_name_find_nothing(sought: str) -> None:
    assert fuzzy_filter(sought, ["Mark the selected answer right"], str) == []


def test_that_nothing_sought_keeps_all_in_their_order() -> None:
    assert fuzzy_filter("  ", NAMES, str) == list(NAMES)


@given(st.text(max_size=200), st.text(max_size=60))
def test_that_any_text_can_be_sought_and_a_name_finds_itself(sought: str, name: str) -> None:
    assert fuzzy_filter(sought, [name], str) in ([], [name])
    assert fuzzy_filter(name, [name], str) == [name]


def test_that_another_word_is_found_by_its_beginning_and_never_hides_a_name_that_fits_better() -> None:
    others = {"Theme": ("Dark",), "Darken all": ()}
    assert fuzzy_filter("dark", others, str, others.__getitem__) == ["Darken all", "Theme"]
    assert fuzzy_filter("da", others, str, others.__getitem__) == ["Darken all"]
    assert fuzzy_filter("ark", others, str, others.__getitem__) == ["Darken all"]
    assert fuzzy_filter("theme", {"Theme": ("themes",)}, str, lambda _: ("themes",)) == ["Theme"]
