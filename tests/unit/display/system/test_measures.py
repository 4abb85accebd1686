"""Tests of metrics as tables: consistent counts, shares with totals, times by source."""

from __future__ import annotations

from app.display.system.metrics import (
    MetricsSnapshot,
    Table,
    endpoint_sentence,
    latency_sentence,
    metrics_snapshot,
    metrics_tables,
)
from app.domain.match import Query
from app.domain.scope.inspection import KEYWORD_STAGE, LEXICAL_STAGE, Detection, Inspection, Phase, Stage, Trace
from app.services.engine.metrics import EngineMetrics


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
    assert found["Orphaned now"] == ("0", "")
    assert requests.remark == (
        "Shares are of the 8 requests that ended and were not cancelled. "
        "Timed out: 1 past the budget, 1 the model was loading."
    )


def test_that_every_status_and_every_outcome_is_counted_once() -> None:
    found = metrics_snapshot(made())
    assert cells(found, "How requests ended")["Cancelled"] == ("2", "20.0 %")
    assert set(cells(found, "How requests ended")) == {"Answered in time", "Timed out", "Cancelled"}
    assert set(cells(found, "Outcomes as shown")) == {"Answered", "Timed out", "Loading", "Superseded"}


def test_that_times_have_percentiles_and_absent_sources_no_row() -> None:
    found = cells(metrics_snapshot(made()), "Type decided by")
    assert list(found) == ["Keywords", "Hybrid", "LLM alone"]
    assert found["Keywords"] == ("1", "0.5", "0.5", "0.5", "0.5")
    assert found["LLM alone"] == ("4", "120", "300", "300", "300")


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
    assert table(found, "Stage").remark.endswith("10 ms budget, 1 of 1 over (100 %).")
    assert cells(found, "Type decided by")["No type"][0] == "1"
    measures.detected("keyword", 0.002)
    assert (
        "Half of the latest 2 answers, typing included, were complete within 2.0 ms, 95 % within 40 ms."
        in latency_sentence(metrics_snapshot(measures), 200.0)
    )


def test_that_nothing_measured_is_empty() -> None:
    assert metrics_snapshot(EngineMetrics()).is_empty
    assert not metrics_snapshot(made()).is_empty
    (only,) = metrics_tables(metrics_snapshot(EngineMetrics()), 200.0)
    assert only.remark == "The LLM was not asked."


def test_that_serving_is_told_with_its_address() -> None:
    assert "http://127.0.0.1:9464/metrics" in endpoint_sentence(9464)
    assert "Not served" in endpoint_sentence(0)
