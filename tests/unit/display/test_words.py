"""Tests of the glossary: a sentence per term, combination, preset and merge policy."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from app.detect.merge import MERGERS
from app.display import words
from app.display.words import GLOSSARY, about
from app.scoring.scorers import SCORERS
from app.settings.model import PRESETS, Combination

HELP = Path(__file__).resolve().parents[3] / "resources" / "help"


def named(term: str) -> str:
    name = words.MERGES.get(term, term).replace("_", " ")
    return name[:1].upper() + name[1:]


@pytest.mark.parametrize("term", GLOSSARY)
def test_that_a_sentence_begins_with_its_term(term: str) -> None:
    assert GLOSSARY[term].startswith(f"{named(term)}: ")
    assert GLOSSARY[term].endswith(".")


def test_that_whatever_can_be_chosen_by_a_name_is_explained() -> None:
    combinations = set(get_args(Combination)) - set(SCORERS)
    assert combinations | set(PRESETS) | set(MERGERS) <= set(GLOSSARY)
    assert all(SCORERS[key].summary for key in SCORERS)


def test_that_the_help_knows_every_term() -> None:
    read = (HELP / "index.md").read_text() + (HELP / "scorers.md").read_text()
    assert [term for term in GLOSSARY if f"**{named(term)}**" not in read and f"`{term}`" not in read] == []


def test_that_terms_are_told_a_line_each_and_unknown_ones_not_at_all() -> None:
    assert about("max", "nothing", "max", "balanced").splitlines() == [GLOSSARY["max"], GLOSSARY["balanced"]]
    assert about("nothing") == ""
