"""Tests of stored traces: read back unchanged, and older or unknown ones as far as possible."""

from dataclasses import replace
from typing import Any

import pytest

from app.display.documents import inspection_document
from app.display.scope.arithmetic import reason_of
from app.domain.history import (
    DifferenceKind,
    Doubt,
    HistoryEntry,
    ReplayCause,
    ReplayCauseKind,
    ReplayDifference,
    Source,
)
from app.domain.inspection import Inspection
from app.services.review.replay import differences
from app.services.review.traces import DIGITS, StoredTrace, changed_settings, default_text, history_entry, read_trace
from app.settings.model import Settings, SettingsSources, layer
from tests.unit.services.pasts import past_desk

AT = "2026-11-22 04:26:21"
DOCUMENTED = layer(SettingsSources(command_line={"preset": "as_documented", "tiers.medium": 0.6})).values

BARE = HistoryEntry(AT, Source.LOG, "q", "howto", 0.6, "memory", "slow-build", 0.8, "weak_matches")


def kept(inspection: Inspection, settings: Settings, **more: Any) -> HistoryEntry:
    return history_entry(inspection, Source.WINDOW, settings, inspection_document, at=AT, **more)


async def test_that_a_trace_is_read_back_as_it_was_written() -> None:
    async with past_desk() as bench:
        inspection = await bench.settle("how do I fix the slow build")
        first, power = inspection.matches[0], inspection.powers[0]
        for query in (kept(inspection, DOCUMENTED), kept(inspection, DOCUMENTED, is_hashed=True)):
            assert inspection.intent is not None
            assert read_trace(query) == StoredTrace(
                type="howto",
                confidence=round(inspection.intent.confidence, DIGITS),
                kind="memory",
                name="slow-build",
                key=first.answer.key,
                first_confidence=round(first.confidence, DIGITS),
                level=first.band,
                status=inspection.resolution.status if inspection.resolution else None,
                winners=reason_of(inspection, first).credited,
                scores={name: round(score, DIGITS) for name, score in first.scores.items() if score is not None},
                rules=frozenset(hit.rule.id for hit in inspection.trace.hits if not hit.held_back),
                listed=frozenset(match.answer.name for match in inspection.matches),
                settings=changed_settings(DOCUMENTED),
                floor=("howto", round(inspection.intent.confidence, DIGITS)),
            )
        tied = [kept(inspection, DOCUMENTED, doubts=(Doubt.TIED,), first=one) for one in (first, power)]
        assert [one.doubts for one in tied] == [(Doubt.TIED,), ()], "the memories tie, not the power that is named"


async def test_that_a_query_without_any_answer_is_read_too() -> None:
    async with past_desk() as bench:
        inspection = replace(await bench.settle("zzz"), matches=(), intent=None, resolution=None)
        past = read_trace(kept(inspection, Settings()))
        assert (past.type, past.name, past.key, past.level, past.status) == (None, None, None, None, None)
        assert (past.floor, past.settings) == ((None, 0.0), {})


@pytest.mark.parametrize(
    ("trace", "version"),
    [
        (None, 1),
        ({"anything": "else"}, 99),
        ({"anything": "else"}, 0),
        ({"anything": "else"}, 1),
        ({"intent": 3, "matches": "no", "resolution": None, "trace": {}}, 1),
        ({"matches": [1]}, 1),
    ],
)
def test_that_what_no_reader_knows_is_read_for_what_its_row_tells(trace: Any, version: int) -> None:
    assert read_trace(replace(BARE, trace=trace, trace_version=version)) == StoredTrace(
        "howto", 0.6, "memory", "slow-build", None, 0.8, None, "weak_matches"
    )


def test_that_only_settings_that_answers_depend_on_are_kept() -> None:
    chosen = {"theme": "dark", "history.days": 3, "tiers.high": 0.95, "name_counts": True, "llm.model": "tiny"}
    settings = layer(SettingsSources(command_line=chosen)).values
    assert changed_settings(settings) == {"tiers.high": "0.95", "name_counts": "true", "llm.model": "tiny"}
    assert (default_text("tiers.high"), default_text("gone")) == ("0.9", "")


# ---- differences

THEN = StoredTrace(
    "howto",
    0.6,
    "memory",
    "a",
    1,
    0.8,
    "high",
    "weak_matches",
    ("fuzzy",),
    {"fuzzy": 0.8, "semantic": 0.5},
    frozenset({"r1", "r2"}),
    frozenset({"a", "b"}),
    {},
    ("howto", 0.6),
)


def told(before: StoredTrace, after: StoredTrace, *, is_there: bool = True) -> list[ReplayDifference]:
    return differences(before, after, lambda past: is_there)


def test_that_what_is_answered_alike_differs_in_nothing() -> None:
    assert told(THEN, THEN) == []
    assert told(THEN, replace(THEN, first_confidence=0.8005, confidence=0.6004)) == []
    assert told(THEN, replace(THEN, name="renamed")) == []
    assert told(replace(THEN, key=None), THEN) == []


