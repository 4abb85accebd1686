"""Tests of settings, metrics, usage, the connection check and the help's search in words."""

from __future__ import annotations

import pytest

from app.display.system.help_pages import CHAPTERS, Section, chapters, find
from app.display.system.metrics import (
    NAMES,
    OUTCOMES,
    MetricsSnapshot,
    Table,
    endpoint_sentence,
    latency_sentence,
    metrics_snapshot,
    metrics_tables,
    usage_document,
    usage_lines,
    usage_tables,
)
from app.display.system.models import MARKS, link_rows, progress, state_line, verdict
from app.display.system.settings import Editor, SettingRow, matching, setting_sections, stepped
from app.domain.llm import LlmOutcome
from app.domain.match import Query
from app.domain.review.history import USAGE_COUNTERS, UsageCounter, UsageTotals, turns_outcome
from app.domain.scope.inspection import KEYWORD_STAGE, LEXICAL_STAGE, Detection, Inspection, Phase, Stage, Trace
from app.ports.llm import LlmState
from app.services.engine.metrics import EngineMetrics
from app.services.system.connection import REMEDIES, Link, LinkState, without_address
from app.settings.model import Settings, SettingsSources, described, keys, layer

BOOKS = {
    "one": [
        Section("one", "Colours", "Colours", "", "The window is dark."),
        Section("one", "Colours", "High contrast", "high-contrast", "Lines are stronger."),
    ],
    "two": [Section("two", "Lines", "Wrapping", "wrapping", "Long texts wrap, in dark and light windows.")],
}


def test_that_every_word_has_to_be_there_and_titles_come_first() -> None:
    assert [one.section.title for one in find(BOOKS, "LINES")] == ["Wrapping", "High contrast"]
    assert [one.section.title for one in find(BOOKS, "dark window")] == ["Colours", "Wrapping"]
    assert [one.section.title for one in find(BOOKS, "contrast")] == ["High contrast"]
    assert find(BOOKS, "dark penguin") == []
    assert find(BOOKS, "  ") == []


def test_that_a_finding_shows_the_words_around_it() -> None:
    text = f"{'before ' * 40}needle {'after ' * 40}"
    (found,) = find({"t": [Section("t", "T", "T", "", text)]}, "needle")
    assert found.around.startswith("… before")
    assert "needle" in found.around
    assert found.around.endswith("after …")
    assert len(found.around) < 120


def test_that_a_page_nobody_placed_is_still_in_the_contents() -> None:
    there = {topic.key for chapter in CHAPTERS for topic in chapter.topics} - {"cases"} | {"brand-new"}
    shown = chapters(there)
    assert [topic.title for topic in shown[-2].topics] == ["Brand new"]
    assert "cases" not in {topic.key for chapter in shown for topic in chapter.topics}
    assert [chapter.title for chapter in chapters(set())] == ["About"]


def made() -> EngineMetrics:
    measures = EngineMetrics()
    measures.llm_started = 10
    measures.llm_completed.update(success=6, timeout=2, cancelled=2)
    measures.llm_timeouts.update(budget=1, cold=1)
    measures.outcomes.update(answered=6, timed_out=1, cold=1, superseded=2)
    for ms in (100, 120, 140, 300):
        measures.llm_seconds.add(ms / 1000)
    measures.detected("keyword", 0.0005)
    measures.detected("hybrid", 0.140)
    return measures


def table(found: MetricsSnapshot, title: str) -> Table:
    return next(table for table in metrics_tables(found, 200.0) if table.title == title)


def cells(found: MetricsSnapshot, title: str) -> dict[str, tuple[str, ...]]:
    return {row.what: row.cells for row in table(found, title).rows}


def test_that_the_copy_no_longer_changes() -> None:
    measures = made()
    found = metrics_snapshot(measures)
    measures.detected("llm", 0.1)
    measures.llm_completed["success"] += 1
    assert found.completed["success"] == 6
    assert found.in_order == (("keyword", 0.5), ("hybrid", 140.0))
    assert "llm" not in found.source_ms


