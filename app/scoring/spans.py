"""Which confidences can there be at all? The ranges of the scores (S2.2 to S2.7), taken through a combination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.confidence import Chance
from app.domain.library import Power
from app.scoring.columns.keywords import KeywordHit, keyword_score
from app.scoring.combiners import combiner_for, weights_of
from app.scoring.text import words
from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers from `least` to `most`, both included; not each of them need occur, but none outside does."""

    least: float
    most: float


Spans = tuple[Span, ...]

NOTHING = Span(0.0, 0.0)
ANY: Spans = (Span(0.0, 1.0),)
EXACT: Spans = (NOTHING, Span(0.95, 1.0))
"""S2.2: nothing, or 0.95 and more."""

_SMALLEST = 1e-12


def holders_of(powers: Sequence[Power]) -> dict[tuple[str, ...], list[tuple[Power, str]]]:
    """For each keyword as it is compared (S2.7) the powers that declare it, each with its own spelling."""
    held: dict[tuple[str, ...], list[tuple[Power, str]]] = {}
    for power in powers:
        own = {phrase: keyword for keyword in reversed(power.keywords) if (phrase := words(keyword))}
        for phrase, keyword in own.items():
            held.setdefault(phrase, []).append((power, keyword))
    return held


def keyword_span(powers: Sequence[Power], *, name_counts: bool) -> Span | None:
    """What a query with a keyword, or a name where it counts, scores by S2.7; None where there is nothing to hit."""
    hits: dict[str, list[KeywordHit]] = {}
    for held in holders_of(powers).values():
        for power, keyword in held:
            hits.setdefault(power.name, []).append(KeywordHit(0, keyword, len(held)))
    if name_counts:
        for power in powers:
            hits.setdefault(power.name, []).append(KeywordHit(0, power.name, None))
    if not hits:
        return None
    for own in hits.values():
        own.sort(key=lambda hit: -hit.score)
    return Span(min(own[-1].score for own in hits.values()), max(keyword_score(own) for own in hits.values()))


def confidence_spans(
    settings: Settings, *, power: bool, has_meaning: bool, keyword: Span | None = None, chance: Chance | None = None
) -> Spans:
    """The confidences of one kind of answer under the settings; `has_meaning` says that an encoder answers.

    `keyword` is what keywords score, None for memories and where there are none; `chance` is the scale in force where
    confidences are told by one.
    """
    name = combiner_for(settings, power=power).name
    if name in ("semantic", "centroid"):
        return ANY if has_meaning else (NOTHING,)
    if name == "exact":
        return EXACT
    if name == "keyword" or (name == "keyword_or_semantic" and not has_meaning):
        return _keywords(keyword)
    if name == "weighted_average":
        return _weighted(settings, power, has_meaning, keyword)
    if chance is not None and has_meaning:
        return (NOTHING, Span(chance(_SMALLEST), 1.0))
    return ANY


def _keywords(keyword: Span | None) -> Spans:
    return (NOTHING,) if keyword is None else (NOTHING, keyword)


def _weighted(settings: Settings, power: bool, has_meaning: bool, keyword: Span | None) -> Spans:
    """Weights are shared out over the scorers that are there: for powers `keyword` always is, also where it is 0."""
    there = {"exact", "fuzzy", "token_overlap"} | ({"semantic"} if has_meaning else set())
    there |= {"keyword"} if power else set()
    weights = {name: weight for name, weight in weights_of(settings).items() if weight > 0.0 and name in there}
    if not weights:
        return (NOTHING,)
    if weights.keys() == {"exact"}:
        return EXACT
    if weights.keys() == {"keyword"}:
        return _keywords(keyword)
    most = dict.fromkeys(weights, 1.0)
    if "keyword" in most:
        most["keyword"] = 0.0 if keyword is None else keyword.most
    return (Span(0.0, sum(weights[name] * most[name] for name in weights) / sum(weights.values())),)
