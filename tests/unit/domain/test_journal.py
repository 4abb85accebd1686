"""A step is told in the reader's language, whatever language it was written in."""

from __future__ import annotations

import re

import pytest

from app.domain.journal import SUBJECTS, Step, about, choosing
from app.domain.language import Catalogue
from tests.speaking import speaking

GERMAN = Catalogue(
    "de",
    {
        "{n} memories": ("{n} Erinnerung", "{n} Erinnerungen"),
        "{n} powers": ("{n} Fähigkeit", "{n} Fähigkeiten"),
        " and ": (" und ",),
        "{key} to {value}": ("{key} auf {value}",),
        "empty": ("leer",),
        "“{name}”": ("„{name}“",),
        **{subject: (f"« {subject} »",) for subject in SUBJECTS},
    },
    lambda n: 0 if n == 1 else 1,
)


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("2,000 memories", "2.000 Erinnerungen"),
        ("1 memory and 20 powers", "1 Erinnerung und 20 Fähigkeiten"),
        ("3 rules", "3 rules"),
        ("“60 memories”", "„60 memories“"),
        ("12 monkeys", "12 monkeys"),
        ("“apex”", "„apex“"),
    ],
)
def test_that_what_was_counted_is_said_by_the_reader_and_names_stay(subject: str, said: str) -> None:
    step = Step(1, "2026-11-20 10:00:00", "did", subject, 3, "window")
    assert step.sentence == f"did {subject}"
    with speaking(GERMAN):
        assert step.sentence == f"did {said}"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_that_what_a_step_was_about_is_said_by_the_reader_with_the_names_that_it_had(subject: str) -> None:
    places = re.findall(r"\{(\w+)\}", subject)
    values = {place: f"a {place} and the rest" for place in places}
    step = Step(1, "2026-11-20 10:00:00", "did", about(subject, **values), 3, "window")
    assert step.sentence == f"did {subject.format(**values)}"
    with speaking(GERMAN):
        assert step.sentence == f"did {GERMAN.sentences[subject][0].format(**values)}"


def test_that_settings_that_were_set_are_said_by_the_reader() -> None:
    edit = choosing({"llm.model": "", "namespaces.a.confidence": "0.5 to 0.7 and more"})
    step = Step(1, "2026-11-20 10:00:00", edit.verb, edit.subject, 2, "window")
    assert step.sentence == "set llm.model to empty and namespaces.a.confidence to 0.5 to 0.7 and more"
    with speaking(GERMAN):
        assert step.sentence == "set llm.model auf leer und namespaces.a.confidence auf 0.5 to 0.7 and more"
