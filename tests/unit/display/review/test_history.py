"""Tests of past queries in words: rows, filters, stored traces, replays, and the summary."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.display.library.teaching import teaching_targets
from app.display.review import inbox
from app.display.review.history import (
    PAST_COLUMNS,
    WAITING,
    access_lines,
    counts_line,
    entry_document,
    entry_line,
    forget_question,
    forgotten_message,
    history_facets,
    history_filter,
    level_of,
    log_document,
    log_line,
    log_lines,
    log_stopped,
    privacy_choices,
    privacy_sentence,
)
from app.display.review.replay import accessible_text, cause_line, cause_parts, change_line, replay_sentence
from app.display.review.trace import TracePart, TraceRow, heading, stored_matches, trace_parts
from app.domain.history import (
    Access,
    DifferenceKind,
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    Judgement,
    LoggedAccess,
    ReplayCause,
    ReplayCauseKind,
    ReplayDifference,
    ReplayedQuery,
    ReplayProgress,
    Source,
)
from app.domain.inspection import Decision
from app.domain.library import Dated, Memory, Power, Transport
from app.domain.match import Band, Match, Tier
from app.domain.running import ActivationBlocker
from app.services.review.history import LogProgress
from app.services.review.traces import history_entry
from app.settings.model import Settings
from tests.build import some
from tests.gui.inspections import design

GOLDEN = Path(__file__).with_name("history.txt")
"""Text of rows, traces and replays; rewrite it with `GOLDEN.write_text(read())`."""

AT = "2026-11-20 10:00:00"
ASKED = HistoryEntry(
    AT,
    Source.LOG,
    "the build is slow",
    "troubleshoot",
    0.55,
    "memory",
    "slow-build",
    0.8207,
    settled_ms=3.24,
    doubts=(Doubt.TIED, Doubt.CEILING),
    times=3,
    key=1,
)
HASHED = HistoryEntry(AT, Source.WINDOW, None, None, settled_ms=3.24, doubts=(Doubt.WEAK,))
POWER = HistoryEntry(
    AT, Source.MCP, "a query", "howto", 0.9, "power", "postgres", 0.9, settled_ms=9.0, decision=Judgement.WRONG
)

TRACE: dict[str, Any] = {
    "intent": {"type": "troubleshoot", "confidence": 0.55, "source": "keyword", "keywords": ["slow"], "topics": []},
    "matches": [
        {
            "kind": "memory",
            "id": "slow-build",
            "name": "slow-build",
            "confidence": 0.8207,
            "band": "high",
            "winner": ["fuzzy"],
            "trigger": "build is slow",
            "scores": {"exact": 0.0, "fuzzy": 0.8207, "keyword": None},
            "intent": "speed-up",
            "arithmetic": [
                {
                    "step": "confidence",
                    "operation": "max",
                    "operands": {"exact": 0.0, "fuzzy": 0.8207},
                    "result": 0.8207,
                }
            ],
        },
        {"kind": "power", "id": "7", "name": "postgres", "confidence": 0.3, "tier": "weak_matches"},
    ],
    "resolution": {"status": "activated", "power": {"name": "postgres", "confidence": 0.9}},
    "route": {"intent": "hybrid_search", "databases": ["postgresql"], "confidence": 0.9, "method": "rule"},
    "trace": {
        "stages": [
            {"name": "keywords", "ms": 0.42, "outcome": "ok"},
            {"name": "llm", "ms": 200.0, "outcome": "timed_out"},
        ],
        "rules": [
            {"label": "troubleshoot", "text": "slow", "evidence": 1.0, "held_back": False},
            {"label": "howto", "text": "is", "evidence": 0.5, "held_back": True},
        ],
        "merge": [
            {
                "step": "floor",
                "operation": "sum",
                "operands": {"base": 0.5, "cues": 1.0},
                "weights": {"cues": 0.05},
                "result": 0.55,
            }
        ],
        "llm": {"outcome": "late", "ms": 740.0, "model": "qwen", "late": {"type": "howto", "confidence": 0.91}},
    },
    "settings": {"tiers.high": "0.9"},
    "notes": ["Only the first 2,000 of 3,000 characters are scored."],
}


def with_trace(trace: Any) -> HistoryEntry:
    return HistoryEntry(AT, Source.LOG, "x", answer="slow-build", trace=trace)


def cells(past: HistoryEntry) -> dict[str, str]:
    return {column.key: column.cell(past) for column in PAST_COLUMNS}


def rows(parts: tuple[TracePart, ...], title: str) -> list[TraceRow]:
    (part,) = [part for part in parts if part.title == title]
    return list(part.rows)


REPLAYED = ReplayedQuery(
    ASKED,
    ASKED,
    (
        ReplayDifference(
            DifferenceKind.TYPE_CONFIDENCE, 0.55, 0.6, (ReplayCause(ReplayCauseKind.RULE_FIRES, "howto.3"),)
        ),
        ReplayDifference(
            DifferenceKind.FIRST,
            "slow-build",
            None,
            (
                ReplayCause(ReplayCauseKind.GONE, "slow-build"),
                ReplayCause(ReplayCauseKind.SETTING, "tiers.high", "0.85", ""),
            ),
        ),
        ReplayDifference(DifferenceKind.TYPE, None, "howto", (ReplayCause(ReplayCauseKind.RULE_FIRES, "howto.3"),)),
        ReplayDifference(DifferenceKind.LEVEL, "high", "not_found"),
    ),
)
ACCESSES = (
    Access(1, 1, 0.9, name="sign"),
    Access(2, 7, 0.8, "budget", name="coffee"),
    Access(3, None, 0.5, "paused"),
    Access(4, 9, 0.4, "a reason of tomorrow", name="new"),
)
TRACES: tuple[Any, ...] = (
    TRACE,
    {},
    {"matches": [{"name": f"m{n}", "confidence": 0.5} for n in range(12)]},
    {"intent": {"type": "howto", "confidence": 0.5, "source": "oracle"}, "trace": {"llm": {"outcome": "off"}}},
    *({"matches": 3}, {"matches": [3]}, {"intent": "x"}, {"trace": {"rules": [None]}}, {"settings": 3}),
)
CAUSES = (
    ReplayCause(ReplayCauseKind.SCORER, "", "fuzzy", "semantic + centroid"),
    ReplayCause(ReplayCauseKind.SCORE, "fuzzy", "0.5", "0.6"),
    ReplayCause(ReplayCauseKind.SCORE, "fuzzy", "", "0.6"),
    ReplayCause(ReplayCauseKind.RULE_SILENT, "howto.3"),
    ReplayCause(ReplayCauseKind.NEW, "keys"),
    ReplayCause(ReplayCauseKind.LLM, "answered"),
    ReplayCause(ReplayCauseKind.UNKNOWN),
)


def row_text(past: HistoryEntry) -> str:
    aside = some(PAST_COLUMNS[0].aside)(past)
    return "\n".join(f"{key}: {text}".rstrip() for key, text in (cells(past) | {"aside": aside}).items() if key != "at")


def trace_text(parts: tuple[TracePart, ...]) -> str:
    lines = []
    for part in parts:
        lines.append(part.title)
        for row in part.rows:
            told = (row.said, row.value, row.quiet, row.level or "", "sum" if row.is_sum else "")
            lines.append("  " + " | ".join(filter(None, told)))
    return "\n".join(lines)


def read() -> str:
    older = HistoryEntry(AT, Source.LOG, "x", trace={}, trace_version=9)
    pasts = (*map(with_trace, TRACES), older, ASKED, replace(ASKED, accesses=ACCESSES))
    steps = (
        (ReplayProgress(1200, 5000), 1, True),
        (ReplayProgress(10, 10, same=7, left_out=1), 2, False),
        (ReplayProgress(3, 10, same=3), 0, False),
    )
    under_way, stopped = LogProgress(40, 0), LogProgress(40, 90, 30)
    ends = LogProgress(90, 90, 1, is_done=True), LogProgress(90, 90, 60, 2, is_done=True)
    sections = (
        *map(row_text, (ASKED, HASHED, POWER)),
        *(trace_text(trace_parts(past)) for past in pasts),
        "\n".join((change_line(REPLAYED), trace_text(cause_parts(REPLAYED)), accessible_text(REPLAYED))),
        "\n".join(map(cause_line, CAUSES)),
        "\n".join(replay_sentence(step, changed, is_running=runs) for step, changed, runs in steps),
        "\n".join(word for _, word in privacy_choices()),
        "\n".join(privacy_sentence(kept, days, 100_000) for kept, days in (("full", 30), ("hashed", 1), ("off", 30))),
        "\n".join(map(counts_line, (HistoryCounts(), HistoryCounts(kept=1204, waiting=1), HistoryCounts(kept=3)))),
        "\n".join((forget_question(1), forget_question(12, is_all=True), forgotten_message(2))),
        "\n".join(log_line("a.log", one) for one in (under_way, stopped, *ends)),
        log_stopped("a.log", stopped),
    )
    return "\n\n".join(sections) + "\n"


def test_that_rows_traces_and_replays_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert stored_matches(with_trace({"matches": [3]})) == ()


def test_that_a_level_is_that_of_todays_thresholds() -> None:
    settings = Settings()
    assert level_of(ASKED, settings) is Band.HIGH
    weak = replace(with_trace({"matches": [{"kind": "memory", "band": "low"}]}), doubts=(Doubt.WEAK,))
    assert level_of(weak, settings) is rows(trace_parts(weak), "Matches")[0].level is Band.FALLBACK
    assert level_of(HASHED, settings) is level_of(ASKED, None) is None


def test_that_a_powers_level_is_its_stored_tier_where_there_is_one() -> None:
    for level in (*Tier, *ActivationBlocker):
        assert level_of(replace(POWER, status=level.value), Settings()) is level
    for unknown in (None, "odd"):
        assert level_of(replace(POWER, status=unknown, answer_confidence=0.2), Settings()) is Tier.NOT_FOUND


def test_that_what_is_chosen_becomes_a_filter() -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    chosen = {"source": Source.LOG, "type": "howto", "doubt": Doubt.WEAK, "decision": Judgement.RIGHT, "age": 7}
    assert history_filter(" slow ", chosen, now) == HistoryFilter(
        "slow", (Source.LOG,), (Doubt.WEAK,), (Judgement.RIGHT,), ("howto",), since="2026-11-15 12:00:00"
    )
    assert history_filter("", {"decision": WAITING}) == HistoryFilter(waiting=True)
    assert [facet.title for facet in history_facets()] == ["Source", "Type", "Doubt", "Decision", "Asked"]
    assert history_facets()[2].word_of(Doubt.PRESETS) == "Presets disagree"


def test_that_a_heading_says_when_from_where_and_how_often() -> None:
    assert heading(ASKED).endswith(" · imported from a log or the command line · 3 times")
    assert heading(POWER).endswith(" · over MCP · ✗ wrong")


def test_that_an_answer_that_may_still_change_is_recorded_as_provisional() -> None:
    early = replace(design(), provisional={Decision.MEMORY: "the encoder is loading"})
    for inspection, shown in ((early, "build-fails-locally, provisional"), (design(), "build-fails-locally")):
        past = history_entry(inspection, Source.WINDOW, Settings(), None, at=AT)
        assert cells(past)["answer"] == shown
        assert ("provisional" in heading(past)) is entry_document(past)["provisional"] is (inspection is early)


def test_that_matches_below_one_percent_are_counted_only() -> None:
    found = [{"kind": "memory", "id": name, "name": name, "confidence": value} for name, value in
             (("first", 0.008), ("second", 0.01), ("third", 0.009), ("fourth", 0.0))]  # fmt: skip
    (matches,) = (
        part.rows for part in trace_parts(replace(ASKED, trace={"matches": found})) if part.title == "Matches"
    )
    assert [row.said for row in matches] == ["first", "second", "and 2 more"]


def test_that_a_logged_access_says_why_a_memory_was_left_out() -> None:
    logged = [LoggedAccess(one, "2026-11-22 04:26:21", Source.MCP, None, 5) for one in ACCESSES[:2]]
    (_, given), (asked, about) = access_lines(logged)
    assert (asked, about.split(" · ")[:2]) == ("– hashed", ["left out: over the budget", "MCP"])
    assert given.startswith("returned as no. 1")
    row = Dated(Memory(("a",), right=2), "", "", 5, "2026-11-22 04:26:21")
    assert log_lines(row, logged)[0].startswith("a: used 5, marked right 2 (last injected ")
    document = log_document(row, logged)
    assert (document["used"], document["right"], document["accesses"][1]["cut"]) == (5, 2, "budget")


def test_that_a_line_of_the_terminal_tells_what_was_decided_or_why_it_waits() -> None:
    waits = HistoryEntry(
        "2026-11-22 04:26:21", Source.WINDOW, "q", answer="a", answer_confidence=0.5, doubts=(Doubt.TIED,), key=4
    )
    assert entry_line(waits).endswith("(tied)")
    decided = replace(waits, decision=Judgement.RIGHT)
    assert entry_line(decided).endswith("(✓ right)")
    assert (entry_document(waits)["decision"], entry_document(decided)["decision"]) == (None, "right")


def test_that_matches_say_once_what_the_scope_says_of_them() -> None:
    bands = zip("abcd", ("high", "low", "low", "fallback"), strict=True)
    shown = [{"kind": "memory", "id": name, "name": name, "confidence": 0.1, "band": band} for name, band in bands]
    found = rows(
        trace_parts(replace(ASKED, trace={"matches": shown, "verdict": {"memory": {"injected": "a"}}})), "Matches"
    )
    assert [row.quiet for row in found] == ["Would be injected", "Not injected", "", "Below threshold"]


INBOX_GOLDEN = Path(__file__).with_name("inbox.txt")
"""Text of doubts, counts and decisions; rewrite it with `GOLDEN.write_text(read())`."""
SETTINGS = Settings()
ALL = tuple(Doubt)
INBOX_TRACE: dict[str, Any] = {
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
    trace=INBOX_TRACE,
    key=1,
)


def inbox_read() -> str:
    said = {"verdict": {"memory": {"reason": "Not injected: no type is detected."}}}
    bare, floor = replace(WEAK, trace=None), {**INBOX_TRACE["floor"], "keywords": ["fails"]}
    traces: tuple[dict[str, Any], ...] = (said, {"verdict": {}}, {"floor": floor})
    level = {"matches": [dict(one, confidence=0.4) for one in INBOX_TRACE["matches"]]}
    doubtful = (
        *((replace(WEAK, trace={**INBOX_TRACE, **one}), SETTINGS) for one in traces),
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
    assert inbox_read() == INBOX_GOLDEN.read_text("utf-8")
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
    assert today == "Now postgres comes first: 95 %, Not approved."


def test_that_answers_are_chosen_by_digits() -> None:
    today = design()
    chosen = teaching_targets(today)
    assert [one.digit for one in chosen] == list(range(1, len(chosen) + 1))
    assert (chosen[0].match, len(chosen)) == (today.first, min(6, len(today.matches)))
    power = today.powers[1].answer.name
    after = teaching_targets(today, ("power", power))
    assert [one.name for one in after[:2]] == [power, today.powers[0].answer.name]
    assert teaching_targets(None) == ()
