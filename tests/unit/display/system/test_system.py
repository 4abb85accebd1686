"""Tests of settings, metrics, usage, the connection check and the help's search in words."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app.display.system.help_pages import CHAPTERS, Section, chapters, find
from app.display.system.metrics import (
    NAMES,
    OUTCOMES,
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
from app.display.system.settings import SettingRow, matching, setting_sections, stepped
from app.domain.history import USAGE_COUNTERS, UsageCounter, UsageTotals, turns_outcome
from app.domain.inspection import KEYWORD_STAGE, LEXICAL_STAGE, Detection, Inspection, Phase, Stage, Trace
from app.domain.llm import LlmOutcome
from app.domain.match import Query
from app.ports.llm import LlmState
from app.services.engine.connection import REMEDIES, Link, LinkState, without_address
from app.services.engine.metrics import EngineMetrics
from app.settings.model import Settings, SettingsSources, described, keys, layer
from tests.golden import written

BOOKS = {
    "one": [
        Section("one", "Colours", "Colours", "", "The window is dark."),
        Section("one", "Colours", "High contrast", "high-contrast", "Lines are stronger."),
    ],
    "two": [Section("two", "Lines", "Wrapping", "wrapping", "Long texts wrap, in dark and light windows.")],
}


GOLDEN = Path(__file__).with_name("system.txt")
"""Reviewed text of metrics, links, settings and usage; `GOLDEN.write_text(read())` writes it again."""

FOUND = UsageTotals(7, {(UsageCounter.TURNS, "0"): 3, (UsageCounter.TURNS, "1"): 1, (UsageCounter.POWERS, "called"): 4})
SETTINGS = (
    "search_intent.enabled", "llm.url", "tiers.high", "thresholds.fuzzy", "combination", "power_combination",
    "search_intent.llm_timeout_ms", "weights.exact", "tiers.weak", "matches", "theme", "llm.model",
)  # fmt: skip


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


def asked(*more: float) -> EngineMetrics:
    """Return metrics of one query and of more answers by keyword after these seconds."""
    measures, lexical = EngineMetrics(), Stage(LEXICAL_STAGE, 11.0, start_ms=1.0)
    stages = (Stage(KEYWORD_STAGE, 1.0), lexical, Stage("combine", 28.0, start_ms=12.0))
    measures.note(Inspection(Query.of("a"), Phase.MERGED, Detection(None, "evidence"), None, (), None, Trace(stages)))
    for seconds in more:
        measures.detected("keyword", seconds)
    return measures


def tables(found: Iterable[Table]) -> Iterator[str]:
    for table in found:
        yield f"{table.title}: {', '.join(filter(None, table.heads))}"
        yield from (f"  {row.what}: {' | '.join(filter(None, row.cells))}" for row in table.rows)
        yield from [f"  {table.remark}"] if table.remark else []


def rows(sources: SettingsSources | None = None, **here: object) -> dict[str, SettingRow]:
    dotted = {key.replace("__", "."): value for key, value in here.items()}
    layered = layer(sources or SettingsSources(), here=dotted)
    found = setting_sections(layered.values, layered.origins)
    return {row.key: row for section in found for row in section.rows}


def setting_text(row: SettingRow) -> str:
    value = f"{row.value} (usually {row.default}; {row.bounds or 'no bounds'}), from {row.origin}"
    return f"{row.key}: {row.editor.value}, {value}{', set here' if row.is_set_here else ''}. {row.fixed}".rstrip()


def read() -> str:
    sources = SettingsSources(
        file={"matches": 7}, environment={"llm.url": "http://one"}, command_line={"llm.model": "small"}
    )
    set_rows, links = rows(sources, preset="as_documented", tiers__weak="0.2"), link_rows(without_address())
    there = {key for topics in CHAPTERS.values() for key in topics} - {"cases"} | {"brand-new"}
    states = [(LlmState(outcome, "It is so.", "small", "json"), True) for outcome in LlmOutcome]
    idle = (LlmState(LlmOutcome.OFF), False), (LlmState(LlmOutcome.OFF), True)
    doubtful = [Link(name, LinkState.DOUBTFUL if name == "Answer" else LinkState.FINE) for name in REMEDIES]
    steps = (
        ("tiers.high", "0.85", 1), ("tiers.high", "0.98", 1), ("tiers.high", "0.3", -1), ("tiers.high", "much", 1),
        ("search_intent.llm_timeout_ms", "1", -1), ("search_intent.llm_timeout_ms", "200", 10),
    )  # fmt: skip
    usages = (FOUND, UsageTotals(1), UsageTotals(1, {(UsageCounter.ROUTE_CACHES, "table miss"): 1}))
    return written(
        {
            "sections with words": [
                [section.title for section, _ in find(BOOKS, words)]
                for words in ("LINES", "dark window", "contrast", "dark penguin", "  ")
            ],
            "a page that nobody placed": list([*chapters(there).values()][-2].values()),
            "chapters without pages": list(chapters(set())),
            "metrics": tables(metrics_tables(metrics_snapshot(made()), 200.0)),
            "metrics of one query": tables(metrics_tables(metrics_snapshot(asked()), 200.0)),
            "metrics of none": tables(metrics_tables(metrics_snapshot(EngineMetrics()), 200.0)),
            "is idle": [metrics_snapshot(one).is_idle for one in (EngineMetrics(), made())],
            "how fast": [
                latency_sentence(metrics_snapshot(one), 200.0) for one in (EngineMetrics(), asked(), asked(0.002))
            ],
            "served": map(endpoint_sentence, (9464, 0)),
            "links without an address": links,
            "links": [
                verdict(without_address()),
                verdict([Link(name, LinkState.FINE) for name in REMEDIES]),
                verdict(doubtful),
                verdict([Link(name, LinkState.WAITING) for name in REMEDIES]),
            ],
            "states of the LLM": [state_line(state, wanted=wanted) for state, wanted in (*states, *idle)],
            "progress": [progress("pulling manifest", 0, 0), progress("pulling 4a1b", 12_000_000, 48_000_000)],
            "settings": [setting_text(rows()[key]) for key in SETTINGS],
            "settings from elsewhere": [setting_text(set_rows[key]) for key in SETTINGS],
            "choices of the same combination": rows()["power_combination"].choices,
            "steps": [stepped(rows()[key], text, by) for key, text, by in steps],
            "usage": (line for one in usages for line in usage_lines(one)),
            "usage in tables": (line for one in usages for line in tables(usage_tables(one))),
            "usage as a document": usage_document(FOUND),
        }
    )


def test_that_metrics_links_settings_and_usage_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert UsageTotals(1).mean_turns is None
    assert all("cases" not in topics for topics in chapters({"keys"}).values())


def test_that_a_finding_shows_the_words_around_it() -> None:
    text = f"{'before ' * 40}needle {'after ' * 40}"
    ((_, around),) = find({"t": [Section("t", "T", "T", "", text)]}, "needle")
    assert around.startswith("… before")
    assert "needle" in around
    assert around.endswith("after …")
    assert len(around) < 120


def test_that_the_copy_no_longer_changes() -> None:
    measures = made()
    found = metrics_snapshot(measures)
    measures.detected("llm", 0.1)
    measures.llm_completed["success"] += 1
    assert found.completed["success"] == 6
    assert found.in_order == (("keyword", 0.5), ("hybrid", 140.0))
    assert "llm" not in found.source_ms


def test_that_every_state_of_a_link_has_a_word_and_an_icon_of_its_own() -> None:
    assert set(MARKS) == set(LinkState)
    assert len({mark[0] for mark in MARKS.values()}) == len({mark[1] for mark in MARKS.values()}) == len(MARKS)


def test_that_every_setting_has_a_row_with_its_sentence_and_its_variable() -> None:
    found = rows()
    assert sorted(found) == sorted(keys())
    for key, sentence in described().items():
        assert found[key].sentence.replace("“", "`").replace("”", "`") == sentence
        assert found[key].sentence
        assert found[key].variables[0].startswith("INTENTSCOPE_")
    assert found["llm.url"].variables == ("INTENTSCOPE_LLM_URL", "OLLAMA_HOST")


def test_that_the_raw_value_is_taken_again_as_it_is() -> None:
    for key, row in rows().items():
        values = layer(here={key: row.raw}).values
        assert values == Settings(), key


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


def test_that_every_outcome_has_its_words() -> None:
    assert set(NAMES) == set(USAGE_COUNTERS) == set(UsageCounter)
    assert set(OUTCOMES) == {outcome for outcomes in USAGE_COUNTERS.values() for outcome in outcomes}
    assert [turns_outcome(turns) for turns in (0, 2, 3, 40)] == ["0", "2", "3 or more", "3 or more"]
