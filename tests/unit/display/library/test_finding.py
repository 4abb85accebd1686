"""Finding a name by a few of its letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.library.catalogue import fit, found

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
        ("markdown", "Copy the inspection as Markdown"),
    ],
)
def test_that_a_few_letters_find_the_name_that_was_meant(sought: str, first: str) -> None:
    assert found(sought, NAMES, str)[0] == first


def test_that_letters_here_and_there_never_come_before_a_word_that_begins_so() -> None:
    names = ("List the matches by label, or each memory again", "Setting: Theme", "Theme: dark")
    assert found("theme", names, str)[:2] == ["Theme: dark", "Setting: Theme"]
    assert found("the m", names, str)[0] == names[0]


def test_that_letters_strewn_over_a_name_find_nothing() -> None:
    assert fit("xyz", "Mark the selected answer right") is None
    assert fit("aeee", "Mark the selected answer right") is None


def test_that_nothing_sought_keeps_all_in_their_order() -> None:
    assert found("  ", NAMES, str) == list(NAMES)


@given(st.text(min_size=1, max_size=40))
def test_that_a_name_finds_itself_if_it_has_a_word(name: str) -> None:
    if name.isalnum():
        assert fit(name, name) is not None


@given(st.text(max_size=200), st.text(max_size=60))
def test_that_any_text_can_be_sought(sought: str, name: str) -> None:
    worth = fit(sought, name)
    assert worth is None or worth == worth  # noqa: PLR0124 - no number but NaN differs from itself


def test_that_another_word_is_found_by_its_beginning_and_never_hides_a_name_that_fits_better() -> None:
    others = {"Theme": ("Dark",), "Darken all": ()}
    assert found("dark", others, str, others.__getitem__) == ["Darken all", "Theme"]
    assert found("da", others, str, others.__getitem__) == ["Darken all"]
    assert found("ark", others, str, others.__getitem__) == ["Darken all"]
    assert found("theme", {"Theme": ("themes",)}, str, lambda _: ("themes",)) == ["Theme"]
