"""Tests of resolving queries one by one: the same as typing, with times."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.detect.keywords import KeywordRules
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.domain.library import Power
from app.domain.match import Tier
from app.ports.encoder import Vectors
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.engine import Engine
from app.services.engine.llm_lane import LlmLane
from app.services.engine.metrics import EngineMetrics
from app.services.evaluation.evaluate import TIMED, resolve_each, spread
from app.settings.model import Settings
from tests.unit.scoring.vectors import DIMENSION, vectors_of

POWERS = [
    Power("postgres", "Ask a PostgreSQL database", ("database", "postgres"), key=1),
    Power("mysql", "Ask a MySQL database", ("database", "mysql"), key=2),
]


class Ticking:
    """Clock that advances by 5 ms per reading."""

    now = 0.0

    def now_ms(self) -> float:
        self.now += 5.0
        return self.now


class Encoder:
    provenance = Provenance("made up", "1", DIMENSION)

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        if "fail" in texts:
            raise EncoderError("No vectors today.")
        return vectors_of(texts)


def _engine(encoder: Encoder | None) -> Engine:
    index = TriggerIndex(DIMENSION)
    index.put(POWERS)
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    clock = Ticking()
    return Engine(
        index, KeywordRules([]), Settings(combination="balanced"), clock, LlmLane(None, clock, EngineMetrics()), encoder
    )


def test_that_each_query_is_embedded_resolved_and_timed_by_itself() -> None:
    encoder = Encoder()
    found = list(resolve_each(_engine(encoder), ["run a postgres query", "check my database", "zzz"]))
    assert [one.resolution.status for one in found[:2]] == [Tier.ACTIVATED, Tier.MULTIPLE_MATCHES]
    assert [match.power.name for match in found[1].resolution.matches] == ["postgres", "mysql"]
    assert found[1].resolution.query == "check my database"
    assert encoder.asked == [["run a postgres query"], ["check my database"], ["zzz"]]
    assert found[0].timed == (Tier.ACTIVATED, 5.0)
    assert not any(one.resolution.started for one in found)


def test_that_without_an_encoder_the_lexical_scores_decide() -> None:
    (found,) = resolve_each(_engine(None), ["run a postgres query"])
    assert found.resolution.status is Tier.ACTIVATED
    assert found.resolution.matches[0].match_type == "keyword"


def test_that_a_failing_encoder_is_told() -> None:
    with pytest.raises(EncoderError):
        list(resolve_each(_engine(Encoder()), ["fail"]))


def test_that_a_sample_is_spread_over_all() -> None:
    many = [str(number) for number in range(1_000)]
    assert spread(many[:TIMED]) == many[:TIMED]
    sample = spread(many)
    assert (len(sample), sample[0], sample[-1]) == (TIMED, "0", "995")
