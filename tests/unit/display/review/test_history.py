"""Tests of past queries in words: rows, filters, stored traces, replays, and the summary."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.detect.resolve import resolve
from app.display.documents import stored_document
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
from app.display.review.replay import (
    accessible_text,
    cause_line,
    cause_parts,
    change_line,
    change_text,
    replay_sentence,
)
from app.display.review.trace import TracePart, TraceRow, heading, stored_matches, trace_parts
from app.domain.library import Dated, Memory, Power, Transport
from app.domain.match import Band, Match, Tier
from app.domain.review.history import (
    Access,
    Decision,
    DifferenceKind,
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    LoggedAccess,
    ReplayCause,
    ReplayCauseKind,
    ReplayDifference,
    ReplayedQuery,
    ReplayProgress,
    Source,
)
from app.domain.running import ActivationBlocker
from app.domain.scope.inspection import Decision as MadeDecision
from app.services.review.history import LogProgress
from app.services.review.traces import history_entry
from app.settings.model import Settings
from tests.gui.inspections import design

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
    AT, Source.MCP, "a query", "howto", 0.9, "power", "postgres", 0.9, settled_ms=9.0, decision=Decision.WRONG
)

NEARLY_HIGH = HistoryEntry(AT, Source.WINDOW, "a query", "howto", 0.599996, "power", "postgres", 0.899996)

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


def test_that_a_row_says_what_came_of_a_query() -> None:
    told = cells(ASKED)
    at = told.pop("at")
    assert at.startswith("2026-11-")
    assert told == {
        "text": "the build is slow",
        "source": "Imported",
        "type": "Troubleshoot",
        "type_confidence": "55 %",
        "answer": "slow-build",
        "confidence": "82 %",
        "settled": "3.2",
        "doubts": "tied, LLM against",
        "decision": "Waits",
    }
    assert PAST_COLUMNS[0].aside is not None
    assert PAST_COLUMNS[0].aside(ASKED) == "×3"
    assert PAST_COLUMNS[0].aside(HASHED) == ""


def test_that_what_is_hashed_or_unanswered_has_dashes() -> None:
    told = cells(HASHED)
    assert told["text"] == "– hashed"
    assert [told[key] for key in ("type", "type_confidence", "answer", "confidence", "settled", "decision")] == [
        "No type",
        "",
        "–",
        "–",
        "3.2",
        "",
    ]
    assert cells(POWER)["decision"] == "✗ wrong"


def test_that_a_level_is_that_of_todays_thresholds() -> None:
    settings = Settings()
    assert level_of(ASKED, settings) is Band.HIGH
    assert level_of(POWER, settings) is Tier.ACTIVATED
    assert level_of(HASHED, settings) is None
    assert level_of(ASKED, None) is None


def test_that_a_powers_level_is_its_stored_tier_where_there_is_one() -> None:
    for tier in Tier:
        assert level_of(replace(POWER, status=tier.value), Settings()) is tier
    for unknown in (None, "odd"):
        assert level_of(replace(POWER, status=unknown, answer_confidence=0.2), Settings()) is Tier.NOT_FOUND


def test_that_what_is_chosen_becomes_a_filter() -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    chosen = {"source": Source.LOG, "type": "howto", "doubt": Doubt.WEAK, "decision": Decision.RIGHT, "age": 7}
    assert history_filter(" slow ", chosen, now) == HistoryFilter(
        "slow", (Source.LOG,), (Doubt.WEAK,), (Decision.RIGHT,), ("howto",), since="2026-11-15 12:00:00"
    )
    assert history_filter("", {"decision": WAITING}) == HistoryFilter(waiting=True)
    assert [facet.name for facet in history_facets()] == ["Source", "Type", "Doubt", "Decision", "Asked"]
    assert history_facets()[2].word_of(Doubt.PRESETS) == "Presets disagree"


def test_that_a_kept_trace_is_told_part_by_part() -> None:
    parts = trace_parts(with_trace(TRACE))
    assert [part.title for part in parts] == [
        "Type",
        "Matches",
        "How the first answer was computed",
        "Outcome",
        "LLM",
        "Times",
        "Settings that were not at their defaults",
        "Remarks",
    ]
    assert rows(parts, "Type") == [
        TraceRow("Troubleshoot", "55 %", quiet="From keywords"),
        TraceRow("“slow”", "1.000", quiet="Troubleshoot"),
        TraceRow("“is”", "", quiet="overruled"),
        TraceRow("0.500 + 0.05 × 1.000 = 0.550", is_sum=True, quiet="Keywords"),
    ]
    assert rows(parts, "Matches") == [
        TraceRow("slow-build", "82 %", quiet="High", level=Band.HIGH),
        TraceRow("postgres", "30 %", quiet="Weak", level=Tier.WEAK_MATCHES),
    ]
    assert rows(parts, "How the first answer was computed") == [
        TraceRow("“build is slow”", quiet="best trigger"),
        TraceRow("Exact", "0"),
        TraceRow("Fuzzy", "0.821", quiet="decides"),
        TraceRow("Keyword", "–"),
        TraceRow("max(E 0, F 0.821) = 0.821", is_sum=True, quiet="Confidence"),
    ]
    assert rows(parts, "Outcome") == [
        TraceRow("Powers", quiet="Would be activated", level=Tier.ACTIVATED),
        TraceRow("postgres", "90 %"),
        TraceRow("Route hybrid_search", "90 %", quiet="rule"),
    ]
    assert rows(parts, "LLM") == [TraceRow("Late", "740 ms", quiet="qwen"), TraceRow("How-to", "91 %")]
    assert rows(parts, "Times") == [TraceRow("Keywords", "0.4 ms"), TraceRow("LLM", "200 ms", quiet="timed out")]
    assert rows(parts, "Settings that were not at their defaults") == [TraceRow("tiers.high", quiet="0.9")]
    assert rows(parts, "Remarks") == [TraceRow("Only the first 2,000 of 3,000 characters are scored.")]


def test_that_a_power_that_was_sure_enough_says_what_it_lacked_then() -> None:
    power = Power("postgres", transport=Transport("pg-server"), key=2)
    found = design()
    match = Match(power, 0.95, {}, (), "sql", tier=Tier.ACTIVATED)
    sure = replace(found, matches=(match,), resolution=resolve("q", (match,), (), Settings()))
    for is_hashed in (False, True):
        past = history_entry(sure, Source.WINDOW, Settings(), stored_document, at=AT, is_hashed=is_hashed)
        said = {part.title: part.rows for part in trace_parts(past)}
        assert said["Matches"][0].quiet == said["Outcome"][0].quiet == "Not approved"
        assert stored_matches(past)[0].lack is ActivationBlocker.APPROVAL
    approved = replace(match, answer=replace(power, approved=True))
    now = history_entry(replace(sure, matches=(approved,)), Source.WINDOW, Settings(), stored_document, at=AT)
    assert stored_matches(now)[0].level_word == "Activates"


def test_that_a_trace_with_nothing_in_it_says_that_nothing_was_found() -> None:
    parts = trace_parts(with_trace({}))
    assert parts == (TracePart("Type", (TraceRow("No type", "0"),)), TracePart("Matches", (TraceRow("No match."),)))
    many = {"matches": [{"name": f"m{n}", "confidence": 0.5} for n in range(12)]}
    assert rows(trace_parts(with_trace(many)), "Matches")[-1] == TraceRow("and 2 more")
    unknown = {"intent": {"type": "howto", "confidence": 0.5, "source": "oracle"}, "trace": {"llm": {"outcome": "off"}}}
    assert rows(trace_parts(with_trace(unknown)), "Type") == [TraceRow("How-to", "50 %", quiet="oracle")]
    older = HistoryEntry(AT, Source.LOG, "x", trace={}, trace_version=9)
    assert rows(trace_parts(older), "Remarks") == [TraceRow("The trace was stored by another version of the program.")]


def test_that_a_trace_that_cannot_be_read_says_so_and_stops_nothing() -> None:
    for trace in ({"matches": 3}, {"matches": [3]}, {"intent": "x"}, {"trace": {"rules": [None]}}, {"settings": 3}):
        assert trace_parts(with_trace(trace)) == (
            TracePart("Trace", (TraceRow("The trace of this query cannot be read."),)),
        ), trace
    assert stored_matches(with_trace({"matches": [3]})) == ()
    assert trace_parts(ASKED) == (TracePart("Trace", (TraceRow("No trace is stored for this query."),)),)


def test_that_a_heading_says_when_from_where_and_how_often() -> None:
    assert heading(ASKED).endswith(" · imported from a log or the command line · 3 times")
    assert heading(POWER).endswith(" · over MCP · ✗ wrong")


def test_that_an_answer_that_may_still_change_is_recorded_as_provisional() -> None:
    early = replace(design(), provisional={MadeDecision.MEMORY: "the encoder is loading"})
    for inspection, shown in ((early, "build-fails-locally, provisional"), (design(), "build-fails-locally")):
        past = history_entry(inspection, Source.WINDOW, Settings(), None, at=AT)
        assert cells(past)["answer"] == shown
        assert ("provisional" in heading(past)) is entry_document(past)["provisional"] is (inspection is early)


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


def test_that_a_replay_tells_before_and_after_the_weightiest_first() -> None:
    assert change_line(REPLAYED) == (
        "First answer: slow-build → nothing; Type: nothing → How-to; Level of the first answer: High → Not found;"
        " Confidence of the type: 0.550 → 0.600"
    )
    assert cause_parts(REPLAYED)[:2] == (
        TracePart(
            "First answer",
            (
                TraceRow("slow-build → nothing"),
                TraceRow("because “slow-build” is deleted or paused"),
                TraceRow("because tiers.high was 0.85, is not set"),
            ),
        ),
        TracePart("Type", (TraceRow("nothing → How-to"), TraceRow("because the rule howto.3 fires now"))),
    )
    assert cause_parts(REPLAYED)[3].rows == (TraceRow("0.550 → 0.600"),)  # its reason is given above
    assert accessible_text(REPLAYED).startswith("the build is slow. First answer: slow-build → nothing;")
    assert accessible_text(REPLAYED).endswith(
        "because “slow-build” is deleted or paused, tiers.high was 0.85, is not set, the rule howto.3 fires now"
    )


def test_that_two_numbers_never_read_the_same() -> None:
    assert change_text(ReplayDifference(DifferenceKind.CONFIDENCE, 0.8207, 0.8208)) == "0.8207 → 0.821"
    assert change_text(ReplayDifference(DifferenceKind.STATUS, "activated", "other")) == "Would be activated → other"


def test_that_every_reason_has_its_words() -> None:
    said = {
        ReplayCause(
            ReplayCauseKind.SCORER, "", "fuzzy", "semantic + centroid"
        ): "semantic and centroid decides now, not fuzzy",
        ReplayCause(ReplayCauseKind.SCORE, "fuzzy", "0.5", "0.6"): "fuzzy 0.500 → 0.600",
        ReplayCause(ReplayCauseKind.SCORE, "fuzzy", "", "0.6"): "fuzzy nothing → 0.600",
        ReplayCause(ReplayCauseKind.RULE_SILENT, "howto.3"): "the rule howto.3 fires no longer",
        ReplayCause(ReplayCauseKind.NEW, "keys"): "“keys” was not among the matches then",
        ReplayCause(ReplayCauseKind.LLM, "answered"): "the LLM took part then, and is not asked again",
        ReplayCause(ReplayCauseKind.UNKNOWN): "too little was stored to tell",
    }
    assert {cause: cause_line(cause) for cause in said} == said


def test_that_a_replay_says_how_far_it_is_and_what_it_came_to() -> None:
    assert replay_sentence(ReplayProgress(1200, 5000), 1, is_running=True) == (
        "1,200 of 5,000 asked again. 1 is answered differently."
    )
    assert replay_sentence(ReplayProgress(10, 10, same=7, left_out=1), 2, is_running=False) == (
        "2 are answered differently. 7 the same. 1 is kept without its text and could not be asked."
    )
    assert replay_sentence(ReplayProgress(3, 10, same=3), 0, is_running=False) == (
        "0 are answered differently. 3 the same. Stopped after 3."
    )


def test_that_what_is_kept_is_said_with_what_it_means() -> None:
    assert [word for _, word in privacy_choices()] == ["Full", "Hashed", "Off"]
    assert privacy_sentence("full", 30, 100_000) == (
        "Text, answer and trace of each query are stored in this profile only."
        " They are deleted after 30 days, and beyond 100,000 the oldest first."
    )
    assert privacy_sentence("hashed", 1, 100).endswith("They are deleted after 1 day, and beyond 100 the oldest first.")
    assert privacy_sentence("off", 30, 100) == (
        "No query is stored from now on. Stored queries stay until you forget them."
    )


def test_that_counts_and_questions_count() -> None:
    assert counts_line(HistoryCounts()) == ""
    assert counts_line(HistoryCounts(kept=1204, waiting=1)) == "1,204 queries, 1 to review"
    assert counts_line(HistoryCounts(kept=3)) == "3 queries"
    assert forget_question(1).startswith("Forget 1 query? This cannot be undone.")
    assert forget_question(12, is_all=True).startswith("Forget all 12 queries of the history")
    assert forgotten_message(2) == "Forgot 2 queries."


def test_that_a_log_says_how_far_it_is() -> None:
    assert log_line("a.log", LogProgress(40, 0)) == "40 lines of a.log are read, 0 kept."
    assert log_line("a.log", LogProgress(40, 90, 30)) == "40 of 90 lines of a.log are read, 30 kept."
    assert log_line("a.log", LogProgress(90, 90, 1, is_done=True)) == "1 query of a.log is kept."
    assert log_line("a.log", LogProgress(90, 90, 60, 2, is_done=True)) == (
        "60 queries of a.log are kept. 2 lines were skipped."
    )
    assert log_stopped("a.log", LogProgress(40, 90, 30)) == "a.log: stopped. 30 queries are kept and stay."


def test_that_a_past_number_seems_no_more_to_cross_a_threshold_than_it_did_in_the_scope() -> None:
    said = cells(NEARLY_HIGH)
    assert (said["type_confidence"], said["confidence"]) == ("59.9996 %", "89.9996 %")
    moved = replace(NEARLY_HIGH, trace={"settings": {"tiers.high": "0.6"}})
    assert cells(moved)["confidence"] == "90 %"
    shown = [{"kind": "power", "id": "1", "name": "postgres", "confidence": 0.9, "tier": "multiple_matches"}]
    intent = {"type": "howto", "confidence": 0.6, "source": "keyword"}
    kept = replace(NEARLY_HIGH, trace={"matches": shown, "intent": intent})
    values = {row.said: row.value for part in trace_parts(kept) for row in part.rows}
    assert (values["postgres"], values["How-to"]) == ("89.9996 %", "59.9996 %")


def test_that_the_keyword_floor_is_not_called_by_the_letter_of_a_scorer() -> None:
    step = {"step": "penalty", "operation": "sum", "operands": {"keyword": 0.55, "penalty": -0.1}, "result": 0.45}
    kept = replace(ASKED, trace={"intent": None, "trace": {"merge": [step]}})
    sums = [row.said for part in trace_parts(kept) for row in part.rows if row.is_sum]
    assert sums == ["0.550 − 0.100 = 0.450"]


def test_that_what_an_assistant_was_told_comes_first_with_why_others_were_left_out() -> None:
    accesses = (
        Access(1, 1, 0.9, name="sign"),
        Access(2, 7, 0.8, "budget", name="coffee"),
        Access(3, None, 0.5, "paused"),
        Access(4, 9, 0.4, "a reason of tomorrow", name="new"),
    )
    told, *_ = trace_parts(replace(ASKED, accesses=accesses))
    assert told.rows == (
        TraceRow("sign", "90 %", quiet="injected as no. 1"),
        TraceRow("coffee", "80 %", quiet="left out: over the budget"),
        TraceRow("a memory that is gone", "50 %", quiet="left out: paused"),
        TraceRow("new", "40 %", quiet="left out: a reason of tomorrow"),
    )
    logged = [LoggedAccess(one, "2026-11-22 04:26:21", Source.HOOK, None, 5) for one in accesses[1:2]]
    ((asked, about),) = access_lines(logged)
    assert (asked, about.split(" · ")[:2]) == ("– hashed", ["left out: over the budget", "Hook"])
    row = Dated(Memory(("a",), right=2), "", "", 5, "2026-11-22 04:26:21")
    assert log_lines(row, logged)[0].startswith("a: used 5, marked right 2 (last injected ")
    document = log_document(row, logged)
    assert (document["used"], document["right"], document["accesses"][0]["cut"]) == (5, 2, "budget")


def test_that_a_line_of_the_terminal_tells_what_was_decided_or_why_it_waits() -> None:
    waits = HistoryEntry(
        "2026-11-22 04:26:21", Source.WINDOW, "q", answer="a", answer_confidence=0.5, doubts=(Doubt.TIED,), key=4
    )
    assert entry_line(waits).endswith("(tied)")
    decided = replace(waits, decision=Decision.RIGHT)
    assert entry_line(decided).endswith("(✓ right)")
    assert (entry_document(waits)["decision"], entry_document(decided)["decision"]) == (None, "right")


def test_that_only_the_first_match_says_that_it_is_below_the_threshold() -> None:
    lowest = [{"kind": "memory", "id": name, "name": name, "confidence": 0.1, "band": "fallback"} for name in "abc"]
    found = rows(trace_parts(replace(ASKED, trace={"matches": lowest})), "Matches")
    assert [row.quiet for row in found] == ["Below threshold", "", ""]
