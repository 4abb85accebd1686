"""Queries resolved one after another on the path of typed ones, and timed; nothing is started, taught or noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.detect.resolve import resolve
from app.domain.match import Query
from app.domain.scope.resolution import WEAK, Resolution
from app.evaluation.tier_quality import Timed
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import matches, rank
from app.services.engine.engine import Engine
from app.services.engine.learner_vectors import encode_both

TIMED = 200
"""So many queries are timed where nothing else asks for all of them."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolution and the ms that it took, the query's embedding included."""

    resolution: Resolution
    ms: float

    @property
    def timed(self) -> Timed:
        return self.resolution.status, self.ms


def resolve_each(engine: Engine, texts: Sequence[str]) -> Iterator[Resolved]:
    """Resolve each text as if it were the only one (S5.1 to S5.3, S5.5). Blocks for a few ms a text; EncoderError."""
    for text in texts:
        begun = engine.clock.now_ms()
        resolution = _resolved(engine, Query.of(text))
        yield Resolved(resolution, engine.clock.now_ms() - begun)


def _resolved(engine: Engine, query: Query) -> Resolution:
    settings, index = engine.settings, engine.index
    made = () if engine.encoder is None else encode_both(engine.encoder, [query.scored])
    scores = index.score(ScoredText(query.scored, *(own[0] for own in made)), name_counts=settings.name_counts)
    ranking = rank(scores, settings, WEAK)
    found = matches(index, scores, ranking, settings)
    return resolve(query.text, found, index.layout().powers, settings, shared=ranking.any_power)


def spread(texts: Sequence[str], count: int = TIMED) -> list[str]:
    """At most `count` of the texts, taken evenly from the first to the last."""
    if len(texts) <= count:
        return list(texts)
    return [texts[place * len(texts) // count] for place in range(count)]
