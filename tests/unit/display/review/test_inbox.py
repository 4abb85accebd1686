"""Tests of the inbox in words: counts, reasons, answers to choose from, and decisions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.display.documents import stored_document
from app.display.library.teaching import teaching_targets
from app.display.review import inbox
from app.display.review.history import level_of
from app.display.review.trace import StoredMatch
from app.display.scope.verdict import decisions
from app.domain.library import Memory, Power, Transport
from app.domain.match import Band, Match, Tier
from app.domain.review.history import Doubt, HistoryCounts, HistoryEntry, Judgement, Source
from app.domain.scope.inspection import Decision
from app.services.review.traces import history_entry
from app.settings.model import Settings
from tests.gui.inspections import design

GOLDEN = Path(__file__).with_name("inbox.txt")
"""Text of doubts, counts and decisions; rewrite it with `GOLDEN.write_text(read())`."""
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


def read() -> str:
    said = {"verdict": {"memory": {"reason": "Not injected: no type is detected."}}}
    bare, floor = replace(WEAK, trace=None), {**TRACE["floor"], "keywords": ["fails"]}
    traces: tuple[dict[str, Any], ...] = (said, {"verdict": {}}, {"floor": floor})
    level = {"matches": [dict(one, confidence=0.4) for one in TRACE["matches"]]}
    doubtful = (
        *((replace(WEAK, trace={**TRACE, **one}), SETTINGS) for one in traces),
        *((WEAK, SETTINGS), (WEAK, None), (replace(WEAK, trace=level), SETTINGS)),
        *((bare, SETTINGS), (bare, None)),
        *((one, SETTINGS) for one in (replace(bare, answer=None), replace(bare, trace=said))),
    )
    waiting = HistoryCounts(20, 12, {Doubt.WEAK: 8, Doubt.TIED: 4, Doubt.CEILING: 0, Doubt.PRESETS: 1})
    decided = (Judgement.RIGHT, ""), (Judgement.WRONG, ""), (Judgement.SKIPPED, ""), (Judgement.TAUGHT, "ci-red")
    none = replace(WEAK, answer=None)
    emptied = ("off", HistoryCounts(kept=3)), ("hashed", HistoryCounts(kept=3)), ("full", HistoryCounts(kept=3))
    sections = (
        *([f"{one.word}: {one.sentence}" for one in inbox.reasons(past, settings)] for past, settings in doubtful),
        map(inbox.waiting_line, (waiting, HistoryCounts(20, 1), HistoryCounts())),
        map(inbox.badge, (7, 99, 100)),
        map(inbox.accessible_badge, (0, 1, 1200)),
        [inbox.verb_refusal(none, "right")],
        (*(inbox.decision_sentence(WEAK, *one) for one in decided), inbox.failure_sentence(WEAK, "It is gone.")),
        (inbox.accessible_text(replace(WEAK, doubts=(Doubt.WEAK,))), inbox.accessible_text(replace(none, doubts=()))),
        *(inbox.empty_words(*one) for one in (*emptied, ("full", HistoryCounts()))),
    )
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def test_that_doubts_counts_and_decisions_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert inbox.badge(0) == inbox.verb_refusal(WEAK, "wrong") == ""
    assert inbox.verb_refusal(replace(WEAK, answer=None), "teach") == ""
    assert inbox.position_text(2, 1204) == "3 of 1,204"


@pytest.mark.parametrize("is_hashed", [False, True])
def test_that_the_verdict_is_stored_with_a_query_unless_only_its_digest_is(is_hashed: bool) -> None:
    found, doubts = design(), (Doubt.WEAK,)
    past = history_entry(
        found, Source.WINDOW, SETTINGS, stored_document, at="2026-09-01T10:00:00Z", doubts=doubts, is_hashed=is_hashed
    )
    (said,) = sentences(past).values()
    reason = decisions(found, SETTINGS)[Decision.MEMORY].reason
    assert said == ("build-fails-locally has 86 %. Whether it was delivered is not stored." if is_hashed else reason)


def test_that_an_offered_power_is_called_as_on_the_scope() -> None:
    offered = {"kind": "power", "id": "p", "name": "postgres", "confidence": 0.95, "tier": "multiple_matches"}
    past = replace(WEAK, kind="power", answer="postgres", status="multiple_matches", trace={"matches": [offered]})
    (match,) = inbox.first_matches(past, SETTINGS)
    assert (match.level_word, match.level) == ("Offered", level_of(past, SETTINGS))
    (unread,) = inbox.first_matches(replace(past, answer_confidence=0.95, trace=None), SETTINGS)
    assert (unread.level_word, unread.level) == (match.level_word, match.level)


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
    assert (known.name, known.level) == ("slow-build", None), "it was not delivered"
    stored = inbox.first_matches(replace(WEAK, trace={**TRACE, "verdict": {"memory": {}}}), SETTINGS)
    assert [one.level for one in stored] == [None, None]
    assert inbox.first_matches(replace(WEAK, trace=None, answer=None), SETTINGS) == ()
    assert inbox.intent_line(WEAK) == "Troubleshoot 55 %"
    assert inbox.intent_line(replace(WEAK, type=None)) == "No type"


def test_that_todays_answer_is_told_only_where_it_is_another() -> None:
    today = design()
    first = today.matches[0].answer.name
    assert inbox.today_line(WEAK, None) == ""
    assert inbox.today_line(WEAK, today).startswith(f"Today {first} comes first: ")
    assert inbox.today_line(replace(WEAK, answer=first), today) == ""
    unnamed = Match(Memory(("what is your address",), key=2), 0.2, {}, (), "a", band=Band.FALLBACK)
    assert inbox.today_line(WEAK, replace(today, matches=(unnamed,))).startswith("Today “what is your address” comes ")
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
    assert (chosen[0].match, len(chosen)) == (today.first, min(9, len(today.matches)))
    power = today.powers[1].answer.name
    after = teaching_targets(today, ("power", power))
    assert [one.name for one in after[:2]] == [power, today.powers[0].answer.name]
    assert teaching_targets(None) == ()
