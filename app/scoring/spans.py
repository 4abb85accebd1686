"""Possible confidences: the ranges of the scores (S2.2 to S2.7) under a combination."""

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
    """Range from `least` to `most`, inclusive, that contains all possible values."""

    least: float
    most: float


Spans = tuple[Span, ...]

NOTHING = Span(0.0, 0.0)
ANY: Spans = (Span(0.0, 1.0),)
EXACT: Spans = (NOTHING, Span(0.95, 1.0))
"""Possible exact scores: 0, or 0.95 and more (S2.2)."""

_SMALLEST = 1e-12


def holders_of(powers: Sequence[Power]) -> dict[tuple[str, ...], list[tuple[Power, str]]]:
    """Return the powers that declare each normalised keyword (S2.7), with their spellings."""
    held: dict[tuple[str, ...], list[tuple[Power, str]]] = {}
    for power in powers:
        own = {phrase: keyword for keyword in reversed(power.keywords) if (phrase := words(keyword))}
        for phrase, keyword in own.items():
            held.setdefault(phrase, []).append((power, keyword))
    return held


def keyword_span(powers: Sequence[Power], *, name_counts: bool) -> Span | None:
    """Return the possible scores of a matched keyword or name (S2.7); None without any."""
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
    """Return the possible confidences of one kind; `has_meaning`: an encoder is available.

    `keyword` is the range of keyword scores, None for memories and without keywords; `chance` is the calibration in
    force, if any.
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
    """Return the range of the weighted average; for powers `keyword` is always present."""
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
