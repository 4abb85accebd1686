"""Tests of the inbox in words: counts, reasons, answers to choose from, and decisions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from app.display.library.teaching import teaching_targets
from app.display.review import inbox
from app.display.review.history import level_of
from app.domain.library import Power, Transport
from app.domain.match import Match, Tier
from app.domain.review.history import Doubt, HistoryCounts, HistoryEntry, Judgement, Source
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
