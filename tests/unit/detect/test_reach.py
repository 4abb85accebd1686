"""Tests of unreachable levels and their reasons, also for the shipped defaults."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.reach import (
    ANY,
    EXACT,
    NOTHING,
    Dead,
    Span,
    Why,
    dead_bands,
    dead_rows,
    dead_steps,
    dead_tiers,
    intent_spans,
    mute_types,
    unsure_routes,
)
from app.domain.intent import IntentType, Rule, RulePurpose
from app.domain.route import DOCUMENTED, Routes
from app.settings.model import Settings, SettingsSources, layer

KEYWORDS = (NOTHING, Span(0.6, 0.92))


def under(**chosen: object) -> Settings:
    return layer(SettingsSources(command_line=dict(chosen))).values


def told(found: list[Dead]) -> dict[str, Why]:
    return {dead.name: dead.why for dead in found}


def rule(label: str, confidence: float | None = None, *, on: bool = True, route: bool = False) -> Rule:
    purpose = RulePurpose.ROUTE if route else RulePurpose.SEARCH_INTENT
    return Rule(label, label, "word", "own", 0, confidence=confidence, enabled=on, purpose=purpose)


# ---- tiers


def test_that_every_tier_is_reached_by_default() -> None:
    assert dead_tiers(Settings(), ANY, 3) == []
    assert dead_bands(Settings(), ANY) == []


def test_that_a_keyword_alone_is_never_a_weak_match_and_exact_words_are_activated_or_not_found() -> None:
    (dead,) = dead_tiers(Settings(), KEYWORDS, 1)
    assert (dead.name, dead.why) == ("weak_matches", Why.BETWEEN)
    assert (dead.most, dead.next) == (0.0, 0.6)
    assert told(dead_tiers(Settings(), EXACT, 1)) == {"multiple_matches": Why.BETWEEN, "weak_matches": Why.BETWEEN}
    assert told(dead_tiers(Settings(), EXACT, 2)) == {"weak_matches": Why.BETWEEN}, "a tie makes multiple matches"


def test_that_what_cannot_be_so_sure_is_never_activated_and_thresholds_that_meet_leave_nothing() -> None:
    (dead,) = dead_tiers(Settings(), (Span(0.0, 0.769),), 2)
    assert (dead.name, dead.why, dead.most) == ("activated", Why.TOO_HIGH, 0.769)
    met = under(**{"tiers.high": 0.5, "tiers.weak": 0.0, "tiers.ambiguity_margin": 0.0})
    assert told(dead_tiers(met, ANY, 5)) == {"multiple_matches": Why.EMPTY, "not_found": Why.EMPTY}


def test_that_a_margin_as_wide_as_the_scale_activates_nothing_and_one_is_within_the_highest_level() -> None:
    wide = under(**{"tiers.ambiguity_margin": 1.0})
    assert told(dead_tiers(wide, ANY, 2)) == {"activated": Why.TIED}
    assert dead_tiers(wide, ANY, 1) == [], "a single power has nothing to tie with"
    assert dead_tiers(under(**{"tiers.high": 1.0}), ANY, 1) == []


# ---- bands


def test_that_a_fallback_swallows_what_is_below_it() -> None:
    assert told(dead_bands(under(fallback_threshold=0.5), ANY)) == {"low": Why.SWALLOWED}
    assert told(dead_bands(under(fallback_threshold=0.8), ANY)) == {"medium": Why.SWALLOWED, "low": Why.SWALLOWED}
    assert told(dead_bands(under(fallback_threshold=0.0), ANY)) == {"fallback": Why.EMPTY}
    assert told(dead_bands(under(**{"bands.high": 0.5}), ANY)) == {"medium": Why.EMPTY}


# ---- injection


def test_that_the_last_row_is_dead_by_default() -> None:
    (dead,) = dead_rows(Settings(), ANY)
    assert (dead.name, dead.why, dead.most) == ("5", Why.SWALLOWED, 0.6)


def test_that_without_an_llm_keywords_give_their_range() -> None:
    spans = intent_spans([rule("howto"), rule("location", 0.4), rule("general", 1.0, on=False)], has_llm=False)
    assert [(span.least, span.most) for span in spans] == [(0.4, 0.4), pytest.approx((0.55, 0.95))]
    assert intent_spans([], has_llm=True) == ANY
    assert intent_spans([], has_llm=False) == ()


# ---- the rest


def test_that_the_cascade_takes_no_keyword_above_what_keywords_reach() -> None:
    cascade = under(power_combination="cascade", **{"thresholds.keyword": 0.9})
    assert [dead.most for dead in dead_steps(cascade, Span(0.6, 0.7))] == [0.7]
    assert [dead.most for dead in dead_steps(cascade, None)] == [0.0]
    assert dead_steps(cascade, Span(0.6, 0.9)) == []
    assert dead_steps(Settings(), None) == []


def test_that_types_without_a_rule_are_mute_unless_an_llm_is_asked() -> None:
    rules = [rule(type_.value) for type_ in IntentType if type_ is not IntentType.GENERAL]
    assert mute_types([*rules, rule("general", on=False)], has_llm=False) == [IntentType.GENERAL]
    assert mute_types(rules, has_llm=True) == []


def test_that_routes_below_the_threshold_are_never_decided_by_rules() -> None:
    rules = [rule("graph_traversal", route=True), rule("temporal", route=True), rule("own", on=False, route=True)]
    assert unsure_routes([*rules, rule("howto")], 0.9) == [("multi_database", 0.6), ("temporal_reasoning", 0.85)]
    assert unsure_routes(rules[:1], 0.9) == []
    off = Routes(tuple(replace(row, enabled=row.name != "temporal_reasoning") for row in DOCUMENTED.rows))
    assert unsure_routes(rules, 0.9, off) == []
