"""Tests of the inbox in words: counts, reasons, answers to choose from, and decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.display.documents import stored_document
from app.display.library.teaching import teaching_targets
from app.display.review import inbox
from app.display.review.history import level_of
from app.display.review.trace import StoredMatch
from app.display.scope.verdict import decisions
from app.domain.library import Power, Transport
from app.domain.match import Band, Match, Tier
from app.domain.review.history import Decision, Doubt, HistoryCounts, HistoryEntry, Source
from app.domain.scope.inspection import Decision as Decided
from app.services.review.traces import history_entry
from app.settings.model import Settings
from tests.gui.inspections import design

SETTINGS = Settings()
ALL = tuple(Doubt)
TRACE: dict[str, Any] = {
    "matches": [
        {"kind": "memory", "id": "a", "name": "slow-build", "confidence": 0.412, "band": "low"},
        {"kind": "memory", "id": "b", "name": "ci-red", "confidence": 0.404, "band": "low"},
    ],
    "trace": {
        "llm": {"outcome": "answered", "answer": {"type": "howto", "confidence": 0.91}, "budget_ms": 200.0},
        "rules": [],
    },
    "floor": {"type": "troubleshoot", "confidence": 0.55},
}
WEAK = HistoryEntry(
    "2026-11-20 10:00:00",
    Source.WINDOW,
    "the build",
    "troubleshoot",
    0.55,
    "memory",
    "slow-build",
    0.412,
    doubts=ALL,
    trace=TRACE,
    key=1,
)


def sentences(past: HistoryEntry, settings: Settings | None = SETTINGS) -> dict[Doubt, str]:
    return {reason.doubt: reason.sentence for reason in inbox.reasons(past, settings)}


def test_that_an_undelivered_answer_says_why_as_far_as_its_verdict_is_stored() -> None:
    verdict = {"memory": {"reason": "Not injected: no type is detected."}}
    assert sentences(replace(WEAK, trace={**TRACE, "verdict": verdict}))[Doubt.WEAK] == verdict["memory"]["reason"]
    for past in (replace(WEAK, trace={**TRACE, "verdict": {}}), replace(WEAK, trace=None)):
        assert sentences(past)[Doubt.WEAK] == "slow-build has 41 %: not delivered."


@pytest.mark.parametrize("is_hashed", [False, True])
def test_that_the_verdict_is_stored_with_a_query_unless_only_its_digest_is(is_hashed: bool) -> None:
    found, doubts = design(), (Doubt.WEAK,)
    past = history_entry(
        found, Source.WINDOW, SETTINGS, stored_document, at="2026-09-01T10:00:00Z", doubts=doubts, is_hashed=is_hashed
    )
    (said,) = sentences(past).values()
    reason = decisions(found, SETTINGS)[Decided.MEMORY].reason
    assert said == ("build-fails-locally has 86 %. Whether it was delivered is not stored." if is_hashed else reason)


def test_that_an_offered_power_is_called_as_on_the_scope() -> None:
    offered = {"kind": "power", "id": "p", "name": "postgres", "confidence": 0.95, "tier": "multiple_matches"}
    past = replace(WEAK, kind="power", answer="postgres", status="multiple_matches", trace={"matches": [offered]})
    (match,) = inbox.first_matches(past, SETTINGS)
    assert (match.level_word, match.level) == ("Offered", level_of(past, SETTINGS))
    (unread,) = inbox.first_matches(replace(past, answer_confidence=0.95, trace=None), SETTINGS)
    assert (unread.level_word, unread.level) == (match.level_word, match.level)


def test_that_the_number_that_waits_is_said_in_words_and_short() -> None:
    counts = HistoryCounts(20, 12, {Doubt.WEAK: 8, Doubt.TIED: 4, Doubt.CEILING: 0, Doubt.PRESETS: 1})
    assert (
        inbox.waiting_line(counts)
        == "12 to review, some for several reasons: 8 not delivered, 4 tied, 1 differ by preset"
    )
    assert inbox.waiting_line(HistoryCounts(20, 1)) == "1 to review"
    assert inbox.waiting_line(HistoryCounts()) == "Nothing to review."
    assert [inbox.badge(n) for n in (0, 7, 99, 100)] == ["", "7", "99", "99+"]
    assert [inbox.accessible_badge(n) for n in (0, 1, 1200)] == [
        "nothing to review",
        "1 query to review",
        "1,200 queries to review",
    ]


def test_that_what_named_the_type_is_said_of_keywords_and_of_examples() -> None:
    by_keyword = replace(WEAK, trace={**TRACE, "floor": {**TRACE["floor"], "keywords": ["fails"]}})
    assert sentences(by_keyword)[Doubt.CEILING].startswith("Keywords say Troubleshoot")
    assert sentences(WEAK)[Doubt.CEILING].startswith("Examples say Troubleshoot")


def test_that_every_doubt_says_why() -> None:
    assert sentences(WEAK) == {
        Doubt.WEAK: "slow-build has 41 %. Whether it was delivered is not stored.",
        Doubt.TIED: "slow-build is 0.8 points ahead of ci-red; 5 points would tell them apart.",
        Doubt.CEILING: "Examples say Troubleshoot 55 %, the LLM says How-to 91 %.",
        Doubt.PRESETS: "The two presets answer it differently.",
        Doubt.TIMED_OUT: "The LLM gave no answer within 200 ms.",
        Doubt.CHOSEN: "Of several, an assistant activated slow-build: right makes that a case.",
    }
    assert [reason.word for reason in inbox.reasons(WEAK, SETTINGS)] == [
        "Weak match",
        "Tied",
        "Keywords and LLM disagree",
        "Presets disagree",
        "LLM timed out",
        "Chosen by an assistant",
    ]


def test_that_a_doubt_without_a_trace_is_told_by_what_is_known() -> None:
    bare = replace(WEAK, trace=None)
    assert sentences(bare, None) == {
        Doubt.WEAK: "slow-build has 41 %: not delivered.",
        Doubt.TIED: "The second answer is as near as the first.",
        Doubt.CEILING: "Keywords and LLM name different types.",
        Doubt.PRESETS: "The two presets answer it differently.",
        Doubt.TIMED_OUT: "The LLM gave no answer in time.",
        Doubt.CHOSEN: "Of several, an assistant activated slow-build: right makes that a case.",
    }
    assert sentences(replace(bare, answer=None))[Doubt.WEAK] == "Nothing answers it."
    verdict = {"memory": {"reason": "Not injected: its intent has 0.412, and 0.750 is needed."}}
    assert sentences(replace(bare, trace={"verdict": verdict}))[Doubt.WEAK] == verdict["memory"]["reason"]


def test_that_ties_say_how_near_they_are() -> None:
    level = {"matches": [dict(one, confidence=0.4) for one in TRACE["matches"]]}
    assert sentences(replace(WEAK, trace=level))[Doubt.TIED] == "slow-build and ci-red are level."
    assert sentences(WEAK, None)[Doubt.TIED] == "slow-build is 0.8 points ahead of ci-red."


def test_that_both_presets_are_told_with_their_answers() -> None:
    answered = design()
    first = answered.matches[0]
    none = replace(answered, intent=None, matches=())
    told = inbox.reasons(WEAK, SETTINGS, {"recommended": answered, "as_documented": none})
    (sentence,) = [reason.sentence for reason in told if reason.doubt is Doubt.PRESETS]
    assert sentence.startswith("Recommended: ")
    assert f"{first.answer.name} " in sentence
    assert sentence.endswith("As documented: No type.")


def test_that_the_first_matches_are_those_of_then() -> None:
    assert inbox.first_matches(WEAK, SETTINGS) == (
        StoredMatch("memory", "a", "slow-build", 0.412, Band.LOW),
        StoredMatch("memory", "b", "ci-red", 0.404, Band.LOW),
    )
    (known,) = inbox.first_matches(replace(WEAK, trace=None), SETTINGS)
    assert (known.name, known.level_word) == ("slow-build", "Low")
    assert inbox.first_matches(replace(WEAK, trace=None, answer=None), SETTINGS) == ()
    assert inbox.intent_line(WEAK) == "Troubleshoot 55 %"
    assert inbox.intent_line(replace(WEAK, type=None)) == "No type"


def test_that_todays_answer_is_told_only_where_it_is_another() -> None:
    today = design()
    first = today.matches[0].answer.name
    assert inbox.today_line(WEAK, None) == ""
    assert inbox.today_line(WEAK, today).startswith(f"Today {first} comes first: ")
    assert inbox.today_line(replace(WEAK, answer=first), today) == ""
    assert inbox.today_line(WEAK, replace(today, matches=())) == "Today nothing answers it."
    assert inbox.today_line(replace(WEAK, answer=None), replace(today, matches=())) == ""


def test_that_a_power_that_cannot_start_is_not_said_to_be_activated_today() -> None:
    sure = Match(Power("postgres", transport=Transport("pg-server"), key=2), 0.95, {}, (), "sql", tier=Tier.ACTIVATED)
    today = inbox.today_line(WEAK, replace(design(), matches=(sure,)))
    assert today == "Today postgres comes first: 95 %, Not approved."


def test_that_answers_are_chosen_by_digits() -> None:
    today = design()
    chosen = teaching_targets(today)
    assert [one.digit for one in chosen] == list(range(1, len(chosen) + 1))
    assert [one.name for one in chosen] == [match.answer.name for match in today.matches[:9]]
    assert {one.what for one in chosen} >= {"power"}
    assert teaching_targets(None) == ()


def test_that_what_cannot_be_marked_says_so() -> None:
    none = replace(WEAK, answer=None)
    assert inbox.verb_refusal(none, "right") == "No answer to mark. Teach it (T), or skip it (S)."
    assert inbox.verb_refusal(none, "teach") == inbox.verb_refusal(WEAK, "wrong") == ""


def test_that_a_decision_and_its_failure_are_told() -> None:
    assert inbox.decision_sentence(WEAK, Decision.RIGHT) == "slow-build is right for “the build”."
    assert inbox.decision_sentence(WEAK, Decision.WRONG) == "slow-build is wrong for “the build”."
    assert inbox.decision_sentence(WEAK, Decision.SKIPPED) == "“the build” is skipped."
    assert inbox.decision_sentence(WEAK, Decision.TAUGHT, "ci-red") == "“the build” is taught: ci-red."
    assert inbox.failure_sentence(WEAK, "It is gone.") == "“the build” is back: It is gone."
    assert inbox.position_text(2, 1204) == "3 of 1,204"
    assert (
        inbox.accessible_text(replace(WEAK, doubts=(Doubt.WEAK,)))
        == "the build, Nothing delivered, Troubleshoot 55 %, slow-build 41 %"
    )
    assert inbox.accessible_text(replace(WEAK, answer=None, doubts=())).endswith("no answer")


def test_that_an_empty_inbox_says_why() -> None:
    kept = HistoryCounts(kept=3)
    assert inbox.empty_words("off", kept)[1] == "The history is off, so no query comes here."
    assert "digests only" in inbox.empty_words("hashed", kept)[1]
    assert inbox.empty_words("full", kept) == ("Nothing to review", "None of the 3 stored queries needs a decision.")
    assert inbox.empty_words("full", HistoryCounts())[1].startswith("Queries that deliver nothing,")
