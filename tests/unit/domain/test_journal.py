"""Tests of the sentences that describe edits."""

from __future__ import annotations

import re

import pytest

from app.domain.journal import SUBJECTS, Step, about, choosing


def step(verb: str, subject: str, count: int = 3) -> Step:
    return Step(1, "2026-11-20 10:00:00", verb, subject, count, "window")


@pytest.mark.parametrize("subject", sorted(SUBJECTS))
def test_that_the_sentence_of_a_step_holds_its_names(subject: str) -> None:
    values = {place: f"a {place} and the rest" for place in re.findall(r"\{(\w+)\}", subject)}
    assert step("did", about(subject, **values)).sentence == f"did {subject.format(**values)}"


def test_that_a_step_without_a_subject_tells_its_count() -> None:
    assert step("deleted", "", 1).sentence == "deleted 1 thing"
    assert step("deleted", "", 2_000).sentence == "deleted 2,000 things"


def test_that_settings_that_were_set_are_named_with_their_values() -> None:
    edit = choosing({"llm.model": "", "namespaces.a.confidence": "0.5 to 0.7 and more"})
    wanted = "set llm.model to empty and namespaces.a.confidence to 0.5 to 0.7 and more"
    assert step(edit.verb, edit.subject, 2).sentence == wanted
