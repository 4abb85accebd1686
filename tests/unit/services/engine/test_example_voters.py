"""Tests of the examples' votes on types, valid only for the encoder of their fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.adapters.local.machine import SystemClock
from app.detect.keywords import KeywordRules
from app.domain.case import Case, Task, TaughtExample
from app.domain.scope.inspection import Detection, LearnedType
from app.scoring.examples.model import fit
from app.services.engine.embedding import QueryVector
from app.services.engine.engine import Engine
from app.services.engine.example_voters import (
    ENCODER_COMING,
    LEARNING,
    NO_ENCODER,
    TypeDetector,
    TypeVoter,
    type_examples,
)
from app.services.engine.llm_lane import LlmLane
from app.services.engine.metrics import EngineMetrics
from app.settings.sections import SearchIntentSettings
from tests.build import some

SHIPPED = [TaughtExample("where is it", ("location",), True), TaughtExample("so be it", (), True)]
OURS = SearchIntentSettings()
VECTORS = np.eye(8, dtype=np.float32)


def case(text: str, *expected: str) -> Case:
    return Case(text, expected, Task.TYPE)


def test_that_what_ships_teaches_unless_a_case_says_the_same_text_otherwise() -> None:
    assert type_examples((), set(), SHIPPED) == tuple(SHIPPED)
    found = type_examples(
        [case("Where is it?", "general", "find"), case("so it goes", "none"), case("x")], set(), SHIPPED
    )
    assert [(one.text, one.labels) for one in found] == [
        ("Where is it?", ("general", "location")),
        ("so it goes", ()),
        ("x", ()),
        ("so be it", ()),
    ]


def test_that_what_names_no_type_or_is_quiet_teaches_nothing() -> None:
    assert type_examples([case("late parcel", "logistics"), case("late", "howto")], {"late"}, ()) == ()


def taught() -> TypeVoter:
    """Fit votes on eight texts: those with a question mark are general, the others troubleshoot."""
    votes = TypeVoter()
    texts = [f"{word}{mark}" for word in ("red", "blue", "green", "brown") for mark in ("?", "!")]
    labels = ("general", "troubleshoot") * 4
    examples = [TaughtExample(text, (label,)) for text, label in zip(texts, labels, strict=True)]
    vectors = np.concatenate([VECTORS[:4, :4].repeat(2, axis=0), np.tile(VECTORS[:2, :4], (4, 1))], axis=1)
    votes.model, votes.encoder = fit(examples, (vectors / 2**0.5).astype(np.float32), by_subject=False), "encoder"
    assert votes.model is not None
    return votes


@pytest.mark.parametrize("changes", [{"enabled": False}, {"learned": False}])
def test_that_examples_are_not_asked_where_they_are_switched_off(changes: dict[str, bool]) -> None:
    settings = SearchIntentSettings.model_validate(changes)
    detector = TypeDetector(KeywordRules(()), taught(), "encoder")
    assert detector.detect("odd?", QueryVector(VECTORS[0], VECTORS[0]), settings).learned is None


def test_that_it_is_said_why_examples_do_not_speak() -> None:
    both, votes = QueryVector(VECTORS[0], VECTORS[0]), taught()
    asked = (TypeDetector(KeywordRules(()), votes, "other"), both), (TypeDetector(KeywordRules(()), votes, None), both)
    said = [detector.detect("odd?", vectors, OURS).learned for detector, vectors in asked]
    assert [one.missing for one in said if one is not None] == [LEARNING, NO_ENCODER]


def test_that_examples_speak_and_that_a_taught_text_may_be_left_out() -> None:
    detector = TypeDetector(KeywordRules(()), taught(), "encoder")
    vector = np.array([0.5, 0.5, 0.5, 0.5, 0, 1, 0, 0], np.float32) / np.float32(2**0.5)
    found = detector.detect("odd!", QueryVector(vector, vector), OURS)
    assert some(found.floor).type == "troubleshoot"
    known = detector.detect("red!", QueryVector(vector, vector), OURS)
    assert some(known.floor).confidence == 1.0
    left = detector.detect("red!", QueryVector(vector, vector), OURS, left_out=True)
    assert some(some(left.learned).vote).confidence < 1.0


def test_that_no_engine_says_that_there_is_no_encoder_while_it_loads() -> None:
    engine = Engine.bare(SystemClock(), LlmLane(None, SystemClock(), EngineMetrics()))
    assert engine.why_no_vote == ENCODER_COMING
    assert replace(engine, encoder_fault="It is damaged.").why_no_vote == NO_ENCODER
    detection = engine.types.with_learned_type(
        Detection(None, "evidence"), "odd?", None, None, OURS, absent=engine.why_no_vote
    )
    assert detection.learned == LearnedType(missing=ENCODER_COMING)
