"""What a chance is won by: named parts in log-odds that are exactly the difference of two chances."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.scope.matches.leads import LogOddsLead, lead_lines, lead_of, lead_words
from app.display.scope.matches.rows import match_details
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match, Operand, Step
from app.domain.scope.logit import Learned, Logit
from app.scoring.arithmetic import OPERATIONS
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.settings.model import Settings
from tests.gui.inspections import design
from tests.unit.scoring.vectors import DIMENSION, vector_of, vectors_of

ANSWERS: tuple[Answer, ...] = (
    Power("paint", "colour the walls of a house", ("wall",), key=1),
    Power("build", "put up a shed of wood", ("shed",), key=2),
    Power("plant", "trees and shrubs in the garden", key=3),
    Memory(("the wall is wet",), key=1),
    Memory(("the shed is full",), intent="storage", key=2),
    Memory(("there is room in the shed",), intent="storage", key=3),
)


def ranked(text: str, settings: Settings, *, has_vector: bool = True) -> tuple[Match, ...]:
    index = TriggerIndex(DIMENSION)
    index.put(ANSWERS)
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    scores = index.score(ScoredText(text, vector_of(text) if has_vector else None))
    return matches(index, scores, rank(scores, settings, 10), settings)


weights = st.floats(0.1, 12.0)


@given(
    st.sampled_from(["colour the wall", "a shed of wood", "is there room", "shrubs by the wall", "zzz"]),
    st.builds(Logit, none=st.floats(-5.0, 8.0), semantic=weights, centroid=weights, bm25=weights, keyword=weights),
)
def test_that_the_parts_come_to_the_difference_of_two_chances(text: str, logit: Logit) -> None:
    settings = Settings(combination="learned").with_learned(Learned(logit, logit))
    found = replace(design(), matches=ranked(text, settings))
    for match in found.matches:
        lead = lead_of(found, match)
        if not match.confidence:
            assert lead is None
            continue
        assert lead is not None
        (none,) = (step for step in match.steps if step.name == "none")
        (whole,) = (step for step in match.steps if step.name == "all")
        assert math.exp(lead.over_none) == pytest.approx(match.confidence / math.exp(none.result - whole.result), 1e-9)
        if lead.rival is None or lead.over is None:
            continue
        assert lead.over.result == pytest.approx(math.log(match.confidence / lead.rival.confidence), abs=1e-9)
        assert OPERATIONS[lead.over.operation](lead.over.operands) == pytest.approx(lead.over.result, abs=1e-9)
        values = [operand.value for operand in lead.over.operands]
        assert values == sorted(values, reverse=True)
        assert lead.rival.kind is match.kind
        label = match.answer.answer_label
        assert label is None or lead.rival.answer.answer_label != label


@pytest.mark.parametrize(("combination", "has_vector"), [("balanced", True), ("learned", False)])
def test_that_what_is_no_share_by_meaning_is_won_as_before(combination: str, has_vector: bool) -> None:
    settings = Settings.model_validate({"combination": combination})
    found = replace(design(), matches=ranked("a wall", settings, has_vector=has_vector))
    assert all(lead_of(found, match) is None for match in found.matches)
    assert not any(match_details(found, match, settings).won for match in found.matches)


def made(*parts: tuple[str, float], over_none: float = 3.4) -> LogOddsLead:
    operands = tuple(Operand(name, value) for name, value in parts)
    step = Step("lead", "sum", operands, math.fsum(one.value for one in operands))
    return LogOddsLead(design().matches[0], step, over_none)


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        (
            made(("semantic", 2.1), ("bm25", 0.8), ("keyword", -0.25)),
            (
                "Won by meaning +2.10 and rare words +0.80 over {name}, in spite of its keyword −0.25; "
                "3.40 over none of these."
            ),
        ),
        (
            made(("bm25", 0.5), ("keyword", -0.2), ("semantic", -2.1)),
            (
                "Behind {name} by meaning −2.10 and its keyword −0.20, in spite of rare words +0.50; "
                "3.40 over none of these."
            ),
        ),
        (
            made(("bm25", 0.5), ("semantic", -2.1), over_none=-1.0),
            "1.00 behind none of these; behind {name} by meaning −2.10, in spite of rare words +0.50.",
        ),
        (
            made(("bm25", 0.5), ("semantic", -0.1), over_none=-1.0),
            "1.00 behind none of these; ahead of {name} by rare words +0.50, in spite of meaning −0.10.",
        ),
        (
            made(("semantic", 2.1), ("bm25", 0.001)),
            "Won by meaning +2.10 over {name}; 3.40 over none of these.",
        ),
        (made(), "Won with 3.40 over none of these."),
        (made(("bm25", 0.3), over_none=-2.98), "2.98 behind none of these; ahead of {name} by rare words +0.30."),
        (LogOddsLead(None, None, -0.5), "0.50 behind none of these."),
        (LogOddsLead(None, None, 0.5), "Won with 0.50 over none of these."),
    ],
)
def test_that_a_lead_is_told_in_one_sentence(lead: LogOddsLead, said: str) -> None:
    name = "" if lead.rival is None else lead.rival.answer.name
    assert lead_words(lead) == said.format(name=name)


def test_that_a_lead_over_another_than_the_next_says_among_which_it_is_won() -> None:
    settings = Settings(combination="learned")
    for text in ("there is room in the shed", "a shed full of wood"):
        found = replace(design(), matches=ranked(text, settings))
        for place, match in enumerate(found.matches[:-1]):
            lead = lead_of(found, match)
            if lead is None or lead.rival is None:
                continue
            following = found.matches[place + 1]
            is_other = following.answer != lead.rival.answer
            assert lead_words(lead, following).startswith("Among ") is is_other
            assert lead_words(lead, lead.rival) == lead_words(lead)
        assert match_details(found, found.matches[0], settings).won.startswith("Among ")


def test_that_the_selected_match_shows_the_lead_as_a_sum_before_its_confidence() -> None:
    settings = Settings(combination="learned")
    found = replace(design(), matches=ranked("colour the wall", settings))
    best = found.matches[0]
    lead = lead_of(found, best)
    assert lead is not None
    (shown,) = lead_lines(lead)
    lines = match_details(found, best, settings).lines
    assert lines[-2] == shown
    assert shown.text.startswith(f"over {lead.rival.answer.name if lead.rival else ''}: ")
    assert lines[-1].name == "confidence"
    assert match_details(found, best, settings).won == lead_words(lead, found.matches[1])
    assert not lead_lines(LogOddsLead(None, None, 0.0))