def test_that_shares_are_of_what_ended_and_was_not_cancelled() -> None:
    requests = table(metrics_snapshot(made()), "Requests to the LLM")
    found = {row.what: row.cells for row in requests.rows}
    assert found["Answered within 200 ms"] == ("6", "75.0 %")
    assert found["Timed out"] == ("2", "25.0 %")
    assert found["Cancelled"] == ("2", "")
    assert "Orphaned now" not in found
    assert requests.remark == (
        "Shares are of the 8 requests that ended and were not cancelled. "
        "Timed out: 1 past the budget, 1 the model was loading."
    )


def test_that_every_outcome_is_counted_once() -> None:
    found = metrics_snapshot(made())
    assert set(cells(found, "Outcomes as shown")) == {"Answered", "Timed out", "Loading", "Superseded"}


def test_that_times_have_percentiles_and_absent_sources_no_row() -> None:
    found = cells(metrics_snapshot(made()), "Type decided by")
    assert list(found) == ["Keywords", "Hybrid", "LLM alone"]
    assert found["Keywords"] == ("1", "0.5", "0.5")
    assert found["LLM alone"] == ("4", "120", "300")


def test_that_a_sentence_tells_how_fast_answers_are_and_what_takes_the_time() -> None:
    measures = EngineMetrics()
    assert latency_sentence(metrics_snapshot(measures), 200.0) == ""
    stages = (
        Stage(KEYWORD_STAGE, 1.0),
        Stage(LEXICAL_STAGE, 11.0, start_ms=1.0),
        Stage("combine", 28.0, start_ms=12.0),
    )
    measures.note(Inspection(Query.of("a"), Phase.MERGED, Detection(None, "evidence"), None, (), None, Trace(stages)))
    found = metrics_snapshot(measures)
    assert latency_sentence(found, 200.0) == "The answer was complete after 40 ms. Combine took 70 % of the time."
    assert cells(found, "Stage")["Combine"] == ("28", "28", "70 %")
    assert table(found, "Stage").remark == "0 of 1 first answers within 10 ms."
    assert cells(found, "Type decided by")["No type"][0] == "1"
    measures.detected("keyword", 0.002)
    half = "Half of the latest 2 answers, typing included, were complete within 2.0 ms, the slowest within 40 ms."
    assert half in latency_sentence(metrics_snapshot(measures), 200.0)


def test_that_nothing_measured_is_empty() -> None:
    assert metrics_snapshot(EngineMetrics()).is_idle
    assert not metrics_snapshot(made()).is_idle
    (only,) = metrics_tables(metrics_snapshot(EngineMetrics()), 200.0)
    assert only.remark == "The LLM was not asked."


def test_that_serving_is_told_with_its_address() -> None:
    assert "http://127.0.0.1:9464/metrics" in endpoint_sentence(9464)
    assert "Not served" in endpoint_sentence(0)


def test_that_every_state_of_a_link_has_a_word_and_an_icon_of_its_own() -> None:
    assert set(MARKS) == set(LinkState)
    assert len({mark[0] for mark in MARKS.values()}) == len({mark[1] for mark in MARKS.values()}) == len(MARKS)


def test_that_what_lies_behind_a_failed_link_says_so() -> None:
    rows = link_rows(without_address())
    assert [row.name for row in rows] == list(REMEDIES)
    assert (rows[0].word, rows[0].remedy) == ("Failed", REMEDIES["Address"])
    assert {row.sentence for row in rows[1:]} == {"Not reached: Address failed."}
    assert verdict(without_address()) == "Stopped at Address."


