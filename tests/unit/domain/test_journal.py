"""A step is told in the reader's language, whatever language it was written in."""

from __future__ import annotations

import pytest

from app.domain.journal import Step
from app.domain.language import Catalogue
from tests.speaking import speaking

GERMAN = Catalogue(
    "de",
    {
        "{n} memories": ("{n} Erinnerung", "{n} Erinnerungen"),
        "{n} powers": ("{n} Fähigkeit", "{n} Fähigkeiten"),
        " and ": (" und ",),
    },
    lambda n: 0 if n == 1 else 1,
)


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("2,000 memories", "2,000 Erinnerungen"),
        ("1 memory and 20 powers", "1 Erinnerung und 20 Fähigkeiten"),
        ("3 rules", "3 rules"),
        ("“60 memories”", "“60 memories”"),
        ("12 monkeys", "12 monkeys"),
        ("the pack “apex”", "the pack “apex”"),
    ],
)
def test_that_what_was_counted_is_said_by_the_reader_and_names_stay(subject: str, said: str) -> None:
    step = Step(1, "2026-11-20 10:00:00", "did", subject, 3, "window")
    assert step.sentence == f"did {subject}"
    with speaking(GERMAN):
        assert step.sentence == f"did {said}"