def test_that_another_type_names_the_rules_that_fire_and_those_that_fell_silent() -> None:
    after = replace(THEN, type="location", rules=frozenset({"r2", "r3"}))
    assert told(THEN, after) == [
        ReplayDifference(
            DifferenceKind.TYPE,
            "howto",
            "location",
            (ReplayCause(ReplayCauseKind.RULE_FIRES, "r3"), ReplayCause(ReplayCauseKind.RULE_SILENT, "r1")),
        )
    ]


def test_that_another_confidence_of_the_type_names_the_setting() -> None:
    after = replace(THEN, confidence=0.7, settings={"search_intent.selection": "priority", "tiers.high": "0.9"})
    assert told(THEN, after) == [
        ReplayDifference(
            DifferenceKind.TYPE_CONFIDENCE,
            0.6,
            0.7,
            (ReplayCause(ReplayCauseKind.SETTING, "search_intent.selection", "evidence", "priority"),),
        )
    ]


def test_that_a_preset_stands_for_all_that_it_changes() -> None:
    after = replace(THEN, first_confidence=0.9, settings=changed_settings(DOCUMENTED))
    (difference,) = told(THEN, after)
    assert difference.what is DifferenceKind.CONFIDENCE
    assert difference.causes == (
        ReplayCause(ReplayCauseKind.SETTING, "preset", "recommended", "as_documented"),
        ReplayCause(ReplayCauseKind.SETTING, "tiers.medium", "0.5", "0.6"),
    )


def test_that_an_llm_that_had_a_say_is_left_out_of_the_comparison() -> None:
    heard = replace(THEN, type="location", confidence=0.9, said="answered")
    assert told(heard, THEN) == []
    (difference,) = told(replace(heard, floor=None), THEN)
    assert difference.causes == (ReplayCause(ReplayCauseKind.LLM, "answered"),)


def test_that_another_first_answer_says_what_is_gone_and_what_is_new() -> None:
    after = replace(THEN, name="c", key=3, winners=("exact",))
    assert told(THEN, after, is_there=False) == [
        ReplayDifference(
            DifferenceKind.FIRST,
            "a",
            "c",
            (
                ReplayCause(ReplayCauseKind.GONE, "a"),
                ReplayCause(ReplayCauseKind.NEW, "c"),
                ReplayCause(ReplayCauseKind.SCORER, "", "fuzzy", "exact"),
            ),
        )
    ]
    (difference,) = told(THEN, replace(THEN, name="b", key=2))
    assert difference.causes == (ReplayCause(ReplayCauseKind.UNKNOWN),)
    (vanished,) = told(THEN, replace(THEN, kind=None, name=None, key=None))
    assert (vanished.what, vanished.after) == (DifferenceKind.FIRST, None)
    (appeared,) = told(replace(THEN, kind=None, name=None, key=None, listed=frozenset()), THEN)
    assert appeared.causes == (ReplayCause(ReplayCauseKind.NEW, "a"),)


def test_that_another_confidence_of_the_same_answer_names_the_scores_that_moved() -> None:
    after = replace(
        THEN, first_confidence=0.6, level="medium", winners=("semantic",), scores={"fuzzy": 0.8, "semantic": 0.6}
    )
    moved = (
        ReplayCause(ReplayCauseKind.SCORER, "", "fuzzy", "semantic"),
        ReplayCause(ReplayCauseKind.SCORE, "semantic", "0.5000", "0.6000"),
    )
    assert told(THEN, after) == [
        ReplayDifference(DifferenceKind.CONFIDENCE, 0.8, 0.6, moved),
        ReplayDifference(DifferenceKind.LEVEL, "high", "medium", moved),
    ]
    told_apart = replace(THEN, level="fallback", settings={"label_thresholds": "False"})
    (difference,) = told(replace(THEN, settings={"label_thresholds": "True"}), told_apart)
    assert difference.causes == (ReplayCause(ReplayCauseKind.SETTING, "label_thresholds", "True", "False"),)


def test_that_another_status_names_what_moved_where_a_power_comes_first() -> None:
    then = replace(THEN, kind="power", level="weak_matches")
    after = replace(then, status="activated", scores={"fuzzy": 0.9, "semantic": 0.5}, settings={"tiers.high": "0.3"})
    (difference,) = told(then, after)
    assert difference.causes == (
        ReplayCause(ReplayCauseKind.SETTING, "tiers.high", "0.9", "0.3"),
        ReplayCause(ReplayCauseKind.SCORE, "fuzzy", "0.8000", "0.9000"),
    )
    (silent,) = told(THEN, replace(THEN, status="activated"))
    assert silent.causes == (ReplayCause(ReplayCauseKind.UNKNOWN),)


def test_that_a_row_without_a_trace_is_compared_by_what_it_tells() -> None:
    unread = replace(read_trace(BARE), status="activated")
    assert not told(unread, replace(unread, status="approval"))
    (difference,) = told(read_trace(BARE), replace(THEN, name="slow-build", first_confidence=0.5))
    assert difference == ReplayDifference(DifferenceKind.CONFIDENCE, 0.8, 0.5, (ReplayCause(ReplayCauseKind.UNKNOWN),))
    (type_,) = told(read_trace(BARE), replace(THEN, name="slow-build", type="location"))
    assert type_.causes == (ReplayCause(ReplayCauseKind.UNKNOWN),)