def test_that_a_check_in_which_all_is_fine_says_so() -> None:
    assert verdict([Link(name, LinkState.FINE) for name in REMEDIES]) == "All steps passed."
    wrong = [Link(name, LinkState.DOUBTFUL if name == "Answer" else LinkState.FINE) for name in REMEDIES]
    assert verdict(wrong) == "Connected, but the test of Answer is wrong."
    assert verdict([Link(name, LinkState.WAITING) for name in REMEDIES]) == ""


@pytest.mark.parametrize("outcome", list(LlmOutcome))
def test_that_every_state_of_the_llm_has_a_pill_and_a_sentence(outcome: LlmOutcome) -> None:
    line = state_line(LlmState(outcome, "It is so.", "small", "json"), wanted=True)
    assert line.word
    assert line.icon
    assert line.sentence


def test_that_off_says_what_to_do() -> None:
    off = LlmState(LlmOutcome.OFF)
    assert [state_line(off, wanted=wanted).word for wanted in (True, False)] == ["Not set up", "Off"]
    assert "search_intent.use_llm" in state_line(off, wanted=False).sentence


def test_that_a_share_is_only_told_where_the_whole_is_known() -> None:
    assert progress("pulling manifest", 0, 0) == ("pulling manifest", None)
    assert progress("pulling 4a1b", 12_000_000, 48_000_000) == ("pulling 4a1b: 12.0 of 48.0 MB", 0.25)


def rows(sources: SettingsSources | None = None, **here: object) -> dict[str, SettingRow]:
    dotted = {key.replace("__", "."): value for key, value in here.items()}
    layered = layer(sources or SettingsSources(), here=dotted)
    found = setting_sections(layered.values, layered.origins)
    return {row.key: row for section in found for row in section.rows}


def test_that_every_setting_has_a_row_with_its_sentence_and_its_variable() -> None:
    found = rows()
    assert sorted(found) == sorted(keys())
    for key, sentence in described().items():
        assert found[key].sentence.replace("“", "`").replace("”", "`") == sentence
        assert found[key].sentence
        assert found[key].variables[0].startswith("INTENTSCOPE_")
    assert found["llm.url"].variables == ("INTENTSCOPE_LLM_URL", "OLLAMA_HOST")


def test_that_each_type_has_its_editor() -> None:
    found = rows()
    assert found["search_intent.enabled"].editor is Editor.SWITCH
    assert found["llm.url"].editor is Editor.TEXT
    assert found["tiers.high"].editor is Editor.THRESHOLD
    assert found["thresholds.fuzzy"].editor is Editor.NUMBER
    assert found["combination"].editor is Editor.CHOICE
    assert ("same", "Same") in found["power_combination"].choices
    assert ("max", "Max") in found["power_combination"].choices


def test_that_bounds_are_told_where_there_are_any() -> None:
    found = rows()
    assert found["search_intent.llm_timeout_ms"].bounds == "1 to 60,000"
    assert found["tiers.high"].bounds == "0 to 1"
    assert found["weights.exact"].bounds == "from 0 on"
    assert found["llm.url"].bounds == ""


def test_that_the_raw_value_is_taken_again_as_it_is() -> None:
    for key, row in rows().items():
        values = layer(here={key: row.raw}).values
        assert values == Settings(), key


def test_that_a_row_says_where_its_value_comes_from() -> None:
    sources = SettingsSources(
        file={"matches": 7}, environment={"llm.url": "http://one"}, command_line={"llm.model": "small"}
    )
    found = rows(sources, preset="as_documented", tiers__weak="0.2")
    assert found["combination"].origin == "Preset “As documented”"
    assert found["combination"].value == found["combination"].default == "Max"
    assert (found["tiers.weak"].origin, found["tiers.weak"].is_set_here) == ("Set here", True)
    assert found["tiers.weak"].default == "0.3"
    assert (found["matches"].origin, found["matches"].fixed) == ("Settings file", "")
    assert found["theme"].origin == "Default"
    assert "INTENTSCOPE_LLM_URL or OLLAMA_HOST" in found["llm.url"].fixed
    assert "--set" in found["llm.model"].fixed


