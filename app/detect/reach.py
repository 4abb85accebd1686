"""Unreachable tiers, bands, injection rows, cascade steps, types and routes, by formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.detect.keywords import BASE, BONUS, MOST_FOR_MATCHES, PER_MATCH
from app.detect.route import SEVERAL, confidence_of
from app.detect.rule_trial import counting
from app.detect.surfacing import SURFACING, SurfacingRow
from app.domain.confidence import Chance
from app.domain.intent import IntentType, Rule, RulePurpose
from app.domain.library import Power
from app.domain.match import Band, Tier
from app.domain.route import DOCUMENTED, RouteIntent, Routes, route_label
from app.scoring.columns.exact import KeywordHit, keyword_score
from app.scoring.combiners import cascade_order, combiner_for, weights_of
from app.scoring.text import words
from app.settings.model import Settings

_ROUNDING = 1e-9


class Why(StrEnum):
    """Reason that a level is unreachable."""

    EMPTY = "empty"
    """The range is empty."""
    SWALLOWED = "swallowed"
    """Another threshold decides first on all of it."""
    TOO_HIGH = "too high"
    """No value can be so large."""
    BETWEEN = "between"
    """All possible values are below or above it."""
    TIED = "tied"
    """A second answer is always within the margin."""


@dataclass(frozen=True, slots=True)
class Dead:
    """Level that no input can reach, in [least, below).

    `most` is the largest possible value, and `next` the smallest possible value above the level, if that is the
    reason.
    """

    name: str
    least: float
    below: float
    why: Why
    most: float = 1.0
    next: float = 1.0


def dead_tiers(settings: Settings, spans: Spans, powers: int) -> list[Dead]:
    """Return the tiers unreachable with this number of enabled powers (S5.1, S5.3)."""
    tiers, most = settings.tiers, max(span.most for span in spans)
    found = [
        dead
        for name, least, below in (
            (Tier.ACTIVATED, tiers.high, _TOP),
            (Tier.MULTIPLE_MATCHES, tiers.medium, tiers.high),
            (Tier.WEAK_MATCHES, tiers.weak, tiers.medium),
            (Tier.NOT_FOUND, 0.0, tiers.weak),
        )
        if (dead := _dead(name, least, below, spans)) is not None
    ]
    names = {dead.name for dead in found}
    can_tie = powers > 1 and tiers.ambiguity_margin > 0.0
    if can_tie and Tier.ACTIVATED not in names:
        found = [dead for dead in found if dead.name != Tier.MULTIPLE_MATCHES]
        if tiers.ambiguity_margin >= most:
            found.insert(0, Dead(Tier.ACTIVATED, tiers.high, 1.0, Why.TIED, most))
    return found


def dead_bands(settings: Settings, spans: Spans) -> list[Dead]:
    """Return the bands unreachable by memories (S2.13); all below the threshold is fallback."""
    bands, fallback = settings.bands, settings.fallback_threshold
    found = []
    for name, least, below in (
        (Band.HIGH, bands.high, _TOP),
        (Band.MEDIUM, bands.medium, bands.high),
        (Band.LOW, 0.0, bands.medium),
        (Band.FALLBACK, 0.0, fallback),
    ):
        if name is Band.FALLBACK:
            dead = _dead(name, least, below, spans)
        elif least < below <= fallback:
            dead = Dead(name, least, below, Why.SWALLOWED, fallback)
        else:
            dead = _dead(name, max(least, fallback), below, spans)
        if dead is not None:
            found.append(dead)
    return found


def intent_spans(rules: Iterable[Rule], *, has_llm: bool) -> Spans:
    """Return the possible confidences of an intent (S3.5, S4.10); empty if nothing detects one."""
    if has_llm:
        return ANY
    own = [rule.confidence for rule in rules if counting(rule) is not None]
    spans = {Span(confidence, confidence) for confidence in own if confidence is not None}
    if None in own:
        spans.add(Span(BASE + PER_MATCH, BASE + MOST_FOR_MATCHES + 3 * BONUS))
    return tuple(sorted(spans, key=lambda span: span.least))


def dead_rows(settings: Settings, spans: Spans) -> list[Dead]:
    """Return the rows of the injection table that no intent reaches (S4.12)."""
    threshold = settings.search_intent.surfacing_threshold
    found = []
    above = _TOP
    for row in SURFACING:
        dead = _dead_row(row, above, threshold, spans)
        if dead is not None:
            found.append(dead)
        above = row.least
    return found


def _dead_row(row: SurfacingRow, above: float, threshold: float, spans: Spans) -> Dead | None:
    name = str(row.count)
    if threshold >= above:
        return Dead(name, row.least, above, Why.SWALLOWED, threshold)
    return _dead(name, max(row.least, threshold), above, spans)


def dead_steps(settings: Settings, keyword: Span | None) -> list[Dead]:
    """Return the cascade's steps that take no score of a power, if powers use it (S2.10)."""
    if combiner_for(settings, power=True).name != "cascade":
        return []
    most = 0.0 if keyword is None else keyword.most
    return [
        Dead(name, threshold, _TOP, Why.TOO_HIGH, most)
        for name, threshold in cascade_order(settings)
        if name == "keyword" and threshold > most + _ROUNDING
    ]


def mute_types(rules: Iterable[Rule], *, has_llm: bool) -> list[IntentType]:
    """Return the types that nothing detects: no enabled rule and no LLM (S3)."""
    if has_llm:
        return []
    spoken = {counting(rule) for rule in rules}
    return [type_ for type_ in IntentType if type_ not in spoken]


def unsure_routes(rules: Iterable[Rule], threshold: float, routes: Routes = DOCUMENTED) -> list[tuple[str, float]]:
    """Return the enabled routes whose best rule is below the threshold (S6.2, S6.3)."""
    sure: dict[str, float] = {}
    for rule in rules:
        if rule.enabled and rule.purpose is RulePurpose.ROUTE:
            label = route_label(rule.label)
            if not routes.is_off(label):
                sure[label] = max(sure.get(label, 0.0), confidence_of(label, rule))
    if len(sure) > 1 and not routes.is_off(RouteIntent.MULTI):  # several matching routes give this one
        sure[RouteIntent.MULTI.value] = max(sure.get(RouteIntent.MULTI.value, 0.0), SEVERAL)
    return [(label, confidence) for label, confidence in sorted(sure.items()) if confidence < threshold]


_TOP = 1.0 + 1e-6
"""Value just above all confidences: the highest level includes 1."""


def _dead(name: str, least: float, below: float, spans: Sequence[Span]) -> Dead | None:
    """Return a level that no span reaches, with the reason; None if one may reach it."""
    most = max((span.most for span in spans), default=0.0)
    if least >= below:
        return Dead(name, least, below, Why.EMPTY, most)
    if any(span.least < below and span.most >= least - _ROUNDING for span in spans):
        return None
    if most < least:
        return Dead(name, least, below, Why.TOO_HIGH, most)
    under = max((span.most for span in spans if span.most < least), default=0.0)
    return Dead(name, least, below, Why.BETWEEN, under, min(span.least for span in spans if span.least >= below))


# ---- Possible confidences: the ranges of the scores (S2.2 to S2.7) under a combination.


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
            hits.setdefault(power.name, []).append(KeywordHit(keyword, len(held)))
    if name_counts:
        for power in powers:
            hits.setdefault(power.name, []).append(KeywordHit(power.name, None))
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