@pytest.mark.parametrize(
    ("sought", "key"),
    [
        ("time-out", "search_intent.llm_timeout_ms"),
        ("SUBCOG use_llm", "search_intent.use_llm"),
        ("retrieval_fuzzy_threshold", "thresholds.fuzzy"),
        ("second power close", "tiers.ambiguity_margin"),
        ("tiers powers high", "tiers.high"),
        ("night", "theme"),
        ("dark", "theme"),
        ("font", "text_scale"),
        ("zoom", "text_scale"),
        ("accessibility", "high_contrast"),
    ],
)
def test_that_a_setting_is_found_by_any_of_its_words(sought: str, key: str) -> None:
    layered = layer()
    found = [
        row.key
        for section in setting_sections(layered.values, layered.origins)
        for row in section.rows
        if matching(row, section, sought)
    ]
    assert key in found
    assert len(found) < len(keys()) / 4


def test_that_letters_within_a_word_find_no_setting() -> None:
    layered = layer()
    every = [(row, section) for section in setting_sections(layered.values, layered.origins) for row in section.rows]
    assert [row.key for row, section in every if matching(row, section, "bin")] == ["curate.bin_days"]
    near = {row.key: section.key for row, section in every if matching(row, section, "near duplicates")}
    assert near == dict.fromkeys(("curate.duplicate_spelling", "curate.duplicate_meaning"), "thresholds")


def test_that_a_step_stays_within_the_bounds() -> None:
    found = rows()
    assert stepped(found["tiers.high"], "0.85", 1) == "0.9"
    assert stepped(found["tiers.high"], "0.98", 1) == "1"
    assert stepped(found["tiers.high"], "0.3", -1) == "0.25"
    assert stepped(found["search_intent.llm_timeout_ms"], "1", -1) == "1"
    assert stepped(found["search_intent.llm_timeout_ms"], "200", 10) == "210"
    assert stepped(found["tiers.high"], "much", 1) == "much"


FOUND = UsageTotals(7, {(UsageCounter.TURNS, "0"): 3, (UsageCounter.TURNS, "1"): 1, (UsageCounter.POWERS, "called"): 4})


def test_that_every_outcome_has_its_words() -> None:
    assert set(NAMES) == set(USAGE_COUNTERS) == set(UsageCounter)
    assert set(OUTCOMES) == {outcome for outcomes in USAGE_COUNTERS.values() for outcome in outcomes}
    assert [turns_outcome(turns) for turns in (0, 2, 3, 40)] == ["0", "2", "3 or more", "3 or more"]


def test_that_what_was_counted_is_told_with_shares_of_what_are_parts_of_a_whole() -> None:
    heading, powers, turns = usage_tables(FOUND)
    assert heading.title == "Use, the last 7 days"
    assert [row.cells[0] for row in powers.rows] == ["0", "0", "4", "0"]
    assert not any(row.cells[1] for row in powers.rows)
    assert (turns.rows[0].cells, turns.remark.split()[0]) == (("3", "75.0 %"), "0.250")
    assert usage_document(FOUND)["mean_turns"] == 0.25
    assert usage_document(FOUND)["hooks"] == {"injected": 0, "nothing": 0, "late": 0}
    assert "75.0 %" in "\n".join(usage_lines(FOUND))


def test_that_nothing_counted_is_said_once() -> None:
    assert usage_tables(UsageTotals(1)) == ()
    assert usage_lines(UsageTotals(1)) == ["Use, today: nothing was counted."]
    assert UsageTotals(1).mean_turns is None


def test_that_who_has_one_cache_reads_of_no_other() -> None:
    _, caches = usage_tables(UsageTotals(1, {(UsageCounter.ROUTE_CACHES, "table miss"): 1}))
    assert [row.what for row in caches.rows] == ["Found in the table", "Not in the table"]
